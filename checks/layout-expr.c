// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "checks/layout-expr.h"

#include <dwarf.h>

#include "base/alloc.h"

#define MAX_DEPTH 24
#define MAX_MEMBERS 4000 /* looked at for one name; it also bounds how deep unnamed structures go */

struct eval {
	const struct expr_scope *s;
	const struct ctoks *ts;
	uint32_t pos, end;
	int depth;
};

static bool unary(struct eval *e, struct expr_type *out);

/* ---- types ---------------------------------------------------------------- */

bool expr_deref(struct expr_type *t)
{
	Dwarf_Die d;

	if (t->refs) {
		t->refs--;
		return true;
	}
	if (t->is_void || t->bits || !die_peel(&t->die, &d))
		return false;
	if (dwarf_tag(&d) != DW_TAG_pointer_type && dwarf_tag(&d) != DW_TAG_array_type)
		return false;
	t->is_void = !die_type(&d, &t->die);
	return true;
}

bool expr_is_pointer(const struct expr_type *t)
{
	struct expr_type copy = *t;

	return expr_deref(&copy);
}

const struct dbg_struct *expr_struct(const struct dbg *g, const struct expr_type *t)
{
	Dwarf_Die die = t->die;

	return t->refs || t->is_void || t->bits ? NULL : dbg_struct_of(g, &die);
}

const struct dbg_struct *expr_target(const struct dbg *g, const struct expr_type *t)
{
	struct expr_type copy = *t;
	int depth = 0;

	while (depth++ < MAX_DEPTH && expr_deref(&copy))
		;
	/* A pointer to a pointer is no structure. */
	copy = *t;
	if (expr_deref(&copy)) {
		struct expr_type in = copy;
		Dwarf_Die d;

		if (!copy.refs && !copy.is_void && !copy.bits && die_peel(&copy.die, &d) && dwarf_tag(&d) == DW_TAG_array_type)
			expr_deref(&in);
		return expr_struct(g, &in);
	}
	return expr_struct(g, t);
}

uint32_t expr_bits(const struct expr_type *t, bool *is_signed)
{
	Dwarf_Die d, die = t->die;
	uint64_t enc = 0, size = 0;

	*is_signed = false;
	if (t->bits && !t->refs)
		return t->bits;
	if (t->refs || t->is_void || !die_peel(&die, &d))
		return 0;
	if (dwarf_tag(&d) != DW_TAG_base_type && dwarf_tag(&d) != DW_TAG_enumeration_type)
		return 0;
	die_number(&d, DW_AT_encoding, &enc);
	die_number(&d, DW_AT_byte_size, &size);
	*is_signed = enc == DW_ATE_signed || enc == DW_ATE_signed_char;
	return size <= 16 ? (uint32_t)size * 8 : 0;
}

bool expr_is_bytes(const struct expr_type *t)
{
	struct expr_type to = *t;
	bool is_signed;

	return expr_deref(&to) && expr_bits(&to, &is_signed) == 8;
}

static bool member_at(Dwarf_Die *st, const char *name, Dwarf_Die *out, unsigned *budget)
{
	Dwarf_Die d;

	if (dwarf_child(st, &d) != 0)
		return false;
	do {
		const char *n = dwarf_diename(&d);
		Dwarf_Die type, inner;

		if (!*budget)
			return false;
		--*budget;
		if (dwarf_tag(&d) != DW_TAG_member)
			continue;
		if (n && !strcmp(n, name)) {
			*out = d;
			return true;
		}
		if (!n && die_type(&d, &type) && die_peel(&type, &inner) && member_at(&inner, name, out, budget))
			return true;
	} while (dwarf_siblingof(&d, &d) == 0);
	return false;
}

bool expr_member(Dwarf_Die *st, const char *name, Dwarf_Die *out)
{
	unsigned budget = MAX_MEMBERS;

	return member_at(st, name, out, &budget);
}

/* ---- names ---------------------------------------------------------------- */

void expr_enter(struct expr_scope *s, const char *function)
{
	s->have_fn = function && dbg_function(s->g, s->file, function, &s->fn);
}

/* The declaration that is nearest above the line wins. */
static bool local_in(Dwarf_Die *block, const char *name, int line, Dwarf_Die *out, int *best, int depth)
{
	Dwarf_Die d;
	bool found = false;

	if (depth > MAX_DEPTH || dwarf_child(block, &d) != 0)
		return false;
	do {
		const char *n;
		int tag = dwarf_tag(&d), at = 0;

		if (tag == DW_TAG_lexical_block) {
			found |= local_in(&d, name, line, out, best, depth + 1);
			continue;
		}
		if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
			continue;
		n = dwarf_diename(&d);
		if (!n || strcmp(n, name))
			continue;
		dwarf_decl_line(&d, &at);
		if (found && (at > line || at < *best))
			continue;
		*out = d;
		*best = at;
		found = true;
	} while (dwarf_siblingof(&d, &d) == 0);
	return found;
}

