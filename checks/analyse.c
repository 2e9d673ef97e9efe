/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/analyse.h"
#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "checks/unittool.h"

/* ---- gcc ------------------------------------------------------------------ */

int analyse_gcc(const struct kbuild_unit *u, const struct kernel *k, const char *tree, struct finding_list *out,
		enum analyse_answer *answer, struct strbuf *err)
{
	struct strvec extra = STRVEC_INIT;
	struct diag_list l = { 0 };
	int code = 0, ret;

	*answer = ANALYSE_NOT_JUDGED;
	/* A driver that is built by another compiler has no gcc options. */
	if (!u->argv.n || !strstr(path_base(u->argv.v[0]), "gcc"))
		return 0;
	strvec_push(&extra, "-fanalyzer");
	ret = kbuild_recheck(u, k, tree, true, &extra, &l, &code, err);
	if (ret == 0 && code == 0)
		*answer = ANALYSE_JUDGED;
	for (size_t i = 0; ret == 0 && i < l.n; i++) {
		const struct diag *d = &l.d[i];
		const char *rel = d->loc.file ? path_inside(tree, d->loc.file) : NULL;

		if (rel && d->level != DIAG_NOTE && d->option && starts_with(d->option, "-Wanalyzer"))
			finding_addf(out, "gcc-analyzer", d->option, rel, d->loc.line, NULL, "%s", d->message);
	}
	diag_list_release(&l);
	strvec_release(&extra);
	return ret;
}

/* ---- clang ---------------------------------------------------------------- */

/*
 * Stores that nobody reads are left to the compiler's warnings: in drivers they are mostly meant. The other
 * checkers are clang's default.
 */
static void push_command(const struct kbuild_unit *u, struct strvec *argv)
{
	struct strvec own = STRVEC_INIT;

	strvec_pushl(argv, "clang", "--analyze", "-Xclang", "-analyzer-output=text", "-Xclang",
		     "-analyzer-disable-checker=deadcode", "-Wno-everything", "-Qunused-arguments",
		     "-fno-caret-diagnostics", "-fno-color-diagnostics", NULL);
	unit_tool_args(u, &own);
	/* Code generation is gcc's alone; what a header asks for by -f and -m is not seen by an analyser. */
	for (size_t i = 0; i < own.n; i++)
		if (!starts_with(own.v[i], "-f") && !starts_with(own.v[i], "-m") && !starts_with(own.v[i], "--param"))
			strvec_push(argv, own.v[i]);
	strvec_pushl(argv, "-fshort-wchar", "-o", "/dev/null", NULL);
	strvec_release(&own);
}

char *analyse_split_rule(const char *text, char **rule)
{
	size_t n = strlen(text);
	const char *open = strrchr(text, '[');

	*rule = NULL;
	if (!open || open == text || open[-1] != ' ' || text[n - 1] != ']' || !open[1] || open[1] == ']')
		return xstrdup(text);
	*rule = xstrndup(open + 1, (size_t)(text + n - 1 - (open + 1)));
	return xstrndup(text, (size_t)(open - 1 - text));
}

static void read_line(const struct kbuild_unit *u, const char *tree, const char *line, struct finding_list *out,
		      enum analyse_answer *answer)
{
	const char *text, *rel;
	char *file, *full, *rule, *words;
	bool error;
	int lineno;

	if (!unit_tool_line(line, &file, &lineno, &error, &text))
		return;
	rel = unit_tool_place(u, tree, file, &full);
	words = analyse_split_rule(text, &rule);
	if (error)
		*answer = ANALYSE_NOT_JUDGED;
	else if (rel && rule)
		finding_addf(out, "clang-analyzer", rule, rel, lineno, NULL, "%s", words);
	free(words);
	free(rule);
	free(file);
	free(full);
}

int analyse_clang(const struct kbuild_unit *u, const struct kernel *k, const char *tree, struct finding_list *out,
		  enum analyse_answer *answer, struct strbuf *err)
{
	struct strvec argv = STRVEC_INIT, lines = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct finding_list l = { 0 };
	char *clang = child_which("clang");
	int ret = clang ? 0 : kp_fail(err, KP_NOTFOUND, "clang is not installed: apt-get install clang");

	push_command(u, &argv);
	if (ret == 0)
		ret = unit_tool_run(u, k, tree, &argv, &text, err);
	*answer = ANALYSE_JUDGED;
	if (ret == 0)
		strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; i < lines.n; i++)
		read_line(u, tree, lines.v[i], &l, answer);
	/* What is said of a unit that clang understands in part is not to be relied on. */
	for (size_t i = 0; *answer == ANALYSE_JUDGED && i < l.n; i++)
		finding_addf(out, l.f[i].tool, l.f[i].rule, l.f[i].file, l.f[i].line, NULL, "%s", l.f[i].text);
	finding_list_release(&l);
	strbuf_release(&text);
	strvec_release(&lines);
	strvec_release(&argv);
	free(clang);
	return ret;
}
