// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/run-link.h"

#include "base/alloc.h"
#include "base/error.h"
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
	}
	free(dir);
	return ret;
}

static struct port_step *make_step(struct port_run *r, struct edit_group *g, struct tree *after)
{
	struct port_step *st = xcalloc(1, sizeof(*st));

	st->refs = 1;
	st->group = g;
	st->before = tree_ref(r->before);
	st->after = tree_ref(after);
	if (r->breakages.n)
		breakage_copy(&st->target, &r->breakages.b[0]);
	st->tried = 1;
	return st;
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
	if (!ret) {
		r->kbuild_step = make_step(r, g, t);
		tree_unref(r->start);
		r->start = tree_ref(t);
	} else {
		edit_group_free(g);
	}
	tree_unref(t);
	return ret;
}

void run_put_kbuild_step(struct port_run *r)
{
	struct search_result *s = &r->search;

	if (!r->kbuild_step)
		return;
	s->steps = xrealloc(s->steps, (s->nsteps + 1) * sizeof(*s->steps));
	memmove(s->steps + 1, s->steps, s->nsteps * sizeof(*s->steps));
	s->steps[0] = r->kbuild_step;
	s->nsteps++;
	r->kbuild_step = NULL; /* the result's now */
}
