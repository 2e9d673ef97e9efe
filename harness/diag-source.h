/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal to the diag-*.c files: the source texts that diagnostics point into,
 * read once per use, and a few questions about C text that need no parser.
 */
#ifndef KPORT_DIAG_SOURCE_H
#define KPORT_DIAG_SOURCE_H

#include "base/strmap.h"
#include "harness/diag.h"

struct source {
	char *text;
	size_t len;
	size_t *lines; /* offset of each line */
	size_t nlines;
};

struct sources {
	struct strmap files; /* path -> struct source *, NULL when unreadable */
};
#define SOURCES_INIT { STRMAP_INIT }

void sources_release(struct sources *s);
struct source *sources_get(struct sources *s, const char *file); /* NULL when unreadable */

/* A place in a text; p NULL when the line or column does not exist. */
struct spot {
	const char *p, *begin, *end;
};
struct spot source_spot(struct sources *s, const char *file, int line, int col);
void source_position(const struct source *src, const char *p, int *line, int *col);

size_t word_len(const char *p, const char *end); /* 0: no identifier starts here */
/* Behind blanks and comments. */
const char *skip_blank(const char *p, const char *end);
/* Behind the bracket that closes the one at p, or NULL. */
const char *skip_brackets(const char *p, const char *end);
/* The ',' ';' or closing bracket that ends the expression that starts at p, or end. */
const char *skip_expression(const char *p, const char *end);
/* Does the word occur as a whole word in the text? */
bool text_has_word(const char *p, const char *end, const char *word);

#endif
