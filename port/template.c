// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/template.h"

#include "base/alloc.h"
#include "port/stmt.h"

/* ---- matching ----------------------------------------------------------------- */

static const struct ctok *tok(const struct ctoks *ts, size_t i)
{
	return &ts->t[i];
}

static bool same_tokens(const struct ctoks *ts, uint32_t a, uint32_t a_end, uint32_t b,
			uint32_t b_end)
{
	if (a_end - a != b_end - b)
		return false;
	for (uint32_t i = 0; i < a_end - a; i++) {
		if (!ctok_same(ts, a + i, ts, b + i))
			return false;
	}
	return true;
}

static bool bind(const struct ctoks *ts, struct tmpl_match *m, int var, uint32_t first,
		 uint32_t end)
{
	if (m->var[var].end > m->var[var].first)
		return same_tokens(ts, m->var[var].first, m->var[var].end, first, end);
	m->var[var].first = first;
	m->var[var].end = end;
	return true;
}

static bool is_close(const struct ctoks *ts, size_t i)
{
	return ctok_is(ts, i, ")") || ctok_is(ts, i, "]") || ctok_is(ts, i, "}");
}

static bool is_open(const struct ctoks *ts, size_t i)
{
	return ctok_is(ts, i, "(") || ctok_is(ts, i, "[") || ctok_is(ts, i, "{");
}

/*
 * End of the expression that starts at i and is followed by the literal "stop";
 * i when there is none. A member operator as stop is the last one before the symbol.
 */
static uint32_t expr_end(const struct ctoks *ts, uint32_t i, const struct tmpl_side *side,
			 const struct tmpl_elem *stop, size_t occurrence)
{
	bool member = stop && (ctok_is(&side->ts, stop->first, "->") ||
			       ctok_is(&side->ts, stop->first, "."));

	if (member && occurrence > i + 1)
		return (uint32_t)occurrence - 1;
	for (uint32_t j = i; j < ts->n; j++) {
		if (stop && ctok_same(ts, j, &side->ts, stop->first))
			return j;
		if (is_open(ts, j)) {
			if (tok(ts, j)->match == CTOK_NONE || tok(ts, j)->match <= j)
				return i;
			j = tok(ts, j)->match;
		} else if (is_close(ts, j) || ctok_is(ts, j, ";") || tok(ts, j)->kind == CTOK_PP ||
			   (!stop && ctok_is(ts, j, ","))) {
			return stop ? i : j;
		}
	}
	return i;
}

static bool match_at(const struct tmpl *t, const struct ctoks *ts, uint32_t start,
		     size_t occurrence, struct tmpl_match *m)
{
	const struct tmpl_side *b = &t->before;
	uint32_t i = start;

	memset(m, 0, sizeof(*m));
	m->first = start;
	for (size_t k = 0; k < b->n; k++) {
		const struct tmpl_elem *e = &b->e[k];
		uint32_t end = i + 1;

		if (i >= ts->n || (tok(ts, i)->flags & CTOK_DEAD))
			return false;
		if (k == t->symbol && i != occurrence)
			return false;
		if (e->kind == TMPL_LITERAL) {
			if (!ctok_same(ts, i, &b->ts, e->first))
				return false;
		} else if (e->kind == TMPL_NAME) {
			if (!ctok_is_ident(ts, i) || !bind(ts, m, e->var, i, end))
				return false;
		} else {
			end = expr_end(ts, i, b, k + 1 < b->n ? &b->e[k + 1] : NULL, occurrence);
			if (end <= i || !bind(ts, m, e->var, i, end))
				return false;
		}
		i = end;
	}
	m->end = i;
	return true;
}

/* First token of the object in front of a member: "a->b[1].c" before "->". */
static uint32_t object_start(const struct ctoks *ts, size_t op)
{
	uint32_t i = (uint32_t)op;

	while (i > 0) {
		uint32_t p = i - 1;

		if (ctok_is(ts, p, "]") || ctok_is(ts, p, ")")) {
			if (tok(ts, p)->match == CTOK_NONE || tok(ts, p)->match >= p)
				return (uint32_t)op;
			p = tok(ts, p)->match;
			if (p > 0 && ctok_is_ident(ts, p - 1) && ctok_is(ts, p, "("))
				p--;
			else if (ctok_is(ts, p, "["))
				{ i = p; continue; }
		} else if (!ctok_is_ident(ts, p)) {
			return i;
		}
		i = p;
		if (i > 0 && (ctok_is(ts, i - 1, "->") || ctok_is(ts, i - 1, ".")))
			i--;
		else
			return i;
	}
	return i;
}

