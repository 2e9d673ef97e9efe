// SPDX-License-Identifier: GPL-2.0-only
/* Trees and edits: applied whole or not at all, line ends and the rest of the text untouched. */
#include "base/compat.h"

#include <setjmp.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "port/edit.h"
#include "port/search.h"

static char *dir;

static int setup(void **state)
{
	struct strbuf err = STRBUF_INIT;

	return file_mkdtemp("/tmp", "u-edit", &dir, &err);
}

static int teardown(void **state)
{
	struct strbuf err = STRBUF_INIT;
	int ret = file_remove(dir, &err);

	free(dir);
	return ret;
}

static struct tree *tree_of(const char *path, const char *text)
{
	char *full = path_join(dir, path);
	struct strbuf err = STRBUF_INIT;
	struct tree *t = NULL;

	assert_int_equal(file_mkdirs_for(full, &err), 0);
	assert_int_equal(file_write(full, text, strlen(text), &err), 0);
	assert_int_equal(tree_read(dir, &t, &err), 0);
	free(full);
	return t;
}

static struct edit_group *group(void)
{
	return edit_group_new(EDIT_TYPED, "test", RISK_SAFE, 1);
}

/* Apply and compare; frees g. */
static void check_apply(struct tree *t, struct edit_group *g, const char *path, const char *want)
{
	struct strbuf err = STRBUF_INIT;
	struct tree *t2 = tree_apply(t, g, &err);

	assert_non_null(t2);
	assert_string_equal(tree_file(t2, path)->text, want);
	tree_unref(t2);
	tree_unref(t);
	edit_group_free(g);
}

static void test_apply_keeps_the_rest(void **state)
{
	struct tree *t = tree_of("a.c", "one two three\n");
	struct edit_group *g = group();

	edit_add(g, "a.c", 4, 7, "2");
	edit_add(g, "a.c", 0, 3, "1");
	check_apply(t, g, "a.c", "1 2 three\n");
}

static void test_apply_refuses_overlap(void **state)
{
	struct tree *t = tree_of("a.c", "one two three\n");
	struct edit_group *g = group();
	struct strbuf err = STRBUF_INIT;

	edit_add(g, "a.c", 0, 5, "x");
	edit_add(g, "a.c", 4, 7, "y");
	assert_null(tree_apply(t, g, &err));
	assert_non_null(strstr(err.buf, "overlap"));
	strbuf_release(&err);
	edit_group_free(g);
	tree_unref(t);
}

static void test_apply_refuses_outside(void **state)
{
	struct tree *t = tree_of("a.c", "x\n");
	const char *paths[] = { "../a.c", "/etc/passwd", "b.c" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct edit_group *g = group();
		struct strbuf err = STRBUF_INIT;

		edit_add(g, paths[i], 0, 1, "y");
		assert_null(tree_apply(t, g, &err));
		strbuf_release(&err);
		edit_group_free(g);
	}
	tree_unref(t);
}

static void test_apply_refuses_no_change_and_range(void **state)
{
	struct tree *t = tree_of("a.c", "x\n");
	struct edit_group *g = group(), *h = group();
	struct strbuf err = STRBUF_INIT;

	edit_add(g, "a.c", 0, 1, "x");
	assert_null(tree_apply(t, g, &err));
	edit_add(h, "a.c", 1, 99, "x");
	assert_null(tree_apply(t, h, &err));
	strbuf_release(&err);
	edit_group_free(g);
	edit_group_free(h);
	tree_unref(t);
}

static void test_crlf_and_bytes(void **state)
{
	struct tree *t = tree_of("a.c", "#include <linux/a.h>\r\n/* \xe9 */\r\nint x;\r\n");
	struct edit_group *g = group();

	assert_true(edit_add_include(g, tree_file(t, "a.c"), "linux/b.h"));
	check_apply(t, g, "a.c",
		    "#include <linux/a.h>\r\n#include <linux/b.h>\r\n/* \xe9 */\r\nint x;\r\n");
}

static void check_include(const char *text, const char *header, const char *want)
{
	struct tree *t = tree_of("a.c", text);
	struct edit_group *g = group();

	assert_true(edit_add_include(g, tree_file(t, "a.c"), header));
	check_apply(t, g, "a.c", want);
}

static void test_include_sorted(void **state)
{
	check_include("#include <linux/a.h>\n#include <linux/c.h>\n\n#include \"x.h\"\n",
		      "linux/b.h",
		      "#include <linux/a.h>\n#include <linux/b.h>\n#include <linux/c.h>\n\n"
		      "#include \"x.h\"\n");
	check_include("#include <linux/b.h>\n#include <net/c.h>\n", "linux/a.h",
		      "#include <linux/a.h>\n#include <linux/b.h>\n#include <net/c.h>\n");
}

static void test_include_unsorted(void **state)
{
	check_include("#include <linux/z.h>\n#include <linux/a.h>\n#include <asm/io.h>\n",
		      "linux/m.h",
		      "#include <linux/z.h>\n#include <linux/a.h>\n#include <linux/m.h>\n"
		      "#include <asm/io.h>\n");
}

static void test_include_not_in_conditional(void **state)
{
	check_include("#include <linux/z.h>\n#ifdef X\n#include <linux/m.h>\n#endif\nint a;\n",
		      "linux/m.h",
		      "#include <linux/m.h>\n#include <linux/z.h>\n#ifdef X\n#include <linux/m.h>\n"
		      "#endif\nint a;\n");
}

