// SPDX-License-Identifier: GPL-2.0-only
/* The places of a change as edits of the file. */
#include "base/compat.h"
#include "port/group-internal.h"

#include "base/alloc.h"
#include "port/stmt.h"

int group_braces(const char *text)
{
	struct ctoks ts = { 0 };
	int n = 0;

	if (!ctoks_scan(&ts, text, strlen(text))) {
		for (uint32_t i = 0; i < ts.n; i++)
			n += ctok_is(&ts, i, "{") - ctok_is(&ts, i, "}");
	}
	ctoks_release(&ts);
	return n;
}

static int site_cmp(const void *x, const void *y)
{
	const struct group_site *a = x, *b = y;

	if (a->at.first != b->at.first)
		return a->at.first < b->at.first ? -1 : 1;
	return a->at.end < b->at.end ? -1 : a->at.end > b->at.end;
}

/* Whole statements that go take their lines along; [i, j) are sites that touch each other. */
static bool delete_run(const struct group_place *a, size_t i, size_t j, struct edit_group *g)
{
	const struct srcfile *f = a->u.f;
	uint32_t first = a->site[i].at.first, last = a->site[j - 1].at.end - 1;
	size_t from = a->ts->t[first].off, to = (size_t)a->ts->t[last].off + a->ts->t[last].len;

	/* What is under a head that stays would give its place to the next statement. */
	if (stmt_is_controlled(a->ts, first) && (ctok_is(a->ts, last, ";") || ctok_is(a->ts, last, "}")))
		return false;
	while (from > 0 && (f->text[from - 1] == ' ' || f->text[from - 1] == '\t'))
		from--;
	while (to < f->len && (f->text[to] == ' ' || f->text[to] == '\t' || f->text[to] == '\r'))
		to++;
	if ((from == 0 || f->text[from - 1] == '\n') && to < f->len && f->text[to] == '\n') {
		bool gap_before = from > 1 && f->text[from - 2] == '\n';

		to++;
		/* One blank line is enough where there were two. */
		if (gap_before && to < f->len && (f->text[to] == '\n' ||
		    ctok_is(a->ts, last + 1, "}")))
			from--;
		edit_add(g, f->path, from, to, "");
	} else {
		edit_add(g, f->path, a->ts->t[first].off,
			 (size_t)a->ts->t[last].off + a->ts->t[last].len, "");
	}
	return true;
}

/* Does the token stand in a block whose braces go? */
static bool in_lost_block(const struct group_place *a, uint32_t tok)
{
	for (size_t k = 0; k < a->nsites; k++) {
		uint32_t open = a->site[k].at.end ? a->site[k].at.end - 1 : 0;

		if (a->site[k].at.end > a->site[k].at.first && ctok_is(a->ts, open, "{") &&
		    group_braces(a->site[k].text) <= 0 && open < tok && a->ts->t[open].match != CTOK_NONE &&
		    a->ts->t[open].match > tok)
			return true;
	}
	return false;
}

static void add_edit(const struct group_place *a, const struct group_site *s, struct edit_group *g)
{
	struct srcfile *f = a->u.f;
	size_t start, end;
	struct strbuf text = STRBUF_INIT;
	char *indent;

	if (s->at.end > s->at.first) {
		start = a->ts->t[s->at.first].off;
		end = (size_t)a->ts->t[s->at.end - 1].off + a->ts->t[s->at.end - 1].len;
		edit_add_trimmed(g, f, start, end, s->text);
		return;
	}
	if (s->behind) {
		const struct ctok *t = &a->ts->t[s->at.first - 1];
		/* Behind "{" stands what is one step further in. */
		bool open = ctok_is(a->ts, s->at.first - 1, "{");

		indent = line_indent(f, t->off);
		strbuf_addf(&text, "\n%s%s%s",
			    indent + (*indent == '\t' && in_lost_block(a, s->at.first - 1)),
			    open ? "\t" : "", s->text);
		start = (size_t)t->off + t->len;
	} else {
		indent = line_indent(f, a->ts->t[s->at.first].off);
		strbuf_addf(&text, "%s\n%s", s->text, indent);
		start = a->ts->t[s->at.first].off;
	}
	edit_add(g, f->path, start, start, text.buf);
	free(indent);
	strbuf_release(&text);
}

