/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A breakage is a root cause of failure in one unit of the driver: a folded
 * diagnostic with its site mapped into the driver's text.
 */
#ifndef KPORT_BREAKAGE_H
#define KPORT_BREAKAGE_H

#include "harness/diag.h"
#include "port/tree.h"

struct breakage {
	struct diag diag;
	int unit;	   /* index of the unit, -1: modpost */
	char *path;	   /* file in the tree; NULL when the site is in no file of the driver */
	size_t start, end; /* bytes of the caret range in that file; equal when unknown */
	char *function;	   /* enclosing function or NULL */
	char *key;	   /* identity that survives edits elsewhere: kind, symbol, types, path, function */
	bool inherited;	   /* was there on the old kernel as well: not drift */
	double weight;	   /* how much it hides: 1, a missing header much more */
};

struct breakage_list {
	struct breakage *b;
	size_t n, alloc;
};

/*
 * Breakages of one unit's folded diagnostics. tree_dir: where the compiler saw
 * the tree. "before": keys that existed on the old kernel, or NULL.
 */
struct strmap;
void breakages_from_diags(const struct diag_list *diags, int unit, const char *tree_dir,
			  const struct tree *t, const struct strmap *before,
			  struct breakage_list *out);
void breakage_copy(struct breakage *dst, const struct breakage *src);
void breakage_release(struct breakage *b);
void breakage_list_release(struct breakage_list *l);
/* How many have this key. */
size_t breakage_list_count(const struct breakage_list *l, const char *key);
/* Something to repair: neither inherited nor a mere sign (unused function or variable). */
bool breakage_is_work(const struct breakage *b);
double breakage_list_weight(const struct breakage_list *l);
/* Order of work: missing headers, unknown types and macros, declarations, signatures, the rest. */
int breakage_rank(const struct breakage *b);
json_t *breakage_json(const struct breakage *b);

#endif
