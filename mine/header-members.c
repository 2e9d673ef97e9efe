// SPDX-License-Identifier: GPL-2.0-only
/* Bodies of structures, unions and enums. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/header-internal.h"

/* Where the members go; "path" is the way to them from the outer structure. */
struct members {
	struct header_ctx *h;
	const struct ctoks *ts;
	uint32_t owner, parent;
	const char *path; /* NULL: directly inside */
	uint32_t *order;
	int depth;
};

static void member_list(struct members *m, size_t open, size_t close);

static struct header_sym *add_member(struct members *m, uint32_t name, size_t tok)
{
	struct header_sym *s = sym_add(m->h, API_MEMBER, name, sym_line(m->h, m->ts, tok));
	struct strbuf path = STRBUF_INIT;

	s->owner = m->owner;
	s->parent = m->parent;
	s->order = (*m->order)++;
	if (m->path) {
		strbuf_addf(&path, "%s.%s", m->path, pool_str(m->h->pool, name));
		s->path = pool_buf(m->h, &path);
	}
	strbuf_release(&path);
	return s;
}

/* Members [open, close] of a nested structure, reached through "name" (0: anonymous). */
static void nested(struct members *m, size_t open, size_t close, uint32_t name)
{
	struct members in = *m;
	struct strbuf path = STRBUF_INIT;

	if (m->depth >= HEADER_MAX_DEPTH)
		return;
	in.depth++;
	if (name) {
		strbuf_addf(&path, "%s%s%s", m->path ? m->path : "", m->path ? "." : "",
			    pool_str(m->h->pool, name));
		in.path = path.buf;
	}
	member_list(&in, open, close);
	strbuf_release(&path);
}

/* A tag defined inside another structure is a type of its own. */
static void nested_tag(struct members *m, const struct dtoks *d, size_t kw, size_t body)
{
	const struct ctoks *ts = m->ts;
	struct strbuf full = STRBUF_INIT;
	uint32_t name = pool_tok(m->h, ts, d->i[kw + 1]), order = 0, line;

	line = sym_line(m->h, ts, d->i[kw]);
	text_dtoks(&full, d, kw, kw + 2);
	sym_add(m->h, ctok_is(ts, d->i[kw], "union") ? API_UNION : API_STRUCT, name, line);
	if (m->depth < HEADER_MAX_DEPTH)
		struct_body(m->h, ts, d->i[body], group_end(ts, d->i[body], ts->n),
			    m->h->out->n - 1, pool_buf(m->h, &full), NULL, &order, m->depth + 1);
	strbuf_release(&full);
}

static void set_type(struct members *m, struct header_sym *s, const struct declarator *dec)
{
	s->type = pool_buf(m->h, &dec->type);
	if (dec->callable)
		s->params = pool_buf(m->h, &dec->params);
}

/* Declarators d[from, n) with shared type words in front of "from" when base is given. */
static void declarators(struct members *m, const struct dtoks *d, size_t from, const char *base,
			size_t body)
{
	struct declarator dec = DECLARATOR_INIT;
	struct strbuf shared = STRBUF_INIT;
	size_t to;

	if (!base) {
		text_dtoks(&shared, d, from, from + declarator_base(d, from, d->n));
	}
	for (; from < d->n; from = to + 1) {
		uint32_t name;

		to = dtoks_find(d, from, d->n, ',');
		if (!declarator_parse(d, from, to, base, &dec))
			break;
		name = pool_tok(m->h, m->ts, dec.name);
		set_type(m, add_member(m, name, dec.name), &dec);
		/* Through a pointer there is no path; the tag has its members listed. */
		if (body != (size_t)-1 && !strchr(dec.type.buf, '*'))
			nested(m, d->i[body], group_end(m->ts, d->i[body], m->ts->n), name);
		base = shared.len ? shared.buf : base;
		if (!base)
			break;
	}
	declarator_release(&dec);
	strbuf_release(&shared);
}

/* "struct|union|enum [tag] { ... } [declarators]". */
static void nested_body(struct members *m, struct dtoks *d, size_t kw, size_t body)
{
	const struct ctoks *ts = m->ts;
	size_t open = d->i[body], close = group_end(ts, open, ts->n);
	bool tag = body > kw + 1 && ctok_is_ident(ts, d->i[kw + 1]);
	struct strbuf full = STRBUF_INIT;

	if (ctok_is(ts, d->i[kw], "enum")) {
		enum_body(m->h, ts, open, close, HEADER_NO_OWNER,
			  tag ? pool_tok(m->h, ts, d->i[kw + 1]) : 0);
		body = (size_t)-1;
	} else if (tag) {
		nested_tag(m, d, kw, body);
	}
	text_dtoks(&full, d, kw, tag ? kw + 2 : kw + 1);
	for (size_t k = 0; k + 1 < d->n; k++) {
		if (d->i[k] != open)
			continue;
		declarators(m, d, k + 1, full.buf, body);
		strbuf_release(&full);
		return;
	}
	if (body != (size_t)-1)
		nested(m, open, close, 0);
	strbuf_release(&full);
}

