// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/group-example.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/strmap.h"
#include "mine/units.h"
#include "port/names.h"
#include "port/stmt.h"

#define MAX_FILE_BYTES (2u << 20)
#define MAX_HUNK_UNITS 40
#define MAX_ATOMS      64
#define LIKE	       0.3  /* share of equal tokens from which two statements are versions of one */
#define RESULT_REACH   5    /* statements behind a call that may look at its value */

/* ---- names ----------------------------------------------------------------------- */

static unsigned kinds_at(const struct ctoks *ts, size_t i)
{
	if (is_member_access(ts, (uint32_t)i))
		return API_MEMBER;
	if (i > 0 && (ctok_is(ts, i - 1, "struct") || ctok_is(ts, i - 1, "union") ||
		      ctok_is(ts, i - 1, "enum")))
		return API_STRUCT | API_UNION | API_ENUM;
	if (ctok_is(ts, i + 1, "("))
		return API_ANY_CALLABLE | API_MEMBER | API_TYPEDEF;
	return API_FUNCTION | API_INLINE | API_MACRO | API_MACRO_FN | API_ENUMERATOR | API_TYPEDEF |
	       API_VARIABLE;
}

bool group_is_kernel_name(const struct propose_ctx *c, const struct ctoks *ts, size_t i)
{
	char *name = ctok_dup(ts, i);
	unsigned kinds = kinds_at(ts, i);
	bool yes = (c->old_ix && api_lookup(c->old_ix, name, kinds)) ||
		   api_lookup(c->new_ix, name, kinds);

	free(name);
	return yes;
}

bool group_is_gone(const struct propose_ctx *c, const struct ctoks *ts, size_t i)
{
	char *name = ctok_dup(ts, i);
	unsigned kinds = kinds_at(ts, i);
	bool yes = !(kinds & API_MEMBER && !ctok_is(ts, i + 1, "(")) && c->old_ix &&
		   api_lookup(c->old_ix, name, kinds) && !api_lookup(c->new_ix, name, API_ANY);

	free(name);
	return yes;
}

static bool is_label(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i + 1, ":") && i > 0 &&
	       (ctok_is(ts, i - 1, ";") || ctok_is(ts, i - 1, "}") || ctok_is(ts, i - 1, "{") ||
		ctok_is(ts, i - 1, ":"));
}

bool group_is_local(const struct scope *s, const struct cfunc *fn, const char *name)
{
	const struct decl *d = scope_find(s, name);
	const struct ctoks *ts = srcfile_toks(s->f);

	if (d && (d->param || d->block != CTOK_NONE))
		return true;
	for (uint32_t i = fn->body.first; i < fn->body.end; i++) {
		if (ctok_is(ts, i, name) && is_label(ts, i))
			return true;
	}
	return false;
}

static bool has_name(const struct ctoks *ts, struct cspan s, const char *name)
{
	for (uint32_t i = s.first; i < s.end; i++) {
		if (ctok_is(ts, i, name) && ts->t[i].kind == CTOK_IDENT)
			return true;
	}
	return false;
}

static bool has_any(const struct ctoks *ts, struct cspan s, const struct strvec *names)
{
	for (size_t k = 0; k < names->n; k++) {
		if (count_ident(ts, s.first, s.end, names->v[k]))
			return true;
	}
	return false;
}

static struct cspan fn_span(const struct cfunc *fn)
{
	return (struct cspan){ fn->ret.end > fn->ret.first ? fn->ret.first : fn->name, fn->body.end };
}

/* Locals of one side whose names the other side does not have. */
static void one_sided(const struct group_example *ex, enum group_side side, struct strvec *out)
{
	const struct ctoks *ts = srcfile_toks(ex->f[side]), *other = srcfile_toks(ex->f[!side]);
	struct cspan s = fn_span(ex->fn[side]), o = fn_span(ex->fn[!side]);

	for (uint32_t i = s.first; i < s.end; i++) {
		char *name;

		if (!ctok_is_ident(ts, i) || is_member_access(ts, i))
			continue;
		name = ctok_dup(ts, i);
		if (!strvec_contains(out, name) && !count_ident(other, o.first, o.end, name) &&
		    group_is_local(&ex->scope[side], ex->fn[side], name))
			strvec_push(out, name);
		free(name);
	}
}

