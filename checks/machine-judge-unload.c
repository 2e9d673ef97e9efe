// SPDX-License-Identifier: GPL-2.0-only
/* Gate unload: gone, with all that had appeared, and the same a second time. */
#include "base/compat.h"
#include "checks/machine-judge-internal.h"

static bool left_before(const struct judge *g, const char *item)
{
	return g->known && g->known->baseline && strvec_contains(&g->known->baseline->left, item);
}

static void judge_leftovers(struct judge *g)
{
	struct gate_report *r = &g->j->gate[UNLOAD];
	size_t shown = 0;

	for (size_t i = 0; i < g->t->left.n; i++) {
		struct strbuf text = STRBUF_INIT;

		if (left_before(g, g->t->left.v[i]))
			continue;
		report_worsen(r, VERDICT_FAIL);
		strbuf_addf(&text, "still there after unloading: %s", g->t->left.v[i]);
		if (shown++ < 3)
			report_say(r, "%s", text.buf);
		report_finding(r, "left", NULL, text.buf);
		strbuf_release(&text);
	}
	for (size_t i = 0; i < g->t->refs.n; i++) {
		if (g->known && g->known->baseline && g->known->baseline->refs.n)
			continue;
		report_worsen(r, VERDICT_FAIL);
		report_say(r, "users of a dependency differ (module, before, after): %s",
		    g->t->refs.v[i]);
		report_finding(r, "reference", NULL, g->t->refs.v[i]);
	}
}

static bool could_unload_before(const struct judge *g, const struct trace_module *m)
{
	const struct trace_module *b =
		g->known ? judge_find_module(g->known->baseline, m->item->info.name) : NULL;

	return b && b->unload == TRACE_DONE && b->unload_errno == 0;
}

static void judge_unload_done(struct judge *g, const struct trace_module *m)
{
	struct gate_report *r = &g->j->gate[UNLOAD];
	struct strbuf text = STRBUF_INIT;

	if (m->unload_errno == 0) {
		report_worsen(r, VERDICT_PASS);
		return;
	}
	strbuf_addf(&text, "'%s' does not unload: -%s", m->item->info.name,
		    m->unload_errno == EAGAIN ? "EWOULDBLOCK (in use)"
					      : judge_errno(m->unload_errno));
	report_worsen(r, VERDICT_FAIL);
	report_say(r, "%s", text.buf);
	report_finding(r, "unload", NULL, text.buf);
	strbuf_release(&text);
}

static void judge_permanent(struct judge *g, const struct trace_module *m)
{
	struct gate_report *r = &g->j->gate[UNLOAD];

	report_say(r, "'%s' has no exit function", m->item->info.name);
	if (could_unload_before(g, m)) {
		report_worsen(r, VERDICT_FAIL);
		report_say(r, "it had one on %s", g->known->baseline_kernel);
		report_finding(r, "unload", NULL, "the driver can no longer be unloaded");
	}
}

static bool hangs_in_use(const struct machine_trace *t)
{
	for (size_t i = 0; i < t->nexercises; i++)
		if (t->exercises[i].result == TRACE_HANGS || t->exercises[i].result == TRACE_DIED)
			return true;
	return false;
}

/* The second time, judged when the first one was in order. */
static void judge_reload(struct judge *g, const struct trace_module *m)
{
	struct gate_report *r = &g->j->gate[UNLOAD];
	const char *name = m->item->info.name;
	const struct { enum trace_step step; int number; const char *what; } steps[] = {
		{ m->reload, m->reload_errno, "loading" }, { m->reunload, m->reunload_errno, "unloading" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct strbuf text = STRBUF_INIT;

		if (steps[i].step == TRACE_TIMEOUT || steps[i].step == TRACE_KILLED)
			strbuf_addf(&text, "%s '%s' a second time %s", steps[i].what, name,
				    steps[i].step == TRACE_KILLED ? "was killed by the kernel" : "hangs");
		else if (steps[i].step == TRACE_DONE && steps[i].number)
			strbuf_addf(&text, "%s '%s' a second time fails: -%s", steps[i].what, name,
				    judge_errno(steps[i].number));
		if (text.len) {
			report_worsen(r, VERDICT_FAIL);
			report_say(r, "%s", text.buf);
			report_finding(r, "reload", NULL, text.buf);
		}
		strbuf_release(&text);
	}
}

static bool loaded_again(const struct machine_trace *t)
{
	for (size_t i = 0; i < t->nmodules; i++)
		if (t->modules[i].reunload == TRACE_DONE)
			return true;
	return false;
}

void judge_unload(struct judge *g, size_t loaded)
{
	struct gate_report *r = &g->j->gate[UNLOAD];
	bool complete = true;

	for (size_t i = 0; i < g->t->nmodules; i++) {
		const struct trace_module *m = &g->t->modules[i];

		if (m->permanent)
			judge_permanent(g, m);
		else if (m->unload == TRACE_DONE)
			judge_unload_done(g, m);
		else if (m->unload == TRACE_TIMEOUT || m->unload == TRACE_KILLED)
			judge_stuck(g, r, m, true);
		if (m->load_errno == 0 && m->unload_errno == 0)
			judge_reload(g, m);
		complete &= !m->permanent && m->unload != TRACE_TIMEOUT &&
			    (m->unload != TRACE_DONE || m->unload_errno == 0);
	}
	judge_taint(g, PHASE_UNLOAD, r);
	/* After a step that hangs, nothing more is tried. */
	if (g->j->gate[LOAD].verdict != VERDICT_FAIL && !hangs_in_use(g->t))
		judge_gaps(g, r, true);
	/* What a module that is still there keeps is no leftover. */
	if (complete && g->t->ended)
		judge_leftovers(g);
	judge_gone(g, r, "reload");
	if (r->verdict == VERDICT_NONE) {
		r->verdict = VERDICT_SKIP;
		if (!r->reason.len)
			report_say(r, loaded ? "not reached" : "nothing was loaded");
	}
	if (r->verdict == VERDICT_PASS && !r->reason.len)
		report_say(r, "everything that appeared is gone%s", loaded_again(g->t) ? "; loaded and unloaded again" : "");
}
