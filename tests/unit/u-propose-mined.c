// SPDX-License-Identifier: GPL-2.0-only
/* What other drivers did, and the guards: deletions and lone examples are not safe. */
#include "tests/unit/names-fixture.h"

#define DRIVER "int x(struct timer_list *t)\n{\n\tint ret;\n\n%s\treturn ret;\n}\n"

/* Files of the kernel, "drivers/NAME.c", whose function does "before" in the old and "after" in the new tree. */
static void write_files(const char *const *names, const char *before, const char *after)
{
	for (size_t i = 0; names[i]; i++) {
		char *a = xstrfmt("trees/old/drivers/%s.c", names[i]);
		char *b = xstrfmt("trees/new/drivers/%s.c", names[i]);
		char *x = xstrfmt("int %s_f(struct timer_list *%s_t)\n{\n\tint ret;\n\n%s\treturn ret;\n}\n",
				  names[i], names[i], before);
		char *y = xstrfmt("int %s_f(struct timer_list *%s_t)\n{\n\tint ret;\n\n%s\treturn ret;\n}\n",
				  names[i], names[i], after);

		free(make_file(a, x));
		free(make_file(b, y));
		free(a);
		free(b);
		free(x);
		free(y);
	}
}

static struct examples *mine(void)
{
	char *old = in_scratch("trees/old"), *new = in_scratch("trees/new"), *db = in_scratch("trees/e.db");
	struct examples *ex = NULL;

	assert_ok(examples_mine(old, new, NULL, db, NULL, NULL, &err));
	assert_ok(examples_open(db, &ex, &err));
	free(old);
	free(new);
	free(db);
	return ex;
}

/* The risk of the first candidate for the symbol in a driver that does "before"; -1: none. */
static int risk_for(const char *symbol, enum diag_kind kind, const char *before, const char *exclude)
{
	struct examples *ex = mine();
	struct strvec no = STRVEC_INIT;
	char *text = xstrfmt(DRIVER, before), *trees = in_scratch("trees");
	struct breakage b = { .path = xstrdup("x.c") };
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old, .new_ix = fix_new,
				 .b = &b, .examples = ex, .exclude = &no };
	int got;

	fix_from.source_dir = in_scratch("trees/old");
	fix_to.source_dir = in_scratch("trees/new");
	fix_driver("x.c", text, NULL);
	c.tree = fix_tree;
	b.diag.kind = kind;
	b.diag.symbol = xstrdup(symbol);
	b.start = (size_t)(strstr(text, symbol) - text);
	b.diag.loc.line = b.diag.loc.end_line = srcfile_line(tree_file(fix_tree, "x.c"), b.start);
	if (exclude)
		strvec_push(&no, exclude);
	edit_group_list_release(&fix_list);
	assert_ok(propose_mined.propose(&c, &fix_list, &err));
	got = fix_list.n ? (int)fix_list.g[0]->risk : -1;
	examples_close(ex);
	strvec_release(&no);
	free(fix_from.source_dir);
	free(fix_to.source_dir);
	fix_from.source_dir = fix_to.source_dir = NULL;
	assert_ok(file_remove(trees, &err));
	free(b.diag.symbol);
	free(b.path);
	free(text);
	free(trees);
	return got;
}

static int risk_here(const char *before, const char *exclude)
{
	return risk_for("del_timer", DIAG_IMPLICIT_FUNCTION, before, exclude);
}

static int risk(const char *const *names, const char *before, const char *after, const char *exclude)
{
	write_files(names, before, after);
	return risk_here(before, exclude);
}

static const char *const one[] = { "a", NULL };
static const char *const two[] = { "d", "e", NULL };
static const char *const three[] = { "a", "b", "c", NULL };

