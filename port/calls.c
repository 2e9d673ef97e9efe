// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/calls.h"

#include "base/alloc.h"
#include "port/stmt.h"

#define LINE_WIDTH 80


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

/* The head of another #if branch in front of the same body: "int f(struct a *x)" outside functions. */
static bool is_other_head(const struct cfile *cf, uint32_t tok)
{
	if (!tok || cfile_func_at(cf, tok))
		return false;
	return ctok_kind_is(cf->ts, tok - 1, CTOK_IDENT) || ctok_is(cf->ts, tok - 1, "*");
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
		    is_declared_here(cf, i) || is_other_head(cf, i))
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

static size_t arg_start(const struct call *c, size_t i)
{
	return srcfile_toks(c->f)->t[c->args[i].first].off;
}

static size_t arg_end(const struct call *c, size_t i)
{
	const struct ctok *t = &srcfile_toks(c->f)->t[c->args[i].end - 1];

	return t->off + t->len;
}

static void add_bytes(const struct call *c, size_t from, size_t to, struct strbuf *out)
{
	strbuf_add(out, c->f->text + from, to - from);
}

static void new_separator(const struct call *c, const char *text, struct strbuf *out)
{
	size_t column = file_column(c->f, srcfile_toks(c->f)->t[c->open].off + 1), k;

	strbuf_addch(out, ',');
	if (text_column(out->buf, out->len, column) + strlen(text) + 3 <= LINE_WIDTH) {
		strbuf_addch(out, ' ');
		return;
	}
	strbuf_addch(out, '\n');
	for (k = 0; k < column / 8; k++)
		strbuf_addch(out, '\t');
	for (k = 0; k < column % 8; k++)
		strbuf_addch(out, ' ');
}

void call_write_args(const struct call *c, char *const *texts, const int *from, size_t n,
		     struct strbuf *out)
{
	const struct ctoks *ts = srcfile_toks(c->f);
	size_t open = ts->t[c->open].off + 1, close = ts->t[c->close].off, j;
	int last = -1;

	if (n && c->nargs && from[0] == 0)
		add_bytes(c, open, arg_start(c, 0), out);
	for (j = 0; j < n; j++) {
		if (j && from[j] > 0 && from[j] == last + 1)
			add_bytes(c, arg_end(c, from[j] - 1), arg_start(c, from[j]), out);
		else if (j)
			new_separator(c, texts[j], out);
		strbuf_addstr(out, texts[j]);
		last = from[j] >= 0 ? from[j] : last;
	}
	if (n && from[n - 1] >= 0 && (size_t)from[n - 1] + 1 == c->nargs)
		add_bytes(c, arg_end(c, c->nargs - 1), close, out);
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
