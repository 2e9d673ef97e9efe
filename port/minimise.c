// SPDX-License-Identifier: GPL-2.0-only
/* Dropping the steps that a result does not need. */
#include "base/compat.h"
#include "port/node.h"

/* No unit that sees the difference has more to repair than before. */
static int as_good(const struct search_ctx *c, struct tree *now, struct tree *was, bool *out,
		   struct strbuf *err)
{
	*out = true;
	for (size_t u = 0; *out && u < oracle_units(c->oracle); u++) {
		struct breakage_list a = { 0 }, b = { 0 };
		int ret = 0;

		if (!oracle_unit_differs(c->oracle, was, now, u))
			continue;
		ret = oracle_check(c->oracle, now, u, &a, err);
		if (!ret)
			ret = oracle_check(c->oracle, was, u, &b, err);
		*out = !ret && breakage_list_weight(&a) <= breakage_list_weight(&b);
		breakage_list_release(&a);
		breakage_list_release(&b);
		if (ret)
			return ret;
	}
	return 0;
}

static void remove_step(struct search_result *r, size_t i)
{
	step_unref(r->steps[i]);
	memmove(r->steps + i, r->steps + i + 1, (r->nsteps - i - 1) * sizeof(*r->steps));
	r->nsteps--;
}

int search_minimise(const struct search_ctx *c, struct search_result *r, struct strbuf *err)
{
	int dropped = 0;

	/* One step is needed, or there would have been nothing to repair. */
	for (size_t i = r->nsteps; r->nsteps > 1 && i-- > 0;) {
		struct port_step *st = r->steps[i];
		struct strbuf why = STRBUF_INIT;
		struct tree *t = tree_merge(st->after, r->tree, st->before, &why);
		bool good = false;
		int ret = 0;

		strbuf_release(&why);
		if (!t)
			continue;
		if (t != r->tree)
			ret = as_good(c, t, r->tree, &good, err);
		if (ret < 0) {
			tree_unref(t);
			return ret;
		}
		if (good) {
			tree_unref(r->tree);
			r->tree = tree_ref(t);
			remove_step(r, i);
			dropped++;
		}
		tree_unref(t);
	}
	return dropped;
}
