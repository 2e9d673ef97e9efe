// SPDX-License-Identifier: GPL-2.0-only
/* Shared indexes: what goes out comes back, and nothing else is taken in. */
#include "tests/unit/unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <sqlite3.h>

#include "base/jsonutil.h"
#include "mine/apidiff.h"
#include "mine/share-internal.h"

static struct api_index *old_ix, *new_ix;
static struct api_diff *diff;
static char *good; /* an exported file */

static struct api_index *index_of(const char *which)
{
	char *dir = xstrfmt("tests/fixtures/names/%s", which), *real = file_realpath(dir);
	struct api_index *ix;

	assert_ok(api_index_open(real, real, NULL, &ix, &err));
	free(dir);
	free(real);
	return ix;
}

static struct share_source source(void)
{
	struct share_source s = { .kind = SHARE_PAIR, .from_name = "6.1", .from_release = "6.1.7-x", .to_name = "6.12",
		.to_release = "6.12.9-x" };

	s.file[SHARE_OLD] = api_index_file(old_ix);
	s.file[SHARE_NEW] = api_index_file(new_ix);
	s.file[SHARE_DIFF] = api_diff_file(diff);
	return s;
}

static int open_all(void **state)
{
	struct share_source s;
	struct share_info info;
	char *cache;

	if (scratch_make(state) < 0)
		return -1;
	cache = in_scratch("cache");
	setenv("KPORT_CACHE_HOME", cache, 1);
	free(cache);
	old_ix = index_of("old");
	new_ix = index_of("new");
	assert_ok(api_diff_open(old_ix, new_ix, &diff, &err));
	good = in_scratch("good.kpi");
	s = source();
	assert_ok(share_export(&s, good, &info, &err));
	share_info_release(&info);
	return 0;
}

static int close_all(void **state)
{
	api_diff_close(diff);
	api_index_close(old_ix);
	api_index_close(new_ix);
	free(good);
	return scratch_remove(state);
}

static void forget_imports(void)
{
	char *dir = in_scratch("cache/index/shared");

	assert_ok(file_remove(dir, &err));
	free(dir);
}

/* Nothing may be left of an import that was refused. */
static void nothing_left(void)
{
	struct share_list l;
	char *dir = in_scratch("cache/index/shared");
	struct strvec v = STRVEC_INIT;

	share_list_imported(&l);
	assert_int_equal(l.n, 0);
	share_list_release(&l);
	assert_ok(file_list(dir, &v, &err));
	for (size_t i = 0; i < v.n; i++)
		assert_string_equal(v.v[i], ".lock");
	strvec_release(&v);
	free(dir);
}

static void there_and_back(void **state)
{
	struct api_index *a, *b;
	struct api_diff *df;
	const struct api_change **list;
	struct share_info info, found;
	char *path[SHARE_PART_COUNT];

	forget_imports();
	assert_ok(share_import(good, &info, &err));
	assert_false(info.was_there);
	assert_int_equal(share_find_pair("6.1", "6.12", &found, &err), 0);
	assert_string_equal(found.dir, info.dir);
	for (int i = 0; i < SHARE_PART_COUNT; i++)
		path[i] = share_part_path(&found, (enum share_part)i);
	assert_ok(api_index_open_file(path[SHARE_OLD], &a, &err));
	assert_ok(api_index_open_file(path[SHARE_NEW], &b, &err));
	assert_ok(api_diff_open_file(path[SHARE_DIFF], a, b, &df, &err));
	assert_true(api_diff_lookup(df, "del_timer", &list) > 0);
	free(list);
	api_diff_close(df);
	assert_fails(KP_ERR, "of other indexes", api_diff_open_file(path[SHARE_DIFF], b, a, &df, &err));
	api_index_close(a);
	api_index_close(b);
	for (int i = 0; i < SHARE_PART_COUNT; i++)
		free(path[i]);
	share_info_release(&info);
	share_info_release(&found);
	assert_ok(share_import(good, &info, &err));
	assert_true(info.was_there);
	share_info_release(&info);
	assert_fails(KP_NOTFOUND, "7.2", share_find_pair("6.1", "7.2", &found, &err));
}

static void words(void **state)
{
	assert_true(share_word_is("6.1", "6.1", "6.1.7-x"));
	assert_true(share_word_is("6.1", "here", "6.1.7-x"));
	assert_true(share_word_is("6.1.7", "here", "6.1.7-x"));
	assert_true(share_word_is("6.1.7-x", "here", "6.1.7-x"));
	assert_false(share_word_is("6.1", "6.12", "6.12.9-x"));
	assert_false(share_word_is("6", "b", "61.2"));
	assert_false(share_word_is("", "b", ".1"));
}