static void support(void **state)
{
	assert_int_equal(risk(three, "\tret = del_timer(&p->t);\n", "\tret = timer_delete(&p->t);\n", NULL),
			 RISK_SAFE);
	assert_int_equal(risk(one, "\tret = del_timer(&p->t);\n", "\tret = timer_delete(&p->t);\n", NULL),
			 RISK_REVIEW);
}

/* However many did it: the other half may be elsewhere. */
static void deletion(void **state)
{
	const char *before = "\tdel_timer(&p->t);\n\tret = 1;\n\tstop();\n";

	assert_int_equal(risk(three, before, "\tret = 1;\n\ttimer_delete(p);\n", NULL), RISK_SHOWN);
	/* It was all of the change in three files, and all that anybody did. */
	assert_int_equal(risk(three, before, "\tret = 1;\n\tstop();\n", NULL), RISK_REVIEW);
	write_files(three, before, "\tret = 1;\n\tstop();\n");
	write_files(two, before, "\ttimer_delete(&p->t);\n\tret = 1;\n\tstop();\n");
	assert_int_equal(risk_here(before, NULL), RISK_REVIEW); /* of the replacement, two files */
	for (size_t i = 0; i < fix_list.n; i++)
		assert_true(!starts_with(fix_list.g[i]->title, "drop") || fix_list.g[i]->risk == RISK_SHOWN);
}

/* Files that disagree on a constant: which one is right here is for a person. */
static void disagreement(void **state)
{
	write_files(three, "\tret = del_timer(&p->t);\n", "\tret = timer_delete(&p->t, 1);\n");
	assert_int_equal(risk_here("\tret = del_timer(&p->t);\n", NULL), RISK_SAFE);
	write_files(three, "\tret = del_timer(&p->t);\n", "\tret = timer_delete(&p->t, 1);\n");
	write_files(two, "\tret = del_timer(&p->t);\n", "\tret = timer_delete(&p->t, 2);\n");
	assert_int_equal(risk_here("\tret = del_timer(&p->t);\n", NULL), RISK_SHOWN);
}

/* The others gave a variable away, this driver would give "true" away. */
static void lost_constant(void **state)
{
	write_files(three, "\tret = del_timer(&p->t, p->sync);\n", "\tret = timer_delete(&p->t);\n");
	assert_int_equal(risk_here("\tret = del_timer(&p->t, p->wait);\n", NULL), RISK_SAFE);
	write_files(three, "\tret = del_timer(&p->t, p->sync);\n", "\tret = timer_delete(&p->t);\n");
	assert_int_equal(risk_here("\tret = del_timer(&p->t, true);\n", NULL), RISK_SHOWN);
}

/* Asked for in a condition there, kept and returned here. */
static void negated(void **state)
{
	write_files(three, "\tif (del_timer(&p->t))\n\t\tret = 2;\n", "\tif (!timer_delete(&p->t))\n\t\tret = 2;\n");
	assert_int_equal(risk_here("\tif (del_timer(&p->x))\n\t\tret = 1;\n", NULL), RISK_SAFE);
	write_files(three, "\tif (del_timer(&p->t))\n\t\tret = 2;\n", "\tif (!timer_delete(&p->t))\n\t\tret = 2;\n");
	assert_int_equal(risk_here("\tret = del_timer(&p->x);\n", NULL), RISK_SHOWN);
}

/* Nothing stood behind the loop there. */
static void leaves_early(void **state)
{
	write_files(three, "\tret = del_timer(&p->t);\n\tif (ret)\n\t\tbreak;\n",
		    "\tif (!timer_delete(&p->t))\n\t\treturn -1;\n");
	assert_int_equal(risk_here("\tret = del_timer(&p->x);\n\tif (ret)\n\t\tbreak;\n", NULL), RISK_SHOWN);
}

/* The head of a check becomes a whole check: the old one's body would follow. */
static void head_that_grows(void **state)
{
	write_files(three, "\tif (del_timer(&p->t))\n\t\tret = 2;\n",
		    "\tif (!timer_delete(&p->t))\n\t\treturn 5;\n\tif (ret)\n\t\tret = 2;\n");
	assert_int_not_equal(risk_here("\tif (del_timer(&p->t))\n\t\tret = 3;\n", NULL), RISK_SAFE);
}

