// SPDX-License-Identifier: GPL-2.0-only
/* The structures of two kernels compared, member by member. */
#include "base/compat.h"
#include "mine/layout-internal.h"

#include "base/alloc.h"

#define NONE UINT32_MAX

static int by_name(const void *a, const void *b, void *pool)
{
	const struct layout_struct *x = a, *y = b;
	int c = strcmp(pool_str(pool, x->name), pool_str(pool, y->name));

	return c ? c : x->first < y->first ? -1 : x->first > y->first;
}

void layout_set_sort(struct layout_set *set)
{
	if (set->n)
		qsort_r(set->s, set->n, sizeof(*set->s), by_name, set->pool);
}

void layout_set_release(struct layout_set *set)
{
	free(set->s);
	free(set->m);
	memset(set, 0, sizeof(*set));
}

/* One structure of both sides. */
struct match {
	const struct layout_set *a, *b;
	const struct layout_struct *x, *y;
	uint32_t *to;	/* member of x -> member of y or NONE */
	uint32_t *back;	/* and back */
	bool *renamed, *swapped; /* by member of x */
	struct layout_result *out;
	bool sure;
};

static const struct layout_member *old_member(const struct match *m, size_t i)
{
	return &m->a->m[m->x->first + i];
}

static const struct layout_member *new_member(const struct match *m, size_t i)
{
	return &m->b->m[m->y->first + i];
}

static struct layout_found *found(struct match *m, enum layout_kind kind, const struct layout_member *a,
				  const struct layout_member *b)
{
	const struct pool *p = m->a->pool;
	struct layout_found *c;

	ALLOC_GROW(m->out->c, m->out->n + 1, m->out->alloc);
	c = &m->out->c[m->out->n++];
	memset(c, 0, sizeof(*c));
	c->kind = kind;
	c->symbol = pool_str(p, m->x->name);
	c->member = a ? pool_str(p, a->name) : b ? pool_str(p, b->name) : NULL;
	c->from_type = a ? pool_str(p, a->type) : NULL;
	c->to_type = b ? pool_str(p, b->type) : NULL;
	c->from = a ? a->offset : 0;
	c->to = b ? b->offset : 0;
	c->sure = m->sure;
	m->out->figures.changes[kind]++;
	return c;
}

/* ---- which member is which --------------------------------------------------------- */

static void pair_names(struct match *m)
{
	for (size_t i = 0, hint = 0; i < m->x->n; i++) {
		m->to[i] = NONE;
		/* Members mostly keep their order: look on from the last one. */
		for (size_t k = 0; k < m->y->n; k++) {
			size_t at = (hint + k) % m->y->n;

			if (m->back[at] == NONE && new_member(m, at)->name == old_member(m, i)->name) {
				m->to[i] = (uint32_t)at;
				m->back[at] = (uint32_t)i;
				hint = at + 1;
				break;
			}
		}
	}
}

static bool same_place(const struct layout_member *a, const struct layout_member *b)
{
	return a->offset == b->offset && a->width == b->width && a->type == b->type;
}

static void rename_to(struct match *m, size_t i, size_t k)
{
	m->to[i] = (uint32_t)k;
	m->back[k] = (uint32_t)i;
	m->renamed[i] = true;
}

/* Gone and new at the same place with the same type: another name. */
static void pair_places(struct match *m)
{
	for (size_t i = 0; i < m->x->n; i++)
		for (size_t k = 0; m->to[i] == NONE && k < m->y->n; k++)
			if (m->back[k] == NONE && same_place(old_member(m, i), new_member(m, k)))
				rename_to(m, i, k);
}

/* The only one that went and the only one that came between two that stayed, of the same type. */
static void pair_between(struct match *m)
{
	for (size_t i = 0; i < m->x->n; i++) {
		size_t k;

		if (m->to[i] != NONE || (i + 1 < m->x->n && m->to[i + 1] == NONE) ||
		    (i && m->to[i - 1] == NONE))
			continue;
		k = i ? m->to[i - 1] + 1 : 0;
		if (k >= m->y->n || m->back[k] != NONE || old_member(m, i)->type != new_member(m, k)->type)
			continue;
		if (i + 1 < m->x->n ? m->to[i + 1] == k + 1 : k + 1 == m->y->n)
			rename_to(m, i, k);
	}
}

/*
 * Marks those that changed places: all but a longest run of members whose order is the
 * same on both sides.
 */
static void mark_swapped(struct match *m)
{
	size_t n = m->x->n, len = 0;
	uint32_t *tail = xcalloc(n + 1, sizeof(*tail)), *prev = xcalloc(n + 1, sizeof(*prev));

	for (size_t i = 0; i < n; i++) {
		size_t lo = 0, hi = len;

		if (m->to[i] == NONE)
			continue;
		m->swapped[i] = true;
		while (lo < hi) {
			size_t mid = (lo + hi) / 2;

			if (m->to[tail[mid]] < m->to[i])
				lo = mid + 1;
			else
				hi = mid;
		}
		prev[i] = lo ? tail[lo - 1] : NONE;
		tail[lo] = (uint32_t)i;
		len = lo == len ? len + 1 : len;
	}
	for (uint32_t i = len ? tail[len - 1] : NONE; i != NONE; i = prev[i])
		m->swapped[i] = false;
	free(tail);
	free(prev);
}

