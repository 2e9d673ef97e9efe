// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/group-apply.h"

#include "base/alloc.h"
#include "port/group-internal.h"
#include "port/stmt.h"

#define MAX_INSTANCES 16
#define MAX_PLACES    6 /* tried for one statement */

/* ---- sites --------------------------------------------------------------------------- */

static void drop_sites(struct group_place *a, size_t n)
{
	while (a->nsites > n)
		free(a->site[--a->nsites].text);
}

static bool overlaps(const struct group_place *a, struct cspan s)
{
	for (size_t i = 0; i < a->nsites; i++) {
		if (s.first < a->site[i].at.end && a->site[i].at.first < s.end)
			return true;
	}
	return false;
}

bool group_covers(const struct group_place *a, uint32_t tok)
{
	return overlaps(a, (struct cspan){ tok, tok + 1 });
}

void group_add_site(struct group_place *a, struct cspan at, char *text, bool behind)
{
	struct group_site *s;

	for (size_t i = 0; i < a->nsites; i++) {
		if (at.first == at.end && a->site[i].at.first == at.first &&
		    a->site[i].at.end == at.end && !strcmp(a->site[i].text, text)) {
			free(text); /* the same insertion for another instance */
			return;
		}
	}
	ALLOC_GROW(a->site, a->nsites + 1, a->alloc);
	s = &a->site[a->nsites++];
	*s = (struct group_site){ at, text, behind };
}

static char *indent_of(const struct group_place *a, uint32_t tok)
{
	return line_indent(a->u.f, a->ts->t[tok].off);
}

/* Names that the text of [after) declares need no declaration of their own. */
static void note_declared(struct group_place *a, struct cspan after)
{
	const struct scope *s = &a->ex->scope[GROUP_NEW];

	for (size_t i = 0; i < s->n; i++) {
		if (s->d[i].name != CTOK_NONE && s->d[i].name >= after.first && s->d[i].name < after.end &&
		    !strvec_contains(&a->declared, s->d[i].ident))
			strvec_push(&a->declared, s->d[i].ident);
	}
}

static char *emit_at(struct group_place *a, struct cspan after, uint32_t tok)
{
	struct strbuf out = STRBUF_INIT;
	char *indent = indent_of(a, tok);
	bool ok = group_emit(&a->u, after, indent, &out);

	free(indent);
	if (!ok) {
		strbuf_release(&out);
		return NULL;
	}
	note_declared(a, after);
	return strbuf_detach(&out, NULL);
}

bool group_is_declaration(const struct group_place *a, uint32_t tok)
{
	for (size_t i = 0; i < a->u.scope.n; i++) {
		if (a->u.scope.d[i].name == tok)
			return true;
	}
	return false;
}

/* ---- one atom at one place -------------------------------------------------------------- */

static bool leaves(const struct ctoks *ts, uint32_t from, uint32_t end)
{
	static const char *const jumps[] = { "return", "goto", "break", "continue" };
	uint32_t last = CTOK_NONE;

	for (uint32_t i = from; i < end; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(jumps); k++)
			last = ctok_is(ts, i, jumps[k]) ? i : last;
	}
	return last != CTOK_NONE && stmt_end(ts, last) + 2 >= end;
}

bool group_starts_statement(const struct ctoks *ts, uint32_t i)
{
	return i == 0 || ctok_is(ts, i - 1, ";") || ctok_is(ts, i - 1, "{") ||
	       ctok_is(ts, i - 1, "}") || ctok_is(ts, i - 1, ")") || ctok_is(ts, i - 1, ":") ||
	       ctok_is(ts, i - 1, "else") || ts->t[i - 1].kind == CTOK_PP;
}

/* Does one of the example's names stand for the name at this token? */
bool group_is_image(const struct group_place *a, const struct strvec *names, uint32_t tok)
{
	for (size_t k = 0; k < names->n; k++) {
		const char *mine = group_bound(&a->u, names->v[k]);

		if (mine && ctok_is(a->ts, tok, mine) && !is_member_access(a->ts, tok))
			return true;
	}
	return false;
}

/* An "if" that asks about nothing but names that go, in whatever words. */
static bool is_dead_guard(const struct group_place *a, uint32_t tok, uint32_t *end)
{
	bool any = false;
	uint32_t close;

	if (!ctok_is(a->ts, tok, "if") || !ctok_is(a->ts, tok + 1, "("))
		return false;
	close = a->ts->t[tok + 1].match;
	if (close == CTOK_NONE || close <= tok)
		return false;
	for (uint32_t i = tok + 2; i < close; i++) {
		if (!ctok_is_ident(a->ts, i))
			continue;
		if (group_is_image(a, &a->ex->dead, i))
			any = true;
		else if (!group_is_kernel_name(a->u.c, a->ts, i))
			return false;
	}
	*end = close + 1;
	return any;
}

