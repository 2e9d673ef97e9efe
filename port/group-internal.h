/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One change of another driver on its way into a function (group-apply.h): places
 * are found (group-apply.c), declarations come and go with them (group-decl.c), what
 * must not be left over is looked for (group-left.c), edits are written (group-edits.c).
 */
#ifndef KPORT_GROUP_INTERNAL_H
#define KPORT_GROUP_INTERNAL_H

#include "port/group-unify.h"

/* A rewrite of the driver's tokens [at.first, at.end); empty: text is put in front of at.first. */
struct group_site {
	struct cspan at;
	char *text;
	bool behind; /* put behind the token at.first - 1, on a line of its own */
};

struct group_place {
	struct group_unify u;
	const struct group_example *ex;
	const struct ctoks *ts; /* the driver's */
	struct group_site *site;
	size_t nsites, alloc;
	struct cspan *placed;	/* by atom, of this instance; empty: not placed */
	bool *done;		/* by atom: its new text was written somewhere */
	size_t *order, norder;	/* atoms to place besides the anchor */
	struct strvec declared; /* new names that emitted text declares */
	bool deletes, conditional; /* as in struct group_outcome */
};

/* Is the token in a site? */
bool group_covers(const struct group_place *a, uint32_t tok);
/* Takes text. */
void group_add_site(struct group_place *a, struct cspan at, char *text, bool behind);
bool group_starts_statement(const struct ctoks *ts, uint32_t i);
/* Does one of the example's names stand for the name at this token? */
bool group_is_image(const struct group_place *a, const struct strvec *names, uint32_t tok);
/* Is it the name of a local's or parameter's declaration? */
bool group_is_declaration(const struct group_place *a, uint32_t tok);

/* Declarations of what the emitted text needs; false when one cannot be written. */
bool group_declare_fresh(struct group_place *a);
/* Declarations of what went, and of locals that are parameters now; false when one cannot go. */
bool group_drop_dead(struct group_place *a);
/* Definitions of u.items in front of the function; false when one cannot be written. */
bool group_add_items(struct group_place *a);
/* Declarations of u.members in the driver's structures; likewise. */
bool group_add_members(struct group_place *a);
/* Statements that nothing gets to any more, where a label went. */
void group_drop_unreached(struct group_place *a);
/*
 * A call that gave the other driver's new text a value and that this driver does not make: the
 * element of the initialiser that took the value is left out. False when it stands elsewhere.
 */
bool group_omit_values(struct group_place *a, const struct group_atom *at);

/* Is the symbol still in the function after the change there? */
bool group_symbol_stays(const struct group_example *ex, const char *symbol);
/* Nothing that had to go with the change is left, and no statement lost its context. */
bool group_nothing_left(const struct group_place *a, const char *symbol);

/* Opening less closing braces of a text. */
int group_braces(const char *text);
/* The sites as edits; false when one cannot be written. Sets a->deletes. */
bool group_add_edits(struct group_place *a, struct edit_group *g);

#endif