/* ---- member macros ------------------------------------------------------------ */

/* Tokens [*from, *to) of argument n of the call whose "(" is at open. */
static bool macro_arg(const struct ctoks *ts, size_t open, int n, size_t *from, size_t *to)
{
	size_t i, close = group_end(ts, open, ts->n), start = open + 1;

	for (i = start; i <= close && i < ts->n; i++) {
		if (i == close || tok_char(ts, i, ',')) {
			if (n-- == 0) {
				*from = start;
				*to = i;
				return true;
			}
			start = i + 1;
		} else if (ts->t[i].match != CTOK_NONE && ts->t[i].match > i) {
			i = group_end(ts, i, close);
			i -= i == close;
		}
	}
	return false;
}

/*
 * struct_group() and its kin: the members are there twice, directly and below
 * the group's name. name -1: no name; members: the first argument that is one.
 */
static bool member_group(struct members *m, const struct dtoks *d)
{
	static const struct { const char *macro; int name, tag, members; } groups[] = {
		{ "struct_group", 0, -1, 1 }, { "struct_group_attr", 0, -1, 2 },
		{ "struct_group_tagged", 1, 0, 2 }, { "__struct_group", 1, 0, 3 },
		{ "struct_group_aligned", 0, -1, 2 }, { "TRAILING_OVERLAP", -1, -1, 3 },
	};
	const struct ctoks *ts = m->ts;
	size_t k, from, to, open, close, tfrom, tto;
	struct strbuf type = STRBUF_INIT;
	struct header_sym *s;

	for (k = 0; k < ARRAY_SIZE(groups) && !ctok_is(ts, d->i[0], groups[k].macro); k++)
		;
	if (k == ARRAY_SIZE(groups))
		return false;
	open = d->i[1];
	close = group_end(ts, open, ts->n);
	if (groups[k].name >= 0 && macro_arg(ts, open, groups[k].name, &from, &to) &&
	    ctok_is_ident(ts, from)) {
		strbuf_addstr(&type, "struct");
		if (groups[k].tag >= 0 && macro_arg(ts, open, groups[k].tag, &tfrom, &tto) &&
		    ctok_is_ident(ts, tfrom)) {
			strbuf_addch(&type, ' ');
			text_range(&type, ts, tfrom, tto);
		}
		s = add_member(m, pool_tok(m->h, ts, from), from);
		s->type = pool_buf(m->h, &type);
	}
	if (macro_arg(ts, open, groups[k].members, &from, &to) && from > open)
		nested(m, from - 1, close, 0);
	strbuf_release(&type);
	return true;
}

/* A member made by a macro whose arguments say its name and type. */
static bool member_macro(struct members *m, const struct dtoks *d)
{
	/* %0 %1 %2: arguments of the macro. */
	static const struct { const char *macro, *type; int name; } known[] = {
		{ "DECLARE_BITMAP", "unsigned long[BITS_TO_LONGS(%1)]", 0 },
		{ "DECLARE_FLEX_ARRAY", "%0[]", 1 }, { "__DECLARE_FLEX_ARRAY", "%0[]", 1 },
		{ "DECLARE_HASHTABLE", "struct hlist_head[1 << (%1)]", 0 },
		{ "DECLARE_KFIFO", "DECLARE_KFIFO(%1, %2)", 0 },
		{ "DECLARE_KFIFO_PTR", "DECLARE_KFIFO_PTR(%1)", 0 },
		{ "DECLARE_PHY_INTERFACE_MASK", "unsigned long[BITS_TO_LONGS(PHY_INTERFACE_MODE_MAX)]", 0 },
		{ "__ETHTOOL_DECLARE_LINK_MODE_MASK",
		  "unsigned long[BITS_TO_LONGS(__ETHTOOL_LINK_MODE_MASK_NBITS)]", 0 },
		{ "TRAILING_OVERLAP", "%0", 1 }, { "ACPI_FLEX_ARRAY", "%0[]", 1 },
	};
	size_t k, from, to, open = d->i[1];
	struct strbuf type = STRBUF_INIT;
	const char *p;

	for (k = 0; k < ARRAY_SIZE(known) && !ctok_is(m->ts, d->i[0], known[k].macro); k++)
		;
	if (k == ARRAY_SIZE(known) || !macro_arg(m->ts, open, known[k].name, &from, &to) ||
	    !ctok_is_ident(m->ts, from))
		return false;
	for (p = known[k].type; *p; p++) {
		size_t f, t;

		if (*p != '%')
			strbuf_addch(&type, *p);
		else if (macro_arg(m->ts, open, *++p - '0', &f, &t))
			text_range(&type, m->ts, f, t);
	}
	add_member(m, pool_tok(m->h, m->ts, from), from)->type = pool_buf(m->h, &type);
	strbuf_release(&type);
	return true;
}

