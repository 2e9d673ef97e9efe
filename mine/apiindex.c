// SPDX-License-Identifier: GPL-2.0-only
/* Reading an API index, and making it when there is none yet. */
#include "base/compat.h"

#include <ctype.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/db.h"
#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "mine/index-build.h"

#define LOCK_WAIT 600 /* seconds: somebody else is making the same index */
#define ARENA_SIZE (64u << 10)

enum stmt {
	ST_NAME, ST_SYMBOL, ST_STR, ST_MEMBERS, ST_INSIDE, ST_USES, ST_HEADER, ST_HEADER_ID,
	ST_HEADER_BASE, ST_INCLUDES, ST_EXPORT, ST_MENTION, ST_COUNT
};

static const char *const sql[ST_COUNT] = {
	[ST_NAME] = "SELECT first, n, str FROM name WHERE s = ?",
	[ST_SYMBOL] = "SELECT kind, name, header, line, type, params, body, parent, path, cond, alias,"
		      " ord, flags, ns, doc, owner FROM symbol WHERE id = ?",
	[ST_STR] = "SELECT s FROM str WHERE id = ?",
	[ST_MEMBERS] = "SELECT symbol FROM member WHERE owner = ? ORDER BY ord",
	[ST_INSIDE] = "SELECT symbol FROM inside WHERE header = ? ORDER BY symbol",
	[ST_USES] = "SELECT symbol FROM uses WHERE type = ? AND role = ? ORDER BY symbol",
	[ST_HEADER] = "SELECT name FROM header WHERE id = ?",
	[ST_HEADER_ID] = "SELECT id FROM header WHERE name = ?",
	[ST_HEADER_BASE] = "SELECT name FROM header WHERE base = ? ORDER BY name",
	[ST_INCLUDES] = "SELECT target FROM include WHERE header = ? ORDER BY ord",
	[ST_EXPORT] = "SELECT gpl, ns FROM export WHERE name = ?",
	[ST_MENTION] = "SELECT s FROM str WHERE instr(s, ?)",
};

struct arena {
	struct arena *next;
	size_t used, size;
	char data[];
};

/* A symbol with what only the index needs. */
struct entry {
	struct api_symbol sym;
	uint32_t owner;
	int8_t state;
};

struct api_index {
	sqlite3 *db;
	sqlite3_stmt *st[ST_COUNT];
	char *release, *key;
	struct entry **entry;	/* by symbol number, loaded when first asked for */
	size_t nsyms;
	const char **str;	/* by number */
	size_t nstr;
	const char **header;	/* by number */
	size_t nheaders;
	struct arena *arena;
};

/* ---- memory ---------------------------------------------------------------------- */

static void *arena_alloc(struct api_index *ix, size_t size)
{
	struct arena *a = ix->arena;
	void *p;

	size = (size + 7) & ~(size_t)7;
	if (!a || a->size - a->used < size) {
		size_t want = size > ARENA_SIZE ? size : ARENA_SIZE;

		a = xmalloc(sizeof(*a) + want);
		a->used = 0;
		a->size = want;
		a->next = ix->arena;
		ix->arena = a;
	}
	p = a->data + a->used;
	a->used += size;
	return p;
}

static const char *arena_str(struct api_index *ix, const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(arena_alloc(ix, n), s, n);
}

/* ---- opening ---------------------------------------------------------------------- */

static int scalar(sqlite3 *db, const char *query, int64_t *out, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(db, query, &st, err);

	if (ret < 0)
		return ret;
	*out = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
	sqlite3_finalize(st);
	return 0;
}

static char *meta(sqlite3 *db, const char *key, struct strbuf *err)
{
	sqlite3_stmt *st;
	char *v = NULL;

	if (db_prepare(db, "SELECT value FROM meta WHERE key = ?", &st, err) < 0)
		return NULL;
	db_bind_text(st, 1, key);
	if (sqlite3_step(st) == SQLITE_ROW)
		v = xstrdup(db_text(st, 0));
	sqlite3_finalize(st);
	return v;
}

