// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commits of their own that follow a change of the interface made by another commit:
 * their message names the symbol, and their edit is what the change asks for. For
 * each name the latest change before the commit counts; if there is none, the first
 * one behind it by the same author (drivers first, then the interface).
 */
#include "base/compat.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "mine/cochange-db.h"
#include "mine/history-diff.h"
#include "mine/history-parse.h"

#define DAY		86400
#define SERIES_DAYS	14
#define BEFORE_DAYS	180	/* of drivers that were prepared by the same author */
#define ARGS_DAYS	180	/* later edits of a call's arguments have other reasons */
#define MAX_CHOICES	6	/* of one commit */
#define MAX_JOBS	16
#define CACHE_BYTES	(24u << 20)
#define MAX_COMMIT	(16u << 20)
#define BATCH		32 /* neighbours that one worker takes */

struct sha {
	uint8_t b[GIT_OID_RAWSZ];
};

/* A change that others may follow. */
struct iface {
	uint32_t word;
	int64_t change, time, author;
	struct sha sha;
	bool by_args;
	char *symbol, *from, *to;
};

struct choice {
	const struct iface *i;
	size_t users;
};

/* A commit whose message names such symbols. */
struct follower {
	struct sha sha;
	int64_t time, author;
	struct choice c[MAX_CHOICES];
	size_t n;
	struct cc_result ex;	/* of the first that it follows */
};

struct settle {
	sqlite3 *db;
	struct cc_writer *w;
	const char *repo;
	bool examples;
	struct iface *i;
	size_t ni, ialloc;
	struct follower *f;
	size_t nf, falloc;
	struct packs *packs;
	struct follower **order;
	atomic_size_t next;
};

/* ---- loading ----------------------------------------------------------------------------- */

static void column_sha(sqlite3_stmt *st, int col, struct sha *out)
{
	memset(out, 0, sizeof(*out));
	if (sqlite3_column_bytes(st, col) == GIT_OID_RAWSZ)
		memcpy(out, sqlite3_column_blob(st, col), GIT_OID_RAWSZ);
}

/* "struct foo.bar" is "bar" in code, "struct foo" is "foo". */
static char *code_name(const char *symbol)
{
	const char *dot = strrchr(symbol, '.'), *space = strchr(symbol, ' ');

	return xstrdup(dot ? dot + 1 : space ? space + 1 : symbol);
}

static bool telling(const char *symbol, const char *name)
{
	return strchr(symbol, '.') ? strlen(name) >= 6 && strchr(name, '_') : strlen(name) >= 4;
}

static int by_word(const void *x, const void *y)
{
	const struct iface *a = x, *b = y;
	int c;

	if (a->word != b->word)
		return a->word < b->word ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	c = memcmp(&a->sha, &b->sha, sizeof(a->sha));
	return c ? c : strcmp(a->symbol, b->symbol);
}

static int load_ifaces(struct settle *s, struct strbuf *err)
{
	sqlite3_stmt *st;
	char *sql = xstrfmt("SELECT h.id, h.kind, a.s, b.s, c.time, c.author, c.sha FROM change h"
			    " JOIN cc c ON c.id = h.cc JOIN str a ON a.id = h.symbol"
			    " LEFT JOIN str b ON b.id = h.to_name"
			    " WHERE h.via = 0 AND h.kind IN (%d, %d, %d, %d)", CC_REMOVED, CC_RENAMED, CC_SIGNATURE,
			    CC_ARITY);
	int ret = db_prepare(s->db, sql, &st, err);

	free(sql);
	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		const char *symbol = db_text(st, 2), *to = db_text(st, 3);
		int kind = sqlite3_column_int(st, 1);
		char *from = code_name(symbol);
		struct iface *i;

		if (!telling(symbol, from)) {
			free(from);
			continue;
		}
		ALLOC_GROW(s->i, s->ni + 1, s->ialloc);
		i = &s->i[s->ni++];
		memset(i, 0, sizeof(*i));
		i->change = sqlite3_column_int64(st, 0);
		i->by_args = kind == CC_SIGNATURE || kind == CC_ARITY;
		i->symbol = xstrdup(symbol);
		i->from = from;
		i->to = kind == CC_RENAMED && to ? code_name(to) : NULL;
		i->time = sqlite3_column_int64(st, 4);
		i->author = sqlite3_column_int64(st, 5);
		column_sha(st, 6, &i->sha);
		i->word = cc_word_hash(from, strlen(from));
	}
	sqlite3_finalize(st);
	sort_items(s->i, s->ni, sizeof(*s->i), by_word);
	return ret;
}

