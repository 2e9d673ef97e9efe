// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "checks/machine-trace.h"

#include "base/alloc.h"
#include "harness/firmware.h"

static struct trace_module *find_module(struct machine_trace *t, const char *name, size_t len)
{
	for (size_t i = 0; i < t->nmodules; i++)
		if (strlen(t->modules[i].item->info.name) == len &&
		    !memcmp(t->modules[i].item->info.name, name, len))
			return &t->modules[i];
	return NULL;
}

/* "NAME VALUE": the module, and what is behind its name. */
static struct trace_module *module_of(struct machine_trace *t, const char *text, const char **rest)
{
	size_t n = strcspn(text, " ");

	*rest = text[n] ? text + n + 1 : text + n;
	return find_module(t, text, n);
}

static void set_step(enum trace_step *step, int *number, struct trace_module *m, const char *what,
		     const char *rest)
{
	if (!strcmp(what, "-begin")) {
		*step = TRACE_BEGUN;
	} else if (!strcmp(what, "-timeout")) {
		*step = TRACE_TIMEOUT;
		m->waits = *rest && *rest != 'R' && *rest != '?';
	} else if (!strcmp(what, "-killed")) {
		*step = TRACE_KILLED;
		*number = (int)strtol(rest, NULL, 10);
	} else {
		*step = TRACE_DONE;
		*number = (int)strtol(rest, NULL, 10);
	}
}

struct step_of {
	enum trace_step *step;
	int *number;
};

static struct step_of step_named(struct trace_module *m, size_t which)
{
	switch (which) {
	case 0:
		return (struct step_of){ &m->load, &m->load_errno };
	case 1:
		return (struct step_of){ &m->unload, &m->unload_errno };
	case 2:
		return (struct step_of){ &m->reload, &m->reload_errno };
	default:
		return (struct step_of){ &m->reunload, &m->reunload_errno };
	}
}

/* "load-begin NAME", "load NAME ERRNO", ... and the same of unload, reload, reunload. */
static bool take_step(struct machine_trace *t, const char *text)
{
	static const char *const names[] = { "load", "unload", "reload", "reunload" };
	static const char *const ends[] = { "", "-begin", "-timeout", "-killed" };
	size_t n = strcspn(text, " ");

	for (size_t w = 0; text[n] && w < ARRAY_SIZE(names); w++) {
		size_t skip = strlen(names[w]);

		if (n < skip || strncmp(text, names[w], skip))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
			const char *rest;
			struct trace_module *m;
			struct step_of s;

			if (strlen(ends[i]) != n - skip || strncmp(text + skip, ends[i], n - skip))
				continue;
			m = module_of(t, text + n + 1, &rest);
			if (m) {
				s = step_named(m, w);
				set_step(s.step, s.number, m, ends[i], rest);
			}
			t->phase = w ? PHASE_UNLOAD : PHASE_LOAD;
			return true;
		}
	}
	return false;
}

/* ---- exercises -------------------------------------------------------------- */

static char *take_word(const char **p)
{
	size_t n = strcspn(*p, " ");
	char *word = xstrndup(*p, n);

	*p += (*p)[n] ? n + 1 : n;
	return word;
}

/* The one that has begun with the same words, else a new one. */
static struct trace_exercise *exercise_for(struct machine_trace *t, const char **rest)
{
	struct trace_exercise e = { .stage = take_word(rest), .kind = take_word(rest),
				    .target = take_word(rest), .result = TRACE_UNDER_WAY };

	for (size_t i = 0; i < t->nexercises; i++) {
		struct trace_exercise *x = &t->exercises[i];

		if (x->result != TRACE_UNDER_WAY || strcmp(x->stage, e.stage) || strcmp(x->kind, e.kind) ||
		    strcmp(x->target, e.target))
			continue;
		free(e.stage);
		free(e.kind);
		free(e.target);
		return x;
	}
	ALLOC_GROW(t->exercises, t->nexercises + 1, t->exercises_alloc);
	t->exercises[t->nexercises] = e;
	return &t->exercises[t->nexercises++];
}

static void take_result(struct trace_exercise *e, const char *rest)
{
	const char *text;

	e->result = skip_prefix(rest, "ok", &text)     ? TRACE_USED
		    : skip_prefix(rest, "skip", &text) ? TRACE_SKIPPED
						       : TRACE_FAILED;
	if (e->result == TRACE_FAILED && !skip_prefix(rest, "fail", &text))
		text = rest;
	e->text = xstrdup(*text == ' ' ? text + 1 : text);
}

