/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which files of the tree can matter to a unit: what it includes, directly or not,
 * by the last part of the name, both branches of every #if. Rather too many than
 * too few: a computed include, or one of a file that the tree does not hold, sees
 * everything.
 *
 *	struct unit_deps *d = unit_deps_new();
 *	bool *seen = xcalloc(t->n, sizeof(*seen));
 *	unit_deps_mark(d, t, "foo.c", &argv, seen);	// seen[i]: of t->files[i]
 *	unit_deps_free(d);
 */
#ifndef KPORT_ORACLE_DEPS_H
#define KPORT_ORACLE_DEPS_H

#include "port/tree.h"
#include "base/strvec.h"

struct unit_deps;

struct unit_deps *unit_deps_new(void);
void unit_deps_free(struct unit_deps *d);
/* own: the unit's source; NULL: outside of the tree. argv: its command, for -include; or NULL. */
void unit_deps_mark(struct unit_deps *d, const struct tree *t, const char *own,
		    const struct strvec *argv, bool *seen);

#endif
