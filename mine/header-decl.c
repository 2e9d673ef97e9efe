// SPDX-License-Identifier: GPL-2.0-only
/* Declarators and whole declarations of the header parser. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/header-internal.h"

#define NO_TOKEN ((size_t)-1)

void declarator_release(struct declarator *d)
{
	strbuf_release(&d->type);
	strbuf_release(&d->params);
}

size_t dtoks_find(const struct dtoks *d, size_t from, size_t to, char c)
{
	size_t k;

	for (k = from; k < to; k++)
		if (tok_char(d->ts, d->i[k], c))
			return k;
	return to;
}

static bool is_type_operator(const struct ctoks *ts, size_t i)
{
	return ctok_is(ts, i, "typeof") || ctok_is(ts, i, "__typeof__") ||
	       ctok_is(ts, i, "__typeof") || ctok_is(ts, i, "__typeof_unqual__") ||
	       ctok_is(ts, i, "typeof_unqual") || ctok_is(ts, i, "TYPEOF_UNQUAL") ||
	       ctok_is(ts, i, "_Atomic");
}

/* First "(...)" in [from, to) that is not the operand of typeof, or to. */
static size_t find_paren(const struct dtoks *d, size_t from, size_t to)
{
	size_t k;

	for (k = from; k < to; k++)
		if (tok_char(d->ts, d->i[k], '(') &&
		    !(k > from && is_type_operator(d->ts, d->i[k - 1])))
			return k;
	return to;
}

void param_list(struct strbuf *out, const struct ctoks *ts, size_t open, size_t close)
{
	size_t start = out->len;

	if (close - open < HEADER_MAX_TEXT)
		text_range(out, ts, open + 1, close);
	if (out->len > start + HEADER_MAX_TEXT)
		strbuf_setlen(out, start + HEADER_MAX_TEXT);
	if (out->len == start)
		strbuf_addstr(out, "void");
}

/* Last plain word in the tokens (from, to) at depth 0: the name inside "(*name[2])". */
static size_t inner_name(const struct ctoks *ts, size_t from, size_t to, size_t *group)
{
	size_t i, name = NO_TOKEN;

	*group = NO_TOKEN;
	for (i = from; i < to; i++) {
		if (ctok_is_ident(ts, i) && !attr_word(ts, i)) {
			name = i;
		} else if (tok_char(ts, i, '(') || tok_char(ts, i, '[')) {
			if (*group == NO_TOKEN)
				*group = i;
			i = group_end(ts, i, to);
		}
	}
	return name;
}

/* "type (*name)(params)", "type (*name)[n]", "type (*name(params))(params)". */
static bool pointer_declarator(const struct dtoks *d, size_t from, size_t p, size_t to,
			       const char *base, struct declarator *out)
{
	const struct ctoks *ts = d->ts;
	size_t open = d->i[p], close = group_end(ts, open, ts->n), group, inner_close;

	out->name = inner_name(ts, open + 1, close, &group);
	if (out->name == NO_TOKEN || (p == from && !base))
		return false;
	if (base)
		strbuf_addstr(&out->type, base);
	if (base && p > from)
		strbuf_addch(&out->type, ' ');
	text_dtoks(&out->type, d, from, p);
	if (group != NO_TOKEN && tok_char(ts, group, '(')) {
		/* A function that returns a pointer to a function. */
		inner_close = group_end(ts, group, close);
		param_list(&out->params, ts, group, inner_close);
		out->callable = out->is_function = true;
		strbuf_addstr(&out->type, " (*)");
		text_dtoks(&out->type, d, p + 1, to);
		return true;
	}
	if (p + 1 < to && tok_char(ts, d->i[p + 1], '(')) {
		param_list(&out->params, ts, d->i[p + 1], group_end(ts, d->i[p + 1], ts->n));
		out->callable = true;
		if (group != NO_TOKEN) {
			strbuf_addstr(&out->type, " (*");
			text_range(&out->type, ts, group, group_end(ts, group, close) + 1);
			strbuf_addch(&out->type, ')');
		}
		return true;
	}
	strbuf_addstr(&out->type, " (*)");
	text_dtoks(&out->type, d, p + 1, to);
	return true;
}

