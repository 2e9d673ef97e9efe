// SPDX-License-Identifier: GPL-2.0-only
/* The history of nights in SQLite. A result is there as a whole or not at all. */
#include "base/compat.h"
#include "drivebench/nightly.h"

#include <time.h>

#include "base/alloc.h"
#include "base/db.h"
#include "base/error.h"
#include "base/file.h"

static const char *const sql[] = {
	"CREATE TABLE nights(id TEXT PRIMARY KEY, started TEXT NOT NULL, ended TEXT, verdict TEXT, program TEXT NOT NULL);"
	"CREATE TABLE results(night TEXT NOT NULL REFERENCES nights(id) ON DELETE CASCADE, driver TEXT NOT NULL, kernel TEXT NOT NULL,"
	" version INTEGER NOT NULL, try INTEGER NOT NULL, key TEXT NOT NULL, outcome TEXT NOT NULL, words TEXT NOT NULL,"
	" dir TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY(night, driver, kernel, try));"
	"CREATE INDEX results_key ON results(key);",
};

int nightly_store_open(struct nightly *n, struct strbuf *err)
{
	const struct db_migrations m = { .sql = sql, .n = ARRAY_SIZE(sql) };
	char *path = path_join(n->dir, "nightly.db");
	int ret = db_open(path, 0, &m, &n->db, err);

	free(path);
	return ret;
}

/* The first column of the first row, newly allocated; NULL when there is none. */
static int ask(struct nightly *n, const char *query, const char *const *args, char **out, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(n->db, query, &st, err);

	*out = NULL;
	if (ret)
		return ret;
	for (int i = 0; args && args[i]; i++)
		db_bind_text(st, i + 1, args[i]);
	if (sqlite3_step(st) == SQLITE_ROW && db_text(st, 0))
		*out = xstrdup(db_text(st, 0));
	sqlite3_finalize(st);
	return 0;
}

static void now(char *out, size_t size, const char *format)
{
	time_t t = time(NULL);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(out, size, format, &tm);
}

