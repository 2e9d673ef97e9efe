// SPDX-License-Identifier: GPL-2.0-only
/*
 * The database of an index. Every table is written in the order of its key, so
 * that no index is ever built by random insertion.
 *
 *	symbol	by name in byte order, then by rank: all of one name are neighbours
 *	name	of symbols and of types that are used: where its symbols are
 *	member	of which symbol, in order
 *	inside	header -> symbols
 *	uses	type name -> functions that take (role 0) or return (role 1) it
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "mine/index-build.h"

static const char *const schema[] = {
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE str(id INTEGER PRIMARY KEY, s TEXT NOT NULL);"
	"CREATE TABLE header(id INTEGER PRIMARY KEY, name TEXT NOT NULL, base TEXT NOT NULL,"
	" shown INTEGER NOT NULL);"
	"CREATE INDEX header_name ON header(name);"
	"CREATE INDEX header_base ON header(base);"
	"CREATE TABLE include(header INTEGER, ord INTEGER, target INTEGER,"
	" PRIMARY KEY(header, ord)) WITHOUT ROWID;"
	"CREATE TABLE symbol(id INTEGER PRIMARY KEY, kind INTEGER, name INTEGER, header INTEGER,"
	" line INTEGER, type INTEGER, params INTEGER, body INTEGER, parent INTEGER, path INTEGER,"
	" cond INTEGER, alias INTEGER, ord INTEGER, flags INTEGER, ns INTEGER, doc INTEGER,"
	" owner INTEGER);"
	"CREATE TABLE name(s TEXT PRIMARY KEY, str INTEGER, first INTEGER, n INTEGER) WITHOUT ROWID;"
	"CREATE TABLE member(owner INTEGER, ord INTEGER, symbol INTEGER,"
	" PRIMARY KEY(owner, ord)) WITHOUT ROWID;"
	"CREATE TABLE inside(header INTEGER, symbol INTEGER,"
	" PRIMARY KEY(header, symbol)) WITHOUT ROWID;"
	"CREATE TABLE uses(type INTEGER, role INTEGER, symbol INTEGER,"
	" PRIMARY KEY(type, role, symbol)) WITHOUT ROWID;"
	"CREATE TABLE export(name TEXT PRIMARY KEY, gpl INTEGER, ns TEXT) WITHOUT ROWID;",
};

const struct db_migrations index_schema = { schema, ARRAY_SIZE(schema) };

struct writer {
	struct index_build *b;
	sqlite3 *db;
	struct strbuf *err;
	int ret;
};

static sqlite3_stmt *prepare(struct writer *w, const char *sql)
{
	sqlite3_stmt *st = NULL;

	if (!w->ret)
		w->ret = db_prepare(w->db, sql, &st, w->err);
	return st;
}

static void step(struct writer *w, sqlite3_stmt *st)
{
	if (!w->ret)
		w->ret = db_step_done(st, w->err);
}

static void bind_id(sqlite3_stmt *st, int col, uint32_t id)
{
	if (id)
		sqlite3_bind_int64(st, col, id);
	else
		sqlite3_bind_null(st, col);
}

static void bind_static(sqlite3_stmt *st, int col, const char *s)
{
	sqlite3_bind_text(st, col, s, -1, SQLITE_STATIC);
}

static void write_headers(struct writer *w)
{
	sqlite3_stmt *st = prepare(w, "INSERT INTO header VALUES(?,?,?,?)");
	uint32_t i;

	for (i = 0; i < w->b->nheaders && !w->ret; i++) {
		const struct index_header *h = &w->b->header[i];
		const char *slash = strrchr(h->name, '/');

		sqlite3_bind_int64(st, 1, i + 1);
		bind_static(st, 2, h->name);
		bind_static(st, 3, slash ? slash + 1 : h->name);
		sqlite3_bind_int64(st, 4, h->shown + 1);
		step(w, st);
	}
	sqlite3_finalize(st);
	st = prepare(w, "INSERT INTO include VALUES(?,?,?)");
	for (i = 0; i < w->b->nedges && !w->ret; i++) {
		const struct index_edge *e = &w->b->edge[i];

		sqlite3_bind_int64(st, 1, e->from + 1);
		sqlite3_bind_int64(st, 2, e->order);
		sqlite3_bind_int64(st, 3, e->to + 1);
		step(w, st);
	}
	sqlite3_finalize(st);
}

/* Marks in use[] the strings that symbols refer to. */
static uint8_t *used_strings(const struct index_build *b)
{
	uint8_t *use = xcalloc(b->pool.n, 1);
	const struct strmap_entry *e;
	size_t i;

	for (i = 0; i < b->hs.n; i++) {
		const struct header_sym *s = &b->hs.s[i];

		use[s->name] = use[s->type] = use[s->params] = use[s->body] = 1;
		use[s->parent] = use[s->path] = use[s->cond] = use[s->alias] = use[s->doc] = 1;
	}
	strmap_for_each(&b->exports, e)
		use[((const struct index_export *)e->value)->ns] = 1;
	use[0] = 0;
	return use;
}

