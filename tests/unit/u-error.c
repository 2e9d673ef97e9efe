// SPDX-License-Identifier: GPL-2.0-only
/* error, verdict, alloc, log and progress: small modules together. */
#include "tests/unit/unit.h"

#include "base/log.h"
#include "base/progress.h"
#include "base/verdict.h"

static void test_fail(void **state)
{
	struct strbuf e = STRBUF_INIT;

	assert_int_equal(kp_fail(&e, KP_INFRA, "'%s': %d", "x", 3), KP_INFRA);
	assert_string_equal(e.buf, "'x': 3");
	assert_int_equal(kp_fail(NULL, KP_ERR, "dropped"), KP_ERR);
	strbuf_reset(&e);
	errno = ENOENT;
	assert_int_equal(kp_fail_errno(&e, "cannot read '%s'", "f"), KP_NOTFOUND);
	assert_string_equal(e.buf, "cannot read 'f': No such file or directory");
	errno = ENOSPC;
	assert_int_equal(kp_fail_errno(NULL, "x"), KP_INFRA);
	errno = EACCES;
	assert_int_equal(kp_fail_errno(NULL, "x"), KP_ERR);
	strbuf_release(&e);
}

static void test_exit_codes(void **state)
{
	assert_int_equal(kp_exit_code(KP_OK), 0);
	assert_int_equal(kp_exit_code(KP_NOTFOUND), 1);
	assert_int_equal(kp_exit_code(KP_INFRA), 2);
	assert_int_equal(kp_exit_code(KP_ERR), 128);
	assert_int_equal(kp_exit_code(KP_INTERRUPTED), 130);
}

static void test_verdicts(void **state)
{
	for (enum verdict v = VERDICT_PASS; v <= VERDICT_INFRA; v++)
		assert_int_equal(verdict_parse(verdict_name(v)), v);
	assert_string_equal(verdict_name(VERDICT_NONE), "NOT RUN");
	assert_string_equal(verdict_name((enum verdict)77), "NOT RUN");
	assert_int_equal(verdict_parse("pass"), VERDICT_NONE);
	assert_int_equal(verdict_parse("NOT RUN"), VERDICT_NONE);
	assert_int_equal(verdict_parse(NULL), VERDICT_NONE);
}

static void test_alloc(void **state)
{
	int *list = NULL;
	size_t n = 0, alloc = 0;
	char *s;

	assert_null(xstrdup(NULL));
	s = xstrndup("abcdef", 3);
	assert_string_equal(s, "abc");
	free(s);
	s = xstrndup("ab", 30);
	assert_string_equal(s, "ab");
	free(s);
	for (int i = 0; i < 1000; i++) {
		ALLOC_GROW(list, n + 1, alloc);
		list[n++] = i;
	}
	assert_int_equal(list[999], 999);
	assert_true(alloc >= 1000 && alloc < 4096);
	free(list);
	free(xmalloc(0));
	free(xcalloc(0, 0));
}

static void exhaust_memory(void *arg)
{
	free(xmalloc(SIZE_MAX / 2));
}

static void test_out_of_memory(void **state)
{
	struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;

	setenv("ASAN_OPTIONS", "allocator_may_return_null=1", 1);
#ifndef __SANITIZE_ADDRESS__
	assert_int_equal(run_forked(exhaust_memory, NULL, &out, &errors), EXIT_FATAL);
	assert_non_null(strstr(errors.buf, "out of memory"));
#else
	(void)exhaust_memory;
#endif
	strbuf_release(&out);
	strbuf_release(&errors);
}

static void say_all(void *level)
{
	log_level = *(enum log_level *)level;
	log_error("E %d", 1);
	log_warn("W");
	log_info("I");
	log_debug("D");
}

static void test_log_levels(void **state)
{
	static const char *const want[] = {
		[LOG_QUIET] = "kport: E 1\n",
		[LOG_WARN] = "kport: E 1\nkport: warning: W\n",
		[LOG_INFO] = "kport: E 1\nkport: warning: W\nI\n",
		[LOG_DEBUG] = "kport: E 1\nkport: warning: W\nI\ndebug: D\n",
	};

	for (enum log_level level = LOG_QUIET; level <= LOG_DEBUG; level++) {
		struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;

		assert_int_equal(run_forked(say_all, &level, &out, &errors), 0);
		assert_string_equal(errors.buf, want[level]);
		assert_int_equal(out.len, 0);
		strbuf_release(&out);
		strbuf_release(&errors);
	}
}

static void call_die(void *arg)
{
	die("gone");
}

static void call_usage(void *arg)
{
	usage("wrong");
}

static void call_bug(void *arg)
{
	BUG("impossible %d", 7);
}

static void test_ends(void **state)
{
	struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;

	assert_int_equal(run_forked(call_die, NULL, &out, &errors), 128);
	assert_int_equal(run_forked(call_usage, NULL, &out, &errors), 129);
	assert_int_equal(run_forked(call_bug, NULL, &out, &errors), -6);
	assert_non_null(strstr(errors.buf, "kport: gone\nkport: wrong\nkport: bug at "));
	assert_non_null(strstr(errors.buf, "impossible 7"));
	strbuf_release(&out);
	strbuf_release(&errors);
}

static void test_color(void **state)
{
	assert_int_equal(log_set_color("purple"), -1);
	assert_int_equal(log_set_color("always"), 0);
	assert_true(log_color(1));
	assert_int_equal(log_set_color("never"), 0);
	assert_false(log_color(1));
	assert_int_equal(log_set_color("auto"), 0);
}

static void make_progress(void *arg)
{
	struct progress *p = progress_start("unpacking", *(uint64_t *)arg);

	for (uint64_t i = 0; i < 1000; i++) {
		progress_update(p, i);
		progress_note(p, "file %d", (int)i);
	}
	progress_finish(p);
	progress_finish(NULL);
}

static void test_progress_is_silent_for_short_work_off_a_terminal(void **state)
{
	uint64_t totals[] = { 0, 1, 1000 };

	for (size_t i = 0; i < ARRAY_SIZE(totals); i++) {
		struct strbuf out = STRBUF_INIT, errors = STRBUF_INIT;

		assert_int_equal(run_forked(make_progress, &totals[i], &out, &errors), 0);
		assert_int_equal(errors.len + out.len, 0);
		strbuf_release(&out);
		strbuf_release(&errors);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fail),
		cmocka_unit_test(test_exit_codes),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_log_levels),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_progress_is_silent_for_short_work_off_a_terminal),
	};

	unsetenv("NO_COLOR");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
