/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions of a wanted type made from values at hand, directed by types
 * alone: an accessor of the target's headers, a member path, a container_of()
 * macro. They compile; whether they mean the same a person has to see.
 */
#ifndef KPORT_RECOVER_H
#define KPORT_RECOVER_H

#include "port/ctype.h"
#include "port/scope.h"

struct recovery {
	char *expr;   /* "i2c_client_get_device_id(client)" */
	char *header; /* that declares what is used, or NULL */
	char *how;    /* "i2c_client_get_device_id() of <linux/i2c.h>" */
	double score; /* 0..1 */
};

struct recoveries {
	struct recovery *r;
	size_t n, alloc;
};

/*
 * Up to "max" expressions of type "want" (best first) from the values in
 * "have", whose names are expressions. "name": what the value was called, a hint.
 * old_ix (may be NULL): an accessor that is new in the target is the better one.
 */
void recover_expr(const struct type_env *env, struct api_index *old_ix, const struct sigparam *have,
		  size_t nhave, const char *want, const char *name, size_t max,
		  struct recoveries *out);
void recoveries_release(struct recoveries *r);

#endif
