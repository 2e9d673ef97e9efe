// SPDX-License-Identifier: GPL-2.0-only
/* Bringing a store up to date with a repository. */
#include "base/compat.h"

#include <malloc.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lock.h"
#include "mine/cochange-db.h"

struct miner {
	const struct cochange_options *opts;
	struct cc_writer *w;
};

static void *examine(git_repository *repo, const struct history_commit *c, void *payload)
{
	const struct miner *m = payload;

	return cc_examine(repo, c, !m->opts->no_examples);
}

static int store(sqlite3 *db, const struct history_commit *c, void *result, void *payload, struct strbuf *err)
{
	struct miner *m = payload;
	int ret = cc_write(m->w, c, result, err);

	cc_result_free(result);
	return ret;
}

static int released(sqlite3 *db, const git_oid *id, const char *release, void *payload, struct strbuf *err)
{
	struct miner *m = payload;

	return cc_set_release(m->w, id, release, err);
}

static void discard(void *result)
{
	cc_result_free(result);
}

/* A store is made with examples or without, not with both. */
static int check_meta(sqlite3 *db, bool examples, struct strbuf *err)
{
	const char *want = examples ? "yes" : "no", *have;
	sqlite3_stmt *st;
	int ret = db_prepare(db, "SELECT value FROM meta WHERE name = 'examples'", &st, err);

	if (ret)
		return ret;
	if (sqlite3_step(st) != SQLITE_ROW)
		ret = db_exec(db, examples ? "INSERT INTO meta VALUES ('examples', 'yes')" :
					     "INSERT INTO meta VALUES ('examples', 'no')", err);
	else if ((have = db_text(st, 0)) != NULL && strcmp(have, want))
		ret = kp_fail(err, KP_ERR, "'%s' was mined %s examples; use another file (--out)",
			      sqlite3_db_filename(db, "main"), examples ? "without" : "with");
	sqlite3_finalize(st);
	return ret;
}

static int put_meta(sqlite3 *db, const char *name, const char *value, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(db, "INSERT OR REPLACE INTO meta VALUES (?1, ?2)", &st, err);

	if (ret)
		return ret;
	db_bind_text(st, 1, name);
	db_bind_text(st, 2, value);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

/* Of what and when, for "kport mine status"; the numbers stay until another run finds others. */
static int note_run(sqlite3 *db, const char *repo, const char *range, const struct cochange_options *opts,
		    const struct history_figures *f, struct strbuf *err)
{
	char *real = file_realpath(repo), *mined = xstrfmt("%" PRId64, (int64_t)time(NULL));
	char *cut = xstrfmt("%" PRIu64, f->cut), *shallow = xstrfmt("%" PRIu64, f->shallow);
	const struct {
		const char *name, *value;
		bool wanted;
	} rows[] = {
		{ COCHANGE_META_REPOSITORY, real ? real : repo, true },
		{ COCHANGE_META_RANGE, opts->all ? "all branches and tags" : range ? range : "HEAD", true },
		{ COCHANGE_META_MINED, mined, true },
		{ COCHANGE_META_CUT, cut, f->cut > 0 },
		{ COCHANGE_META_SHALLOW, shallow, f->shallow > 0 },
	};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows) && !ret; i++)
		if (rows[i].wanted)
			ret = put_meta(db, rows[i].name, rows[i].value, err);
	free(real);
	free(mined);
	free(cut);
	free(shallow);
	return ret;
}

static int settle(struct miner *m, sqlite3 *db, const char *repo, struct strbuf *err)
{
	int ret = db_exec(db, "BEGIN IMMEDIATE", err);

	if (!ret)
		ret = cc_settle_links(db, m->w, repo, m->opts->jobs, !m->opts->no_examples, err);
	if (!ret)
		ret = cc_settle_fixes(db, err);
	if (!ret)
		ret = db_exec(db, "COMMIT", err);
	if (ret && !sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return ret;
}

static int mine(const char *repo, const char *range, const struct cochange_options *opts, sqlite3 *db,
		struct history_figures *f, struct strbuf *err)
{
	struct miner m = { .opts = opts };
	struct history_examiner ex = { .examine = examine, .store = store, .released = released,
				       .discard = discard, .payload = &m };
	struct history_walk w = { .repo = repo, .range = range, .all = opts->all,
				  .first_parent = opts->first_parent, .jobs = opts->jobs, .examiner = &ex,
				  .progress = opts->progress, .payload = opts->payload };
	/* The indexes are written to all over: pages stay in memory and go to the file seldom. */
	int ret = db_exec(db, "PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 16384", err);

	if (!ret)
		ret = check_meta(db, !opts->no_examples, err);
	if (!ret)
		ret = cc_writer_new(db, &m.w, err);
	if (!ret)
		ret = history_walk(&w, db, f, err);
	if (!ret)
		ret = settle(&m, db, repo, err);
	if (!ret)
		ret = note_run(db, repo, range, opts, f, err);
	cc_writer_free(m.w);
	return ret;
}

/* One file, without a journal beside it, that can be renamed or copied. */
static int close_whole(sqlite3 *db, struct strbuf *err)
{
	int ret = db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE", err);

	db_close(db);
	return ret;
}

/*
 * Blobs come and go by the hundred thousand: memory that the allocator gave back to the
 * kernel would be faulted in again for the next one, a fifth of the whole run.
 */
static void keep_freed_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

int cochange_mine(const char *repo, const char *range, const struct cochange_options *opts,
		  const char *path, struct cochange_figures *out, struct strbuf *err)
{
	static const struct cochange_options none;
	struct lock lock = LOCK_INIT;
	char *part = xstrfmt("%s.part", path);
	bool first = !file_exists(path);
	struct history_figures f = { 0 };
	struct cochanges *co = NULL;
	sqlite3 *db = NULL;
	struct stat st;
	int ret;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		ret = kp_fail(err, KP_ERR, "'%s' is %s", path,
			      S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
	else
		ret = file_mkdirs_for(path, err);
	memset(out, 0, sizeof(*out));
	keep_freed_memory();
	if (!ret)
		ret = lock_take_file(&lock, path, 0, err);
	if (!ret)
		ret = db_open(first ? part : path, 0, &cc_schema, &db, err);
	if (!ret)
		ret = mine(repo, range, opts ? opts : &none, db, &f, err);
	if (db && ret)
		db_close(db);
	else if (db)
		ret = close_whole(db, err);
	if (!ret && first && rename(part, path))
		ret = kp_fail_errno(err, "cannot rename '%s'", part);
	if (!ret)
		ret = cochange_open(path, &co, err);
	if (!ret)
		ret = cochange_figures(co, out, err);
	out->walk = f;
	cochange_close(co);
	lock_release(&lock);
	free(part);
	return ret;
}

char *cochange_path(const char *repo)
{
	char *cache = kport_cache_dir(), *real = file_realpath(repo), *path;
	struct hash *h = hash_new();
	struct hash_hex hex;

	hash_add_str(h, "history-1");
	hash_add_str(h, real ? real : repo);
	hex = hash_final(h);
	path = xstrfmt("%s/index/history-%.16s.db", cache, hex.hex);
	free(cache);
	free(real);
	return path;
}
