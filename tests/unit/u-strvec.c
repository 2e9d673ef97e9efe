// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

static void test_empty_is_an_argv(void **state)
{
	struct strvec v = STRVEC_INIT;

	assert_non_null(v.v);
	assert_null(v.v[0]);
	strvec_sort(&v);
	strvec_clear(&v);
	strvec_pushv(&v, v.v);
	assert_int_equal(v.n, 0);
	assert_false(strvec_contains(&v, ""));
	strvec_release(&v);
	assert_null(strvec_empty[0]);
}

static void test_push(void **state)
{
	struct strvec v = STRVEC_INIT;

	strvec_pushl(&v, "make", "-C", NULL);
	strvec_pushf(&v, "%s/%d", "dir", 6);
	strvec_push_nodup(&v, xstrdup("modules"));
	for (int i = 0; i < 100; i++)
		strvec_push(&v, "x");
	assert_int_equal(v.n, 104);
	assert_null(v.v[v.n]);
	assert_string_equal(v.v[2], "dir/6");
	assert_true(strvec_contains(&v, "modules"));
	strvec_release(&v);
}

static void test_remove(void **state)
{
	struct strvec v = STRVEC_INIT;

	strvec_pushl(&v, "a", "b", "c", NULL);
	strvec_remove(&v, 1);
	assert_int_equal(v.n, 2);
	assert_string_equal(v.v[1], "c");
	assert_null(v.v[2]);
	strvec_remove(&v, 1);
	strvec_remove(&v, 0);
	assert_int_equal(v.n, 0);
	assert_null(v.v[0]);
	strvec_push(&v, "again");
	assert_string_equal(v.v[0], "again");
	strvec_release(&v);
}

static void test_sort_is_bytewise(void **state)
{
	struct strvec v = STRVEC_INIT;
	static const char *const want[] = { "", "B", "_", "a", "a-b", "a/b", "\xff" };

	strvec_pushl(&v, "\xff", "a/b", "a", "", "_", "a-b", "B", NULL);
	strvec_sort(&v);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_string_equal(v.v[i], want[i]);
	strvec_release(&v);
}

static void test_split(void **state)
{
	struct strvec v = STRVEC_INIT;

	strvec_split(&v, ",,a,b;;c,", ",;");
	assert_int_equal(v.n, 3);
	assert_string_equal(v.v[2], "c");
	strvec_clear(&v);
	strvec_split(&v, "", ",");
	strvec_split(&v, ",;", ",;");
	assert_int_equal(v.n, 0);
	strvec_split(&v, "no delimiter", ",");
	assert_int_equal(v.n, 1);
	strvec_release(&v);
}

static void split_shell(const char *text, const char *joined)
{
	struct strvec v = STRVEC_INIT;
	struct strbuf got = STRBUF_INIT;

	assert_ok(strvec_split_shell(&v, text, &err));
	for (size_t i = 0; i < v.n; i++)
		strbuf_addf(&got, "<%s>", v.v[i]);
	assert_string_equal(got.buf, joined);
	strbuf_release(&got);
	strvec_release(&v);
}

static void test_split_shell(void **state)
{
	split_shell("", "");
	split_shell(" \t\n ", "");
	split_shell("gcc -c  a.c", "<gcc><-c><a.c>");
	split_shell("-DX='a b' -DY=\"c d\"", "<-DX=a b><-DY=c d>");
	split_shell("''", "<>");
	split_shell("a '' \"\" b", "<a><><><b>");
	split_shell("a\\ b \\\\ \\\"", "<a b><\\><\">");
	split_shell("'a\\b' \"a\\b\" a\\b", "<a\\b><a\\b><ab>");
	split_shell("\"\\$x \\` \\\" \\\\ \\n\"", "<$x ` \" \\ \\n>");
	split_shell("'it'\\''s'", "<it's>");
	split_shell("$HOME * ~ #x", "<$HOME><*><~><#x>");
	split_shell("-D'KBUILD_STR(s)=#s' '-DM=KBUILD_STR(e1000)'",
		    "<-DKBUILD_STR(s)=#s><-DM=KBUILD_STR(e1000)>");
	split_shell("a \\\n b\\\nc", "<a><bc>");
	split_shell("\"a\\\nb\" 'x\ny'", "<ab><x\ny>");
}

static void test_split_shell_unterminated(void **state)
{
	static const char *const bad[] = { "'", "\"", "a 'b", "a \"b\\\"", "a\\", "\\", "'a'\"" };
	struct strvec v = STRVEC_INIT;

	strvec_push(&v, "kept");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_fails(KP_ERR, "unterminated", strvec_split_shell(&v, bad[i], &err));
		assert_int_equal(v.n, 1);
		assert_null(v.v[1]);
	}
	strvec_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_is_an_argv),
		cmocka_unit_test(test_push),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_sort_is_bytewise),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_split_shell),
		cmocka_unit_test(test_split_shell_unterminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
