// SPDX-License-Identifier: GPL-2.0-only
/* Turning an example into a template. */
#include "base/compat.h"
#include "port/template.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/error.h"

#define MAX_WINDOW 90

struct window {
	uint32_t b, b_end, a, a_end; /* tokens of both sides */
};

struct maker {
	struct tmpl *t;
	const char *symbol;
	struct api_index *old_ix, *new_ix;
	bool general; /* what is the kernel's may be an expression too */
	struct window w;
	int *b_var, *a_var;   /* by token: metavariable, 0: none */
	uint32_t *b_len;      /* by token: length of the expression that starts here, 0: none */
	uint32_t *a_len;
	struct window_span {
		uint32_t from, to;
	} *span; /* expressions that may become metavariables */
	size_t nspans, span_alloc;
};

/* ---- the window ------------------------------------------------------------------ */

static bool has_directive(const struct ctoks *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		if (ts->t[i].kind == CTOK_PP)
			return true;
	}
	return false;
}

static size_t common_prefix(const struct ctoks *b, const struct ctoks *a)
{
	size_t n = 0;

	while (n < b->n && n < a->n && ctok_same(b, n, a, n))
		n++;
	return n;
}

static size_t common_suffix(const struct ctoks *b, const struct ctoks *a, size_t prefix)
{
	size_t n = 0;

	while (n + prefix < b->n && n + prefix < a->n &&
	       ctok_same(b, b->n - 1 - n, a, a->n - 1 - n))
		n++;
	return n;
}

static void grow_left(struct window *w, uint32_t n)
{
	w->b -= n;
	w->a -= n;
}

static void grow_right(struct window *w, uint32_t n)
{
	w->b_end += n;
	w->a_end += n;
}

/* The occurrence of the symbol that is in the window or nearest to it; CTOK_NONE. */
static uint32_t nearest_symbol(const struct ctoks *ts, const struct window *w, const char *symbol)
{
	uint32_t best = CTOK_NONE, dist = UINT32_MAX;

	for (uint32_t i = 0; i < ts->n; i++) {
		uint32_t d = i < w->b ? w->b - i : i >= w->b_end ? i - w->b_end + 1 : 0;

		if (!ctok_is(ts, i, symbol) || ts->t[i].kind != CTOK_IDENT)
			continue;
		if (d < dist) {
			best = i;
			dist = d;
		}
	}
	return best;
}

/* Grow over brackets whose partner is outside; both sides, until nothing changes. */
static bool balance(const struct ctoks *b, const struct ctoks *a, struct window *w,
		    uint32_t prefix, uint32_t suffix)
{
	for (bool again = true; again;) {
		again = false;
		for (int side = 0; side < 2; side++) {
			const struct ctoks *ts = side ? a : b;
			uint32_t from = side ? w->a : w->b, to = side ? w->a_end : w->b_end;

			for (uint32_t i = from; i < to; i++) {
				uint32_t m = ts->t[i].match;

				if (m == CTOK_NONE)
					continue;
				if (m < from && from - m <= w->b && w->b <= prefix) {
					grow_left(w, from - m);
					again = true;
				} else if (m >= to && m - to + 1 + w->b_end <= b->n) {
					grow_right(w, m - to + 1);
					again = true;
				} else if (m < from || m >= to) {
					return false;
				}
				if (again)
					break;
			}
		}
	}
	(void)suffix;
	return true;
}

/* ---- whole expressions (general templates) ----------------------------------------- */

static bool is_any(const struct ctoks *ts, uint32_t i, const char *const *words, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (ctok_is(ts, i, words[k]))
			return true;
	return false;
}

static bool is_assign(const struct ctoks *ts, uint32_t i)
{
	static const char *const words[] = { "=", "|=", "&=", "+=", "-=", "^=", "<<=", ">>=", "*=", "/=" };

	return is_any(ts, i, words, ARRAY_SIZE(words));
}

static bool is_operator(const struct ctoks *ts, uint32_t i)
{
	static const char *const words[] = { "|", "||", "&&", "==", "!=", "<", ">", "<=", ">=", "+",
					     "/", "%", "^", "<<", ">>", "?", ":", "->" };

	return is_assign(ts, i) || is_any(ts, i, words, ARRAY_SIZE(words));
}

