/* SPDX-License-Identifier: GPL-2.0-only */
/* Between cfunc.c (what a declaration is) and cdecl.c (its declarators). */
#ifndef KPORT_CFUNC_INTERNAL_H
#define KPORT_CFUNC_INTERNAL_H

#include "base/cfunc.h"

/* Directives and what is inside "#if 0". */
static inline bool cdecl_passed_over(const struct ctoks *ts, size_t i)
{
	return ts->t[i].kind == CTOK_PP || (ts->t[i].flags & CTOK_DEAD);
}
/* The token behind the bracket's partner; behind i itself when it has none. */
size_t cdecl_after(const struct ctoks *ts, size_t i);
/* Next token of a run at bracket depth 0: over what a bracket at i encloses. */
size_t cdecl_step(const struct ctoks *ts, size_t i);
/* The token behind an annotation at i and its arguments; i when there is none. */
size_t cdecl_annotation(const struct ctoks *ts, size_t i);
/* "struct", "union" or "enum" whose body opens at token open, or CTOK_NONE. */
uint32_t cdecl_aggregate(const struct ctoks *ts, size_t open, size_t from);
/* Are there type words in [from, to), or only storage classes and annotations? */
bool cdecl_has_type(const struct ctoks *ts, size_t from, size_t to);
/* Name of the declarator that ends before "to"; CTOK_NONE for an abstract one. */
uint32_t cdecl_name(const struct ctoks *ts, size_t from, size_t to);
void cdecl_params(const struct ctoks *ts, struct cfunc *f);
/* Objects declared in [from, to), "to" being the ";". */
void cdecl_objects(struct cfile *cf, size_t from, size_t to);

#endif
