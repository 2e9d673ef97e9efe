// SPDX-License-Identifier: GPL-2.0-only
/* The stored comparison of two kernels' structures: made once, then looked up. */
#include "base/compat.h"
#include "mine/layout-internal.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/log.h"

#define LOCK_WAIT 600

static const char *const schema[] = {
	"CREATE TABLE layout(id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, kind INTEGER NOT NULL,"
	" member TEXT, to_name TEXT, from_n INTEGER, to_n INTEGER, from_type TEXT, to_type TEXT,"
	" sure INTEGER);"
	"CREATE INDEX layout_symbol ON layout(symbol);"
	"CREATE TABLE figure(name TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;",
	"CREATE TABLE origin(side TEXT PRIMARY KEY, kernel TEXT NOT NULL) WITHOUT ROWID;",
};

const struct db_migrations layout_schema = { schema, ARRAY_SIZE(schema) };

static const char *const names[LAYOUT_KIND_COUNT] = {
	[LAYOUT_SIZE] = "size", [LAYOUT_ADDED] = "added", [LAYOUT_REMOVED] = "removed",
	[LAYOUT_RENAMED] = "renamed", [LAYOUT_NARROWED] = "narrowed", [LAYOUT_WIDENED] = "widened",
	[LAYOUT_RETYPED] = "retyped", [LAYOUT_MOVED] = "moved", [LAYOUT_REORDERED] = "reordered",
};

/* What is compared: files, and what the kernels are called. */
struct two {
	const char *old_file, *new_file, *from, *to;
};

struct layout_diff {
	sqlite3 *db;
	sqlite3_stmt *find;
};

const char *layout_kind_name(enum layout_kind k)
{
	return (unsigned)k < LAYOUT_KIND_COUNT ? names[k] : "unknown";
}

/* ---- text ------------------------------------------------------------------------------ */

/* Bits as people count them: "4 bytes", "3 bits". */
static void bits_text(int64_t bits, struct strbuf *out)
{
	if (bits % 8)
		strbuf_addf(out, "%lld bits", (long long)bits);
	else
		strbuf_addf(out, "%lld byte%s", (long long)(bits / 8), bits == 8 ? "" : "s");
}

static void offset_text(int64_t bits, struct strbuf *out)
{
	strbuf_addf(out, "%lld", (long long)(bits / 8));
	if (bits % 8)
		strbuf_addf(out, ".%lld", (long long)(bits % 8));
}

void layout_change_text(const struct layout_change *c, struct strbuf *out)
{
	if (c->kind == LAYOUT_SIZE) {
		strbuf_addf(out, "size %lld -> %lld bytes", (long long)c->from, (long long)c->to);
		return;
	}
	strbuf_addf(out, "member %s ", c->member);
	switch (c->kind) {
	case LAYOUT_ADDED:
		strbuf_addstr(out, "added at offset ");
		offset_text(c->to, out);
		break;
	case LAYOUT_REMOVED:
		strbuf_addstr(out, "removed, was at offset ");
		offset_text(c->from, out);
		break;
	case LAYOUT_RENAMED:
		strbuf_addf(out, "has the name %s now: same place, same type", c->to_name);
		break;
	case LAYOUT_NARROWED:
	case LAYOUT_WIDENED:
		strbuf_addf(out, "%s from ", names[c->kind]);
		bits_text(c->from, out);
		strbuf_addstr(out, " to ");
		bits_text(c->to, out);
		break;
	case LAYOUT_RETYPED:
		strbuf_addstr(out, "has another type of the same width");
		break;
	default:
		strbuf_addf(out, "%s from offset ", c->kind == LAYOUT_REORDERED ?
			    "changed places with others," : "moved");
		offset_text(c->from, out);
		strbuf_addstr(out, " to ");
		offset_text(c->to, out);
	}
	if (c->from_type && c->to_type && strcmp(c->from_type, c->to_type) && c->kind != LAYOUT_MOVED &&
	    c->kind != LAYOUT_REORDERED)
		strbuf_addf(out, " (%s -> %s)", c->from_type, c->to_type);
	if (!c->sure)
		strbuf_addstr(out, " [if it is this one: several structures have the name]");
}

/* ---- making ---------------------------------------------------------------------------- */

static int write_figures(sqlite3 *db, const struct layout_figures *f, struct strbuf *err)
{
	const struct { const char *name; uint64_t v; } rows[] = {
		{ "old", f->old_structs }, { "new", f->new_structs }, { "both", f->both },
		{ "changed", f->changed },
	};
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(db, "INSERT INTO figure VALUES(?,?)", &st, err);

	for (size_t i = 0; i < ARRAY_SIZE(rows) && !ret; i++) {
		db_bind_text(st, 1, rows[i].name);
		sqlite3_bind_int64(st, 2, (int64_t)rows[i].v);
		ret = db_step_done(st, err);
	}
	sqlite3_finalize(st);
	return ret;
}

