// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/history-walked.h"

#include "base/alloc.h"
#include "base/error.h"

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS walked_how (first_parent INTEGER NOT NULL);"
	"CREATE TABLE IF NOT EXISTS walked_range (id INTEGER PRIMARY KEY, tips BLOB NOT NULL,"
	" hidden BLOB NOT NULL, commits INTEGER NOT NULL);"
	"CREATE TABLE IF NOT EXISTS walked_late (ids BLOB NOT NULL);"
	"CREATE TABLE IF NOT EXISTS walked_part (id INTEGER PRIMARY KEY, ids BLOB NOT NULL);";

static int column_oids(sqlite3_stmt *st, int col, struct oids *out, struct strbuf *err)
{
	const uint8_t *p = sqlite3_column_blob(st, col);
	size_t n = (size_t)sqlite3_column_bytes(st, col);

	if (n % GIT_OID_RAWSZ)
		return kp_fail(err, KP_ERR, "'%s': damaged list of walked commits",
			       sqlite3_db_filename(sqlite3_db_handle(st), "main"));
	for (size_t i = 0; i < n; i += GIT_OID_RAWSZ) {
		git_oid id;

		memcpy(id.id, p + i, sizeof(id.id));
		oids_add(out, &id);
	}
	return 0;
}

static void bind_oids(sqlite3_stmt *st, int i, const struct oids *o)
{
	_Static_assert(sizeof(git_oid) == GIT_OID_RAWSZ, "ids lie one after the other");
	sqlite3_bind_blob(st, i, o->n ? (const void *)o->v : "", (int)(o->n * GIT_OID_RAWSZ),
			  SQLITE_STATIC);
}

static int check_how(sqlite3 *db, bool first_parent, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(db, "SELECT first_parent FROM walked_how", &st, err);

	if (ret)
		return ret;
	if (sqlite3_step(st) != SQLITE_ROW)
		ret = db_exec(db,
			      first_parent ? "INSERT INTO walked_how VALUES (1)" :
					     "INSERT INTO walked_how VALUES (0)",
			      err);
	else if ((sqlite3_column_int(st, 0) != 0) != first_parent)
		ret = kp_fail(err, KP_ERR,
			      "'%s' was mined %s first parents only; use another file (--out)",
			      sqlite3_db_filename(db, "main"), first_parent ? "not by" : "by");
	sqlite3_finalize(st);
	return ret;
}

static int load_ranges(struct walked *w, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(w->db, "SELECT id, tips, hidden, commits FROM walked_range ORDER BY id", &st,
			     err);

	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		struct walked_range *r;

		ALLOC_GROW(w->ranges, w->n + 1, w->alloc);
		r = &w->ranges[w->n++];
		memset(r, 0, sizeof(*r));
		r->id = sqlite3_column_int64(st, 0);
		r->commits = (uint64_t)sqlite3_column_int64(st, 3);
		ret = column_oids(st, 1, &r->tips, err);
		if (!ret)
			ret = column_oids(st, 2, &r->hidden, err);
		oids_sort(&r->hidden);
	}
	sqlite3_finalize(st);
	return ret;
}

static int load_ids(sqlite3 *db, const char *sql, struct oids *out, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(db, sql, &st, err);

	while (!ret && sqlite3_step(st) == SQLITE_ROW)
		ret = column_oids(st, 0, out, err);
	sqlite3_finalize(st);
	oids_sort(out);
	return ret;
}

int walked_load(struct walked *w, sqlite3 *db, bool first_parent, struct strbuf *err)
{
	int ret;

	memset(w, 0, sizeof(*w));
	w->db = db;
	ret = db_exec(db, schema, err);
	if (!ret)
		ret = check_how(db, first_parent, err);
	if (!ret)
		ret = load_ranges(w, err);
	if (!ret)
		ret = load_ids(db, "SELECT ids FROM walked_part", &w->parts, err);
	if (!ret)
		ret = load_ids(db, "SELECT ids FROM walked_late", &w->late, err);
	if (!ret)
		ret = db_prepare(db, "INSERT INTO walked_part (ids) VALUES (?1)", &w->add_part, err);
	return ret;
}

