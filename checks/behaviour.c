// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gate behaviour: what user space sees of the port on its kernel against what it saw of the driver before on
 * the kernel before. Everything seen is a key with a value; what is gone or has another value counts,
 * what came in addition is told. What the kernels themselves do otherwise is known from the guest (attributes that
 * other devices of the class have too) and from checks/stock-view.tsv.
 */
#include "base/compat.h"
#include "checks/machine-judge-internal.h"

#include <fnmatch.h>

#include "base/alloc.h"
#include "base/jsonutil.h"
#include "base/strmap.h"

#define LEVEL_ERROR 3 /* KERN_ERR; smaller is worse */
#define MAX_TOLD    4

/* What one machine showed. */
struct view {
	struct strmap value;  /* key -> value */
	struct strmap common; /* "attr CLASS NAME" */
	bool cut;
};

struct comparison {
	struct judge *g;
	struct gate_report *r;
	struct strvec notes, excused;
	size_t counted;
};

static void put(struct view *v, char *key, const char *value)
{
	char *old = strmap_get(&v->value, key);

	/* Two devices of a kind: what both say. */
	if (!old)
		strmap_put(&v->value, key, xstrdup(value));
	else if (strcmp(old, value)) {
		strmap_put(&v->value, key, xstrfmt("%s; %s", old, value));
		free(old);
	}
	free(key);
}

/* "CLASS MODE NAME..." */
static void put_attributes(struct view *v, const struct strvec *w)
{
	for (size_t i = 3; i < w->n; i++)
		put(v, xstrfmt("attr %s %s", w->v[1], w->v[i]), w->v[2]);
}

static void put_common(struct view *v, const struct strvec *w)
{
	for (size_t i = 2; i < w->n; i++) {
		char *key = xstrfmt("attr %s %s", w->v[1], w->v[i]);

		strmap_put(&v->common, key, NULL);
		free(key);
	}
}

static void take_seen(struct view *v, const char *line)
{
	struct strvec w = STRVEC_INIT;
	const char *kind;

	strvec_split(&w, line, " ");
	kind = w.n ? w.v[0] : "";
	if (!strcmp(kind, "node") && w.n == 4) {
		char *value = xstrfmt("%s %s", w.v[2], w.v[3]);

		put(v, xstrfmt("node %s", w.v[1]), value);
		free(value);
	} else if (!strcmp(kind, "attr") && w.n >= 4) {
		put_attributes(v, &w);
	} else if (!strcmp(kind, "common")) {
		put_common(v, &w);
	} else if (!strcmp(kind, "param") && w.n >= 4) {
		put(v, xstrfmt("param %s %s", w.v[1], w.v[2]), w.v[3]);
		put(v, xstrfmt("default %s %s", w.v[1], w.v[2]), w.n > 4 ? w.v[4] : "");
	} else if (!strcmp(kind, "uevent")) {
		put(v, xstrdup(line), "");
	} else if (!strcmp(kind, "log") && w.n >= 3) {
		put(v, xstrfmt("log %s", line + strlen("log ") + strlen(w.v[1]) + 1), w.v[1]);
	} else if (!strcmp(kind, "cut")) {
		v->cut = true;
	}
	strvec_release(&w);
}

/* "KIND KEY VALUE" of an exercise. */
static void take_fact(struct view *v, const char *line)
{
	const char *key = strchr(line, ' '), *value = key ? strchr(key + 1, ' ') : NULL;

	if (value)
		put(v, xstrfmt("fact %.*s", (int)(value - line), line), value + 1);
}

static void view_read(struct view *v, const struct machine_trace *t)
{
	strmap_init(&v->value);
	strmap_init(&v->common);
	v->cut = false;
	for (size_t i = 0; i < t->seen.n; i++)
		take_seen(v, t->seen.v[i]);
	for (size_t i = 0; i < t->facts.n; i++)
		take_fact(v, t->facts.v[i]);
}

static void view_release(struct view *v)
{
	strmap_release(&v->value, free);
	strmap_release(&v->common, NULL);
}

/* ---- differences ------------------------------------------------------------------- */

/* Does the kernel, and not the driver, make this difference? */
static bool is_stock(const struct comparison *c, const char *key)
{
	const struct strvec *stock = c->g->known->stock;

	for (size_t i = 0; stock && i < stock->n; i++)
		if (fnmatch(stock->v[i], key, 0) == 0)
			return true;
	return false;
}

