// SPDX-License-Identifier: GPL-2.0-only
/* Tokens to normalised text, and the attribute macros that are no part of a type. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/header-internal.h"

/*
 * Words of a declaration that say nothing about the type. Sorted. Those of
 * include/linux/compiler*.h, init.h, cache.h and of sparse's contexts; address
 * spaces (__user, __iomem, __percpu, __rcu) are part of the type and stay.
 */
static const char *const attributes[] = {
	"ACPI_INLINE", "FASTCALL", "NORET_TYPE", "_Noreturn", "__XE_LIST_TYPE__",
	"____cacheline_aligned", "____cacheline_aligned_in_smp",
	"____cacheline_internodealigned_in_smp", "__acquire", "__acquires", "__acquires_shared",
	"__aligned", "__alloc_size", "__always_inline", "__always_unused", "__asm__",
	"__assume_aligned", "__assume_ctx_lock", "__attribute", "__attribute__",
	"__attribute_const__", "__bpf_kfunc", "__cacheline_aligned", "__cacheline_aligned_in_smp",
	"__cold", "__compiletime_error", "__compiletime_warning", "__cond_acquires",
	"__cond_acquires_shared", "__cond_lock", "__cond_releases", "__copy", "__counted_by",
	"__counted_by_be", "__counted_by_le", "__counted_by_ptr", "__cpuidle", "__deprecated",
	"__designated_init", "__diagnose_as", "__error", "__excludes_ctx_lock", "__exit",
	"__extension__", "__flatten", "__gnu_inline", "__guarded_by", "__hot", "__init",
	"__init_memblock", "__init_or_module", "__initconst", "__initdata", "__inline",
	"__inline__", "__internal", "__kprobes", "__latent_entropy", "__lockfunc", "__malloc",
	"__maybe_unused", "__meminit", "__mode", "__must_be_held", "__must_check", "__must_hold",
	"__must_hold_shared", "__naked", "__net_exit", "__net_init", "__net_initdata",
	"__no_context_analysis", "__no_kasan_or_inline", "__no_kcsan", "__no_kstack_erase",
	"__no_profile", "__no_randomize_layout", "__no_sanitize_address", "__no_sanitize_memory",
	"__no_sanitize_or_inline", "__no_sanitize_thread", "__no_stack_protector", "__nocfi",
	"__noclone", "__noendbr", "__nonnull", "__nonstring", "__nonstring_array", "__noreturn",
	"__noscs", "__packed", "__page_aligned_bss", "__page_aligned_data", "__pass_object_size",
	"__printf", "__pt_guarded_by", "__pure", "__randomize_layout", "__read_mostly",
	"__realloc_size", "__ref", "__refdata", "__releases", "__releases_shared",
	"__requires_ctx_lock", "__restrict", "__retain", "__returns_nonnull", "__ro_after_init",
	"__sanitizer", "__scanf", "__sched", "__section", "__seg_fs", "__seg_gs", "__signal_safe",
	"__sized_by", "__softirq_entry", "__tracepoint_ptr", "__used", "__visible", "__weak",
	"asm", "asmlinkage", "context_lock_struct", "fastcall", "inline", "noinline",
	"noinline_for_stack", "noinstr", "notrace", "randomized_struct_fields_end",
	"randomized_struct_fields_start", "regparm", "restrict", "token_context_lock",
};

static int cmp_word(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
}

bool attr_word(const struct ctoks *ts, size_t i)
{
	char buf[48];
	const struct ctok *t = &ts->t[i];

	if (t->kind != CTOK_IDENT || t->len >= sizeof(buf))
		return false;
	/* The first letters exclude nearly all words at no cost. */
	if (!strchr("_ainrtFANcf", ts->text[t->off]))
		return false;
	memcpy(buf, ts->text + t->off, t->len);
	buf[t->len] = '\0';
	return bsearch(buf, attributes, ARRAY_SIZE(attributes), sizeof(*attributes), cmp_word) != NULL;
}

size_t group_end(const struct ctoks *ts, size_t i, size_t end)
{
	uint32_t m = i < ts->n ? ts->t[i].match : CTOK_NONE;

	return m != CTOK_NONE && m > i && m < end ? m : end;
}

void dtoks_add(struct dtoks *d, size_t i)
{
	ALLOC_GROW(d->i, d->n + 1, d->alloc);
	d->i[d->n++] = i;
}

static unsigned storage_flag(const struct ctoks *ts, size_t i)
{
	if (ctok_is(ts, i, "static"))
		return DECL_STATIC;
	if (ctok_is(ts, i, "extern"))
		return DECL_EXTERN;
	if (ctok_is(ts, i, "typedef"))
		return DECL_TYPEDEF;
	if (ctok_is(ts, i, "inline") || ctok_is(ts, i, "__always_inline") ||
	    ctok_is(ts, i, "__inline") || ctok_is(ts, i, "__inline__"))
		return DECL_INLINE;
	if (ctok_is(ts, i, "__must_check"))
		return DECL_MUST_CHECK;
	return 0;
}

