// SPDX-License-Identifier: GPL-2.0-only
/* Opening what is known of two kernels: from their trees, or from an imported index. */
#include "base/compat.h"
#include "port/apiview.h"

#include "base/alloc.h"
#include "base/error.h"
#include "harness/kernel-btf.h"
#include "mine/examples.h"
#include "mine/share.h"

/* Layouts are one more answer: without them the others stand. */
static void open_layout(struct api_pair *p)
{
	struct strbuf why = STRBUF_INIT;
	char *old = NULL, *new = NULL;
	int ret = kernel_btf(p->from, &old, &why);

	if (!ret)
		ret = kernel_btf(p->to, &new, &why);
	if (!ret)
		ret = layout_diff_open(old, new, p->from_name, p->to_name, &p->layout, &why);
	if (ret)
		p->no_layout = strbuf_detach(&why, NULL);
	strbuf_release(&why);
	free(old);
	free(new);
}

static int open_trees(struct api_pair *p, struct strbuf *err)
{
	const struct kernel *a = p->from, *b = p->to;
	int ret = api_index_open(a->common_dir, a->build_dir, a->symvers, &p->old_ix, err);

	if (!ret)
		ret = api_index_open(b->common_dir, b->build_dir, b->symvers, &p->new_ix, err);
	if (!ret)
		ret = api_diff_open(p->old_ix, p->new_ix, &p->diff, err);
	if (ret)
		return ret;
	p->from_name = xstrdup(a->name ? a->name : api_index_release(p->old_ix));
	p->to_name = xstrdup(b->name ? b->name : api_index_release(p->new_ix));
	if (a->source_dir && b->source_dir)
		p->examples = examples_path(a->source_dir, b->source_dir);
	open_layout(p);
	return 0;
}

static int open_shared(struct api_pair *p, const struct share_info *s, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	char *path[SHARE_PART_COUNT];
	int ret;

	for (int i = 0; i < SHARE_PART_COUNT; i++)
		path[i] = share_part_path(s, (enum share_part)i);
	ret = api_index_open_file(path[SHARE_OLD], &p->old_ix, err);
	if (!ret)
		ret = api_index_open_file(path[SHARE_NEW], &p->new_ix, err);
	if (!ret)
		ret = api_diff_open_file(path[SHARE_DIFF], p->old_ix, p->new_ix, &p->diff, err);
	p->from_name = xstrdup(s->from_name);
	p->to_name = xstrdup(s->to_name);
	if (!ret && s->has[SHARE_EXAMPLES])
		p->examples = xstrdup(path[SHARE_EXAMPLES]);
	if (!ret && (!s->has[SHARE_LAYOUT] || layout_diff_open_file(path[SHARE_LAYOUT], &p->layout, &why)))
		p->no_layout = xstrdup(why.len ? why.buf : "the imported index has none");
	for (int i = 0; i < SHARE_PART_COUNT; i++)
		free(path[i]);
	strbuf_release(&why);
	return ret;
}

int api_pair_open(struct api_pair *p, const char *from, const char *to, struct strbuf *err)
{
	struct strbuf first = STRBUF_INIT, ignored = STRBUF_INIT;
	struct share_info shared = { 0 };
	int ret;

	memset(p, 0, sizeof(*p));
	ret = kernel_resolve(from, &p->from, &first);
	if (!ret)
		ret = kernel_resolve(to, &p->to, &first);
	if (!ret) {
		ret = open_trees(p, err);
	} else if (ret == KP_NOTFOUND && share_find_pair(from, to, &shared, &ignored) == 0) {
		kernel_free(p->from);
		p->from = NULL;
		ret = open_shared(p, &shared, err);
	} else {
		strbuf_addbuf(err, &first);
	}
	share_info_release(&shared);
	strbuf_release(&first);
	strbuf_release(&ignored);
	return ret;
}

void api_pair_close(struct api_pair *p)
{
	api_diff_close(p->diff);
	api_index_close(p->old_ix);
	api_index_close(p->new_ix);
	layout_diff_close(p->layout);
	kernel_free(p->from);
	kernel_free(p->to);
	free(p->from_name);
	free(p->to_name);
	free(p->no_layout);
	free(p->examples);
	memset(p, 0, sizeof(*p));
}

/* "6.12.95": 6, 12; false when it is no such release. */
static bool version(const char *release, unsigned *major, unsigned *minor)
{
	return release && sscanf(release, "%u.%u", major, minor) == 2;
}

bool api_pair_is_reversed(const struct api_pair *p)
{
	unsigned a[2], b[2];

	if (!version(api_index_release(p->old_ix), &a[0], &a[1]) || !version(api_index_release(p->new_ix), &b[0], &b[1]))
		return false;
	return a[0] != b[0] ? a[0] > b[0] : a[1] > b[1];
}
