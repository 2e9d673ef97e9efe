/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that find what an upgrade breaks (port/impact*.c) only. */
#ifndef KPORT_IMPACT_INTERNAL_H
#define KPORT_IMPACT_INTERNAL_H

#include "base/strmap.h"
#include "port/impact.h"
#include "port/memberuse.h"
#include "port/propose.h"

struct finder {
	const struct tree *tree;
	const struct api_pair *p;
	struct propose_ctx types;	/* for member_base_type(): both sides are the old kernel */
	struct strmap defined;		/* identifier -> "y" or "n": is it the driver's own? */
	struct strmap macros;		/* name -> struct macro_fill: what a macro of the kernel fills in */
	struct impact *out;
	bool gpl;			/* the module's licence satisfies GPL-only exports */
	/* Of the current file. */
	struct srcfile *f;
	struct strmap seen;		/* "kind name member" -> item number + 1 */
	struct strmap laid;		/* "struct foo.bar" whose layout was looked at */
	struct strmap old_reach, new_reach; /* headers that its includes reach */
};

/* Counts a further use, or adds the item: then it is returned, else NULL. */
struct impact_item *impact_add(struct finder *fi, enum impact_kind kind, const char *name, int line,
			       const struct api_change *c, const char *header, bool sure);
/* Is the change about this member: "bar" of "bar" or "a.bar"? */
bool impact_same_member(const struct api_change *c, const char *member);

/* impact-macro.c: the identifier at token i is a macro of the kernel that is called. */
void impact_macro(struct finder *fi, const char *name, size_t i);
void impact_macros_release(struct finder *fi);

/* impact-layout.c: a member that is used at a token; an object that is initialised. */
void impact_layout_member(struct finder *fi, const char *type, const char *member, size_t tok);
void impact_layout_object(struct finder *fi, const struct cobject *o);

#endif
