// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gates boot to behaviour: one machine a run, fresh or from a saved state
 * with nothing of the driver in it. Runs that say
 * nothing about the driver are repeated apart from the count; a limit that was
 * hit without a sign of a hang is tried once more with twice the time. Once, the
 * driver before is run on its own kernel: what it did there too is not held
 * against the port, what it did there and the port does not is.
 */
#include "base/compat.h"
#include "checks/gate.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#include "checks/machine-bench.h"
#include "checks/machine-judge.h"
#include "checks/machine-known.h"
#include "harness/machine-stats.h"
#include "harness/machine.h"

#define DEFAULT_SECONDS 90
#define INFRA_RETRIES	2
#define FIRMWARE_ROUNDS 3

/* One run. The trace borrows run and the bench's modules. */
struct trial {
	struct machine_run run;
	struct machine_trace trace;
	bool valid;
};

struct gate_run {
	const struct gate_subject *s;
	struct machine_bench now, before;
	struct trial baseline;
	bool baseline_tried, before_is_good; /* it bound without a complaint */
	bool no_standins;
	struct strvec titles; /* known complaints of stock kernels */
	struct strvec stock;  /* what the two kernels show otherwise themselves */
	char *last;	      /* verdicts of the valid run before */
	unsigned runs; /* started so far, for names of logs */
	json_t *records;
};

/* ---- one run -------------------------------------------------------------- */

static double wall_limit(const struct gate_subject *s)
{
	return s->boot_seconds > 0 ? s->boot_seconds : DEFAULT_SECONDS;
}

static int run_machine(const struct machine_bench *b, double wall, const char *log, const char *nonce,
		       struct machine_run *run, struct strbuf *err)
{
	char *initrd = path_join(b->dir, "initrd.cpio"), *until = xstrfmt("kport:%s:end", nonce);
	struct machine_spec spec = { .kernel = b->kernel, .from = b->from, .initrd = initrd, .wall_seconds = wall,
				     .console_path = log, .until = until };
	int ret = machine_bench_write(b, nonce, initrd, err);

	strvec_init(&spec.qemu_args);
	strvec_pushv(&spec.qemu_args, b->devices.qemu_args.v);
	if (ret == 0)
		ret = machine_run(&spec, run, err);
	strvec_release(&spec.qemu_args);
	file_remove(initrd, NULL);
	free(initrd);
	free(until);
	return ret;
}

/* log: relative to the run's directory. */
static int trial_once(const struct gate_run *g, const struct machine_bench *b, double wall, const char *log,
		      struct trial *t, struct strbuf *err)
{
	char nonce[33], *path = path_join(g->s->run_dir, log);
	struct strbuf text = STRBUF_INIT;
	int ret;

	memset(t, 0, sizeof(*t));
	ret = machine_nonce(nonce, err);
	if (ret == 0)
		ret = file_mkdirs_for(path, err);
	if (ret == 0)
		ret = run_machine(b, wall, path, nonce, &t->run, err);
	if (ret == 0)
		ret = file_read(path, 0, &text, err);
	if (ret == 0) {
		machine_trace_read(text.buf, text.len, nonce, &b->modules, &t->run, &t->trace);
		t->valid = true;
	}
	strbuf_release(&text);
	free(path);
	return ret;
}

static void trial_release(struct trial *t)
{
	if (t->valid)
		machine_trace_release(&t->trace);
	machine_run_release(&t->run);
	t->valid = false;
}

/* What goes wrong in a restored guest, and not with the driver, is tried in one that was booted. */
static bool restored_badly(const struct trial *t)
{
	return t->run.from == MACHINE_SNAPSHOT && (t->trace.faults.n || !t->trace.reached);
}

static int trial_afresh(const struct gate_run *g, struct machine_bench *b, double wall, const char *log,
			struct trial *t, struct strbuf *err)
{
	char *because = xstrfmt("the saved machine does not go on: %s",
				t->trace.faults.n ? t->trace.faults.v[0]
						  : machine_end_name(t->run.end));
	int ret;

	machine_stats_add(b->kernel, &t->run, MACHINE_INFRA);
	trial_release(t);
	b->from = MACHINE_FRESH;
	ret = trial_once(g, b, wall, log, t, err);
	if (ret == 0)
		t->run.because = because;
	else
		free(because);
	return ret;
}

