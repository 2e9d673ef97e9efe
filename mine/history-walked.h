/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of a history is walked, kept in the store itself:
 *
 *	walked_range	finished runs: reached from "tips", not from "hidden"
 *	walked_part	runs that did not finish: ids of commits, a row for each transaction
 *	walked_late	commits that no tag held when they were walked
 *	walked_how	first-parent or not: one store does not mix both
 *
 * Ids are kept as 20 bytes each, one after the other. A range that a later one holds
 * whole is dropped when that is finished, so that few rows remain.
 */
#ifndef KPORT_HISTORY_WALKED_H
#define KPORT_HISTORY_WALKED_H

#include "base/db.h"
#include "mine/history-graph.h"

struct walked_range {
	int64_t id;
	struct oids tips, hidden;
	uint64_t commits;
};

struct walked {
	sqlite3 *db;
	struct walked_range *ranges;
	size_t n, alloc;
	struct oids parts;	/* sorted */
	struct oids late;
	sqlite3_stmt *add_part;
};

/* Makes the tables when needed. KP_ERR: walked the other way before. */
int walked_load(struct walked *w, sqlite3 *db, bool first_parent, struct strbuf *err);
void walked_release(struct walked *w);
/* Commits of earlier runs. */
uint64_t walked_commits(const struct walked *w);
/* In the caller's transaction. */
int walked_add_part(struct walked *w, const struct oids *ids, struct strbuf *err);
/* Writes w->late; walked_finish() does it too. */
int walked_set_late(struct walked *w, struct strbuf *err);
/*
 * The run over g is finished, in a transaction of its own: one row for the range, and
 * nothing of what it holds. "commits": of this range, now or earlier. w->late replaces
 * what the store has.
 */
int walked_finish(struct walked *w, const struct graph *g, const struct oids *tips,
		  const struct oids *hidden, uint64_t commits, struct strbuf *err);

#endif
