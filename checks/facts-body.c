/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts inside function bodies, from tokens alone. */
#include "base/compat.h"
#include "checks/facts.h"
#include "base/alloc.h"

struct body {
	struct facts *fa;
	const struct fact_file *file;
	const struct ctoks *ts;
	const char *function;
	struct cspan s;
};

static struct fact *add(const struct body *b, enum fact_kind kind, uint32_t tok, const char *key)
{
	return facts_add(b->fa, kind, b->file, b->ts->t[tok].line, b->function, key);
}

static bool dead(const struct ctoks *ts, size_t i)
{
	return (ts->t[i].flags & CTOK_DEAD) != 0;
}

/* The bracket's partner when it lies inside the span, else CTOK_NONE. */
static uint32_t close_of(const struct ctoks *ts, uint32_t i, uint32_t end)
{
	uint32_t m = i < ts->n ? ts->t[i].match : CTOK_NONE;

	return m != CTOK_NONE && m > i && m < end ? m : CTOK_NONE;
}

/* ---- calls ---------------------------------------------------------------- */

static bool statement_start(const struct ctoks *ts, uint32_t i, uint32_t first)
{
	uint32_t open;

	if (i <= first)
		return true;
	if (ctok_is(ts, i - 1, ";") || ctok_is(ts, i - 1, "{") || ctok_is(ts, i - 1, "}") ||
	    ctok_is(ts, i - 1, "else") || ctok_is(ts, i - 1, ":") || ctok_is(ts, i - 1, "do") ||
	    ctok_kind_is(ts, i - 1, CTOK_PP))
		return true;
	if (!ctok_is(ts, i - 1, ")"))
		return false;
	open = ts->t[i - 1].match;
	if (open == CTOK_NONE || open <= first)
		return false;
	/* "(void)f();", or the head of an if, for, while, switch or a loop macro. */
	if (i - 1 - open == 2 && ctok_is(ts, open + 1, "void"))
		return statement_start(ts, open, first);
	return ctok_kind_is(ts, open - 1, CTOK_IDENT) && !ctok_is(ts, open - 1, "sizeof");
}

void facts_of_calls(struct facts *fa, const struct fact_file *file, const struct ctoks *ts,
		    struct cspan s, const char *function, int line)
{
	uint32_t i, m;

	for (i = s.first; i + 1 < s.end; i++) {
		bool member = i > s.first && (ctok_is(ts, i - 1, "->") || ctok_is(ts, i - 1, "."));
		struct fact *f;
		char *name;

		if (dead(ts, i) || !ctok_is_ident(ts, i) || !ctok_is(ts, i + 1, "(") ||
		    ctok_is_annotation(ts, i) || ctok_is(ts, i, "defined"))
			continue;
		name = ctok_dup(ts, i);
		if (member) {
			char *dotted = xstrfmt(".%s", name);

			free(name);
			name = dotted;
		}
		f = facts_add(fa, FACT_CALL, file, line ? line : (int)ts->t[i].line, function, name);
		m = close_of(ts, i + 1, s.end);
		f->value = facts_span_text(ts, i + 2, m == CTOK_NONE ? i + 2 : m);
		f->bare = m != CTOK_NONE && ctok_is(ts, m + 1, ";") && statement_start(ts, i, s.first);
		free(name);
	}
}

bool facts_is_log_call(const char *callee)
{
	static const char *const exact[] = { "printk", "printk_once", "printk_ratelimited", "DEBUG",
					     "DBG", "dbg", "trace_printk", "BUILD_BUG_ON", "might_sleep",
					     "netif_dbg", "netif_info", "netif_err", "netif_warn",
					     "ARRAY_SIZE", "likely", "unlikely", "UNUSED" };
	static const char *const prefixes[] = { "pr_", "dev_dbg", "dev_info", "dev_warn", "dev_err",
						"dev_notice", "dev_crit", "netdev_dbg", "netdev_info",
						"netdev_warn", "netdev_err", "netdev_notice", "WARN_ON",
						"snd_print" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(exact); i++)
		if (!strcmp(callee, exact[i]))
			return true;
	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (starts_with(callee, prefixes[i]) && strcmp(callee, "dev_err_probe"))
			return true;
	return false;
}

/* ---- conditions ----------------------------------------------------------- */

