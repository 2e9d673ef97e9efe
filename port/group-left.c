// SPDX-License-Identifier: GPL-2.0-only
/* What must not be left over when a change was repeated. */
#include "base/compat.h"
#include "port/group-internal.h"

#include "base/alloc.h"
#include "port/names.h"
#include "port/stmt.h"

bool group_symbol_stays(const struct group_example *ex, const char *symbol)
{
	const struct ctoks *n = srcfile_toks(ex->f[GROUP_NEW]);

	for (uint32_t i = ex->fn[GROUP_NEW]->body.first; i < ex->fn[GROUP_NEW]->body.end; i++) {
		if (ctok_is(n, i, symbol))
			return true;
	}
	return false;
}

/* Uncovered occurrences of a name, its own declaration aside. */
static bool occurs(const struct group_place *a, const char *name, bool members)
{
	for (uint32_t i = a->u.fn->body.first; i < a->u.fn->body.end; i++) {
		if (ctok_is(a->ts, i, name) && a->ts->t[i].kind == CTOK_IDENT &&
		    (members || !is_member_access(a->ts, i)) && !group_covers(a, i) &&
		    !group_is_declaration(a, i))
			return true;
	}
	return false;
}

/*
 * A call that went with the change there (a put, a free, an unlock) and that is made here
 * too must have gone here as well.
 */
static bool calls_left(const struct group_place *a)
{
	const struct ctoks *e = srcfile_toks(a->ex->f[GROUP_OLD]);

	for (size_t k = 0; k < a->ex->natoms; k++) {
		const struct group_atom *at = &a->ex->atom[k];

		if ((!at->tied && !a->ex->managed) || at->a.end > at->a.first || at->guard || at->declares)
			continue;
		for (uint32_t i = at->b.first; i < at->b.end; i++) {
			char *name;
			bool left;

			if (!ctok_is_ident(e, i) || !ctok_is(e, i + 1, "(") ||
			    !group_is_kernel_name(a->u.c, e, i))
				continue;
			name = ctok_dup(e, i);
			left = occurs(a, name, false);
			free(name);
			if (left)
				return true;
		}
	}
	return false;
}

/* Is the token the start of "name = ..." (a plain assignment)? */
static bool is_assigned(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i + 1, "=") && group_starts_statement(ts, i);
}

/*
 * A place that sets a local no more, while what stands behind it still reads what
 * was set there: "ret = f(); if (ret)" of which the first half went.
 */
static bool reads_stale(const struct group_place *a, const struct group_site *s)
{
	char *name;
	bool stale = false;

	if (s->at.end <= s->at.first || !ctok_is_ident(a->ts, s->at.first) ||
	    !is_assigned(a->ts, s->at.first) || group_is_image(a, &a->ex->moved, s->at.first))
		return false;
	name = ctok_dup(a->ts, s->at.first);
	for (uint32_t i = s->at.end; i < a->u.fn->body.end; i++) {
		if (!ctok_is(a->ts, i, name) || is_member_access(a->ts, i) || group_covers(a, i))
			continue;
		stale = !is_assigned(a->ts, i) && !ctok_is(a->ts, i - 1, "&");
		break;
	}
	if (stale) {
		struct ctoks ts = { 0 };

		if (!ctoks_scan(&ts, s->text, strlen(s->text))) {
			for (uint32_t i = 0; i < ts.n && stale; i++)
				stale = !(ctok_is(&ts, i, name) && ctok_is(&ts, i + 1, "="));
		}
		ctoks_release(&ts);
	}
	free(name);
	return stale;
}

/* A brace that went while its partner stays. */
static bool breaks_block(const struct group_place *a, const struct group_site *s)
{
	int n = 0;

	for (uint32_t i = s->at.first; i < s->at.end; i++)
		n += ctok_is(a->ts, i, "{") - ctok_is(a->ts, i, "}");
	if (n == group_braces(s->text))
		return false;
	if (!n)
		return true;
	for (uint32_t i = s->at.first; i < s->at.end; i++) {
		uint32_t m = a->ts->t[i].match;

		if ((ctok_is(a->ts, i, "{") || ctok_is(a->ts, i, "}")) &&
		    (m == CTOK_NONE || !group_covers(a, m)))
			return true;
	}
	return false;
}

/* The head of a control statement went, or became whole statements, while what it controlled stays. */
static bool frees_body(const struct group_place *a, const struct group_site *s)
{
	uint32_t end = s->at.end;
	size_t n = strlen(s->text);

	return (!n || s->text[n - 1] != ')') && end > s->at.first && ctok_is(a->ts, end - 1, ")") &&
	       !ctok_is(a->ts, end, ";") && !group_covers(a, end) && group_starts_statement(a->ts, s->at.first);
}

/* Does the text name what ends with its scope? */
static bool guards(const char *text)
{
	struct ctoks ts = { 0 };
	bool yes = false;

	if (!ctoks_scan(&ts, text, strlen(text))) {
		for (uint32_t i = 0; i < ts.n && !yes; i++) {
			char *name = ctok_is_ident(&ts, i) ? ctok_dup(&ts, i) : NULL;

			yes = name && group_is_scoped(name);
			free(name);
		}
	}
	ctoks_release(&ts);
	return yes;
}

