// SPDX-License-Identifier: GPL-2.0-only
/* kport bench run, and "bench work", the child for one case. */
#include "base/compat.h"
#include "drivebench/cmd-bench.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/progress.h"
#include "drivebench/bench-run.h"
#include "drivebench/run-all.h"
#include "drivebench/scored.h"
#include "harness/sandbox.h"

static struct {
	struct bench_choice b;
	const char *out, *gates, *solver, *agent, *engine;
	enum run_engine where;
	int64_t jobs, attempts, memory;
	double seconds;
	bool gold, boot, hints, network, candidates, baselines;
} o = { .b = BENCH_CHOICE_INIT, .attempts = 1, .seconds = 900, .memory = 4096 };

static const struct option options[] = {
	OPTION_STR('o', "out", &o.out, "DIR", "the run; the same command goes on where it was"),
	OPTION_GROUP("Who answers"),
	OPTION_STR(0, "solver", &o.solver, "WHO", "engine (default), rules, noop, sibling, gold"),
	OPTION_STR(0, "agent", &o.agent, "CMD", "a command of the shell, in the sandbox"),
	OPTION_BOOL(0, "gold", &o.gold, "the maintainers' own patch"),
	OPTION_BOOL(0, "network", &o.network, "the agent is trusted: no sandbox, with network"),
	OPTION_BOOL(0, "baselines", &o.baselines, "then noop, rules and sibling too, into DIR/baselines"),
	OPTION_BOOL(0, "hints", &o.hints, "task.json tells which symbols have changed"),
	OPTION_COUNT(0, "attempts", &o.attempts, "N", "answers to each case (default: 1)"),
	OPTION_DBL(0, "timeout", &o.seconds, "SECONDS", "limit of one answer (default: 900)"),
	OPTION_INT(0, "memory", &o.memory, "MIB", "limit of a process of the agent (default: 4096)"),
	OPTION_GROUP("Judging"),
	OPTION_STR(0, "gates", &o.gates, "LIST", "gates (default: apply,compile,link,honest)"),
	OPTION_BOOL(0, "boot", &o.boot, "and those that need a machine"),
	OPTION_COUNT('j', "jobs", &o.jobs, "N", "cases at once (default: 1; of slurm: what the queue gives)"),
	OPTION_STR(0, "engine", &o.engine, "WHERE", "local (default), or slurm: array jobs over shared directories"),
	OPTION_BOOL(0, "candidates", &o.candidates, "take cases that were not validated too"),
	BENCH_CHOICE_OPTIONS(&o.b),
	OPTION_END()
};

static json_t *settings(enum solver_kind kind, bool baseline)
{
	json_t *v = json_object();

	json_set_int(v, "schema_version", 1);
	json_set_str(v, "solver", solver_name(kind));
	json_set_str(v, "command", baseline ? NULL : o.agent);
	json_set_bool(v, "network", !baseline && o.network);
	json_set_bool(v, "hints", o.hints);
	json_set_int(v, "attempts", baseline ? 1 : o.attempts);
	json_set_num(v, "seconds", o.seconds);
	json_set_int(v, "memory_mib", o.memory);
	bench_judging_json(v, &o.b, bench_mask(o.gates, o.boot));
	return v;
}

static enum solver_kind chosen_solver(void)
{
	enum solver_kind kind = o.gold ? SOLVER_GOLD : o.agent ? SOLVER_AGENT : SOLVER_ENGINE;

	if (!!o.solver + !!o.agent + o.gold > 1)
		usage("--solver, --agent and --gold exclude each other");
	if (o.solver && (solver_parse(o.solver, &kind) < 0 || kind == SOLVER_AGENT || kind == SOLVER_PREDICTIONS))
		usage("--solver is engine, rules, noop, sibling or gold");
	if (o.network && !o.agent)
		usage("--network goes with --agent");
	if (o.attempts > 1000 || o.seconds <= 0 || o.memory < 0)
		usage("limits must be positive, and at most 1000 attempts");
	return kind;
}

static int run_one(const char *dir, enum solver_kind kind, bool baseline, const struct case_set *s, struct run_counts *n,
		   struct strbuf *err)
{
	struct run_counts mine = { 0 };
	int ret = bench_run_create(dir, settings(kind, baseline), s, err);

	if (!ret)
		ret = run_all(dir, o.where, (int)o.jobs, &mine, err);
	if (!ret || ret == KP_INTERRUPTED)
		printf("%s%s%s%zu results: %zu were there, %zu made now, %zu resolved, %zu infrastructure faults\n",
		       baseline ? "baseline " : "", baseline ? path_base(dir) : "", baseline ? ": " : "", mine.all, mine.there, mine.made,
		       mine.resolved, mine.infra);
	n->infra += mine.infra;
	return ret;
}

static int run_baselines(const struct case_set *s, struct run_counts *n, struct strbuf *err)
{
	int ret = 0;

	for (int i = 0; !ret && baseline_names[i]; i++) {
		char *dir = xstrfmt("%s/baselines/%s", o.out, baseline_names[i]);
		enum solver_kind kind = SOLVER_NOOP;

		solver_parse(baseline_names[i], &kind);
		ret = run_one(dir, kind, true, s, n, err);
		free(dir);
	}
	return ret;
}

int bench_run(const struct command *cmd, int argc, const char **argv)
{
	struct case_set s = CASE_SET_INIT;
	struct strbuf err = STRBUF_INIT;
	struct run_counts n = { 0 };
	enum solver_kind kind;
	int ret, code;

	options_parse(cmd, options, argc, argv, NULL);
	if (!o.out || !*o.out)
		usage("say where the results go: --out DIR");
	kind = chosen_solver();
	if (o.engine && strcmp(o.engine, "local") && strcmp(o.engine, "slurm"))
		usage("--engine is local or slurm");
	o.where = o.engine && !strcmp(o.engine, "slurm") ? RUN_SLURM : RUN_LOCAL;
	o.b.c.validated = !o.candidates;
	ret = sandbox_probe(&err);
	if (!ret)
		ret = bench_choose(&o.b, &s, &err);
	if (!ret && !s.n)
		ret = kp_fail(&err, KP_ERR, "no case is left to run%s", o.candidates ? "" : "; --candidates takes those that were not validated");
	if (!ret)
		ret = run_one(o.out, kind, false, &s, &n, &err);
	if (!ret && o.baselines)
		ret = run_baselines(&s, &n, &err);
	code = ret ? kp_exit_code(ret) : n.infra ? EXIT_INFRA : EXIT_YES;
	command_end(ret, &err);
	case_set_release(&s);
	bench_choice_release(&o.b);
	return code;
}

int bench_work(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	struct bench_run r;
	const struct bench_case *c;
	int ret, attempt;

	options_parse(cmd, NULL, argc, argv, &operands);
	if (operands.n != 3)
		usage("name a run, a case and an attempt");
	attempt = atoi(operands.v[2]);
	ret = bench_run_open(operands.v[0], true, &r, &err);
	c = ret ? NULL : case_set_find(&r.cases, operands.v[1]);
	if (!ret && (!c || attempt < 1))
		ret = kp_fail(&err, KP_ERR, "no such case or attempt in this run");
	if (!ret)
		ret = bench_work_case(&r, c, attempt, &err);
	bench_run_close(&r);
	strvec_release(&operands);
	return command_end(ret, &err);
}
