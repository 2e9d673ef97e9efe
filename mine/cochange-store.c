// SPDX-License-Identifier: GPL-2.0-only
/* Tables of the store, and writing one commit. See mine/cochange-db.h. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "mine/cochange-db.h"

#define MAX_KNOWN 200000 /* texts whose numbers are kept in memory */

static const char *const migrations[] = {
	"CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE str (id INTEGER PRIMARY KEY, s TEXT NOT NULL UNIQUE);"
	"CREATE TABLE cc (id INTEGER PRIMARY KEY, sha BLOB NOT NULL UNIQUE, base INTEGER NOT NULL,"
	" time INTEGER NOT NULL, author INTEGER NOT NULL, release INTEGER, subject TEXT NOT NULL,"
	" cls INTEGER NOT NULL, filter INTEGER NOT NULL, confidence REAL NOT NULL, reason TEXT,"
	" nusers INTEGER NOT NULL, fixed_by BLOB, reverted INTEGER NOT NULL DEFAULT 0);"
	"CREATE TABLE change (id INTEGER PRIMARY KEY, cc INTEGER NOT NULL, via INTEGER NOT NULL,"
	" kind INTEGER NOT NULL, cls INTEGER NOT NULL, confirmed INTEGER NOT NULL,"
	" confidence REAL NOT NULL, symbol INTEGER NOT NULL, to_name INTEGER, header INTEGER,"
	" old_decl INTEGER, new_decl INTEGER, grp INTEGER NOT NULL);"
	"CREATE INDEX change_symbol ON change (symbol);"
	"CREATE INDEX change_cc ON change (cc);"
	"CREATE TABLE mention (sha BLOB PRIMARY KEY, time INTEGER NOT NULL, author INTEGER NOT NULL,"
	" release INTEGER, subject TEXT NOT NULL, words BLOB NOT NULL);"
	"CREATE TABLE fix (sha BLOB NOT NULL, time INTEGER NOT NULL, what TEXT NOT NULL,"
	" revert INTEGER NOT NULL, PRIMARY KEY (sha, what)) WITHOUT ROWID;"
	"CREATE TABLE link (cc INTEGER PRIMARY KEY, link INTEGER NOT NULL, follows BLOB NOT NULL,"
	" confidence REAL NOT NULL, reason TEXT NOT NULL, nusers INTEGER NOT NULL);"
	"CREATE INDEX link_follows ON link (follows);"
	"CREATE TABLE tried (sha BLOB NOT NULL, change INTEGER NOT NULL, users INTEGER NOT NULL,"
	" PRIMARY KEY (sha, change)) WITHOUT ROWID;"
	"CREATE TABLE hunk (id INTEGER PRIMARY KEY, cc INTEGER NOT NULL, path INTEGER NOT NULL,"
	" function INTEGER, line INTEGER NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL);"
	"CREATE INDEX hunk_cc ON hunk (cc);"
	"CREATE TABLE uses (ident INTEGER NOT NULL, hunk INTEGER NOT NULL, PRIMARY KEY (ident, hunk))"
	" WITHOUT ROWID;",
};
const struct db_migrations cc_schema = { migrations, ARRAY_SIZE(migrations) };

struct cc_writer {
	sqlite3 *db;
	sqlite3_stmt *find_str, *add_str, *cc, *change, *mention, *fix, *hunk, *uses, *has, *release_cc, *release_mention;
	struct strmap known; /* text -> number */
	bool fresh;	     /* the store was empty: each commit comes once */
	bool knows_all;	     /* every text of the store is in known */
};

static bool is_empty(sqlite3 *db)
{
	sqlite3_stmt *st;
	bool empty;

	if (db_prepare(db, "SELECT 1 FROM str UNION ALL SELECT 1 FROM cc UNION ALL SELECT 1 FROM mention LIMIT 1", &st,
		       NULL))
		return false;
	empty = sqlite3_step(st) == SQLITE_DONE;
	sqlite3_finalize(st);
	return empty;
}

int cc_writer_new(sqlite3 *db, struct cc_writer **out, struct strbuf *err)
{
	struct cc_writer *w = xcalloc(1, sizeof(*w));
	const struct {
		sqlite3_stmt **st;
		const char *sql;
	} list[] = {
		{ &w->find_str, "SELECT id FROM str WHERE s = ?" },
		{ &w->add_str, "INSERT INTO str (s) VALUES (?)" },
		{ &w->cc, "INSERT INTO cc (sha, base, time, author, release, subject, cls, filter, confidence,"
			  " reason, nusers) VALUES (?,?,?,?,?,?,?,?,?,?,?)" },
		{ &w->change, "INSERT INTO change (cc, via, kind, cls, confirmed, confidence, symbol, to_name,"
			      " header, old_decl, new_decl, grp) VALUES (?,0,?,?,?,?,?,?,?,?,?,?)" },
		{ &w->mention, "INSERT INTO mention VALUES (?,?,?,?,?,?)" },
		{ &w->fix, "INSERT OR IGNORE INTO fix VALUES (?,?,?,?)" },
		{ &w->hunk, "INSERT INTO hunk (cc, path, function, line, before, after) VALUES (?,?,?,?,?,?)" },
		{ &w->uses, "INSERT OR IGNORE INTO uses VALUES (?,?)" },
		{ &w->has, "SELECT 1 FROM cc WHERE sha = ?1 UNION ALL SELECT 1 FROM mention WHERE sha = ?1" },
		{ &w->release_cc, "UPDATE cc SET release = ?2 WHERE sha = ?1 AND release IS NULL" },
		{ &w->release_mention, "UPDATE mention SET release = ?2 WHERE sha = ?1 AND release IS NULL" },
	};
	int ret = 0;

	w->db = db;
	strmap_init(&w->known);
	for (size_t i = 0; i < ARRAY_SIZE(list) && !ret; i++)
		ret = db_prepare(db, list[i].sql, list[i].st, err);
	if (ret) {
		cc_writer_free(w);
		return ret;
	}
	w->fresh = w->knows_all = is_empty(db);
	*out = w;
	return 0;
}