/* Any other "DECLARE_X(name, ...)": the call itself is the best type there is. */
static bool other_declare(struct members *m, const struct dtoks *d)
{
	const struct ctok *t = &m->ts->t[d->i[0]];
	size_t from, to;
	struct strbuf type = STRBUF_INIT;

	if (t->len < 8 || memcmp(m->ts->text + t->off, "DECLARE_", 8) ||
	    !macro_arg(m->ts, d->i[1], 0, &from, &to) || to != from + 1 || !ctok_is_ident(m->ts, from))
		return false;
	text_dtoks(&type, d, 0, 2);
	add_member(m, pool_tok(m->h, m->ts, from), from)->type = pool_buf(m->h, &type);
	strbuf_release(&type);
	return true;
}

/* Members generated by a macro of this header: "FOO_MEMBERS;", "struct FOO_COMMON;". */
static bool expanded_members(struct members *m, const struct dtoks *d)
{
	struct header_ctx *h = m->h;
	struct strbuf text = STRBUF_INIT;
	size_t at = ctok_is(m->ts, d->i[0], "struct") ? 1 : 0;
	uint32_t line = h->fixed_line;
	struct ctoks sub;
	bool ok;

	if (at >= d->n || d->n > at + 2 || h->depth >= HEADER_MAX_EXPANSION)
		return false;
	strbuf_addch(&text, '{');
	if (at)
		strbuf_addstr(&text, "struct ");
	ok = macro_expand(h, m->ts, d->i[at], m->ts->n, true, &text);
	strbuf_addstr(&text, ";}");
	if (ok && !ctoks_scan(&sub, text.buf, text.len)) {
		struct members in = *m;

		in.ts = &sub;
		h->fixed_line = sym_line(h, m->ts, d->i[0]);
		h->depth++;
		member_list(&in, 0, sub.n - 1);
		h->depth--;
		h->fixed_line = line;
		ctoks_release(&sub);
	}
	strbuf_release(&text);
	return ok;
}

static bool macro_form(struct members *m, const struct dtoks *d)
{
	bool call = d->n >= 2 && ctok_is_ident(m->ts, d->i[0]) && tok_char(m->ts, d->i[1], '(') &&
		    !tok_char(m->ts, d->i[1] + 1, '*');

	if (d->n == 1 || (d->n == 2 && ctok_is(m->ts, d->i[0], "struct")))
		return expanded_members(m, d) || d->n == 1;
	if (!call)
		return false;
	if (member_macro(m, d)) {
		member_group(m, d);
		return true;
	}
	if (member_group(m, d) || expanded_members(m, d) || other_declare(m, d))
		return true;
	return d->n == 2; /* some macro that we know nothing about */
}

static void one_member(struct members *m, struct dtoks *d)
{
	const struct ctoks *ts = m->ts;
	size_t k, j;

	dtoks_strip(d);
	if (!d->n || header_cond_hidden(m->h) || macro_form(m, d))
		return;
	for (k = 0; k < d->n; k++) {
		if (!ctok_is(ts, d->i[k], "struct") && !ctok_is(ts, d->i[k], "union") &&
		    !ctok_is(ts, d->i[k], "enum"))
			continue;
		for (j = k + 1; j < d->n && j <= k + 3; j++)
			if (tok_char(ts, d->i[j], '{')) {
				nested_body(m, d, k, j);
				return;
			}
		break;
	}
	declarators(m, d, 0, NULL, (size_t)-1);
}