static void altered(void **state)
{
	char *bad = in_scratch("bad.kpi");
	struct strbuf text = STRBUF_INIT;
	struct share_info info;
	size_t step;

	forget_imports();
	assert_ok(file_read(good, 0, &text, &err));
	step = text.len / 150 + 1;
	for (size_t i = 0; i < text.len; i += i < 120 ? 1 : step) {
		text.buf[i] ^= 1;
		assert_ok(file_write_nosync(bad, text.buf, text.len, &err));
		assert_int_equal(share_import(bad, &info, &err), KP_ERR);
		assert_null(strchr(err.buf, '\n'));
		strbuf_reset(&err);
		text.buf[i] ^= 1;
	}
	for (size_t len = 0; len < text.len; len += len < 120 ? 7 : step) {
		assert_ok(file_write_nosync(bad, text.buf, len, &err));
		assert_int_equal(share_import(bad, &info, &err), KP_ERR);
		strbuf_reset(&err);
	}
	strbuf_addstr(&text, "more");
	assert_ok(file_write_nosync(bad, text.buf, text.len, &err));
	assert_fails(KP_ERR, "altered", share_import(bad, &info, &err));
	nothing_left();
	strbuf_release(&text);
	free(bad);
}

static void not_one(void **state)
{
	char *text = make_file("text", "hello"), *dir = in_scratch("dir"), *other = make_file("other",
		"kport-index 7 sha256:0000000000000000000000000000000000000000000000000000000000000000\nx");
	struct share_info info;
	struct share_source s = source();

	assert_ok(file_mkdirs(dir, &err));
	assert_fails(KP_ERR, "no index", share_import(text, &info, &err));
	assert_fails(KP_ERR, "another version", share_import(other, &info, &err));
	assert_fails(KP_NOTFOUND, "nowhere", share_import("/nowhere", &info, &err));
	assert_int_not_equal(share_import(dir, &info, &err), 0);
	strbuf_reset(&err);
	assert_fails(KP_ERR, "is a directory", share_export(&s, dir, &info, &err));
	assert_int_equal(share_export(&s, "/dev/null/x.kpi", &info, &err), KP_ERR);
	strbuf_reset(&err);
	s.from_name = "../../x";
	assert_fails(KP_ERR, "from", share_export(&s, text, &info, &err));
	assert_file(text, "hello");
	free(text);
	free(dir);
	free(other);
}

/* ---- files that were made with care ------------------------------------------------------------ */

/* A manifest and files as export would write them, from copies that may be altered. */
struct forged {
	struct share_manifest m;
	struct strvec paths;
};

static void forge(struct forged *f, int64_t created)
{
	struct share_source s = source();

	memset(f, 0, sizeof(*f));
	strvec_init(&f->paths);
	f->m.info = (struct share_info){ .kind = SHARE_PAIR, .created = created };
	f->m.info.from_name = xstrdup("6.1");
	f->m.info.from_release = xstrdup("6.1.7-x");
	f->m.info.to_name = xstrdup("6.12");
	f->m.info.to_release = xstrdup("6.12.9-x");
	for (int i = SHARE_OLD; i <= SHARE_DIFF; i++) {
		char *name = xstrfmt("forged-%d.db", i), *copy = in_scratch(name);

		assert_ok(file_remove(copy, &err));
		assert_ok(file_copy(s.file[i], copy, 0, NULL, &err));
		f->m.entry[f->m.n++].part = (enum share_part)i;
		strvec_push_nodup(&f->paths, copy);
		free(name);
	}
}

