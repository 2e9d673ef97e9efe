// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include "drivebench/sibling.h"

static char *transfer(const char *old, const char *new, const char *text)
{
	struct strbuf o = STRBUF_INIT, n = STRBUF_INIT, t = STRBUF_INIT, out = STRBUF_INIT;

	strbuf_addstr(&o, old);
	strbuf_addstr(&n, new);
	strbuf_addstr(&t, text);
	assert_ok(sibling_transfer(&o, &n, &t, &out, &err));
	strbuf_release(&o);
	strbuf_release(&n);
	strbuf_release(&t);
	return strbuf_detach(&out, NULL);
}

static void expect(const char *old, const char *new, const char *text, const char *want)
{
	char *got = transfer(old, new, text);

	assert_string_equal(got, want);
	free(got);
}

static void test_transfer(void **state)
{
	/* the same line, with other blanks */
	expect("a\nold(x);\nb\n", "a\nnew(x);\nb\n", "p\n\told(x);\nq\n", "p\nnew(x);\nq\n");
	/* everywhere it stands */
	expect("old\n", "new\n", "old\nx\nold\n", "new\nx\nnew\n");
	/* several lines are one thing */
	expect("a\nb\nc\n", "c\n", "a\nx\nb\na\nb\n", "a\nx\nb\n");
	/* new lines follow the one that they followed */
	expect("#include <a.h>\nint x;\n", "#include <a.h>\n#include <b.h>\nint x;\n", "#include <a.h>\nint y;\n",
	       "#include <a.h>\n#include <b.h>\nint y;\n");
	/* nothing of it is there */
	expect("old\n", "new\n", "other\n", "other\n");
	expect("", "new\n", "x\n", "x\n");
	expect("x\n", "x\n", "no newline", "no newline");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_transfer) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
