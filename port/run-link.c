// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/run-link.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "port/node.h"

#define IDENTIFIER "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
/* Each repair costs a whole build; real drivers need one or two (namespaces). */
#define MAX_LINK_REPAIRS 8

static bool had_section_mismatch(const struct port_run *r)
{
	for (size_t i = 0; r->have_old_build && i < r->old_build.modpost.n; i++)
		if (r->old_build.modpost.d[i].kind == DIAG_SECTION_MISMATCH)
			return true;
	return false;
}

/* What modpost and objtool say, and what only a whole compiler run finds (a result that is not used, ...). */
static void link_breakages(struct port_run *r, const struct kbuild_result *b, struct tree *t,
			   struct breakage_list *out)
{
	struct diag_list sections = { 0 };

	breakages_from_diags(&b->modpost, -1, r->new->tree, t, NULL, out);
	/* A warning, but one that the link gate takes for a failure. */
	for (size_t i = 0; i < b->modpost.n && !had_section_mismatch(r); i++) {
		struct diag *d;

		if (b->modpost.d[i].kind != DIAG_SECTION_MISMATCH || diag_is_failure(&b->modpost.d[i]))
			continue;
		d = diag_list_add(&sections);
		diag_copy(d, &b->modpost.d[i]);
		d->dangerous = true;
	}
	breakages_from_diags(&sections, -1, r->new->tree, t, NULL, out);
	diag_list_release(&sections);
	for (size_t u = 0; u < b->nunits; u++) {
		struct diag_list folded = { 0 };

		diag_fold(&b->units[u].diags, &folded);
		breakages_from_diags(&folded, (int)u, r->new->tree, t, r->keys, out);
		diag_list_release(&folded);
	}
}

static size_t count_work(const struct breakage_list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += breakage_is_work(&l->b[i]);
	return n;
}

static void take_step(struct port_run *r, struct edit_group *g, struct tree *after,
		      const struct breakage *b, size_t tried)
{
	struct search_result *s = &r->search;
	struct port_step *st = xcalloc(1, sizeof(*st));

	st->refs = 1;
	st->group = g;
	st->before = tree_ref(s->tree);
	st->after = tree_ref(after);
	breakage_copy(&st->target, b);
	st->tried = tried;
	s->steps = xrealloc(s->steps, (s->nsteps + 1) * sizeof(*s->steps));
	s->steps[s->nsteps++] = st;
	tree_unref(s->tree);
	s->tree = tree_ref(after);
}

static void take_build(struct port_run *r, struct kbuild_result *b)
{
	if (r->have_new_build)
		kbuild_result_release(&r->new_build);
	r->new_build = *b;
	r->have_new_build = true;
}

/* Tries the candidates of one finding; 1: repaired, 0: not. */
static int repair(struct port_run *r, const struct search_ctx *c, const struct breakage *b,
		  const struct breakage_list *all, struct strbuf *err)
{
	struct edit_group_list cands = { 0 };
	struct propose_ctx pc = c->propose;
	bool tried = false;
	int ret;

	pc.tree = r->search.tree;
	pc.b = b;
	pc.all = all;
	ret = propose_all(&pc, 3, &cands, err);
	for (size_t i = 0; !ret && i < cands.n; i++) {
		struct strbuf why = STRBUF_INIT;
		bool shown = cands.g[i]->risk == RISK_SHOWN;
		struct tree *t = shown ? NULL : tree_apply(r->search.tree, cands.g[i], &why);
		struct kbuild_result built = { 0 };
		struct breakage_list now = { 0 };

		strbuf_release(&why);
		if (!t)
			continue;
		tried = true;
		ret = run_fresh_build(r, t, &built, err);
		if (!ret) {
			link_breakages(r, &built, t, &now);
			if (count_work(&now) < count_work(all) && !breakage_list_count(&now, b->key)) {
				take_step(r, cands.g[i], t, b, i + 1);
				cands.g[i] = NULL;
				take_build(r, &built);
				ret = 1;
			} else {
				kbuild_result_release(&built);
			}
		}
		breakage_list_release(&now);
		tree_unref(t);
	}
	/* A refused candidate's objects lie in the tree: build the result again. */
	if (!ret && tried) {
		struct kbuild_result built = { 0 };

		ret = run_fresh_build(r, r->search.tree, &built, err);
		if (!ret)
			take_build(r, &built);
	}
	edit_group_list_release(&cands);
	return ret;
}

/*
 * Missing symbols that the target's source does export, from a file that its
 * configuration leaves out: no change of the driver brings them back.
 */
static int find_unconfigured(struct port_run *r, const struct kbuild_result *b, struct strbuf *err)
{
	struct strbuf pattern = STRBUF_INIT, out = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	struct child_result res = { 0 };
	struct child c = CHILD_INIT;
	int ret = 0;

	for (size_t i = 0; i < b->modpost.n; i++) {
		const struct diag *d = &b->modpost.d[i];

		if (d->kind == DIAG_UNDEFINED_SYMBOL && d->symbol &&
		    d->symbol[strspn(d->symbol, IDENTIFIER)] == '\0')
			strbuf_addf(&pattern, "%s%s", pattern.len ? "|" : "", d->symbol);
	}
	if (!pattern.len || !r->to->source_dir)
		goto out;
	strvec_pushl(&c.argv, "grep", "-roE", "--include=*.c", NULL);
	strvec_pushf(&c.argv, "^EXPORT_SYMBOL[A-Z_]*\\((%s)[,)]", pattern.buf);
	strvec_push(&c.argv, ".");
	c.dir = r->to->source_dir;
	c.out = &out;
	c.discard = true;
	c.limits.wall_seconds = 180;
	ret = child_run(&c, &res, err);
	if (ret)
		goto out;
	strvec_split(&lines, out.buf, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		const char *colon = strchr(lines.v[i], ':'), *open = colon ? strchr(colon, '(') : NULL;
		const char *file = lines.v[i];

		if (!open)
			continue;
		skip_prefix(file, "./", &file);
		strvec_push_nodup(&r->unconfigured, xstrndup(open + 1, strcspn(open + 1, ",)")));
		strvec_push_nodup(&r->unconfigured, xstrndup(file, (size_t)(colon - file)));
	}
out:
	child_release(&c);
	strvec_release(&lines);
	strbuf_release(&pattern);
	strbuf_release(&out);
	return ret;
}

int run_link_repairs(struct port_run *r, const struct search_ctx *c, struct strbuf *err)
{
	struct kbuild_result built = { 0 };
	int ret = run_fresh_build(r, r->search.tree, &built, err);

	if (ret)
		return ret;
	take_build(r, &built);
	for (int round = 0; round < MAX_LINK_REPAIRS; round++) {
		struct breakage_list l = { 0 };

		link_breakages(r, &r->new_build, r->search.tree, &l);
		ret = 0;
		for (size_t i = 0; i < l.n && !ret; i++) {
			if (breakage_is_work(&l.b[i]))
				ret = repair(r, c, &l.b[i], &l, err);
		}
		breakage_list_release(&l);
		if (ret <= 0)
			break;
	}
	if (ret >= 0)
		ret = find_unconfigured(r, &r->new_build, err);
	return ret < 0 ? ret : 0;
}
