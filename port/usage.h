/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver's text uses and defines, asked by name. Text inside "#if 0"
 * does not count.
 */
#ifndef KPORT_USAGE_H
#define KPORT_USAGE_H

#include "base/strvec.h"
#include "port/edit.h"
#include "port/tree.h"

/* An #include directive. */
struct include {
	char *name;	   /* "linux/timer.h" */
	bool angle;	   /* <> and not "" */
	size_t start, end; /* bytes of the name between its brackets */
};
struct include_list {
	struct include *v;
	size_t n, alloc;
};
void file_includes(struct srcfile *f, struct include_list *out);
void include_list_release(struct include_list *l);
bool file_has_include(struct srcfile *f, const char *header);
/* Rename <from> to <to> in place; the line is dropped when f includes <to> already. false: not included. */
bool edit_replace_include(struct edit_group *g, struct srcfile *f, const char *from, const char *to);

/* As an identifier token, also as a word of a directive other than #include. */
bool file_uses_ident(struct srcfile *f, const char *name);
bool tree_uses_ident(const struct tree *t, const char *name);
/* A function, object, structure, typedef, enumerator or macro of this name is defined in the file. */
bool file_defines(struct srcfile *f, const char *name);
bool tree_defines(const struct tree *t, const char *name);

/* First token index whose text is "name" at or behind the byte offset; ts->n when none. */
size_t tok_find(const struct ctoks *ts, size_t from, const char *name);
/* Tokens of the statement around token i: from behind the last ; { } to the ; { or } that ends it. */
struct cspan tok_statement(const struct ctoks *ts, size_t i);

#endif