static bool variable(const struct expr_scope *s, const char *name, uint32_t line, Dwarf_Die *out)
{
	Dwarf_Die fn = s->fn, *global;
	int best = 0;

	if (s->have_fn && local_in(&fn, name, (int)line, out, &best, 0))
		return true;
	global = strmap_get(&s->g->globals, name);
	if (global)
		*out = *global;
	return global != NULL;
}

/* "unsigned char" and the like as the compiler calls them. */
static const char *plain_type(const struct ctoks *ts, uint32_t *pos, uint32_t end)
{
	bool uns = false, sig = false, word = false;
	int longs = 0;
	const char *base = NULL;

	for (; *pos < end; ++*pos) {
		if (ctok_is(ts, *pos, "unsigned"))
			uns = true;
		else if (ctok_is(ts, *pos, "signed"))
			sig = true;
		else if (ctok_is(ts, *pos, "long"))
			longs++;
		else if (ctok_is(ts, *pos, "char") || ctok_is(ts, *pos, "short") || ctok_is(ts, *pos, "_Bool"))
			base = ctok_is(ts, *pos, "char") ? "char" : ctok_is(ts, *pos, "short") ? "short" : "_Bool";
		else if (!ctok_is(ts, *pos, "int") && !ctok_is(ts, *pos, "const") && !ctok_is(ts, *pos, "volatile"))
			break;
		word |= !ctok_is(ts, *pos, "const") && !ctok_is(ts, *pos, "volatile");
	}
	if (!word)
		return NULL;
	if (base && !strcmp(base, "char"))
		return uns ? "unsigned char" : sig ? "signed char" : "char";
	if (base && !strcmp(base, "short"))
		return uns ? "short unsigned int" : "short int";
	if (base)
		return base;
	if (longs)
		return longs > 1 ? (uns ? "long long unsigned int" : "long long int") :
		       uns ? "long unsigned int" : "long int";
	return uns ? "unsigned int" : "int";
}

static bool skipped(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i, "const") || ctok_is(ts, i, "volatile") || ctok_is(ts, i, "__user") ||
	       ctok_is(ts, i, "__iomem") || ctok_is(ts, i, "__force") || ctok_is(ts, i, "__rcu") ||
	       ctok_is(ts, i, "__percpu") || ctok_is(ts, i, "__packed");
}

static bool tagged_type(const struct expr_scope *s, uint32_t pos, struct expr_type *out)
{
	const struct ctoks *ts = s->ts;
	const struct dbg_struct *st;
	char *tag, *name;

	if (!ctok_kind_is(ts, pos + 1, CTOK_IDENT))
		return false;
	tag = ctok_dup(ts, pos + 1);
	name = xstrfmt("%s %s", ctok_is(ts, pos, "union") ? "union" : "struct", tag);
	st = dbg_struct(s->g, name, s->file);
	if (!st)
		st = dbg_struct(s->g, name, NULL);
	if (st)
		out->die = st->die;
	free(tag);
	free(name);
	return st != NULL;
}

static bool named_type(const struct expr_scope *s, const char *name, struct expr_type *out)
{
	Dwarf_Die *t = strmap_get(&s->g->types, name);

	if (t)
		out->die = *t;
	return t != NULL;
}

bool expr_typename(const struct expr_scope *s, uint32_t first, uint32_t end, struct expr_type *out)
{
	const struct ctoks *ts = s->ts;
	uint32_t pos = first, at;
	const char *plain;
	bool ok = false;

	memset(out, 0, sizeof(*out));
	while (pos < end && skipped(ts, pos))
		pos++;
	at = pos;
	if (ctok_is(ts, pos, "struct") || ctok_is(ts, pos, "union")) {
		ok = tagged_type(s, pos, out);
		pos += 2;
	} else if (ctok_is(ts, pos, "void")) {
		ok = out->is_void = true;
		pos++;
	} else if ((plain = plain_type(ts, &pos, end))) {
		ok = named_type(s, plain, out);
		if (!ok)
			out->bits = strstr(plain, "char") ? 8 : strstr(plain, "short") ? 16 :
				    strstr(plain, "long") ? 64 : 32;
		ok = true;
	} else if (at < end && ctok_is_ident(ts, at)) {
		char *name = ctok_dup(ts, at);

		ok = named_type(s, name, out);
		free(name);
		pos++;
	}
	for (; pos < end; pos++) {
		if (ctok_is(ts, pos, "*"))
			out->refs++;
		else if (ctok_is(ts, pos, "[") && ts->t[pos].match != CTOK_NONE)
			pos = ts->t[pos].match;
		else if (!skipped(ts, pos))
			return false;
	}
	return ok;
}

/* ---- expressions ---------------------------------------------------------- */