static int write_rows(sqlite3 *db, const struct layout_result *r, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(db, "INSERT INTO layout VALUES(?,?,?,?,?,?,?,?,?,?)", &st, err);

	for (size_t i = 0; i < r->n && !ret; i++) {
		const struct layout_found *c = &r->c[i];

		sqlite3_bind_int64(st, 1, (int64_t)i + 1);
		sqlite3_bind_text(st, 2, c->symbol, -1, SQLITE_STATIC);
		sqlite3_bind_int(st, 3, c->kind);
		sqlite3_bind_text(st, 4, c->member, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 5, c->to_name, -1, SQLITE_STATIC);
		sqlite3_bind_int64(st, 6, c->from);
		sqlite3_bind_int64(st, 7, c->to);
		sqlite3_bind_text(st, 8, c->from_type, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 9, c->to_type, -1, SQLITE_STATIC);
		sqlite3_bind_int(st, 10, c->sure);
		ret = db_step_done(st, err);
	}
	sqlite3_finalize(st);
	return ret;
}

static int write_origin(sqlite3 *db, const char *side, const char *kernel, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(db, "INSERT INTO origin VALUES(?,?)", &st, err);

	if (!ret) {
		db_bind_text(st, 1, side);
		db_bind_text(st, 2, kernel);
		ret = db_step_done(st, err);
	}
	sqlite3_finalize(st);
	return ret;
}

static int write_db(const struct layout_result *r, const struct two *k, const char *path, struct strbuf *err)
{
	sqlite3 *db = NULL;
	int ret = db_open(path, DB_FAST_IMPORT, &layout_schema, &db, err);

	if (!ret)
		ret = db_exec(db, "BEGIN", err);
	if (!ret)
		ret = write_rows(db, r, err);
	if (!ret)
		ret = write_figures(db, &r->figures, err);
	if (!ret)
		ret = write_origin(db, "from", k->from, err);
	if (!ret)
		ret = write_origin(db, "to", k->to, err);
	if (!ret)
		ret = db_exec(db, "COMMIT", err);
	db_close(db);
	return ret;
}

static int compute(const struct two *k, const char *path, struct strbuf *err)
{
	struct layout_set a = { 0 }, b = { 0 };
	struct layout_result r = { 0 };
	struct pool pool;
	int ret;

	pool_init(&pool);
	ret = layout_read_btf(k->old_file, &pool, &a, err);
	if (!ret)
		ret = layout_read_btf(k->new_file, &pool, &b, err);
	if (!ret) {
		layout_compare(&a, &b, &r);
		ret = write_db(&r, k, path, err);
	}
	layout_set_release(&a);
	layout_set_release(&b);
	free(r.c);
	pool_release(&pool);
	return ret;
}

static int make(const struct two *k, const char *path, struct strbuf *err)
{
	char *aside = xstrfmt("%s.new", path), *dir = path_dir(path);
	struct lock lock = LOCK_INIT;
	int ret = file_mkdirs(dir, err);

	log_debug("comparing the structures of '%s' and '%s'", k->old_file, k->new_file);
	if (!ret)
		ret = lock_take(&lock, dir, LOCK_WAIT, err);
	if (!ret && !file_exists(path)) {
		ret = file_remove(aside, err);
		if (!ret)
			ret = compute(k, aside, err);
		if (!ret && rename(aside, path) < 0)
			ret = kp_fail_errno(err, "cannot rename '%s'", aside);
		if (ret < 0)
			file_remove(aside, NULL);
	}
	lock_release(&lock);
	free(aside);
	free(dir);
	return ret;
}

/* ---- opening ---------------------------------------------------------------------------- */

static void hash_identity(struct hash *h, const char *path)
{
	char *real = file_realpath(path);
	struct stat st;
	int64_t id[3] = { 0 };

	if (stat(path, &st) == 0) {
		id[0] = st.st_size;
		id[1] = st.st_mtim.tv_sec;
		id[2] = st.st_mtim.tv_nsec;
	}
	hash_add_str(h, real ? real : path);
	hash_add(h, id, sizeof(id));
	free(real);
}

char *layout_diff_path(const char *old_file, const char *new_file)
{
	char *cache = kport_cache_dir(), *path;
	struct hash *h = hash_new();
	struct hash_hex key;

	hash_add_str(h, LAYOUT_FORMAT);
	hash_identity(h, old_file);
	hash_identity(h, new_file);
	key = hash_final(h);
	path = xstrfmt("%s/index/layout-%.16s.db", cache, key.hex);
	free(cache);
	return path;
}

