// SPDX-License-Identifier: GPL-2.0-only
/* Reading the store of co-changes. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/apidiff.h"
#include "mine/cochange-db.h"

struct cochanges {
	sqlite3 *db;
	sqlite3_stmt *of_symbol, *of_commit, *examples;
};

const char *cochange_class_name(enum cochange_class c)
{
	static const char *const names[COCHANGE_CLASS_COUNT] = {
		"none", "rename", "signature", "removal", "header-move", "member", "macro", "constant",
		"namespace", "licence", "semantic", "hardening", "layout", "adoption",
	};

	return (unsigned)c < COCHANGE_CLASS_COUNT ? names[c] : "unknown";
}

const char *cochange_filter_name(enum cochange_filter f)
{
	static const char *const names[FILTER_COUNT] = {
		"none", "merge", "whitespace", "comments", "spdx", "revert", "reverted", "treewide",
		"unrelated", "private", "new-code", "moved", "unreadable",
	};

	return (unsigned)f < FILTER_COUNT ? names[f] : "unknown";
}

const char *cochange_link_name(enum cochange_link l)
{
	static const char *const names[LINK_COUNT] = { "same-commit", "series", "follow-up" };

	return (unsigned)l < LINK_COUNT ? names[l] : "unknown";
}

/*
 * A commit as it stands after everything was settled: what it is alone, that it follows
 * another ("l"), or that others follow it although nobody does in the same commit.
 */
#define COLUMNS                                                                                      \
	"SELECT c.sha, c.time, r.s, c.subject, c.cls, c.filter, c.confidence, c.reason, c.nusers,"       \
	" c.fixed_by, c.reverted, l.link, l.confidence, l.reason, l.nusers,"                             \
	" EXISTS (SELECT 1 FROM link f WHERE f.follows = c.sha), c.base,"                                \
	" h.cls, h.confirmed, h.confidence, a.s, b.s, d.s, o.s, n.s, h.grp, h.via, h.kind FROM cc c"

#define JOINS                                                                                        \
	" LEFT JOIN str r ON r.id = c.release LEFT JOIN link l ON l.cc = c.id"                           \
	" LEFT JOIN str a ON a.id = h.symbol LEFT JOIN str b ON b.id = h.to_name"                        \
	" LEFT JOIN str d ON d.id = h.header LEFT JOIN str o ON o.id = h.old_decl"                       \
	" LEFT JOIN str n ON n.id = h.new_decl"

int cochange_open(const char *path, struct cochanges **out, struct strbuf *err)
{
	struct cochanges *co = xcalloc(1, sizeof(*co));
	int ret;

	if (!file_exists(path)) {
		free(co);
		return kp_fail(err, KP_NOTFOUND, "there is no mined history '%s'; make it with 'kport mine REPO'", path);
	}
	ret = db_open(path, DB_READONLY, &cc_schema, &co->db, err);
	if (!ret)
		ret = db_prepare(co->db,
				 COLUMNS " JOIN change h ON h.cc = c.id" JOINS
				 " WHERE h.symbol = (SELECT id FROM str WHERE s = ?) ORDER BY c.time DESC, c.sha, h.id",
				 &co->of_symbol, err);
	if (!ret)
		ret = db_prepare(co->db,
				 COLUMNS " LEFT JOIN change h ON h.cc = c.id" JOINS
				 " WHERE c.sha >= ? AND c.sha <= ? ORDER BY c.sha, h.id",
				 &co->of_commit, err);
	if (!ret)
		ret = db_prepare(co->db,
				 "SELECT p.s, f.s, h.line, h.before, h.after, c.sha FROM uses u JOIN hunk h ON h.id = u.hunk"
				 " JOIN cc c ON c.id = h.cc JOIN str p ON p.id = h.path LEFT JOIN str f ON f.id = h.function"
				 " WHERE u.ident = (SELECT id FROM str WHERE s = ?)"
				 " ORDER BY c.time DESC, c.sha, p.s, h.line, h.id",
				 &co->examples, err);
	if (ret) {
		cochange_close(co);
		return ret;
	}
	*out = co;
	return 0;
}

