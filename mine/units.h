/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A C file as a sequence of units: statements, the heads of control statements,
 * elements of initialisers, members, directives. What two versions of a file
 * have in common is decided unit by unit, whatever their layout.
 *
 *	struct cunits a, b;
 *	cunits_split(&a, &old_tokens);
 *	cunits_split(&b, &new_tokens);
 *	cunits_diff(&a, &b, on_hunk, payload, err);
 *	cunits_release(&a);
 */
#ifndef KPORT_UNITS_H
#define KPORT_UNITS_H

#include "base/ctoken.h"

struct cunit {
	uint32_t first, end; /* tokens [first, end) */
};

struct cunits {
	const struct ctoks *ts;
	struct cunit *u;
	size_t n, alloc;
};

/* Units [a, a_end) of the old file became units [b, b_end) of the new one. */
struct cunits_hunk {
	size_t a, a_end, b, b_end;
};

/* Tokens of the units [from, end). */
static inline size_t cunits_tokens(const struct cunits *us, size_t from, size_t end)
{
	return from < end ? us->u[end - 1].end - us->u[from].first : 0;
}

void cunits_split(struct cunits *us, const struct ctoks *ts);
void cunits_release(struct cunits *us);
/*
 * Calls fn for each hunk, in order. Runs of as many removed as added units whose pairs
 * are similar are given pair by pair.
 */
int cunits_diff(const struct cunits *a, const struct cunits *b,
		void (*fn)(const struct cunits_hunk *h, void *payload), void *payload,
		struct strbuf *err);

#endif