int layout_diff_open_file(const char *path, struct layout_diff **out, struct strbuf *err)
{
	struct layout_diff *ld = xcalloc(1, sizeof(*ld));
	int ret = db_open(path, DB_READONLY, &layout_schema, &ld->db, err);

	if (!ret)
		ret = db_prepare(ld->db, "SELECT kind, symbol, member, to_name, from_n, to_n, from_type,"
				 " to_type, sure FROM layout WHERE symbol = ? ORDER BY kind, id", &ld->find, err);
	if (ret < 0)
		layout_diff_close(ld);
	else
		*out = ld;
	return ret;
}

int layout_diff_open(const char *old_file, const char *new_file, const char *from, const char *to,
		     struct layout_diff **out, struct strbuf *err)
{
	const struct two k = { old_file, new_file, from, to };
	char *path = layout_diff_path(old_file, new_file);
	struct strbuf problem = STRBUF_INIT;
	int ret = file_exists(path) ? layout_diff_open_file(path, out, &problem) : KP_NOTFOUND;

	if (ret < 0) {
		ret = file_remove(path, err); /* torn, or an older schema */
		if (!ret)
			ret = make(&k, path, err);
		if (!ret)
			ret = layout_diff_open_file(path, out, err);
	}
	strbuf_release(&problem);
	free(path);
	return ret;
}

const char *layout_diff_file(const struct layout_diff *ld)
{
	return sqlite3_db_filename(ld->db, "main");
}

void layout_diff_close(struct layout_diff *ld)
{
	if (!ld)
		return;
	sqlite3_finalize(ld->find);
	db_close(ld->db);
	free(ld);
}

/* ---- reading ----------------------------------------------------------------------------- */

size_t layout_diff_lookup(struct layout_diff *ld, const char *symbol, struct layout_change **out)
{
	size_t n = 0, alloc = 0;

	*out = NULL;
	sqlite3_reset(ld->find);
	db_bind_text(ld->find, 1, symbol);
	while (sqlite3_step(ld->find) == SQLITE_ROW) {
		int kind = sqlite3_column_int(ld->find, 0);
		const char *member = db_text(ld->find, 2);
		struct layout_change *c;

		if (kind < 0 || kind >= LAYOUT_KIND_COUNT || (!member && kind != LAYOUT_SIZE))
			continue;
		ALLOC_GROW(*out, n + 1, alloc);
		c = &(*out)[n++];
		c->kind = (enum layout_kind)kind;
		c->symbol = xstrdup(db_text(ld->find, 1));
		c->member = xstrdup(member);
		c->to_name = xstrdup(db_text(ld->find, 3));
		c->from = sqlite3_column_int64(ld->find, 4);
		c->to = sqlite3_column_int64(ld->find, 5);
		c->from_type = xstrdup(db_text(ld->find, 6));
		c->to_type = xstrdup(db_text(ld->find, 7));
		c->sure = sqlite3_column_int(ld->find, 8);
	}
	sqlite3_reset(ld->find);
	return n;
}

void layout_changes_free(struct layout_change *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].symbol);
		free(list[i].member);
		free(list[i].to_name);
		free(list[i].from_type);
		free(list[i].to_type);
	}
	free(list);
}

int layout_diff_figures(struct layout_diff *ld, struct layout_figures *out, struct strbuf *err)
{
	sqlite3_stmt *st = NULL;
	int ret = db_prepare(ld->db, "SELECT name, value FROM figure", &st, err);

	memset(out, 0, sizeof(*out));
	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		const char *name = db_text(st, 0);
		uint64_t v = (uint64_t)sqlite3_column_int64(st, 1);

		if (!strcmp(name, "old"))
			out->old_structs = v;
		else if (!strcmp(name, "new"))
			out->new_structs = v;
		else if (!strcmp(name, "both"))
			out->both = v;
		else if (!strcmp(name, "changed"))
			out->changed = v;
	}
	sqlite3_finalize(st);
	if (!ret)
		ret = db_prepare(ld->db, "SELECT kind, count(*) FROM layout GROUP BY kind", &st, err);
	if (ret)
		return ret;
	while (sqlite3_step(st) == SQLITE_ROW) {
		int kind = sqlite3_column_int(st, 0);

		if (kind >= 0 && kind < LAYOUT_KIND_COUNT)
			out->changes[kind] = (uint64_t)sqlite3_column_int64(st, 1);
	}
	sqlite3_finalize(st);
	ret = db_prepare(ld->db, "SELECT side, kernel FROM origin", &st, err);
	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		char **side = !strcmp(db_text(st, 0), "from") ? &out->from : &out->to;

		free(*side);
		*side = xstrdup(db_text(st, 1));
	}
	sqlite3_finalize(st);
	return ret;
}

void layout_figures_release(struct layout_figures *f)
{
	free(f->from);
	free(f->to);
	f->from = f->to = NULL;
}
