// SPDX-License-Identifier: GPL-2.0-only
/* Which changes of the API are learned from. */
#include "base/compat.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/error.h"
#include "port/learn-internal.h"

#define MAX_EXAMPLES 20000
#define MIN_FILES    3
#define SPARE	     8 /* candidates per change that is wanted: many fall out when types are known */

void learn_init(struct learn *l, struct api_pair *pair, struct examples *ex,
		const struct strvec *exclude)
{
	memset(l, 0, sizeof(*l));
	l->pair = pair;
	l->examples = ex;
	l->exclude = exclude;
	strvec_init(&l->paths);
}

static void free_names(void *v)
{
	struct learn_names *names = v;

	free(names->c);
	free(names);
}

static void change_free(struct learn_change *c)
{
	for (size_t i = 0; i < c->nsites; i++) {
		free(c->site[i].before);
		free(c->site[i].after);
		free(c->site[i].occ);
		free(c->site[i].object);
	}
	for (size_t i = 0; i < c->nrules; i++)
		learn_rule_release(&c->rule[i]);
	learn_callback_release(c);
	free(c->site);
	free(c->rule);
	free(c->name);
	free(c->parent);
	free(c->title);
	free(c->text);
	free(c->to_name);
	free(c);
}

void learn_release(struct learn *l)
{
	for (size_t i = 0; i < l->n; i++)
		change_free(l->change[i]);
	free(l->change);
	strmap_release(&l->by_name, free_names);
	strvec_release(&l->paths);
}

/* ---- what a change is looked for by ------------------------------------------ */

static bool is_tagged(const char *s, const char **tag)
{
	return skip_prefix(s, "struct ", tag) || skip_prefix(s, "union ", tag) ||
	       skip_prefix(s, "enum ", tag);
}

/* false: drivers need no answer to it, or none that is in their text. */
static bool member_place(const struct api_change *ch, enum learn_place *place)
{
	bool fn = ch->from && ch->from->params;

	if (!is_tagged(ch->symbol, &(const char *){ NULL }) || strchr(ch->member, '.') || !ch->from ||
	    (ch->from->path && strchr(ch->from->path, '.')))
		return false;
	switch (ch->kind) {
	case CHANGE_SIGNATURE:
	case CHANGE_RETURN_TYPE:
	case CHANGE_CONST:
		*place = LEARN_CALLBACK;
		return fn;
	case CHANGE_TYPE:
		*place = fn ? LEARN_CALLBACK : LEARN_MEMBER;
		return true;
	case CHANGE_MEMBER_REMOVED:
	case CHANGE_MEMBER_RENAMED:
	case CHANGE_MEMBER_MOVED:
		*place = LEARN_MEMBER;
		return true;
	default:
		return false;
	}
}

static bool place_of(const struct api_change *ch, enum learn_place *place, const char **name)
{
	*name = ch->symbol;
	if (ch->member) {
		*name = ch->member;
		return member_place(ch, place);
	}
	switch (ch->kind) {
	case CHANGE_HEADER_GONE:
		*place = LEARN_HEADER;
		return true;
	case CHANGE_REMOVED:
	case CHANGE_RENAMED:
		*place = is_tagged(ch->symbol, name) ? LEARN_TAG : LEARN_NAME;
		return true;
	case CHANGE_SIGNATURE:
	case CHANGE_RETURN_TYPE:
	case CHANGE_MACRO_ARITY:
	case CHANGE_TYPE:
		*place = LEARN_NAME;
		return !is_tagged(ch->symbol, name);
	default:
		return false;
	}
}

static bool wanted(const struct api_change *ch, const char *name, const struct strvec *symbols)
{
	bool yes;
	char *full;

	if (!symbols || !symbols->n)
		return true;
	full = ch->member ? xstrfmt("%s.%s", ch->symbol, ch->member) : xstrdup(ch->symbol);
	yes = strvec_contains(symbols, full) || strvec_contains(symbols, name);
	free(full);
	return yes;
}

static struct learn_change *change_new(const struct api_change *ch, enum learn_place place,
				       const char *name)
{
	struct learn_change *c = xcalloc(1, sizeof(*c));
	struct strbuf text = STRBUF_INIT;
	struct api_change said;

	c->place = place;
	c->name = xstrdup(name);
	c->parent = ch->member ? xstrdup(ch->symbol) : NULL;
	c->title = ch->member ? xstrfmt("%s.%s", ch->symbol, ch->member) : xstrdup(ch->symbol);
	c->change = ch;
	c->to_name = xstrdup(ch->to_name);
	said = *ch;
	said.member = NULL; /* the title says it */
	apiview_change(&said, &text);
	c->text = strbuf_detach(&text, NULL);
	return c;
}

