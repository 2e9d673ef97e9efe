/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several compilers at once for the oracle (oracle.h). Each worker has a copy of
 * the tree that the compiler sees in the tree's place; what a worker hears is
 * read later, by the one thread that searches. So the number of workers changes
 * how soon an answer is there, never which one.
 *
 *	struct oracle_pool *p = oracle_pool_new(kernel, tree_dir, original, 2);
 *	oracle_pool_run(p, jobs, njobs, err);	// all of them; jobs[i].ret
 *	oracle_pool_free(p);
 *
 * The copies are made when first needed, below TREE_DIR.wN, and removed at the end.
 */
#ifndef KPORT_ORACLE_POOL_H
#define KPORT_ORACLE_POOL_H

#include "harness/checker.h"
#include "port/tree.h"

struct oracle_pool;

struct oracle_job {
	struct tree *tree; /* borrowed */
	const struct kbuild_unit *unit;
	struct kbuild_answer answer;
	int ret;
	struct strbuf err;
};

/* original: what tree_dir holds now; it must go on holding it until the first run. */
struct oracle_pool *oracle_pool_new(const struct kernel *k, const char *tree_dir,
				    struct tree *original, unsigned workers);
void oracle_pool_free(struct oracle_pool *p);
int oracle_pool_run(struct oracle_pool *p, struct oracle_job *jobs, size_t n, struct strbuf *err);

#endif
