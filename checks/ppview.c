/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/ppview.h"
#include "base/alloc.h"
#include "base/ctoken.h"

/* ---- conditions ----------------------------------------------------------- */

struct value {
	bool known;
	int64_t v;
};

struct expr {
	struct ctoks ts;
	size_t i;
	unsigned version;
	int depth;
};

#define MAX_DEPTH 40
static const struct value OPEN = { false, 0 };

static struct value parse_binary(struct expr *e, int min);

static bool take(struct expr *e, const char *s)
{
	if (!ctok_is(&e->ts, e->i, s))
		return false;
	e->i++;
	return true;
}

static struct value known(int64_t v)
{
	return (struct value){ true, v };
}

static struct value number(struct expr *e)
{
	char buf[32], *end;
	const struct ctok *t = &e->ts.t[e->i++];
	int64_t v;

	if (t->len >= sizeof(buf))
		return OPEN;
	memcpy(buf, e->ts.text + t->off, t->len);
	buf[t->len] = '\0';
	v = strtoll(buf, &end, 0);
	return end[strspn(end, "uUlL")] ? OPEN : known(v);
}

/* KERNEL_VERSION(a, b, c) behind its name; c counts at most 255, as in the kernel. */
static struct value kernel_version(struct expr *e)
{
	struct value a, b, c;

	if (!take(e, "("))
		return OPEN;
	a = parse_binary(e, 1);
	take(e, ",");
	b = parse_binary(e, 1);
	take(e, ",");
	c = parse_binary(e, 1);
	if (!take(e, ")") || !a.known || !b.known || !c.known)
		return OPEN;
	return known((a.v << 16) + (b.v << 8) + (c.v > 255 ? 255 : c.v));
}

static struct value is_defined(struct expr *e)
{
	bool paren = take(e, "(");
	bool yes = ctok_is(&e->ts, e->i, "MODULE") || ctok_is(&e->ts, e->i, "__KERNEL__") ||
		   ctok_is(&e->ts, e->i, "LINUX_VERSION_CODE") ||
		   ctok_is(&e->ts, e->i, "KERNEL_VERSION");

	e->i++;
	if (paren)
		take(e, ")");
	return yes ? known(1) : OPEN;
}

/* An identifier that we do not know, with its arguments. */
static struct value open_word(struct expr *e)
{
	uint32_t m;

	e->i++;
	if (!ctok_is(&e->ts, e->i, "("))
		return OPEN;
	m = e->ts.t[e->i].match;
	e->i = m != CTOK_NONE && m > e->i ? m + 1 : e->ts.n;
	return OPEN;
}

static struct value parse_unary(struct expr *e)
{
	struct value v;

	if (++e->depth > MAX_DEPTH || e->i >= e->ts.n) {
		e->i = e->ts.n;
		return OPEN;
	}
	if (take(e, "!")) {
		v = parse_unary(e);
		v.v = !v.v;
	} else if (take(e, "-")) {
		v = parse_unary(e);
		v.v = (int64_t)(0 - (uint64_t)v.v);
	} else if (take(e, "(")) {
		v = parse_binary(e, 1);
		take(e, ")");
	} else if (take(e, "defined")) {
		v = is_defined(e);
	} else if (take(e, "KERNEL_VERSION")) {
		v = kernel_version(e);
	} else if (take(e, "LINUX_VERSION_CODE")) {
		v = e->version ? known(e->version) : OPEN;
	} else if (ctok_kind_is(&e->ts, e->i, CTOK_NUMBER)) {
		v = number(e);
	} else {
		v = open_word(e);
	}
	e->depth--;
	return v;
}

static int precedence(const struct expr *e)
{
	static const struct { const char *op; int prec; } ops[] = {
		{ "||", 1 }, { "&&", 2 }, { "==", 3 }, { "!=", 3 }, { "<", 4 }, { ">", 4 },
		{ "<=", 4 }, { ">=", 4 }, { "+", 5 }, { "-", 5 },
	};
	size_t k;

	for (k = 0; k < ARRAY_SIZE(ops); k++)
		if (ctok_is(&e->ts, e->i, ops[k].op))
			return ops[k].prec;
	return 0;
}

static struct value apply(const struct expr *e, size_t op, struct value a, struct value b)
{
	const struct ctoks *ts = &e->ts;

	if (ctok_is(ts, op, "||")) {
		if ((a.known && a.v) || (b.known && b.v))
			return known(1);
		return a.known && b.known ? known(0) : OPEN;
	}
	if (ctok_is(ts, op, "&&")) {
		if ((a.known && !a.v) || (b.known && !b.v))
			return known(0);
		return a.known && b.known ? known(1) : OPEN;
	}
	if (!a.known || !b.known)
		return OPEN;
	if (ctok_is(ts, op, "=="))
		return known(a.v == b.v);
	if (ctok_is(ts, op, "!="))
		return known(a.v != b.v);
	if (ctok_is(ts, op, "<"))
		return known(a.v < b.v);
	if (ctok_is(ts, op, ">"))
		return known(a.v > b.v);
	if (ctok_is(ts, op, "<="))
		return known(a.v <= b.v);
	if (ctok_is(ts, op, ">="))
		return known(a.v >= b.v);
	return known((int64_t)(ctok_is(ts, op, "+") ? (uint64_t)a.v + (uint64_t)b.v :
						      (uint64_t)a.v - (uint64_t)b.v));
}

