// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/sigbody.h"

#include <ctype.h>

#include "base/alloc.h"
#include "port/stmt.h"

struct ret {
	uint32_t first, semi;	/* "return" and ";" */
	bool last;		/* the function ends here */
};

struct body {
	const struct type_env *env;
	struct srcfile *f;
	const struct ctoks *ts;
	const struct cfunc *fn;
	struct edit_group *g;
	unsigned *notes;
	struct ret *r;
	size_t n, alloc;
};

/* ---- what is returned -------------------------------------------------------------- */

static void find_returns(struct body *b)
{
	uint32_t i, end = b->fn->body.end;

	for (i = b->fn->body.first; i < end; i++) {
		struct ret *r;

		if (!ctok_is(b->ts, i, "return") || (b->ts->t[i].flags & CTOK_DEAD))
			continue;
		ALLOC_GROW(b->r, b->n + 1, b->alloc);
		r = &b->r[b->n++];
		r->first = i;
		r->semi = stmt_end(b->ts, i);
		r->last = r->semi == end - 2 && !stmt_is_controlled(b->ts, i);
	}
}

static bool is_void(const char *type)
{
	return ctype_equal(type, "void");
}

static bool has_value(const struct ret *r)
{
	return r->semi > r->first + 1;
}

/* "0", "(0)", "NULL", "false". */
static bool is_zero(const struct body *b, const struct ret *r)
{
	uint32_t i = r->first + 1, end = r->semi;

	while (end > i + 2 && ctok_is(b->ts, i, "(") && b->ts->t[i].match == end - 1) {
		i++;
		end--;
	}
	return end == i + 1 && (ctok_is(b->ts, i, "0") || ctok_is(b->ts, i, "NULL") ||
				ctok_is(b->ts, i, "false"));
}

/* "-EINVAL", "IRQ_NONE", "1": constants by their looks. */
static bool is_constant(const struct body *b, const struct ret *r)
{
	uint32_t i = r->first + 1;
	const struct ctok *t;
	size_t k;

	if (ctok_is(b->ts, i, "-"))
		i++;
	t = &b->ts->t[i];
	if (i + 1 != r->semi)
		return false;
	if (t->kind == CTOK_NUMBER)
		return true;
	if (t->kind != CTOK_IDENT)
		return false;
	if (ctok_is(b->ts, i, "true") || ctok_is(b->ts, i, "false"))
		return true;
	for (k = 0; k < t->len; k++)
		if (islower((unsigned char)b->ts->text[t->off + k]))
			return false;
	return true;
}

/* Functions that only look at their argument: nothing is lost when they are not called. */
static bool is_pure_call(const struct body *b, uint32_t i)
{
	static const char *const pure[] = { "PTR_ERR", "PTR_ERR_OR_ZERO", "ERR_PTR", "IS_ERR",
					    "IS_ERR_OR_NULL", "ERR_CAST", "min", "max", "sizeof",
					    "likely", "unlikely", "irqreturn", "IRQ_RETVAL",
					    "container_of", "clamp", NULL };
	size_t k;

	for (k = 0; pure[k]; k++)
		if (ctok_is(b->ts, i, pure[k]))
			return true;
	return false;
}

static bool has_side_effect(const struct body *b, uint32_t from, uint32_t end)
{
	static const char *const ops[] = { "=",	 "+=", "-=",  "|=",  "&=", "^=",
					   "++", "--", "<<=", ">>=", NULL };
	uint32_t i;
	size_t k;

	for (i = from; i < end; i++) {
		if (ctok_is(b->ts, i, "(") && i > from &&
		    (ctok_is_ident(b->ts, i - 1) || ctok_is(b->ts, i - 1, ")")) &&
		    !is_pure_call(b, i - 1))
			return true;
		for (k = 0; ops[k]; k++)
			if (ctok_is(b->ts, i, ops[k]))
				return true;
	}
	return false;
}

bool sigbody_returns_zero(struct srcfile *f, const struct cfunc *fn)
{
	struct body b = { .f = f, .ts = srcfile_toks(f), .fn = fn };
	bool yes;
	size_t i;

	find_returns(&b);
	yes = b.n > 0;
	for (i = 0; i < b.n; i++)
		yes = yes && is_zero(&b, &b.r[i]);
	free(b.r);
	return yes;
}

/* ---- a value becomes nothing ---------------------------------------------------------- */

static char *span_text(const struct body *b, uint32_t from, uint32_t end)
{
	return srcfile_span_text(b->f, (struct cspan){ from, end });
}

