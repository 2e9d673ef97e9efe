// SPDX-License-Identifier: GPL-2.0-only
/* #define lines: what they declare, whom they forward to, and their expansion as generators. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/header-internal.h"

/* ---- forwarding ----------------------------------------------------------------- */

/* Names of a parameter list ("struct foo *a, int b" or "a, b, ..."), one at a time. */
static bool next_param(const struct ctoks *ps, size_t *at, size_t *name)
{
	size_t i = *at, last = (size_t)-1;

	if (i >= ps->n)
		return false;
	for (; i < ps->n && !tok_char(ps, i, ','); i++) {
		if (tok_char(ps, i, '(') && !tok_char(ps, i + 1, '*'))
			i = group_end(ps, i, ps->n - 1);
		else if (ctok_is_ident(ps, i) || ctok_is(ps, i, "..."))
			last = i;
		if (tok_char(ps, i, '(') && tok_char(ps, i + 1, '*') && ctok_is_ident(ps, i + 2)) {
			/* "void (*fn)(int)": fn, not what its own parameters are called. */
			last = i + 2;
			while (i + 1 < ps->n && !tok_char(ps, i + 1, ','))
				i = ps->t[i + 1].match != CTOK_NONE && ps->t[i + 1].match > i + 1 ?
					    ps->t[i + 1].match : i + 1;
		}
	}
	*at = i + 1;
	*name = last;
	return true;
}

/* Is argument [from, to) just the parameter, perhaps in parentheses? */
static bool arg_is_param(const struct ctoks *ts, size_t from, size_t to, const struct ctoks *ps,
			 size_t name)
{
	while (to - from >= 3 && tok_char(ts, from, '(') && ts->t[from].match == to - 1) {
		from++;
		to--;
	}
	if (to - from == 2 && ctok_is(ts, from, "##"))
		from++;
	if (to - from != 1 || name == (size_t)-1)
		return false;
	if (ctok_is(ps, name, "..."))
		return ctok_is(ts, from, "__VA_ARGS__") ||
		       (name > 0 && ctok_is_ident(ps, name - 1) && ctok_same(ts, from, ps, name - 1));
	return ctok_same(ts, from, ps, name);
}

/* Do the call's arguments (open, close) repeat the parameters in order? */
static bool args_forward(const struct ctoks *ts, size_t open, size_t close, const char *params)
{
	struct ctoks ps;
	size_t at = 0, name, i, from = open + 1;
	bool ok = true, none = !*params || !strcmp(params, "void");

	if (none || close == open + 1)
		return none && close == open + 1;
	if (ctoks_scan(&ps, params, strlen(params)) < 0)
		return false;
	for (i = from; ok && i <= close; i++) {
		if (i == close || tok_char(ts, i, ',')) {
			ok = next_param(&ps, &at, &name) && arg_is_param(ts, from, i, &ps, name);
			from = i + 1;
		} else if (ts->t[i].match != CTOK_NONE && ts->t[i].match > i) {
			i = group_end(ts, i, close - 1);
		}
	}
	ok = ok && !next_param(&ps, &at, &name);
	ctoks_release(&ps);
	return ok;
}

/*
 * The function that the tokens [from, to) call with exactly the parameters:
 * "return f(a, b);", "f(a, b)", "(f(a, b))", "alloc_hooks(f(__VA_ARGS__))". 0: none.
 */
uint32_t alias_of_call(struct header_ctx *h, const struct ctoks *ts, size_t from, size_t to,
		       const char *params, bool named_params)
{
	to = to < ts->n ? to : ts->n;
	if (named_params && from < to && ctok_is(ts, from, "return"))
		from++;
	if (to > from && tok_char(ts, to - 1, ';'))
		to--;
	while (to - from >= 3 && to > from && tok_char(ts, from, '(') && ts->t[from].match == to - 1) {
		from++;
		to--;
	}
	if (to < from + 3 || !ctok_is_ident(ts, from) || !tok_char(ts, from + 1, '(') ||
	    ts->t[from + 1].match != to - 1)
		return 0;
	if (ctok_is(ts, from, "alloc_hooks"))
		return alias_of_call(h, ts, from + 2, to - 1, params, false);
	if (!args_forward(ts, from + 1, to - 1, params))
		return 0;
	return pool_tok(h, ts, from);
}