/* The lines of a block whose braces went stand one step further out. */
static void unindent(const struct group_place *a, struct edit_group *g)
{
	const struct srcfile *f = a->u.f;

	for (size_t k = 0; k < a->nsites; k++) {
		const struct group_site *s = &a->site[k];
		uint32_t open = s->at.end ? s->at.end - 1 : 0, close;

		if (s->at.end <= s->at.first || !ctok_is(a->ts, open, "{") || group_braces(s->text) > 0)
			continue;
		close = a->ts->t[open].match;
		if (close == CTOK_NONE || close <= open)
			continue;
		for (size_t off = a->ts->t[open].off; off < a->ts->t[close].off; off++) {
			if (f->text[off] == '\n' && f->text[off + 1] == '\t' &&
			    off + 1 < a->ts->t[close].off &&
			    !group_covers(a, (uint32_t)ctok_at(a->ts, off + 1)))
				edit_add(g, f->path, off + 1, off + 2, "");
		}
	}
}

/* What is put behind a statement that goes is put behind the one in front of it. */
static void move_from_deleted(struct group_place *a)
{
	for (size_t k = 0; k < a->nsites; k++) {
		struct group_site *s = &a->site[k];

		for (size_t i = 0; s->behind && i < a->nsites; i++) {
			if (!*a->site[i].text && a->site[i].at.end > a->site[i].at.first &&
			    s->at.first - 1 >= a->site[i].at.first && s->at.first - 1 < a->site[i].at.end) {
				s->at.first = s->at.end = a->site[i].at.first;
				i = (size_t)-1;
			}
		}
	}
}

/* A call in what goes that the new kernel still has. */
static bool loses_call(const struct group_place *a, const struct group_site *s)
{
	for (uint32_t i = s->at.first; i < s->at.end; i++) {
		if (ctok_is_ident(a->ts, i) && ctok_is(a->ts, i + 1, "(") &&
		    !ctok_is(a->ts, i, a->u.symbol) && !group_is_gone(a->u.c, a->ts, i))
			return true;
	}
	return false;
}

/*
 * Do the sites [i, j) stand directly before or behind one that got new text, as the look
 * at a value does that is in the new text's condition now?
 */
static bool touches_rewritten(const struct group_place *a, size_t i, size_t j)
{
	const struct group_site *before = i ? &a->site[i - 1] : NULL;
	const struct group_site *behind = j < a->nsites ? &a->site[j] : NULL;

	for (size_t k = i; k < j; k++) {
		if (loses_call(a, &a->site[k]))
			return false;
	}
	return (before && *before->text && before->at.end > before->at.first &&
		before->at.end >= a->site[i].at.first - 1) ||
	       (behind && *behind->text && behind->at.end > behind->at.first &&
		behind->at.first == a->site[j - 1].at.end);
}

bool group_add_edits(struct group_place *a, struct edit_group *g)
{
	move_from_deleted(a);
	unindent(a, g);
	sort_items(a->site, a->nsites, sizeof(*a->site), site_cmp);
	for (size_t i = 0; i < a->nsites;) {
		size_t j = i + 1;

		if (*a->site[i].text || a->site[i].at.end <= a->site[i].at.first) {
			add_edit(a, &a->site[i++], g);
			continue;
		}
		while (j < a->nsites && !*a->site[j].text && a->site[j].at.first == a->site[j - 1].at.end)
			j++;
		/* Beside a place that was rewritten it is a part of what was rewritten. */
		a->deletes |= !touches_rewritten(a, i, j);
		if (!delete_run(a, i, j, g))
			return false;
		i = j;
	}
	return true;
}
