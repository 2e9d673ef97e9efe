// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/equiv.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "drivebench/equiv-internal.h"

#define CONTEXT 3	    /* tokens on either side */
#define MIN_SIMILAR 0.6	    /* of a renamed unit */
#define MIN_MOVED 4	    /* tokens of a statement that is found in another unit */
#define MAX_TEXT 400

struct cmp {
	struct equiv_words words;
	struct equiv_file old, ours, theirs;
	struct equiv *out;
};

/* One changed unit in its three versions, any of which may be NULL. */
struct triple {
	const struct equiv_unit *old, *ours, *theirs;
	struct equiv_runs theirs_runs; /* old -> theirs */
};

static const struct equiv_unit no_unit = { 0 };

/* ---- which unit is which -------------------------------------------------------- */

static bool same_kind(const char *a, const char *b)
{
	size_t n = strcspn(a, " ");

	return !strncmp(a, b, n + 1);
}

/* The unit u of "from" in "to": by name, else the most similar one that is new there. */
static const struct equiv_unit *partner(const struct equiv_file *from, const struct equiv_unit *u,
					const struct equiv_file *to)
{
	const struct equiv_unit *hit = equiv_file_unit(to, u->name), *best = NULL;
	double top = MIN_SIMILAR;

	if (hit || starts_with(u->name, "directive"))
		return hit;
	for (size_t i = 0; i < to->n; i++) {
		const struct equiv_unit *t = &to->u[i];
		double s;

		if (!same_kind(u->name, t->name) || equiv_file_unit(from, t->name))
			continue;
		if (t->n > 2 * u->n + 20 || u->n > 2 * t->n + 20)
			continue;
		s = equiv_similarity(u, t);
		if (s > top) {
			top = s;
			best = t;
		}
	}
	return best;
}

/* ---- sequences of words ----------------------------------------------------------- */

static size_t count_in(const uint32_t *w, size_t n, const uint32_t *in, size_t in_n)
{
	size_t hits = 0;

	for (size_t i = 0; n && i + n <= in_n; i++)
		hits += !memcmp(w, in + i, n * sizeof(*w));
	return hits;
}

static size_t count_in_unit(const uint32_t *w, size_t n, const struct equiv_unit *u)
{
	return u ? count_in(w, n, u->w, u->n) : 0;
}

static size_t count_in_file(const uint32_t *w, size_t n, const struct equiv_file *f)
{
	size_t hits = 0;

	for (size_t i = 0; i < f->n; i++)
		hits += count_in_unit(w, n, &f->u[i]);
	return hits;
}

static size_t back(size_t pos, size_t by)
{
	return pos > by ? pos - by : 0;
}

static size_t ahead(const struct equiv_unit *u, size_t pos, size_t by)
{
	return pos + by < u->n ? pos + by : u->n;
}

/* ---- is an edit the maintainers' too ---------------------------------------------- */

/* They took the same tokens out, and what they put there holds ours. */
static bool same_run(const struct triple *t, const struct equiv_run *h)
{
	const struct equiv_runs *rs = &t->theirs_runs;
	size_t gone = 0;
	bool put = h->c == h->d;

	if (!t->theirs)
		return false;
	for (size_t i = 0; i < rs->n; i++) {
		const struct equiv_run *r = &rs->r[i];
		size_t from = r->a > h->a ? r->a : h->a, to = r->b < h->b ? r->b : h->b;

		if (r->a > h->b || r->b < h->a)
			continue;
		gone += to > from ? to - from : 0;
		if (h->d > h->c)
			put |= count_in(t->ours->w + h->c, h->d - h->c, t->theirs->w + r->c,
					r->d - r->c) > 0;
		else if (count_in(t->old->w + h->a, h->b - h->a, t->theirs->w + r->c, r->d - r->c))
			return false;
	}
	return put && gone == h->b - h->a;
}

/* It stands in their unit between the same tokens, and what it replaced does not. */
static bool same_context(const struct triple *t, const struct equiv_run *h)
{
	size_t c = back(h->c, CONTEXT), d = ahead(t->ours, h->d, CONTEXT);
	size_t a = back(h->a, CONTEXT), b = ahead(t->old, h->b, CONTEXT);

	if (!t->theirs || !count_in_unit(t->ours->w + c, d - c, t->theirs))
		return false;
	return count_in_unit(t->old->w + a, b - a, t->theirs) <=
	       count_in_unit(t->old->w + a, b - a, t->ours);
}

