// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/examples.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/db.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/strmap.h"
#include "mine/examples-db.h"

static const char *const migrations[] = {
	"CREATE TABLE figure(name TEXT PRIMARY KEY, value INTEGER NOT NULL);"
	"CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT NOT NULL);"
	"CREATE TABLE ident(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
	"CREATE TABLE hunk(id INTEGER PRIMARY KEY, file INTEGER NOT NULL, function TEXT, "
	"  line INTEGER NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL);"
	"CREATE TABLE uses(ident INTEGER NOT NULL, hunk INTEGER NOT NULL, "
	"  PRIMARY KEY(ident, hunk)) WITHOUT ROWID;"
};
static const struct db_migrations schema = { migrations, ARRAY_SIZE(migrations) };

/* ---- writing ------------------------------------------------------------------ */

struct examples_writer {
	sqlite3 *db;
	sqlite3_stmt *file, *ident, *hunk, *uses;
	struct strmap idents;
	char *path, *aside, *last_path;
	int64_t nfiles, nidents, nhunks;
};

int examples_writer_open(const char *path, struct examples_writer **out, struct strbuf *err)
{
	struct examples_writer *w = xcalloc(1, sizeof(*w));
	int ret = file_mkdirs_for(path, err);

	w->path = xstrdup(path);
	w->aside = xstrfmt("%s.%d", path, (int)getpid());
	if (!ret)
		ret = file_remove(w->aside, err);
	if (!ret)
		ret = db_open(w->aside, DB_FAST_IMPORT, &schema, &w->db, err);
	if (!ret)
		ret = db_exec(w->db, "BEGIN", err);
	if (!ret)
		ret = db_prepare(w->db, "INSERT INTO file VALUES(?,?)", &w->file, err);
	if (!ret)
		ret = db_prepare(w->db, "INSERT INTO ident VALUES(?,?)", &w->ident, err);
	if (!ret)
		ret = db_prepare(w->db, "INSERT INTO hunk VALUES(?,?,?,?,?,?)", &w->hunk, err);
	if (!ret)
		ret = db_prepare(w->db, "INSERT OR IGNORE INTO uses VALUES(?,?)", &w->uses, err);
	if (ret) {
		examples_writer_abort(w);
		return ret;
	}
	*out = w;
	return 0;
}

static int ident_id(struct examples_writer *w, const char *name, int64_t *id, struct strbuf *err)
{
	*id = (int64_t)(intptr_t)strmap_get(&w->idents, name);
	if (*id)
		return 0;
	*id = ++w->nidents;
	strmap_put(&w->idents, name, (void *)(intptr_t)*id);
	sqlite3_bind_int64(w->ident, 1, *id);
	db_bind_text(w->ident, 2, name);
	return db_step_done(w->ident, err);
}

static int use_file(struct examples_writer *w, const char *path, struct strbuf *err)
{
	if (w->last_path && !strcmp(w->last_path, path))
		return 0;
	free(w->last_path);
	w->last_path = xstrdup(path);
	sqlite3_bind_int64(w->file, 1, ++w->nfiles);
	db_bind_text(w->file, 2, path);
	return db_step_done(w->file, err);
}

int examples_writer_add(struct examples_writer *w, const char *path, const char *function,
			const char *before, const char *after, int line,
			const struct strvec *idents, struct strbuf *err)
{
	int ret = use_file(w, path, err);

	sqlite3_bind_int64(w->hunk, 1, ++w->nhunks);
	sqlite3_bind_int64(w->hunk, 2, w->nfiles);
	db_bind_text(w->hunk, 3, function);
	sqlite3_bind_int(w->hunk, 4, line);
	db_bind_text(w->hunk, 5, before);
	db_bind_text(w->hunk, 6, after);
	if (!ret)
		ret = db_step_done(w->hunk, err);
	for (size_t i = 0; !ret && i < idents->n; i++) {
		int64_t id;

		ret = ident_id(w, idents->v[i], &id, err);
		if (ret)
			break;
		sqlite3_bind_int64(w->uses, 1, id);
		sqlite3_bind_int64(w->uses, 2, w->nhunks);
		ret = db_step_done(w->uses, err);
	}
	return ret;
}

