// SPDX-License-Identifier: GPL-2.0-only
/* Calls of kernel functions, and the types of what is passed, brought to the target's declarations. */
#include "base/compat.h"
#include "port/propose.h"

#include "base/alloc.h"
#include "port/argmap.h"
#include "port/fill.h"
#include "port/recover.h"
#include "port/retype.h"
#include "port/stmt.h"

#define TECHNIQUE "args"
#define MAX_VARIANTS 4

struct place {
	const struct propose_ctx *c;
	struct type_env env;
	struct srcfile *f;
	const struct cfile *cf;
	const struct ctoks *ts;
	uint32_t tok;
	struct edit_group_list *out;
};

/* The call of "name" around or at the site; for macros also the one that the site's line shows. */
static const struct call *call_at(const struct place *p, const struct calls *calls)
{
	const struct call *best = NULL;
	size_t i;

	for (i = 0; i < calls->n; i++) {
		const struct call *c = &calls->c[i];

		if (c->f == p->f && p->tok >= c->name && p->tok <= c->close)
			best = c;
	}
	return best;
}

static void propose_call(struct place *p, const char *name)
{
	struct calls calls;
	const struct call *site;
	struct argmap m = { 0 };
	size_t v;

	calls_find(p->c->tree, p->f, name, &calls);
	site = call_at(p, &calls);
	if (!site)
		goto out;
	if (argmap_init(&m, p->c, name, site)) {
		for (v = 0; v < MAX_VARIANTS; v++) {
			struct edit_group *g = argmap_build(&m, v, TECHNIQUE);

			if (!g)
				break;
			edit_group_list_add(p->out, g);
		}
	}
	argmap_release(&m);
out:
	calls_release(&calls);
}

/* The macro in the driver's text whose expansion holds the call that failed. */
static char *outer_call(const struct place *p)
{
	if (ctok_is_ident(p->ts, p->tok) && ctok_is(p->ts, p->tok + 1, "("))
		return ctok_dup(p->ts, p->tok);
	return NULL;
}

static void propose_arity(struct place *p)
{
	const char *symbol = p->c->b->diag.symbol;
	size_t before = p->out->n;
	char *outer;

	if (symbol)
		propose_call(p, symbol);
	/* An argument may be a call itself: only a macro hides the one that is meant. */
	outer = p->out->n == before && (p->c->b->diag.context != DIAG_CTX_ARGUMENT ||
					p->c->b->diag.macro) ? outer_call(p) : NULL;
	if (outer && (!symbol || strcmp(outer, symbol)))
		propose_call(p, outer);
	free(outer);
}

/* ---- one argument or value of another type -------------------------------------------------- */

static void add_conversion(struct place *p, struct cspan e, const char *text, const char *how,
			   enum risk risk, double score)
{
	const struct diag *d = &p->c->b->diag;
	struct edit_group *g = edit_group_new(EDIT_TYPED, TECHNIQUE, risk, score);

	edit_add(g, p->f->path, srcfile_span_start(p->f, e), srcfile_span_end(p->f, e), text);
	if (d->context == DIAG_CTX_ARGUMENT && d->symbol)
		edit_group_title(g, "pass '%s' to %s()", d->expected, d->symbol);
	else
		edit_group_title(g, "use '%s' where %s has it", d->expected, propose_target(p->c));
	edit_group_why(g, "In %s '%s' is wanted where the driver has '%s'; the value comes from %s.",
		       propose_target(p->c), d->expected, d->found, how);
	g->symbol = xstrdup(d->symbol);
	edit_group_list_add(p->out, g);
}

/* "&init_user_ns": an object of the kernel, which the driver does not declare. */
static bool is_kernel_object(const struct place *p, struct cspan e)
{
	char *name;
	bool yes;

	if (e.end != e.first + 2 || !ctok_is(p->ts, e.first, "&") ||
	    !ctok_is_ident(p->ts, e.first + 1) || !p->c->new_ix)
		return false;
	name = ctok_dup(p->ts, e.first + 1);
	yes = api_lookup(p->c->new_ix, name, API_VARIABLE) ||
	      (p->c->old_ix && api_lookup(p->c->old_ix, name, API_VARIABLE));
	free(name);
	return yes;
}

/*
 * A number, or an object of the kernel, did; now it is an object of another
 * type, and there is one of it.
 */
static void propose_object(struct place *p, struct cspan e)
{
	const struct diag *d = &p->c->b->diag;
	struct sigparam want = { .type = d->expected };
	struct scope s;
	struct fills fills;
	size_t i;

	scope_collect(p->f, cfile_func_at(p->cf, p->tok), p->tok, &s);
	fill_parameter(&p->env, &s, NULL, p->tok, &want, 2, &fills);
	for (i = 0; i < fills.n; i++)
		if (!fills.f[i].is_default)
			add_conversion(p, e, fills.f[i].expr, fills.f[i].how, RISK_REVIEW,
				       fills.f[i].score * 0.8);
	fills_release(&fills);
	scope_release(&s);
}

