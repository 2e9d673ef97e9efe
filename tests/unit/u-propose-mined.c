// SPDX-License-Identifier: GPL-2.0-only
/* What other drivers did, and the guards: deletions and lone examples are not safe. */
#include "tests/unit/names-fixture.h"

#define DRIVER "int x(struct timer_list *t)\n{\n\tint ret;\n\n%s\treturn ret;\n}\n"

/* Files of the kernel, "drivers/NAME.c", whose function does "before" in the old and "after" in the new tree. */
static struct examples *mine(const char *const *names, const char *before, const char *after)
{
	char *old = in_scratch("trees/old"), *new = in_scratch("trees/new"), *db = in_scratch("trees/e.db");
	struct examples *ex = NULL;

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
	assert_ok(examples_mine(old, new, NULL, db, NULL, NULL, &err));
	assert_ok(examples_open(db, &ex, &err));
	free(old);
	free(new);
	free(db);
	return ex;
}

/* The risk of the first candidate for del_timer() in a driver that does "before"; -1: none. */
static int risk(const char *const *names, const char *before, const char *after, const char *exclude)
{
	struct examples *ex = mine(names, before, after);
	struct strvec no = STRVEC_INIT;
	char *text = xstrfmt(DRIVER, before), *trees = in_scratch("trees");
	struct breakage b = { .path = xstrdup("x.c") };
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old, .new_ix = fix_new,
				 .b = &b, .examples = ex, .exclude = &no };
	int got;

	fix_driver("x.c", text, NULL);
	c.tree = fix_tree;
	b.diag.kind = DIAG_IMPLICIT_FUNCTION;
	b.diag.symbol = xstrdup("del_timer");
	b.start = (size_t)(strstr(text, "del_timer") - text);
	b.diag.loc.line = b.diag.loc.end_line = srcfile_line(tree_file(fix_tree, "x.c"), b.start);
	if (exclude)
		strvec_push(&no, exclude);
	edit_group_list_release(&fix_list);
	assert_ok(propose_mined.propose(&c, &fix_list, &err));
	got = fix_list.n ? (int)fix_list.g[0]->risk : -1;
	examples_close(ex);
	strvec_release(&no);
	assert_ok(file_remove(trees, &err));
	free(b.diag.symbol);
	free(b.path);
	free(text);
	free(trees);
	return got;
}

static const char *const one[] = { "a", NULL };
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
	assert_int_equal(risk(three, "\tdel_timer(&p->t);\n\tret = 1;\n", "\tret = 1;\n", NULL), RISK_SHOWN);
}

static void constant(void **state)
{
	assert_int_equal(risk(three, "\tret = del_timer(&p->t);\n", "\tret = 0;\n", NULL), RISK_SHOWN);
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
	struct examples *ex = mine(three, "\tret = t->rate_count;\n", "\tret = t->rate_counter;\n");
	const char *text = "struct own {\n\tint rate_count;\n};\n"
		"int x(struct own *o, struct sta *t)\n{\n\tint ret;\n\n\to->rate_count = 1;\n"
		"\tret = t->rate_count;\n\treturn ret;\n}\n";
	struct breakage b = { .path = xstrdup("x.c") };
	struct strvec no = STRVEC_INIT;
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old, .new_ix = fix_new,
				 .b = &b, .examples = ex, .exclude = &no };
	char *trees = in_scratch("trees");

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
		cmocka_unit_test(constant),
		cmocka_unit_test(excluded),
		cmocka_unit_test(truth),
		cmocka_unit_test(own_member),
	};

	return cmocka_run_group_tests(tests, fix_open, fix_close);
}
