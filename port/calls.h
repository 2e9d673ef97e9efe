/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls by name in the driver's text, with their arguments. */
#ifndef KPORT_CALLS_H
#define KPORT_CALLS_H

#include "port/tree.h"

struct call {
	struct srcfile *f;
	const struct cfunc *fn;	/* the caller, NULL at the top level */
	uint32_t name, open, close;
	struct cspan *args;
	size_t nargs;
};

struct calls {
	struct call *c;
	size_t n, alloc;
};

/* only NULL: all files of the tree. Definitions and prototypes are no calls. */
void calls_find(const struct tree *t, struct srcfile *only, const char *name, struct calls *out);
void calls_release(struct calls *l);
char *call_arg_text(const struct call *c, size_t i);
/* Does the expression in [from, end) call, assign or count? */
bool expr_has_effect(const struct ctoks *ts, uint32_t from, uint32_t end);

/*
 * The text between the parentheses when the j-th new argument is texts[j] and came
 * from argument from[j] (-1: new): breaks and comments between arguments that
 * stay neighbours are kept, a new one goes under the parenthesis when the line
 * would grow too long.
 */
void call_write_args(const struct call *c, char *const *texts, const int *from, size_t n,
		     struct strbuf *out);

enum call_use {
	CALL_UNUSED,	/* a statement by itself */
	CALL_RETURNED,	/* "return f(x);" */
	CALL_ASSIGNED,	/* "v = f(x);" as a statement */
	CALL_USED
};
enum call_use call_use(const struct call *c);

#endif
