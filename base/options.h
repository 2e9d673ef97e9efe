/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command-line options as a table: parsing, -h text, and the manual's SYNOPSIS
 * come from it. Long names with "-" and "--no-" for booleans, optional one
 * letter; "--" ends options; options and operands may be mixed.
 */
#ifndef KPORT_OPTIONS_H
#define KPORT_OPTIONS_H

#include "base/compat.h"
#include "base/strvec.h"

enum option_kind { OPT_END, OPT_BOOL, OPT_STR, OPT_INT, OPT_COUNT, OPT_DOUBLE, OPT_LIST, OPT_GROUP };

struct option {
	enum option_kind kind;
	char letter;		/* 0: none */
	const char *name;	/* without dashes; the title of an OPT_GROUP */
	void *value;		/* bool *, const char **, int64_t *, double *, struct strvec * */
	const char *arg;	/* "DIR", "N", ... in help texts */
	const char *help;
};

#define OPTION_BOOL(l, n, v, h)	   { OPT_BOOL, l, n, v, NULL, h }
#define OPTION_STR(l, n, v, a, h)  { OPT_STR, l, n, v, a, h }
#define OPTION_INT(l, n, v, a, h)  { OPT_INT, l, n, v, a, h }
#define OPTION_COUNT(l, n, v, a, h) { OPT_COUNT, l, n, v, a, h } /* whole, 1 or more */
#define OPTION_DBL(l, n, v, a, h)  { OPT_DOUBLE, l, n, v, a, h }
#define OPTION_LIST(l, n, v, a, h) { OPT_LIST, l, n, v, a, h }
#define OPTION_GROUP(t)		   { OPT_GROUP, 0, t, NULL, NULL, NULL }
#define OPTION_END()		   { OPT_END, 0, NULL, NULL, NULL, NULL }

/*
 * Parses argv[1..]; operands are left in "operands". Prints help to stdout and
 * exits 0 for -h/--help; prints one line to stderr and exits 129 for wrong
 * usage ("kport port: unknown option '--frm'; did you mean '--from'?").
 * Options common to all commands (--json --quiet --verbose --color --config) are
 * added by itself. "operands" NULL: the command takes none.
 */
struct command;
void options_parse(const struct command *cmd, const struct option *opts, int argc,
		   const char **argv, struct strvec *operands);

/*
 * The options common to all commands may stand in front of the command too: how many words
 * of argv[1..] that are.
 */
int options_leading(int argc, const char **argv);

extern bool opt_json; /* --json */

/* The word of the NULL-terminated list that was probably meant, or NULL. */
const char *closest_word(const char *word, const char *const *list);

#endif
