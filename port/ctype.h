/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * C types as the compiler and headers spell them, parsed as far as signatures
 * need: "int (*)(struct platform_device *, const char *)",
 * "const struct device *", "u8 (*)(void)".
 */
#ifndef KPORT_CTYPE_H
#define KPORT_CTYPE_H

#include "base/strbuf.h"

struct sigparam {
	char *type; /* normalised, "struct foo *" */
	char *name; /* or NULL */
};

struct csig {
	char *ret;	 /* normalised return type */
	struct sigparam *p;
	size_t n;	 /* 0 for (void) */
	bool variadic;
};

/* One blank between words, no blank after '*', "struct foo *" with a blank before the stars. */
void ctype_normalise(const char *type, struct strbuf *out);
bool ctype_equal(const char *a, const char *b);
/* Equal but for const/volatile at any level. */
bool ctype_equal_unqualified(const char *a, const char *b);
/* "struct foo" of "const struct foo **"; newly allocated. */
char *ctype_base(const char *type);
/* "static", "__init", "__user": words that are no part of the type itself. */
bool ctype_is_annotation(const char *word);
int ctype_pointers(const char *type); /* number of '*' at the top level */
/* A function (pointer) type, or a declaration "int f(struct x *a, int b)". false when it is none. */
bool csig_parse(const char *text, struct csig *out);
/* From a return type and a parameter list as api_symbol has them. */
bool csig_parse_parts(const char *ret, const char *params, struct csig *out);
void csig_release(struct csig *s);
/* Declaration text of one parameter: "const char *name", "int (*fn)(void)". */
void sigparam_declare(const struct sigparam *p, const char *name, struct strbuf *out);

#endif
