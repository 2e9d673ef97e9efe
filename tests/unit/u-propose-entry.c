// SPDX-License-Identifier: GPL-2.0-only
/* Entry points that objtool refuses; conditions on macros that were renamed. */
#include "tests/unit/names-fixture.h"

#include "port/rules.h"

static void entry_points(void **state)
{
	fix_driver("main.c", "int x;\n\nint init_module(void)\n{\n\treturn 0;\n}\n\n"
		   "void cleanup_module(void)\n{\n\tx = 0;\n}\nMODULE_LICENSE(\"GPL\");\n", NULL);
	fix_expect_first(fix_propose(&propose_entry, DIAG_OBJTOOL, "init_module", "foo-bar", NULL, NULL),
			 "main.c",
			 "int x;\n\nstatic int foo_bar_init(void)\n{\n\treturn 0;\n}\nmodule_init(foo_bar_init);\n\n"
			 "static void foo_bar_exit(void)\n{\n\tx = 0;\n}\nmodule_exit(foo_bar_exit);\n"
			 "MODULE_LICENSE(\"GPL\");\n", RISK_SAFE);
	fix_expect_none(fix_propose(&propose_entry, DIAG_OBJTOOL, "foo_probe", "foo", NULL, NULL));
}

/* Code without source is left out of the check, for a person to look at; the driver's own code is not. */
static void prebuilt(void **state)
{
	fix_driver("Makefile", "obj-m += foo.o\nfoo-objs := a.o blob.o\n", "a.c", "int own(void)\n{\n\treturn 0;\n}\n",
		   NULL);
	fix_expect_first(fix_propose(&propose_entry, DIAG_OBJTOOL, "blob_crypt", "foo", NULL, NULL), "Makefile",
			 "obj-m += foo.o\n"
			 "# part of it comes without source, which objtool cannot be satisfied with\n"
			 "$(obj)/foo.o: override objtool-enabled :=\nfoo-objs := a.o blob.o\n", RISK_REVIEW);
	fix_expect_none(fix_propose(&propose_entry, DIAG_OBJTOOL, "own", "foo", NULL, NULL));
}

/* Each of two modules keeps its own entry point, named after its file. */
static void two_modules(void **state)
{
	fix_driver("a.c", "int init_module(void)\n{\n\treturn 0;\n}\n",
		   "b.c", "int init_module(void)\n{\n\treturn 1;\n}\n", NULL);
	fix_expect_first(fix_propose(&propose_entry, DIAG_OBJTOOL, "init_module", "a", NULL, NULL), "b.c",
			 "static int b_init(void)\n{\n\treturn 1;\n}\nmodule_init(b_init);\n", RISK_SAFE);
}

/*
 * The old kernel has neither ancient_timer() nor is TIMER_SPREAD left in the new one: the
 * question is put with the name that a rule gives for it.
 */
static void question_of_old(void **state)
{
	static char *const from[] = { (char *)"TIMER_SPREAD" }, *const to[] = { (char *)"TIMER_NEW_SIZE" };
	struct rule r = { .replaces = { .v = (const char **)from, .n = 1 }, .needs = { .v = (const char **)to, .n = 1 } };
	struct rule_set rules = { .r = &r, .n = 1 };
	struct breakage b = { .path = (char *)"x.c" };
	struct breakage_list all = { .b = &b, .n = 1 };
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old, .new_ix = fix_new,
				 .b = &b, .all = &all, .rules = &rules };

	fix_driver("x.c", "#if defined(TIMER_SPREAD)\n#define HAVE_IT\n#endif\nvoid f(void)\n{\n"
		   "#ifdef HAVE_IT\n\tg(TIMER_SPREAD);\n#else\n\tancient_timer();\n#endif\n}\n", NULL);
	c.tree = fix_tree;
	b.diag.kind = DIAG_IMPLICIT_FUNCTION;
	b.diag.symbol = (char *)"ancient_timer";
	b.start = (size_t)(strstr(fix_tree->files[0]->text, "ancient") - fix_tree->files[0]->text);
	edit_group_list_release(&fix_list);
	assert_ok(propose_ifdef.propose(&c, &fix_list, &err));
	fix_expect_first(&fix_list, "x.c",
			 "#if defined(TIMER_NEW_SIZE)\n#define HAVE_IT\n#endif\nvoid f(void)\n{\n"
			 "#ifdef HAVE_IT\n\tg(TIMER_SPREAD);\n#else\n\tancient_timer();\n#endif\n}\n",
			 RISK_SAFE);
	/* What the old kernel had is no question of branches. */
	b.diag.symbol = (char *)"pci_twice";
	edit_group_list_release(&fix_list);
	assert_ok(propose_ifdef.propose(&c, &fix_list, &err));
	fix_expect_none(&fix_list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entry_points),
		cmocka_unit_test(two_modules),
		cmocka_unit_test(prebuilt),
		cmocka_unit_test(question_of_old),
	};

	return cmocka_run_group_tests(tests, fix_open, fix_close);
}
