/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Callbacks whose type changed along with what their bodies do: functions of other
 * drivers that had, and now have, the same parameters as the one in hand.
 *
 *	n = group_role_find(c, f, fn, &expected, &role);
 *	for (i = 0; i < n; i++) ... role[i].path, role[i].function ...
 *	group_role_free(role, n);
 */
#ifndef KPORT_GROUP_ROLE_H
#define KPORT_GROUP_ROLE_H

#include "port/ctype.h"
#include "port/group-example.h"

struct group_role {
	char *path, *function;
};

/* By the names of the head that "expected" has no more; in order of path. */
size_t group_role_find(const struct propose_ctx *c, struct srcfile *f, const struct cfunc *fn,
		       const struct csig *expected, struct group_role **out);
/* Did the example's function get the types of "expected"? */
bool group_role_fits(const struct propose_ctx *c, const struct group_example *ex,
		     const struct csig *expected);
void group_role_free(struct group_role *role, size_t n);

#endif
