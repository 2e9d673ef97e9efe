// SPDX-License-Identifier: GPL-2.0-only
/* kport bench report: a run as JUnit XML, KTAP or Markdown, from its records alone. */
#include "base/compat.h"
#include "drivebench/cmd-bench.h"

#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "drivebench/report-html.h"
#include "port/html.h"

static const char *text_of(const json_t *rec, const char *key, const char *dflt)
{
	const char *s = json_get_str(rec, key);

	return s ? s : dflt;
}

static void junit_case(struct strbuf *out, const char *name, const json_t *rec, const char *reason)
{
	const char *status = text_of(rec, "status", "infra");

	strbuf_addf(out, "  <testcase classname=\"%s\" name=\"", text_of(rec, "track", "missing"));
	html_text(out, name);
	strbuf_addf(out, "\" time=\"%.3f\">", json_get_num(json_object_get(json_object_get(rec, "cost"), "seconds"), "solve", 0));
	if (!json_get_bool(rec, "resolved", false)) {
		strbuf_addf(out, "<%s message=\"", !strcmp(status, "infra") ? "error" : "failure");
		html_text(out, reason);
		strbuf_addstr(out, "\"/>");
	}
	strbuf_addstr(out, "</testcase>\n");
}

static void one(struct strbuf *out, const char *format, const char *name, size_t nr, const json_t *rec)
{
	struct strbuf reason = STRBUF_INIT;
	bool ok = json_get_bool(rec, "resolved", false);

	record_why(rec, &reason);
	if (!strcmp(format, "junit"))
		junit_case(out, name, rec, reason.buf);
	else if (!strcmp(format, "ktap"))
		strbuf_addf(out, "%sok %zu %s%s%s\n", ok ? "" : "not ", nr, name, ok ? "" : " # ", ok ? "" : reason.buf);
	else
		strbuf_addf(out, "| %s | %s | %s |\n", name, ok ? "resolved" : reason.buf, text_of(rec, "equivalence", ""));
	strbuf_release(&reason);
}

static void write_all(const struct bench_run *r, const json_t *records, const char *format, struct strbuf *out)
{
	size_t n = json_array_size(records), failures = 0, errors = 0;

	for (size_t i = 0; i < n; i++) {
		const json_t *rec = json_array_get(records, i);
		bool infra = !strcmp(text_of(rec, "status", "infra"), "infra");

		errors += infra;
		failures += !infra && !json_get_bool(rec, "resolved", false);
	}
	if (!strcmp(format, "junit"))
		strbuf_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"kport bench\" tests=\"%zu\" "
			    "failures=\"%zu\" errors=\"%zu\">\n", n, failures, errors);
	else if (!strcmp(format, "ktap"))
		strbuf_addf(out, "KTAP version 1\n1..%zu\n", n);
	else
		strbuf_addf(out, "%zu of %zu resolved, %zu infrastructure faults\n\n| case | result | against gold |\n"
			    "|---|---|---|\n", n - failures - errors, n, errors);
	for (size_t i = 0; i < n; i++) {
		const struct bench_case *c = r->cases.c[i / (size_t)r->attempts];
		struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "%.12s.%zu ", c->id, i % (size_t)r->attempts + 1);
		strbuf_add_shown(&name, c->path ? c->path : c->name, strlen(c->path ? c->path : c->name));
		one(out, format, name.buf, i + 1, json_array_get(records, i));
		strbuf_release(&name);
	}
	if (!strcmp(format, "junit"))
		strbuf_addstr(out, "</testsuite>\n");
}

static const char *const formats[] = { "markdown", "junit", "ktap", "html" };

static int write_text(const struct scored *s, const char *format, const char *file, struct strbuf *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	write_all(&s->r, s->records, format, &out);
	if (file)
		ret = file_write(file, out.buf, out.len, err);
	else
		fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	return ret;
}

int bench_report(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	const char *format = "markdown", *out = NULL;
	const struct option table[] = {
		OPTION_STR(0, "format", &format, "FORMAT", "markdown (default), junit, ktap or html; JSON is what score --json gives"),
		OPTION_STR('o', "out", &out, "FILE|DIR", "write it there; html needs a directory"),
		OPTION_END()
	};
	struct scored_list l = { 0 };
	bool html, known = false;
	int ret = 0;

	options_parse(cmd, table, argc, argv, &operands);
	html = !strcmp(format, "html");
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		known |= !strcmp(format, formats[i]);
	if (!known)
		usage("--format is markdown, junit, ktap or html");
	if (!operands.n || (operands.n > 1 && !html))
		usage(html ? "name a run" : "name one run; only html takes several");
	if (html && !out)
		usage("say where the pages go: --out DIR");
	for (size_t i = 0; !ret && i < operands.n; i++)
		ret = scored_add(&l, operands.v[i], NULL, &err);
	if (!ret)
		ret = html ? report_html(&l, out, &err) : write_text(&l.v[0], format, out, &err);
	if (!ret && html)
		printf("report  %s/index.html\n", out);
	scored_release(&l);
	strvec_release(&operands);
	command_end(ret, &err);
	return ret == KP_NOTFOUND ? EXIT_FATAL : ret ? kp_exit_code(ret) : EXIT_YES;
}