static int put_figure(struct examples_writer *w, const char *name, uint64_t value,
		      struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(w->db, "INSERT INTO figure VALUES(?,?)", &st, err);

	if (ret)
		return ret;
	db_bind_text(st, 1, name);
	sqlite3_bind_int64(st, 2, (sqlite3_int64)value);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

static void writer_close(struct examples_writer *w)
{
	sqlite3_finalize(w->file);
	sqlite3_finalize(w->ident);
	sqlite3_finalize(w->hunk);
	sqlite3_finalize(w->uses);
	db_close(w->db);
	w->file = w->ident = w->hunk = w->uses = NULL;
	w->db = NULL;
}

static void writer_free(struct examples_writer *w)
{
	writer_close(w);
	strmap_release(&w->idents, NULL);
	free(w->path);
	free(w->aside);
	free(w->last_path);
	free(w);
}

int examples_writer_finish(struct examples_writer *w, const struct examples_stats *st,
			   struct strbuf *err)
{
	int ret = put_figure(w, "files", st->files, err);

	if (!ret)
		ret = put_figure(w, "changed", st->changed, err);
	if (!ret)
		ret = put_figure(w, "unreadable", st->unreadable, err);
	if (!ret)
		ret = put_figure(w, "hunks", st->hunks, err);
	if (!ret)
		ret = db_exec(w->db, "CREATE UNIQUE INDEX ident_name ON ident(name); COMMIT", err);
	if (ret) {
		examples_writer_abort(w);
		return ret;
	}
	writer_close(w);
	if (rename(w->aside, w->path)) {
		strbuf_addf(err, "cannot rename '%s': %s", w->aside, strerror(errno));
		ret = KP_INFRA;
	}
	writer_free(w);
	return ret;
}

void examples_writer_abort(struct examples_writer *w)
{
	struct strbuf ignored = STRBUF_INIT;

	if (!w)
		return;
	writer_close(w);
	file_remove(w->aside, &ignored);
	strbuf_release(&ignored);
	writer_free(w);
}

/* ---- reading ------------------------------------------------------------------- */

struct examples {
	sqlite3 *db;
	sqlite3_stmt *find;
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

	hash_add_str(h, "examples-1");
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
	ret = db_open(path, DB_READONLY, &schema, &ex->db, err);
	if (!ret)
		ret = db_prepare(ex->db,
				 "SELECT f.path, h.function, h.line, h.before, h.after "
				 "FROM ident i JOIN uses u ON u.ident = i.id JOIN hunk h ON h.id = u.hunk "
				 "JOIN file f ON f.id = h.file WHERE i.name = ? ORDER BY f.path, h.line, h.id",
				 &ex->find, err);
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
	db_close(ex->db);
	free(ex);
}

static bool is_excluded(const struct strvec *exclude, const char *path)
{
	for (size_t i = 0; exclude && i < exclude->n; i++) {
		if (!strcmp(path_base(exclude->v[i]), path_base(path)) ||
		    path_inside(exclude->v[i], path))
			return true;
	}
	return false;
}

size_t examples_for(struct examples *ex, const char *ident, const struct strvec *exclude,
		    size_t max, struct example **out)
{
	size_t n = 0, alloc = 0;

	*out = NULL;
	sqlite3_reset(ex->find);
	db_bind_text(ex->find, 1, ident);
	while (n < max && sqlite3_step(ex->find) == SQLITE_ROW) {
		const char *path = db_text(ex->find, 0);
		struct example *e;

		if (is_excluded(exclude, path))
			continue;
		ALLOC_GROW(*out, n + 1, alloc);
		e = &(*out)[n++];
		e->path = xstrdup(path);
		e->function = xstrdup(db_text(ex->find, 1));
		e->line = sqlite3_column_int(ex->find, 2);
		e->before = xstrdup(db_text(ex->find, 3));
		e->after = xstrdup(db_text(ex->find, 4));
	}
	sqlite3_reset(ex->find);
	return n;
}

void examples_free_list(struct example *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].path);
		free(list[i].function);
		free(list[i].before);
		free(list[i].after);
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
		else if (!strcmp(name, "hunks"))
			out->hunks = v;
	}
	sqlite3_finalize(st);
	return ret;
}
