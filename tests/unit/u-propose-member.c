// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/names-fixture.h"

static struct edit_group_list *no_member(const char *member, const char *needle)
{
	return fix_propose(&propose_member, DIAG_NO_MEMBER, member, "struct sta", "x.c", needle);
}

static void nested(void **state)
{
	fix_driver("x.c", "int f(struct sta *s)\n{\n\treturn s->ht_cap.width;\n}\n",
		   "y.c", "struct other {\n\tint ht_cap;\n};\n"
		   "int g(struct other *o, struct sta s)\n{\n\treturn o->ht_cap + s.ht_cap.width;\n}\n",
		   NULL);
	fix_expect_first(no_member("ht_cap", "->ht_cap"), "x.c",
			 "int f(struct sta *s)\n{\n\treturn s->deflink.ht_cap.width;\n}\n", RISK_SAFE);
	assert_int_equal(fix_find(&fix_list, "y.c", "struct other {\n\tint ht_cap;\n};\n"
		"int g(struct other *o, struct sta s)\n{\n"
		"\treturn o->ht_cap + s.deflink.ht_cap.width;\n}\n"), 0);
}

static void nested_in_initialiser(void **state)
{
	fix_driver("x.c", "static struct sta s = {\n\t.ht_cap = { .width = 1 },\n};\n", NULL);
	fix_expect_first(no_member("ht_cap", ".ht_cap"), "x.c",
			 "static struct sta s = {\n\t.deflink.ht_cap = { .width = 1 },\n};\n", RISK_SAFE);
}

/* Two structures of the same kind: the words of the name decide. */
static void two_nests(void **state)
{
	fix_driver("x.c", "static struct port_ops o = {\n\t.hardreset = my_reset,\n\t.pmp_hardreset = my_pmp,\n};\n",
		   NULL);
	fix_expect_first(fix_propose(&propose_member, DIAG_NO_MEMBER, "hardreset", "struct port_ops", "x.c",
				     ".hardreset"),
			 "x.c", "static struct port_ops o = {\n\t.reset.hardreset = my_reset,\n"
			 "\t.pmp_hardreset = my_pmp,\n};\n", RISK_SAFE);
	fix_expect_first(fix_propose(&propose_member, DIAG_NO_MEMBER, "pmp_hardreset",
				     "struct port_ops", "x.c", ".pmp_hardreset"),
			 "x.c", "static struct port_ops o = {\n\t.hardreset = my_reset,\n"
			 "\t.pmp_reset.hardreset = my_pmp,\n};\n", RISK_SAFE);
}

/* NULL is what a member gets that nobody names: its loss is none. A function's is. */
static void null_initialiser(void **state)
{
	fix_driver("x.c", "static struct sta s = {\n\t.poll_gone = NULL,\n\t.width = 1,\n};\n", NULL);
	fix_expect_first(no_member("poll_gone", ".poll_gone"), "x.c",
			 "static struct sta s = {\n\t.width = 1,\n};\n", RISK_SAFE);
	fix_driver("x.c", "static struct sta s = {\n\t.poll_gone = my_poll,\n};\n", NULL);
	assert_int_equal(fix_find(no_member("poll_gone", ".poll_gone"), "x.c",
				  "static struct sta s = {\n};\n"), -1);
}

/* The kernel's own function went with the member; another of the kernel's, or the driver's, is work that is left. */
static void both_gone(void **state)
{
	fix_driver("x.c", "static struct sta s = {\n\t.poll_gone = timer_broken,\n\t.width = 1,\n};\n", NULL);
	fix_expect_first(no_member("poll_gone", ".poll_gone"), "x.c",
			 "static struct sta s = {\n\t.width = 1,\n};\n", RISK_REVIEW);
	fix_driver("x.c", "static struct sta s = {\n\t.poll_gone = timer_delete,\n};\n", NULL);
	fix_expect_none(no_member("poll_gone", ".poll_gone"));
}