/* Locals that became parameters, or the other way round. */
static void moved_names(const struct group_example *ex, struct strvec *out)
{
	for (size_t i = 0; i < ex->scope[GROUP_OLD].n; i++) {
		const struct decl *o = &ex->scope[GROUP_OLD].d[i];
		const struct decl *n = scope_find(&ex->scope[GROUP_NEW], o->ident);

		if ((o->param || o->block != CTOK_NONE) && n && (n->param || n->block != CTOK_NONE) &&
		    o->param != n->param && !strvec_contains(out, o->ident))
			strvec_push(out, o->ident);
	}
}

/* ---- statements that changed -------------------------------------------------------- */

struct sides {
	struct group_example *ex;
	struct cunits u[2]; /* of the function, a declaration with its initialiser as one */
};

static struct cspan units_span(const struct cunits *us, size_t from, size_t to)
{
	if (from >= to)
		return (struct cspan){ 0, 0 };
	return (struct cspan){ us->u[from].first, us->u[to - 1].end };
}

static double likeness(const struct ctoks *x, struct cunit u, const struct ctoks *y, struct cunit v)
{
	uint32_t nu = u.end - u.first, nv = v.end - v.first, same = 0;
	uint64_t used[4] = { 0 }; /* the first 256 tokens of v */

	if (nu > 256 || nv > 256)
		return 0;
	for (uint32_t i = 0; i < nu; i++) {
		for (uint32_t j = 0; j < nv; j++) {
			if (used[j / 64] >> (j % 64) & 1 || !ctok_same(x, u.first + i, y, v.first + j))
				continue;
			used[j / 64] |= 1ULL << (j % 64);
			same++;
			break;
		}
	}
	return 2.0 * same / (nu + nv);
}

static struct group_atom *add_atom(struct group_example *ex)
{
	struct group_atom *at;

	ALLOC_GROW(ex->atom, ex->natoms + 1, ex->alloc);
	at = &ex->atom[ex->natoms++];
	memset(at, 0, sizeof(*at));
	return at;
}

/* Old unit i is new unit pair[i] (SIZE_MAX: gone): the alignment with most in common, in order. */
static void align(const struct sides *s, const struct cunits_hunk *h, size_t *pair)
{
	size_t n = h->a_end - h->a, m = h->b_end - h->b, w = m + 1;
	double *best = xcalloc((n + 1) * w, sizeof(*best));
	double *like = xcalloc(n * m + 1, sizeof(*like));

	for (size_t i = n; i-- > 0;) {
		for (size_t j = m; j-- > 0;) {
			double l = likeness(s->u[0].ts, s->u[0].u[h->a + i], s->u[1].ts,
					    s->u[1].u[h->b + j]);
			double down = best[(i + 1) * w + j], right = best[i * w + j + 1];
			double both = l >= LIKE ? l + best[(i + 1) * w + j + 1] : 0;

			like[i * m + j] = l;
			best[i * w + j] = both > down ? (both > right ? both : right) :
						       (down > right ? down : right);
		}
	}
	for (size_t i = 0, j = 0; i < n; i++) {
		pair[i] = SIZE_MAX;
		while (j < m && best[i * w + j] == best[i * w + j + 1] &&
		       best[i * w + j] > best[(i + 1) * w + j])
			j++;
		if (j < m && like[i * m + j] >= LIKE &&
		    best[i * w + j] == like[i * m + j] + best[(i + 1) * w + j + 1])
			pair[i] = j++;
	}
	free(best);
	free(like);
}

/*
 * One atom for each old unit of the hunk. New units without a partner go with the
 * pair in front of them, else with the first one.
 */
static void add_atoms(struct sides *s, const struct cunits_hunk *h, const size_t *pair)
{
	size_t n = h->a_end - h->a, m = h->b_end - h->b;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct group_atom *at = add_atom(s->ex);
		size_t to = m;

		at->b = units_span(&s->u[0], h->a + i, h->a + i + 1);
		if (pair[i] == SIZE_MAX)
			continue;
		for (size_t k = i + 1; k < n && to == m; k++)
			to = pair[k] != SIZE_MAX ? pair[k] : m;
		at->a = units_span(&s->u[1], h->b + (any ? pair[i] : 0), h->b + to);
		any = true;
	}
	if (!any && m) {
		struct group_atom *at = n ? &s->ex->atom[s->ex->natoms - n] : add_atom(s->ex);

		at->a = units_span(&s->u[1], h->b, h->b_end);
	}
}