/* A callback that one file took from a library of its family. */
static void adopted(void **state)
{
	assert_int_equal(risk(one, "\tret = set(p, del_timer);\n", "\tret = set(p, timer_delete);\n", NULL),
			 RISK_SHOWN);
	assert_int_equal(risk(three, "\tret = set(p, del_timer);\n", "\tret = set(p, timer_delete);\n", NULL),
			 RISK_SAFE);
}

static void constant(void **state)
{
	assert_int_equal(risk(three, "\tret = del_timer(&p->t);\n", "\tret = 0;\n", NULL), RISK_SHOWN);
}

/* A constant of another family may be of another type: what it is joined with here stays of the old one. */
static void family(void **state)
{
	write_files(three, "\tret = TIMER_OLDMODE;\n", "\tret = TIMER_MODE;\n");
	assert_int_equal(risk_for("TIMER_OLDMODE", DIAG_UNDECLARED, "\tret = 1 | TIMER_OLDMODE;\n", NULL), RISK_SAFE);
	write_files(three, "\tret = TIMER_OLDMODE;\n", "\tret = CLOCK_MODE;\n");
	assert_int_equal(risk_for("TIMER_OLDMODE", DIAG_UNDECLARED, "\tret = TIMER_FLAG | TIMER_OLDMODE;\n", NULL), RISK_REVIEW);
}

/* The old kernel had both: others chose. Not where the one is a name of the other. */
static void choice(void **state)
{
	write_files(three, "\tret = timer_read(&p->t);\n", "\tret = timer_delete(&p->t);\n");
	assert_int_equal(risk_for("timer_read", DIAG_IMPLICIT_FUNCTION, "\tret = timer_read(&q->t);\n", NULL), RISK_REVIEW);
	write_files(three, "\tret = del_timer(&p->t);\n", "\tret = timer_delete(&p->t);\n");
	assert_int_equal(risk_for("del_timer", DIAG_IMPLICIT_FUNCTION, "\tret = del_timer(&q->t);\n", NULL), RISK_SAFE);
}

/* An argument goes that is true in the examples, whatever it is in the driver. */
static void truth(void **state)
{
	assert_int_equal(risk(three, "\tret = del_timer(&p->t, true);\n", "\tret = timer_delete(&p->t);\n",
			      NULL), RISK_SHOWN);
}

/* A member is the kernel's where its structure is; the driver's own by that name stays. */
static void own_member(void **state)
{
	struct examples *ex;
	const char *text = "struct own {\n\tint rate_count;\n};\n"
		"int x(struct own *o, struct sta *t)\n{\n\tint ret;\n\n\to->rate_count = 1;\n"
		"\tret = t->rate_count;\n\treturn ret;\n}\n";
	struct breakage b = { .path = xstrdup("x.c") };
	struct strvec no = STRVEC_INIT;
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old, .new_ix = fix_new,
				 .b = &b, .exclude = &no };
	char *trees = in_scratch("trees");

	write_files(three, "\tret = t->rate_count;\n", "\tret = t->rate_counter;\n");
	c.examples = ex = mine();

	fix_driver("x.c", text, NULL);
	c.tree = fix_tree;
	b.diag.kind = DIAG_NO_MEMBER;
	b.diag.symbol = xstrdup("rate_count");
	b.diag.type = xstrdup("struct sta");
	b.start = (size_t)(strstr(text, "t->rate_count") - text);
	b.diag.loc.line = b.diag.loc.end_line = srcfile_line(tree_file(fix_tree, "x.c"), b.start);
	edit_group_list_release(&fix_list);
	assert_ok(propose_mined.propose(&c, &fix_list, &err));
	assert_int_equal(fix_find(&fix_list, "x.c", "struct own {\n\tint rate_count;\n};\n"
		"int x(struct own *o, struct sta *t)\n{\n\tint ret;\n\n\to->rate_count = 1;\n"
		"\tret = t->rate_counter;\n\treturn ret;\n}\n"), 0);
	examples_close(ex);
	strvec_release(&no);
	assert_ok(file_remove(trees, &err));
	free(b.diag.symbol);
	free(b.diag.type);
	free(b.path);
	free(trees);
}

