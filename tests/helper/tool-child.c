// SPDX-License-Identifier: GPL-2.0-only
/* For tests that need a whole process around child_run: signals, kill -9. */
#include "base/compat.h"
#include "tests/helper/test-tool.h"

#include "base/child.h"
#include "base/error.h"

static int run_and_tell(struct child *c)
{
	struct strbuf err = STRBUF_INIT, out = STRBUF_INIT, how = STRBUF_INIT;
	struct child_result r;
	int code, ret;

	c->out = &out;
	ret = child_run(c, &r, &err);
	if (ret < 0) {
		fprintf(stderr, "%s\n", err.buf);
		code = kp_exit_code(ret);
	} else {
		child_describe(&r, &how);
		printf("%s%s\n", out.buf, how.buf);
		code = r.kind == CHILD_INTERRUPTED ? EXIT_SIGINT : EXIT_YES;
	}
	strbuf_release(&out);
	strbuf_release(&how);
	strbuf_release(&err);
	return code;
}

struct copies {
	const struct child *model;
	int left, ended[5];
};

static bool next_copy(struct child *c, void **task, void *payload)
{
	struct copies *k = payload;

	if (!k->left)
		return false;
	k->left--;
	strvec_pushv(&c->argv, k->model->argv.v);
	c->limits = k->model->limits;
	return true;
}

static void copy_done(struct child *c, const struct child_result *r, const char *start_error,
		      void *task, void *payload)
{
	struct copies *k = payload;

	if (r)
		k->ended[r->kind]++;
}

/* Twice as many as may run at once. */
static int run_copies(const struct child *c, int jobs)
{
	struct copies k = { .model = c, .left = 2 * jobs };
	struct child_task t = { .next = next_copy, .done = copy_done, .payload = &k };
	struct strbuf err = STRBUF_INIT;
	int ret = child_run_parallel(&t, jobs, &err);

	printf("%d exited, %d interrupted, %d not started\n", k.ended[CHILD_EXITED],
	       k.ended[CHILD_INTERRUPTED], k.left);
	strbuf_release(&err);
	return kp_exit_code(ret);
}

int tool_child(int argc, const char **argv)
{
	struct child c = CHILD_INIT;
	int i, code, jobs = 0;

	for (i = 1; i + 1 < argc && starts_with(argv[i], "--"); i += 2) {
		if (!strcmp(argv[i], "--timeout"))
			c.limits.wall_seconds = strtod(argv[i + 1], NULL);
		else if (!strcmp(argv[i], "--cap"))
			c.limits.output_bytes = strtoull(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--jobs"))
			jobs = (int)strtol(argv[i + 1], NULL, 10);
		else
			return EXIT_USAGE;
	}
	for (; i < argc; i++)
		strvec_push(&c.argv, argv[i]);
	child_catch_signals();
	code = jobs ? run_copies(&c, jobs) : run_and_tell(&c);
	child_release(&c);
	return code;
}
