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

bool group_is_new_member(struct group_unify *u, uint32_t tok)
{
	const struct group_example *ex = u->ex;
	const struct ctoks *ts = srcfile_toks(ex->f[GROUP_NEW]);
	char *member = ctok_dup(ts, tok), *base = tok > 1 ? ctok_dup(ts, tok - 2) : NULL, *key;
	const struct cstruct *old, *new, *mine;
	bool yes = false;

	new = structure_of(ex->f[GROUP_NEW], &ex->scope[GROUP_NEW], base);
	old = structure_of(ex->f[GROUP_OLD], &ex->scope[GROUP_OLD], base);
	mine = base ? structure_of(u->f, &u->scope, group_bound(u, base)) : NULL;
	if (new && old && mine && declares(ex->f[GROUP_NEW], new, member) &&
	    !declares(ex->f[GROUP_OLD], old, member) && !declares(u->f, mine, member)) {
		key = xstrfmt("%u %u %s", mine->body.end, new->keyword, member);
		if (!strvec_contains(&u->members, key))
			strvec_push(&u->members, key);
		free(key);
		yes = true;
	}
	free(member);
	free(base);
	return yes;
}

/* "struct disk *d;" of the other driver's structure. */
static bool emit_member(struct group_place *a, uint32_t keyword, const char *member, struct strbuf *out)
{
	struct srcfile *f = a->ex->f[GROUP_NEW];
	const struct cfile *cf = srcfile_parse(f);
	struct scope s = { .f = f };
	const struct decl *d;
	bool ok = false;

	for (size_t i = 0; i < cf->nstructs; i++) {
		if (cf->structs[i].keyword == keyword)
			scope_collect_members(f, cf->structs[i].body, &s);
	}
	d = scope_find(&s, member);
	if (d && !d->shared && group_emit(&a->u, d->spec, "\t", out)) {
		char *text = srcfile_span_text(f, d->declarator);

		strbuf_addf(out, " %s;", text);
		free(text);
		ok = true;
	}
	scope_release(&s);
	return ok;
}

bool group_add_members(struct group_place *a)
{
	for (size_t i = 0; i < a->u.members.n; i++) {
		struct strbuf text = STRBUF_INIT;
		unsigned end, keyword;
		int name = 0;

		if (sscanf(a->u.members.v[i], "%u %u %n", &end, &keyword, &name) < 2 || end < 3 ||
		    !ctok_is(a->ts, end - 2, ";") ||
		    !emit_member(a, keyword, a->u.members.v[i] + name, &text)) {
			strbuf_release(&text);
			return false;
		}
		group_add_site(a, (struct cspan){ end - 1, end - 1 }, strbuf_detach(&text, NULL), true);
	}
	return true;
}
