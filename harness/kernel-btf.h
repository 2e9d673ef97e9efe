/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file that holds a kernel's BTF: its image without the compressed wrapping
 * (kept in the cache, as machines boot it), else a vmlinux of the build tree.
 *
 *	char *file;
 *	if (kernel_btf(k, &file, err) == 0)
 *		layout_diff_open(file, ...);
 *
 * KP_NOTFOUND: the record has no image (kport kernel add --with-image), or no BTF is in
 * it (CONFIG_DEBUG_INFO_BTF). The first call for an image takes a second or two.
 */
#ifndef KPORT_KERNEL_BTF_H
#define KPORT_KERNEL_BTF_H

#include "harness/kernel.h"

int kernel_btf(const struct kernel *k, char **out, struct strbuf *err);

#endif
