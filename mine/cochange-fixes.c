// SPDX-License-Identifier: GPL-2.0-only
/* What later commits say of earlier ones: "Fixes:", "This reverts commit". */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "mine/cochange-db.h"

struct fix {
	int64_t cc;		/* that is fixed or taken back */
	int64_t own;		/* the fixing commit's own row, 0: none */
	int64_t time;
	uint8_t sha[GIT_OID_RAWSZ];
	bool revert;
};

struct fixes {
	sqlite3 *db;
	struct fix *f;
	size_t n, alloc;
};

/* Half of a byte from a hex digit. */
static uint8_t nibble(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The only row whose hash begins so; 0 when there is none or more than one. */
static int64_t row_of_prefix(sqlite3_stmt *st, const char *hex)
{
	uint8_t lo[GIT_OID_RAWSZ], hi[GIT_OID_RAWSZ];
	size_t n = strlen(hex);
	int64_t id = 0;

	memset(lo, 0, sizeof(lo));
	memset(hi, 0xff, sizeof(hi));
	for (size_t i = 0; i < n && i < 2 * sizeof(lo); i++) {
		uint8_t v = nibble(hex[i]);

		if (i % 2) {
			lo[i / 2] |= v;
			hi[i / 2] = (uint8_t)((hi[i / 2] & 0xf0) | v);
		} else {
			lo[i / 2] = (uint8_t)(v << 4);
			hi[i / 2] = (uint8_t)((v << 4) | 0x0f);
		}
	}
	sqlite3_bind_blob(st, 1, lo, sizeof(lo), SQLITE_STATIC);
	sqlite3_bind_blob(st, 2, hi, sizeof(hi), SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW) {
		id = sqlite3_column_int64(st, 0);
		if (sqlite3_step(st) == SQLITE_ROW)
			id = 0;
	}
	sqlite3_reset(st);
	return id;
}

static int load(struct fixes *fx, struct strbuf *err)
{
	sqlite3_stmt *st = NULL, *prefix = NULL;
	int ret = db_prepare(fx->db, "SELECT f.sha, f.time, f.what, f.revert, c.id FROM fix f"
			     " LEFT JOIN cc c ON c.sha = f.sha ORDER BY f.time, f.sha", &st, err);

	if (!ret)
		ret = db_prepare(fx->db, "SELECT id FROM cc WHERE sha >= ? AND sha <= ? LIMIT 2", &prefix, err);
	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		int64_t id = row_of_prefix(prefix, db_text(st, 2));
		struct fix *f;

		if (!id || sqlite3_column_bytes(st, 0) != GIT_OID_RAWSZ)
			continue;
		ALLOC_GROW(fx->f, fx->n + 1, fx->alloc);
		f = &fx->f[fx->n++];
		f->cc = id;
		f->time = sqlite3_column_int64(st, 1);
		f->revert = sqlite3_column_int(st, 3) != 0;
		f->own = sqlite3_column_int64(st, 4);
		memcpy(f->sha, sqlite3_column_blob(st, 0), GIT_OID_RAWSZ);
	}
	sqlite3_finalize(st);
	sqlite3_finalize(prefix);
	return ret;
}

/* Newest first: a revert that is itself taken back counts for nothing. By row; of "size" rows. */
static bool *reverted_rows(const struct fixes *fx, size_t size)
{
	bool *taken = xcalloc(size + 1, sizeof(*taken));

	for (size_t i = fx->n; i-- > 0;) {
		const struct fix *f = &fx->f[i];

		if (f->revert && !taken[f->own])
			taken[f->cc] = true;
	}
	taken[0] = false;
	return taken;
}

static size_t rows(const struct fixes *fx)
{
	int64_t max = 0;

	for (size_t i = 0; i < fx->n; i++) {
		max = fx->f[i].cc > max ? fx->f[i].cc : max;
		max = fx->f[i].own > max ? fx->f[i].own : max;
	}
	return (size_t)max;
}

static int apply(struct fixes *fx, struct strbuf *err)
{
	sqlite3_stmt *fixed = NULL, *taken = NULL;
	size_t size = rows(fx);
	bool *reverted = reverted_rows(fx, size);
	int ret = db_exec(fx->db, "UPDATE cc SET fixed_by = NULL WHERE fixed_by IS NOT NULL;"
			  "UPDATE cc SET reverted = 0 WHERE reverted <> 0", err);

	/* The first that says so: in order of time, so the later ones do not replace it. */
	if (!ret)
		ret = db_prepare(fx->db, "UPDATE cc SET fixed_by = ?2 WHERE id = ?1 AND fixed_by IS NULL", &fixed, err);
	if (!ret)
		ret = db_prepare(fx->db, "UPDATE cc SET reverted = 1 WHERE id = ?", &taken, err);
	for (size_t i = 0; i < fx->n && !ret; i++) {
		if (fx->f[i].revert)
			continue;
		sqlite3_bind_int64(fixed, 1, fx->f[i].cc);
		sqlite3_bind_blob(fixed, 2, fx->f[i].sha, GIT_OID_RAWSZ, SQLITE_STATIC);
		ret = db_step_done(fixed, err);
	}
	for (size_t i = 1; i <= size && !ret; i++) {
		if (!reverted[i])
			continue;
		sqlite3_bind_int64(taken, 1, (sqlite3_int64)i);
		ret = db_step_done(taken, err);
	}
	sqlite3_finalize(fixed);
	sqlite3_finalize(taken);
	free(reverted);
	return ret;
}

int cc_settle_fixes(sqlite3 *db, struct strbuf *err)
{
	struct fixes fx = { .db = db };
	int ret = load(&fx, err);

	if (!ret)
		ret = apply(&fx, err);
	free(fx.f);
	return ret;
}