/* ---- definition ------------------------------------------------------------------- */

static void remember(struct header_ctx *h, const char *name, const char *params, size_t len,
		     uint32_t body, bool function_like)
{
	struct header_macro *mac = xcalloc(1, sizeof(*mac));

	mac->params = params;
	mac->params_len = len;
	mac->body = body;
	mac->function_like = function_like;
	free(strmap_put(&h->macros, name, mac));
}

static void define_function(struct header_ctx *h, const struct ctoks *m, uint32_t line,
			    struct strbuf *sb)
{
	size_t close = group_end(m, 1, m->n);
	uint32_t name = pool_tok(h, m, 0), body, alias;
	const char *params;
	struct header_sym *s;

	if (close >= m->n)
		return;
	text_flat(sb, m, close + 1, m->n);
	/* A generator may be longer than what is stored for readers. */
	body = sb->len ? pool_add(h->pool, sb->buf, sb->len) : 0;
	if (body && !tok_char(m, close + 1, '(') && sb->len < HEADER_MAX_EXPANDED)
		remember(h, pool_str(h->pool, name), m->text + m->t[1].off + 1,
			 m->t[close].off - m->t[1].off - 1, body, true);
	if (sb->len > HEADER_MAX_BODY)
		body = 0;
	strbuf_reset(sb);
	text_range(sb, m, 2, close);
	params = pool_str(h->pool, pool_add(h->pool, sb->buf, sb->len));
	alias = alias_of_call(h, m, close + 1, m->n, params, false);
	s = sym_add(h, API_MACRO_FN, name, line);
	s->params = pool_addstr(h->pool, params);
	s->body = body;
	s->alias = alias != name ? alias : 0;
}

static void define_object(struct header_ctx *h, const struct ctoks *m, uint32_t line,
			  struct strbuf *sb)
{
	uint32_t name = pool_tok(h, m, 0), body;
	struct header_sym *s;

	/* "#define foo foo" only tells other headers that foo exists. */
	if ((m->n == 2 && ctok_same(m, 0, m, 1)) || (m->n == 1 && name == h->guard))
		return;
	text_flat(sb, m, 1, m->n);
	body = pool_buf(h, sb);
	if (body && sb->len < HEADER_MAX_EXPANDED && m->n > 3 &&
	    (sb->buf[0] == '{' || memchr(sb->buf, ';', sb->len)))
		remember(h, pool_str(h->pool, name), NULL, 0, body, false);
	s = sym_add(h, API_MACRO, name, line);
	s->body = sb->len <= HEADER_MAX_BODY ? body : 0;
	if (m->n == 2 && ctok_is_ident(m, 1) && !ctok_is(m, 1, "NULL") && !ctok_is(m, 1, "true") &&
	    !ctok_is(m, 1, "false"))
		s->alias = pool_tok(h, m, 1);
}

void macro_define(struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	const struct ctok *t = &ts->t[i];
	uint32_t off, len, line = sym_line(h, ts, i);
	struct strbuf sb = STRBUF_INIT;
	struct ctoks m;

	if (!ctok_pp_word(ts, i, &off, &len) ||
	    ctoks_scan(&m, ts->text + off, t->off + t->len - off) < 0)
		return;
	if (m.n > 1 && tok_char(&m, 1, '(') && m.t[1].off == len)
		define_function(h, &m, line, &sb);
	else if (m.n && m.t[0].kind == CTOK_IDENT)
		define_object(h, &m, line, &sb);
	ctoks_release(&m);
	strbuf_release(&sb);
}

/* ---- expansion ---------------------------------------------------------------------- */

