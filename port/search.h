/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Best-first search over combinations of candidate edits under the fast oracle.
 *
 * A node is a state of the tree. The search takes the best node, picks its most
 * basic breakage, asks the proposers for candidates and tries them in their
 * order; one that removes the breakage and brings no new one is followed at
 * once, one that brings a few new ones is followed when nothing better is left, one
 * of risk "shown" is named in the trace and never taken.
 * What nobody can repair is put aside, so that the rest is still repaired. The
 * same input gives the same result: bounds are counts, the clock only stops a
 * search that got out of hand (and the result says so).
 *
 *	struct search_result r;
 *	search_run(&ctx, tree, &opts, &r, err);
 *	search_result_release(&r);
 */
#ifndef KPORT_SEARCH_H
#define KPORT_SEARCH_H

#include <jansson.h>
#include "port/oracle.h"
#include "port/propose.h"

struct port_step {
	int refs;
	struct port_step *parent;
	struct edit_group *group;
	struct tree *before, *after;
	struct breakage target;	/* what it repaired */
	size_t tried;		/* candidates tried for it, this one included */
	size_t fresh;		/* breakages that it brought (closed later, or left) */
	double weight_before, weight_after; /* of the unit */
};

struct search_opts {
	unsigned max_checks;	/* oracle answers; 0: 60 + 12 for each breakage at the start, at most 4000 */
	unsigned max_backtrack; /* checks spent after a first incomplete result; 0: 24 */
	double wall_seconds;	/* 0: 900 */
	size_t candidates;	/* per breakage; 0: 12 */
	unsigned jobs;		/* compilers at once; 0: one a processor, at most 8. Changes no result. */
	bool (*interrupted)(void);
	void (*progress)(size_t left, size_t done, void *payload);
	void *payload;
};

struct search_result {
	struct tree *tree;	   /* the best state */
	struct port_step **steps;  /* in the order applied; borrowed parents */
	size_t nsteps;
	struct breakage_list left; /* work that remains, empty when complete */
	bool complete;
	bool bounded;		   /* a bound ended the search */
	json_t *trace;		   /* array: every candidate that was tried and what became of it */
	unsigned nodes;
};

struct search_ctx {
	struct propose_ctx propose; /* tree, b, all are filled in by the search */
	struct oracle *oracle;
};

unsigned search_jobs(const struct search_opts *opts);
int search_run(const struct search_ctx *c, struct tree *start, const struct search_opts *opts,
	       struct search_result *out, struct strbuf *err);
void search_result_release(struct search_result *r);

/*
 * Drop every step without which the result is as good: the others are merged
 * without it and the units concerned are checked. Returns how many were dropped.
 */
int search_minimise(const struct search_ctx *c, struct search_result *r, struct strbuf *err);

#endif
