// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/report-html.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "drivebench/page.h"
#include "port/html.h"

#define SHOWN_PATCH  (512u << 10)
#define MAX_BARS     512
#define MAX_PATCH    (64u << 20)

static const char *str(const json_t *o, const char *key, const char *dflt)
{
	const char *s = json_get_str(o, key);

	return s ? s : dflt;
}

void record_why(const json_t *rec, struct strbuf *out)
{
	const json_t *gates = json_object_get(rec, "gates");

	for (int g = 0; g < GATE_COUNT; g++) {
		const char *v = json_get_str(gates, gate_name((enum gate_id)g));

		if (v && strcmp(v, "PASS") && strcmp(v, "SKIP")) {
			strbuf_addf(out, "%s %s", gate_name((enum gate_id)g), v);
			return;
		}
	}
	strbuf_addstr(out, str(rec, "status", "no result"));
}

/* ---- figures ---------------------------------------------------------------------------------- */

struct bars {
	struct page_bar v[MAX_BARS];
	char *text[2 * MAX_BARS];
	size_t n, ntext;
};

static const char *own(struct bars *b, char *text)
{
	return b->text[b->ntext++] = text;
}

/* rate: as score_make() makes one. */
static void add_bar(struct bars *b, const char *label, const json_t *rate, unsigned series)
{
	const json_t *w = json_object_get(rate, "wilson95");
	double value = json_get_num(rate, "rate", 0);
	char *note;

	if (b->n == MAX_BARS || !json_is_object(rate))
		return;
	note = xstrfmt("%.1f %% (%lld of %lld)", 100 * value, (long long)json_get_int(rate, "hits", 0),
		       (long long)json_get_int(rate, "n", 0));
	b->v[b->n++] = (struct page_bar){ .label = own(b, xstrdup(label)), .note = own(b, note), .value = value,
		.low = json_number_value(json_array_get(w, 0)), .high = json_number_value(json_array_get(w, 1)), .series = series };
}

static void put_bars(struct strbuf *out, const char *title, struct bars *b)
{
	if (b->n) {
		strbuf_addf(out, "<h2>%s</h2>\n", title);
		page_bars(out, title, b->v, b->n);
	}
	for (size_t i = 0; i < b->ntext; i++)
		free(b->text[i]);
	free(b);
}

static void add_resolved(const struct scored_list *l, struct strbuf *out)
{
	struct bars *b = xcalloc(1, sizeof(*b));

	for (size_t i = 0; i < l->n; i++)
		add_bar(b, path_base(l->v[i].name), json_object_get(l->v[i].score, "resolved"), (unsigned)i);
	put_bars(out, "Resolved", b);
}

static void add_ladder(const struct scored_list *l, struct strbuf *out)
{
	struct bars *b = xcalloc(1, sizeof(*b));

	for (int g = 0; g < GATE_COUNT; g++)
		for (size_t i = 0; i < l->n; i++) {
			const json_t *one = json_object_get(json_object_get(l->v[i].score, "gates"), gate_name((enum gate_id)g));

			add_bar(b, i ? "" : gate_name((enum gate_id)g), json_object_get(one, "all"), (unsigned)i);
		}
	put_bars(out, "Gates, of all cases", b);
}

static void add_by(const struct scored *s, const char *what, const char *title, struct strbuf *out)
{
	struct bars *b = xcalloc(1, sizeof(*b));
	const char *key;
	json_t *rate;

	json_object_foreach(json_object_get(json_object_get(s->score, "by"), what), key, rate)
		add_bar(b, key, rate, 0);
	put_bars(out, title, b);
}

static void add_rate(struct strbuf *out, const json_t *rate)
{
	if (json_is_object(rate))
		strbuf_addf(out, "<td class=num>%.1f %%", 100 * json_get_num(rate, "rate", 0));
	else
		strbuf_addstr(out, "<td class=num>");
}

static void add_mean(struct strbuf *out, const json_t *v)
{
	if (json_is_object(v))
		strbuf_addf(out, "<td class=num>%.3f", json_get_num(v, "mean", 0));
	else
		strbuf_addstr(out, "<td class=num>");
}

