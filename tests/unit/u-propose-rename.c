// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/names-fixture.h"

#include "port/names.h"

static struct edit_group_list *implicit(const char *name)
{
	return fix_propose(&propose_rename, DIAG_IMPLICIT_FUNCTION, name, NULL, "x.c", name);
}

static struct edit_group_list *undeclared(const char *name)
{
	return fix_propose(&propose_rename, DIAG_UNDECLARED, name, NULL, "x.c", name);
}

static void alias(void **state)
{
	fix_driver("x.c", "int f(struct timer_list *t)\n{\n\treturn del_timer(t) + x.del_timer;\n}\n",
		   "y.c", "int (*g)(struct timer_list *) = del_timer;\n", NULL);
	fix_expect_first(implicit("del_timer"), "x.c",
			 "int f(struct timer_list *t)\n{\n\treturn timer_delete(t) + x.del_timer;\n}\n",
			 RISK_SAFE);
	assert_int_equal(fix_find(&fix_list, "y.c",
				  "int (*g)(struct timer_list *) = timer_delete;\n"), 0);
	assert_string_equal(fix_list.g[0]->title, "use timer_delete() in place of del_timer()");
	assert_non_null(strstr(fix_list.g[0]->why, "<linux/oldtimer.h> of 6.1"));
}

static void carry_over_address(void **state)
{
	fix_driver("x.c", "int f(struct foo *foo)\n{\n\treturn pci_set_dma_mask(&foo->dev, m);\n}\n", NULL);
	fix_expect_first(implicit("pci_set_dma_mask"), "x.c",
			 "int f(struct foo *foo)\n{\n\treturn dma_set_mask(&foo->dev.dev, m);\n}\n",
			 RISK_REVIEW);
}

static void constant_alias(void **state)
{
	fix_driver("x.c", "int f = OLD_TIMER_FLAG;\n", NULL);
	fix_expect_first(undeclared("OLD_TIMER_FLAG"), "x.c", "int f = TIMER_FLAG;\n", RISK_SAFE);
}

/* What it passed on to is gone too; what looks alike breaks or negates. */
static void dead_alias(void **state)
{
	fix_driver("x.c", "int f(void)\n{\n\treturn old_timer(0);\n}\n", NULL);
	fix_expect_none(implicit("old_timer"));
}

static void without_arguments(void **state)
{
	fix_driver("x.c", "int f(void)\n{\n\tget_cpus();\n\treturn no_cpus();\n}\n", NULL);
	fix_expect_first(implicit("get_cpus"), "x.c",
			 "int f(void)\n{\n\tcpus_lock();\n\treturn no_cpus();\n}\n", RISK_SAFE);
	fix_expect_none(implicit("no_cpus"));
}

static void stub(void **state)
{
	fix_driver("x.c", "int f(void)\n{\n\treturn del_timer_stub(0);\n}\n", NULL);
	fix_expect_none(implicit("del_timer_stub"));
}

/* The branch that the old kernel was not built with says nothing of it. */
static void other_branch(void **state)
{
	fix_driver("x.c", "int f(void)\n{\n\treturn timer_cpu_check(3, 0);\n}\n", NULL);
	fix_expect_none(implicit("timer_cpu_check"));
}

/* read -> write has the same signature, is new, and is the opposite. */
static void opposite(void **state)
{
	fix_driver("x.c", "int f(void)\n{\n\treturn timer_read(0);\n}\n", NULL);
	fix_expect_none(implicit("timer_read"));
}

/* int 0 = ok against bool */
static void return_convention(void **state)
{
	fix_driver("x.c", "int f(void)\n{\n\treturn timer_is_idle(0);\n}\n", NULL);
	fix_expect_none(implicit("timer_is_idle"));
}

static void similar(void **state)
{
	fix_driver("x.c", "int f(void)\n{\n\treturn timer_poll_chained(0, 1);\n}\n", NULL);
	fix_expect_first(implicit("timer_poll_chained"), "x.c",
			 "int f(void)\n{\n\treturn timer_poll_nested(0, 1);\n}\n", RISK_REVIEW);
}

static void constant(void **state)
{
	fix_driver("x.c", "int f = TIMER_SPREAD;\n", NULL);
	fix_expect_first(undeclared("TIMER_SPREAD"), "x.c", "int f = TIMER_SPREAD_PAGES;\n",
			 RISK_REVIEW);
}

/* The same number is not the same thing, and a number is never written out. */
static void constant_of_other_meaning(void **state)
{
	fix_driver("x.c", "int f = TIMER_OLD_LIMIT;\n", NULL);
	fix_expect_none(undeclared("TIMER_OLD_LIMIT"));
}

