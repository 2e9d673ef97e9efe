/* SPDX-License-Identifier: GPL-2.0-only */
/* Variables of Kbuild that the target does not read any more. */
#ifndef KPORT_KBUILDFIX_H
#define KPORT_KBUILDFIX_H

#include "harness/kernel.h"
#include "port/edit.h"

/*
 * EXTRA_CFLAGS and its kind under their present names in all Kbuild files, or NULL
 * when there is nothing to do. What these variables hold (include directories,
 * macros) decides how every unit is compiled.
 */
struct edit_group *kbuild_flags_group(const struct kernel *to, const struct tree *t);

#endif
