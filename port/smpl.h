/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Learned rules in Coccinelle's language.
 *
 *	smpl_rules(l, c);			// fills smpl or why_not of each chosen rule
 *	smpl_file(l, c, &text);			// one .cocci file, or nothing to say
 *
 * An expression metavariable is "expression", a name of the driver "identifier", the
 * object in front of a changed member "struct s *". What stands in an
 * initialiser is put into the structure's: "struct s D = { ... };". A guard,
 * which is a pattern that must be left alone, becomes a rule without a change whose
 * position the others do not take.
 *
 * The file has the head of rules.h (Title, Replaces, Since, Confidence, Risk) and
 * the kernel's virtual mode "patch": spatch -D patch --sp-file FILE.
 */
#ifndef KPORT_SMPL_H
#define KPORT_SMPL_H

#include "port/learn.h"

void smpl_rules(struct learn *l, struct learn_change *c);
/* Appends the file; false when no rule of the change can be expressed. */
bool smpl_file(const struct learn *l, const struct learn_change *c, struct strbuf *out);
/* "net/strlcpy": name of the file without ".cocci"; newly allocated. */
char *smpl_name(const struct learn_change *c);

#endif
