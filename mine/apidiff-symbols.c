// SPDX-License-Identifier: GPL-2.0-only
/* Symbols that both kernels have, and the lists of those that only one has. */
#include "base/compat.h"

#include <ctype.h>
#include <strings.h>

#include "base/alloc.h"
#include "mine/apidiff-internal.h"
#include "mine/signature.h"

static void note(struct strbuf *sb, const char *what, size_t n, const char *param)
{
	strbuf_addf(sb, "%s%s parameter %zu '%s'", sb->len ? ", " : "", what, n, param);
}

static bool same_type(const char *a, const char *b)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	bool same;

	sig_param_type(a, false, &x);
	sig_param_type(b, false, &y);
	same = !strcmp(x.buf, y.buf);
	strbuf_release(&x);
	strbuf_release(&y);
	return same;
}

#define MAX_DESCRIBED 24

/* keep[i] = 1 + index in b of the parameter that a's is, by the longest common subsequence. */
static void align(const struct strvec *a, const struct strvec *b, size_t *keep)
{
	unsigned char len[MAX_DESCRIBED + 1][MAX_DESCRIBED + 1] = { { 0 } };
	bool same[MAX_DESCRIBED][MAX_DESCRIBED];
	size_t i, j;

	for (i = a->n; i-- > 0;)
		for (j = b->n; j-- > 0;) {
			same[i][j] = same_type(a->v[i], b->v[j]);
			len[i][j] = same[i][j] ? len[i + 1][j + 1] + 1 :
				    len[i + 1][j] > len[i][j + 1] ? len[i + 1][j] : len[i][j + 1];
		}
	for (i = j = 0; i < a->n && j < b->n;) {
		if (same[i][j] && len[i][j] == len[i + 1][j + 1] + 1)
			keep[i++] = ++j;
		else if (len[i + 1][j] >= len[i][j + 1])
			i++;
		else
			j++;
	}
}

/* What happened to a parameter list, in words. */
static const char *describe_params(struct diff_ctx *d, const char *from, const char *to)
{
	struct strvec a = STRVEC_INIT, b = STRVEC_INIT;
	struct strbuf sb = STRBUF_INIT;
	size_t keep[MAX_DESCRIBED] = { 0 }, i = 0, j = 0;
	const char *text = "other parameters";

	sig_split(from, &a);
	sig_split(to, &b);
	if (a.n <= MAX_DESCRIBED && b.n <= MAX_DESCRIBED) {
		align(&a, &b, keep);
		while (i < a.n || j < b.n) {
			bool kept_a = i < a.n && keep[i], new_b = j < b.n;
			size_t k;

			for (k = 0; k < a.n && new_b; k++)
				new_b = keep[k] != j + 1;
			if (i < a.n && !kept_a && new_b) {
				strbuf_addf(&sb, "%sparameter %zu '%s' -> '%s'", sb.len ? ", " : "", i + 1,
					    a.v[i], b.v[j]);
				i++;
				j++;
			} else if (i < a.n && !kept_a) {
				note(&sb, "lost", i + 1, a.v[i]);
				i++;
			} else if (new_b) {
				note(&sb, "gained", j + 1, b.v[j]);
				j++;
			} else {
				i++;
				j++;
			}
		}
		text = diff_str(d, sb.buf);
	}
	strvec_release(&a);
	strvec_release(&b);
	strbuf_release(&sb);
	return text;
}

static const char *arrow(struct diff_ctx *d, const char *from, const char *to)
{
	struct strbuf sb = STRBUF_INIT;
	const char *s;

	strbuf_addf(&sb, "'%.200s' -> '%.200s'", from ? from : "none", to ? to : "none");
	s = diff_str(d, sb.buf);
	strbuf_release(&sb);
	return s;
}

/* Looks for a typedef of a function type that is another one now. */
struct typedef_hit {
	const struct diff_ctx *d;
	char name[128];
};