/* A member of an initialiser: dropped where those who dropped it got no other one for it. */
static enum risk risk_of_member(const char *fresh)
{
	struct strvec no = STRVEC_INIT;
	struct breakage b = { .path = xstrdup("x.c") };
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old, .new_ix = fix_new,
				 .b = &b, .exclude = &no };
	const char *text = "static struct sta x = {\n\t.name = 1,\n\t.rate_count = 2,\n};\n";
	char *trees = in_scratch("trees");
	struct examples *ex;
	enum risk got = RISK_SAFE;

	for (int i = 0; i < 3; i++) {
		char *a = xstrfmt("trees/old/drivers/m%d.c", i), *n = xstrfmt("trees/new/drivers/m%d.c", i);
		char *after = xstrfmt("static struct sta s = {\n\t.name = 1,\n};\nint z;\nstatic struct sta t = {%s\n};\n", fresh);

		free(make_file(a, "static struct sta s = {\n\t.name = 1,\n\t.rate_count = 2,\n};\nint z;\n"
			       "static struct sta t = {\n\t.rate_count = 2,\n};\n"));
		free(make_file(n, after));
		free(a);
		free(n);
		free(after);
	}
	fix_from.source_dir = in_scratch("trees/old");
	fix_to.source_dir = in_scratch("trees/new");
	c.examples = ex = mine();
	fix_driver("x.c", text, NULL);
	c.tree = fix_tree;
	b.diag.kind = DIAG_NO_MEMBER;
	b.diag.symbol = xstrdup("rate_count");
	b.diag.type = xstrdup("struct sta");
	b.start = (size_t)(strstr(text, "rate_count") - text);
	b.diag.loc.line = b.diag.loc.end_line = 3;
	edit_group_list_release(&fix_list);
	assert_ok(propose_mined.propose(&c, &fix_list, &err));
	for (size_t i = 0; i < fix_list.n; i++)
		got = starts_with(fix_list.g[i]->title, "drop") ? fix_list.g[i]->risk : got;
	examples_close(ex);
	free(fix_from.source_dir);
	free(fix_to.source_dir);
	fix_from.source_dir = fix_to.source_dir = NULL;
	assert_ok(file_remove(trees, &err));
	free(b.diag.symbol);
	free(b.diag.type);
	free(b.path);
	free(trees);
	return got;
}

static void dropped_member(void **state)
{
	assert_int_equal(risk_of_member(""), RISK_REVIEW);
	assert_int_equal(risk_of_member("\n\t.rate = f,"), RISK_SHOWN);
}

static void excluded(void **state)
{
	assert_int_equal(risk(one, "\tret = del_timer(&p->t);\n", "\tret = timer_delete(&p->t);\n",
			      "drivers/a.c"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(support),
		cmocka_unit_test(deletion),
		cmocka_unit_test(disagreement),
		cmocka_unit_test(dropped_member),
		cmocka_unit_test(lost_constant),
		cmocka_unit_test(adopted),
		cmocka_unit_test(negated),
		cmocka_unit_test(head_that_grows),
		cmocka_unit_test(leaves_early),
		cmocka_unit_test(constant),
		cmocka_unit_test(family),
		cmocka_unit_test(choice),
		cmocka_unit_test(excluded),
		cmocka_unit_test(truth),
		cmocka_unit_test(own_member),
	};

	return cmocka_run_group_tests(tests, fix_open, fix_close);
}