static bool function_declarator(const struct dtoks *d, size_t from, size_t p, size_t to,
				const char *base, struct declarator *out)
{
	const struct ctoks *ts = d->ts;
	size_t open = d->i[p], words = p - 1;

	/* "int (name)(int)" keeps a macro of that name away. */
	if (p > from && p + 1 < to && tok_char(ts, d->i[p + 1], '(') && ctok_is_ident(ts, open + 1) &&
	    tok_char(ts, open + 2, ')')) {
		out->name = open + 1;
		open = d->i[p + 1];
		words = p;
	} else if (p == from || !ctok_is_ident(ts, d->i[p - 1]) || (p - 1 == from && !base)) {
		return false;
	} else {
		out->name = d->i[p - 1];
	}
	if (base)
		strbuf_addstr(&out->type, base);
	if (base && words > from)
		strbuf_addch(&out->type, ' ');
	text_dtoks(&out->type, d, from, words);
	param_list(&out->params, ts, open, group_end(ts, open, ts->n));
	out->callable = out->is_function = true;
	return true;
}

/* "type name", "type *name[n]", "type name:3", "type name = ...". */
static bool plain_declarator(const struct dtoks *d, size_t from, size_t to, const char *base,
			     struct declarator *out)
{
	const struct ctoks *ts = d->ts;
	size_t end, name, k, colon, bracket;

	end = dtoks_find(d, from, to, '=');
	colon = dtoks_find(d, from, end, ':');
	bracket = dtoks_find(d, from, colon, '[');
	if (bracket == from || (bracket == from + 1 && !base))
		return false;
	name = bracket - 1;
	if (!ctok_is_ident(ts, d->i[name]))
		return false;
	out->name = d->i[name];
	if (base)
		strbuf_addstr(&out->type, base);
	if (base && name > from)
		strbuf_addch(&out->type, ' ');
	text_dtoks(&out->type, d, from, name);
	if (!out->type.len)
		return false;
	for (k = bracket; k < colon; k++) {
		if (!tok_char(ts, d->i[k], '['))
			continue;
		text_dtoks(&out->type, d, k, k + 1);
	}
	if (colon < end) {
		strbuf_addch(&out->type, ':');
		text_dtoks(&out->type, d, colon + 1, end);
	}
	return true;
}

bool declarator_parse(const struct dtoks *d, size_t from, size_t to, const char *base,
		      struct declarator *out)
{
	size_t eq = dtoks_find(d, from, to, '='), p = find_paren(d, from, eq);
	bool ok;

	out->name = NO_TOKEN;
	out->callable = out->is_function = false;
	strbuf_reset(&out->type);
	strbuf_reset(&out->params);
	if (p < eq && (tok_char(d->ts, d->i[p] + 1, '*') || tok_char(d->ts, d->i[p] + 1, '^')))
		ok = pointer_declarator(d, from, p, eq, base, out);
	else if (p < eq)
		ok = function_declarator(d, from, p, eq, base, out);
	else
		ok = plain_declarator(d, from, to, base, out);
	if (out->type.len > HEADER_MAX_TEXT)
		strbuf_setlen(&out->type, HEADER_MAX_TEXT);
	return ok;
}

size_t declarator_base(const struct dtoks *d, size_t from, size_t to)
{
	const struct ctoks *ts = d->ts;
	size_t end = dtoks_find(d, from, to, ','), k;

	/* What stands before the first "*", "(" or the last word of the first declarator. */
	for (k = from; k < end; k++) {
		if (tok_char(ts, d->i[k], '*'))
			return k - from;
		if (tok_char(ts, d->i[k], '(') && !(k > from && is_type_operator(ts, d->i[k - 1])))
			return tok_char(ts, d->i[k] + 1, '*') || k == from ? k - from : k - from - 1;
		if (tok_char(ts, d->i[k], '[') || tok_char(ts, d->i[k], ':') ||
		    tok_char(ts, d->i[k], '='))
			return k > from ? k - from - 1 : 0;
	}
	return end > from ? end - from - 1 : 0;
}