static bool ends_statement(const struct equiv_file *f, const struct equiv_unit *u, size_t i)
{
	const struct ctok *t = &f->ts.t[u->tok[i]];
	char c = f->ts.text[t->off];

	return t->len == 1 && (c == ';' || c == '{' || c == '}' ||
			       (c == ',' && starts_with(u->name, "object")));
}

/* Statements that [from, to) touches: the span that they fill. */
static struct equiv_run statements(const struct equiv_file *f, const struct equiv_unit *u,
				   size_t from, size_t to)
{
	size_t s = from, e = to;

	while (s > 0 && !ends_statement(f, u, s - 1))
		s--;
	if (from == to && s == from)
		return (struct equiv_run){ from, from, 0, 0 };
	while (e < u->n && (e == s || !ends_statement(f, u, e - 1)))
		e++;
	return (struct equiv_run){ s, e, 0, 0 };
}

/* Each statement of the span in turn. */
static bool next_statement(const struct equiv_file *f, const struct equiv_unit *u, size_t *pos,
			   size_t end, size_t *len)
{
	size_t i = *pos;

	if (i >= end)
		return false;
	while (i < end && !ends_statement(f, u, i))
		i++;
	*len = (i < end ? i + 1 : end) - *pos;
	return true;
}

static bool same_statements(const struct cmp *c, const struct triple *t, const struct equiv_run *h)
{
	struct equiv_run was = statements(&c->old, t->old, h->a, h->b);
	struct equiv_run is = statements(&c->ours, t->ours, h->c, h->d);
	size_t any = 0;

	for (size_t p = is.a, len; next_statement(&c->ours, t->ours, &p, is.b, &len); p += len) {
		const uint32_t *w = t->ours->w + p;
		bool here = count_in_unit(w, len, t->theirs) >= count_in_unit(w, len, t->ours);

		if (!here && (len < MIN_MOVED || count_in_file(w, len, &c->theirs) <
						 count_in_file(w, len, &c->ours)))
			return false;
		any++;
	}
	for (size_t p = was.a, len; next_statement(&c->old, t->old, &p, was.b, &len); p += len) {
		const uint32_t *w = t->old->w + p;

		if (count_in_unit(w, len, t->ours) >= count_in_unit(w, len, t->old))
			continue; /* only touched */
		if (count_in_unit(w, len, t->theirs) > count_in_unit(w, len, t->ours))
			return false;
		any++;
	}
	return any > 0;
}

/* ---- the edits of one unit ----------------------------------------------------------- */

static char *words_text(const struct equiv_file *f, const struct equiv_unit *u, size_t from, size_t to)
{
	struct strbuf s = STRBUF_INIT;

	for (size_t i = from; i < to && s.len < MAX_TEXT; i++) {
		const struct ctok *t = &f->ts.t[u->tok[i]];

		if (s.len)
			strbuf_addch(&s, ' ');
		strbuf_add(&s, f->ts.text + t->off, t->len);
	}
	return strbuf_detach(&s, NULL);
}

static int line_at(const struct equiv_file *f, const struct equiv_unit *u, size_t i)
{
	if (!u->n)
		return 0;
	return (int)f->ts.t[u->tok[i < u->n ? i : u->n - 1]].line;
}

/* What they made of the same place, widened to where the two agree again. */
static char *their_text(const struct cmp *c, const struct triple *t, const struct equiv_run *h)
{
	const struct equiv_runs *rs = &t->theirs_runs;
	size_t from = SIZE_MAX, to = 0;

	if (!t->theirs)
		return NULL;
	for (size_t i = 0; i < rs->n; i++) {
		if (rs->r[i].a > h->b || rs->r[i].b < h->a)
			continue;
		from = from < rs->r[i].c ? from : rs->r[i].c;
		to = rs->r[i].d;
	}
	return from == SIZE_MAX ? NULL : words_text(&c->theirs, t->theirs, from, to);
}

static enum equiv_verdict judge(const struct cmp *c, const struct triple *t,
				const struct equiv_run *h)
{
	if (!t->theirs && t->ours == &no_unit)
		return EQUIV_EQUAL; /* gone in both */
	if (t->theirs && equiv_units_same(t->ours, t->theirs))
		return EQUIV_EQUAL;
	if (same_run(t, h) || same_context(t, h) || same_statements(c, t, h))
		return EQUIV_EQUAL;
	return !t->theirs && t->old != &no_unit ? EQUIV_ABSENT : EQUIV_DIFFERENT;
}

