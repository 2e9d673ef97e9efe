/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Structures of a kernel that no header has, by name, from the BTF of its image: for drivers that
 * keep a copy of one. Only members of the structure itself (level 0), as in layout-shape.h.
 *
 *	struct vmlinux *v;
 *	if (vmlinux_open(k, &v, err) == 0 && vmlinux_shape(v, "struct foo", &shape))
 *		...
 *	vmlinux_close(v);
 *
 * KP_NOTFOUND: the record has no image or no BTF in it.
 */
#ifndef KPORT_LAYOUT_VMLINUX_H
#define KPORT_LAYOUT_VMLINUX_H

#include "checks/layout-shape.h"
#include "harness/kernel.h"

struct vmlinux;
int vmlinux_open(const struct kernel *k, struct vmlinux **out, struct strbuf *err);
/* "struct foo" or "union foo"; of several private ones of that name the first. */
bool vmlinux_shape(const struct vmlinux *v, const char *name, struct shape *out);
void vmlinux_close(struct vmlinux *v);

#endif
