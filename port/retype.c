// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/retype.h"

#include "base/alloc.h"
#include "port/scope.h"
#include "port/sigchange.h"
#include "port/stmt.h"

struct retype {
	const struct propose_ctx *c;
	struct type_env env;
	struct srcfile *f;
	const struct ctoks *ts;
	struct scope scope;
	const char *technique;
	struct edit_group_list *out;
};

/* Tokens of the declared type without storage words, const and stars. */
static struct cspan base_span(const struct retype *r, const struct decl *d)
{
	struct cspan s = d->param ? (struct cspan){ d->declarator.first, d->name } : d->spec;
	uint32_t i, first = CTOK_NONE, end = s.first;

	for (i = s.first; i < s.end && !ctok_is(r->ts, i, "*"); i++) {
		char *w = ctok_dup(r->ts, i);
		bool skip = ctype_is_annotation(w) || !strcmp(w, "const") || !strcmp(w, "volatile");

		free(w);
		if (skip)
			continue;
		if (first == CTOK_NONE)
			first = i;
		end = i + 1;
	}
	return (struct cspan){ first, first == CTOK_NONE ? first : end };
}

static bool is_number(const struct retype *r, const char *base)
{
	char *t = type_resolve(&r->env, base);
	bool yes = !starts_with(t, "struct ") && !starts_with(t, "union ") && strcmp(t, "void") &&
		   !strchr(t, '(');

	free(t);
	return yes;
}

/* "base" of the wanted type as one would write it: "const long unsigned int *" gives "unsigned long". */
static char *spelled(const char *type)
{
	static const char *const t[][2] = {
		{ "long unsigned int", "unsigned long" },
		{ "short unsigned int", "unsigned short" },
		{ "long long unsigned int", "unsigned long long" },
		{ "long int", "long" }, { "short int", "short" },
		{ "long long int", "long long" }, { "_Bool", "bool" },
	};
	char *base = ctype_base(type);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		if (!strcmp(base, t[i][0])) {
			free(base);
			return xstrdup(t[i][1]);
		}
	}
	return base;
}

/* callee: the kernel's function that takes or gives the value, or NULL. */
static void retype_decl(struct retype *r, const struct decl *d, const char *type,
			const char *callee)
{
	char *now = ctype_base(d->type), *base = spelled(type);
	struct cspan s = base_span(r, d);
	bool plain = is_number(r, now) && is_number(r, base);
	struct edit_group *g;

	/* Globals are tables of data, and other declarators share the type. */
	if (d->shared || s.first == CTOK_NONE || !*base || !strcmp(now, base) ||
	    ctype_pointers(d->type) > 1 || strchr(d->type, '(') ||
	    (!d->param && d->block == CTOK_NONE && !plain))
		goto out;
	g = edit_group_new(EDIT_TYPED, r->technique, plain ? RISK_SAFE : RISK_REVIEW,
			   plain ? 0.7 : 0.5);
	edit_add(g, r->f->path, srcfile_span_start(r->f, s), srcfile_span_end(r->f, s), base);
	if (callee)
		edit_group_title(g, "use '%s' with %s()", base, callee);
	else
		edit_group_title(g, "use '%s' instead of '%s'", base, now);
	edit_group_why(g, "In %s the interface has '%s' where the driver declares '%s'.",
		       propose_target(r->c), base, now);
	g->symbol = xstrdup(callee ? callee : base);
	edit_group_list_add(r->out, g);
out:
	free(now);
	free(base);
}

static const struct decl *decl_of(struct retype *r, uint32_t tok)
{
	char *name = ctok_is_ident(r->ts, tok) ? ctok_dup(r->ts, tok) : NULL;
	const struct decl *d = name ? scope_find(&r->scope, name) : NULL;

	free(name);
	return d;
}

/* The parameter's type as the header spells it; gcc names what macros stand for. */
static char *declared_type(const struct retype *r)
{
	const struct diag *diag = &r->c->b->diag;
	struct csig sig;
	char *type = NULL;

	if (diag->context != DIAG_CTX_ARGUMENT || !diag->symbol || diag->arg < 1 ||
	    !callable_sig(&r->env, diag->symbol, &sig))
		return NULL;
	if ((size_t)diag->arg <= sig.n &&
	    ctype_pointers(sig.p[diag->arg - 1].type) == ctype_pointers(diag->expected))
		type = xstrdup(sig.p[diag->arg - 1].type);
	csig_release(&sig);
	return type;
}

