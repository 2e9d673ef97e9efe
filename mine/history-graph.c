// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/history-graph.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "mine/history-parse.h"

#define KEEP_TEXT	 (1u << 20)
#define CLOCK_SLOP	 (35 * 86400)
#define MAX_NODES	 (1u << 31)
#define CHECK_EVERY	 4096

/* ---- sets of ids ------------------------------------------------------------- */

void oids_add(struct oids *o, const git_oid *id)
{
	ALLOC_GROW(o->v, o->n + 1, o->alloc);
	o->v[o->n++] = *id;
}

static int cmp_oid(const void *a, const void *b)
{
	return memcmp(a, b, GIT_OID_RAWSZ);
}

void oids_sort(struct oids *o)
{
	size_t n = 0;

	if (o->n)
		sort_items(o->v, o->n, sizeof(*o->v), cmp_oid);
	for (size_t i = 0; i < o->n; i++)
		if (!n || !oid_same(&o->v[n - 1], &o->v[i]))
			o->v[n++] = o->v[i];
	o->n = n;
}

bool oids_has(const struct oids *o, const git_oid *id)
{
	return o->n && bsearch(id, o->v, o->n, sizeof(*o->v), cmp_oid);
}

void oids_release(struct oids *o)
{
	free(o->v);
	memset(o, 0, sizeof(*o));
}

/* ---- nodes ------------------------------------------------------------------- */

void graph_init(struct graph *g, struct objects *objects, const struct oids *shallow, bool first_parent)
{
	memset(g, 0, sizeof(*g));
	strbuf_init(&g->text);
	g->objects = objects;
	g->shallow = shallow ? shallow->v : NULL;
	g->nshallow = shallow ? shallow->n : 0;
	g->first_parent = first_parent;
}

void graph_release(struct graph *g)
{
	free(g->nodes);
	free(g->parents);
	free(g->slots);
	free(g->queue);
	strbuf_release(&g->text);
	memset(g, 0, sizeof(*g));
}

static size_t slot_of(const struct graph *g, const git_oid *id)
{
	uint64_t h;
	size_t i;

	memcpy(&h, id->id, sizeof(h));
	for (i = h & (g->nslots - 1); g->slots[i]; i = (i + 1) & (g->nslots - 1))
		if (oid_same(&g->nodes[g->slots[i] - 1].id, id))
			break;
	return i;
}

uint32_t graph_find(const struct graph *g, const git_oid *id)
{
	size_t i = g->nslots ? slot_of(g, id) : 0;

	return g->nslots && g->slots[i] ? g->slots[i] - 1 : GRAPH_NONE;
}

static void grow_slots(struct graph *g)
{
	g->nslots = g->nslots ? 2 * g->nslots : 1024;
	free(g->slots);
	g->slots = xcalloc(g->nslots, sizeof(*g->slots));
	for (size_t i = 0; i < g->n; i++)
		g->slots[slot_of(g, &g->nodes[i].id)] = (uint32_t)i + 1;
}

static uint32_t add_node(struct graph *g, const git_oid *id)
{
	size_t i;

	if (2 * (g->n + 1) > g->nslots)
		grow_slots(g);
	i = slot_of(g, id);
	if (g->slots[i])
		return g->slots[i] - 1;
	ALLOC_GROW(g->nodes, g->n + 1, g->alloc);
	memset(&g->nodes[g->n], 0, sizeof(*g->nodes));
	g->nodes[g->n++].id = *id;
	g->slots[i] = (uint32_t)g->n;
	return (uint32_t)g->n - 1;
}

static bool is_shallow(const struct graph *g, const git_oid *id)
{
	return g->nshallow && bsearch(id, g->shallow, g->nshallow, sizeof(*g->shallow), cmp_oid);
}

static enum object_result read_commit(struct graph *g, const git_oid *id, struct commit_text *c)
{
	enum object_result ret = objects_read(g->objects, id, GIT_OBJECT_COMMIT, COMMIT_MAX_BYTES, &g->text);

	if (ret)
		return ret;
	return commit_parse(g->text.buf, g->text.len, c) ? OBJECT_OK : OBJECT_BROKEN;
}

