// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/codebleu.h"

#include <math.h>

#include "base/alloc.h"
#include "base/strmap.h"

#define KEYWORD_WEIGHT 5.0
#define MAX_SUBTREE 64	/* tokens; larger ones are cut there */

void tokens_add(struct tokens *l, const char *s, size_t len, enum ctok_kind kind)
{
	ALLOC_GROW(l->t, l->n + 1, l->alloc);
	l->t[l->n++] = (struct token){ s, (uint32_t)len, kind };
}

void tokens_release(struct tokens *l)
{
	free(l->t);
	memset(l, 0, sizeof(*l));
}

bool token_same(const struct token *a, const struct token *b)
{
	return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

static const char *const keywords[] = {
	"auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
	"float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
	"sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while"
};

static bool is_keyword(const struct token *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (strlen(keywords[i]) == t->len && !memcmp(keywords[i], t->s, t->len))
			return true;
	return false;
}

/* ---- multisets of texts ------------------------------------------------------------------------ */

struct weight {
	double n, w;	/* how often; weight of one */
};

static void put(struct strmap *m, const char *key, double w)
{
	struct weight *x = strmap_get(m, key);

	if (!x) {
		x = xcalloc(1, sizeof(*x));
		strmap_put(m, key, x);
	}
	x->n++;
	x->w = w;
}

/* Weight that both hold, and that of "m". */
static void overlap(const struct strmap *m, const struct strmap *other, double *hit, double *all)
{
	struct strmap_entry *e;

	*hit = *all = 0;
	strmap_for_each(m, e) {
		const struct weight *a = e->value, *b = strmap_get(other, e->key);

		*all += a->n * a->w;
		*hit += b ? (a->n < b->n ? a->n : b->n) * a->w : 0;
	}
}

/* ---- n-grams ----------------------------------------------------------------------------------- */

static void grams(const struct tokens *l, size_t n, bool weighted, struct strmap *out)
{
	struct strbuf key = STRBUF_INIT;

	for (size_t i = 0; i + n <= l->n; i++) {
		double w = 0;

		strbuf_reset(&key);
		for (size_t k = i; k < i + n; k++) {
			strbuf_add(&key, l->t[k].s, l->t[k].len);
			strbuf_addch(&key, '\1');
			w += weighted && is_keyword(&l->t[k]) ? KEYWORD_WEIGHT : 1;
		}
		put(out, key.buf, w);
	}
	strbuf_release(&key);
}

double codebleu_ngram(const struct tokens *c, const struct tokens *r, bool weighted)
{
	double sum = 0, brevity;
	size_t most = r->n < 4 ? r->n : 4;

	if (!c->n || !r->n)
		return c->n == r->n;
	for (size_t n = 1; n <= most; n++) {
		struct strmap a = STRMAP_INIT, b = STRMAP_INIT;
		double hit, all;

		grams(c, n, weighted, &a);
		grams(r, n, weighted, &b);
		overlap(&a, &b, &hit, &all);
		strmap_release(&a, free);
		strmap_release(&b, free);
		if (hit == 0)
			return 0;
		sum += log(hit / all);
	}
	brevity = c->n < r->n ? exp(1 - (double)r->n / (double)c->n) : 1;
	return brevity * exp(sum / (double)most);
}

/* ---- sub-trees ----------------------------------------------------------------------------------- */

static void shape(const struct token *t, struct strbuf *out)
{
	if (t->kind == CTOK_IDENT && !is_keyword(t))
		strbuf_addch(out, 'I');
	else if (t->kind == CTOK_NUMBER)
		strbuf_addch(out, 'N');
	else if (t->kind == CTOK_STRING || t->kind == CTOK_CHAR)
		strbuf_addch(out, 'S');
	else
		strbuf_add(out, t->s, t->len);
	strbuf_addch(out, '\1');
}

static bool opens(const struct token *t)
{
	return t->len == 1 && strchr("([{", *t->s);
}

static bool closes(const struct token *t)
{
	return t->len == 1 && strchr(")]}", *t->s);
}

/* From each opening bracket to its partner, by depth alone. */
static void subtrees(const struct tokens *l, struct strmap *out)
{
	struct strbuf key = STRBUF_INIT;

	for (size_t i = 0; i < l->n; i++) {
		int depth = 0;

		if (!opens(&l->t[i]))
			continue;
		strbuf_reset(&key);
		for (size_t k = i; k < l->n && k < i + MAX_SUBTREE; k++) {
			shape(&l->t[k], &key);
			depth += opens(&l->t[k]) - closes(&l->t[k]);
			if (!depth)
				break;
		}
		put(out, key.buf, 1);
	}
	strbuf_release(&key);
}

/* Share of the reference's that the candidate has; 1 when there are none. */
static double recall(void (*collect)(const struct tokens *, struct strmap *), const struct tokens *c,
		     const struct tokens *r)
{
	struct strmap a = STRMAP_INIT, b = STRMAP_INIT;
	double hit, all;

	collect(c, &a);
	collect(r, &b);
	overlap(&b, &a, &hit, &all);
	strmap_release(&a, free);
	strmap_release(&b, free);
	return all > 0 ? hit / all : !c->n == !r->n;
}

double codebleu_syntax(const struct tokens *c, const struct tokens *r)
{
	return recall(subtrees, c, r);
}

/* ---- data flow ------------------------------------------------------------------------------------- */

static bool is_text(const struct token *t, const char *s)
{
	return t->len == strlen(s) && !memcmp(t->s, s, t->len);
}

/* "x = ... y ... ;": y flows into x, the name directly in front of "=". */
static void flows(const struct tokens *l, struct strmap *out)
{
	for (size_t i = 1; i < l->n; i++) {
		if (!is_text(&l->t[i], "=") || l->t[i - 1].kind != CTOK_IDENT)
			continue;
		for (size_t k = i + 1; k < l->n && !is_text(&l->t[k], ";"); k++) {
			char *key;

			if (l->t[k].kind != CTOK_IDENT || is_keyword(&l->t[k]))
				continue;
			key = xstrfmt("%.*s\1%.*s", (int)l->t[i - 1].len, l->t[i - 1].s, (int)l->t[k].len, l->t[k].s);
			put(out, key, 1);
			free(key);
		}
	}
}

double codebleu_dataflow(const struct tokens *c, const struct tokens *r)
{
	return recall(flows, c, r);
}