void cochange_close(struct cochanges *co)
{
	if (!co)
		return;
	sqlite3_finalize(co->of_symbol);
	sqlite3_finalize(co->of_commit);
	sqlite3_finalize(co->examples);
	db_close(co->db);
	free(co);
}

static void column_hex(sqlite3_stmt *st, int col, char out[2 * GIT_OID_RAWSZ + 1])
{
	git_oid id;

	*out = '\0';
	if (sqlite3_column_bytes(st, col) != GIT_OID_RAWSZ)
		return;
	memcpy(id.id, sqlite3_column_blob(st, col), sizeof(id.id));
	git_oid_tostr(out, 2 * GIT_OID_RAWSZ + 1, &id);
}

/* Class, filter, link, confidence and reason from the columns above. */
static void standing(sqlite3_stmt *st, struct cochange *c)
{
	bool linked = sqlite3_column_type(st, 11) != SQLITE_NULL, via = sqlite3_column_int(st, 26) != 0;

	c->cls = (enum cochange_class)sqlite3_column_int(st, 4);
	c->filter = (enum cochange_filter)sqlite3_column_int(st, 5);
	c->confidence = sqlite3_column_double(st, 6);
	c->nusers = (size_t)sqlite3_column_int64(st, 8);
	if (linked && via) {
		c->link = (enum cochange_link)sqlite3_column_int(st, 11);
		c->confidence = sqlite3_column_double(st, 12);
		c->reason = xstrdup(db_text(st, 13));
		c->nusers = (size_t)sqlite3_column_int64(st, 14);
		c->filter = FILTER_NONE;
		c->cls = (enum cochange_class)sqlite3_column_int(st, 17);
	} else if (c->cls == COCHANGE_NONE && c->filter == FILTER_UNRELATED && sqlite3_column_int(st, 15) &&
		   sqlite3_column_type(st, 17) != SQLITE_NULL) {
		/* Its users follow in commits of their own. */
		c->link = LINK_SERIES;
		c->filter = FILTER_NONE;
		c->cls = (enum cochange_class)sqlite3_column_int(st, 17);
		c->confidence = 0.8;
		c->reason = xstrdup("its users follow in other commits");
	} else {
		c->reason = xstrdup(db_text(st, 7));
		if (c->cls != COCHANGE_NONE && sqlite3_column_int(st, 18)) {
			c->cls = (enum cochange_class)sqlite3_column_int(st, 17);
			c->confidence = sqlite3_column_double(st, 19);
		}
	}
	if (sqlite3_column_int(st, 10) && c->filter == FILTER_NONE) {
		c->filter = FILTER_REVERTED;
		c->cls = COCHANGE_NONE;
		free(c->reason);
		c->reason = xstrdup("a later commit takes it back");
	}
}

bool cochange_is_header(const char *symbol)
{
	return ends_with(symbol, ".h");
}

/* As apidiff.h calls it. */
static const char *kind_name(int kind, const char *symbol)
{
	static const struct {
		enum api_change_kind plain, member;
	} kinds[CC_KIND_COUNT] = {
		[CC_REMOVED] = { CHANGE_REMOVED, CHANGE_MEMBER_REMOVED },
		[CC_ADDED] = { CHANGE_ADDED, CHANGE_MEMBER_ADDED },
		[CC_RENAMED] = { CHANGE_RENAMED, CHANGE_MEMBER_RENAMED },
		[CC_SIGNATURE] = { CHANGE_SIGNATURE, CHANGE_SIGNATURE },
		[CC_RETURN] = { CHANGE_RETURN_TYPE, CHANGE_RETURN_TYPE },
		[CC_CONST] = { CHANGE_CONST, CHANGE_CONST },
		[CC_MUST_CHECK] = { CHANGE_RETURN_TYPE, CHANGE_RETURN_TYPE },
		[CC_TYPE] = { CHANGE_TYPE, CHANGE_TYPE },
		[CC_KIND] = { CHANGE_KIND, CHANGE_KIND },
		[CC_ARITY] = { CHANGE_MACRO_ARITY, CHANGE_MACRO_ARITY },
		[CC_VALUE] = { CHANGE_VALUE, CHANGE_VALUE },
		[CC_BODY] = { CHANGE_VALUE, CHANGE_VALUE },
		[CC_ORDER] = { CHANGE_VALUE, CHANGE_VALUE },
		[CC_MOVED] = { CHANGE_HEADER_MOVED, CHANGE_MEMBER_MOVED },
		[CC_INCLUDE] = { CHANGE_INCLUDE_DROPPED, CHANGE_INCLUDE_DROPPED },
		[CC_EXPORT_GPL] = { CHANGE_EXPORT_GPL, CHANGE_EXPORT_GPL },
		[CC_NAMESPACE] = { CHANGE_NAMESPACE, CHANGE_NAMESPACE },
	};

	if (!symbol || kind < 0 || kind >= CC_KIND_COUNT)
		return NULL;
	return api_change_name(strchr(symbol, '.') && !cochange_is_header(symbol) ? kinds[kind].member :
											  kinds[kind].plain);
}