static void check_typedef(const char *name, size_t len, void *payload)
{
	struct typedef_hit *h = payload;
	char word[sizeof(h->name)];

	if (*h->name || len >= sizeof(word))
		return;
	memcpy(word, name, len);
	word[len] = '\0';
	if (strmap_has(&h->d->typedefs, word))
		memcpy(h->name, word, len + 1);
}

bool diff_uses_changed_typedef(const struct diff_ctx *d, const struct api_symbol *s)
{
	return d->through && d->through[s->id];
}

/* Marks what takes, returns or is of a changed function type. */
static void mark_through(struct diff_ctx *d)
{
	const struct strmap_entry *e;
	size_t i, k, n;

	d->through = xcalloc(d->b.n + 1, 1);
	strmap_for_each(&d->typedefs, e)
		for (k = 0; k < 2; k++) {
			const struct api_symbol **list;

			n = (k ? api_returning_type : api_taking_type)(d->b.ix, e->key,
								       API_FUNCTION | API_INLINE, &list);
			for (i = 0; i < n; i++)
				d->through[list[i]->id] = 1;
			free(list);
		}
	for (i = 1; i <= d->b.n; i++) {
		const struct api_symbol *s = side_symbol(&d->b, (uint32_t)i);
		struct typedef_hit h = { .d = d };

		if (!(s->kind & (API_MEMBER | API_VARIABLE)) || !s->type || starts_with(s->type, "struct "))
			continue;
		type_names(s->type, false, check_typedef, &h);
		d->through[i] = *h.name != 0;
	}
}

/* The text is the same, but a type in it means something else. */
static bool through_typedef(struct diff_ctx *d, const struct api_symbol *a,
			    const struct api_symbol *b, const char *symbol, const char *member)
{
	struct typedef_hit h = { .d = d };
	struct strbuf sb = STRBUF_INIT;
	bool in_params;

	if (!diff_uses_changed_typedef(d, b))
		return false;
	if (b->params)
		type_names(b->params, true, check_typedef, &h);
	in_params = *h.name;
	if (!in_params && b->type)
		type_names(b->type, false, check_typedef, &h);
	if (!*h.name || !strcmp(h.name, symbol))
		return false;
	strbuf_addf(&sb, "the function type '%s' is another one", h.name);
	diff_add(d, in_params ? CHANGE_SIGNATURE : b->params ? CHANGE_RETURN_TYPE : CHANGE_TYPE, symbol,
		 member, NULL, a, b, 0.9, diff_str(d, sb.buf));
	strbuf_release(&sb);
	return true;
}

void diff_types(struct diff_ctx *d, const struct api_symbol *a, const struct api_symbol *b,
		const char *symbol, const char *member)
{
	enum sig_result type = sig_compare_types(a->type, b->type), params = SIG_SAME;
	bool callable = a->params && b->params;

	if (callable)
		params = sig_compare_params(a->params, b->params);
	if (!a->params != !b->params) {
		/* A pointer to a function became a plain type or the reverse. */
		diff_add(d, CHANGE_TYPE, symbol, member, NULL, a, b, 1,
			 arrow(d, a->params ? "function pointer" : a->type,
			       b->params ? "function pointer" : b->type));
		return;
	}
	if (params == SIG_SAME && type == SIG_SAME && through_typedef(d, a, b, symbol, member))
		return;
	if (params == SIG_DIFFERENT)
		diff_add(d, CHANGE_SIGNATURE, symbol, member, NULL, a, b, 1,
			 describe_params(d, a->params, b->params));
	if (type == SIG_DIFFERENT)
		diff_add(d, callable ? CHANGE_RETURN_TYPE : CHANGE_TYPE, symbol, member, NULL, a, b, 1,
			 arrow(d, a->type, b->type));
	if (params == SIG_QUALIFIERS || type == SIG_QUALIFIERS)
		diff_add(d, CHANGE_CONST, symbol, member, NULL, a, b, 1,
			 params == SIG_QUALIFIERS ? arrow(d, a->params, b->params) :
						    arrow(d, a->type, b->type));
}

