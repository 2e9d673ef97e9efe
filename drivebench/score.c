// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/score.h"

#include <math.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/strmap.h"
#include "drivebench/stats.h"

#define BOOTSTRAP_ROUNDS 2000
#define BOOTSTRAP_SEED 1

int score_read(const struct bench_run *r, json_t **records, struct strbuf *err)
{
	int ret = 0;

	*records = json_array();
	for (size_t i = 0; !ret && i < r->cases.n; i++) {
		for (int a = 1; !ret && a <= r->attempts; a++) {
			char *path = bench_result_path(r, r->cases.c[i], a);
			json_t *v = NULL;

			if (file_exists(path))
				ret = json_read_file(path, 0, &v, err);
			if (!ret)
				json_array_append_new(*records, v ? v : json_null());
			free(path);
		}
	}
	if (ret)
		json_decref(*records);
	return ret;
}

/* ---- pieces --------------------------------------------------------------------------------- */

static bool resolved(const json_t *rec)
{
	return json_get_bool(rec, "resolved", false);
}

static bool is_infra(const json_t *rec)
{
	const char *s = json_get_str(rec, "status");

	return !s || !strcmp(s, "infra");
}

static json_t *pair_of(double a, double b)
{
	json_t *l = json_array();

	json_array_append_new(l, json_real(a));
	json_array_append_new(l, json_real(b));
	return l;
}

static json_t *rate(size_t hits, size_t n)
{
	struct interval w = stats_wilson(hits, n);
	json_t *o = json_object();

	json_set_int(o, "hits", (int64_t)hits);
	json_set_int(o, "n", (int64_t)n);
	json_object_set_new(o, "rate", n ? json_real((double)hits / (double)n) : json_null());
	json_object_set_new(o, "wilson95", pair_of(w.low, w.high));
	return o;
}

static json_t *ladder(const json_t *records)
{
	json_t *o = json_object(), *rec;
	size_t i;

	for (int g = 0; g < GATE_COUNT; g++) {
		size_t pass = 0, fail = 0;
		json_t *one;

		json_array_foreach((json_t *)records, i, rec) {
			const char *v = json_get_str(json_object_get(rec, "gates"), gate_name((enum gate_id)g));

			pass += v && !strcmp(v, "PASS");
			fail += v && !strcmp(v, "FAIL");
		}
		if (!pass && !fail)
			continue;
		one = json_object();
		json_object_set_new(one, "all", rate(pass, json_array_size(records)));
		json_object_set_new(one, "judged", rate(pass, pass + fail));
		json_object_set_new(o, gate_name((enum gate_id)g), one);
	}
	return o;
}

struct cluster {
	double hits, n;
};

static json_t *bootstrap(const struct bench_run *r, const json_t *records)
{
	struct strmap groups = STRMAP_INIT;
	struct strmap_entry *e;
	double *hits, *n;
	struct interval v;
	size_t k = 0;

	for (size_t i = 0; i < json_array_size(records); i++) {
		const char *group = r->cases.c[i / (size_t)r->attempts]->group;
		struct cluster *c = strmap_get(&groups, group);

		if (!c) {
			c = xcalloc(1, sizeof(*c));
			strmap_put(&groups, group, c);
		}
		c->n++;
		c->hits += resolved(json_array_get(records, i));
	}
	hits = xcalloc(groups.n + 1, sizeof(*hits));
	n = xcalloc(groups.n + 1, sizeof(*n));
	strmap_for_each(&groups, e) {
		const struct cluster *c = e->value;

		hits[k] = c->hits;
		n[k++] = c->n;
	}
	v = stats_bootstrap(hits, n, k, BOOTSTRAP_ROUNDS, BOOTSTRAP_SEED);
	free(hits);
	free(n);
	strmap_release(&groups, free);
	return pair_of(v.low, v.high);
}

