// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/equiv.h"

#include "tests/unit/unit.h"

static const char old[] = "#include <linux/a.h>\n"
			  "static int f(struct p *p)\n{\n\tdel_timer(&p->t);\n\tfree(p);\n\treturn 0;\n}\n"
			  "static void g(struct p *p)\n{\n\tint x = 1;\n\tuse(x, p);\n}\n"
			  "static struct drv d = {\n\t.remove = f,\n\t.owner = THIS_MODULE,\n};\n";

static const char ported[] = "#include <linux/a.h>\n"
			     "static void f(struct p *p)\n{\n\ttimer_delete(&p->t);\n\tfree(p);\n}\n"
			     "static void g(struct p *p)\n{\n\tint x = 1;\n\tuse(x, p);\n}\n"
			     "static struct drv d = {\n\t.remove = f,\n};\n";

static void same(void **state)
{
	struct equiv q;

	equiv_compare(old, ported, ported, &q);
	assert_int_equal(q.cls, EQUIV_SAME);
	assert_int_equal(q.equal, 4);
	assert_string_equal(q.e[0].unit, "function f");
	assert_string_equal(q.e[0].before, "int");
	assert_string_equal(q.e[0].after, "void");
	assert_int_equal(q.e[0].old_line, 2);
	equiv_release(&q);
}

/* The layout does not count, nor what the maintainers changed besides. */
static void besides(void **state)
{
	static const char theirs[] =
		"#include <linux/a.h>\n#include <linux/b.h>\n"
		"static void f(struct p *p)\n{\n  struct q *q = p->q;\n\n  timer_delete( &p->t );\n"
		"  log(q);\n  free(p);\n}\n"
		"static void g(struct p *p, int x)\n{\n\tuse(x, p);\n}\n"
		"static struct drv d = {\n\t.remove = f,\n\t.name = \"d\",\n};\n";
	struct equiv q;

	equiv_compare(old, ported, theirs, &q);
	assert_int_equal(q.cls, EQUIV_ALL);
	assert_int_equal(q.different, 0);
	equiv_release(&q);
}

static void different(void **state)
{
	static const char theirs[] =
		"#include <linux/a.h>\n"
		"static void f(struct p *p)\n{\n\ttimer_shutdown_sync(&p->t);\n\tfree(p);\n}\n"
		"static void g(struct p *p)\n{\n\tint x = 1;\n\tuse(x, p);\n}\n"
		"static struct drv d = {\n\t.remove = f,\n\t.owner = THIS_MODULE,\n};\n";
	struct equiv q;

	equiv_compare(old, ported, theirs, &q);
	assert_int_equal(q.cls, EQUIV_PARTLY);
	assert_int_equal(q.different, 2);
	assert_int_equal(q.equal, 2);
	for (size_t i = 0; i < q.n; i++) {
		if (q.e[i].verdict == EQUIV_DIFFERENT && starts_with(q.e[i].unit, "function"))
			assert_string_equal(q.e[i].theirs, "timer_shutdown_sync");
	}
	equiv_release(&q);
}

/* A deleted statement that they kept is a difference, also when others like it went. */
static void kept(void **state)
{
	static const char before[] = "void f(void)\n{\n\tlock(&a);\n\tx();\n\tlock(&a);\n\ty();\n}\n";
	static const char us[] = "void f(void)\n{\n\tx();\n\ty();\n}\n";
	static const char they[] = "void f(void)\n{\n\tx();\n\tlock(&a);\n\ty();\n}\n";
	struct equiv q;

	equiv_compare(before, us, they, &q);
	assert_int_equal(q.cls, EQUIV_PARTLY);
	assert_int_equal(q.different, 1);
	equiv_release(&q);
}

static void absent(void **state)
{
	static const char before[] = "int f(int a)\n{\n\treturn g(a);\n}\n";
	static const char us[] = "int f(int a)\n{\n\treturn g(a, 0);\n}\n";
	static const char they[] = "int other;\n";
	struct equiv q;

	equiv_compare(before, us, they, &q);
	assert_int_equal(q.cls, EQUIV_NOTHING);
	assert_int_equal(q.absent, 1);
	equiv_release(&q);
}

/* The function has another name there; a statement moved to another function. */
static void moved(void **state)
{
	static const char before[] = "static int f(int a)\n{\n\tint r = start(a, 1, 2, 3);\n\n"
				     "\tif (r)\n\t\treturn r;\n\told_way(a);\n\treturn go(a);\n}\n"
				     "static int h(int a)\n{\n\told_call(a->b, a);\n\treturn a;\n}\n";
	static const char us[] = "static int f(int a)\n{\n\tint r = start(a, 1, 2, 3);\n\n"
				 "\tif (r)\n\t\treturn r;\n\tnew_way(a);\n\treturn go(a);\n}\n"
				 "static int h(int a)\n{\n\tnew_call(a->b, a);\n\treturn a;\n}\n";
	static const char they[] = "static int f_v2(int a)\n{\n\tint r = start(a, 1, 2, 3);\n\n"
				   "\tif (r)\n\t\treturn r;\n\tnew_way(a);\n\treturn go(a);\n}\n"
				   "static void k(int a)\n{\n\tnew_call(a->b, a);\n}\n"
				   "static int h(int a)\n{\n\tk(a);\n\treturn a;\n}\n";
	struct equiv q;

	equiv_compare(before, us, they, &q);
	assert_int_equal(q.different + q.absent, 0);
	assert_int_equal(q.equal, 2);
	equiv_release(&q);
}

static void includes(void **state)
{
	struct equiv q;

	equiv_compare("#include <a.h>\n", "#include <a.h>\n#include <b.h>\n",
		      "#include <b.h>\n#include <a.h>\n#include <c.h>\n", &q);
	assert_int_equal(q.cls, EQUIV_SAME);
	equiv_release(&q);
	equiv_compare("#include <a.h>\n", "#include <a.h>\n#include <b.h>\n",
		      "#include <a.h>\n#include <c.h>\n", &q);
	assert_int_equal(q.cls, EQUIV_NONE);
	assert_string_equal(q.e[0].unit, "directive #include <b.h>");
	equiv_release(&q);
}

/* A comma behind the last element is layout. */
static void last_comma(void **state)
{
	struct equiv q;

	equiv_compare("struct d d = {\n\t.a = f\n};\n", "struct d d = {\n\t.b = f,\n};\n",
		      "struct d d = {\n\t.b = f\n};\n", &q);
	assert_int_equal(q.cls, EQUIV_SAME);
	equiv_release(&q);
}

static void merged(void **state)
{
	struct equiv a, b;

	equiv_compare("int a;\n", "long a;\n", "long a;\n", &a);
	equiv_compare("int b;\n", "long b;\n", "short b;\n", &b);
	equiv_merge(&a, &b);
	assert_int_equal(a.cls, EQUIV_PARTLY);
	assert_int_equal(a.n, 2);
	equiv_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same),	  cmocka_unit_test(besides),  cmocka_unit_test(different),
		cmocka_unit_test(kept),	  cmocka_unit_test(absent),   cmocka_unit_test(moved),
		cmocka_unit_test(includes), cmocka_unit_test(merged),
		cmocka_unit_test(last_comma),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