static void on_hunk(const struct cunits_hunk *h, void *payload)
{
	struct sides *s = payload;
	size_t n = h->a_end - h->a, m = h->b_end - h->b, pair[MAX_HUNK_UNITS];
	size_t first = s->ex->natoms;

	if (n > MAX_HUNK_UNITS || m > MAX_HUNK_UNITS || s->ex->natoms + n + 1 > MAX_ATOMS) {
		s->ex->partial = true;
		return;
	}
	if (n)
		align(s, h, pair);
	add_atoms(s, h, pair);
	for (size_t k = first; k < s->ex->natoms; k++) {
		struct group_atom *at = &s->ex->atom[k];

		if (h->a > 0)
			at->prev = units_span(&s->u[0], h->a - 1, h->a);
		if (h->a_end < s->u[0].n)
			at->next = units_span(&s->u[0], h->a_end, h->a_end + 1);
	}
}

static bool leaves(const struct ctoks *ts, uint32_t from, uint32_t end)
{
	uint32_t last = CTOK_NONE;

	for (uint32_t i = from; i < end; i++) {
		if (ctok_is(ts, i, "return") || ctok_is(ts, i, "goto") || ctok_is(ts, i, "break") ||
		    ctok_is(ts, i, "continue"))
			last = i;
	}
	return last != CTOK_NONE && stmt_end(ts, last) + 2 >= end;
}

/* An "if" that went with all of its body is one atom. */
static void fold_guards(struct group_example *ex)
{
	const struct ctoks *ts = srcfile_toks(ex->f[GROUP_OLD]);

	for (size_t k = 0; k < ex->natoms; k++) {
		struct group_atom *at = &ex->atom[k];
		uint32_t end;
		size_t last = k;

		if (at->b.end <= at->b.first || at->a.end > at->a.first || !ctok_is(ts, at->b.first, "if") ||
		    !ctok_is(ts, at->b.end - 1, ")"))
			continue;
		end = stmt_body_end(ts, at->b.end);
		while (last + 1 < ex->natoms && ex->atom[last + 1].b.first < end &&
		       ex->atom[last + 1].b.first == ex->atom[last].b.end &&
		       ex->atom[last + 1].a.end <= ex->atom[last + 1].a.first)
			last++;
		if (last == k || ex->atom[last].b.end != end || ctok_is(ts, end, "else") ||
		    !leaves(ts, at->b.end, end))
			continue;
		at->guard = true;
		memmove(&ex->atom[k + 1], &ex->atom[last + 1],
			(ex->natoms - last - 1) * sizeof(*ex->atom));
		ex->natoms -= last - k;
	}
}

static uint32_t declaration_end(const struct scope *s, uint32_t first)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!s->d[i].param && s->d[i].block != CTOK_NONE && s->d[i].stmt.first == first)
			return s->d[i].stmt.end;
	}
	return 0;
}

static bool view_of(const struct group_example *ex, enum group_side side, struct sides *s)
{
	struct cspan span = fn_span(ex->fn[side]);
	struct cunits all, *u = &s->u[side];

	cunits_split(&all, srcfile_toks(ex->f[side]));
	u->ts = all.ts;
	for (size_t i = 0; i < all.n; i++) {
		uint32_t end;

		if (all.u[i].first < span.first || all.u[i].end > span.end)
			continue;
		ALLOC_GROW(u->u, u->n + 1, u->alloc);
		u->u[u->n] = all.u[i];
		end = declaration_end(&ex->scope[side], all.u[i].first);
		while (i + 1 < all.n && all.u[i + 1].end <= end)
			i++;
		u->u[u->n++].end = all.u[i].end;
	}
	cunits_release(&all);
	return u->n > 0;
}

