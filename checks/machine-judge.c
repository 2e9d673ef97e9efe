// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "checks/machine-judge-internal.h"

#include "base/alloc.h"
#include "base/jsonutil.h"

/*
 * Bits of /proc/sys/kernel/tainted that mean that something broke (kernel/panic.c):
 * machine check, bad page, oops, warning, soft lockup. Out-of-tree, unsigned, staging
 * and proprietary modules set others, which are no faults.
 */
#define TAINT_MCE	 (1L << 4)
#define TAINT_BAD_PAGE	 (1L << 5)
#define TAINT_DIE	 (1L << 7)
#define TAINT_WARN	 (1L << 9)
#define TAINT_SOFTLOCKUP (1L << 14)
#define TAINT_BROKEN	 (TAINT_MCE | TAINT_BAD_PAGE | TAINT_DIE | TAINT_WARN | TAINT_SOFTLOCKUP)

#define MAX_FINDINGS 50

void report_say(struct gate_report *r, const char *fmt, ...)
{
	va_list ap;

	if (r->reason.len)
		strbuf_addstr(&r->reason, "; ");
	va_start(ap, fmt);
	strbuf_vaddf(&r->reason, fmt, ap);
	va_end(ap);
}

void report_worsen(struct gate_report *r, enum verdict v)
{
	if (r->verdict == VERDICT_FAIL)
		return;
	if (v == VERDICT_FAIL || v == VERDICT_INFRA || r->verdict == VERDICT_NONE)
		r->verdict = v;
}

const char *judge_errno(int code)
{
	const char *name = strerrorname_np(code);

	return name ? name : "unknown error";
}

void report_finding(struct gate_report *r, const char *rule, const char *function,
			const char *text)
{
	struct finding *f;

	if (r->findings.n >= MAX_FINDINGS)
		return;
	f = finding_add(&r->findings);
	f->tool = xstrdup("console");
	f->rule = xstrdup(rule);
	f->function = xstrdup(function);
	f->text = xstrdup(text);
}

json_t *report_json_list(const struct strvec *v)
{
	json_t *a = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(a, json_str(v->v[i]));
	return a;
}

json_t *report_data(struct gate_report *r)
{
	if (!r->data)
		r->data = json_object();
	return r->data;
}

/* ---- complaints ----------------------------------------------------------- */

static bool trace_has_title(const struct machine_trace *t, const char *title)
{
	for (size_t i = 0; t && i < t->log.n; i++)
		if (console_event_is_complaint(&t->log.ev[i]) &&
		    !strcmp(t->log.ev[i].title, title))
			return true;
	return false;
}

static bool is_known(const struct judge *g, const char *title)
{
	if (!g->known)
		return false;
	return trace_has_title(g->known->baseline, title) ||
	       (g->known->titles && strvec_contains(g->known->titles, title));
}

static bool told_already(const struct gate_report *r, const char *text)
{
	for (size_t i = 0; i < r->findings.n; i++)
		if (!strcmp(r->findings.f[i].text, text))
			return true;
	return false;
}

static int gate_of(enum trace_phase phase)
{
	return phase == PHASE_UNLOAD ? UNLOAD : phase == PHASE_EXERCISE ? EXERCISE : LOAD;
}

static void judge_complaint(struct judge *g, const struct console_event *ev)
{
	enum trace_phase phase = machine_trace_phase_of(g->t, ev->line);
	struct gate_report *r;

	if (phase < PHASE_LOAD)
		return;
	r = &g->j->gate[gate_of(phase)];
	/* "Fatal exception": every oops ends in a panic, because we ask for it. */
	if (ev->kind == CONSOLE_PANIC && r->findings.n && strstr(ev->title, "Fatal exception"))
		return;
	if (is_known(g, ev->title)) {
		if (!g->excused[phase])
			report_say(r, "known before: %s", ev->title);
		g->excused[phase] = true;
		return;
	}
	if (told_already(r, ev->title))
		return;
	report_worsen(r, VERDICT_FAIL);
	if (r->findings.n < 3)
		report_say(r, "%s", ev->title);
	report_finding(r, console_event_name(ev->kind), ev->function, ev->title);
}

