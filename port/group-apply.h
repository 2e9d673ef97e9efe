/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Repeating in one function of the driver all that another driver did in one of
 * its functions: every statement that belongs to the change, or nothing.
 *
 * Refused when a statement that the change needs has no counterpart here, when
 * the symbol, a name that went or another gone kernel name would be left over, when
 * new text has a name that stands for nothing, or when a statement would be
 * taken away from under an "if" that stays.
 */
#ifndef KPORT_GROUP_APPLY_H
#define KPORT_GROUP_APPLY_H

#include "port/group-example.h"

struct group_outcome {
	size_t sites;	 /* places rewritten */
	size_t items;	 /* functions, objects and members that came along */
	bool head;	 /* the function's parameters changed */
	bool deletes;	 /* statements went without a successor */
	bool conditional; /* a new local is set where a condition holds only */
};

/* Adds the edits to g; false and g as it was when the change cannot be repeated here. */
bool group_apply(const struct propose_ctx *c, const char *symbol, const struct group_example *ex,
		 struct srcfile *f, const struct cfunc *fn, uint32_t site, struct edit_group *g,
		 struct group_outcome *out);

#endif
