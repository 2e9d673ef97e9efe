// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/node.h"

#include "base/alloc.h"

struct unit_list *unit_list_new(void)
{
	struct unit_list *l = xcalloc(1, sizeof(*l));

	l->refs = 1;
	return l;
}

struct unit_list *unit_list_ref(struct unit_list *l)
{
	l->refs++;
	return l;
}

void unit_list_unref(struct unit_list *l)
{
	if (!l || --l->refs > 0)
		return;
	breakage_list_release(&l->l);
	free(l);
}

struct port_step *step_ref(struct port_step *s)
{
	if (s)
		s->refs++;
	return s;
}

void step_unref(struct port_step *s)
{
	while (s && --s->refs == 0) {
		struct port_step *parent = s->parent;

		edit_group_free(s->group);
		tree_unref(s->before);
		tree_unref(s->after);
		breakage_release(&s->target);
		free(s);
		s = parent;
	}
}

struct node *node_new(struct tree *t, size_t nunits, unsigned seq)
{
	struct node *n = xcalloc(1, sizeof(*n));

	n->tree = tree_ref(t);
	n->nunits = nunits;
	n->units = xcalloc(nunits ? nunits : 1, sizeof(*n->units));
	n->seq = seq;
	strvec_init(&n->given_up);
	return n;
}

struct node *node_child(const struct node *parent, struct tree *t, struct oracle *o, unsigned seq)
{
	struct node *n = node_new(t, parent->nunits, seq);

	for (size_t i = 0; i < n->nunits; i++) {
		n->units[i].list = unit_list_ref(parent->units[i].list);
		n->units[i].stale = parent->units[i].stale ||
				    oracle_unit_differs(o, parent->tree, t, i);
	}
	strvec_pushv(&n->given_up, parent->given_up.v);
	n->penalty = parent->penalty;
	n->last = step_ref(parent->last);
	return n;
}

void node_free(struct node *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->nunits; i++)
		unit_list_unref(n->units[i].list);
	free(n->units);
	tree_unref(n->tree);
	step_unref(n->last);
	strvec_release(&n->given_up);
	if (n->expanding)
		breakage_release(&n->target);
	edit_group_list_release(&n->cands);
	free(n);
}

double node_weight(const struct node *n)
{
	double w = 0;

	for (size_t i = 0; i < n->nunits; i++)
		w += n->units[i].list->weight;
	return w;
}

double node_cost(const struct node *n)
{
	return node_weight(n) + n->penalty;
}

bool node_gave_up(const struct node *n, const char *key)
{
	return strvec_contains(&n->given_up, key);
}

static bool picks_before(const struct breakage *a, const struct breakage *b)
{
	int ra = breakage_rank(a), rb = breakage_rank(b);

	if (ra != rb)
		return ra < rb;
	if (a->unit != b->unit)
		return a->unit < b->unit;
	return a->start < b->start;
}

const struct breakage *node_pick(const struct node *n)
{
	const struct breakage *best = NULL;

	for (size_t u = 0; u < n->nunits; u++) {
		const struct breakage_list *l = &n->units[u].list->l;

		if (n->units[u].stale)
			continue;
		for (size_t i = 0; i < l->n; i++) {
			const struct breakage *b = &l->b[i];

			if (!breakage_is_work(b) || node_gave_up(n, b->key))
				continue;
			if (!best || picks_before(b, best))
				best = b;
		}
	}
	return best;
}

/* ---- heap ---------------------------------------------------------------- */

static bool node_before(const struct node *a, const struct node *b)
{
	double ca = node_cost(a), cb = node_cost(b);

	if (ca != cb)
		return ca < cb;
	return a->seq < b->seq;
}

void node_heap_push(struct node_heap *h, struct node *n)
{
	size_t i = h->len++;

	ALLOC_GROW(h->n, h->len, h->alloc);
	while (i > 0 && node_before(n, h->n[(i - 1) / 2])) {
		h->n[i] = h->n[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->n[i] = n;
}

struct node *node_heap_pop(struct node_heap *h)
{
	struct node *top, *last;
	size_t i = 0;

	if (!h->len)
		return NULL;
	top = h->n[0];
	last = h->n[--h->len];
	for (;;) {
		size_t c = 2 * i + 1;

		if (c >= h->len)
			break;
		if (c + 1 < h->len && node_before(h->n[c + 1], h->n[c]))
			c++;
		if (!node_before(h->n[c], last))
			break;
		h->n[i] = h->n[c];
		i = c;
	}
	h->n[i] = last;
	return top;
}

void node_heap_release(struct node_heap *h)
{
	for (size_t i = 0; i < h->len; i++)
		node_free(h->n[i]);
	free(h->n);
	memset(h, 0, sizeof(*h));
}