void judge_taint(struct judge *g, enum trace_phase phase, struct gate_report *r)
{
	long before = g->t->taint[phase - 1], after = g->t->taint[phase], bits;

	if (before < 0 && phase == PHASE_UNLOAD)
		before = g->t->taint[PHASE_LOAD];
	if (before < 0 || after < 0)
		return;
	bits = after & ~before & TAINT_BROKEN;
	/* A report of the slab allocator marks as a bad page does. */
	if (g->excused[phase])
		bits &= ~(TAINT_WARN | TAINT_BAD_PAGE);
	if (bits && !r->findings.n) {
		report_worsen(r, VERDICT_FAIL);
		report_say(r, "the kernel marked itself as broken (taint %ld, %ld before)", after, before);
		report_finding(r, "taint", NULL, "the kernel marked itself as broken");
	}
}

/* ---- the end of the machine ------------------------------------------------ */

static const struct trace_module *pending(const struct machine_trace *t, bool unload)
{
	for (size_t i = 0; i < t->nmodules; i++)
		if ((unload ? t->modules[i].unload : t->modules[i].load) == TRACE_BEGUN)
			return &t->modules[i];
	return NULL;
}

bool judge_has_hang(const struct machine_trace *t)
{
	for (size_t i = 0; i < t->log.n; i++)
		if (t->log.ev[i].kind == CONSOLE_HANG)
			return true;
	return false;
}

static void judge_timeout(struct judge *g, struct gate_report *r, const char *doing)
{
	report_worsen(r, VERDICT_FAIL);
	report_say(r, "no end within %.0f s, %s", g->t->run->wall, doing);
	report_finding(r, "hang", NULL, "the machine did not come to its end");
	if (!judge_has_hang(g->t))
		g->j->again = MACHINE_AGAIN_SLOW;
}

/* Would the guest have told by itself that the driver hangs, had the limit not come first? */
static bool limit_too_short(const struct judge *g)
{
	double wait = g->t->phase == PHASE_EXERCISE ? MACHINE_USE_SECONDS : MACHINE_STEP_SECONDS;

	return !g->t->ended && g->t->run->end == MACHINE_TIMEOUT && !judge_has_hang(g->t) &&
	       g->t->run->quiet <= wait + 1;
}

/* What was being done when the log ends. */
static void describe_doing(const struct judge *g, struct strbuf *out)
{
	bool unload = g->t->phase == PHASE_UNLOAD;
	const struct trace_module *m = pending(g->t, unload);

	for (size_t i = 0; g->t->phase == PHASE_EXERCISE && i < g->t->nexercises; i++) {
		const struct trace_exercise *e = &g->t->exercises[i];

		if (e->result == TRACE_UNDER_WAY) {
			strbuf_addf(out, "using %s '%s'", e->kind, e->target);
			return;
		}
	}
	if (g->t->phase == PHASE_EXERCISE)
		strbuf_addstr(out, "using it");
	else if (m)
		strbuf_addf(out, "%s '%s'", unload ? "unloading" : "loading", m->item->info.name);
	else
		strbuf_addf(out, "after %s", unload ? "unloading" : "loading");
}

