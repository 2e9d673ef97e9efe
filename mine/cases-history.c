// SPDX-License-Identifier: GPL-2.0-only
/* Candidate cases from a mined history: a driver before a commit that changed it with an interface. */
#include "base/compat.h"
#include "mine/cases.h"

#include <ctype.h>
#include <git2.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/cochange-db.h"

#define SURE 0.7
#define MAX_BLOB (2u << 20)
#define MAX_USERS 200 /* of one commit */

struct history {
	git_repository *repo;
	struct case_list *out;
};

static bool is_driver(const char *path)
{
	return ends_with(path, ".c") && (starts_with(path, "drivers/") || starts_with(path, "sound/"));
}

/* "del_timer" of itself, "bar" of "struct foo.bar", "foo" of "struct foo". */
static const char *last_word(const char *symbol)
{
	const char *p = strpbrk(symbol, " .");

	while (p) {
		symbol = p + 1;
		p = strpbrk(symbol, " .");
	}
	return symbol;
}

static bool has_word(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);
	const char *p = text;

	while (n && (p = memmem(p, len - (size_t)(p - text), word, n)) != NULL) {
		bool left = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_');
		bool right = p + n < text + len && (isalnum((unsigned char)p[n]) || p[n] == '_');

		if (!left && !right)
			return true;
		p++;
	}
	return false;
}

/* The text of a file in a tree, or NULL; to be freed with git_blob_free(). */
static git_blob *blob_at(git_repository *repo, const git_tree *tree, const char *path)
{
	git_tree_entry *e = NULL;
	git_blob *b = NULL;

	if (git_tree_entry_bypath(&e, tree, path) == 0 && git_tree_entry_type(e) == GIT_OBJECT_BLOB)
		git_blob_lookup(&b, repo, git_tree_entry_id(e));
	git_tree_entry_free(e);
	if (b && (git_blob_rawsize(b) > MAX_BLOB || git_blob_is_binary(b))) {
		git_blob_free(b);
		b = NULL;
	}
	return b;
}

/* The symbol under which the directory's Makefile builds the file alone. */
static char *config_of(git_repository *repo, const git_tree *tree, const char *path, const char *object)
{
	static const char *const names[] = { "Makefile", "Kbuild" };
	char *dir = path_dir(path), *config = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !config; i++) {
		char *file = path_join(dir, names[i]);
		git_blob *b = blob_at(repo, tree, file);

		if (b)
			config = intree_config(git_blob_rawcontent(b), git_blob_rawsize(b), object);
		git_blob_free(b);
		free(file);
	}
	free(dir);
	return config;
}

static json_t *commit_ref(const git_oid *id)
{
	char hex[GIT_OID_HEXSZ + 1];
	json_t *o = json_object();

	git_oid_tostr(hex, sizeof(hex), id);
	json_object_set_new(o, "kind", json_string("git"));
	json_object_set_new(o, "commit", json_string(hex));
	return o;
}

/* A driver that uses one of the symbols before the commit. */
static void one_user(struct history *h, git_commit *commit, git_tree *before, git_tree *after, const char *path,
		     const struct cochange *list, size_t n)
{
	git_blob *old = blob_at(h->repo, before, path), *new = blob_at(h->repo, after, path);
	char *object = xstrfmt("%.*s.o", (int)(strlen(path_base(path)) - 2), path_base(path));
	char *config = old && new ? config_of(h->repo, before, path, object) : NULL;
	struct candidate *c = NULL;

	h->out->drivers += config != NULL;
	for (size_t i = 0; config && i < n; i++) {
		if (!has_word(git_blob_rawcontent(old), git_blob_rawsize(old), last_word(list[i].symbol)))
			continue;
		if (!c)
			c = case_add(h->out, CASE_HISTORY);
		case_add_symbol(c, list[i].symbol, cochange_class_name(list[i].cls), cochange_class_name(list[i].cls),
				list[i].to_name, list[i].confidence);
	}
	if (c) {
		h->out->differ++;
		c->from = commit_ref(git_commit_parent_id(commit, 0));
		c->to = commit_ref(git_commit_id(commit));
		c->path = xstrdup(path);
		c->object = xstrdup(object);
		c->config = xstrdup(config);
		c->subject = xstrdup(list[0].subject);
		c->old_hash = hash_buf(git_blob_rawcontent(old), git_blob_rawsize(old));
		c->gold_hash = hash_buf(git_blob_rawcontent(new), git_blob_rawsize(new));
	}
	git_blob_free(old);
	git_blob_free(new);
	free(object);
	free(config);
}

/* All drivers that a commit modifies; what cannot be read is left out. */
static void one_commit(struct history *h, const struct cochange *list, size_t n)
{
	git_commit *commit = NULL, *parent = NULL;
	git_tree *before = NULL, *after = NULL;
	git_diff *diff = NULL;
	git_oid id;

	if (git_oid_fromstr(&id, list[0].commit) || git_commit_lookup(&commit, h->repo, &id) ||
	    git_commit_parentcount(commit) != 1 || git_commit_parent(&parent, commit, 0) ||
	    git_commit_tree(&before, parent) || git_commit_tree(&after, commit) ||
	    git_diff_tree_to_tree(&diff, h->repo, before, after, NULL))
		goto out;
	for (size_t i = 0, users = 0; i < git_diff_num_deltas(diff) && users < MAX_USERS; i++) {
		const git_diff_delta *d = git_diff_get_delta(diff, i);

		if (d->status != GIT_DELTA_MODIFIED || !is_driver(d->old_file.path))
			continue;
		users++;
		one_user(h, commit, before, after, d->old_file.path, list, n);
	}
out:
	git_diff_free(diff);
	git_tree_free(before);
	git_tree_free(after);
	git_commit_free(parent);
	git_commit_free(commit);
}

/* What a driver has to follow, believed, and not taken back or corrected later. */
static bool wanted(const struct cochange *c)
{
	return c->filter == FILTER_NONE && c->cls != COCHANGE_NONE && c->cls != COCHANGE_ADOPTION && c->symbol &&
	       c->confidence >= SURE && !c->fixed_by;
}

/* The changes of one commit that a driver has to follow. */
static void examine(struct history *h, struct cochanges *co, const char *commit)
{
	struct cochange *list;
	size_t n = cochange_of_commit(co, commit, &list), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (wanted(&list[i])) {
			struct cochange c = list[i];

			list[i] = list[kept];
			list[kept++] = c;
		}
	if (kept)
		one_commit(h, list, kept);
	cochange_free_list(list, n);
}

int cases_from_history(const char *repo, const char *store, struct case_list *out, struct strbuf *err)
{
	struct history h = { .out = out };
	struct cochanges *co = NULL;
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	int ret;

	git_libgit2_init();
	ret = cochange_open(store, &co, err);
	if (!ret)
		ret = db_open(store, DB_READONLY, &cc_schema, &db, err);
	if (!ret)
		ret = db_prepare(db, "SELECT lower(hex(sha)) FROM cc WHERE cls <> 0 OR id IN (SELECT cc FROM link)"
				 " ORDER BY sha", &st, err);
	if (!ret && git_repository_open_ext(&h.repo, repo, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL))
		ret = kp_fail(err, KP_ERR, "'%s' is no git repository", repo);
	while (!ret && sqlite3_step(st) == SQLITE_ROW)
		examine(&h, co, db_text(st, 0));
	sqlite3_finalize(st);
	db_close(db);
	cochange_close(co);
	git_repository_free(h.repo);
	git_libgit2_shutdown();
	return ret;
}
