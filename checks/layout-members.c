// SPDX-License-Identifier: GPL-2.0-only
/* Members of the kernel's structures that a driver reads, sets and initialises. */
#include "base/compat.h"
#include "checks/layout-uses.h"

#include <dwarf.h>
#include <limits.h>

#include "base/alloc.h"

#define MAX_DEPTH 8

static uint32_t before(const struct ctoks *ts, uint32_t i)
{
	while (i && ctok_kind_is(ts, i - 1, CTOK_PP))
		i--;
	return i ? i - 1 : CTOK_NONE;
}

uint32_t use_operand_start(const struct ctoks *ts, uint32_t last)
{
	uint32_t p = last, q;

	for (;;) {
		while ((ctok_is(ts, p, ")") || ctok_is(ts, p, "]")) && ts->t[p].match != CTOK_NONE) {
			bool square = ctok_is(ts, p, "]");

			p = ts->t[p].match;
			q = before(ts, p);
			if (q == CTOK_NONE || !(ctok_is_ident(ts, q) || ctok_is(ts, q, "]") ||
						(square && ctok_is(ts, q, ")"))))
				return p;
			p = q;
		}
		q = before(ts, p);
		if (q == CTOK_NONE || (!ctok_is(ts, q, "->") && !ctok_is(ts, q, ".")))
			return p;
		p = before(ts, q);
		if (p == CTOK_NONE)
			return q;
	}
}

/* ---- accesses ------------------------------------------------------------- */

/* End of the expression that starts at i: a ";", "," or bracket that closes what is around it. */
static uint32_t expression_end(const struct ctoks *ts, uint32_t i)
{
	while (i < ts->n && !ctok_is(ts, i, ";") && !ctok_is(ts, i, ",") && !ctok_is(ts, i, ")") &&
	       !ctok_is(ts, i, "}") && !ctok_is(ts, i, "]")) {
		bool open = ctok_is(ts, i, "(") || ctok_is(ts, i, "[") || ctok_is(ts, i, "{");

		if (open && ts->t[i].match != CTOK_NONE && ts->t[i].match > i)
			i = ts->t[i].match;
		i++;
	}
	return i;
}

static void stored_value(struct use_file *f, uint32_t first, struct use *u)
{
	uint32_t end = expression_end(f->ts, first);
	struct expr_type t;
	bool is_signed = false;

	u->flags |= USE_WRITE;
	if (use_number(f, first, end, &u->number)) {
		u->flags |= USE_NUMBER;
	} else if (expr_eval(&f->s, first, end, &t) && use_operand_start(f->ts, end - 1) == first) {
		u->bits = expr_bits(&t, &is_signed);
		if (u->bits)
			u->flags |= USE_VALUE;
	}
}

/* "x->m < 0", "x->m >= 0". */
static bool tests_negative(const struct ctoks *ts, uint32_t i)
{
	return (ctok_is(ts, i, "<") || ctok_is(ts, i, ">=")) && ctok_is(ts, i + 1, "0");
}

static bool is_assignment(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i, "=") || ctok_is(ts, i, "|=") || ctok_is(ts, i, "+=") || ctok_is(ts, i, "-=") ||
	       ctok_is(ts, i, "&=") || ctok_is(ts, i, "^=") || ctok_is(ts, i, "<<=");
}

void uses_of_member(struct use_file *f, uint32_t i)
{
	const struct ctoks *ts = f->ts;
	uint32_t p = before(ts, i), next = i + 2;
	const struct dbg_struct *st;
	struct expr_type t;
	struct use *u;

	if (p == CTOK_NONE || !ctok_kind_is(ts, i + 1, CTOK_IDENT))
		return;
	if (!(ctok_is_ident(ts, p) || ctok_is(ts, p, ")") || ctok_is(ts, p, "]")))
		return;
	if (!expr_eval(&f->s, use_operand_start(ts, p), i, &t))
		return;
	if (ctok_is(ts, i, "->") && !expr_deref(&t))
		return;
	st = expr_struct(f->g, &t);
	if (!st || st->own)
		return;
	u = use_add(f, USE_MEMBER, st, i + 1);
	u->member = ctok_dup(ts, i + 1);
	while (ctok_is(ts, next, "[") && ts->t[next].match != CTOK_NONE)
		next = ts->t[next].match + 1;
	if (is_assignment(ts, next))
		stored_value(f, next + 1, u);
	else if (tests_negative(ts, next))
		u->flags |= USE_NEGATIVE;
}

/* ---- initialisers --------------------------------------------------------- */

