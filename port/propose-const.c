// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel gives as const is kept const: the receiving declaration says so. Never a cast. */
#include "base/compat.h"
#include "port/propose.h"

#include "base/alloc.h"
#include "port/calls.h"
#include "port/constify.h"
#include "port/stmt.h"

#define TECHNIQUE "const"

struct place {
	const struct propose_ctx *c;
	struct type_env env;
	struct srcfile *f;
	const struct cfile *cf;
	const struct ctoks *ts;
	const struct cfunc *fn;
	struct scope scope;
	uint32_t tok;
	struct edit_group_list *out;
};

static void finish(struct place *p, struct edit_group *g, bool ok, const char *type,
		   const char *what)
{
	char *base;

	if (!ok || !g->n) {
		edit_group_free(g);
		return;
	}
	base = ctype_base(type);
	edit_group_title(g, "keep '%s' const", base);
	edit_group_why(g, "In %s %s; the declaration that receives it takes over the qualifier.",
		       propose_target(p->c), what);
	g->symbol = base;
	edit_group_list_add(p->out, g);
}

static struct edit_group *new_group(double score)
{
	return edit_group_new(EDIT_TYPED, TECHNIQUE, RISK_SAFE, score);
}

static void constify_decl(struct place *p, const struct decl *d, unsigned levels, const char *what)
{
	struct edit_group *g = new_group(0.9);

	finish(p, g, const_add_decl(g, p->f, d, levels), d->type, what);
}

/* The declaration whose initialiser holds the token. */
static const struct decl *initialised_at(const struct place *p)
{
	const struct decl *hit = NULL;
	size_t i;

	for (i = 0; i < p->scope.n; i++) {
		const struct decl *d = &p->scope.d[i];

		if (p->tok >= d->init.first && p->tok < d->init.end)
			hit = d;
	}
	return hit;
}

/* The "=" of an assignment at the site, or CTOK_NONE. */
static uint32_t assignment_at(const struct place *p, uint32_t *start)
{
	uint32_t i, end = stmt_end(p->ts, p->tok);

	*start = stmt_start(p->ts, p->tok);
	for (i = *start; i < end; i++) {
		if (ctok_is(p->ts, i, "="))
			return i;
		if (p->ts->t[i].match != CTOK_NONE && p->ts->t[i].match > i)
			i = p->ts->t[i].match;
	}
	return CTOK_NONE;
}

/* A member of one of the driver's own structures. */
static void constify_member(struct place *p, uint32_t start, uint32_t eq)
{
	char *type = expr_type(&p->env, &p->scope, start, eq - 2), *base = NULL, *member = NULL;
	const char *tag;
	size_t i;

	if (!type)
		return;
	base = ctype_base(type);
	member = ctok_dup(p->ts, eq - 1);
	for (i = 0; skip_prefix(base, "struct ", &tag) && i < p->c->tree->n; i++) {
		struct srcfile *f = p->c->tree->files[i];
		const struct cstruct *st = srcfile_is_c(f) ? cfile_struct(srcfile_parse(f), tag) : NULL;
		struct scope ms = { 0 };
		const struct decl *d;
		struct edit_group *g;

		if (!st)
			continue;
		scope_collect_members(f, st->body, &ms);
		d = scope_find(&ms, member);
		if (d) {
			g = new_group(0.8);
			finish(p, g, const_add_decl(g, f, d, const_target_level(d->type)), d->type,
			       "the value stored in the member is const");
		}
		scope_release(&ms);
		break;
	}
	free(member);
	free(base);
	free(type);
}

static void propose_assign(struct place *p)
{
	uint32_t start, eq = assignment_at(p, &start);
	const struct decl *d;
	char *name;

	if (eq == CTOK_NONE)
		return;
	if (eq > start + 2 && is_member_access(p->ts, eq - 1)) {
		constify_member(p, start, eq);
		return;
	}
	name = ctok_dup(p->ts, eq - 1);
	d = scope_find(&p->scope, name);
	free(name);
	if (d)
		constify_decl(p, d, const_target_level(d->type), "the assigned value is const");
}

static void propose_init(struct place *p)
{
	const struct decl *d = initialised_at(p);

	/* A brace's element is a member of the structure, not the object itself. */
	if (d && !ctok_is(p->ts, d->init.first, "{"))
		constify_decl(p, d, const_target_level(d->type), "the initial value is const");
	else if (!d)
		propose_assign(p);
}

static void propose_return(struct place *p)
{
	struct csig sig;
	struct edit_group *g;
	bool ok;

	if (!p->fn || !func_sig(p->f, p->fn, &sig))
		return;
	g = new_group(0.7);
	ok = const_add_function(g, p->c->tree, p->f, p->fn, -1, const_target_level(sig.ret));
	finish(p, g, ok, sig.ret, "the returned value is const");
	csig_release(&sig);
}

