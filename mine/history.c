// SPDX-License-Identifier: GPL-2.0-only
/* Which commits a walk has to examine; history-run.c examines them. */
#include "base/compat.h"
#include "mine/history-internal.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

/* Packs that libgit2 maps itself: small windows, so that memory stays bounded. */
#define WINDOW_BYTES	 ((size_t)8 << 20)
#define WINDOWS_BYTES	 ((size_t)64 << 20)
#define SHALLOW_MAX_BYTES (64u << 20)

/* ---- opening ----------------------------------------------------------------- */

/*
 * Nothing of a repository is ever run or checked out (no hooks, no filters), only its
 * objects and references are read: whose it is does not matter. Hashes are not
 * verified: that would cost as much as everything else.
 */
static void set_up_libgit2(void)
{
	static const char *extensions[] = { "partialclone", "worktreeconfig", "preciousobjects" };

	git_libgit2_init();
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, WINDOW_BYTES);
	git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, WINDOWS_BYTES);
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, ARRAY_SIZE(extensions));
}

static const char *git_said(void)
{
	const git_error *e = git_error_last();

	return e && e->message ? e->message : "unknown error";
}

int history_open_repo(const char *path, git_repository **out, struct strbuf *err)
{
	int rc;

	if (!file_exists(path))
		return kp_fail(err, KP_ERR, "no such directory '%s'", path);
	rc = git_repository_open_ext(out, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
	if (rc == GIT_ENOTFOUND)
		return kp_fail(err, KP_ERR, "'%s' is no git repository", path);
	if (rc < 0)
		return kp_fail(err, KP_ERR, "cannot open the repository '%s': %s", path, git_said());
	return 0;
}

/* Where a clone was cut off: one id a line. */
static int read_shallow(struct walk *k, struct strbuf *err)
{
	char *path = path_join(git_repository_commondir(k->repo), "shallow");
	struct strvec lines = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	git_oid id;
	int ret = file_read(path, SHALLOW_MAX_BYTES, &text, NULL);

	if (ret && ret != KP_NOTFOUND)
		kp_fail(err, ret, "cannot read '%s'", path);
	if (ret == KP_NOTFOUND)
		ret = 0;
	strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; i < lines.n; i++)
		if (!git_oid_fromstr(&id, lines.v[i]))
			oids_add(&k->shallow, &id);
	oids_sort(&k->shallow);
	strvec_release(&lines);
	strbuf_release(&text);
	free(path);
	return ret;
}

/* ---- ranges ------------------------------------------------------------------ */

/* What a branch, tag or HEAD names, whether it can be read or not. */
static bool named(struct walk *k, const char *rev, git_oid *out)
{
	git_reference *ref = NULL, *direct = NULL;
	bool ok = !git_reference_dwim(&ref, k->repo, rev) && !git_reference_resolve(&direct, ref);

	if (ok)
		*out = *git_reference_target(direct);
	git_reference_free(direct);
	git_reference_free(ref);
	return ok;
}

/* It is not there, or what it names cannot be read. */
static int no_revision(struct walk *k, const char *rev, struct strbuf *err)
{
	const struct strvec *bad = packs_damaged(k->packs);
	char hex[GIT_OID_HEXSZ + 1];
	git_oid id;

	if (!named(k, rev, &id) && !bad->n)
		return kp_fail(err, KP_ERR, "no revision '%s' in '%s'", rev, k->w->repo);
	if (named(k, rev, &id))
		kp_fail(err, KP_ERR, "'%s' is %s, which cannot be read", rev,
			git_oid_tostr(hex, sizeof(hex), &id));
	else
		kp_fail(err, KP_ERR, "no revision '%s' can be read in '%s'", rev, k->w->repo);
	if (bad->n)
		strbuf_addf(err, ": the pack '%s' or its index is damaged", bad->v[0]);
	strbuf_addf(err, "; 'git -C %s fsck' tells what is wrong with the repository", k->w->repo);
	return KP_ERR;
}

static int resolve(struct walk *k, const char *rev, struct oids *out, struct strbuf *err)
{
	git_object *o = NULL, *commit = NULL;
	int ret = 0;

	if (git_revparse_single(&o, k->repo, rev) < 0)
		ret = no_revision(k, rev, err);
	else if (git_object_peel(&commit, o, GIT_OBJECT_COMMIT) < 0)
		ret = kp_fail(err, KP_ERR, "'%s' is no commit that can be read", rev);
	else
		oids_add(out, git_object_id(commit));
	git_object_free(commit);
	git_object_free(o);
	return ret;
}

