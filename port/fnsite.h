/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a function of the driver is handed to the kernel with a type that does
 * not fit: which functions, and which member or parameter of the kernel takes
 * them.
 */
#ifndef KPORT_FNSITE_H
#define KPORT_FNSITE_H

#include "port/sigchange.h"

struct fnsite {
	struct sigref *refs;	/* names of functions at the site whose type is the found one */
	size_t nrefs;
	char *member;		/* "remove", or NULL */
	char *parent;		/* "struct platform_driver", or NULL */
	char *where;		/* "platform_driver.remove", "request_irq()" */
	const struct api_symbol *now, *before; /* the member or callee; NULL when not known */
	/* The member that the driver names is none of the target's: gcc took the next one. */
	bool displaced;
};

/* "found" is the functions' type at present. */
void fnsite_find(const struct propose_ctx *c, const struct csig *expected, const struct csig *found,
		 struct fnsite *out);
void fnsite_release(struct fnsite *s);
/* The same signature as the target's header spells and names it, where that is known. */
void fnsite_spell(const struct type_env *env, const struct fnsite *s, struct csig *expected);

#endif