/* An emulator that does not have a device is used without. */
static int trial_run(const struct gate_run *g, struct machine_bench *b, double wall, const char *log,
		     struct trial *t, struct strbuf *err)
{
	struct strbuf first = STRBUF_INIT;
	int ret = trial_once(g, b, wall, log, t, &first);

	if (ret == KP_INFRA && b->devices.qemu_args.n) {
		machine_devices_release(&b->devices);
		ret = trial_once(g, b, wall, log, t, err);
	} else if (ret < 0) {
		strbuf_addbuf(err, &first);
	}
	strbuf_release(&first);
	return ret == 0 && restored_badly(t) ? trial_afresh(g, b, wall, log, t, err) : ret;
}

/* One that turns out to ask for files that are there is run again with them; each may ask for more. */
static int trial_with_firmware(const struct gate_run *g, struct machine_bench *b, double wall, const char *log,
			       struct trial *t, struct strbuf *err)
{
	int ret = trial_run(g, b, wall, log, t, err);

	for (int i = 0; ret == 0 && i < FIRMWARE_ROUNDS && machine_bench_add_firmware(b, &t->trace.firmware); i++) {
		trial_release(t);
		ret = trial_run(g, b, wall, log, t, err);
	}
	return ret;
}

/* ---- the driver before ------------------------------------------------------ */

static void try_baseline(struct gate_run *g)
{
	const struct gate_subject *s = g->s;
	struct strbuf dropped = STRBUF_INIT;
	struct machine_judgement j = { 0 };
	int ret;

	if (g->baseline_tried || !s->from || !s->from->image || !s->old_build ||
	    !s->old_build->nmodules)
		return;
	g->baseline_tried = true;
	/* Without it the port is judged alone: that can only be stricter. */
	ret = machine_bench_init(&g->before, s, s->from, s->old_build, &dropped);
	if (g->no_standins)
		strvec_clear(&g->before.devices.standins);
	if (ret == 0 &&
	    (g->before.from = MACHINE_SNAPSHOT) == MACHINE_SNAPSHOT &&
	    trial_with_firmware(g, &g->before, wall_limit(s), "logs/console-before.log", &g->baseline,
				&dropped) == 0) {
		machine_judge(&g->baseline.trace, NULL, &j);
		if (j.again == MACHINE_AGAIN_INFRA)
			trial_release(&g->baseline);
		g->before_is_good = g->baseline.valid && j.gate[GATE_LOAD - GATE_BOOT].verdict == VERDICT_PASS &&
				    g->baseline.trace.bound.n;
		machine_judgement_release(&j);
	}
	strbuf_release(&dropped);
}

static void judge(struct gate_run *g, const struct trial *t, struct machine_judgement *out)
{
	struct machine_known known = { .titles = &g->titles,
				       .emulated = &g->now.devices.modalias,
				       .interfaces = &g->now.devices.interfaces,
				       .firmware = &g->now.firmware,
				       .stock = &g->stock };

	machine_judge(&t->trace, &known, out);
	if (out->again == MACHINE_AGAIN_INFRA)
		return;
	try_baseline(g);
	if (!g->baseline.valid)
		return;
	machine_judgement_release(out);
	known.baseline = &g->baseline.trace;
	known.baseline_kernel = g->s->from->name;
	machine_judge(&t->trace, &known, out);
}

/* ---- several runs ----------------------------------------------------------- */

static void record_run(struct gate_run *g, const struct trial *t, const char *log,
		       const struct machine_judgement *j)
{
	json_t *o = json_object();

	json_set_str(o, "log", log);
	json_set_str(o, "end", machine_end_name(t->run.end));
	json_set_str(o, "accel", machine_accel_name(t->run.accel));
	json_set_str(o, "from", machine_from_name(t->run.from));
	json_set_str(o, "fresh_because", t->run.because);
	json_set_num(o, "seconds", t->run.wall);
	json_set_bool(o, "valid", j->again == MACHINE_ONCE);
	for (size_t i = 0; i < MACHINE_GATES; i++)
		json_set_str(o, gate_name(GATE_BOOT + i), verdict_name(j->gate[i].verdict));
	json_array_append_new(g->records, o);
}

