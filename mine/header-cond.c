// SPDX-License-Identifier: GPL-2.0-only
/* Conditional compilation of the header parser: a stack of #if, evaluated in three values. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/header-internal.h"

#define MAX_PARENS 64
#define MAX_COND 64	/* nesting of #if; deeper ones have no conditions */

/* ---- configuration --------------------------------------------------------- */

static void config_set(struct header_config *cfg, const char *name, const char *value)
{
	free(strmap_put(&cfg->set, name, xstrdup(value)));
}

/* Nothing a driver compiles is ever built with or without these, whatever the kernel. */
static const char *const always_set[] = { "__KERNEL__" };
static const char *const never_set[] = { "__ASSEMBLY__", "__ASSEMBLER__", "__cplusplus",
					 "__GENKSYMS__", "__BINDGEN__", "__CPPCHECK__" };
static const char *const not_here[] = { "__CHECKER__", "TRACE_HEADER_MULTI_READ", "__BIG_ENDIAN",
					"__BIG_ENDIAN_BITFIELD", "__clang__", "__i386__", "__s390__",
					"__s390x__", "__powerpc__", "__mips__", "__sparc__", "__arm__",
					"__aarch64__", "__ia64__", "__alpha__", "__hppa__", "__riscv",
					"__m68k__", "__sh__", "BUILD_VDSO", "CREATE_TRACE_POINTS",
					"COMPILE_OFFSETS", "__BOOT_COMPRESSED", "_SETUP", "__ILP32__" };

static bool in_list(const char *name, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

void header_config_init(struct header_config *cfg, const char *srcarch)
{
	size_t i;

	memset(cfg, 0, sizeof(*cfg));
	strmap_init(&cfg->set);
	strmap_init(&cfg->never);
	config_set(cfg, "MODULE", "1");
	config_set(cfg, "__GNUC__", "12");
	config_set(cfg, "__LITTLE_ENDIAN", "1234");
	config_set(cfg, "__LITTLE_ENDIAN_BITFIELD", "1");
	for (i = 0; i < ARRAY_SIZE(not_here); i++)
		strmap_put(&cfg->never, not_here[i], NULL);
	if (strcmp(srcarch, "x86"))
		return;
	config_set(cfg, "__x86_64__", "1");
	config_set(cfg, "BITS_PER_LONG", "64");
	config_set(cfg, "__BITS_PER_LONG", "64");
	config_set(cfg, "__SIZEOF_INT128__", "16");
}

void header_config_release(struct header_config *cfg)
{
	strmap_release(&cfg->set, free);
	strmap_release(&cfg->never, NULL);
}

/* "#define NAME VALUE" lines, as Kconfig writes them. */
void header_config_autoconf(struct header_config *cfg, const char *text)
{
	struct strbuf name = STRBUF_INIT, value = STRBUF_INIT;
	const char *p, *eol, *word;
	size_t len;

	for (p = text; *p; p = *eol ? eol + 1 : eol) {
		eol = p + strcspn(p, "\n");
		if (!skip_prefix(p, "#define ", &word))
			continue;
		len = strcspn(word, " \t\n");
		strbuf_reset(&name);
		strbuf_add(&name, word, len);
		strbuf_reset(&value);
		strbuf_add(&value, word + len, eol - word - len);
		strbuf_trim(&value);
		config_set(cfg, name.buf, value.buf);
	}
	cfg->have_config = true;
	strbuf_release(&name);
	strbuf_release(&value);
}

/* ---- expressions ----------------------------------------------------------- */

struct val {
	bool known;
	long v;
};

struct expr {
	const struct header_config *cfg; /* NULL: only what holds for every driver */
	const struct ctoks *ts;
	size_t i, end;
	int depth;
};

static const struct val unknown = { false, 0 };

static struct val number(long v)
{
	return (struct val){ true, v };
}

static struct val number_text(const char *s)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(s, &end, 0);
	if (end == s || errno)
		return unknown;
	end += strspn(end, "uUlL");
	return *end ? unknown : number(v);
}

/* Is the macro defined? */
static struct val is_defined(const struct expr *e, const char *name)
{
	if (in_list(name, always_set, ARRAY_SIZE(always_set)))
		return number(1);
	if (in_list(name, never_set, ARRAY_SIZE(never_set)))
		return number(0);
	if (!e->cfg)
		return unknown;
	if (strmap_has(&e->cfg->set, name))
		return number(1);
	if (strmap_has(&e->cfg->never, name))
		return number(0);
	if (e->cfg->have_config && starts_with(name, "CONFIG_"))
		return number(0);
	return unknown;
}

static struct val macro_value(const struct expr *e, const char *name)
{
	struct val d = is_defined(e, name);
	const char *v;

