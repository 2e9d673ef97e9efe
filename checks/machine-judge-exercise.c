// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gate exercise: what the guest did with the interfaces that appeared. A fault that the kernel tells, a hang and
 * what worked with the driver before are the port's; what does not work and has nothing to be compared with
 * is UNKNOWN: somebody has to look. Drivers whose device shows nothing to use are SKIP.
 */
#include "base/compat.h"
#include "checks/machine-judge-internal.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/jsonutil.h"

static bool is_generic(const char *kind)
{
	return !strcmp(kind, "node") || !strcmp(kind, "attributes");
}

/* Letting go, binding and sleeping are about the driver, not about an interface of it. */
static bool is_step(const char *kind)
{
	return !strcmp(kind, "unbind") || !strcmp(kind, "bind") || !strcmp(kind, "suspend");
}

static bool same_without_numbers(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			a += strspn(a, "0123456789");
			b += strspn(b, "0123456789");
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return !*a && !*b;
}

static const struct trace_exercise *same_target(const struct machine_trace *t, const struct trace_exercise *e)
{
	for (size_t i = 0; t && i < t->nexercises; i++) {
		const struct trace_exercise *x = &t->exercises[i];

		if (!strcmp(x->stage, e->stage) && !strcmp(x->kind, e->kind) && !strcmp(x->target, e->target))
			return x;
	}
	return NULL;
}

/* Did the driver before do the same in its machine? By name, else by what kinds did there. */
static bool as_before(const struct judge *g, const struct trace_exercise *e)
{
	const struct machine_trace *b = judge_baseline(g);
	const struct trace_exercise *x = same_target(b, e);

	if (x)
		return x->result == e->result;
	return b && machine_trace_exercise(b, e->stage, e->kind, e->result) &&
	       !machine_trace_exercise(b, e->stage, e->kind, TRACE_USED);
}

/* Review, when nothing is there to compare with: it may be the device that cannot do more. */
static void doubt(struct judge *g, struct gate_report *r, const char *rule, const char *text)
{
	bool fails = judge_baseline(g) != NULL;

	if (fails)
		report_worsen(r, VERDICT_FAIL);
	else if (r->verdict != VERDICT_FAIL && r->verdict != VERDICT_INFRA)
		r->verdict = VERDICT_UNKNOWN;
	if (r->findings.n < 4)
		report_say(r, "%s", text);
	report_finding(r, rule, NULL, text);
}

/* ---- single uses -------------------------------------------------------------- */

static void describe(const struct trace_exercise *e, struct strbuf *out)
{
	if (is_step(e->kind))
		strbuf_addf(out, "%s '%s'", e->kind, e->target);
	else
		strbuf_addf(out, "%s '%s'%s%s", e->kind, e->target, strcmp(e->stage, "first") ? " after " : "",
			    !strcmp(e->stage, "rebind")	  ? "binding again"
			    : !strcmp(e->stage, "resume") ? "sleep"
							  : "");
	if (e->text && *e->text)
		strbuf_addf(out, ": %s", e->text);
}

static void judge_hang(struct judge *g, struct gate_report *r, const struct trace_exercise *e)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s '%s' %s", e->kind, e->target,
		    e->result == TRACE_DIED ? "was killed by the kernel" : "hangs");
	for (size_t i = 0; e->result == TRACE_HANGS && i < g->t->stack.n && i < 4; i++)
		strbuf_addf(&text, "%s%s", i ? " < " : ": ", g->t->stack.v[i]);
	if (e->result == TRACE_HANGS && !e->waits && !judge_has_hang(g->t))
		g->j->again = MACHINE_AGAIN_SLOW;
	report_worsen(r, VERDICT_FAIL);
	report_say(r, "%s", text.buf);
	report_finding(r, e->result == TRACE_DIED ? "killed" : "hang", NULL, text.buf);
	strbuf_release(&text);
}

static void judge_one(struct judge *g, struct gate_report *r, const struct trace_exercise *e)
{
	struct strbuf text = STRBUF_INIT;

	if (e->result == TRACE_FAILED)
		describe(e, &text);
	if ((e->result == TRACE_FAILED || e->result == TRACE_HANGS || e->result == TRACE_DIED) && as_before(g, e)) {
		if (e->result != TRACE_FAILED)
			describe(e, &text);
		report_say(r, "as before on %s: %s", g->known->baseline_kernel, text.buf);
	} else if (e->result == TRACE_FAILED) {
		doubt(g, r, is_step(e->kind) ? "step" : e->kind, text.buf);
	} else if (e->result == TRACE_HANGS || e->result == TRACE_DIED) {
		judge_hang(g, r, e);
	}
	strbuf_release(&text);
}

/* ---- what should be there ------------------------------------------------------- */

static bool tried(const struct machine_trace *t, const char *stage, const char *kind)
{
	for (size_t i = 0; i < t->nexercises; i++)
		if (!strcmp(t->exercises[i].stage, stage) && !strcmp(t->exercises[i].kind, kind) &&
		    t->exercises[i].result != TRACE_SKIPPED)
			return true;
	return false;
}

