/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the edited region of one user file says of the watched names, for
 * cochange-users.c alone.
 */
#ifndef KPORT_COCHANGE_SCAN_H
#define KPORT_COCHANGE_SCAN_H

#include "base/ctoken.h"
#include "mine/cochange-internal.h"

#define CC_MAX_DEFS 256

/* A function's head at the top level. */
struct cc_def {
	uint32_t name;		/* token */
	uint64_t params;	/* hash of all but the name: type and parameters */
};

struct cc_scan {
	struct strbuf region[2]; /* only what differs */
	struct ctoks ts[2];	/* of the regions */
	struct cc_uses *uses;	/* by number in cc->names */
	struct cc_def def[2][CC_MAX_DEFS];
	size_t ndef[2];
	int consts[2];
	bool want_called;
	struct pool called;	/* names called */
	int32_t *call_delta;	/* by number in called */
	size_t call_alloc;
	struct strvec includes[2], includes_gained, includes_lost;
};

void cc_scan(struct cc_scan *s, struct cc_commit *cc, const char *a, size_t alen, const char *b,
	     size_t blen);
void cc_scan_release(struct cc_scan *s);
/* Did the head of a function change that the file (its new side) puts into the member? */
bool cc_scan_assigned_changed(const struct cc_scan *s, const char *text, size_t len,
			      const char *member);
/* Is a word of a type that the declaration gained or lost gained or lost by the edit too? */
bool cc_scan_type_follows(const struct cc_scan *s, const struct cc_commit *cc,
			  const struct cc_change *ch);
/* Did the heads of functions change as the change of the callback's type says? */
bool cc_scan_defs_follow(const struct cc_scan *s, const struct cc_commit *cc,
			 const struct cc_change *ch);

#endif