	if (!d.known || !d.v)
		return d;
	v = e->cfg ? strmap_get(&e->cfg->set, name) : NULL;
	return v ? number_text(v) : number(1);
}

static void word_at(const struct expr *e, size_t i, char *out, size_t size)
{
	const struct ctok *t = &e->ts->t[i];
	size_t n = t->len < size - 1 ? t->len : size - 1;

	memcpy(out, e->ts->text + t->off, n);
	out[n] = '\0';
}

/* IS_ENABLED(X) and its kin. */
static struct val config_call(const struct expr *e, const char *fn, const char *name)
{
	char module[160];
	struct val y = is_defined(e, name), m;

	snprintf(module, sizeof(module), "%s_MODULE", name);
	m = is_defined(e, module);
	if (!strcmp(fn, "IS_BUILTIN"))
		return y;
	if (!strcmp(fn, "IS_MODULE"))
		return m;
	if (y.known && m.known)
		return number(y.v || m.v);
	return unknown;
}

static struct val parse_expr(struct expr *e, int prec);

/* defined(X), IS_ENABLED(X), other calls; e->i is at the word. */
static struct val parse_word(struct expr *e)
{
	char word[128], arg[128];
	bool paren;
	size_t close;

	word_at(e, e->i++, word, sizeof(word));
	paren = e->i < e->end && tok_char(e->ts, e->i, '(');
	if (!strcmp(word, "defined")) {
		e->i += paren;
		if (!ctok_kind_is(e->ts, e->i, CTOK_IDENT))
			return unknown;
		word_at(e, e->i++, arg, sizeof(arg));
		e->i += paren && e->i < e->end && tok_char(e->ts, e->i, ')');
		return is_defined(e, arg);
	}
	if (!paren)
		return macro_value(e, word);
	close = group_end(e->ts, e->i, e->end);
	if (starts_with(word, "IS_") && ctok_kind_is(e->ts, e->i + 1, CTOK_IDENT) &&
	    close == e->i + 2) {
		word_at(e, e->i + 1, arg, sizeof(arg));
		e->i = close + 1;
		if (starts_with(arg, "CONFIG_"))
			return config_call(e, word, arg);
		return unknown;
	}
	e->i = close + 1;
	return unknown;
}

static struct val parse_unary(struct expr *e)
{
	struct val v;
	char word[64];

	if (e->i >= e->end || e->depth > MAX_PARENS)
		return unknown;
	if (tok_char(e->ts, e->i, '!') || tok_char(e->ts, e->i, '-') || tok_char(e->ts, e->i, '+') ||
	    tok_char(e->ts, e->i, '~')) {
		char op = e->ts->text[e->ts->t[e->i].off];

		e->i++;
		e->depth++;
		v = parse_unary(e);
		e->depth--;
		if (op == '!')
			v.v = !v.v;
		else if (op == '-')
			v.v = (long)-(unsigned long)v.v;
		else if (op == '~')
			v.v = ~v.v;
		return v;
	}
	if (tok_char(e->ts, e->i, '(')) {
		e->i++;
		e->depth++;
		v = parse_expr(e, 0);
		e->depth--;
		e->i += e->i < e->end && tok_char(e->ts, e->i, ')');
		return v;
	}
	if (ctok_kind_is(e->ts, e->i, CTOK_IDENT))
		return parse_word(e);
	word_at(e, e->i++, word, sizeof(word));
	return number_text(word);
}

static int precedence(const struct expr *e)
{
	static const struct { const char *op; int prec; } ops[] = {
		{ "||", 1 }, { "&&", 2 }, { "==", 4 }, { "!=", 4 }, { "<", 5 }, { ">", 5 },
		{ "<=", 5 }, { ">=", 5 }, { "+", 7 }, { "-", 7 }, { "&", 3 },
	};
	size_t k;

	if (e->i >= e->end || e->ts->t[e->i].kind != CTOK_PUNCT)
		return 0;
	for (k = 0; k < ARRAY_SIZE(ops); k++)
		if (ctok_is(e->ts, e->i, ops[k].op))
			return ops[k].prec;
	return 0;
}

static struct val apply(const char *op, struct val a, struct val b)
{
	if (op[0] == '|') {
		if ((a.known && a.v) || (b.known && b.v))
			return number(1);
		return a.known && b.known ? number(0) : unknown;
	}
	if (op[0] == '&' && op[1] == '&') {
		if ((a.known && !a.v) || (b.known && !b.v))
			return number(0);
		return a.known && b.known ? number(1) : unknown;
	}
	if (!a.known || !b.known)
		return unknown;
	switch (op[0]) {
	case '=': return number(a.v == b.v);
	case '!': return number(a.v != b.v);
	case '<': return number(op[1] ? a.v <= b.v : a.v < b.v);
	case '>': return number(op[1] ? a.v >= b.v : a.v > b.v);
	case '+': return number((long)((unsigned long)a.v + (unsigned long)b.v));
	case '-': return number((long)((unsigned long)a.v - (unsigned long)b.v));
	case '&': return number(a.v & b.v);
	}
	return unknown;
}

