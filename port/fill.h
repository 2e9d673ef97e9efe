/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments for a parameter that a call has to have now: values in scope of
 * exactly that type, then what is nearest to "nothing" in the type. The latter
 * compiles and may still be wrong at run time: it is for review always.
 */
#ifndef KPORT_FILL_H
#define KPORT_FILL_H

#include "port/recover.h"
#include "port/scope.h"

struct fill {
	char *expr, *how;
	double score;
	bool is_default; /* a constant */
	bool exact;	 /* a value of this type and name: no guess */
};

struct fills {
	struct fill *f;
	size_t n, alloc;
};

/* At most max, best first, for a call at token "tok" of fn (may be NULL) in s->f. */
void fill_parameter(const struct type_env *env, const struct scope *s, const struct cfunc *fn,
		    uint32_t tok, const struct sigparam *p, size_t max, struct fills *out);
/* A pointer to a number that the callee may write to. */
bool is_out_pointer(const struct type_env *env, const char *type);
void fills_release(struct fills *l);

#endif