/* ---- whole declarations ------------------------------------------------------ */

static void add_object(struct header_ctx *h, const struct dtoks *d, const struct declarator *dec)
{
	struct header_sym *s;
	uint32_t name = pool_tok(h, d->ts, dec->name);

	/* "struct foo;" only announces a tag. */
	if (!strcmp(dec->type.buf, "struct") || !strcmp(dec->type.buf, "union") ||
	    !strcmp(dec->type.buf, "enum"))
		return;
	s = sym_add(h, API_VARIABLE, name, sym_line(h, d->ts, dec->name));
	s->type = pool_buf(h, &dec->type);
	if (dec->callable)
		s->params = pool_buf(h, &dec->params);
}

static void add_function(struct header_ctx *h, const struct dtoks *d,
			 const struct declarator *dec, size_t open, size_t close)
{
	bool defined = open != NO_TOKEN;
	struct strbuf body = STRBUF_INIT;
	struct header_sym *s;

	s = sym_add(h, defined ? API_INLINE : API_FUNCTION, pool_tok(h, d->ts, dec->name),
		    sym_line(h, d->ts, dec->name));
	s->type = pool_buf(h, &dec->type);
	s->params = pool_buf(h, &dec->params);
	s->must_check = d->flags & DECL_MUST_CHECK;
	if (!defined)
		return;
	if (d->ts->t[close < d->ts->n ? close : d->ts->n - 1].off - d->ts->t[open].off <
	    HEADER_MAX_BODY * 4)
		text_lines(&body, d->ts, open, close + 1);
	if (body.len <= HEADER_MAX_BODY)
		s->body = pool_buf(h, &body);
	s->alias = alias_of_call(h, d->ts, open + 1, close, dec->params.buf, true);
	strbuf_release(&body);
}

static void add_typedef(struct header_ctx *h, const struct dtoks *d, const struct declarator *dec)
{
	struct header_sym *s;

	s = sym_add(h, API_TYPEDEF, pool_tok(h, d->ts, dec->name), sym_line(h, d->ts, dec->name));
	s->type = pool_buf(h, &dec->type);
	if (dec->callable)
		s->params = pool_buf(h, &dec->params);
}

/* Each declarator of d[from, to), whose type words were d[0, from) when base is given. */
static void add_declarators(struct header_ctx *h, struct dtoks *d, size_t from, const char *base,
			    size_t open, size_t close)
{
	struct declarator dec = DECLARATOR_INIT;
	struct strbuf shared = STRBUF_INIT;
	size_t to, nbase;

	if (!base) {
		nbase = declarator_base(d, from, d->n);
		text_dtoks(&shared, d, from, from + nbase);
	}
	for (; from < d->n; from = to + 1) {
		to = dtoks_find(d, from, d->n, ',');
		if (!declarator_parse(d, from, to, base, &dec))
			break;
		if (d->flags & DECL_TYPEDEF)
			add_typedef(h, d, &dec);
		else if (dec.is_function)
			add_function(h, d, &dec, open, close);
		else
			add_object(h, d, &dec);
		base = shared.len ? shared.buf : base;
		if (!base)
			break;
	}
	declarator_release(&dec);
	strbuf_release(&shared);
}

/* Entry of the "{" of "struct tag {", or NO_TOKEN; *kw is the entry of "struct". */
static size_t find_body(const struct dtoks *d, size_t *kw)
{
	size_t k, j;

	for (k = 0; k < d->n; k++) {
		if (!ctok_is(d->ts, d->i[k], "struct") && !ctok_is(d->ts, d->i[k], "union") &&
		    !ctok_is(d->ts, d->i[k], "enum"))
			continue;
		for (j = k + 1; j < d->n && j <= k + 3; j++) {
			if (tok_char(d->ts, d->i[j], '{')) {
				*kw = k;
				return j;
			}
			if (d->ts->t[d->i[j]].kind != CTOK_IDENT && !tok_char(d->ts, d->i[j], ':'))
				break;
		}
		return NO_TOKEN;
	}
	return NO_TOKEN;
}