/* References to other things than commits are passed over. */
static int add_ref(git_reference *ref, void *payload)
{
	struct walk *k = payload;
	git_object *commit = NULL;

	if (!git_reference_peel(&commit, ref, GIT_OBJECT_COMMIT))
		oids_add(&k->tips, git_object_id(commit));
	git_object_free(commit);
	git_reference_free(ref);
	return 0;
}

static int resolve_all(struct walk *k, struct strbuf *err)
{
	struct strbuf ignored = STRBUF_INIT;

	if (git_reference_foreach(k->repo, add_ref, k) < 0)
		return kp_fail(err, KP_ERR, "cannot read the references of '%s': %s", k->w->repo, git_said());
	resolve(k, "HEAD", &k->tips, &ignored);
	strbuf_release(&ignored);
	/* By name of commit: the walk must not depend on the names of branches. */
	oids_sort(&k->tips);
	return 0;
}

static int resolve_range(struct walk *k, struct strbuf *err)
{
	const char *range = k->w->range, *dots = range ? strstr(range, "..") : NULL;
	char *from;
	int ret;

	if (k->w->all)
		return resolve_all(k, err);
	if (!range && git_repository_head_unborn(k->repo) == 1)
		return kp_fail(err, KP_NOTFOUND, "'%s' has no commits", k->w->repo);
	if (!dots)
		return resolve(k, range && *range ? range : "HEAD", &k->tips, err);
	if (dots[2] == '.')
		return kp_fail(err, KP_ERR, "'%s': only ranges of the form A..B can be walked", range);
	from = xstrndup(range, (size_t)(dots - range));
	ret = resolve(k, *from ? from : "HEAD", &k->hidden, err);
	if (!ret)
		ret = resolve(k, dots[2] ? dots + 2 : "HEAD", &k->tips, err);
	free(from);
	return ret;
}

/* ---- what is known ----------------------------------------------------------- */

/* Hiding its tips leaves out exactly the range: what it hid is hidden now too. */
static bool can_hide(const struct walked_range *r, const struct oids *hidden)
{
	for (size_t i = 0; i < r->hidden.n; i++)
		if (!oids_has(hidden, &r->hidden.v[i]))
			return false;
	return true;
}

static void add_all(struct oids *to, const struct oids *from)
{
	for (size_t i = 0; i < from->n; i++)
		oids_add(to, &from->v[i]);
}

static void paint_range(struct graph *g, const struct walked_range *r)
{
	graph_spread(g, &r->tips, NODE_IN);
	graph_spread(g, &r->hidden, NODE_OUT);
	for (size_t i = 0; i < g->n; i++) {
		struct node *n = &g->nodes[i];

		if ((n->flags & (NODE_IN | NODE_OUT)) == NODE_IN)
			n->flags |= NODE_KNOWN;
		n->flags &= (uint16_t)~(NODE_IN | NODE_OUT);
	}
}

/* Does the repository have any of the commits that the store was made from? */
static bool shares_commits(struct walk *k)
{
	const struct walked *w = &k->walked;
	bool any = !w->n && !w->parts.n;
	git_odb *odb;

	if (any || git_repository_odb(&odb, k->repo) < 0)
		return any;
	for (size_t i = 0; i < w->n && !any; i++)
		for (size_t j = 0; j < w->ranges[i].tips.n && !any; j++)
			any = git_odb_exists(odb, &w->ranges[i].tips.v[j]);
	for (size_t i = 0; i < w->parts.n && !any; i++)
		any = git_odb_exists(odb, &w->parts.v[i]);
	git_odb_free(odb);
	return any;
}