/* Does the atom's old text stand at this token? Bindings are added. */
static bool match_atom(struct group_place *a, const struct group_atom *at, uint32_t tok, struct cspan *out)
{
	const struct ctoks *e = srcfile_toks(a->ex->f[GROUP_OLD]);
	bool whole = at->wb.first == at->b.first;
	size_t n = a->u.n;
	uint32_t end;

	if (whole && at->b.first > a->ex->fn[GROUP_OLD]->body.first && !group_starts_statement(a->ts, tok) &&
	    group_starts_statement(e, at->b.first))
		return false;
	if (!group_match(&a->u, at->wb, at->wa, tok, &end) && !(at->guard && is_dead_guard(a, tok, &end)))
		return false;
	if (at->guard) {
		uint32_t to = stmt_body_end(a->ts, end);

		if (!leaves(a->ts, end, to) || ctok_is(a->ts, to, "else")) {
			group_undo(&a->u, n);
			return false;
		}
		end = to;
	}
	*out = (struct cspan){ tok, end };
	if (overlaps(a, *out) || (end == tok + 1 && group_is_declaration(a, tok))) {
		group_undo(&a->u, n);
		return false;
	}
	return true;
}

/* Behind the ")" of the head whose part was placed. */
static uint32_t head_end(const struct group_place *a, struct cspan placed)
{
	uint32_t i = stmt_start(a->ts, placed.first);

	if (ctok_is(a->ts, i, "if") && ctok_is(a->ts, i + 1, "(") && a->ts->t[i + 1].match != CTOK_NONE)
		return a->ts->t[i + 1].match + 1;
	return placed.end;
}

/* The change can do without it when nothing that went is left over (checked at the end). */
static bool may_be_missing(const struct group_atom *at)
{
	if (at->a.end <= at->a.first)
		return true;
	return !at->result && (at->has_symbol || at->has_gone || at->has_dead);
}

static void bounds(const struct group_place *a, size_t atom, uint32_t *lo, uint32_t *hi)
{
	*lo = a->u.fn->ret.first;
	*hi = a->u.fn->body.end;
	for (size_t i = 0; i < a->ex->natoms; i++) {
		if (a->placed[i].end <= a->placed[i].first)
			continue;
		if (i < atom && a->placed[i].end > *lo)
			*lo = a->placed[i].end;
		if (i > atom && a->placed[i].first < *hi)
			*hi = a->placed[i].first;
	}
}

/* ---- insertions --------------------------------------------------------------------------- */

/* Where the statement stands in the driver, when that is one place only. */
static bool find_once(struct group_place *a, struct cspan stmt, uint32_t lo, uint32_t hi, struct cspan *out)
{
	size_t found = 0, n = a->u.n;

	if (stmt.end <= stmt.first + 1)
		return false;
	for (uint32_t i = lo; i < hi; i++) {
		uint32_t end;

		if (!group_starts_statement(a->ts, i) || !group_match(&a->u, stmt, stmt, i, &end))
			continue;
		group_undo(&a->u, n);
		*out = (struct cspan){ i, end };
		if (++found > 1)
			return false;
	}
	return found == 1;
}

static bool insert_atom(struct group_place *a, size_t atom)
{
	const struct group_atom *at = &a->ex->atom[atom];
	struct cspan where;
	char *text;
	uint32_t lo, hi;
	bool behind;

	bounds(a, atom, &lo, &hi);
	if (lo <= a->u.fn->body.first)
		lo = a->u.fn->body.first + 1;
	behind = find_once(a, at->prev, lo, hi, &where) && !stmt_is_controlled(a->ts, where.first) &&
		 ctok_is(a->ts, where.end - 1, ";");
	if (!behind && (!find_once(a, at->next, lo, hi, &where) ||
			stmt_is_controlled(a->ts, where.first)))
		return false;
	text = emit_at(a, at->a, where.first);
	if (!text)
		return false;
	if (behind)
		where.first = where.end;
	where.end = where.first;
	group_add_site(a, where, text, behind);
	return true;
}

/* ---- one instance ---------------------------------------------------------------------------- */

/* Does the atom's new text begin with an assignment to a new local? */
static bool sets_fresh(const struct group_place *a, const struct group_atom *at)
{
	const struct ctoks *n = srcfile_toks(a->ex->f[GROUP_NEW]);
	char *name = at->wa.end > at->wa.first ? ctok_dup(n, at->wa.first) : NULL;
	bool yes = name && ctok_is(n, at->wa.first + 1, "=") && strvec_contains(&a->ex->fresh, name);

	free(name);
	return yes;
}

