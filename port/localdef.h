/* SPDX-License-Identifier: GPL-2.0-only */
/* A local definition whose name a header of the target has now as well, and a call whose value is gone. */
#ifndef KPORT_LOCALDEF_H
#define KPORT_LOCALDEF_H

#include "port/propose.h"

/* Drop the local definition when the kernel's is the same, else give it a name of the driver's own. */
void localdef_propose(const struct propose_ctx *c, struct edit_group_list *out);
/* A name of the driver's own that is a macro of the target, where a declaration became bad syntax. */
void localdef_propose_macro(const struct propose_ctx *c, struct edit_group_list *out);
/* "ret = f(); if (ret) ..." for an f that returns void now. */
void voidvalue_propose(const struct propose_ctx *c, struct edit_group_list *out);

#endif
