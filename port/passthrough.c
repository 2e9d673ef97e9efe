// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/passthrough.h"

#include "base/alloc.h"
#include "port/argmap.h"
#include "port/stmt.h"

struct pass {
	const struct propose_ctx *c;
	struct srcfile *f;
	const struct ctoks *ts;
	struct strvec done; /* callees whose edits are in */
	struct edit_group *g;
};

/* The "(" of the call that has token i as a whole argument, or CTOK_NONE. */
static uint32_t call_of_argument(const struct ctoks *ts, uint32_t i)
{
	uint32_t k = i;

	if (!ctok_is(ts, i + 1, ",") && !ctok_is(ts, i + 1, ")"))
		return CTOK_NONE;
	if (!i || (!ctok_is(ts, i - 1, ",") && !ctok_is(ts, i - 1, "(")))
		return CTOK_NONE;
	while (k-- > 0) {
		if (ctok_is(ts, k, "("))
			return k && ctok_is_ident(ts, k - 1) ? k : CTOK_NONE;
		if (ctok_is(ts, k, ";") || ctok_is(ts, k, "{"))
			return CTOK_NONE;
		if (ts->t[k].match != CTOK_NONE && ts->t[k].match < k)
			k = ts->t[k].match;
	}
	return CTOK_NONE;
}

static void add_edits(struct pass *p, const struct edit_group *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		edit_add(p->g, from->e[i].path, from->e[i].start, from->e[i].end, from->e[i].text);
	edit_group_why(p->g, "%s", from->why);
}

/* The argument at token i of the call at "(" goes, with those of all calls of the same function. */
static bool drop_argument(struct pass *p, const struct call *call, const char *callee, uint32_t i)
{
	struct argmap m = { 0 };
	struct edit_group *g = NULL;
	size_t arg;
	bool ok = false;

	for (arg = 0; arg < call->nargs && call->args[arg].first != i; arg++)
		;
	if (argmap_init(&m, p->c, callee, call) && !m.guessed && arg < m.map.nfrom &&
	    !m.map.kept[arg]) {
		if (strvec_contains(&p->done, callee)) {
			ok = true;
		} else {
			g = argmap_build(&m, 0, "");
			ok = g && g->risk == RISK_SAFE;
		}
	}
	if (g && ok) {
		add_edits(p, g);
		strvec_push(&p->done, callee);
	}
	edit_group_free(g);
	argmap_release(&m);
	return ok;
}

static bool drop_use(struct pass *p, uint32_t i)
{
	uint32_t open = call_of_argument(p->ts, i);
	struct calls calls;
	char *callee;
	bool ok = false;
	size_t k;

	if (open == CTOK_NONE)
		return false;
	callee = ctok_dup(p->ts, open - 1);
	calls_find(p->c->tree, p->f, callee, &calls);
	for (k = 0; k < calls.n && !ok; k++)
		if (calls.c[k].open == open)
			ok = drop_argument(p, &calls.c[k], callee, i);
	calls_release(&calls);
	free(callee);
	return ok;
}

bool passthrough_drop(const struct propose_ctx *c, struct srcfile *f, const struct cfunc *fn,
		      const char *name, struct edit_group *g)
{
	struct pass p = { .c = c, .f = f, .ts = srcfile_toks(f), .done = STRVEC_INIT };
	bool ok = true;
	uint32_t i;

	p.g = edit_group_new(EDIT_TYPED, "", RISK_SAFE, 1);
	for (i = fn->body.first; i < fn->body.end && ok; i++)
		if (ctok_is(p.ts, i, name) && !is_member_access(p.ts, i))
			ok = drop_use(&p, i);
	if (ok && p.g->n) {
		size_t k;

		for (k = 0; k < p.g->n; k++)
			edit_add(g, p.g->e[k].path, p.g->e[k].start, p.g->e[k].end,
				 p.g->e[k].text);
		edit_group_why(g, "%s", p.g->why);
	}
	ok = ok && p.g->n;
	edit_group_free(p.g);
	strvec_release(&p.done);
	return ok;
}
