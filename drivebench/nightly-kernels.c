// SPDX-License-Identifier: GPL-2.0-only
/* Which kernels a night is for: records, named ones, directories of build trees, tags of a repository. */
#include "base/compat.h"
#include "drivebench/nightly.h"

#include <fnmatch.h>
#include <git2.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

static void add(struct nightly *n, struct kernel *k)
{
	for (size_t i = 0; i < n->nkernels; i++)
		if (!strcmp(n->kernels[i]->release, k->release)) {
			kernel_free(k);
			return;
		}
	n->kernels = xrealloc(n->kernels, (n->nkernels + 1) * sizeof(*n->kernels));
	n->kernels[n->nkernels++] = k;
}

static int add_word(struct nightly *n, const char *word, struct strbuf *err)
{
	struct kernel *k = NULL;
	int ret = kernel_resolve(word, &k, err);

	if (!ret)
		add(n, k);
	return ret;
}

static int add_records(struct nightly *n, struct strbuf *err)
{
	struct kernel_list l = { 0 };
	int ret = kernel_list(&l, err);

	for (size_t i = 0; !ret && i < l.n; i++) {
		add(n, l.k[i]);
		l.k[i] = NULL;
	}
	kernel_list_release(&l);
	return ret;
}

/* DIR/RELEASE/build, or DIR/NAME itself. What is no build tree is passed over: such directories hold all sorts. */
static int add_builds(struct nightly *n, const char *dir, struct strbuf *err)
{
	char *real = file_realpath(dir);
	struct strvec names = STRVEC_INIT;
	int ret = real ? file_names(real, &names, err) : kp_fail(err, KP_ERR, "there is no directory '%s'", dir);

	for (size_t i = 0; !ret && i < names.n; i++) {
		char *entry = path_join(real, names.v[i]), *build = path_join(entry, "build");
		struct strbuf why = STRBUF_INIT;

		if (file_is_dir(entry) && add_word(n, file_is_dir(build) ? build : entry, &why))
			log_info("'%s' is passed over: %s", entry, why.buf);
		strbuf_release(&why);
		free(entry);
		free(build);
	}
	strvec_release(&names);
	free(real);
	return ret;
}

/* ---- tags --------------------------------------------------------------------------------------- */

struct tag {
	char *name;
	git_time_t time;
	git_object *commit;
};

struct tags {
	git_repository *repo;
	const char *pattern;
	struct tag *v;
	size_t n, alloc;
};

static int one_tag(const char *ref, git_oid *id, void *payload)
{
	struct tags *t = payload;
	git_object *o = NULL, *commit = NULL;
	const char *name = ref;

	if (!skip_prefix(ref, "refs/tags/", &name) || fnmatch(t->pattern, name, 0) || !path_is_safe(name))
		return 0;
	if (!git_object_lookup(&o, t->repo, id, GIT_OBJECT_ANY) && !git_object_peel(&commit, o, GIT_OBJECT_COMMIT)) {
		ALLOC_GROW(t->v, t->n + 1, t->alloc);
		t->v[t->n++] = (struct tag){ .name = xstrdup(name), .time = git_commit_time((git_commit *)commit), .commit = commit };
	}
	git_object_free(o);
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	return x->time != y->time ? (x->time < y->time ? 1 : -1) : strcmp(y->name, x->name);
}

static int check_out(struct tags *t, const struct tag *tag, const char *dir, struct strbuf *err)
{
	git_checkout_options opts = GIT_CHECKOUT_OPTIONS_INIT;
	char *aside = xstrfmt("%s.part", dir);
	int ret = file_remove(aside, err);

	if (!ret)
		ret = file_mkdirs(aside, err);
	opts.checkout_strategy = GIT_CHECKOUT_FORCE | GIT_CHECKOUT_DONT_UPDATE_INDEX;
	opts.disable_filters = 1;
	opts.target_directory = aside;
	if (!ret && git_checkout_tree(t->repo, tag->commit, &opts))
		ret = kp_fail(err, KP_INFRA, "cannot check out '%s': %s", tag->name, git_error_last()->message);
	if (!ret && rename(aside, dir))
		ret = kp_fail_errno(err, "cannot rename '%s'", aside);
	free(aside);
	return ret;
}

/* A record of the tag, made on first sight. */
static int take_tag(struct nightly *n, struct tags *t, const struct tag *tag, struct strbuf *err)
{
	char *dir = xstrfmt("%s/kernels/%s", n->dir, tag->name), *name = xstrdup(tag->name);
	struct strbuf ignored = STRBUF_INIT;
	struct kernel *k = NULL;
	int ret = 0;

	for (char *p = name; *p; p++)
		*p = *p == '/' ? '-' : *p;
	if (kernel_resolve(name, &k, &ignored)) {
		log_info("new tag '%s'", tag->name);
		if (!file_is_dir(dir))
			ret = file_mkdirs_for(dir, err);
		if (!ret && !file_is_dir(dir))
			ret = check_out(t, tag, dir, err);
		if (!ret)
			ret = kernel_add_source(name, dir, n->o.kconfig, n->o.symvers, &k, err);
	}
	if (!ret)
		add(n, k);
	strbuf_release(&ignored);
	free(dir);
	free(name);
	return ret;
}

/* The newest tag that fits: older ones were watched when they were new. */
static int add_tags(struct nightly *n, struct strbuf *err)
{
	struct tags t = { .pattern = n->o.tags ? n->o.tags : "v*" };
	int ret = 0;

	git_libgit2_init();
	if (git_repository_open(&t.repo, n->o.repo))
		ret = kp_fail(err, KP_ERR, "'%s': %s", n->o.repo, git_error_last()->message);
	if (!ret)
		git_tag_foreach(t.repo, one_tag, &t);
	if (!ret && !t.n)
		ret = kp_fail(err, KP_ERR, "'%s' has no tag '%s'", n->o.repo, t.pattern);
	if (!ret) {
		sort_items(t.v, t.n, sizeof(*t.v), newest_first);
		ret = take_tag(n, &t, &t.v[0], err);
	}
	for (size_t i = 0; i < t.n; i++) {
		free(t.v[i].name);
		git_object_free(t.v[i].commit);
	}
	free(t.v);
	git_repository_free(t.repo);
	git_libgit2_shutdown();
	return ret;
}

static int by_version(const void *a, const void *b)
{
	const struct kernel *x = *(struct kernel *const *)a, *y = *(struct kernel *const *)b;

	return x->version != y->version ? (x->version < y->version ? -1 : 1) : strcmp(x->release, y->release);
}

int nightly_kernels(struct nightly *n, struct strbuf *err)
{
	bool named = n->o.to.n || n->o.builds.n || n->o.repo;
	int ret = named ? 0 : add_records(n, err);

	for (size_t i = 0; !ret && i < n->o.to.n; i++)
		ret = add_word(n, n->o.to.v[i], err);
	for (size_t i = 0; !ret && i < n->o.builds.n; i++)
		ret = add_builds(n, n->o.builds.v[i], err);
	if (!ret && n->o.repo)
		ret = add_tags(n, err);
	if (!ret && !n->nkernels)
		ret = kp_fail(err, KP_NOTFOUND, "there is no kernel to test on; add one with 'kport kernel add'");
	if (!ret)
		sort_items(n->kernels, n->nkernels, sizeof(*n->kernels), by_version);
	return ret;
}
