// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"

#include <setjmp.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "port/ctype.h"

static void check_normal(const char *in, const char *want)
{
	struct strbuf sb = STRBUF_INIT;

	ctype_normalise(in, &sb);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
}

static void normalise(void **state)
{
	check_normal("int (*)(struct platform_device *, const char *)",
		     "int (*)(struct platform_device *, const char *)");
	check_normal("char * (*)(const struct device *,  umode_t *)",
		     "char *(*)(const struct device *, umode_t *)");
	check_normal("const struct bin_attribute * const*", "const struct bin_attribute *const *");
	check_normal("struct  foo**", "struct foo **");
	check_normal("u8\n (*) ( void )", "u8 (*)(void)");
	check_normal("", "");
}

static void equality(void **state)
{
	assert_true(ctype_equal("const long unsigned int *", "unsigned long const*"));
	assert_true(ctype_equal("u8", "unsigned char"));
	assert_true(ctype_equal("char __user *", "char *"));
	assert_true(ctype_equal("struct a *const", "struct a *"));
	assert_true(ctype_equal("int (*)(u8, _Bool)", "int (*)(unsigned char, bool)"));
	assert_false(ctype_equal("char *", "signed char *"));
	assert_false(ctype_equal("const struct a *", "struct a *"));
	assert_false(ctype_equal("struct a **", "struct a *"));
	assert_false(ctype_equal(NULL, "int"));
	assert_true(ctype_equal_unqualified("const struct a *", "struct a *"));
	assert_true(ctype_equal_unqualified("const struct a *const *", "struct a **"));
	assert_false(ctype_equal_unqualified("struct a *", "struct b *"));
}

static void base_and_pointers(void **state)
{
	char *b = ctype_base("const struct foo **");

	assert_string_equal(b, "struct foo");
	free(b);
	b = ctype_base("char __user *const");
	assert_string_equal(b, "char");
	free(b);
	assert_int_equal(ctype_pointers("const struct foo **"), 2);
	assert_int_equal(ctype_pointers("u8[4]"), 1);
	assert_int_equal(ctype_pointers("int"), 0);
	assert_int_equal(ctype_pointers("int (*)(char *)"), 0);
}

static void check_sig(const char *text, const char *ret, size_t n, const char *types,
		      const char *names)
{
	struct strbuf t = STRBUF_INIT, m = STRBUF_INIT;
	struct csig s;

	assert_true(csig_parse(text, &s));
	assert_string_equal(s.ret, ret);
	assert_int_equal(s.n, n);
	for (size_t i = 0; i < s.n; i++) {
		strbuf_addf(&t, "%s%s", i ? ";" : "", s.p[i].type);
		strbuf_addf(&m, "%s%s", i ? ";" : "", s.p[i].name ? s.p[i].name : "-");
	}
	assert_string_equal(t.buf, types);
	assert_string_equal(m.buf, names);
	csig_release(&s);
	strbuf_release(&t);
	strbuf_release(&m);
}

static void signatures(void **state)
{
	struct csig s;

	check_sig("int (*)(struct i2c_client *, const struct i2c_device_id *)", "int", 2,
		  "struct i2c_client *;const struct i2c_device_id *", "-;-");
	check_sig("static int __init foo_probe(struct platform_device *pdev, u32 x)", "int", 2,
		  "struct platform_device *;u32", "pdev;x");
	check_sig("static const char *name(const struct a *const p, unsigned int)", "const char *",
		  2, "const struct a *const;unsigned int", "p;-");
	check_sig("irqreturn_t (int, void *)", "irqreturn_t", 2, "int;void *", "-;-");
	check_sig("void f(void (*fn)(int, char *), char buf[8], ...)", "void", 2,
		  "void (*)(int, char *);char[8]", "fn;buf");
	check_sig("u8 (*)(void)", "u8", 0, "", "");
	check_sig("char * (*)(const struct device *, umode_t *)", "char *", 2,
		  "const struct device *;umode_t *", "-;-");
	check_sig("void f(unsigned x, struct s, enum e)", "void", 3, "unsigned;struct s;enum e",
		  "x;-;-");
	assert_true(csig_parse("int f(const char *, ...)", &s));
	assert_true(s.variadic);
	assert_int_equal(s.n, 1);
	csig_release(&s);
	assert_false(csig_parse("struct foo *", &s));
	assert_false(csig_parse("int (*(*)(int))(void)", &s));
	assert_false(csig_parse("int (*)(struct a *", &s));
	assert_true(csig_parse_parts("int", "struct a *x, void (*cb)(int)", &s));
	assert_int_equal(s.n, 2);
	assert_string_equal(s.p[1].name, "cb");
	csig_release(&s);
	assert_false(csig_parse_parts("int", NULL, &s));
	csig_release(&s);
}

static void check_declare(const char *type, const char *want)
{
	struct sigparam p = { .type = (char *)type };
	struct strbuf sb = STRBUF_INIT;

	sigparam_declare(&p, "x", &sb);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
}

static void declare(void **state)
{
	check_declare("const char *", "const char *x");
	check_declare("int", "int x");
	check_declare("int (*)(void)", "int (*x)(void)");
	check_declare("u8[6]", "u8 x[6]");
	check_declare("struct a *const", "struct a *const x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normalise),  cmocka_unit_test(equality),
		cmocka_unit_test(signatures), cmocka_unit_test(base_and_pointers),
		cmocka_unit_test(declare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