static void alter(struct forged *f, enum share_part part, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(f->paths.v[part], &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* Imports it with right hashes; frees. */
static int import_forged(struct forged *f)
{
	char *file = in_scratch("forged.kpi");
	struct share_info info = { 0 };
	int ret;

	for (size_t i = 0; i < f->m.n; i++) {
		if (!f->m.entry[i].size)
			f->m.entry[i].size = file_size(f->paths.v[i]);
		assert_ok(hash_file(f->paths.v[i], &f->m.entry[i].hash, &err));
	}
	assert_ok(share_file_write(file, &f->m, f->paths.v, &err));
	ret = share_import(file, &info, &err);
	share_info_release(&info);
	share_manifest_release(&f->m);
	strvec_release(&f->paths);
	free(file);
	return ret;
}

static void made_up(void **state)
{
	static const struct {
		enum share_part part;
		const char *sql, *words;
	} cases[] = {
		{ SHARE_DIFF, "CREATE TRIGGER t AFTER INSERT ON change BEGIN DELETE FROM change; END", "other tables" },
		{ SHARE_NEW, "CREATE VIEW v AS SELECT load_extension('x')", "other tables" },
		{ SHARE_OLD, "ALTER TABLE symbol ADD COLUMN more TEXT", "other tables" },
		{ SHARE_DIFF, "DROP INDEX change_symbol", "other tables" },
		{ SHARE_NEW, "UPDATE name SET n = 9223372036854775807", "made up" },
		{ SHARE_OLD, "UPDATE name SET first = 999999999", "made up" },
		{ SHARE_OLD, "UPDATE symbol SET id = 4000000000000 WHERE id = 1", "made up" },
		{ SHARE_OLD, "INSERT INTO str VALUES(4000000000000, 'x')", "made up" },
		{ SHARE_DIFF, "UPDATE change SET kind = 'x'", "made up" },
		{ SHARE_DIFF, "UPDATE change SET kind = -4", "made up" },
		{ SHARE_DIFF, "UPDATE change SET evidence = char(27) || '[2J'", "made up" },
		{ SHARE_OLD, "DELETE FROM meta", "made up" },
		{ SHARE_OLD, "PRAGMA journal_mode = WAL", "log beside" },
		{ SHARE_OLD, "PRAGMA user_version = 99", "schema" },
	};
	struct forged f;

	forget_imports();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int ret;

		forge(&f, 5);
		alter(&f, cases[i].part, cases[i].sql);
		ret = import_forged(&f);
		if (ret != KP_ERR || !strstr(err.buf, cases[i].words))
			print_message("# '%s' gave %d: %s\n", cases[i].sql, ret, err.buf);
		assert_int_equal(ret, KP_ERR);
		assert_non_null(strstr(err.buf, cases[i].words));
		strbuf_reset(&err);
		nothing_left();
	}
}

static void damaged_pages(void **state)
{
	struct forged f;
	struct strbuf text = STRBUF_INIT;

	forget_imports();
	forge(&f, 5);
	assert_ok(file_read(f.paths.v[SHARE_OLD], 0, &text, &err));
	memset(text.buf + 4096, 0xee, 4096);
	assert_ok(file_write(f.paths.v[SHARE_OLD], text.buf, text.len, &err));
	assert_int_equal(import_forged(&f), KP_ERR);
	strbuf_reset(&err);
	forge(&f, 5);
	assert_ok(file_write(f.paths.v[SHARE_NEW], "text", 4, &err));
	assert_fails(KP_ERR, "no database", import_forged(&f));
	nothing_left();
	strbuf_release(&text);
}

static void age(void **state)
{
	struct forged f;
	struct share_info info;

	forget_imports();
	forge(&f, 100);
	assert_int_equal(import_forged(&f), 0);
	forge(&f, 50);
	assert_fails(KP_ERR, "newer", import_forged(&f));
	forge(&f, 100);
	assert_int_equal(import_forged(&f), 0); /* the same */
	forge(&f, 200);
	assert_int_equal(import_forged(&f), 0);
	/* A day of difference between clocks is none; a year would outlast what is made in it. */
	forge(&f, (int64_t)time(NULL) + 365 * 86400);
	assert_fails(KP_ERR, "in the future", import_forged(&f));
	assert_ok(share_find_pair("6.1", "6.12", &info, &err));
	assert_int_equal(info.created, 200);
	share_info_release(&info);
	forge(&f, (int64_t)time(NULL) + 3600);
	assert_int_equal(import_forged(&f), 0);
}

/* An archive of our own making behind a right first line. */
static int import_archive(const char *manifest, const char *name, int type, size_t claimed)
{
	char *tar = in_scratch("evil.tar"), *file = in_scratch("evil.kpi");
	struct archive *a = archive_write_new();
	struct strbuf body = STRBUF_INIT, all = STRBUF_INIT;
	struct hash_hex hex;
	struct share_info info;
	int ret;

	archive_write_add_filter_zstd(a);
	archive_write_set_format_pax_restricted(a);
	assert_int_equal(archive_write_open_filename(a, tar), ARCHIVE_OK);
	for (int i = 0; i < 2; i++) {
		struct archive_entry *e = archive_entry_new();
		const char *data = i ? "data" : manifest;

		archive_entry_set_pathname(e, i ? name : SHARE_MANIFEST);
		archive_entry_set_filetype(e, i ? (unsigned)type : AE_IFREG);
		archive_entry_set_perm(e, 0644);
		if (i && type == AE_IFLNK)
			archive_entry_set_symlink(e, "/etc/passwd");
		archive_entry_set_size(e, (int64_t)(i ? claimed : strlen(data)));
		assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
		archive_write_data(a, data, strlen(data));
		archive_entry_free(e);
	}
	archive_write_close(a);
	archive_write_free(a);
	assert_ok(file_read(tar, 0, &body, &err));
	hex = hash_buf(body.buf, body.len);
	strbuf_addf(&all, "kport-index 1 sha256:%s\n", hex.hex);
	strbuf_addbuf(&all, &body);
	assert_ok(file_write(file, all.buf, all.len, &err));
	ret = share_import(file, &info, &err);
	strbuf_release(&body);
	strbuf_release(&all);
	free(tar);
	free(file);
	return ret;
}

/* The manifest of the good file with one text replaced. */
static char *manifest(const char *from, const char *to)
{
	struct forged f;
	struct strbuf text = STRBUF_INIT;
	json_t *o;
	char *at;

	forge(&f, 5);
	for (size_t i = 0; i < f.m.n; i++) {
		f.m.entry[i].size = 4;
		f.m.entry[i].hash = hash_buf("data", 4);
	}
	o = share_manifest_json(&f.m);
	json_dump_compact(o, &text);
	json_decref(o);
	at = strstr(text.buf, from);
	assert_non_null(at);
	strbuf_splice(&text, (size_t)(at - text.buf), strlen(from), to, strlen(to));
	share_manifest_release(&f.m);
	strvec_release(&f.paths);
	return strbuf_detach(&text, NULL);
}

static void hostile_archives(void **state)
{
	static const struct {
		const char *from, *to, *name, *words;
		int type;
		size_t size;
	} cases[] = {
		{ "x", "x", "../../../evil", "where it belongs", AE_IFREG, 4 },
		{ "x", "x", "/tmp/evil", "where it belongs", AE_IFREG, 4 },
		{ "x", "x", "old.db", "where it belongs", AE_IFLNK, 0 },
		{ "x", "x", "old.db", "where it belongs", AE_IFDIR, 0 },
		{ "x", "x", "old.db", "too large", AE_IFREG, 1 << 20 },
		{ "x", "x", "old.db", "where it belongs", AE_IFREG, 4 }, /* and no new.db */
		{ "old.db", "../old.db", "old.db", "does not belong", AE_IFREG, 4 },
		{ "\"old.db\"", "\"history.db\"", "old.db", "does not belong", AE_IFREG, 4 },
		{ "\"old.db\"", "\"new.db\"", "old.db", "does not belong", AE_IFREG, 4 },
		{ "\"size\":4", "\"size\":9000000000000", "old.db", "size or SHA-256", AE_IFREG, 4 },
		{ "\"size\":4", "\"size\":-1", "old.db", "size or SHA-256", AE_IFREG, 4 },
		{ "\"kind\":\"pair\"", "\"kind\":\"x\"", "old.db", "kind", AE_IFREG, 4 },
		{ "\"version\":1", "\"version\":2", "old.db", "another version", AE_IFREG, 4 },
		{ "kport-api-index", "kport-other", "old.db", "another version", AE_IFREG, 4 },
		{ "6.1.7-x", "../6.1", "old.db", "from_release", AE_IFREG, 4 },
		{ "6.1.7-x", "6\\u001b[2J", "old.db", "from_release", AE_IFREG, 4 },
		{ "{", "[", "old.db", "no JSON object", AE_IFREG, 4 },
	};

	forget_imports();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *m = manifest(cases[i].from, cases[i].to);
		int ret = import_archive(m, cases[i].name, cases[i].type, cases[i].size);

		if (ret != KP_ERR || !strstr(err.buf, cases[i].words))
			print_message("# case %zu gave %d: %s\n", i, ret, err.buf);
		assert_int_equal(ret, KP_ERR);
		assert_non_null(strstr(err.buf, cases[i].words));
		strbuf_reset(&err);
		nothing_left();
		free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back), cmocka_unit_test(words), cmocka_unit_test(altered),
		cmocka_unit_test(not_one), cmocka_unit_test(made_up), cmocka_unit_test(damaged_pages),
		cmocka_unit_test(age), cmocka_unit_test(hostile_archives),
	};

	return cmocka_run_group_tests_name("share", tests, open_all, close_all);
}