static json_t *attempts(const struct bench_run *r, const json_t *records)
{
	json_t *o = json_object(), *at = json_object(), *all = json_object();
	size_t n = (size_t)r->attempts, flips = 0;

	for (size_t k = 1; k <= n; k++) {
		double any = 0, every = 0;
		char *key = xstrfmt("%zu", k);

		for (size_t i = 0; i < r->cases.n; i++) {
			size_t c = 0;

			for (size_t a = 0; a < n; a++)
				c += resolved(json_array_get(records, i * n + a));
			any += stats_pass_at(n, c, k);
			every += stats_pass_all(n, c, k);
			flips += k == 1 && c > 0 && c < n;
		}
		json_set_num(at, key, any / (double)r->cases.n);
		json_set_num(all, key, every / (double)r->cases.n);
		free(key);
	}
	json_object_set_new(o, "pass_at", at);
	json_object_set_new(o, "pass_all", all);
	json_object_set_new(o, "flips", n > 1 ? rate(flips, r->cases.n) : json_null());
	return o;
}

static json_t *means(const json_t *records)
{
	static const char *const keys[] = { "delta", "codebleu", "bleu", "weighted_bleu", "syntax", "dataflow",
					    "function_iou", "edit_ratio", "recall", "precision" };
	static const char *const shares[] = { "exact", "token" };
	json_t *o = json_object(), *rec;
	size_t i;

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		double sum = 0;
		size_t n = 0;

		json_array_foreach((json_t *)records, i, rec) {
			const json_t *v = json_object_get(json_object_get(rec, "similar"), keys[k]);

			n += json_is_number(v);
			sum += json_is_number(v) ? json_number_value(v) : 0;
		}
		json_object_set_new(o, keys[k], n ? json_pack("{s:f, s:I}", "mean", sum / (double)n, "n", (json_int_t)n)
						 : json_null());
	}
	for (size_t k = 0; k < ARRAY_SIZE(shares); k++) {
		size_t hits = 0, units = 0;

		json_array_foreach((json_t *)records, i, rec) {
			hits += (size_t)json_get_int(json_object_get(rec, "similar"), shares[k], 0);
			units += (size_t)json_get_int(json_object_get(rec, "similar"), "units", 0);
		}
		json_object_set_new(o, shares[k], rate(hits, units));
	}
	return o;
}

static json_t *equivalence(const json_t *records)
{
	size_t same = 0, all = 0, i;
	json_t *o = json_object(), *rec;

	/* Only of what the gates have passed: a port that does not build proves nothing. */
	json_array_foreach((json_t *)records, i, rec) {
		const char *s = json_get_str(rec, "equivalence");

		same += resolved(rec) && s && !strcmp(s, "equal");
		all += resolved(rec) && s && (!strcmp(s, "equal") || !strcmp(s, "all edits equal"));
	}
	json_object_set_new(o, "same_tokens", rate(same, json_array_size(records)));
	json_object_set_new(o, "all_edits", rate(all, json_array_size(records)));
	return o;
}

static json_t *cost(const json_t *records)
{
	static const char *const keys[] = { "tokens_in", "tokens_out", "money" };
	json_t *o = json_object(), *rec;
	double solve = 0, grade = 0;
	size_t i;

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		double sum = 0;

		json_array_foreach((json_t *)records, i, rec)
			sum += json_get_num(json_object_get(rec, "cost"), keys[k], 0);
		json_set_num(o, keys[k], sum);
	}
	json_array_foreach((json_t *)records, i, rec) {
		const json_t *s = json_object_get(json_object_get(rec, "cost"), "seconds");

		solve += json_get_num(s, "solve", 0);
		grade += json_get_num(s, "grade", 0);
	}
	json_set_num(o, "seconds_solve", solve);
	json_set_num(o, "seconds_grade", grade);
	return o;
}

/* Resolved by the value of one key of the case. */
static json_t *by(const struct bench_run *r, const json_t *records, const char *what)
{
	struct strmap m = STRMAP_INIT;
	struct strmap_entry *e;
	json_t *o = json_object();

	for (size_t i = 0; i < json_array_size(records); i++) {
		const struct bench_case *c = r->cases.c[i / (size_t)r->attempts];
		const char *key = !strcmp(what, "track") ? c->track : !strcmp(what, "pair") ? c->pair :
				  !strcmp(what, "split") ? case_split(c) : c->taxonomy;
		struct cluster *x = strmap_get(&m, key);

		if (!x) {
			x = xcalloc(1, sizeof(*x));
			strmap_put(&m, key, x);
		}
		x->n++;
		x->hits += resolved(json_array_get(records, i));
	}
	strmap_for_each(&m, e) {
		const struct cluster *x = e->value;

		json_object_set_new(o, e->key, rate((size_t)x->hits, (size_t)x->n));
	}
	strmap_release(&m, free);
	return o;
}