static const char *kind_word(enum api_kind k)
{
	switch (k) {
	case API_FUNCTION: return "function";
	case API_INLINE: return "inline";
	case API_MACRO: return "macro";
	case API_MACRO_FN: return "function-like macro";
	case API_ENUMERATOR: return "enumerator";
	case API_TYPEDEF: return "typedef";
	case API_VARIABLE: return "variable";
	default: return "type";
	}
}

/* "function -> macro that forwards to 'x'" */
static const char *kind_evidence(struct diff_ctx *d, const struct api_symbol *a,
				 const struct api_symbol *b)
{
	struct strbuf sb = STRBUF_INIT;
	const char *s;

	strbuf_addf(&sb, "%s -> %s", kind_word(a->kind), kind_word(b->kind));
	if (b->alias)
		strbuf_addf(&sb, " that forwards to '%s'", b->alias);
	s = diff_str(d, sb.buf);
	strbuf_release(&sb);
	return s;
}

static void arity(struct diff_ctx *d, const struct api_symbol *a, const struct api_symbol *b,
		  const char *from, const char *to)
{
	bool va, vb;
	size_t na = sig_arity(from, &va), nb = sig_arity(to, &vb);

	if (va || vb ? va == vb && na == nb : na == nb)
		return;
	/* A variadic macro takes what it is given as long as that is enough. */
	if (vb && na >= nb)
		return;
	diff_add(d, CHANGE_MACRO_ARITY, a->name, NULL, NULL, a, b, 1, arrow(d, from, to));
}

/* The body with "__stringify(param)" and "#param" written as plain "param". */
static void unstringified(const char *body, const char *param, struct strbuf *out)
{
	size_t len = strlen(param);
	const char *p = body, *rest;

	while (*p) {
		if (skip_prefix(p, "__stringify(", &rest) && !strncmp(rest, param, len) && rest[len] == ')') {
			strbuf_addstr(out, param);
			p = rest + len + 1;
		} else if (*p == '#' && p[1] != '#' && (p == body || p[-1] != '#') &&
			   !strncmp(p + 1, param, len)) {
			p++;
		} else {
			strbuf_addch(out, *p++);
		}
	}
}

/* Is a's body that of b but for making a string of the parameter? */
static bool string_only(const struct api_symbol *a, const struct api_symbol *b, const char *param)
{
	struct strbuf sb = STRBUF_INIT;
	bool same;

	unstringified(a->body, param, &sb);
	same = strcmp(sb.buf, a->body) && same_but_blanks(sb.buf, b->body);
	strbuf_release(&sb);
	return same;
}

/* MODULE_IMPORT_NS(x) -> MODULE_IMPORT_NS("x"): who makes the string has changed. */
static void compare_strings(struct diff_ctx *d, const struct api_symbol *a,
			    const struct api_symbol *b)
{
	struct strvec pa = STRVEC_INIT, pb = STRVEC_INIT;
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	if (!a->body || !b->body || (!strchr(a->body, '#') && !strstr(a->body, "__stringify") &&
				     !strchr(b->body, '#') && !strstr(b->body, "__stringify")))
		return;
	sig_split(a->params, &pa);
	sig_split(b->params, &pb);
	for (i = 0; i < pa.n && i < pb.n && pa.n == pb.n; i++) {
		bool x = string_only(a, b, pa.v[i]);

		if (!x && !string_only(b, a, pb.v[i]))
			continue;
		strbuf_reset(&sb);
		strbuf_addf(&sb, x ? "argument %zu '%s' must now be a string, the macro makes none of it" :
				     "argument %zu '%s' must be a word now, the macro makes a string of it",
			    i + 1, pa.v[i]);
		diff_add(d, CHANGE_SIGNATURE, a->name, NULL, NULL, a, b, 1, diff_str(d, sb.buf));
	}
	strvec_release(&pa);
	strvec_release(&pb);
	strbuf_release(&sb);
}

