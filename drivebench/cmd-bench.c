// SPDX-License-Identifier: GPL-2.0-only
/* kport bench: the table of its words, and the ones that look at cases. */
#include "base/compat.h"
#include "drivebench/cmd-bench.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/strmap.h"
#include "drivebench/grade.h"
#include "drivebench/materialise.h"

static void check_word(const char *word, const char *const *list, const char *option)
{
	if (!word)
		return;
	for (const char *const *p = list; *p; p++)
		if (!strcmp(*p, word))
			return;
	usage("%s knows no '%.60s'", option, word);
}

int bench_choose(struct bench_choice *b, struct case_set *out, struct strbuf *err)
{
	static const char *const tracks[] = { "history", "release", "out-of-tree", NULL };
	static const char *const splits[] = { "dev", "test", NULL };
	char *path;
	int ret;

	check_word(b->c.track, tracks, "--track");
	check_word(b->c.split, splits, "--split");
	if (b->c.limit < 0)
		usage("--limit cannot be negative");
	if (b->c.pair && !strchr(b->c.pair, ':'))
		usage("--pair is K1:K2, such as 6.1:6.12");
	path = b->cases ? xstrdup(b->cases) : kport_data_path("drivebench/cases");
	b->c.ids = &b->ids;
	ret = case_set_read(out, path, err);
	if (!ret)
		ret = case_set_select(out, &b->c, err);
	free(path);
	return ret;
}

void bench_choice_release(struct bench_choice *b)
{
	strvec_release(&b->ids);
	strvec_release(&b->kernels);
}

unsigned bench_mask(const char *list, bool boot)
{
	struct strbuf err = STRBUF_INIT;
	unsigned mask = GRADE_MASK_DEFAULT;

	if (list && gate_mask_parse(list, &mask, &err) < 0)
		usage("%s", err.buf);
	if (boot)
		mask |= GATE_MASK_MACHINE;
	if (!mask)
		usage("no gate is left to run");
	return mask;
}

void bench_judging_json(json_t *settings, const struct bench_choice *b, unsigned mask)
{
	json_t *kernels = json_array();
	struct strbuf gates = STRBUF_INIT;

	for (int i = 0; i < GATE_COUNT; i++)
		if (mask & GATE_BIT(i))
			strbuf_addf(&gates, "%s%s", gates.len ? "," : "", gate_name((enum gate_id)i));
	for (size_t i = 0; i < b->kernels.n; i++)
		json_array_append_new(kernels, json_str(b->kernels.v[i]));
	json_set_str(settings, "gates", gates.buf);
	json_object_set_new(settings, "kernels", kernels);
	strbuf_release(&gates);
}

/* ---- list ----------------------------------------------------------------------------------- */

static json_t *summary_of(const struct bench_case *c)
{
	json_t *o = json_object();

	json_set_str(o, "id", c->id);
	json_set_str(o, "track", c->track);
	json_set_str(o, "pair", c->pair);
	json_set_str(o, "driver", c->path ? c->path : c->name);
	json_set_str(o, "taxonomy", c->taxonomy);
	json_set_str(o, "symbol", json_get_str(json_array_get(json_object_get(c->json, "symbols"), 0), "name"));
	json_set_str(o, "split", case_split(c));
	json_set_str(o, "state", c->validation ? json_get_str(c->validation, "verdict") : "candidate");
	return o;
}

int bench_list(const struct command *cmd, int argc, const char **argv)
{
	struct bench_choice b = BENCH_CHOICE_INIT;
	struct case_set s = CASE_SET_INIT;
	struct strbuf err = STRBUF_INIT;
	const struct option table[] = {
		BENCH_CHOICE_OPTIONS(&b),
		OPTION_BOOL(0, "validated", &b.c.validated, "leave out candidates and what was rejected"),
		OPTION_END()
	};
	json_t *all = json_array();
	int ret;

	options_parse(cmd, table, argc, argv, NULL);
	ret = bench_choose(&b, &s, &err);
	for (size_t i = 0; !ret && i < s.n; i++)
		json_array_append_new(all, summary_of(s.c[i]));
	if (!ret && opt_json) {
		json_print(json_incref(all));
	} else if (!ret) {
		for (size_t i = 0; i < s.n; i++) {
			const json_t *o = json_array_get(all, i);

			printf("%.12s  %-11s %-14s %-10s %-9s %-4s %s  %s\n", s.c[i]->id, s.c[i]->track, s.c[i]->pair,
			       json_get_str(o, "taxonomy"), json_get_str(o, "state"), case_split(s.c[i]),
			       json_get_str(o, "driver"), json_get_str(o, "symbol"));
		}
		printf("%zu cases\n", s.n);
	}
	json_decref(all);
	case_set_release(&s);
	bench_choice_release(&b);
	return command_end(ret, &err) == EXIT_NO ? EXIT_FATAL : ret ? kp_exit_code(ret) : EXIT_YES;
}

