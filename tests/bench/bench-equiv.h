/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The comparison of solved in-tree cases with the newer tree's own file: how many ports
 * are what the maintainers did (drivebench/equiv.h), by kernel pair, risk class and
 * technique, and every edit that is not.
 *
 *	bench_equiv_case(&b, record);	// for each case; unsolved ones are passed over
 *	bench_equiv_tables("out.json");
 */
#ifndef KPORT_BENCH_EQUIV_H
#define KPORT_BENCH_EQUIV_H

#include <jansson.h>
#include "base/compat.h"

struct bcase {
	char *id, *from, *to, *kinds, *input, *dir;
	char *rel;			  /* in-tree: path in the kernel's source */
	char *package, *version, *suites; /* dkms */
	bool dkms;
	char *error;	/* could not be set up */
	double seconds;
	uint64_t rss;
};

/* Did the gate of a result record pass? */
bool bench_passed(const json_t *rec, const char *gate);
/* Compares and remembers. A case whose files cannot be read is counted as "nothing to compare". */
void bench_equiv_case(const struct bcase *b, const json_t *rec);
/* Tables to stdout; all edits as JSON to the file when it is not NULL. */
void bench_equiv_tables(const char *json);

#endif
