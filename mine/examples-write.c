// SPDX-License-Identifier: GPL-2.0-only
/* The writer of the store of examples: pairs of files in, hunks under their identifiers. */
#include "base/compat.h"
#include "mine/examples-db.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/strmap.h"

#define COMMIT_EVERY 500 /* pairs */
#define LOCK_WAIT 3600

static const char *const migrations[] = {
	"CREATE TABLE figure(name TEXT PRIMARY KEY, value INTEGER NOT NULL);"
	"CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT NOT NULL);"
	"CREATE TABLE ident(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
	"CREATE TABLE hunk(id INTEGER PRIMARY KEY, file INTEGER NOT NULL, function TEXT, "
	"  line INTEGER NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL);"
	"CREATE TABLE uses(ident INTEGER NOT NULL, hunk INTEGER NOT NULL, "
	"  PRIMARY KEY(ident, hunk)) WITHOUT ROWID;",
	/* What was compared: "" as new_path stands for the same path. */
	"CREATE TABLE pair(file INTEGER PRIMARY KEY, new_path TEXT NOT NULL, content TEXT NOT NULL);"
	"CREATE TABLE origin(name TEXT PRIMARY KEY, value TEXT NOT NULL);"
};
const struct db_migrations examples_schema = { migrations, ARRAY_SIZE(migrations) };

/* A pair that an earlier run mined. */
struct known {
	int64_t file;
	struct hash_hex content;
	bool kept;
};

struct examples_writer {
	sqlite3 *db;
	sqlite3_stmt *file, *pair, *ident, *hunk, *uses, *stale;
	struct strmap idents;	/* name -> number */
	struct strmap known;	/* path -> struct known * */
	struct lock lock;
	char *path, *part;
	int64_t nfiles, nidents, nhunks;
	int uncommitted;
};

/* ---- opening ------------------------------------------------------------------ */

static int max_id(struct examples_writer *w, const char *query, int64_t *out, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(w->db, query, &st, err);

	if (!ret && sqlite3_step(st) == SQLITE_ROW)
		*out = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return ret;
}

static int load_idents(struct examples_writer *w, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(w->db, "SELECT id, name FROM ident", &st, err);

	while (!ret && sqlite3_step(st) == SQLITE_ROW)
		strmap_put(&w->idents, db_text(st, 1), (void *)(intptr_t)sqlite3_column_int64(st, 0));
	sqlite3_finalize(st);
	return ret;
}

static int load_known(struct examples_writer *w, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(w->db, "SELECT f.id, f.path, p.content FROM file f JOIN pair p ON p.file = f.id",
			     &st, err);

	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		struct known *k = xcalloc(1, sizeof(*k));

		k->file = sqlite3_column_int64(st, 0);
		snprintf(k->content.hex, sizeof(k->content.hex), "%s", db_text(st, 2));
		free(strmap_put(&w->known, db_text(st, 1), k));
	}
	sqlite3_finalize(st);
	return ret;
}

/* Is it a store of these versions? */
static bool same_versions(const char *path, const char *versions)
{
	struct strbuf ignored = STRBUF_INIT;
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	bool same = false;

	if (db_open(path, DB_READONLY, &examples_schema, &db, &ignored) == 0 &&
	    db_prepare(db, "SELECT value FROM origin WHERE name = 'versions'", &st, &ignored) == 0 &&
	    sqlite3_step(st) == SQLITE_ROW)
		same = !strcmp(db_text(st, 0), versions);
	sqlite3_finalize(st);
	db_close(db);
	strbuf_release(&ignored);
	return same;
}

/* The newest other store of the same versions beside it; newly allocated or NULL. */
static char *older_store(const char *path, const char *versions)
{
	char *dir = path_dir(path), *best = NULL;
	DIR *d = opendir(dir);
	struct timespec newest = { 0 };
	struct dirent *de;
	struct stat st;

	while (d && *versions && (de = readdir(d)) != NULL) {
		char *other;

		if (!starts_with(de->d_name, "examples-") || !ends_with(de->d_name, ".db"))
			continue;
		other = path_join(dir, de->d_name);
		if (stat(other, &st) == 0 &&
		    (st.st_mtim.tv_sec > newest.tv_sec ||
		     (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec > newest.tv_nsec)) &&
		    same_versions(other, versions)) {
			newest = st.st_mtim;
			free(best);
			best = other;
			other = NULL;
		}
		free(other);
	}
	if (d)
		closedir(d);
	free(dir);
	return best;
}

