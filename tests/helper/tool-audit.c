// SPDX-License-Identifier: GPL-2.0-only
/* Writes an audit trail: each word is an event. */
#include "base/compat.h"
#include "tests/helper/test-tool.h"

#include "base/alloc.h"
#include "base/audit.h"
#include "base/child.h"
#include "base/error.h"
#include "base/jsonutil.h"

static int run_child(const char *program, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result r;
	int ret;

	strvec_push(&c.argv, program);
	ret = child_run(&c, &r, err);
	child_release(&c);
	return ret;
}

static int add_many(struct audit *a, long n, struct strbuf *err)
{
	int ret = 0;

	for (long i = 0; !ret && i < n; i++)
		ret = audit_add(a, "many", json_integer(i), err);
	return ret;
}

/* "child:PROG" runs it; "hold:FIFO" waits; "many:N"; "NAME:VALUE"; "NAME". */
static int one_event(struct audit *a, const char *word, struct strbuf *err)
{
	const char *rest;
	json_t *data = NULL;
	char *name;
	int ret;

	if (skip_prefix(word, "child:", &rest))
		return run_child(rest, err);
	if (skip_prefix(word, "many:", &rest))
		return add_many(a, strtol(rest, NULL, 10), err);
	if (skip_prefix(word, "hold:", &rest)) {
		FILE *f = fopen(rest, "r");

		if (f) {
			getc(f);
			fclose(f);
		}
		return 0;
	}
	rest = strchr(word, ':');
	if (rest) {
		data = json_object();
		json_set_str(data, "value", rest + 1);
	}
	name = xstrndup(word, strcspn(word, ":"));
	ret = audit_add(a, name, data, err);
	free(name);
	return ret;
}

int tool_audit(int argc, const char **argv)
{
	struct strbuf err = STRBUF_INIT;
	struct audit *a = NULL;
	int ret;

	if (argc < 2)
		return EXIT_USAGE;
	ret = audit_open(argv[1], &a, &err);
	if (!ret)
		audit_watch_children(a);
	for (int i = 2; !ret && i < argc; i++)
		ret = one_event(a, argv[i], &err);
	if (ret < 0)
		fprintf(stderr, "%s\n", err.buf);
	audit_close(a);
	strbuf_release(&err);
	return kp_exit_code(ret);
}