/* ---- materialise ------------------------------------------------------------------------------ */

int bench_materialise(const struct command *cmd, int argc, const char **argv)
{
	struct bench_choice b = BENCH_CHOICE_INIT;
	struct case_set s = CASE_SET_INIT;
	struct refs refs = REFS_INIT;
	struct strbuf err = STRBUF_INIT;
	const char *out = NULL;
	bool hints = false;
	const struct option table[] = {
		OPTION_STR('o', "out", &out, "DIR", "a directory for each case is made there, named by its id"),
		OPTION_BOOL(0, "hints", &hints, "task.json tells which symbols have changed"),
		BENCH_CHOICE_OPTIONS(&b),
		OPTION_END()
	};
	int ret;

	options_parse(cmd, table, argc, argv, NULL);
	if (!out || !*out)
		usage("say where the cases go: --out DIR");
	ret = bench_choose(&b, &s, &err);
	if (!ret)
		ret = refs_open(&refs, &b.kernels, &err);
	for (size_t i = 0; !ret && i < s.n; i++) {
		char *dir = path_join(out, s.c[i]->id);
		struct material m = { 0 };

		ret = materialise(&refs, s.c[i], hints ? HINTS_SYMBOLS : HINTS_NONE, dir, &m, &err);
		if (!ret && !opt_json)
			printf("%s\n", m.driver);
		material_release(&m);
		free(dir);
	}
	refs_release(&refs);
	case_set_release(&s);
	bench_choice_release(&b);
	return command_end(ret, &err) == EXIT_NO ? EXIT_FATAL : ret ? kp_exit_code(ret) : EXIT_YES;
}

/* ---- the command ------------------------------------------------------------------------------- */

static const struct command words[] = {
	{ "bench list", "list cases", "kport bench list [options]", bench_list },
	{ "bench packages", "two versions of DKMS packages as candidates",
	  "kport bench packages --list FILE --out FILE", bench_packages },
	{ "bench materialise", "write cases as directories",
	  "kport bench materialise --out DIR [options]", bench_materialise },
	{ "bench validate", "find out which candidates are cases",
	  "kport bench validate --cases FILE --out FILE [options]", bench_validate },
	{ "bench run", "let the engine, an agent or a baseline answer cases",
	  "kport bench run --out DIR [options]", bench_run },
	{ "bench score", "the numbers of runs, or of a file of predictions",
	  "kport bench score RUN... [options]\nkport bench score FILE.jsonl --out DIR [options]", bench_score },
	{ "bench report", "a run as Markdown, JUnit XML or KTAP", "kport bench report RUN [options]", bench_report },
	{ "bench work", "answer one case of a run (used for the children of run)",
	  "kport bench work RUN ID ATTEMPT", bench_work },
};

static int run(const struct command *cmd, int argc, const char **argv)
{
	return command_dispatch(cmd, words, ARRAY_SIZE(words), NULL, argc, argv);
}

const struct command cmd_bench = {
	.name = "bench",
	.summary = "the benchmark: cases, runs, scores",
	.usage = "kport bench list [options]\n"
		 "kport bench packages --list FILE --out FILE\n"
		 "kport bench materialise --out DIR [options]\n"
		 "kport bench validate --cases FILE --out FILE [options]\n"
		 "kport bench run --out DIR [options]\n"
		 "kport bench score RUN... [options]\n"
		 "kport bench score FILE.jsonl --out DIR [options]\n"
		 "kport bench report RUN [options]",
	.run = run,
};
