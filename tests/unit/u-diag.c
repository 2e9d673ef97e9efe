// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "harness/diag.h"

/* Messages as gcc 12 prints them, and what they must become. */
static const struct {
	const char *message, *option;
	enum diag_kind kind;
	enum diag_context context;
	const char *symbol, *type, *expected, *found, *hint;
	int arg;
} messages[] = {
	{ "asm/unaligned.h: No such file or directory", NULL, DIAG_MISSING_HEADER, 0, "asm/unaligned.h" },
	{ "implicit declaration of function 'strlcpy'; did you mean 'strncpy'?",
	  "-Wimplicit-function-declaration", DIAG_IMPLICIT_FUNCTION, 0, "strlcpy", NULL, NULL, NULL, "strncpy" },
	{ "implicit declaration of function 'del_timer_sync'", "-Wimplicit-function-declaration",
	  DIAG_IMPLICIT_FUNCTION, 0, "del_timer_sync" },
	{ "'I2C_CLASS_SPD' undeclared (first use in this function); did you mean 'I2C_CLASS_HWMON'?", NULL,
	  DIAG_UNDECLARED, 0, "I2C_CLASS_SPD", NULL, NULL, NULL, "I2C_CLASS_HWMON" },
	{ "'FOO' undeclared here (not in a function)", NULL, DIAG_UNDECLARED, 0, "FOO" },
	{ "'struct uart_port' has no member named 'timeout'", NULL, DIAG_NO_MEMBER, 0, "timeout",
	  "struct uart_port" },
	{ "'struct foo' has no member named 'aa'; did you mean 'a'?", NULL, DIAG_NO_MEMBER, 0, "aa",
	  "struct foo", NULL, NULL, "a" },
	{ "initialization of 'void (*)(struct acpi_device *)' from incompatible pointer type 'int (*)(struct "
	  "acpi_device *)'", "-Wincompatible-pointer-types", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_INIT, NULL, NULL,
	  "void (*)(struct acpi_device *)", "int (*)(struct acpi_device *)" },
	{ "initialization of 'const __u8 * (*)(struct hid_device *, __u8 *, unsigned int *)' {aka 'const unsigned "
	  "char * (*)(struct hid_device *, unsigned char *, unsigned int *)'} from incompatible pointer type '__u8 "
	  "* (*)(struct hid_device *, __u8 *, unsigned int *)' {aka 'unsigned char * (*)(struct hid_device *, "
	  "unsigned char *, unsigned int *)'}", "-Wincompatible-pointer-types", DIAG_INCOMPATIBLE_POINTER,
	  DIAG_CTX_INIT, NULL, NULL, "const __u8 * (*)(struct hid_device *, __u8 *, unsigned int *)",
	  "__u8 * (*)(struct hid_device *, __u8 *, unsigned int *)" },
	{ "assignment to 'int (*)(struct foo *)' from incompatible pointer type 'void (*)(struct foo *)'",
	  "-Wincompatible-pointer-types", DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_ASSIGN, NULL, NULL,
	  "int (*)(struct foo *)", "void (*)(struct foo *)" },
	{ "passing argument 1 of 'class_create' from incompatible pointer type", "-Wincompatible-pointer-types",
	  DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_ARGUMENT, "class_create", NULL, NULL, NULL, NULL, 1 },
	{ "returning 'void (*)(struct foo *)' from a function with incompatible return type 'void *'", NULL,
	  DIAG_INCOMPATIBLE_POINTER, DIAG_CTX_RETURN, NULL, NULL, "void *", "void (*)(struct foo *)" },
	{ "conflicting types for 'f3'; have 'int(int)'", NULL, DIAG_CONFLICTING_TYPES, 0, "f3", NULL, NULL,
	  "int(int)" },
	{ "too few arguments to function 'acpi_notifier_call_chain'", NULL, DIAG_TOO_FEW_ARGS, 0,
	  "acpi_notifier_call_chain" },
	{ "too many arguments to function 'class_create'", NULL, DIAG_TOO_MANY_ARGS, 0, "class_create" },
	{ "too many arguments to function 'f'; expected 1, have 2", NULL, DIAG_TOO_MANY_ARGS, 0, "f" },
	{ "macro \"DEFINE_SEMAPHORE\" requires 2 arguments, but only 1 given", NULL, DIAG_MACRO_ARITY, 0,
	  "DEFINE_SEMAPHORE", NULL, "2", "1" },
	{ "macro \"MAC\" passed 3 arguments, but takes just 2", NULL, DIAG_MACRO_ARITY, 0, "MAC", NULL, "2",
	  "3" },
	{ "assignment discards 'const' qualifier from pointer target type", "-Wdiscarded-qualifiers",
	  DIAG_DISCARDED_QUALIFIER, DIAG_CTX_ASSIGN },
	{ "passing argument 2 of 'f' discards 'const' qualifier from pointer target type",
	  "-Wdiscarded-qualifiers", DIAG_DISCARDED_QUALIFIER, DIAG_CTX_ARGUMENT, "f", NULL, NULL, NULL, NULL, 2 },
	{ "assignment to 'char *' from 'int' makes pointer from integer without a cast", "-Wint-conversion",
	  DIAG_INT_CONVERSION, DIAG_CTX_ASSIGN, NULL, NULL, "char *", "int" },
	{ "passing argument 1 of 'take' makes pointer from integer without a cast", "-Wint-conversion",
	  DIAG_INT_CONVERSION, DIAG_CTX_ARGUMENT, "take", NULL, NULL, NULL, NULL, 1 },
	{ "returning 'struct foo *' from a function with return type 'int' makes integer from pointer without a "
	  "cast", "-Wint-conversion", DIAG_INT_CONVERSION, DIAG_CTX_RETURN, NULL, NULL, "int", "struct foo *" },
	{ "incompatible types when assigning to type 'struct foo *' from type 'struct foo'", NULL,
	  DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_ASSIGN, NULL, NULL, "struct foo *", "struct foo" },
	{ "incompatible types when initializing type 'int' using type 'struct foo'", NULL,
	  DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_INIT, NULL, NULL, "int", "struct foo" },
	{ "incompatible type for argument 2 of 'f'", NULL, DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_ARGUMENT, "f", NULL,
	  NULL, NULL, NULL, 2 },
	{ "assignment to expression with array type", NULL, DIAG_INCOMPATIBLE_TYPES, DIAG_CTX_ASSIGN },
	{ "invalid type argument of '->' (have 'int')", NULL, DIAG_INCOMPATIBLE_TYPES, 0, NULL, NULL, NULL,
	  "int" },
	{ "invalid use of undefined type 'struct inc'", NULL, DIAG_INCOMPLETE_TYPE, 0, NULL, "struct inc" },
	{ "variable 'librem_ec_driver' has initializer but incomplete type", NULL, DIAG_INCOMPLETE_TYPE, 0,
	  "librem_ec_driver" },
	{ "storage size of 'sv' isn't known", NULL, DIAG_INCOMPLETE_TYPE, 0, "sv" },
	{ "'struct x' declared inside parameter list will not be visible outside of this definition or "
	  "declaration", NULL, DIAG_INCOMPLETE_TYPE, 0, NULL, "struct x" },
	{ "unknown type name 'bool_t'; did you mean 'bool'?", NULL, DIAG_UNKNOWN_TYPE, 0, "bool_t", NULL, NULL,
	  NULL, "bool" },
	{ "void value not ignored as it ought to be", NULL, DIAG_VOID_VALUE },
	{ "redefinition of 'pci_dev_id'", NULL, DIAG_REDEFINITION, 0, "pci_dev_id" },
	{ "static declaration of 'strscpy' follows non-static declaration", NULL, DIAG_REDEFINITION, 0,
	  "strscpy" },
	{ "\"min\" redefined", NULL, DIAG_REDEFINITION, 0, "min" },
	{ "control reaches end of non-void function", "-Wreturn-type", DIAG_RETURN_TYPE },
	{ "'return' with a value, in function returning void", "-Wreturn-type", DIAG_RETURN_TYPE },
	{ "initializer element is not constant", NULL, DIAG_NOT_CONSTANT, DIAG_CTX_INIT },
	{ "initializer element is not computable at load time", NULL, DIAG_NOT_CONSTANT, DIAG_CTX_INIT },
	{ "assignment of read-only member 'vm_flags'", NULL, DIAG_READ_ONLY, DIAG_CTX_ASSIGN, "vm_flags", NULL,
	  NULL, "member" },
	{ "assignment of member 'a' in read-only object", NULL, DIAG_READ_ONLY, DIAG_CTX_ASSIGN, "a" },
	{ "expected ';' before '}' token", NULL, DIAG_SYNTAX },
	{ "type defaults to 'int' in declaration of 'DEFINE_X'", "-Wimplicit-int", DIAG_SYNTAX, 0, "DEFINE_X" },
	{ "'foo_show' defined but not used", "-Wunused-function", DIAG_UNUSED, 0, "foo_show" },
	{ "ignoring return value of 'f' declared with attribute 'warn_unused_result'", "-Wunused-result", DIAG_UNUSED_RESULT, 0, "f" },
	{ "unused variable 'q'", "-Wunused-variable", DIAG_UNUSED, 0, "q" },
	{ "'x' is used uninitialized", "-Wuninitialized", DIAG_UNINITIALIZED, 0, "x" },
	{ "format '%d' expects argument of type 'int', but argument 3 has type 'long int'", "-Wformat=",
	  DIAG_FORMAT, 0, NULL, NULL, "int", "long int", NULL, 3 },
	{ "#error \"no such thing\"", NULL, DIAG_OTHER },
	{ "static assertion failed: \"x\"", NULL, DIAG_OTHER },
};

