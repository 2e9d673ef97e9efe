/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What "kport check" does, for the commands that do a part of it (cmd-boot.c).
 * Prints the answer and returns the exit code.
 */
#ifndef KPORT_CMD_CHECK_H
#define KPORT_CMD_CHECK_H

#include "checks/gate.h"

struct check_opts {
	const char *kernel, *from;	/* names for kernel_resolve(); from may be NULL */
	const char *before;		/* the driver as it was for "from"; NULL: the same one */
	const char *gates, *out, *config; /* as the options of kport-check(1), or NULL */
	const char *boot_from;		/* "fresh", "snapshot"; NULL: fresh */
	const char *sarif;		/* write findings there, or NULL */
	const char *firmware;		/* directory for firmware_use(), or NULL */
	bool no_boot, no_sandbox, analyse, sanitize;
	double boot_seconds;
	int64_t boot_runs;
};

int check_driver(const char *input, const struct check_opts *opts, unsigned mask);
/* Limits, directories, words: wrong usage ends the program. */
void check_usage(const struct check_opts *opts, enum machine_from *from);

#endif