/* "exercise-begin STAGE KIND TARGET", "exercise STAGE KIND TARGET RESULT TEXT", ... */
static bool take_exercise(struct machine_trace *t, const char *text)
{
	struct trace_exercise *e;
	const char *rest;

	if (skip_prefix(text, "exercise-begin ", &rest)) {
		exercise_for(t, &rest);
	} else if (skip_prefix(text, "exercise ", &rest)) {
		e = exercise_for(t, &rest);
		take_result(e, rest);
	} else if (skip_prefix(text, "exercise-timeout ", &rest)) {
		e = exercise_for(t, &rest);
		e->result = TRACE_HANGS;
		e->waits = *rest && *rest != 'R' && *rest != '?';
	} else if (skip_prefix(text, "exercise-killed ", &rest)) {
		e = exercise_for(t, &rest);
		e->result = TRACE_DIED;
		e->text = xstrfmt("signal %.8s", rest);
	} else {
		return false;
	}
	t->phase = PHASE_EXERCISE;
	return true;
}

const struct trace_exercise *machine_trace_exercise(const struct machine_trace *t, const char *stage,
						    const char *kind, enum trace_result r)
{
	for (size_t i = 0; t && i < t->nexercises; i++) {
		const struct trace_exercise *e = &t->exercises[i];

		if (e->result == r && (!stage || !strcmp(e->stage, stage)) && !strcmp(e->kind, kind))
			return e;
	}
	return NULL;
}

static void take_taint(struct machine_trace *t, const char *text)
{
	static const char *const when[PHASE_COUNT] = { "boot ", "before ", "loaded ", "exercised ",
							"after " };
	const char *rest;

	for (int i = 0; i < PHASE_COUNT; i++)
		if (skip_prefix(text, when[i], &rest))
			t->taint[i] = strtol(rest, NULL, 10);
}

/* EEXIST: it is built in, or was loaded by the kernel. */
static void take_dep(struct machine_trace *t, const char *text)
{
	size_t n = strcspn(text, " ");
	int code = text[n] ? (int)strtol(text + n, NULL, 10) : 0;

	if (code && code != EEXIST)
		strvec_push(&t->refused, text);
}

static int refused_errno(const struct machine_trace *t, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < t->refused.n; i++)
		if (!strncmp(t->refused.v[i], name, n) && t->refused.v[i][n] == ' ')
			return (int)strtol(t->refused.v[i] + n, NULL, 10);
	return 0;
}

/* The deepest one is the cause. Lists have no cycles (modules_resolve). */
int machine_trace_refused(const struct machine_trace *t, const struct module_item *m,
			  const char **name)
{
	for (size_t i = 0; i < m->info.depends.n; i++) {
		const struct module_item *d = module_list_find(t->list, m->info.depends.v[i]);
		int code = d ? machine_trace_refused(t, d, name) : 0;

		if (!code && d && !d->driver) {
			code = refused_errno(t, d->info.name);
			*name = d->info.name;
		}
		if (code)
			return code;
	}
	return 0;
}

static void take_marker(struct machine_trace *t, const char *text)
{
	const char *rest;
	struct trace_module *m;

	if (skip_prefix(text, "init ", &rest)) {
		t->reached = true;
	} else if (!strcmp(text, "end")) {
		t->ended = true;
	} else if (skip_prefix(text, "taint ", &rest)) {
		take_taint(t, rest);
		if (starts_with(rest, "before "))
			t->phase = PHASE_READY;
	} else if (skip_prefix(text, "dep ", &rest)) {
		take_dep(t, rest);
	} else if (skip_prefix(text, "new ", &rest)) {
		strvec_push(&t->appeared, rest);
	} else if (skip_prefix(text, "bound ", &rest)) {
		strvec_push(&t->bound, rest);
	} else if (skip_prefix(text, "left ", &rest)) {
		strvec_push(&t->left, rest);
	} else if (skip_prefix(text, "ref ", &rest)) {
		strvec_push(&t->refs, rest);
	} else if (skip_prefix(text, "standin ", &rest)) {
		strvec_push(&t->standins, rest);
	} else if (skip_prefix(text, "got ", &rest)) {
		strvec_push(&t->facts, rest);
	} else if (skip_prefix(text, "gone ", &rest)) {
		strvec_push(&t->gone, rest);
	} else if (skip_prefix(text, "see ", &rest)) {
		strvec_push(&t->seen, rest);
	} else if (skip_prefix(text, "stack ", &rest)) {
		strvec_push(&t->stack, rest);
	} else if (skip_prefix(text, "fault ", &rest)) {
		strvec_push(&t->faults, rest);
	} else if (skip_prefix(text, "permanent ", &rest)) {
		m = module_of(t, rest, &rest);
		if (m)
			m->permanent = true;
	} else if (!take_exercise(t, text)) {
		take_step(t, text);
	}
}