static bool error_word(const struct ctoks *ts, uint32_t i)
{
	static const char *const words[] = { "ret", "retval", "rc", "err", "error", "rv", "res", "result",
					     "status", "rval", "errno", "retv", "errcode", "r" };
	size_t k;

	for (k = 0; k < ARRAY_SIZE(words); k++)
		if (ctok_is(ts, i, words[k]))
			return true;
	return ctok_is(ts, i, "IS_ERR") || ctok_is(ts, i, "IS_ERR_OR_NULL") ||
	       ctok_is(ts, i, "IS_ERR_VALUE");
}

/* Does the condition in [from, to) ask whether something failed? */
static bool error_condition(const struct ctoks *ts, uint32_t from, uint32_t to)
{
	uint32_t i;

	/* "!p", "!p->q", "!f(x)", but no bits: "!(x & FLAG)". */
	if (ctok_is(ts, from, "!") && ctok_kind_is(ts, from + 1, CTOK_IDENT))
		return true;
	for (i = from; i < to; i++)
		if (error_word(ts, i) || (ctok_is(ts, i, "<") && ctok_is(ts, i + 1, "0")) ||
		    (ctok_is(ts, i, "==") && ctok_is(ts, i + 1, "NULL")))
			return true;
	return false;
}

static bool literal(const struct ctoks *ts, uint32_t i, bool *truth)
{
	if (ctok_is(ts, i, "0") || ctok_is(ts, i, "false"))
		*truth = false;
	else if (ctok_is(ts, i, "1") || ctok_is(ts, i, "true"))
		*truth = true;
	else
		return false;
	return true;
}

/* Decided by a literal at its front: "0", "1", "0 && x", "true || x". */
static bool constant_condition(const struct ctoks *ts, uint32_t from, uint32_t to)
{
	bool truth;

	if (from >= to || !literal(ts, from, &truth))
		return false;
	if (from + 1 == to)
		return true;
	return truth ? ctok_is(ts, from + 1, "||") : ctok_is(ts, from + 1, "&&");
}

/* "x && 0", "x || 1" at the end. */
static bool constant_tail(const struct ctoks *ts, uint32_t from, uint32_t to)
{
	bool truth;

	if (to < from + 3 || !literal(ts, to - 1, &truth))
		return false;
	return truth ? ctok_is(ts, to - 2, "||") : ctok_is(ts, to - 2, "&&");
}

static void conditions(const struct body *b)
{
	const struct ctoks *ts = b->ts;
	uint32_t i, m;

	for (i = b->s.first; i < b->s.end; i++) {
		char *text;

		if (dead(ts, i) || !ctok_is(ts, i, "if") || !ctok_is(ts, i + 1, "("))
			continue;
		m = close_of(ts, i + 1, b->s.end);
		if (m == CTOK_NONE)
			continue;
		text = facts_span_text(ts, i + 2, m);
		if (constant_condition(ts, i + 2, m) || constant_tail(ts, i + 2, m))
			add(b, FACT_CONST_IF, i, b->function)->value = xstrdup(text);
		else if (error_condition(ts, i + 2, m))
			add(b, FACT_CHECK, i, b->function)->value = xstrdup(text);
		free(text);
	}
}

/* ---- returns, cases, what is never reached -------------------------------- */

/* Numbers, strings, upper-case names, NULL, false and true: no value that was computed. */
static bool constant_token(const struct ctoks *ts, uint32_t i)
{
	size_t k;

	if (ts->t[i].kind == CTOK_NUMBER || ts->t[i].kind == CTOK_STRING || ts->t[i].kind == CTOK_CHAR)
		return true;
	if (ts->t[i].kind == CTOK_PUNCT)
		return strchr("-+()|*~!", ts->text[ts->t[i].off]) != NULL && ts->t[i].len == 1;
	if (ts->t[i].kind != CTOK_IDENT)
		return false;
	if (ctok_is(ts, i, "false") || ctok_is(ts, i, "true") || ctok_is_keyword(ts, i))
		return true;
	for (k = 0; k < ts->t[i].len; k++)
		if (ts->text[ts->t[i].off + k] >= 'a' && ts->text[ts->t[i].off + k] <= 'z')
			return false;
	return true;
}

static bool constant_span(const struct ctoks *ts, uint32_t from, uint32_t to)
{
	uint32_t i;

	for (i = from; i < to; i++)
		if (!constant_token(ts, i) || (i > from && ctok_is(ts, i, "(") && ctok_is_ident(ts, i - 1) &&
					       !ctok_is(ts, i - 1, "ERR_PTR")))
			return false;
	return true;
}

