// SPDX-License-Identifier: GPL-2.0-only
/*
 * Console logs: tests/fixtures/console/NAME.log are real ones of machines in which
 * the modules of tests/fixtures/machine/faults were loaded; NAME.expect holds the
 * events that must come out, one "KIND TITLE" a line, and "markers N".
 */
#include "tests/unit/unit.h"

#include "harness/console.h"

static const char fixtures[] = "tests/fixtures/console";

/* The nonce of a log, as its first marker has it; newly allocated. */
static char *nonce_of(const char *text)
{
	const char *p = strstr(text, "kport:");

	return p ? xstrndup(p + 6, strcspn(p + 6, ":\n")) : xstrdup("none");
}

static void describe(const struct console_log *l, struct strbuf *out)
{
	size_t markers = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->ev[i].kind == CONSOLE_MARKER)
			markers++;
		else
			strbuf_addf(out, "%s %s\n", console_event_name(l->ev[i].kind),
				    l->ev[i].title);
	strbuf_addf(out, "markers %zu\n", markers);
}

static void check_fixture(const char *log)
{
	struct strbuf text = STRBUF_INIT, got = STRBUF_INIT, want = STRBUF_INIT;
	char *path = path_join(fixtures, log), *expect = xstrndup(path, strlen(path) - 4), *nonce;
	char *expect_path = xstrfmt("%s.expect", expect);
	struct console_log l;

	assert_ok(file_read(path, 0, &text, &err));
	nonce = nonce_of(text.buf);
	console_parse(text.buf, text.len, nonce, &l);
	describe(&l, &got);
	if (getenv("UPDATE_EXPECT"))
		assert_ok(file_write(expect_path, got.buf, got.len, &err));
	assert_ok(file_read(expect_path, 0, &want, &err));
	if (strcmp(got.buf, want.buf))
		print_message("# %s\n# got:\n%s# want:\n%s", log, got.buf, want.buf);
	assert_string_equal(got.buf, want.buf);
	for (size_t i = 0; i < l.n; i++) {
		assert_true(l.ev[i].line > 0);
		assert_non_null(l.ev[i].text);
		assert_true(strlen(l.ev[i].text) <= 8192);
	}
	console_log_release(&l);
	free(path);
	free(expect);
	free(expect_path);
	free(nonce);
	strbuf_release(&text);
	strbuf_release(&got);
	strbuf_release(&want);
}

static void test_real_logs(void **state)
{
	struct strvec files = STRVEC_INIT;
	size_t checked = 0;

	assert_ok(file_list(fixtures, &files, &err));
	for (size_t i = 0; i < files.n; i++)
		if (ends_with(files.v[i], ".log") && ++checked)
			check_fixture(files.v[i]);
	assert_true(checked >= 20);
	strvec_release(&files);
}

/* ---- reports that no kernel of Debian makes ----------------------------------------- */

static void check_text(const char *text, const char *want)
{
	struct strbuf got = STRBUF_INIT;
	struct console_log l;

	console_parse(text, strlen(text), "abc", &l);
	describe(&l, &got);
	assert_string_equal(got.buf, want);
	console_log_release(&l);
	strbuf_release(&got);
}

static void test_sanitizers(void **state)
{
	check_text("[    3.1] ==================================================================\n"
		   "[    3.1] BUG: KASAN: slab-use-after-free in foo_read+0x1c/0x30 [foo]\n"
		   "[    3.1] Read of size 4 at addr ffff888004c1a640 by task insmod/71\n"
		   "[    3.1] Call Trace:\n"
		   "[    3.1]  <TASK>\n"
		   "[    3.1]  dump_stack_lvl+0x55/0x70\n"
		   "[    3.1]  print_report+0xcf/0x610\n"
		   "[    3.1]  foo_read+0x1c/0x30 [foo]\n"
		   "[    3.1]  </TASK>\n"
		   "[    3.1] Allocated by task 71:\n"
		   "[    3.1]  kmalloc_noprof+0x1/0x2\n"
		   "[    3.1] ==================================================================\n"
		   "[    3.2] ================================================================================\n"
		   "[    3.2] UBSAN: array-index-out-of-bounds in drivers/foo.c:12:7\n"
		   "[    3.2] index 9 is out of range for type 'int [4]'\n",
		   "sanitizer KASAN: slab-use-after-free in foo_read\n"
		   "sanitizer UBSAN: array-index-out-of-bounds in drivers/foo.c:N:N\n"
		   "markers 0\n");
}

