// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/memberuse.h"

#include "base/alloc.h"
#include "port/stmt.h"
#include "port/usage.h"

static bool is_access_op(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i, ".") || ctok_is(ts, i, "->");
}

/* "." of a designator: behind "{", "," or another designator. */
static bool is_designator(const struct ctoks *ts, uint32_t tok)
{
	uint32_t dot = tok - 1;

	if (!ctok_is(ts, dot, "."))
		return false;
	if (!dot || ts->t[dot - 1].kind == CTOK_PP)
		return true;
	return ctok_is(ts, dot - 1, "{") || ctok_is(ts, dot - 1, ",");
}

/* First token of the postfix expression that ends at "last". */
static uint32_t postfix_start(const struct ctoks *ts, uint32_t last)
{
	uint32_t i = last;

	for (;;) {
		if ((ctok_is(ts, i, ")") || ctok_is(ts, i, "]")) && ts->t[i].match < i) {
			i = ts->t[i].match;
			if (i && (ctok_is_ident(ts, i - 1) || ctok_is(ts, i - 1, "]") ||
				  ctok_is(ts, i - 1, ")"))) {
				i--;
				continue;
			}
			return i;
		}
		if (i >= 2 && is_access_op(ts, i - 1)) {
			i -= 2;
			continue;
		}
		return i;
	}
}

static char *struct_of(const char *type)
{
	char *base = type && ctype_pointers(type) <= 1 ? ctype_base(type) : NULL;

	if (base && !starts_with(base, "struct ") && !starts_with(base, "union ")) {
		free(base);
		base = NULL;
	}
	return base;
}

static char *access_type(const struct propose_ctx *c, struct srcfile *f, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(f);
	struct type_env env = { c->new_ix, c->tree };
	struct scope s = { 0 };
	uint32_t first = postfix_start(ts, tok - 2);
	char *type, *res, *base;

	scope_collect(f, srcfile_func_at(f, ts->t[tok].off), tok, &s);
	type = expr_type(&env, &s, first, tok - 1);
	if (!type && c->old_ix) { /* through a structure that changed */
		env.ix = c->old_ix;
		type = expr_type(&env, &s, first, tok - 1);
	}
	res = type ? type_resolve(&env, type) : NULL;
	base = struct_of(res ? res : type);
	free(res);
	free(type);
	scope_release(&s);
	return base;
}

/* Depth of braces between the initialiser's first brace and the token; -1: not inside. */
static int brace_depth(const struct ctoks *ts, struct cspan init, uint32_t tok)
{
	int depth = -1;

	if (tok < init.first || tok >= init.end)
		return -1;
	for (uint32_t i = init.first; i < tok; i++) {
		if (!ctok_is(ts, i, "{") && !ctok_is(ts, i, "("))
			continue;
		if (ts->t[i].match != CTOK_NONE && ts->t[i].match < tok)
			i = ts->t[i].match;
		else
			depth++;
	}
	return depth;
}

/* Type of the object whose initialiser holds the designator directly. */
static char *designator_type(struct srcfile *f, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(f);
	struct scope s = { 0 };
	char *type = NULL;

	scope_collect(f, srcfile_func_at(f, ts->t[tok].off), CTOK_NONE, &s);
	for (size_t i = 0; i < s.n; i++) {
		const struct decl *d = &s.d[i];
		bool array = d->type && strchr(d->type, '[');
		int depth = brace_depth(ts, d->init, tok);

		/* An array's elements have braces of their own; "type[]" loses them in some spellings. */
		if (depth == 0 || (depth == 1 && (array || ctok_is(ts, d->init.first + 1, "{") ||
						  ctok_is(ts, d->init.first + 1, "["))))
			type = d->type ? struct_of(d->type) : NULL;
		else
			continue;
		break;
	}
	scope_release(&s);
	return type;
}

char *member_base_type(const struct propose_ctx *c, struct srcfile *f, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(f);

	if (tok < 2 || tok >= ts->n || !is_access_op(ts, tok - 1))
		return NULL;
	return is_designator(ts, tok) ? designator_type(f, tok) : access_type(c, f, tok);
}

uint32_t member_site(const struct propose_ctx *c, struct srcfile *f, const char *member)
{
	const struct ctoks *ts = srcfile_toks(f);
	size_t at = ctok_at(ts, c->b->start);
	size_t from = at > 2 ? at - 2 : 0;

	/* The caret stands at the operator, the name, or the start of the expression. */
	for (size_t i = from; i < ts->n && i < at + 64; i++) {
		if (i > 0 && ctok_is(ts, i, member) && is_access_op(ts, (uint32_t)i - 1))
			return (uint32_t)i;
		if (i > at && ctok_is(ts, i, ";"))
			break;
	}
	return CTOK_NONE;
}