/* The ";" that ends the statement at i. */
static uint32_t statement_end(const struct ctoks *ts, uint32_t i, uint32_t end)
{
	while (i < end && !ctok_is(ts, i, ";")) {
		uint32_t m = ctok_is(ts, i, "(") || ctok_is(ts, i, "{") || ctok_is(ts, i, "[") ?
				     close_of(ts, i, end) : CTOK_NONE;

		i = m != CTOK_NONE ? m + 1 : i + 1;
	}
	return i < end ? i : end;
}

static bool same_span(const struct ctoks *ts, struct cspan a, struct cspan b)
{
	uint32_t i;

	if (a.end - a.first != b.end - b.first)
		return false;
	for (i = 0; i < a.end - a.first; i++)
		if (!ctok_same(ts, a.first + i, ts, b.first + i))
			return false;
	return true;
}

/*
 * Every "word =" gives the variable the same constant, and nothing else is done with it: which of
 * several constants it holds would be a result.
 */
static bool local_constant(const struct ctoks *ts, struct cspan body, uint32_t word)
{
	struct cspan first = { 0, 0 }, value;
	uint32_t i;

	for (i = body.first; i + 1 < body.end; i++) {
		if (!ctok_same(ts, i, ts, word) || i == word)
			continue;
		if (i > body.first && ctok_is(ts, i - 1, "&"))
			return false;
		if (ctok_is(ts, i + 1, "=")) {
			value = (struct cspan){ i + 2, statement_end(ts, i + 2, body.end) };
			if (!constant_span(ts, value.first, value.end) ||
			    (first.end && !same_span(ts, first, value)))
				return false;
			first = value;
		} else if (!ctok_is(ts, i + 1, ";") && !ctok_is(ts, i + 1, ",") &&
			   !ctok_is(ts, i + 1, ")")) {
			return false;
		}
	}
	return first.end > 0;
}

static void returns(const struct body *b)
{
	const struct ctoks *ts = b->ts;
	uint32_t i, end;

	for (i = b->s.first; i < b->s.end; i++) {
		if (dead(ts, i) || !ctok_is(ts, i, "return"))
			continue;
		end = statement_end(ts, i, b->s.end);
		if (end == i + 1 || constant_span(ts, i + 1, end) ||
		    (end == i + 2 && ctok_is_ident(ts, i + 1) && local_constant(ts, b->s, i + 1)))
			continue;
		add(b, FACT_RETURN, i, b->function)->value = facts_span_text(ts, i + 1, end);
	}
}

static void cases(const struct body *b)
{
	const struct ctoks *ts = b->ts;
	uint32_t i, end;

	for (i = b->s.first; i < b->s.end; i++) {
		char *label;

		if (dead(ts, i) || !ctok_is(ts, i, "case"))
			continue;
		for (end = i + 1; end < b->s.end && end < i + 64 && !ctok_is(ts, end, ":"); end++)
			;
		label = facts_span_text(ts, i + 1, end);
		add(b, FACT_CASE, i, label);
		free(label);
	}
}

/*
 * Code behind an unconditional "return" or "goto" of the same block that no label makes
 * reachable.
 */
static void unreachable(const struct body *b)
{
	const struct ctoks *ts = b->ts;
	uint32_t i, end;

	for (i = b->s.first + 1; i + 1 < b->s.end; i++) {
		if (dead(ts, i) || (!ctok_is(ts, i, "return") && !ctok_is(ts, i, "goto")))
			continue;
		if (!ctok_is(ts, i - 1, ";") && !ctok_is(ts, i - 1, "{") && !ctok_is(ts, i - 1, "}") &&
		    !ctok_kind_is(ts, i - 1, CTOK_PP))
			continue;
		end = statement_end(ts, i, b->s.end) + 1;
		if (end + 1 >= b->s.end || ctok_is(ts, end, "}") || ctok_kind_is(ts, end, CTOK_PP) ||
		    ctok_is(ts, end + 1, ":") || ctok_is(ts, end, "case") || ctok_is(ts, end, ";"))
			continue;
		add(b, FACT_DEAD_CODE, end, b->function);
	}
}

/* ---- casts and assignments ------------------------------------------------ */

