// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one site teaches: the whole of its change, and for each use the part of
 * the change that is at the use, the rest of the statement being as it was.
 */
#include "base/compat.h"

#include "base/alloc.h"
#include "port/learn-internal.h"

#define MAX_TOKENS 320

/* Tokens [b, b_end) became [a, a_end). */
struct region {
	uint32_t b, b_end, a, a_end;
};

struct regions {
	struct region *r;
	size_t n, alloc;
};

static void add_region(struct regions *rs, struct region r)
{
	ALLOC_GROW(rs->r, rs->n + 1, rs->alloc);
	rs->r[rs->n++] = r;
}

/* Length of the longest common subsequence of the rests that start at i and j. */
static uint16_t *lcs_table(const struct ctoks *b, const struct ctoks *a)
{
	size_t w = a->n + 1;
	uint16_t *t = xcalloc((b->n + 1) * w, sizeof(*t));

	for (size_t i = b->n; i-- > 0;)
		for (size_t j = a->n; j-- > 0;) {
			uint16_t down = t[(i + 1) * w + j], right = t[i * w + j + 1];

			if (ctok_same(b, i, a, j))
				t[i * w + j] = (uint16_t)(t[(i + 1) * w + j + 1] + 1);
			else
				t[i * w + j] = down > right ? down : right;
		}
	return t;
}

static void find_regions(const struct ctoks *b, const struct ctoks *a, struct regions *out)
{
	size_t w = a->n + 1;
	uint16_t *t;
	uint32_t i = 0, j = 0;

	if (b->n > MAX_TOKENS || a->n > MAX_TOKENS)
		return;
	t = lcs_table(b, a);
	while (i < b->n || j < a->n) {
		struct region r = { i, i, j, j };

		while ((i < b->n || j < a->n) && !(i < b->n && j < a->n && ctok_same(b, i, a, j))) {
			if (j >= a->n || (i < b->n && t[(i + 1) * w + j] >= t[i * w + j + 1]))
				i++;
			else
				j++;
		}
		r.b_end = i;
		r.a_end = j;
		if (r.b_end > r.b || r.a_end > r.a)
			add_region(out, r);
		while (i < b->n && j < a->n && ctok_same(b, i, a, j)) {
			i++;
			j++;
		}
	}
	free(t);
}

/* The call, the object and its member, or the name alone. */
static struct cspan extent(const struct ctoks *ts, uint32_t occ)
{
	struct cspan s = { occ, occ + 1 };

	if (ctok_is(ts, occ + 1, "(") && ts->t[occ + 1].match != CTOK_NONE)
		s.end = ts->t[occ + 1].match + 1;
	while (s.first > 1 && (ctok_is(ts, s.first - 1, "->") || ctok_is(ts, s.first - 1, ".")) &&
	       ctok_is_ident(ts, s.first - 2))
		s.first -= 2;
	return s;
}

static bool at_use(const struct region *r, struct cspan s)
{
	if (r->b == r->b_end && s.end == s.first + 1)
		return false; /* the name alone */
	if (r->b == r->b_end)
		return r->b >= s.first && r->b <= s.end;
	return r->b < s.end && r->b_end > s.first;
}

static void add_slice(const struct ctoks *ts, uint32_t from, uint32_t to, struct strbuf *out)
{
	const struct ctok *x, *y;

	if (from >= to)
		return;
	x = &ts->t[from];
	y = &ts->t[to - 1];
	strbuf_add(out, ts->text + x->off, y->off + y->len - x->off);
}

/* White space and comments in front of a token. */
static void add_gap(const struct ctoks *ts, uint32_t i, struct strbuf *out)
{
	size_t from = i ? ts->t[i - 1].off + ts->t[i - 1].len : 0;

	if (i < ts->n && ts->t[i].off > from)
		strbuf_addch(out, memchr(ts->text + from, '\n', ts->t[i].off - from) ? '\n' : ' ');
}

/* "before" with only the changes that are at the use; false when that is all or nothing of them. */
static bool after_at_use(const struct ctoks *b, const struct ctoks *a, const struct regions *rs,
			 struct cspan use, struct strbuf *out)
{
	uint32_t at = 0;
	size_t taken = 0;

	for (size_t k = 0; k < rs->n; k++) {
		const struct region *r = &rs->r[k];

		if (!at_use(r, use))
			continue;
		taken++;
		if (at < r->b) {
			add_gap(b, at, out);
			add_slice(b, at, r->b, out);
		}
		if (r->a_end > r->a) {
			add_gap(a, r->a, out);
			add_slice(a, r->a, r->a_end, out);
		}
		at = r->b_end;
	}
	if (at < b->n) {
		add_gap(b, at, out);
		add_slice(b, at, (uint32_t)b->n, out);
	}
	return taken && taken < rs->n;
}

static void add_example(const struct learn_site *s, const char *after, struct example **list,
			size_t *n, size_t *alloc)
{
	struct example *e;

	ALLOC_GROW(*list, *n + 1, *alloc);
	e = &(*list)[(*n)++];
	memset(e, 0, sizeof(*e));
	e->path = xstrdup(s->path);
	e->before = xstrdup(s->before);
	e->after = xstrdup(after);
	e->line = s->line;
}

size_t learn_site_examples(const struct learn_site *s, struct example **out)
{
	struct regions rs = { 0 };
	struct ctoks b, a;
	size_t n = 0, alloc = 0;

	*out = NULL;
	if (!s->after || s->large)
		return 0;
	add_example(s, s->after, out, &n, &alloc);
	ctoks_scan(&b, s->before, strlen(s->before));
	ctoks_scan(&a, s->after, strlen(s->after));
	find_regions(&b, &a, &rs);
	for (size_t i = 0; i < s->nocc; i++) {
		struct cspan use = extent(&b, s->occ[i]), name = { s->occ[i], s->occ[i] + 1 };
		struct strbuf text = STRBUF_INIT, less = STRBUF_INIT;

		if (after_at_use(&b, &a, &rs, use, &text))
			add_example(s, text.buf, out, &n, &alloc);
		if (use.end > name.end && after_at_use(&b, &a, &rs, name, &less) && strcmp(less.buf, text.buf))
			add_example(s, less.buf, out, &n, &alloc);
		strbuf_release(&text);
		strbuf_release(&less);
	}
	free(rs.r);
	ctoks_release(&b);
	ctoks_release(&a);
	return n;
}
