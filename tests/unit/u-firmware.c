// SPDX-License-Identifier: GPL-2.0-only
/* Which of its user's files a machine gets, and what a console says of the others. */
#include "tests/unit/unit.h"

#include "harness/firmware.h"

/* A module that names these, NULL at the end. */
static void choose(const char *const *names, const char *want)
{
	struct module_list l = { .m = xcalloc(1, sizeof(*l.m)), .n = 1, .alloc = 1 };
	struct strvec got = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;

	strvec_pushv(&l.m[0].info.firmware, names);
	firmware_choose(&l, &got);
	for (size_t i = 0; i < got.n; i++)
		strbuf_addf(&text, "%s ", got.v[i]);
	assert_string_equal(text.buf, want);
	strbuf_release(&text);
	strvec_release(&got);
	module_list_release(&l);
}

static void test_choose(void **state)
{
	static const char *const plain[] = { "a/one.bin", "absent.bin", "packed.bin", "a/one.bin", "a", NULL };
	static const char *const wild[] = { "a/*.bin", "packed*", NULL };
	static const char *const outside[] = { "../secret", "a/../../secret", "/etc/hostname", "..", "", NULL };
	const char *made[] = { "fw/a/one.bin", "fw/a/two.bin", "fw/packed.bin.xz", "secret" };
	char *dir = in_scratch("fw"), *missing = in_scratch("none");

	for (size_t i = 0; i < ARRAY_SIZE(made); i++)
		free(make_file(made[i], "x"));
	choose(plain, "");
	assert_fails(KP_ERR, "is no directory of firmware", firmware_use(missing, &err));
	assert_ok(firmware_use(dir, &err));
	choose(plain, "a/one.bin packed.bin.xz ");
	choose(wild, "a/one.bin a/two.bin packed.bin.xz ");
	choose(outside, "");
	free(dir);
	free(missing);
}

static void test_missed(void **state)
{
	static const char console[] =
		"[    2.1] kf kf.0: Direct firmware load for a/one.bin failed with error -2\n"
		"[    2.2] kf kf.0: firmware: failed to load two.bin (-2)\n"
		"[    2.2] firmware_class: See elsewhere for information about missing firmware\n"
		"[    2.3] kf kf.0: Direct firmware load for a/one.bin failed with error -2\n"
		"[    2.4] kf kf.0: firmware: failed to load \n"
		"[    2.5] kf kf.0: Direct firmware load for cut";
	struct strvec got = STRVEC_INIT;

	firmware_missed(console, strlen(console), &got);
	assert_int_equal(got.n, 2);
	assert_string_equal(got.v[0], "a/one.bin");
	assert_string_equal(got.v[1], "two.bin");
	firmware_missed("", 0, &got);
	assert_int_equal(got.n, 2);
	strvec_release(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_choose), cmocka_unit_test(test_missed) };

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