void cc_writer_free(struct cc_writer *w)
{
	if (!w)
		return;
	sqlite3_finalize(w->find_str);
	sqlite3_finalize(w->add_str);
	sqlite3_finalize(w->cc);
	sqlite3_finalize(w->change);
	sqlite3_finalize(w->mention);
	sqlite3_finalize(w->fix);
	sqlite3_finalize(w->hunk);
	sqlite3_finalize(w->uses);
	sqlite3_finalize(w->has);
	sqlite3_finalize(w->release_cc);
	sqlite3_finalize(w->release_mention);
	strmap_release(&w->known, NULL);
	free(w);
}

int64_t cc_str(struct cc_writer *w, const char *s, struct strbuf *err)
{
	int64_t id;
	int ret;

	if (!s)
		return 0;
	id = (intptr_t)strmap_get(&w->known, s);
	if (id)
		return id;
	if (!w->knows_all) {
		db_bind_text(w->find_str, 1, s);
		id = sqlite3_step(w->find_str) == SQLITE_ROW ? sqlite3_column_int64(w->find_str, 0) : 0;
		sqlite3_reset(w->find_str);
	}
	if (!id) {
		db_bind_text(w->add_str, 1, s);
		ret = db_step_done(w->add_str, err);
		if (ret)
			return ret;
		id = sqlite3_last_insert_rowid(w->db);
	}
	if (w->known.live >= MAX_KNOWN) {
		strmap_release(&w->known, NULL);
		strmap_init(&w->known);
		w->knows_all = false;
	}
	strmap_put(&w->known, s, (void *)(intptr_t)id);
	return id;
}

static int bind_str(struct cc_writer *w, sqlite3_stmt *st, int col, const char *s, struct strbuf *err)
{
	int64_t id = cc_str(w, s, err);

	if (id < 0)
		return (int)id;
	if (id)
		sqlite3_bind_int64(st, col, id);
	else
		sqlite3_bind_null(st, col);
	return 0;
}

static char *subject_of(const char *message)
{
	size_t n;

	message += strspn(message, " \t\n\r");
	n = strcspn(message, "\n");
	return xstrndup(message, n > 200 ? 200 : n);
}

/* Changes of one name in one way, wherever and whenever they are made, are one group. */
static int64_t group_of(const struct cc_stored *st)
{
	const char *parts[] = { st->symbol, st->to_name, cochange_class_name(st->cls), st->old_decl, st->new_decl };
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		for (const char *p = parts[i] ? parts[i] : ""; *p; p++)
			h = (h ^ (unsigned char)*p) * 0x100000001b3ull;
		h = (h ^ 0xff) * 0x100000001b3ull;
	}
	return (int64_t)(h >> 1);
}

static int write_change(struct cc_writer *w, int64_t cc, const struct cc_stored *st, struct strbuf *err)
{
	sqlite3_stmt *s = w->change;
	int ret;

	sqlite3_bind_int64(s, 1, cc);
	sqlite3_bind_int(s, 2, (int)st->kind);
	sqlite3_bind_int(s, 3, (int)st->cls);
	sqlite3_bind_int(s, 4, st->confirmed);
	sqlite3_bind_double(s, 5, st->confidence);
	sqlite3_bind_int64(s, 11, group_of(st));
	ret = bind_str(w, s, 6, st->symbol, err);
	if (!ret)
		ret = bind_str(w, s, 7, st->to_name, err);
	if (!ret)
		ret = bind_str(w, s, 8, st->header, err);
	if (!ret)
		ret = bind_str(w, s, 9, st->old_decl, err);
	if (!ret)
		ret = bind_str(w, s, 10, st->new_decl, err);
	return ret ? ret : db_step_done(s, err);
}

