// SPDX-License-Identifier: GPL-2.0-only
/* Candidate cases from a mined history: a driver before a commit that changed it with an interface. */
#include "base/compat.h"
#include "mine/cases.h"

#include <git2.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/cochange-db.h"
#include "mine/hunks.h"

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
		bool left = p > text && is_word_char(p[-1]);
		bool right = p + n < text + len && is_word_char(p[n]);

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

/* ---- does a driver follow? --------------------------------------------------------------- */

struct versions {
	const char *old, *new;	/* each with a NUL behind it */
	size_t old_len, new_len;
	struct hunks hunks;	/* see hunks_of() */
	bool compared;
	struct strvec lost, gained; /* names in #include lines that only one has */
};

static void includes_of(const char *text, struct strvec *out)
{
	for (const char *p = text; (p = strstr(p, "#include")) != NULL;) {
		size_t len;

		p += strlen("#include");
		p += strspn(p, " \t");
		len = *p == '<' || *p == '"' ? strcspn(p + 1, ">\"\n") : 0;
		if (len)
			strvec_push_nodup(out, xstrndup(p + 1, len));
	}
}

static void versions_init(struct versions *v, git_blob *old, git_blob *new)
{
	struct strvec a = STRVEC_INIT, b = STRVEC_INIT;

	memset(v, 0, sizeof(*v));
	strvec_init(&v->lost);
	strvec_init(&v->gained);
	v->old = git_blob_rawcontent(old);
	v->new = git_blob_rawcontent(new);
	v->old_len = git_blob_rawsize(old);
	v->new_len = git_blob_rawsize(new);
	includes_of(v->old, &a);
	includes_of(v->new, &b);
	for (size_t i = 0; i < a.n; i++)
		if (!strvec_contains(&b, a.v[i]))
			strvec_push(&v->lost, a.v[i]);
	for (size_t i = 0; i < b.n; i++)
		if (!strvec_contains(&a, b.v[i]))
			strvec_push(&v->gained, b.v[i]);
	strvec_release(&a);
	strvec_release(&b);
}

/* Made when first wanted. What is too large for it has no hunks, and follows nothing. */
static const struct hunks *hunks_of(struct versions *v)
{
	if (!v->compared)
		hunks_compare(v->old, v->old_len, v->new, v->new_len, &v->hunks, NULL);
	v->compared = true;
	return &v->hunks;
}

static void versions_release(struct versions *v)
{
	hunks_release(&v->hunks);
	strvec_release(&v->lost);
	strvec_release(&v->gained);
}

/* ".open = " of an initialiser. */
static bool fills_in(const char *text, const char *member)
{
	size_t n = strlen(member);

	for (const char *p = text; (p = strchr(p, '.')) != NULL; p++)
		if (!strncmp(p + 1, member, n) && p[1 + n + strspn(p + 1 + n, " \t")] == '=')
			return true;
	return false;
}

static bool names_header(const struct strvec *includes, const char *path)
{
	for (size_t i = 0; i < includes->n; i++) {
		const char *rest = ends_with(path, includes->v[i]) ?
					   path + strlen(path) - strlen(includes->v[i]) : NULL;

		if (rest && (rest == path || rest[-1] == '/'))
			return true;
	}
	return false;
}

/* Its edits are of what changed, as far as its own text tells. */
static bool follows(struct versions *v, const struct cochange *c)
{
	const char *word = last_word(c->symbol);
	const struct hunks *hs;

	if (cochange_is_header(c->symbol))
		return names_header(&v->gained, c->symbol);
	if (!has_word(v->old, v->old_len, word))
		return false;
	if (c->cls == COCHANGE_HEADER_MOVE)
		return v->gained.n || (c->header && names_header(&v->lost, c->header));
	hs = hunks_of(v);
	for (size_t i = 0; i < hs->n; i++)
		if (strvec_contains(&hs->h[i].idents, word))
			return true;
	return strchr(c->symbol, '.') && fills_in(v->old, word) && hs->n;
}

/* Does it include a header with quotes that lies beside it? It could not be built alone. */
static bool has_own_header(git_tree *tree, const char *path, const char *text)
{
	char *dir = path_dir(path);
	struct strvec names = STRVEC_INIT;
	bool own = false;

	includes_of(text, &names);
	for (size_t i = 0; i < names.n && !own; i++) {
		char *file = path_join(dir, names.v[i]);
		git_tree_entry *e = NULL;

		own = git_tree_entry_bypath(&e, tree, file) == 0;
		git_tree_entry_free(e);
		free(file);
	}
	strvec_release(&names);
	free(dir);
	return own;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static void add_case(struct history *h, git_commit *commit, const char *path, const char *config,
		     struct versions *v, const struct cochange *list, size_t n)
{
	struct candidate *c = case_add(h->out, CASE_HISTORY);

	for (size_t i = 0; i < n; i++)
		if (follows(v, &list[i]))
			case_add_symbol(c, list[i].symbol, list[i].kind ? list[i].kind : cochange_class_name(list[i].cls),
					cochange_class_name(list[i].cls), list[i].to_name, list[i].confidence);
	c->from = commit_ref(git_commit_parent_id(commit, 0));
	c->to = commit_ref(git_commit_id(commit));
	c->path = xstrdup(path);
	c->object = xstrfmt("%.*s.o", (int)(strlen(path_base(path)) - 2), path_base(path));
	c->config = xstrdup(config);
	c->subject = xstrdup(list[0].subject);
	c->old_hash = hash_buf(v->old, v->old_len);
	c->gold_hash = hash_buf(v->new, v->new_len);
}

/* A driver that follows one of the changes. */
static void one_user(struct history *h, git_commit *commit, git_tree *before, git_tree *after, const char *path,
		     const struct cochange *list, size_t n)
{
	git_blob *old = blob_at(h->repo, before, path), *new = blob_at(h->repo, after, path);
	char *object = xstrfmt("%.*s.o", (int)(strlen(path_base(path)) - 2), path_base(path));
	char *config = NULL;
	struct versions v;
	bool any = false;

	if (!old || !new)
		goto out;
	versions_init(&v, old, new);
	for (size_t i = 0; i < n && !any; i++)
		any = follows(&v, &list[i]);
	if (any && !has_own_header(before, path, v.old))
		config = config_of(h->repo, before, path, object);
	h->out->drivers += any;
	h->out->unbuilt += any && !config;
	if (config)
		add_case(h, commit, path, config, &v, list, n);
	versions_release(&v);
out:
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
	if (git_repository_open_ext(&h.repo, repo, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL))
		ret = kp_fail(err, KP_ERR, "'%s' is no git repository", repo);
	else if (!file_exists(store))
		ret = kp_fail(err, KP_NOTFOUND, "the history of '%s' was not mined; 'kport mine %s' does that", repo,
			      repo);
	else
		ret = cochange_open(store, &co, err);
	if (!ret)
		ret = db_open(store, DB_READONLY, &cc_schema, &db, err);
	if (!ret)
		ret = db_prepare(db, "SELECT lower(hex(sha)) FROM cc WHERE cls <> 0 OR id IN (SELECT cc FROM link)"
				 " ORDER BY sha", &st, err);
	while (!ret && sqlite3_step(st) == SQLITE_ROW)
		examine(&h, co, db_text(st, 0));
	sqlite3_finalize(st);
	db_close(db);
	cochange_close(co);
	git_repository_free(h.repo);
	git_libgit2_shutdown();
	return ret;
}