/* ---- choosing ------------------------------------------------------------------------------ */

static size_t first_of(const struct settle *s, uint32_t word)
{
	size_t lo = 0, hi = s->ni;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->i[mid].word < word)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct iface *choose(const struct settle *s, const struct follower *f, uint32_t word)
{
	const struct iface *before = NULL, *after = NULL;

	for (size_t k = first_of(s, word); k < s->ni && s->i[k].word == word; k++) {
		const struct iface *i = &s->i[k];
		int64_t d = f->time - i->time;

		if (!memcmp(&i->sha, &f->sha, sizeof(i->sha)) || (i->by_args && (d > ARGS_DAYS * DAY)))
			continue;
		if (d >= 0)
			before = i;
		else if (!after && i->author == f->author && -d <= BEFORE_DAYS * DAY)
			after = i;
	}
	return before ? before : after;
}

static int by_symbol(const void *x, const void *y)
{
	const struct choice *a = x, *b = y;
	int c = strcmp(a->i->symbol, b->i->symbol);

	return c ? c : a->i->change < b->i->change ? -1 : a->i->change > b->i->change;
}

static int load_followers(struct settle *s, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(s->db, "SELECT sha, time, author, words FROM mention ORDER BY sha", &st, err);

	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		struct follower f = { 0 };
		const uint8_t *words = sqlite3_column_blob(st, 3);
		size_t n = (size_t)sqlite3_column_bytes(st, 3) / sizeof(uint32_t);

		column_sha(st, 0, &f.sha);
		f.time = sqlite3_column_int64(st, 1);
		f.author = sqlite3_column_int64(st, 2);
		for (size_t k = 0; k < n && f.n < MAX_CHOICES; k++) {
			uint32_t word;

			memcpy(&word, words + k * sizeof(word), sizeof(word));
			f.c[f.n].i = choose(s, &f, word);
			f.n += f.c[f.n].i != NULL;
		}
		if (!f.n)
			continue;
		sort_items(f.c, f.n, sizeof(f.c[0]), by_symbol);
		ALLOC_GROW(s->f, s->nf + 1, s->falloc);
		s->f[s->nf++] = f;
	}
	sqlite3_finalize(st);
	return ret;
}

/* ---- what was compared before ----------------------------------------------------------------- */

static bool chosen(const struct follower *f, int64_t change)
{
	for (size_t k = 0; k < f->n; k++)
		if (f->c[k].i->change == change)
			return true;
	return false;
}

static int forget(struct settle *s, const struct sha *sha, struct strbuf *err)
{
	static const char *const sql[] = {
		"DELETE FROM uses WHERE hunk IN (SELECT h.id FROM hunk h JOIN cc c ON c.id = h.cc WHERE c.sha = ?)",
		"DELETE FROM hunk WHERE cc IN (SELECT id FROM cc WHERE sha = ?)",
		"DELETE FROM change WHERE via = 1 AND cc IN (SELECT id FROM cc WHERE sha = ?)",
		"DELETE FROM link WHERE cc IN (SELECT id FROM cc WHERE sha = ?)",
		"DELETE FROM tried WHERE sha = ?",
		"DELETE FROM cc WHERE base = 2 AND sha = ?",
	};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sql) && !ret; i++) {
		sqlite3_stmt *st;

		ret = db_prepare(s->db, sql[i], &st, err);
		if (ret)
			break;
		sqlite3_bind_blob(st, 1, sha->b, sizeof(sha->b), SQLITE_STATIC);
		ret = db_step_done(st, err);
		sqlite3_finalize(st);
	}
	return ret;
}