static bool ends_operand(const struct ctoks *ts, uint32_t i)
{
	return ctok_is_ident(ts, i) || ctok_is(ts, i, ")") || ctok_is(ts, i, "]");
}

/* Does a whole expression or statement not start with this token? */
static bool dangles_left(const struct ctoks *ts, uint32_t i)
{
	static const char *const words[] = { ",", ")", ";", "]", "}" };

	if (is_operator(ts, i) || is_any(ts, i, words, ARRAY_SIZE(words)))
		return true;
	if (i == 0)
		return false;
	if (ctok_is(ts, i, "&") || ctok_is(ts, i, "-") || ctok_is(ts, i, "*") || ctok_is(ts, i, "(") ||
	    ctok_is(ts, i, "["))
		return ends_operand(ts, i - 1);
	return ctok_is(ts, i, ".") && ends_operand(ts, i - 1);
}

static bool dangles_right(const struct ctoks *ts, uint32_t i)
{
	static const char *const words[] = { "&", "-", "*", "~", "!", ".", "(", "[" };

	return is_operator(ts, i) || is_any(ts, i, words, ARRAY_SIZE(words));
}

/* Start of the operand, argument or statement that goes on at i. */
static uint32_t element_start(const struct ctoks *ts, uint32_t i)
{
	while (i > 0) {
		uint32_t m = ts->t[i - 1].match;

		if ((ctok_is(ts, i - 1, ")") || ctok_is(ts, i - 1, "]")) && m != CTOK_NONE && m < i)
			i = m;
		else if (m != CTOK_NONE || ctok_is(ts, i - 1, ";") || ctok_is(ts, i - 1, ",") ||
			 ctok_is(ts, i - 1, "return") || ctok_is(ts, i - 1, ":"))
			break;
		else
			i--;
	}
	return i;
}

static uint32_t element_end(const struct ctoks *ts, uint32_t i)
{
	while (i < ts->n) {
		uint32_t m = ts->t[i].match;

		if (m != CTOK_NONE && m > i)
			i = m + 1;
		else if (m != CTOK_NONE || ctok_is(ts, i, ";") || ctok_is(ts, i, ","))
			break;
		else
			i++;
	}
	return i;
}

/* A window that starts or ends inside an expression grows to all of it. */
static void complete_window(struct maker *mk)
{
	const struct ctoks *b = &mk->t->before.ts, *a = &mk->t->after.ts;
	struct window *w = &mk->w;
	bool empty = w->a == w->a_end;

	if (!empty && (dangles_left(b, w->b) || dangles_left(a, w->a))) {
		uint32_t start = element_start(b, w->b);

		if (start < w->b && w->b - start <= w->a)
			grow_left(w, w->b - start);
	}
	if (!empty && (dangles_right(b, w->b_end - 1) || dangles_right(a, w->a_end - 1))) {
		uint32_t end = element_end(b, w->b_end);

		if (w->a_end + (end - w->b_end) <= a->n)
			grow_right(w, end - w->b_end);
	}
}

/* Nothing of it is cut: what a semantic patch can say. */
static bool is_whole(const struct maker *mk)
{
	const struct window *w = &mk->w;

	for (int side = 0; side < 2; side++) {
		const struct ctoks *ts = side ? &mk->t->after.ts : &mk->t->before.ts;
		uint32_t from = side ? w->a : w->b, to = side ? w->a_end : w->b_end;

		for (uint32_t i = from; i < to; i++)
			if (strchr("()[]{}", ts->text[ts->t[i].off]) && ts->t[i].kind == CTOK_PUNCT &&
			    (ts->t[i].match == CTOK_NONE || ts->t[i].match < from || ts->t[i].match >= to))
				return false;
		if (from == to || (!side && w->a == w->a_end))
			continue;
		if (dangles_left(ts, from) || dangles_right(ts, to - 1))
			return false;
	}
	return true;
}

