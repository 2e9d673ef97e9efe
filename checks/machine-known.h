/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Complaints that stock kernels are known to make about stock drivers, from
 * checks/known-console.tsv: they are no fault of a port of that driver. And what kernels show otherwise.
 */
#ifndef KPORT_MACHINE_KNOWN_H
#define KPORT_MACHINE_KNOWN_H

#include "harness/kbuild.h"

/* Titles that apply to the built modules on k are appended. KP_ERR names a bad line. */
int machine_known_titles(const struct kernel *k, const struct kbuild_result *build,
			 struct strvec *titles, struct strbuf *err);

/*
 * What stock drivers of several kinds show otherwise from one kernel to another, so that it is the kernel's
 * doing (checks/stock-view.tsv): patterns of keys of behaviour.c that change between the two.
 */
int machine_known_stock(const struct kernel *from, const struct kernel *to, struct strvec *keys,
			struct strbuf *err);

#endif