static void compare_callable(struct diff_ctx *d, const struct api_symbol *a,
			     const struct api_symbol *b)
{
	const struct api_symbol *fa = side_forwarded(&d->a, a), *fb = side_forwarded(&d->b, b);

	if (fa && fb) {
		struct api_symbol x = *fa, y = *fb;

		/* Changes are of the name asked for, whatever it forwards to. */
		x.id = a->id;
		y.id = b->id;
		diff_types(d, &x, &y, a->name, NULL);
	} else if (a->params && b->params) {
		/* "#define f(...) g(__VA_ARGS__)" takes what g takes. */
		arity(d, a, b, fa && a->alias ? fa->params : a->params,
		      fb && b->alias ? fb->params : b->params);
		if (a->kind == API_MACRO_FN && b->kind == API_MACRO_FN)
			compare_strings(d, a, b);
	}
	if (a->kind != b->kind)
		diff_add(d, CHANGE_KIND, a->name, NULL, NULL, a, b, 1, kind_evidence(d, a, b));
}

/* Does the text begin like a value: a number, a string, an operator or a bracket? */
static bool is_value(const char *s)
{
	return s && (strchr("0123456789(\"'-~", *s) || starts_with(s, "BIT(") ||
		     starts_with(s, "GENMASK("));
}

static void compare_values(struct diff_ctx *d, const struct api_symbol *a,
			   const struct api_symbol *b)
{
	const char *x = a->kind == API_ENUMERATOR ? a->type : a->body;
	const char *y = b->kind == API_ENUMERATOR ? b->type : b->body;

	if (a->kind != b->kind) {
		diff_add(d, CHANGE_KIND, a->name, NULL, NULL, a, b, 1, kind_evidence(d, a, b));
		return;
	}
	if (is_value(x) && is_value(y) && !same_but_blanks(x, y))
		diff_add(d, CHANGE_VALUE, a->name, NULL, NULL, a, b, 1, arrow(d, x, y));
}

static void compare_exports(struct diff_ctx *d, const struct api_symbol *a,
			    const struct api_symbol *b)
{
	if (!a->exported)
		return;
	if (!b->exported) {
		if (b->kind & (API_FUNCTION | API_VARIABLE))
			diff_add(d, CHANGE_EXPORT_LOST, a->name, NULL, NULL, a, b, 1,
				 "declared but no longer exported");
		return;
	}
	if (!a->gpl && b->gpl)
		diff_add(d, CHANGE_EXPORT_GPL, a->name, NULL, NULL, a, b, 1,
			 "exported to GPL modules only");
	if (b->ns && (!a->ns || strcmp(a->ns, b->ns)))
		diff_add(d, CHANGE_NAMESPACE, a->name, NULL, b->ns, a, b, 1, "export namespace");
}

static void compare_header(struct diff_ctx *d, const struct api_symbol *a,
			   const struct api_symbol *b, const char *symbol)
{
	if (strcmp(a->header, b->header))
		diff_add(d, CHANGE_HEADER_MOVED, symbol, NULL, b->header, a, b, 1,
			 arrow(d, a->header, b->header));
}

/* The next word of a sentence, letters and digits only; false at the end. */
static bool next_word(const char **p, const char **word, size_t *len)
{
	while (**p && !isalnum((unsigned char)**p) && **p != '_')
		(*p)++;
	*word = *p;
	while (isalnum((unsigned char)**p) || **p == '_')
		(*p)++;
	*len = (size_t)(*p - *word);
	return *len > 0;
}

/* The same words, whatever the punctuation and the case? */
static bool same_words(const char *a, const char *b)
{
	const char *x, *y;
	size_t nx, ny;
	bool more;

	do {
		more = next_word(&a, &x, &nx);
		if (next_word(&b, &y, &ny) != more || nx != ny || strncasecmp(x, y, nx))
			return false;
	} while (more);
	return true;
}