static void check_str(const char *got, const char *want)
{
	if (!want)
		assert_null(got);
	else
		assert_string_equal(got ? got : "(null)", want);
}

static void test_classify(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		struct diag d = { .level = DIAG_ERROR };

		diag_classify(&d, messages[i].message, messages[i].option);
		if (d.kind != messages[i].kind)
			print_message("%s\n", messages[i].message);
		assert_string_equal(diag_kind_name(d.kind), diag_kind_name(messages[i].kind));
		assert_int_equal(d.context, messages[i].context);
		check_str(d.symbol, messages[i].symbol);
		check_str(d.type, messages[i].type);
		check_str(d.expected, messages[i].expected);
		check_str(d.found, messages[i].found);
		check_str(d.hint, messages[i].hint);
		assert_int_equal(d.arg, messages[i].arg);
		diag_release(&d);
	}
}

/* Every kind that a compiler can produce has a message above. */
static void test_all_kinds_covered(void **state)
{
	for (int k = DIAG_OTHER; k < DIAG_UNDEFINED_SYMBOL; k++) {
		bool found = false;

		for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
			found |= messages[i].kind == (enum diag_kind)k;
		if (!found)
			print_message("no message for %s\n", diag_kind_name(k));
		assert_true(found);
	}
}

static void test_utf8_quotes_and_danger(void **state)
{
	struct diag d = { .level = DIAG_WARNING };

	diag_classify(&d, "implicit declaration of function \xe2\x80\x98" "f\xe2\x80\x99", "-Wimplicit-function-declaration");
	assert_string_equal(d.symbol, "f");
	assert_string_equal(d.message, "implicit declaration of function 'f'");
	assert_true(d.dangerous);
	assert_true(diag_is_failure(&d));
	diag_release(&d);
	d.level = DIAG_WARNING;
	diag_classify(&d, "unused variable 'q'", "-Wunused-variable");
	assert_false(diag_is_failure(&d));
	diag_release(&d);
}

