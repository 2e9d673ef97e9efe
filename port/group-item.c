// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is new in the other driver's file outside the function and is used by its new
 * text: a table of operations, a helper, a member of its structure. Functions and
 * objects are written in this driver's words in front of the function that uses them,
 * members behind the last one of the structure that stands for the other's.
 */
#include "base/compat.h"
#include "port/group-internal.h"

#include "base/alloc.h"
#include "port/stmt.h"

#define MAX_ITEMS 6

static bool occurs_in(struct srcfile *f, const char *name)
{
	const struct ctoks *ts = srcfile_toks(f);

	for (size_t i = 0; i < ts->n; i++) {
		if (ts->t[i].kind == CTOK_IDENT && ctok_is(ts, i, name))
			return true;
	}
	return false;
}

/* All of a definition of the newer file with its "}" or ";"; empty when there is none of that name. */
static struct cspan definition(const struct group_example *ex, const char *name, const struct cfunc **fn)
{
	struct srcfile *f = ex->f[GROUP_NEW];
	const struct ctoks *ts = srcfile_toks(f);
	const struct cobject *o = cfile_object(srcfile_parse(f), name);

	*fn = cfile_func(srcfile_parse(f), name);
	if (*fn && (*fn)->is_static && (*fn)->ret.end > (*fn)->ret.first)
		return (struct cspan){ (*fn)->ret.first, (*fn)->body.end };
	*fn = NULL;
	if (o && o->is_static && o->init.end > o->init.first && ctok_is(ts, o->init.end, ";"))
		return (struct cspan){ o->type.first, o->init.end + 1 };
	return (struct cspan){ 0, 0 };
}

bool group_is_new_item(const struct group_example *ex, const char *name)
{
	const struct cfunc *fn;
	struct cspan s = definition(ex, name, &fn);

	return s.end > s.first && !occurs_in(ex->f[GROUP_OLD], name);
}

/* Bytes of the first word of a name with its "_"; 0 when it is one word. */
static size_t first_word(const char *name)
{
	const char *end = strchr(name, '_');

	return end && end > name ? (size_t)(end + 1 - name) : 0;
}

char *group_item_name(const struct group_unify *u, const char *name)
{
	char *mine = ctok_dup(srcfile_toks(u->f), u->fn->name), *out;
	size_t theirs = first_word(u->ex->function), ours = first_word(mine);

	if (theirs && ours && !strncmp(name, u->ex->function, theirs))
		out = xstrfmt("%.*s%s", (int)ours, mine, name + theirs);
	else
		out = xstrdup(name);
	if (occurs_in(u->f, out) || api_lookup(u->c->new_ix, out, API_ANY)) {
		free(out);
		out = NULL;
	}
	free(mine);
	return out;
}

static bool emit_item(struct group_place *a, const char *name, struct strbuf *out)
{
	struct scope own = { 0 };
	const struct cfunc *fn;
	struct cspan s = definition(a->ex, name, &fn);
	bool ok;

	if (fn) {
		scope_collect(a->ex->f[GROUP_NEW], fn, CTOK_NONE, &own);
		a->u.own = &own;
		a->u.own_fn = fn;
	}
	ok = s.end > s.first && group_emit(&a->u, s, "", out);
	a->u.own = NULL;
	a->u.own_fn = NULL;
	scope_release(&own);
	return ok;
}

bool group_add_items(struct group_place *a)
{
	struct strbuf text = STRBUF_INIT;
	struct strvec one = STRVEC_INIT;
	uint32_t at = a->u.fn->ret.first;
	bool ok = true;

	/* An item may need others, which are behind it in the list and go in front of it. */
	for (size_t i = 0; i < a->u.items.n && ok; i++) {
		struct strbuf out = STRBUF_INIT;

		ok = i < MAX_ITEMS && at > 0 && emit_item(a, a->u.items.v[i], &out);
		strvec_push_nodup(&one, strbuf_detach(&out, NULL));
	}
	for (size_t i = one.n; ok && i-- > 0;)
		strbuf_addf(&text, "\n%s%s", one.v[i], i ? "\n" : "");
	if (ok && text.len)
		group_add_site(a, (struct cspan){ at, at }, xstrdup(text.buf), true);
	strbuf_release(&text);
	strvec_release(&one);
	return ok;
}

/* ---- members ------------------------------------------------------------------------ */

/* The structure of the file that a name of this scope is of or points to, or NULL. */
static const struct cstruct *structure_of(struct srcfile *f, const struct scope *s, const char *name)
{
	const struct decl *d = name ? scope_find(s, name) : NULL;
	const char *tag = NULL;
	const struct cstruct *found;
	char *word;

	if (!d || !d->type || !skip_prefix(d->type, "struct ", &tag))
		return NULL;
	word = xstrndup(tag, strcspn(tag, " *["));
	found = cfile_struct(srcfile_parse(f), word);
	free(word);
	return found;
}

static bool declares(struct srcfile *f, const struct cstruct *s, const char *member)
{
	return s && cstruct_has_member(srcfile_toks(f), s, member);
}

