// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a model answered for the function of the breakage, placed in this state of the tree.
 * An edit after which the driver does less is shown and never taken.
 */
#include "base/compat.h"
#include "port/model-internal.h"

#include "base/strmap.h"

static bool is_for(const struct model_cand *c, const struct breakage *b)
{
	if (!b->path || strcmp(b->path, c->path))
		return false;
	if (!c->function || !b->function)
		return c->function == b->function;
	return !strcmp(c->function, b->function);
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	for (size_t i = 0; c->model && i < c->model->n; i++) {
		struct strbuf why = STRBUF_INIT;
		struct edit_group *g = NULL;
		struct tree *t = NULL;

		if (is_for(c->model->c[i], c->b) && !strmap_has(c->model->refused, c->model->c[i]->hash.hex))
			g = model_place(c->model->c[i], c->tree, &why);
		if (g)
			t = tree_apply(c->tree, g, &why);
		if (t && model_loses(c->model, c->tree, t, c->scratch, &why)) {
			g->risk = RISK_SHOWN;
			edit_group_why(g, "The driver would do less than before: %s.", why.buf);
		}
		if (t)
			edit_group_list_add(out, g);
		else
			edit_group_free(g);
		tree_unref(t);
		strbuf_release(&why);
	}
	return 0;
}

const struct proposer propose_model = { "model", ~0ULL, propose };