/* Our init did not say "end": somebody else ended the machine. */
static void judge_early_end(struct judge *g)
{
	struct gate_report *r = &g->j->gate[gate_of(g->t->phase)];
	struct strbuf doing = STRBUF_INIT;

	describe_doing(g, &doing);
	switch (g->t->run->end) {
	case MACHINE_TIMEOUT:
		judge_timeout(g, r, doing.buf);
		break;
	case MACHINE_CRASHED:
		report_worsen(r, VERDICT_INFRA);
		report_say(r, "%s, %s", g->t->run->detail ? g->t->run->detail : "the emulator failed",
		    doing.buf);
		g->j->again = MACHINE_AGAIN_INFRA;
		break;
	case MACHINE_OUTPUT_CAP:
		report_worsen(r, VERDICT_FAIL);
		report_say(r, "floods the console, %s", doing.buf);
		report_finding(r, "flood", NULL, "floods the console");
		break;
	default:
		report_worsen(r, VERDICT_FAIL);
		report_say(r, "the machine %s%s%s%s, %s",
		    g->t->run->end == MACHINE_PANIC ? "panicked" : "ended by itself",
		    g->t->run->detail ? " (" : "", g->t->run->detail ? g->t->run->detail : "",
		    g->t->run->detail ? ")" : "", doing.buf);
		if (!r->findings.n)
			report_finding(r, "reset", NULL, "the machine ended by itself");
	}
	strbuf_release(&doing);
}

/* ---- load ----------------------------------------------------------------- */

const struct trace_module *judge_find_module(const struct machine_trace *t, const char *name)
{
	for (size_t i = 0; t && i < t->nmodules; i++)
		if (!strcmp(t->modules[i].item->info.name, name))
			return &t->modules[i];
	return NULL;
}

/* Did the driver before, on its own kernel, answer the same to the loader? */
static bool same_before(const struct judge *g, const struct trace_module *m)
{
	const struct trace_module *b =
		g->known ? judge_find_module(g->known->baseline, m->item->info.name) : NULL;

	return b && b->load == TRACE_DONE && b->load_errno == m->load_errno;
}

/* It could be loaded there: what refuses it here is not the lack of hardware. */
static bool loaded_before(const struct judge *g, const struct trace_module *m)
{
	const struct trace_module *b =
		g->known ? judge_find_module(g->known->baseline, m->item->info.name) : NULL;

	return b && b->load == TRACE_DONE && b->load_errno == 0;
}

/* Does a module of this driver that m depends on lack its hardware? */
static bool waits_for_hardware(const struct machine_trace *t, const struct trace_module *m)
{
	const struct strvec *deps = &m->item->info.depends;

	for (size_t i = 0; i < deps->n; i++) {
		const struct trace_module *d = judge_find_module(t, deps->v[i]);

		if (d && d->load == TRACE_DONE && d->load_errno)
			return d->load_errno == ENODEV || waits_for_hardware(t, d);
	}
	return false;
}

static void fail_load(struct judge *g, const struct trace_module *m)
{
	struct gate_report *r = &g->j->gate[LOAD];
	const char *name = m->item->info.name, *said = machine_trace_error(g->t, name);
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "'%s' does not load: init returned -%s", name,
		    judge_errno(m->load_errno));
	if (said) {
		strbuf_setlen(&text, 0);
		strbuf_addf(&text, "'%s' does not load: %s", name, said + strlen(name) + 2);
	}
	report_worsen(r, VERDICT_FAIL);
	report_say(r, "%s", text.buf);
	report_finding(r, "load", NULL, text.buf);
	strbuf_release(&text);
}

/* What it asked for in vain, and who can help. */
static void say_firmware(const struct judge *g, struct gate_report *r)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < g->t->firmware.n && i < 4; i++)
		strbuf_addf(&names, "%s'%s'", i ? ", " : "", g->t->firmware.v[i]);
	if (g->t->firmware.n)
		report_say(r, "asks for firmware that was not given: %s%s; give it with --firmware", names.buf,
			   g->t->firmware.n > 4 ? " and others" : "");
	strbuf_release(&names);
}

