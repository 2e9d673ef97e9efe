/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Before/after examples in snapshot mode: what the kernel's own sources did
 * between two trees, hunk by hunk of statements, found by the identifiers that
 * the old side uses. One SQLite file for a pair of trees.
 *
 *	struct examples *ex;
 *	examples_mine(old_src, new_src, NULL, path, progress, payload, err);	// some minutes, once
 *	examples_open(path, &ex, err);
 *	n = examples_for(ex, "del_timer", &exclude, 500, &list);
 *	examples_free_list(list, n);
 *	examples_close(ex);
 *
 * Mining writes to PATH.part and renames. An interrupted or killed run goes on
 * where it was; a second one, or one of other trees of the same two versions, mines
 * only the files whose contents changed. A whole pair of trees takes about half
 * a CPU minute. Files that were renamed are compared with what they became.
 */
#ifndef KPORT_EXAMPLES_H
#define KPORT_EXAMPLES_H

#include "base/strbuf.h"
#include "base/strvec.h"

struct example {
	char *path;	/* relative to the trees */
	char *function;	/* around the old side, or NULL */
	char *before;	/* text of the old statements, comments included, as in the file */
	char *after;	/* of the new ones; "" for a deletion */
	int line;	/* of the old side */
	char *commit;	/* 40 hex digits; NULL: found in snapshots */
};

struct examples;

/*
 * Compares the directories in dirs (NULL: drivers, sound, net, fs, block, crypto, lib, samples,
 * arch/x86). progress may be NULL. Files that cannot be read are counted and passed over.
 */
int examples_mine(const char *old_src, const char *new_src, const struct strvec *dirs,
		  const char *path,
		  void (*progress)(uint64_t done, uint64_t total, void *payload), void *payload,
		  struct strbuf *err);
/* Where the examples of two source trees are kept: CACHE/index/examples-HASH.db; newly allocated. */
char *examples_path(const char *old_src, const char *new_src);
int examples_open(const char *path, struct examples **out, struct strbuf *err);
void examples_close(struct examples *ex);
/*
 * Examples whose old side uses the identifier, at most max, in order of path.
 * exclude: files or directories whose examples are left out (the driver being
 * ported), and every other file of the same base name. Returns how many; the list is the caller's.
 */
size_t examples_for(struct examples *ex, const char *ident, const struct strvec *exclude,
		    size_t max, struct example **out);
/* What the file is called in the new tree; newly allocated, NULL when it is not there. */
char *examples_new_path(struct examples *ex, const char *path);
/*
 * Must evidence from this path stay out? It is excluded itself or has the base name of a
 * file that is. The one rule for all that is learned: the engine never sees a newer
 * version of the driver that it ports.
 */
bool examples_excluded(const struct strvec *exclude, const char *path);
void examples_free_list(struct example *list, size_t n);
/*
 * The same without exclude, but when there are more than max, an even sample of the
 * whole tree instead of the first: for people, who then want the best of them.
 */
size_t examples_sample(struct examples *ex, const char *ident, size_t max, struct example **out);
/*
 * Puts the examples that show most first: small, the old name replaced (by to_name, when
 * that is known; NULL: not), each from another directory; deletions last, and what only
 * happens to stand beside the name behind those. Returns how many show anything.
 */
size_t examples_rank(struct example *list, size_t n, const char *ident, const char *to_name);
/*
 * The identifier that most often is new where this one is gone: newly allocated, with how
 * many of how many examples; NULL when fewer than two, or a third of them, agree.
 */
/* How many only delete. When they are most of all, examples_rank() puts them first. */
size_t examples_deletions(const struct example *list, size_t n);
char *examples_replacement(const struct example *list, size_t n, const char *ident, size_t *agree, size_t *of);

struct examples_stats {
	uint64_t files;	     /* pairs */
	uint64_t changed;    /* pairs that differ */
	uint64_t renamed;    /* pairs whose paths differ */
	uint64_t reused;     /* changed pairs that an earlier run had mined */
	uint64_t unreadable; /* or larger than 2 MiB */
	uint64_t hunks;
};
/* Figures of the mining, as stored. */
int examples_stats(struct examples *ex, struct examples_stats *out, struct strbuf *err);

#endif
