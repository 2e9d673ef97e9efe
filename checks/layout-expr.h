/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types of simple C expressions by the debug information: names come from the text, what
 * they are from the compiler.
 *
 *	struct expr_scope s = { .g = g, .ts = &ts, .file = "foo.c" };
 *	expr_enter(&s, "foo_ioctl");
 *	if (expr_eval(&s, first, end, &t) && (st = expr_target(g, &t)))
 *		... "&args" with "struct foo args": st is struct foo ...
 *
 * Known: names, "->" and ".", "[]", "*" and "&", casts, calls of functions, the left side of a sum. Everything
 * else has no type here, and what has none is not judged.
 */
#ifndef KPORT_LAYOUT_EXPR_H
#define KPORT_LAYOUT_EXPR_H

#include "base/ctoken.h"
#include "checks/layout-dwarf.h"

struct expr_scope {
	const struct dbg *g;
	const struct ctoks *ts;
	const char *file;	/* relative to the tree */
	uint32_t line_base;	/* added to the tokens' lines */
	Dwarf_Die fn;
	bool have_fn;
};

/* A type of the debug information with "refs" times "*" behind it. */
struct expr_type {
	Dwarf_Die die;
	int refs;
	bool is_void;		/* die is not set */
	uint32_t bits;		/* not 0: a plain number that the debug information has not; die is not set */
};

/* The function that the text is in; NULL: none. */
void expr_enter(struct expr_scope *s, const char *function);
/* Tokens [first, end). */
bool expr_eval(const struct expr_scope *s, uint32_t first, uint32_t end, struct expr_type *out);
/* A type's name: "const struct foo *". */
bool expr_typename(const struct expr_scope *s, uint32_t first, uint32_t end, struct expr_type *out);
/* The structure that it is, points to or is an array of; NULL: none. */
const struct dbg_struct *expr_target(const struct dbg *g, const struct expr_type *t);
/* The same only for one that it is itself. */
const struct dbg_struct *expr_struct(const struct dbg *g, const struct expr_type *t);
/* A pointer to (or array of) characters or bytes of no meaning. */
bool expr_is_bytes(const struct expr_type *t);
bool expr_is_pointer(const struct expr_type *t);
/* What it points to or holds elements of. */
bool expr_deref(struct expr_type *t);
/* Bits, and whether it is signed, of an integer; 0: none. */
uint32_t expr_bits(const struct expr_type *t, bool *is_signed);
/* A member of a structure, unnamed ones looked into. */
bool expr_member(Dwarf_Die *st, const char *name, Dwarf_Die *out);

#endif
