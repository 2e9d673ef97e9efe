// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/similar.h"

#include <math.h>

#include "base/alloc.h"
#include "base/cfunc.h"
#include "base/jsonutil.h"
#include "base/strmap.h"
#include "drivebench/codebleu.h"

#define MAX_CELLS 60000000u	/* of a distance table */

/* One version of a file. */
struct side {
	const char *text;
	struct ctoks ts;
	struct cfile cf;
	struct strmap units;	/* name -> struct unit */
	struct strmap counts;	/* identifier -> count */
};

struct unit {
	struct tokens t;
	struct strbuf bytes;
};

static void unit_free(void *p)
{
	struct unit *u = p;

	tokens_release(&u->t);
	strbuf_release(&u->bytes);
	free(u);
}

static struct unit *unit_of(struct side *s, const char *name)
{
	struct unit *u = strmap_get(&s->units, name);

	if (!u) {
		u = xcalloc(1, sizeof(*u));
		strbuf_init(&u->bytes);
		strmap_put(&s->units, name, u);
	}
	return u;
}

static void add_tokens(struct side *s, struct unit *u, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		tokens_add(&u->t, s->text + s->ts.t[i].off, s->ts.t[i].len, (enum ctok_kind)s->ts.t[i].kind);
	if (to > from) {
		size_t a = s->ts.t[from].off, b = s->ts.t[to - 1].off + s->ts.t[to - 1].len;

		strbuf_add(&u->bytes, s->text + a, b - a);
		strbuf_addch(&u->bytes, '\n');
	}
}

static void cut(struct side *s)
{
	uint32_t at = 0;

	for (size_t i = 0; i < s->cf.nfuncs; i++) {
		const struct cfunc *f = &s->cf.funcs[i];
		uint32_t first = f->ret.end > f->ret.first ? f->ret.first : f->name;
		char *name;

		if (f->body.end <= f->body.first || first < at)
			continue;
		add_tokens(s, unit_of(s, ""), at, first);
		name = ctok_dup(&s->ts, f->name);
		add_tokens(s, unit_of(s, name), first, f->body.end);
		free(name);
		at = f->body.end;
	}
	add_tokens(s, unit_of(s, ""), at, (uint32_t)s->ts.n);
}

static void count_names(struct side *s)
{
	for (size_t i = 0; i < s->ts.n; i++) {
		char *name;

		if (s->ts.t[i].kind != CTOK_IDENT)
			continue;
		name = ctok_dup(&s->ts, i);
		strmap_put(&s->counts, name, (void *)((uintptr_t)strmap_get(&s->counts, name) + 1));
		free(name);
	}
}

static void side_init(struct side *s, const char *text)
{
	memset(s, 0, sizeof(*s));
	s->text = text;
	ctoks_scan(&s->ts, text, strlen(text));
	cfile_parse(&s->cf, &s->ts);
	cut(s);
	count_names(s);
}

static void side_release(struct side *s)
{
	strmap_release(&s->units, unit_free);
	strmap_release(&s->counts, NULL);
	cfile_release(&s->cf);
	ctoks_release(&s->ts);
}

/* ---- distances ----------------------------------------------------------------------------- */

static const struct tokens none;

static const struct tokens *tokens_of(const struct side *s, const char *name)
{
	const struct unit *u = strmap_get(&s->units, name);

	return u ? &u->t : &none;
}

static bool equal(const struct tokens *a, const struct tokens *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!token_same(&a->t[i], &b->t[i]))
			return false;
	return true;
}

/* Levenshtein over tokens, what is common in front and behind left out. */
static size_t distance(const struct tokens *a, const struct tokens *b, bool *capped)
{
	const struct token *x = a->t, *y = b->t;
	size_t n = a->n, m = b->n, *row, result;

	while (n && m && token_same(&x[0], &y[0]))
		x++, y++, n--, m--;
	while (n && m && token_same(&x[n - 1], &y[m - 1]))
		n--, m--;
	if (!n || !m)
		return n + m;
	if (n * m > MAX_CELLS) {
		*capped = true;
		return n > m ? n : m;
	}
	row = xcalloc(m + 1, sizeof(*row));
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t up = row[j], best = diagonal + !token_same(&x[i - 1], &y[j - 1]);

			best = up + 1 < best ? up + 1 : best;
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			diagonal = up;
			row[j] = best;
		}
	}
	result = row[m];
	free(row);
	return result;
}

/* ---- comparing ------------------------------------------------------------------------------ */

struct sums {
	double delta, bleu, weighted, syntax, dataflow;
	size_t ours, gold; /* tokens edited */
};

static bool same_bytes(const struct side *a, const struct side *b, const char *name)
{
	const struct unit *x = strmap_get(&a->units, name), *y = strmap_get(&b->units, name);

	if (!x || !y)
		return x == y;
	return x->bytes.len == y->bytes.len && !memcmp(x->bytes.buf, y->bytes.buf, x->bytes.len);
}