static bool is_assign_op(const struct ctoks *ts, uint32_t i)
{
	static const char *const ops[] = { "=", "|=", "&=", "+=", "-=", "^=", "<<=", ">>=", "*=",
					   "/=", "%=" };

	for (size_t k = 0; k < ARRAY_SIZE(ops); k++)
		if (ctok_is(ts, i, ops[k]))
			return true;
	return false;
}

/* "&x->m", not "a & x->m" */
static bool address_taken(const struct ctoks *ts, uint32_t first)
{
	if (!first || !ctok_is(ts, first - 1, "&"))
		return false;
	return first < 2 || !(ctok_is_ident(ts, first - 2) || ctok_is(ts, first - 2, ")") ||
			      ctok_is(ts, first - 2, "]") ||
			      ts->t[first - 2].kind == CTOK_NUMBER);
}

static void classify_init(struct member_use *u)
{
	const struct ctoks *ts = srcfile_toks(u->f);
	uint32_t i = u->tok + 1;

	u->kind = USE_INIT;
	while (i < ts->n && !ctok_is(ts, i, "=") && !ctok_is(ts, i, ",") && !ctok_is(ts, i, "}"))
		i++;
	u->op = i;
	u->value.first = u->value.end = i + 1;
	for (i++; i < ts->n && !ctok_is(ts, i, ",") && !ctok_is(ts, i, "}"); i++)
		if (ts->t[i].match != CTOK_NONE && ts->t[i].match > i)
			i = ts->t[i].match;
	u->value.end = i;
}

static void classify_access(struct member_use *u)
{
	const struct ctoks *ts = srcfile_toks(u->f);
	uint32_t next = u->tok + 1;

	u->kind = USE_READ;
	if (is_assign_op(ts, next)) {
		u->semi = stmt_end(ts, u->tok);
		u->op = next;
		u->value = (struct cspan){ next + 1, u->semi };
		u->kind = stmt_start(ts, u->tok) == u->base.first && ctok_is(ts, u->semi, ";") ?
				  USE_ASSIGN : USE_OTHER;
	} else if (ctok_is(ts, next, "++") || ctok_is(ts, next, "--") ||
		   (u->base.first && (ctok_is(ts, u->base.first - 1, "++") ||
				      ctok_is(ts, u->base.first - 1, "--"))) ||
		   address_taken(ts, u->base.first)) {
		u->kind = USE_OTHER;
	}
}

static void add_use(struct member_uses *l, struct srcfile *f, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(f);
	struct member_use *u;

	ALLOC_GROW(l->u, l->n + 1, l->alloc);
	u = &l->u[l->n++];
	memset(u, 0, sizeof(*u));
	u->f = f;
	u->tok = tok;
	if (is_designator(ts, tok)) {
		u->base = (struct cspan){ tok, tok };
		classify_init(u);
		return;
	}
	u->base = (struct cspan){ postfix_start(ts, tok - 2), tok - 1 };
	u->pointer = ctok_is(ts, tok - 1, "->");
	classify_access(u);
}

void member_uses_find(const struct propose_ctx *c, const char *type, const char *member,
		      struct member_uses *out)
{
	struct srcfile *own = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	uint32_t site = own ? member_site(c, own, member) : CTOK_NONE;

	for (size_t k = 0; k < c->tree->n; k++) {
		struct srcfile *f = c->tree->files[k];
		const struct ctoks *ts;

		if (!srcfile_is_c(f) || !memmem(f->text, f->len, member, strlen(member)))
			continue;
		ts = srcfile_toks(f);
		for (uint32_t i = 2; i < ts->n; i++) {
			char *base;

			if (!ctok_is(ts, i, member) || ts->t[i].flags & CTOK_DEAD ||
			    !is_access_op(ts, i - 1))
				continue;
			base = f == own && i == site ? xstrdup(type) : member_base_type(c, f, i);
			if (base && !strcmp(base, type))
				add_use(out, f, i);
			free(base);
		}
	}
}

void member_uses_release(struct member_uses *l)
{
	free(l->u);
	memset(l, 0, sizeof(*l));
}

char *member_base_pointer(const struct member_use *u)
{
	char *text = srcfile_span_text(u->f, u->base), *p;

	if (u->pointer)
		return text;
	p = xstrfmt("&%s", text);
	free(text);
	return p;
}