void walked_release(struct walked *w)
{
	for (size_t i = 0; i < w->n; i++) {
		oids_release(&w->ranges[i].tips);
		oids_release(&w->ranges[i].hidden);
	}
	free(w->ranges);
	oids_release(&w->parts);
	oids_release(&w->late);
	sqlite3_finalize(w->add_part);
	memset(w, 0, sizeof(*w));
}

uint64_t walked_commits(const struct walked *w)
{
	uint64_t n = w->parts.n;

	for (size_t i = 0; i < w->n; i++)
		n += w->ranges[i].commits;
	return n;
}

int walked_add_part(struct walked *w, const struct oids *ids, struct strbuf *err)
{
	bind_oids(w->add_part, 1, ids);
	return db_step_done(w->add_part, err);
}

static unsigned flags_of(const struct graph *g, const git_oid *id)
{
	uint32_t n = graph_find(g, id);

	return n == GRAPH_NONE ? 0 : g->nodes[n].flags;
}

/* Everything of r lies in the new range. */
static bool is_held(const struct walked_range *r, const struct graph *g, const struct oids *hidden)
{
	for (size_t i = 0; i < hidden->n; i++)
		if (!oids_has(&r->hidden, &hidden->v[i]))
			return false;
	for (size_t i = 0; i < r->tips.n; i++)
		if (!(flags_of(g, &r->tips.v[i]) & NODE_WANTED))
			return false;
	return true;
}

static int drop_range(struct walked *w, int64_t id, struct strbuf *err)
{
	char sql[80];

	snprintf(sql, sizeof(sql), "DELETE FROM walked_range WHERE id = %" PRId64, id);
	return db_exec(w->db, sql, err);
}

/* What was begun outside of the new range stays. */
static int finish_parts(struct walked *w, const struct graph *g, struct strbuf *err)
{
	struct oids rest = { 0 };
	int ret = db_exec(w->db, "DELETE FROM walked_part", err);

	for (size_t i = 0; i < w->parts.n; i++)
		if ((flags_of(g, &w->parts.v[i]) & (NODE_WANTED | NODE_HIDDEN)) != NODE_WANTED)
			oids_add(&rest, &w->parts.v[i]);
	if (!ret && rest.n)
		ret = walked_add_part(w, &rest, err);
	oids_release(&rest);
	return ret;
}

static int add_range(struct walked *w, const struct oids *tips, const struct oids *hidden,
		     uint64_t commits, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(w->db,
			     "INSERT INTO walked_range (id, tips, hidden, commits) VALUES"
			     " ((SELECT ifnull(max(id), 0) + 1 FROM walked_range), ?1, ?2, ?3)",
			     &st, err);

	if (ret)
		return ret;
	bind_oids(st, 1, tips);
	bind_oids(st, 2, hidden);
	sqlite3_bind_int64(st, 3, (sqlite3_int64)commits);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

int walked_set_late(struct walked *w, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_exec(w->db, "DELETE FROM walked_late", err);

	if (ret || !w->late.n)
		return ret;
	ret = db_prepare(w->db, "INSERT INTO walked_late (ids) VALUES (?1)", &st, err);
	if (ret)
		return ret;
	oids_sort(&w->late);
	bind_oids(st, 1, &w->late);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

int walked_finish(struct walked *w, const struct graph *g, const struct oids *tips,
		  const struct oids *hidden, uint64_t commits, struct strbuf *err)
{
	int ret = db_exec(w->db, "BEGIN IMMEDIATE", err);

	for (size_t i = 0; i < w->n && !ret; i++)
		if (is_held(&w->ranges[i], g, hidden))
			ret = drop_range(w, w->ranges[i].id, err);
	if (!ret)
		ret = add_range(w, tips, hidden, commits, err);
	if (!ret)
		ret = finish_parts(w, g, err);
	if (!ret)
		ret = walked_set_late(w, err);
	if (!ret)
		ret = db_exec(w->db, "COMMIT", err);
	if (ret && !sqlite3_get_autocommit(w->db))
		sqlite3_exec(w->db, "ROLLBACK", NULL, NULL, NULL);
	return ret;
}