/* A valid run that says something else than the one before is a flake, of the driver or of ours. */
static void count_run(struct gate_run *g, const struct trial *t, const struct machine_judgement *j)
{
	enum machine_outcome outcome = MACHINE_VALID;
	struct strbuf now = STRBUF_INIT;

	if (child_interrupted())
		return;
	if (j->again == MACHINE_AGAIN_INFRA) {
		outcome = MACHINE_INFRA;
	} else if (j->again == MACHINE_AGAIN_SLOW) {
		outcome = MACHINE_SLOW;
	} else {
		for (size_t i = 0; i < MACHINE_GATES; i++)
			strbuf_addf(&now, "%s ", verdict_name(j->gate[i].verdict));
		if (g->last && strcmp(g->last, now.buf))
			outcome = MACHINE_DISAGREES;
		free(g->last);
		g->last = strbuf_detach(&now, NULL);
	}
	machine_stats_add(g->now.kernel, t->valid ? &t->run : NULL, outcome);
	strbuf_release(&now);
}

/* One run and its judgement; a machine that could not be had is INFRA. */
static void run_once(struct gate_run *g, double wall, struct machine_judgement *j)
{
	struct strbuf err = STRBUF_INIT;
	struct trial t;
	char *log = xstrfmt("logs/console-%u.log", ++g->runs);
	double seconds;

	if (trial_with_firmware(g, &g->now, wall, log, &t, &err) < 0) {
		machine_judge_none(j, VERDICT_INFRA, err.buf);
		j->again = MACHINE_AGAIN_INFRA;
	} else {
		judge(g, &t, j);
		record_run(g, &t, log, j);
	}
	count_run(g, &t, j);
	seconds = t.run.wall;
	for (size_t i = 0; i < MACHINE_GATES; i++) {
		j->gate[i].log = file_exists(g->s->run_dir) && t.valid ? xstrdup(log) : NULL;
		j->gate[i].seconds = seconds;
	}
	trial_release(&t);
	strbuf_release(&err);
	free(log);
}

/* Does the kernel come up with nothing of the driver in it? */
static bool kernel_boots_alone(struct gate_run *g)
{
	struct strbuf dropped = STRBUF_INIT;
	bool reached = false;

	if (machine_kernel_boots(g->now.kernel, wall_limit(g->s), g->now.dir, &reached,
				 &dropped) < 0)
		reached = false;
	strbuf_release(&dropped);
	return reached;
}

/* A valid run, or the last infrastructure fault. */
static void valid_run(struct gate_run *g, struct machine_judgement *j)
{
	double wall = wall_limit(g->s);

	run_once(g, wall, j);
	for (int i = 0; i < INFRA_RETRIES && j->again == MACHINE_AGAIN_INFRA; i++) {
		if (child_interrupted() || (i == 0 && !kernel_boots_alone(g)))
			break;
		machine_judgement_release(j);
		run_once(g, wall, j);
	}
	if (j->again == MACHINE_AGAIN_SLOW && !child_interrupted()) {
		machine_judgement_release(j);
		run_once(g, wall * 2, j);
	}
}

/*
 * A stand-in that is not what the driver expects (no data of a board, no endpoint that it knows) proves nothing against it: what goes
 * wrong with one, and cannot be compared with the driver before that did well with it, is tried again without.
 */
static bool blames_standin(const struct gate_run *g, const struct machine_judgement *j)
{
	const struct strvec *s = &g->now.devices.standins;
	bool bare = s->n && (starts_with(s->v[0], "platform") || starts_with(s->v[0], "usb"));
	bool failed = false;

	for (size_t i = 0; i < MACHINE_GATES; i++)
		failed |= j->gate[i].verdict == VERDICT_FAIL || j->gate[i].verdict == VERDICT_UNKNOWN;
	return bare && failed && !g->before_is_good;
}

