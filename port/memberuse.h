/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the driver uses a member of a kernel structure: accesses whose base has
 * that type by the driver's own declarations, and designated initialisers. The
 * site of the breakage is always among them, since there the compiler has said
 * what the type is.
 */
#ifndef KPORT_MEMBERUSE_H
#define KPORT_MEMBERUSE_H

#include "port/propose.h"
#include "port/scope.h"

enum use_kind {
	USE_READ,
	USE_ASSIGN,	/* "x->m op value;" as a whole statement: op, value */
	USE_INIT,	/* ".m = value" in an initialiser: value */
	USE_OTHER	/* address taken, counted up, assigned inside an expression */
};

struct member_use {
	struct srcfile *f;
	uint32_t tok;		/* the member's name */
	struct cspan base;	/* the expression in front; empty in initialisers */
	bool pointer;		/* base is a pointer: "->" */
	enum use_kind kind;
	uint32_t op;		/* "=", "|=", "&=", ... */
	struct cspan value;
	uint32_t semi;		/* ";" of a whole statement */
};

struct member_uses {
	struct member_use *u;
	size_t n, alloc;
};

/* type: "struct foo". */
void member_uses_find(const struct propose_ctx *c, const char *type, const char *member,
		      struct member_uses *out);
void member_uses_release(struct member_uses *l);
/* The token of the member at the site of the breakage, or CTOK_NONE. */
uint32_t member_site(const struct propose_ctx *c, struct srcfile *f, const char *member);
/* Type that the driver's declarations give the base at a token of a member, "struct foo"; or NULL. */
char *member_base_type(const struct propose_ctx *c, struct srcfile *f, uint32_t tok);
/* Text of the base as a pointer to the structure: "x", "&x". Newly allocated. */
char *member_base_pointer(const struct member_use *u);

#endif