static bool identifier(struct eval *e, struct expr_type *out)
{
	char *name = ctok_dup(e->ts, e->pos);
	uint32_t line = e->ts->t[e->pos].line + e->s->line_base;
	Dwarf_Die d;
	bool ok;

	memset(out, 0, sizeof(*out));
	e->pos++;
	if (ctok_is(e->ts, e->pos, "(") && e->pos < e->end && e->ts->t[e->pos].match < e->end &&
	    !variable(e->s, name, line, &d)) {
		ok = dbg_function(e->s->g, e->s->file, name, &d);
		e->pos = e->ts->t[e->pos].match + 1;
		if (ok)
			out->is_void = !die_type(&d, &out->die);
	} else {
		ok = variable(e->s, name, line, &d) && die_type(&d, &out->die);
	}
	free(name);
	return ok;
}

static bool select_member(struct eval *e, struct expr_type *t)
{
	const struct dbg_struct *st;
	Dwarf_Die in, d;
	char *name;
	bool ok;

	if (!ctok_kind_is(e->ts, e->pos + 1, CTOK_IDENT) || t->refs || t->is_void || t->bits || !die_peel(&t->die, &in))
		return false;
	/* Only declared in this unit: another one may have it whole. */
	if (die_is_struct(&in) && die_flag(&in, DW_AT_declaration) && (st = dbg_struct_of(e->s->g, &in)))
		in = st->die;
	name = ctok_dup(e->ts, e->pos + 1);
	ok = expr_member(&in, name, &d) && die_type(&d, &t->die);
	free(name);
	e->pos += 2;
	return ok;
}

static bool postfix(struct eval *e, struct expr_type *t)
{
	const struct ctoks *ts = e->ts;

	while (e->pos < e->end) {
		if (ctok_is(ts, e->pos, "->")) {
			if (!expr_deref(t) || !select_member(e, t))
				return false;
		} else if (ctok_is(ts, e->pos, ".")) {
			if (!select_member(e, t))
				return false;
		} else if (ctok_is(ts, e->pos, "[") && ts->t[e->pos].match < e->end) {
			if (!expr_deref(t))
				return false;
			e->pos = ts->t[e->pos].match + 1;
		} else if (ctok_is(ts, e->pos, "++") || ctok_is(ts, e->pos, "--")) {
			e->pos++;
		} else {
			return !ctok_is(ts, e->pos, "(");
		}
	}
	return true;
}

static bool starts_operand(const struct ctoks *ts, uint32_t i, uint32_t end)
{
	return i < end && (ctok_kind_is(ts, i, CTOK_IDENT) || ctok_kind_is(ts, i, CTOK_NUMBER) ||
			   ctok_is(ts, i, "(") || ctok_is(ts, i, "&") || ctok_is(ts, i, "*"));
}

static bool parenthesis(struct eval *e, struct expr_type *out)
{
	uint32_t open = e->pos, close = e->ts->t[open].match;
	struct eval in = { .s = e->s, .ts = e->ts, .pos = open + 1, .end = close, .depth = e->depth };
	struct expr_type ignored;

	if (close == CTOK_NONE || close >= e->end)
		return false;
	if (starts_operand(e->ts, close + 1, e->end) && expr_typename(e->s, open + 1, close, out)) {
		e->pos = close + 1;
		unary(e, &ignored);
		return true;
	}
	if (!unary(&in, out))
		return false;
	/* Of "a + b" the left side; what else is there has another type. */
	if (in.pos < close && !ctok_is(e->ts, in.pos, "+") && !ctok_is(e->ts, in.pos, "-"))
		return false;
	e->pos = close + 1;
	return postfix(e, out);
}

static bool unary(struct eval *e, struct expr_type *out)
{
	const struct ctoks *ts = e->ts;
	bool ok = false;

	if (e->pos >= e->end || ++e->depth > MAX_DEPTH)
		return false;
	if (ctok_is(ts, e->pos, "&")) {
		e->pos++;
		ok = unary(e, out);
		if (ok)
			out->refs++;
	} else if (ctok_is(ts, e->pos, "*")) {
		e->pos++;
		ok = unary(e, out) && expr_deref(out);
	} else if (ctok_is(ts, e->pos, "(")) {
		ok = parenthesis(e, out);
	} else if (ctok_is_ident(ts, e->pos)) {
		ok = identifier(e, out) && postfix(e, out);
	}
	e->depth--;
	return ok;
}

bool expr_eval(const struct expr_scope *s, uint32_t first, uint32_t end, struct expr_type *out)
{
	struct eval e = { .s = s, .ts = s->ts, .pos = first, .end = end };

	while (e.pos < end && ctok_kind_is(s->ts, e.pos, CTOK_PP))
		e.pos++;
	return unary(&e, out) && (e.pos >= end || ctok_is(s->ts, e.pos, "+") || ctok_is(s->ts, e.pos, "-"));
}
