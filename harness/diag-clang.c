// SPDX-License-Identifier: GPL-2.0-only
/*
 * clang's text with -fdiagnostics-print-source-range-info and without carets:
 *
 *	FILE:LINE:COL:{L1:C1-L2:C2}{...}: LEVEL: MESSAGE [-Woption]
 *
 * one line a diagnostic, notes behind the one that they belong to. Ranges end behind
 * their last character. What clang tells in a note only (which function, which
 * macro) or not at all (whose argument, which one) is taken from there or from the source.
 */
#include "base/compat.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/diag.h"
#include "harness/diag-source.h"

#define MAX_DIAGS 20000
#define MAX_NOTES 64

static bool take_number(const char **p, int *out)
{
	char *end;
	long v;

	if (!isdigit((unsigned char)**p))
		return false;
	v = strtol(*p, &end, 10);
	*p = end;
	*out = v > INT32_MAX ? 0 : (int)v;
	return true;
}

/* "{L1:C1-L2:C2}": the first range that holds the caret wins, else the first. */
static void take_ranges(const char **p, struct diag_loc *l)
{
	bool have = false;

	while (**p == '{') {
		const char *q = *p + 1;
		int l1, c1, l2, c2;

		if (!take_number(&q, &l1) || *q++ != ':' || !take_number(&q, &c1) || *q++ != '-' ||
		    !take_number(&q, &l2) || *q++ != ':' || !take_number(&q, &c2) || *q++ != '}')
			return;
		*p = q;
		if (have && !(l1 == l->caret_line && c1 <= l->caret_col && c2 > l->caret_col))
			continue;
		l->line = l1;
		l->col = c1;
		l->end_line = l2;
		l->end_col = c2 > 1 ? c2 - 1 : c2;
		have = true;
	}
	if (**p == ':')
		(*p)++;
}

/* The place in front of a message; what follows it, or NULL when the line has none. */
static const char *parse_place(const char *line, const char *cwd, struct diag_loc *out)
{
	static const char *const levels[] = { ": error: ", ": warning: ", ": note: ", ": fatal error: " };
	const char *mark = NULL, *p;
	char *file;

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		p = strstr(line, levels[i]);
		if (p && (!mark || p < mark))
			mark = p;
	}
	if (!mark)
		return NULL;
	for (p = line; p < mark; p++) {
		const char *q = p + 1;

		if (*p != ':' || !take_number(&q, &out->caret_line) || *q++ != ':' ||
		    !take_number(&q, &out->caret_col))
			continue;
		file = xstrndup(line, (size_t)(p - line));
		out->file = *file == '<' ? xstrdup(file) : path_absolute(cwd, file);
		free(file);
		out->line = out->end_line = out->caret_line;
		out->col = out->end_col = out->caret_col;
		if (*q == ':')
			q++;
		take_ranges(&q, out);
		return mark + 2;
	}
	return NULL;
}

/* Splits "MESSAGE [-Woption]"; both newly allocated, *option NULL when there is none. */
static char *split_option(const char *text, char **option)
{
	size_t n = strlen(text);
	const char *open = NULL;

	*option = NULL;
	for (const char *p = text; (p = strstr(p, " [-W")); p++)
		open = p;
	if (open && n && text[n - 1] == ']') {
		const char *name = open + 2, *end = name + strcspn(name, ",]");

		/* "-Werror,-Wfoo" */
		if (starts_with(name, "-Werror,")) {
			name += strlen("-Werror,");
			end = name + strcspn(name, ",]");
		}
		*option = xstrndup(name, (size_t)(end - name));
		return xstrndup(text, (size_t)(open - text));
	}
	return xstrdup(text);
}

static void set_quoted(char **slot, const char *text)
{
	const char *a = strchr(text, '\''), *b = a ? strchr(a + 1, '\'') : NULL;

	if (!*slot && b)
		*slot = xstrndup(a + 1, (size_t)(b - a - 1));
}