static int open_db(const char *path, struct api_index **out, struct strbuf *err)
{
	struct api_index *ix = xcalloc(1, sizeof(*ix));
	int64_t nsyms = 0, nstr = 0, nheaders = 0;
	int ret, i;

	ret = db_open(path, DB_READONLY, &index_schema, &ix->db, err);
	if (!ret)
		ret = scalar(ix->db, "SELECT max(id) FROM symbol", &nsyms, err);
	if (!ret)
		ret = scalar(ix->db, "SELECT max(id) FROM str", &nstr, err);
	if (!ret)
		ret = scalar(ix->db, "SELECT max(id) FROM header", &nheaders, err);
	for (i = 0; i < ST_COUNT && !ret; i++)
		ret = db_prepare(ix->db, sql[i], &ix->st[i], err);
	if (!ret) {
		ix->release = meta(ix->db, "release", err);
		ix->key = meta(ix->db, "key", err);
		if (!ix->release || !ix->key)
			ret = kp_fail(err, KP_ERR, "'%s' is not a complete API index", path);
	}
	ix->nsyms = nsyms;
	ix->nstr = nstr;
	ix->nheaders = nheaders;
	ix->entry = xcalloc(ix->nsyms + 1, sizeof(*ix->entry));
	ix->str = xcalloc(ix->nstr + 1, sizeof(*ix->str));
	ix->header = xcalloc(ix->nheaders + 1, sizeof(*ix->header));
	if (ret < 0) {
		api_index_close(ix);
		return ret;
	}
	*out = ix;
	return 0;
}

void api_index_close(struct api_index *ix)
{
	struct arena *a, *next;
	int i;

	if (!ix)
		return;
	for (i = 0; i < ST_COUNT; i++)
		sqlite3_finalize(ix->st[i]);
	db_close(ix->db);
	for (a = ix->arena; a; a = next) {
		next = a->next;
		free(a);
	}
	free(ix->entry);
	free(ix->str);
	free(ix->header);
	free(ix->release);
	free(ix->key);
	free(ix);
}

/* Makes the index aside and renames it; the caller holds the lock. */
static int make(const struct index_files *fs, const char *path, struct strbuf *err)
{
	char *aside = xstrfmt("%s.new", path);
	int ret = file_remove(aside, err);

	log_debug("indexing %zu headers of %s", fs->n, fs->release);
	if (!ret)
		ret = index_build(fs, aside, err);
	if (!ret && rename(aside, path) < 0)
		ret = kp_fail_errno(err, "cannot rename '%s'", aside);
	if (ret < 0) {
		struct strbuf ignored = STRBUF_INIT;

		file_remove(aside, &ignored);
		strbuf_release(&ignored);
	}
	free(aside);
	return ret;
}

/* An index that cannot be opened (torn, older schema) is made anew once. */
static int open_or_make(const struct index_files *fs, const char *dir, struct api_index **out,
			struct strbuf *err)
{
	char *path = path_join(dir, "api.db");
	struct strbuf problem = STRBUF_INIT;
	struct lock lock = LOCK_INIT;
	int ret = KP_NOTFOUND;

	if (file_exists(path))
		ret = open_db(path, out, &problem);
	if (ret < 0) {
		ret = file_mkdirs(dir, err);
		if (!ret)
			ret = lock_take(&lock, dir, LOCK_WAIT, err);
		/* It may have been made while we waited. */
		strbuf_reset(&problem);
		if (!ret && (!file_exists(path) || open_db(path, out, &problem) < 0)) {
			ret = make(fs, path, err);
			if (!ret)
				ret = open_db(path, out, err);
		}
		lock_release(&lock);
	}
	strbuf_release(&problem);
	free(path);
	return ret;
}

/* Adds what tells whether a directory or file was replaced. */
static void add_identity(struct hash *h, const char *path)
{
	struct stat st;
	int64_t id[4] = { 0 };

	if (path && stat(path, &st) == 0) {
		id[0] = (int64_t)st.st_ino;
		id[1] = st.st_size;
		id[2] = st.st_mtim.tv_sec;
		id[3] = st.st_mtim.tv_nsec;
	}
	hash_add_str(h, path ? path : "");
	hash_add(h, id, sizeof(id));
}

/*
 * For trees inside our own cache, whose records are replaced as a whole and never
 * edited: the file that remembers which index is theirs, so that not every header has
 * to be looked at again. NULL for other trees.
 */