static void judge_load_done(struct judge *g, const struct trace_module *m, size_t *loaded)
{
	struct gate_report *r = &g->j->gate[LOAD];
	const char *name = m->item->info.name, *dep = NULL;
	int why = m->load_errno ? machine_trace_refused(g->t, m->item, &dep) : 0;

	if (m->load_errno == 0) {
		(*loaded)++;
		report_worsen(r, VERDICT_PASS);
	} else if (why == ENODEV) {
		report_say(r, "no device for '%s' here: '%s', which it needs, finds none", name, dep);
	} else if (why) {
		report_worsen(r, VERDICT_INFRA);
		report_say(r, "'%s', which '%s' needs, does not load here (-%s)", dep, name,
		    judge_errno(why));
	} else if (loaded_before(g, m)) {
		fail_load(g, m);
		report_say(r, "it loads on %s", g->known->baseline_kernel);
	} else if (m->load_errno == ENODEV || waits_for_hardware(g->t, m)) {
		report_say(r, "no device for '%s' here: init returned -%s", name,
		    judge_errno(m->load_errno));
	} else if (same_before(g, m)) {
		report_say(r, "'%s' is refused with -%s as before on %s", name, judge_errno(m->load_errno),
		    g->known->baseline_kernel);
	} else if (m->load_errno == EEXIST && !machine_trace_error(g->t, name)) {
		report_say(r, "'%s' is built into this kernel", name);
	} else if (g->t->firmware.n && !machine_trace_error(g->t, name)) {
		report_say(r, "'%s' is refused with -%s", name, judge_errno(m->load_errno));
		say_firmware(g, r);
	} else if (g->t->faults.n) {
		report_worsen(r, VERDICT_INFRA);
		report_say(r, "%s", g->t->faults.v[0]);
	} else {
		fail_load(g, m);
	}
}

void judge_stuck(struct judge *g, struct gate_report *r, const struct trace_module *m, bool unload)
{
	enum trace_step step = unload ? m->unload : m->load;
	const char *name = m->item->info.name, *what = unload ? "unloading" : "loading";
	struct strbuf text = STRBUF_INIT;

	if (step == TRACE_KILLED) {
		strbuf_addf(&text, "%s '%s' was killed by the kernel", what, name);
	} else {
		strbuf_addf(&text, "%s '%s' hangs", what, name);
		for (size_t i = 0; i < g->t->stack.n && i < 4; i++)
			strbuf_addf(&text, "%s%s", i ? " < " : ": ", g->t->stack.v[i]);
		if (!m->waits && !judge_has_hang(g->t))
			g->j->again = MACHINE_AGAIN_SLOW;
	}
	report_worsen(r, VERDICT_FAIL);
	report_say(r, "%s", text.buf);
	report_finding(r, step == TRACE_KILLED ? "killed" : "hang", NULL, text.buf);
	strbuf_release(&text);
}

/*
 * Our init came to its end, yet the console lacks what it says about a step: part
 * of the log is lost, and nothing may be concluded.
 */
void judge_gaps(struct judge *g, struct gate_report *r, bool unload)
{
	for (size_t i = 0; g->t->ended && i < g->t->nmodules; i++) {
		const struct trace_module *m = &g->t->modules[i];
		enum trace_step step = unload ? m->unload : m->load;
		bool due = !unload || (m->load == TRACE_DONE && !m->load_errno && !m->permanent);

		if (!due || step >= TRACE_DONE || r->verdict == VERDICT_FAIL)
			continue;
		report_worsen(r, VERDICT_INFRA);
		report_say(r, "the console does not tell how '%s' was %s", m->item->info.name,
		    unload ? "unloaded" : "loaded");
		g->j->again = MACHINE_AGAIN_INFRA;
	}
}

static size_t judge_load(struct judge *g)
{
	struct gate_report *r = &g->j->gate[LOAD];
	size_t loaded = 0;

	for (size_t i = 0; i < g->t->nmodules; i++) {
		const struct trace_module *m = &g->t->modules[i];

		if (m->load == TRACE_DONE)
			judge_load_done(g, m, &loaded);
		else if (m->load == TRACE_TIMEOUT || m->load == TRACE_KILLED)
			judge_stuck(g, r, m, false);
	}
	judge_taint(g, PHASE_LOAD, r);
	judge_gaps(g, r, false);
	if (r->verdict == VERDICT_NONE) {
		r->verdict = VERDICT_SKIP;
		if (!r->reason.len)
			report_say(r, "no module was tried");
	}
	if (r->verdict == VERDICT_PASS && !r->reason.len)
		report_say(r, "%zu of %zu modules loaded, without a complaint", loaded, g->t->nmodules);
	return loaded;
}

