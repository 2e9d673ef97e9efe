/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unpacks Debian's kernel packages into the parts of a record (kernel-record.h).
 *
 * Shapes in and out:
 *	image:	boot/vmlinuz-R, lib/modules/R (or usr/lib/modules/R with vmlinuz in
 *		it) become image/vmlinuz, image/config, image/lib/modules/R
 *	source:	usr/src/linux-source-V.tar.xz becomes source/linux
 * Errors: KP_INFRA for a full disk, KP_ERR for packages of another shape.
 */
#ifndef KPORT_KERNEL_UNPACK_H
#define KPORT_KERNEL_UNPACK_H

#include "base/strbuf.h"
#include "harness/apt.h"

/* All packages of the list, from debs/FILE, into one new directory; progress is drawn. */
int kernel_unpack_debs(const char *debs, const struct apt_packages *pkgs, const char *dir,
		       struct strbuf *err);
/* Bring what was unpacked in dir into the record's shape. */
int kernel_arrange_image(const char *dir, struct strbuf *err);
int kernel_arrange_source(const char *dir, struct strbuf *err);

#endif