static json_t *contamination(const struct bench_run *r, const json_t *records, const char *cutoff)
{
	size_t hits[2] = { 0, 0 }, n[2] = { 0, 0 };
	json_t *o = json_object();

	for (size_t i = 0; i < json_array_size(records); i++) {
		const char *date = r->cases.c[i / (size_t)r->attempts]->date;
		int after = date && strcmp(date, cutoff) >= 0;

		if (!date)
			continue;
		n[after]++;
		hits[after] += resolved(json_array_get(records, i));
	}
	json_set_str(o, "cutoff", cutoff);
	json_object_set_new(o, "before", rate(hits[0], n[0]));
	json_object_set_new(o, "from", rate(hits[1], n[1]));
	json_object_set_new(o, "gap", n[0] && n[1] ? json_real((double)hits[0] / (double)n[0] -
							       (double)hits[1] / (double)n[1]) : json_null());
	return o;
}

json_t *score_make(const struct bench_run *r, const json_t *records, const char *cutoff)
{
	static const char *const groups[] = { "track", "pair", "taxonomy", "split" };
	json_t *o = json_object(), *res, *g = json_object(), *rec;
	size_t hits = 0, infra = 0, refused = 0, i, n = json_array_size(records);

	json_array_foreach((json_t *)records, i, rec) {
		const char *s = json_get_str(rec, "status");

		hits += resolved(rec);
		infra += is_infra(rec);
		refused += s && !strcmp(s, "refused");
	}
	json_set_int(o, "schema_version", 1);
	json_set_str(o, "solver", solver_name(r->solver.kind));
	json_set_int(o, "cases", (int64_t)r->cases.n);
	json_set_int(o, "attempts", r->attempts);
	json_set_int(o, "refused", (int64_t)refused);
	res = rate(hits, n);
	json_object_set_new(res, "bootstrap95", bootstrap(r, records));
	json_object_set_new(o, "resolved", res);
	json_object_set_new(o, "infrastructure", rate(infra, n));
	json_object_set_new(o, "gates", ladder(records));
	json_object_set_new(o, "tries", attempts(r, records));
	json_object_set_new(o, "similar", means(records));
	json_object_set_new(o, "equivalence", equivalence(records));
	json_object_set_new(o, "cost", cost(records));
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		json_object_set_new(g, groups[i], by(r, records, groups[i]));
	json_object_set_new(o, "by", g);
	if (cutoff)
		json_object_set_new(o, "contamination", contamination(r, records, cutoff));
	return o;
}

json_t *score_compare(const struct bench_run *a, const json_t *ra, const struct bench_run *b, const json_t *rb)
{
	size_t only_a = 0, only_b = 0, both = 0, neither = 0;
	json_t *o = json_object();

	for (size_t i = 0; i < a->cases.n; i++) {
		for (size_t k = 0; k < b->cases.n; k++) {
			const json_t *x = json_array_get(ra, i * (size_t)a->attempts);
			const json_t *y = json_array_get(rb, k * (size_t)b->attempts);

			/* A fault of the machine says nothing of either. */
			if (strcmp(a->cases.c[i]->id, b->cases.c[k]->id) || is_infra(x) || is_infra(y))
				continue;
			both += resolved(x) && resolved(y);
			only_a += resolved(x) && !resolved(y);
			only_b += !resolved(x) && resolved(y);
			neither += !resolved(x) && !resolved(y);
		}
	}
	json_set_int(o, "both", (int64_t)both);
	json_set_int(o, "only_first", (int64_t)only_a);
	json_set_int(o, "only_second", (int64_t)only_b);
	json_set_int(o, "neither", (int64_t)neither);
	json_set_num(o, "mcnemar_p", stats_mcnemar(only_a, only_b));
	return o;
}
