// SPDX-License-Identifier: GPL-2.0-only
/* Semantic patches: what starts one and whether the target needs it. */
#include "base/compat.h"
#include "port/rules.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "port/ctype.h"

#define NOT_MEMBERS (API_ANY & ~API_MEMBER)
#define TAGS	    (API_STRUCT | API_UNION | API_ENUM)

/* ---- items ----------------------------------------------------------------- */

struct item {
	bool not, header, export, unchecked;
	bool tag;	       /* "struct s" with or without a member */
	char *name, *member;   /* tag "struct s" is kept whole in name */
	char *type, *holds;    /* behind ":" and "~" */
	int params;	       /* behind "/"; -1: any */
};

static void item_release(struct item *it)
{
	free(it->name);
	free(it->member);
	free(it->type);
	free(it->holds);
}

static bool is_tag_word(const char *s)
{
	return starts_with(s, "struct ") || starts_with(s, "union ") || starts_with(s, "enum ");
}

static void item_parse(const char *text, struct item *it)
{
	size_t n;
	char *dot;

	memset(it, 0, sizeof(*it));
	it->params = -1;
	it->not = *text == '!';
	text += it->not;
	it->header = *text == '<';
	if (it->header) {
		it->name = xstrndup(text + 1, strcspn(text + 1, ">"));
		return;
	}
	n = strcspn(text, "/:~@");
	it->name = xstrndup(text, n);
	it->tag = is_tag_word(it->name);
	if (text[n] == '/')
		it->params = atoi(text + n + 1);
	else if (text[n] == ':')
		it->type = xstrdup(text + n + 1);
	else if (text[n] == '~')
		it->holds = xstrdup(text + n + 1);
	it->unchecked = !strcmp(text + n, "@unchecked");
	it->export = text[n] == '@' && !it->unchecked;
	dot = it->tag ? strchr(it->name, '.') : NULL;
	if (dot) {
		it->member = xstrdup(dot + 1);
		*dot = '\0';
	}
}

static size_t count_params(const char *params)
{
	size_t n = 1;
	int depth = 0;

	if (!*params || !strcmp(params, "void"))
		return 0;
	for (; *params; params++) {
		depth += (*params == '(') - (*params == ')');
		n += *params == ',' && !depth;
	}
	return n;
}

static bool text_holds(const char *text, const char *part)
{
	return text && strstr(text, part);
}

/* Does the declaration say what the item asks? */
static bool symbol_fits(const struct item *it, const struct api_symbol *s)
{
	if (it->unchecked)
		return !s->must_check;
	if (it->params >= 0)
		return s->params && (int)count_params(s->params) == it->params;
	if (it->type)
		return s->type && ctype_equal(s->type, it->type);
	if (it->holds)
		return text_holds(s->params, it->holds) || text_holds(s->type, it->holds) ||
		       text_holds(s->body, it->holds);
	return true;
}

static bool member_holds(const struct item *it, struct api_index *ix)
{
	const struct api_symbol **v = NULL;
	size_t n = api_members(ix, it->name, &v);
	bool holds = false;

	/* One inside of a nested structure is another member ("links.bssid" is not "bssid"). */
	for (size_t i = 0; i < n && !holds; i++)
		holds = !strcmp(v[i]->path ? v[i]->path : v[i]->name, it->member) &&
			symbol_fits(it, v[i]);
	free(v);
	return holds;
}

static bool name_holds(const struct item *it, struct api_index *ix)
{
	const struct api_symbol **v = NULL;
	const char *name = it->tag ? strchr(it->name, ' ') + 1 : it->name;
	size_t n = api_lookup_all(ix, name, it->tag ? TAGS : NOT_MEMBERS & ~TAGS, &v);
	bool holds = false, gpl;
	const char *ns;

	if (it->export) {
		free(v);
		return api_is_exported(ix, name, &gpl, &ns);
	}
	for (size_t i = 0; i < n && !holds; i++)
		holds = symbol_fits(it, v[i]);
	free(v);
	return holds || (!n && !it->tag && it->params < 0 && !it->type && !it->holds && !it->unchecked &&
			 api_is_exported(ix, name, &gpl, &ns));
}

/* The thing itself, without what the item says of its type or parameters. */
static bool item_is_there(const struct item *it, struct api_index *ix)
{
	if (it->header)
		return api_has_header(ix, it->name);
	return it->member ? member_holds(it, ix) : name_holds(it, ix);
}

bool rule_item_holds(const char *item, struct api_index *ix)
{
	struct item it;
	bool there;

	item_parse(item, &it);
	there = item_is_there(&it, ix);
	item_release(&it);
	return there != it.not;
}

/* A member is gone only from a structure that is there. */
static bool is_gone(const char *item, struct api_index *ix)
{
	struct item it;
	bool gone;

	item_parse(item, &it);
	gone = !item_is_there(&it, ix);
	if (gone && it.member)
		gone = api_lookup(ix, strchr(it.name, ' ') + 1, TAGS) != NULL;
	item_release(&it);
	return gone;
}

/* ---- triggers -------------------------------------------------------------- */

static bool is_about(const char *item, const struct diag *d, const struct strvec *words)
{
	struct item it;
	char *name = rule_item_name(item);
	bool hit;

	item_parse(item, &it);
	if (it.header)
		hit = d->kind == DIAG_MISSING_HEADER && d->symbol && !strcmp(d->symbol, it.name);
	else
		hit = (d->symbol && !strcmp(d->symbol, name)) ||
		      (!it.member && it.tag && d->type && text_holds(d->type, it.name)) ||
		      strvec_contains(words, name);
	item_release(&it);
	free(name);
	return hit;
}

bool rule_answers(const struct rule *r, const struct diag *d, const struct strvec *words,
		  struct api_index *ix)
{
	bool hit = false;

	for (size_t i = 0; i < r->replaces.n && !hit; i++)
		hit = is_about(r->replaces.v[i], d, words) && is_gone(r->replaces.v[i], ix);
	for (size_t i = 0; i < r->needs.n && hit; i++)
		hit = rule_item_holds(r->needs.v[i], ix);
	return hit;
}

/* Is the item about this name, whatever it asks of it? */
static bool item_is(const char *item, const char *name)
{
	size_t len = strcspn(item, *item == '<' ? "" : "/~@:");

	return len == strlen(name) && !strncmp(item, name, len);
}

bool rule_follows(const struct rule *r, const char *name, struct api_index *ix)
{
	bool about = false;

	for (size_t i = 0; i < r->replaces.n && !about; i++)
		about = item_is(r->replaces.v[i], name) && !rule_item_holds(r->replaces.v[i], ix);
	for (size_t i = 0; i < r->needs.n && about; i++)
		about = rule_item_holds(r->needs.v[i], ix);
	return about;
}