static void add_note(struct diag *d, struct diag_loc *loc, const char *text)
{
	if (d->nnotes >= MAX_NOTES) {
		free(loc->file);
		return;
	}
	d->notes = xrealloc(d->notes, (d->nnotes + 1) * sizeof(*d->notes));
	d->note_text = xrealloc(d->note_text, (d->nnotes + 1) * sizeof(*d->note_text));
	d->notes[d->nnotes] = *loc;
	d->note_text[d->nnotes++] = xstrdup(text);
	if ((d->kind == DIAG_TOO_FEW_ARGS || d->kind == DIAG_TOO_MANY_ARGS) &&
	    ends_with(text, "' declared here"))
		set_quoted(&d->symbol, text);
	else if (d->kind == DIAG_MACRO_ARITY && starts_with(text, "macro '"))
		set_quoted(&d->symbol, text);
	else if (starts_with(text, "expanded from macro '"))
		set_quoted(&d->macro, text);
}

/* "int (struct foo *)" is the type of a function; gcc, and what is expected, names the pointer. */
static void pointer_form(struct diag *d)
{
	const char *paren = d->found ? strchr(d->found, '(') : NULL;
	struct strbuf sb = STRBUF_INIT;

	if (d->kind != DIAG_INCOMPATIBLE_POINTER || !paren || paren == d->found || paren[1] == '*' ||
	    paren[-1] != ' ')
		return;
	strbuf_add(&sb, d->found, (size_t)(paren - d->found));
	strbuf_addf(&sb, "(*)%s", paren);
	free(d->found);
	d->found = strbuf_detach(&sb, NULL);
}

/* Which argument of which call stands here: back to the bracket that is open. */
static void find_call(struct sources *src, struct diag *d)
{
	struct spot at;
	int depth = 0, arg = 1;

	if (d->context != DIAG_CTX_ARGUMENT || d->symbol || !d->loc.file)
		return;
	at = source_spot(src, d->loc.file, d->loc.line, d->loc.col);
	for (const char *p = at.p; p && p > at.begin;) {
		char ch = *--p;

		if (ch == ')' || ch == ']' || ch == '}')
			depth++;
		else if (ch == ';')
			return;
		else if ((ch == '[' || ch == '{') && depth-- == 0)
			return;
		else if (ch == ',' && !depth)
			arg++;
		else if (ch == '(' && depth-- == 0) {
			const char *end = p, *start;

			while (end > at.begin && isspace((unsigned char)end[-1]))
				end--;
			for (start = end; start > at.begin && is_word_char(start[-1]); start--)
				;
			if (start == end)
				return;
			d->symbol = xstrndup(start, (size_t)(end - start));
			d->arg = arg;
			return;
		}
	}
}

static enum diag_level take_level(const char **text)
{
	if (skip_prefix(*text, "fatal error: ", text))
		return DIAG_FATAL;
	if (skip_prefix(*text, "error: ", text))
		return DIAG_ERROR;
	if (skip_prefix(*text, "warning: ", text))
		return DIAG_WARNING;
	skip_prefix(*text, "note: ", text);
	return DIAG_NOTE;
}

static void parse_line(const char *line, const char *cwd, size_t first, struct diag_list *out)
{
	struct diag_loc loc = { 0 };
	const char *text = parse_place(line, cwd, &loc);
	enum diag_level level;
	char *message, *option;
	struct diag *d;

	if (!text || out->n - first >= MAX_DIAGS) {
		free(loc.file);
		return;
	}
	level = take_level(&text);
	message = split_option(text, &option);
	if (level == DIAG_NOTE) {
		if (out->n > first)
			add_note(&out->d[out->n - 1], &loc, message);
		else
			free(loc.file);
	} else {
		d = diag_list_add(out);
		d->level = level;
		d->loc = loc;
		diag_classify(d, message, option);
		pointer_form(d);
	}
	free(message);
	free(option);
}

size_t diag_parse_clang(const char *text, size_t len, const char *cwd, struct diag_list *out)
{
	const char *p = text, *end = text + len;
	struct sources src = SOURCES_INIT;
	size_t first = out->n;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
		char *line = xstrndup(p, (size_t)(stop - p));

		parse_line(line, cwd, first, out);
		free(line);
		p = nl ? nl + 1 : end;
	}
	for (size_t i = first; i < out->n; i++)
		find_call(&src, &out->d[i]);
	sources_release(&src);
	return out->n - first;
}
