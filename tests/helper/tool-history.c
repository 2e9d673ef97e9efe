// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walk with an examiner that keeps everything: each commit is stored in the
 * table "seen" and printed as "COMMIT RELEASE SUBJECT", its files as git log --raw
 * --no-abbrev does without the letter.
 */
#include "base/compat.h"
#include "tests/helper/test-tool.h"

#include "base/alloc.h"
#include "base/db.h"
#include "base/error.h"
#include "base/log.h"
#include "mine/history.h"

static void *examine(git_repository *repo, const struct history_commit *c, void *payload)
{
	struct strbuf *sb = xcalloc(1, sizeof(*sb));
	char old_hex[GIT_OID_HEXSZ + 1], new_hex[GIT_OID_HEXSZ + 1];

	strbuf_init(sb);
	strbuf_addf(sb, "%s %s %.*s\n", git_oid_tostr(old_hex, sizeof(old_hex), &c->id),
		    c->release ? c->release : "-", (int)strcspn(c->message, "\n"), c->message);
	for (size_t i = 0; i < c->nfiles; i++) {
		const struct history_file *f = &c->files[i];

		strbuf_addf(sb, ":%06o %06o %s %s\t%s\n", f->old_mode, f->new_mode,
			    git_oid_tostr(old_hex, sizeof(old_hex), &f->old_id),
			    git_oid_tostr(new_hex, sizeof(new_hex), &f->new_id), f->path);
	}
	return sb;
}

static void discard(void *result)
{
	strbuf_release(result);
	free(result);
}

static int store(sqlite3 *db, const struct history_commit *c, void *result, void *payload, struct strbuf *err)
{
	struct strbuf *sb = result;
	sqlite3_stmt *st;
	int ret = db_prepare(db, "INSERT INTO seen (id, files) VALUES (?1, ?2)", &st, err);

	if (!ret) {
		sqlite3_bind_blob(st, 1, c->id.id, GIT_OID_RAWSZ, SQLITE_STATIC);
		sqlite3_bind_int64(st, 2, (sqlite3_int64)c->nfiles);
		ret = db_step_done(st, err);
		sqlite3_finalize(st);
	}
	fputs(sb->buf, stdout);
	discard(sb);
	return ret;
}

static int released(sqlite3 *db, const git_oid *id, const char *release, void *payload, struct strbuf *err)
{
	char hex[GIT_OID_HEXSZ + 1];

	printf("released %s %s\n", git_oid_tostr(hex, sizeof(hex), id), release);
	return 0;
}

/* --quiet: only the walk itself, for measuring. */
static void *examine_nothing(git_repository *repo, const struct history_commit *c, void *payload)
{
	return NULL;
}

int tool_history(int argc, const char **argv)
{
	struct history_examiner ex = { .examine = examine, .store = store, .released = released, .discard = discard };
	struct history_walk w = { .examiner = &ex };
	struct history_figures f = { 0 };
	struct strbuf err = STRBUF_INIT;
	const char *operands[3] = { NULL };
	size_t n = 0;
	sqlite3 *db;
	int ret;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--first-parent"))
			w.first_parent = true;
		else if (!strcmp(argv[i], "--all"))
			w.all = true;
		else if (!strcmp(argv[i], "--verbose"))
			log_level = LOG_DEBUG;
		else if (!strcmp(argv[i], "--quiet"))
			ex.examine = examine_nothing;
		else if (!strcmp(argv[i], "--jobs") && i + 1 < argc)
			w.jobs = (int)strtol(argv[++i], NULL, 10);
		else if (n < ARRAY_SIZE(operands))
			operands[n++] = argv[i];
	}
	if (n < 2)
		return 129;
	w.repo = operands[0];
	w.range = operands[2];
	ret = db_open(operands[1], 0, NULL, &db, &err);
	if (!ret)
		ret = db_exec(db, "CREATE TABLE IF NOT EXISTS seen (n INTEGER PRIMARY KEY, id BLOB UNIQUE, files INTEGER)",
			      &err);
	if (!ret)
		ret = history_walk(&w, db, &f, &err);
	db_close(db);
	if (ret)
		fprintf(stderr, "%d: %s\n", ret, err.buf);
	fprintf(stderr,
		"commits %" PRIu64 " known %" PRIu64 " merges %" PRIu64 " broken %" PRIu64 " missing %" PRIu64
		" oversize %" PRIu64 " shallow %" PRIu64 "\ncut %" PRIu64 " long %" PRIu64 " damaged %" PRIu64 "\n",
		f.commits, f.known, f.merges, f.broken, f.missing, f.oversize, f.shallow, f.cut,
		f.long_message, f.bad_packs);
	strbuf_release(&err);
	return ret ? kp_exit_code(ret) : 0;
}
