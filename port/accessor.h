/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the target that read or change what was a plain member: their
 * first parameter is the structure, their value the member's type, their name
 * holds the member's words.
 */
#ifndef KPORT_ACCESSOR_H
#define KPORT_ACCESSOR_H

#include "port/memberuse.h"

struct accessors {
	const struct api_symbol *get;	/* T f(struct S *) */
	const struct api_symbol *set;	/* f(struct S *, T): "=" */
	const struct api_symbol *add;	/* f(struct S *, T): "|=" */
	const struct api_symbol *clear;	/* f(struct S *, T): "&= ~" */
	bool is_new;			/* those found are new in the target */
};

void accessors_find(const struct propose_ctx *c, const char *type, const struct api_symbol *old,
		    struct accessors *out);
/* The call that stands for the use; false when there is no function for it. */
bool accessor_write(const struct accessors *a, const struct member_use *u, const char *pointer,
		    struct strbuf *out);
void accessors_say(const struct accessors *a, struct edit_group *g, const char *target);

#endif
