// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/record.h"

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

static json_t *breakages_json(const struct breakage_list *l)
{
	json_t *a = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(a, breakage_json(&l->b[i]));
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

static json_t *step_json(const struct port_step *st)
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
	json_set_str(o, "risk", risk_name(g->risk));
	json_set_num(o, "score", g->score);
	json_set_int(o, "edits", (int64_t)g->n);
	json_set_int(o, "candidates_tried", (int64_t)st->tried);
	json_object_set_new(o, "files", files_of(g));
	json_object_set_new(o, "repairs", breakage_json(&st->target));
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
			json_array_append_new(steps, step_json(p->steps[j]));
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
	json_object_set_new(o, "breakages", breakages_json(&r->breakages));
	if (r->have_search) {
		json_object_set_new(o, "left", breakages_json(&r->search.left));
		json_object_set_new(o, "search", search_json(r));
	}
	json_object_set_new(o, "patches", patches_json(r));
	json_object_set_new(o, "seconds", times_json(&r->times));
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

static void add_left(const struct port_run *r, struct strbuf *out)
{
	const struct breakage_list *l = &r->search.left;

	if (!r->have_search || !l->n)
		return;
	strbuf_addf(out, "\nleft to do by hand:\n");
	for (size_t i = 0; i < l->n && i < MAX_LEFT_SHOWN; i++)
		strbuf_addf(out, "  %s:%d: %s\n", l->b[i].path ? l->b[i].path : "?",
			    l->b[i].diag.loc.line, l->b[i].diag.message);
	if (l->n > MAX_LEFT_SHOWN)
		strbuf_addf(out, "  ... and %zu more in result.json\n", l->n - MAX_LEFT_SHOWN);
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
	strbuf_addf(out, "\nreport  %s/report.html\nrecord  %s/result.json\ntree    %s/tree\n",
		    r->out_dir, r->out_dir, r->out_dir);
	strbuf_addf(out, "time    %.1f s (baseline %.1f, build %.1f, index %.1f, search %.1f, "
		    "gates %.1f)\n", t->total, t->baseline, t->breaks + t->build, t->index,
		    t->search, t->gates);
}
