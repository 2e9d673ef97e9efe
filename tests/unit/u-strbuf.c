// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

static void test_starts_empty(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	assert_string_equal(sb.buf, "");
	strbuf_setlen(&sb, 0);
	strbuf_reset(&sb);
	strbuf_rtrim(&sb);
	strbuf_trim(&sb);
	strbuf_addstr(&sb, "");
	strbuf_splice(&sb, 0, 0, "", 0);
	assert_ptr_equal(sb.buf, strbuf_slopbuf);
	strbuf_release(&sb);
	assert_int_equal(strbuf_slopbuf[0], 0);
}

static void test_add(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, "one");
	strbuf_addch(&sb, ' ');
	strbuf_add(&sb, "two\0three", 9);
	assert_int_equal(sb.len, 13);
	assert_memory_equal(sb.buf, "one two\0three", 14);
	strbuf_addbuf(&sb, &sb);
	assert_int_equal(sb.len, 26);
	assert_memory_equal(sb.buf + 13, "one two\0three", 14);
	strbuf_setlen(&sb, 3);
	assert_string_equal(sb.buf, "one");
	strbuf_release(&sb);
	assert_string_equal(sb.buf, "");
}

static void test_grows(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	for (int i = 0; i < 100000; i++)
		strbuf_addch(&sb, 'a' + i % 26);
	assert_int_equal(sb.len, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(sb.buf[i], 'a' + i % 26);
	assert_int_equal(sb.buf[100000], 0);
	strbuf_release(&sb);
}

static void test_addf(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *big = xmalloc(5001);

	memset(big, 'x', 5000);
	big[5000] = '\0';
	strbuf_addf(&sb, "%d-%s-%c", 42, big, 'z');
	assert_int_equal(sb.len, 5005);
	assert_string_equal(sb.buf + 5003, "-z");
	strbuf_reset(&sb);
	/* exactly the size of the small buffer, and one around it */
	for (int n = 254; n <= 257; n++) {
		strbuf_reset(&sb);
		strbuf_addf(&sb, "%.*s", n, big);
		assert_int_equal(sb.len, n);
		assert_int_equal(strlen(sb.buf), n);
	}
	free(big);
	strbuf_release(&sb);
}

static void test_max(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	sb.max = 5;
	strbuf_addstr(&sb, "abc");
	assert_false(sb.truncated);
	strbuf_addstr(&sb, "defg");
	assert_string_equal(sb.buf, "abcde");
	assert_true(sb.truncated);
	strbuf_addch(&sb, 'x');
	strbuf_addf(&sb, "%d", 1);
	strbuf_addbuf(&sb, &sb);
	assert_string_equal(sb.buf, "abcde");
	strbuf_reset(&sb);
	assert_false(sb.truncated);
	strbuf_addstr(&sb, "12345");
	assert_false(sb.truncated);
	strbuf_splice(&sb, 1, 1, "wxyz", 4);
	assert_true(sb.truncated);
	assert_int_equal(sb.len, 5);
	strbuf_release(&sb);
	assert_int_equal(sb.max, 5);
}

static void test_splice(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, "int foo(void)");
	strbuf_splice(&sb, 4, 3, "probe_me", 8);
	assert_string_equal(sb.buf, "int probe_me(void)");
	strbuf_splice(&sb, 0, 4, "", 0);
	assert_string_equal(sb.buf, "probe_me(void)");
	strbuf_splice(&sb, sb.len, 0, ";", 1);
	assert_string_equal(sb.buf, "probe_me(void);");
	strbuf_splice(&sb, 0, sb.len, "", 0);
	assert_string_equal(sb.buf, "");
	strbuf_release(&sb);
}

static void test_trim(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, " \t a b \r\n\n");
	strbuf_trim(&sb);
	assert_string_equal(sb.buf, "a b");
	strbuf_reset(&sb);
	strbuf_addstr(&sb, " \n ");
	strbuf_trim(&sb);
	assert_int_equal(sb.len, 0);
	strbuf_addstr(&sb, " x ");
	strbuf_rtrim(&sb);
	assert_string_equal(sb.buf, " x");
	strbuf_release(&sb);
}

static void test_detach(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	size_t len = 99;
	char *s = strbuf_detach(&sb, &len);

	assert_string_equal(s, "");
	assert_int_equal(len, 0);
	free(s);
	strbuf_addstr(&sb, "abc");
	s = strbuf_detach(&sb, NULL);
	assert_string_equal(s, "abc");
	assert_string_equal(sb.buf, "");
	strbuf_addstr(&sb, "again");
	assert_string_equal(sb.buf, "again");
	free(s);
	strbuf_release(&sb);
}

static void test_read_fd(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	int p[2];

	assert_int_equal(pipe(p), 0);
	assert_int_equal(write(p[1], "hello", 5), 5);
	close(p[1]);
	assert_int_equal(strbuf_read_fd(&sb, p[0]), 5);
	assert_string_equal(sb.buf, "hello");
	assert_int_equal(strbuf_read_fd(&sb, p[0]), 0);
	close(p[0]);
	assert_int_equal(strbuf_read_fd(&sb, p[0]), -1);
	assert_int_equal(errno, EBADF);
	strbuf_release(&sb);
}

static void test_prefixes(void **state)
{
	const char *rest = NULL;

	assert_true(starts_with("abc", ""));
	assert_true(starts_with("abc", "abc"));
	assert_false(starts_with("ab", "abc"));
	assert_true(ends_with("a.c", ".c"));
	assert_true(ends_with("", ""));
	assert_false(ends_with("c", ".c"));
	assert_true(skip_prefix("v6.12", "v", &rest));
	assert_string_equal(rest, "6.12");
	assert_false(skip_prefix("6.12", "v", &rest));
	assert_string_equal(rest, "6.12");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_starts_empty), cmocka_unit_test(test_add),
		cmocka_unit_test(test_grows),	     cmocka_unit_test(test_addf),
		cmocka_unit_test(test_max),	     cmocka_unit_test(test_splice),
		cmocka_unit_test(test_trim),	     cmocka_unit_test(test_detach),
		cmocka_unit_test(test_read_fd),	     cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