static int load_graph(struct walk *k, struct strbuf *err)
{
	struct oids hidden = { 0 }, others = { 0 };
	int ret;

	add_all(&hidden, &k->hidden);
	for (size_t i = 0; i < k->walked.n; i++) {
		const struct walked_range *r = &k->walked.ranges[i];

		add_all(can_hide(r, &k->hidden) ? &hidden : &others, &r->tips);
		if (!can_hide(r, &k->hidden))
			add_all(&others, &r->hidden);
	}
	graph_init(&k->graph, k->objects, &k->shallow, k->w->first_parent);
	ret = graph_load(&k->graph, &k->tips, &hidden, others.n ? &others : NULL, err);
	for (size_t i = 0; i < k->walked.n && !ret; i++)
		if (!can_hide(&k->walked.ranges[i], &k->hidden))
			paint_range(&k->graph, &k->walked.ranges[i]);
	for (size_t i = 0; i < k->walked.parts.n && !ret; i++) {
		uint32_t n = graph_find(&k->graph, &k->walked.parts.v[i]);

		if (n != GRAPH_NONE)
			k->graph.nodes[n].flags |= NODE_KNOWN;
	}
	oids_release(&hidden);
	oids_release(&others);
	return ret;
}

/* Nothing new: because all is known, or because the range itself is empty? */
static int check_empty(struct walk *k, struct strbuf *err)
{
	struct graph g;
	uint32_t *order = NULL;
	size_t n;
	int ret;

	if (k->tips.n && !k->hidden.n)
		return 0;
	graph_init(&g, k->objects, &k->shallow, k->w->first_parent);
	ret = graph_load(&g, &k->tips, &k->hidden, NULL, err);
	n = graph_order(&g, &k->tips, &order);
	free(order);
	graph_release(&g);
	if (ret || n)
		return ret;
	return kp_fail(err, KP_NOTFOUND, "no commits in '%s'",
		       k->w->range && !k->w->all ? k->w->range : k->w->repo);
}

/* ---- the walk ---------------------------------------------------------------- */

/* Sorts the commits of the range into those to examine and those to count. */
static uint64_t choose(struct walk *k, const uint32_t *order, size_t n)
{
	struct history_figures *f = &k->figures;
	uint64_t known = 0;

	k->todo = xmalloc((n + 1) * sizeof(*k->todo));
	for (size_t i = 0; i < n; i++) {
		const struct node *c = &k->graph.nodes[order[i]];

		if (c->flags & (NODE_MISSING | NODE_BROKEN | NODE_OVERSIZE)) {
			char hex[GIT_OID_HEXSZ + 1];

			log_debug("commit %s cannot be read", git_oid_tostr(hex, sizeof(hex), &c->id));
			f->cut++;
			f->missing += (c->flags & NODE_MISSING) != 0;
			f->broken += (c->flags & NODE_BROKEN) != 0;
			f->oversize += (c->flags & NODE_OVERSIZE) != 0;
		} else if (c->flags & NODE_SHALLOW) {
			f->shallow++;
		} else if ((c->flags & NODE_MERGE) && !k->w->first_parent) {
			f->merges++;
		} else if (c->flags & NODE_KNOWN) {
			known++;
		} else {
			k->todo[k->ntodo++] = order[i];
		}
	}
	return known;
}

/* Commits of ranges that the new one takes over. */
static uint64_t taken_over(const struct walk *k)
{
	uint64_t n = 0;

	for (size_t i = 0; i < k->walked.n; i++) {
		const struct walked_range *r = &k->walked.ranges[i];
		uint32_t at = r->tips.n ? graph_find(&k->graph, &r->tips.v[0]) : GRAPH_NONE;

		if (can_hide(r, &k->hidden) && at != GRAPH_NONE &&
		    (k->graph.nodes[at].flags & NODE_WANTED))
			n += r->commits;
	}
	return n;
}

/* ---- releases that came later --------------------------------------------------- */

static int tell_release(struct walk *k, sqlite3 *db, const struct node *n, struct strbuf *err)
{
	const struct history_examiner *ex = k->w->examiner;

	if (!ex->released)
		return 0;
	return ex->released(db, &n->id, releases_name(&k->releases, n->release), ex->payload, err);
}

