// SPDX-License-Identifier: GPL-2.0-only
/*
 * Co-changes: single commits without a store (hashes on standard input, a line each
 * out), or a store: made (mine), shown whole in an order of its own (dump), by symbol, by commit.
 */
#include "base/compat.h"

#include <git2.h>
#include <time.h>

#include "base/alloc.h"
#include "base/db.h"
#include "base/error.h"
#include "mine/cochange-internal.h"
#include "tests/helper/test-tool.h"

struct files {
	struct history_file *f;
	size_t n, alloc;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct history_file *)a)->path, ((const struct history_file *)b)->path);
}

static int add_file(const git_diff_delta *d, float progress, void *payload)
{
	struct files *fs = payload;
	struct history_file *f;

	ALLOC_GROW(fs->f, fs->n + 1, fs->alloc);
	f = &fs->f[fs->n++];
	f->path = xstrdup(d->new_file.path);
	f->old_id = d->old_file.id;
	f->new_id = d->new_file.id;
	return 0;
}

static void print(const struct history_commit *c, const struct cc_result *r, bool all)
{
	char id[41];

	git_oid_tostr(id, sizeof(id), &c->id);
	if (!r || !r->candidate) {
		printf("%s\tnone\tno-candidate\t\t\t\t\t\n", id);
		return;
	}
	for (size_t i = 0; i < (all && r->nst ? r->nst : 1); i++) {
		const struct cc_stored *st = r->cls != COCHANGE_NONE && r->nst ? &r->st[i] : NULL;

		printf("%s\t%s\t%s\t%.2f\t%zu\t%s\t%s\t%s\n", id, cochange_class_name(st ? st->cls : COCHANGE_NONE),
		       cochange_filter_name(r->filter), st ? st->confidence : 0, r->nusers,
		       st ? st->symbol : "", st && st->to_name ? st->to_name : "", r->reason ? r->reason : "");
	}
}

static double examine_seconds;

static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int one(git_repository *repo, const char *hash, bool examples, bool all)
{
	struct history_commit c = { 0 };
	struct files fs = { 0 };
	git_commit *commit = NULL, *parent = NULL;
	git_tree *old = NULL, *new = NULL;
	git_diff *diff = NULL;
	struct cc_result *r;
	int ret = -1;

	if (git_oid_fromstr(&c.id, hash) || git_commit_lookup(&commit, repo, &c.id) || git_commit_tree(&new, commit))
		goto out;
	c.nparents = git_commit_parentcount(commit);
	if (c.nparents && (git_commit_parent(&parent, commit, 0) || git_commit_tree(&old, parent)))
		goto out;
	if (git_diff_tree_to_tree(&diff, repo, old, new, NULL) ||
	    git_diff_foreach(diff, add_file, NULL, NULL, NULL, &fs))
		goto out;
	c.message = git_commit_message(commit);
	c.time = git_commit_time(commit);
	sort_items(fs.f, fs.n, sizeof(*fs.f), by_path);
	c.files = fs.f;
	c.nfiles = fs.n;
	examine_seconds -= cpu_now();
	r = cc_examine(repo, &c, examples);
	examine_seconds += cpu_now();
	print(&c, r, all);
	for (size_t i = 0; examples && r && i < r->nex; i++)
		for (size_t k = 0; k < r->ex[i].hunks.n; k++)
			printf("+\t%s\t%s\n", r->ex[i].path, r->ex[i].hunks.h[k].function);
	cc_result_free(r);
	ret = 0;
out:
	for (size_t i = 0; i < fs.n; i++)
		free((char *)fs.f[i].path);
	free(fs.f);
	git_diff_free(diff);
	git_tree_free(old);
	git_tree_free(new);
	git_commit_free(parent);
	git_commit_free(commit);
	return ret;
}

static int classify(int argc, const char **argv)
{
	bool examples = argc > 2 && !strcmp(argv[2], "--examples"), all = argc > 2 && !strcmp(argv[2], "--all");
	git_repository *repo = NULL;
	char line[64];

	git_libgit2_init();
	if (git_repository_open_ext(&repo, argv[1], GIT_REPOSITORY_OPEN_NO_SEARCH, NULL)) {
		fprintf(stderr, "test-tool cochange: %s\n", git_error_last()->message);
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, " \t\r\n")] = '\0';
		if (strlen(line) == 40 && one(repo, line, examples, all))
			fprintf(stderr, "%s: cannot be read\n", line);
	}
	fprintf(stderr, "%.2f CPU seconds in the classification\n", examine_seconds);
	git_repository_free(repo);
	git_libgit2_shutdown();
	return 0;
}

/* ---- stores ------------------------------------------------------------------------- */

static void print_figures(const struct cochange_figures *f)
{
	printf("walked %" PRIu64 " known %" PRIu64 "\n", f->walk.commits, f->walk.known);
	for (int i = 1; i < COCHANGE_CLASS_COUNT; i++)
		if (f->cls[i])
			printf("class %s %" PRIu64 "\n", cochange_class_name((enum cochange_class)i), f->cls[i]);
	for (int i = 1; i < FILTER_COUNT; i++)
		if (f->filter[i])
			printf("filter %s %" PRIu64 "\n", cochange_filter_name((enum cochange_filter)i), f->filter[i]);
	for (int i = 0; i < LINK_COUNT; i++)
		printf("link %s %" PRIu64 "\n", cochange_link_name((enum cochange_link)i), f->link[i]);
	printf("changes %" PRIu64 " groups %" PRIu64 " fixed %" PRIu64 " examples %" PRIu64 "\n", f->changes, f->groups,
	       f->fixed, f->examples);
}

