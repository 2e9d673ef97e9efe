/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/unittool.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/sandbox.h"

/* Options of gcc that other tools take for something else, or that name outputs. */
static bool left_out(const char *arg)
{
	return !strcmp(arg, "-c") || starts_with(arg, "-W") || !strcmp(arg, "-w") ||
	       starts_with(arg, "-MD") || starts_with(arg, "-MMD") || starts_with(arg, "-fplugin") ||
	       starts_with(arg, "-fdiagnostics");
}

void unit_tool_args(const struct kbuild_unit *u, struct strvec *argv)
{
	for (size_t i = 1; i < u->argv.n; i++) {
		if (!strcmp(u->argv.v[i], "-o"))
			i++;
		else if (!left_out(u->argv.v[i]))
			strvec_push(argv, u->argv.v[i]);
	}
}

int unit_tool_run(const struct kbuild_unit *u, const struct kernel *k, const char *tree, const struct strvec *argv,
		  struct strbuf *out, struct strbuf *err)
{
	struct sandbox sb = SANDBOX_INIT;
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	int ret = kbuild_sandbox(k, NULL, NULL, &sb, err);

	if (ret == 0) {
		strvec_push(&sb.ro, tree);
		strvec_pushv(&c.argv, argv->v);
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
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted in %s", argv->v[0]);
	if (ret == 0 && r.kind == CHILD_TIMEOUT)
		ret = kp_fail(err, KP_INFRA, "%s did not end within 1800 s of a busy machine", argv->v[0]);
	/* A limit or a crash is an error at the unit itself. */
	if (ret == 0 && r.kind != CHILD_EXITED)
		strbuf_addf(out, "%s:1:1: error: %s ended early\n", u->source, argv->v[0]);
	child_release(&c);
	sandbox_release(&sb);
	return ret;
}

bool unit_tool_line(const char *line, char **file, int *lineno, bool *error, const char **text)
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

const char *unit_tool_place(const struct kbuild_unit *u, const char *tree, const char *file, char **full)
{
	*full = file[0] == '/' ? xstrdup(file) : path_join(u->cwd, file);
	return path_inside(tree, *full);
}
