/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes of the search (search.c): a state of the tree with what is known of each unit. */
#ifndef KPORT_NODE_H
#define KPORT_NODE_H

#include "port/search.h"

/* Shared between nodes in which the unit is the same. */
struct unit_list {
	int refs;
	struct breakage_list l;
	double weight;
};

struct node_unit {
	struct unit_list *list;
	bool stale; /* something that it sees has changed since */
};

struct node {
	struct tree *tree;
	struct node_unit *units;
	size_t nunits;
	struct port_step *last;
	struct strvec given_up;	/* keys of breakages that nobody could repair */
	double penalty;		/* risk of the steps, alternatives passed, things given up */
	unsigned seq;		/* order of creation: the tie-break */
	/* Expansion of one breakage, which goes on when the node comes up again. */
	struct breakage target;
	bool expanding, had_child;
	struct edit_group_list cands;
	size_t next;
};

struct unit_list *unit_list_new(void);
void unit_list_unref(struct unit_list *l);
struct unit_list *unit_list_ref(struct unit_list *l);

struct node *node_new(struct tree *t, size_t nunits, unsigned seq);
/* Copy of parent for another tree; units that see a changed file become stale. */
struct node *node_child(const struct node *parent, struct tree *t, struct oracle *o, unsigned seq);
void node_free(struct node *n);
double node_weight(const struct node *n);   /* of all units */
double node_cost(const struct node *n);	    /* what the heap is ordered by */
bool node_gave_up(const struct node *n, const char *key);
/* Most basic breakage of the fresh units that is still to be repaired, or NULL. */
const struct breakage *node_pick(const struct node *n);

void step_unref(struct port_step *s);
struct port_step *step_ref(struct port_step *s);

struct node_heap {
	struct node **n;
	size_t len, alloc;
};
void node_heap_push(struct node_heap *h, struct node *n);
struct node *node_heap_pop(struct node_heap *h); /* NULL when empty */
void node_heap_release(struct node_heap *h);

#endif