static bool find_window(struct maker *mk)
{
	const struct ctoks *b = &mk->t->before.ts, *a = &mk->t->after.ts;
	uint32_t prefix = (uint32_t)common_prefix(b, a);
	uint32_t suffix = (uint32_t)common_suffix(b, a, prefix), sym;
	struct window *w = &mk->w;

	w->b = w->a = prefix;
	w->b_end = (uint32_t)b->n - suffix;
	w->a_end = (uint32_t)a->n - suffix;
	sym = nearest_symbol(b, w, mk->symbol);
	if (sym == CTOK_NONE)
		return false;
	if (sym < w->b)
		grow_left(w, w->b - sym);
	if (sym >= w->b_end)
		grow_right(w, sym - w->b_end + 1);
	if (!balance(b, a, w, prefix, suffix))
		return false;
	if (mk->general) {
		complete_window(mk);
		if (!balance(b, a, w, prefix, suffix) || !is_whole(mk))
			return false;
		sym = nearest_symbol(b, w, mk->symbol);
	}
	/* A member keeps the object in front of it when that is written anew. */
	if (w->b == sym && sym > 1 && w->a_end > w->a && w->b == w->b_end - 1 &&
	    (ctok_is(b, sym - 1, "->") || ctok_is(b, sym - 1, ".")) &&
	    !ctok_is_ident(a, w->a))
		return false;
	return w->b_end > w->b && w->b_end - w->b <= MAX_WINDOW && w->a_end - w->a <= MAX_WINDOW;
}

/* ---- what is the kernel's ---------------------------------------------------------- */

static bool is_member_pos(const struct ctoks *ts, size_t i)
{
	return i > 0 && (ctok_is(ts, i - 1, "->") || ctok_is(ts, i - 1, "."));
}

static bool is_tag_pos(const struct ctoks *ts, size_t i)
{
	return i > 0 && (ctok_is(ts, i - 1, "struct") || ctok_is(ts, i - 1, "union") ||
			 ctok_is(ts, i - 1, "enum"));
}

static bool is_kernel_name(const struct maker *mk, const struct ctoks *ts, size_t i, bool after)
{
	char *name = ctok_dup(ts, i);
	unsigned kinds = is_member_pos(ts, i) ? API_MEMBER :
			 is_tag_pos(ts, i) ? API_STRUCT | API_UNION | API_ENUM :
			 ctok_is(ts, i + 1, "(") ? API_ANY_CALLABLE | API_MEMBER | API_TYPEDEF :
			 API_FUNCTION | API_INLINE | API_MACRO | API_MACRO_FN | API_ENUMERATOR |
			 API_TYPEDEF | API_VARIABLE;
	bool yes = !strcmp(name, mk->symbol) ||
		   (!after && mk->old_ix && api_lookup(mk->old_ix, name, kinds)) ||
		   api_lookup(mk->new_ix, name, kinds);

	free(name);
	return yes;
}

/* ---- metavariables ------------------------------------------------------------------- */

static bool equal_run(const struct ctoks *b, uint32_t i, uint32_t n, const struct ctoks *a,
		      uint32_t j, uint32_t limit)
{
	if (j + n > limit)
		return false;
	for (uint32_t k = 0; k < n; k++) {
		if (!ctok_same(b, i + k, a, j + k))
			return false;
	}
	return true;
}

/* An expression of tokens [from, to) that is local: names of the driver, members, numbers. */
static bool is_local_expr(const struct maker *mk, uint32_t from, uint32_t to)
{
	const struct ctoks *ts = &mk->t->before.ts;
	bool names = false;

	for (uint32_t i = from; i < to; i++) {
		if (ctok_is(ts, i, "{") || ctok_is(ts, i, ";") || ctok_is(ts, i, mk->symbol))
			return false;
		if (ctok_is_keyword(ts, i) && !ctok_is(ts, i, "sizeof"))
			return false;
		if (!ctok_is_ident(ts, i))
			continue;
		names = true;
		if (!is_member_pos(ts, i) && is_kernel_name(mk, ts, i, false))
			return false;
	}
	return names || (to == from + 1 && ts->t[from].kind != CTOK_PUNCT);
}