static bool find_atoms(struct group_example *ex)
{
	struct sides s = { .ex = ex };
	struct strbuf ignored = STRBUF_INIT;
	bool ok = view_of(ex, GROUP_OLD, &s);

	ok = view_of(ex, GROUP_NEW, &s) && ok &&
	     !cunits_diff(&s.u[0], &s.u[1], on_hunk, &s, &ignored);
	cunits_release(&s.u[0]);
	cunits_release(&s.u[1]);
	strbuf_release(&ignored);
	fold_guards(ex);
	return ok && ex->natoms && !ex->partial;
}

/* ---- what belongs together ---------------------------------------------------------- */

static bool same_run(const struct ctoks *x, struct cspan s, const struct ctoks *y, uint32_t at,
		     uint32_t end)
{
	if (at + (s.end - s.first) > end)
		return false;
	for (uint32_t i = s.first; i < s.end; i++) {
		if (!ctok_same(x, i, y, at + i - s.first))
			return false;
	}
	return true;
}

static bool holds_run(const struct ctoks *x, struct cspan s, const struct ctoks *y, struct cspan in)
{
	for (uint32_t i = in.first; i < in.end; i++) {
		if (same_run(x, s, y, i, in.end))
			return true;
	}
	return false;
}

/* "x->y" of "x->y = call(...)"; empty when b is no assignment. */
static struct cspan assigned(const struct ctoks *ts, struct cspan b)
{
	for (uint32_t i = b.first; i < b.end && !ctok_is(ts, i, "("); i++) {
		if (ctok_is(ts, i, "=") && i > b.first)
			return (struct cspan){ b.first, i };
	}
	return (struct cspan){ 0, 0 };
}

static void mark_gone(const struct propose_ctx *c, struct group_example *ex, struct group_atom *at,
		      const char *symbol, const struct strmap *words)
{
	const struct ctoks *ts = srcfile_toks(ex->f[GROUP_OLD]);

	at->has_symbol = has_name(ts, at->b, symbol);
	for (uint32_t i = at->b.first; i < at->b.end; i++) {
		char *name;

		if (!ctok_is_ident(ts, i))
			continue;
		name = ctok_dup(ts, i);
		if (!group_is_local(&ex->scope[0], ex->fn[0], name) && group_is_gone(c, ts, i)) {
			at->foreign |= !strmap_has(words, name);
			at->has_gone |= strmap_has(words, name);
			if (strmap_has(words, name) && !strvec_contains(&ex->gone, name))
				strvec_push(&ex->gone, name);
		}
		free(name);
	}
	at->has_dead = has_any(ts, at->b, &ex->dead);
	at->foreign &= !at->has_symbol;
	at->tied = (at->has_symbol || at->has_gone) && !at->foreign;
}

static bool shares(const struct group_example *ex, const struct group_atom *x,
		   const struct group_atom *y, const struct strvec *names)
{
	const struct ctoks *o = srcfile_toks(ex->f[GROUP_OLD]), *n = srcfile_toks(ex->f[GROUP_NEW]);

	for (size_t k = 0; k < names->n; k++) {
		const char *name = names->v[k];

		if ((count_ident(o, x->b.first, x->b.end, name) ||
		     count_ident(n, x->a.first, x->a.end, name)) &&
		    (count_ident(o, y->b.first, y->b.end, name) ||
		     count_ident(n, y->a.first, y->a.end, name)))
			return true;
	}
	return false;
}

/* Both went, one right behind the other. */
static bool went_together(const struct group_atom *x, const struct group_atom *y)
{
	return x->b.end > x->b.first && y->b.end > y->b.first && x->a.end <= x->a.first &&
	       y->a.end <= y->a.first && (x->b.end == y->b.first || y->b.end == x->b.first);
}

static bool returns(const struct group_example *ex, const struct group_atom *at)
{
	return ctok_is(srcfile_toks(ex->f[GROUP_OLD]), at->b.first, "return");
}

/* A brace of one is the partner of a brace of the other. */
static bool share_braces(const struct group_example *ex, const struct group_atom *x,
			 const struct group_atom *y)
{
	const struct ctoks *o = srcfile_toks(ex->f[GROUP_OLD]);

	for (uint32_t i = x->b.first; i < x->b.end; i++) {
		uint32_t m = o->t[i].match;

		if (m != CTOK_NONE && (ctok_is(o, i, "{") || ctok_is(o, i, "}")) && m >= y->b.first &&
		    m < y->b.end && (m < x->b.first || m >= x->b.end))
			return true;
	}
	return false;
}

