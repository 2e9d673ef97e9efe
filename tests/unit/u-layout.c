// SPDX-License-Identifier: GPL-2.0-only
/* Layouts of structures compared, with BTF that is made here. */
#include "tests/unit/unit.h"

#include <bpf/btf.h>

#include "mine/layout.h"

/* Numbers of the basic types, the same in each file that is made. */
enum { T_INT = 1, T_LONG, T_CHAR, T_STRUCT_DEV, T_DEV_PTR, T_CONST_DEV, T_CONST_DEV_PTR, T_FN_OLD, T_FN_OLD_PTR,
       T_FN_NEW, T_FN_NEW_PTR };

static struct btf *begin(void)
{
	struct btf *b = btf__new_empty();

	assert_int_equal(btf__add_int(b, "int", 4, BTF_INT_SIGNED), T_INT);
	assert_int_equal(btf__add_int(b, "long", 8, BTF_INT_SIGNED), T_LONG);
	assert_int_equal(btf__add_int(b, "char", 1, BTF_INT_SIGNED), T_CHAR);
	assert_int_equal(btf__add_struct(b, "device", 4), T_STRUCT_DEV);
	assert_int_equal(btf__add_field(b, "id", T_INT, 0, 0), 0);
	assert_int_equal(btf__add_ptr(b, T_STRUCT_DEV), T_DEV_PTR);
	assert_int_equal(btf__add_const(b, T_STRUCT_DEV), T_CONST_DEV);
	assert_int_equal(btf__add_ptr(b, T_CONST_DEV), T_CONST_DEV_PTR);
	assert_int_equal(btf__add_func_proto(b, T_INT), T_FN_OLD);
	assert_int_equal(btf__add_func_param(b, "d", T_DEV_PTR), 0);
	assert_int_equal(btf__add_ptr(b, T_FN_OLD), T_FN_OLD_PTR);
	assert_int_equal(btf__add_func_proto(b, T_INT), T_FN_NEW);
	assert_int_equal(btf__add_func_param(b, "d", T_CONST_DEV_PTR), 0);
	assert_int_equal(btf__add_ptr(b, T_FN_NEW), T_FN_NEW_PTR);
	return b;
}

static int begin_struct(struct btf *b, const char *name, unsigned size)
{
	int id = btf__add_struct(b, name, size);

	assert_true(id > 0);
	return id;
}

static void field(struct btf *b, const char *name, int type, unsigned byte)
{
	assert_int_equal(btf__add_field(b, name, type, byte * 8, 0), 0);
}

static void bit_field(struct btf *b, const char *name, unsigned bit, unsigned width)
{
	assert_int_equal(btf__add_field(b, name, T_INT, bit, width), 0);
}

/* Writes it and returns the path; the caller frees. */
static char *finish(struct btf *b, const char *name)
{
	char *path = in_scratch(name);
	uint32_t size;
	const void *data = btf__raw_data(b, &size);

	assert_non_null(data);
	assert_ok(file_write(path, data, size, &err));
	btf__free(b);
	return path;
}

/* All changes of a structure, a line each. */
static char *changes(struct layout_diff *ld, const char *symbol)
{
	struct layout_change *list;
	struct strbuf out = STRBUF_INIT;
	size_t n = layout_diff_lookup(ld, symbol, &list);

	for (size_t i = 0; i < n; i++) {
		layout_change_text(&list[i], &out);
		strbuf_addch(&out, '\n');
	}
	layout_changes_free(list, n);
	return strbuf_detach(&out, NULL);
}

static struct layout_diff *compare(struct btf *a, struct btf *b)
{
	char *old = finish(a, "old.btf"), *new = finish(b, "new.btf"), *path = layout_diff_path(old, new);
	struct layout_diff *ld;

	file_remove(path, &err);
	assert_ok(layout_diff_open(old, new, "1.0", "1.1", &ld, &err));
	assert_true(file_exists(path));
	free(old);
	free(new);
	free(path);
	return ld;
}

