/* SPDX-License-Identifier: GPL-2.0-only */
/* A variable, parameter or member of the driver takes the type that the target's interface has now. */
#ifndef KPORT_RETYPE_H
#define KPORT_RETYPE_H

#include "port/propose.h"

/*
 * Candidates for c->b, whose value stands in the tokens "e": what supplies it
 * becomes the expected type, or what receives it the found one.
 */
void retype_value(const struct propose_ctx *c, struct srcfile *f, uint32_t tok, struct cspan e,
		  const char *technique, struct edit_group_list *out);

#endif
