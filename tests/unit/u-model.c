// SPDX-License-Identifier: GPL-2.0-only
/* Which function a finding is about; what is placed of an answer. */
#include "tests/unit/names-fixture.h"

#include "port/model-internal.h"

static const char text[] = "#include <linux/dev.h>\n"  /* 1 */
			   "\n"
			   "int later(int a);\n"       /* 3 */
			   "\n"
			   "static int\n"	       /* 5 */
			   "first(int a)\n"
			   "{\n"
			   "\treturn a;\n"	       /* 8 */
			   "}\n"
			   "\n"
			   "static struct ops ops = {\n"
			   "\t.first = first,\n"       /* 12 */
			   "};\n"
			   "\n"
			   "int later(int a)\n"
			   "{\n"
			   "\treturn first(a);\n"
			   "}\n";		       /* 18 */

static void expect_function(const char *file, int line, const char *said, const char *want)
{
	struct finding f = { .file = (char *)file, .line = line, .function = (char *)said };
	char *got = model_finding_function(fix_tree, &f);

	if (want) {
		assert_non_null(got);
		assert_string_equal(got, want);
	} else {
		assert_null(got);
	}
	free(got);
}

static void functions_of_findings(void **state)
{
	fix_driver("x.c", text, "notes.txt", text, "empty.c", "", NULL);
	expect_function("x.c", 5, NULL, "first");
	expect_function("x.c", 6, NULL, "first");
	expect_function("x.c", 9, NULL, "first");
	expect_function("x.c", 15, NULL, "later");
	expect_function("x.c", 18, NULL, "later");
	/* Between, before and behind functions; a prototype is none. */
	expect_function("x.c", 1, NULL, NULL);
	expect_function("x.c", 3, NULL, NULL);
	expect_function("x.c", 10, NULL, NULL);
	expect_function("x.c", 12, NULL, NULL);
	expect_function("x.c", 19, NULL, NULL);
	expect_function("x.c", 1000000, NULL, NULL);
	/* Without a line, without text, in what is no C. */
	expect_function("x.c", 0, NULL, NULL);
	expect_function("x.c", -1, NULL, NULL);
	expect_function("notes.txt", 8, NULL, NULL);
	expect_function("empty.c", 1, NULL, NULL);
	expect_function("none.c", 8, NULL, NULL);
	expect_function(NULL, 8, NULL, NULL);
	/* What the checker said itself comes first. */
	expect_function("x.c", 8, "other", "other");
	expect_function("none.c", 8, "other", "other");
}

/* NULL: refused, and the sentence holds why. */
static void expect_placed(const char *path, const char *old, const char *new, const char *why)
{
	struct strbuf said = STRBUF_INIT;
	struct proto_edit e = { (char *)path, (char *)old, (char *)new, 0 };
	struct model_cand c = { .path = (char *)path, .reply = { .edits = &e, .nedits = 1 }, .model = (char *)"m" };
	struct edit_group *g = model_place(&c, fix_tree, &said);

	assert_int_equal(!g, !!why);
	if (why)
		assert_non_null(strstr(said.buf, why));
	else
		assert_int_equal(g->risk, RISK_REVIEW);
	edit_group_free(g);
	strbuf_release(&said);
}

static void bytes_that_were_lost(void **state)
{
	fix_driver("x.c", "int a; /* caf\xef\xbf\xbd */\nint b;\n", NULL);
	expect_placed("x.c", "int b;\n", "int c;\n", NULL);
	expect_placed("x.c", "int b;\n", "int c; /* \xef\xbf\xbd */\n", "no UTF-8");
	/* What the file has itself may stay, and no more of it. */
	expect_placed("x.c", "int a; /* caf\xef\xbf\xbd */\n", "int d; /* caf\xef\xbf\xbd */\n", NULL);
	expect_placed("x.c", "int a; /* caf\xef\xbf\xbd */\n", "int d; /* caf\xef\xbf\xbd\xef\xbf\xbd */\n", "no UTF-8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_findings),
		cmocka_unit_test(bytes_that_were_lost),
	};

	return cmocka_run_group_tests(tests, fix_open, fix_close);
}
