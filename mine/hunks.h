/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changed between two versions of one C file, hunk by hunk of statements,
 * each with the identifiers of the old side that find it: names used less on the
 * new side, called, or members; and headers of #include lines.
 *
 *	struct hunks hs = HUNKS_INIT;
 *	hunks_compare(old, old_len, new, new_len, &hs, err);
 *	for (i = 0; i < hs.n; i++)
 *		use(hs.h[i].before, hs.h[i].after);
 *	hunks_release(&hs);
 *
 * Pure additions and hunks of more than 12 statements or 320 tokens are left
 * out: nothing can be learnt from them. Errors: KP_ERR too large, KP_INFRA.
 */
#ifndef KPORT_HUNKS_H
#define KPORT_HUNKS_H

#include "base/strbuf.h"
#include "base/strvec.h"

struct hunk {
	char *function; /* around the old side, or NULL */
	char *before;	/* text of the old statements, as in the file */
	char *after;	/* of the new ones; "" for a deletion */
	int line;	/* of the old side */
	struct strvec idents;
};

struct hunks {
	struct hunk *h;
	size_t n, alloc;
};
#define HUNKS_INIT { 0 }

/* Appends to out. */
int hunks_compare(const char *old, size_t old_len, const char *new, size_t new_len,
		  struct hunks *out, struct strbuf *err);
void hunks_release(struct hunks *hs);

#endif
