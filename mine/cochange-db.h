/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store of co-changes: tables, writing them while a history is walked, and what
 * is settled afterwards. For mine/cochange-*.c alone.
 *
 *	str		texts, each once
 *	cc		commits: as they were judged alone; base says what they are
 *	change		changes of the interface of a commit (via = 0), and for a commit that
 *			follows another's change what it follows (via = 1)
 *	mention		names in the messages of commits that are no co-change by themselves
 *	fix		"Fixes:" and reverts
 *	link		a commit of its own that follows another's change (cochange-links.c)
 *	tried		pairs that were compared for that, with the answer
 *	hunk, uses	examples
 *	meta		how the store was made
 *
 * Nothing that is settled afterwards depends on the order or on the increments in which
 * commits came: it is a function of the commits that are there.
 */
#ifndef KPORT_COCHANGE_DB_H
#define KPORT_COCHANGE_DB_H

#include "base/db.h"
#include "mine/cochange-internal.h"

extern const struct db_migrations cc_schema;

/* Names in "meta" besides "examples". The repository's path is left out of what is exported. */
#define COCHANGE_META_REPOSITORY "repository"
#define COCHANGE_META_RANGE	 "range"
#define COCHANGE_META_MINED	 "mined" /* seconds since 1970 */
#define COCHANGE_META_CUT	 "cut"	 /* commits that could not be read, behind which nothing is known */
#define COCHANGE_META_SHALLOW	 "shallow"

enum cc_base { CC_CANDIDATE, CC_HEADER_ONLY, CC_FOLLOWER };

struct cc_writer;

/* db must outlive the writer. */
int cc_writer_new(sqlite3 *db, struct cc_writer **out, struct strbuf *err);
void cc_writer_free(struct cc_writer *w);
/* One commit; in the caller's transaction. */
int cc_write(struct cc_writer *w, const struct history_commit *c, const struct cc_result *r,
	     struct strbuf *err);
/* Of a commit that had none when it was written, if it was. */
int cc_set_release(struct cc_writer *w, const git_oid *id, const char *release, struct strbuf *err);
/* Number of a text, 0 for NULL; negative for an error. */
int64_t cc_str(struct cc_writer *w, const char *s, struct strbuf *err);
int cc_write_examples(struct cc_writer *w, int64_t cc, const struct cc_examples *ex, size_t n,
		      struct strbuf *err);

/* Commits that follow a change of another commit; in the caller's transaction. */
int cc_settle_links(sqlite3 *db, struct cc_writer *w, const char *repo, int jobs, bool examples,
		    struct strbuf *err);
/* fixed_by and reverted of all commits. */
int cc_settle_fixes(sqlite3 *db, struct strbuf *err);

#endif
