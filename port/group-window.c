// SPDX-License-Identifier: GPL-2.0-only
/* The part of a changed statement that is matched: as little as tells where it is. */
#include "base/compat.h"
#include "port/group-example.h"

#include "port/stmt.h"

static bool has(const struct ctoks *ts, struct cspan s, const char *name)
{
	for (uint32_t i = s.first; i < s.end; i++) {
		if (ctok_is(ts, i, name) && ts->t[i].kind == CTOK_IDENT)
			return true;
	}
	return false;
}

static bool has_one(const struct ctoks *ts, struct cspan s, const struct strvec *names)
{
	for (size_t k = 0; k < names->n; k++) {
		if (count_ident(ts, s.first, s.end, names->v[k]))
			return true;
	}
	return false;
}

/*
 * Tokens to add on the left or the right so that the first bracket without its partner
 * has it; 0: balanced.
 */
static uint32_t missing_left(const struct ctoks *ts, struct cspan s)
{
	for (uint32_t i = s.first; i < s.end; i++) {
		if (ts->t[i].match != CTOK_NONE && ts->t[i].match < s.first)
			return s.first - ts->t[i].match;
	}
	return 0;
}

static uint32_t missing_right(const struct ctoks *ts, struct cspan s)
{
	for (uint32_t i = s.first; i < s.end; i++) {
		if (ts->t[i].match != CTOK_NONE && ts->t[i].match >= s.end)
			return ts->t[i].match + 1 - s.end;
	}
	return 0;
}

/* Grows both sides alike until the brackets of both are paired; false when that leaves the statement. */
static bool balance(const struct ctoks *o, struct cspan *b, const struct ctoks *n, struct cspan *a,
		    const struct group_atom *at)
{
	for (;;) {
		uint32_t l = missing_left(o, *b), r;

		l = l ? l : missing_left(n, *a);
		r = l ? 0 : missing_right(o, *b);
		r = l || r ? r : missing_right(n, *a);
		if (!l && !r)
			return true;
		if (l > b->first - at->b.first || l > a->first - at->a.first ||
		    r > at->b.end - b->end || r > at->a.end - a->end)
			return false;
		b->first -= l;
		a->first -= l;
		b->end += r;
		a->end += r;
	}
}

/*
 * The part of a statement that changed, as far as it has something to know it by
 * (the symbol or a name that went), else all of it.
 */
void group_set_window(const struct group_example *ex, struct group_atom *at, const char *symbol)
{
	const struct ctoks *o = srcfile_toks(ex->f[GROUP_OLD]), *n = srcfile_toks(ex->f[GROUP_NEW]);
	struct cspan b = at->b, a = at->a;

	at->wb = b;
	at->wa = a;
	if (at->guard || b.end <= b.first || a.end <= a.first)
		return;
	while (b.first < b.end && a.first < a.end && ctok_same(o, b.first, n, a.first)) {
		b.first++;
		a.first++;
	}
	while (b.first < b.end && a.first < a.end && ctok_same(o, b.end - 1, n, a.end - 1)) {
		b.end--;
		a.end--;
	}
	/* Behind a member operator stands a part of a name. */
	while (b.first > at->b.first && a.first > at->a.first &&
	       (is_member_access(o, b.first) || ctok_is(o, b.first, "->") || ctok_is(o, b.first, "."))) {
		b.first--;
		a.first--;
	}
	/* A local alone says too little about where it stands. */
	if (b.end == b.first + 1 && has_one(o, b, &ex->dead) && !has(o, b, symbol))
		return;
	if (b.first < b.end && balance(o, &b, n, &a, at) &&
	    (has(o, b, symbol) || has_one(o, b, &ex->dead) || has_one(o, b, &ex->gone))) {
		at->wb = b;
		at->wa = a;
	}
}
