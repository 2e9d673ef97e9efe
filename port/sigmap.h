/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the parameters of one signature correspond to those of another: an
 * alignment by type first and name second. What cannot be matched was removed or
 * added.
 */
#ifndef KPORT_SIGMAP_H
#define KPORT_SIGMAP_H

#include "port/ctype.h"
#include "port/scope.h"

enum sigmap_kind {
	SIGMAP_SAME,	  /* same type, perhaps at another place */
	SIGMAP_QUALIFIER, /* same but for const or volatile */
	SIGMAP_RETYPE,	  /* another type in the same role */
	SIGMAP_ADDED	  /* nothing corresponds to it */
};

struct sigmap_entry {
	enum sigmap_kind kind;
	int from; /* index of the old parameter, -1 when added */
};

struct sigmap {
	struct sigmap_entry *to; /* one per new parameter */
	size_t n;
	bool *kept;		 /* one per old parameter: is it in use? */
	size_t nfrom;
	bool reordered;
};

/*
 * A parameter of a function-like macro has its name as type: it is matched by
 * name alone.
 */
void sigmap_build(const struct type_env *env, const struct csig *from, const struct csig *to,
		  struct sigmap *out);
void sigmap_release(struct sigmap *m);
size_t sigmap_removed(const struct sigmap *m);	/* how many old parameters are gone */
size_t sigmap_count(const struct sigmap *m, enum sigmap_kind kind);
/* Every parameter is the same and at its place. */
bool sigmap_is_identity(const struct sigmap *m);

#endif
