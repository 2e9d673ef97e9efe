// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a compiler does not say: a member that became narrower and is still assigned
 * to, one that became wider and whose address is handed on, and initialisers by
 * position of a structure whose members changed places.
 */
#include "base/compat.h"
#include "port/impact-internal.h"

#include "base/alloc.h"
#include "port/usage.h"

static void look(struct finder *fi, const char *name, int line, bool sure, char *text)
{
	struct impact_item *it = impact_add(fi, IMPACT_LAYOUT, name, line, NULL, NULL, sure);

	if (it)
		it->text = text;
	else
		free(text);
}

static bool address_taken(const struct ctoks *ts, size_t tok)
{
	while (tok > 1 && (ctok_is(ts, tok - 1, "->") || ctok_is(ts, tok - 1, ".")))
		tok -= 2;
	return tok && ctok_is(ts, tok - 1, "&") && !(tok > 1 && (ctok_is_ident(ts, tok - 2) ||
		ctok_is(ts, tok - 2, ")")));
}

static bool is_member(const struct layout_change *c, const char *member)
{
	const char *last = c->member ? strrchr(c->member, '.') : NULL;

	return c->member && (!strcmp(c->member, member) || (last && !strcmp(last + 1, member)));
}

/* A structure inside another one grows without harm to those that name its members. */
static bool is_scalar(const char *type)
{
	return type && (strchr(type, '*') || (!strstr(type, "struct") && !strstr(type, "union")));
}

void impact_layout_member(struct finder *fi, const char *type, const char *member, size_t tok)
{
	const struct ctoks *ts = srcfile_toks(fi->f);
	bool address = address_taken(ts, tok);
	char *full = xstrfmt("%s.%s", type, member), *key = xstrfmt("%s %d", full, address);
	struct layout_change *list = NULL;
	size_t n = 0;

	if (fi->p->layout && !strmap_has(&fi->laid, key)) {
		strmap_put(&fi->laid, key, NULL);
		n = layout_diff_lookup(fi->p->layout, type, &list);
	}
	for (size_t i = 0; i < n; i++) {
		struct strbuf text = STRBUF_INIT;

		if (!is_member(&list[i], member) || !is_scalar(list[i].from_type) ||
		    !(list[i].kind == LAYOUT_NARROWED || (list[i].kind == LAYOUT_WIDENED && address)))
			continue;
		layout_change_text(&list[i], &text);
		look(fi, full, (int)ts->t[tok].line, list[i].sure, strbuf_detach(&text, NULL));
	}
	layout_changes_free(list, n);
	free(full);
	free(key);
}

/* ---- initialisers by position ----------------------------------------------------------- */

/* Members that can be initialised one after the other: those that the configuration has. */
static size_t members_of(struct api_index *ix, const char *type, const struct api_symbol ***out)
{
	size_t n = api_members(ix, type, out), kept = 0;

	for (size_t i = 0; i < n; i++)
		if ((*out)[i]->active && (*out)[i]->kind == API_MEMBER)
			(*out)[kept++] = (*out)[i];
	return kept;
}

static bool has_member(const struct api_symbol **list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i]->name, name))
			return true;
	return false;
}

static bool same_type(const struct api_symbol *a, const struct api_symbol *b)
{
	return !strcmp(a->type ? a->type : "", b->type ? b->type : "") && !a->params == !b->params;
}

/* The first of n members that is not where it was; newly allocated text or NULL. */
static char *first_moved(const struct finder *fi, const char *type, size_t n)
{
	const struct api_symbol **a = NULL, **b = NULL;
	size_t na = members_of(fi->p->old_ix, type, &a), nb = members_of(fi->p->new_ix, type, &b);
	char *text = NULL;

	for (size_t i = 0; i < n && i < na && nb && !text; i++) {
		if (i < nb && !strcmp(a[i]->name, b[i]->name))
			continue;
		/* Another name for the same thing is none of an initialiser's business. */
		if (i < nb && same_type(a[i], b[i]) && !has_member(b, nb, a[i]->name))
			continue;
		text = i < nb ? xstrfmt("initialised by position: value %zu was of %s, is of %s now", i + 1, a[i]->name,
					b[i]->name) :
				xstrfmt("initialised by position: there is no member %zu any more", i + 1);
	}
	free(a);
	free(b);
	return text;
}

/* Values by position below a parent; 0 when there is a designator or a macro among them. */
static size_t positional(const struct finder *fi, const struct cobject *o, uint32_t parent)
{
	const struct ctoks *ts = srcfile_toks(fi->f);
	size_t n = 0;

	for (size_t i = 0; i < o->nmembers; i++) {
		const struct cmember *m = &o->members[i];
		char *word;
		bool macro;

		if (m->parent != parent)
			continue;
		if (m->name != CTOK_NONE || m->designator.first != m->designator.end)
			return 0;
		if (ctok_is_ident(ts, m->value.first)) {
			word = ctok_dup(ts, m->value.first);
			macro = api_lookup(fi->p->old_ix, word, API_MACRO_FN) != NULL;
			free(word);
			if (macro)
				return 0;
		}
		n++;
	}
	return n;
}

void impact_layout_object(struct finder *fi, const struct cobject *o)
{
	const struct ctoks *ts = srcfile_toks(fi->f);
	char *tag, *type, *text;
	size_t n = 0;

	if (o->tag == CTOK_NONE || !o->tag_is_struct || o->init.first == o->init.end)
		return;
	if (!o->is_array)
		n = positional(fi, o, CTOK_NONE);
	for (size_t i = 0; o->is_array && i < o->nmembers && n < 2; i++)
		if (o->members[i].parent == CTOK_NONE)
			n = positional(fi, o, (uint32_t)i);
	if (!n)
		return;
	tag = ctok_dup(ts, o->tag);
	type = xstrfmt("struct %s", tag);
	text = tree_defines(fi->tree, tag) ? NULL : first_moved(fi, type, n);
	if (text)
		look(fi, type, (int)ts->t[o->name].line, true, text);
	free(type);
	free(tag);
}