/* Something that holds to the end of its scope begins where the first place was. */
static bool guards_late(const struct group_place *a)
{
	uint32_t first = UINT32_MAX;

	for (size_t i = 0; i < a->nsites; i++) {
		if (a->site[i].at.end > a->site[i].at.first && a->site[i].at.first < first)
			first = a->site[i].at.first;
	}
	for (size_t i = 0; i < a->nsites; i++) {
		if (a->site[i].at.first > first && a->site[i].at.end > a->site[i].at.first &&
		    guards(a->site[i].text))
			return true;
	}
	return false;
}

/* Does the atom's old text name the other half of the symbol's pair? */
static bool has_partner(const struct group_place *a, const struct group_atom *at)
{
	struct strvec partners = STRVEC_INIT;
	bool yes = false;

	names_partners(a->u.symbol, &partners);
	for (size_t i = 0; i < partners.n && !yes; i++)
		yes = count_ident(srcfile_toks(a->ex->f[GROUP_OLD]), at->b.first, at->b.end, partners.v[i]);
	strvec_release(&partners);
	return yes;
}

/*
 * A call that went for one which came elsewhere, an unlock for a lock that ends by itself,
 * while nothing here got that one.
 */
static bool rests_on_nothing(const struct group_place *a)
{
	bool has_new = false;

	for (size_t k = 0; k < a->ex->natoms; k++) {
		const struct group_atom *at = &a->ex->atom[k];

		if (!at->added || (!at->tied && !has_partner(a, at)))
			continue;
		if (a->done[k])
			return false;
		has_new = true;
	}
	for (size_t i = 0; i < a->nsites && has_new; i++) {
		const struct group_site *s = &a->site[i];

		for (uint32_t t = s->at.first; !*s->text && t < s->at.end; t++) {
			if (ctok_is_ident(a->ts, t) && ctok_is(a->ts, t + 1, "("))
				return true;
		}
	}
	return false;
}

static size_t in_texts(const struct group_place *a, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < a->nsites; i++) {
		struct ctoks ts = { 0 };

		if (!ctoks_scan(&ts, a->site[i].text, strlen(a->site[i].text)))
			n += count_ident(&ts, 0, (uint32_t)ts.n, name);
		ctoks_release(&ts);
	}
	return n;
}

static size_t replaced(const struct group_place *a, const char *name)
{
	size_t n = 0;

	for (uint32_t i = a->u.fn->ret.first; i < a->u.fn->body.end; i++)
		n += a->ts->t[i].kind == CTOK_IDENT && ctok_is(a->ts, i, name) && group_covers(a, i);
	return n;
}

/* What came for the symbol is called more often than the symbol was: two places of the other driver in one. */
static bool doubles(const struct group_place *a, const char *symbol)
{
	size_t was = replaced(a, symbol);

	for (size_t k = 0; k < a->ex->natoms; k++) {
		const struct group_atom *at = &a->ex->atom[k];

		if (at->tied && at->has_symbol && at->added &&
		    in_texts(a, at->added) > was + replaced(a, at->added))
			return true;
	}
	return false;
}

static bool has_label(const struct group_place *a, uint32_t name)
{
	for (uint32_t i = a->u.fn->body.first; i + 1 < a->u.fn->body.end; i++) {
		if (ctok_same(a->ts, i, a->ts, name) && ctok_is(a->ts, i + 1, ":") && !group_covers(a, i) &&
		    group_starts_statement(a->ts, i))
			return true;
	}
	return false;
}

/* A jump that became a return, while what it jumped to is still there: an unlock, a free. */
static bool leaves_early(const struct group_place *a, const struct group_site *s)
{
	struct ctoks ts = { 0 };
	bool returns = false;

	for (uint32_t i = s->at.first; i < s->at.end; i++) {
		if (!ctok_is(a->ts, i, "break") && !ctok_is(a->ts, i, "continue") &&
		    !(ctok_is(a->ts, i, "goto") && has_label(a, i + 1)))
			continue;
		if (!ctoks_scan(&ts, s->text, strlen(s->text))) {
			for (size_t k = 0; k < ts.n; k++)
				returns |= ctok_is(&ts, k, "return");
		}
		ctoks_release(&ts);
		return returns;
	}
	return false;
}

bool group_nothing_left(const struct group_place *a, const char *symbol)
{
	if (calls_left(a) || guards_late(a) || rests_on_nothing(a) || doubles(a, symbol))
		return false;
	for (size_t i = 0; i < a->nsites; i++) {
		if (reads_stale(a, &a->site[i]) || breaks_block(a, &a->site[i]) ||
		    frees_body(a, &a->site[i]) || leaves_early(a, &a->site[i]))
			return false;
	}
	if (!group_symbol_stays(a->ex, symbol) && occurs(a, symbol, true))
		return false;
	for (size_t k = 0; k < a->ex->gone.n; k++) {
		if (occurs(a, a->ex->gone.v[k], false))
			return false;
	}
	for (size_t k = 0; k < a->ex->dead.n; k++) {
		const char *mine = group_bound(&a->u, a->ex->dead.v[k]);

		if (mine && occurs(a, mine, false))
			return false;
	}
	return true;
}
