// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/tree.h"

#include <git2.h>

#include "base/alloc.h"
#include "base/error.h"
#include "port/edit.h"

static int merge_file(const struct srcfile *base, const struct srcfile *ours,
		      const struct srcfile *theirs, struct edit_group *g, struct srcfile *onto,
		      struct strbuf *err)
{
	git_merge_file_input a = GIT_MERGE_FILE_INPUT_INIT, o = a, t = a;
	git_merge_file_options opts = GIT_MERGE_FILE_OPTIONS_INIT;
	git_merge_file_result r = { 0 };
	int ret = 0;

	a.ptr = base->text;
	a.size = base->len;
	o.ptr = ours->text;
	o.size = ours->len;
	t.ptr = theirs->text;
	t.size = theirs->len;
	git_libgit2_init();
	if (git_merge_file(&r, &a, &o, &t, &opts) || !r.automergeable) {
		strbuf_addf(err, "changes of '%s' cannot be told apart", ours->path);
		ret = KP_ERR;
	} else if (r.len != onto->len || memcmp(r.ptr, onto->text, r.len)) {
		ret = edit_add_rewrite(g, onto, r.ptr, r.len, err);
	}
	git_merge_file_result_free(&r);
	git_libgit2_shutdown();
	return ret;
}

struct tree *tree_merge(const struct tree *base, const struct tree *ours, const struct tree *theirs,
			struct strbuf *err)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "merge", RISK_SAFE, 1);
	struct tree *out = NULL;
	int ret = 0;

	for (size_t i = 0; !ret && i < base->n; i++) {
		struct srcfile *b = base->files[i], *o = ours->files[i], *t = theirs->files[i];

		if (!strcmp(t->hash.hex, b->hash.hex) || !strcmp(t->hash.hex, o->hash.hex))
			continue;
		ret = merge_file(b, o, t, g, o, err);
	}
	if (!ret)
		out = g->n ? tree_apply(ours, g, err) : tree_ref((struct tree *)ours);
	edit_group_free(g);
	return out;
}