/* "(" at i opens a cast to a pointer: "(void *)", "(struct x **)", "(irq_handler_t)" does not show. */
static bool pointer_cast(const struct ctoks *ts, uint32_t i, uint32_t m)
{
	uint32_t k;

	if (m < i + 2 || !ctok_kind_is(ts, i + 1, CTOK_IDENT))
		return false;
	/* (int (*)(struct x *)) */
	for (k = i + 1; k + 2 < m; k++)
		if (ctok_is(ts, k, "(") && ctok_is(ts, k + 1, "*") && ctok_is(ts, k + 2, ")"))
			return true;
	if (!ctok_is(ts, m - 1, "*"))
		return false;
	for (k = i + 1; k < m; k++)
		if (!ctok_kind_is(ts, k, CTOK_IDENT) && !ctok_is(ts, k, "*"))
			return false;
	return true;
}

/* The operand of a cast, as far as it is one simple expression: "&x->y[0].z". */
static uint32_t operand_end(const struct ctoks *ts, uint32_t i, uint32_t end)
{
	while (i < end && (ctok_is(ts, i, "&") || ctok_is(ts, i, "*")))
		i++;
	while (i < end) {
		uint32_t m;

		if (ctok_is(ts, i, "(") || ctok_is(ts, i, "[")) {
			m = close_of(ts, i, end);
			if (m == CTOK_NONE)
				return i;
			i = m + 1;
		} else if (ctok_kind_is(ts, i, CTOK_IDENT) || ctok_is(ts, i, "->") || ctok_is(ts, i, ".")) {
			i++;
		} else {
			break;
		}
	}
	return i;
}

static void casts(const struct body *b)
{
	const struct ctoks *ts = b->ts;
	uint32_t i, m, end;

	for (i = b->s.first; i < b->s.end; i++) {
		char *operand, *key;

		if (dead(ts, i) || !ctok_is(ts, i, "("))
			continue;
		m = close_of(ts, i, b->s.end);
		if (m == CTOK_NONE || (i > b->s.first && ctok_kind_is(ts, i - 1, CTOK_IDENT) &&
				       !ctok_is(ts, i - 1, "return")) || !pointer_cast(ts, i, m))
			continue;
		end = operand_end(ts, m + 1, b->s.end);
		if (end == m + 1)
			continue;
		operand = facts_span_text(ts, m + 1, end);
		key = xstrfmt("%s %s", b->function, operand);
		add(b, FACT_CAST, i, key)->value = facts_span_text(ts, i, m + 1);
		free(key);
		free(operand);
	}
}

/* ")" at i closes the head of an if, for or while: a statement begins behind it. */
static bool closes_head(const struct ctoks *ts, uint32_t i)
{
	uint32_t open = ctok_is(ts, i, ")") ? ts->t[i].match : CTOK_NONE;

	return open != CTOK_NONE && open > 0 && open < i &&
	       (ctok_is(ts, open - 1, "if") || ctok_is(ts, open - 1, "for") || ctok_is(ts, open - 1, "while"));
}

static bool ends_statement(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i, ";") || ctok_is(ts, i, "{") || ctok_is(ts, i, "}") || ctok_is(ts, i, "else") ||
	       ctok_kind_is(ts, i, CTOK_PP) || closes_head(ts, i);
}

/* Plain assignments "a->b = value;", the target up to the statement's start. */
static void assignments(const struct body *b)
{
	const struct ctoks *ts = b->ts;
	uint32_t i, from, end;

	for (i = b->s.first + 1; i < b->s.end; i++) {
		char *target, *key;

		if (dead(ts, i) || !ctok_is(ts, i, "="))
			continue;
		for (from = i; from > b->s.first && i - from < 32 && !ends_statement(ts, from - 1); from--)
			;
		end = statement_end(ts, i, b->s.end);
		target = facts_span_text(ts, from, i);
		key = xstrfmt("%s %s", b->function, target);
		add(b, FACT_ASSIGN, i, key)->value = facts_span_text(ts, i + 1, end);
		free(key);
		free(target);
	}
}

void facts_of_body(struct facts *fa, const struct fact_file *file, const char *function,
		   const struct cfunc *f)
{
	struct body b = { fa, file, &file->ts, function, f->body };

	facts_of_calls(fa, file, &file->ts, f->body, function, 0);
	conditions(&b);
	returns(&b);
	cases(&b);
	unreachable(&b);
	casts(&b);
	assignments(&b);
}

/* ---- weight --------------------------------------------------------------- */

/* Named for the first time: neither a parameter nor a local, so it was there before. */
static bool not_local(const struct ctoks *ts, uint32_t word, uint32_t from)
{
	uint32_t i;

	if (!ctok_is_ident(ts, word) || (word > 0 && ctok_kind_is(ts, word - 1, CTOK_IDENT)) ||
	    (word > 0 && ctok_is(ts, word - 1, "*")))
		return false;
	for (i = from; i < word; i++)
		if (ctok_same(ts, i, ts, word))
			return false;
	return true;
}

