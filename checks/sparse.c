/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/sparse.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/sandbox.h"

/* ---- its command ---------------------------------------------------------- */

/* Options of gcc that sparse takes for something else, or that name outputs. */
static bool left_out(const char *arg)
{
	return !strcmp(arg, "-c") || starts_with(arg, "-W") || !strcmp(arg, "-w") ||
	       starts_with(arg, "-MD") || starts_with(arg, "-MMD") || starts_with(arg, "-fplugin") ||
	       starts_with(arg, "-fdiagnostics");
}

static void push_command(const struct kbuild_unit *u, bool stand_ins, struct strvec *argv)
{
	/* The predefined names are those that the kernel's Makefile gives to its checker. */
	static const char *const front[] = { "sparse", "-D__linux__", "-Dlinux", "-D__STDC__", "-Dunix",
					     "-D__unix__", "-Wbitwise", "-Wno-return-void",
					     "-Wno-unknown-attribute", NULL };
	size_t i;

	strvec_pushv(argv, front);
	if (stand_ins)
		strvec_pushl(argv, "-D__typeof_unqual__=__typeof__", "-D__builtin_strlen(x)=(sizeof(x)-1)",
			     NULL);
	for (i = 1; i < u->argv.n; i++) {
		if (!strcmp(u->argv.v[i], "-o"))
			i++;
		else if (!left_out(u->argv.v[i]))
			strvec_push(argv, u->argv.v[i]);
	}
}

static int run(const struct kbuild_unit *u, const struct kernel *k, const char *tree, bool stand_ins,
	       struct strbuf *out, struct strbuf *err)
{
	struct sandbox sb = SANDBOX_INIT;
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	int ret = kbuild_sandbox(k, NULL, NULL, &sb, err);

	if (ret == 0) {
		strvec_push(&sb.ro, tree);
		push_command(u, stand_ins, &c.argv);
		c.dir = u->cwd;
		c.out = out;
		c.err_to_out = true;
		/* Its own time is bounded; the wall clock only for a machine that stands still. */
		c.limits.cpu_seconds = 120;
		c.limits.wall_seconds = 1800;
		out->max = 8 << 20;
		ret = sandbox_run(&sb, &c, &r, err);
	}
	if (ret == 0 && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted in sparse");
	if (ret == 0 && r.kind == CHILD_TIMEOUT)
		ret = kp_fail(err, KP_INFRA, "sparse did not end within 1800 s of a busy machine");
	/* A limit or a crash is an error at the unit itself. */
	if (ret == 0 && r.kind != CHILD_EXITED)
		strbuf_addf(out, "%s:1:1: error: sparse ended early\n", u->source);
	child_release(&c);
	sandbox_release(&sb);
	return ret;
}

/* ---- its answer ----------------------------------------------------------- */

bool sparse_parse_line(const char *line, char **file, int *lineno, bool *error, const char **text)
{
	const char *p = line, *colon;
	char *end;
	long l;

	/* The file may hold colons: the place is the first ":N:N: ". */
	while ((colon = strchr(p, ':'))) {
		l = strtol(colon + 1, &end, 10);
		if (end != colon + 1 && *end == ':') {
			long col = strtol(end + 1, &end, 10);

			if (*end == ':' && end[1] == ' ' && col >= 0)
				break;
		}
		p = colon + 1;
	}
	if (!colon || l <= 0 || l > INT32_MAX)
		return false;
	p = end + 2;
	if (skip_prefix(p, "warning: ", text))
		*error = false;
	else if (skip_prefix(p, "error: ", text))
		*error = true;
	else
		return false;
	*file = xstrndup(line, colon - line);
	*lineno = (int)l;
	return true;
}

static const char *in_tree(const struct kbuild_unit *u, const char *tree, const char *file, char **full)
{
	*full = file[0] == '/' ? xstrdup(file) : path_join(u->cwd, file);
	return path_inside(tree, *full);
}

static void read_answer(const struct kbuild_unit *u, const char *tree, const struct strbuf *out,
			struct finding_list *l, enum sparse_answer *answer)
{
	struct strvec lines = STRVEC_INIT;
	size_t i;

	*answer = SPARSE_JUDGED;
	strvec_split(&lines, out->buf, "\n");
	for (i = 0; i < lines.n; i++) {
		const char *text, *rel;
		char *file, *full;
		bool error;
		int line;

		if (!sparse_parse_line(lines.v[i], &file, &line, &error, &text))
			continue;
		rel = in_tree(u, tree, file, &full);
		if (error && !rel)
			*answer = SPARSE_HEADERS_UNREADABLE;
		else if (error && *answer == SPARSE_JUDGED)
			*answer = SPARSE_NOT_JUDGED;
		if (rel)
			finding_addf(l, "sparse", NULL, rel, line, NULL, "%s", text);
		free(file);
		free(full);
	}
	strvec_release(&lines);
}

int sparse_unit(const struct kbuild_unit *u, const struct kernel *k, const char *tree,
		struct finding_list *out, enum sparse_answer *answer, struct strbuf *err)
{
	char *sparse = child_which("sparse");
	int ret = 0, stand_ins;

	if (!sparse)
		return kp_fail(err, KP_NOTFOUND, "sparse is not installed: apt-get install sparse");
	for (stand_ins = 0; stand_ins < 2; stand_ins++) {
		struct finding_list l = { 0 };
		struct strbuf text = STRBUF_INIT;
		size_t i;

		ret = run(u, k, tree, stand_ins, &text, err);
		if (ret == 0)
			read_answer(u, tree, &text, &l, answer);
		/* The first attempt counts when it went well, the second in any case. */
		for (i = 0; ret == 0 && i < l.n && (stand_ins || *answer == SPARSE_JUDGED); i++)
			finding_addf(out, "sparse", NULL, l.f[i].file, l.f[i].line, NULL, "%s", l.f[i].text);
		finding_list_release(&l);
		strbuf_release(&text);
		if (ret < 0 || *answer == SPARSE_JUDGED)
			break;
	}
	free(sparse);
	return ret;
}
