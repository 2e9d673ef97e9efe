/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Repairs of what only the linker sees (modpost): the tree compiles, is built
 * whole, and its findings are repaired one after the other, each accepted when
 * another full build no longer shows it. Leaves r->new_build as the build of the
 * result; what cannot be repaired stays in it for the gate "link" to judge.
 */
#ifndef KPORT_RUN_LINK_H
#define KPORT_RUN_LINK_H

#include "port/run.h"

/* Builds the texts of t in a new copy of the driver (r->new is made anew); log in logs/after. */
int run_fresh_build(struct port_run *r, struct tree *t, struct kbuild_result *out,
		    struct strbuf *err);
int run_link_repairs(struct port_run *r, const struct search_ctx *c, struct strbuf *err);

/*
 * Kbuild files that use variables which the target does not read are repaired before
 * anything else, since they decide how every unit is compiled: r->start, r->first and
 * a new r->break_build. The breakages that were found stay those of the driver as given.
 */
int run_kbuild_repair(struct port_run *r, struct strbuf *err);
/* One more step before the search; takes g, which makes after of r->start. b: what it repairs, or NULL. */
void run_add_first(struct port_run *r, struct edit_group *g, struct tree *after, const struct breakage *b);
/* Make those steps the first of the search's. */
void run_put_first(struct port_run *r);

#endif
