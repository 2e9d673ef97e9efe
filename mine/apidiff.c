// SPDX-License-Identifier: GPL-2.0-only
/* The stored difference of two indexes: made once, then looked up. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "mine/apidiff-side.h"

#define LOCK_WAIT 600

static const char *const schema[] = {
	"CREATE TABLE change(id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, kind INTEGER NOT NULL,"
	" member TEXT, to_name TEXT, from_id INTEGER, to_id INTEGER, confidence REAL, evidence TEXT);"
	"CREATE INDEX change_symbol ON change(symbol);"
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;",
};

const struct db_migrations diff_schema = { schema, ARRAY_SIZE(schema) };

struct api_diff {
	sqlite3 *db;
	sqlite3_stmt *by_symbol, *by_id;
	struct api_index *from, *to;
	struct api_change **change;	/* by number, loaded when asked for */
	struct api_change *all;		/* api_diff_all() */
	size_t n;
	struct pool pool;
};

static const char *const names[CHANGE_KIND_COUNT] = {
	[CHANGE_REMOVED] = "removed", [CHANGE_ADDED] = "added", [CHANGE_RENAMED] = "renamed",
	[CHANGE_SIGNATURE] = "signature", [CHANGE_RETURN_TYPE] = "return-type",
	[CHANGE_CONST] = "const", [CHANGE_TYPE] = "type", [CHANGE_MEMBER_MOVED] = "member-moved",
	[CHANGE_MEMBER_RENAMED] = "member-renamed", [CHANGE_MEMBER_REMOVED] = "member-removed",
	[CHANGE_MEMBER_ADDED] = "member-added", [CHANGE_KIND] = "kind",
	[CHANGE_MACRO_ARITY] = "macro-arity", [CHANGE_VALUE] = "value",
	[CHANGE_HEADER_MOVED] = "header-moved", [CHANGE_HEADER_GONE] = "header-gone",
	[CHANGE_INCLUDE_DROPPED] = "include-dropped", [CHANGE_EXPORT_LOST] = "export-lost",
	[CHANGE_EXPORT_GPL] = "export-gpl", [CHANGE_NAMESPACE] = "namespace",
	[CHANGE_DOC] = "doc",
};

const char *api_change_name(enum api_change_kind k)
{
	return k < CHANGE_KIND_COUNT ? names[k] : "unknown";
}

/* ---- making ------------------------------------------------------------------------- */

const char *diff_str(struct diff_ctx *d, const char *s)
{
	return pool_str(&d->pool, pool_addstr(&d->pool, s));
}

void diff_add(struct diff_ctx *d, enum api_change_kind kind, const char *symbol, const char *member,
	      const char *to_name, const struct api_symbol *from, const struct api_symbol *to,
	      double confidence, const char *evidence)
{
	struct diff_change *c;

	ALLOC_GROW(d->c, d->n + 1, d->alloc);
	c = &d->c[d->n++];
	c->kind = kind;
	c->symbol = symbol;
	c->member = member;
	c->to_name = to_name;
	c->from = from ? from->id : 0;
	c->to = to ? to->id : 0;
	c->confidence = confidence;
	c->evidence = evidence;
}

static int cmp_null(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_symbol(const void *a, const void *b)
{
	const struct diff_change *x = a, *y = b;
	int c = strcmp(x->symbol, y->symbol);

	if (!c)
		c = (int)x->kind - (int)y->kind;
	if (!c)
		c = cmp_null(x->member, y->member);
	if (!c)
		c = cmp_null(x->to_name, y->to_name);
	return c ? c : x->from - y->from;
}

static void bind_id(sqlite3_stmt *st, int col, int id)
{
	if (id)
		sqlite3_bind_int(st, col, id);
	else
		sqlite3_bind_null(st, col);
}

/* Whose difference it is: what the file's name says in the cache, for files elsewhere. */
static int write_key(sqlite3 *db, const char *name, const char *value, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(db, "INSERT INTO meta VALUES(?,?)", &st, err);

	if (!ret) {
		db_bind_text(st, 1, name);
		db_bind_text(st, 2, value);
		ret = db_step_done(st, err);
	}
	sqlite3_finalize(st);
	return ret;
}

static int write_changes(struct diff_ctx *d, const char *path, struct strbuf *err)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	size_t i;
	int ret = db_open(path, DB_FAST_IMPORT, &diff_schema, &db, err);

	if (!ret)
		ret = db_exec(db, "BEGIN", err);
	if (!ret)
		ret = db_prepare(db, "INSERT INTO change VALUES(?,?,?,?,?,?,?,?,?)", &st, err);
	for (i = 0; i < d->n && !ret; i++) {
		const struct diff_change *c = &d->c[i];

		sqlite3_bind_int64(st, 1, (int64_t)i + 1);
		sqlite3_bind_text(st, 2, c->symbol, -1, SQLITE_STATIC);
		sqlite3_bind_int(st, 3, c->kind);
		sqlite3_bind_text(st, 4, c->member, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 5, c->to_name, -1, SQLITE_STATIC);
		bind_id(st, 6, c->from);
		bind_id(st, 7, c->to);
		sqlite3_bind_double(st, 8, c->confidence);
		sqlite3_bind_text(st, 9, c->evidence, -1, SQLITE_STATIC);
		ret = db_step_done(st, err);
	}
	sqlite3_finalize(st);
	if (!ret)
		ret = write_key(db, "from", api_index__key(d->a.ix), err);
	if (!ret)
		ret = write_key(db, "to", api_index__key(d->b.ix), err);
	if (!ret)
		ret = db_exec(db, "COMMIT", err);
	db_close(db);
	return ret;
}