static void drop_value(struct body *b, const struct ret *r)
{
	char *expr = NULL;

	if (has_value(r) && !is_zero(b, r))
		*b->notes |= SIGBODY_LOSES_ERROR;
	if (has_side_effect(b, r->first + 1, r->semi)) {
		const char *lines[2];
		char *text = span_text(b, r->first + 1, r->semi);

		expr = xstrfmt("%s;", text);
		free(text);
		lines[0] = expr;
		lines[1] = "return;";
		stmt_replace(b->g, b->f, r->first, r->semi, lines, r->last ? 1 : 2);
	} else if (r->last && !stmt_is_labelled(b->ts, r->first)) {
		stmt_delete(b->g, b->f, r->first, r->semi);
	} else if (has_value(r)) {
		const char *line = "return;";

		stmt_replace(b->g, b->f, r->first, r->semi, &line, 1);
	}
	free(expr);
}

static bool in_returns(const struct body *b, uint32_t i)
{
	size_t k;

	for (k = 0; k < b->n; k++)
		if (i > b->r[k].first && i < b->r[k].semi)
			return true;
	return false;
}

/*
 * "ret = call(...);" as a statement of its own, whose value nobody reads any
 * more. *eq is its "=".
 */
static bool is_plain_store(const struct body *b, uint32_t i, uint32_t *eq)
{
	uint32_t prev = i ? i - 1 : 0;

	if (!ctok_is(b->ts, i + 1, "="))
		return false;
	if (!ctok_is(b->ts, prev, ";") && !ctok_is(b->ts, prev, "{") &&
	    !ctok_is(b->ts, prev, "}") && !ctok_is(b->ts, prev, ":") &&
	    !stmt_is_controlled(b->ts, i))
		return false;
	*eq = i + 1;
	return true;
}

static void drop_declaration(struct body *b, const struct decl *d)
{
	uint32_t from = d->declarator.first, end = d->init.end > d->init.first ? d->init.end :
										 d->declarator.end;

	if (!d->shared) {
		stmt_delete(b->g, b->f, d->stmt.first, d->stmt.end - 1);
		return;
	}
	/* With the comma behind it, or in front of the last one. */
	if (ctok_is(b->ts, end, ","))
		edit_add(b->g, b->f->path, b->ts->t[from].off, b->ts->t[end + 1].off, "");
	else
		edit_add(b->g, b->f->path, b->ts->t[from - 1].off,
			 b->ts->t[end - 1].off + b->ts->t[end - 1].len, "");
}

/* A local variable that only carried the returned value: its stores lose the name, it goes. */
static void drop_carrier(struct body *b, const struct decl *d)
{
	uint32_t i, eq = 0, end;
	uint32_t first_ref = d->stmt.end;

	if (has_side_effect(b, d->init.first, d->init.end))
		return;
	for (i = first_ref; i < b->fn->body.end; i++) {
		if (!ctok_is(b->ts, i, d->ident) || is_member_access(b->ts, i) || in_returns(b, i))
			continue;
		end = stmt_end(b->ts, i);
		if (!is_plain_store(b, i, &eq) || !has_side_effect(b, eq + 1, end) ||
		    count_ident(b->ts, eq, end, d->ident) ||
		    !ctok_is_ident(b->ts, eq + 1))
			return;
	}
	for (i = first_ref; i < b->fn->body.end; i++)
		if (ctok_is(b->ts, i, d->ident) && !is_member_access(b->ts, i) && !in_returns(b, i))
			edit_add(b->g, b->f->path, b->ts->t[i].off, b->ts->t[i + 2].off, "");
	drop_declaration(b, d);
}

static void drop_carriers(struct body *b)
{
	struct scope s;
	size_t i, k;

	scope_collect(b->f, b->fn, CTOK_NONE, &s);
	for (i = 0; i < s.n; i++) {
		const struct decl *d = &s.d[i];
		bool returned = false;

		if (d->param || d->block == CTOK_NONE || (d->spec.first < d->spec.end &&
		    ctok_is(b->ts, d->spec.first, "static")))
			continue;
		for (k = 0; k < b->n; k++)
			returned |= b->r[k].semi == b->r[k].first + 2 &&
				    ctok_is(b->ts, b->r[k].first + 1, d->ident);
		if (returned && scope_find(&s, d->ident) == d)
			drop_carrier(b, d);
	}
	scope_release(&s);
}

/* ---- nothing becomes a value ------------------------------------------------------------ */

/* The value that says "all is well" in this type, and whether it is a plain one. */
static const char *success_value(const struct type_env *env, const char *type, bool *plain)
{
	char *r = type_resolve(env, type);
	const char *v = "0";

	*plain = true;
	if (ctype_equal(type, "irqreturn_t"))
		v = "IRQ_HANDLED";
	else if (ctype_equal(type, "netdev_tx_t"))
		v = "NETDEV_TX_OK";
	else if (ctype_pointers(r) || strchr(r, '('))
		v = "NULL";
	else if (starts_with(r, "struct ") || starts_with(r, "union ") || starts_with(r, "enum "))
		v = NULL;
	else if (ctype_equal(r, "bool"))
		v = "true";
	/* 0 is success by convention where the type can also carry an error. */
	if (v && strcmp(v, "IRQ_HANDLED") && strcmp(v, "NETDEV_TX_OK"))
		*plain = ctype_equal(r, "int") || ctype_equal(r, "long");
	free(r);
	return v;
}

