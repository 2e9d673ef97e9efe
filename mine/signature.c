// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/signature.h"
#include "base/strbuf.h"

#define MAX_DEPTH 8
#define MAX_STARS 8

/* What the words of one declaration say. */
struct parts {
	const char *base, *tag;		/* typedef or tag; "struct", ... */
	size_t base_len, tag_len;
	unsigned n_unsigned, n_signed, n_long, n_short, n_int, n_char;
	const char *other;		/* "void", "bool", "float", "double" */
	bool base_const, any;
	int stars;
	bool star_const[MAX_STARS];
	const char *name;
	size_t name_len;
	const char *params;		/* "(...)" of a pointer to a function, or NULL */
	size_t params_len;
	bool is_pointer_decl;		/* "(*" seen */
	int arrays;
	const char *tail;		/* text of bit-field width or array of pointers */
	size_t tail_len;
};

static bool word_is(const char *w, size_t len, const char *s)
{
	return strlen(s) == len && !memcmp(w, s, len);
}

static bool address_space(const char *w, size_t len)
{
	static const char *const words[] = { "__user", "__iomem", "__percpu", "__rcu", "__force",
					     "__bitwise", "__nocast", "__private", "register",
					     "restrict", "__restrict" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (word_is(w, len, words[i]))
			return true;
	return false;
}

/* Fixed-size integers, whose C type is the same on all 64-bit kernels. */
static bool fixed_type(struct parts *p, const char *w, size_t len)
{
	static const struct { const char *name; char kind; bool is_unsigned; } fixed[] = {
		{ "u8", 'c', true }, { "__u8", 'c', true }, { "uint8_t", 'c', true }, { "s8", 'c', false },
		{ "__s8", 'c', false }, { "int8_t", 'c', false }, { "u16", 's', true },
		{ "__u16", 's', true }, { "uint16_t", 's', true }, { "s16", 's', false },
		{ "__s16", 's', false }, { "int16_t", 's', false }, { "u32", 'i', true },
		{ "__u32", 'i', true }, { "uint32_t", 'i', true }, { "uint", 'i', true },
		{ "s32", 'i', false }, { "__s32", 'i', false }, { "int32_t", 'i', false },
		{ "u64", 'L', true }, { "__u64", 'L', true }, { "uint64_t", 'L', true },
		{ "s64", 'L', false }, { "__s64", 'L', false }, { "int64_t", 'L', false },
		{ "ulong", 'l', true }, { "ushort", 's', true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fixed); i++)
		if (word_is(w, len, fixed[i].name))
			break;
	if (i == ARRAY_SIZE(fixed))
		return false;
	p->n_unsigned = fixed[i].is_unsigned;
	p->n_signed = fixed[i].kind == 'c' && !fixed[i].is_unsigned;
	p->n_char = fixed[i].kind == 'c';
	p->n_short = fixed[i].kind == 's';
	p->n_int = fixed[i].kind == 'i';
	p->n_long = fixed[i].kind == 'L' ? 2 : fixed[i].kind == 'l';
	return true;
}

static bool basic_word(struct parts *p, const char *w, size_t len)
{
	static const char *const others[] = { "void", "bool", "float", "double" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (word_is(w, len, others[i])) {
			p->other = others[i];
			return true;
		}
	if (word_is(w, len, "_Bool"))
		p->other = "bool";
	else if (word_is(w, len, "unsigned"))
		p->n_unsigned++;
	else if (word_is(w, len, "signed") || word_is(w, len, "__signed__"))
		p->n_signed++;
	else if (word_is(w, len, "long"))
		p->n_long++;
	else if (word_is(w, len, "short"))
		p->n_short++;
	else if (word_is(w, len, "int"))
		p->n_int++;
	else if (word_is(w, len, "char"))
		p->n_char++;
	else
		return false;
	return true;
}

static void take_word(struct parts *p, const char *w, size_t len)
{
	bool have = p->any || p->base;

	if (word_is(w, len, "const") || word_is(w, len, "volatile") || word_is(w, len, "__const")) {
		if (p->stars)
			p->star_const[(p->stars - 1) % MAX_STARS] = true;
		else
			p->base_const = true;
	} else if (address_space(w, len)) {
		return;
	} else if (!p->stars && !p->tag &&
		   (word_is(w, len, "struct") || word_is(w, len, "union") || word_is(w, len, "enum"))) {
		p->tag = w;
		p->tag_len = len;
	} else if (p->tag && !p->base && !p->stars) {
		p->base = w;
		p->base_len = len;
	} else if (!p->stars && !p->base && basic_word(p, w, len)) {
		p->any = true;
	} else if (!have && !p->stars) {
		/* The first word is the type, whether fixed-size or a typedef. */
		if (fixed_type(p, w, len)) {
			p->any = true;
		} else {
			p->base = w;
			p->base_len = len;
		}
	} else {
		p->name = w;
		p->name_len = len;
	}
}

/* Past the bracket that closes the one at s; the end when there is none. */
static const char *past_group(const char *s, const char *end)
{
	int depth = 0;

	for (; s < end; s++) {
		if (*s == '(' || *s == '[')
			depth++;
		if ((*s == ')' || *s == ']') && --depth == 0)
			return s + 1;
	}
	return end;
}

/* "(*name[2])(params)" or "(*)(params)" at s. */
static const char *pointer_part(struct parts *p, const char *s, const char *end)
{
	const char *close = past_group(s, end), *q;

	p->is_pointer_decl = true;
	for (q = s + 1; q < close && *q; q++) {
		const char *w = q;

		if (*q == '[')
			p->arrays++;
		if (*q == '(')
			break;
		if (!is_word_char(*q))
			continue;
		while (q < close && is_word_char(*q))
			q++;
		if (!word_is(w, q - w, "const") && !address_space(w, q - w) &&
		    !(*w >= '0' && *w <= '9') && !p->arrays) {
			p->name = w;
			p->name_len = q - w;
		}
		q--;
	}
	if (close < end && *close == '(') {
		p->params = close + 1;
		q = past_group(close, end);
		p->params_len = (q > close + 1 ? q - 1 : q) - (close + 1);
		return q;
	}
	return close;
}

static void parse(struct parts *p, const char *s, const char *end)
{
	memset(p, 0, sizeof(*p));
	while (s < end) {
		const char *w = s;

		if (is_word_char(*s)) {
			while (s < end && is_word_char(*s))
				s++;
			/* typeof(x) is one word with its operand */
			if (s < end && *s == '(' && (word_is(w, s - w, "typeof") ||
						     word_is(w, s - w, "__typeof__") ||
						     !(p->any || p->base)))
				s = past_group(s, end);
			take_word(p, w, s - w);
		} else if (*s == '*') {
			p->stars++;
			s++;
		} else if (*s == '(') {
			s = pointer_part(p, s, end);
		} else if (*s == '[') {
			s = past_group(s, end);
			p->arrays++;
			if (!p->tail)
				p->tail = w;
			p->tail_len = s - p->tail;
		} else if (*s == ':') {
			p->tail = s;
			p->tail_len = end - s;
			s = end;
		} else {
			s++;
		}
	}
}

static void add_base(struct strbuf *out, const struct parts *p)
{
	if (p->tag)
		strbuf_addf(out, "%.*s ", (int)p->tag_len, p->tag);
	if (p->base) {
		strbuf_add(out, p->base, p->base_len);
		return;
	}
	if (p->other && !(p->n_long && *p->other == 'd')) {
		strbuf_addstr(out, p->other);
		return;
	}
	if (p->n_unsigned)
		strbuf_addstr(out, "unsigned ");
	else if (p->n_signed && p->n_char)
		strbuf_addstr(out, "signed ");
	if (p->n_char)
		strbuf_addstr(out, "char");
	else if (p->n_short)
		strbuf_addstr(out, "short");
	else if (p->n_long)
		strbuf_addstr(out, p->n_long > 1 ? "long long" : "long");
	else
		strbuf_addstr(out, "int");
}

static void canon_list(struct strbuf *out, const char *s, size_t len, bool quals, int depth);

/* is_param: arrays decay, qualifiers of the parameter itself do not count. */
static void canon(struct strbuf *out, const char *s, const char *end, bool is_param, bool quals,
		  int depth)
{
	struct parts p;
	int i, stars;

	while (s < end && *s == ' ')
		s++;
	if (end - s >= 3 && !memcmp(s, "...", 3)) {
		strbuf_addstr(out, "...");
		return;
	}
	parse(&p, s, end);
	stars = p.stars + (is_param && p.arrays && !p.is_pointer_decl ? 1 : 0);
	if (quals && p.base_const && (stars || !is_param || p.is_pointer_decl))
		strbuf_addstr(out, "const ");
	add_base(out, &p);
	for (i = 0; i < stars; i++) {
		strbuf_addch(out, '*');
		if (quals && i < MAX_STARS && p.star_const[i] && (i + 1 < stars || !is_param))
			strbuf_addstr(out, "const");
	}
	if (p.is_pointer_decl)
		strbuf_addstr(out, "(*)");
	if (p.params) {
		strbuf_addch(out, '(');
		if (depth < MAX_DEPTH)
			canon_list(out, p.params, p.params_len, quals, depth + 1);
		strbuf_addch(out, ')');
	}
	if (!is_param && p.tail)
		strbuf_add(out, p.tail, p.tail_len);
}

/* Calls fn for each top-level element of [s, s + len). */
static const char *next_param(const char *s, const char *end)
{
	int depth = 0;

	for (; s < end; s++) {
		if (*s == '(' || *s == '[' || *s == '{')
			depth++;
		else if (*s == ')' || *s == ']' || *s == '}')
			depth--;
		else if (*s == ',' && depth == 0)
			return s;
	}
	return end;
}

static bool no_params(const char *s, const char *end)
{
	while (s < end && *s == ' ')
		s++;
	while (end > s && end[-1] == ' ')
		end--;
	return s == end || word_is(s, end - s, "void");
}

static void canon_list(struct strbuf *out, const char *s, size_t len, bool quals, int depth)
{
	const char *end = s + len, *comma;

	if (no_params(s, end))
		return;
	for (;; s = comma + 1) {
		comma = next_param(s, end);
		canon(out, s, comma, true, quals, depth);
		if (comma == end)
			break;
		strbuf_addch(out, ',');
	}
}

static enum sig_result compare(const char *a, const char *b, bool list)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	enum sig_result r = SIG_DIFFERENT;
	int quals;

	if (!a || !b)
		return a == b ? SIG_SAME : SIG_DIFFERENT;
	if (!strcmp(a, b))
		return SIG_SAME;
	for (quals = 1; quals >= 0 && r == SIG_DIFFERENT; quals--) {
		strbuf_reset(&x);
		strbuf_reset(&y);
		if (list) {
			canon_list(&x, a, strlen(a), quals, 0);
			canon_list(&y, b, strlen(b), quals, 0);
		} else {
			canon(&x, a, a + strlen(a), false, quals, 0);
			canon(&y, b, b + strlen(b), false, quals, 0);
		}
		if (!strcmp(x.buf, y.buf))
			r = quals ? SIG_SAME : SIG_QUALIFIERS;
	}
	strbuf_release(&x);
	strbuf_release(&y);
	return r;
}

enum sig_result sig_compare_types(const char *a, const char *b)
{
	return compare(a, b, false);
}

enum sig_result sig_compare_params(const char *a, const char *b)
{
	return compare(a, b, true);
}

void sig_split(const char *params, struct strvec *out)
{
	const char *s = params, *end = params + strlen(params), *comma;

	if (no_params(s, end))
		return;
	for (;; s = comma + 1) {
		const char *from = s, *to;

		comma = next_param(s, end);
		to = comma;
		while (from < to && *from == ' ')
			from++;
		while (to > from && to[-1] == ' ')
			to--;
		strvec_pushf(out, "%.*s", (int)(to - from), from);
		if (comma == end)
			break;
	}
}

size_t sig_arity(const char *params, bool *variadic)
{
	const char *s = params, *end = params + strlen(params), *comma;
	size_t n = 0;

	*variadic = ends_with(params, "...");
	if (no_params(s, end))
		return 0;
	for (;; s = comma + 1) {
		comma = next_param(s, end);
		n++;
		if (comma == end)
			return n - *variadic;
	}
}

void sig_param_type(const char *param, bool qualifiers, struct strbuf *out)
{
	canon(out, param, param + strlen(param), true, qualifiers, 0);
}

void sig_param_name(const char *param, struct strbuf *out)
{
	struct parts p;

	parse(&p, param, param + strlen(param));
	if (p.name)
		strbuf_add(out, p.name, p.name_len);
}

void sig_key(const char *type, const char *params, struct strbuf *out)
{
	if (type)
		canon(out, type, type + strlen(type), false, false, 0);
	strbuf_addch(out, '(');
	if (params)
		canon_list(out, params, strlen(params), false, 0);
	strbuf_addch(out, ')');
}

static bool is_integer(const char *canonical)
{
	static const char *const words[] = { "unsigned ", "signed ", "char", "short", "int", "long", "bool",
					     "size_t", "ssize_t", "loff_t", "gfp_t", "dma_addr_t",
					     "phys_addr_t", "resource_size_t", "pgoff_t", "sector_t" };
	size_t i;

	if (strpbrk(canonical, "*([:"))
		return false;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (starts_with(canonical, words[i]))
			return true;
	return false;
}

bool sig_both_integers(const char *a, const char *b)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	bool yes = false;

	if (a && b) {
		canon(&x, a, a + strlen(a), true, false, 0);
		canon(&y, b, b + strlen(b), true, false, 0);
		yes = is_integer(x.buf) && is_integer(y.buf);
	}
	strbuf_release(&x);
	strbuf_release(&y);
	return yes;
}

bool sig_call_compatible(const char *a, const char *b)
{
	struct strvec x = STRVEC_INIT, y = STRVEC_INIT;
	bool ok;
	size_t i;

	if (!a || !b)
		return a == b;
	sig_split(a, &x);
	sig_split(b, &y);
	ok = x.n == y.n;
	for (i = 0; ok && i < x.n; i++)
		ok = sig_compare_params(x.v[i], y.v[i]) == SIG_SAME || sig_both_integers(x.v[i], y.v[i]) ||
		     (sig_compare_params(x.v[i], y.v[i]) == SIG_QUALIFIERS && !strchr(y.v[i], '(') &&
		      !strstr(x.v[i], "const"));
	strvec_release(&x);
	strvec_release(&y);
	return ok;
}
