// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/constprop.h"

#include "port/calls.h"
#include "port/constify.h"
#include "port/stmt.h"

struct prop {
	const struct type_env *env;
	struct srcfile *f;
	const struct ctoks *ts;
	const struct cfunc *fn;
	struct scope scope;
	struct strvec names;	/* what is const, with the locals that followed */
	struct strvec done;	/* callees' parameters, "name#index" */
	struct edit_group *g;
	size_t n;
};

/* Is a const thing handed on in [from, end): itself, or as an argument, not something read from it? */
static bool hands_on(const struct prop *p, uint32_t from, uint32_t end)
{
	uint32_t i;
	size_t k;

	for (i = from; i < end; i++) {
		for (k = 0; k < p->names.n; k++) {
			if (!ctok_is(p->ts, i, p->names.v[k]) || is_member_access(p->ts, i))
				continue;
			if (!ctok_is(p->ts, i + 1, "->") && !ctok_is(p->ts, i + 1, ".") &&
			    !ctok_is(p->ts, i + 1, "["))
				return true;
		}
	}
	return false;
}

/* "d = ..." somewhere with a const thing on the right. */
static bool assigned_const(const struct prop *p, const struct decl *d)
{
	uint32_t i;

	for (i = d->stmt.end; i + 1 < p->fn->body.end; i++)
		if (ctok_is(p->ts, i, d->ident) && !is_member_access(p->ts, i) &&
		    ctok_is(p->ts, i + 1, "=") && hands_on(p, i + 2, stmt_end(p->ts, i)))
			return true;
	return false;
}

static bool follow_locals(struct prop *p)
{
	bool more = false;
	size_t i;

	for (i = 0; i < p->scope.n; i++) {
		const struct decl *d = &p->scope.d[i];

		if (d->param || d->block == CTOK_NONE || strvec_contains(&p->names, d->ident) ||
		    scope_find(&p->scope, d->ident) != d || ctype_pointers(d->type) != 1 ||
		    !starts_with(d->type, "struct "))
			continue;
		if (!(d->init.end > d->init.first && hands_on(p, d->init.first, d->init.end)) &&
		    !assigned_const(p, d))
			continue;
		if (!const_add_decl(p->g, p->f, d, const_target_level(d->type)))
			continue;
		strvec_push(&p->names, d->ident);
		p->n++;
		more = true;
	}
	return more;
}

static bool is_const_name(const struct prop *p, struct cspan e)
{
	size_t k;

	for (k = 0; e.end == e.first + 1 && k < p->names.n; k++)
		if (ctok_is(p->ts, e.first, p->names.v[k]))
			return true;
	return false;
}

/* f(x) with f a function of the driver: its parameter. */
static void follow_call(struct prop *p, const struct cfunc *callee, const struct call *c)
{
	struct csig sig;
	size_t i;

	if (!func_sig(p->f, callee, &sig))
		return;
	for (i = 0; i < c->nargs && i < sig.n; i++) {
		char key[32];
		unsigned level = const_target_level(sig.p[i].type);

		snprintf(key, sizeof(key), "%u#%zu", callee->name, i);
		if (!is_const_name(p, c->args[i]) || (const_levels(sig.p[i].type) & level) ||
		    strvec_contains(&p->done, key))
			continue;
		strvec_push(&p->done, key);
		p->n += const_add_function(p->g, p->env->tree, p->f, callee, (int)i, level);
	}
	csig_release(&sig);
}

static void follow_calls(struct prop *p)
{
	const struct cfile *cf = srcfile_parse(p->f);
	size_t i, k;

	for (i = 0; i < cf->nfuncs; i++) {
		struct calls calls;
		char *name;

		if (&cf->funcs[i] == p->fn || cf->funcs[i].from_macro)
			continue;
		name = srcfile_tok_text(p->f, cf->funcs[i].name);
		if (count_ident(p->ts, p->fn->body.first, p->fn->body.end, name)) {
			calls_find(p->env->tree, p->f, name, &calls);
			for (k = 0; k < calls.n; k++)
				if (calls.c[k].fn == p->fn)
					follow_call(p, &cf->funcs[i], &calls.c[k]);
			calls_release(&calls);
		}
		free(name);
	}
}

size_t const_propagate(const struct type_env *env, struct srcfile *f, const struct cfunc *fn,
		       const struct strvec *names, struct edit_group *g)
{
	struct prop p = { .env = env, .f = f, .ts = srcfile_toks(f), .fn = fn, .g = g,
			  .names = STRVEC_INIT, .done = STRVEC_INIT };

	strvec_pushv(&p.names, names->v);
	scope_collect(f, fn, CTOK_NONE, &p.scope);
	while (follow_locals(&p))
		;
	follow_calls(&p);
	scope_release(&p.scope);
	strvec_release(&p.names);
	strvec_release(&p.done);
	return p.n;
}
