// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include "mine/cochange-internal.h"

static enum cc_difference chunks(const char *a, const char *b, struct strbuf *x, struct strbuf *y)
{
	strbuf_reset(x);
	strbuf_reset(y);
	return cc_chunks(a, strlen(a), b, strlen(b), x, y);
}

static void paragraphs(void **state)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	const char *a = "int f(void);\n\nstruct s {\n\tint a;\n\n\tint b;\n};\n\nint g(void);\n";
	const char *b = "int f(void);\n\nstruct s {\n\tint a;\n\n\tlong b;\n};\n\nint g(void);\n";

	assert_int_equal(chunks(a, a, &x, &y), CC_SAME);
	assert_int_equal(x.len + y.len, 0);
	/* The whole structure, though a blank line is in it; nothing else. */
	assert_int_equal(chunks(a, b, &x, &y), CC_CODE);
	assert_string_equal(x.buf, "struct s {\n\tint a;\n\n\tint b;\n};\n\n");
	assert_non_null(strstr(y.buf, "long b"));
	assert_null(strstr(y.buf, "int f"));
	/* Moved, but not changed. */
	assert_int_equal(chunks("int f(void);\n\nint g(void);\n", "int g(void);\n\nint f(void);\n", &x, &y), CC_SAME);
	strbuf_release(&x);
	strbuf_release(&y);
}

static void differences(void **state)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;

	assert_int_equal(chunks("int  f(void);\n", "int f( void );\n", &x, &y), CC_WHITESPACE);
	assert_int_equal(chunks("int f(void); /* a */\n", "int f(void); /* b */\n", &x, &y), CC_COMMENTS);
	assert_int_equal(chunks("#define A 1 /* a */\n", "#define  A  1\n", &x, &y), CC_COMMENTS);
	assert_int_equal(chunks("int f(void);\n", "/* SPDX-License-Identifier: MIT */\nint f(void);\n", &x, &y), CC_SPDX);
	assert_int_equal(chunks("#define A 1\n", "#define A 2\n", &x, &y), CC_CODE);
	assert_int_equal(chunks("", "int f(void);\n", &x, &y), CC_CODE);
	assert_int_equal(chunks("", "", &x, &y), CC_SAME);
	/* Unfinished comments, strings and braces end somewhere. */
	assert_int_equal(chunks("/* {\n\n\"", "struct {\n\n\"x\\", &x, &y), CC_CODE);
	strbuf_release(&x);
	strbuf_release(&y);
}

static void paths(void **state)
{
	assert_true(cc_is_header("include/linux/foo.h"));
	assert_false(cc_is_header("include/dt-bindings/clock/foo.h"));
	assert_false(cc_is_header("tools/include/foo.h"));
	assert_false(cc_is_source("scripts/mod/modpost.c"));
	assert_true(cc_is_source("drivers/net/foo.c"));
	assert_true(cc_implements("lib/foo_bar.c", "include/linux/foo-bar.h"));
	assert_false(cc_implements("drivers/foo_bar_usb.c", "include/linux/foo-bar.h"));
}

static struct cc_result *message(const char *text)
{
	struct cc_result *r = xcalloc(1, sizeof(*r));

	strvec_init(&r->fixes);
	cc_message(text, r);
	return r;
}

static bool names(const struct cc_result *r, const char *word)
{
	for (size_t i = 0; i < r->nwords; i++)
		if (r->words[i] == cc_word_hash(word, strlen(word)))
			return true;
	return false;
}

static void messages(void **state)
{
	struct cc_result *r = message("net: use timer_delete() for del_timer\n\nand probe() in struct foo.\n\n"
				      "Fixes: c0ffee123456 (\"x_y\")\nFixes: commit deadbeef00\nFixes: zzz\n"
				      "Signed-off-by: some_body <a_b@c_d.example>\n");

	assert_true(names(r, "timer_delete") && names(r, "del_timer") && names(r, "probe"));
	assert_false(names(r, "struct") || names(r, "some_body") || names(r, "a_b") || names(r, "foo"));
	assert_int_equal(r->fixes.n, 2);
	assert_string_equal(r->fixes.v[0], "c0ffee123456");
	assert_string_equal(r->fixes.v[1], "deadbeef00");
	assert_string_equal(r->revert, "");
	cc_result_free(r);
	r = message("Revert \"x\"\n\nThis reverts commit 0123456789012345678901234567890123456789.\n");
	assert_string_equal(r->revert, "0123456789012345678901234567890123456789");
	cc_result_free(r);
	r = message("Revert \"x\"\n");
	assert_string_equal(r->revert, "0");
	cc_result_free(r);
	r = message("");
	assert_int_equal(r->nwords, 0);
	cc_result_free(r);
}

static void class_names(void **state)
{
	assert_string_equal(cochange_class_name(COCHANGE_HEADER_MOVE), "header-move");
	assert_string_equal(cochange_class_name(COCHANGE_ADOPTION), "adoption");
	assert_string_equal(cochange_filter_name(FILTER_UNREADABLE), "unreadable");
	assert_string_equal(cochange_link_name(LINK_FOLLOW_UP), "follow-up");
	assert_string_equal(cochange_class_name((enum cochange_class)99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paragraphs), cmocka_unit_test(differences), cmocka_unit_test(paths),
		cmocka_unit_test(messages),   cmocka_unit_test(class_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
