/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Comparing normalised types and parameter lists (apiindex.h) as the compiler
 * would: names of parameters do not matter, arrays are pointers, "u32" is
 * "unsigned int", address spaces are empty. Macros and typedefs other than the
 * fixed-size integers are compared as written.
 *
 *	switch (sig_compare_params(a->params, b->params)) { ... }
 */
#ifndef KPORT_SIGNATURE_H
#define KPORT_SIGNATURE_H

#include "base/strbuf.h"
#include "base/strvec.h"

enum sig_result {
	SIG_SAME,
	SIG_QUALIFIERS,	/* only const or volatile of what is pointed to differ */
	SIG_DIFFERENT,
};

/* NULL equals only NULL. */
enum sig_result sig_compare_types(const char *a, const char *b);
enum sig_result sig_compare_params(const char *a, const char *b);

/* Integers of whatever size: what is one may be given where the other is wanted. */
bool sig_both_integers(const char *a, const char *b);
/* A call with arguments for a compiles as one of b: equal but for qualifiers gained and integers. */
bool sig_call_compatible(const char *a, const char *b);

/* "struct foo *f, int (*cb)(int)" -> two strings; "void" and "" give none. */
void sig_split(const char *params, struct strvec *out);
/* Number of parameters; *variadic when the last is "...". */
size_t sig_arity(const char *params, bool *variadic);

/* Canonical form of one parameter or type, without the name; appended. */
void sig_param_type(const char *param, bool qualifiers, struct strbuf *out);
/* The parameter's name, appended; nothing for an unnamed one. */
void sig_param_name(const char *param, struct strbuf *out);
/* "ret(type,type)": a key for functions that can stand for each other. */
void sig_key(const char *type, const char *params, struct strbuf *out);

#endif