static const struct {
	const char *line;
	enum diag_kind kind;
	enum diag_level level;
	const char *symbol, *type, *expected;
} modpost_lines[] = {
	{ "ERROR: modpost: \"strlcpy\" [/w/tree/foo.ko] undefined!", DIAG_UNDEFINED_SYMBOL, DIAG_ERROR, "strlcpy",
	  "foo" },
	{ "WARNING: modpost: \"strlcpy\" [/w/tree/foo.ko] undefined!", DIAG_UNDEFINED_SYMBOL, DIAG_WARNING,
	  "strlcpy", "foo" },
	{ "ERROR: modpost: foo.ko: symbol 'strlcpy' undefined!", DIAG_UNDEFINED_SYMBOL, DIAG_ERROR, "strlcpy",
	  "foo" },
	{ "ERROR: modpost: GPL-incompatible module wl.ko uses GPL-only symbol 'rcu_read_lock'", DIAG_GPL_ONLY,
	  DIAG_ERROR, "rcu_read_lock", "wl" },
	{ "ERROR: modpost: module foo uses symbol dma_buf_fd from namespace DMA_BUF, but does not import it.",
	  DIAG_NAMESPACE, DIAG_ERROR, "dma_buf_fd", "foo", "DMA_BUF" },
	{ "WARNING: modpost: /w/foo: section mismatch in reference: probe (section: .text) -> setup (section: "
	  ".init.text)", DIAG_SECTION_MISMATCH, DIAG_WARNING, "probe", "foo" },
	{ "WARNING: modpost: /w/foo.o(.text+0x1c): Section mismatch in reference from the function probe() to the "
	  "function .init.text:setup()", DIAG_SECTION_MISMATCH, DIAG_WARNING, "probe", "foo" },
	{ "foo.o: error: objtool: init_module(): Magic init_module() function name is deprecated, use module_init(fn) "
	  "instead", DIAG_OBJTOOL, DIAG_ERROR, "init_module", "foo" },
	{ "/w/sub/foo.o: error: objtool: bar+0x1c: unsupported", DIAG_OBJTOOL, DIAG_ERROR, "bar", "foo" },
	{ "ERROR: modpost: missing MODULE_LICENSE() in /w/foo.o", DIAG_OTHER, DIAG_ERROR, NULL, "foo" },
	{ "WARNING: modpost: missing MODULE_DESCRIPTION() in foo.o", DIAG_OTHER, DIAG_WARNING },
	{ "ERROR: modpost: foo: 'bar' exported twice. Previous export was in vmlinux", DIAG_REDEFINITION,
	  DIAG_ERROR, "bar", "foo" },
};

