/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A subcommand. To add one: write DIR/cmd-NAME.c with one
 * "const struct command cmd_NAME", declare it in the list below, add it to
 * the table in base/main.c (sorted), write docs/man/kport-NAME.1 and a test.
 */
#ifndef KPORT_COMMAND_H
#define KPORT_COMMAND_H

#include "base/compat.h"

struct command {
	const char *name;
	const char *summary; /* one line for "kport help" */
	const char *usage;   /* "kport port DRIVER --from KERNEL [options]", lines split by \n */
	int (*run)(const struct command *cmd, int argc, const char **argv); /* exit code */
};

/* One line each, sorted. */
extern const struct command cmd_audit;
extern const struct command cmd_boot;
extern const struct command cmd_check;
extern const struct command cmd_devices;
extern const struct command cmd_doctor;
extern const struct command cmd_explain;
extern const struct command cmd_impact;
extern const struct command cmd_index;
extern const struct command cmd_kernel;
extern const struct command cmd_learn;
extern const struct command cmd_mine;
extern const struct command cmd_port;

#endif