/* Documented in other words: perhaps it does something else. */
static void compare_docs(struct diff_ctx *d, const struct api_symbol *a, const struct api_symbol *b)
{
	const unsigned callable = API_FUNCTION | API_INLINE | API_MACRO_FN;
	struct strbuf sb = STRBUF_INIT;

	if (!a->doc || !b->doc || !(a->kind & callable) || !(b->kind & callable) || same_words(a->doc, b->doc))
		return;
	strbuf_addf(&sb, "\"%s\" -> \"%s\"", a->doc, b->doc);
	diff_add(d, CHANGE_DOC, a->name, NULL, NULL, a, b, 1, diff_str(d, sb.buf));
	strbuf_release(&sb);
}

static void compare_ordinary(struct diff_ctx *d, const struct api_symbol *a,
			     const struct api_symbol *b)
{
	const unsigned callable = API_FUNCTION | API_INLINE | API_MACRO_FN;
	const unsigned value = API_MACRO | API_ENUMERATOR;

	if ((a->kind & callable) && (b->kind & (callable | API_MACRO)))
		compare_callable(d, a, b);
	else if ((a->kind & value) && (b->kind & value))
		compare_values(d, a, b);
	else if (a->kind == b->kind)
		diff_types(d, a, b, a->name, NULL);
	else
		diff_add(d, CHANGE_KIND, a->name, NULL, NULL, a, b, 1, kind_evidence(d, a, b));
	compare_exports(d, a, b);
	compare_docs(d, a, b);
	compare_header(d, a, b, a->name);
	if (a->active && !b->active)
		diff_add(d, CHANGE_REMOVED, a->name, NULL, NULL, a, b, 0.6,
			 diff_str(d, b->cond ? b->cond : "not in this configuration"));
}

/* ---- the walk -------------------------------------------------------------------- */

/* Symbols [first, end) of one name. */
struct group {
	size_t first, end;
};

static struct group group_at(const struct diff_side *s, size_t first)
{
	struct group g = { first, first };
	const char *name = side_symbol(s, first)->name;

	while (g.end <= s->n && !strcmp(side_symbol(s, g.end)->name, name))
		g.end++;
	return g;
}

static const struct api_symbol *best(const struct diff_side *s, struct group g, unsigned kinds)
{
	size_t i;

	for (i = g.first; i < g.end; i++)
		if (side_symbol(s, i)->kind & kinds)
			return side_symbol(s, i);
	return NULL;
}

/* The declaration of the other kernel that is this one's: by use, header and kind. */
static const struct api_symbol *counterpart(const struct diff_side *s, struct group g,
					    unsigned kinds, const struct api_symbol *a)
{
	const struct api_symbol *found = NULL;
	int top = -1;
	size_t i;

	for (i = g.first; i < g.end; i++) {
		const struct api_symbol *b = side_symbol(s, i);
		int score;

		if (!(b->kind & kinds))
			continue;
		score = (b->active ? 4 : 0) + (!strcmp(a->header, b->header) ? 2 : 0) +
			(a->kind == b->kind ? 1 : 0);
		if (score > top) {
			top = score;
			found = b;
		}
	}
	return found;
}

const char *diff_tag_name(struct diff_ctx *d, const struct api_symbol *s)
{
	struct strbuf sb = STRBUF_INIT;
	const char *name;

	if (s->kind == API_TYPEDEF)
		return s->name;
	strbuf_addf(&sb, "%s %s", s->kind == API_STRUCT ? "struct" : s->kind == API_UNION ? "union" :
		    "enum", s->name);
	name = diff_str(d, sb.buf);
	strbuf_release(&sb);
	return name;
}

static void list_gone(struct diff_ctx *d, const struct api_symbol *s)
{
	/* What the old configuration excluded cannot be missed. */
	if (!s->active)
		return;
	ALLOC_GROW(d->gone, d->ngone + 1, d->gone_alloc);
	d->gone[d->ngone++] = s;
}

