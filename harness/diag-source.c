// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <ctype.h>
#include "base/alloc.h"
#include "base/file.h"
#include "harness/diag-source.h"

#define MAX_SOURCE (64u << 20)

static void source_free(void *p)
{
	struct source *s = p;

	if (!s)
		return;
	free(s->text);
	free(s->lines);
	free(s);
}

void sources_release(struct sources *s)
{
	strmap_release(&s->files, source_free);
}

static struct source *read_source(const char *file)
{
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;
	struct source *s = NULL;
	size_t alloc = 0;

	if (*file == '/' && file_read(file, MAX_SOURCE, &text, &err) == 0) {
		s = xcalloc(1, sizeof(*s));
		s->text = strbuf_detach(&text, &s->len);
		for (size_t i = 0; i < s->len; i++) {
			if (i && s->text[i - 1] != '\n')
				continue;
			ALLOC_GROW(s->lines, s->nlines + 1, alloc);
			s->lines[s->nlines++] = i;
		}
	}
	strbuf_release(&text);
	strbuf_release(&err);
	return s;
}

struct source *sources_get(struct sources *s, const char *file)
{
	if (!file)
		return NULL;
	if (!strmap_has(&s->files, file))
		strmap_put(&s->files, file, read_source(file));
	return strmap_get(&s->files, file);
}

struct spot source_spot(struct sources *s, const char *file, int line, int col)
{
	struct source *src = sources_get(s, file);
	struct spot spot = { 0 };
	size_t off;

	if (!src || line < 1 || col < 1 || (size_t)line > src->nlines)
		return spot;
	off = src->lines[line - 1] + (size_t)(col - 1);
	if (off >= src->len)
		return spot;
	if ((size_t)line < src->nlines && off >= src->lines[line])
		return spot;
	spot.begin = src->text;
	spot.end = src->text + src->len;
	spot.p = src->text + off;
	return spot;
}

void source_position(const struct source *src, const char *p, int *line, int *col)
{
	size_t off = p - src->text, lo = 0, hi = src->nlines;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (src->lines[mid] <= off)
			lo = mid;
		else
			hi = mid;
	}
	*line = (int)lo + 1;
	*col = src->nlines ? (int)(off - src->lines[lo]) + 1 : 1;
}

size_t word_len(const char *p, const char *end)
{
	const char *q = p;

	if (p >= end || !is_word_char(*p) || isdigit((unsigned char)*p))
		return 0;
	while (q < end && is_word_char(*q))
		q++;
	return q - p;
}

/* Behind a comment or a string that starts at p; p itself when none does. */
static const char *skip_opaque(const char *p, const char *end)
{
	char quote = *p;

	if (p + 1 < end && p[0] == '/' && p[1] == '*') {
		for (p += 2; p + 1 < end; p++)
			if (p[0] == '*' && p[1] == '/')
				return p + 2;
		return end;
	}
	if (p + 1 < end && p[0] == '/' && p[1] == '/') {
		while (p < end && *p != '\n')
			p++;
		return p;
	}
	if (quote != '"' && quote != '\'')
		return p;
	for (p++; p < end && *p != quote && *p != '\n'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end ? p + 1 : end;
}

const char *skip_blank(const char *p, const char *end)
{
	while (p < end) {
		const char *q = *p == '/' ? skip_opaque(p, end) : p;

		if (q != p)
			p = q;
		else if (isspace((unsigned char)*p) || (*p == '\\' && p + 1 < end && p[1] == '\n'))
			p++;
		else
			break;
	}
	return p;
}

const char *skip_expression(const char *p, const char *end)
{
	int depth = 0;

	while (p < end) {
		const char *q = skip_opaque(p, end);

		if (q != p) {
			p = q;
			continue;
		}
		if (strchr("([{", *p) && *p) {
			depth++;
		} else if (strchr(")]}", *p) && *p) {
			if (depth-- == 0)
				return p;
		} else if (depth == 0 && (*p == ',' || *p == ';')) {
			return p;
		}
		p++;
	}
	return end;
}

const char *skip_brackets(const char *p, const char *end)
{
	p++;
	while (p < end) {
		p = skip_expression(p, end);
		if (p < end && strchr(")]}", *p))
			return p + 1;
		p++;
	}
	return NULL;
}

bool text_has_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	while (p < end) {
		size_t len = word_len(p, end);

		if (len == n && !memcmp(p, word, n))
			return true;
		p += len ? len : 1;
	}
	return false;
}