static void add_run_row(const struct scored_list *l, size_t i, struct strbuf *out)
{
	const struct scored *s = &l->v[i];
	const json_t *res = json_object_get(s->score, "resolved"), *similar = json_object_get(s->score, "similar");
	const json_t *cost = json_object_get(s->score, "cost"), *w = json_object_get(res, "wilson95");
	size_t with = scored_against(l, i);

	strbuf_addf(out, "<tr><td><svg width=10 height=10><rect class=s%zu width=10 height=10 /></svg> ", i % 4);
	html_text(out, s->name);
	strbuf_addf(out, "<td>%s<td class=num>%lld", str(s->score, "solver", "?"), (long long)json_get_int(res, "n", 0));
	add_rate(out, res);
	strbuf_addf(out, "<td class=num>%.1f to %.1f", 100 * json_number_value(json_array_get(w, 0)),
		    100 * json_number_value(json_array_get(w, 1)));
	add_rate(out, json_object_get(s->score, "infrastructure"));
	add_rate(out, json_object_get(json_object_get(s->score, "equivalence"), "all_edits"));
	add_mean(out, json_object_get(similar, "delta"));
	strbuf_addf(out, "<td class=num>%.1f<td class=num>%.0f", json_get_num(cost, "seconds_solve", 0),
		    json_get_num(cost, "tokens_in", 0) + json_get_num(cost, "tokens_out", 0));
	if (with != i) {
		json_t *c = score_compare(&l->v[with].r, l->v[with].records, &s->r, s->records);

		strbuf_addf(out, "<td class=num>%.3g", json_get_num(c, "mcnemar_p", 1));
		json_decref(c);
	} else {
		strbuf_addstr(out, "<td>");
	}
	strbuf_addstr(out, "</tr>\n");
}

static void add_runs(const struct scored_list *l, struct strbuf *out)
{
	static const char *const heads[] = { "run", "who", "#results", "#resolved", "#95 %", "#infrastructure", "#all edits are gold's",
					     "#delta", "#seconds", "#tokens", "#p (McNemar)" };

	strbuf_addstr(out, "<h2>Runs</h2>\n<section>");
	page_table(out, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < l->n; i++)
		add_run_row(l, i, out);
	strbuf_addstr(out, "</tbody></table></div></section>\n");
	for (int k = 0; l->n && !l->v[0].baseline && baseline_names[k]; k++) {
		bool there = false;

		for (size_t i = 1; i < l->n && l->v[i].baseline; i++)
			there |= !strcmp(l->v[i].baseline, baseline_names[k]);
		if (!there)
			strbuf_addf(out, "<p class=dim>Baseline %s was not run (kport bench run --baselines).</p>\n", baseline_names[k]);
	}
}

/* ---- cases --------------------------------------------------------------------------------------- */

static const struct bench_case *case_of(const struct bench_run *r, size_t i)
{
	return r->cases.c[i / (size_t)r->attempts];
}

static char *page_name(const struct bench_run *r, size_t i)
{
	return xstrfmt("%s.%zu.html", case_of(r, i)->id, i % (size_t)r->attempts + 1);
}

