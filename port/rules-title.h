/* SPDX-License-Identifier: GPL-2.0-only */
/* The title of an edit group that a rule made, fitted to what it replaced. */
#ifndef KPORT_RULES_TITLE_H
#define KPORT_RULES_TITLE_H

#include "port/edit.h"

struct rule;
/*
 * "use a() in place of b()" of a rule that replaces a family of functions becomes "use
 * a2() in place of b2()" when it is those that the edits of g (made for t) concern.
 */
void rule_title_fit(const struct rule *r, const struct tree *t, struct edit_group *g);

#endif