/* ... or any expression at all, when constants are to be generalised. */
static bool may_be_expr(const struct maker *mk, uint32_t from, uint32_t to)
{
	const struct ctoks *ts = &mk->t->before.ts;

	if (is_local_expr(mk, from, to))
		return true;
	if (!mk->general)
		return false;
	for (uint32_t i = from; i < to; i++) {
		if (ctok_is(ts, i, "{") || ctok_is(ts, i, ";") || ctok_is(ts, i, mk->symbol) ||
		    (ctok_is_keyword(ts, i) && !ctok_is(ts, i, "sizeof")))
			return false;
	}
	return to > from + 1 || ts->t[from].kind != CTOK_PUNCT;
}

/* Does this token of the new side lie in a copy of one of the expressions? */
static bool in_a_copy(const struct maker *mk, uint32_t j)
{
	const struct ctoks *b = &mk->t->before.ts, *a = &mk->t->after.ts;

	for (size_t k = 0; k < mk->nspans; k++) {
		uint32_t from = mk->span[k].from, n = mk->span[k].to - from;

		for (uint32_t s = j + 1 > n + mk->w.a ? j + 1 - n : mk->w.a; s <= j; s++) {
			if (equal_run(b, from, n, a, s, mk->w.a_end))
				return true;
		}
	}
	return false;
}

/*
 * Is the expression whole wherever the new side has its names? Then it may be a
 * metavariable. A constant is one only when it goes away.
 */
static bool survives_whole(const struct maker *mk, uint32_t from, uint32_t to)
{
	const struct ctoks *b = &mk->t->before.ts, *a = &mk->t->after.ts;
	uint32_t n = to - from;
	bool names = false;

	for (uint32_t i = from; i < to; i++)
		names |= ctok_is_ident(b, i);
	for (uint32_t j = mk->w.a; j < mk->w.a_end; j++) {
		if (equal_run(b, from, n, a, j, mk->w.a_end)) {
			if (!names && !mk->general)
				return false;
			j += n - 1;
			continue;
		}
		for (uint32_t i = from; i < to; i++) {
			if (ctok_is_ident(b, i) && !is_member_pos(b, i) && ctok_same(b, i, a, j) &&
			    !in_a_copy(mk, j))
				return false;
		}
	}
	return true;
}

/* A name of the driver: what no other driver can have by chance. */
static bool has_local_name(const struct maker *mk, uint32_t from, uint32_t to)
{
	const struct ctoks *ts = &mk->t->before.ts;

	for (uint32_t i = from; i < to; i++) {
		if (ctok_is_ident(ts, i) && !is_member_pos(ts, i) && !is_kernel_name(mk, ts, i, false))
			return true;
	}
	return false;
}

static void mark_expr(struct maker *mk, uint32_t from, uint32_t to)
{
	const struct ctoks *b = &mk->t->before.ts, *a = &mk->t->after.ts;
	uint32_t n = to - from;
	int var = 0;

	if (mk->t->nvars >= TMPL_MAX_VARS)
		return;
	for (uint32_t i = mk->w.b; i < from && !var; i++) {
		if (mk->b_len[i] == n && equal_run(b, i, n, b, from, to))
			var = mk->b_var[i];
	}
	if (!var) {
		var = ++mk->t->nvars;
		mk->t->constant[var] = !has_local_name(mk, from, to);
	}
	mk->b_var[from] = var;
	mk->b_len[from] = n;
	for (uint32_t j = mk->w.a; j < mk->w.a_end; j++) {
		if (!mk->a_len[j] && equal_run(b, from, n, a, j, mk->w.a_end)) {
			mk->a_var[j] = var;
			mk->a_len[j] = n;
		}
	}
}

static bool is_balanced(const struct ctoks *ts, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (ts->t[i].match != CTOK_NONE && (ts->t[i].match < from || ts->t[i].match >= to))
			return false;
	return true;
}

