// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include "base/config.h"

static int make_places(void **state)
{
	char *home;

	if (scratch_make(state))
		return -1;
	home = in_scratch("home");
	setenv("HOME", home, 1);
	unsetenv("XDG_CONFIG_HOME");
	free(home);
	return 0;
}

static void go_to(const char *rel)
{
	char *dir = in_scratch(rel);

	assert_ok(file_mkdirs(dir, &err));
	assert_int_equal(chdir(dir), 0);
	free(dir);
}

static void test_nothing_configured(void **state)
{
	int64_t n;
	bool b;

	go_to("empty");
	assert_ok(config_load(&err));
	assert_string_equal(config_str("port.timeout", "dflt"), "dflt");
	assert_null(config_str("port.timeout", NULL));
	assert_ok(config_int("port.timeout", 7, &n, &err));
	assert_int_equal(n, 7);
	assert_ok(config_bool("port.keep", true, &b, &err));
	assert_true(b);
	config_release();
}

static void test_later_wins(void **state)
{
	int64_t n;

	free(make_file("home/.config/kport/kport.conf",
		       "[port]\n\tuser = u\n\ttimeout = 1\n\tjobs = 1\n"));
	free(make_file("proj/kport.conf", "[Port]\n\tTimeOut = 2\n\tproject = p\n\tjobs = 2\n"));
	go_to("proj/deep/down");
	assert_ok(config_set("port.jobs=3", &err));
	assert_ok(config_load(&err));
	assert_string_equal(config_str("port.user", ""), "u");
	assert_string_equal(config_str("port.project", ""), "p");
	assert_string_equal(config_str("port.timeout", ""), "2");
	assert_ok(config_int("port.jobs", 0, &n, &err));
	assert_int_equal(n, 3);
	/* the nearest file only */
	free(make_file("proj/deep/kport.conf", "[port]\n\tproject = nearer\n"));
	assert_ok(config_load(&err));
	assert_string_equal(config_str("port.project", ""), "nearer");
	assert_string_equal(config_str("port.timeout", ""), "1");
	config_release();
	assert_null(config_str("port.user", NULL));
}

static void test_values(void **state)
{
	int64_t n;
	bool b;

	free(make_file("values/kport.conf",
		       "[a]\nyes = on\nno = 0\nbare\nsize = 2k\nword = maybe\n"
		       "text = \"  two  words \" ; comment\n[sub \"Name.X\"]\nkey = v\n"));
	go_to("values");
	assert_ok(config_load(&err));
	assert_ok(config_bool("a.yes", false, &b, &err));
	assert_true(b);
	assert_ok(config_bool("a.no", true, &b, &err));
	assert_false(b);
	assert_ok(config_bool("a.bare", false, &b, &err));
	assert_true(b);
	assert_ok(config_int("a.size", 0, &n, &err));
	assert_int_equal(n, 2048);
	assert_string_equal(config_str("a.text", ""), "  two  words ");
	assert_string_equal(config_str("sub.Name.X.key", ""), "v");
	assert_fails(KP_ERR, "'a.word' needs true or false, not 'maybe'",
		     config_bool("a.word", true, &b, &err));
	assert_fails(KP_ERR, "'a.word' needs a whole number, not 'maybe'",
		     config_int("a.word", 5, &n, &err));
	config_release();
}

static void broken(const char *text, const char *where)
{
	free(make_file("broken/kport.conf", text));
	go_to("broken");
	assert_fails(KP_ERR, where, config_load(&err));
	config_release();
}

static void test_syntax_errors_name_file_and_line(void **state)
{
	broken("[a]\nx = 1\n[unclosed\n", "broken/kport.conf:3");
	broken("x = 1\n=\n", "broken/kport.conf:2");
	broken("[a \"unterminated]\n", "broken/kport.conf:1");
}

static void test_directory_in_its_place(void **state)
{
	go_to("dir/kport.conf");
	go_to("dir");
	assert_fails(KP_ERR, "dir/kport.conf' is a directory", config_load(&err));
	config_release();
}

static void test_set(void **state)
{
	static const char *const bad[] = { "",	   "=",	  "a",	     "a=b",	".b=c",
					   "a.=c", "a.b", "a b.c=d", "a.b c=d", "a.b_c=d" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_fails(KP_ERR, "section.name=value", config_set(bad[i], &err));
	assert_ok(config_set("a.b=", &err));
	assert_string_equal(config_str("a.b", NULL), "");
	assert_ok(config_set("A.B=x=y", &err));
	assert_string_equal(config_str("a.b", NULL), "x=y");
	assert_ok(config_set("a.Sub.Dir.b=1", &err));
	assert_string_equal(config_str("a.Sub.Dir.b", NULL), "1");
	config_release();
	assert_null(config_str("a.b", NULL));
}

static int leave(void **state)
{
	return chdir("/") | scratch_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_configured),
		cmocka_unit_test(test_later_wins),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_syntax_errors_name_file_and_line),
		cmocka_unit_test(test_directory_in_its_place),
		cmocka_unit_test(test_set),
	};

	return cmocka_run_group_tests(tests, make_places, leave);
}