static void test_include_none_yet(void **state)
{
	check_include("/* head */\nint a;\n", "linux/m.h",
		      "/* head */\n#include <linux/m.h>\nint a;\n");
}

static void test_include_there_already(void **state)
{
	struct tree *t = tree_of("a.c", "#include <linux/a.h>\n");
	struct edit_group *g = group();

	assert_false(edit_add_include(g, tree_file(t, "a.c"), "linux/a.h"));
	assert_int_equal(g->n, 0);
	edit_group_free(g);
	tree_unref(t);
}

static void test_drop_include(void **state)
{
	struct tree *t = tree_of("a.c", "#include <linux/a.h>\n#  include \"b.h\" /* x */\nint a;\n");
	struct edit_group *g = group();

	assert_true(edit_drop_include(g, tree_file(t, "a.c"), "b.h"));
	assert_false(edit_drop_include(g, tree_file(t, "a.c"), "c.h"));
	check_apply(t, g, "a.c", "#include <linux/a.h>\nint a;\n");
}

static void test_rename(void **state)
{
	struct tree *t = tree_of("a.c", "#define X foo(1)\nint foo; /* foo */ char *s = \"foo\";\n"
					"p->foo = foo(foo2, xfoo);\n");
	struct edit_group *g = group();

	assert_int_equal(edit_rename_ident(g, tree_file(t, "a.c"), "foo", "bar", false), 3);
	check_apply(t, g, "a.c", "#define X bar(1)\nint bar; /* foo */ char *s = \"foo\";\n"
				 "p->foo = bar(foo2, xfoo);\n");
}

static void test_rewrite_is_minimal(void **state)
{
	struct tree *t = tree_of("a.c", "int a;\nint b = f(1, 2);\nint c;\n");
	struct edit_group *g = group();
	const char *want = "int a;\nint b = f(1);\nint c;\nint d;\n";
	struct strbuf err = STRBUF_INIT;

	assert_int_equal(edit_add_rewrite(g, tree_file(t, "a.c"), want, strlen(want), &err), 0);
	assert_int_equal(g->n, 2);
	assert_string_equal(g->e[0].text, "");
	check_apply(t, g, "a.c", want);
}

static void test_merge(void **state)
{
	struct tree *base = tree_of("a.c", "a\nb\nc\nd\ne\nf\ng\n"), *ours, *theirs, *m;
	struct edit_group *g = group(), *h = group();
	struct strbuf err = STRBUF_INIT;

	edit_add(g, "a.c", 0, 1, "A");
	edit_add(h, "a.c", 12, 13, "G");
	ours = tree_apply(base, g, &err);
	theirs = tree_apply(base, h, &err);
	m = tree_merge(base, ours, theirs, &err);
	assert_non_null(m);
	assert_string_equal(tree_file(m, "a.c")->text, "A\nb\nc\nd\ne\nf\nG\n");
	tree_unref(m);
	tree_unref(theirs);
	edit_group_free(h);
	h = group();
	edit_add(h, "a.c", 0, 1, "Z");
	theirs = tree_apply(base, h, &err);
	assert_null(tree_merge(base, ours, theirs, &err));
	tree_unref(theirs);
	tree_unref(ours);
	tree_unref(base);
	edit_group_free(g);
	edit_group_free(h);
	strbuf_release(&err);
}

static void test_positions(void **state)
{
	struct tree *t = tree_of("a.c", "ab\ncd\n");
	struct srcfile *f = tree_file(t, "a.c");

	assert_int_equal(srcfile_offset(f, 2, 2), 4);
	assert_int_equal(srcfile_offset(f, 9, 1), -1);
	assert_int_equal(srcfile_offset(f, 0, 1), -1);
	assert_int_equal(srcfile_line(f, 4), 2);
	assert_int_equal(srcfile_line(f, 999), 3);
	tree_unref(t);
}

/* Read for 6.12 (0x60c00): the code for older kernels is neither renamed nor a function. */
static void test_rename_in_the_live_branch(void **state)
{
	struct tree *t = tree_of("a.c", "#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)\n"
					"int f(int a) {\n foo();\n#else\nint f(void) {\n foo();\n#endif\n}\n");
	struct edit_group *g = group();
	struct srcfile *f = tree_file(t, "a.c");
	const struct cfunc *fn;

	tree_set_version(t, 0x60c00);
	fn = cfile_func(srcfile_parse(f), "f");
	assert_non_null(fn);
	assert_int_equal(fn->nparams, 0);
	assert_int_equal(edit_rename_ident(g, f, "foo", "bar", false), 1);
	check_apply(t, g, "a.c", "#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)\n"
				 "int f(int a) {\n foo();\n#else\nint f(void) {\n bar();\n#endif\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rename_in_the_live_branch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_apply_keeps_the_rest, setup, teardown),
		cmocka_unit_test_setup_teardown(test_apply_refuses_overlap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_apply_refuses_outside, setup, teardown),
		cmocka_unit_test_setup_teardown(test_apply_refuses_no_change_and_range, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_crlf_and_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_include_sorted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_include_unsorted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_include_not_in_conditional, setup, teardown),
		cmocka_unit_test_setup_teardown(test_include_none_yet, setup, teardown),
		cmocka_unit_test_setup_teardown(test_include_there_already, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drop_include, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rename, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rewrite_is_minimal, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_positions, setup, teardown),
	};

	return cmocka_run_group_tests_name("edit", tests, NULL, NULL);
}