/* Directives inside a body; true when the token was one. */
static bool body_directive(struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	if (ts->t[i].kind != CTOK_PP)
		return false;
	if (!header_cond_directive(h, ts, i) && ctok_pp_is(ts, i, "define") && !header_cond_hidden(h))
		macro_define(h, ts, i);
	return true;
}

/* A macro whose argument is a list of members, conditionals included. */
static bool macro_members(const struct ctoks *ts, size_t i)
{
	const struct ctok *t = &ts->t[i];

	return memmem(ts->text + t->off, t->len, "struct_group", 12) ||
	       memmem(ts->text + t->off, t->len, "TRAILING_OVERLAP", 16);
}

static void member_list(struct members *m, size_t open, size_t close)
{
	const struct ctoks *ts = m->ts;
	struct dtoks d = { .ts = ts };
	size_t i;

	for (i = open + 1; i < close && i < ts->n; i++) {
		if (body_directive(m->h, ts, i) || (ts->t[i].flags & CTOK_DEAD))
			continue;
		if (tok_char(ts, i, ';')) {
			one_member(m, &d);
			d.n = d.flags = 0;
			continue;
		}
		if (!m->h->budget)
			break;
		m->h->budget--;
		dtoks_add(&d, i);
		if (ts->t[i].match != CTOK_NONE && ts->t[i].match > i) {
			size_t next = group_end(ts, i, close);

			if (tok_char(ts, i, '(') && !macro_members(ts, d.i[0]))
				header_cond_choose(m->h, ts, i, next);
			i = next;
		} else if (tok_char(ts, i, '(') || tok_char(ts, i, '[') || tok_char(ts, i, '{')) {
			d.n = 0; /* unpaired: nothing sensible can be had here */
		}
		/* "FOO_COMMON struct bar x;": the macro brings its own ";". */
		if (d.n == 1 && i + 1 < close && !tok_char(ts, i + 1, ';') && !tok_char(ts, i + 1, '(') &&
		    macro_is_members(m->h, ts, d.i[0])) {
			one_member(m, &d);
			d.n = d.flags = 0;
		}
		/* "struct_group(...)" without ";", as a macro call may be. */
		if (d.n == 2 && tok_char(ts, d.i[1], '(') && ctok_is_ident(ts, d.i[0]) &&
		    !tok_char(ts, d.i[1] + 1, '*') && i + 1 < close &&
		    ts->t[i + 1].kind == CTOK_IDENT && (ts->t[i + 1].flags & CTOK_BOL) &&
		    !attr_word(ts, i + 1)) {
			one_member(m, &d);
			d.n = d.flags = 0;
		}
	}
	/* struct_group(x, int a; int b) need not end with ";". */
	if (d.n)
		one_member(m, &d);
	free(d.i);
}

void struct_body(struct header_ctx *h, const struct ctoks *ts, size_t open, size_t close,
		 uint32_t owner, uint32_t parent, const char *path, uint32_t *order, int depth)
{
	struct members m = { h, ts, owner, parent, path, order, depth };

	member_list(&m, open, close);
}

/* ---- enumerators ---------------------------------------------------------------- */

void enum_body(struct header_ctx *h, const struct ctoks *ts, size_t open, size_t close,
	       uint32_t owner, uint32_t parent)
{
	struct strbuf value = STRBUF_INIT;
	struct header_sym *s;
	uint32_t order = 0;
	size_t i, end;

	for (i = open + 1; i < close && i < ts->n; i++) {
		if (body_directive(h, ts, i) || (ts->t[i].flags & CTOK_DEAD))
			continue;
		/* To the comma; a directive also ends a last one without comma. */
		for (end = i; end < close && !tok_char(ts, end, ',') && ts->t[end].kind != CTOK_PP; end++)
			if (ts->t[end].match != CTOK_NONE && ts->t[end].match > end)
				end = group_end(ts, end, close - 1);
		if (ctok_is_ident(ts, i) && !tok_char(ts, i + 1, '(') && !header_cond_hidden(h)) {
			size_t eq = i + 1;

			while (eq < end && !tok_char(ts, eq, '='))
				eq++;
			strbuf_reset(&value);
			if (eq < end)
				text_flat(&value, ts, eq + 1, end);
			s = sym_add(h, API_ENUMERATOR, pool_tok(h, ts, i), sym_line(h, ts, i));
			s->type = value.len <= HEADER_MAX_TEXT ? pool_buf(h, &value) : 0;
			s->parent = parent;
			s->owner = owner;
			s->order = order++;
		}
		i = end < close && ts->t[end].kind == CTOK_PP ? end - 1 : end;
	}
	strbuf_release(&value);
}