static int mine_store(int argc, const char **argv, struct strbuf *err)
{
	struct cochange_options o = { 0 };
	struct cochange_figures f;
	const char *range = NULL;
	int ret;

	for (int i = 4; i < argc; i++) {
		if (!strcmp(argv[i], "--fast"))
			o.no_examples = true;
		else if (!strcmp(argv[i], "--first-parent"))
			o.first_parent = true;
		else if (!strcmp(argv[i], "--all"))
			o.all = true;
		else if (!strcmp(argv[i], "--one-job"))
			o.jobs = 1;
		else
			range = argv[i];
	}
	ret = cochange_mine(argv[2], range, &o, argv[3], &f, err);
	if (!ret)
		print_figures(&f);
	return ret;
}

static void print_list(const struct cochange *l, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%s\t%s\t%s\t%s\t%.2f\t%zu\t%s\t%s\t%s\t%s\t%s\t%s\t%" PRIx64 "\t%s\n", l[i].commit,
		       cochange_class_name(l[i].cls), cochange_filter_name(l[i].filter), cochange_link_name(l[i].link),
		       l[i].confidence, l[i].nusers, l[i].symbol ? l[i].symbol : "", l[i].to_name ? l[i].to_name : "",
		       l[i].old_decl ? l[i].old_decl : "", l[i].new_decl ? l[i].new_decl : "",
		       l[i].fixed_by ? l[i].fixed_by : "", l[i].release ? l[i].release : "", l[i].group,
		       l[i].reason ? l[i].reason : "");
}

static int dump_store(const char *path, struct cochanges *co, struct strbuf *err)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int ret = db_open(path, DB_READONLY, NULL, &db, err);

	if (!ret)
		ret = db_prepare(db, "SELECT lower(hex(sha)) FROM cc ORDER BY sha", &st, err);
	while (!ret && sqlite3_step(st) == SQLITE_ROW) {
		struct cochange *l;
		size_t n = cochange_of_commit(co, db_text(st, 0), &l);

		print_list(l, n);
		cochange_free_list(l, n);
	}
	sqlite3_finalize(st);
	st = NULL;
	if (!ret)
		ret = db_prepare(db, "SELECT lower(hex(c.sha)), p.s, h.line, h.before, h.after, (SELECT group_concat(s, ' ') FROM"
				 " (SELECT i.s FROM uses u JOIN str i ON i.id = u.ident WHERE u.hunk = h.id ORDER BY 1))"
				 " FROM hunk h JOIN cc c ON c.id = h.cc JOIN str p ON p.id = h.path ORDER BY 1, 2, 3, 4, 5", &st, err);
	while (!ret && sqlite3_step(st) == SQLITE_ROW)
		printf("+ %s %s:%s\n- %s\n+ %s\n= %s\n", db_text(st, 0), db_text(st, 1), db_text(st, 2), db_text(st, 3),
		       db_text(st, 4), db_text(st, 5));
	sqlite3_finalize(st);
	db_close(db);
	return ret;
}

static int read_store(int argc, const char **argv, struct strbuf *err)
{
	struct cochanges *co = NULL;
	struct cochange *l = NULL;
	struct example *ex = NULL;
	size_t n = 0;
	int ret = cochange_open(argv[2], &co, err);

	if (ret)
		return ret;
	if (!strcmp(argv[1], "dump")) {
		ret = dump_store(argv[2], co, err);
	} else if (argc > 3 && !strcmp(argv[1], "symbol")) {
		n = cochange_of_symbol(co, argv[3], &l);
		print_list(l, n);
	} else if (argc > 3 && !strcmp(argv[1], "commit")) {
		n = cochange_of_commit(co, argv[3], &l);
		print_list(l, n);
	} else if (argc > 3) {
		size_t m = cochange_examples(co, argv[3], NULL, 50, &ex);

		for (size_t i = 0; i < m; i++)
			printf("%.12s %s:%d %s\n- %s\n+ %s\n", ex[i].commit, ex[i].path, ex[i].line,
			       ex[i].function ? ex[i].function : "-", ex[i].before, ex[i].after);
		examples_free_list(ex, m);
	}
	cochange_free_list(l, n);
	cochange_close(co);
	return ret;
}

int tool_cochange(int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT;
	int ret;

	if (argc < 2)
		return 129;
	if (argc < 3 || starts_with(argv[2], "--"))
		return classify(argc, argv);
	ret = !strcmp(argv[1], "mine") && argc > 3 ? mine_store(argc, argv, &err) : read_store(argc, argv, &err);
	if (ret)
		fprintf(stderr, "test-tool cochange: %s\n", err.buf);
	strbuf_release(&err);
	return ret ? kp_exit_code(ret) : 0;
}