/* Kernel functions that the atom's new text calls and its old text does not. */
static void added_calls(const struct propose_ctx *c, const struct group_example *ex,
			const struct group_atom *at, struct strvec *out)
{
	const struct ctoks *o = srcfile_toks(ex->f[GROUP_OLD]), *n = srcfile_toks(ex->f[GROUP_NEW]);

	for (uint32_t i = at->a.first; i < at->a.end; i++) {
		char *name;

		if (!ctok_is_ident(n, i) || !ctok_is(n, i + 1, "(") || is_member_access(n, i))
			continue;
		name = ctok_dup(n, i);
		if (!count_ident(o, at->b.first, at->b.end, name) &&
		    api_lookup(c->new_ix, name, API_ANY_CALLABLE) && !strvec_contains(out, name))
			strvec_push(out, name);
		free(name);
	}
}

/* The other half of a pair, or a new function of the same family ("iio_device_..."). */
static bool is_other_half(const struct propose_ctx *c, const char *a, const char *b)
{
	struct strvec x = STRVEC_INIT, y = STRVEC_INIT;
	bool yes;

	names_partners(a, &x);
	yes = strvec_contains(&x, b);
	strvec_clear(&x);
	name_words(a, &x);
	name_words(b, &y);
	yes = yes || (x.n > 2 && y.n > 2 && !strcmp(x.v[0], y.v[0]) && !strcmp(x.v[1], y.v[1]) &&
		      !api_lookup(c->old_ix, b, API_ANY_CALLABLE));
	strvec_release(&x);
	strvec_release(&y);
	return yes;
}

static bool adds_other_half(const struct propose_ctx *c, const struct group_example *ex,
			    const struct group_atom *x, const struct group_atom *tied)
{
	struct strvec mine = STRVEC_INIT, theirs = STRVEC_INIT;
	bool yes = false;

	added_calls(c, ex, x, &mine);
	if (mine.n)
		added_calls(c, ex, tied, &theirs);
	for (size_t i = 0; mine.n && i < ex->gone.n; i++)
		strvec_push(&theirs, ex->gone.v[i]);
	for (size_t i = 0; i < theirs.n && !yes; i++) {
		for (size_t k = 0; k < mine.n && !yes; k++)
			yes = is_other_half(c, theirs.v[i], mine.v[k]);
	}
	strvec_release(&mine);
	strvec_release(&theirs);
	return yes;
}

static bool looks_at_result(const struct group_example *ex, size_t call, size_t k)
{
	const struct ctoks *o = srcfile_toks(ex->f[GROUP_OLD]), *n = srcfile_toks(ex->f[GROUP_NEW]);
	struct cspan x = assigned(o, ex->atom[call].b);

	if (x.end <= x.first || k <= call || k > call + RESULT_REACH || ex->atom[k].declares)
		return false;
	return holds_run(o, x, n, ex->atom[k].a) || holds_run(o, x, o, ex->atom[k].b);
}

/* "x.function = f;" went, and f is in the tied atom's new text and was not in its old one. */
static bool moves_value(const struct group_example *ex, const struct group_atom *at,
			const struct group_atom *tied)
{
	const struct ctoks *o = srcfile_toks(ex->f[GROUP_OLD]), *n = srcfile_toks(ex->f[GROUP_NEW]);
	struct cspan to = assigned(o, at->b), value = { to.end + 1, at->b.end - 1 };

	return at->a.end <= at->a.first && to.end > to.first && value.end > value.first &&
	       ctok_is(o, value.end, ";") && holds_run(o, value, n, tied->a) && !holds_run(o, value, o, tied->b);
}

static bool belong_together(const struct propose_ctx *c, const struct group_example *ex,
			    const struct group_atom *at, const struct group_atom *tied)
{
	return shares(ex, at, tied, &ex->dead) || shares(ex, at, tied, &ex->fresh) ||
	       shares(ex, at, tied, &ex->moved) ||
	       (went_together(at, tied) && !returns(ex, at)) ||
	       share_braces(ex, at, tied) || moves_value(ex, at, tied) || adds_other_half(c, ex, at, tied);
}

