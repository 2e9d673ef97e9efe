// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/names-fixture.h"

static struct edit_group_list *redefined(const char *name)
{
	return fix_propose(&propose_misc, DIAG_REDEFINITION, name, NULL, "x.c", name);
}

static struct edit_group_list *void_value(const char *needle)
{
	return fix_propose(&propose_misc, DIAG_VOID_VALUE, NULL, NULL, "x.c", needle);
}

static void same_definition(void **state)
{
	fix_driver("x.c", "#include <linux/dev.h>\n\n/* Ticks. */\n"
		   "static unsigned long secs_to_ticks(unsigned int secs)\n{\n"
		   "\treturn secs   * 250;\n}\n\nint x;\n", NULL);
	fix_expect_first(redefined("secs_to_ticks"), "x.c", "#include <linux/dev.h>\n\nint x;\n",
			 RISK_SAFE);
	assert_int_equal(fix_list.n, 1);
}

/* Another body under the same name: the driver keeps its own under a name of its own. */
static void other_definition(void **state)
{
	fix_driver("x.c", "static int foo_a(void)\n{\n\treturn 1;\n}\n\nstatic int foo_b(void)\n{\n"
		   "\treturn 2;\n}\n\nstatic int clash(long a, int b)\n{\n\treturn a - b;\n}\n\n"
		   "int foo_c(void)\n{\n\treturn clash(1, 2) + x.clash;\n}\n", NULL);
	fix_expect_first(redefined("clash"), "x.c", "static int foo_a(void)\n{\n\treturn 1;\n}\n\n"
			 "static int foo_b(void)\n{\n\treturn 2;\n}\n\n"
			 "static int foo_clash(long a, int b)\n{\n\treturn a - b;\n}\n\n"
			 "int foo_c(void)\n{\n\treturn foo_clash(1, 2) + x.clash;\n}\n", RISK_SAFE);
	assert_int_equal(fix_list.n, 1);
}

/* The same signature alone does not make it the same function. */
static void same_signature(void **state)
{
	fix_driver("foo.c", "int x;\n", "x.c", "static int clash(int a)\n{\n\treturn a - 1;\n}\n", NULL);
	fix_expect(redefined("clash"), "x.c", "", RISK_REVIEW);
	fix_expect(&fix_list, "x.c", "static int x_clash(int a)\n{\n\treturn a - 1;\n}\n", RISK_SAFE);
}

static void exported_function(void **state)
{
	fix_driver("x.c", "int clash(long a, int b)\n{\n\treturn a - b;\n}\n", NULL);
	fix_expect_none(redefined("clash"));
}

static void value_assigned(void **state)
{
	fix_driver("x.c", "int f(struct sta *s)\n{\n\tint ret;\n\n\tret = dev_stop(s);\n"
		   "\tif (ret < 0)\n\t\treturn ret;\n\tret = dev_ready(s);\n\treturn ret;\n}\n", NULL);
	fix_expect_first(void_value("ret = dev_stop"), "x.c",
			 "int f(struct sta *s)\n{\n\tint ret;\n\n\tdev_stop(s);\n"
			 "\tret = dev_ready(s);\n\treturn ret;\n}\n", RISK_REVIEW);
}

/* ret is looked at later: it has to hold success. */
static void value_kept(void **state)
{
	fix_driver("x.c", "int f(struct sta *s)\n{\n\tint ret = 1;\n\n\tret = dev_stop(s);\n"
		   "\tif (ret)\n\t\tgoto out;\nout:\n\treturn ret;\n}\n", NULL);
	fix_expect_first(void_value("ret = dev_stop"), "x.c",
			 "int f(struct sta *s)\n{\n\tint ret = 1;\n\n\tdev_stop(s);\n\tret = 0;\n"
			 "out:\n\treturn ret;\n}\n", RISK_REVIEW);
}