static size_t find_follower(const struct settle *s, const struct sha *sha)
{
	size_t lo = 0, hi = s->nf;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (memcmp(&s->f[mid].sha, sha, sizeof(*sha)) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->nf && !memcmp(&s->f[lo].sha, sha, sizeof(*sha)) ? lo : s->nf;
}

/* Leaves the followers that are to be compared: those of which something else was chosen before. */
static int drop_known(struct settle *s, struct strbuf *err)
{
	size_t *same = xcalloc(s->nf + 1, sizeof(*same)), kept = 0, nstale = 0, alloc = 0;
	struct sha *stale = NULL;
	sqlite3_stmt *st;
	int ret = db_prepare(s->db, "SELECT sha, change FROM tried", &st, err);

	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		struct sha sha;
		size_t at;

		column_sha(st, 0, &sha);
		at = find_follower(s, &sha);
		if (at < s->nf && chosen(&s->f[at], sqlite3_column_int64(st, 1))) {
			same[at]++;
			continue;
		}
		if (at < s->nf)
			same[at] = SIZE_MAX / 2;
		ALLOC_GROW(stale, nstale + 1, alloc);
		stale[nstale++] = sha;
	}
	sqlite3_finalize(st);
	for (size_t k = 0; k < nstale && !ret; k++)
		ret = forget(s, &stale[k], err);
	for (size_t k = 0; k < s->nf; k++) {
		if (same[k] == s->f[k].n)
			continue;
		if (same[k] && !ret)
			ret = forget(s, &s->f[k].sha, err);
		s->f[kept++] = s->f[k];
	}
	s->nf = kept;
	free(same);
	free(stale);
	return ret;
}

/* ---- comparing --------------------------------------------------------------------------------- */

struct worker {
	struct settle *s;
	git_repository *repo;
	struct objects *os;
	struct tree_compare diff;
};

static bool read_commit(struct worker *w, const git_oid *id, git_oid *tree, git_oid *parent)
{
	struct commit_text text;
	struct object *o;
	bool ok;

	if (objects_get(w->os, id, GIT_OBJECT_COMMIT, MAX_COMMIT, &o))
		return false;
	ok = commit_parse((const char *)o->data, o->size, &text);
	if (ok)
		*tree = text.tree;
	memset(parent, 0, sizeof(*parent));
	if (ok && text.nparents)
		commit_parent(&text, 0, parent);
	objects_put(w->os, o);
	return ok;
}

/* The files of the commit; false when it cannot be read. */
static bool read_files(struct worker *w, const git_oid *id, struct history_commit *c)
{
	git_oid tree, old_tree, above;
	bool root;

	if (!read_commit(w, id, &tree, &c->parent))
		return false;
	root = git_oid_is_zero(&c->parent);
	if (!root && !read_commit(w, &c->parent, &old_tree, &above))
		return false;
	if (tree_compare(&w->diff, root ? NULL : &old_tree, &tree))
		return false;
	c->id = *id;
	c->message = "";
	c->files = w->diff.files;
	c->nfiles = w->diff.nfiles;
	c->blobs = w->os;
	return true;
}

