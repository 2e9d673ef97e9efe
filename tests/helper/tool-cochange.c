// SPDX-License-Identifier: GPL-2.0-only
/* Classifies single commits, without a store: hashes on standard input, a line each out. */
#include "base/compat.h"

#include <git2.h>
#include <time.h>

#include "base/alloc.h"
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
	qsort(fs.f, fs.n, sizeof(*fs.f), by_path);
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

int tool_cochange(int argc, const char **argv)
{
	bool examples = argc > 2 && !strcmp(argv[2], "--examples"), all = argc > 2 && !strcmp(argv[2], "--all");
	git_repository *repo = NULL;
	char line[64];

	if (argc < 2)
		return 129;
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