static void expect(struct layout_diff *ld, const char *symbol, const char *text)
{
	char *got = changes(ld, symbol);

	assert_string_equal(got, text);
	free(got);
}

static void test_kinds(void **state)
{
	struct btf *a = begin(), *b = begin();
	struct layout_figures f;
	struct layout_diff *ld;

	begin_struct(a, "ops", 40);
	field(a, "open", T_FN_OLD_PTR, 0);
	field(a, "gone", T_LONG, 8);
	field(a, "count", T_LONG, 16);
	field(a, "name", T_DEV_PTR, 24);
	field(a, "state", T_INT, 32);
	begin_struct(b, "ops", 32);
	field(b, "open", T_FN_NEW_PTR, 0);
	field(b, "count", T_INT, 8);
	field(b, "label", T_DEV_PTR, 16);
	field(b, "state", T_LONG, 24);
	begin_struct(a, "same", 4);
	field(a, "x", T_INT, 0);
	begin_struct(b, "same", 4);
	field(b, "x", T_INT, 0);
	ld = compare(a, b);
	expect(ld, "struct ops",
	       "size 40 -> 32 bytes\n"
	       "member gone removed, was at offset 8\n"
	       "member name has the name label now: same place, same type\n"
	       "member count narrowed from 8 bytes to 4 bytes (long -> int)\n"
	       "member state widened from 4 bytes to 8 bytes (int -> long)\n"
	       "member open has another type of the same width (int (*)(struct device *) -> "
	       "int (*)(const struct device *))\n"
	       "member count moved from offset 16 to 8\n"
	       "member name moved from offset 24 to 16\n"
	       "member state moved from offset 32 to 24\n");
	expect(ld, "struct same", "");
	expect(ld, "struct nowhere", "");
	assert_ok(layout_diff_figures(ld, &f, &err));
	assert_int_equal(f.both, 3);
	assert_int_equal(f.changed, 1);
	assert_int_equal(f.changes[LAYOUT_MOVED], 3);
	layout_figures_release(&f);
	layout_diff_close(ld);
}

static void test_order(void **state)
{
	struct btf *a = begin(), *b = begin();
	struct layout_diff *ld;

	begin_struct(a, "s", 16);
	field(a, "a", T_INT, 0);
	field(a, "b", T_INT, 4);
	field(a, "c", T_INT, 8);
	field(a, "d", T_INT, 12);
	begin_struct(b, "s", 16);
	field(b, "d", T_INT, 0);
	field(b, "a", T_INT, 4);
	field(b, "b", T_INT, 8);
	field(b, "c", T_INT, 12);
	ld = compare(a, b);
	expect(ld, "struct s",
	       "member a moved from offset 0 to 4\n"
	       "member b moved from offset 4 to 8\n"
	       "member c moved from offset 8 to 12\n"
	       "member d changed places with others, from offset 12 to 0\n");
	layout_diff_close(ld);
}

static void test_nested_and_bits(void **state)
{
	struct btf *a = begin(), *b = begin();
	struct layout_diff *ld;
	int inner;

	/* struct { int x; struct { int y; }; struct { int z; } in; unsigned f:3; } */
	inner = begin_struct(a, NULL, 4);
	field(a, "y", T_INT, 0);
	begin_struct(a, "outer", 16);
	field(a, "x", T_INT, 0);
	field(a, NULL, inner, 4);
	field(a, "in", inner, 8);
	bit_field(a, "f", 96, 3);
	inner = begin_struct(b, NULL, 8);
	field(b, "y", T_LONG, 0);
	begin_struct(b, "outer", 32);
	field(b, "x", T_INT, 0);
	field(b, NULL, inner, 8);
	field(b, "in", inner, 16);
	bit_field(b, "f", 195, 2);
	ld = compare(a, b);
	expect(ld, "struct outer",
	       "size 16 -> 32 bytes\n"
	       "member f narrowed from 3 bits to 2 bits\n"
	       "member y widened from 4 bytes to 8 bytes (int -> long)\n"
	       "member in.y widened from 4 bytes to 8 bytes (int -> long)\n"
	       "member y moved from offset 4 to 8\n"
	       "member in.y moved from offset 8 to 16\n"
	       "member f moved from offset 12 to 24.3\n");
	layout_diff_close(ld);
}