static bool outlives(const struct ctoks *ts, uint32_t eq, uint32_t from)
{
	uint32_t i = eq;

	if (eq > from && not_local(ts, eq - 1, from))
		return true;

	/* A target with a member, an index or a dereference is not local. */
	while (i > 0 && eq - i < 32 && !ctok_is(ts, i - 1, ";") && !ctok_is(ts, i - 1, "{") &&
	       !ctok_is(ts, i - 1, "}")) {
		i--;
		if (ctok_is(ts, i, "->") || ctok_is(ts, i, ".") || ctok_is(ts, i, "["))
			return true;
	}
	return ctok_is(ts, i, "*");
}

static bool assigns(const struct ctoks *ts, uint32_t i)
{
	const struct ctok *t = &ts->t[i];

	if (t->kind != CTOK_PUNCT)
		return false;
	if (ctok_is(ts, i, "=") || ctok_is(ts, i, "++") || ctok_is(ts, i, "--"))
		return true;
	return t->len >= 2 && ts->text[t->off + t->len - 1] == '=' && !ctok_is(ts, i, "==") &&
	       !ctok_is(ts, i, "!=") && !ctok_is(ts, i, "<=") && !ctok_is(ts, i, ">=");
}

static bool is_control(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i, "for") || ctok_is(ts, i, "while") || ctok_is(ts, i, "switch");
}

static void weigh_token(const struct ctoks *ts, uint32_t i, const struct cfunc *f, struct body_weight *w)
{
	struct cspan s = f->body;
	char *name;

	if (ctok_is_ident(ts, i) && ctok_is(ts, i + 1, "(") && !ctok_is_annotation(ts, i)) {
		name = ctok_dup(ts, i);
		w->calls += !facts_is_log_call(name);
		free(name);
	} else if (is_control(ts, i) && ctok_is(ts, i + 1, "(") && !constant_condition(ts, i + 2, i + 3)) {
		w->effects++;
	} else if (ctok_is(ts, i, "if") && ctok_is(ts, i + 1, "(")) {
		uint32_t m = close_of(ts, i + 1, s.end);

		w->effects += m != CTOK_NONE && !constant_condition(ts, i + 2, m) &&
			      !constant_tail(ts, i + 2, m);
	} else if (assigns(ts, i) && outlives(ts, i, f->paren.first)) {
		w->effects++;
	}
}

struct body_weight facts_weight(const struct fact *function)
{
	const struct ctoks *ts = &function->file->ts;
	struct cspan s = function->f->body;
	struct body_weight w = { 0 };
	uint32_t i, end;

	for (i = s.first + 1; i + 1 < s.end; i++) {
		if (dead(ts, i) || ts->t[i].kind == CTOK_PP)
			continue;
		w.tokens++;
		weigh_token(ts, i, function->f, &w);
		if (ctok_is(ts, i, "return")) {
			end = statement_end(ts, i, s.end);
			if (end > i + 1 && !constant_span(ts, i + 1, end) &&
			    !(end == i + 2 && ctok_is_ident(ts, i + 1) && local_constant(ts, s, i + 1)))
				w.returns++;
			else
				w.constants++;
		}
	}
	return w;
}

/* A word of a macro's replacement that makes it more than a stub. */
static bool define_word_counts(const struct ctoks *ts, uint32_t i, uint32_t params_end)
{
	uint32_t k;

	if (!ctok_is_ident(ts, i) || constant_token(ts, i))
		return ctok_is_ident(ts, i) && ctok_is(ts, i + 1, "(") && !ctok_is(ts, i, "ERR_PTR");
	for (k = 0; k < params_end; k++)
		if (ctok_same(ts, k, ts, i))
			return ctok_is(ts, i + 1, "(");
	return true;
}

bool facts_trivial_define(const char *value)
{
	struct ctoks ts;
	uint32_t i, body = 0;
	bool trivial = true;

	if (ctoks_scan(&ts, value, strlen(value)) < 0)
		return false;
	/* define() separates the parameters from the replacement by a blank. */
	if (ctok_is(&ts, 0, "(") && ts.t[0].match != CTOK_NONE &&
	    value[ts.t[ts.t[0].match].off + 1] == ' ')
		body = ts.t[0].match + 1;
	for (i = body; i < ts.n && trivial; i++)
		trivial = !define_word_counts(&ts, i, body);
	ctoks_release(&ts);
	return trivial;
}
