/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of one kernel function brought from its old to its new parameters, at
 * all places of the tree at once.
 */
#ifndef KPORT_ARGMAP_H
#define KPORT_ARGMAP_H

#include "port/calls.h"
#include "port/propose.h"
#include "port/sigmap.h"

struct argmap {
	const struct propose_ctx *c;
	struct type_env env;
	char *name;
	const struct api_symbol *now, *before; /* before may be NULL */
	struct csig from, to;
	struct sigmap map;
	bool guessed;	/* "from" was read from a call, not from a declaration */
	struct calls calls; /* those that have as many arguments as "from" */
};

/* False when there is nothing to bring in line. site: the call that failed. */
bool argmap_init(struct argmap *m, const struct propose_ctx *c, const char *name,
		 const struct call *site);
void argmap_release(struct argmap *m);
/* The variant-th way to fill what was added; NULL when there is none (any more). */
struct edit_group *argmap_build(struct argmap *m, size_t variant, const char *technique);
/* A declaration of the index as a signature; parameters of macros have no types. */
bool api_sig(const struct api_symbol *s, struct csig *out);

#endif
