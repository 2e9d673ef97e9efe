// SPDX-License-Identifier: GPL-2.0-only
/*
 * The title of what a rule did. A rule for a family of functions has the title of the
 * first of them; a patch that concerns others has to name those.
 */
#include "base/compat.h"
#include "port/rules-title.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "port/rules.h"

#define BETWEEN " in place of "

/* How often the identifier stands in the text. */
static int count_ident(const char *text, size_t len, const char *name)
{
	size_t n = strlen(name);
	int count = 0;

	for (size_t i = 0; n && i + n <= len; i++)
		count += !memcmp(text + i, name, n) && (!i || !is_word_char(text[i - 1])) &&
			 (i + n == len || !is_word_char(text[i + n]));
	return count;
}

/* How many more of the name there are after the edits; fewer: negative. */
static int change_of(const struct edit_group *g, const struct tree *t, const char *name)
{
	int sum = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct edit *e = &g->e[i];
		const struct srcfile *f = tree_file(t, e->path);

		sum += count_ident(e->text, strlen(e->text), name);
		if (f && e->end <= f->len)
			sum -= count_ident(f->text + e->start, e->end - e->start, name);
	}
	return sum;
}

static bool plain(const char *item)
{
	while (is_word_char(*item))
		item++;
	return !*item;
}

/* "a()", "a() and b()", "a() and 3 others" */
static void add_names(struct strbuf *out, const struct strvec *names, bool calls)
{
	const char *marks = calls ? "()" : "";

	strbuf_addf(out, "%s%s", names->v[0], marks);
	if (names->n == 2)
		strbuf_addf(out, " and %s%s", names->v[1], marks);
	else if (names->n > 2)
		strbuf_addf(out, " and %zu others", names->n - 1);
}

static void collect(const struct strvec *items, const struct edit_group *g, const struct tree *t, int sign,
		    struct strvec *out)
{
	for (size_t i = 0; i < items->n; i++) {
		char *name = rule_item_name(items->v[i]);

		if ((plain(items->v[i]) || strchr(items->v[i], '/')) && *items->v[i] != '<' &&
		    change_of(g, t, name) * sign > 0 && !strvec_contains(out, name))
			strvec_push(out, name);
		free(name);
	}
}

void rule_title_fit(const struct rule *r, const struct tree *t, struct edit_group *g)
{
	struct strvec gone = STRVEC_INIT, fresh = STRVEC_INIT;
	struct strbuf title = STRBUF_INIT;
	const char *at = strstr(r->title, BETWEEN);
	size_t len = 0;
	bool calls;

	/* "use x() in place of y()" and nothing else. */
	if (!at || r->replaces.n < 2)
		goto out;
	at += strlen(BETWEEN);
	while (is_word_char(at[len]))
		len++;
	calls = !strcmp(at + len, "()");
	if (!len || (at[len] && !calls))
		goto out;
	collect(&r->replaces, g, t, -1, &gone);
	collect(&r->needs, g, t, 1, &fresh);
	if (!gone.n || (gone.n == 1 && strlen(gone.v[0]) == len && !strncmp(gone.v[0], at, len)))
		goto out;
	if (fresh.n) {
		strbuf_addstr(&title, "use ");
		add_names(&title, &fresh, calls);
		strbuf_addstr(&title, BETWEEN);
	} else {
		strbuf_addstr(&title, "replace ");
	}
	add_names(&title, &gone, calls);
	edit_group_title(g, "%s", title.buf);
out:
	strvec_release(&gone);
	strvec_release(&fresh);
	strbuf_release(&title);
}
