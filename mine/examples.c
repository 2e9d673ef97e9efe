// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/examples.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/db.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "mine/examples-db.h"

/* ---- reading ------------------------------------------------------------------- */

struct examples {
	sqlite3 *db;
	sqlite3_stmt *find, *count, *sample, *new_path;
};

static void hash_identity(struct hash *h, const char *src)
{
	char *real = file_realpath(src), *makefile = path_join(src, "Makefile");
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	struct stat st;

	hash_add_str(h, real ? real : src);
	file_read(makefile, 0, &text, &ignored);
	hash_add(h, text.buf, text.len);
	if (!stat(src, &st))
		hash_add(h, &st.st_mtim, sizeof(st.st_mtim));
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(real);
	free(makefile);
}

char *examples_path(const char *old_src, const char *new_src)
{
	char *cache = kport_cache_dir(), *path;
	struct hash *h = hash_new();
	struct hash_hex hex;

	hash_add_str(h, "examples-2");
	hash_identity(h, old_src);
	hash_identity(h, new_src);
	hex = hash_final(h);
	path = xstrfmt("%s/index/examples-%.16s.db", cache, hex.hex);
	free(cache);
	return path;
}

int examples_open(const char *path, struct examples **out, struct strbuf *err)
{
	struct examples *ex = xcalloc(1, sizeof(*ex));
	int ret;

	if (!file_exists(path)) {
		strbuf_addf(err, "there are no mined examples '%s'; make them with 'kport mine --trees OLD NEW'",
			    path);
		free(ex);
		return KP_NOTFOUND;
	}
	ret = db_open(path, DB_READONLY, &examples_schema, &ex->db, err);
	if (!ret)
		ret = db_prepare(ex->db,
				 "SELECT f.path, h.function, h.line, h.before, h.after "
				 "FROM ident i JOIN uses u ON u.ident = i.id JOIN hunk h ON h.id = u.hunk "
				 "JOIN file f ON f.id = h.file WHERE i.name = ? ORDER BY f.path, h.line, h.id",
				 &ex->find, err);
	if (!ret)
		ret = db_prepare(ex->db, "SELECT i.id, (SELECT count(*) FROM uses u WHERE u.ident = i.id) "
				 "FROM ident i WHERE i.name = ?", &ex->count, err);
	/* The numbers of hunks are in the order of the files. */
	if (!ret)
		ret = db_prepare(ex->db,
				 "SELECT f.path, h.function, h.line, h.before, h.after "
				 "FROM (SELECT hunk FROM (SELECT hunk, row_number() OVER (ORDER BY hunk) n FROM uses"
				 " WHERE ident = ?1) WHERE n % ?2 = 0 LIMIT ?3) u "
				 "JOIN hunk h ON h.id = u.hunk JOIN file f ON f.id = h.file",
				 &ex->sample, err);
	if (!ret)
		ret = db_prepare(ex->db,
				 "SELECT p.new_path FROM file f JOIN pair p ON p.file = f.id WHERE f.path = ?",
				 &ex->new_path, err);
	if (ret) {
		examples_close(ex);
		return ret;
	}
	*out = ex;
	return 0;
}

void examples_close(struct examples *ex)
{
	if (!ex)
		return;
	sqlite3_finalize(ex->find);
	sqlite3_finalize(ex->count);
	sqlite3_finalize(ex->sample);
	sqlite3_finalize(ex->new_path);
	db_close(ex->db);
	free(ex);
}

bool examples_excluded(const struct strvec *exclude, const char *path)
{
	for (size_t i = 0; exclude && i < exclude->n; i++) {
		if (!strcmp(path_base(exclude->v[i]), path_base(path)) ||
		    path_inside(exclude->v[i], path))
			return true;
	}
	return false;
}

/* The example of the current row. */
static void take_row(sqlite3_stmt *st, struct example *e)
{
	memset(e, 0, sizeof(*e));
	e->path = xstrdup(db_text(st, 0));
	e->function = xstrdup(db_text(st, 1));
	e->line = sqlite3_column_int(st, 2);
	e->before = xstrdup(db_text(st, 3));
	e->after = xstrdup(db_text(st, 4));
}

size_t examples_for(struct examples *ex, const char *ident, const struct strvec *exclude,
		    size_t max, struct example **out)
{
	size_t n = 0, alloc = 0;

	*out = NULL;
	sqlite3_reset(ex->find);
	db_bind_text(ex->find, 1, ident);
	while (n < max && sqlite3_step(ex->find) == SQLITE_ROW) {
		if (examples_excluded(exclude, db_text(ex->find, 0)))
			continue;
		ALLOC_GROW(*out, n + 1, alloc);
		take_row(ex->find, &(*out)[n++]);
	}
	sqlite3_reset(ex->find);
	return n;
}

size_t examples_sample(struct examples *ex, const char *ident, size_t max, struct example **out)
{
	size_t n = 0, alloc = 0;
	int64_t id, count;

	*out = NULL;
	db_bind_text(ex->count, 1, ident);
	if (max && sqlite3_step(ex->count) == SQLITE_ROW) {
		id = sqlite3_column_int64(ex->count, 0);
		count = sqlite3_column_int64(ex->count, 1);
		sqlite3_bind_int64(ex->sample, 1, id);
		sqlite3_bind_int64(ex->sample, 2, (count + (int64_t)max - 1) / (int64_t)max);
		sqlite3_bind_int64(ex->sample, 3, (int64_t)max);
		while (sqlite3_step(ex->sample) == SQLITE_ROW) {
			ALLOC_GROW(*out, n + 1, alloc);
			take_row(ex->sample, &(*out)[n++]);
		}
		sqlite3_reset(ex->sample);
	}
	sqlite3_reset(ex->count);
	return n;
}

char *examples_new_path(struct examples *ex, const char *path)
{
	char *out = NULL;

	sqlite3_reset(ex->new_path);
	db_bind_text(ex->new_path, 1, path);
	if (sqlite3_step(ex->new_path) == SQLITE_ROW) {
		const char *new_path = db_text(ex->new_path, 0);

		out = xstrdup(new_path && *new_path ? new_path : path);
	}
	sqlite3_reset(ex->new_path);
	return out;
}

void examples_free_list(struct example *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].path);
		free(list[i].function);
		free(list[i].before);
		free(list[i].after);
		free(list[i].commit);
	}
	free(list);
}

int examples_stats(struct examples *ex, struct examples_stats *out, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(ex->db, "SELECT name, value FROM figure", &st, err);

	memset(out, 0, sizeof(*out));
	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		const char *name = db_text(st, 0);
		uint64_t v = (uint64_t)sqlite3_column_int64(st, 1);

		if (!strcmp(name, "files"))
			out->files = v;
		else if (!strcmp(name, "changed"))
			out->changed = v;
		else if (!strcmp(name, "unreadable"))
			out->unreadable = v;
		else if (!strcmp(name, "renamed"))
			out->renamed = v;
		else if (!strcmp(name, "reused"))
			out->reused = v;
		else if (!strcmp(name, "hunks"))
			out->hunks = v;
	}
	sqlite3_finalize(st);
	return ret;
}