static bool is_simple(const struct ctoks *ts, struct cspan e)
{
	uint32_t i;

	for (i = e.first; i < e.end; i++)
		if (!ctok_is_ident(ts, i) && !ctok_is(ts, i, ".") && !ctok_is(ts, i, "->"))
			return false;
	return e.end > e.first;
}

/* One step by types: "&x", "*x", a member, an accessor. */
static void propose_step(struct place *p, struct cspan e)
{
	const struct diag *d = &p->c->b->diag;
	char *text = srcfile_span_text(p->f, e), *ptr = xstrfmt("%s *", d->found), *expr;
	struct sigparam have = { .type = d->found, .name = text };
	struct recoveries r = { 0 };
	char *deref = xstrfmt("%s *", d->expected);
	size_t i;

	if (!is_simple(p->ts, e))
		goto out;
	if (type_same_unqualified(&p->env, ptr, d->expected)) {
		expr = xstrfmt("&%s", text);
		add_conversion(p, e, expr, "its address", RISK_REVIEW, 0.7);
		free(expr);
	} else if (type_same_unqualified(&p->env, deref, d->found)) {
		expr = xstrfmt("*%s", text);
		add_conversion(p, e, expr, "what it points to", RISK_REVIEW, 0.7);
		free(expr);
	}
	recover_expr(&p->env, p->c->old_ix, &have, 1, d->expected, NULL, 3, &r);
	for (i = 0; i < r.n; i++)
		add_conversion(p, e, r.r[i].expr, r.r[i].how, RISK_REVIEW, r.r[i].score * 0.9);
	recoveries_release(&r);
out:
	free(deref);
	free(ptr);
	free(text);
}

static bool argument_span(const struct place *p, struct cspan *out)
{
	const struct diag *d = &p->c->b->diag;
	struct calls calls;
	const struct call *site;
	bool ok = false;

	if (!d->symbol || d->arg < 1)
		return false;
	calls_find(p->c->tree, p->f, d->symbol, &calls);
	site = call_at(p, &calls);
	if (site && (size_t)d->arg <= site->nargs) {
		*out = site->args[d->arg - 1];
		ok = true;
	}
	calls_release(&calls);
	return ok;
}

/* The value of an initialiser, assignment or return at the site. */
static bool value_span(const struct place *p, struct cspan *out)
{
	uint32_t start = stmt_start(p->ts, p->tok), end = stmt_end(p->ts, p->tok), i;

	if (p->c->b->diag.context == DIAG_CTX_RETURN && ctok_is(p->ts, start, "return")) {
		*out = (struct cspan){ start + 1, end };
		return true;
	}
	for (i = start; i < end; i++) {
		if (ctok_is(p->ts, i, "=")) {
			*out = (struct cspan){ i + 1, end };
			return i + 1 < end && !ctok_is(p->ts, i + 1, "{");
		}
	}
	return false;
}

static void propose_value(struct place *p)
{
	const struct diag *d = &p->c->b->diag;
	struct cspan e;
	bool arg = d->context == DIAG_CTX_ARGUMENT;

	if (!d->expected || !d->found || strchr(d->expected, '(') || strchr(d->found, '('))
		return;
	if (arg ? !argument_span(p, &e) : !value_span(p, &e))
		return;
	/* Differences of qualifiers are propose_const's. */
	if (type_same_unqualified(&p->env, d->expected, d->found))
		return;
	propose_step(p, e);
	if (arg && (d->kind == DIAG_INT_CONVERSION || is_kernel_object(p, e)))
		propose_object(p, e);
	retype_value(p->c, p->f, p->tok, e, TECHNIQUE, p->out);
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	struct place p = { .c = c, .out = out };

	p.env = (struct type_env){ .ix = c->new_ix, .tree = c->tree };
	p.f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	if (!p.f || !srcfile_is_c(p.f))
		return 0;
	p.cf = srcfile_parse(p.f);
	p.ts = p.cf->ts;
	p.tok = (uint32_t)ctok_at(p.ts, c->b->start);
	if (p.tok >= p.ts->n)
		return 0;
	if (c->b->diag.kind == DIAG_TOO_FEW_ARGS || c->b->diag.kind == DIAG_TOO_MANY_ARGS ||
	    c->b->diag.kind == DIAG_MACRO_ARITY) {
		propose_arity(&p);
		return 0;
	}
	/* A parameter that moved or went shows as a wrong type first. */
	if (c->b->diag.context == DIAG_CTX_ARGUMENT && c->b->diag.symbol)
		propose_arity(&p);
	propose_value(&p);
	return 0;
}

const struct proposer propose_args = {
	.name = TECHNIQUE,
	.kinds = KIND_BIT(DIAG_TOO_FEW_ARGS) | KIND_BIT(DIAG_TOO_MANY_ARGS) |
		 KIND_BIT(DIAG_MACRO_ARITY) | KIND_BIT(DIAG_INCOMPATIBLE_POINTER) |
		 KIND_BIT(DIAG_INT_CONVERSION) | KIND_BIT(DIAG_INCOMPATIBLE_TYPES),
	.propose = propose,
};