static char *shortcut(const char *cache, const char *common_dir, const char *build_dir,
		      const char *symvers)
{
	char *records = path_join(cache, "kernels"), *home = file_realpath(records), *path = NULL;
	char *build = file_realpath(build_dir);
	char *common = file_realpath(common_dir ? common_dir : build_dir);
	char *include = common ? path_join(common, "include/linux") : NULL;
	char *config = build ? path_join(build, "include/generated/autoconf.h") : NULL;
	struct hash_hex key;
	struct hash *h;

	if (home && build && common && path_inside(home, build) && path_inside(home, common)) {
		h = hash_new();
		hash_add_str(h, INDEX_FORMAT);
		add_identity(h, build);
		add_identity(h, common);
		add_identity(h, include);
		add_identity(h, config);
		add_identity(h, symvers);
		key = hash_final(h);
		path = xstrfmt("%s/index/tree-%.32s", cache, key.hex);
	}
	free(records);
	free(home);
	free(build);
	free(common);
	free(include);
	free(config);
	return path;
}

/* Opens the index that a shortcut names; KP_NOTFOUND when it does not help. */
static int open_by_shortcut(const char *cache, const char *link, struct api_index **out)
{
	struct strbuf key = STRBUF_INIT, ignored = STRBUF_INIT;
	char *path = NULL;
	int ret = KP_NOTFOUND;

	if (link && file_exists(link) && file_read(link, 256, &key, &ignored) == 0 && path_is_safe(key.buf)) {
		path = xstrfmt("%s/index/%s/api.db", cache, key.buf);
		if (file_exists(path) && open_db(path, out, &ignored) == 0)
			ret = 0;
	}
	free(path);
	strbuf_release(&key);
	strbuf_release(&ignored);
	return ret;
}

int api_index_open(const char *common_dir, const char *build_dir, const char *symvers,
		   struct api_index **out, struct strbuf *err)
{
	struct index_files fs = { 0 };
	struct strbuf ignored = STRBUF_INIT;
	char *cache = kport_cache_dir(), *dir = NULL;
	char *link = shortcut(cache, common_dir, build_dir, symvers);
	int ret = open_by_shortcut(cache, link, out);

	if (ret == KP_NOTFOUND) {
		ret = index_files_find(&fs, common_dir, build_dir, symvers, err);
		if (!ret) {
			dir = xstrfmt("%s/index/%.32s", cache, fs.key.hex);
			ret = open_or_make(&fs, dir, out, err);
		}
		if (!ret && link)
			file_write(link, fs.key.hex, 32, &ignored);
		index_files_release(&fs);
	}
	free(link);
	free(cache);
	free(dir);
	strbuf_release(&ignored);
	return ret;
}

int api_index_open_file(const char *path, struct api_index **out, struct strbuf *err)
{
	return open_db(path, out, err);
}

const char *api_index_file(const struct api_index *ix)
{
	return sqlite3_db_filename(ix->db, "main");
}

const char *api_index_release(const struct api_index *ix)
{
	return ix->release;
}

/* ---- loading ------------------------------------------------------------------------- */

static const char *load_str(struct api_index *ix, sqlite3_int64 id)
{
	sqlite3_stmt *st = ix->st[ST_STR];
	const char *s;

	if (id <= 0 || (size_t)id > ix->nstr)
		return NULL;
	if (ix->str[id])
		return ix->str[id];
	sqlite3_bind_int64(st, 1, id);
	if (sqlite3_step(st) == SQLITE_ROW && (s = db_text(st, 0)) != NULL)
		ix->str[id] = arena_str(ix, s);
	sqlite3_reset(st);
	return ix->str[id];
}

static const char *load_header(struct api_index *ix, sqlite3_int64 id)
{
	sqlite3_stmt *st = ix->st[ST_HEADER];
	const char *s;

	if (id <= 0 || (size_t)id > ix->nheaders)
		return "";
	if (ix->header[id])
		return ix->header[id];
	sqlite3_bind_int64(st, 1, id);
	if (sqlite3_step(st) == SQLITE_ROW && (s = db_text(st, 0)) != NULL)
		ix->header[id] = arena_str(ix, s);
	sqlite3_reset(st);
	return ix->header[id] ? ix->header[id] : "";
}