static void fill(sqlite3_stmt *st, struct cochange *c)
{
	char hex[2 * GIT_OID_RAWSZ + 1];

	memset(c, 0, sizeof(*c));
	column_hex(st, 0, c->commit);
	c->time = sqlite3_column_int64(st, 1);
	c->release = xstrdup(db_text(st, 2));
	c->subject = xstrdup(db_text(st, 3));
	standing(st, c);
	column_hex(st, 9, hex);
	c->fixed_by = *hex ? xstrdup(hex) : NULL;
	c->symbol = xstrdup(db_text(st, 20));
	c->to_name = xstrdup(db_text(st, 21));
	c->header = xstrdup(db_text(st, 22));
	c->old_decl = xstrdup(db_text(st, 23));
	c->new_decl = xstrdup(db_text(st, 24));
	c->group = sqlite3_column_int64(st, 25);
	c->kind = kind_name(sqlite3_column_int(st, 27), c->symbol);
}

/* Not to be shown: changes that nobody follows, and rows kept only for what may follow. */
static bool hidden(sqlite3_stmt *st)
{
	bool followed = sqlite3_column_int(st, 15) != 0, via = sqlite3_column_int(st, 26) != 0;

	if (sqlite3_column_type(st, 17) == SQLITE_NULL)
		return sqlite3_column_int(st, 16) != CC_CANDIDATE;
	if (via)
		return sqlite3_column_type(st, 11) == SQLITE_NULL;
	return !sqlite3_column_int(st, 18) && !followed;
}

static size_t collect(sqlite3_stmt *st, struct cochange **out)
{
	size_t n = 0, alloc = 0;

	*out = NULL;
	while (sqlite3_step(st) == SQLITE_ROW) {
		if (hidden(st))
			continue;
		ALLOC_GROW(*out, n + 1, alloc);
		fill(st, &(*out)[n++]);
	}
	sqlite3_reset(st);
	return n;
}

size_t cochange_of_symbol(struct cochanges *co, const char *symbol, struct cochange **out)
{
	db_bind_text(co->of_symbol, 1, symbol);
	return collect(co->of_symbol, out);
}

/* A filtered commit whose changes nobody follows is one row without a symbol. */
static size_t one_filtered(sqlite3_stmt *st, struct cochange **out)
{
	size_t n = 0;

	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int(st, 16) == CC_CANDIDATE) {
		struct cochange *c = xcalloc(1, sizeof(*c));

		fill(st, c);
		free(c->symbol);
		free(c->to_name);
		free(c->header);
		free(c->old_decl);
		free(c->new_decl);
		c->symbol = c->to_name = c->header = c->old_decl = c->new_decl = NULL;
		c->group = 0;
		c->kind = NULL;
		*out = c;
		n = 1;
	}
	sqlite3_reset(st);
	return n;
}

size_t cochange_of_commit(struct cochanges *co, const char *commit, struct cochange **out)
{
	char lo[2 * GIT_OID_RAWSZ + 1], hi[2 * GIT_OID_RAWSZ + 1];
	size_t len = strspn(commit, "0123456789abcdef"), n;
	git_oid a, b;

	*out = NULL;
	if (len < 4 || commit[len] || len > 2 * GIT_OID_RAWSZ)
		return 0;
	memset(lo, '0', sizeof(lo));
	memset(hi, 'f', sizeof(hi));
	memcpy(lo, commit, len);
	memcpy(hi, commit, len);
	git_oid_fromstrn(&a, lo, 2 * GIT_OID_RAWSZ);
	git_oid_fromstrn(&b, hi, 2 * GIT_OID_RAWSZ);
	sqlite3_bind_blob(co->of_commit, 1, a.id, GIT_OID_RAWSZ, SQLITE_TRANSIENT);
	sqlite3_bind_blob(co->of_commit, 2, b.id, GIT_OID_RAWSZ, SQLITE_TRANSIENT);
	n = collect(co->of_commit, out);
	return n ? n : one_filtered(co->of_commit, out);
}