/* All atoms have their places: write the new text of each. */
static bool emit_instance(struct group_place *a)
{
	size_t first = a->nsites, ndeclared = a->declared.n, nfresh = a->u.fresh.n;

	a->u.nomit = 0;
	for (size_t i = 0; i < a->ex->natoms; i++) {
		const struct group_atom *at = &a->ex->atom[i];

		if ((at->tied || at->foreign) && at->b.end > at->b.first &&
		    a->placed[i].end <= a->placed[i].first &&
		    !group_omit_values(a, at))
			return false;
	}

	for (size_t i = 0; i < a->ex->natoms; i++) {
		const struct group_atom *at = &a->ex->atom[i];
		char *text;

		if (!at->tied)
			continue;
		if (at->b.end <= at->b.first) {
			if (!at->declares && !insert_atom(a, i))
				goto fail;
			a->done[i] = true;
			continue;
		}
		if (a->placed[i].end <= a->placed[i].first)
			continue;
		text = at->wa.end > at->wa.first ? emit_at(a, at->wa, a->placed[i].first) : xstrdup("");
		if (!text)
			goto fail;
		a->done[i] = true;
		a->conditional |= stmt_is_controlled(a->ts, a->placed[i].first) && sets_fresh(a, at);
		group_add_site(a, a->placed[i], text, false);
	}
	if (group_declare_fresh(a))
		return true;
fail:
	drop_sites(a, first);
	while (a->declared.n > ndeclared)
		strvec_remove(&a->declared, a->declared.n - 1);
	while (a->u.fresh.n > nfresh)
		strvec_remove(&a->u.fresh, a->u.fresh.n - 1);
	return false;
}

/*
 * What is under the head of an "if" there is under that of its image here: "return ret" of
 * a check is no other "return ret".
 */
static bool under_its_head(const struct group_place *a, size_t atom, uint32_t tok)
{
	const struct ctoks *e = srcfile_toks(a->ex->f[GROUP_OLD]);

	for (size_t i = atom; i-- > 0;) {
		const struct group_atom *head = &a->ex->atom[i];
		bool there;

		if (head->b.end <= head->b.first || !ctok_is(e, head->b.first, "if") ||
		    !ctok_is(e, head->b.end - 1, ")") || a->placed[i].end <= a->placed[i].first)
			continue;
		there = a->ex->atom[atom].b.first < stmt_body_end(e, head->b.end);
		if (there && tok >= stmt_body_end(a->ts, head_end(a, a->placed[i])))
			return false;
		if (there)
			return true;
	}
	return true;
}

static bool place_rest(struct group_place *a, size_t k)
{
	const struct group_atom *at;
	uint32_t lo, hi;
	size_t atom, n = a->u.n, places = 0;

	if (k == a->norder)
		return emit_instance(a);
	atom = a->order[k];
	at = &a->ex->atom[atom];
	/* The look at a value that is not asked for here. */
	if (at->result && a->placed[at->call].end <= a->placed[at->call].first)
		return place_rest(a, k + 1);
	bounds(a, atom, &lo, &hi);
	for (uint32_t i = lo; i < hi && places < MAX_PLACES; i++) {
		struct cspan got;

		if (!match_atom(a, at, i, &got))
			continue;
		places++;
		if (got.end <= hi && under_its_head(a, atom, i)) {
			a->placed[atom] = got;
			if (place_rest(a, k + 1))
				return true;
		}
		a->placed[atom] = (struct cspan){ 0, 0 };
		group_undo(&a->u, n);
	}
	return may_be_missing(at) && place_rest(a, k + 1);
}

static bool anchor_at(struct group_place *a, size_t anchor, uint32_t from, uint32_t tok)
{
	size_t n = a->u.n;
	struct cspan got;

	if (!match_atom(a, &a->ex->atom[anchor], from, &got) || got.end <= tok) {
		group_undo(&a->u, n);
		return false;
	}
	a->placed[anchor] = got;
	a->norder = 0;
	for (size_t i = 0; i < a->ex->natoms; i++) {
		const struct group_atom *at = &a->ex->atom[i];

		if (i != anchor && at->tied && at->b.end > at->b.first && (!at->declares || at->has_symbol))
			a->order[a->norder++] = i;
	}
	if (place_rest(a, 0))
		return true;
	a->placed[anchor] = (struct cspan){ 0, 0 };
	group_undo(&a->u, n);
	return false;
}