static void compare_unit(struct cmp *c, const struct equiv_unit *old, const struct equiv_unit *ours)
{
	struct triple t = { .old = old ? old : &no_unit, .ours = ours ? ours : &no_unit };
	struct equiv_runs runs;

	t.theirs = old ? partner(&c->old, old, &c->theirs) : NULL;
	if (!t.theirs && ours)
		t.theirs = partner(&c->ours, ours, &c->theirs);
	equiv_diff(t.old, t.ours, &runs);
	equiv_diff(t.old, t.theirs, &t.theirs_runs);
	for (size_t i = 0; i < runs.n; i++) {
		const struct equiv_run *h = &runs.r[i];
		struct equiv_edit *e;

		ALLOC_GROW(c->out->e, c->out->n + 1, c->out->alloc);
		e = &c->out->e[c->out->n++];
		e->unit = xstrdup(ours ? ours->name : old->name);
		e->verdict = judge(c, &t, h);
		e->before = words_text(&c->old, t.old, h->a, h->b);
		e->after = words_text(&c->ours, t.ours, h->c, h->d);
		e->theirs = e->verdict == EQUIV_EQUAL ? NULL : their_text(c, &t, h);
		e->old_line = line_at(&c->old, t.old, h->a);
		e->new_line = line_at(&c->ours, t.ours, h->c);
	}
	free(runs.r);
	free(t.theirs_runs.r);
}

static void classify(struct equiv *q, bool all_same)
{
	q->equal = q->different = q->absent = 0;
	for (size_t i = 0; i < q->n; i++) {
		q->equal += q->e[i].verdict == EQUIV_EQUAL;
		q->different += q->e[i].verdict == EQUIV_DIFFERENT;
		q->absent += q->e[i].verdict == EQUIV_ABSENT;
	}
	if (!q->equal && !q->different)
		q->cls = EQUIV_NOTHING;
	else if (!q->different)
		q->cls = all_same && !q->absent ? EQUIV_SAME : EQUIV_ALL;
	else
		q->cls = q->equal ? EQUIV_PARTLY : EQUIV_NONE;
}

void equiv_compare(const char *old, const char *ours, const char *theirs, struct equiv *out)
{
	struct cmp c = { .out = out };
	bool all_same = true;

	memset(out, 0, sizeof(*out));
	strmap_init(&c.words.ids);
	equiv_file_read(&c.old, &c.words, old);
	equiv_file_read(&c.ours, &c.words, ours);
	equiv_file_read(&c.theirs, &c.words, theirs);
	for (size_t i = 0; i < c.old.n; i++) {
		const struct equiv_unit *u = &c.old.u[i], *v = partner(&c.old, u, &c.ours), *w;

		if (v && equiv_units_same(u, v))
			continue;
		w = v ? equiv_file_unit(&c.theirs, v->name) : NULL;
		all_same &= v ? w && equiv_units_same(v, w) : !equiv_file_unit(&c.theirs, u->name);
		compare_unit(&c, u, v);
	}
	for (size_t i = 0; i < c.ours.n; i++) {
		const struct equiv_unit *u = &c.ours.u[i], *w;

		if (equiv_file_unit(&c.old, u->name) || partner(&c.ours, u, &c.old))
			continue;
		w = equiv_file_unit(&c.theirs, u->name);
		all_same &= w && equiv_units_same(u, w);
		compare_unit(&c, NULL, u);
	}
	classify(out, all_same);
	equiv_file_release(&c.theirs);
	equiv_file_release(&c.ours);
	equiv_file_release(&c.old);
	strmap_release(&c.words.ids, NULL);
}

void equiv_merge(struct equiv *into, struct equiv *from)
{
	bool same = (!into->n || into->cls == EQUIV_SAME) && (!from->n || from->cls == EQUIV_SAME);

	for (size_t i = 0; i < from->n; i++) {
		ALLOC_GROW(into->e, into->n + 1, into->alloc);
		into->e[into->n++] = from->e[i];
	}
	from->n = 0;
	classify(into, same);
	equiv_release(from);
}

void equiv_release(struct equiv *q)
{
	for (size_t i = 0; i < q->n; i++) {
		free(q->e[i].unit);
		free(q->e[i].before);
		free(q->e[i].after);
		free(q->e[i].theirs);
	}
	free(q->e);
	memset(q, 0, sizeof(*q));
}

const char *equiv_class_name(enum equiv_class c)
{
	static const char *const names[] = { "equal", "all edits equal", "partly", "different",
					     "nothing to compare" };

	return names[c];
}

const char *equiv_verdict_name(enum equiv_verdict v)
{
	static const char *const names[] = { "equal", "different", "absent" };

	return names[v];
}
