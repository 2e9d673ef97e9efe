/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what the gates need of a kernel module (.ko): its "key=value" strings of
 * .modinfo and its defined symbols. Little-endian ELF64 relocatables only, as
 * x86-64 and arm64 build them; every offset of the file is checked.
 *
 *	struct elfmod m;
 *	if (elfmod_read(path, &m, err) < 0) ...
 *	v = elfmod_info(&m, "vermagic");
 *	elfmod_release(&m);
 */
#ifndef KPORT_ELFMOD_H
#define KPORT_ELFMOD_H

#include "base/strbuf.h"
#include "base/strvec.h"

struct elfmod {
	struct strvec info;	 /* "alias=pci:v...", in the file's order */
	struct strvec functions; /* defined global functions */
	struct strvec objects;	 /* defined global objects */
};

int elfmod_read(const char *path, struct elfmod *out, struct strbuf *err);
void elfmod_release(struct elfmod *m);
/* First value of that key, or NULL. */
const char *elfmod_info(const struct elfmod *m, const char *key);

#endif
