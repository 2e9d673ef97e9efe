/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SQLite with WAL, foreign keys, a busy time-out and numbered migrations
 * (PRAGMA user_version). Opening a database newer than the migrations known is
 * an error that says so.
 */
#ifndef KPORT_DB_H
#define KPORT_DB_H

#include <sqlite3.h>
#include "base/strbuf.h"

struct db_migrations {
	const char *const *sql; /* sql[i] brings version i to i+1, in one transaction */
	int n;
};

enum db_flags {
	DB_READONLY = 1 << 0,
	DB_FAST_IMPORT = 1 << 1, /* no WAL, no sync: for a scratch file renamed later */
};

int db_open(const char *path, unsigned flags, const struct db_migrations *m, sqlite3 **out,
	    struct strbuf *err);
void db_close(sqlite3 *db);
int db_exec(sqlite3 *db, const char *sql, struct strbuf *err);
int db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct strbuf *err);
/* One step of a statement that returns no rows, then reset. */
int db_step_done(sqlite3_stmt *st, struct strbuf *err);
void db_bind_text(sqlite3_stmt *st, int i, const char *s); /* NULL binds NULL; copied */
const char *db_text(sqlite3_stmt *st, int col); /* NULL stays NULL; until the next step */

#endif
