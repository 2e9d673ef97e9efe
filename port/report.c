// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/report.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "port/html.h"

#define LOG_TAIL_BYTES 16384

static const char *outcome_class(enum port_outcome o)
{
	return o == PORT_NOT ? "bad" : o == PORT_REVIEW ? "warn" : "ok";
}

static void add_head(const struct port_run *r, struct strbuf *out)
{
	strbuf_addstr(out, "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
			   "<meta name=viewport content=\"width=device-width,initial-scale=1\">"
			   "<meta http-equiv=Content-Security-Policy "
			   "content=\"default-src 'none';style-src 'unsafe-inline'\"><title>");
	html_text(out, r->orig->name);
	strbuf_addf(out, ": %s</title><style>%s</style></head><body>\n<h1>",
		    port_outcome_name(r->outcome), html_style);
	html_text(out, r->orig->name);
	strbuf_addch(out, ' ');
	html_text(out, r->orig->version);
	strbuf_addstr(out, "</h1>\n<p class=dim>");
	html_text(out, r->from ? r->from->release : "no baseline");
	strbuf_addstr(out, " &rarr; ");
	html_text(out, r->to->release);
	strbuf_addf(out, "</p>\n<p class=\"v %s\">%s: ", outcome_class(r->outcome),
		    port_outcome_name(r->outcome));
	html_text(out, r->headline.buf);
	strbuf_addstr(out, "</p>\n");
}

static void add_findings(const struct finding_list *l, struct strbuf *out)
{
	if (!l->n)
		return;
	strbuf_addf(out, "<details><summary>%zu finding%s</summary><pre>", l->n,
		    l->n == 1 ? "" : "s");
	for (size_t i = 0; i < l->n; i++) {
		const struct finding *f = &l->f[i];

		html_text(out, f->tool);
		strbuf_addstr(out, ": ");
		html_text(out, f->file);
		strbuf_addf(out, ":%d: ", f->line);
		html_text(out, f->text);
		strbuf_addch(out, '\n');
	}
	strbuf_addstr(out, "</pre></details>");
}

static void add_ladder(const struct port_run *r, struct strbuf *out)
{
	strbuf_addstr(out, "<h2>Gates</h2>\n<table class=grid><tr><th>gate<th>verdict<th>reason"
			   "<th class=o>time</tr>\n");
	for (int g = 0; g < GATE_COUNT; g++) {
		const struct gate_report *rep = &r->ladder.gate[g];

		strbuf_addf(out, "<tr><td title=\"%s\">%s<td class=\"v %s\">%s<td class=w>",
			    gate_title((enum gate_id)g), gate_name((enum gate_id)g),
			    rep->verdict == VERDICT_NONE ? "dim" : verdict_name(rep->verdict),
			    rep->verdict == VERDICT_NONE ? "not run" : verdict_name(rep->verdict));
		html_text(out, rep->reason.buf);
		add_findings(&rep->findings, out);
		strbuf_addf(out, "<td class=\"dim o\">%.1f s</tr>\n", rep->seconds);
	}
	strbuf_addstr(out, "</table>\n");
}

