/* SPDX-License-Identifier: GPL-2.0-only */
/* Statements of the driver's text: where they end, how they are indented, edits that keep the layout. */
#ifndef KPORT_STMT_H
#define KPORT_STMT_H

#include "port/edit.h"
#include "port/tree.h"

/* The ";" (or "{", "}" where none comes first) that ends the statement at token i. */
uint32_t stmt_end(const struct ctoks *ts, uint32_t i);
/* Behind the statement or block that begins at token i. */
uint32_t stmt_body_end(const struct ctoks *ts, uint32_t i);
/* First token of the statement that holds token i. */
uint32_t stmt_start(const struct ctoks *ts, uint32_t i);
/* Is the statement at i the unbraced body of an if, else, for, while, do or iterator macro? */
bool stmt_is_controlled(const struct ctoks *ts, uint32_t i);
/* Does a label or case stand right in front of it? */
bool stmt_is_labelled(const struct ctoks *ts, uint32_t i);
/* Blanks at the start of the line of this byte; newly allocated. */
char *line_indent(const struct srcfile *f, size_t off);
/* Column (tabs of 8) that text ends in when it starts in column "col". */
size_t text_column(const char *text, size_t len, size_t col);
/* Column of a byte of the file, from 0. */
size_t file_column(const struct srcfile *f, size_t off);

/* Delete the statement [first, semi]; its lines too when nothing else stands on them. */
void stmt_delete(struct edit_group *g, struct srcfile *f, uint32_t first, uint32_t semi);
/*
 * Replace the statement [first, semi] by one or more lines without indentation,
 * with braces where it was the unbraced body of a control statement.
 */
void stmt_replace(struct edit_group *g, struct srcfile *f, uint32_t first, uint32_t semi,
		  const char *const *lines, size_t n);
/* Replace old bytes [start, end) by new_text with the bytes that are equal at both ends left alone. */
void edit_add_trimmed(struct edit_group *g, struct srcfile *f, size_t start, size_t end,
		      const char *new_text);
/* Identifier "name" in tokens [from, end), not behind "." or "->". */
size_t count_ident(const struct ctoks *ts, uint32_t from, uint32_t end, const char *name);
bool is_member_access(const struct ctoks *ts, uint32_t i);
/* A number, string, character, true, false, NULL or a name in capitals. */
bool is_constant_token(const struct ctoks *ts, size_t i);

#endif
