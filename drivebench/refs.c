// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/refs.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonutil.h"
#include "mine/cases.h"

#define MAX_SOURCE (16u << 20)

static void add(struct refs *r, struct kernel *k)
{
	ALLOC_GROW(r->v, r->n + 1, r->alloc);
	r->v[r->n].k = k;
	r->v[r->n++].ref = case_tree_ref(k->source_dir);
}

static int add_word(struct refs *r, const char *word, struct strbuf *err)
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
		add(r, k);
	}
	free(name);
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
	char *word;

	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].ref && json_equal(r->v[i].ref, (json_t *)ref)) {
			*out = r->v[i].k;
			return 0;
		}
	word = case_kernel_word(ref);
	if (json_get_str(ref, "commit"))
		kp_fail(err, KP_NOTFOUND, "no kernel of commit %s is here: kernels of commits are not built yet", word);
	else
		kp_fail(err, KP_NOTFOUND, "the kernel %s %s is not here with its source; "
			"try: kport kernel add %s --with-source", word, json_get_str(ref, "version"), word);
	free(word);
	return KP_NOTFOUND;
}

int refs_text(const struct refs *r, const struct bench_case *c, bool gold, struct strbuf *out, struct strbuf *err)
{
	const char *rel = json_get_str(json_object_get(c->json, gold ? "gold" : "driver"), "path");
	const char *want = gold ? c->gold_hash : c->old_hash;
	const struct kernel *k;
	struct strbuf text = STRBUF_INIT;
	char *path;
	int ret = rel ? refs_kernel(r, gold ? c->to : c->from, &k, err)
		      : kp_fail(err, KP_INFRA, "case %.12s is a package, not a file of a kernel", c->id);

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