static int compute(struct api_index *from, struct api_index *to, const char *path,
		   struct strbuf *err)
{
	struct diff_ctx d = { 0 };
	int ret;

	pool_init(&d.pool);
	strmap_init(&d.typedefs);
	ret = side_load(&d.a, from, err);
	if (!ret)
		ret = side_load(&d.b, to, err);
	if (!ret) {
		diff_symbols(&d);
		diff_members(&d);
		diff_renames(&d);
		ret = diff_headers(&d, err);
	}
	if (!ret) {
		if (d.n)
			sort_items(d.c, d.n, sizeof(*d.c), by_symbol);
		ret = write_changes(&d, path, err);
	}
	side_release(&d.a);
	side_release(&d.b);
	free(d.c);
	free(d.gone);
	free(d.fresh);
	free(d.tags);
	strmap_release(&d.typedefs, NULL);
	free(d.through);
	pool_release(&d.pool);
	return ret;
}

/* ---- opening --------------------------------------------------------------------------- */

static int open_db(const char *path, struct api_diff *df, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_open(path, DB_READONLY, &diff_schema, &df->db, err);
	const char cols[] = "SELECT id, kind, symbol, member, to_name, from_id, to_id, confidence,"
			    " evidence FROM change ";
	char sql[256];

	if (!ret)
		ret = db_prepare(df->db, "SELECT max(id) FROM change", &st, err);
	if (!ret && sqlite3_step(st) == SQLITE_ROW)
		df->n = (size_t)sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	snprintf(sql, sizeof(sql), "%sWHERE symbol = ? ORDER BY id", cols);
	if (!ret)
		ret = db_prepare(df->db, sql, &df->by_symbol, err);
	snprintf(sql, sizeof(sql), "%sORDER BY id", cols);
	if (!ret)
		ret = db_prepare(df->db, sql, &df->by_id, err);
	if (!ret)
		df->change = xcalloc(df->n + 1, sizeof(*df->change));
	return ret;
}

static void close_db(struct api_diff *df)
{
	sqlite3_finalize(df->by_symbol);
	sqlite3_finalize(df->by_id);
	db_close(df->db);
	df->by_symbol = df->by_id = NULL;
	df->db = NULL;
}

static int make(struct api_diff *df, const char *path, struct strbuf *err)
{
	char *aside = xstrfmt("%s.new", path);
	int ret = file_remove(aside, err);

	log_debug("comparing %s with %s", api_index_release(df->from), api_index_release(df->to));
	if (!ret)
		ret = compute(df->from, df->to, aside, err);
	if (!ret && rename(aside, path) < 0)
		ret = kp_fail_errno(err, "cannot rename '%s'", aside);
	free(aside);
	return ret;
}

static int open_or_make(struct api_diff *df, const char *dir, struct strbuf *err)
{
	char *path = path_join(dir, "diff.db");
	struct strbuf problem = STRBUF_INIT;
	struct lock lock = LOCK_INIT;
	int ret = KP_NOTFOUND;

	if (file_exists(path)) {
		ret = open_db(path, df, &problem);
		if (ret < 0)
			close_db(df);
	}
	if (ret < 0) {
		ret = file_mkdirs(dir, err);
		if (!ret)
			ret = lock_take(&lock, dir, LOCK_WAIT, err);
		strbuf_reset(&problem);
		if (!ret && (!file_exists(path) || open_db(path, df, &problem) < 0)) {
			close_db(df);
			ret = make(df, path, err);
			if (!ret)
				ret = open_db(path, df, err);
		}
		lock_release(&lock);
	}
	strbuf_release(&problem);
	free(path);
	return ret;
}

static struct api_diff *new_diff(struct api_index *from, struct api_index *to)
{
	struct api_diff *df = xcalloc(1, sizeof(*df));

	df->from = from;
	df->to = to;
	pool_init(&df->pool);
	return df;
}

