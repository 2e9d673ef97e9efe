/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * C tokens of a buffer, for reading and editing source text without a compiler.
 *
 *	struct ctoks ts;
 *	if (ctoks_scan(&ts, text, len) < 0) ...		// only when len > 1 GiB
 *	for (i = 0; i < ts.n; i++)
 *		if (ctok_is(&ts, i, "del_timer") && ctok_is(&ts, i + 1, "("))
 *			end = ts.t[i + 1].match;
 *	ctoks_release(&ts);
 *
 * The text stays the caller's and must outlive the tokens. Nothing is allocated
 * per token. Blanks and comments are no tokens; a preprocessor directive is one
 * token (CTOK_PP) from its "#" to the end of its last continuation line,
 * without the final newline. Any bytes are accepted: CRLF, NUL, non-UTF-8,
 * unterminated strings (end at the line's end) and comments (end at the text's
 * end).
 *
 * Brackets ( [ { are paired through conditional compilation: each #else or #elif
 * branch starts from the state at its #if, what is inside "#if 0" pairs only
 * with itself and is flagged CTOK_DEAD, and after #endif the state of the first
 * live branch goes on. So with
 *
 *	#ifdef A			both "{" have the same "}" as match,
 *	int f(int a) {			and that "}" has the first "{".
 *	#else
 *	int f(void) {
 *	#endif
 *	}
 */
#ifndef KPORT_CTOKEN_H
#define KPORT_CTOKEN_H

#include "base/compat.h"
#include "base/strbuf.h"

#define CTOK_NONE UINT32_MAX

enum ctok_kind {
	CTOK_IDENT,	/* identifiers and keywords */
	CTOK_NUMBER,	/* preprocessing numbers */
	CTOK_STRING,	/* with prefix and quotes */
	CTOK_CHAR,
	CTOK_PUNCT,	/* longest match: "->", "<<=", "..." */
	CTOK_PP,	/* a whole directive */
	CTOK_OTHER	/* a run of bytes that are no C */
};

enum ctok_flags {
	CTOK_BOL = 1 << 0,	    /* first token of its line */
	CTOK_DEAD = 1 << 1,	    /* inside "#if 0" (the directives themselves are not) */
	CTOK_UNTERMINATED = 1 << 2  /* string or character without its closing quote */
};

struct ctok {
	uint8_t kind;	/* enum ctok_kind */
	uint8_t flags;
	uint32_t off, len;
	uint32_t line;	/* 1-based, of the first byte */
	uint32_t match;	/* index of the matching bracket or CTOK_NONE */
};

struct ctoks {
	const char *text;
	size_t len;
	struct ctok *t;
	size_t n, alloc;
};

/* KP_ERR when the text is too large; otherwise 0. */
int ctoks_scan(struct ctoks *ts, const char *text, size_t len);
void ctoks_release(struct ctoks *ts);

/* All of these are false or CTOK_NONE for an index out of range. */
static inline bool ctok_is(const struct ctoks *ts, size_t i, const char *s)
{
	size_t len = strlen(s);

	return i < ts->n && ts->t[i].len == len && !memcmp(ts->text + ts->t[i].off, s, len);
}

bool ctok_kind_is(const struct ctoks *ts, size_t i, enum ctok_kind kind);
bool ctok_is_ident(const struct ctoks *ts, size_t i); /* and no keyword of C */
bool ctok_is_keyword(const struct ctoks *ts, size_t i);
/* Same kind and bytes. */
bool ctok_same(const struct ctoks *a, size_t i, const struct ctoks *b, size_t j);
char *ctok_dup(const struct ctoks *ts, size_t i); /* newly allocated */

/* The token that holds the byte, else the first one behind it; ts->n when none. */
size_t ctok_at(const struct ctoks *ts, size_t offset);
/* First token that starts on this line or later; ts->n when none. */
size_t ctok_at_line(const struct ctoks *ts, uint32_t line);

/* Name of a directive: "define", "if", ...; empty for a lone "#". Appended to out. */
void ctok_pp_name(const struct ctoks *ts, size_t i, struct strbuf *out);
bool ctok_pp_is(const struct ctoks *ts, size_t i, const char *name);
/* The first word behind the name ("FOO" of "#define FOO(x) 1"), [*off, *off + *len) in text. */
bool ctok_pp_word(const struct ctoks *ts, size_t i, uint32_t *off, uint32_t *len);

/*
 * Tokens [from, to) as text with one blank between two that would otherwise run
 * together or stood apart, directives left out: equal code gives equal text
 * whatever its layout. Appended to out.
 */
void ctoks_normal(const struct ctoks *ts, size_t from, size_t to, struct strbuf *out);

#endif