static void fill(struct api_index *ix, struct entry *e, int id, sqlite3_stmt *st)
{
	struct api_symbol *s = &e->sym;
	int64_t v[16];
	int i;

	for (i = 0; i < 16; i++)
		v[i] = sqlite3_column_int64(st, i);
	s->id = id;
	s->kind = (enum api_kind)v[0];
	s->name = load_str(ix, v[1]);
	s->header = load_header(ix, v[2]);
	s->line = (int)v[3];
	s->type = load_str(ix, v[4]);
	s->params = load_str(ix, v[5]);
	if (s->kind == API_MACRO_FN && !s->params)
		s->params = "";
	s->body = load_str(ix, v[6]);
	s->parent = load_str(ix, v[7]);
	s->path = v[8] ? load_str(ix, v[8]) : s->kind == API_MEMBER ? s->name : NULL;
	s->cond = load_str(ix, v[9]);
	s->alias = load_str(ix, v[10]);
	s->order = (int)v[11];
	s->exported = v[12] & INDEX_EXPORTED;
	s->gpl = v[12] & INDEX_GPL;
	s->must_check = v[12] & INDEX_MUST_CHECK;
	s->generated = v[12] & INDEX_EXPANDED;
	s->active = (v[12] >> INDEX_STATE_SHIFT & 3) != 0;
	s->ns = load_str(ix, v[13]);
	s->doc = load_str(ix, v[14]);
	e->owner = (uint32_t)v[15];
	e->state = (int8_t)((v[12] >> INDEX_STATE_SHIFT & 3) - 1);
	if (!s->name)
		s->name = "";
}

static struct entry *load(struct api_index *ix, size_t id)
{
	sqlite3_stmt *st = ix->st[ST_SYMBOL];
	struct entry *e;

	if (id == 0 || id > ix->nsyms)
		return NULL;
	if (ix->entry[id])
		return ix->entry[id];
	sqlite3_bind_int64(st, 1, (sqlite3_int64)id);
	if (sqlite3_step(st) == SQLITE_ROW) {
		e = arena_alloc(ix, sizeof(*e));
		memset(e, 0, sizeof(*e));
		fill(ix, e, (int)id, st);
		ix->entry[id] = e;
	}
	sqlite3_reset(st);
	return ix->entry[id];
}

/* Where the symbols of a name are; false when the name is unknown. */
static bool find_name(struct api_index *ix, const char *name, size_t *first, size_t *n,
		      int64_t *str)
{
	sqlite3_stmt *st = ix->st[ST_NAME];
	const char *space = strchr(name, ' ');
	bool found = false;

	/* "struct foo" */
	if (space && (starts_with(name, "struct ") || starts_with(name, "union ") ||
		      starts_with(name, "enum ")))
		name = space + 1;
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW) {
		*first = (size_t)sqlite3_column_int64(st, 0);
		*n = (size_t)sqlite3_column_int64(st, 1);
		if (str)
			*str = sqlite3_column_int64(st, 2);
		found = true;
	}
	sqlite3_reset(st);
	return found;
}

/* "struct foo" asks for structures only. */
static unsigned tag_kinds(const char *name, unsigned kinds)
{
	if (starts_with(name, "struct "))
		return kinds & API_STRUCT;
	if (starts_with(name, "union "))
		return kinds & API_UNION;
	if (starts_with(name, "enum "))
		return kinds & API_ENUM;
	return kinds;
}

const struct api_symbol *api_lookup(struct api_index *ix, const char *name, unsigned kinds)
{
	size_t first, n, i;

	if (!find_name(ix, name, &first, &n, NULL))
		return NULL;
	kinds = tag_kinds(name, kinds);
	for (i = first; i < first + n; i++) {
		const struct entry *e = load(ix, i);

		if (e && (e->sym.kind & kinds))
			return &e->sym;
	}
	return NULL;
}

struct list {
	const struct api_symbol **v;
	size_t n, alloc;
};

static void list_add(struct list *l, const struct entry *e, unsigned kinds)
{
	if (!e || !(e->sym.kind & kinds))
		return;
	ALLOC_GROW(l->v, l->n + 1, l->alloc);
	l->v[l->n++] = &e->sym;
}

static size_t list_done(struct list *l, const struct api_symbol ***out)
{
	*out = l->v;
	return l->n;
}

size_t api_lookup_all(struct api_index *ix, const char *name, unsigned kinds,
		      const struct api_symbol ***out)
{
	struct list l = { 0 };
	size_t first, n, i;

	kinds = tag_kinds(name, kinds);
	if (find_name(ix, name, &first, &n, NULL))
		for (i = first; i < first + n; i++)
			list_add(&l, load(ix, i), kinds);
	return list_done(&l, out);
}

