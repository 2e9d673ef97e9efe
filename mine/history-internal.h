/* SPDX-License-Identifier: GPL-2.0-only */
/* What history.c and history-run.c share: one walk. */
#ifndef KPORT_HISTORY_INTERNAL_H
#define KPORT_HISTORY_INTERNAL_H

#include "mine/history-graph.h"
#include "mine/history-release.h"
#include "mine/history-walked.h"
#include "mine/history.h"

/* Bytes of objects that a thread keeps: trees and commits; blobs for the examiner. */
#define TREE_CACHE (32u << 20)
#define BLOB_CACHE (24u << 20)

struct walk {
	const struct history_walk *w;
	git_repository *repo;
	struct packs *packs;
	struct objects *objects;
	struct oids tips, hidden, shallow;
	struct walked walked;
	struct graph graph;
	struct releases releases;
	uint32_t *todo;		/* nodes to examine, in order */
	size_t ntodo;
	struct history_figures figures;
};

int history_open_repo(const char *path, git_repository **out, struct strbuf *err);
/* Examines and stores "todo". */
int history_run(struct walk *k, sqlite3 *db, struct strbuf *err);

#endif