static void value_tested(void **state)
{
	fix_driver("x.c", "void f(struct sta *s)\n{\n\tif (dev_stop(s))\n\t\twarn(s);\n\tmore(s);\n}\n",
		   NULL);
	fix_expect_first(void_value("dev_stop"), "x.c",
			 "void f(struct sta *s)\n{\n\tdev_stop(s);\n\tmore(s);\n}\n", RISK_REVIEW);
	fix_driver("x.c", "void f(struct sta *s)\n{\n\tif (!dev_stop(s)) {\n\t\tgood(s);\n\t} else {\n"
		   "\t\tbad(s);\n\t}\n}\n", NULL);
	fix_expect_first(void_value("dev_stop"), "x.c",
			 "void f(struct sta *s)\n{\n\tdev_stop(s);\n\t{\n\t\tgood(s);\n\t}\n}\n",
			 RISK_REVIEW);
}

static void value_returned(void **state)
{
	fix_driver("x.c", "int f(struct sta *s)\n{\n\treturn dev_stop(s);\n}\n", NULL);
	fix_expect_first(void_value("dev_stop"), "x.c",
			 "int f(struct sta *s)\n{\n\tdev_stop(s);\n\treturn 0;\n}\n", RISK_REVIEW);
}

static struct edit_group_list *namespace(const char *ns, const char *symbol)
{
	struct breakage b = { .unit = -1 };
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old,
				 .new_ix = fix_new, .tree = fix_tree, .b = &b };

	edit_group_list_release(&fix_list);
	b.diag.kind = DIAG_NAMESPACE;
	b.diag.symbol = xstrdup(symbol);
	b.diag.expected = xstrdup(ns);
	assert_ok(propose_misc.propose(&c, &fix_list, &err));
	free(b.diag.symbol);
	free(b.diag.expected);
	return &fix_list;
}

static void import(void **state)
{
	fix_driver("x.c", "MODULE_AUTHOR(\"a\");\nMODULE_LICENSE(\"GPL\");\n", "y.c",
		   "int f(void)\n{\n\treturn dma_buf_get(1);\n}\n", NULL);
	fix_expect_first(namespace("DMA_BUF", "dma_buf_get"), "x.c",
			 "MODULE_AUTHOR(\"a\");\nMODULE_LICENSE(\"GPL\");\n"
			 "MODULE_IMPORT_NS(\"DMA_BUF\");\n", RISK_SAFE);
	fix_driver("x.c", "MODULE_LICENSE(\"GPL\");\nMODULE_IMPORT_NS(\"DMA_BUF\");\n", NULL);
	fix_expect_none(namespace("DMA_BUF", "dma_buf_get"));
}

static struct edit_group_list *unplaced(void)
{
	struct breakage b = { .unit = 0 };
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old,
				 .new_ix = fix_new, .tree = fix_tree, .b = &b };

	edit_group_list_release(&fix_list);
	b.diag.kind = DIAG_OTHER;
	assert_ok(propose_misc.propose(&c, &fix_list, &err));
	return &fix_list;
}

static void string_form(void **state)
{
	fix_driver("x.c", "MODULE_LICENSE(\"GPL\");\nMODULE_IMPORT_NS(DMA_BUF);\n"
		   "EXPORT_SYMBOL_NS_GPL(foo, MY_NS);\n", NULL);
	fix_expect_first(fix_propose(&propose_misc, DIAG_UNDECLARED, "DMA_BUF", NULL, "x.c", "DMA_BUF"),
			 "x.c", "MODULE_LICENSE(\"GPL\");\nMODULE_IMPORT_NS(\"DMA_BUF\");\n"
			 "EXPORT_SYMBOL_NS_GPL(foo, \"MY_NS\");\n", RISK_SAFE);
	/* EXPORT_SYMBOL_NS alone: the assembler has no place in the text to complain of. */
	fix_driver("x.c", "EXPORT_SYMBOL_NS(foo, MY_NS);\n", NULL);
	fix_expect_first(unplaced(), "x.c", "EXPORT_SYMBOL_NS(foo, \"MY_NS\");\n", RISK_SAFE);
	fix_driver("x.c", "EXPORT_SYMBOL_NS(foo, \"MY_NS\");\n", NULL);
	fix_expect_none(unplaced());
	fix_driver("x.c", "int f = DMA_BUF;\n", NULL);
	fix_expect_none(fix_propose(&propose_misc, DIAG_UNDECLARED, "DMA_BUF", NULL, "x.c", "DMA_BUF"));
}