/* "x" or "&x": the object that is passed. */
static void supplier(struct retype *r, struct cspan e)
{
	uint32_t first = e.first + (ctok_is(r->ts, e.first, "&") ? 1 : 0);
	const struct diag *diag = &r->c->b->diag;
	const struct decl *d;

	if (first + 1 != e.end)
		return;
	d = decl_of(r, first);
	if (d) {
		char *type = declared_type(r);

		retype_decl(r, d, type ? type : diag->expected,
			    diag->context == DIAG_CTX_ARGUMENT ? diag->symbol : NULL);
		free(type);
	}
}

/* What "x = value" or "T x = value" stores into. */
static void receiver(struct retype *r, uint32_t tok, struct cspan e)
{
	uint32_t start = stmt_start(r->ts, tok);
	const struct decl *d = NULL;
	char *callee = NULL;
	size_t i;

	for (i = 0; i < r->scope.n; i++)
		if (r->scope.d[i].init.first == e.first && r->scope.d[i].init.end >= e.end)
			d = &r->scope.d[i];
	if (!d && start + 2 == e.first)
		d = decl_of(r, start);
	if (ctok_is_ident(r->ts, e.first) && ctok_is(r->ts, e.first + 1, "("))
		callee = ctok_dup(r->ts, e.first);
	if (callee && propose_find_function(r->c, callee, NULL)) {
		free(callee);
		callee = NULL;
	}
	if (d)
		retype_decl(r, d, r->c->b->diag.found, callee);
	free(callee);
}

/* A function of the driver that is handed what the kernel gives takes it as that. */
static bool callee_of_driver(struct retype *r)
{
	const struct diag *diag = &r->c->b->diag;
	struct srcfile *f = NULL;
	const struct cfunc *fn = NULL;
	struct sigchange sc;
	struct csig to;
	struct edit_group *g;

	if (diag->context != DIAG_CTX_ARGUMENT || !diag->symbol ||
	    !propose_find_function(r->c, diag->symbol, NULL))
		return false;
	fn = sig_find_definition(r->c, diag->symbol, NULL, diag->arg, diag->expected, &f);
	if (!fn || !func_sig(f, fn, &to))
		return true;
	if ((size_t)diag->arg <= to.n) {
		char **type = &to.p[diag->arg - 1].type;

		free(*type);
		*type = xstrdup(diag->found);
		if (sigchange_init(&sc, r->c, f, fn, &to)) {
			g = sigchange_build(&sc, sc.nvariants - 1, r->technique);
			if (g) {
				edit_group_title(g, "pass on '%s' within the driver", diag->found);
				edit_group_why(g, "In %s '%s' comes from the kernel where '%s' did.",
					       propose_target(r->c), diag->found, diag->expected);
				g->symbol = ctype_base(diag->found);
				if (g->risk < RISK_REVIEW)
					g->risk = RISK_REVIEW;
				edit_group_list_add(r->out, g);
			}
		}
		sigchange_release(&sc);
	}
	csig_release(&to);
	return true;
}

void retype_value(const struct propose_ctx *c, struct srcfile *f, uint32_t tok, struct cspan e,
		  const char *technique, struct edit_group_list *out)
{
	struct retype r = { .c = c, .f = f, .ts = srcfile_toks(f), .technique = technique,
			    .out = out };
	const struct diag *d = &c->b->diag;

	r.env = (struct type_env){ .ix = c->new_ix, .tree = c->tree };
	scope_collect(f, srcfile_func_at(f, c->b->start), CTOK_NONE, &r.scope);
	if (!callee_of_driver(&r) && ctype_pointers(d->expected) == ctype_pointers(d->found)) {
		if (d->context == DIAG_CTX_INIT || d->context == DIAG_CTX_ASSIGN)
			receiver(&r, tok, e);
		supplier(&r, e);
	}
	scope_release(&r.scope);
}