/* Several of one name: equal ones cancel, else the likest is compared and marked. */
static void test_same_names(void **state)
{
	struct btf *a = begin(), *b = begin();
	struct layout_diff *ld;
	char *text;

	begin_struct(a, "priv", 4);
	field(a, "one", T_INT, 0);
	begin_struct(a, "priv", 8);
	field(a, "two", T_LONG, 0);
	begin_struct(b, "priv", 8);
	field(b, "two", T_LONG, 0);
	begin_struct(a, "twice", 4);
	field(a, "one", T_INT, 0);
	begin_struct(a, "twice", 8);
	field(a, "two", T_LONG, 0);
	begin_struct(b, "twice", 4);
	field(b, "two", T_INT, 0);
	ld = compare(a, b);
	expect(ld, "struct priv", "");
	text = changes(ld, "struct twice");
	assert_non_null(strstr(text, "member two narrowed from 8 bytes to 4 bytes"));
	assert_non_null(strstr(text, "several structures have the name"));
	assert_null(strstr(text, "member one"));
	free(text);
	layout_diff_close(ld);
}

static void test_typedef(void **state)
{
	struct btf *a = begin(), *b = begin();
	struct layout_diff *ld;
	int id;

	id = begin_struct(a, NULL, 4);
	field(a, "v", T_INT, 0);
	btf__add_typedef(a, "handle_t", id);
	id = begin_struct(b, NULL, 1);
	field(b, "v", T_CHAR, 0);
	btf__add_typedef(b, "handle_t", id);
	ld = compare(a, b);
	expect(ld, "handle_t", "size 4 -> 1 bytes\nmember v narrowed from 4 bytes to 1 byte (int -> char)\n");
	layout_diff_close(ld);
}

static void test_bad_files(void **state)
{
	char *good = finish(begin(), "good.btf"), *bad = make_file("bad.btf", "no BTF at all"), *path;
	struct layout_diff *ld;
	struct strbuf text = STRBUF_INIT;

	assert_fails(KP_ERR, "bad.btf", layout_diff_open(good, bad, "1.0", "1.1", &ld, &err));
	assert_fails(KP_NOTFOUND, "nowhere", layout_diff_open(good, "/nowhere", "1.0", "1.1", &ld, &err));
	/* Every cut and many altered bytes: an error or an answer, never a crash. */
	assert_ok(file_read(good, 0, &text, &err));
	for (size_t i = 0; i < text.len; i += 3) {
		char saved = text.buf[i];

		text.buf[i] = (char)(saved ^ 0x5a);
		assert_ok(file_write_nosync(bad, text.buf, text.len, &err));
		path = layout_diff_path(good, bad);
		if (layout_diff_open(good, bad, "1.0", "1.1", &ld, &err) == 0)
			layout_diff_close(ld);
		strbuf_reset(&err);
		file_remove(path, &err);
		free(path);
		text.buf[i] = saved;
	}
	strbuf_release(&text);
	free(good);
	free(bad);
}

static int cache_in_scratch(void **state)
{
	int ret = scratch_make(state);
	char *cache = in_scratch("cache");

	setenv("KPORT_CACHE_HOME", cache, 1);
	free(cache);
	return ret;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_nested_and_bits),
		cmocka_unit_test(test_same_names),
		cmocka_unit_test(test_typedef),
		cmocka_unit_test(test_bad_files),
	};

	return cmocka_run_group_tests_name("layout", tests, cache_in_scratch, scratch_remove);
}