static void consider(struct maker *mk, uint32_t from, uint32_t to)
{
	if (from < to && !is_balanced(&mk->t->before.ts, from, to))
		return;
	if (from >= to || from < mk->w.b || to > mk->w.b_end || !may_be_expr(mk, from, to))
		return;
	ALLOC_GROW(mk->span, mk->nspans + 1, mk->span_alloc);
	mk->span[mk->nspans].from = from;
	mk->span[mk->nspans++].to = to;
}

/* Arguments of the bracket at "open", the outer ones before what is in them. */
static void consider_args(struct maker *mk, uint32_t open)
{
	const struct ctoks *ts = &mk->t->before.ts;
	uint32_t close = ts->t[open].match, start = open + 1;

	if (close == CTOK_NONE || close <= open || close > mk->w.b_end)
		return;
	for (uint32_t i = open + 1; i <= close; i++) {
		uint32_t m = ts->t[i].match;

		if (i == close || ctok_is(ts, i, ",")) {
			consider(mk, start, i);
			start = i + 1;
		} else if (m != CTOK_NONE && m > i && m < close) {
			i = m;
		}
	}
}

static bool inside_expr(const struct maker *mk, uint32_t i)
{
	for (uint32_t k = mk->w.b; k <= i; k++) {
		if (mk->b_len[k] && i < k + mk->b_len[k])
			return true;
	}
	return false;
}

static bool overlaps_expr(const struct maker *mk, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		if (inside_expr(mk, i))
			return true;
	}
	return false;
}

static void find_exprs(struct maker *mk)
{
	const struct ctoks *ts = &mk->t->before.ts;

	for (uint32_t i = mk->w.b; i < mk->w.b_end; i++) {
		if (ctok_is(ts, i, "(") && i > 0 && ctok_is_ident(ts, i - 1)) {
			consider_args(mk, i);
		} else if (ctok_is(ts, i, "=") || (mk->general && is_assign(ts, i))) {
			uint32_t end = i + 1;

			while (end < mk->w.b_end && !ctok_is(ts, end, ";") && !ctok_is(ts, end, ","))
				end++;
			if (end < mk->w.b_end || mk->general)
				consider(mk, i + 1, end);
			if (mk->general && ctok_is(ts, i + 1, "~"))
				consider(mk, i + 2, end);
		} else if (ctok_is(ts, i, mk->symbol) && is_member_pos(ts, i) && i >= mk->w.b + 2) {
			/* From the start of the window when it is one object. */
			consider(mk, mk->w.b, i - 1);
		}
	}
	/* The outer ones come first: what is inside one that was taken is not looked at. */
	for (size_t k = 0; k < mk->nspans; k++) {
		uint32_t from = mk->span[k].from, to = mk->span[k].to;

		if (!overlaps_expr(mk, from, to) && survives_whole(mk, from, to))
			mark_expr(mk, from, to);
	}
}

static int name_var(struct maker *mk, uint32_t i)
{
	const struct ctoks *b = &mk->t->before.ts;

	for (uint32_t k = mk->w.b; k < mk->w.b_end; k++) {
		if (mk->b_var[k] && ((k < i && !mk->b_len[k]) || (mk->general && mk->b_len[k] == 1)) &&
		    ctok_same(b, k, b, i))
			return mk->b_var[k];
	}
	return mk->t->nvars < TMPL_MAX_VARS ? ++mk->t->nvars : 0;
}

/* Names of the driver outside expressions; false when there are too many. */
static bool find_names(struct maker *mk)
{
	const struct ctoks *b = &mk->t->before.ts, *a = &mk->t->after.ts;

	for (uint32_t i = mk->w.b; i < mk->w.b_end; i++) {
		if (inside_expr(mk, i) || !ctok_is_ident(b, i) || is_kernel_name(mk, b, i, false))
			continue;
		mk->b_var[i] = name_var(mk, i);
		if (!mk->b_var[i])
			return false;
		for (uint32_t j = mk->w.a; j < mk->w.a_end; j++) {
			if (!mk->a_var[j] && ctok_same(b, i, a, j))
				mk->a_var[j] = mk->b_var[i];
		}
	}
	return true;
}

/* ---- elements -------------------------------------------------------------------------- */