/* Symbols whose numbers a prepared statement yields. Collected first: loading uses statements too. */
static void list_rows(struct api_index *ix, sqlite3_stmt *st, unsigned kinds, struct list *l)
{
	uint32_t *ids = NULL;
	size_t n = 0, alloc = 0, i;

	while (sqlite3_step(st) == SQLITE_ROW) {
		ALLOC_GROW(ids, n + 1, alloc);
		ids[n++] = (uint32_t)sqlite3_column_int64(st, 0);
	}
	sqlite3_reset(st);
	for (i = 0; i < n; i++)
		list_add(l, load(ix, ids[i]), kinds);
	free(ids);
}

/* ---- structures ------------------------------------------------------------------------ */

static const struct api_symbol *find_owner(struct api_index *ix, const char *parent)
{
	unsigned kinds = API_STRUCT | API_UNION | API_ENUM;

	if (!strchr(parent, ' '))
		kinds |= API_TYPEDEF;
	return api_lookup(ix, parent, kinds);
}

size_t api_members(struct api_index *ix, const char *parent, const struct api_symbol ***out)
{
	const struct api_symbol *owner = find_owner(ix, parent);
	struct list l = { 0 };

	if (owner) {
		sqlite3_bind_int64(ix->st[ST_MEMBERS], 1, owner->id);
		list_rows(ix, ix->st[ST_MEMBERS], API_MEMBER | API_ENUMERATOR, &l);
	}
	return list_done(&l, out);
}

/* Directly reachable before nested, in use before excluded by the configuration. */
static int member_rank(const struct api_symbol *s, const char *name)
{
	return (strcmp(s->path ? s->path : s->name, name) ? 2 : 0) + (s->active ? 0 : 1);
}

const struct api_symbol *api_member(struct api_index *ix, const char *parent, const char *name)
{
	const struct api_symbol *owner = find_owner(ix, parent), *best = NULL;
	const char *dot = strrchr(name, '.');
	size_t first, n, i;

	if (!owner || !find_name(ix, dot ? dot + 1 : name, &first, &n, NULL))
		return NULL;
	for (i = first; i < first + n; i++) {
		const struct entry *e = load(ix, i);

		if (!e || e->owner != (uint32_t)owner->id)
			continue;
		if (dot && strcmp(e->sym.path ? e->sym.path : "", name))
			continue;
		if (!best || member_rank(&e->sym, name) < member_rank(best, name))
			best = &e->sym;
	}
	return best;
}

/* ---- headers ------------------------------------------------------------------------------ */

static int64_t header_id(struct api_index *ix, const char *header)
{
	sqlite3_stmt *st = ix->st[ST_HEADER_ID];
	int64_t id = 0;

	skip_prefix(header, "uapi/", &header);
	sqlite3_bind_text(st, 1, header, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW)
		id = sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return id;
}

bool api_has_header(struct api_index *ix, const char *header)
{
	return header_id(ix, header) != 0;
}

size_t api_in_header(struct api_index *ix, const char *header, unsigned kinds,
		     const struct api_symbol ***out)
{
	struct list l = { 0 };

	sqlite3_bind_int64(ix->st[ST_INSIDE], 1, header_id(ix, header));
	list_rows(ix, ix->st[ST_INSIDE], kinds, &l);
	return list_done(&l, out);
}

size_t api_headers_named(struct api_index *ix, const char *basename, struct strvec *out)
{
	sqlite3_stmt *st = ix->st[ST_HEADER_BASE];
	size_t n = 0;

	sqlite3_bind_text(st, 1, basename, -1, SQLITE_STATIC);
	for (; sqlite3_step(st) == SQLITE_ROW; n++)
		strvec_push(out, db_text(st, 0));
	sqlite3_reset(st);
	return n;
}

/* Appends the numbers of the headers that "id" includes and that are not in seen[]. */
static void add_targets(struct api_index *ix, int64_t id, uint8_t *seen, uint32_t *queue, size_t *n)
{
	sqlite3_stmt *st = ix->st[ST_INCLUDES];

	sqlite3_bind_int64(st, 1, id);
	while (sqlite3_step(st) == SQLITE_ROW) {
		int64_t to = sqlite3_column_int64(st, 0);

		if (to <= 0 || (size_t)to > ix->nheaders || seen[to])
			continue;
		seen[to] = 1;
		queue[(*n)++] = (uint32_t)to;
	}
	sqlite3_reset(st);
}