static void carry_over(void **state)
{
	fix_driver("x.c", "int f(struct foo *foo)\n{\n"
		   "\treturn pci_set_dma_mask(foo->pdev, 1 << 3) || pci_set_dma_mask(p[1], m);\n}\n",
		   NULL);
	fix_expect_first(implicit("pci_set_dma_mask"), "x.c", "int f(struct foo *foo)\n{\n"
			 "\treturn dma_set_mask(&foo->pdev->dev, 1 << 3) || "
			 "dma_set_mask(&p[1]->dev, m);\n}\n", RISK_REVIEW);
}

/* i++ would count twice. */
static void carry_over_effects(void **state)
{
	fix_driver("x.c", "int f(struct pci_dev *p)\n{\n\treturn pci_twice(p, i++);\n}\n", NULL);
	fix_expect_none(implicit("pci_twice"));
}

/* A lock keeps its unlock: neither of a pair is renamed alone. */
static void pair(void **state)
{
	fix_driver("x.c", "void f(void)\n{\n\tdev_old_lock(0);\n\tdev_old_unlock(0);\n}\n", NULL);
	fix_expect_none(implicit("dev_old_lock"));
	fix_driver("x.c", "void f(void)\n{\n\tdev_old_lock(0);\n}\n", NULL);
	fix_expect(implicit("dev_old_lock"), "x.c", "void f(void)\n{\n\tdev_state_lock(0);\n}\n",
		   RISK_REVIEW);
}

static void partners(void **state)
{
	struct strvec v = STRVEC_INIT;

	names_partners("dev_lock", &v);
	assert_true(strvec_contains(&v, "dev_unlock"));
	assert_false(strvec_contains(&v, "dev_lock"));
	strvec_release(&v);
}

static void structure(void **state)
{
	fix_driver("x.c", "int f(struct atom_state *atom_state)\n{\n\treturn atom_state->one;\n}\n", NULL);
	fix_expect_first(fix_propose(&propose_rename, DIAG_INCOMPLETE_TYPE, NULL,
				     "struct atom_state", "x.c", "->one"),
			 "x.c", "int f(struct atom_commit *atom_state)\n{\n\treturn atom_state->one;\n}\n",
			 RISK_REVIEW);
}

static void type_name(void **state)
{
	fix_driver("x.c", "sta_t *f(void);\n", NULL);
	fix_expect_first(fix_propose(&propose_rename, DIAG_UNKNOWN_TYPE, "sta_t", NULL, "x.c", "sta_t"),
			 "x.c", "struct sta *f(void);\n", RISK_REVIEW);
}

/* The driver's own function of that name is not the kernel's. */
static void own_definition(void **state)
{
	fix_driver("x.c", "int f(void)\n{\n\treturn del_timer(0);\n}\n", "y.h",
		   "#define del_timer(t) my_del(t)\n", NULL);
	fix_expect_none(implicit("del_timer"));
}

static void still_declared(void **state)
{
	fix_driver("x.c", "int f = dma_set_mask(0, 0);\n", NULL);
	fix_expect_none(implicit("dma_set_mask"));
}

static void opposites(void **state)
{
	assert_true(names_opposed("timer_read", "timer_write"));
	assert_true(names_opposed("mii_c22_read", "mii_c45_read"));
	assert_true(names_opposed("is_valid_addr", "is_invalid_addr"));
	assert_true(names_opposed("chip_valid", "chip_broken"));
	assert_true(names_opposed("io_readl", "io_readb"));
	assert_true(names_opposed("irq_enable", "irq_disable"));
	assert_true(names_opposed("foo_get_locked", "foo_get"));
	assert_true(names_opposed("dmaMap", "dmaUnmap"));
	assert_false(names_opposed("del_timer", "timer_delete"));
	assert_false(names_opposed("iio_poll_chained", "iio_poll_nested"));
	assert_false(names_opposed("get_user", "get_user"));
	assert_true(names_similarity("del_timer", "timer_delete") > 0.7);
	assert_true(names_similarity("a_b", "c_d") < 0.01);
	assert_true(name_has_words("inode_get_ctime", "ctime"));
	assert_false(name_has_words("inode_get_mtime", "ctime"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alias),	     cmocka_unit_test(constant_alias),
		cmocka_unit_test(dead_alias), cmocka_unit_test(without_arguments),	     cmocka_unit_test(stub), cmocka_unit_test(other_branch),
		cmocka_unit_test(opposite),	     cmocka_unit_test(return_convention),
		cmocka_unit_test(similar),	     cmocka_unit_test(constant),
		cmocka_unit_test(constant_of_other_meaning), cmocka_unit_test(carry_over),
		cmocka_unit_test(carry_over_effects), cmocka_unit_test(carry_over_address), cmocka_unit_test(structure),
		cmocka_unit_test(pair),		     cmocka_unit_test(partners),
		cmocka_unit_test(type_name),	     cmocka_unit_test(own_definition),
		cmocka_unit_test(still_declared),    cmocka_unit_test(opposites),
	};

	return cmocka_run_group_tests(tests, fix_open, fix_close);
}
