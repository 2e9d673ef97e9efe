/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adding const to declarations of the driver. A level is where a const can
 * stand: bit 0 the type itself ("const struct a *x"), bit n behind the n-th star
 * ("struct a *const x").
 */
#ifndef KPORT_CONSTIFY_H
#define KPORT_CONSTIFY_H

#include "port/edit.h"
#include "port/scope.h"

unsigned const_levels(const char *type);
/* Levels of "want" that "have" lacks; types that differ otherwise give 0. */
unsigned const_missing(const char *have, const char *want);
/* The level that "discards 'const' qualifier from pointer target type" is about. */
unsigned const_target_level(const char *type);
/* The declarator d (scope.h) of f; false when there is nothing to add or it is too complicated. */
bool const_add_decl(struct edit_group *g, struct srcfile *f, const struct decl *d, unsigned levels);
/* Return type, or parameter "arg", of fn and of its prototypes. */
bool const_add_function(struct edit_group *g, const struct tree *t, struct srcfile *f,
			const struct cfunc *fn, int arg, unsigned levels);

#endif
