// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "port/ctype.h"

/* Types longer than this are not worth an answer. */
#define MAX_TYPE 8192

static bool is_word(const char *tok)
{
	return is_word_char(tok[0]);
}

/* Words, "*", "(", ")", "[...]" as one, ",", "..." and other bytes. */
static void split(const char *s, struct strvec *out)
{
	const char *end = s + strnlen(s, MAX_TYPE);

	while (s < end) {
		const char *from = s;

		if (isspace((unsigned char)*s)) {
			s++;
			continue;
		}
		if (is_word_char(*s)) {
			while (s < end && is_word_char(*s))
				s++;
		} else if (*s == '[') {
			while (s < end && *s != ']')
				s++;
			s += s < end;
		} else if (starts_with(s, "...")) {
			s += 3;
		} else {
			s++;
		}
		strvec_push_nodup(out, xstrndup(from, s - from));
	}
}

static bool is_one_of(const char *w, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(w, *list))
			return true;
	return false;
}

static bool is_qualifier(const char *w)
{
	static const char *const q[] = { "const", "volatile", "restrict", "__restrict",
					 "__restrict__", NULL };

	return is_one_of(w, q);
}

/* Words that say how a function or object is placed or checked, not what type it has. */
bool ctype_is_annotation(const char *w)
{
	static const char *const a[] = {
		"static", "extern", "inline", "__inline", "__inline__", "__always_inline",
		"noinline", "__user", "__iomem", "__rcu", "__force", "__percpu", "__kernel",
		"__nocast", "__private", "__must_check", "__init", "__exit", "__devinit",
		"__devexit", "__cold", "__hot", "__maybe_unused", "__always_unused", "__unused",
		"__used", "__ref", "__refdata", "__meminit", "__cpuinit", "asmlinkage", "noinstr",
		"__weak", "__visible", "__malloc", "__pure", "__attribute_const__", "__sched",
		"__latent_entropy", "__deprecated", "__printf", "__scanf", "notrace",
		"noinline_for_stack", "_Noreturn", "__noreturn", "__net_init", "__net_exit",
		"__bpf_kfunc", "__nonnull", "register", "__flatten", "__no_sanitize_address",
		"__kprobes", "__lockfunc", "__irq_entry", "__section", "__naked", NULL
	};

	return is_one_of(w, a);
}

static bool is_int_word(const char *w)
{
	static const char *const i[] = { "unsigned", "signed", "__signed__", "long", "short",
					 "int", "char", NULL };

	return is_one_of(w, i);
}

static bool is_tag_word(const char *w)
{
	return !strcmp(w, "struct") || !strcmp(w, "union") || !strcmp(w, "enum");
}

/* Words that are a whole type by themselves and so never a parameter's name. */
static bool is_type_word(const char *w)
{
	static const char *const t[] = { "void", "float", "double", "_Bool", "bool", NULL };

	return is_int_word(w) || is_one_of(w, t);
}

static void join(const struct strvec *tk, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < tk->n; i++) {
		const char *w = tk->v[i], *prev = i ? tk->v[i - 1] : NULL;
		const char *next = i + 1 < tk->n ? tk->v[i + 1] : "";

		if (!prev)
			; /* nothing before the first */
		else if (*prev == ',')
			strbuf_addch(out, ' ');
		else if (is_word(prev) && (is_word(w) || *w == '*'))
			strbuf_addch(out, ' ');
		else if (is_word(prev) && *w == '(' && *next == '*')
			strbuf_addch(out, ' ');
		strbuf_addstr(out, w);
	}
}

void ctype_normalise(const char *type, struct strbuf *out)
{
	struct strvec tk = STRVEC_INIT;

	split(type, &tk);
	join(&tk, out);
	strvec_release(&tk);
}

/* ---- canonical form for comparisons ------------------------------------- */