static void write_strings(struct writer *w)
{
	sqlite3_stmt *st = prepare(w, "INSERT INTO str VALUES(?,?)");
	uint8_t *use = used_strings(w->b);
	uint32_t i;

	for (i = 1; i < w->b->pool.n && !w->ret; i++) {
		if (!use[i])
			continue;
		sqlite3_bind_int64(st, 1, i);
		bind_static(st, 2, pool_str(&w->b->pool, i));
		step(w, st);
	}
	free(use);
	sqlite3_finalize(st);
}

static unsigned symbol_flags(const struct index_build *b, const struct header_sym *s, uint32_t *ns)
{
	unsigned flags = (unsigned)(s->state + 1) << INDEX_STATE_SHIFT;
	const struct index_export *x = NULL;

	if (s->kind & (API_FUNCTION | API_INLINE | API_VARIABLE))
		x = strmap_get(&b->exports, pool_str(&b->pool, s->name));
	*ns = x ? x->ns : 0;
	if (x)
		flags |= INDEX_EXPORTED | (x->gpl ? INDEX_GPL : 0);
	return flags | (s->must_check ? INDEX_MUST_CHECK : 0) | (s->expanded ? INDEX_EXPANDED : 0);
}

static void write_symbols(struct writer *w)
{
	sqlite3_stmt *st = prepare(w, "INSERT INTO symbol VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
	struct index_build *b = w->b;
	size_t i;

	for (i = 0; i < b->hs.n && !w->ret; i++) {
		const struct header_sym *s = &b->hs.s[b->order[i].sym];
		uint32_t ns;
		unsigned flags = symbol_flags(b, s, &ns);

		sqlite3_bind_int64(st, 1, (int64_t)i + 1);
		sqlite3_bind_int64(st, 2, s->kind);
		bind_id(st, 3, s->name);
		sqlite3_bind_int64(st, 4, b->header[s->header].shown + 1);
		sqlite3_bind_int64(st, 5, s->line);
		bind_id(st, 6, s->type);
		bind_id(st, 7, s->params);
		bind_id(st, 8, s->body);
		bind_id(st, 9, s->parent);
		bind_id(st, 10, s->path);
		bind_id(st, 11, s->cond);
		bind_id(st, 12, s->alias);
		sqlite3_bind_int64(st, 13, s->order);
		sqlite3_bind_int64(st, 14, flags);
		bind_id(st, 15, ns);
		bind_id(st, 16, s->doc);
		bind_id(st, 17, s->owner != HEADER_NO_OWNER ? b->id[s->owner] : 0);
		step(w, st);
	}
	sqlite3_finalize(st);
}

/* A row of a table of numbers. */
struct triple {
	uint32_t a, b, c;
};

struct triples {
	struct triple *t;
	size_t n, alloc;
};

static void triple_add(struct triples *ts, uint32_t a, uint32_t b, uint32_t c)
{
	ALLOC_GROW(ts->t, ts->n + 1, ts->alloc);
	ts->t[ts->n++] = (struct triple){ a, b, c };
}

static int by_triple(const void *a, const void *b)
{
	const struct triple *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return x->c < y->c ? -1 : x->c > y->c;
}

/* Sorts, drops doubles and writes; ncols 2 leaves c out. */
static void write_triples(struct writer *w, struct triples *ts, const char *sql, int ncols)
{
	sqlite3_stmt *st = prepare(w, sql);
	size_t i;

	if (ts->n)
		sort_items(ts->t, ts->n, sizeof(*ts->t), by_triple);
	for (i = 0; i < ts->n && !w->ret; i++) {
		if (i && !by_triple(&ts->t[i], &ts->t[i - 1]))
			continue;
		sqlite3_bind_int64(st, 1, ts->t[i].a);
		sqlite3_bind_int64(st, 2, ts->t[i].b);
		if (ncols > 2)
			sqlite3_bind_int64(st, 3, ts->t[i].c);
		step(w, st);
	}
	sqlite3_finalize(st);
	free(ts->t);
	memset(ts, 0, sizeof(*ts));
}

struct use_ctx {
	struct index_build *b;
	struct triples *uses;
	uint32_t role, symbol;
};

static void add_use(const char *name, size_t len, void *payload)
{
	struct use_ctx *c = payload;

	triple_add(c->uses, pool_add(&c->b->pool, name, len), c->role, c->symbol);
}

static void collect(struct index_build *b, struct triples *members, struct triples *inside,
		    struct triples *uses)
{
	size_t i;

	for (i = 0; i < b->hs.n; i++) {
		const struct header_sym *s = &b->hs.s[i];
		struct use_ctx c = { b, uses, 0, b->id[i] };

		if (s->owner != HEADER_NO_OWNER)
			triple_add(members, b->id[s->owner], s->order, b->id[i]);
		triple_add(inside, b->header[s->header].shown + 1, b->id[i], 0);
		if (!(s->kind & (API_FUNCTION | API_INLINE)))
			continue;
		if (s->params)
			type_names(pool_str(&b->pool, s->params), true, add_use, &c);
		c.role = 1;
		if (s->type)
			type_names(pool_str(&b->pool, s->type), false, add_use, &c);
	}
}

static int by_str(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void name_row(struct writer *w, sqlite3_stmt *st, const char *s, uint32_t str, size_t first,
		     size_t n)
{
	bind_static(st, 1, s);
	sqlite3_bind_int64(st, 2, str);
	sqlite3_bind_int64(st, 3, (int64_t)first);
	sqlite3_bind_int64(st, 4, (int64_t)n);
	step(w, st);
}

/* Names of types that are used but declared nowhere, sorted. */
static const char **undeclared(struct index_build *b, const struct triples *uses, size_t *n)
{
	const char **list = xcalloc(uses->n + 1, sizeof(*list));
	uint8_t *seen = xcalloc(b->pool.n, 1);
	size_t i;

	*n = 0;
	for (i = 0; i < b->hs.n; i++)
		seen[b->hs.s[i].name] = 1;
	for (i = 0; i < uses->n; i++) {
		if (!seen[uses->t[i].a])
			list[(*n)++] = pool_str(&b->pool, uses->t[i].a);
		seen[uses->t[i].a] = 1;
	}
	sort_items(list, *n, sizeof(*list), by_str);
	free(seen);
	return list;
}

static void write_names(struct writer *w, const struct triples *uses)
{
	sqlite3_stmt *st = prepare(w, "INSERT INTO name VALUES(?,?,?,?)");
	struct index_build *b = w->b;
	size_t i, end, k = 0, nu;
	const char **u = undeclared(b, uses, &nu);

	for (i = 0; i < b->hs.n && !w->ret; i = end) {
		uint32_t name = b->hs.s[b->order[i].sym].name;
		const char *s = pool_str(&b->pool, name);

		for (end = i + 1; end < b->hs.n && b->order[end].name == b->order[i].name; end++)
			;
		for (; k < nu && strcmp(u[k], s) < 0; k++)
			name_row(w, st, u[k], pool_find(&b->pool, u[k], strlen(u[k])), 0, 0);
		name_row(w, st, s, name, i + 1, end - i);
	}
	for (; k < nu; k++)
		name_row(w, st, u[k], pool_find(&b->pool, u[k], strlen(u[k])), 0, 0);
	free(u);
	sqlite3_finalize(st);
}

static void write_exports(struct writer *w)
{
	sqlite3_stmt *st = prepare(w, "INSERT INTO export VALUES(?,?,?)");
	const struct strmap_entry *e;

	strmap_for_each(&w->b->exports, e) {
		const struct index_export *x = e->value;

		bind_static(st, 1, e->key);
		sqlite3_bind_int(st, 2, x->gpl);
		bind_static(st, 3, pool_str(&w->b->pool, x->ns));
		step(w, st);
	}
	sqlite3_finalize(st);
}

static void write_meta(struct writer *w)
{
	sqlite3_stmt *st = prepare(w, "INSERT INTO meta VALUES(?,?)");
	char count[32];
	const char *rows[][2] = {
		{ "release", w->b->fs->release }, { "srcarch", w->b->fs->srcarch },
		{ "key", w->b->fs->key.hex }, { "symbols", count },
	};
	size_t i;

	snprintf(count, sizeof(count), "%zu", w->b->hs.n);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bind_static(st, 1, rows[i][0]);
		bind_static(st, 2, rows[i][1]);
		step(w, st);
	}
	sqlite3_finalize(st);
}

int index_write(struct index_build *b, const char *path, struct strbuf *err)
{
	struct writer w = { .b = b, .err = err };
	struct triples members = { 0 }, inside = { 0 }, uses = { 0 };

	w.ret = db_open(path, DB_FAST_IMPORT, &index_schema, &w.db, err);
	if (!w.ret)
		w.ret = db_exec(w.db, "BEGIN", err);
	if (!w.ret) {
		write_meta(&w);
		write_headers(&w);
		write_symbols(&w);
		collect(b, &members, &inside, &uses);
		write_names(&w, &uses);
		write_strings(&w);
		write_exports(&w);
	}
	write_triples(&w, &members, "INSERT INTO member VALUES(?,?,?)", 3);
	write_triples(&w, &inside, "INSERT INTO inside VALUES(?,?)", 2);
	write_triples(&w, &uses, "INSERT INTO uses VALUES(?,?,?)", 3);
	if (!w.ret)
		w.ret = db_exec(w.db, "COMMIT", err);
	db_close(w.db);
	return w.ret;
}
