// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/record.h"
#include "port/model.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#define SCHEMA_VERSION 1
#define MAX_LEFT_SHOWN 12

/* ---- JSON ----------------------------------------------------------------- */

static json_t *kernel_json(const struct kernel *k)
{
	json_t *o;

	if (!k)
		return json_null();
	o = json_object();
	json_set_str(o, "name", k->name);
	json_set_str(o, "release", k->release);
	json_set_str(o, "arch", k->arch);
	json_set_str(o, "compiler", k->cc);
	json_set_str(o, "origin", k->origin);
	return o;
}

static json_t *driver_json(const struct driver *d)
{
	json_t *o = json_object(), *modules = json_array();

	json_set_str(o, "name", d->name);
	json_set_str(o, "version", d->version);
	json_set_str(o, "kind", driver_kind_name(d->kind));
	for (size_t i = 0; i < d->nmodules; i++)
		json_array_append_new(modules, json_str(d->modules[i].name));
	json_object_set_new(o, "modules", modules);
	return o;
}

/* Takes every "WORK/new/" and the like out of a text; true when there was one. */
static bool strip_dirs(const struct port_run *r, const char *text, struct strbuf *out)
{
	static const char *const dirs[] = { "new/", "old/", "orig/" };
	size_t n = strlen(r->work_dir);
	bool any = false;

	for (const char *hit; (hit = strstr(text, r->work_dir)); ) {
		const char *rest = hit + n;

		strbuf_add(out, text, (size_t)(hit - text));
		for (size_t i = 0; *rest == '/' && i < ARRAY_SIZE(dirs); i++) {
			if (skip_prefix(hit + n + 1, dirs[i], &rest))
				break;
			rest = hit + n;
		}
		any |= rest != hit + n;
		if (rest == hit + n)
			strbuf_add(out, hit, n);
		text = rest;
	}
	strbuf_addstr(out, text);
	return any;
}

/* Sites are told by the driver's own paths: the directories that it was built in are gone. */
static void own_paths(const struct port_run *r, json_t *v)
{
	const char *key;
	json_t *child;
	size_t i;

	if (json_is_array(v)) {
		json_array_foreach(v, i, child)
			own_paths(r, child);
		return;
	}
	json_object_foreach(v, key, child) {
		struct strbuf sb = STRBUF_INIT;

		if (!json_is_string(child))
			own_paths(r, child);
		else if (r->work_dir && strip_dirs(r, json_string_value(child), &sb))
			json_string_set(child, sb.buf);
		strbuf_release(&sb);
	}
}

static json_t *breakages_json(const struct port_run *r, const struct breakage_list *l)
{
	json_t *a = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(a, breakage_json(&l->b[i]));
	own_paths(r, a);
	return a;
}

/* What keeps the driver from being ported: breakages; else what the first gate that fails has found. */
static json_t *left_json(const struct port_run *r)
{
	json_t *a = r->have_search ? breakages_json(r, &r->search.left) : json_array();

	for (int g = 0; r->outcome == PORT_NOT && !json_array_size(a) && g < GATE_COUNT; g++) {
		const struct gate_report *rep = &r->ladder.gate[g];

		for (size_t i = 0; rep->verdict == VERDICT_FAIL && i < rep->findings.n; i++) {
			const struct finding *f = &rep->findings.f[i];
			json_t *o = json_object(), *loc = json_object();

			json_set_str(o, "gate", gate_name((enum gate_id)g));
			json_set_str(o, "kind", f->rule ? f->rule : f->tool);
			json_set_str(o, "path", f->file);
			json_set_str(o, "function", f->function);
			json_set_str(o, "message", f->text);
			json_set_int(loc, "line", f->line);
			json_object_set_new(o, "loc", loc);
			json_array_append_new(a, o);
		}
	}
	own_paths(r, a);
	return a;
}

static json_t *files_of(const struct edit_group *g)
{
	json_t *files = json_array();

	for (size_t i = 0; i < g->n; i++) {
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = !strcmp(g->e[j].path, g->e[i].path);
		if (!seen)
			json_array_append_new(files, json_str(g->e[i].path));
	}
	return files;
}

