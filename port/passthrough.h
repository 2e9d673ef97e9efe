/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A parameter that went and that the body only handed on to kernel functions
 * which lost it as well: both changes are one.
 */
#ifndef KPORT_PASSTHROUGH_H
#define KPORT_PASSTHROUGH_H

#include "port/propose.h"

/*
 * Every use of "name" in fn's body is an argument that its callee no longer
 * takes: adds the edits of those calls, in the whole tree, to g. False, and
 * nothing added, otherwise.
 */
bool passthrough_drop(const struct propose_ctx *c, struct srcfile *f, const struct cfunc *fn,
		      const char *name, struct edit_group *g);

#endif
