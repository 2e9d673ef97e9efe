/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The QEMU of this machine: which one, and which devices it has. Asking takes
 * half a second, so the answers are kept in the cache under the program's identity.
 *
 *	const struct emulator *e = emulator_get(err);	// NULL: KP_INFRA, the reason in err
 *
 * "machine.qemu" in kport.conf names another program.
 */
#ifndef KPORT_EMULATOR_H
#define KPORT_EMULATOR_H

#include "base/strbuf.h"
#include "base/strvec.h"

struct emulator {
	char *path;	       /* absolute */
	char *identity;	       /* path, size and time: changes when the program does */
	char *version;	       /* "7.2.22" */
	struct strvec devices; /* names that -device takes */
};

/* Found once a process; belongs to this module. */
const struct emulator *emulator_get(struct strbuf *err);
/* The first device in "-device NAME,..." pairs that it lacks, newly allocated, or NULL. */
char *emulator_lacks(const struct emulator *e, const struct strvec *qemu_args);

#endif