static void list_fresh(struct diff_ctx *d, const struct api_symbol *s)
{
	if (!s->active)
		return;
	ALLOC_GROW(d->fresh, d->nfresh + 1, d->fresh_alloc);
	d->fresh[d->nfresh++] = s;
	if (!(s->kind & (API_MACRO | API_ENUMERATOR)))
		diff_add(d, CHANGE_ADDED, s->kind & API_TAG ? diff_tag_name(d, s) : s->name, NULL, NULL,
			 NULL, s, 1, NULL);
}

static void add_pair(struct diff_ctx *d, const struct api_symbol *a, const struct api_symbol *b)
{
	ALLOC_GROW(d->tags, d->ntags + 1, d->tags_alloc);
	d->tags[d->ntags++] = (struct diff_pair){ a, b };
}

static void both(struct diff_ctx *d, struct group ga, struct group gb)
{
	const struct api_symbol *a = best(&d->a, ga, API_ORDINARY), *b;

	if (a) {
		b = counterpart(&d->b, gb, API_ORDINARY, a);
		if (b)
			compare_ordinary(d, a, b);
		else
			list_gone(d, a);
		if (b && a->kind == API_TYPEDEF && b->kind == API_TYPEDEF)
			add_pair(d, a, b);
	} else if ((b = best(&d->b, gb, API_ORDINARY)) != NULL) {
		list_fresh(d, b);
	}
	a = best(&d->a, ga, API_TAG);
	if (a) {
		b = counterpart(&d->b, gb, a->kind, a);
		if (b) {
			add_pair(d, a, b);
			compare_header(d, a, b, diff_tag_name(d, a));
		} else {
			list_gone(d, a);
		}
	} else if ((b = best(&d->b, gb, API_TAG)) != NULL) {
		list_fresh(d, b);
	}
}

static void only(struct diff_ctx *d, const struct diff_side *s, struct group g,
		 void (*list)(struct diff_ctx *, const struct api_symbol *))
{
	const struct api_symbol *x = best(s, g, API_ORDINARY);

	if (x)
		list(d, x);
	x = best(s, g, API_TAG);
	if (x)
		list(d, x);
}

/* Typedefs of functions and pointers to them that both kernels have and that differ. */
static void changed_typedefs(struct diff_ctx *d)
{
	size_t i;

	for (i = 1; i <= d->a.n; i++) {
		const struct api_symbol *a = side_symbol(&d->a, (uint32_t)i), *b;

		if (a->kind != API_TYPEDEF || !a->params || !a->active)
			continue;
		b = side_ordinary(&d->b, a->name);
		if (b && b->kind == API_TYPEDEF && b->params &&
		    (sig_compare_params(a->params, b->params) != SIG_SAME ||
		     sig_compare_types(a->type, b->type) != SIG_SAME))
			strmap_put(&d->typedefs, a->name, NULL);
	}
	if (d->typedefs.live)
		mark_through(d);
}

void diff_symbols(struct diff_ctx *d)
{
	size_t i = 1, j = 1;

	changed_typedefs(d);

	while (i <= d->a.n || j <= d->b.n) {
		int c = i > d->a.n ? 1 : j > d->b.n ? -1 :
			strcmp(side_symbol(&d->a, i)->name, side_symbol(&d->b, j)->name);
		struct group ga = { 0, 0 }, gb = { 0, 0 };

		if (c <= 0)
			ga = group_at(&d->a, i);
		if (c >= 0)
			gb = group_at(&d->b, j);
		if (c == 0)
			both(d, ga, gb);
		else if (c < 0)
			only(d, &d->a, ga, list_gone);
		else
			only(d, &d->b, gb, list_fresh);
		i = c <= 0 ? ga.end : i;
		j = c >= 0 ? gb.end : j;
	}
}