static enum api_kind tag_kind(const struct ctoks *ts, size_t i)
{
	return ctok_is(ts, i, "struct") ? API_STRUCT : ctok_is(ts, i, "union") ? API_UNION : API_ENUM;
}

/* Name that a typedef gives to an anonymous structure: the first plain declarator behind "}". */
static uint32_t typedef_name(struct header_ctx *h, const struct dtoks *d, size_t body)
{
	if ((d->flags & DECL_TYPEDEF) && body + 1 < d->n && ctok_is_ident(d->ts, d->i[body + 1]))
		return pool_tok(h, d->ts, d->i[body + 1]);
	return 0;
}

static void tagged(struct header_ctx *h, struct dtoks *d, size_t kw, size_t body)
{
	const struct ctoks *ts = d->ts;
	enum api_kind kind = tag_kind(ts, d->i[kw]);
	size_t open = d->i[body], close = group_end(ts, open, ts->n);
	bool tag = body > kw + 1 && ctok_is_ident(ts, d->i[kw + 1]);
	uint32_t line = sym_line(h, ts, d->i[kw]), owner = HEADER_NO_OWNER, parent, order = 0;
	uint32_t name = tag ? pool_tok(h, ts, d->i[kw + 1]) : typedef_name(h, d, body);
	struct strbuf full = STRBUF_INIT;
	struct header_sym *s;

	strbuf_add(&full, ts->text + ts->t[d->i[kw]].off, ts->t[d->i[kw]].len);
	if (tag)
		strbuf_addf(&full, " %s", pool_str(h->pool, name));
	if (tag || (name && kind != API_ENUM)) {
		s = sym_add(h, tag ? kind : API_TYPEDEF, name, line);
		if (!tag)
			s->type = pool_buf(h, &full);
		owner = h->out->n - 1;
	}
	if (kind == API_ENUM) {
		parent = tag || name ? name : 0;
		enum_body(h, ts, open, close, owner, parent);
	} else {
		parent = tag ? pool_buf(h, &full) : name;
		struct_body(h, ts, open, close, owner, parent, NULL, &order, 0);
	}
	/* "} name;" of a typedef of an anonymous structure is the symbol already made. */
	if (body + 1 < d->n) {
		size_t next = body + 1;

		if (owner != HEADER_NO_OWNER && !tag)
			next = dtoks_find(d, next, d->n, ',') + 1;
		if (next < d->n)
			add_declarators(h, d, next, full.buf, NO_TOKEN, NO_TOKEN);
	}
	strbuf_release(&full);
}

