// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/calls.h"

#include "base/alloc.h"
#include "port/stmt.h"


static void read_args(struct call *c, const struct ctoks *ts)
{
	struct clist l = clist_open(ts, c->open);
	struct cspan s;

	while (clist_next(&l, &s)) {
		c->args = xrealloc(c->args, (c->nargs + 1) * sizeof(*c->args));
		c->args[c->nargs++] = s;
	}
}

static bool is_declared_here(const struct cfile *cf, uint32_t tok)
{
	size_t i;

	for (i = 0; i < cf->nfuncs; i++)
		if (cf->funcs[i].name == tok)
			return true;
	for (i = 0; i < cf->nprotos; i++)
		if (cf->protos[i].name == tok)
			return true;
	return false;
}

static void find_in(struct srcfile *f, const char *name, struct calls *out)
{
	const struct cfile *cf = srcfile_parse(f);
	const struct ctoks *ts = cf->ts;
	uint32_t i;

	for (i = 0; i + 1 < ts->n; i++) {
		struct call *c;

		if (!ctok_is(ts, i, name) || !ctok_is(ts, i + 1, "(") || is_member_access(ts, i) ||
		    (ts->t[i].flags & CTOK_DEAD) || ts->t[i + 1].match == CTOK_NONE ||
		    is_declared_here(cf, i))
			continue;
		ALLOC_GROW(out->c, out->n + 1, out->alloc);
		c = &out->c[out->n++];
		*c = (struct call){ .f = f, .fn = cfile_func_at(cf, i), .name = i, .open = i + 1,
				    .close = ts->t[i + 1].match };
		read_args(c, ts);
	}
}

void calls_find(const struct tree *t, struct srcfile *only, const char *name, struct calls *out)
{
	size_t i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < t->n; i++)
		if (srcfile_is_c(t->files[i]) && (!only || t->files[i] == only))
			find_in(t->files[i], name, out);
}

void calls_release(struct calls *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->c[i].args);
	free(l->c);
	memset(l, 0, sizeof(*l));
}

char *call_arg_text(const struct call *c, size_t i)
{
	return srcfile_span_text(c->f, c->args[i]);
}

bool expr_has_effect(const struct ctoks *ts, uint32_t from, uint32_t end)
{
	static const char *const ops[] = { "=",	 "+=", "-=",  "|=",  "&=", "^=",
					   "++", "--", "<<=", ">>=", NULL };
	uint32_t i;
	size_t k;

	for (i = from; i < end; i++) {
		if (ctok_is(ts, i, "(") && i > from &&
		    (ctok_is_ident(ts, i - 1) || ctok_is(ts, i - 1, ")")))
			return true;
		for (k = 0; ops[k]; k++)
			if (ctok_is(ts, i, ops[k]))
				return true;
	}
	return false;
}

enum call_use call_use(const struct call *c)
{
	const struct ctoks *ts = srcfile_toks(c->f);
	uint32_t start = stmt_start(ts, c->name), i;

	while (start < c->name && ctok_is(ts, start + 1, ":"))
		start += 2;	/* a label */
	if (!ctok_is(ts, c->close + 1, ";"))
		return CALL_USED;
	if (start == c->name)
		return CALL_UNUSED;
	if (ctok_is(ts, start, "(") && ctok_is(ts, start + 1, "void") &&
	    ts->t[start].match + 1 == c->name)
		return CALL_UNUSED;
	if (ctok_is(ts, start, "return") && start + 1 == c->name)
		return CALL_RETURNED;
	if (!ctok_is(ts, c->name - 1, "="))
		return CALL_USED;
	/* "v = f(x)" and "a->b = f(x)", no declaration. */
	for (i = start; i + 1 < c->name; i++)
		if (ctok_is_keyword(ts, i) ||
		    (ctok_is_ident(ts, i) && ctok_is_ident(ts, i + 1)) || ctok_is(ts, i, "("))
			return CALL_USED;
	return CALL_ASSIGNED;
}