void diag_localise(struct diag_list *l, const char *tree)
{
	for (size_t i = 0; i < l->n; i++) {
		struct diag *d = &l->d[i];

		if (!d->loc.file || path_inside(tree, d->loc.file))
			continue;
		for (size_t j = 0; j < d->nnotes; j++) {
			struct diag_loc tmp = d->loc;

			if (!d->notes[j].file || !path_inside(tree, d->notes[j].file))
				continue;
			/* A prototype of ours is not where the fault happened. */
			if (starts_with(d->note_text[j], "expected '"))
				continue;
			d->loc = d->notes[j];
			d->notes[j] = tmp;
			break;
		}
	}
}

static bool is_keyword(const char *p, size_t n)
{
	static const char *const words[] = { "return", "if", "else", "for", "while", "do", "goto",
					     "case", "switch", "sizeof", "struct", "union", "enum",
					     "static", "const", "extern", "typedef", "int", "char",
					     "void", "long", "short", "unsigned", "break", "continue" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !memcmp(words[i], p, n))
			return true;
	return false;
}

/* From the ')' of a macro call at p back to the start of its name. */
static const char *macro_call_start(const struct spot *s, const char *name)
{
	size_t n = strlen(name);
	const char *limit = s->p - s->begin > 8192 ? s->p - 8192 : s->begin;

	for (const char *p = s->p; p >= limit; p--) {
		if ((size_t)(s->end - p) <= n || memcmp(p, name, n) || is_word_char(p[n]) ||
		    (p > s->begin && is_word_char(p[-1])))
			continue;
		return p;
	}
	return NULL;
}

static void set_range(struct diag_loc *l, const struct source *src, const char *from, const char *last)
{
	source_position(src, from, &l->line, &l->col);
	source_position(src, last, &l->end_line, &l->end_col);
}

/*
 * gcc's machine format names the expansion point as a single column, while an
 * identifier of the text has a range: that tells macros apart.
 */
static void find_macro(struct sources *s, struct diag *d)
{
	struct spot at = source_spot(s, d->loc.file, d->loc.line, d->loc.col);
	const char *p = at.p, *after;
	size_t n;

	if (!p)
		return;
	if (d->kind == DIAG_MACRO_ARITY) {
		p = macro_call_start(&at, d->symbol);
	} else if (d->loc.line != d->loc.end_line || d->loc.col != d->loc.end_col ||
		   d->kind == DIAG_UNUSED || d->kind == DIAG_SYNTAX || d->kind == DIAG_RETURN_TYPE ||
		   d->kind == DIAG_VOID_VALUE || d->kind == DIAG_MISSING_HEADER) {
		return;
	}
	n = p ? word_len(p, at.end) : 0;
	if (n < 2 || is_keyword(p, n))
		return;
	if (d->kind != DIAG_MACRO_ARITY && d->symbol && strlen(d->symbol) == n &&
	    !memcmp(d->symbol, p, n))
		return;
	d->macro = xstrndup(p, n);
	after = skip_blank(p + n, at.end);
	after = after < at.end && *after == '(' ? skip_brackets(after, at.end) : NULL;
	set_range(&d->loc, sources_get(s, d->loc.file), p, after ? after - 1 : p + n - 1);
}