/* DECLARE_PER_CPU(type, name) and other words that declare one object or function. */
static bool known_invocation(struct header_ctx *h, const struct dtoks *d)
{
	static const struct { const char *macro, *type; int name, type_arg; } known[] = {
		{ "DECLARE_PER_CPU", NULL, 1, 0 }, { "DECLARE_PER_CPU_ALIGNED", NULL, 1, 0 },
		{ "DECLARE_PER_CPU_READ_MOSTLY", NULL, 1, 0 },
		{ "DECLARE_PER_CPU_SHARED_ALIGNED", NULL, 1, 0 },
		{ "DECLARE_PER_CPU_PAGE_ALIGNED", NULL, 1, 0 },
		{ "DECLARE_PER_CPU_CACHE_HOT", NULL, 1, 0 },
		{ "DECLARE_EARLY_PER_CPU", NULL, 1, 0 },
		{ "DECLARE_EARLY_PER_CPU_READ_MOSTLY", NULL, 1, 0 },
		{ "DECLARE_PER_CPU_FIRST", NULL, 1, 0 },
		{ "DECLARE_STATIC_KEY_TRUE", "struct static_key_true", 0, -1 },
		{ "DECLARE_STATIC_KEY_FALSE", "struct static_key_false", 0, -1 },
		{ "ACPI_GLOBAL", NULL, 1, 0 },
	};
	const struct ctoks *ts = d->ts;
	size_t k, i, from, close = group_end(ts, d->i[1], ts->n), arg[2][2] = { { 0 } };
	int n = 0;
	struct header_sym *s;
	struct strbuf type = STRBUF_INIT;

	for (k = 0; k < ARRAY_SIZE(known) && !ctok_is(ts, d->i[0], known[k].macro); k++)
		;
	if (k == ARRAY_SIZE(known))
		return false;
	for (from = i = d->i[1] + 1; i <= close && n < 2; i++) {
		if (tok_char(ts, i, '(')) {
			i = group_end(ts, i, close);
		} else if (i == close || tok_char(ts, i, ',')) {
			arg[n][0] = from;
			arg[n++][1] = i;
			from = i + 1;
		}
	}
	if (known[k].name >= n || !ctok_is_ident(ts, arg[known[k].name][0]))
		return true;
	s = sym_add(h, API_VARIABLE, pool_tok(h, ts, arg[known[k].name][0]), sym_line(h, ts, d->i[0]));
	if (known[k].type)
		strbuf_addstr(&type, known[k].type);
	else
		text_range(&type, ts, arg[0][0], arg[0][1]);
	s->type = pool_buf(h, &type);
	strbuf_release(&type);
	return true;
}

/* ACPI_EXTERNAL_RETURN_STATUS(acpi_status acpi_foo(args)) and its kin hold a prototype. */
static bool wrapped_prototype(const struct dtoks *d)
{
	const struct ctok *t = &d->ts->t[d->i[0]];
	const char *s = d->ts->text + t->off;

	return ctok_is(d->ts, d->i[0], "INDIRECT_CALLABLE_DECLARE") ||
	       (t->len > 13 && !memcmp(s, "ACPI_", 5) && memmem(s, t->len, "_RETURN_", 8));
}

/* NAME(args) at the place of a declaration. */
static void invocation(struct header_ctx *h, const struct dtoks *d)
{
	const struct ctoks *ts = d->ts;
	size_t close = group_end(ts, d->i[1], ts->n);
	struct strbuf text = STRBUF_INIT;
	uint32_t line = h->fixed_line;
	struct ctoks sub;

	if (wrapped_prototype(d)) {
		parse_range(h, ts, d->i[1] + 1, close);
		return;
	}
	if (known_invocation(h, d))
		return;
	if (macro_expand(h, ts, d->i[0], close + 1, false, &text) &&
	    !ctoks_scan(&sub, text.buf, text.len)) {
		h->fixed_line = sym_line(h, ts, d->i[0]);
		h->depth++;
		parse_range(h, &sub, 0, sub.n);
		h->depth--;
		h->fixed_line = line;
		ctoks_release(&sub);
	}
	strbuf_release(&text);
}

void declaration(struct header_ctx *h, struct dtoks *d, size_t body_open, size_t body_close)
{
	const struct ctoks *ts = d->ts;
	size_t kw, body;

	dtoks_strip(d);
	if (!d->n || header_cond_hidden(h))
		return;
	if (ctok_is(ts, d->i[0], "static_assert") || ctok_is(ts, d->i[0], "_Static_assert"))
		return;
	if (d->n >= 2 && ctok_is_ident(ts, d->i[0]) && tok_char(ts, d->i[1], '(') &&
	    !(d->flags & DECL_TYPEDEF) &&
	    (d->n == 2 || (!tok_char(ts, d->i[1] + 1, '*') && !tok_char(ts, d->i[2], '(')))) {
		if (body_open == NO_TOKEN)
			invocation(h, d);
		return;
	}
	body = body_open == NO_TOKEN ? find_body(d, &kw) : NO_TOKEN;
	if (body != NO_TOKEN)
		tagged(h, d, kw, body);
	else
		add_declarators(h, d, 0, NULL, body_open, body_close);
}