/*
 * "NAME(...)" in front of a declaration that has a "(...)" of its own: an
 * attribute we do not know.
 */
static bool unknown_attr(const struct dtoks *d, size_t k)
{
	const struct ctoks *ts = d->ts;
	size_t j;

	if (k + 3 >= d->n || !tok_char(ts, d->i[k + 1], '(') || !ctok_is_ident(ts, d->i[k]) ||
	    ts->t[d->i[k + 2]].kind != CTOK_IDENT || ctok_is(ts, d->i[k], "TYPEOF_UNQUAL") ||
	    ctok_is(ts, d->i[k], "__typeof") || ctok_is(ts, d->i[k], "typeof_unqual") ||
	    ctok_is(ts, d->i[k], "__typeof_unqual__"))
		return false;
	for (j = k + 3; j < d->n; j++)
		if (tok_char(ts, d->i[j], '('))
			return true;
	return false;
}

static bool is_basic(const struct ctoks *ts, size_t i)
{
	static const char *const basic[] = { "void", "bool", "char", "short", "int", "long", "unsigned",
					     "signed", "float", "double", "_Bool", "__signed__" };
	size_t k;

	for (k = 0; k < ARRAY_SIZE(basic); k++)
		if (ctok_is(ts, i, basic[k]))
			return true;
	return false;
}

/* Words that qualify a type and are no keywords. */
static bool is_qualifier(const struct ctoks *ts, size_t i)
{
	static const char *const words[] = { "__user", "__iomem", "__percpu", "__rcu", "__force",
					     "__bitwise", "__bitwise__", "__nocast", "__private",
					     "__kernel" };
	size_t k;

	if (ts->text[ts->t[i].off] != '_')
		return false;
	for (k = 0; k < ARRAY_SIZE(words); k++)
		if (ctok_is(ts, i, words[k]))
			return true;
	return false;
}

/* "__x" or "XX": how macros for attributes are called. */
static bool looks_like_attr(const struct ctoks *ts, size_t i)
{
	const char *s = ts->text + ts->t[i].off;
	size_t k;

	if (ts->t[i].len > 2 && s[0] == '_' && s[1] == '_')
		return true;
	for (k = 0; k < ts->t[i].len; k++)
		if (s[k] >= 'a' && s[k] <= 'z')
			return false;
	return true;
}

/*
 * A declaration has one type: of the plain words before the declarator's name
 * one may be a typedef, and none when there is a keyword of a type. What is too
 * many are attribute macros ("nokprobe_inline bool f(void)").
 */
static void drop_extra_words(struct dtoks *d)
{
	const struct ctoks *ts = d->ts;
	size_t k, n, plain[8], np = 0, keep;
	bool keyword = false;

	for (k = 0; k < d->n && ts->t[d->i[k]].kind == CTOK_IDENT; k++) {
		if (ctok_is(ts, d->i[k], "struct") || ctok_is(ts, d->i[k], "union") ||
		    ctok_is(ts, d->i[k], "enum")) {
			keyword = true;
			k++; /* the tag */
		} else if (is_basic(ts, d->i[k])) {
			keyword = true;
		} else if (ctok_is_ident(ts, d->i[k]) && !is_qualifier(ts, d->i[k]) &&
			   np < ARRAY_SIZE(plain)) {
			plain[np++] = k;
		}
	}
	if (k >= d->n || !(tok_char(ts, d->i[k], '*') || tok_char(ts, d->i[k], '{')))
		np -= np > 0; /* the last one is the name */
	if (np < (keyword ? 1 : 2) || tok_char(ts, d->i[0], '('))
		return;
	keep = (size_t)-1;
	for (k = 0; !keyword && k < np; k++)
		if (keep == (size_t)-1 && (k + 1 == np || !looks_like_attr(ts, d->i[plain[k]])))
			keep = plain[k];
	for (k = n = 0; k < d->n; k++) {
		size_t j;

		for (j = 0; j < np && plain[j] != k; j++)
			;
		if (j < np && k != keep)
			continue;
		d->i[n++] = d->i[k];
	}
	d->n = n;
}

void dtoks_strip(struct dtoks *d)
{
	const struct ctoks *ts = d->ts;
	size_t k, n = 0;

	for (k = 0; k < d->n; k++) {
		unsigned flag = storage_flag(ts, d->i[k]);
		bool attr = attr_word(ts, d->i[k]);

		d->flags |= flag;
		if (attr || (n == 0 && unknown_attr(d, k))) {
			if (k + 1 < d->n && tok_char(ts, d->i[k + 1], '('))
				k++;
			continue;
		}
		if (flag)
			continue;
		d->i[n++] = d->i[k];
	}
	d->n = n;
	drop_extra_words(d);
}

static bool opens(const struct ctoks *ts, size_t i)
{
	return tok_char(ts, i, '(') || tok_char(ts, i, '[') || tok_char(ts, i, '{');
}

static bool closes(const struct ctoks *ts, size_t i)
{
	return tok_char(ts, i, ')') || tok_char(ts, i, ']') || tok_char(ts, i, '}');
}