static void load_node(struct graph *g, uint32_t i)
{
	struct node *n = &g->nodes[i];
	struct commit_text c;
	enum object_result ret;
	size_t first = g->nparents;
	unsigned follow;

	if (n->flags & NODE_LOADED)
		return;
	n->flags |= NODE_LOADED;
	ret = read_commit(g, &n->id, &c);
	if (ret) {
		n->flags |= ret == OBJECT_MISSING ? NODE_MISSING : ret == OBJECT_BROKEN ? NODE_BROKEN : NODE_OVERSIZE;
		return;
	}
	n->time = c.time;
	if (c.nparents > 1)
		n->flags |= NODE_MERGE;
	if (is_shallow(g, &n->id)) {
		n->flags |= NODE_SHALLOW;
		return;
	}
	follow = g->first_parent && c.nparents ? 1 : c.nparents;
	for (unsigned p = 0; p < follow; p++) {
		git_oid id;
		uint32_t node;

		commit_parent(&c, p, &id);
		node = add_node(g, &id);
		ALLOC_GROW(g->parents, g->nparents + 1, g->parents_alloc);
		g->parents[g->nparents++] = node;
	}
	n = &g->nodes[i];
	n->parents = (uint32_t)first;
	n->nparents = (uint16_t)follow;
	if (g->text.alloc > KEEP_TEXT)
		strbuf_release(&g->text);
}

/* ---- the queue --------------------------------------------------------------- */

static bool newer(const struct graph *g, uint32_t a, uint32_t b)
{
	const struct node *x = &g->nodes[a], *y = &g->nodes[b];

	return x->time != y->time ? x->time > y->time : cmp_oid(&x->id, &y->id) > 0;
}

static bool is_wanted(const struct node *n)
{
	return (n->flags & (NODE_WANTED | NODE_HIDDEN)) == NODE_WANTED;
}

static void enqueue(struct graph *g, uint32_t i)
{
	size_t at = g->queued;

	load_node(g, i);
	if (g->nodes[i].flags & (NODE_QUEUED | NODE_TAKEN))
		return;
	g->nodes[i].flags |= NODE_QUEUED;
	g->wanted_queued += is_wanted(&g->nodes[i]);
	ALLOC_GROW(g->queue, g->queued + 1, g->queue_alloc);
	g->queue[g->queued++] = i;
	for (; at && newer(g, i, g->queue[(at - 1) / 2]); at = (at - 1) / 2)
		g->queue[at] = g->queue[(at - 1) / 2];
	g->queue[at] = i;
}

static uint32_t dequeue(struct graph *g)
{
	uint32_t top = g->queue[0], last = g->queue[--g->queued];
	size_t at = 0;

	for (;;) {
		size_t c = 2 * at + 1;

		if (c >= g->queued)
			break;
		if (c + 1 < g->queued && newer(g, g->queue[c + 1], g->queue[c]))
			c++;
		if (!newer(g, g->queue[c], last))
			break;
		g->queue[at] = g->queue[c];
		at = c;
	}
	g->queue[at] = last;
	g->nodes[top].flags &= (uint16_t)~NODE_QUEUED;
	g->nodes[top].flags |= NODE_TAKEN;
	g->wanted_queued -= is_wanted(&g->nodes[top]);
	return top;
}

struct stack {
	uint32_t *v;
	size_t n, alloc;
};

static void push(struct stack *s, uint32_t i)
{
	ALLOC_GROW(s->v, s->n + 1, s->alloc);
	s->v[s->n++] = i;
}

/* Hides what is reached from i among the commits that were read. Counts what leaves the queue's wanted. */
static void hide(struct graph *g, struct stack *s, uint32_t i)
{
	for (push(s, i); s->n;) {
		struct node *n = &g->nodes[s->v[--s->n]];

		if (n->flags & NODE_HIDDEN)
			continue;
		if ((n->flags & NODE_QUEUED) && is_wanted(n))
			g->wanted_queued--;
		n->flags |= NODE_HIDDEN;
		for (unsigned p = 0; p < n->nparents; p++)
			push(s, g->parents[n->parents + p]);
	}
}

/* The parents of a node that was taken out. */
static void pass_on(struct graph *g, struct stack *s, uint32_t i)
{
	bool hidden = g->nodes[i].flags & NODE_HIDDEN;

	for (unsigned p = 0; p < g->nodes[i].nparents; p++) {
		uint32_t parent = g->parents[g->nodes[i].parents + p];
		struct node *n = &g->nodes[parent];

		if (hidden) {
			hide(g, s, parent);
		} else if (!(n->flags & NODE_WANTED)) {
			n->flags |= NODE_WANTED;
			g->wanted_queued += (n->flags & NODE_QUEUED) && is_wanted(n);
		}
		enqueue(g, parent);
	}
}

static int check(const struct graph *g, size_t done, struct strbuf *err)
{
	if (g->n >= MAX_NODES || g->nparents >= UINT32_MAX - COMMIT_MAX_PARENTS)
		return kp_fail(err, KP_ERR, "more than %u commits", MAX_NODES);
	if (done % CHECK_EVERY == 0 && child_interrupted())
		return kp_fail(err, KP_INTERRUPTED, "interrupted");
	return 0;
}