static struct val parse_expr(struct expr *e, int prec)
{
	struct val a = parse_unary(e), b;
	char op[3];
	int p;

	while ((p = precedence(e)) > prec) {
		word_at(e, e->i++, op, sizeof(op));
		b = parse_expr(e, p);
		a = apply(op, a, b);
	}
	return a;
}

static int8_t evaluate(const struct header_config *cfg, const struct ctoks *ts, size_t from,
		       size_t to)
{
	struct expr e = { .cfg = cfg, .ts = ts, .i = from, .end = to };
	struct val v = parse_expr(&e, 0);

	if (!v.known || e.i < to)
		return HEADER_UNKNOWN;
	return v.v ? HEADER_ON : HEADER_OFF;
}

enum header_state header_condition(const struct header_config *cfg, const char *text)
{
	struct ctoks ts;
	enum header_state st = HEADER_UNKNOWN;

	if (!ctoks_scan(&ts, text, strlen(text)))
		st = evaluate(cfg, &ts, 0, ts.n);
	ctoks_release(&ts);
	return st;
}

/* ---- the stack -------------------------------------------------------------- */

static int8_t state_and(int8_t a, int8_t b)
{
	return a < b ? a : b;
}

/* "A && B" of two condition texts, 0 standing for none. */
static uint32_t text_and(struct header_ctx *h, uint32_t a, uint32_t b)
{
	struct strbuf *sb = &h->tmp;
	uint32_t both[2] = { a, b };
	int i;

	if (!a || !b)
		return a ? a : b;
	strbuf_reset(sb);
	for (i = 0; i < 2; i++) {
		const char *s = pool_str(h->pool, both[i]);

		strbuf_addstr(sb, i ? " && " : "");
		/* Keep "||" apart. */
		if (strstr(s, "||") && *s != '!')
			strbuf_addf(sb, "(%s)", s);
		else
			strbuf_addstr(sb, s);
	}
	return pool_buf(h, sb);
}

static uint32_t text_not(struct header_ctx *h, uint32_t a)
{
	struct strbuf *sb = &h->tmp;
	const char *s;

	if (!a)
		return 0;
	s = pool_str(h->pool, a);
	strbuf_reset(sb);
	if (*s == '!' && !strpbrk(s, "&|<>=") && s[1] != '(')
		strbuf_addstr(sb, s + 1);
	else if (!strpbrk(s, "&|<>= !"))
		strbuf_addf(sb, "!%s", s);
	else
		strbuf_addf(sb, "!(%s)", s);
	return pool_buf(h, sb);
}

static void refresh(struct header_ctx *h)
{
	size_t i;

	h->cond_text = 0;
	h->state = HEADER_ON;
	for (i = 0; i < h->ncond; i++) {
		const struct header_cond *c = &h->cond[i];

		h->state = state_and(h->state, state_and(c->state, c->left));
		h->cond_text = text_and(h, h->cond_text, text_and(h, c->others, c->text));
	}
}

bool header_cond_hidden(const struct header_ctx *h)
{
	size_t i;

	/* Off without a condition text: off for every driver. */
	for (i = 0; i < h->ncond; i++)
		if (state_and(h->cond[i].state, h->cond[i].left) == HEADER_OFF &&
		    !h->cond[i].text && !h->cond[i].others)
			return true;
	return false;
}

/*
 * Sets text and state of a branch from the condition in "sb". What is decided for
 * every driver has no text.
 */
static void set_branch(struct header_ctx *h, struct header_cond *c, const struct strbuf *sb)
{
	struct ctoks ts;

	c->text = 0;
	c->state = HEADER_UNKNOWN;
	if (ctoks_scan(&ts, sb->buf, sb->len) < 0)
		return;
	c->state = evaluate(NULL, &ts, 0, ts.n);
	if (c->state == HEADER_UNKNOWN) {
		c->state = evaluate(h->cfg, &ts, 0, ts.n);
		c->text = pool_buf(h, sb);
	}
	ctoks_release(&ts);
}