static void flattened(void **state)
{
	fix_driver("x.c", "int f(struct sta *s)\n{\n\treturn s->drvwrap.driver.flags;\n}\n", NULL);
	fix_expect(no_member("drvwrap", "->drvwrap"), "x.c",
		   "int f(struct sta *s)\n{\n\treturn s->driver.flags;\n}\n", RISK_REVIEW);
}

static void renamed(void **state)
{
	fix_driver("x.c", "int f(struct sta *s)\n{\n\treturn s->rate_count;\n}\n", NULL);
	fix_expect_first(no_member("rate_count", "->rate_count"), "x.c",
			 "int f(struct sta *s)\n{\n\treturn s->rate_counter;\n}\n", RISK_REVIEW);
}

/* read_reg -> write_reg: same type, new, and the opposite. */
static void opposite(void **state)
{
	fix_driver("x.c", "static struct sta s = {\n\t.read_reg = my_read,\n};\n", NULL);
	fix_expect_none(no_member("read_reg", ".read_reg"));
}

static void accessors(void **state)
{
	fix_driver("x.c", "void f(struct sta *s, struct sta t, struct ts now)\n{\n"
		   "\tnow = s->i_ctime;\n\ts->i_ctime = now;\n\tuse(t.i_ctime.sec);\n}\n", NULL);
	fix_expect(no_member("i_ctime", "->i_ctime"), "x.c",
		   "void f(struct sta *s, struct sta t, struct ts now)\n{\n"
		   "\tnow = sta_get_ctime(s);\n\tsta_set_ctime_to_ts(s, now);\n"
		   "\tuse(sta_get_ctime(&t).sec);\n}\n", RISK_REVIEW);
}

static void read_only(void **state)
{
	fix_driver("x.c", "int f(struct sta *s)\n{\n\ts->vm_flags |= 1 | 2;\n\ts->vm_flags &= ~(4 | 8);\n"
		   "\ts->vm_flags = 0;\n\treturn s->vm_flags & 1;\n}\n", NULL);
	fix_expect_first(fix_propose(&propose_member, DIAG_READ_ONLY, "vm_flags", NULL, "x.c",
				     "s->vm_flags |="),
			 "x.c", "int f(struct sta *s)\n{\n\tvm_flags_set(s, 1 | 2);\n"
			 "\tvm_flags_clear(s, 4 | 8);\n\tvm_flags_reset(s, 0);\n"
			 "\treturn s->vm_flags & 1;\n}\n", RISK_REVIEW);
}

/* Dropping an initialiser is shown and never counted, a callback is not dropped at all. */
static void dropped(void **state)
{
	fix_driver("x.c", "static struct sta s = {\n\t.driver = {},\n\t.devmodel = true,\n};\n", NULL);
	fix_expect_first(no_member("devmodel", ".devmodel"), "x.c",
			 "static struct sta s = {\n\t.driver = {},\n};\n", RISK_SHOWN);
	fix_driver("x.c", "static struct sta s = {\n\t.cleanup = my_cleanup,\n};\n", NULL);
	fix_expect_none(no_member("cleanup", ".cleanup"));
}

static void own_structure(void **state)
{
	fix_driver("x.c", "struct sta {\n\tint a;\n};\nint f(struct sta *s)\n{\n\treturn s->ht_cap;\n}\n",
		   NULL);
	fix_expect_none(no_member("ht_cap", "->ht_cap"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested),    cmocka_unit_test(nested_in_initialiser),
		cmocka_unit_test(two_nests), cmocka_unit_test(null_initialiser), cmocka_unit_test(both_gone), cmocka_unit_test(flattened), cmocka_unit_test(renamed),
		cmocka_unit_test(opposite),  cmocka_unit_test(accessors),
		cmocka_unit_test(read_only), cmocka_unit_test(dropped),
		cmocka_unit_test(own_structure),
	};

	return cmocka_run_group_tests(tests, fix_open, fix_close);
}