/* The last call in front of atom k that gives the value it looks at. */
static size_t nearest_call(const struct group_example *ex, size_t call, size_t k)
{
	for (size_t i = call + 1; i < k; i++) {
		if (ex->atom[i].tied && (ex->atom[i].has_symbol || ex->atom[i].has_gone) &&
		    looks_at_result(ex, i, k))
			call = i;
	}
	return call;
}

static void tie(const struct propose_ctx *c, struct group_example *ex)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t k = 0; k < ex->natoms; k++) {
			struct group_atom *at = &ex->atom[k];

			for (size_t i = 0; i < ex->natoms && !at->tied && !at->foreign; i++) {
				const struct group_atom *other = &ex->atom[i];

				if (!other->tied)
					continue;
				if ((other->has_symbol || other->has_gone) && looks_at_result(ex, i, k)) {
					at->tied = at->result = true;
					at->call = nearest_call(ex, i, k);
				} else {
					at->tied = belong_together(c, ex, at, other);
				}
				again |= at->tied;
			}
		}
	}
}

static bool has_word(const char *name, const char *const *words, size_t n)
{
	struct strvec w = STRVEC_INIT;
	bool yes = false;

	name_words(name, &w);
	for (size_t i = 0; i < w.n && !yes; i++) {
		for (size_t k = 0; k < n && !yes; k++)
			yes = !strcasecmp(w.v[i], words[k]);
	}
	strvec_release(&w);
	return yes;
}

bool group_is_scoped(const char *name)
{
	static const char *const words[] = { "scoped", "guard", "auto" };

	return has_word(name, words, ARRAY_SIZE(words));
}

/* Do names of the new text say that something ends with its scope or its device? */
static bool is_managed(const struct group_example *ex)
{
	static const char *const words[] = { "devm", "free", "cleanup" };
	const struct ctoks *n = srcfile_toks(ex->f[GROUP_NEW]);
	bool yes = false;

	for (size_t k = 0; k < ex->natoms; k++) {
		for (uint32_t i = ex->atom[k].a.first; ex->atom[k].tied && i < ex->atom[k].a.end; i++) {
			char *name = ctok_is_ident(n, i) && ctok_is(n, i + 1, "(") ? ctok_dup(n, i) : NULL;

			yes |= name && (group_is_scoped(name) || has_word(name, words, ARRAY_SIZE(words)));
			free(name);
		}
	}
	return yes;
}

static void keep_tied_names(const struct group_example *ex, enum group_side side, struct strvec *names)
{
	const struct ctoks *ts = srcfile_toks(ex->f[side]);

	for (size_t k = names->n; k-- > 0;) {
		bool used = false;

		for (size_t i = 0; i < ex->natoms && !used; i++) {
			struct cspan s = side == GROUP_OLD ? ex->atom[i].b : ex->atom[i].a;

			used = ex->atom[i].tied && count_ident(ts, s.first, s.end, names->v[k]);
		}
		if (!used)
			strvec_remove(names, k);
	}
}

static void describe_atoms(const struct propose_ctx *c, struct group_example *ex)
{
	for (size_t k = 0; k < ex->natoms; k++) {
		struct group_atom *at = &ex->atom[k];
		enum group_side side = at->a.end > at->a.first ? GROUP_NEW : GROUP_OLD;
		struct cspan s = side == GROUP_NEW ? at->a : at->b;
		uint32_t pos = s.first;
		struct strvec added = STRVEC_INIT;

		added_calls(c, ex, at, &added);
		at->added = added.n ? xstrdup(added.v[0]) : NULL;
		strvec_release(&added);
		for (size_t i = 0; i < ex->scope[side].n && pos < s.end; i++) {
			const struct decl *d = &ex->scope[side].d[i];

			if (!d->param && d->block != CTOK_NONE && d->stmt.first == pos)
				pos = d->stmt.end;
		}
		at->declares = s.end > s.first && pos == s.end;
	}
}

/* ---- loading ----------------------------------------------------------------------------- */

static struct srcfile *read_source(const char *dir, const char *rel)
{
	char *path = path_join(dir, rel);
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	struct srcfile *f = NULL;