static struct value parse_binary(struct expr *e, int min)
{
	struct value a = parse_unary(e);
	int prec;

	while ((prec = precedence(e)) >= min && prec) {
		size_t op = e->i++;
		struct value b = parse_binary(e, prec + 1);

		a = apply(e, op, a, b);
	}
	return a;
}

enum pp_truth pp_condition(const char *text, size_t len, unsigned version)
{
	struct expr e = { .version = version };
	struct value v;

	if (ctoks_scan(&e.ts, text, len) < 0)
		return PP_OPEN;
	v = parse_binary(&e, 1);
	/* Something behind that was not understood ("?:", "&", "<<"). */
	if (e.i < e.ts.n)
		v.known = false;
	ctoks_release(&e.ts);
	return !v.known ? PP_OPEN : v.v ? PP_TRUE : PP_FALSE;
}

/* ---- views ---------------------------------------------------------------- */

struct branch {
	uint32_t directive; /* token that opens the branch */
	enum pp_truth truth; /* is it the one taken? */
};

struct group {
	struct branch *b;
	size_t n, alloc;
	bool some_true, some_open; /* among the branches so far */
};

/* Deeper nesting than this is left as it is. */
#define MAX_NESTING 100

static void blank(struct strbuf *view, size_t from, size_t to)
{
	for (; from < to; from++)
		if (view->buf[from] != '\n' && view->buf[from] != '\r')
			view->buf[from] = ' ';
}

/* Whether the branch that token i opens is taken when none before it was. */
static enum pp_truth directive_truth(const struct ctoks *ts, size_t i, unsigned version)
{
	struct strbuf name = STRBUF_INIT;
	const struct ctok *t = &ts->t[i];
	enum pp_truth truth = PP_OPEN;
	const char *text = ts->text + t->off, *p;

	ctok_pp_name(ts, i, &name);
	if (!strcmp(name.buf, "else")) {
		truth = PP_TRUE;
	} else if (!strcmp(name.buf, "if") || !strcmp(name.buf, "elif")) {
		p = memmem(text, t->len, name.buf, name.len);
		p += name.len;
		/* A literal is left to the tokenizer and to the rule against new "#if 0". */
		if (memmem(p, text + t->len - p, "VERSION", 7))
			truth = pp_condition(p, text + t->len - p, version);
	}
	strbuf_release(&name);
	return truth;
}

static void add_branch(struct group *g, const struct ctoks *ts, size_t i, unsigned version)
{
	enum pp_truth t = directive_truth(ts, i, version);

	if (g->some_true)
		t = PP_FALSE;
	else if (g->some_open && t == PP_TRUE)
		t = PP_OPEN;
	g->some_true |= t == PP_TRUE;
	g->some_open |= t == PP_OPEN;
	ALLOC_GROW(g->b, g->n + 1, g->alloc);
	g->b[g->n++] = (struct branch){ i, t };
}

/* The group ends with the directive at token endif. */
static void blank_group(const struct group *g, const struct ctoks *ts, size_t endif,
			struct strbuf *view)
{
	bool decided = true;
	size_t k;

	for (k = 0; k < g->n; k++) {
		const struct ctok *t = &ts->t[g->b[k].directive];
		size_t next = k + 1 < g->n ? g->b[k + 1].directive : endif;

		decided &= g->b[k].truth != PP_OPEN;
		if (g->b[k].truth == PP_FALSE)
			blank(view, t->off + t->len, ts->t[next].off);
	}
	for (k = 0; decided && k <= g->n; k++) {
		const struct ctok *t = &ts->t[k < g->n ? g->b[k].directive : endif];

		blank(view, t->off, t->off + t->len);
	}
}

struct groups {
	struct group *g;
	size_t n, alloc;
};

static void group_directive(struct groups *gs, const struct ctoks *ts, size_t i, unsigned version,
			    struct strbuf *view)
{
	if (ctok_pp_is(ts, i, "if") || ctok_pp_is(ts, i, "ifdef") || ctok_pp_is(ts, i, "ifndef")) {
		ALLOC_GROW(gs->g, gs->n + 1, gs->alloc);
		memset(&gs->g[gs->n], 0, sizeof(*gs->g));
		add_branch(&gs->g[gs->n++], ts, i, version);
	} else if (gs->n && (ctok_pp_is(ts, i, "else") || ctok_pp_is(ts, i, "elif"))) {
		add_branch(&gs->g[gs->n - 1], ts, i, version);
	} else if (gs->n && ctok_pp_is(ts, i, "endif")) {
		struct group *g = &gs->g[--gs->n];

		if (gs->n < MAX_NESTING)
			blank_group(g, ts, i, view);
		free(g->b);
	}
}

void ppview(const char *text, size_t len, unsigned version, struct strbuf *out)
{
	struct groups gs = { 0 };
	struct strbuf view = STRBUF_INIT;
	struct ctoks ts;
	size_t i;

	strbuf_add(&view, text, len);
	if (ctoks_scan(&ts, text, len) == 0) {
		for (i = 0; i < ts.n; i++)
			if (ts.t[i].kind == CTOK_PP)
				group_directive(&gs, &ts, i, version, &view);
		while (gs.n)
			free(gs.g[--gs.n].b);
		ctoks_release(&ts);
	}
	free(gs.g);
	strbuf_addbuf(out, &view);
	strbuf_release(&view);
}