/* The expression that does not fit, when it is an identifier or its address. */
static char *plain_value(struct sources *s, const struct diag *d)
{
	bool assign = d->context == DIAG_CTX_ASSIGN;
	struct spot at = assign ? source_spot(s, d->loc.file, d->loc.caret_line, d->loc.caret_col) :
				  source_spot(s, d->loc.file, d->loc.line, d->loc.col);
	const char *p = at.p;
	size_t n;

	if (!p || d->macro || (assign && *p++ != '='))
		return NULL;
	p = skip_blank(p, at.end);
	if (p < at.end && *p == '&')
		p = skip_blank(p + 1, at.end);
	n = word_len(p, at.end);
	if (!n || is_keyword(p, n) || skip_blank(p + n, at.end) != skip_expression(p + n, at.end))
		return NULL;
	return xstrndup(p, n);
}

/* The function whose void result is used. */
static char *called_function(struct sources *s, const struct diag *d)
{
	struct spot at = source_spot(s, d->loc.file, d->loc.line, d->loc.col);
	const char *p = at.p;
	size_t n;

	if (!p)
		return NULL;
	if (*p == '=')
		p = skip_blank(p + 1, at.end);
	n = word_len(p, at.end);
	at.p = n ? skip_blank(p + n, at.end) : at.end;
	return n && at.p < at.end && *at.p == '(' ? xstrndup(p, n) : NULL;
}

/* "UNKNOWN_MACRO(args)" outside functions is taken for a function: its name is what is missing. */
static char *macro_taken_for_function(struct sources *s, const struct diag *d)
{
	struct spot at = source_spot(s, d->loc.file, d->loc.line, d->loc.col);
	const char *p = at.p, *end;

	if (!p || !starts_with(d->message, "expected declaration specifiers"))
		return NULL;
	while (p > at.begin && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	if (p == at.begin || *--p != '(')
		return NULL;
	while (p > at.begin && p[-1] == ' ')
		p--;
	for (end = p; p > at.begin && is_word_char(p[-1]);)
		p--;
	return word_len(p, end) == (size_t)(end - p) && p < end ? xstrndup(p, end - p) : NULL;
}

/* "struct foo" in front of the variable whose type is incomplete. */
static char *declared_type(struct sources *s, const struct diag *d)
{
	struct spot at = source_spot(s, d->loc.file, d->loc.line, d->loc.col);
	const char *p = at.p, *tag = NULL, *word;
	size_t n = 0;

	if (!p)
		return NULL;
	while (p > at.begin && p[-1] != '\n')
		p--;
	for (; p < at.p; p += word_len(p, at.p) ? word_len(p, at.p) : 1) {
		size_t len = word_len(p, at.p);

		word = skip_blank(p + len, at.p);
		if ((len == 6 && !memcmp(p, "struct", 6)) || (len == 5 && !memcmp(p, "union", 5))) {
			n = word_len(word, at.p);
			tag = n ? p : tag;
		}
	}
	if (!tag)
		return NULL;
	p = tag + word_len(tag, at.p);
	word = skip_blank(p, at.p);
	return xstrfmt("%.*s %.*s", (int)(p - tag), tag, (int)word_len(word, at.p), word);
}

void diag_read_sources(struct diag_list *l)
{
	struct sources s = SOURCES_INIT;

	for (size_t i = 0; i < l->n; i++) {
		struct diag *d = &l->d[i];

		if (!d->macro)
			find_macro(&s, d);
		if (d->context != DIAG_CTX_NONE && !d->value)
			d->value = plain_value(&s, d);
		if (!d->symbol && d->value)
			d->symbol = xstrdup(d->value);
		if (!d->symbol && d->kind == DIAG_VOID_VALUE)
			d->symbol = called_function(&s, d);
		if (!d->symbol && d->kind == DIAG_SYNTAX)
			d->symbol = macro_taken_for_function(&s, d);
		if (!d->type && d->kind == DIAG_INCOMPLETE_TYPE)
			d->type = declared_type(&s, d);
	}
	sources_release(&s);
}
