/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Another driver's old text against the text of the driver in hand: what stands
 * for what, for all statements of a change together.
 *
 *	struct group_unify u;
 *	group_unify_init(&u, c, symbol, &ex, f, fn);
 *	if (group_match(&u, ex.atom[0].wb, ex.atom[0].wa, tok, &end) && group_emit(&u, ex.atom[0].wa, "\t", &text)) ...
 *	group_unify_release(&u);
 *
 * Kernel names, keywords and operators match themselves. A name of the other
 * driver stands for one name of this one and the other way round, in every
 * statement alike; an argument, an assigned value or the object in front of a member
 * may stand for any expression. "&a->b" for "c" makes "a->b.m" "c->m" as well.
 */
#ifndef KPORT_GROUP_UNIFY_H
#define KPORT_GROUP_UNIFY_H

#include "port/group-example.h"

struct group_bind {
	struct strvec e, d; /* tokens of the example's text and of the driver's */
	char *text;	    /* d as it is written */
	bool member;	    /* a name behind "." or "->" */
	bool keep;	    /* holds for the whole function: a name that goes away */
};

/* A new member of a structure of the example. */
struct member_note {
	char *name;
	uint32_t new, mine; /* keywords of the structure in the newer file and of the driver's */
	bool known;	    /* its structure lost one member or none */
	bool replaces;	    /* ... one */
	char *here;	    /* what stands for that in the driver's structure, or NULL */
};

struct group_unify {
	const struct propose_ctx *c;
	const struct group_example *ex;
	const char *symbol;
	struct srcfile *f;	/* the driver's file and function */
	const struct cfunc *fn;
	struct scope scope;
	struct group_bind *v;
	size_t n, alloc;
	struct strvec fresh;	/* new names that emitted text uses */
	struct strvec items;	/* new functions and objects of the example's file that it uses */
	struct member_note *members; /* new members that it uses */
	size_t nmembers, members_alloc;
	const struct scope *own; /* of such a function, while its text is emitted */
	const struct cfunc *own_fn;
	struct cspan after;	/* what the pattern being matched becomes */
	struct cspan *omit;	/* of the new text: what is left out */
	size_t nomit, omit_alloc;
	unsigned steps;
};

void group_unify_init(struct group_unify *u, const struct propose_ctx *c, const char *symbol,
		      const struct group_example *ex, struct srcfile *f, const struct cfunc *fn);
void group_unify_release(struct group_unify *u);
/*
 * Does the example's old text, which became "after", match from this token of the driver on?
 * Adds bindings and sets *end; without a match the bindings are as before.
 */
bool group_match(struct group_unify *u, struct cspan pattern, struct cspan after, uint32_t at,
		 uint32_t *end);
/* Back to n bindings. */
void group_undo(struct group_unify *u, size_t n);
/* Forget what holds for one place only. */
void group_keep_lasting(struct group_unify *u);
/* New text that is not to be emitted. */
void group_omit(struct group_unify *u, struct cspan s);
/* Does the new text in "in" hold the old tokens e? */
bool group_holds(const struct group_unify *u, struct cspan in, struct cspan e);
/* A static function or object of the example's newer file that the older one does not have? */
bool group_is_new_item(const struct group_example *ex, const char *name);
/* Is the token a new member of the example's structure that this driver's structure can be given? Noted when so. */
bool group_is_new_member(struct group_unify *u, uint32_t tok);
/* What such a function or object is called here; NULL when that name is taken. */
char *group_item_name(const struct group_unify *u, const char *name);
/* What a name of the example stands for, or NULL. */
const char *group_bound(const struct group_unify *u, const char *name);
/*
 * The example's new text in the driver's words, indent in front of further lines. False
 * when a name in it stands for nothing.
 */
bool group_emit(struct group_unify *u, struct cspan after, const char *indent, struct strbuf *out);

#endif