/* Until only hidden commits are left that are older than all that is wanted. */
static int load_newest_first(struct graph *g, struct strbuf *err)
{
	int64_t oldest = INT64_MAX;
	struct stack s = { 0 };
	int ret = 0;

	for (size_t done = 0; g->queued && !ret; done++) {
		uint32_t i = g->queue[0];
		const struct node *n = &g->nodes[i];

		if (!g->wanted_queued && (oldest == INT64_MAX || n->time < oldest - CLOCK_SLOP))
			break;
		if (is_wanted(n) && n->time < oldest)
			oldest = n->time;
		dequeue(g);
		pass_on(g, &s, i);
		ret = check(g, done, err);
	}
	free(s.v);
	return ret;
}

static int load_all(struct graph *g, struct strbuf *err)
{
	struct stack s = { 0 };
	int ret = 0;

	for (size_t i = g->n; i--;)
		push(&s, (uint32_t)i);
	for (size_t done = 0; s.n && !ret; done++) {
		uint32_t i = s.v[--s.n];

		if (g->nodes[i].flags & NODE_LOADED)
			continue;
		load_node(g, i);
		for (unsigned p = g->nodes[i].nparents; p--;)
			push(&s, g->parents[g->nodes[i].parents + p]);
		ret = check(g, done, err);
	}
	free(s.v);
	return ret;
}

int graph_load(struct graph *g, const struct oids *tips, const struct oids *hidden,
	       const struct oids *others, struct strbuf *err)
{
	struct stack s = { 0 };
	int ret;

	for (size_t i = 0; i < tips->n; i++) {
		uint32_t n = add_node(g, &tips->v[i]);

		g->nodes[n].flags |= NODE_WANTED;
	}
	for (size_t i = 0; i < hidden->n; i++)
		hide(g, &s, add_node(g, &hidden->v[i]));
	for (size_t i = 0; others && i < others->n; i++)
		add_node(g, &others->v[i]);
	free(s.v);
	if (others || !hidden->n) {
		ret = load_all(g, err);
		graph_spread(g, tips, NODE_WANTED);
		graph_spread(g, hidden, NODE_HIDDEN);
		return ret;
	}
	for (size_t i = 0; i < tips->n + hidden->n; i++) {
		const git_oid *id = i < tips->n ? &tips->v[i] : &hidden->v[i - tips->n];

		enqueue(g, graph_find(g, id));
	}
	return load_newest_first(g, err);
}

void graph_add(struct graph *g, const struct oids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		load_node(g, add_node(g, &ids->v[i]));
}

void graph_spread(struct graph *g, const struct oids *from, unsigned flag)
{
	struct stack s = { 0 };

	/* A mark of its own: some that have the flag may have got it without their parents. */
	for (size_t i = 0; i < g->n; i++)
		g->nodes[i].flags &= (uint16_t)~NODE_MARK;
	for (size_t i = 0; i < from->n; i++) {
		uint32_t n = graph_find(g, &from->v[i]);

		if (n != GRAPH_NONE)
			push(&s, n);
	}
	while (s.n) {
		struct node *n = &g->nodes[s.v[--s.n]];

		if (n->flags & NODE_MARK)
			continue;
		n->flags |= (uint16_t)(flag | NODE_MARK);
		for (unsigned p = n->nparents; p--;)
			push(&s, g->parents[n->parents + p]);
	}
	free(s.v);
}

/* ---- the order --------------------------------------------------------------- */

struct step {
	uint32_t node;
	unsigned next;	/* parent to go to */
};

size_t graph_order(struct graph *g, const struct oids *tips, uint32_t **out)
{
	struct step *s = NULL;
	size_t n = 0, depth = 0, alloc = 0;
	uint32_t *order = xmalloc((g->n + 1) * sizeof(*order));

	for (size_t t = 0; t < tips->n; t++) {
		uint32_t go = graph_find(g, &tips->v[t]);

		for (;;) {
			struct node *at;

			if (go != GRAPH_NONE && is_wanted(&g->nodes[go]) &&
			    !(g->nodes[go].flags & NODE_SEEN)) {
				g->nodes[go].flags |= NODE_SEEN;
				ALLOC_GROW(s, depth + 1, alloc);
				s[depth++] = (struct step){ .node = go };
			}
			if (!depth)
				break;
			at = &g->nodes[s[depth - 1].node];
			go = GRAPH_NONE;
			if (s[depth - 1].next < at->nparents)
				go = g->parents[at->parents + s[depth - 1].next++];
			else
				order[n++] = s[--depth].node;
		}
	}
	free(s);
	*out = order;
	return n;
}