size_t api_includes(struct api_index *ix, const char *header, bool deep, struct strvec *out)
{
	int64_t id = header_id(ix, header);
	uint32_t *queue;
	uint8_t *seen;
	size_t n = 0, i;

	if (!id)
		return 0;
	queue = xcalloc(ix->nheaders + 1, sizeof(*queue));
	seen = xcalloc(ix->nheaders + 1, 1);
	seen[id] = 1;
	add_targets(ix, id, seen, queue, &n);
	for (i = 0; deep && i < n; i++)
		add_targets(ix, queue[i], seen, queue, &n);
	for (i = 0; i < n; i++)
		strvec_push(out, load_header(ix, queue[i]));
	free(queue);
	free(seen);
	return n;
}

/* ---- types and exports ----------------------------------------------------------------------- */

static size_t list_uses(struct api_index *ix, const char *type, int role, unsigned kinds,
			const struct api_symbol ***out)
{
	struct list l = { 0 };
	size_t first, n;
	int64_t str;

	if (find_name(ix, type, &first, &n, &str)) {
		sqlite3_bind_int64(ix->st[ST_USES], 1, str);
		sqlite3_bind_int(ix->st[ST_USES], 2, role);
		list_rows(ix, ix->st[ST_USES], kinds, &l);
	}
	return list_done(&l, out);
}

size_t api_taking_type(struct api_index *ix, const char *type, unsigned kinds,
		       const struct api_symbol ***out)
{
	return list_uses(ix, type, 0, kinds, out);
}

size_t api_returning_type(struct api_index *ix, const char *type, unsigned kinds,
			  const struct api_symbol ***out)
{
	return list_uses(ix, type, 1, kinds, out);
}

bool api_mentions(struct api_index *ix, const char *type)
{
	sqlite3_stmt *st = ix->st[ST_MENTION];
	bool found = false;

	sqlite3_bind_text(st, 1, type, -1, SQLITE_STATIC);
	while (!found && sqlite3_step(st) == SQLITE_ROW) {
		const char *s = db_text(st, 0), *hit = s ? strstr(s, type) : NULL;

		for (; hit && !found; hit = strstr(hit + 1, type)) {
			char next = hit[strlen(type)];

			found = !isalnum((unsigned char)next) && next != '_';
		}
	}
	sqlite3_reset(st);
	return found;
}

bool api_is_exported(struct api_index *ix, const char *name, bool *gpl, const char **ns)
{
	sqlite3_stmt *st = ix->st[ST_EXPORT];
	const char *s;
	bool found;

	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	found = sqlite3_step(st) == SQLITE_ROW;
	if (found && gpl)
		*gpl = sqlite3_column_int(st, 0) != 0;
	if (found && ns) {
		s = db_text(st, 1);
		*ns = s ? arena_str(ix, s) : NULL;
	}
	sqlite3_reset(st);
	return found;
}

/* All strings and symbols in two scans instead of a query for each. */
int api_index__load_all(struct api_index *ix, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(ix->db, "SELECT s, id FROM str", &st, err);

	if (ret < 0)
		return ret;
	while (sqlite3_step(st) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(st, 1);

		if (id > 0 && (size_t)id <= ix->nstr && !ix->str[id] && db_text(st, 0))
			ix->str[id] = arena_str(ix, db_text(st, 0));
	}
	sqlite3_finalize(st);
	ret = db_prepare(ix->db, "SELECT kind, name, header, line, type, params, body, parent, path,"
			 " cond, alias, ord, flags, ns, doc, owner, id FROM symbol", &st, err);
	if (ret < 0)
		return ret;
	while (sqlite3_step(st) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(st, 16);

		if (id <= 0 || (size_t)id > ix->nsyms || ix->entry[id])
			continue;
		ix->entry[id] = arena_alloc(ix, sizeof(*ix->entry[id]));
		memset(ix->entry[id], 0, sizeof(*ix->entry[id]));
		fill(ix, ix->entry[id], (int)id, st);
	}
	sqlite3_finalize(st);
	return 0;
}

uint32_t api_index__owner(const struct api_symbol *s)
{
	return ((const struct entry *)s)->owner;
}

/* ---- for the difference ------------------------------------------------------------------------- */

sqlite3 *api_index__db(struct api_index *ix)
{
	return ix->db;
}

size_t api_index__symbol_count(const struct api_index *ix)
{
	return ix->nsyms;
}

const struct api_symbol *api_index__symbol(struct api_index *ix, size_t id)
{
	struct entry *e = load(ix, id);

	return e ? &e->sym : NULL;
}

const char *api_index__key(const struct api_index *ix)
{
	return ix->key;
}