static void test_modpost(void **state)
{
	struct diag_list l = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(modpost_lines); i++) {
		assert_true(diag_parse_modpost(modpost_lines[i].line, &l));
		assert_int_equal(l.n, i + 1);
		assert_string_equal(diag_kind_name(l.d[i].kind), diag_kind_name(modpost_lines[i].kind));
		assert_int_equal(l.d[i].level, modpost_lines[i].level);
		check_str(l.d[i].symbol, modpost_lines[i].symbol);
		check_str(l.d[i].type, modpost_lines[i].type);
		check_str(l.d[i].expected, modpost_lines[i].expected);
	}
	assert_false(diag_parse_modpost("  MODPOST /w/Module.symvers", &l));
	assert_false(diag_parse_modpost("ERROR: something else", &l));
	diag_list_release(&l);
}

static void test_json_round_trip(void **state)
{
	struct diag d = { .level = DIAG_ERROR, .folded = 3 }, back;
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	json_t *v;

	diag_classify(&d, "passing argument 1 of 'f' from incompatible pointer type",
		      "-Wincompatible-pointer-types");
	d.loc.file = xstrdup("/w/a.c");
	d.loc.line = d.loc.end_line = 7;
	v = diag_to_json(&d);
	json_dump_compact(v, &a);
	assert_int_equal(diag_from_json(v, &back), 0);
	json_decref(v);
	v = diag_to_json(&back);
	json_dump_compact(v, &b);
	json_decref(v);
	assert_string_equal(a.buf, b.buf);
	diag_release(&d);
	diag_release(&back);
	strbuf_release(&a);
	strbuf_release(&b);
}

static void test_broken_json(void **state)
{
	static const char *const bad[] = { "", "cc1: error", "[{\"kind\":", "[{\"kind\": \"error\"", "[{]" };
	struct diag_list l = { 0 };
	struct strbuf err = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_true(diag_parse_gcc(bad[i], strlen(bad[i]), "/", &l, &err) < 0);
	assert_int_equal(diag_parse_gcc("[]\nstray\n", 9, "/", &l, &err), 0);
	assert_int_equal(l.n, 0);
	/* A byte outside UTF-8 in a message must not lose the others. */
	assert_int_equal(diag_parse_gcc("[{\"kind\":\"error\",\"message\":\"stray '\xe4'\"}]\n", 42, "/", &l, &err), 0);
	assert_int_equal(l.n, 1);
	diag_list_release(&l);
	strbuf_release(&err);
}

/* "E kind[context] LINE:COL-LINE:COL field=value ..." */
static void print_diag(const struct diag *d, struct strbuf *out)
{
	const struct {
		const char *name, *value;
	} fields[] = {
		{ "symbol", d->symbol }, { "type", d->type }, { "expected", d->expected },
		{ "found", d->found }, { "hint", d->hint }, { "target", d->target },
		{ "macro", d->macro }, { "value", d->value },
	};
	json_t *v = diag_to_json(d);
	const char *context = json_get_str(v, "context");

	strbuf_addf(out, "%c %s%s%s %d:%d-%d:%d", "NWEF"[d->level], diag_kind_name(d->kind),
		    context ? "/" : "", context ? context : "", d->loc.line, d->loc.col, d->loc.end_line,
		    d->loc.end_col);
	if (d->arg)
		strbuf_addf(out, " arg=%d", d->arg);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].value)
			strbuf_addf(out, " %s='%s'", fields[i].name, fields[i].value);
	if (d->folded)
		strbuf_addf(out, " folded=%d", d->folded);
	strbuf_addch(out, '\n');
	json_decref(v);
}

