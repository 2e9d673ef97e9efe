/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files in which two trees differ, sorted by path. Trees that both sides share
 * are never opened. The paths lie in one buffer that the next comparison overwrites.
 *
 *	struct tree_compare d;
 *	tree_compare_init(&d, objects);
 *	ret = tree_compare(&d, old, new);		// NULL: the empty tree
 *	use(d.files, d.nfiles);
 *	tree_compare_release(&d);
 */
#ifndef KPORT_HISTORY_DIFF_H
#define KPORT_HISTORY_DIFF_H

#include "mine/history-objects.h"
#include "mine/history.h"

struct tree_compare {
	struct objects *objects;
	struct history_file *files;
	size_t nfiles, alloc;
	struct strbuf prefix;	/* of the directory at hand, with "/" */
	struct strbuf paths;	/* of all files; until the end files[].path is an offset */
	size_t opened, depth;
};

/* What a commit may have; more is "oversize": no history of drivers comes near. */
#define TREE_MAX_BYTES	(32u << 20)
#define TREE_MAX_DEPTH	128
#define TREE_MAX_PATH	4096
#define DIFF_MAX_FILES	1000000
#define DIFF_MAX_TREES	400000
#define DIFF_MAX_PATHS	(256u << 20)

void tree_compare_init(struct tree_compare *d, struct objects *objects);
void tree_compare_release(struct tree_compare *d);
enum object_result tree_compare(struct tree_compare *d, const git_oid *old_tree, const git_oid *new_tree);

#endif