static void add_case_row(const struct scored *s, size_t i, struct strbuf *out)
{
	const struct bench_case *c = case_of(&s->r, i);
	const json_t *rec = json_array_get(s->records, i), *delta = json_object_get(json_object_get(rec, "similar"), "delta");
	bool ok = json_get_bool(rec, "resolved", false);
	char *page = page_name(&s->r, i);
	struct strbuf why = STRBUF_INIT;

	record_why(rec, &why);
	strbuf_addf(out, "<tr><td><a href=\"cases/%s\">%.12s</a>", page, c->id);
	if (s->r.attempts > 1)
		strbuf_addf(out, " .%zu", i % (size_t)s->r.attempts + 1);
	strbuf_addstr(out, "<td>");
	html_text(out, c->path ? c->path : c->name);
	strbuf_addstr(out, "<td>");
	html_text(out, c->pair);
	strbuf_addf(out, "<td>%s<td>%s<td>%s<td class=\"v %s\">%s<td>", c->track, c->taxonomy ? c->taxonomy : "", case_split(c),
		    ok ? "ok" : !strcmp(str(rec, "status", "infra"), "infra") ? "warn" : "bad", ok ? "resolved" : "not");
	html_text(out, ok ? "" : why.buf);
	strbuf_addf(out, "<td>%s<td class=num>", ok ? str(rec, "equivalence", "") : "");
	if (json_is_number(delta))
		strbuf_addf(out, "%.3f", json_number_value(delta));
	strbuf_addf(out, "<td class=num>%.1f</tr>\n",
		    json_get_num(json_object_get(json_object_get(rec, "cost"), "seconds"), "solve", 0));
	strbuf_release(&why);
	free(page);
}

static void add_cases(const struct scored *s, struct strbuf *out)
{
	static const char *const heads[] = { "case", "driver", "kernels", "track", "change", "split", "result", "first gate",
					     "against gold", "#delta", "#seconds" };

	strbuf_addstr(out, "<h2>Cases</h2>\n<section>");
	page_table(out, heads, ARRAY_SIZE(heads));
	for (size_t i = 0; i < json_array_size(s->records); i++)
		add_case_row(s, i, out);
	strbuf_addstr(out, "</tbody></table></div></section>\n");
}

/* ---- one case ------------------------------------------------------------------------------------ */

static void add_symbols(const struct bench_case *c, struct strbuf *out)
{
	json_t *s;
	size_t i;

	strbuf_addstr(out, "<h2>What changed under the driver</h2>\n<table class=grid><tr><th>name<th>change<th>now</tr>\n");
	json_array_foreach(json_object_get(c->json, "symbols"), i, s) {
		strbuf_addstr(out, "<tr><td><code>");
		html_text(out, str(s, "name", ""));
		strbuf_addf(out, "</code><td>%s<td class=w><code>", str(s, "kind", ""));
		html_text(out, str(s, "to", ""));
		strbuf_addstr(out, "</code></tr>\n");
	}
	strbuf_addstr(out, "</table>\n");
}

static void add_gates(const json_t *rec, struct strbuf *out)
{
	const json_t *gates = json_object_get(rec, "gates");

	strbuf_addstr(out, "<h2>Gates</h2>\n<table class=grid><tr><th>gate<th>verdict<th>reason</tr>\n");
	for (int g = 0; g < GATE_COUNT; g++) {
		const char *name = gate_name((enum gate_id)g), *v = json_get_str(gates, name);
		const json_t *d = json_object_get(json_object_get(rec, "details"), name);
		json_t *list = json_object_get(d, "findings"), *f;
		size_t i;

		if (!v)
			continue;
		strbuf_addf(out, "<tr><td title=\"%s\">%s<td class=\"v %s\">%s<td class=w>", gate_title((enum gate_id)g), name, v, v);
		html_text(out, str(d, "reason", ""));
		if (json_array_size(list))
			strbuf_addf(out, "<details%s><summary>findings</summary><pre>", strcmp(v, "PASS") ? " open" : "");
		json_array_foreach(list, i, f) {
			html_text(out, json_string_value(f));
			strbuf_addch(out, '\n');
		}
		strbuf_addstr(out, json_array_size(list) ? "</pre></details></tr>\n" : "</tr>\n");
	}
	strbuf_addstr(out, "</table>\n");
}

static void add_patch(const struct bench_run *r, size_t i, struct strbuf *out)
{
	char *path = xstrfmt("%s/patches/%s.%zu.patch", r->dir, case_of(r, i)->id, i % (size_t)r->attempts + 1);
	struct strbuf text = STRBUF_INIT, why = STRBUF_INIT;

	strbuf_addstr(out, "<h2>The answer</h2>\n");
	if (file_read(path, MAX_PATCH, &text, &why))
		strbuf_addstr(out, "<p>There is no file of it.</p>\n");
	else if (!text.len)
		strbuf_addstr(out, "<p>No patch was given.</p>\n");
	else
		page_diff(out, text.buf, text.len, SHOWN_PATCH);
	strbuf_release(&text);
	strbuf_release(&why);
	free(path);
}

