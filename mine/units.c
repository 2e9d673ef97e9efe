// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/units.h"

#include <git2.h>

#include "base/alloc.h"
#include "base/error.h"

/* ---- splitting -------------------------------------------------------------- */

static void add_unit(struct cunits *us, size_t first, size_t end)
{
	if (first >= end)
		return;
	ALLOC_GROW(us->u, us->n + 1, us->alloc);
	us->u[us->n].first = (uint32_t)first;
	us->u[us->n++].end = (uint32_t)end;
}

static bool is_control(const struct ctoks *ts, size_t i)
{
	return ctok_is(ts, i, "if") || ctok_is(ts, i, "for") || ctok_is(ts, i, "while") ||
	       ctok_is(ts, i, "switch");
}

/* One behind the closing bracket of an opening one; i + 1 when it is not closed. */
static size_t behind_bracket(const struct ctoks *ts, size_t i)
{
	uint32_t m = ts->t[i].match;

	return m != CTOK_NONE && m > i && m < ts->n ? m + 1 : i + 1;
}

static void split_range(struct cunits *us, size_t from, size_t to, bool initialiser);

/* Braces: "{", what is inside, "}". Behind "=" it is an initialiser. */
static size_t split_braces(struct cunits *us, size_t start, size_t i)
{
	const struct ctoks *ts = us->ts;
	size_t end = behind_bracket(ts, i);
	bool init = i > 0 && (ctok_is(ts, i - 1, "=") || ctok_is(ts, i - 1, ")")) && i > start &&
		    ctok_is(ts, i - 1, "=");

	add_unit(us, start, i + 1);
	if (end > i + 1) {
		split_range(us, i + 1, end - 1, init || ctok_is(ts, i - 1, ","));
		add_unit(us, end - 1, end);
	}
	return end;
}

/* Where the unit that starts at "start" ends; braces are descended into. */
static size_t split_one(struct cunits *us, size_t start, size_t to, bool initialiser)
{
	const struct ctoks *ts = us->ts;

	if (ts->t[start].kind == CTOK_PP) {
		add_unit(us, start, start + 1);
		return start + 1;
	}
	if (is_control(ts, start) && ctok_is(ts, start + 1, "(")) {
		size_t end = behind_bracket(ts, start + 1);

		add_unit(us, start, end < to ? end : to);
		return end < to ? end : to;
	}
	for (size_t i = start; i < to; i++) {
		if (ctok_is(ts, i, "(") || ctok_is(ts, i, "[")) {
			size_t end = behind_bracket(ts, i);

			i = (end < to ? end : to) - 1;
		} else if (ctok_is(ts, i, "{")) {
			return split_braces(us, start, i);
		} else if (ts->t[i].kind == CTOK_PP && i > start) {
			add_unit(us, start, i);
			return i;
		} else if (ctok_is(ts, i, ";") || (initialiser && ctok_is(ts, i, ",")) ||
			   ctok_is(ts, i, "else") || ctok_is(ts, i, "do") ||
			   (ctok_is(ts, i, ":") && i == start + 1)) {
			add_unit(us, start, i + 1);
			return i + 1;
		}
	}
	add_unit(us, start, to);
	return to;
}

static void split_range(struct cunits *us, size_t from, size_t to, bool initialiser)
{
	while (from < to)
		from = split_one(us, from, to, initialiser);
}

void cunits_split(struct cunits *us, const struct ctoks *ts)
{
	memset(us, 0, sizeof(*us));
	us->ts = ts;
	split_range(us, 0, ts->n, false);
}

void cunits_release(struct cunits *us)
{
	free(us->u);
	memset(us, 0, sizeof(*us));
}

/* ---- comparing --------------------------------------------------------------- */

/* One line a unit, so that the library's line difference works on units. */
static void as_lines(const struct cunits *us, struct strbuf *out)
{
	for (size_t i = 0; i < us->n; i++) {
		const struct cunit *u = &us->u[i];

		if (u->end == u->first + 1 && us->ts->t[u->first].kind == CTOK_PP) {
			const struct ctok *t = &us->ts->t[u->first];

			for (size_t k = 0; k < t->len; k++) {
				char c = us->ts->text[t->off + k];

				strbuf_addch(out, c == '\n' || c == '\r' ? ' ' : c);
			}
		} else {
			ctoks_normal(us->ts, u->first, u->end, out);
		}
		strbuf_addch(out, '\n');
	}
}

/* Share of equal tokens at both ends of the two units. */
static bool similar(const struct cunits *a, size_t i, const struct cunits *b, size_t j)
{
	struct cunit x = a->u[i], y = b->u[j];
	size_t nx = x.end - x.first, ny = y.end - y.first, same = 0;
	size_t max = nx > ny ? nx : ny;

	while (same < nx && same < ny && ctok_same(a->ts, x.first + same, b->ts, y.first + same))
		same++;
	for (size_t k = 1; k + same <= nx && k + same <= ny; k++) {
		if (!ctok_same(a->ts, x.end - k, b->ts, y.end - k))
			break;
		same++;
	}
	return same * 2 >= max;
}

static void give(const struct cunits *a, const struct cunits *b, struct cunits_hunk h,
		 void (*fn)(const struct cunits_hunk *h, void *payload), void *payload)
{
	bool pairs = h.a_end - h.a == h.b_end - h.b && h.a_end - h.a > 1;

	for (size_t k = 0; pairs && k < h.a_end - h.a; k++)
		pairs = similar(a, h.a + k, b, h.b + k);
	if (!pairs) {
		fn(&h, payload);
		return;
	}
	for (size_t k = 0; k < h.a_end - h.a; k++) {
		struct cunits_hunk one = { h.a + k, h.a + k + 1, h.b + k, h.b + k + 1 };

		fn(&one, payload);
	}
}

int cunits_diff(const struct cunits *a, const struct cunits *b,
		void (*fn)(const struct cunits_hunk *h, void *payload), void *payload,
		struct strbuf *err)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	git_diff_options opts = GIT_DIFF_OPTIONS_INIT;
	git_patch *patch = NULL;
	int ret = 0;

	as_lines(a, &x);
	as_lines(b, &y);
	opts.context_lines = 0;
	opts.flags = GIT_DIFF_FORCE_TEXT;
	git_libgit2_init();
	if (git_patch_from_buffers(&patch, x.buf, x.len, NULL, y.buf, y.len, NULL, &opts)) {
		strbuf_addf(err, "cannot compare two versions of a file: %s",
			    git_error_last() ? git_error_last()->message : "unknown");
		ret = KP_INFRA;
	}
	for (size_t i = 0; patch && i < git_patch_num_hunks(patch); i++) {
		const git_diff_hunk *g;
		struct cunits_hunk h;

		if (git_patch_get_hunk(&g, NULL, patch, i))
			break;
		h.a = (size_t)g->old_start - (g->old_lines ? 1 : 0);
		h.a_end = h.a + (size_t)g->old_lines;
		h.b = (size_t)g->new_start - (g->new_lines ? 1 : 0);
		h.b_end = h.b + (size_t)g->new_lines;
		if (h.a_end <= a->n && h.b_end <= b->n)
			give(a, b, h, fn, payload);
	}
	git_patch_free(patch);
	git_libgit2_shutdown();
	strbuf_release(&x);
	strbuf_release(&y);
	return ret;
}