static void add_breakage_rows(const struct breakage_list *l, struct strbuf *out)
{
	strbuf_addstr(out, "<table class=grid><tr><th>where<th class=o>kind<th>the compiler's words</tr>\n");
	for (size_t i = 0; i < l->n; i++) {
		const struct breakage *b = &l->b[i];

		if (!breakage_is_work(b))
			continue;
		strbuf_addstr(out, "<tr><td><code>");
		html_text(out, b->path ? b->path : b->diag.loc.file ? b->diag.loc.file : "modpost");
		strbuf_addf(out, ":%d</code><td class=o>%s<td class=w>", b->diag.loc.line,
			    diag_kind_name(b->diag.kind));
		html_text(out, b->diag.message);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</table>\n");
}

static void add_step(const struct port_step *st, struct strbuf *out)
{
	const struct edit_group *g = st->group;

	strbuf_addstr(out, "<li><code>");
	html_text(out, st->target.path);
	strbuf_addf(out, ":%d</code> ", st->target.diag.loc.line);
	html_text(out, st->target.diag.message);
	strbuf_addf(out, "<br><span class=%s>%s</span> <span class=dim>%s, ", risk_name(g->risk),
		    risk_name(g->risk), edit_source_name(g->source));
	html_text(out, g->technique);
	strbuf_addstr(out, "</span> ");
	html_text(out, g->why);
	strbuf_addstr(out, "</li>\n");
}

static int add_patches(const struct port_run *r, struct strbuf *out, struct strbuf *err)
{
	int ret = 0;

	if (!r->npatches)
		return 0;
	strbuf_addstr(out, "<h2>Patches</h2>\n");
	for (size_t i = 0; !ret && i < r->npatches; i++) {
		const struct port_patch *p = &r->patches[i];

		strbuf_addf(out, "<h3>%zu. ", i + 1);
		html_text(out, p->subject);
		strbuf_addf(out, " <span class=%s>%s</span></h3><p class=dim><code>",
			    risk_name(p->risk), risk_name(p->risk));
		html_text(out, p->file);
		strbuf_addstr(out, "</code></p><ul>\n");
		for (size_t j = 0; j < p->nsteps; j++)
			add_step(p->steps[j], out);
		strbuf_addstr(out, "</ul>\n");
		ret = html_tree_diff(out, p->before, p->after, err);
	}
	return ret;
}

static void add_log(const struct port_run *r, const char *rel, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	char *path = path_join(r->out_dir, rel);

	if (!file_read(path, 0, &text, &ignored) && text.len) {
		size_t skip = text.len > LOG_TAIL_BYTES ? text.len - LOG_TAIL_BYTES : 0;

		strbuf_addstr(out, "<details><summary><code>");
		html_text(out, rel);
		strbuf_addf(out, "</code>%s</summary><pre>", skip ? " (end)" : "");
		html_textn(out, text.buf + skip, text.len - skip);
		strbuf_addstr(out, "</pre></details>\n");
	}
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(path);
}

static int by_name(const char *name)
{
	return ends_with(name, ".log") || ends_with(name, ".txt");
}

static void add_logs(const struct port_run *r, struct strbuf *out)
{
	char *dir = path_join(r->out_dir, "logs");
	struct strvec files = STRVEC_INIT;
	struct strbuf ignored = STRBUF_INIT;

	strbuf_addstr(out, "<h2>Logs</h2>\n");
	if (!file_list(dir, &files, &ignored)) {
		for (size_t i = 0; i < files.n; i++) {
			char *rel = path_join("logs", files.v[i]);

			if (by_name(rel))
				add_log(r, rel, out);
			free(rel);
		}
	}
	strvec_release(&files);
	strbuf_release(&ignored);
	free(dir);
}

static void add_foot(const struct port_run *r, struct strbuf *out)
{
	strbuf_addf(out, "<p class=dim>%.1f s in all: baseline %.1f, builds %.1f, index %.1f, "
		    "search %.1f (%u compiler answers, %u from the cache), gates %.1f. Results of "
		    "record: <code>result.json</code>, <code>audit.jsonl</code>.</p>\n",
		    r->times.total, r->times.baseline, r->times.breaks + r->times.build,
		    r->times.index, r->times.search, r->oracle.checks,
		    r->oracle.checks - r->oracle.compiled, r->times.gates);
	strbuf_addstr(out, "</body></html>\n");
}

int report_write(const struct port_run *r, struct strbuf *err)
{
	char *path = path_join(r->out_dir, "report.html");
	struct strbuf out = STRBUF_INIT;
	int ret;

	add_head(r, &out);
	add_ladder(r, &out);
	if (r->have_search && r->search.left.n) {
		strbuf_addstr(&out, "<h2>Left to do by hand</h2>\n");
		add_breakage_rows(&r->search.left, &out);
	}
	if (r->cautions.n) {
		strbuf_addstr(&out, "<h2>Compiles and behaves otherwise</h2>\n");
		add_findings(&r->cautions, &out);
	}
	ret = add_patches(r, &out, err);
	if (r->breakages.n) {
		strbuf_addstr(&out, "<h2>What broke</h2>\n");
		add_breakage_rows(&r->breakages, &out);
	}
	add_logs(r, &out);
	add_foot(r, &out);
	if (!ret)
		ret = file_write(path, out.buf, out.len, err);
	strbuf_release(&out);
	free(path);
	return ret;
}