/* The condition of #if/#elif/#ifdef/#ifndef as an expression. */
static void condition_text(const struct ctoks *ts, size_t i, struct strbuf *out)
{
	const struct ctok *t = &ts->t[i];
	const char *p = ts->text + t->off + 1, *end = ts->text + t->off + t->len;
	struct ctoks expr;
	bool plain;
	uint32_t off, len;

	plain = ctok_pp_is(ts, i, "if") || ctok_pp_is(ts, i, "elif");
	if (!plain) {
		if (!ctok_pp_word(ts, i, &off, &len))
			return;
		strbuf_addf(out, "%sdefined(%.*s)",
			    ctok_pp_is(ts, i, "ifndef") || ctok_pp_is(ts, i, "elifndef") ? "!" : "",
			    (int)len, ts->text + off);
		return;
	}
	/* Behind the directive's name; comments and continuations go with tokenizing. */
	if (ctoks_scan(&expr, p, end - p) < 0)
		return;
	text_flat(out, &expr, 1, expr.n);
	ctoks_release(&expr);
}

/* "#ifndef X" that is followed by "#define X" before anything was declared. */
static bool is_guard(struct header_ctx *h, const struct ctoks *ts, size_t i,
		     const char *cond)
{
	uint32_t a, alen, b, blen;

	if (h->ncond || h->depth)
		return false;
	if (strstr(cond, "TRACE_HEADER_MULTI_READ"))
		return true;
	if (!ctok_pp_is(ts, i, "ifndef") || !ctok_pp_is(ts, i + 1, "define") ||
	    !ctok_pp_word(ts, i, &a, &alen) || !ctok_pp_word(ts, i + 1, &b, &blen) ||
	    alen != blen || memcmp(ts->text + a, ts->text + b, alen) ||
	    (i > 0 && ctok_pp_is(ts, i + 2, "endif")))
		return false;
	h->guard = pool_add(h->pool, ts->text + a, alen);
	return true;
}

static void cond_if(struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	struct strbuf sb = STRBUF_INIT;
	struct header_cond c = { .left = HEADER_ON, .state = HEADER_ON };

	condition_text(ts, i, &sb);
	c.guard = is_guard(h, ts, i, sb.buf);
	if (!c.guard)
		set_branch(h, &c, &sb);
	ALLOC_GROW(h->cond, h->ncond + 1, h->cond_alloc);
	h->cond[h->ncond++] = c;
	strbuf_release(&sb);
}

static void cond_else(struct header_ctx *h, const struct ctoks *ts, size_t i, bool plain)
{
	struct strbuf sb = STRBUF_INIT;
	struct header_cond *c;

	if (!h->ncond)
		return;
	c = &h->cond[h->ncond - 1];
	/* What was certain needs no words: "#if 0 ... #else" has no condition. */
	if (c->state == HEADER_ON)
		c->left = HEADER_OFF;
	else if (c->state == HEADER_UNKNOWN && c->left == HEADER_ON)
		c->left = HEADER_UNKNOWN;
	if (c->guard)
		c->left = HEADER_UNKNOWN;
	c->others = text_and(h, c->others, text_not(h, c->text));
	c->text = 0;
	c->state = HEADER_ON;
	if (!plain) {
		condition_text(ts, i, &sb);
		set_branch(h, c, &sb);
	}
	strbuf_release(&sb);
}

void header_cond_choose(struct header_ctx *h, const struct ctoks *ts, size_t from, size_t to)
{
	size_t base = h->ncond, over = h->cond_over, i, k;

	for (i = from; i < to && i < ts->n; i++) {
		if (ts->t[i].kind == CTOK_PP) {
			if (h->ncond > base || !ctok_pp_is(ts, i, "endif"))
				header_cond_directive(h, ts, i);
			continue;
		}
		for (k = base; k < h->ncond; k++)
			if (h->cond[k].state == HEADER_OFF || h->cond[k].left != HEADER_ON)
				ts->t[i].flags |= CTOK_DEAD;
	}
	h->cond_over = over;
	if (h->ncond > base) {
		h->ncond = base;
		refresh(h);
	}
}

bool header_cond_directive(struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	bool opens = ctok_pp_is(ts, i, "if") || ctok_pp_is(ts, i, "ifdef") || ctok_pp_is(ts, i, "ifndef");

	/* Too deep: only counted. */
	if (h->cond_over || (opens && h->ncond >= MAX_COND)) {
		h->cond_over += opens;
		h->cond_over -= ctok_pp_is(ts, i, "endif");
		return opens || ctok_pp_is(ts, i, "endif") || ctok_pp_is(ts, i, "else") ||
		       ctok_pp_is(ts, i, "elif");
	}
	if (opens)
		cond_if(h, ts, i);
	else if (ctok_pp_is(ts, i, "else"))
		cond_else(h, ts, i, true);
	else if (ctok_pp_is(ts, i, "elif") || ctok_pp_is(ts, i, "elifdef") ||
		 ctok_pp_is(ts, i, "elifndef"))
		cond_else(h, ts, i, false);
	else if (ctok_pp_is(ts, i, "endif"))
		h->ncond -= h->ncond > 0;
	else
		return false;
	refresh(h);
	return true;
}