/* What can be built upon, as PATH.part. A part that is damaged goes. */
static int take_base(struct examples_writer *w, const char *versions, struct strbuf *err)
{
	struct strbuf ignored = STRBUF_INIT;
	char *base = NULL;
	int ret = 0;

	if (file_exists(w->part) && db_open(w->part, 0, &examples_schema, &w->db, &ignored) == 0)
		goto out;
	ret = file_remove(w->part, err);
	if (same_versions(w->path, versions))
		base = xstrdup(w->path);
	else
		base = older_store(w->path, versions);
	if (!ret && base && file_copy(base, w->part, FILE_COPY_REFLINK, NULL, &ignored) < 0)
		ret = file_remove(w->part, err);
	if (!ret)
		ret = db_open(w->part, 0, &examples_schema, &w->db, err);
out:
	free(base);
	strbuf_release(&ignored);
	return ret;
}

static int prepare_all(struct examples_writer *w, struct strbuf *err)
{
	int ret = db_prepare(w->db, "INSERT INTO file VALUES(?,?)", &w->file, err);

	if (!ret)
		ret = db_prepare(w->db, "INSERT INTO pair VALUES(?,?,?)", &w->pair, err);
	if (!ret)
		ret = db_prepare(w->db, "INSERT INTO ident VALUES(?,?)", &w->ident, err);
	if (!ret)
		ret = db_prepare(w->db, "INSERT INTO hunk VALUES(?,?,?,?,?,?)", &w->hunk, err);
	if (!ret)
		ret = db_prepare(w->db, "INSERT OR IGNORE INTO uses VALUES(?,?)", &w->uses, err);
	if (!ret)
		ret = db_prepare(w->db, "DELETE FROM pair WHERE file = ?", &w->stale, err);
	return ret;
}