/* ---- probe ---------------------------------------------------------------- */

/* What a user sees: device nodes, else class devices (network interfaces, sensors, ...). */
const struct machine_trace *judge_baseline(const struct judge *g)
{
	return g->known ? g->known->baseline : NULL;
}

static void visible_devices(const struct machine_trace *t, struct strvec *out)
{
	machine_trace_items(&t->appeared, "node", out);
	if (!out->n)
		machine_trace_items(&t->appeared, "device", out);
}

static void report_say_list(struct gate_report *r, const char *intro, const struct strvec *v)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < v->n && i < 6; i++)
		strbuf_addf(&text, "%s'%s'", i ? ", " : "", v->v[i]);
	if (v->n > 6)
		strbuf_addf(&text, " and %zu more", v->n - 6);
	report_say(r, "%s %s", intro, text.buf);
	strbuf_release(&text);
}

/* What was made up for it, and what came of that. */
static void say_standins(const struct judge *g, struct gate_report *r)
{
	for (size_t i = 0; i < g->t->standins.n; i++) {
		const char *s = g->t->standins.v[i], *code = strrchr(s, ' ');
		int number = code ? (int)strtol(code, NULL, 10) : 0;
		int len = code ? (int)(code - s) : (int)strlen(s);

		if (number)
			report_say(r, "a stand-in (%.*s) could not be had: -%s", len, s, judge_errno(number));
		else if (r->verdict == VERDICT_PASS)
			report_say(r, "with a stand-in (%.*s)", len, s);
		else
			report_say(r, "a stand-in (%.*s) was not taken", len, s);
	}
}

/*
 * Loaded, and nothing appeared. An emulated device that the driver claims by its
 * aliases and does not bind to says something only when the driver before did.
 */
static void judge_unbound(struct judge *g, const struct machine_trace *base)
{
	struct gate_report *r = &g->j->gate[PROBE];
	bool emulated = g->known && g->known->emulated && g->known->emulated->n;

	if (emulated && !base) {
		r->verdict = VERDICT_UNKNOWN;
		report_say_list(r, "does not bind to an emulated device", g->known->emulated);
		return;
	}
	r->verdict = VERDICT_SKIP;
	if (emulated)
		report_say_list(r, "not testable here: as before, it does not bind to an emulated device",
			 g->known->emulated);
	else
		report_say(r, "not testable here: no device for this driver");
}

static void judge_probe(struct judge *g, size_t loaded)
{
	struct gate_report *r = &g->j->gate[PROBE];
	struct strvec now = STRVEC_INIT, before = STRVEC_INIT;
	const struct machine_trace *base = judge_baseline(g);

	visible_devices(g->t, &now);
	if (base)
		visible_devices(base, &before);
	if (!loaded) {
		r->verdict = VERDICT_SKIP;
		report_say(r, "not testable here: nothing was loaded");
	} else if (base && before.n && !now.n) {
		r->verdict = VERDICT_FAIL;
		report_say_list(r, "nothing appeared; before, there was", &before);
		report_finding(r, "probe", NULL, "the devices of the driver before do not appear");
	} else if (g->t->bound.n) {
		r->verdict = VERDICT_PASS;
		report_say_list(r, "bound (bus, driver, device):", &g->t->bound);
	} else if (now.n && !(base && base->bound.n)) {
		r->verdict = VERDICT_PASS;
		report_say_list(r, "registered", &now);
	} else if (base && (before.n || base->bound.n)) {
		r->verdict = VERDICT_FAIL;
		report_say_list(r, "nothing appeared; before, there was",
			 base->bound.n ? &base->bound : &before);
		report_finding(r, "probe", NULL, "the devices of the driver before do not appear");
	} else {
		judge_unbound(g, base);
	}
	if (loaded && r->verdict != VERDICT_FAIL)
		say_standins(g, r);
	if (loaded)
		say_firmware(g, r);
	strvec_release(&now);
	strvec_release(&before);
}