static void add_elem(struct tmpl_side *s, enum tmpl_kind kind, uint32_t first, uint32_t end, int var,
		     bool first_of_side)
{
	struct tmpl_elem *e;
	const char *from, *to;

	ALLOC_GROW(s->e, s->n + 1, s->alloc);
	e = &s->e[s->n++];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->first = first;
	e->end = end;
	e->var = var;
	if (first_of_side)
		return;
	from = s->ts.text + s->ts.t[first - 1].off + s->ts.t[first - 1].len;
	to = s->ts.text + s->ts.t[first].off;
	e->gap = to > from;
	e->newline = memchr(from, '\n', (size_t)(to - from)) != NULL;
}

static void make_side(struct tmpl_side *s, uint32_t from, uint32_t to, const int *var,
		      const uint32_t *len)
{
	for (uint32_t i = from; i < to;) {
		uint32_t n = len[i] ? len[i] : 1;
		enum tmpl_kind kind = len[i] ? TMPL_EXPR : var[i] ? TMPL_NAME : TMPL_LITERAL;

		add_elem(s, kind, i, i + n, var[i], i == from);
		i += n;
	}
}

static bool binds(const struct tmpl_side *s, int var)
{
	for (size_t k = 0; k < s->n; k++) {
		if (s->e[k].var == var)
			return true;
	}
	return false;
}

/* Every name of the new side must be bound or the kernel's. */
static bool after_is_closed(const struct maker *mk)
{
	const struct tmpl_side *a = &mk->t->after;

	for (size_t k = 0; k < a->n; k++) {
		if (a->e[k].kind != TMPL_LITERAL && !binds(&mk->t->before, a->e[k].var))
			return false;
		if (a->e[k].kind == TMPL_LITERAL && ctok_is_ident(&a->ts, a->e[k].first) &&
		    !is_kernel_name(mk, &a->ts, a->e[k].first, true))
			return false;
	}
	return true;
}

static void add_key(const struct tmpl_side *s, struct strbuf *out)
{
	for (size_t k = 0; k < s->n; k++) {
		const struct tmpl_elem *e = &s->e[k];
		const struct ctok *t = &s->ts.t[e->first];

		if (k)
			strbuf_addch(out, ' ');
		if (e->kind == TMPL_LITERAL)
			strbuf_add(out, s->ts.text + t->off, t->len);
		else
			strbuf_addf(out, "%c%d", e->kind == TMPL_EXPR ? '$' : '@', e->var);
	}
}

static bool side_has(const struct tmpl_side *s, const struct ctoks *ts, uint32_t tok)
{
	for (size_t k = 0; k < s->n; k++) {
		if (s->e[k].kind == TMPL_LITERAL && ctok_same(&s->ts, s->e[k].first, ts, tok))
			return true;
	}
	return false;
}

/* A function of the kernel that is not called but put into a member or given as an argument. */
static bool is_handed_over(const struct maker *mk, uint32_t i)
{
	const struct ctoks *ts = &mk->t->after.ts;
	char *name = ctok_is_ident(ts, i) && !ctok_is(ts, i + 1, "(") && i > 0 && !ctok_is(ts, i - 1, ".") &&
		     !ctok_is(ts, i - 1, "->") ? ctok_dup(ts, i) : NULL;
	bool yes = name && api_lookup(mk->new_ix, name, API_FUNCTION | API_INLINE);

	free(name);
	return yes;
}

