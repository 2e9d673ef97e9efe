// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include <math.h>

#include "base/jsonutil.h"

static void assert_str(const char *bytes, size_t len, const char *want)
{
	json_t *v = json_strn(bytes, len);

	assert_non_null(v);
	assert_string_equal(json_string_value(v), want);
	/* and it can be written and read again */
	struct strbuf sb = STRBUF_INIT;
	json_dump_compact(v, &sb);
	json_decref(v);
	v = json_loadb(sb.buf, sb.len, JSON_DECODE_ANY, NULL);
	assert_non_null(v);
	assert_string_equal(json_string_value(v), want);
	json_decref(v);
	strbuf_release(&sb);
}

#define R "\xef\xbf\xbd"

static void test_bytes_outside_utf8(void **state)
{
	assert_str("plain", 5, "plain");
	assert_str("\xc3\xa4\xe2\x80\x98\xf0\x9f\x90\xa7", 9,
		   "\xc3\xa4\xe2\x80\x98\xf0\x9f\x90\xa7");
	assert_str("a\xff"
		   "b",
		   3, "a" R "b");
	assert_str("caf\xe9", 4, "caf" R); /* Latin-1 */
	assert_str("\xe2\x80", 2, R R);	   /* cut off */
	assert_str("\xc0\xaf", 2, R R);	   /* overlong */
	assert_str("\xe0\x80\xaf", 3, R R R);
	assert_str("\xed\xa0\x80", 3, R R R);	    /* surrogate */
	assert_str("\xf4\x90\x80\x80", 4, R R R R); /* beyond U+10FFFF */
	assert_str("\xf0\x80\x80\x80", 4, R R R R);
	assert_str("\x80", 1, R);
	assert_str("\xc3", 1, R);
	assert_str("a\0b", 3, "a" R "b");
	assert_str("", 0, "");
	assert_str("\n\t\"\\\x01\x7f", 6, "\n\t\"\\\x01\x7f");
}

static void test_every_byte_pair(void **state)
{
	for (int a = 0; a < 256; a++)
		for (int b = 0; b < 256; b += 3) {
			char s[2] = { (char)a, (char)b };
			json_t *v = json_strn(s, 2), *again = json_string(json_string_value(v));

			/* json_string() checks UTF-8 */
			assert_non_null(again);
			json_decref(again);
			json_decref(v);
		}
}

static void test_getters(void **state)
{
	json_t *o = json_pack("{s:s, s:i, s:b, s:f, s:n}", "s", "x", "i", 7, "b", 1, "f", 2.5, "n");

	assert_string_equal(json_get_str(o, "s"), "x");
	assert_null(json_get_str(o, "i"));
	assert_null(json_get_str(o, "n"));
	assert_null(json_get_str(o, "absent"));
	assert_null(json_get_str(NULL, "s"));
	assert_int_equal(json_get_int(o, "i", -1), 7);
	assert_int_equal(json_get_int(o, "s", -1), -1);
	assert_int_equal(json_get_int(o, "f", -1), -1);
	assert_true(json_get_bool(o, "b", false));
	assert_true(json_get_bool(o, "i", true));
	assert_false(json_get_bool(o, "absent", false));
	assert_true(json_get_num(o, "f", 0) == 2.5);
	assert_true(json_get_num(o, "i", 0) == 7);
	assert_true(json_get_num(o, "s", -3) == -3);
	json_decref(o);
}

static void test_setters_and_canonical_output(void **state)
{
	json_t *o = json_object();
	struct strbuf sb = STRBUF_INIT;

	json_set_str(o, "z", "last");
	json_set_str(o, "left-out", NULL);
	json_set_num(o, "m", 0.1);
	json_set_num(o, "bad", NAN);
	json_set_num(o, "worse", INFINITY);
	json_set_bool(o, "b", true);
	json_set_int(o, "a", INT64_MAX);
	json_dump_compact(o, &sb);
	assert_string_equal(sb.buf, "{\"a\":9223372036854775807,\"b\":true,\"bad\":null,\"m\":0.1,"
				    "\"worse\":null,\"z\":\"last\"}");
	strbuf_reset(&sb);
	json_object_clear(o);
	json_object_set_new(o, "list", json_pack("[i,{}]", 1));
	json_dump_pretty(o, &sb);
	assert_string_equal(sb.buf, "{\n  \"list\": [\n    1,\n    {}\n  ]\n}\n");
	json_decref(o);
	assert_true(json_is_null(json_str(NULL)));
	strbuf_release(&sb);
}

static void reads_badly(const char *text, size_t len, const char *why)
{
	char *path = in_scratch("bad.json");
	json_t *v = (json_t *)1;

	assert_ok(file_write(path, text, len, &err));
	assert_fails(KP_ERR, why, json_read_file(path, 0, &v, &err));
	assert_null(v);
	free(path);
}

static void test_bad_documents(void **state)
{
	struct strbuf deep = STRBUF_INIT;

	reads_badly("", 0, "line 1, column 0");
	reads_badly("{\"a\": 1,\n \"b\": }", 16, "bad.json': line 2, column 7");
	reads_badly("{\"a\": 1, \"a\": 2}", 16, "duplicate");
	reads_badly("[1] 2", 5, "end of file expected");
	reads_badly("\"\xff\"", 3, "line 1");
	reads_badly("\"\\u0000\"", 8, "\\u0000");
	reads_badly("{\"a\":\0}", 7, "line 1");
	reads_badly("[1e999]", 7, "overflow");
	for (int i = 0; i < 100000; i++)
		strbuf_addch(&deep, '[');
	reads_badly(deep.buf, deep.len, "depth");
	strbuf_release(&deep);
}

static void test_files(void **state)
{
	char *path = in_scratch("doc.json");
	json_t *v = json_pack("{s:[i,i]}", "list", 1, 2), *w;

	assert_ok(json_write_file(path, v, &err));
	assert_file(path, "{\n  \"list\": [\n    1,\n    2\n  ]\n}\n");
	assert_ok(json_read_file(path, 0, &w, &err));
	assert_true(json_equal(v, w));
	json_decref(w);
	assert_fails(KP_ERR, "larger than 10", json_read_file(path, 10, &w, &err));
	assert_fails(KP_NOTFOUND, "/no/such", json_read_file("/no/such", 0, &w, &err));
	json_decref(v);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_outside_utf8),
		cmocka_unit_test(test_every_byte_pair),
		cmocka_unit_test(test_getters),
		cmocka_unit_test(test_setters_and_canonical_output),
		cmocka_unit_test(test_bad_documents),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