/* A member of the driver's own that is a macro now. */
static void macro_of_that_name(void **state)
{
	fix_driver("x.c", "#include \"x.h\"\nint own_a(struct own *o)\n{\n\treturn o->TIMER_BOOST;\n}\n"
			  "int own_b(struct own *o)\n{\n\treturn o->a;\n}\n",
		   "x.h", "struct own {\n\tint a;\n\tunsigned int TIMER_BOOST : 3;\n};\n", NULL);
	fix_expect_first(fix_propose(&propose_misc, DIAG_SYNTAX, NULL, NULL, "x.h", "TIMER_BOOST"), "x.c",
			 "#include \"x.h\"\nint own_a(struct own *o)\n{\n\treturn o->X_TIMER_BOOST;\n}\n"
			 "int own_b(struct own *o)\n{\n\treturn o->a;\n}\n", RISK_REVIEW);
	assert_int_equal(fix_find(&fix_list, "x.h", "struct own {\n\tint a;\n"
				  "\tunsigned int X_TIMER_BOOST : 3;\n};\n"), 0);
	/* What the old kernel had as well is not in the way since now. */
	fix_driver("x.h", "struct own {\n\tunsigned int TIMER_FLAG : 3;\n};\n", NULL);
	fix_expect_none(fix_propose(&propose_misc, DIAG_SYNTAX, NULL, NULL, "x.h", "TIMER_FLAG"));
}

static struct edit_group_list *mismatch(const char *message)
{
	struct breakage b = { .diag = { .kind = DIAG_SECTION_MISMATCH, .message = (char *)message } };
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old, .new_ix = fix_new,
				 .tree = fix_tree, .b = &b };

	edit_group_list_release(&fix_list);
	assert_ok(propose_section.propose(&c, &fix_list, &err));
	return &fix_list;
}

/* What the driver's structure refers to stays in memory. */
static void section(void **state)
{
	fix_driver("x.c", "static void __exit own_remove(struct dev *d);\nstatic void __exit own_remove(struct dev *d)\n"
			  "{\n}\n\nstatic void __exit own_exit(void)\n{\n}\n\n"
			  "static struct drv own = { .remove = __exit_p(own_remove) };\n", NULL);
	fix_expect_first(mismatch("w/own: section mismatch in reference: own+0x8 (section: .data) -> own_remove "
				  "(section: .exit.text)"), "x.c",
			 "static void own_remove(struct dev *d);\nstatic void own_remove(struct dev *d)\n"
			 "{\n}\n\nstatic void __exit own_exit(void)\n{\n}\n\n"
			 "static struct drv own = { .remove = own_remove };\n", RISK_SAFE);
	fix_driver("x.c", "static int __init own_probe(void)\n{\n\treturn 0;\n}\n", NULL);
	fix_expect_first(mismatch("w/own.o(.data+0x8): Section mismatch in reference from the variable own to the "
				  "function .init.text:own_probe()"), "x.c",
			 "static int own_probe(void)\n{\n\treturn 0;\n}\n", RISK_SAFE);
	fix_expect_none(mismatch("w/own: section mismatch in reference: own (section: .text) -> own_data "
				 "(section: .init.data)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(macro_of_that_name),
		cmocka_unit_test(section),
		cmocka_unit_test(same_definition), cmocka_unit_test(other_definition),
		cmocka_unit_test(same_signature),  cmocka_unit_test(exported_function),
		cmocka_unit_test(value_assigned),  cmocka_unit_test(value_kept),
		cmocka_unit_test(value_tested),	   cmocka_unit_test(value_returned),
		cmocka_unit_test(import),	   cmocka_unit_test(string_form),
	};

	return cmocka_run_group_tests(tests, fix_open, fix_close);
}
