// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include "base/db.h"

static const char *const sql1[] = {
	"CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT UNIQUE);",
};
static const char *const sql3[] = {
	"CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT UNIQUE);",
	"CREATE TABLE symbol (name TEXT, file INTEGER REFERENCES file(id)); INSERT INTO file "
	"VALUES (9, 'nine');",
	"ALTER TABLE symbol ADD COLUMN kind TEXT;",
};
static const char *const sql_bad[] = {
	"CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT UNIQUE);",
	"CREATE TABLE half (x); CREATE TABLE file (y);",
};
static const struct db_migrations one = { sql1, 1 }, three = { sql3, 3 }, bad = { sql_bad, 2 };

static int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st;
	int64_t n;

	assert_ok(db_prepare(db, sql, &st, &err));
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

static void test_new_database(void **state)
{
	char *path = in_scratch("new.db");
	sqlite3_stmt *st;
	sqlite3 *db;

	assert_ok(db_open(path, 0, &three, &db, &err));
	assert_int_equal(number(db, "PRAGMA user_version"), 3);
	assert_int_equal(number(db, "PRAGMA foreign_keys"), 1);
	assert_int_equal(number(db, "SELECT count(*) FROM file"), 1);
	assert_ok(db_prepare(db, "PRAGMA journal_mode", &st, &err));
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_string_equal(db_text(st, 0), "wal");
	sqlite3_finalize(st);
	/* a reference that leads nowhere */
	assert_fails(KP_ERR, "FOREIGN KEY",
		     db_exec(db, "INSERT INTO symbol VALUES ('x', 77, 'k')", &err));
	db_close(db);
	db_close(NULL);
	free(path);
}

static void test_statements(void **state)
{
	char *path = in_scratch("st.db");
	sqlite3_stmt *st;
	sqlite3 *db;
	char text[] = "path";

	assert_ok(db_open(path, DB_FAST_IMPORT, &one, &db, &err));
	assert_ok(db_prepare(db, "INSERT INTO file (path) VALUES (?)", &st, &err));
	db_bind_text(st, 1, text);
	text[0] = 'X';
	assert_ok(db_step_done(st, &err));
	db_bind_text(st, 1, NULL);
	assert_ok(db_step_done(st, &err));
	db_bind_text(st, 1, "path");
	assert_fails(KP_ERR, "UNIQUE", db_step_done(st, &err));
	/* usable after a failure */
	db_bind_text(st, 1, "other");
	assert_ok(db_step_done(st, &err));
	sqlite3_finalize(st);
	assert_ok(db_prepare(db, "SELECT path FROM file ORDER BY id", &st, &err));
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_string_equal(db_text(st, 0), "path");
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_null(db_text(st, 0));
	sqlite3_reset(st);
	assert_fails(KP_ERR, "returns none", db_step_done(st, &err));
	sqlite3_finalize(st);
	assert_fails(KP_ERR, "no such table", db_prepare(db, "SELECT * FROM absent", &st, &err));
	assert_fails(KP_ERR, "st.db': ", db_exec(db, "NOT SQL", &err));
	db_close(db);
	free(path);
}

static void test_migration_of_an_old_one(void **state)
{
	char *path = in_scratch("old.db");
	sqlite3 *db;

	assert_ok(db_open(path, 0, &one, &db, &err));
	assert_ok(db_exec(db, "INSERT INTO file VALUES (1, 'kept')", &err));
	db_close(db);
	assert_fails(KP_ERR, "old schema 1, 3 is needed",
		     db_open(path, DB_READONLY, &three, &db, &err));
	assert_null(db);
	assert_ok(db_open(path, 0, &three, &db, &err));
	assert_int_equal(number(db, "SELECT count(*) FROM file"), 2);
	db_close(db);
	assert_ok(db_open(path, DB_READONLY, &three, &db, &err));
	assert_int_equal(number(db, "SELECT count(*) FROM file"), 2);
	assert_fails(KP_ERR, "readonly", db_exec(db, "DELETE FROM file", &err));
	db_close(db);
	free(path);
}

static void test_newer_one_is_refused(void **state)
{
	char *path = in_scratch("newer.db");
	sqlite3 *db;

	assert_ok(db_open(path, 0, &three, &db, &err));
	db_close(db);
	assert_fails(KP_ERR, "written by a newer kport (schema 3, this one knows 1)",
		     db_open(path, 0, &one, &db, &err));
	assert_fails(KP_ERR, "newer kport", db_open(path, DB_READONLY, &one, &db, &err));
	free(path);
}

static void test_failed_migration_leaves_nothing(void **state)
{
	char *path = in_scratch("bad.db");
	sqlite3 *db;

	assert_fails(KP_ERR, "already exists", db_open(path, 0, &bad, &db, &err));
	assert_ok(db_open(path, 0, NULL, &db, &err));
	assert_int_equal(number(db, "PRAGMA user_version"), 1);
	assert_int_equal(number(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'"), 0);
	db_close(db);
	free(path);
}

static void test_wrong_files(void **state)
{
	char *rubbish = make_file("rubbish.db",
				  "this is not a database, but it is long enough to be looked at");
	char *missing = in_scratch("missing.db"), *nodir = in_scratch("no/such/dir.db");
	sqlite3 *db;

	assert_fails(KP_ERR, "not a database", db_open(rubbish, 0, &one, &db, &err));
	assert_fails(KP_NOTFOUND, "missing.db", db_open(missing, DB_READONLY, &one, &db, &err));
	assert_false(file_exists(missing));
	assert_fails(KP_INFRA, "dir.db", db_open(nodir, 0, &one, &db, &err));
	free(rubbish);
	free(missing);
	free(nodir);
}

static void test_two_processes_migrate_at_once(void **state)
{
	char *path = in_scratch("race.db");
	int status;

	for (int i = 0; i < 4; i++)
		if (!fork()) {
			sqlite3 *db;
			int ret = db_open(path, 0, &three, &db, &err);

			if (ret)
				fprintf(stderr, "%s\n", err.buf);
			db_close(db);
			_exit(ret ? 1 : 0);
		}
	for (int i = 0; i < 4; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_database),
		cmocka_unit_test(test_statements),
		cmocka_unit_test(test_migration_of_an_old_one),
		cmocka_unit_test(test_newer_one_is_refused),
		cmocka_unit_test(test_failed_migration_leaves_nothing),
		cmocka_unit_test(test_wrong_files),
		cmocka_unit_test(test_two_processes_migrate_at_once),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
