/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declared types of names at a place of the driver's text, and types of simple
 * expressions. No compiler is behind it: an answer is what the declarations
 * say, "don't know" (NULL, false) is common and always safe.
 *
 *	struct scope s;
 *	scope_collect(f, fn, tok, &s);
 *	v = scope_find(&s, "client");		// v->type: "struct i2c_client *"
 *	t = expr_type(&env, &s, from, end);	// newly allocated or NULL
 *	scope_release(&s);
 */
#ifndef KPORT_SCOPE_H
#define KPORT_SCOPE_H

#include "mine/apiindex.h"
#include "port/ctype.h"
#include "port/tree.h"

/* One declarator: "*x = 0" of "static struct foo *x = 0, *y;". */
struct decl {
	struct cspan spec;	 /* specifiers: "static struct foo" */
	struct cspan declarator; /* "*x" */
	struct cspan init;	 /* behind "=", empty when there is none */
	struct cspan stmt;	 /* all of the declaration with its ";" */
	uint32_t name;		 /* token, CTOK_NONE when unnamed */
	uint32_t block;		 /* the "{" that holds it, CTOK_NONE outside functions */
	bool shared;		 /* further declarators stand in the same statement */
	bool param;
	char *ident, *type;	 /* name and normalised type */
};

struct scope {
	struct srcfile *f;
	struct decl *d; /* outer ones first */
	size_t n, alloc;
};

/* Globals of the file, parameters and locals of fn (may be NULL) visible at "tok"; CTOK_NONE: all locals. */
void scope_collect(struct srcfile *f, const struct cfunc *fn, uint32_t tok, struct scope *out);
void scope_release(struct scope *s);
/* The innermost of that name, or NULL. */
const struct decl *scope_find(const struct scope *s, const char *name);

/* Members of a structure's body between braces, with those of anonymous nested ones. */
void scope_collect_members(struct srcfile *f, struct cspan body, struct scope *out);

/* Where types are looked up beyond the file. ix may be NULL. */
struct type_env {
	struct api_index *ix;
	const struct tree *tree;
};

/* Type of "member" in the structure "base" ("struct foo" or a typedef's name); newly allocated or NULL. */
char *member_type(const struct type_env *env, const char *base, const char *member);
/* Type of the expression in the tokens [from, end) of the scope's file; newly allocated or NULL. */
char *expr_type(const struct type_env *env, const struct scope *s, uint32_t from, uint32_t end);
/* Signature of a function or function-like declaration of the driver or the kernel. */
bool callable_sig(const struct type_env *env, const char *name, struct csig *out);
/* Signature of a definition or prototype, comments and directives left out. */
bool func_sig(struct srcfile *f, const struct cfunc *fn, struct csig *out);
/*
 * Typedefs of scalars, structures and function pointers replaced by what they
 * stand for ("irq_handler_t" gives "irqreturn_t (*)(int, void *)"); newly allocated.
 */
char *type_resolve(const struct type_env *env, const char *type);
/* ctype_equal() behind typedefs. */
bool type_same(const struct type_env *env, const char *a, const char *b);
bool type_same_unqualified(const struct type_env *env, const char *a, const char *b);

#endif