static int set_versions(struct examples_writer *w, const char *versions, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(w->db, "INSERT OR REPLACE INTO origin VALUES('versions', ?)", &st, err);

	if (ret)
		return ret;
	db_bind_text(st, 1, versions);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

int examples_writer_open(const char *path, const char *versions, struct examples_writer **out,
			 struct strbuf *err)
{
	struct examples_writer *w = xcalloc(1, sizeof(*w));
	char *dir = path_dir(path);
	int ret = file_mkdirs(dir, err);

	w->lock = (struct lock)LOCK_INIT;
	w->path = xstrdup(path);
	w->part = xstrfmt("%s.part", path);
	if (!ret)
		ret = lock_take_file(&w->lock, path, LOCK_WAIT, err);
	if (!ret)
		ret = take_base(w, versions, err);
	if (!ret)
		ret = db_exec(w->db, "PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
			      "DROP INDEX IF EXISTS ident_name; BEGIN", err);
	if (!ret)
		ret = set_versions(w, versions, err);
	if (!ret)
		ret = max_id(w, "SELECT max(id) FROM file", &w->nfiles, err);
	if (!ret)
		ret = max_id(w, "SELECT max(id) FROM ident", &w->nidents, err);
	if (!ret)
		ret = max_id(w, "SELECT max(id) FROM hunk", &w->nhunks, err);
	if (!ret)
		ret = load_idents(w, err);
	if (!ret)
		ret = load_known(w, err);
	if (!ret)
		ret = prepare_all(w, err);
	free(dir);
	if (ret) {
		examples_writer_stop(w);
		return ret;
	}
	*out = w;
	return 0;
}

/* ---- adding ------------------------------------------------------------------- */

bool examples_writer_has(struct examples_writer *w, const char *path, const struct hash_hex *content)
{
	struct known *k = strmap_get(&w->known, path);

	if (!k || strcmp(k->content.hex, content->hex))
		return false;
	k->kept = true;
	return true;
}

static int commit(struct examples_writer *w, struct strbuf *err)
{
	w->uncommitted = 0;
	return db_exec(w->db, "COMMIT; BEGIN", err);
}

int examples_writer_file(struct examples_writer *w, const char *path, const char *new_path,
			 const struct hash_hex *content, struct strbuf *err)
{
	struct known *k = strmap_get(&w->known, path);
	int ret = 0;

	if (++w->uncommitted > COMMIT_EVERY)
		ret = commit(w, err);
	/* Without its pair an old file's hunks are dropped at the end. */
	if (!ret && k) {
		sqlite3_bind_int64(w->stale, 1, k->file);
		ret = db_step_done(w->stale, err);
		free(strmap_remove(&w->known, path));
	}
	if (ret)
		return ret;
	sqlite3_bind_int64(w->file, 1, ++w->nfiles);
	db_bind_text(w->file, 2, path);
	ret = db_step_done(w->file, err);
	if (ret)
		return ret;
	sqlite3_bind_int64(w->pair, 1, w->nfiles);
	db_bind_text(w->pair, 2, strcmp(path, new_path) ? new_path : "");
	db_bind_text(w->pair, 3, content->hex);
	return db_step_done(w->pair, err);
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

int examples_writer_add(struct examples_writer *w, const char *function, const char *before,
			const char *after, int line, const struct strvec *idents,
			struct strbuf *err)
{
	int ret;

	sqlite3_bind_int64(w->hunk, 1, ++w->nhunks);
	sqlite3_bind_int64(w->hunk, 2, w->nfiles);
	db_bind_text(w->hunk, 3, function);
	sqlite3_bind_int(w->hunk, 4, line);
	db_bind_text(w->hunk, 5, before);
	db_bind_text(w->hunk, 6, after);
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

/* ---- ending -------------------------------------------------------------------- */

/* Pairs that the trees no longer have, and the hunks of files without a pair. */
static int drop_stale(struct examples_writer *w, struct strbuf *err)
{
	const struct strmap_entry *e;
	bool any = false;
	int ret = 0;
	int64_t orphans = 0;

	strmap_for_each(&w->known, e) {
		const struct known *k = e->value;

		if (k->kept || ret)
			continue;
		any = true;
		sqlite3_bind_int64(w->stale, 1, k->file);
		ret = db_step_done(w->stale, err);
	}
	if (!ret && !any)
		ret = max_id(w, "SELECT count(*) FROM file WHERE id NOT IN (SELECT file FROM pair)", &orphans,
			     err);
	if (!ret && (any || orphans))
		ret = db_exec(w->db,
			      "DELETE FROM uses WHERE hunk IN (SELECT id FROM hunk WHERE file NOT IN"
			      " (SELECT file FROM pair));"
			      "DELETE FROM hunk WHERE file NOT IN (SELECT file FROM pair);"
			      "DELETE FROM file WHERE id NOT IN (SELECT file FROM pair)",
			      err);
	return ret;
}

static int put_figure(struct examples_writer *w, const char *name, uint64_t value,
		      struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(w->db, "INSERT OR REPLACE INTO figure VALUES(?,?)", &st, err);

	if (ret)
		return ret;
	db_bind_text(st, 1, name);
	sqlite3_bind_int64(st, 2, (sqlite3_int64)value);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

static int put_figures(struct examples_writer *w, struct examples_stats *st, struct strbuf *err)
{
	int64_t hunks = 0;
	int ret = max_id(w, "SELECT count(*) FROM hunk", &hunks, err);

	st->hunks = (uint64_t)hunks;
	if (!ret)
		ret = put_figure(w, "files", st->files, err);
	if (!ret)
		ret = put_figure(w, "changed", st->changed, err);
	if (!ret)
		ret = put_figure(w, "renamed", st->renamed, err);
	if (!ret)
		ret = put_figure(w, "reused", st->reused, err);
	if (!ret)
		ret = put_figure(w, "unreadable", st->unreadable, err);
	if (!ret)
		ret = put_figure(w, "hunks", st->hunks, err);
	return ret;
}

static void writer_close(struct examples_writer *w)
{
	sqlite3_finalize(w->file);
	sqlite3_finalize(w->pair);
	sqlite3_finalize(w->ident);
	sqlite3_finalize(w->hunk);
	sqlite3_finalize(w->uses);
	sqlite3_finalize(w->stale);
	w->file = w->pair = w->ident = w->hunk = w->uses = w->stale = NULL;
	db_close(w->db);
	w->db = NULL;
}

static void writer_free(struct examples_writer *w)
{
	writer_close(w);
	lock_release(&w->lock);
	strmap_release(&w->idents, NULL);
	strmap_release(&w->known, free);
	free(w->path);
	free(w->part);
	free(w);
}

int examples_writer_finish(struct examples_writer *w, struct examples_stats *st,
			   struct strbuf *err)
{
	int ret = drop_stale(w, err);

	if (!ret)
		ret = put_figures(w, st, err);
	if (!ret)
		ret = db_exec(w->db, EXAMPLES_LAST_INDEX " COMMIT;"
			      "PRAGMA journal_mode = DELETE", err);
	if (ret) {
		examples_writer_stop(w);
		return ret;
	}
	writer_close(w);
	if (rename(w->part, w->path))
		ret = kp_fail_errno(err, "cannot rename '%s'", w->part);
	writer_free(w);
	return ret;
}

void examples_writer_stop(struct examples_writer *w)
{
	if (!w)
		return;
	if (w->db && !sqlite3_get_autocommit(w->db))
		sqlite3_exec(w->db, "COMMIT", NULL, NULL, NULL);
	writer_free(w);
}