/* Members of a structure; the scope is the caller's. */
static void members_of(struct srcfile *f, uint32_t keyword, struct scope *out)
{
	const struct cfile *cf = srcfile_parse(f);

	for (size_t i = 0; i < cf->nstructs; i++) {
		if (cf->structs[i].keyword == keyword)
			scope_collect_members(f, cf->structs[i].body, out);
	}
}

/* The only member that the other driver's structure lost; NULL: none. False: several. */
static bool lost_member(const struct scope *old, const struct scope *new, const struct decl **out)
{
	*out = NULL;
	for (size_t i = 0; i < old->n; i++) {
		if (!old->d[i].ident || scope_find(new, old->d[i].ident))
			continue;
		if (*out)
			return false;
		*out = &old->d[i];
	}
	return true;
}

/* What stands for a member of the example here, by how it is used; NULL: nothing does. */
static const char *bound_member(const struct group_unify *u, const char *member)
{
	for (size_t i = 0; i < u->n; i++) {
		if (u->v[i].member && u->v[i].e.n == 1 && u->v[i].d.n == 1 && !strcmp(u->v[i].e.v[0], member))
			return u->v[i].d.v[0];
	}
	return NULL;
}

/* Which member of this driver's structure it came for is known now, while the statement's bindings hold. */
static void note_member(struct group_unify *u, const char *name, const struct cstruct *old,
			const struct cstruct *new, const struct cstruct *mine)
{
	struct scope before = { 0 }, after = { 0 };
	struct member_note *m;
	const struct decl *lost;

	for (size_t i = 0; i < u->nmembers; i++) {
		if (u->members[i].mine == mine->keyword && !strcmp(u->members[i].name, name))
			return;
	}
	ALLOC_GROW(u->members, u->nmembers + 1, u->members_alloc);
	m = &u->members[u->nmembers++];
	*m = (struct member_note){ .name = xstrdup(name), .new = new->keyword, .mine = mine->keyword };
	members_of(u->ex->f[GROUP_OLD], old->keyword, &before);
	members_of(u->ex->f[GROUP_NEW], new->keyword, &after);
	m->known = lost_member(&before, &after, &lost);
	m->replaces = lost != NULL;
	m->here = lost ? xstrdup(bound_member(u, lost->ident)) : NULL;
	scope_release(&before);
	scope_release(&after);
}

bool group_is_new_member(struct group_unify *u, uint32_t tok)
{
	const struct group_example *ex = u->ex;
	const struct ctoks *ts = srcfile_toks(ex->f[GROUP_NEW]);
	char *member = ctok_dup(ts, tok), *base = tok > 1 ? ctok_dup(ts, tok - 2) : NULL;
	const struct cstruct *old, *new, *mine;
	bool yes = false;

	new = structure_of(ex->f[GROUP_NEW], &ex->scope[GROUP_NEW], base);
	old = structure_of(ex->f[GROUP_OLD], &ex->scope[GROUP_OLD], base);
	mine = base ? structure_of(u->f, &u->scope, group_bound(u, base)) : NULL;
	if (new && old && mine && declares(ex->f[GROUP_NEW], new, member) &&
	    !declares(ex->f[GROUP_OLD], old, member) && !declares(u->f, mine, member)) {
		note_member(u, member, old, new, mine);
		yes = true;
	}
	free(member);
	free(base);
	return yes;
}

/* "struct disk *d;" of the other driver's structure. */
static bool emit_member(struct group_place *a, const struct decl *d, struct strbuf *out)
{
	char *text;

	if (!d || d->shared || !group_emit(&a->u, d->spec, "\t", out))
		return false;
	text = srcfile_span_text(a->ex->f[GROUP_NEW], d->declarator);
	strbuf_addf(out, " %s;", text);
	free(text);
	return true;
}

static bool used_elsewhere(const struct group_place *a, const char *member)
{
	for (uint32_t i = 0; i < a->ts->n; i++) {
		if (ctok_is(a->ts, i, member) && is_member_access(a->ts, i) && !group_covers(a, i))
			return true;
	}
	return false;
}

/*
 * A member that came for another one takes its place, and nothing may use that any more: a
 * driver with both would fill the one and hand the other over.
 */
static bool add_member(struct group_place *a, const struct member_note *m)
{
	struct scope new = { 0 }, mine = { 0 };
	const struct decl *here = NULL;
	struct strbuf text = STRBUF_INIT;
	bool ok = m->known;

	members_of(a->ex->f[GROUP_NEW], m->new, &new);
	members_of(a->u.f, m->mine, &mine);
	ok = ok && mine.n && emit_member(a, scope_find(&new, m->name), &text);
	if (ok && m->replaces) {
		here = m->here ? scope_find(&mine, m->here) : NULL;
		ok = here && !here->shared && !used_elsewhere(a, m->here);
	}
	if (ok && here)
		group_add_site(a, here->stmt, xstrdup(text.buf), false);
	else if (ok)
		group_add_site(a, (struct cspan){ mine.d[mine.n - 1].stmt.end, mine.d[mine.n - 1].stmt.end },
			       xstrdup(text.buf), true);
	strbuf_release(&text);
	scope_release(&new);
	scope_release(&mine);
	return ok;
}

bool group_add_members(struct group_place *a)
{
	for (size_t i = 0; i < a->u.nmembers; i++) {
		if (!add_member(a, &a->u.members[i]))
			return false;
	}
	return true;
}
