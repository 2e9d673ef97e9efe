/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commits of a range and how they follow each other.
 *
 *	struct graph g;
 *	graph_init(&g, objects, shallow, first_parent);
 *	graph_load(&g, &tips, &hidden);
 *	graph_order(&g, &order, &n);	// indexes into g.nodes, parents before children
 *	graph_release(&g);
 *
 * Commits that can be reached from a hidden one are not part of it. To find where to
 * stop, histories are read newest first by the committers' dates, with a month to
 * spare for clocks that were wrong. The order is that of a walk that follows
 * first parents first, so that the commits of a branch come together, right before the
 * merge that took them; it depends on the commits and on the order of the tips only.
 */
#ifndef KPORT_HISTORY_GRAPH_H
#define KPORT_HISTORY_GRAPH_H

#include "mine/history-objects.h"

enum node_flags {
	NODE_LOADED = 1 << 0,	/* its parents are known */
	NODE_WANTED = 1 << 1,	/* reached from a tip */
	NODE_HIDDEN = 1 << 2,	/* reached from a hidden commit */
	NODE_KNOWN = 1 << 3,	/* examined by an earlier run: set by callers */
	NODE_MERGE = 1 << 4,	/* more than one parent, followed or not */
	NODE_SHALLOW = 1 << 5,	/* the clone ends here */
	NODE_MISSING = 1 << 6,
	NODE_BROKEN = 1 << 7,
	NODE_QUEUED = 1 << 8,	/* stands in the queue */
	NODE_TAKEN = 1 << 11,	/* stood there and was taken out */
	NODE_MARK = 1 << 9,	/* for short use */
	NODE_SEEN = 1 << 10,	/* the same, in graph_order() */
	NODE_IN = 1 << 12,	/* the same, for ranges that are known */
	NODE_OUT = 1 << 13,
	NODE_OVERSIZE = 1 << 14,
};

struct node {
	git_oid id;
	uint16_t flags;
	uint16_t nparents;	/* those that are followed */
	uint32_t parents;	/* index into graph.parents */
	uint32_t release;	/* for history-release.c; 0: none */
	int64_t time;
};

struct graph {
	struct objects *objects;
	const git_oid *shallow;	/* sorted */
	size_t nshallow;
	bool first_parent;
	struct node *nodes;
	size_t n, alloc;
	uint32_t *parents, *slots;
	size_t nparents, parents_alloc, nslots;
	struct strbuf text;
	uint32_t *queue;	/* heap, newest first */
	size_t queued, queue_alloc, wanted_queued;
};

#define GRAPH_NONE UINT32_MAX

struct oids {
	git_oid *v;
	size_t n, alloc;
};

void oids_add(struct oids *o, const git_oid *id);
void oids_sort(struct oids *o);	/* and drop the double ones */
bool oids_has(const struct oids *o, const git_oid *id); /* sorted */
void oids_release(struct oids *o);

void graph_init(struct graph *g, struct objects *objects, const struct oids *shallow, bool first_parent);
void graph_release(struct graph *g);
/*
 * "others", which may be NULL: everything down to the roots is read, from these too,
 * for graph_spread(). KP_INTERRUPTED, or KP_ERR for a history of more than 2^31 commits.
 */
int graph_load(struct graph *g, const struct oids *tips, const struct oids *hidden,
	       const struct oids *others, struct strbuf *err);
/* Reads these too, hidden or not, so that tags reach them. */
void graph_add(struct graph *g, const struct oids *ids);
uint32_t graph_find(const struct graph *g, const git_oid *id); /* or GRAPH_NONE */
/* Wanted and not hidden; newly allocated. */
size_t graph_order(struct graph *g, const struct oids *tips, uint32_t **out);
/* Sets a flag on everything that can be reached from the commits. */
void graph_spread(struct graph *g, const struct oids *from, unsigned flag);

#endif