static void compare_unit(const struct side *old, const struct side *ours, const struct side *gold, const char *name,
			 struct similar *out, struct sums *s)
{
	const struct tokens *o = tokens_of(old, name), *u = tokens_of(ours, name), *g = tokens_of(gold, name);
	bool by_us = !equal(o, u), by_them = !equal(o, g);
	size_t far = by_them ? distance(o, g, &out->capped) : 0, left;

	out->any += by_us || by_them;
	out->both += by_us && by_them;
	s->gold += far;
	s->ours += by_us ? distance(o, u, &out->capped) : 0;
	if (!by_them)
		return;
	out->units++;
	out->exact += same_bytes(ours, gold, name);
	out->token += equal(u, g);
	left = distance(u, g, &out->capped);
	s->delta += left < far ? 1 - (double)left / (double)far : 0;
	s->bleu += codebleu_ngram(u, g, false);
	s->weighted += codebleu_ngram(u, g, true);
	s->syntax += codebleu_syntax(u, g);
	s->dataflow += codebleu_dataflow(u, g);
}

static long change(const struct side *old, const struct side *now, const char *name)
{
	return (long)(uintptr_t)strmap_get(&now->counts, name) - (long)(uintptr_t)strmap_get(&old->counts, name);
}

static size_t shared(long a, long b)
{
	if ((a > 0) != (b > 0) || !a || !b)
		return 0;
	return (size_t)(labs(a) < labs(b) ? labs(a) : labs(b));
}

static void compare_names(const struct side *old, const struct side *ours, const struct side *gold,
			  const char *const *names, size_t nnames, struct similar *out)
{
	const struct side *all[] = { old, ours, gold };
	struct strmap seen = STRMAP_INIT, api = STRMAP_INIT;
	struct strmap_entry *e;

	for (size_t i = 0; i < nnames; i++)
		strmap_put(&api, names[i], NULL);
	for (int k = 0; k < 3; k++) {
		strmap_for_each(&all[k]->counts, e) {
			long us, them;

			if (strmap_has(&seen, e->key))
				continue;
			strmap_put(&seen, e->key, NULL);
			us = change(old, ours, e->key);
			them = change(old, gold, e->key);
			out->ours += (size_t)labs(us);
			out->hit += shared(us, them);
			if (strmap_has(&api, e->key)) {
				out->api_gold += (size_t)labs(them);
				out->api_hit += shared(us, them);
			}
		}
	}
	out->recall = out->api_gold ? (double)out->api_hit / (double)out->api_gold : NAN;
	out->precision = out->ours ? (double)out->hit / (double)out->ours : NAN;
	strmap_release(&seen, NULL);
	strmap_release(&api, NULL);
}

static void finish(struct similar *out, const struct sums *s)
{
	double n = out->units ? (double)out->units : 1;

	out->delta = s->delta / n;
	out->bleu = s->bleu / n;
	out->weighted_bleu = s->weighted / n;
	out->syntax = s->syntax / n;
	out->dataflow = s->dataflow / n;
	out->codebleu = (out->bleu + out->weighted_bleu + out->syntax + out->dataflow) / 4;
	out->function_iou = out->any ? (double)out->both / (double)out->any : 1;
	out->edit_ratio = s->gold ? (double)s->ours / (double)s->gold : NAN;
}

void similar_compare(const char *old_text, const char *our_text, const char *gold_text, const char *const *names,
		     size_t nnames, struct similar *out)
{
	struct side old, ours, gold;
	const struct side *all[] = { &old, &ours, &gold };
	struct strmap seen = STRMAP_INIT;
	struct strmap_entry *e;
	struct sums s = { 0 };

	memset(out, 0, sizeof(*out));
	side_init(&old, old_text);
	side_init(&ours, our_text);
	side_init(&gold, gold_text);
	for (int k = 0; k < 3; k++) {
		strmap_for_each(&all[k]->units, e) {
			if (strmap_has(&seen, e->key))
				continue;
			strmap_put(&seen, e->key, NULL);
			compare_unit(&old, &ours, &gold, e->key, out, &s);
		}
	}
	finish(out, &s);
	compare_names(&old, &ours, &gold, names, nnames, out);
	strmap_release(&seen, NULL);
	side_release(&old);
	side_release(&ours);
	side_release(&gold);
}

static void set(json_t *o, const char *key, double v)
{
	json_object_set_new(o, key, isnan(v) ? json_null() : json_real(v));
}

json_t *similar_json(const struct similar *s)
{
	json_t *o = json_object();

	json_set_int(o, "units", (int64_t)s->units);
	json_set_int(o, "exact", (int64_t)s->exact);
	json_set_int(o, "token", (int64_t)s->token);
	set(o, "delta", s->delta);
	set(o, "codebleu", s->codebleu);
	set(o, "bleu", s->bleu);
	set(o, "weighted_bleu", s->weighted_bleu);
	set(o, "syntax", s->syntax);
	set(o, "dataflow", s->dataflow);
	set(o, "function_iou", s->function_iou);
	set(o, "edit_ratio", s->edit_ratio);
	set(o, "recall", s->recall);
	set(o, "precision", s->precision);
	json_set_bool(o, "capped", s->capped);
	return o;
}
