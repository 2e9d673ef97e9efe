// SPDX-License-Identifier: GPL-2.0-only
/*
 * A database from elsewhere, before anything is read from it: whole, exactly our
 * tables, and numbers that the readers may rely on.
 */
#include "base/compat.h"
#include "mine/share-internal.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/apidiff-internal.h"
#include "mine/cochange-db.h"
#include "mine/examples-db.h"
#include "mine/history-walked.h"
#include "mine/layout-internal.h"

static const struct db_migrations *schema_of(enum share_part part)
{
	switch (part) {
	case SHARE_DIFF: return &diff_schema;
	case SHARE_EXAMPLES: return &examples_schema;
	case SHARE_LAYOUT: return &layout_schema;
	case SHARE_STORE: return &cc_schema;
	default: return &index_schema;
	}
}

/* What is made when a store is complete, beyond its migrations. */
static const char *finish_of(enum share_part part)
{
	return part == SHARE_EXAMPLES ? EXAMPLES_LAST_INDEX : "";
}

/* Each has to give no row. */
static const char *const index_rules[] = {
	"SELECT 1 FROM name WHERE first < 0 OR n < 0 OR n > 10000000 OR first + n - 1 >"
	" (SELECT ifnull(max(id), 0) FROM symbol)",
	"SELECT 1 WHERE (SELECT ifnull(max(id), 0) FROM symbol) > (SELECT count(*) FROM symbol)",
	"SELECT 1 WHERE (SELECT ifnull(max(id), 0) FROM header) > (SELECT count(*) FROM header)",
	"SELECT 1 WHERE (SELECT ifnull(max(id), 0) FROM str) > 50000000",
	"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM meta WHERE key = 'release' AND value <> '')",
	"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM meta WHERE key = 'key' AND value <> '')",
	NULL
};
static const char *const diff_rules[] = {
	"SELECT 1 WHERE (SELECT ifnull(max(id), 0) FROM change) > (SELECT count(*) FROM change)",
	"SELECT 1 FROM change WHERE kind < 0 OR kind > 63 OR typeof(kind) <> 'integer'",
	NULL
};
static const char *const store_rules[] = {
	"SELECT 1 FROM cc WHERE length(sha) <> 20 OR cls NOT BETWEEN 0 AND 63 OR filter NOT BETWEEN 0 AND 63 OR nusers < 0"
	" OR (fixed_by IS NOT NULL AND length(fixed_by) > 40)",
	"SELECT 1 FROM change WHERE cls NOT BETWEEN 0 AND 63",
	"SELECT 1 FROM link WHERE link NOT BETWEEN 0 AND 63 OR nusers < 0",
	NULL
};
static const char *const no_rules[] = { NULL };

static const char *const *rules_of(enum share_part part)
{
	switch (part) {
	case SHARE_OLD:
	case SHARE_NEW:
		return index_rules;
	case SHARE_DIFF:
		return diff_rules;
	case SHARE_STORE:
		return store_rules;
	default:
		return no_rules;
	}
}

/* Not SQLite, or with a log beside it that would be read and written. */
static int check_header(const char *path, struct strbuf *err)
{
	char head[20] = "";
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(head, 1, sizeof(head), f) : 0;

	if (f)
		fclose(f);
	if (n != sizeof(head) || memcmp(head, "SQLite format 3", 16))
		return kp_fail(err, KP_ERR, "'%s' is no database", path_base(path));
	if (head[18] != 1 || head[19] != 1)
		return kp_fail(err, KP_ERR, "'%s' is a database with a log beside it", path_base(path));
	return 0;
}

/* The text of all schema entries, one a line. */
static int schema_text(sqlite3 *db, struct strbuf *out, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int rc, ret = db_prepare(db, "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_master "
				 "WHERE name NOT GLOB 'sqlite_stat*' ORDER BY type, name", &st, err);

	if (ret)
		return ret;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		strbuf_addf(out, "%s|%s|%s|%s\n", db_text(st, 0), db_text(st, 1), db_text(st, 2), db_text(st, 3));
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : kp_fail(err, KP_ERR, "its schema cannot be read");
}

static int check_schema(sqlite3 *db, enum share_part part, const char *name, struct strbuf *err)
{
	struct strbuf theirs = STRBUF_INIT, ours = STRBUF_INIT;
	struct walked w = { 0 };
	sqlite3 *mem = NULL;
	int ret = db_open(":memory:", DB_FAST_IMPORT, schema_of(part), &mem, err);

	if (!ret)
		ret = db_exec(mem, finish_of(part), err);
	if (!ret && part == SHARE_STORE) {
		ret = walked_load(&w, mem, false, err); /* makes its tables */
		walked_release(&w);
	}
	if (!ret)
		ret = schema_text(mem, &ours, err);
	if (!ret)
		ret = schema_text(db, &theirs, err);
	if (!ret && strcmp(ours.buf, theirs.buf))
		ret = kp_fail(err, KP_ERR, "'%s' has other tables than kport makes", name);
	db_close(mem);
	strbuf_release(&theirs);
	strbuf_release(&ours);
	return ret;
}

/* KP_ERR when the query gives a row whose first column is not "ok". */
static int check_none(sqlite3 *db, const char *query, const char *name, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int rc, ret = db_prepare(db, query, &st, err);

	if (ret)
		return ret;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW && db_text(st, 0) && !strcmp(db_text(st, 0), "ok"))
		rc = sqlite3_step(st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? 0 : kp_fail(err, KP_ERR, "'%s' is damaged or was made up", name);
}

/* No text may hold an escape: it goes to terminals. */
static int check_escapes(sqlite3 *db, const char *name, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(db, "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
			     "WHERE m.type = 'table' AND c.type = 'TEXT'", &st, err);

	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		char *query = sqlite3_mprintf("SELECT 1 FROM \"%w\" WHERE instr(\"%w\", char(27)) LIMIT 1",
					      db_text(st, 0), db_text(st, 1));

		ret = check_none(db, query, name, err);
		sqlite3_free(query);
	}
	sqlite3_finalize(st);
	return ret;
}

int share_check_db(const char *path, enum share_part part, struct strbuf *err)
{
	const char *name = path_base(path);
	const char *const *rule;
	sqlite3 *db = NULL;
	int ret = check_header(path, err);

	if (!ret)
		ret = db_open(path, DB_READONLY, schema_of(part), &db, err);
	if (ret)
		return ret;
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 64 << 20);
	/* Schema first: nothing else of the file is run before it is known to be ours. */
	ret = check_schema(db, part, name, err);
	if (!ret)
		ret = check_none(db, "PRAGMA quick_check(1)", name, err);
	for (rule = rules_of(part); !ret && *rule; rule++)
		ret = check_none(db, *rule, name, err);
	if (!ret)
		ret = check_escapes(db, name, err);
	db_close(db);
	return ret;
}
