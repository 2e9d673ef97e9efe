// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/names-fixture.h"

static struct edit_group_list *missing(const char *header)
{
	return fix_propose(&propose_include, DIAG_MISSING_HEADER, header, NULL, "x.c", header);
}

static void moved(void **state)
{
	fix_driver("x.c", "#include <linux/slab.h>\n#include <asm/unaligned.h>\n\n"
		   "int f(void *p)\n{\n\treturn get_unaligned_le32(p);\n}\n",
		   "y.h", "#include <asm/unaligned.h>\n", NULL);
	fix_expect_first(missing("asm/unaligned.h"), "x.c",
			 "#include <linux/slab.h>\n#include <linux/unaligned.h>\n\n"
			 "int f(void *p)\n{\n\treturn get_unaligned_le32(p);\n}\n", RISK_SAFE);
	assert_int_equal(fix_find(&fix_list, "y.h", "#include <linux/unaligned.h>\n"), 0);
	assert_string_equal(fix_list.g[0]->title, "use <linux/unaligned.h>");
}

static void moved_and_there(void **state)
{
	fix_driver("x.c", "#include <asm/unaligned.h>\n#include <linux/unaligned.h>\n"
		   "int f(void *p)\n{\n\treturn get_unaligned_le32(p);\n}\n", NULL);
	fix_expect_first(missing("asm/unaligned.h"), "x.c", "#include <linux/unaligned.h>\n"
			 "int f(void *p)\n{\n\treturn get_unaligned_le32(p);\n}\n", RISK_SAFE);
}

static void split(void **state)
{
	fix_driver("x.c", "#include <linux/sha.h>\n\nint f[SHA_ONE_SIZE + SHA_TWO_SIZE];\n", NULL);
	fix_expect(missing("linux/sha.h"), "x.c",
		   "#include <linux/sha-one.h>\n#include <linux/sha-two.h>\n\n"
		   "int f[SHA_ONE_SIZE + SHA_TWO_SIZE];\n", RISK_SAFE);
}

static void one_half(void **state)
{
	fix_driver("x.c", "#include <linux/sha.h>\n\nint f[SHA_TWO_SIZE];\n", NULL);
	fix_expect_first(missing("linux/sha.h"), "x.c",
			 "#include <linux/sha-two.h>\n\nint f[SHA_TWO_SIZE];\n", RISK_SAFE);
}

static void unused(void **state)
{
	fix_driver("x.c", "#include <linux/of.h>\n#include <linux/unused.h>\nint x;\n", NULL);
	fix_expect_first(missing("linux/unused.h"), "x.c", "#include <linux/of.h>\nint x;\n",
			 RISK_SAFE);
}

/* Something of it is used: leaving the line out is a last resort and not safe. */
static void used_and_gone(void **state)
{
	fix_driver("x.c", "#include <linux/unused.h>\nint x(void)\n{\n\treturn unused_one(1);\n}\n",
		   NULL);
	fix_expect(missing("linux/unused.h"), "x.c",
		   "int x(void)\n{\n\treturn unused_one(1);\n}\n", RISK_REVIEW);
	assert_true(fix_list.g[fix_list.n - 1]->score < 0.2);
}

static void private_header(void **state)
{
	fix_driver("x.c", "#include \"foo.h\"\nint x;\n", NULL);
	fix_expect_none(missing("foo.h"));
}

static void kbuild_flags(void **state)
{
	fix_driver("x.c", "#include \"foo.h\"\nint x;\n", "inc/foo.h", "int y;\n", "Makefile",
		   "obj-m := x.o\nEXTRA_CFLAGS += -I$(src)/inc\nMY_EXTRA_CFLAGS := 1\n"
		   "x: $(EXTRA_CFLAGS)\n", NULL);
	fix_expect_first(missing("foo.h"), "Makefile",
			 "obj-m := x.o\nccflags-y += -I$(src)/inc\nMY_EXTRA_CFLAGS := 1\n"
			 "x: $(ccflags-y)\n", RISK_SAFE);
}

static void not_implied(void **state)
{
	static const char text[] = "#include <linux/of_device.h>\n\n"
		"int f(struct device_node *np)\n{\n\treturn of_property_read_bool(np, \"x\");\n}\n";

	fix_driver("x.c", text, NULL);
	fix_expect_first(fix_propose(&propose_include, DIAG_IMPLICIT_FUNCTION,
				     "of_property_read_bool", NULL, "x.c", "of_property_read_bool"),
			 "x.c", "#include <linux/of.h>\n#include <linux/of_device.h>\n\n"
			 "int f(struct device_node *np)\n{\n"
			 "\treturn of_property_read_bool(np, \"x\");\n}\n", RISK_SAFE);
	assert_non_null(strstr(fix_list.g[0]->why, "<linux/of.h>"));
}

static void incomplete(void **state)
{
	fix_driver("x.c", "#include <linux/of.h>\nint f(struct thing *t)\n{\n\treturn t->a;\n}\n",
		   NULL);
	/* <linux/thing.h>, not the internal <linux/thing_types.h> */
	fix_expect_first(fix_propose(&propose_include, DIAG_INCOMPLETE_TYPE, NULL, "struct thing",
				     "x.c", "->a"),
			 "x.c", "#include <linux/of.h>\n#include <linux/thing.h>\n"
			 "int f(struct thing *t)\n{\n\treturn t->a;\n}\n", RISK_SAFE);
}

static void included_already(void **state)
{
	fix_driver("x.c", "#include <linux/of.h>\nint x = of_property_read_bool(0, 0);\n", NULL);
	fix_expect_none(fix_propose(&propose_include, DIAG_IMPLICIT_FUNCTION,
				    "of_property_read_bool", NULL, "x.c", "of_property"));
}

static void unknown_name(void **state)
{
	fix_driver("x.c", "int x = no_such_name(0);\n", NULL);
	fix_expect_none(fix_propose(&propose_include, DIAG_IMPLICIT_FUNCTION, "no_such_name", NULL,
				    "x.c", "no_such"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moved),	   cmocka_unit_test(moved_and_there),
		cmocka_unit_test(split),	   cmocka_unit_test(one_half),
		cmocka_unit_test(unused),	   cmocka_unit_test(used_and_gone),
		cmocka_unit_test(private_header),  cmocka_unit_test(kbuild_flags),
		cmocka_unit_test(not_implied),	   cmocka_unit_test(incomplete),
		cmocka_unit_test(included_already), cmocka_unit_test(unknown_name),
	};

	return cmocka_run_group_tests(tests, fix_open, fix_close);
}