/* ---- figures -------------------------------------------------------------- */

static void add_kind(json_t *obj, const char *key, const struct strvec *from, const char *kind)
{
	struct strvec v = STRVEC_INIT;

	machine_trace_items(from, kind, &v);
	if (v.n)
		json_object_set_new(obj, key, report_json_list(&v));
	strvec_release(&v);
}

static void add_modules(struct judge *g, json_t *data)
{
	json_t *a = json_array();

	for (size_t i = 0; i < g->t->nmodules; i++) {
		const struct trace_module *m = &g->t->modules[i];
		json_t *o = json_object();

		json_set_str(o, "name", m->item->info.name);
		if (m->load == TRACE_DONE)
			json_set_int(o, "load_errno", m->load_errno);
		if (m->unload == TRACE_DONE)
			json_set_int(o, "unload_errno", m->unload_errno);
		json_array_append_new(a, o);
	}
	json_object_set_new(data, "modules", a);
}

static void add_data(struct judge *g)
{
	static const char *const kinds[] = { "node", "device", "driver", "class", "module",
					     "bus",  "fs",     "number", "irq" };
	json_t *load = report_data(&g->j->gate[LOAD]), *unload = report_data(&g->j->gate[UNLOAD]);
	json_t *probe = report_data(&g->j->gate[PROBE]), *taint = json_object(), *seen = json_object();

	add_modules(g, load);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		add_kind(seen, kinds[i], &g->t->appeared, kinds[i]);
	json_object_set_new(load, "appeared", seen);
	json_set_int(taint, "before", g->t->taint[PHASE_READY]);
	json_set_int(taint, "loaded", g->t->taint[PHASE_LOAD]);
	json_set_int(taint, "after", g->t->taint[PHASE_UNLOAD]);
	json_object_set_new(load, "taint", taint);
	json_object_set_new(unload, "left", report_json_list(&g->t->left));
	json_object_set_new(probe, "standins", report_json_list(&g->t->standins));
	add_kind(probe, "devices", &g->t->appeared, "node");
	add_kind(probe, "class_devices", &g->t->appeared, "device");
	json_object_set_new(probe, "bound", report_json_list(&g->t->bound));
	if (g->known && g->known->firmware && g->known->firmware->n)
		json_object_set_new(probe, "firmware", report_json_list(g->known->firmware));
	if (g->t->firmware.n)
		json_object_set_new(probe, "firmware_missing", report_json_list(&g->t->firmware));
	if (g->known && g->known->emulated && g->known->emulated->n)
		json_object_set_new(probe, "emulated", report_json_list(g->known->emulated));
}

static void judge_boot(struct judge *g)
{
	struct gate_report *r = &g->j->gate[BOOT];
	json_t *data = report_data(r);
	const char *release = console_marker(&g->t->log, "init ");

	r->verdict = VERDICT_PASS;
	report_say(r, g->t->run->from == MACHINE_SNAPSHOT ? "%s went on from a saved state (%s)"
						   : "%s reached user space (%s)",
	    release ? release : "the kernel", machine_accel_name(g->t->run->accel));
	if (g->t->run->because)
		report_say(r, "booted afresh: %s", g->t->run->because);
	json_set_str(data, "release", release);
	json_set_str(data, "accel", machine_accel_name(g->t->run->accel));
	json_set_str(data, "backend", g->t->run->backend);
	json_set_str(data, "from", machine_from_name(g->t->run->from));
	json_set_str(data, "fresh_because", g->t->run->because);
	json_set_num(data, "prepared_seconds", g->t->run->prepared);
	json_set_str(data, "end", machine_end_name(g->t->run->end));
	json_set_num(data, "seconds", g->t->run->wall);
}