/*
 * tests/fixtures/diag: NAME.c, what gcc 12 said about it (NAME.json) and what
 * must come of it (NAME.want: everything, "--", the root causes).
 * KPORT_UPDATE=1 writes NAME.want anew, to be read before it is committed.
 */
/* NAME.json is what gcc said of NAME.c, NAME.txt what clang did. */
static void check_fixture(const char *dir, const char *name, bool clang)
{
	char *json = xstrfmt("%s/%s.%s", dir, name, clang ? "txt" : "json"), *want = xstrfmt("%s/%s.want", dir, name);
	struct strbuf text = STRBUF_INIT, got = STRBUF_INIT, expected = STRBUF_INIT, err = STRBUF_INIT;
	struct diag_list raw = { 0 }, roots = { 0 };

	assert_int_equal(file_read(json, 0, &text, &err), 0);
	if (clang)
		assert_true(diag_parse_clang(text.buf, text.len, dir, &raw) > 0);
	else
		assert_int_equal(diag_parse_gcc(text.buf, text.len, dir, &raw, &err), 0);
	diag_localise(&raw, dir);
	diag_read_sources(&raw);
	diag_fold(&raw, &roots);
	for (size_t i = 0; i < raw.n; i++)
		print_diag(&raw.d[i], &got);
	strbuf_addstr(&got, "--\n");
	for (size_t i = 0; i < roots.n; i++)
		print_diag(&roots.d[i], &got);
	if (getenv("KPORT_UPDATE"))
		assert_int_equal(file_write(want, got.buf, got.len, &err), 0);
	assert_int_equal(file_read(want, 0, &expected, &err), 0);
	if (strcmp(got.buf, expected.buf))
		print_message("%s: got\n%s\nwant\n%s", name, got.buf, expected.buf);
	assert_string_equal(got.buf, expected.buf);
	diag_list_release(&raw);
	diag_list_release(&roots);
	strbuf_release(&text);
	strbuf_release(&got);
	strbuf_release(&expected);
	strbuf_release(&err);
	free(json);
	free(want);
}

static void test_fixtures(void **state)
{
	char *dir = kport_data_path("tests/fixtures/diag");
	struct strvec files = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	size_t n = 0;

	assert_int_equal(file_list(dir, &files, &err), 0);
	for (size_t i = 0; i < files.n; i++) {
		char *name;

		bool clang = ends_with(files.v[i], ".txt");

		if (!clang && !ends_with(files.v[i], ".json"))
			continue;
		name = xstrndup(files.v[i], strlen(files.v[i]) - (clang ? 4 : 5));
		check_fixture(dir, name, clang);
		free(name);
		n++;
	}
	assert_true(n >= 8);
	free(dir);
	strvec_release(&files);
	strbuf_release(&err);
}

/* What is no diagnostic of clang's is passed over; hostile lines end somewhere. */
static void test_clang_noise(void **state)
{
	static const char text[] = "1 error generated.\n: error: \n/x.c:1:2:{: error: a\n/x.c:99999999999999:1: "
				   "warning: b [-Wunused-variable]\n/x.c:3:1: note: lone\n/a b.c:5:6:{5:1-5:3}{5:6-5:9}: "
				   "fatal error: 'y.h' file not found\nIn file included from /x.c:1:\n";
	struct diag_list l = { 0 };

	assert_int_equal(diag_parse_clang(text, strlen(text), "/w", &l), 3);
	assert_int_equal(l.d[1].nnotes, 1);
	assert_string_equal(l.d[2].loc.file, "/a b.c");
	assert_int_equal(l.d[2].loc.col, 6);
	assert_int_equal(l.d[2].loc.end_col, 8);
	assert_int_equal(l.d[2].kind, DIAG_MISSING_HEADER);
	assert_string_equal(l.d[2].symbol, "y.h");
	diag_list_release(&l);
	assert_int_equal(diag_parse_clang("", 0, NULL, &l), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classify),
		cmocka_unit_test(test_all_kinds_covered),
		cmocka_unit_test(test_utf8_quotes_and_danger),
		cmocka_unit_test(test_modpost),
		cmocka_unit_test(test_json_round_trip),
		cmocka_unit_test(test_broken_json),
		cmocka_unit_test(test_fixtures),
		cmocka_unit_test(test_clang_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
