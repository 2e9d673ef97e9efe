// SPDX-License-Identifier: GPL-2.0-only
/* Runs a command in the sandbox; its output goes through, the end is told on stderr. */
#include "base/compat.h"
#include "base/error.h"
#include "harness/sandbox.h"
#include "tests/helper/test-tool.h"

int tool_sandbox(int argc, const char **argv)
{
	struct sandbox sb = SANDBOX_INIT;
	struct strbuf err = STRBUF_INIT, blame = STRBUF_INIT, how = STRBUF_INIT, out = STRBUF_INIT;
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	int i, ret;

	c.dir = "/";
	for (i = 1; i + 1 < argc && starts_with(argv[i], "--") && argv[i][2]; i += 2) {
		if (!strcmp(argv[i], "--rw")) {
			strvec_push(&sb.rw, argv[i + 1]);
			c.dir = argv[i + 1];
		} else if (!strcmp(argv[i], "--ro")) {
			strvec_push(&sb.ro, argv[i + 1]);
		} else if (!strcmp(argv[i], "--processes")) {
			sb.max_processes = strtoull(argv[i + 1], NULL, 10);
		} else if (!strcmp(argv[i], "--write-mib")) {
			sb.max_write_bytes = strtoull(argv[i + 1], NULL, 10) << 20;
		} else if (!strcmp(argv[i], "--files")) {
			sb.max_files = strtoull(argv[i + 1], NULL, 10);
		} else if (!strcmp(argv[i], "--wall")) {
			c.limits.wall_seconds = atof(argv[i + 1]);
		} else {
			return 129;
		}
	}
	i += i < argc && !strcmp(argv[i], "--");
	for (; i < argc; i++)
		strvec_push(&c.argv, argv[i]);
	sb.blame = &blame;
	c.out = &out;
	ret = sandbox_run(&sb, &c, &r, &err);
	fwrite(out.buf, 1, out.len, stdout);
	fflush(stdout);
	if (ret < 0) {
		fprintf(stderr, "test-tool sandbox: %s\n", err.buf);
	} else {
		child_describe(&r, &how);
		fprintf(stderr, "%s%s%s\n", how.buf, blame.len ? "; " : "", blame.buf);
		ret = child_ok(&r) && !blame.len ? 0 : 1;
	}
	child_release(&c);
	sandbox_release(&sb);
	strbuf_release(&err);
	strbuf_release(&blame);
	strbuf_release(&how);
	strbuf_release(&out);
	return ret < 0 ? kp_exit_code(ret) : ret;
}