static bool key_is(struct api_diff *df, const char *name, const char *want)
{
	struct strbuf ignored = STRBUF_INIT;
	sqlite3_stmt *st = NULL;
	bool same = false;

	if (db_prepare(df->db, "SELECT value FROM meta WHERE key = ?", &st, &ignored) == 0) {
		db_bind_text(st, 1, name);
		same = sqlite3_step(st) == SQLITE_ROW && db_text(st, 0) && !strcmp(db_text(st, 0), want);
	}
	sqlite3_finalize(st);
	strbuf_release(&ignored);
	return same;
}

int api_diff_open_file(const char *path, struct api_index *from, struct api_index *to,
		       struct api_diff **out, struct strbuf *err)
{
	struct api_diff *df = new_diff(from, to);
	int ret = open_db(path, df, err);

	if (!ret && (!key_is(df, "from", api_index__key(from)) || !key_is(df, "to", api_index__key(to))))
		ret = kp_fail(err, KP_ERR, "'%s' is the difference of other indexes", path);
	if (ret < 0)
		api_diff_close(df);
	else
		*out = df;
	return ret;
}

const char *api_diff_file(const struct api_diff *df)
{
	return sqlite3_db_filename(df->db, "main");
}

int api_diff_open(struct api_index *from, struct api_index *to, struct api_diff **out,
		  struct strbuf *err)
{
	struct api_diff *df = new_diff(from, to);
	char *cache = kport_cache_dir(), *dir;
	struct hash *h = hash_new();
	struct hash_hex key;
	int ret;

	hash_add_str(h, DIFF_FORMAT);
	hash_add_str(h, api_index__key(from));
	hash_add_str(h, api_index__key(to));
	key = hash_final(h);
	dir = xstrfmt("%s/index/diff-%.32s", cache, key.hex);
	ret = open_or_make(df, dir, err);
	free(cache);
	free(dir);
	if (ret < 0)
		api_diff_close(df);
	else
		*out = df;
	return ret;
}

void api_diff_close(struct api_diff *df)
{
	size_t i;

	if (!df)
		return;
	for (i = 0; df->change && i <= df->n; i++)
		if (df->change[i] && !(df->all && df->change[i] == &df->all[i]))
			free(df->change[i]);
	free(df->change);
	free(df->all);
	close_db(df);
	pool_release(&df->pool);
	free(df);
}

static const char *text(struct api_diff *df, sqlite3_stmt *st, int col)
{
	const char *s = db_text(st, col);

	return s ? pool_str(&df->pool, pool_addstr(&df->pool, s)) : NULL;
}

/* The change of the current row. */
static const struct api_change *load(struct api_diff *df, sqlite3_stmt *st)
{
	int64_t id = sqlite3_column_int64(st, 0);
	struct api_change *c;

	if (id <= 0 || (size_t)id > df->n)
		return NULL;
	if (df->change[id])
		return df->change[id];
	c = df->all ? &df->all[id] : xcalloc(1, sizeof(*c));
	c->kind = (enum api_change_kind)sqlite3_column_int(st, 1);
	c->symbol = text(df, st, 2);
	c->member = text(df, st, 3);
	c->to_name = text(df, st, 4);
	c->from = api_index__symbol(df->from, (size_t)sqlite3_column_int64(st, 5));
	c->to = api_index__symbol(df->to, (size_t)sqlite3_column_int64(st, 6));
	c->confidence = sqlite3_column_double(st, 7);
	c->evidence = text(df, st, 8);
	df->change[id] = c;
	return c;
}

size_t api_diff_lookup(struct api_diff *df, const char *symbol, const struct api_change ***out)
{
	const struct api_change **v = NULL, *c;
	size_t n = 0, alloc = 0;

	sqlite3_bind_text(df->by_symbol, 1, symbol, -1, SQLITE_STATIC);
	while (sqlite3_step(df->by_symbol) == SQLITE_ROW) {
		c = load(df, df->by_symbol);
		if (!c)
			continue;
		ALLOC_GROW(v, n + 1, alloc);
		v[n++] = c;
	}
	sqlite3_reset(df->by_symbol);
	*out = v;
	return n;
}

size_t api_diff_all(struct api_diff *df, const struct api_change **out)
{
	if (!df->all) {
		struct api_change *all = xcalloc(df->n + 1, sizeof(*all));
		size_t i;

		/* Those that lookups already gave out stay where they are; these are copies. */
		for (i = 1; i <= df->n; i++)
			if (df->change[i])
				all[i] = *df->change[i];
		df->all = all;
		while (sqlite3_step(df->by_id) == SQLITE_ROW)
			load(df, df->by_id);
		sqlite3_reset(df->by_id);
	}
	*out = df->all + 1;
	return df->n;
}
