/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What speaks against repeating a template of other drivers here (propose-mined.c):
 * constants that they disagree on, values that would be lost, deletions that were
 * half of a change, and what "kport learn" measured.
 */
#ifndef KPORT_MINED_GUARD_H
#define KPORT_MINED_GUARD_H

#include "port/propose.h"
#include "port/template.h"

/* Another template does the same with another constant and has more than a quarter of t's files. */
bool mined_is_contested(const struct tmpl *t, struct tmpl *const *all, size_t n);
/* The match binds a constant to a metavariable that the new text has not. */
bool mined_loses_constant(const struct tmpl *t, const struct ctoks *ts, const struct tmpl_match *m);
/* The head of an "if" that becomes more than a head: what it controlled would follow unasked. */
bool mined_frees_body(const struct tmpl *t);
/* "break" or "goto" that becomes "return": what stands behind the jump here is skipped. */
bool mined_leaves_early(const struct tmpl *t);
/*
 * "ret = claim(x)" that becomes "ret = !take(x)": an error code was kept, now it is a truth
 * value, and what returns it returns 1.
 */
bool mined_negates_value(const struct tmpl *t, const struct ctoks *ts, const struct tmpl_match *m);
/*
 * Was a deletion all of the change? In three of these files, and most of those looked at,
 * nothing of the kernel's is new, so that it was not expressed again elsewhere in them.
 */
bool mined_deleted_alone(const struct propose_ctx *c, const struct strvec *paths);
/* Likewise for ".member = value" of an initialiser: the objects that lost it got no other member. */
bool mined_member_dropped(const struct propose_ctx *c, const char *member, const struct strvec *paths);
/*
 * Lowers the group's score, and its risk class to review, by the precision that the rule of
 * this key (tmpl_make_general()) had on files that it was not learned from.
 */
void mined_weigh(const struct propose_ctx *c, const char *symbol, const char *general_key,
		 struct edit_group *g);

#endif
