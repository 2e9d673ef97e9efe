/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walking a git history: every commit of a range once, oldest first, with the
 * files that it changed. Workers compare trees and examine commits; one thread
 * stores what they found, in the walk's order, so that equal histories give equal
 * stores whatever the number of workers.
 *
 *	struct history_walk w = { .repo = "linux", .range = "v6.1..v6.12", .examiner = &ex };
 *	struct history_figures f;
 *	history_walk(&w, db, &f, err);
 *
 * What was walked is remembered in db (tables walked_*), in the same transactions
 * as what store() writes: a run that was killed goes on where it was, a second
 * run over a newer tag reads only the commits that are new. Memory does not grow
 * with the length of the history apart from some 80 bytes a commit. One store holds
 * the history of first parents or the whole one, never both. A commit is stored once,
 * except where a repository was rewritten so that it lost what was walked.
 *
 * A tree that both sides share is never opened. Merges are passed over (counted)
 * unless first_parent, where each is the change to its first parent. Commits, trees
 * or blobs that are missing, broken or too large are counted by kind in the
 * figures, named at log level "verbose", and passed over; the boundary of a shallow
 * clone is such a place. A message is looked at up to 64 KiB. What cannot be read at all
 * (a commit of more than 256 MiB, too) cuts the history off: figures "cut". Hashes are not verified; replacements and grafts are not
 * followed. Errors: KP_ERR no repository, no such revision, not a commit;
 * KP_NOTFOUND the range holds no commit; KP_INTERRUPTED.
 */
#ifndef KPORT_HISTORY_H
#define KPORT_HISTORY_H

#include <git2.h>
#include "base/db.h"
#include "base/strbuf.h"

struct history_file {
	const char *path;
	git_oid old_id, new_id;	/* all zero: not there on that side */
	unsigned old_mode, new_mode; /* as in a tree: 0100644, 0120000 link, 0160000 submodule; 0: not there */
};

struct objects;

struct history_commit {
	git_oid id, parent;	/* parent all zero: a root */
	int64_t time, author_time; /* seconds since 1970: of the commit, of the author */
	uint64_t author;	/* hash of the author's address; no name is kept */
	unsigned nparents;
	const char *release;	/* first tag that holds it ("v6.3", release candidates count as their release) or NULL */
	const char *message;	/* whole, may be empty; invalid UTF-8 replaced */
	const struct history_file *files; /* sorted by path; renames are a deletion and an addition */
	size_t nfiles;
	struct objects *blobs;	/* the worker's reader, while it is examined; see mine/history-objects.h */
};

struct history_examiner {
	/* In a worker, with its own handle of the repository. NULL: nothing to store. */
	void *(*examine)(git_repository *repo, const struct history_commit *c, void *payload);
	/* In one thread, in the walk's order, inside a transaction; takes result. */
	int (*store)(sqlite3 *db, const struct history_commit *c, void *result, void *payload,
		     struct strbuf *err);
	/*
	 * A commit of an earlier run, stored or not, that no tag held then: it got a release
	 * since. May be called for one that has the same already. NULL: not wanted.
	 */
	int (*released)(sqlite3 *db, const git_oid *id, const char *release, void *payload,
			struct strbuf *err);
	void (*discard)(void *result);
	void *payload;
};

struct history_figures {
	uint64_t commits;	/* walked now */
	uint64_t known;		/* in the store from earlier runs */
	uint64_t merges;	/* passed over */
	uint64_t broken, missing, oversize; /* commits or objects that could not be read */
	uint64_t shallow;	/* commits whose parents the clone does not have */
	uint64_t cut;		/* commits that cannot be read: the history behind them is not known */
	uint64_t long_message;	/* commits of whose message only the beginning was looked at */
	uint64_t bad_packs;	/* packs or their indexes that are damaged */
	bool kernel;		/* the newest commit holds a Linux kernel */
};

struct history_walk {
	const char *repo;	/* work tree, .git directory or bare repository */
	const char *range;	/* "A..B", "A", NULL: HEAD; tags, branches, commits */
	bool all;		/* all references; range is not looked at */
	bool first_parent;
	int jobs;		/* 0: number of processors */
	const struct history_examiner *examiner;
	void (*progress)(uint64_t done, uint64_t total, void *payload); /* total 0: not known yet */
	void *payload;
};

int history_walk(const struct history_walk *w, sqlite3 *db, struct history_figures *out,
		 struct strbuf *err);

#endif
