/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/coccicheck.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/sandbox.h"

#define OUTPUT_CAP (8 << 20)

static int run_spatch(struct strvec *argv, const char *tree, const char *checks, unsigned seconds,
		      struct strbuf *out, struct child_result *r, struct strbuf *err)
{
	struct sandbox sb = SANDBOX_INIT;
	struct child c = CHILD_INIT;
	int ret;

	strvec_push(&sb.ro, tree);
	strvec_push(&sb.ro, checks);
	strvec_pushv(&c.argv, argv->v);
	c.dir = tree;
	c.out = out;
	c.err_to_out = true;
	/* Its own time is bounded; the wall clock only for a machine that stands still. */
	c.limits.cpu_seconds = seconds;
	c.limits.wall_seconds = 20.0 * seconds;
	out->max = OUTPUT_CAP;
	ret = sandbox_run(&sb, &c, r, err);
	if (ret == 0 && r->kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted in spatch");
	else if (ret == 0 && r->kind == CHILD_TIMEOUT)
		ret = kp_fail(err, KP_INFRA, "spatch did not end within %u s of a busy machine", 20 * seconds);
	child_release(&c);
	sandbox_release(&sb);
	return ret;
}

/* ---- what it can read ----------------------------------------------------- */

double coccicheck_parse_rate(const char *output)
{
	/* "nb good = 5321,  nb bad = 0 =========> 100.00% good or passed", the last one. */
	const char *p = output, *last = NULL;
	char *end;
	double good, bad;

	while ((p = strstr(p, "nb good = "))) {
		if (strstr(p, "nb bad = ") && strcspn(p, "\n") > (size_t)(strstr(p, "nb bad = ") - p))
			last = p;
		p++;
	}
	if (!last)
		return -1;
	good = strtod(last + strlen("nb good = "), &end);
	bad = strtod(strstr(last, "nb bad = ") + strlen("nb bad = "), &end);
	return good + bad > 0 ? good / (good + bad) : -1;
}

static int judge_readable(struct coccicheck *cc, const char *tree, const char *checks, const char *file,
			  struct strbuf *err)
{
	struct strvec argv = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	struct child_result r = { 0 };
	double rate;
	int ret;

	strvec_pushl(&argv, "spatch", "--parse-c", NULL);
	strvec_pushf(&argv, "./%s", file);
	ret = run_spatch(&argv, tree, checks, 120, &out, &r, err);
	rate = ret == 0 ? coccicheck_parse_rate(out.buf) : 1;
	if (ret == 0 && !child_ok(&r))
		strvec_pushf(&cc->unknown, "%s: spatch cannot parse it", file);
	else if (rate >= 0 && rate < COCCI_PARSED_ENOUGH)
		strvec_pushf(&cc->unknown, "%s: spatch parses %.0f %% of it", file, 100 * rate);
	strvec_release(&argv);
	strbuf_release(&out);
	return ret;
}

/* ---- the checks ----------------------------------------------------------- */

/* "./file:12:3-4: text" */
static void read_report(struct coccicheck *cc, const char *check, const char *line)
{
	const char *p = line, *colon, *text;
	char *end, *file;
	long n;

	skip_prefix(p, "./", &p);
	colon = strchr(p, ':');
	if (!colon)
		return;
	n = strtol(colon + 1, &end, 10);
	text = strstr(end, ": ");
	if (end == colon + 1 || *end != ':' || !text || n <= 0 || n > INT32_MAX)
		return;
	file = xstrndup(p, colon - p);
	if (path_is_safe(file))
		finding_addf(&cc->findings, "coccinelle", check, file, (int)n, NULL, "%s", text + 2);
	free(file);
}

int coccicheck_one(struct coccicheck *cc, const char *path, const char *tree, const struct strvec *files,
		   struct strbuf *err)
{
	const char *name = path_base(path);
	char *check = xstrndup(name, strlen(name) - strlen(".cocci")), *dir = path_dir(path);
	struct strvec argv = STRVEC_INIT, lines = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	struct child_result r = { 0 };
	size_t i;
	int ret;

	strvec_pushl(&argv, "spatch", "--very-quiet", "-D", "report", "--no-includes", "--sp-file", path, NULL);
	for (i = 0; i < files->n; i++)
		strvec_pushf(&argv, "./%s", files->v[i]);
	ret = run_spatch(&argv, tree, dir, 60 + 60 * (unsigned)files->n, &out, &r, err);
	if (ret == 0) {
		strvec_split(&lines, out.buf, "\n");
		for (i = 0; i < lines.n; i++)
			read_report(cc, check, lines.v[i]);
		if (!child_ok(&r))
			strvec_pushf(&cc->unknown, "check '%s' ended early", check);
		cc->checks++;
	}
	strvec_release(&argv);
	strvec_release(&lines);
	strbuf_release(&out);
	free(check);
	free(dir);
	return ret;
}

int coccicheck_run(struct coccicheck *cc, const char *tree, const struct strvec *files,
		   struct strbuf *err)
{
	char *checks = kport_data_path("checks/cocci"), *spatch = child_which("spatch");
	struct strvec names = STRVEC_INIT;
	size_t i;
	int ret = 0;

	if (!spatch)
		ret = kp_fail(err, KP_NOTFOUND, "spatch is not installed: apt-get install coccinelle");
	if (ret == 0)
		ret = file_list(checks, &names, err);
	for (i = 0; ret == 0 && i < files->n; i++)
		ret = judge_readable(cc, tree, checks, files->v[i], err);
	for (i = 0; ret == 0 && files->n && i < names.n; i++) {
		char *path = path_join(checks, names.v[i]);

		if (ends_with(path, ".cocci"))
			ret = coccicheck_one(cc, path, tree, files, err);
		free(path);
	}
	if (ret == 0 && files->n && !cc->checks)
		ret = kp_fail(err, KP_INFRA, "'%s' holds no semantic check", checks);
	strvec_release(&names);
	free(checks);
	free(spatch);
	return ret;
}

void coccicheck_release(struct coccicheck *cc)
{
	finding_list_release(&cc->findings);
	strvec_release(&cc->unknown);
}
