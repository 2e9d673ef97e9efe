// SPDX-License-Identifier: GPL-2.0-only
/* kport bench report: a run as JUnit XML, KTAP or Markdown, from its records alone. */
#include "base/compat.h"
#include "drivebench/cmd-bench.h"

#include "base/command.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "drivebench/score.h"
#include "port/html.h"

static const char *text_of(const json_t *rec, const char *key, const char *dflt)
{
	const char *s = json_get_str(rec, key);

	return s ? s : dflt;
}

/* "compile FAIL" of the first gate that is not passed; the status when there is none. */
static void why(const json_t *rec, struct strbuf *out)
{
	const json_t *gates = json_object_get(rec, "gates");

	for (int g = 0; g < GATE_COUNT; g++) {
		const char *v = json_get_str(gates, gate_name((enum gate_id)g));

		if (v && strcmp(v, "PASS") && strcmp(v, "SKIP")) {
			strbuf_addf(out, "%s %s", gate_name((enum gate_id)g), v);
			return;
		}
	}
	strbuf_addstr(out, text_of(rec, "status", "no result"));
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

	why(rec, &reason);
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

int bench_report(const struct command *cmd, int argc, const char **argv)
{
	struct strvec operands = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT, out = STRBUF_INIT;
	const char *format = "markdown", *file = NULL;
	const struct option table[] = {
		OPTION_STR(0, "format", &format, "FORMAT", "markdown (default), junit or ktap; JSON is what score --json gives"),
		OPTION_STR('o', "out", &file, "FILE", "write it there"),
		OPTION_END()
	};
	struct bench_run r;
	json_t *records = NULL;
	int ret;

	options_parse(cmd, table, argc, argv, &operands);
	if (operands.n != 1)
		usage("name one run");
	if (strcmp(format, "markdown") && strcmp(format, "junit") && strcmp(format, "ktap"))
		usage("--format is markdown, junit or ktap");
	ret = bench_run_open(operands.v[0], false, &r, &err);
	if (!ret)
		ret = score_read(&r, &records, &err);
	if (!ret)
		write_all(&r, records, format, &out);
	if (!ret && file)
		ret = file_write(file, out.buf, out.len, &err);
	else if (!ret)
		fwrite(out.buf, 1, out.len, stdout);
	if (!ret)
		json_decref(records);
	bench_run_close(&r);
	strbuf_release(&out);
	strvec_release(&operands);
	command_end(ret, &err);
	return ret == KP_NOTFOUND ? EXIT_FATAL : ret ? kp_exit_code(ret) : EXIT_YES;
}