static bool never_falls_through(const struct body *b)
{
	uint32_t last = b->fn->body.end - 2, start;

	if (b->n && b->r[b->n - 1].last)
		return true;
	if (!ctok_is(b->ts, last, ";"))
		return false;
	start = stmt_start(b->ts, last);
	return ctok_is(b->ts, start, "goto") && !stmt_is_controlled(b->ts, start);
}

static void add_last_return(struct body *b, const char *value)
{
	uint32_t close = b->fn->body.end - 1, open = b->fn->body.first;
	size_t off = b->ts->t[close].off;
	char *outer = line_indent(b->f, off), *text;
	bool own_line = file_column(b->f, off) == text_column(outer, strlen(outer), 0);

	if (own_line)
		text = xstrfmt("%s\treturn %s;\n%s", close > open + 1 ? "\n" : "", value, outer);
	else
		text = xstrfmt(" return %s; ", value);
	if (own_line)
		off -= strlen(outer);
	edit_add(b->g, b->f->path, off, b->ts->t[close].off, text);
	free(text);
	free(outer);
}

static bool add_value(struct body *b, const char *to)
{
	bool plain;
	const char *value = success_value(b->env, to, &plain);
	size_t i;

	if (!value)
		return false;
	if (!plain)
		*b->notes |= SIGBODY_INVENTS_VALUE;
	for (i = 0; i < b->n; i++) {
		char *line = xstrfmt("return %s;", value);
		const char *l = line;

		if (!has_value(&b->r[i]))
			*b->notes |= SIGBODY_EARLY_SUCCESS;
		if (!has_value(&b->r[i]))
			stmt_replace(b->g, b->f, b->r[i].first, b->r[i].semi, &l, 1);
		free(line);
	}
	if (!never_falls_through(b))
		add_last_return(b, value);
	return true;
}

/* ---- one value becomes another ------------------------------------------------------------ */

/* "0" and "1" of a truth value in int's clothes. */
static bool to_bool(struct body *b)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		uint32_t v = b->r[i].first + 1;

		/* An error code would read as "true". */
		if (ctok_is(b->ts, v, "-") && is_constant(b, &b->r[i]))
			return false;
	}
	for (i = 0; i < b->n; i++) {
		const struct ret *r = &b->r[i];
		const struct ctok *t = &b->ts->t[r->first + 1];
		bool one = ctok_is(b->ts, r->first + 1, "1");

		if (r->semi == r->first + 2 && (one || ctok_is(b->ts, r->first + 1, "0")))
			edit_add(b->g, b->f->path, t->off, t->off + t->len, one ? "true" : "false");
		else if (r->semi == r->first + 2 || has_side_effect(b, r->first + 1, r->semi))
			*b->notes |= SIGBODY_CONVENTION;
	}
	return true;
}

static bool returns_negative(const struct body *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (ctok_is(b->ts, b->r[i].first + 1, "-") && is_constant(b, &b->r[i]))
			return true;
	return false;
}

static bool convert_value(struct body *b, const char *from, const char *to)
{
	char *x = type_resolve(b->env, from), *y = type_resolve(b->env, to);
	bool px = ctype_pointers(x) > 0, py = ctype_pointers(y) > 0, ok = px == py;

	if (ok && !px) {
		if (ctype_equal(y, "bool") && !ctype_equal(x, "bool"))
			ok = to_bool(b);
		else if (starts_with(y, "struct ") || starts_with(x, "struct "))
			ok = false;
		else if (starts_with(y, "enum ") || ctype_equal(x, "bool"))
			*b->notes |= SIGBODY_CONVENTION;
		else if (starts_with(y, "unsigned ") && returns_negative(b))
			ok = false;
	}
	free(x);
	free(y);
	return ok;
}

bool sigbody_convert(const struct type_env *env, struct srcfile *f, const struct cfunc *fn,
		     const char *from, const char *to, struct edit_group *g, unsigned *notes)
{
	struct body b = { .env = env, .f = f, .ts = srcfile_toks(f), .fn = fn, .g = g,
			  .notes = notes };
	bool ok = true;
	size_t i;

	find_returns(&b);
	if (is_void(to)) {
		for (i = 0; i < b.n; i++)
			drop_value(&b, &b.r[i]);
		drop_carriers(&b);
	} else if (is_void(from)) {
		ok = add_value(&b, to);
	} else {
		ok = convert_value(&b, from, to);
	}
	free(b.r);
	return ok;
}