/* What worked before is to be there again. */
static void judge_missing(struct judge *g, struct gate_report *r)
{
	const struct machine_trace *b = judge_baseline(g);

	for (size_t i = 0; b && i < b->nexercises; i++) {
		const struct trace_exercise *e = &b->exercises[i];
		struct strbuf text = STRBUF_INIT;

		if (e->result == TRACE_USED && !is_step(e->kind) && !is_generic(e->kind) &&
		    !strcmp(e->stage, "first") && !tried(g->t, e->stage, e->kind) &&
		    machine_trace_exercise(b, e->stage, e->kind, TRACE_USED) == e) {
			strbuf_addf(&text, "%s '%s' worked on %s and is not there", e->kind, e->target,
				    g->known->baseline_kernel);
			doubt(g, r, "missing", text.buf);
		}
		strbuf_release(&text);
	}
}

/* What stock drivers give for the device that was put in: only asked when no driver before tells. */
static void judge_expected(struct judge *g, struct gate_report *r)
{
	const struct strvec *want = g->known ? g->known->interfaces : NULL;

	for (size_t i = 0; want && !judge_baseline(g) && g->t->bound.n && i < want->n; i++) {
		struct strbuf text = STRBUF_INIT;

		if (!machine_trace_exercise(g->t, "first", want->v[i], TRACE_USED) &&
		    !machine_trace_exercise(g->t, "first", want->v[i], TRACE_FAILED)) {
			strbuf_addf(&text, "bound, but no %s that can be used appears, as it does with "
				    "stock drivers of the device", want->v[i]);
			doubt(g, r, "missing", text.buf);
		}
		strbuf_release(&text);
	}
}

static bool gone_before(const struct judge *g, const char *item)
{
	const struct machine_trace *b = judge_baseline(g);

	for (size_t i = 0; b && i < b->gone.n; i++)
		if (same_without_numbers(b->gone.v[i], item))
			return true;
	return false;
}

void judge_gone(struct judge *g, struct gate_report *r, const char *stage)
{
	for (size_t i = 0; i < g->t->gone.n; i++) {
		struct strbuf text = STRBUF_INIT;
		const char *item;

		if (!skip_prefix(g->t->gone.v[i], stage, &item) || *item != ' ' ||
		    gone_before(g, g->t->gone.v[i]))
			continue;
		strbuf_addf(&text, "not there again after %s: %s",
			    !strcmp(stage, "reload")   ? "loading a second time"
			    : !strcmp(stage, "rebind") ? "binding again"
						       : "sleep",
			    item + 1);
		doubt(g, r, "gone", text.buf);
		strbuf_release(&text);
	}
}

/* ---- the verdict ---------------------------------------------------------------- */

/* "net eth0: up, ...", the first of each kind; "3 nodes opened". */
static size_t say_used(const struct judge *g, struct gate_report *r)
{
	size_t used = 0, generic = 0;

	for (size_t i = 0; i < g->t->nexercises; i++) {
		const struct trace_exercise *e = &g->t->exercises[i];

		if (e->result != TRACE_USED || strcmp(e->stage, "first") || is_step(e->kind))
			continue;
		if (is_generic(e->kind))
			generic++;
		else if (used++ < 3)
			report_say(r, "%s '%s': %s", e->kind, e->target, e->text);
	}
	if (!used && generic)
		report_say(r, "%zu nodes or devices opened or read, no more is known about them", generic);
	return used + generic;
}

static void say_steps(const struct judge *g, struct gate_report *r)
{
	const struct trace_exercise *s = machine_trace_exercise(g->t, "resume", "suspend", TRACE_SKIPPED);

	if (machine_trace_exercise(g->t, "rebind", "bind", TRACE_USED))
		report_say(r, "unbound and bound again");
	if (machine_trace_exercise(g->t, "resume", "suspend", TRACE_USED))
		report_say(r, "slept and woke");
	else if (s)
		report_say(r, "no sleep: %s", s->text);
}

static void add_results(struct judge *g, struct gate_report *r)
{
	static const char *const names[] = { "ok", "fail", "skip", "hang", "killed", "unfinished" };
	json_t *data = report_data(r), *a = json_array();

	for (size_t i = 0; i < g->t->nexercises; i++) {
		const struct trace_exercise *e = &g->t->exercises[i];
		json_t *o = json_object();

		json_set_str(o, "stage", e->stage);
		json_set_str(o, "kind", e->kind);
		json_set_str(o, "target", e->target);
		json_set_str(o, "result", names[e->result]);
		json_set_str(o, "text", e->text);
		json_array_append_new(a, o);
	}
	json_object_set_new(data, "results", a);
	json_object_set_new(data, "gone", report_json_list(&g->t->gone));
	if (g->known && g->known->interfaces && g->known->interfaces->n)
		json_object_set_new(data, "expected", report_json_list(g->known->interfaces));
}

void judge_exercise(struct judge *g, size_t loaded)
{
	struct gate_report *r = &g->j->gate[EXERCISE];
	size_t used;

	for (size_t i = 0; i < g->t->nexercises; i++)
		judge_one(g, r, &g->t->exercises[i]);
	judge_gone(g, r, "rebind");
	judge_gone(g, r, "resume");
	judge_taint(g, PHASE_EXERCISE, r);
	if (loaded && g->j->gate[LOAD].verdict == VERDICT_PASS) {
		judge_missing(g, r);
		judge_expected(g, r);
	}
	used = say_used(g, r);
	if (r->verdict == VERDICT_NONE && used)
		r->verdict = VERDICT_PASS;
	if (r->verdict == VERDICT_NONE) {
		r->verdict = VERDICT_SKIP;
		report_say(r, "not testable here: %s", !loaded	       ? "nothing was loaded"
						      : g->t->bound.n ? "no interface appeared that could be used"
								      : "nothing appeared");
	}
	say_steps(g, r);
	add_results(g, r);
}
