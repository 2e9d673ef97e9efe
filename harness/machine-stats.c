// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/machine-stats.h"

#include <time.h>

#include "base/alloc.h"
#include "base/db.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

static const char *const migrations[] = {
	"CREATE TABLE machine (kernel TEXT NOT NULL, backend TEXT NOT NULL, accel TEXT NOT NULL,"
	" start TEXT NOT NULL, valid INTEGER NOT NULL DEFAULT 0, infra INTEGER NOT NULL DEFAULT 0,"
	" slow INTEGER NOT NULL DEFAULT 0, disagree INTEGER NOT NULL DEFAULT 0,"
	" seconds REAL NOT NULL DEFAULT 0, slowest REAL NOT NULL DEFAULT 0,"
	" last INTEGER NOT NULL, PRIMARY KEY (kernel, backend, accel, start)) WITHOUT ROWID;",
};
static const struct db_migrations schema = { migrations, ARRAY_SIZE(migrations) };

static int open_db(unsigned flags, sqlite3 **db, struct strbuf *err)
{
	char *state = kport_state_dir(), *path = path_join(state, "machines.db");
	int ret = 0;

	if (!(flags & DB_READONLY))
		ret = file_mkdirs(state, err);
	if (ret == 0)
		ret = db_open(path, flags, &schema, db, err);
	free(state);
	free(path);
	return ret;
}

static int add(sqlite3 *db, const struct kernel *k, const struct machine_run *r,
	       enum machine_outcome outcome, struct strbuf *err)
{
	static const char *const columns[] = { "valid", "infra", "slow", "disagree" };
	bool counts = r && (outcome == MACHINE_VALID || outcome == MACHINE_DISAGREES);
	char *sql = xstrfmt("INSERT INTO machine (kernel, backend, accel, start, last, seconds,"
			    " slowest, %s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 1)"
			    " ON CONFLICT DO UPDATE SET %s = %s + 1, last = ?5,"
			    " seconds = seconds + ?6, slowest = max(slowest, ?6)",
			    columns[outcome], columns[outcome], columns[outcome]);
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(db, sql, &st, err);

	if (ret == 0) {
		db_bind_text(st, 1, k->release ? k->release : k->name);
		db_bind_text(st, 2, r && r->backend ? r->backend : "none");
		db_bind_text(st, 3, r ? machine_accel_name(r->accel) : "none");
		db_bind_text(st, 4, r ? machine_from_name(r->from) : "none");
		sqlite3_bind_int64(st, 5, (int64_t)time(NULL));
		sqlite3_bind_double(st, 6, counts ? r->wall : 0);
		ret = db_step_done(st, err);
	}
	sqlite3_finalize(st);
	free(sql);
	return ret;
}

void machine_stats_add(const struct kernel *k, const struct machine_run *r,
		       enum machine_outcome outcome)
{
	struct strbuf err = STRBUF_INIT;
	sqlite3 *db = NULL;

	if (open_db(0, &db, &err) < 0 || add(db, k, r, outcome, &err) < 0)
		log_debug("machine statistics: %s", err.buf);
	db_close(db);
	strbuf_release(&err);
}

static void read_row(sqlite3_stmt *st, struct machine_stat *s)
{
	int64_t runs;

	*s = (struct machine_stat){
		.kernel = xstrdup(db_text(st, 0)), .backend = xstrdup(db_text(st, 1)),
		.accel = xstrdup(db_text(st, 2)), .from = xstrdup(db_text(st, 3)),
		.valid = sqlite3_column_int64(st, 4), .infra = sqlite3_column_int64(st, 5),
		.slow = sqlite3_column_int64(st, 6), .disagree = sqlite3_column_int64(st, 7),
		.mean = sqlite3_column_double(st, 8), .slowest = sqlite3_column_double(st, 9),
		.last = sqlite3_column_int64(st, 10),
	};
	runs = s->valid + s->disagree;
	s->mean = runs ? s->mean / (double)runs : 0;
}

int machine_stats_list(struct machine_stat **out, size_t *n, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	size_t alloc = 0;
	int ret, rc;

	*out = NULL;
	*n = 0;
	/* Made when it is not there: an empty answer is one. */
	ret = open_db(0, &db, err);
	if (ret == 0)
		ret = db_prepare(db,
				 "SELECT kernel, backend, accel, start, valid, infra, slow, disagree,"
				 " seconds, slowest, last FROM machine ORDER BY 1, 2, 3, 4",
				 &st, err);
	while (ret == 0 && (rc = sqlite3_step(st)) != SQLITE_DONE) {
		if (rc != SQLITE_ROW) {
			ret = kp_fail(err, KP_INFRA, "machine statistics: %s", sqlite3_errmsg(db));
			break;
		}
		ALLOC_GROW(*out, *n + 1, alloc);
		read_row(st, &(*out)[(*n)++]);
	}
	sqlite3_finalize(st);
	db_close(db);
	if (ret < 0) {
		machine_stats_free(*out, *n);
		*out = NULL;
		*n = 0;
	}
	return ret;
}

void machine_stats_free(struct machine_stat *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(s[i].kernel);
		free(s[i].backend);
		free(s[i].accel);
		free(s[i].from);
	}
	free(s);
}