/* ---- text ------------------------------------------------------------------- */

static bool is_word(const struct ctok *t)
{
	return t->kind != CTOK_PUNCT;
}

/* Was there a blank, a comment or a newline between the two in the source? */
static bool apart(const struct ctok *prev, const struct ctok *t)
{
	return prev->off + prev->len != t->off;
}

/* Blank between two neighbours of a type or parameter list? */
static bool want_blank(const struct ctoks *ts, const struct ctok *prev, const struct ctok *t,
		       const struct ctok *next)
{
	char p = ts->text[prev->off], c = ts->text[t->off];

	if (is_word(prev) && is_word(t))
		return true;
	if (!is_word(t)) {
		if (t->len == 1 && strchr(",)];", c))
			return false;
		if (c == '[')
			return false;
		if (c == '*' && t->len == 1)
			return !(prev->kind == CTOK_PUNCT && strchr("*([", p));
		if (c == '(')
			/* "void (*fn)(int)": the pointer's parenthesis stands apart. */
			return is_word(prev) && next && !is_word(next) && ts->text[next->off] == '*';
	}
	if (!is_word(prev)) {
		if (prev->len == 1 && strchr("([*", p))
			return false;
		if (p == ',' || p == ')' || p == ']')
			return true;
	}
	return apart(prev, t);
}

/* Emits one token into a normalised text; *prev is the one before. */
static void emit(struct strbuf *out, const struct ctoks *ts, const struct ctok **prev,
		 const struct ctok *t, const struct ctok *next)
{
	if (*prev && want_blank(ts, *prev, t, next))
		strbuf_addch(out, ' ');
	strbuf_add(out, ts->text + t->off, t->len);
	*prev = t;
}

static void emit_range(struct strbuf *out, const struct ctoks *ts, size_t from, size_t to,
		       const struct ctok **prev)
{
	int depth = 0;
	size_t i;

	for (i = from; i < to && i < ts->n; i++) {
		const struct ctok *t = &ts->t[i];

		if (t->kind == CTOK_PP || (t->flags & CTOK_DEAD))
			continue;
		/* A branch of an #if may bring the closing bracket of the whole. */
		if (opens(ts, i))
			depth++;
		else if (closes(ts, i) && depth-- == 0)
			break;
		if (attr_word(ts, i)) {
			if (tok_char(ts, i + 1, '('))
				i = group_end(ts, i + 1, to);
			continue;
		}
		emit(out, ts, prev, t, i + 1 < to && i + 1 < ts->n ? t + 1 : NULL);
	}
}

void text_range(struct strbuf *out, const struct ctoks *ts, size_t from, size_t to)
{
	const struct ctok *prev = NULL;

	emit_range(out, ts, from, to, &prev);
}

void text_dtoks(struct strbuf *out, const struct dtoks *d, size_t from, size_t to)
{
	const struct ctoks *ts = d->ts;
	const struct ctok *prev = NULL;
	size_t k;

	for (k = from; k < to; k++) {
		size_t i = d->i[k];

		if (opens(ts, i))
			emit_range(out, ts, i, group_end(ts, i, ts->n) + 1, &prev);
		else
			emit(out, ts, &prev, &ts->t[i], k + 1 < to ? &ts->t[d->i[k + 1]] : NULL);
	}
}

void text_flat(struct strbuf *out, const struct ctoks *ts, size_t from, size_t to)
{
	size_t i, start = out->len;

	for (i = from; i < to && i < ts->n; i++) {
		if (ts->t[i].kind == CTOK_PP)
			continue;
		if (out->len > start && apart(&ts->t[i - 1], &ts->t[i]))
			strbuf_addch(out, ' ');
		strbuf_add(out, ts->text + ts->t[i].off, ts->t[i].len);
	}
}

/* Indentation of the line on which a token starts. */
static void add_indent(struct strbuf *out, const struct ctoks *ts, const struct ctok *t)
{
	size_t at = t->off, from;

	while (at > 0 && ts->text[at - 1] != '\n')
		at--;
	for (from = at; at < t->off && (ts->text[at] == ' ' || ts->text[at] == '\t'); at++)
		;
	strbuf_add(out, ts->text + from, at - from);
}

void text_lines(struct strbuf *out, const struct ctoks *ts, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to && i < ts->n; i++) {
		const struct ctok *t = &ts->t[i];

		if (i > from && (t->flags & CTOK_BOL)) {
			strbuf_addch(out, '\n');
			add_indent(out, ts, t);
		} else if (i > from && apart(t - 1, t)) {
			strbuf_addch(out, ' ');
		}
		strbuf_add(out, ts->text + t->off, t->len);
	}
}

uint32_t pool_tok(struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	return i < ts->n ? pool_add(h->pool, ts->text + ts->t[i].off, ts->t[i].len) : 0;
}

uint32_t pool_buf(struct header_ctx *h, const struct strbuf *sb)
{
	return sb->len ? pool_add(h->pool, sb->buf, sb->len) : 0;
}