static int put_night(struct nightly *n, struct strbuf *err)
{
	char started[32];
	sqlite3_stmt *st;
	int ret = db_prepare(n->db, "INSERT INTO nights(id, started, program) VALUES(?, ?, ?)", &st, err);

	if (ret)
		return ret;
	now(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ");
	db_bind_text(st, 1, n->id);
	db_bind_text(st, 2, started);
	db_bind_text(st, 3, n->program.hex);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

int nightly_store_begin(struct nightly *n, struct strbuf *err)
{
	char *taken = NULL, id[64];
	int ret = ask(n, "SELECT id FROM nights WHERE verdict IS NULL ORDER BY id DESC LIMIT 1", NULL, &n->id, err);

	if (!ret)
		ret = ask(n, "SELECT id FROM nights WHERE verdict = 'good' ORDER BY id DESC LIMIT 1", NULL, &n->good, err);
	if (ret || n->id)
		return ret;
	/* Ids sort by time; two nights in one second do not happen to people, but to tests. */
	for (unsigned k = 0; !ret && !n->id; k++) {
		char stamp[32];

		now(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ");
		snprintf(id, sizeof(id), "%s.%03u", stamp, k);
		ret = ask(n, "SELECT id FROM nights WHERE id = ?", (const char *const[]){ id, NULL }, &taken, err);
		if (!ret && !taken)
			n->id = xstrdup(id);
		free(taken);
	}
	return ret ? ret : put_night(n, err);
}

static void take_row(sqlite3_stmt *st, struct night_unit *u)
{
	u->outcome = xstrdup(db_text(st, 0));
	u->words = xstrdup(db_text(st, 1));
	u->dir = xstrdup(db_text(st, 2));
	u->seconds = sqlite3_column_double(st, 3);
	u->tries = sqlite3_column_int(st, 4);
}

static int find(struct nightly *n, const char *query, const char *a, const char *b, const char *c, struct night_unit *u,
		struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(n->db, query, &st, err);

	if (ret)
		return ret;
	db_bind_text(st, 1, a);
	db_bind_text(st, 2, b);
	db_bind_text(st, 3, c);
	if (sqlite3_step(st) == SQLITE_ROW)
		take_row(st, u);
	sqlite3_finalize(st);
	return 0;
}

int nightly_store_find(struct nightly *n, struct night_unit *u, struct strbuf *err)
{
	/* What the machine was to blame for is tried again. */
	int ret = find(n, "SELECT outcome, words, dir, seconds, try FROM results WHERE night = ? AND driver = ? AND kernel = ?"
			  " AND outcome <> 'infra' ORDER BY try DESC LIMIT 1", n->id, u->driver->name, u->kernel->release, u, err);

	if (ret || u->outcome || n->o.again)
		return ret;
	ret = find(n, "SELECT outcome, words, dir, seconds, try FROM results WHERE key = ? AND night <> ? AND driver = ?"
		      " AND outcome <> 'infra' ORDER BY night DESC, try DESC LIMIT 1", u->key.hex, n->id, u->driver->name, u, err);
	u->carried = !ret && u->outcome;
	return ret;
}

int nightly_store_put(struct nightly *n, const struct night_unit *u, int try, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(n->db, "INSERT OR REPLACE INTO results(night, driver, kernel, version, try, key, outcome, words, dir, seconds)"
				    " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &st, err);

	if (ret)
		return ret;
	db_bind_text(st, 1, n->id);
	db_bind_text(st, 2, u->driver->name);
	db_bind_text(st, 3, u->kernel->release);
	sqlite3_bind_int64(st, 4, u->kernel->version);
	sqlite3_bind_int(st, 5, try);
	db_bind_text(st, 6, u->key.hex);
	db_bind_text(st, 7, u->outcome);
	db_bind_text(st, 8, u->words);
	db_bind_text(st, 9, u->dir);
	sqlite3_bind_double(st, 10, u->seconds);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

int nightly_store_before(struct nightly *n, struct night_unit *u, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret;

	if (!n->good)
		return 0;
	ret = db_prepare(n->db, "SELECT outcome, kernel FROM results WHERE night = ?1 AND driver = ?2 AND (kernel = ?3 OR version <= ?4)"
				" ORDER BY kernel = ?3 DESC, version DESC, kernel DESC, try DESC LIMIT 1", &st, err);
	if (ret)
		return ret;
	db_bind_text(st, 1, n->good);
	db_bind_text(st, 2, u->driver->name);
	db_bind_text(st, 3, u->kernel->release);
	sqlite3_bind_int64(st, 4, u->kernel->version);
	if (sqlite3_step(st) == SQLITE_ROW) {
		u->before = xstrdup(db_text(st, 0));
		u->before_kernel = strcmp(db_text(st, 1), u->kernel->release) ? xstrdup(db_text(st, 1)) : NULL;
	}
	sqlite3_finalize(st);
	return 0;
}

int nightly_store_flaky(struct nightly *n, const struct night_unit *u, bool *yes, struct strbuf *err)
{
	char *both = NULL;
	int ret = ask(n, "SELECT 1 FROM results WHERE key = ?1 AND outcome IN ('ported', 'review')"
			 " AND EXISTS(SELECT 1 FROM results WHERE key = ?1 AND outcome = 'not') LIMIT 1",
		      (const char *const[]){ u->key.hex, NULL }, &both, err);

	*yes = both;
	free(both);
	return ret;
}

int nightly_store_end(struct nightly *n, const char *verdict, struct strbuf *err)
{
	char ended[32];
	sqlite3_stmt *st;
	int ret = db_prepare(n->db, "UPDATE nights SET ended = ?, verdict = ? WHERE id = ?", &st, err);

	if (ret)
		return ret;
	now(ended, sizeof(ended), "%Y-%m-%dT%H:%M:%SZ");
	db_bind_text(st, 1, ended);
	db_bind_text(st, 2, verdict);
	db_bind_text(st, 3, n->id);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

/* ---- pruning -------------------------------------------------------------------------------- */

/* Directories of nights that no result refers to. */
static int remove_dirs(struct nightly *n, struct strbuf *err)
{
	char *nights = path_join(n->dir, "nights");
	struct strvec used = STRVEC_INIT, there = STRVEC_INIT;
	sqlite3_stmt *st;
	int ret = db_prepare(n->db, "SELECT DISTINCT substr(dir, 1, instr(substr(dir, 8), '/') + 6) FROM results UNION"
				    " SELECT 'nights/' || id FROM nights", &st, err);

	if (!ret) {
		while (sqlite3_step(st) == SQLITE_ROW)
			strvec_push(&used, db_text(st, 0));
		sqlite3_finalize(st);
		ret = file_names(nights, &there, err);
	}
	for (size_t i = 0; !ret && i < there.n; i++) {
		char *rel = path_join("nights", there.v[i]), *path = path_join(n->dir, rel);

		if (!strvec_contains(&used, rel))
			ret = file_remove(path, err);
		free(rel);
		free(path);
	}
	strvec_release(&used);
	strvec_release(&there);
	free(nights);
	return ret;
}

int nightly_prune(struct nightly *n, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret;

	if (n->o.keep <= 0)
		return 0;
	ret = db_prepare(n->db, "DELETE FROM nights WHERE id NOT IN (SELECT id FROM nights ORDER BY id DESC LIMIT ?)"
				" AND id <> coalesce((SELECT max(id) FROM nights WHERE verdict = 'good'), '')", &st, err);
	if (ret)
		return ret;
	sqlite3_bind_int64(st, 1, n->o.keep);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret ? ret : remove_dirs(n, err);
}