/* ---- what is different --------------------------------------------------------------- */

static void compare_member(struct match *m, size_t i)
{
	const struct layout_member *a = old_member(m, i), *b;
	struct layout_found *c;

	if (m->to[i] == NONE) {
		found(m, LAYOUT_REMOVED, a, NULL);
		return;
	}
	b = new_member(m, m->to[i]);
	if (m->renamed[i]) {
		c = found(m, LAYOUT_RENAMED, a, b);
		c->to_name = pool_str(m->a->pool, b->name);
	}
	if (a->width != b->width) {
		c = found(m, a->width > b->width ? LAYOUT_NARROWED : LAYOUT_WIDENED, a, b);
		c->from = a->width;
		c->to = b->width;
	} else if (a->type != b->type) {
		found(m, LAYOUT_RETYPED, a, b);
	}
	if (m->swapped[i])
		found(m, LAYOUT_REORDERED, a, b);
	else if (a->offset != b->offset)
		found(m, LAYOUT_MOVED, a, b);
}

static bool identical(const struct layout_set *a, const struct layout_struct *x, const struct layout_set *b,
		      const struct layout_struct *y)
{
	if (x->size != y->size || x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n; i++) {
		const struct layout_member *p = &a->m[x->first + i], *q = &b->m[y->first + i];

		if (p->name != q->name || !same_place(p, q))
			return false;
	}
	return true;
}

static void compare_pair(struct match *m)
{
	size_t before = m->out->n;
	struct layout_found *c;

	m->to = xcalloc(m->x->n + 1, sizeof(*m->to));
	m->back = xcalloc(m->y->n + 1, sizeof(*m->back));
	m->renamed = xcalloc(m->x->n + 1, sizeof(*m->renamed));
	m->swapped = xcalloc(m->x->n + 1, sizeof(*m->swapped));
	memset(m->back, 0xff, (m->y->n + 1) * sizeof(*m->back));
	pair_names(m);
	pair_places(m);
	pair_between(m);
	mark_swapped(m);
	if (m->x->size != m->y->size) {
		c = found(m, LAYOUT_SIZE, NULL, NULL);
		c->from = m->x->size;
		c->to = m->y->size;
	}
	for (size_t i = 0; i < m->x->n; i++)
		compare_member(m, i);
	for (size_t k = 0; k < m->y->n; k++)
		if (m->back[k] == NONE)
			found(m, LAYOUT_ADDED, NULL, new_member(m, k));
	m->out->figures.changed += m->out->n > before;
	free(m->to);
	free(m->back);
	free(m->renamed);
	free(m->swapped);
}

static size_t common_names(const struct layout_set *a, const struct layout_struct *x,
			   const struct layout_set *b, const struct layout_struct *y)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n && i < 64; i++)
		for (size_t k = 0; k < y->n && k < 64; k++)
			n += a->m[x->first + i].name == b->m[y->first + k].name;
	return n;
}

/* All of one name: [i, i + na) of a, [k, k + nb) of b. */
static void compare_group(const struct layout_set *a, size_t i, size_t na, const struct layout_set *b, size_t k,
			  size_t nb, struct layout_result *out)
{
	struct match m = { .a = a, .b = b, .x = &a->s[i], .y = &b->s[k], .out = out };
	size_t best = 0;

	m.sure = na == 1 && nb == 1;
	for (size_t p = i; p < i + na; p++)
		for (size_t q = k; q < k + nb; q++) {
			size_t common;

			if (identical(a, &a->s[p], b, &b->s[q]))
				return; /* what else has the name is private to some file */
			common = common_names(a, &a->s[p], b, &b->s[q]);
			if (common <= best)
				continue;
			best = common;
			m.x = &a->s[p];
			m.y = &b->s[q];
		}
	if (m.sure || best)
		compare_pair(&m);
}

/* How many from i on have the name of i. */
static size_t same_name(const struct layout_set *set, size_t i)
{
	size_t n = 1;

	while (i + n < set->n && set->s[i + n].name == set->s[i].name)
		n++;
	return n;
}

void layout_compare(const struct layout_set *a, const struct layout_set *b, struct layout_result *out)
{
	size_t i = 0, k = 0;

	memset(out, 0, sizeof(*out));
	while (i < a->n || k < b->n) {
		size_t na = i < a->n ? same_name(a, i) : 0, nb = k < b->n ? same_name(b, k) : 0;
		int c = !na ? 1 : !nb ? -1 :
			strcmp(pool_str(a->pool, a->s[i].name), pool_str(b->pool, b->s[k].name));

		out->figures.old_structs += c <= 0;
		out->figures.new_structs += c >= 0;
		if (!c) {
			out->figures.both++;
			compare_group(a, i, na, b, k, nb, out);
		}
		i += c <= 0 ? na : 0;
		k += c >= 0 ? nb : 0;
	}
}
