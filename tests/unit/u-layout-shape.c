// SPDX-License-Identifier: GPL-2.0-only
/* Structures of objects that gcc makes here: how they lie, what is different, and objects that are broken. */
#include "tests/unit/unit.h"

#include "base/child.h"
#include "checks/layout-shape.h"

/* Compiles the text as NAME.c in the scratch directory; returns the object's path. */
static char *object(const char *name, const char *text, const char *option)
{
	char *file = xstrfmt("%s.c", name), *source = make_file(file, text), *out = xstrfmt("%s.o", source);
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };

	strvec_push(&c.argv, "gcc");
	strvec_split(&c.argv, option, " ");
	strvec_pushl(&c.argv, "-O1", "-c", source, "-o", out, NULL);
	assert_ok(child_run(&c, &r, &err));
	assert_true(child_ok(&r));
	child_release(&c);
	free(file);
	free(source);
	return out;
}

static void read_shape(const char *name, const char *text, const char *option, const char *what, struct shape *out)
{
	char *o = object(name, text, option);
	struct dbg g;

	dbg_init(&g, scratch);
	assert_ok(dbg_add(&g, o, &err));
	assert_non_null(dbg_struct(&g, what, NULL));
	assert_true(dbg_struct(&g, what, NULL)->own);
	shape_read(&g, dbg_struct(&g, what, NULL), out);
	dbg_release(&g);
	free(o);
}

static void at(const struct shape *s, const char *path, unsigned offset, unsigned width, enum shape_kind kind)
{
	const struct shape_member *m = shape_member(s, path);

	assert_non_null(m);
	assert_int_equal(m->offset, offset);
	assert_int_equal(m->width, width);
	assert_int_equal(m->kind, kind);
}

#define TYPES "typedef unsigned short __le16; typedef unsigned int u32; typedef unsigned char u8;\n"
#define WHOLE TYPES \
	"struct in { u8 x; __le16 y; };\n" \
	"struct foo { u8 a; int b : 3; unsigned c : 5; union { u32 d; char e[4]; }; struct in f[2]; void *g;\n" \
	" enum { ONE } h; signed char i; } v;\n"

static void every_kind(void **state)
{
	static const char *const options[] = { "-gdwarf-5", "-gdwarf-4", "-gdwarf-3", "-g -gz" };

	for (size_t k = 0; k < ARRAY_SIZE(options); k++) {
		struct shape s;

		read_shape("every", WHOLE, options[k], "struct foo", &s);
		assert_int_equal(s.size, 32);
		at(&s, "a", 0, 8, SHAPE_UINT);
		at(&s, "b", 8, 3, SHAPE_INT);
		at(&s, "c", 11, 5, SHAPE_UINT);
		at(&s, "d", 32, 32, SHAPE_UINT);
		at(&s, "e", 32, 32, SHAPE_CHAR);
		at(&s, "f", 64, 64, SHAPE_STRUCT);
		at(&s, "f[].y", 80, 16, SHAPE_UINT);
		at(&s, "g", 128, 64, SHAPE_POINTER);
		at(&s, "h", 192, 32, SHAPE_ENUM);
		at(&s, "i", 224, 8, SHAPE_INT);
		assert_int_equal(shape_member(&s, "f[].y")->order, SHAPE_LE);
		assert_true(shape_member(&s, "c")->bits);
		assert_false(s.packed);
		assert_false(shape_is_plain(&s));
		shape_release(&s);
	}
}

static void packed_and_plain(void **state)
{
	struct shape s;

	read_shape("packed", TYPES "struct p { u8 a; u32 b; } __attribute__((packed)) v;\n", "-g", "struct p", &s);
	at(&s, "b", 8, 32, SHAPE_UINT);
	assert_true(s.packed);
	assert_true(shape_is_plain(&s));
	assert_false(shape_has_order(&s));
	shape_release(&s);
	/* A typedef of a structure without a tag has the typedef's name. */
	read_shape("alias", TYPES "typedef struct { u32 a; long b; } foo_t; foo_t v;\n", "-g", "foo_t", &s);
	at(&s, "b", 64, 64, SHAPE_INT);
	assert_false(shape_is_plain(&s));
	shape_release(&s);
}

/* "struct s { BEFORE }" becomes "struct s { AFTER }". */
static void change(const char *before, const char *after, enum change_kind first, const char *text)
{
	char *x = xstrfmt(TYPES "struct s { %s } v;\n", before), *y = xstrfmt(TYPES "struct s { %s } v;\n", after);
	struct strbuf out = STRBUF_INIT;
	struct shape_diff d = { 0 };
	struct shape a, b;

	read_shape("x", x, "-g", "struct s", &a);
	read_shape("y", y, "-g", "struct s", &b);
	shape_compare(&a, &b, &d);
	if (text) {
		assert_true(d.n > 0);
		assert_int_equal(d.c[0].kind, first);
		shape_diff_text(&d, &out);
		assert_string_equal(out.buf, text);
	} else {
		assert_int_equal(d.n, 0);
	}
	shape_diff_release(&d);
	shape_release(&a);
	shape_release(&b);
	strbuf_release(&out);
	free(x);
	free(y);
}

