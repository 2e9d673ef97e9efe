// SPDX-License-Identifier: GPL-2.0-only
/* What the sandbox asks bubblewrap for; what it holds in practice is in t2010. */
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/sandbox-watch.h"

/* Position of word followed by value in argv, or -1. */
static int find(const struct strvec *argv, const char *word, const char *value)
{
	for (size_t i = 0; i + 1 < argv->n; i++)
		if (!strcmp(argv->v[i], word) && (!value || !strcmp(argv->v[i + 1], value)))
			return (int)i;
	return -1;
}

static void test_prefix(void **state)
{
	struct sandbox sb = SANDBOX_INIT;
	struct strvec argv = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;

	strvec_push(&sb.ro, "/usr/include");
	strvec_push(&sb.rw, "/tmp");
	strvec_push(&sb.path_prefix, "/shims");
	strvec_push(&sb.env, "A=b=c");
	strvec_pushl(&sb.symlinks, "/target", "/lib/modules/1.0/build", NULL);
	assert_int_equal(sandbox_prefix(&sb, "/tmp", 9, &argv, &err), 0);
	assert_string_equal(argv.v[0], "bwrap");
	assert_true(find(&argv, "--unshare-all", NULL) > 0);
	assert_true(find(&argv, "--die-with-parent", NULL) > 0);
	assert_true(find(&argv, "--clearenv", NULL) > 0);
	assert_true(find(&argv, "--cap-drop", "ALL") > 0);
	assert_true(find(&argv, "--seccomp", "9") > 0);
	assert_true(find(&argv, "A", "b=c") > 0);
	assert_true(find(&argv, "--symlink", "/target") > 0);
	/* Writable binds come after the read-only ones that may hold them; "/" is closed last. */
	assert_true(find(&argv, "--bind", "/tmp") > find(&argv, "--ro-bind", "/usr/include"));
	assert_true(find(&argv, "--remount-ro", "/") > find(&argv, "--bind", "/tmp"));
	assert_true(find(&argv, "--remount-ro", "/proc") > find(&argv, "--proc", "/proc"));
	assert_string_equal(argv.v[argv.n - 1], "--");
	for (size_t i = 0; i + 1 < argv.n; i++)
		if (!strcmp(argv.v[i], "PATH"))
			assert_true(starts_with(argv.v[i + 1], "/shims:/usr/local/sbin:"));
	strvec_release(&argv);
	sandbox_release(&sb);
	strbuf_release(&err);
}

static void test_missing_directory(void **state)
{
	struct sandbox sb = SANDBOX_INIT;
	struct strvec argv = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;

	strvec_push(&sb.ro, "/no/such/directory");
	assert_int_equal(sandbox_prefix(&sb, "/", -1, &argv, &err), KP_INFRA);
	assert_non_null(strstr(err.buf, "/no/such/directory"));
	strvec_release(&argv);
	sandbox_release(&sb);
	strbuf_release(&err);
}

static void test_usage(void **state)
{
	struct strbuf err = STRBUF_INIT;
	uint64_t bytes = 0, entries = 0;
	char *dir, *file, *link, data[20000] = "x";

	assert_int_equal(file_mkdtemp("/tmp", "kport-u-sandbox", &dir, &err), 0);
	file = path_join(dir, "a/b/file");
	link = path_join(dir, "link");
	assert_int_equal(file_mkdirs_for(file, &err), 0);
	assert_int_equal(file_write(file, data, sizeof(data), &err), 0);
	assert_int_equal(symlink("/usr", link), 0);
	sandbox_usage(dir, &bytes, &entries);
	assert_int_equal(entries, 4);
	assert_true(bytes >= sizeof(data) && bytes < (1 << 20));
	file_remove(dir, &err);
	sandbox_usage("/no/such/directory", &bytes, &entries);
	assert_int_equal(entries, 4);
	free(dir);
	free(file);
	free(link);
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_missing_directory),
		cmocka_unit_test(test_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
