// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/stmt.h"

#include "base/alloc.h"

uint32_t stmt_end(const struct ctoks *ts, uint32_t i)
{
	for (; i < ts->n; i++) {
		if (ctok_is(ts, i, ";") || ctok_is(ts, i, "}"))
			return i;
		if (ts->t[i].match != CTOK_NONE && ts->t[i].match > i)
			i = ts->t[i].match;
	}
	return (uint32_t)ts->n - 1;
}

uint32_t stmt_body_end(const struct ctoks *ts, uint32_t i)
{
	if (ctok_is(ts, i, "{") && ts->t[i].match != CTOK_NONE && ts->t[i].match > i)
		return ts->t[i].match + 1;
	return stmt_end(ts, i) + 1;
}

uint32_t stmt_start(const struct ctoks *ts, uint32_t i)
{
	while (i > 0) {
		uint32_t prev = i - 1;

		if (ctok_is(ts, prev, ";") || ctok_is(ts, prev, "{") || ctok_is(ts, prev, "}") ||
		    ts->t[prev].kind == CTOK_PP)
			return i;
		if (ts->t[prev].match != CTOK_NONE && ts->t[prev].match < prev) {
			uint32_t open = ts->t[prev].match;

			/* "if (x) stmt": the statement starts behind the condition. */
			if (ctok_is(ts, prev, ")") && open > 0 &&
			    (ctok_is(ts, open - 1, "if") || ctok_is(ts, open - 1, "while") ||
			     ctok_is(ts, open - 1, "for") || ctok_is(ts, open - 1, "switch")))
				return i;
			i = open;
			continue;
		}
		if (ctok_is(ts, prev, "else") || ctok_is(ts, prev, "do"))
			return i;
		i = prev;
	}
	return 0;
}

static uint32_t before(const struct ctoks *ts, uint32_t i)
{
	while (i > 0 && ts->t[i - 1].kind == CTOK_PP)
		i--;
	return i ? i - 1 : CTOK_NONE;
}

bool stmt_is_controlled(const struct ctoks *ts, uint32_t i)
{
	uint32_t prev = before(ts, i);

	return prev != CTOK_NONE && (ctok_is(ts, prev, ")") || ctok_is(ts, prev, "else") ||
				     ctok_is(ts, prev, "do"));
}

bool stmt_is_labelled(const struct ctoks *ts, uint32_t i)
{
	uint32_t prev = before(ts, i);

	return prev != CTOK_NONE && ctok_is(ts, prev, ":");
}

static size_t line_start(const struct srcfile *f, size_t off)
{
	while (off > 0 && f->text[off - 1] != '\n')
		off--;
	return off;
}

char *line_indent(const struct srcfile *f, size_t off)
{
	size_t from = line_start(f, off), to = from;

	while (to < f->len && (f->text[to] == ' ' || f->text[to] == '\t'))
		to++;
	return xstrndup(f->text + from, to - from);
}

size_t text_column(const char *text, size_t len, size_t col)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] == '\n')
			col = 0;
		else if (text[i] == '\t')
			col += 8 - col % 8;
		else if (text[i] != '\r')
			col++;
	}
	return col;
}

size_t file_column(const struct srcfile *f, size_t off)
{
	size_t from = line_start(f, off);

	return text_column(f->text + from, off - from, 0);
}

static bool blank_between(const struct srcfile *f, size_t from, size_t to)
{
	for (; from < to; from++)
		if (!strchr(" \t\r", f->text[from]))
			return false;
	return true;
}

void stmt_delete(struct edit_group *g, struct srcfile *f, uint32_t first, uint32_t semi)
{
	const struct ctoks *ts = srcfile_toks(f);
	size_t start = ts->t[first].off, end = ts->t[semi].off + ts->t[semi].len;
	size_t from = line_start(f, start), to = end, prev;

	while (to < f->len && f->text[to] != '\n')
		to++;
	if (!blank_between(f, from, start) || !blank_between(f, end, to)) {
		edit_add(g, f->path, start, end, "");
		return;
	}
	to += to < f->len;
	/* A blank line in front of what was the last statement goes with it. */
	if (semi + 1 < ts->n && ctok_is(ts, semi + 1, "}") && from > 0) {
		prev = line_start(f, from - 1);
		if (blank_between(f, prev, from - 1))
			from = prev;
	}
	edit_add(g, f->path, from, to, "");
}

void stmt_replace(struct edit_group *g, struct srcfile *f, uint32_t first, uint32_t semi,
		  const char *const *lines, size_t n)
{
	const struct ctoks *ts = srcfile_toks(f);
	size_t start = ts->t[first].off, end = ts->t[semi].off + ts->t[semi].len, i;
	char *indent = line_indent(f, start);
	struct strbuf out = STRBUF_INIT;
	bool braces = n > 1 && stmt_is_controlled(ts, first);
	bool own_line = blank_between(f, line_start(f, start), start);

	if (braces) {
		uint32_t prev = before(ts, first);
		char *outer;

		start = ts->t[prev].off + ts->t[prev].len;
		outer = line_indent(f, start);
		if (!own_line) {
			free(indent);
			indent = xstrfmt("%s\t", outer);
		}
		strbuf_addstr(&out, " {\n");
		for (i = 0; i < n; i++)
			strbuf_addf(&out, "%s%s\n", indent, lines[i]);
		strbuf_addf(&out, "%s}", outer);
		if (ctok_is(ts, semi + 1, "else")) {
			strbuf_addch(&out, ' ');
			end = ts->t[semi + 1].off;
		}
		free(outer);
	} else {
		for (i = 0; i < n; i++)
			strbuf_addf(&out, "%s%s%s", i ? "\n" : "", i ? indent : "", lines[i]);
	}
	edit_add(g, f->path, start, end, out.buf);
	free(indent);
	strbuf_release(&out);
}

void edit_add_trimmed(struct edit_group *g, struct srcfile *f, size_t start, size_t end,
		      const char *new_text)
{
	size_t n = strlen(new_text);
	const char *tail;
	char *text;

	while (start < end && n && f->text[start] == *new_text) {
		start++;
		new_text++;
		n--;
	}
	tail = new_text + n;
	while (end > start && n && f->text[end - 1] == tail[-1]) {
		end--;
		tail--;
		n--;
	}
	if (start == end && !n)
		return;
	text = xstrndup(new_text, n);
	edit_add(g, f->path, start, end, text);
	free(text);
}

bool is_member_access(const struct ctoks *ts, uint32_t i)
{
	return i > 0 && (ctok_is(ts, i - 1, ".") || ctok_is(ts, i - 1, "->"));
}

size_t count_ident(const struct ctoks *ts, uint32_t from, uint32_t end, const char *name)
{
	size_t n = 0;
	uint32_t i;

	for (i = from; i < end; i++)
		if (ctok_is(ts, i, name) && !is_member_access(ts, i))
			n++;
	return n;
}

bool is_constant_token(const struct ctoks *ts, size_t i)
{
	bool letter = false;

	if (i >= ts->n)
		return false;
	if (ts->t[i].kind == CTOK_NUMBER || ts->t[i].kind == CTOK_STRING || ts->t[i].kind == CTOK_CHAR ||
	    ctok_is(ts, i, "true") || ctok_is(ts, i, "false"))
		return true;
	if (ts->t[i].kind != CTOK_IDENT)
		return false;
	for (uint32_t k = 0; k < ts->t[i].len; k++) {
		char c = ts->text[ts->t[i].off + k];

		letter |= c >= 'A' && c <= 'Z';
		if (c >= 'a' && c <= 'z')
			return false;
	}
	return letter;
}