void cochange_free_list(struct cochange *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].release);
		free(list[i].subject);
		free(list[i].reason);
		free(list[i].symbol);
		free(list[i].to_name);
		free(list[i].header);
		free(list[i].old_decl);
		free(list[i].new_decl);
		free(list[i].fixed_by);
	}
	free(list);
}

size_t cochange_examples(struct cochanges *co, const char *ident, const struct strvec *exclude,
			 size_t max, struct example **out)
{
	size_t n = 0, alloc = 0;

	*out = NULL;
	db_bind_text(co->examples, 1, ident);
	while (n < max && sqlite3_step(co->examples) == SQLITE_ROW) {
		const char *path = db_text(co->examples, 0);
		char hex[2 * GIT_OID_RAWSZ + 1];
		struct example *e;

		if (examples_excluded(exclude, path))
			continue;
		ALLOC_GROW(*out, n + 1, alloc);
		e = &(*out)[n++];
		memset(e, 0, sizeof(*e));
		e->path = xstrdup(path);
		e->function = xstrdup(db_text(co->examples, 1));
		e->line = sqlite3_column_int(co->examples, 2);
		e->before = xstrdup(db_text(co->examples, 3));
		e->after = xstrdup(db_text(co->examples, 4));
		column_hex(co->examples, 5, hex);
		e->commit = xstrdup(hex);
	}
	sqlite3_reset(co->examples);
	return n;
}

static int count(sqlite3 *db, const char *sql, uint64_t *out, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(db, sql, &st, err);

	if (!ret && sqlite3_step(st) == SQLITE_ROW)
		*out = (uint64_t)sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return ret;
}

int cochange_figures(struct cochanges *co, struct cochange_figures *out, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret;

	memset(out, 0, sizeof(*out));
	ret = db_prepare(co->db,
			 "SELECT CASE WHEN l.cc IS NULL THEN c.cls ELSE (SELECT h.cls FROM change h WHERE h.cc = c.id"
			 " AND h.via = 1 ORDER BY h.id LIMIT 1) END, CASE WHEN l.cc IS NULL THEN c.filter ELSE 0 END,"
			 " c.reverted, ifnull(l.link, 0), count(*) FROM cc c LEFT JOIN link l ON l.cc = c.id"
			 " WHERE c.base = 0 OR l.cc IS NOT NULL GROUP BY 1, 2, 3, 4", &st, err);
	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		unsigned cls = (unsigned)sqlite3_column_int(st, 0), filter = (unsigned)sqlite3_column_int(st, 1);
		unsigned link = (unsigned)sqlite3_column_int(st, 3);
		uint64_t n = (uint64_t)sqlite3_column_int64(st, 4);

		if (sqlite3_column_int(st, 2) && filter == FILTER_NONE) {
			cls = COCHANGE_NONE;
			filter = FILTER_REVERTED;
		}
		if (cls < COCHANGE_CLASS_COUNT && filter < FILTER_COUNT && link < LINK_COUNT) {
			out->cls[cls] += n;
			out->filter[filter] += n;
			out->link[link] += cls == COCHANGE_NONE ? 0 : n;
		}
	}
	sqlite3_finalize(st);
	if (!ret)
		ret = count(co->db, "SELECT count(*) FROM change WHERE confirmed", &out->changes, err);
	if (!ret)
		ret = count(co->db, "SELECT count(DISTINCT grp) FROM change WHERE confirmed", &out->groups, err);
	if (!ret)
		ret = count(co->db, "SELECT count(*) FROM cc WHERE fixed_by IS NOT NULL", &out->fixed, err);
	if (!ret)
		ret = count(co->db, "SELECT count(*) FROM hunk", &out->examples, err);
	return ret;
}