/* ---- how often ---------------------------------------------------------------- */

static size_t count_word(const char *text, const char *word)
{
	size_t n = 0, len = strlen(word);

	for (const char *p = text; (p = strstr(p, word)) != NULL; p += len) {
		bool left = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_');
		bool right = isalnum((unsigned char)p[len]) || p[len] == '_';

		n += !left && !right;
	}
	return n;
}

/* Files with an example of the name that has it less often behind, or any at all for calls. */
static size_t count_files(struct learn *l, const struct learn_change *c)
{
	bool any = c->kinds & (1u << CHANGE_SIGNATURE | 1u << CHANGE_MACRO_ARITY);
	struct example *ex;
	size_t n = examples_for(l->examples, c->name, l->exclude, MAX_EXAMPLES, &ex), files = 0;
	const char *last = "";

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(ex[i].path, last))
			continue;
		if (!any && count_word(ex[i].before, c->name) <= count_word(ex[i].after, c->name))
			continue;
		last = ex[i].path;
		files++;
	}
	examples_free_list(ex, n);
	return files;
}

static int by_hint(const void *a, const void *b)
{
	const struct learn_change *x = *(struct learn_change *const *)a;
	const struct learn_change *y = *(struct learn_change *const *)b;

	if (x->hint != y->hint)
		return x->hint > y->hint ? -1 : 1;
	return strcmp(x->title, y->title);
}

/*
 * Directives and functions behind a member whose own line stays as it is are counted when they
 * are read.
 */
static bool by_example(const struct learn_change *c)
{
	return c->place != LEARN_HEADER && c->place != LEARN_CALLBACK;
}

static void set_hints(struct learn *l)
{
	struct strmap counts = STRMAP_INIT;

	for (size_t i = 0; i < l->n; i++) {
		struct learn_change *c = l->change[i];
		if (!by_example(c)) {
			c->hint = 1000;
		} else if (strmap_has(&counts, c->name)) {
			c->hint = (size_t)(uintptr_t)strmap_get(&counts, c->name);
		} else {
			c->hint = count_files(l, c);
			strmap_put(&counts, c->name, (void *)(uintptr_t)c->hint);
		}
	}
	strmap_release(&counts, NULL);
}

void learn_keep(struct learn *l, size_t n)
{
	while (l->n > n)
		change_free(l->change[--l->n]);
}

static void index_names(struct learn *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct learn_names *names = strmap_get(&l->by_name, l->change[i]->name);

		if (!names) {
			names = xcalloc(1, sizeof(*names));
			strmap_put(&l->by_name, l->change[i]->name, names);
		}
		ALLOC_GROW(names->c, names->n + 1, names->alloc);
		names->c[names->n++] = l->change[i];
	}
}

static void add_changes(struct learn *l, const struct strvec *symbols)
{
	struct strmap seen = STRMAP_INIT;
	const struct api_change *all;
	size_t n = api_diff_all(l->pair->diff, &all);

	for (size_t i = 0; i < n; i++) {
		enum learn_place place;
		const char *name;
		struct learn_change *c;
		char *key;

		if (!place_of(&all[i], &place, &name) || !wanted(&all[i], name, symbols))
			continue;
		key = xstrfmt("%d %s %s", place, all[i].symbol, name);
		c = strmap_get(&seen, key);
		if (!c) {
			c = change_new(&all[i], place, name);
			strmap_put(&seen, key, c);
			ALLOC_GROW(l->change, l->n + 1, l->alloc);
			l->change[l->n++] = c;
		}
		c->kinds |= 1u << all[i].kind;
		free(key);
	}
	strmap_release(&seen, NULL);
}

int learn_choose(struct learn *l, const struct strvec *symbols, size_t top, struct strbuf *err)
{
	bool named = symbols && symbols->n;
	size_t n, others = 0;

	add_changes(l, symbols);
	if (!l->n)
		return kp_fail(err, KP_NOTFOUND, named ? "none of the symbols changed in a way that drivers answer"
						       : "nothing changed in a way that drivers answer");
	set_hints(l);
	sort_items(l->change, l->n, sizeof(*l->change), by_hint);
	for (n = 0; n < l->n; n++) {
		others += by_example(l->change[n]);
		if (!named && (others > top * SPARE || l->change[n]->hint < MIN_FILES))
			break;
	}
	learn_keep(l, n);
	index_names(l);
	return 0;
}
