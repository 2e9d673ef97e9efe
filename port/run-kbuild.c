// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/run-link.h"

#include "base/alloc.h"
#include "base/error.h"
#include "port/copies.h"
#include "port/kbuildfix.h"
#include "port/node.h"

static int build_again(struct port_run *r, struct tree *t, struct strbuf *err)
{
	char *dir = xstrfmt("%s/logs/kbuild", r->out_dir);
	struct kbuild_opts opts = { .log_dir = dir, .keep_going = true,
				    .wall_seconds = r->build_seconds };
	struct kbuild_result built = { 0 };
	int ret = tree_write(t, r->before, r->new->tree, err);

	if (!ret)
		ret = kbuild_run(r->new, r->to, &opts, &built, err);
	if (!ret) {
		kbuild_result_release(&r->break_build);
		r->break_build = built;
		units_follow_copies(&r->break_build, r->new->tree, t);
	}
	free(dir);
	return ret;
}

void run_add_first(struct port_run *r, struct edit_group *g, struct tree *after, const struct breakage *b)
{
	struct port_step *st = xcalloc(1, sizeof(*st));

	st->refs = 1;
	st->group = g;
	st->before = tree_ref(r->start);
	st->after = tree_ref(after);
	if (b)
		breakage_copy(&st->target, b);
	else
		st->target.diag.message = xstrdup("nothing breaks: declared alike on both kernels");
	st->tried = 1;
	r->first = xrealloc(r->first, (r->nfirst + 1) * sizeof(*r->first));
	r->first[r->nfirst++] = st;
	tree_unref(r->start);
	r->start = tree_ref(after);
}

int run_kbuild_repair(struct port_run *r, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	struct edit_group *g;
	struct tree *t;
	int ret;

	r->start = tree_ref(r->before);
	if (kbuild_succeeded(&r->break_build))
		return 0;
	g = kbuild_flags_group(r->to, r->before);
	t = g ? tree_apply(r->before, g, &why) : NULL;
	strbuf_release(&why);
	if (!t) {
		edit_group_free(g);
		return 0;
	}
	ret = build_again(r, t, err);
	if (!ret)
		run_add_first(r, g, t, r->breakages.n ? r->breakages.b : NULL);
	else
		edit_group_free(g);
	tree_unref(t);
	return ret;
}

void run_put_first(struct port_run *r)
{
	struct search_result *s = &r->search;

	if (!r->nfirst)
		return;
	s->steps = xrealloc(s->steps, (s->nsteps + r->nfirst) * sizeof(*s->steps));
	memmove(s->steps + r->nfirst, s->steps, s->nsteps * sizeof(*s->steps));
	for (size_t i = 0; i < r->nfirst; i++)
		s->steps[i] = step_ref(r->first[i]);
	s->nsteps += r->nfirst;
}