static void describe(struct maker *mk)
{
	struct tmpl *t = mk->t;
	struct strbuf key = STRBUF_INIT;
	bool lost = false;

	for (size_t k = 0; k < t->before.n; k++) {
		const struct tmpl_elem *e = &t->before.e[k];

		if (e->kind != TMPL_LITERAL)
			continue;
		t->nliterals += ctok_is_ident(&t->before.ts, e->first);
		t->loses_name |= ctok_is_ident(&t->before.ts, e->first) && k != t->symbol &&
				 !side_has(&t->after, &t->before.ts, e->first);
		lost |= ctok_is_ident(&t->before.ts, e->first) &&
			ctok_is(&t->before.ts, e->first + 1, "(") &&
			!side_has(&t->after, &t->before.ts, e->first);
	}
	for (size_t k = 0; k < t->after.n && !t->adds; k++) {
		const struct tmpl_elem *e = &t->after.e[k];

		if (e->kind == TMPL_LITERAL && ctok_is_ident(&t->after.ts, e->first) &&
		    !side_has(&t->before, &t->after.ts, e->first))
			t->adds = ctok_dup(&t->after.ts, e->first);
	}
	for (size_t k = 0; k < t->after.n; k++) {
		const struct tmpl_elem *e = &t->after.e[k];

		t->adopts |= e->kind == TMPL_LITERAL && is_handed_over(mk, e->first) &&
			     !side_has(&t->before, &t->after.ts, e->first);
	}
	t->deletes = !t->after.n;
	t->loses_call = lost && !t->adds;
	add_key(&t->before, &key);
	strbuf_addstr(&key, " => ");
	add_key(&t->after, &key);
	t->key = strbuf_detach(&key, NULL);
}

static bool set_symbol(struct maker *mk)
{
	struct tmpl *t = mk->t;

	for (size_t k = 0; k < t->before.n; k++) {
		if (t->before.e[k].kind == TMPL_LITERAL &&
		    ctok_is(&t->before.ts, t->before.e[k].first, mk->symbol)) {
			t->symbol = k;
			return true;
		}
	}
	return false;
}

static bool make(struct maker *mk)
{
	struct tmpl *t = mk->t;

	if (has_directive(&t->before.ts) || has_directive(&t->after.ts) || !find_window(mk))
		return false;
	mk->b_var = xcalloc(t->before.ts.n + 1, sizeof(int));
	mk->a_var = xcalloc(t->after.ts.n + 1, sizeof(int));
	mk->b_len = xcalloc(t->before.ts.n + 1, sizeof(uint32_t));
	mk->a_len = xcalloc(t->after.ts.n + 1, sizeof(uint32_t));
	find_exprs(mk);
	if (!find_names(mk))
		return false;
	make_side(&t->before, mk->w.b, mk->w.b_end, mk->b_var, mk->b_len);
	make_side(&t->after, mk->w.a, mk->w.a_end, mk->a_var, mk->a_len);
	if (!after_is_closed(mk) || !set_symbol(mk))
		return false;
	describe(mk);
	return true;
}

static struct tmpl *make_template(const struct example *ex, const char *symbol,
				  struct api_index *old_ix, struct api_index *new_ix, bool general)
{
	struct tmpl *t = xcalloc(1, sizeof(*t));
	struct maker mk = { .t = t, .symbol = symbol, .old_ix = old_ix, .new_ix = new_ix,
			    .general = general };
	bool ok;

	strvec_init(&t->paths);
	t->before.text = xstrdup(ex->before);
	t->after.text = xstrdup(ex->after);
	ok = !ctoks_scan(&t->before.ts, t->before.text, strlen(t->before.text)) &&
	     !ctoks_scan(&t->after.ts, t->after.text, strlen(t->after.text)) && make(&mk);
	free(mk.b_var);
	free(mk.a_var);
	free(mk.b_len);
	free(mk.a_len);
	free(mk.span);
	if (!ok) {
		tmpl_free(t);
		return NULL;
	}
	t->support = 1;
	strvec_push(&t->paths, ex->path);
	return t;
}

struct tmpl *tmpl_make(const struct example *ex, const char *symbol, struct api_index *old_ix,
		       struct api_index *new_ix)
{
	return make_template(ex, symbol, old_ix, new_ix, false);
}

struct tmpl *tmpl_make_general(const struct example *ex, const char *symbol,
			       struct api_index *old_ix, struct api_index *new_ix)
{
	return make_template(ex, symbol, old_ix, new_ix, true);
}

void tmpl_free(struct tmpl *t)
{
	if (!t)
		return;
	ctoks_release(&t->before.ts);
	ctoks_release(&t->after.ts);
	free(t->before.text);
	free(t->after.text);
	free(t->before.e);
	free(t->after.e);
	strvec_release(&t->paths);
	free(t->key);
	free(t->general);
	free(t->adds);
	free(t);
}