static json_t *unconfigured_json(const struct port_run *r)
{
	json_t *a = json_array();

	for (size_t i = 0; i + 1 < r->unconfigured.n; i += 2) {
		json_t *o = json_object();

		json_set_str(o, "symbol", r->unconfigured.v[i]);
		json_set_str(o, "exported_by", r->unconfigured.v[i + 1]);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *step_json(const struct port_run *r, const struct port_step *st)
{
	json_t *o = json_object();
	const struct edit_group *g = st->group;

	json_set_str(o, "title", g->title);
	json_set_str(o, "why", g->why);
	json_set_str(o, "technique", g->technique);
	json_set_str(o, "source", edit_source_name(g->source));
	json_set_str(o, "symbol", g->symbol);
	json_set_str(o, "since", g->since);
	json_set_str(o, "commit", g->commit);
	json_set_str(o, "assisted_by", g->assisted);
	json_set_str(o, "risk", risk_name(g->risk));
	json_set_num(o, "score", g->score);
	json_set_int(o, "edits", (int64_t)g->n);
	json_set_int(o, "candidates_tried", (int64_t)st->tried);
	json_object_set_new(o, "files", files_of(g));
	json_object_set_new(o, "repairs", breakage_json(&st->target));
	own_paths(r, o);
	return o;
}

static json_t *patches_json(const struct port_run *r)
{
	json_t *a = json_array();

	for (size_t i = 0; i < r->npatches; i++) {
		const struct port_patch *p = &r->patches[i];
		json_t *o = json_object(), *steps = json_array();

		json_set_str(o, "subject", p->subject);
		json_set_str(o, "file", p->file);
		json_set_str(o, "risk", risk_name(p->risk));
		for (size_t j = 0; j < p->nsteps; j++)
			json_array_append_new(steps, step_json(r, p->steps[j]));
		json_object_set_new(o, "steps", steps);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *search_json(const struct port_run *r)
{
	json_t *o = json_object();

	json_set_int(o, "nodes", r->search.nodes);
	json_set_int(o, "checks", r->oracle.checks);
	json_set_int(o, "compiled", r->oracle.compiled);
	json_set_bool(o, "bounded", r->search.bounded);
	json_object_set(o, "trace", r->search.trace);
	return o;
}

static json_t *times_json(const struct port_times *t)
{
	json_t *o = json_object();

	json_set_num(o, "load", t->load);
	json_set_num(o, "baseline", t->baseline);
	json_set_num(o, "before", t->breaks);
	json_set_num(o, "index", t->index);
	json_set_num(o, "search", t->search);
	json_set_num(o, "build", t->build);
	json_set_num(o, "gates", t->gates);
	json_set_num(o, "total", t->total);
	return o;
}

/* Gates that were not asked for: the outcome says nothing of them. */
static json_t *not_run_json(const struct gate_ladder *l)
{
	json_t *a = json_array();

	for (int g = 0; g < GATE_COUNT; g++)
		if (l->gate[g].verdict == VERDICT_NONE)
			json_array_append_new(a, json_string(gate_name((enum gate_id)g)));
	return a;
}

json_t *record_make(const struct port_run *r)
{
	json_t *o = json_object();

	json_set_int(o, "schema_version", SCHEMA_VERSION);
	json_set_str(o, "input", r->input);
	json_object_set_new(o, "driver", driver_json(r->orig));
	json_object_set_new(o, "from", kernel_json(r->from));
	json_object_set_new(o, "to", kernel_json(r->to));
	json_set_str(o, "outcome", port_outcome_name(r->outcome));
	json_set_str(o, "headline", r->headline.buf);
	json_set_bool(o, "resolved", gate_ladder_ok(&r->ladder));
	json_object_set_new(o, "gates", gate_ladder_json(&r->ladder));
	json_object_set_new(o, "not_run", not_run_json(&r->ladder));
	json_object_set_new(o, "breakages", breakages_json(r, &r->breakages));
	json_object_set_new(o, "left", left_json(r));
	json_object_set_new(o, "not_configured", unconfigured_json(r));
	json_object_set_new(o, "cautions", finding_list_json(&r->cautions));
	if (r->have_search)
		json_object_set_new(o, "search", search_json(r));
	json_object_set_new(o, "patches", patches_json(r));
	if (r->model)
		json_object_set_new(o, "model", model_json(r->model));
	json_object_set_new(o, "seconds", times_json(&r->times));
	if (r->audit)
		json_set_str(o, "audit_head", audit_head(r->audit).hex);
	return o;
}

int record_write(const struct port_run *r, struct strbuf *err)
{
	char *path = path_join(r->out_dir, "result.json");
	json_t *v = record_make(r);
	int ret = json_write_file(path, v, err);

	json_decref(v);
	free(path);
	return ret;
}

/* ---- terminal -------------------------------------------------------------- */

static const char *verdict_color(enum verdict v)
{
	switch (v) {
	case VERDICT_PASS:
		return "\033[32m";
	case VERDICT_FAIL:
		return "\033[31m";
	case VERDICT_NONE:
	case VERDICT_SKIP:
		return "\033[2m";
	default:
		return "\033[33m";
	}
}

static void add_ladder(const struct gate_ladder *l, bool color, struct strbuf *out)
{
	for (int g = 0; g < GATE_COUNT; g++) {
		const struct gate_report *rep = &l->gate[g];

		if (rep->verdict == VERDICT_NONE)
			continue;
		strbuf_addf(out, "  %-8s %s%-7s%s  %s\n", gate_name((enum gate_id)g),
			    color ? verdict_color(rep->verdict) : "", verdict_name(rep->verdict),
			    color ? "\033[0m" : "", rep->reason.buf);
	}
}

static void add_patches(const struct port_run *r, struct strbuf *out)
{
	if (!r->npatches)
		return;
	strbuf_addf(out, "\n%zu patch%s in %s/series:\n", r->npatches,
		    r->npatches == 1 ? "" : "es", r->out_dir);
	for (size_t i = 0; i < r->npatches; i++)
		strbuf_addf(out, "  %-6s  %s\n", risk_name(r->patches[i].risk),
			    r->patches[i].file ? r->patches[i].file : r->patches[i].subject);
}

static void add_finding_lines(const struct finding_list *l, struct strbuf *out)
{
	for (size_t i = 0; i < l->n && i < MAX_LEFT_SHOWN; i++) {
		strbuf_addstr(out, "  ");
		finding_describe(&l->f[i], out);
		strbuf_addch(out, '\n');
	}
	if (l->n > MAX_LEFT_SHOWN)
		strbuf_addf(out, "  ... and %zu more in result.json\n", l->n - MAX_LEFT_SHOWN);
}

/* No breakage is left: what the first gate that fails has found. */
static void add_findings(const struct port_run *r, struct strbuf *out)
{
	for (int g = 0; g < GATE_COUNT; g++) {
		const struct gate_report *rep = &r->ladder.gate[g];
		const struct finding_list *l = &rep->findings;

		if (rep->verdict != VERDICT_FAIL || !l->n)
			continue;
		strbuf_addf(out, "\nleft to do by hand, says %s:\n", gate_name((enum gate_id)g));
		add_finding_lines(l, out);
		return;
	}
}

static void add_left(const struct port_run *r, struct strbuf *out)
{
	const struct breakage_list *l = &r->search.left;

	if (!r->have_search || !l->n) {
		add_findings(r, out);
		return;
	}
	strbuf_addf(out, "\nleft to do by hand:\n");
	for (size_t i = 0; i < l->n && i < MAX_LEFT_SHOWN; i++)
		strbuf_addf(out, "  %s:%d: %s\n", l->b[i].path ? l->b[i].path : "?",
			    l->b[i].diag.loc.line, l->b[i].diag.message);
	if (l->n > MAX_LEFT_SHOWN)
		strbuf_addf(out, "  ... and %zu more in result.json\n", l->n - MAX_LEFT_SHOWN);
}

static void add_model(const struct model_opts *m, struct strbuf *out)
{
	const struct agent_spent *s = &m->agent->spent;

	strbuf_addf(out, "\nmodel %s, %s: %u exchange%s", backend_model(m->agent->backend),
		    model_policy_name(m->policy), s->exchanges, s->exchanges == 1 ? "" : "s");
	if (s->replayed)
		strbuf_addf(out, " (%u from the record)", s->replayed);
	if (s->exchanges)
		strbuf_addf(out, ", %" PRId64 " tokens in, %" PRId64 " out", s->in, s->out);
	if (s->unknown)
		strbuf_addf(out, ", about %" PRId64 " not reported", s->estimated);
	if (m->agent->has_price)
		strbuf_addf(out, ", %.4f %s", s->money, m->agent->price.currency);
	strbuf_addch(out, '\n');
	if (m->failure)
		strbuf_addf(out, "  it ended early: %s\n", m->failure);
	for (size_t i = 0; i < m->notes.n && i < MAX_LEFT_SHOWN; i++)
		strbuf_addf(out, "  %s\n", m->notes.v[i]);
	for (size_t i = 0; i < m->concerns.n && i < MAX_LEFT_SHOWN; i++)
		strbuf_addf(out, "  concern: %s\n", m->concerns.v[i]);
}

void record_summary(const struct port_run *r, bool color, struct strbuf *out)
{
	const struct port_times *t = &r->times;
	const char *bold = color ? "\033[1m" : "", *off = color ? "\033[0m" : "";

	strbuf_addf(out, "%s%s%s: %s -> %s\n\n", r->orig->name, r->orig->version ? " " : "",
		    r->orig->version ? r->orig->version : "",
		    r->from ? r->from->release : "(no baseline)", r->to->release);
	add_ladder(&r->ladder, color, out);
	strbuf_addf(out, "\n%s%s%s: %s\n", bold, port_outcome_name(r->outcome), off,
		    r->headline.buf);
	add_patches(r, out);
	add_left(r, out);
	if (r->cautions.n) {
		strbuf_addf(out, "\ncompiles and behaves otherwise on %s:\n", r->to->name);
		add_finding_lines(&r->cautions, out);
	}
	if (r->model)
		add_model(r->model, out);
	strbuf_addf(out, "\nreport  %s/report.html\nrecord  %s/result.json\ntree    %s/tree\n",
		    r->out_dir, r->out_dir, r->out_dir);
	strbuf_addf(out, "time    %.1f s (baseline %.1f, build %.1f, index %.1f, search %.1f, "
		    "gates %.1f)\n", t->total, t->baseline, t->breaks + t->build, t->index,
		    t->search, t->gates);
}