/* One spelling for each way to write an integer type: "unsigned long" and so on. */
static void canon_int(const struct strvec *words, struct strbuf *out)
{
	int longs = 0;
	bool is_unsigned = false, is_signed = false, is_short = false, is_char = false;
	size_t i;

	for (i = 0; i < words->n; i++) {
		const char *w = words->v[i];

		longs += !strcmp(w, "long");
		is_unsigned |= !strcmp(w, "unsigned");
		is_signed |= !strcmp(w, "signed") || !strcmp(w, "__signed__");
		is_short |= !strcmp(w, "short");
		is_char |= !strcmp(w, "char");
	}
	if (is_unsigned)
		strbuf_addstr(out, "unsigned ");
	else if (is_signed && is_char)
		strbuf_addstr(out, "signed ");
	strbuf_addstr(out, is_char ? "char" : is_short ? "short" : longs > 1 ? "long long" :
		      longs ? "long" : "int");
}

/* Fixed-width and other typedefs whose meaning is the same in every kernel on 64 bits. */
static const char *basic_typedef(const char *w)
{
	static const char *const t[][2] = {
		{ "u8", "unsigned char" }, { "__u8", "unsigned char" },
		{ "uint8_t", "unsigned char" }, { "s8", "signed char" }, { "__s8", "signed char" },
		{ "int8_t", "signed char" }, { "u16", "unsigned short" },
		{ "__u16", "unsigned short" }, { "uint16_t", "unsigned short" },
		{ "s16", "short" }, { "__s16", "short" }, { "int16_t", "short" },
		{ "u32", "unsigned int" }, { "__u32", "unsigned int" },
		{ "uint32_t", "unsigned int" }, { "uint", "unsigned int" }, { "s32", "int" },
		{ "__s32", "int" }, { "int32_t", "int" }, { "u64", "unsigned long long" },
		{ "__u64", "unsigned long long" }, { "uint64_t", "unsigned long long" },
		{ "s64", "long long" }, { "__s64", "long long" }, { "int64_t", "long long" },
		{ "_Bool", "bool" }, { "umode_t", "unsigned short" },
		{ "uchar", "unsigned char" }, { "ulong", "unsigned long" },
		{ "ushort", "unsigned short" }, { "size_t", "unsigned long" },
		{ "ssize_t", "long" }, { "loff_t", "long long" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		if (!strcmp(w, t[i][0]))
			return t[i][1];
	return NULL;
}

/* One run of words between punctuators: qualifiers sorted first, integers spelled one way. */
static void canon_words(const struct strvec *run, bool keep_const, struct strbuf *out)
{
	struct strvec ints = STRVEC_INIT, rest = STRVEC_INIT;
	bool is_const = false, is_volatile = false;
	size_t i;

	for (i = 0; i < run->n; i++) {
		const char *w = run->v[i];

		if (!strcmp(w, "const"))
			is_const = true;
		else if (!strcmp(w, "volatile"))
			is_volatile = true;
		else if (is_qualifier(w) || ctype_is_annotation(w))
			continue;
		else if (is_int_word(w))
			strvec_push(&ints, w);
		else
			strvec_push(&rest, basic_typedef(w) ? basic_typedef(w) : w);
	}
	if (keep_const && is_const)
		strbuf_addstr(out, "const ");
	if (keep_const && is_volatile)
		strbuf_addstr(out, "volatile ");
	if (ints.n)
		canon_int(&ints, out);
	for (i = 0; i < rest.n; i++)
		strbuf_addf(out, "%s%s", i || ints.n ? " " : "", rest.v[i]);
	if (ints.n || rest.n)
		strbuf_addch(out, ' ');
	strvec_release(&ints);
	strvec_release(&rest);
}

static void canon(const char *type, bool keep_const, struct strbuf *out)
{
	struct strvec tk = STRVEC_INIT, run = STRVEC_INIT;
	size_t i;

	split(type, &tk);
	for (i = 0; i <= tk.n; i++) {
		if (i < tk.n && is_word(tk.v[i])) {
			strvec_push(&run, tk.v[i]);
			continue;
		}
		if (run.n)
			canon_words(&run, keep_const, out);
		strvec_clear(&run);
		if (i < tk.n)
			strbuf_addstr(out, *tk.v[i] == '[' ? "*" : tk.v[i]);
	}
	/* A qualifier behind the last star qualifies the parameter itself, not its type. */
	while (out->len && out->buf[out->len - 1] == ' ')
		strbuf_setlen(out, out->len - 1);
	if (ends_with(out->buf, "*const"))
		strbuf_setlen(out, out->len - 5);
	strvec_release(&tk);
	strvec_release(&run);
}

static bool equal(const char *a, const char *b, bool keep_const)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	bool same;

	canon(a, keep_const, &x);
	canon(b, keep_const, &y);
	same = !strcmp(x.buf, y.buf);
	strbuf_release(&x);
	strbuf_release(&y);
	return same;
}

bool ctype_equal(const char *a, const char *b)
{
	return a && b && equal(a, b, true);
}

bool ctype_equal_unqualified(const char *a, const char *b)
{
	return a && b && equal(a, b, false);
}

char *ctype_base(const char *type)
{
	struct strvec tk = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	size_t i;

	split(type, &tk);
	for (i = 0; i < tk.n && is_word(tk.v[i]); i++)
		if (!is_qualifier(tk.v[i]) && !ctype_is_annotation(tk.v[i]))
			strbuf_addf(&out, "%s%s", out.len ? " " : "", tk.v[i]);
	strvec_release(&tk);
	return strbuf_detach(&out, NULL);
}

int ctype_pointers(const char *type)
{
	int n = 0, depth = 0;

	for (; *type; type++) {
		depth += *type == '(';
		depth -= *type == ')';
		if (!depth && (*type == '*' || *type == '['))
			n++;
	}
	return n;
}

/* ---- signatures ---------------------------------------------------------- */

static size_t match_paren(const struct strvec *tk, size_t open)
{
	int depth = 0;
	size_t i;

	for (i = open; i < tk->n; i++) {
		depth += *tk->v[i] == '(';
		depth -= *tk->v[i] == ')';
		if (!depth)
			return i;
	}
	return tk->n;
}

static char *join_range(const struct strvec *tk, size_t from, size_t to, size_t skip,
			bool annotations)
{
	struct strvec part = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	size_t i;

	for (i = from; i < to; i++)
		if (i != skip && (annotations || !ctype_is_annotation(tk->v[i])))
			strvec_push(&part, tk->v[i]);
	join(&part, &out);
	strvec_release(&part);
	return strbuf_detach(&out, NULL);
}

/* Index of the name in a plain declarator [from, to), or "to" when there is none. */
static size_t plain_name(const struct strvec *tk, size_t from, size_t to)
{
	size_t i, last = to, words = 0;
	bool tag = false;

	for (i = from; i < to; i++) {
		const char *w = tk->v[i];

		if (!is_word(w)) {
			/* What follows a star can only be the name. */
			if (*w == '*')
				words = words ? words + 1 : 1;
			continue;
		}
		if (is_qualifier(w) || ctype_is_annotation(w))
			continue;
		if (is_tag_word(w)) {
			tag = true;
			continue;
		}
		if (tag) {
			tag = false;
			words++;
			continue;
		}
		if (is_type_word(w)) {
			words++;
			last = to;
			continue;
		}
		if (words)
			last = i;
		words++;
	}
	return last;
}

/* "int (*fn)(void)": the word inside the first parentheses that hold a star. */
static size_t fn_name(const struct strvec *tk, size_t from, size_t to)
{
	size_t i, j;

	for (i = from; i + 1 < to; i++) {
		if (*tk->v[i] != '(' || *tk->v[i + 1] != '*')
			continue;
		for (j = i + 1; j < to && *tk->v[j] != ')'; j++)
			if (is_word(tk->v[j]) && !is_qualifier(tk->v[j]) &&
			    !ctype_is_annotation(tk->v[j]))
				return j;
		return to;
	}
	return to;
}

static bool has_declarator_paren(const struct strvec *tk, size_t from, size_t to)
{
	for (; from + 1 < to; from++)
		if (*tk->v[from] == '(' && *tk->v[from + 1] == '*')
			return true;
	return false;
}

static void add_param(struct csig *s, const struct strvec *tk, size_t from, size_t to)
{
	size_t name;

	if (to - from == 1 && !strcmp(tk->v[from], "...")) {
		s->variadic = true;
		return;
	}
	name = has_declarator_paren(tk, from, to) ? fn_name(tk, from, to) :
						    plain_name(tk, from, to);
	s->p = xrealloc(s->p, (s->n + 1) * sizeof(*s->p));
	s->p[s->n].type = join_range(tk, from, to, name, true);
	s->p[s->n].name = name < to ? xstrdup(tk->v[name]) : NULL;
	s->n++;
}

/* Parameters between the tokens [from, to). */
static void parse_params(const struct strvec *tk, size_t from, size_t to, struct csig *s)
{
	size_t i, start = from;
	int depth = 0;

	if (from >= to || (to - from == 1 && !strcmp(tk->v[from], "void")))
		return;
	for (i = from; i <= to; i++) {
		if (i < to) {
			depth += *tk->v[i] == '(';
			depth -= *tk->v[i] == ')';
			if (depth || *tk->v[i] != ',')
				continue;
		}
		if (i > start)
			add_param(s, tk, start, i);
		start = i + 1;
	}
}

/*
 * Where the parameter list opens: behind "(*name)" of a pointer, else behind the
 * word that is the function's name, or the first "(" of a bare function type.
 */
static bool find_params(const struct strvec *tk, size_t *ret_end, size_t *open)
{
	size_t i, close;

	for (i = 0; i < tk->n && *tk->v[i] != '('; i++)
		;
	if (i == tk->n || i == 0)
		return false;
	*ret_end = i;
	*open = i;
	if (i + 1 < tk->n && *tk->v[i + 1] == '*') {
		close = match_paren(tk, i);
		/* A pointer to a function that returns one: beyond us. */
		if (close + 1 >= tk->n || *tk->v[close + 1] != '(' ||
		    has_declarator_paren(tk, i + 1, close))
			return false;
		*open = close + 1;
		return true;
	}
	/* "int f(...)" has a name before the parenthesis, "int (...)" has none. */
	if (is_word(tk->v[i - 1]) && plain_name(tk, 0, i) == i - 1)
		*ret_end = i - 1;
	return true;
}

bool csig_parse(const char *text, struct csig *out)
{
	struct strvec tk = STRVEC_INIT;
	size_t ret_end, open, close;
	bool ok = false;

	memset(out, 0, sizeof(*out));
	split(text, &tk);
	if (!find_params(&tk, &ret_end, &open))
		goto out;
	close = match_paren(&tk, open);
	if (close == tk.n)
		goto out;
	out->ret = join_range(&tk, 0, ret_end, tk.n, false);
	if (!*out->ret)
		goto out;
	parse_params(&tk, open + 1, close, out);
	ok = true;
out:
	if (!ok)
		csig_release(out);
	strvec_release(&tk);
	return ok;
}

bool csig_parse_parts(const char *ret, const char *params, struct csig *out)
{
	struct strvec tk = STRVEC_INIT;

	memset(out, 0, sizeof(*out));
	if (!ret || !params)
		return false;
	split(ret, &tk);
	out->ret = join_range(&tk, 0, tk.n, tk.n, false);
	strvec_release(&tk);
	strvec_init(&tk);
	split(params, &tk);
	parse_params(&tk, 0, tk.n, out);
	strvec_release(&tk);
	return true;
}

void csig_release(struct csig *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->p[i].type);
		free(s->p[i].name);
	}
	free(s->p);
	free(s->ret);
	memset(s, 0, sizeof(*s));
}

void sigparam_declare(const struct sigparam *p, const char *name, struct strbuf *out)
{
	const char *at = strstr(p->type, "(*");
	size_t len = strlen(p->type);

	if (at) {
		at += 2;
		while (*at == '*')
			at++;
		strbuf_add(out, p->type, at - p->type);
		strbuf_addf(out, "%s%s", name, at);
		return;
	}
	at = strchr(p->type, '[');
	if (at)
		len = at - p->type;
	strbuf_add(out, p->type, len);
	if (len && p->type[len - 1] != '*')
		strbuf_addch(out, ' ');
	strbuf_addf(out, "%s%s", name, at ? at : "");
}