static void not_reached(struct judge *g)
{
	struct strbuf reason = STRBUF_INIT;

	strbuf_addf(&reason, "the machine did not %s (%s after %.0f s%s%s)",
		    g->t->reached ? "get through the modules that the driver needs"
				  : "reach user space",
		    machine_end_name(g->t->run->end), g->t->run->wall,
		    g->t->run->detail ? ": " : "", g->t->run->detail ? g->t->run->detail : "");
	if (g->t->run->end == MACHINE_TIMEOUT)
		strbuf_addstr(&reason, "; a larger --boot-timeout may help");
	machine_judge_none(g->j, VERDICT_INFRA, reason.buf);
	g->j->again = MACHINE_AGAIN_INFRA;
	strbuf_release(&reason);
}

/* What the kernel complained of stands; nothing else was learnt. */
static void too_short(struct judge *g)
{
	struct strbuf doing = STRBUF_INIT;
	bool failed = false;

	describe_doing(g, &doing);
	for (size_t i = LOAD; i < MACHINE_GATES; i++) {
		struct gate_report *r = &g->j->gate[i];

		failed |= r->verdict == VERDICT_FAIL;
		if (r->verdict == VERDICT_FAIL)
			continue;
		r->verdict = VERDICT_INFRA;
		report_say(r, "the limit of %.0f s is too short for this machine: it came %.0f s after the last step, "
			   "%s; give more with --boot-timeout", g->t->run->wall, g->t->run->quiet, doing.buf);
	}
	g->j->again = failed ? MACHINE_ONCE : MACHINE_AGAIN_SLOW;
	strbuf_release(&doing);
}

static void init_judgement(struct machine_judgement *j)
{
	memset(j, 0, sizeof(*j));
	for (size_t i = 0; i < MACHINE_GATES; i++)
		strbuf_init(&j->gate[i].reason);
}

void machine_judge(const struct machine_trace *t, const struct machine_known *known,
		   struct machine_judgement *out)
{
	struct judge g = { .t = t, .known = known, .j = out };
	size_t loaded;

	init_judgement(out);
	if (!t->reached || t->phase == PHASE_BOOT) {
		not_reached(&g);
		return;
	}
	for (size_t i = 0; i < t->log.n; i++)
		if (console_event_is_complaint(&t->log.ev[i]))
			judge_complaint(&g, &t->log.ev[i]);
	judge_boot(&g);
	if (limit_too_short(&g)) {
		too_short(&g);
		add_data(&g);
		return;
	}
	if (!t->ended)
		judge_early_end(&g);
	loaded = judge_load(&g);
	judge_unload(&g, loaded);
	judge_probe(&g, loaded);
	judge_exercise(&g, loaded);
	judge_behaviour(&g);
	add_data(&g);
	out->clean = out->gate[LOAD].verdict == VERDICT_PASS &&
		     out->gate[UNLOAD].verdict == VERDICT_PASS &&
		     out->gate[PROBE].verdict == VERDICT_PASS &&
		     out->gate[EXERCISE].verdict == VERDICT_PASS;
}

void machine_judge_none(struct machine_judgement *out, enum verdict v, const char *reason)
{
	machine_judgement_release(out);
	for (size_t i = 0; i < MACHINE_GATES; i++) {
		out->gate[i].verdict = v;
		strbuf_addstr(&out->gate[i].reason, reason);
	}
}

void machine_judgement_release(struct machine_judgement *j)
{
	for (size_t i = 0; i < MACHINE_GATES; i++) {
		strbuf_release(&j->gate[i].reason);
		finding_list_release(&j->gate[i].findings);
		free(j->gate[i].log);
		json_decref(j->gate[i].data);
	}
	init_judgement(j);
}
