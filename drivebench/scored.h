/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs to be shown side by side: each with its records and score, and behind each the baselines that were run with it
 * ("kport bench run --baselines": RUN/baselines/NAME).
 *
 *	struct scored_list l = { 0 };
 *	scored_add(&l, "run", NULL, err);
 *	... l.v[0].score, l.v[1].baseline ...
 *	scored_release(&l);
 */
#ifndef KPORT_SCORED_H
#define KPORT_SCORED_H

#include "drivebench/score.h"

struct scored {
	char *name;		/* as it was given; of a baseline with its name behind it */
	const char *baseline;	/* "noop", "rules", "sibling", or NULL */
	struct bench_run r;
	json_t *records, *score;
};

struct scored_list {
	struct scored *v;
	size_t n, alloc;
};

/* cutoff: as score_make() takes it. KP_NOTFOUND: there is no such run. */
int scored_add(struct scored_list *l, const char *dir, const char *cutoff, struct strbuf *err);
void scored_release(struct scored_list *l);
/* Baselines are compared with the run in front of them, further runs with the first one: the index of that, or i itself. */
size_t scored_against(const struct scored_list *l, size_t i);

/* Names of the baselines in the order in which they are shown; ends with NULL. */
extern const char *const baseline_names[];

#endif