static void changes(void **state)
{
	change("int a; u32 b;", "int a; unsigned b;", CHANGE_SIZE, NULL);
	change("u32 a; u32 b;", "u32 b; u32 a;", CHANGE_REORDERED,
	       "'a' changed places, from 0 to 4; 'b' changed places, from 4 to 0");
	change("u32 a; u32 b;", "__le16 a; u32 b;", CHANGE_NARROWED,
	       "'a' narrowed from 4 to 2 bytes; 'a' is little-endian, was native");
	change("u32 a; u32 b;", "u32 a; u32 c;", CHANGE_RENAMED, "'b' is now called 'c'");
	change("u32 a;", "int a;", CHANGE_SIGN, "'a' is 'int', was 'u32'");
	change("u32 a;", "u32 x; u32 a;", CHANGE_ADDED, "'x' is new at 0; 'a' moved from 0 to 4; 8 bytes, was 4");
	change("u32 a; u8 b;", "u32 a;", CHANGE_REMOVED, "'b' is gone from 4; 4 bytes, was 8");
	change("u8 a[4];", "u8 a[6];", CHANGE_COUNT, "'a' has 6 elements, had 4; 6 bytes, was 4");
	change("u32 a : 4, b : 4;", "u32 a : 3, b : 4;", CHANGE_NARROWED,
	       "'a' narrowed from 4 to 3 bits; 'b' moved from 0 bit 4 to 0 bit 3");
}

/* Kernels since 6.2 are compiled with -funsigned-char: nothing changed for anybody. */
static void plain_char(void **state)
{
	struct shape_diff d = { 0 };
	struct shape a, b;

	read_shape("c1", "struct s { char name[8]; } v;\n", "-g", "struct s", &a);
	read_shape("c2", "struct s { char name[8]; } v;\n", "-funsigned-char -g", "struct s", &b);
	at(&a, "name", 0, 64, SHAPE_CHAR);
	shape_compare(&a, &b, &d);
	assert_int_equal(d.n, 0);
	shape_diff_release(&d);
	shape_release(&a);
	shape_release(&b);
}

static void nothing_to_read(void **state)
{
	char *o = object("bare", WHOLE, "-g0"), *text = make_file("text.o", "no object"), *none = in_scratch("none.o");
	struct dbg g;

	dbg_init(&g, scratch);
	assert_fails(KP_NOTFOUND, "no debug information", dbg_add(&g, o, &err));
	assert_fails(KP_NOTFOUND, "there is no object", dbg_add(&g, none, &err));
	assert_fails(KP_ERR, "text.o", dbg_add(&g, text, &err));
	dbg_release(&g);
	free(o);
	free(text);
	free(none);
}

/* Whatever a broken object says, it is read to an end. */
static void read_broken(const char *path)
{
	struct strmap_entry *e;
	struct dbg g;

	dbg_init(&g, scratch);
	if (dbg_add(&g, path, &err) == 0)
		strmap_for_each(&g.structs, e) {
			struct shape s;

			shape_read(&g, e->value, &s);
			shape_release(&s);
		}
	dbg_release(&g);
	strbuf_reset(&err);
}

static void broken(void **state)
{
	char *o = object("broken", WHOLE, "-g"), *path = in_scratch("damaged.o");
	struct strbuf whole = STRBUF_INIT;
	uint32_t seed = 12345;

	assert_ok(file_read(o, 0, &whole, &err));
	for (size_t len = 0; len < whole.len; len += whole.len / 40) {
		assert_ok(file_write_nosync(path, whole.buf, len, &err));
		read_broken(path);
	}
	for (int i = 0; i < 400; i++) {
		char *copy = xmemdup(whole.buf, whole.len);

		for (int k = 0; k < 8; k++) {
			seed = seed * 1664525 + 1013904223;
			copy[(seed >> 4) % whole.len] = (char)(seed >> 24);
		}
		assert_ok(file_write_nosync(path, copy, whole.len, &err));
		read_broken(path);
		free(copy);
	}
	strbuf_release(&whole);
	free(o);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind), cmocka_unit_test(packed_and_plain), cmocka_unit_test(changes),
		cmocka_unit_test(plain_char), cmocka_unit_test(nothing_to_read), cmocka_unit_test(broken),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