/* The driver's own callee takes it as const. */
static void propose_argument(struct place *p)
{
	const struct diag *d = &p->c->b->diag;
	struct srcfile *f = NULL;
	const struct cfunc *fn = d->symbol ? propose_find_function(p->c, d->symbol, &f) : NULL;
	struct csig sig;
	unsigned levels;
	struct edit_group *g;
	size_t arg = d->arg > 0 ? (size_t)d->arg - 1 : 0;

	if (!fn || d->arg < 1 || !callable_sig(&p->env, d->symbol, &sig))
		return;
	if (arg < sig.n) {
		levels = d->found ? const_missing(sig.p[arg].type, d->found) : 0;
		if (!levels)
			levels = const_target_level(sig.p[arg].type);
		g = new_group(0.85);
		finish(p, g, const_add_function(g, p->c->tree, f, fn, (int)arg, levels),
		       sig.p[arg].type, "the argument is const");
	}
	csig_release(&sig);
}

/* ---- pointers that differ in qualifiers only -------------------------------------------- */

/*
 * A table or variable of the driver whose type lacks a const that the kernel
 * wants: "struct bin_attribute *attrs[]" for "const struct bin_attribute *const *".
 */
static void propose_supplier(struct place *p, const char *want)
{
	size_t end = p->c->b->end > p->c->b->start ? ctok_at(p->ts, p->c->b->end - 1) + 1 :
						     p->tok + 1;
	uint32_t i;

	for (i = p->tok; i < end && i < p->ts->n; i++) {
		const struct decl *d;
		struct edit_group *g;
		struct strbuf type = STRBUF_INIT;
		char *name;

		if (!ctok_is_ident(p->ts, i) || is_member_access(p->ts, i))
			continue;
		name = ctok_dup(p->ts, i);
		d = scope_find(&p->scope, name);
		free(name);
		if (!d)
			continue;
		strbuf_addstr(&type, d->type);
		if (i && ctok_is(p->ts, i - 1, "&"))
			strbuf_addstr(&type, ends_with(d->type, "*") ? "*" : " *");
		g = new_group(0.9);
		finish(p, g, const_add_decl(g, p->f, d, const_missing(type.buf, want)), want,
		       "the kernel takes it as const");
		strbuf_release(&type);
	}
}

static void propose_pointer(struct place *p)
{
	const struct diag *d = &p->c->b->diag;

	if (!d->expected || !d->found || strchr(d->expected, '(') ||
	    !type_same_unqualified(&p->env, d->expected, d->found))
		return;
	propose_supplier(p, d->expected);
	/* The other way round: what receives it lacks the const. */
	if (const_missing(d->expected, d->found)) {
		const struct decl *r = initialised_at(p);

		if (r && !ctok_is(p->ts, r->init.first, "{"))
			constify_decl(p, r, const_missing(r->type, d->found),
				      "the initial value is const");
	}
}

/* ---- read-only objects --------------------------------------------------------------------- */

/* A pointer to const that the driver declared although what it was given is not. */
static void propose_read_only(struct place *p)
{
	uint32_t start = stmt_start(p->ts, p->tok), i;
	char *name = ctok_is_ident(p->ts, start) ? ctok_dup(p->ts, start) : NULL;
	const struct decl *d = name ? scope_find(&p->scope, name) : NULL;
	char *type = NULL;

	free(name);
	if (!d || d->param || d->shared || d->init.end == d->init.first)
		return;
	type = expr_type(&p->env, &p->scope, d->init.first, d->init.end);
	for (i = d->spec.first; type && !strstr(type, "const") && i < d->spec.end; i++) {
		struct edit_group *g;

		if (!ctok_is(p->ts, i, "const"))
			continue;
		g = edit_group_new(EDIT_TYPED, TECHNIQUE, RISK_REVIEW, 0.6);
		edit_add(g, p->f->path, p->ts->t[i].off, p->ts->t[i + 1].off, "");
		edit_group_title(g, "write to '%s' through a pointer that allows it", type);
		edit_group_why(g, "The pointer was declared const although '%s' is given.", type);
		edit_group_list_add(p->out, g);
		break;
	}
	free(type);
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
	p.fn = cfile_func_at(p.cf, p.tok);
	scope_collect(p.f, p.fn, CTOK_NONE, &p.scope);
	if (c->b->diag.kind == DIAG_INCOMPATIBLE_POINTER)
		propose_pointer(&p);
	else if (c->b->diag.kind == DIAG_READ_ONLY)
		propose_read_only(&p);
	else if (c->b->diag.context == DIAG_CTX_ARGUMENT)
		propose_argument(&p);
	else if (c->b->diag.context == DIAG_CTX_RETURN)
		propose_return(&p);
	else if (c->b->diag.context == DIAG_CTX_INIT)
		propose_init(&p);
	else
		propose_assign(&p);
	scope_release(&p.scope);
	return 0;
}

const struct proposer propose_const = {
	.name = TECHNIQUE,
	.kinds = KIND_BIT(DIAG_DISCARDED_QUALIFIER) | KIND_BIT(DIAG_READ_ONLY) |
		 KIND_BIT(DIAG_INCOMPATIBLE_POINTER),
	.propose = propose,
};