/* Argument number of a parameter name, -1 for none; -2: the variable arguments. */
static int param_index(const struct ctoks *ps, const struct ctoks *body, size_t i)
{
	size_t k;
	int n = 0;

	if (ctok_is(body, i, "__VA_ARGS__"))
		return -2;
	for (k = 0; k < ps->n; k++) {
		if (tok_char(ps, k, ','))
			n++;
		else if (ctok_same(ps, k, body, i))
			return ctok_is(ps, k + 1, "...") ? -2 : n;
	}
	return -1;
}

/* Text of argument n of the call that opens at "open"; n -2: from the last named one on. */
static void add_arg(struct strbuf *out, const struct ctoks *ts, size_t open, int n, int named)
{
	size_t i, close = group_end(ts, open, ts->n), from = open + 1;
	bool rest = n == -2;
	int k = 0;

	if (rest)
		n = named;
	for (i = from; i <= close && i < ts->n; i++) {
		if (i == close || (tok_char(ts, i, ',') && !(rest && k == n))) {
			if (k++ == n) {
				text_flat(out, ts, from, i);
				return;
			}
			from = i + 1;
		} else if (ts->t[i].match != CTOK_NONE && ts->t[i].match > i) {
			i = group_end(ts, i, close);
			i -= i == close;
		}
	}
}

static void substitute(struct strbuf *out, const struct ctoks *body, const struct ctoks *ps,
		       const struct ctoks *ts, size_t open)
{
	int named = 0, p;
	bool paste = true;
	size_t k;

	for (k = 0; k < ps->n; k++)
		named += tok_char(ps, k, ',') != 0;
	for (k = 0; k < body->n; k++) {
		if (ctok_is(body, k, "##")) {
			paste = true;
			continue;
		}
		if (!paste && body->t[k - 1].off + body->t[k - 1].len != body->t[k].off)
			strbuf_addch(out, ' ');
		paste = false;
		p = body->t[k].kind == CTOK_IDENT ? param_index(ps, body, k) : -1;
		if (tok_char(body, k, '#') && param_index(ps, body, k + 1) != -1) {
			strbuf_addstr(out, "\"\"");
			k++;
		} else if (p != -1) {
			add_arg(out, ts, open, p, named);
		} else {
			strbuf_add(out, body->text + body->t[k].off, body->t[k].len);
		}
	}
}

static const struct header_macro *find_macro(const struct header_ctx *h, const struct ctoks *ts,
					     size_t i)
{
	const struct header_macro *mac;
	char *name;

	if (!h->macros.live || !ctok_is_ident(ts, i))
		return NULL;
	name = ctok_dup(ts, i);
	mac = strmap_get(&h->macros, name);
	free(name);
	return mac;
}

bool macro_is_generator(const struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	const struct header_macro *mac = find_macro(h, ts, i);

	return mac && mac->function_like;
}

bool macro_is_members(const struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	const struct header_macro *mac = find_macro(h, ts, i);

	return mac && !mac->function_like && strchr(pool_str(h->pool, mac->body), ';');
}

bool macro_expand(struct header_ctx *h, const struct ctoks *ts, size_t i, size_t end,
		  bool members, struct strbuf *out)
{
	const struct header_macro *mac = find_macro(h, ts, i);
	struct ctoks body = { 0 }, ps = { 0 };
	size_t before = out->len;
	const char *text;
	bool ok = false;

	if (!mac || h->depth >= HEADER_MAX_EXPANSION || h->expanded > HEADER_MAX_EXPANDED ||
	    mac->function_like != tok_char(ts, i + 1, '(') || (!mac->function_like && !members))
		return false;
	text = pool_str(h->pool, mac->body);
	if (members && !mac->function_like && *text != '{' && !strchr(text, ';'))
		return false;
	if (ctoks_scan(&body, text, strlen(text)) < 0 ||
	    ctoks_scan(&ps, mac->params ? mac->params : "", mac->params_len) < 0)
		goto out;
	substitute(out, &body, &ps, ts, i + 1);
	h->expanded += out->len - before + 1;
	ok = true;
out:
	ctoks_release(&body);
	ctoks_release(&ps);
	return ok;
}
