// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/file.h"
#include "harness/kconfig.h"

static char *value(const char *symbol, void *payload)
{
	if (!strcmp(symbol, "X86") || !strcmp(symbol, "PCI"))
		return xstrdup("y");
	return strcmp(symbol, "MOD") ? NULL : xstrdup("m");
}

static void check(const char *expr, bool want, const char *off)
{
	struct strbuf why = STRBUF_INIT;

	if (kconfig_holds(expr, value, NULL, &why) != want)
		print_message("%s\n", expr);
	assert_int_equal(kconfig_holds(expr, value, NULL, NULL), want);
	assert_string_equal(why.buf, off);
	strbuf_release(&why);
}

static void test_expressions(void **state)
{
	check("", true, "");
	check("X86", true, "");
	check("PPC", false, "PPC");
	check("X86 && PPC", false, "PPC");
	check("PPC || X86", true, "");
	check("(ARM || PPC) && X86", false, "ARM");
	check("!PPC", true, "");
	check("!(X86 && MOD)", false, "!(X86 && MOD)");
	check("MOD=m", true, "");
	check("MOD=y", false, "MOD=y");
	check("PCI != n && (PPC || PPC=n)", true, "");
	/* What is not understood does not exclude. */
	check("X86 &&", true, "");
	check("((X86)", true, "");
	check("X < 3", true, "");
	check("$(cc-option,-x)", true, "");
}

static void test_file(void **state)
{
	static const char text[] =
		"menu \"Things\"\n\tdepends on PCI\n\n"
		"config A\n\ttristate \"a\"\n\tdepends on PPC \\\n\t\t|| ARM\n\thelp\n\t  depends on NOTHING\n\n"
		"if X86\nconfig B\n\tbool\n\tselect PPC\nendif\nendmenu\n"
		"menuconfig C\n\ttristate\n# depends on PPC\nconfig B\n\tdepends on MOD\n";
	struct kconfig k = KCONFIG_INIT;
	struct strbuf err = STRBUF_INIT;
	char *dir, *path;

	assert_int_equal(file_mkdtemp("/tmp", "kport-u-kconfig", &dir, &err), 0);
	path = path_join(dir, "Kconfig");
	assert_int_equal(file_write(path, text, strlen(text), &err), 0);
	assert_int_equal(kconfig_read(&k, path, &err), 0);
	assert_string_equal(strmap_get(&k.deps, "A"), "((PCI)) && (PPC 		|| ARM)");
	assert_string_equal(strmap_get(&k.deps, "B"), "((PCI)) && (X86) && (MOD)");
	assert_string_equal(strmap_get(&k.deps, "C"), "");
	assert_true(strmap_has(&k.bools, "B") && !strmap_has(&k.bools, "A"));
	assert_true(kconfig_holds(strmap_get(&k.deps, "B"), value, NULL, NULL));
	kconfig_release(&k);
	file_remove(dir, &err);
	assert_true(kconfig_read(&k, path, &err) < 0);
	free(dir);
	free(path);
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