/* What earlier runs walked and a tag holds now; "late" keeps what still has none. */
static int settle_late(struct walk *k, sqlite3 *db, struct strbuf *err)
{
	struct oids *late = &k->walked.late;
	size_t n = 0;
	int ret = db_exec(db, "BEGIN IMMEDIATE", err);

	for (size_t i = 0; i < late->n && !ret; i++) {
		const struct node *c = &k->graph.nodes[graph_find(&k->graph, &late->v[i])];

		if (c->release)
			ret = tell_release(k, db, c, err);
		else
			late->v[n++] = c->id;
	}
	late->n = ret ? late->n : n;
	for (size_t i = 0; i < k->walked.parts.n && !ret; i++) {
		uint32_t at = graph_find(&k->graph, &k->walked.parts.v[i]);

		if (at != GRAPH_NONE && k->graph.nodes[at].release)
			ret = tell_release(k, db, &k->graph.nodes[at], err);
	}
	if (!ret)
		ret = db_exec(db, "COMMIT", err);
	if (ret && !sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return ret;
}

/* Only where there are tags at all: else it would be every commit. */
static void note_late(struct walk *k, const uint32_t *order, size_t n)
{
	for (size_t i = 0; i < n && k->releases.tagged; i++) {
		const struct node *c = &k->graph.nodes[order[i]];

		if (!c->release && !(c->flags & (NODE_MERGE | NODE_SHALLOW | NODE_MISSING | NODE_BROKEN)))
			oids_add(&k->walked.late, &c->id);
	}
}

/* ---- all of it -------------------------------------------------------------------- */

/* Some projects took over a kernel's headers or its Kconfig; none has all of these. */
static bool is_kernel(const struct walk *k)
{
	static const char *const files[] = { "MAINTAINERS", "include/linux/module.h", "kernel/fork.c" };
	git_commit *c = NULL;
	git_tree *t = NULL;
	bool found = k->tips.n && !git_commit_lookup(&c, k->repo, &k->tips.v[0]) && !git_commit_tree(&t, c);

	for (size_t i = 0; i < ARRAY_SIZE(files) && found; i++) {
		git_tree_entry *e = NULL;

		found = !git_tree_entry_bypath(&e, t, files[i]);
		git_tree_entry_free(e);
	}
	git_tree_free(t);
	git_commit_free(c);
	return found;
}

static int walk_graph(struct walk *k, sqlite3 *db, struct strbuf *err)
{
	uint32_t *order = NULL;
	size_t n = graph_order(&k->graph, &k->tips, &order);
	uint64_t known = choose(k, order, n);
	int ret = 0;

	k->figures.known = walked_commits(&k->walked);
	k->figures.kernel = is_kernel(k);
	if (!n)
		ret = check_empty(k, err);
	if (ret)
		goto out;
	graph_add(&k->graph, &k->walked.late);
	releases_mark(&k->releases, k->repo, &k->graph);
	if (k->walked.late.n || k->walked.parts.n)
		ret = settle_late(k, db, err);
	if (!ret && k->ntodo)
		ret = history_run(k, db, err);
	if (ret)
		goto out;
	note_late(k, order, n);
	if (n)
		ret = walked_finish(&k->walked, &k->graph, &k->tips, &k->hidden,
				    known + k->ntodo + taken_over(k), err);
	else
		ret = walked_set_late(&k->walked, err);
out:
	free(order);
	return ret;
}

static void walk_release(struct walk *k)
{
	free(k->todo);
	releases_release(&k->releases);
	graph_release(&k->graph);
	walked_release(&k->walked);
	oids_release(&k->tips);
	oids_release(&k->hidden);
	oids_release(&k->shallow);
	objects_free(k->objects);
	packs_close(k->packs);
	git_repository_free(k->repo);
}

static int open_objects(struct walk *k, struct strbuf *err)
{
	char *dir = path_join(git_repository_commondir(k->repo), "objects");

	k->packs = packs_open(dir);
	free(dir);
	k->objects = objects_new(k->repo, k->packs, TREE_CACHE / 8);
	return k->objects ? read_shallow(k, err) : kp_fail(err, KP_INFRA, "cannot read objects: %s", git_said());
}

int history_walk(const struct history_walk *w, sqlite3 *db, struct history_figures *out, struct strbuf *err)
{
	struct walk k = { .w = w };
	int ret;

	set_up_libgit2();
	ret = history_open_repo(w->repo, &k.repo, err);
	if (!ret)
		ret = open_objects(&k, err);
	if (!ret)
		ret = resolve_range(&k, err);
	if (!ret)
		ret = walked_load(&k.walked, db, w->first_parent, err);
	if (k.packs)
		k.figures.bad_packs = packs_damaged(k.packs)->n;
	if (!ret && !shares_commits(&k))
		ret = kp_fail(err, KP_ERR, "the store was made from another repository: none of its commits is in '%s';"
			      " name another file with --out", w->repo);
	if (!ret)
		ret = load_graph(&k, err);
	if (!ret)
		ret = walk_graph(&k, db, err);
	*out = k.figures;
	walk_release(&k);
	git_libgit2_shutdown();
	return ret;
}
