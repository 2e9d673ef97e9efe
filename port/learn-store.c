// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/learn-store.h"

#include "base/alloc.h"
#include "base/db.h"
#include "base/error.h"
#include "base/file.h"
#include "port/callback-rule.h"

#define USUALLY "85" /* percent right, of a rule that is worth showing */

static const char *const migrations[] = {
	"CREATE TABLE learned_rule(id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, name TEXT NOT NULL, "
	"  change TEXT NOT NULL, key TEXT NOT NULL, smpl TEXT, not_expressible TEXT, guard INTEGER NOT NULL, "
	"  support INTEGER NOT NULL, precision REAL, recall REAL, safety REAL, risk TEXT NOT NULL, "
	"  since TEXT NOT NULL, until TEXT NOT NULL, evidence TEXT NOT NULL);"
	"CREATE INDEX learned_rule_name ON learned_rule(name, key);"
	/* By file that the rule was not learned from when it was tried there. */
	"CREATE TABLE learned_use(rule INTEGER NOT NULL, path TEXT NOT NULL, right INTEGER NOT NULL, "
	"  wrong INTEGER NOT NULL, alone INTEGER NOT NULL, PRIMARY KEY(rule, path)) WITHOUT ROWID;"
};
static const struct db_migrations schema = { migrations, ARRAY_SIZE(migrations) };

char *learn_store_path(const char *examples)
{
	size_t len = strlen(examples);

	return xstrfmt("%.*s-learned.db", (int)(ends_with(examples, ".db") ? len - 3 : len), examples);
}

/* ---- writing ------------------------------------------------------------------------ */

struct writer {
	sqlite3_stmt *drop_uses, *drop, *rule, *use;
};

static int prepare(sqlite3 *db, struct writer *w, struct strbuf *err)
{
	int ret = db_prepare(db, "DELETE FROM learned_use WHERE rule IN (SELECT id FROM learned_rule WHERE symbol = ?)",
			     &w->drop_uses, err);

	if (!ret)
		ret = db_prepare(db, "DELETE FROM learned_rule WHERE symbol = ?", &w->drop, err);
	if (!ret)
		ret = db_prepare(db, "INSERT INTO learned_rule(symbol, name, change, key, smpl, not_expressible, guard, "
				 "support, precision, recall, safety, risk, since, until, evidence) "
				 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &w->rule, err);
	if (!ret)
		ret = db_prepare(db, "INSERT INTO learned_use VALUES (?, ?, ?, ?, ?)", &w->use, err);
	return ret;
}

static void bind_share(sqlite3_stmt *st, int i, double v)
{
	if (v < 0)
		sqlite3_bind_null(st, i);
	else
		sqlite3_bind_double(st, i, v);
}

static int write_rule(sqlite3 *db, struct writer *w, const struct learn *l, const struct learn_change *c,
		      const struct learn_rule *r, struct strbuf *err)
{
	struct strbuf paths = STRBUF_INIT;
	int64_t id;
	int ret;

	for (size_t i = 0; i < r->support && i < 8; i++)
		strbuf_addf(&paths, "%s%s", i ? "\n" : "", l->paths.v[r->files[i]]);
	db_bind_text(w->rule, 1, c->title);
	db_bind_text(w->rule, 2, c->name);
	db_bind_text(w->rule, 3, c->text);
	db_bind_text(w->rule, 4, r->t ? r->t->key : r->cb ? r->cb->key : r->header);
	db_bind_text(w->rule, 5, r->smpl);
	db_bind_text(w->rule, 6, r->why_not);
	sqlite3_bind_int(w->rule, 7, r->guard);
	sqlite3_bind_int64(w->rule, 8, (int64_t)r->support);
	bind_share(w->rule, 9, learn_precision(&r->score));
	bind_share(w->rule, 10, learn_recall(&c->score));
	bind_share(w->rule, 11, learn_safety(&r->score));
	db_bind_text(w->rule, 12, risk_name(r->risk));
	db_bind_text(w->rule, 13, l->pair->from->name);
	db_bind_text(w->rule, 14, l->pair->to->name);
	db_bind_text(w->rule, 15, paths.buf);
	ret = db_step_done(w->rule, err);
	id = sqlite3_last_insert_rowid(db);
	for (size_t i = 0; i < r->nuses && !ret; i++) {
		sqlite3_bind_int64(w->use, 1, id);
		db_bind_text(w->use, 2, l->paths.v[r->use[i].file]);
		sqlite3_bind_int64(w->use, 3, (int64_t)r->use[i].right);
		sqlite3_bind_int64(w->use, 4, (int64_t)r->use[i].wrong);
		sqlite3_bind_int64(w->use, 5, (int64_t)r->use[i].alone);
		ret = db_step_done(w->use, err);
	}
	strbuf_release(&paths);
	return ret;
}