static void compare(struct worker *w, struct follower *f)
{
	struct history_commit c = { 0 };
	git_oid id;
	bool first = true;

	memcpy(id.id, f->sha.b, sizeof(id.id));
	if (!read_files(w, &id, &c))
		return;
	for (size_t k = 0; k < f->n; k++) {
		const struct iface *i = f->c[k].i;

		f->c[k].users = cc_follows(w->repo, &c, i->from, i->to, i->by_args,
					   w->s->examples && first ? &f->ex : NULL);
		first = first && !f->c[k].users;
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct settle *s = w->s;
	size_t at;

	while ((at = atomic_fetch_add(&s->next, BATCH)) < s->nf)
		for (size_t i = at; i < at + BATCH && i < s->nf && !child_interrupted(); i++)
			compare(w, s->order[i]);
	return NULL;
}

/* Newest first: packs keep old objects as deltas against newer ones. */
static int by_time(const void *x, const void *y)
{
	const struct follower *a = *(struct follower *const *)x, *b = *(struct follower *const *)y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return memcmp(&a->sha, &b->sha, sizeof(a->sha));
}

static void set_order(struct settle *s)
{
	s->order = xcalloc(s->nf, sizeof(*s->order));
	for (size_t i = 0; i < s->nf; i++)
		s->order[i] = &s->f[i];
	sort_items(s->order, s->nf, sizeof(*s->order), by_time);
}

static bool worker_open(struct worker *w, struct strbuf *err)
{
	if (git_repository_open_ext(&w->repo, w->s->repo, 0, NULL))
		return false;
	w->os = objects_new(w->repo, w->s->packs, CACHE_BYTES);
	tree_compare_init(&w->diff, w->os);
	return w->os && !objects_serve(w->os, w->repo, err);
}

static int compare_all(struct settle *s, int jobs, struct strbuf *err)
{
	struct worker w[MAX_JOBS] = { 0 };
	pthread_t t[MAX_JOBS];
	git_repository *repo = NULL;
	long cpus = jobs > 0 ? jobs : sysconf(_SC_NPROCESSORS_ONLN);
	int n = cpus > MAX_JOBS ? MAX_JOBS : cpus < 1 ? 1 : (int)cpus, opened = 0, started = 0, ret = 0;
	char *objects;

	if (!s->nf)
		return 0;
	set_order(s);
	git_libgit2_init();
	if (git_repository_open_ext(&repo, s->repo, 0, NULL))
		return kp_fail(err, KP_ERR, "'%s': %s", s->repo, git_error_last() ? git_error_last()->message : "unknown");
	objects = xstrfmt("%sobjects", git_repository_commondir(repo));
	s->packs = packs_open(objects);
	while (opened < n && (w[opened].s = s, worker_open(&w[opened], err)))
		opened++;
	while (started < opened && !pthread_create(&t[started], NULL, work, &w[started]))
		started++;
	if (!started)
		ret = kp_fail(err, KP_INFRA, "cannot start a thread");
	for (int i = 0; i < started; i++)
		pthread_join(t[i], NULL);
	if (!ret && child_interrupted())
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted; run again to go on");
	for (int i = 0; i < n; i++) {
		tree_compare_release(&w[i].diff);
		git_repository_free(w[i].repo);
		if (w[i].os)
			objects_free(w[i].os);
	}
	packs_close(s->packs);
	git_repository_free(repo);
	free(objects);
	git_libgit2_shutdown();
	return ret;
}

/* ---- writing ---------------------------------------------------------------------------------------- */

static int exec_bound(struct settle *s, const char *sql, const struct sha *sha, int64_t a, int64_t b,
		      struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(s->db, sql, &st, err);

	if (ret)
		return ret;
	if (sha)
		sqlite3_bind_blob(st, 1, sha->b, sizeof(sha->b), SQLITE_STATIC);
	sqlite3_bind_int64(st, 2, a);
	if (sqlite3_bind_parameter_count(st) > 2)
		sqlite3_bind_int64(st, 3, b);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	return ret;
}

static int row_of(struct settle *s, const struct sha *sha, int64_t *id, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = exec_bound(s, "INSERT OR IGNORE INTO cc (sha, base, time, author, release, subject, cls, filter,"
			     " confidence, nusers) SELECT sha, ?2, time, author, release, subject, 0, 0, 0, 0"
			     " FROM mention WHERE sha = ?1", sha, CC_FOLLOWER, 0, err);

	if (!ret)
		ret = db_prepare(s->db, "SELECT id FROM cc WHERE sha = ?", &st, err);
	if (ret)
		return ret;
	sqlite3_bind_blob(st, 1, sha->b, sizeof(sha->b), SQLITE_STATIC);
	*id = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
	sqlite3_finalize(st);
	return *id ? 0 : kp_fail(err, KP_ERR, "the store of co-changes is damaged: a commit without its row");
}

static int write_link(struct settle *s, int64_t cc, const struct follower *f, const struct choice *c,
		      struct strbuf *err)
{
	int64_t d = f->time - c->i->time;
	bool series = f->author == c->i->author && (d < 0 || d <= SERIES_DAYS * DAY);
	char hex[2 * GIT_OID_RAWSZ + 1], *reason;
	git_oid id;
	sqlite3_stmt *st;
	int ret = db_prepare(s->db, "INSERT INTO link VALUES (?,?,?,?,?,?)", &st, err);

	if (ret)
		return ret;
	memcpy(id.id, c->i->sha.b, sizeof(id.id));
	git_oid_tostr(hex, sizeof(hex), &id);
	reason = xstrfmt("'%s' changed in %.12s; %zu %s%s", c->i->symbol, hex, c->users,
			 c->users == 1 ? "file follows" : "files follow", d < 0 ? " before it" : "");
	sqlite3_bind_int64(st, 1, cc);
	sqlite3_bind_int(st, 2, series ? LINK_SERIES : LINK_FOLLOW_UP);
	sqlite3_bind_blob(st, 3, c->i->sha.b, GIT_OID_RAWSZ, SQLITE_STATIC);
	sqlite3_bind_double(st, 4, c->i->to ? 0.9 : series ? 0.85 : 0.7);
	db_bind_text(st, 5, reason);
	sqlite3_bind_int64(st, 6, (sqlite3_int64)c->users);
	ret = db_step_done(st, err);
	sqlite3_finalize(st);
	free(reason);
	return ret;
}

static int write_one(struct settle *s, const struct follower *f, struct strbuf *err)
{
	int64_t cc = 0;
	int ret = 0;

	for (size_t k = 0; k < f->n && !ret; k++) {
		const struct choice *c = &f->c[k];

		ret = exec_bound(s, "INSERT OR REPLACE INTO tried VALUES (?1, ?2, ?3)", &f->sha, c->i->change,
				 (int64_t)c->users, err);
		if (ret || !c->users)
			continue;
		if (!cc) {
			ret = row_of(s, &f->sha, &cc, err);
			if (!ret)
				ret = write_link(s, cc, f, c, err);
			if (!ret)
				ret = cc_write_examples(s->w, cc, f->ex.ex, f->ex.nex, err);
		}
		if (!ret)
			ret = exec_bound(s, "INSERT INTO change (cc, via, kind, cls, confirmed, confidence, symbol, to_name,"
					 " header, old_decl, new_decl, grp) SELECT ?2, 1, kind, cls, 1, 0.8, symbol,"
					 " to_name, header, old_decl, new_decl, grp FROM change WHERE id = ?3",
					 NULL, cc, c->i->change, err);
	}
	return ret;
}

static void release(struct settle *s)
{
	for (size_t k = 0; k < s->ni; k++) {
		free(s->i[k].symbol);
		free(s->i[k].from);
		free(s->i[k].to);
	}
	for (size_t k = 0; k < s->nf; k++) {
		for (size_t e = 0; e < s->f[k].ex.nex; e++) {
			free(s->f[k].ex.ex[e].path);
			hunks_release(&s->f[k].ex.ex[e].hunks);
		}
		free(s->f[k].ex.ex);
	}
	free(s->i);
	free(s->f);
	free(s->order);
}

int cc_settle_links(sqlite3 *db, struct cc_writer *w, const char *repo, int jobs, bool examples,
		    struct strbuf *err)
{
	struct settle s = { .db = db, .w = w, .repo = repo, .examples = examples };
	int ret = load_ifaces(&s, err);

	if (!ret)
		ret = load_followers(&s, err);
	if (!ret)
		ret = drop_known(&s, err);
	if (!ret)
		ret = compare_all(&s, jobs, err);
	for (size_t k = 0; k < s.nf && !ret; k++)
		ret = write_one(&s, &s.f[k], err);
	release(&s);
	return ret;
}
