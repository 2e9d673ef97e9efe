/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Candidate edits. An edit replaces the bytes [start, end) of one file of the
 * tree it was made for; a group is what is applied together or not at all, with
 * the reason for it: which kernel change, on what evidence, at what risk.
 */
#ifndef KPORT_EDIT_H
#define KPORT_EDIT_H

#include <jansson.h>
#include "base/strbuf.h"
#include "port/tree.h"

/* ENGINE.md: what a person has to look at. */
enum risk {
	RISK_SAFE,   /* include, signature, well supported replacement */
	RISK_REVIEW, /* rename by similarity, default argument, accessor, ... */
	RISK_SHOWN   /* shown, never counted as ported: deletion, stub, carry-over */
};

enum edit_source { EDIT_RULE, EDIT_MINED, EDIT_TYPED, EDIT_MODEL };

struct edit {
	char *path;
	size_t start, end;
	char *text;
};

struct edit_group {
	/*
	 * The kernel change as a commit subject without prefix, the same for all
	 * groups that belong into one patch: "use <linux/unaligned.h>",
	 * "follow the void return of platform_driver.remove".
	 */
	char *title;
	char *why;	/* evidence in sentences: old and new declaration, release, where from */
	char *technique; /* "include", "rename", "callback", "rule:timer_delete", ... */
	char *symbol;	/* kernel symbol that the change is about, or NULL */
	char *since;	/* "6.15" or NULL */
	char *commit;	/* mainline commit id or NULL */
	char *assisted; /* the model that wrote it, or NULL */
	char *answer;	/* hash of the edits as the model wrote them, or NULL */
	enum edit_source source;
	enum risk risk;
	double score;	/* 0..1: how much the proposer believes in it */
	struct edit *e;
	size_t n, alloc;
};

struct edit_group *edit_group_new(enum edit_source source, const char *technique,
				  enum risk risk, double score);
void edit_group_free(struct edit_group *g);
void edit_group_title(struct edit_group *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Appends one sentence to "why". */
void edit_group_why(struct edit_group *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Text uses \n; it is turned into the file's line ends when applied. */
void edit_add(struct edit_group *g, const char *path, size_t start, size_t end, const char *text);
/* Drops the edits behind the first n. */
void edit_group_truncate(struct edit_group *g, size_t n);
/* Edits that turn the text of "f" into new_text, minimal by lines and by tokens within a changed line pair. */
int edit_add_rewrite(struct edit_group *g, struct srcfile *f, const char *new_text, size_t len,
		     struct strbuf *err);
/*
 * Include <header> in f: after the include that sorts before it when the block is
 * sorted, else at the end of the last block of <linux/...> includes. No-op
 * (returns false) when f includes it already.
 */
bool edit_add_include(struct edit_group *g, struct srcfile *f, const char *header);
/* Remove the line of this include. false when there is none. */
bool edit_drop_include(struct edit_group *g, struct srcfile *f, const char *header);
/* Each identifier token "from" becomes "to" in f, not as member (after . or ->) unless members. Returns how many. */
size_t edit_rename_ident(struct edit_group *g, struct srcfile *f, const char *from, const char *to,
			 bool members);
/* Two groups touch the same bytes of the same file. */
bool edit_groups_conflict(const struct edit_group *a, const struct edit_group *b);
bool edit_groups_equal(const struct edit_group *a, const struct edit_group *b);
const char *risk_name(enum risk r);		/* "safe", "review", "shown" */
const char *edit_source_name(enum edit_source s); /* "rule", "mined", "typed", "model" */

struct edit_group_list {
	struct edit_group **g;
	size_t n, alloc;
};
void edit_group_list_add(struct edit_group_list *l, struct edit_group *g); /* takes */
void edit_group_list_release(struct edit_group_list *l);

#endif
