/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "base/jsonutil.h"
#include "checks/finding.h"

static void assert_normal(const char *text, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	finding_normal_text(text, &sb);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
}

static void normal_text(void **state)
{
	assert_normal("", "");
	assert_normal("see line 12,  and foo.c:34:5", "see line N, and foo.c:N:N");
	assert_normal("\xe2\x80\x98x\xe2\x80\x99 defined", "'x' defined");
	assert_normal("3 arguments, u32 given", "3 arguments, u32 given");
	assert_normal("at 0xffff1234 (0x1)", "at N (N)");
}

static void new_ones(void **state)
{
	struct finding_list a = { 0 }, b = { 0 }, out = { 0 };

	finding_addf(&a, "gcc", "-Wunused", "x.c", 3, "f", "unused 'a'");
	finding_addf(&a, "gcc", "-Wunused", "x.c", 9, "g", "twice, see line 3");
	finding_addf(&b, "gcc", "-Wunused", "y.c", 30, "f", "unused 'a'");	/* moved: the same */
	finding_addf(&b, "gcc", "-Wunused", "x.c", 12, "g", "twice, see line 7");
	finding_addf(&b, "gcc", "-Wunused", "x.c", 13, "g", "twice, see line 8"); /* one more */
	finding_addf(&b, "gcc", "-Wunused", "x.c", 14, "h", "unused 'a'");	/* other function */
	finding_addf(&b, "sparse", "-Wunused", "x.c", 3, "f", "unused 'a'");	/* other tool */
	finding_list_new_ones(&b, &a, &out);
	assert_int_equal(out.n, 3);
	assert_int_equal(out.f[0].line, 13);
	assert_string_equal(out.f[1].function, "h");
	assert_string_equal(out.f[2].tool, "sparse");
	finding_list_release(&out);
	finding_list_new_ones(&a, &b, &out);
	assert_int_equal(out.n, 0);
	finding_list_new_ones(&a, NULL, &out);
	assert_int_equal(out.n, 2);
	finding_list_release(&a);
	finding_list_release(&b);
	finding_list_release(&out);
}

static void file_stands_for_function(void **state)
{
	struct finding_list a = { 0 }, b = { 0 }, out = { 0 };

	finding_addf(&a, "sparse", NULL, "x.c", 3, NULL, "t");
	finding_addf(&b, "sparse", NULL, "x.c", 5, NULL, "t");
	finding_addf(&b, "sparse", NULL, "y.c", 5, NULL, "t");
	finding_list_new_ones(&b, &a, &out);
	assert_int_equal(out.n, 1);
	assert_string_equal(out.f[0].file, "y.c");
	finding_list_release(&a);
	finding_list_release(&b);
	finding_list_release(&out);
}

static void sorted_and_json(void **state)
{
	struct finding_list l = { 0 };
	struct strbuf sb = STRBUF_INIT;
	json_t *v;

	finding_addf(&l, "gcc", NULL, "b.c", 2, NULL, "x");
	finding_addf(&l, "gcc", NULL, "a.c", 7, "f", "bad \xff byte");
	finding_addf(&l, "gcc", NULL, NULL, 0, NULL, "no file");
	finding_list_sort(&l);
	assert_null(l.f[0].file);
	finding_describe(&l.f[0], &sb);
	assert_string_equal(sb.buf, "no file");
	strbuf_reset(&sb);
	finding_describe(&l.f[2], &sb);
	assert_string_equal(sb.buf, "b.c:2: x");
	v = finding_list_json(&l);
	assert_int_equal(json_array_size(v), 3);
	assert_string_equal(json_get_str(json_array_get(v, 1), "function"), "f");
	assert_string_equal(json_get_str(json_array_get(v, 1), "text"), "bad \xef\xbf\xbd byte");
	assert_null(json_object_get(json_array_get(v, 0), "file"));
	json_decref(v);
	strbuf_release(&sb);
	finding_list_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_text),
		cmocka_unit_test(new_ones),
		cmocka_unit_test(file_stands_for_function),
		cmocka_unit_test(sorted_and_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
