// SPDX-License-Identifier: GPL-2.0-only
/* kport bench score: numbers of a run, or of predictions, which are graded first. */
#include "base/compat.h"
#include "drivebench/cmd-bench.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "drivebench/predictions.h"
#include "drivebench/run-all.h"
#include "drivebench/scored.h"
#include "harness/sandbox.h"

static struct {
	struct bench_choice b;
	const char *out, *gates, *cutoff;
	int64_t jobs;
	bool candidates;
} o = { .b = BENCH_CHOICE_INIT };

static const struct option options[] = {
	OPTION_STR(0, "cutoff", &o.cutoff, "YYYY-MM-DD", "compare cases before and from that date"),
	OPTION_GROUP("Grading predictions"),
	OPTION_STR('o', "out", &o.out, "DIR", "the run that comes of it; the same command goes on"),
	OPTION_STR(0, "gates", &o.gates, "LIST", "gates (default: apply,compile,link,honest)"),
	OPTION_COUNT('j', "jobs", &o.jobs, "N", "cases at once (default: 1)"),
	OPTION_BOOL(0, "candidates", &o.candidates, "take cases that were not validated too"),
	BENCH_CHOICE_OPTIONS(&o.b),
	OPTION_END()
};

/* ---- predictions ------------------------------------------------------------------------------ */

static json_t *settings(int64_t attempts)
{
	json_t *v = json_object();

	json_set_int(v, "schema_version", 1);
	json_set_str(v, "solver", "predictions");
	json_set_int(v, "attempts", attempts);
	bench_judging_json(v, &o.b, bench_mask(o.gates, false));
	return v;
}

/* *bad: some line was refused. */
static int grade(const char *file, bool *bad, struct strbuf *err)
{
	struct case_set s = CASE_SET_INIT;
	struct strvec problems = STRVEC_INIT;
	struct predictions p;
	struct run_counts n = { 0 };
	char *dir;
	int ret;

	if (!o.out || !*o.out)
		usage("say where the results of predictions go: --out DIR");
	dir = path_join(o.out, "predictions");
	o.b.c.validated = !o.candidates;
	ret = sandbox_probe(err);
	if (!ret)
		ret = bench_choose(&o.b, &s, err);
	if (!ret)
		ret = predictions_read(file, &s, dir, &p, &problems, err);
	for (size_t i = 0; i < problems.n; i++)
		log_warn("%s", problems.v[i]);
	*bad = problems.n > 0;
	if (!ret && !p.taken)
		ret = kp_fail(err, KP_ERR, "'%s' holds no prediction for these cases", file);
	if (!ret)
		ret = bench_run_create(o.out, settings(p.attempts), &s, err);
	if (!ret)
		ret = run_all(o.out, RUN_LOCAL, (int)o.jobs, &n, err);
	free(dir);
	strvec_release(&problems);
	case_set_release(&s);
	return ret;
}

/* ---- answers ------------------------------------------------------------------------------------ */

static void print_rate(const char *name, const json_t *v)
{
	const json_t *w = json_object_get(v, "wilson95");

	if (!json_is_object(v))
		return;
	printf("%-24s %5d of %-5d %6.1f %%  (%.1f to %.1f)\n", name, (int)json_get_int(v, "hits", 0),
	       (int)json_get_int(v, "n", 0), 100 * json_get_num(v, "rate", 0),
	       100 * json_number_value(json_array_get(w, 0)), 100 * json_number_value(json_array_get(w, 1)));
}

static void print_score(const char *run, const json_t *v)
{
	const json_t *similar = json_object_get(v, "similar"), *eq = json_object_get(v, "equivalence");
	const char *key;
	json_t *x;

	printf("%s: %s, %d cases, %d attempts\n", run, json_get_str(v, "solver"), (int)json_get_int(v, "cases", 0),
	       (int)json_get_int(v, "attempts", 0));
	print_rate("resolved", json_object_get(v, "resolved"));
	json_object_foreach(json_object_get(v, "gates"), key, x) {
		char *name = xstrfmt("  %s", key);

		print_rate(name, json_object_get(x, "all"));
		free(name);
	}
	print_rate("infrastructure", json_object_get(v, "infrastructure"));
	print_rate("same tokens as gold", json_object_get(eq, "same_tokens"));
	print_rate("all edits are gold's", json_object_get(eq, "all_edits"));
	json_object_foreach((json_t *)similar, key, x)
		if (json_object_get(x, "mean"))
			printf("%-24s %.3f (mean of %d)\n", key, json_get_num(x, "mean", 0), (int)json_get_int(x, "n", 0));
	x = json_object_get(v, "contamination");
	if (x) {
		print_rate("before the cut-off", json_object_get(x, "before"));
		print_rate("from the cut-off", json_object_get(x, "from"));
	}
}

/* In the order of the list; a run that others are compared with is its own first. */
static void print_all(const struct scored_list *l)
{
	json_t *all = json_object(), *runs = json_array(), *against = json_array();

	for (size_t i = 0; i < l->n; i++) {
		const struct scored *s = &l->v[i], *with = &l->v[scored_against(l, i)];
		json_t *c = with != s ? score_compare(&with->r, with->records, &s->r, s->records) : NULL;

		json_set_str(s->score, "baseline", s->baseline);
		json_array_append(runs, s->score);
		if (!opt_json)
			print_score(s->name, s->score);
		if (c && !opt_json)
			printf("against %s: only there %d, only here %d, p = %.4g\n", with->name,
			       (int)json_get_int(c, "only_first", 0), (int)json_get_int(c, "only_second", 0),
			       json_get_num(c, "mcnemar_p", 1));
		if (c)
			json_array_append_new(against, c);
	}
	json_object_set_new(all, "runs", runs);
	json_object_set_new(all, "against_first", against);
	if (opt_json)
		json_print(all);
	else
		json_decref(all);
}

int bench_score(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	struct scored_list l = { 0 };
	bool bad = false;
	int ret = 0, code;

	options_parse(cmd, options, argc, argv, &operands);
	if (!operands.n)
		usage("name runs, or one file of predictions");
	if (operands.n == 1 && !file_is_dir(operands.v[0])) {
		ret = grade(operands.v[0], &bad, &err);
		strvec_clear(&operands);
		strvec_push(&operands, o.out);
	}
	for (size_t i = 0; !ret && i < operands.n; i++)
		ret = scored_add(&l, operands.v[i], o.cutoff, &err);
	if (!ret)
		print_all(&l);
	code = ret ? (ret == KP_NOTFOUND ? EXIT_FATAL : kp_exit_code(ret)) : bad ? EXIT_NO : EXIT_YES;
	command_end(ret, &err);
	scored_release(&l);
	strvec_release(&operands);
	bench_choice_release(&o.b);
	return code;
}
