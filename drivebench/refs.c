// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/refs.h"

#include <git2.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonutil.h"
#include "drivebench/bundle.h"
#include "mine/cases.h"

#define MAX_SOURCE (16u << 20)

/* Of the very directory: a tree below some repository is none. */
static void head_commit(const char *dir, char out[41])
{
	git_repository *repo = NULL;
	git_oid oid;

	git_libgit2_init();
	if (!git_repository_open_ext(&repo, dir, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) &&
	    !git_reference_name_to_id(&oid, repo, "HEAD"))
		git_oid_tostr(out, 41, &oid);
	git_repository_free(repo);
	git_libgit2_shutdown();
}

static void add(struct refs *r, struct kernel *k)
{
	ALLOC_GROW(r->v, r->n + 1, r->alloc);
	memset(&r->v[r->n], 0, sizeof(r->v[r->n]));
	r->v[r->n].k = k;
	head_commit(k->source_dir, r->v[r->n].commit);
	r->v[r->n++].ref = case_tree_ref(k->source_dir);
}

int refs_kernel_word(const char *word, struct kernel **out, struct strbuf *err)
{
	const char *eq = strchr(word, '=');
	char *name = eq ? xstrndup(word, (size_t)(eq - word)) : xstrdup(word);
	struct kernel *k = NULL;
	int ret = kernel_resolve(name, &k, err);

	if (!ret && eq) {
		free(k->source_dir);
		k->source_dir = file_realpath(eq + 1);
	}
	if (!ret && !k->source_dir) {
		ret = kp_fail(err, KP_ERR, "kernel '%s' has no source tree; name it as KERNEL=SOURCE", name);
		kernel_free(k);
	} else if (!ret) {
		*out = k;
	}
	free(name);
	return ret;
}

static int add_word(struct refs *r, const char *word, struct strbuf *err)
{
	struct kernel *k;
	int ret = refs_kernel_word(word, &k, err);

	if (!ret)
		add(r, k);
	return ret;
}

int refs_open(struct refs *r, const struct strvec *more, struct strbuf *err)
{
	struct kernel_list l = { 0 };
	int ret = 0;

	for (size_t i = 0; more && !ret && i < more->n; i++)
		ret = add_word(r, more->v[i], err);
	if (!ret)
		ret = kernel_list(&l, err);
	for (size_t i = 0; !ret && i < l.n; i++) {
		if (!l.k[i]->source_dir)
			continue;
		add(r, l.k[i]);
		l.k[i] = NULL; /* taken */
	}
	for (size_t i = 0; i < l.n; i++)
		kernel_free(l.k[i]);
	free(l.k);
	return ret;
}

void refs_release(struct refs *r)
{
	for (size_t i = 0; i < r->n; i++) {
		kernel_free(r->v[i].k);
		json_decref(r->v[i].ref);
	}
	free(r->v);
	memset(r, 0, sizeof(*r));
}

int refs_kernel(const struct refs *r, const json_t *ref, const struct kernel **out, struct strbuf *err)
{
	const char *commit = json_get_str(ref, "commit");
	char *word;

	for (size_t i = 0; i < r->n; i++)
		if (commit ? !strcmp(r->v[i].commit, commit) : r->v[i].ref && json_equal(r->v[i].ref, (json_t *)ref)) {
			*out = r->v[i].k;
			return 0;
		}
	word = case_kernel_word(ref);
	if (commit)
		kp_fail(err, KP_NOTFOUND, "no kernel of commit %s is here; name one: --kernel BUILD=WORKTREE, built from a work tree at "
			"that commit", word);
	else
		kp_fail(err, KP_NOTFOUND, "the kernel %s %s is not here with its source; "
			"try: kport kernel add %s --with-source", word, json_get_str(ref, "version"), word);
	free(word);
	return KP_NOTFOUND;
}