static int write_change(sqlite3 *db, struct writer *w, const struct learn *l,
			const struct learn_change *c, struct strbuf *err)
{
	int ret;

	db_bind_text(w->drop_uses, 1, c->title);
	db_bind_text(w->drop, 1, c->title);
	ret = db_step_done(w->drop_uses, err);
	if (!ret)
		ret = db_step_done(w->drop, err);
	for (size_t k = 0; k < c->nrules && !ret; k++)
		if (c->rule[k].chosen || c->rule[k].nuses)
			ret = write_rule(db, w, l, c, &c->rule[k], err);
	return ret;
}

int learn_store_write(const char *path, const struct learn *l, struct strbuf *err)
{
	struct writer w = { 0 };
	sqlite3 *db = NULL;
	int ret = file_mkdirs_for(path, err);

	if (!ret)
		ret = db_open(path, 0, &schema, &db, err);
	if (!ret)
		ret = prepare(db, &w, err);
	if (!ret)
		ret = db_exec(db, "BEGIN IMMEDIATE", err);
	for (size_t i = 0; i < l->n && !ret; i++)
		ret = write_change(db, &w, l, l->change[i], err);
	if (!ret)
		ret = db_exec(db, "COMMIT", err);
	sqlite3_finalize(w.drop_uses);
	sqlite3_finalize(w.drop);
	sqlite3_finalize(w.rule);
	sqlite3_finalize(w.use);
	db_close(db);
	return ret;
}

/* ---- reading ------------------------------------------------------------------------- */

size_t learn_store_of(const char *path, const char *symbol, struct learned **out)
{
	struct strbuf ignored = STRBUF_INIT;
	size_t n = 0, alloc = 0;
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	int ret = file_exists(path) ? db_open(path, DB_READONLY, &schema, &db, &ignored) : KP_NOTFOUND;

	*out = NULL;
	if (!ret)
		ret = db_prepare(db, "SELECT r.key, r.support, ifnull(sum(u.right), 0), ifnull(sum(u.wrong), 0),"
				 " ifnull(sum(u.alone), 0) FROM learned_rule r LEFT JOIN learned_use u ON u.rule = r.id"
				 " WHERE r.symbol = ? GROUP BY r.id HAVING sum(u.right) > 0 AND"
				 " sum(u.right) * 100 >= (sum(u.right) + sum(u.wrong)) * " USUALLY " ORDER BY r.support DESC, r.id", &st, &ignored);
	if (!ret)
		db_bind_text(st, 1, symbol);
	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		struct learned *l;

		ALLOC_GROW(*out, n + 1, alloc);
		l = &(*out)[n++];
		memset(l, 0, sizeof(*l));
		l->key = xstrdup(db_text(st, 0));
		l->support = (size_t)sqlite3_column_int64(st, 1);
		l->score.exact = (size_t)sqlite3_column_int64(st, 2);
		l->score.wrong = (size_t)sqlite3_column_int64(st, 3);
		l->score.alone = (size_t)sqlite3_column_int64(st, 4);
	}
	sqlite3_finalize(st);
	db_close(db);
	strbuf_release(&ignored);
	return n;
}

void learned_free(struct learned *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i].key);
	free(list);
}

struct learn_store {
	sqlite3 *db;
	sqlite3_stmt *find;
};

int learn_store_open(const char *path, struct learn_store **out, struct strbuf *err)
{
	struct learn_store *s;
	int ret;

	if (!file_exists(path))
		return kp_fail(err, KP_NOTFOUND, "there are no learned rules '%s'", path);
	s = xcalloc(1, sizeof(*s));
	ret = db_open(path, DB_READONLY, &schema, &s->db, err);
	if (!ret)
		ret = db_prepare(s->db, "SELECT u.path, u.right, u.wrong, u.alone FROM learned_rule r "
				 "JOIN learned_use u ON u.rule = r.id WHERE r.name = ? AND r.key = ?", &s->find, err);
	if (ret) {
		learn_store_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

void learn_store_close(struct learn_store *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->find);
	db_close(s->db);
	free(s);
}

static bool is_excluded(const struct strvec *exclude, const char *path)
{
	for (size_t i = 0; exclude && i < exclude->n; i++)
		if (!strcmp(path_base(exclude->v[i]), path_base(path)) || path_inside(exclude->v[i], path))
			return true;
	return false;
}

bool learn_store_find(struct learn_store *s, const char *symbol, const char *key,
		      const struct strvec *exclude, struct learn_score *out)
{
	bool any = false;

	memset(out, 0, sizeof(*out));
	db_bind_text(s->find, 1, symbol);
	db_bind_text(s->find, 2, key);
	while (sqlite3_step(s->find) == SQLITE_ROW) {
		if (is_excluded(exclude, db_text(s->find, 0)))
			continue;
		any = true;
		out->exact += (size_t)sqlite3_column_int64(s->find, 1);
		out->wrong += (size_t)sqlite3_column_int64(s->find, 2);
		out->alone += (size_t)sqlite3_column_int64(s->find, 3);
	}
	sqlite3_reset(s->find);
	return any;
}
