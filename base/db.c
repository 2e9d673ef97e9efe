// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/db.h"

#include "base/clock.h"
#include "base/error.h"

#define BUSY_MS 30000
#define OPEN_AGAIN_SECONDS 2.0

/* Disk full and the like are the machine's fault; the rest is the file's. */
static int code_of(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_NOMEM:
		return KP_INFRA;
	default:
		return KP_ERR;
	}
}

static const char *name_of(sqlite3 *db)
{
	const char *path = sqlite3_db_filename(db, "main");

	return path && *path ? path : "database in memory";
}

static int db_fail(sqlite3 *db, struct strbuf *err)
{
	return kp_fail(err, code_of(sqlite3_errcode(db)), "'%s': %s", name_of(db),
		       sqlite3_errmsg(db));
}

int db_exec(sqlite3 *db, const char *sql, struct strbuf *err)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_fail(db, err);
}

int db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct strbuf *err)
{
	if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) != SQLITE_OK)
		return db_fail(db, err);
	return 0;
}

int db_step_done(sqlite3_stmt *st, struct strbuf *err)
{
	int rc = sqlite3_step(st), ret = 0;

	if (rc == SQLITE_ROW)
		ret = kp_fail(err, KP_ERR, "'%s': rows from a statement that returns none",
			      sqlite3_sql(st));
	else if (rc != SQLITE_DONE)
		ret = db_fail(sqlite3_db_handle(st), err);
	sqlite3_reset(st);
	return ret;
}

void db_bind_text(sqlite3_stmt *st, int i, const char *s)
{
	sqlite3_bind_text(st, i, s, -1, SQLITE_TRANSIENT);
}

const char *db_text(sqlite3_stmt *st, int col)
{
	return (const char *)sqlite3_column_text(st, col);
}

static int user_version(sqlite3 *db, int *out, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(db, "PRAGMA user_version", &st, err);

	if (ret < 0)
		return ret;
	if (sqlite3_step(st) == SQLITE_ROW)
		*out = sqlite3_column_int(st, 0);
	else
		ret = db_fail(db, err);
	sqlite3_finalize(st);
	return ret;
}

static int migrate_one(sqlite3 *db, const char *sql, int to, struct strbuf *err)
{
	char pragma[48];
	int ret = db_exec(db, sql, err);

	snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", to);
	return ret < 0 ? ret : db_exec(db, pragma, err);
}

static int check_version(sqlite3 *db, const struct db_migrations *m, bool readonly, int *version,
			 struct strbuf *err)
{
	int ret = user_version(db, version, err);

	if (ret < 0)
		return ret;
	if (*version > m->n)
		return kp_fail(err, KP_ERR,
			       "'%s' was written by a newer kport (schema %d, this one knows %d)",
			       name_of(db), *version, m->n);
	if (readonly && *version < m->n)
		return kp_fail(err, KP_ERR, "'%s' has the old schema %d, %d is needed", name_of(db),
			       *version, m->n);
	return 0;
}

/* The version is read again inside: another process may migrate as well. */
static int migrate(sqlite3 *db, const struct db_migrations *m, struct strbuf *err)
{
	int version, ret = check_version(db, m, false, &version, err);

	while (!ret && version < m->n) {
		ret = db_exec(db, "BEGIN IMMEDIATE", err);
		if (ret < 0)
			break;
		ret = check_version(db, m, false, &version, err);
		if (!ret && version < m->n) {
			ret = migrate_one(db, m->sql[version], version + 1, err);
			version++;
		}
		if (!ret)
			ret = db_exec(db, "COMMIT", err);
		if (ret < 0 && !sqlite3_get_autocommit(db))
			sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	}
	return ret;
}

/* Tables without a version are of another program: nothing is added to its file. */
static int check_ours(sqlite3 *db, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(db,
			     "SELECT 1 FROM pragma_user_version WHERE user_version = 0"
			     " AND EXISTS (SELECT 1 FROM sqlite_master)",
			     &st, err);

	if (ret < 0)
		return ret;
	switch (sqlite3_step(st)) {
	case SQLITE_ROW:
		ret = kp_fail(err, KP_ERR, "'%s' is the database of another program", name_of(db));
		break;
	case SQLITE_DONE:
		break;
	default:
		ret = db_fail(db, err);
	}
	sqlite3_finalize(st);
	return ret;
}

static int set_up(sqlite3 *db, unsigned flags, struct strbuf *err)
{
	const char *modes = "PRAGMA foreign_keys = ON";
	int ret;

	/* Files may come from elsewhere: no SQL functions from their schema. */
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	ret = db_exec(db, modes, err);
	if (ret < 0 || (flags & DB_READONLY))
		return ret;
	if (flags & DB_FAST_IMPORT)
		return db_exec(db,
			       "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
			       "PRAGMA cache_size = -65536",
			       err);
	return db_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", err);
}

/* again: another process was at the same point; a new connection is likely to do. */
static int open_once(const char *path, unsigned flags, const struct db_migrations *m, sqlite3 **out,
		     bool *again, struct strbuf *err)
{
	int how = flags & DB_READONLY ? SQLITE_OPEN_READONLY :
					SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	sqlite3 *db = NULL;
	int version, ret;

	*out = NULL;
	*again = false;
	if ((flags & DB_READONLY) && access(path, F_OK) < 0)
		return kp_fail_errno(err, "cannot open '%s'", path);
	if (sqlite3_open_v2(path, &db, how, NULL) != SQLITE_OK) {
		ret = kp_fail(err, KP_INFRA, "cannot open '%s': %s", path,
			      db ? sqlite3_errmsg(db) : "out of memory");
		goto out;
	}
	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, BUSY_MS);
	/* Without a journal a first version that was cut short looks the same. */
	ret = m && !(flags & (DB_READONLY | DB_FAST_IMPORT)) ? check_ours(db, err) : 0;
	if (!ret)
		ret = set_up(db, flags, err);
	if (!ret && m)
		ret = flags & DB_READONLY ? check_version(db, m, true, &version, err) :
					    migrate(db, m, err);
out:
	if (ret < 0) {
		int rc = sqlite3_errcode(db) & 0xff;

		*again = rc == SQLITE_BUSY || rc == SQLITE_LOCKED || rc == SQLITE_IOERR;
		sqlite3_close(db);
	} else {
		*out = db;
	}
	return ret;
}

/*
 * Processes that open a new file at once meet in the change to WAL, and one that opens it
 * meets the last one that closes it: SQLite then answers "locked" or "disk I/O error" without
 * waiting. A disk that is really at fault is so again.
 */
int db_open(const char *path, unsigned flags, const struct db_migrations *m, sqlite3 **out,
	    struct strbuf *err)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	double start = clock_seconds();
	struct strbuf why = STRBUF_INIT;
	bool again;
	int ret;

	for (;;) {
		strbuf_reset(&why);
		ret = open_once(path, flags, m, out, &again, &why);
		if (!ret || !again || clock_seconds() - start > OPEN_AGAIN_SECONDS)
			break;
		nanosleep(&pause, NULL);
	}
	if (ret)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	return ret;
}

void db_close(sqlite3 *db)
{
	if (db)
		sqlite3_close_v2(db);
}