/* PACKAGE_VERSION_*.deb of the cache, or NULL. */
static char *cached_deb(const char *package, const char *version, const char *sha256)
{
	char *cache = kport_cache_dir(), *dir = path_join(cache, "packages"), *hit = NULL;
	char *start = xstrfmt("%s_%s_", package, version), *colon;
	struct strbuf prefix = STRBUF_INIT, ignored = STRBUF_INIT;
	struct strvec names = STRVEC_INIT;
	struct hash_hex hex;

	/* apt writes the colon of an epoch so */
	colon = strchr(start, ':');
	strbuf_add(&prefix, start, colon ? (size_t)(colon - start) : strlen(start));
	if (colon)
		strbuf_addf(&prefix, "%%3a%s", colon + 1);
	file_names(dir, &names, &ignored);
	for (size_t i = 0; !hit && i < names.n; i++) {
		char *path = path_join(dir, names.v[i]);

		if (starts_with(names.v[i], prefix.buf) && ends_with(names.v[i], ".deb") &&
		    (!sha256 || (!hash_file(path, &hex, &ignored) && !strcmp(hex.hex, sha256))))
			hit = xstrdup(path);
		free(path);
	}
	strvec_release(&names);
	strbuf_release(&prefix);
	strbuf_release(&ignored);
	free(start);
	free(dir);
	free(cache);
	return hit;
}

int refs_deb(const char *package, const char *version, const char *sha256, char **out, struct strbuf *err)
{
	char *cache, *dir;
	int ret;

	*out = cached_deb(package, version, sha256);
	if (*out)
		return 0;
	cache = kport_cache_dir();
	dir = path_join(cache, "packages");
	ret = file_mkdirs(dir, err);
	if (!ret)
		ret = apt_download(NULL, package, version, dir, out, err);
	if (!ret && sha256) {
		free(*out);
		*out = cached_deb(package, version, sha256);
		if (!*out)
			ret = kp_fail(err, KP_NOTFOUND, "package %s %s is not the one that is meant, of hash %.12s", package,
				      version, sha256);
	}
	free(dir);
	free(cache);
	return ret;
}

int refs_package(const struct bench_case *c, bool gold, char **out, struct strbuf *err)
{
	const json_t *p = json_object_get(c->json, gold ? "gold" : "driver");
	int ret = refs_deb(json_get_str(p, "package"), json_get_str(p, "version"), json_get_str(p, "sha256"), out, err);

	return ret && ret != KP_INTERRUPTED ? KP_INFRA : ret;
}

static int package_text(const struct bench_case *c, bool gold, struct strbuf *out, struct strbuf *err)
{
	char *deb = NULL;
	int ret = refs_package(c, gold, &deb, err);

	if (!ret)
		ret = bundle_read_package(deb, out, err);
	free(deb);
	return ret && ret != KP_INTERRUPTED ? KP_INFRA : ret;
}

int refs_text(const struct refs *r, const struct bench_case *c, bool gold, struct strbuf *out, struct strbuf *err)
{
	const char *rel = json_get_str(json_object_get(c->json, gold ? "gold" : "driver"), "path");
	const char *want = gold ? c->gold_hash : c->old_hash;
	const struct kernel *k;
	struct strbuf text = STRBUF_INIT;
	char *path;
	int ret;

	if (!rel)
		return package_text(c, gold, out, err);
	ret = refs_kernel(r, gold ? c->to : c->from, &k, err);
	if (ret)
		return ret == KP_NOTFOUND ? KP_INFRA : ret;
	path = path_join(k->source_dir, rel);
	ret = file_read(path, MAX_SOURCE, &text, err);
	if (!ret && strcmp(hash_buf(text.buf, text.len).hex, want))
		ret = kp_fail(err, KP_INFRA, "'%s' is not the file that case %.12s was made from", path, c->id);
	if (!ret)
		strbuf_addbuf(out, &text);
	strbuf_release(&text);
	free(path);
	return ret ? KP_INFRA : 0;
}