static void without_standin(struct gate_run *g, struct machine_judgement *j)
{
	char *words = xstrdup(g->now.devices.standins.v[0]);
	struct strbuf why = STRBUF_INIT;

	for (size_t i = 0; i < MACHINE_GATES && !why.len; i++)
		if (j->gate[i].verdict == VERDICT_FAIL || j->gate[i].verdict == VERDICT_UNKNOWN)
			strbuf_addbuf(&why, &j->gate[i].reason);
	strvec_clear(&g->now.devices.standins);
	trial_release(&g->baseline);
	machine_bench_release(&g->before);
	g->baseline_tried = false;
	g->no_standins = true;
	machine_judgement_release(j);
	valid_run(g, j);
	strbuf_addf(&j->gate[GATE_PROBE - GATE_BOOT].reason, "; a stand-in (%s) is nothing that it stands: %s", words,
		    why.buf);
	strbuf_release(&why);
	free(words);
}

static bool has_failure(const struct machine_judgement *j)
{
	for (size_t i = 0; i < MACHINE_GATES; i++)
		if (j->gate[i].verdict == VERDICT_FAIL || j->gate[i].verdict == VERDICT_INFRA)
			return true;
	return false;
}

/* The first run that does not pass is the answer; else the last one. */
static void all_runs(struct gate_run *g, struct machine_judgement *j)
{
	unsigned wanted = g->s->boot_runs ? g->s->boot_runs : 1;

	for (unsigned i = 0; i < wanted; i++) {
		machine_judgement_release(j);
		valid_run(g, j);
		if (blames_standin(g, j) && !child_interrupted())
			without_standin(g, j);
		if (has_failure(j))
			break;
	}
	if (!j->gate[0].data)
		j->gate[0].data = json_object();
	json_object_set(j->gate[0].data, "runs", g->records);
	json_set_int(j->gate[0].data, "runs_wanted", wanted);
	json_set_bool(j->gate[0].data, "baseline", g->baseline.valid);
}

/* ---- the gate --------------------------------------------------------------- */

static void give(struct machine_judgement *j, struct gate_ladder *l)
{
	for (size_t i = 0; i < MACHINE_GATES; i++) {
		struct gate_report *r = &l->gate[GATE_BOOT + i];

		strbuf_release(&r->reason);
		finding_list_release(&r->findings);
		free(r->log);
		json_decref(r->data);
		*r = j->gate[i];
	}
	memset(j, 0, sizeof(*j));
}

static bool can_run(const struct gate_subject *s, struct machine_judgement *j)
{
	struct strbuf reason = STRBUF_INIT, what = STRBUF_INIT;
	enum verdict v = VERDICT_NONE;

	if (!s->new_build || !s->new_build->nmodules) {
		v = VERDICT_SKIP;
		strbuf_addstr(&reason, "there is no module to load");
	} else if (!s->to->image) {
		v = VERDICT_INFRA;
		char *advice = kernel_image_advice(s->to);

		strbuf_addf(&reason, "kernel '%s' has no image to boot; try %s", s->to->name, advice);
		free(advice);
	} else if (s->boot_from == MACHINE_FRESH && machine_probe(&what, &reason) < 0) {
		v = VERDICT_INFRA;
	}
	if (v != VERDICT_NONE)
		machine_judge_none(j, v, reason.buf);
	strbuf_release(&reason);
	strbuf_release(&what);
	return v == VERDICT_NONE;
}

void gate_machine(const struct gate_subject *s, struct gate_ladder *l)
{
	struct gate_run g = { .s = s, .titles = STRVEC_INIT, .stock = STRVEC_INIT, .records = json_array() };
	struct machine_judgement j = { 0 };
	struct strbuf err = STRBUF_INIT;
	int ret;

	machine_judge_none(&j, VERDICT_INFRA, "");
	if (can_run(s, &j)) {
		ret = machine_known_titles(s->to, s->new_build, &g.titles, &err);
		if (ret == 0 && s->from)
			ret = machine_known_stock(s->from, s->to, &g.stock, &err);
		if (ret == 0)
			ret = machine_bench_init(&g.now, s, s->to, s->new_build, &err);
		if (ret == 0)
			all_runs(&g, &j);
		else
			machine_judge_none(&j, VERDICT_INFRA, err.buf);
	}
	give(&j, l);
	free(g.last);
	trial_release(&g.baseline);
	machine_bench_release(&g.now);
	machine_bench_release(&g.before);
	strvec_release(&g.titles);
	strvec_release(&g.stock);
	json_decref(g.records);
	strbuf_release(&err);
}
