// SPDX-License-Identifier: GPL-2.0-only
/* The block that goes into a precompiled header; checks themselves are in t2014. */
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "harness/checker.h"

static void check(const char *text, const char *want)
{
	size_t n = include_block(text, strlen(text));

	assert_int_equal(n, strlen(want));
	assert_memory_equal(text, want, n);
}

static void test_include_block(void **state)
{
	check("", "");
	check("int x;\n#include <a.h>\n", "");
	check("#include <a.h>", "#include <a.h>");
	check("/* x\n * #include <no.h> */\n#include <a.h>\n\n#include \"b.h\"\nint x;\n#include <c.h>\n",
	      "/* x\n * #include <no.h> */\n#include <a.h>\n\n#include \"b.h\"\n");
	/* What follows the last include stays with the source. */
	check("#define A 1\n#include <a.h>\n#define B 2\n\nint x;\n", "#define A 1\n#include <a.h>\n");
	/* A conditional goes in as a whole or not at all. */
	check("#include <a.h>\n#ifdef X\n#include <b.h>\nint x;\n#endif\n", "#include <a.h>\n");
	check("#ifdef X\n#include <b.h>\n#else\n# include <c.h>\n#endif\nint x;\n",
	      "#ifdef X\n#include <b.h>\n#else\n# include <c.h>\n#endif\n");
	check("#endif\n#include <a.h>\n", "");
	/* Continued lines and comments belong to their directive. */
	check("#define A \\\n  int x;\n#include <a.h> /* on\n two lines */\nint y;\n",
	      "#define A \\\n  int x;\n#include <a.h> /* on\n two lines */\n");
	check("// c\n#include <a.h>\r\nint y;\n", "// c\n#include <a.h>\r\n");
	check("/* never ends", "");
	check("#include <a.h>\nMODULE_LICENSE(\"GPL\");\n", "#include <a.h>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_include_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