void machine_trace_read(const char *text, size_t len, const char *nonce,
			const struct module_list *list, const struct machine_run *run,
			struct machine_trace *out)
{
	struct strvec *lists[] = { &out->appeared, &out->bound, &out->left,
				   &out->refs,	   &out->faults, &out->stack, &out->refused,
				   &out->facts,	   &out->gone,	 &out->seen, &out->standins, &out->firmware };

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		strvec_init(lists[i]);
	for (int i = 0; i < PHASE_COUNT; i++)
		out->taint[i] = -1;
	out->list = list;
	out->run = run;
	out->modules = xcalloc(list->n + 1, sizeof(*out->modules));
	for (size_t i = 0; i < list->n; i++)
		if (list->m[i].driver)
			out->modules[out->nmodules++].item = &list->m[i];
	console_parse(text, len, nonce, &out->log);
	for (size_t i = 0; i < out->log.n; i++)
		if (out->log.ev[i].kind == CONSOLE_MARKER)
			take_marker(out, out->log.ev[i].text);
	firmware_missed(text, len, &out->firmware);
}

void machine_trace_release(struct machine_trace *t)
{
	console_log_release(&t->log);
	for (size_t i = 0; i < t->nexercises; i++) {
		free(t->exercises[i].stage);
		free(t->exercises[i].kind);
		free(t->exercises[i].target);
		free(t->exercises[i].text);
	}
	free(t->exercises);
	free(t->modules);
	strvec_release(&t->appeared);
	strvec_release(&t->bound);
	strvec_release(&t->left);
	strvec_release(&t->refs);
	strvec_release(&t->standins);
	strvec_release(&t->faults);
	strvec_release(&t->refused);
	strvec_release(&t->stack);
	strvec_release(&t->facts);
	strvec_release(&t->gone);
	strvec_release(&t->seen);
	strvec_release(&t->firmware);
	memset(t, 0, sizeof(*t));
}

enum trace_phase machine_trace_phase_of(const struct machine_trace *t, int line)
{
	enum trace_phase phase = PHASE_BOOT;

	for (size_t i = 0; i < t->log.n && t->log.ev[i].line <= line; i++) {
		if (t->log.ev[i].kind != CONSOLE_MARKER)
			continue;
		if (starts_with(t->log.ev[i].text, "load-begin "))
			phase = PHASE_LOAD;
		else if (starts_with(t->log.ev[i].text, "exercise-begin "))
			phase = PHASE_EXERCISE;
		else if (starts_with(t->log.ev[i].text, "unload-begin "))
			phase = PHASE_UNLOAD;
	}
	return phase;
}

bool console_event_is_complaint(const struct console_event *ev)
{
	return ev->kind != CONSOLE_MARKER && ev->kind != CONSOLE_ERROR;
}

const char *machine_trace_error(const struct machine_trace *t, const char *module)
{
	for (size_t i = 0; i < t->log.n; i++) {
		const struct console_event *ev = &t->log.ev[i];
		const char *rest;

		if (ev->kind == CONSOLE_ERROR && skip_prefix(ev->text, module, &rest) &&
		    *rest == ':')
			return ev->text;
	}
	return NULL;
}

void machine_trace_items(const struct strvec *from, const char *kind, struct strvec *out)
{
	size_t n = strlen(kind);

	for (size_t i = 0; i < from->n; i++)
		if (!strncmp(from->v[i], kind, n) && from->v[i][n] == ' ')
			strvec_push(out, from->v[i] + n + 1);
}