int cc_write_examples(struct cc_writer *w, int64_t cc, const struct cc_examples *ex, size_t n,
		      struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < ex[i].hunks.n && !ret; k++) {
			const struct hunk *h = &ex[i].hunks.h[k];
			int64_t id;

			sqlite3_bind_int64(w->hunk, 1, cc);
			ret = bind_str(w, w->hunk, 2, ex[i].path, err);
			if (!ret)
				ret = bind_str(w, w->hunk, 3, h->function, err);
			sqlite3_bind_int(w->hunk, 4, h->line);
			db_bind_text(w->hunk, 5, h->before);
			db_bind_text(w->hunk, 6, h->after);
			if (!ret)
				ret = db_step_done(w->hunk, err);
			id = sqlite3_last_insert_rowid(w->db);
			for (size_t j = 0; j < h->idents.n && !ret; j++) {
				ret = bind_str(w, w->uses, 1, h->idents.v[j], err);
				sqlite3_bind_int64(w->uses, 2, id);
				if (!ret)
					ret = db_step_done(w->uses, err);
			}
		}
	return ret;
}

static int write_cc(struct cc_writer *w, const struct history_commit *c, const struct cc_result *r,
		    enum cc_base base, struct strbuf *err)
{
	char *subject = subject_of(c->message);
	sqlite3_stmt *s = w->cc;
	int64_t id;
	int ret;

	sqlite3_bind_blob(s, 1, c->id.id, GIT_OID_RAWSZ, SQLITE_STATIC);
	sqlite3_bind_int(s, 2, (int)base);
	sqlite3_bind_int64(s, 3, c->time);
	sqlite3_bind_int64(s, 4, (int64_t)c->author);
	ret = bind_str(w, s, 5, c->release, err);
	db_bind_text(s, 6, subject);
	sqlite3_bind_int(s, 7, (int)r->cls);
	sqlite3_bind_int(s, 8, (int)r->filter);
	sqlite3_bind_double(s, 9, r->confidence);
	db_bind_text(s, 10, r->reason);
	sqlite3_bind_int64(s, 11, (int64_t)r->nusers);
	if (!ret)
		ret = db_step_done(s, err);
	free(subject);
	id = sqlite3_last_insert_rowid(w->db);
	for (size_t i = 0; i < r->nst && !ret; i++)
		ret = write_change(w, id, &r->st[i], err);
	if (!ret && r->cls != COCHANGE_NONE)
		ret = cc_write_examples(w, id, r->ex, r->nex, err);
	return ret;
}

static int write_mention(struct cc_writer *w, const struct history_commit *c, const struct cc_result *r,
			 struct strbuf *err)
{
	char *subject = subject_of(c->message);
	sqlite3_stmt *s = w->mention;
	int ret;

	sqlite3_bind_blob(s, 1, c->id.id, GIT_OID_RAWSZ, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, c->time);
	sqlite3_bind_int64(s, 3, (int64_t)c->author);
	ret = bind_str(w, s, 4, c->release, err);
	db_bind_text(s, 5, subject);
	sqlite3_bind_blob(s, 6, r->words, (int)(r->nwords * sizeof(*r->words)), SQLITE_STATIC);
	if (!ret)
		ret = db_step_done(s, err);
	free(subject);
	return ret;
}

static int write_fix(struct cc_writer *w, const struct history_commit *c, const char *what, bool revert,
		     struct strbuf *err)
{
	sqlite3_bind_blob(w->fix, 1, c->id.id, GIT_OID_RAWSZ, SQLITE_STATIC);
	sqlite3_bind_int64(w->fix, 2, c->time);
	db_bind_text(w->fix, 3, what);
	sqlite3_bind_int(w->fix, 4, revert);
	return db_step_done(w->fix, err);
}

/* Walked again, because the repository lost the branch that it was walked from. */
static bool is_there(struct cc_writer *w, const git_oid *id)
{
	bool found;

	sqlite3_bind_blob(w->has, 1, id->id, GIT_OID_RAWSZ, SQLITE_STATIC);
	found = sqlite3_step(w->has) == SQLITE_ROW;
	sqlite3_reset(w->has);
	return found;
}

static int set_release(struct cc_writer *w, sqlite3_stmt *st, const git_oid *id, const char *release,
		       struct strbuf *err)
{
	int ret = bind_str(w, st, 2, release, err);

	sqlite3_bind_blob(st, 1, id->id, GIT_OID_RAWSZ, SQLITE_STATIC);
	return ret ? ret : db_step_done(st, err);
}

int cc_set_release(struct cc_writer *w, const git_oid *id, const char *release, struct strbuf *err)
{
	int ret = set_release(w, w->release_cc, id, release, err);

	return ret ? ret : set_release(w, w->release_mention, id, release, err);
}

int cc_write(struct cc_writer *w, const struct history_commit *c, const struct cc_result *r,
	     struct strbuf *err)
{
	bool header_only = !r->candidate && r->nst;
	int ret = 0;

	if (!w->fresh && is_there(w, &c->id))
		return 0;
	if (r->candidate || header_only)
		ret = write_cc(w, c, r, header_only ? CC_HEADER_ONLY : CC_CANDIDATE, err);
	if (!ret && r->nwords && r->sources && !r->revert[0] && r->cls == COCHANGE_NONE)
		ret = write_mention(w, c, r, err);
	for (size_t i = 0; i < r->fixes.n && !ret; i++)
		ret = write_fix(w, c, r->fixes.v[i], false, err);
	if (!ret && strlen(r->revert) > 1)
		ret = write_fix(w, c, r->revert, true, err);
	return ret;
}