bool tmpl_match(const struct tmpl *t, const struct ctoks *ts, size_t occurrence,
		struct tmpl_match *m)
{
	const struct tmpl_elem *e = t->before.e;
	size_t fixed = 0;
	bool floating = false;

	for (size_t k = 0; k < t->symbol; k++) {
		floating |= e[k].kind == TMPL_EXPR;
		fixed++;
	}
	if (!floating)
		return occurrence >= fixed &&
		       match_at(t, ts, (uint32_t)(occurrence - fixed), occurrence, m);
	if (e[0].kind == TMPL_EXPR && t->symbol == 2 && occurrence > 0)
		return match_at(t, ts, object_start(ts, occurrence - 1), occurrence, m);
	for (size_t back = fixed; back < 60 && back <= occurrence; back++) {
		if (match_at(t, ts, (uint32_t)(occurrence - back), occurrence, m))
			return true;
	}
	return false;
}

/* ---- instantiating -------------------------------------------------------------- */

static void add_source(const struct ctoks *ts, uint32_t first, uint32_t end, struct strbuf *out)
{
	const struct ctok *a = tok(ts, first), *z = tok(ts, end - 1);

	strbuf_add(out, ts->text + a->off, z->off + z->len - a->off);
}

/* ---- layout of further lines ---- */

static uint32_t column_of(const struct ctoks *ts, uint32_t i)
{
	size_t off = ts->t[i].off, from = off;

	while (from > 0 && ts->text[from - 1] != '\n')
		from--;
	return (uint32_t)text_column(ts->text + from, off - from, 0);
}

/* Column of the statements of the example, as far as a line of either side tells; UINT32_MAX: unknown. */
static uint32_t base_column(const struct tmpl *t)
{
	const struct tmpl_side *sides[] = { &t->before, &t->after };
	uint32_t base = UINT32_MAX;

	for (size_t s = 0; s < ARRAY_SIZE(sides); s++) {
		for (size_t k = 1; k < sides[s]->n; k++) {
			const struct ctoks *ts = &sides[s]->ts;
			uint32_t i = sides[s]->e[k].first;

			if (sides[s]->e[k].newline && (ctok_is(ts, i - 1, ";") || ctok_is(ts, i - 1, "}")) &&
			    column_of(ts, i) < base)
				base = column_of(ts, i);
		}
	}
	return base;
}

static void add_newline(const struct ctoks *ts, uint32_t i, uint32_t base, const char *indent,
			struct strbuf *out)
{
	uint32_t col = column_of(ts, i);

	strbuf_addf(out, "\n%s", indent);
	if (base != UINT32_MAX)
		col = col > base ? col - base : 0;
	else
		col = ctok_is(ts, i - 1, ";") || ctok_is(ts, i - 1, "}") ? 0 : 8;
	for (; col >= 8; col -= 8)
		strbuf_addch(out, '\t');
	for (; col; col--)
		strbuf_addch(out, ' ');
}

void tmpl_instantiate(const struct tmpl *t, const struct ctoks *ts, const struct tmpl_match *m,
		      const char *indent, struct strbuf *out)
{
	const struct tmpl_side *a = &t->after;
	uint32_t base = base_column(t);

	for (size_t k = 0; k < a->n; k++) {
		const struct tmpl_elem *e = &a->e[k];

		if (k && e->newline)
			add_newline(&a->ts, e->first, base, indent, out);
		else if (k && e->gap)
			strbuf_addch(out, ' ');
		if (e->kind == TMPL_LITERAL)
			add_source(&a->ts, e->first, e->end, out);
		else
			add_source(ts, m->var[e->var].first, m->var[e->var].end, out);
	}
}
