/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A subcommand. To add one: write DIR/cmd-NAME.c with one
 * "const struct command cmd_NAME", declare it in the list below, add it to
 * the table in base/main.c (sorted), write docs/man/kport-NAME.1 and a test.
 */
#ifndef KPORT_COMMAND_H
#define KPORT_COMMAND_H

#include "base/compat.h"
#include "base/strbuf.h"

struct option;

struct command {
	const char *name;
	const char *summary; /* one line for "kport help" */
	const char *usage;   /* "kport port DRIVER --from KERNEL [options]", lines split by \n */
	int (*run)(const struct command *cmd, int argc, const char **argv); /* exit code */
};

/* One line each, sorted. */
extern const struct command cmd_ask;
extern const struct command cmd_audit;
extern const struct command cmd_bench;
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
extern const struct command cmd_nightly;
extern const struct command cmd_port;

/*
 * Runs the one of table that argv[1] names: its name is "CMD WORD". help: options of all of
 * them, for -h of the command itself. Wrong words are usage().
 */
int command_dispatch(const struct command *cmd, const struct command *table, size_t n,
		     const struct option *help, int argc, const char **argv);
/* Logs the message of a negative ret; releases it; the exit code. */
int command_end(int ret, struct strbuf *err);

#endif