	if (path_is_safe(rel) && !file_read(path, MAX_FILE_BYTES, &text, &ignored)) {
		size_t len = text.len;

		f = srcfile_new(rel, strbuf_detach(&text, NULL), len, 0);
	}
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(path);
	return f;
}

bool group_read_pair(const struct propose_ctx *c, const char *path, struct srcfile *f[2])
{
	char *full = path_join(c->to->source_dir, path), *rel;

	rel = file_exists(full) ? xstrdup(path) : examples_new_path(c->examples, path);
	free(full);
	f[GROUP_OLD] = read_source(c->from->source_dir, path);
	f[GROUP_NEW] = rel ? read_source(c->to->source_dir, rel) : NULL;
	free(rel);
	if (f[GROUP_OLD] && f[GROUP_NEW])
		return true;
	srcfile_unref(f[GROUP_OLD]);
	srcfile_unref(f[GROUP_NEW]);
	f[GROUP_OLD] = f[GROUP_NEW] = NULL;
	return false;
}

static bool read_both(const struct propose_ctx *c, struct group_example *ex)
{
	if (!group_read_pair(c, ex->path, ex->f))
		return false;
	for (int side = 0; side < 2; side++) {
		ex->fn[side] = cfile_func(srcfile_parse(ex->f[side]), ex->function);
		if (!ex->fn[side] || ex->fn[side]->body.end <= ex->fn[side]->body.first)
			return false;
		scope_collect(ex->f[side], ex->fn[side], CTOK_NONE, &ex->scope[side]);
	}
	return true;
}

static double share_words(const struct group_example *ex, const struct strmap *words)
{
	const struct ctoks *ts = srcfile_toks(ex->f[GROUP_OLD]);
	struct cspan s = fn_span(ex->fn[GROUP_OLD]);
	struct strmap seen = STRMAP_INIT;
	size_t both = 0, all = words->live;

	for (uint32_t i = s.first; i < s.end; i++) {
		char *name;

		if (!ctok_is_ident(ts, i))
			continue;
		name = ctok_dup(ts, i);
		if (!strmap_has(&seen, name)) {
			strmap_put(&seen, name, NULL);
			both += strmap_has(words, name);
			all += !strmap_has(words, name);
		}
		free(name);
	}
	strmap_release(&seen, NULL);
	return all ? (double)both / (double)all : 0;
}

bool group_example_load(const struct propose_ctx *c, const char *symbol, const char *path,
			const char *function, const struct strmap *words,
			struct group_example *out)
{
	bool any = false;

	memset(out, 0, sizeof(*out));
	strvec_init(&out->gone);
	strvec_init(&out->dead);
	strvec_init(&out->fresh);
	strvec_init(&out->moved);
	out->path = xstrdup(path);
	out->function = xstrdup(function);
	if (!read_both(c, out) || !find_atoms(out)) {
		group_example_release(out);
		return false;
	}
	one_sided(out, GROUP_OLD, &out->dead);
	one_sided(out, GROUP_NEW, &out->fresh);
	moved_names(out, &out->moved);
	describe_atoms(c, out);
	for (size_t k = 0; k < out->natoms; k++)
		mark_gone(c, out, &out->atom[k], symbol, words);
	tie(c, out);
	for (size_t k = 0; k < out->natoms; k++)
		any |= out->atom[k].has_symbol;
	if (!any) {
		group_example_release(out);
		return false;
	}
	keep_tied_names(out, GROUP_OLD, &out->dead);
	keep_tied_names(out, GROUP_NEW, &out->fresh);
	out->managed = is_managed(out);
	for (size_t k = 0; k < out->natoms; k++)
		group_set_window(out, &out->atom[k], symbol);
	out->likeness = share_words(out, words);
	return true;
}

void group_example_release(struct group_example *ex)
{
	scope_release(&ex->scope[0]);
	scope_release(&ex->scope[1]);
	srcfile_unref(ex->f[0]);
	srcfile_unref(ex->f[1]);
	strvec_release(&ex->gone);
	strvec_release(&ex->dead);
	strvec_release(&ex->fresh);
	strvec_release(&ex->moved);
	for (size_t i = 0; i < ex->natoms; i++)
		free(ex->atom[i].added);
	free(ex->atom);
	free(ex->path);
	free(ex->function);
	memset(ex, 0, sizeof(*ex));
}
