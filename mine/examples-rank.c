// SPDX-License-Identifier: GPL-2.0-only
/* Which examples say most to a person: see examples_rank(). */
#include "base/compat.h"
#include "mine/examples.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/strmap.h"

/* Classes, the best first. */
enum {
	SHOWS_REPLACED,	/* the new name stands where the old one stood */
	SHOWS_OTHER_USE, /* used another way: other arguments, checked, moved into something */
	SHOWS_GONE,	/* the old name is gone, something else is there */
	SHOWS_DELETED,
	SHOWS_NOTHING	/* the lines with the name are the same on both sides */
};

struct rank {
	size_t at;	/* in the caller's list */
	int shows;
	size_t size;
	size_t turn;	/* how many better ones are of the same directory */
};

/* The next place of the identifier in the text, or NULL. */
static const char *find_ident(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = text; (p = strstr(p, name)) != NULL; p++)
		if ((p == text || !is_word_char(p[-1])) && !is_word_char(p[len]))
			return p;
	return NULL;
}

/* From the identifier to the end of its call or statement, without blanks. */
static void use_at(const char *p, struct strbuf *out)
{
	int depth = 0;

	strbuf_reset(out);
	for (; *p && *p != ';' && !(*p == ',' && !depth) && depth >= 0; p++) {
		depth += (*p == '(') - (*p == ')');
		if (!isspace((unsigned char)*p))
			strbuf_addch(out, *p);
		if (*p == ')' && !depth)
			break;
	}
}

/* Does each use of the name in one text stand in the other as well? */
static bool same_uses(const char *before, const char *after, const char *name)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	const char *p = find_ident(before, name), *q = find_ident(after, name);
	bool same = true;

	for (; p && q && same; p = find_ident(p + 1, name), q = find_ident(q + 1, name)) {
		use_at(p, &a);
		use_at(q, &b);
		same = !strcmp(a.buf, b.buf);
	}
	same = same && !p && !q;
	strbuf_release(&a);
	strbuf_release(&b);
	return same;
}

/* ---- what is used instead ------------------------------------------------------------- */

struct word_count {
	size_t examples;
	size_t last;	/* example that counted it last, + 1 */
};

/* Words that come with any edit: of the language, and what errors are told with. */
static bool common_word(const char *w)
{
	static const char *const words[] = {
		"if", "else", "return", "goto", "for", "while", "do", "switch", "case", "break", "continue", "sizeof",
		"int", "unsigned", "char", "void", "const", "struct", "static", "long", "bool", "true", "false", "NULL",
		"ret", "err", "rc", "error", "dev", "IS_ERR", "PTR_ERR", "u8", "u16", "u32", "u64", "size_t", "i", "out",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(w, words[i]))
			return true;
	return false;
}

static void count_new_words(const struct example *e, size_t at, struct strmap *m)
{
	for (const char *p = e->after; *p;) {
		size_t len = 0;
		struct word_count *wc;
		char *w;

		while (is_word_char(p[len]))
			len++;
		if (!len || isdigit((unsigned char)*p)) {
			p += len ? len : 1;
			continue;
		}
		w = xstrndup(p, len);
		wc = strmap_get(m, w);
		if (!wc && !common_word(w) && !find_ident(e->before, w)) {
			wc = xcalloc(1, sizeof(*wc));
			strmap_put(m, w, wc);
		}
		if (wc && wc->last != at + 1 && !find_ident(e->before, w)) {
			wc->examples++;
			wc->last = at + 1;
		}
		free(w);
		p += len;
	}
}

char *examples_replacement(const struct example *list, size_t n, const char *ident, size_t *agree, size_t *of)
{
	const struct strmap_entry *e, *best = NULL;
	struct strmap words;
	char *name = NULL;

	strmap_init(&words);
	*agree = *of = 0;
	for (size_t i = 0; i < n; i++) {
		if (!find_ident(list[i].before, ident) || find_ident(list[i].after, ident) || !*list[i].after)
			continue;
		++*of;
		count_new_words(&list[i], i, &words);
	}
	strmap_for_each(&words, e) {
		const struct word_count *wc = e->value;

		if (wc->examples > *agree) {
			*agree = wc->examples;
			best = e;
		}
	}
	if (best && *agree >= 2 && *agree * 3 >= *of)
		name = xstrdup(best->key);
	strmap_release(&words, free);
	return name;
}

static int shows(const struct example *e, const char *ident, const char *to_name)
{
	bool still = find_ident(e->after, ident) != NULL;

	if (!*e->after)
		return SHOWS_DELETED;
	if (to_name && find_ident(e->after, to_name) && !find_ident(e->before, to_name))
		return SHOWS_REPLACED;
	if (still)
		return same_uses(e->before, e->after, ident) ? SHOWS_NOTHING : SHOWS_OTHER_USE;
	return SHOWS_GONE;
}

static int by_rank(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if ((x->shows >= SHOWS_DELETED || y->shows >= SHOWS_DELETED) && x->shows != y->shows)
		return x->shows - y->shows;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	if (x->shows != y->shows)
		return x->shows - y->shows;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The second of a directory comes after the first of every other one. */
static void take_turns(struct rank *r, size_t n, const struct example *list)
{
	struct strmap seen;

	strmap_init(&seen);
	for (size_t i = 0; i < n; i++) {
		char *dir = path_dir(list[r[i].at].path);

		r[i].turn = (size_t)(uintptr_t)strmap_get(&seen, dir);
		strmap_put(&seen, dir, (void *)(uintptr_t)(r[i].turn + 1));
		free(dir);
	}
	strmap_release(&seen, NULL);
}

size_t examples_deletions(const struct example *list, size_t n)
{
	size_t gone = 0;

	for (size_t i = 0; i < n; i++)
		gone += !*list[i].after;
	return gone;
}

size_t examples_rank(struct example *list, size_t n, const char *ident, const char *to_name)
{
	struct rank *r = xcalloc(n + 1, sizeof(*r));
	struct example *sorted = xcalloc(n + 1, sizeof(*sorted));
	size_t useful = 0;
	bool dropped = examples_deletions(list, n) * 2 > n;

	for (size_t i = 0; i < n; i++) {
		r[i].at = i;
		r[i].shows = shows(&list[i], ident, to_name);
		if (dropped && r[i].shows == SHOWS_DELETED)
			r[i].shows = SHOWS_REPLACED;
		r[i].size = strlen(list[i].before) + strlen(list[i].after);
		useful += r[i].shows != SHOWS_NOTHING;
	}
	if (n) {
		sort_items(r, n, sizeof(*r), by_rank);
		take_turns(r, n, list);
		sort_items(r, n, sizeof(*r), by_rank);
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = list[r[i].at];
	if (n)
		memcpy(list, sorted, n * sizeof(*list));
	free(sorted);
	free(r);
	return useful;
}
