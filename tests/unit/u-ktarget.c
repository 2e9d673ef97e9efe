/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/file.h"
#include "checks/ktarget.h"

static const char header[] =
	"/* removed_fn(x) is history */\n"
	"#define MAC 1\n"
	"#define call(x) \"quoted_fn(\" x\n"
	"struct foo {\n\tint (*probe)(struct bar *b);\n\tstruct { int inner; } nest;\n};\n"
	"extern void gone_void(\n\tint a);\n"
	"int value_fn(void);\nvoid *pointer_fn(void);\n"
	"#ifdef CONFIG_NICE\n#if IS_ENABLED(CONFIG_MORE)\nint nice_fn(void);\n#endif\n#endif\n"
	"#ifdef CONFIG_NICE\nint always_fn(void);\n#else\n#endif\nint always_fn(void);\n"
	"enum { E_ONE };\n";

struct fixture {
	char *dir;
	struct ktarget *t;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct strbuf err = STRBUF_INIT;
	struct strvec dirs = STRVEC_INIT;
	char *path;

	assert_int_equal(file_mkdtemp("/tmp", "kport-kt-", &f->dir, &err), 0);
	path = path_join(f->dir, "linux/a.h");
	assert_int_equal(file_mkdirs_for(path, &err), 0);
	assert_int_equal(file_write(path, header, strlen(header), &err), 0);
	strvec_push(&dirs, f->dir);
	strvec_push(&dirs, "/nonexistent/include");
	assert_int_equal(ktarget_open_dirs(&dirs, &f->t, &err), 0);
	*state = f;
	strvec_release(&dirs);
	strbuf_release(&err);
	free(path);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct strbuf err = STRBUF_INIT;

	ktarget_close(f->t);
	file_remove(f->dir, &err);
	strbuf_release(&err);
	free(f->dir);
	free(f);
	return 0;
}

static void names(void **state)
{
	struct ktarget *t = ((struct fixture *)*state)->t;

	assert_true(ktarget_has(t, "MAC") && ktarget_callable(t, "MAC"));
	assert_true(ktarget_has(t, "E_ONE"));
	assert_false(ktarget_callable(t, "E_ONE"));
	assert_false(ktarget_has(t, "removed_fn"));
	assert_false(ktarget_has(t, "quoted_fn"));
	assert_true(ktarget_callable(t, "call"));
	assert_true(ktarget_callable(t, "value_fn"));
	assert_true(ktarget_returns_void(t, "gone_void"));
	assert_false(ktarget_returns_void(t, "value_fn"));
	assert_false(ktarget_returns_void(t, "pointer_fn"));
	/* Nothing known: everything may be there. */
	assert_true(ktarget_has(NULL, "x") && ktarget_callable(NULL, "x") && ktarget_has_struct(NULL, "x"));
	assert_false(ktarget_returns_void(NULL, "x"));
}

static void members(void **state)
{
	struct ktarget *t = ((struct fixture *)*state)->t;

	assert_true(ktarget_has_struct(t, "foo"));
	assert_false(ktarget_has_struct(t, "bar"));
	assert_true(ktarget_has_member(t, "foo", "probe"));
	assert_true(ktarget_has_member(t, "foo", "inner"));
	assert_false(ktarget_has_member(t, "foo", "remove"));
	assert_false(ktarget_has_member(t, "foo", "b"));
	assert_true(ktarget_has_member(t, "bar", "anything"));
	assert_true(ktarget_has_member(NULL, "foo", "remove"));
}

static void configuration(void **state)
{
	struct ktarget *t = ((struct fixture *)*state)->t;
	struct strvec v = STRVEC_INIT;

	assert_true(ktarget_config_of(t, "nice_fn", &v));
	assert_int_equal(v.n, 2);
	assert_string_equal(v.v[0], "CONFIG_NICE");
	assert_string_equal(v.v[1], "CONFIG_MORE");
	strvec_clear(&v);
	assert_true(ktarget_config_of(t, "always_fn", &v));
	assert_int_equal(v.n, 0);
	assert_false(ktarget_config_of(t, "removed_fn", &v));
	strvec_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names, setup, teardown),
		cmocka_unit_test_setup_teardown(members, setup, teardown),
		cmocka_unit_test_setup_teardown(configuration, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
