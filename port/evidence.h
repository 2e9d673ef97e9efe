/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What there is besides declarations to say of a symbol: how structures lie in memory,
 * the commits of mined histories, and how others followed.
 *
 *	struct evidence e;
 *	evidence_find(&pair, "struct foo", "bar", to_name, 3, &e);
 *	evidence_print(&e);
 *	evidence_json(&e, object);
 *	evidence_release(&e);
 */
#ifndef KPORT_EVIDENCE_H
#define KPORT_EVIDENCE_H

#include <jansson.h>
#include "mine/cochange.h"
#include "mine/layout.h"
#include "port/apiview.h"
#include "port/learn-store.h"

struct evidence {
	struct layout_change *layout;
	size_t nlayout;
	struct cochange *commit; /* of mined histories, the oldest first */
	size_t ncommits, commits_alloc;
	size_t histories;	/* that were asked */
	size_t elsewhere;	/* how many more are not between the two kernels */
	struct example *example;
	size_t nexamples;
	struct learned *rule;	/* what was learned from both kernels' drivers */
	size_t nrules;
	char **ours;		/* the engine's own rules for it: "class/class-create: drop ..." */
	size_t nours, ours_alloc;
	char *instead;	/* what others use where they used it, or NULL; agree of that many examples */
	size_t agree, of;
	size_t dropped, all; /* examples that only delete, of how many */
	bool member;	/* one member was asked for: all of its changes are shown */
};

/*
 * p NULL: whatever the histories have, of all releases. symbol: "del_timer", "struct foo"; member or NULL. to_name: what replaces it, or NULL.
 * max: examples, 0 for none.
 */
void evidence_find(const struct api_pair *p, const char *symbol, const char *member, const char *to_name,
		   size_t max, struct evidence *out);
void evidence_print(const struct evidence *e);
/* Adds "layout", "commits", "rules", "learned", "instead" and "examples". */
void evidence_json(const struct evidence *e, json_t *object);
void evidence_release(struct evidence *e);

#endif