static void count_it(struct comparison *c, const char *key, const char *text)
{
	size_t n = strcspn(key, " ");
	char *rule = xstrndup(key, n);

	if (is_stock(c, key)) {
		strvec_push(&c->excused, text);
	} else {
		report_worsen(c->r, VERDICT_FAIL);
		if (c->counted++ < MAX_TOLD)
			report_say(c->r, "%s", text);
		report_finding(c->r, rule, NULL, text);
	}
	free(rule);
}

/* What a message or a default says may change; that something is there and how it may be used not. */
static bool is_loose(const char *key)
{
	return starts_with(key, "log ") || starts_with(key, "default ");
}

static void gone(struct comparison *c, const struct view *old, const char *key, const char *value)
{
	char *text = xstrfmt("gone: %s%s%s%s", key, *value ? " (" : "", value, *value ? ")" : "");

	if (strmap_has(&old->common, key))
		strvec_push(&c->excused, text);
	else if (is_loose(key))
		strvec_push(&c->notes, text);
	else
		count_it(c, key, text);
	free(text);
}

static void changed(struct comparison *c, const struct view *old, const char *key, const char *from, const char *to)
{
	char *text = xstrfmt("changed: %s, '%s' before, now '%s'", key, from, to);
	bool louder = starts_with(key, "log ") && atoi(to) <= LEVEL_ERROR && atoi(from) > LEVEL_ERROR;

	if (strmap_has(&old->common, key))
		strvec_push(&c->excused, text);
	else if (is_loose(key) && !louder)
		strvec_push(&c->notes, text);
	else
		count_it(c, key, text);
	free(text);
}

static void added(struct comparison *c, const struct view *new, const char *key, const char *value)
{
	char *text = xstrfmt("new: %s%s%s%s", key, *value ? " (" : "", value, *value ? ")" : "");

	if (strmap_has(&new->common, key) || is_stock(c, key))
		strvec_push(&c->excused, text);
	else if (starts_with(key, "log ") && atoi(value) <= LEVEL_ERROR)
		count_it(c, key, text);
	else
		strvec_push(&c->notes, text);
	free(text);
}

static void compare_views(struct comparison *c, const struct view *old, const struct view *new)
{
	const struct strmap_entry *e;

	strmap_for_each(&old->value, e) {
		const char *now = strmap_get(&new->value, e->key);

		if (!now)
			gone(c, old, e->key, e->value);
		else if (strcmp(now, e->value))
			changed(c, old, e->key, e->value, now);
	}
	strmap_for_each(&new->value, e)
		if (!strmap_has(&old->value, e->key))
			added(c, new, e->key, e->value);
}

/* ---- the gate ----------------------------------------------------------------------- */

static void give_reason(struct comparison *c, size_t compared)
{
	struct gate_report *r = c->r;

	if (c->counted > MAX_TOLD)
		report_say(r, "and %zu more", c->counted - MAX_TOLD);
	if (r->verdict == VERDICT_NONE) {
		r->verdict = VERDICT_PASS;
		report_say(r, "%zu things that user space saw on %s are as they were", compared,
			  c->g->known->baseline_kernel);
	}
	if (c->notes.n)
		report_say(r, "%zu that do not count differ, the first is %s", c->notes.n, c->notes.v[0]);
}

static bool was_used(const struct machine_trace *t)
{
	return t && (t->seen.n || t->nexercises || t->appeared.n);
}

void judge_behaviour(struct judge *g)
{
	struct gate_report *r = &g->j->gate[BEHAVIOUR];
	const struct machine_trace *base = judge_baseline(g);
	struct comparison c = { .g = g, .r = r, .notes = STRVEC_INIT, .excused = STRVEC_INIT };
	struct view old, new;
	json_t *data = report_data(r);

	if (!base || !was_used(base)) {
		r->verdict = VERDICT_SKIP;
		report_say(r, base ? "nothing was seen of the driver before"
				  : "there is no driver before to compare with");
		return;
	}
	if (g->j->gate[LOAD].verdict != VERDICT_PASS || !g->t->ended) {
		r->verdict = VERDICT_SKIP;
		report_say(r, "blocked: it does not get that far");
		return;
	}
	view_read(&old, base);
	view_read(&new, g->t);
	compare_views(&c, &old, &new);
	give_reason(&c, old.value.live);
	if (old.cut || new.cut)
		report_say(r, "too much to tell all");
	json_set_int(data, "compared", (long long)old.value.live);
	json_object_set_new(data, "notes", report_json_list(&c.notes));
	json_object_set_new(data, "kernel", report_json_list(&c.excused));
	view_release(&old);
	view_release(&new);
	strvec_release(&c.notes);
	strvec_release(&c.excused);
}
