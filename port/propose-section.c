// SPDX-License-Identifier: GPL-2.0-only
/*
 * References to code that is thrown away: modpost of newer kernels looks closer at what a
 * driver structure refers to. A function that stays in memory does the same.
 */
#include "base/compat.h"
#include "port/propose.h"

#include "base/alloc.h"

/* "... -> NAME (section: .exit.text)", before 6.5 "... to the function .exit.text:NAME()". */
static char *discarded_function(const char *message, const char **mark)
{
	static const struct {
		const char *section, *mark;
	} sections[] = { { ".exit.text", "__exit" }, { ".init.text", "__init" } };
	const char *arrow = message ? strstr(message, " -> ") : NULL;

	for (size_t i = 0; message && i < ARRAY_SIZE(sections); i++) {
		char *older = xstrfmt(" to the function %s:", sections[i].section);
		char *newer = xstrfmt(" (section: %s)", sections[i].section);
		const char *p = strstr(message, older), *end = p ? strchr(p, '(') : NULL;

		p = p ? p + strlen(older) : NULL;
		if (!p && arrow) {
			end = strstr(arrow, newer);
			p = end ? arrow + 4 : NULL;
		}
		free(older);
		free(newer);
		if (p && end && end > p) {
			*mark = sections[i].mark;
			return xstrndup(p, (size_t)(end - p));
		}
	}
	return NULL;
}

static void drop_token(struct edit_group *g, const struct srcfile *f, const struct ctok *t)
{
	size_t end = t->off + t->len;

	while (end < f->len && (f->text[end] == ' ' || f->text[end] == '\t'))
		end++;
	edit_add(g, f->path, t->off, end, "");
}

/* The mark among the words in front of a function's name, in definitions and prototypes. */
static void drop_mark(struct edit_group *g, struct srcfile *f, const char *name, const char *mark)
{
	const struct ctoks *ts = srcfile_toks(f);

	for (size_t i = 1; i + 1 < ts->n; i++) {
		if (!ctok_is(ts, i, name) || !ctok_is(ts, i + 1, "("))
			continue;
		for (size_t k = i; k-- > 0 && (ctok_is_ident(ts, k) || ctok_is(ts, k, "*"));)
			if (ctok_is(ts, k, mark))
				drop_token(g, f, &ts->t[k]);
	}
}

/* "__exit_p(NAME)" is NAME, or NULL where nothing is ever removed. */
static void unwrap(struct edit_group *g, struct srcfile *f, const char *name)
{
	const struct ctoks *ts = srcfile_toks(f);

	for (size_t i = 0; i + 3 < ts->n; i++)
		if (ctok_is(ts, i, "__exit_p") && ctok_is(ts, i + 1, "(") && ctok_is(ts, i + 2, name) &&
		    ctok_is(ts, i + 3, ")"))
			edit_add(g, f->path, ts->t[i].off, ts->t[i + 3].off + 1, name);
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	const char *mark = NULL;
	char *name = discarded_function(c->b->diag.message, &mark);
	struct edit_group *g;

	if (!name)
		return 0;
	g = edit_group_new(EDIT_TYPED, "section", RISK_SAFE, 0.9);
	for (size_t i = 0; i < c->tree->n; i++) {
		if (!srcfile_is_c(c->tree->files[i]))
			continue;
		drop_mark(g, c->tree->files[i], name, mark);
		unwrap(g, c->tree->files[i], name);
	}
	g->symbol = xstrdup(mark);
	edit_group_title(g, "keep %s() in memory", name);
	edit_group_why(g, "What is not marked %s refers to it, which modpost of %s does not accept.", mark,
		       propose_target(c));
	if (g->n)
		edit_group_list_add(out, g);
	else
		edit_group_free(g);
	free(name);
	return 0;
}

const struct proposer propose_section = {
	.name = "section",
	.kinds = KIND_BIT(DIAG_SECTION_MISMATCH),
	.propose = propose,
};