/* The change around this occurrence of the symbol. */
static bool instance(struct group_place *a, uint32_t tok)
{
	for (size_t k = 0; k < a->ex->natoms; k++) {
		uint32_t low = tok > a->u.fn->ret.first + 80 ? tok - 80 : a->u.fn->ret.first;

		if (!a->ex->atom[k].tied || !a->ex->atom[k].has_symbol)
			continue;
		/* A head is found by what changed in it. */
		for (uint32_t from = a->u.fn->ret.first; tok < a->u.fn->body.first && from < a->u.fn->body.first;
		     from++) {
			memset(a->placed, 0, a->ex->natoms * sizeof(*a->placed));
			a->u.steps = 0;
			if (anchor_at(a, k, from, from))
				return true;
		}
		if (tok < a->u.fn->body.first)
			continue;
		for (uint32_t from = tok; from >= low && from != CTOK_NONE; from--) {
			memset(a->placed, 0, a->ex->natoms * sizeof(*a->placed));
			a->u.steps = 0;
			if (anchor_at(a, k, from, tok))
				return true;
		}
	}
	return false;
}

/* ---- the same elsewhere ---- */

/* What is done for a local that goes everywhere: a jump to its label, a statement that goes with it. */
static bool follows_dead(const struct group_place *a, const struct group_atom *at)
{
	return at->has_dead && (ctok_is(srcfile_toks(a->ex->f[GROUP_OLD]), at->b.first, "goto") ||
				at->a.end <= at->a.first);
}

/* Other places of what was done for a gone name: "goto out" of a label that went. */
static void repeat_elsewhere(struct group_place *a)
{
	group_keep_lasting(&a->u);
	for (size_t k = 0; k < a->ex->natoms; k++) {
		const struct group_atom *at = &a->ex->atom[k];
		size_t n = a->u.n;

		if (!at->tied || at->result || at->wb.end <= at->wb.first ||
		    !(at->has_gone || at->has_symbol || follows_dead(a, at)) ||
		    (at->declares && !at->has_symbol))
			continue;
		for (uint32_t i = a->u.fn->body.first + 1; i < a->u.fn->body.end; i++) {
			struct cspan got;
			char *text;

			a->u.steps = 0;
			if (group_covers(a, i) || !match_atom(a, at, i, &got))
				continue;
			text = at->wa.end > at->wa.first ? emit_at(a, at->wa, i) : xstrdup("");
			if (text) {
				group_add_site(a, got, text, false);
				group_keep_lasting(&a->u);
			} else {
				group_undo(&a->u, n);
			}
			n = a->u.n;
		}
	}
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static bool all_instances(struct group_place *a, const char *symbol, uint32_t site)
{
	bool stays = group_symbol_stays(a->ex, symbol);

	if (!instance(a, site))
		return false;
	for (uint32_t i = a->u.fn->body.first, n = 0; i < a->u.fn->body.end; i++) {
		if (!ctok_is(a->ts, i, symbol) || a->ts->t[i].kind != CTOK_IDENT || group_covers(a, i))
			continue;
		group_keep_lasting(&a->u);
		if ((!instance(a, i) && stays) || ++n > MAX_INSTANCES)
			break;
	}
	return true;
}

static void cut(struct edit_group *g, size_t n)
{
	while (g->n > n) {
		g->n--;
		free(g->e[g->n].path);
		free(g->e[g->n].text);
	}
}

static bool changes_head(const struct group_place *a)
{
	for (size_t i = 0; i < a->nsites; i++) {
		if (a->site[i].at.first >= a->u.fn->paren.first && a->site[i].at.end <= a->u.fn->paren.end &&
		    *a->site[i].text)
			return true;
	}
	return false;
}

bool group_apply(const struct propose_ctx *c, const char *symbol, const struct group_example *ex,
		 struct srcfile *f, const struct cfunc *fn, uint32_t site, struct edit_group *g,
		 struct group_outcome *out)
{
	struct group_place a = { .ex = ex, .ts = srcfile_toks(f) };
	size_t n = g->n;
	bool ok;

	group_unify_init(&a.u, c, symbol, ex, f, fn);
	strvec_init(&a.declared);
	a.placed = xcalloc(ex->natoms + 1, sizeof(*a.placed));
	a.order = xcalloc(ex->natoms + 1, sizeof(*a.order));
	a.done = xcalloc(ex->natoms + 1, sizeof(*a.done));
	ok = all_instances(&a, symbol, site);
	/* A name that is met late may stand in front as well. */
	if (ok)
		repeat_elsewhere(&a);
	if (ok)
		repeat_elsewhere(&a);
	if (ok)
		group_drop_unreached(&a);
	ok = ok && group_nothing_left(&a, symbol) && group_drop_dead(&a) && group_declare_fresh(&a) &&
	     group_add_items(&a) && group_add_members(&a) && group_add_edits(&a, g);
	if (!ok)
		cut(g, n);
	out->sites = a.nsites;
	out->head = changes_head(&a);
	out->deletes = a.deletes;
	out->conditional = a.conditional;
	out->items = a.u.items.n + a.u.nmembers;
	drop_sites(&a, 0);
	free(a.site);
	free(a.placed);
	free(a.order);
	free(a.done);
	strvec_release(&a.declared);
	group_unify_release(&a.u);
	return ok;
}
