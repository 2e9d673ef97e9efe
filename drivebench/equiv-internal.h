/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the parts of equiv.h: a file in units, and runs of tokens that two units do not share. */
#ifndef KPORT_EQUIV_INTERNAL_H
#define KPORT_EQUIV_INTERNAL_H

#include "base/cfunc.h"
#include "base/strmap.h"
#include "drivebench/equiv.h"

/* Tokens of a file as numbers: equal tokens have equal numbers in all files of one table. */
struct equiv_words {
	struct strmap ids;
	uint32_t n;
};

struct equiv_unit {
	char *name;	  /* "function foo" */
	uint32_t *w;	  /* words */
	uint32_t *tok;	  /* token of each, for lines and text */
	size_t n;
};

struct equiv_file {
	const char *text;
	struct ctoks ts;
	struct cfile cf;
	struct equiv_unit *u;
	size_t n, alloc;
	struct strmap by_name; /* index + 1 */
};

void equiv_file_read(struct equiv_file *f, struct equiv_words *words, const char *text);
void equiv_file_release(struct equiv_file *f);
const struct equiv_unit *equiv_file_unit(const struct equiv_file *f, const char *name);
bool equiv_units_same(const struct equiv_unit *a, const struct equiv_unit *b);

/* old[a, b) became new[c, d). */
struct equiv_run {
	size_t a, b, c, d;
};

struct equiv_runs {
	struct equiv_run *r;
	size_t n, alloc;
};

/* Either may be NULL: an empty unit. Bounded: a region too large to align is one run. */
void equiv_diff(const struct equiv_unit *old, const struct equiv_unit *new, struct equiv_runs *out);
/* Share of tokens in common, 0..1. */
double equiv_similarity(const struct equiv_unit *a, const struct equiv_unit *b);

#endif