static void add_figures(const json_t *rec, struct strbuf *out)
{
	const json_t *similar = json_object_get(rec, "similar"), *cost = json_object_get(rec, "cost"), *sec = json_object_get(cost, "seconds");
	const char *key;
	json_t *v;

	strbuf_addstr(out, "<h2>Figures</h2>\n<table class=grid>\n");
	json_object_foreach((json_t *)similar, key, v)
		if (json_is_number(v))
			strbuf_addf(out, "<tr><td>%s<td class=num>%.6g<td class=w></tr>\n", key, json_number_value(v));
	strbuf_addf(out, "<tr><td>seconds, answer and judging<td class=num>%.1f + %.1f<td class=w></tr>\n", json_get_num(sec, "solve", 0),
		    json_get_num(sec, "grade", 0));
	strbuf_addstr(out, "</table>\n");
}

static int case_page(const struct scored *s, size_t i, const char *dir, struct strbuf *err)
{
	const struct bench_case *c = case_of(&s->r, i);
	const json_t *rec = json_array_get(s->records, i);
	char *name = page_name(&s->r, i), *path = xstrfmt("%s/cases/%s", dir, name);
	struct strbuf out = STRBUF_INIT, why = STRBUF_INIT;
	bool ok = json_get_bool(rec, "resolved", false);
	int ret;

	record_why(rec, &why);
	page_open(&out, c->path ? c->path : c->name);
	strbuf_addstr(&out, "<p><a href=\"../index.html\">all cases</a></p><h1>");
	html_text(&out, c->path ? c->path : c->name);
	strbuf_addstr(&out, "</h1>\n<p class=dim>");
	html_text(&out, c->pair);
	strbuf_addf(&out, ", %s, <code>%s</code></p>\n<p class=\"v %s\">", c->track, c->id, ok ? "ok" : "bad");
	html_text(&out, ok ? "resolved" : why.buf);
	strbuf_addstr(&out, "</p><p>");
	html_text(&out, str(rec, "note", ""));
	strbuf_addstr(&out, "</p>\n");
	add_gates(rec, &out);
	add_symbols(c, &out);
	add_patch(&s->r, i, &out);
	add_figures(rec, &out);
	page_close(&out);
	ret = file_write_nosync(path, out.buf, out.len, err);
	strbuf_release(&out);
	strbuf_release(&why);
	free(name);
	free(path);
	return ret;
}

int report_html(const struct scored_list *l, const char *dir, struct strbuf *err)
{
	const struct scored *first = &l->v[0];
	char *index = path_join(dir, "index.html"), *cases = path_join(dir, "cases");
	struct strbuf out = STRBUF_INIT;
	int ret = file_mkdirs(cases, err);

	page_open(&out, "kport bench");
	strbuf_addstr(&out, "<h1>");
	html_text(&out, path_base(first->r.dir));
	strbuf_addf(&out, "</h1>\n<p class=dim>%s, %zu cases, %lld attempts, gates %s</p>\n", str(first->score, "solver", "?"),
		    first->r.cases.n, (long long)first->r.attempts, str(first->r.settings, "gates", ""));
	add_runs(l, &out);
	add_resolved(l, &out);
	add_ladder(l, &out);
	add_by(first, "pair", "Resolved by kernels", &out);
	add_by(first, "track", "Resolved by track", &out);
	add_by(first, "taxonomy", "Resolved by kind of change", &out);
	add_cases(first, &out);
	page_close(&out);
	for (size_t i = 0; !ret && i < json_array_size(first->records); i++)
		ret = case_page(first, i, dir, err);
	if (!ret)
		ret = file_write(index, out.buf, out.len, err);
	strbuf_release(&out);
	free(index);
	free(cases);
	return ret;
}