/* The n-th named member; false: there is none, or an unnamed one comes before it. */
static bool nth_member(Dwarf_Die *st, unsigned n, Dwarf_Die *out)
{
	if (dwarf_child(st, out) != 0)
		return false;
	do {
		if (dwarf_tag(out) != DW_TAG_member)
			continue;
		if (!dwarf_diename(out))
			return false;
		if (!n--)
			return true;
	} while (dwarf_siblingof(out, out) == 0);
	return false;
}

/* "{ 0 }", "{ NULL }", "{ }" mean all of it. */
static bool is_zero(const struct ctoks *ts, uint32_t open)
{
	uint32_t close = ts->t[open].match;

	return close <= open + 1 || (close <= open + 3 && (ctok_is(ts, open + 1, "0") ||
							  ctok_is(ts, open + 1, "NULL")));
}

static void initialiser(struct use_file *f, uint32_t open, struct expr_type t, int depth);

static void init_value(struct use_file *f, struct cspan v, Dwarf_Die *member, int depth)
{
	struct expr_type t = { 0 };

	if (ctok_is(f->ts, v.first, "{") && die_type(member, &t.die))
		initialiser(f, v.first, t, depth + 1);
}

/* One element of a structure's initialiser; index: its place when it has no name. */
static void init_element(struct use_file *f, const struct dbg_struct *st, Dwarf_Die *in, struct cspan v,
			 unsigned *index, int depth)
{
	const struct ctoks *ts = f->ts;
	Dwarf_Die d;
	struct use *u;

	if (ctok_is(ts, v.first, ".")) {
		char *name = ctok_dup(ts, v.first + 1);
		bool known = expr_member(in, name, &d);

		if (known && st && !st->own && ctok_is(ts, v.first + 2, "=")) {
			u = use_add(f, USE_MEMBER, st, v.first + 1);
			u->member = xstrdup(name);
			stored_value(f, v.first + 3, u);
		}
		if (known && ctok_is(ts, v.first + 2, "="))
			init_value(f, (struct cspan){ v.first + 3, v.end }, &d, depth);
		free(name);
		*index = UINT_MAX / 2; /* what follows a named one by position is not followed */
		return;
	}
	if (ctok_is(ts, v.first, "[") || !nth_member(in, *index, &d))
		return;
	if (st) {
		u = use_add(f, USE_INIT, st, v.first);
		u->number = *index;
		u->member = xstrdup(dwarf_diename(&d));
	}
	init_value(f, v, &d, depth);
	++*index;
}

static void initialiser(struct use_file *f, uint32_t open, struct expr_type t, int depth)
{
	const struct ctoks *ts = f->ts;
	struct clist l = clist_open(ts, open);
	const struct dbg_struct *st;
	struct cspan v;
	Dwarf_Die in;
	unsigned index = 0;

	if (depth > MAX_DEPTH || t.refs || t.is_void || t.bits || !die_peel(&t.die, &in))
		return;
	if (dwarf_tag(&in) == DW_TAG_array_type) {
		if (!die_type(&in, &t.die))
			return;
		while (clist_next(&l, &v)) {
			/* "[3] = { ... }" */
			if (ctok_is(ts, v.first, "[") && ts->t[v.first].match != CTOK_NONE)
				v.first = ts->t[v.first].match + 2;
			if (ctok_is(ts, v.first, "{"))
				initialiser(f, v.first, t, depth + 1);
		}
		return;
	}
	if (!die_is_struct(&in) || is_zero(ts, open))
		return;
	st = dbg_struct_of(f->g, &t.die);
	while (clist_next(&l, &v))
		init_element(f, st, &in, v, &index, depth);
}

void uses_of_initialiser(struct use_file *f, uint32_t i)
{
	const struct ctoks *ts = f->ts;
	uint32_t p = before(ts, i);
	struct expr_type t;

	if (p == CTOK_NONE || ts->t[i].match == CTOK_NONE)
		return;
	if (ctok_is(ts, p, ")") && ts->t[p].match != CTOK_NONE) {
		if (expr_typename(&f->s, ts->t[p].match + 1, p, &t))
			initialiser(f, i, t, 0);
		return;
	}
	if (!ctok_is(ts, p, "=") || (p = before(ts, p)) == CTOK_NONE)
		return;
	while (ctok_is(ts, p, "]") && ts->t[p].match != CTOK_NONE && ts->t[p].match)
		p = ts->t[p].match - 1;
	/* The name of a variable: "x->m = (struct foo){" has a cast. */
	while (p && ctok_is(ts, p, ")"))
		p--;
	if (!ctok_is_ident(ts, p) || ctok_is(ts, p - 1, ".") || ctok_is(ts, p - 1, "->"))
		return;
	if (expr_eval(&f->s, p, p + 1, &t))
		initialiser(f, i, t, 0);
}