static void test_lockdep(void **state)
{
	check_text("[    5.0] ============================================\n"
		   "[    5.0] WARNING: possible recursive locking detected\n"
		   "[    5.0] 6.12.0 #1 Tainted: G           O\n"
		   "[    5.0] --------------------------------------------\n"
		   "[    5.0] insmod/70 is trying to acquire lock:\n"
		   "[    5.0] ffffffffc0002000 (&foo_lock){+.+.}-{3:3}, at: foo_start+0x12/0x40 [foo]\n"
		   "[    5.0] stack backtrace:\n"
		   "[    5.0] Call Trace:\n"
		   "[    5.0]  <TASK>\n"
		   "[    5.0]  print_deadlock_bug+0x2c0/0x3d0\n"
		   "[    5.0]  __lock_acquire+0x1/0x2\n"
		   "[    5.0]  foo_start+0x12/0x40 [foo]\n"
		   "[    5.0]  </TASK>\n"
		   "[    6.0] foo: fine otherwise\n"
		   "[    7.0] INFO: task insmod:70 blocked for more than 120 seconds.\n"
		   "[    7.0] rcu: INFO: rcu_preempt self-detected stall on CPU\n",
		   "lockdep possible deadlock in foo_start\n"
		   "hang INFO: task hung\n"
		   "hang INFO: rcu detected stall\n"
		   "markers 0\n");
}

/* Words of 6.18 and later; 7.x says "Oops:" in front of exceptions. */
static void test_new_words(void **state)
{
	check_text("[    1.0] ------------[ cut here ]------------\n"
		   "[    1.0] WARNING: drivers/foo/foo.c:31 at foo_start+0x5/0x10 [foo], CPU#0: insmod/72\n"
		   "[    1.0] ---[ end trace 0000000000000000 ]---\n",
		   "warning WARNING in foo_start\nmarkers 0\n");
}

static void test_slab_debugging(void **state)
{
	check_text("[    2.0] =============================================================================\n"
		   "[    2.0] BUG kmalloc-64 (Tainted: G           OE     ): Poison overwritten\n"
		   "[    2.0] -----------------------------------------------------------------------------\n",
		   "sanitizer BUG kmalloc-N: Poison overwritten\nmarkers 0\n");
}

/* ---- what is no report ---------------------------------------------------------------- */

static void test_talk_of_drivers(void **state)
{
	check_text("[    1.0] WARNING: this driver is experimental\n"
		   "[    1.0] foo: BUG: none seen\n"
		   "[    1.0] foo: Oops, no firmware\n"
		   "[    1.0] foo: KASAN and lockdep are nice\n"
		   "[    1.0] foo: loading out-of-tree module taints kernel.\n"
		   "[    1.0] foo: module verification failed: signature and/or required key missing - "
		   "tainting kernel\n",
		   "markers 0\n");
}

static void test_markers(void **state)
{
	static const char text[] = "<5>[    1.0] kport:abc:init 6.12\n"
				   "[    1.0][   T71] kport:abc:load foo 0\r\n"
				   "kport:abd:load foo 1\n"
				   "[    1.0] foo: kport:abc:load foo 2\n"
				   "[    1.0] kport::load foo 3\n"
				   "[    1.0] kport:abc";
	struct console_log l;

	console_parse(text, strlen(text), "abc", &l);
	assert_int_equal(l.n, 2);
	assert_string_equal(console_marker(&l, "init "), "6.12");
	assert_string_equal(console_marker(&l, "load foo "), "0");
	assert_null(console_marker(&l, "unload "));
	assert_int_equal(l.ev[1].line, 2);
	console_log_release(&l);
	console_parse(text, strlen(text), NULL, &l);
	assert_int_equal(l.n, 0);
	console_log_release(&l);
	console_parse(text, strlen(text), "", &l);
	assert_int_equal(l.n, 0);
	console_log_release(&l);
}

/* Any bytes: every prefix of a log with NULs and high bytes in it. */
static void test_any_bytes(void **state)
{
	char *path = path_join(fixtures, "6.12-list.log");
	struct strbuf text = STRBUF_INIT;
	struct console_log l;

	assert_ok(file_read(path, 0, &text, &err));
	for (size_t i = 7; i < text.len; i += 97)
		text.buf[i] = (char)(i * 31);
	for (size_t len = 0; len < text.len; len += 53) {
		char *exact = xmemdup(text.buf, len ? len : 1);

		console_parse(exact, len, "abc", &l);
		console_log_release(&l);
		free(exact);
	}
	strbuf_release(&text);
	free(path);
}

/* A driver that floods does not make us grow without bound. */
static void test_flood(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct console_log l;

	for (int i = 0; i < 20000; i++)
		strbuf_addstr(&text, "[    1.0] BUG: KASAN: bad in foo+0x1/0x2\n");
	console_parse(text.buf, text.len, "abc", &l);
	assert_int_equal(l.n, 4096);
	console_log_release(&l);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_logs),	cmocka_unit_test(test_sanitizers),
		cmocka_unit_test(test_lockdep),		cmocka_unit_test(test_new_words),
		cmocka_unit_test(test_slab_debugging),	cmocka_unit_test(test_talk_of_drivers),
		cmocka_unit_test(test_markers),		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_flood),
	};

	return cmocka_run_group_tests_name("console", tests, NULL, NULL);
}
