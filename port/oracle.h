/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast oracle: what does the target's compiler say about one unit of the
 * driver in a given state of its tree? One translation unit, syntax and types
 * only, with the exact command that Kbuild used.
 *
 *	struct oracle *o;
 *	oracle_new(kernel, build->units, build->nunits, tree_dir, tree, cache, &o, err);
 *	oracle_check(o, tree2, unit, &breakages, err);
 *	oracle_free(o);	// puts the files of "tree" back
 *
 * Answers are cached by content (command, kernel, every text that the unit may
 * see), in memory and in the content cache, so that a run that was killed goes
 * on where it was. tree_dir is where the units' commands look: the oracle writes
 * the state that it checks there.
 */
#ifndef KPORT_ORACLE_H
#define KPORT_ORACLE_H

#include "base/cache.h"
#include "harness/kbuild.h"
#include "port/breakage.h"

struct oracle;

struct oracle_stats {
	unsigned checks;   /* answers that were asked for */
	unsigned compiled; /* compiler runs; the rest came from the cache */
	double cpu, wall;
};

/* units must outlive the oracle; on_disk is what tree_dir holds now; cache may be NULL. */
int oracle_new(const struct kernel *k, const struct kbuild_unit *units, size_t nunits,
	       const char *tree_dir, struct tree *on_disk, struct cache *cache,
	       struct oracle **out, struct strbuf *err);
void oracle_free(struct oracle *o);
/* Folded diagnostics as breakages, appended to out. */
int oracle_check(struct oracle *o, struct tree *t, size_t unit, struct breakage_list *out,
		 struct strbuf *err);
/*
 * How many compilers may run at once (1: none but the one that is waited for).
 * They only answer sooner what oracle_check() is asked later.
 */
void oracle_set_jobs(struct oracle *o, unsigned jobs);
struct oracle_request {
	struct tree *tree;
	size_t unit;
};
/* Find the answers that are not known yet; they are not counted as checks. */
int oracle_prefetch(struct oracle *o, const struct oracle_request *r, size_t n,
		    struct strbuf *err);
unsigned oracle_jobs(const struct oracle *o);
/* Breakages known from the old kernel (strmap of keys); they are marked inherited. */
void oracle_set_baseline(struct oracle *o, const struct strmap *keys);
size_t oracle_units(const struct oracle *o);
/* Does the unit see any file in which the two trees differ? (its own source, what it includes) */
bool oracle_unit_differs(struct oracle *o, struct tree *a, struct tree *b, size_t unit);
const struct oracle_stats *oracle_stats(const struct oracle *o);

#endif
