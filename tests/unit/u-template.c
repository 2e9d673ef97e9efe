// SPDX-License-Identifier: GPL-2.0-only
/* Templates: what is generalised, what is not, and what a match gives. */
#include "tests/unit/names-fixture.h"

#include "port/template.h"

static struct tmpl *make(const char *before, const char *after, const char *symbol)
{
	struct example ex = { .path = (char *)"drivers/a/b.c", .before = (char *)before,
			      .after = (char *)after, .line = 1 };

	return tmpl_make(&ex, symbol, fix_old, fix_new);
}

/* Applies t at the first occurrence of its symbol; NULL when it does not match there. */
static char *apply(const struct tmpl *t, const char *symbol, const char *text)
{
	struct ctoks ts;
	struct tmpl_match m;
	struct strbuf out = STRBUF_INIT;
	char *got = NULL;

	assert_int_equal(ctoks_scan(&ts, text, strlen(text)), 0);
	for (size_t i = 0; i < ts.n && !got; i++) {
		if (!ctok_is(&ts, i, symbol) || !tmpl_match(t, &ts, i, &m))
			continue;
		strbuf_add(&out, text, ts.t[m.first].off);
		tmpl_instantiate(t, &ts, &m, "\t", &out);
		strbuf_addstr(&out, text + ts.t[m.end - 1].off + ts.t[m.end - 1].len);
		got = strbuf_detach(&out, NULL);
	}
	ctoks_release(&ts);
	return got;
}

static void expect(const char *before, const char *after, const char *symbol, const char *text,
		   const char *want)
{
	struct tmpl *t = make(before, after, symbol);
	char *got;

	assert_non_null(t);
	got = apply(t, symbol, text);
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	free(got);
	tmpl_free(t);
}

static void arguments(void **state)
{
	expect("old_thing(&priv->timer, 5, priv->n);", "timer_poll_nested(&priv->timer, priv->n);",
	       "old_thing", "	old_thing(x[3].t,  LIMIT * 2, f(a, b)); /* c */",
	       "	timer_poll_nested(x[3].t, f(a, b)); /* c */");
}

static void rename_alone(void **state)
{
	struct tmpl *t = make("err = old_thing(p, 1);", "err = timer_delete(p, 1);", "old_thing");

	assert_string_equal(t->key, "old_thing => timer_delete");
	assert_string_equal(t->adds, "timer_delete");
	assert_false(t->deletes);
	tmpl_free(t);
}

static void member_behind_function(void **state)
{
	expect("x = priv->t->gone_member;", "x = timer_delete(priv->t);", "gone_member",
	       "	y = a[i].b->gone_member + 1;", "	y = timer_delete(a[i].b) + 1;");
}

/* Lines of the new text are as deep as in the example, from where this driver's statement stands. */
static void depth_of_lines(void **state)
{
	expect("\t\tret = old_thing(p);\n\t\tif (ret)\n\t\t\treturn ret;",
	       "\t\tif (!timer_delete(p))\n\t\t\treturn 1;", "old_thing",
	       "\terr = old_thing(x);\n\tif (err)\n\t\treturn err;", "\tif (!timer_delete(x))\n\t\treturn 1;");
}

/* A driver's own names must be bound, and the same name the same text. */
static void names_are_bound(void **state)
{
	assert_null(make("old_thing(p);", "timer_write(q);", "old_thing"));
	expect("old_thing(p, p);", "timer_write(p);", "old_thing", "old_thing(a->b, a->b);",
	       "timer_write(a->b);");
	expect("old_thing(p, p);", "timer_write(p);", "old_thing", "old_thing(a, b);", NULL);
}

/* What the kernel declares is no metavariable. */
static void kernel_names_stay(void **state)
{
	expect("old_thing(p, TIMER_FLAG);", "timer_write(p);", "old_thing",
	       "old_thing(p, TIMER_FLAG);", "timer_write(p);");
	expect("old_thing(p, TIMER_FLAG);", "timer_write(p);", "old_thing", "old_thing(p, 3);", NULL);
}

static void losses_are_told(void **state)
{
	struct tmpl *t = make("old_thing(p);", "", "old_thing");

	assert_true(t->deletes);
	tmpl_free(t);
	t = make("old_thing(p, TIMER_FLAG);", "old_thing(p);", "old_thing");
	assert_true(t->loses_name);
	assert_false(t->deletes);
	tmpl_free(t);
	t = make("if (timer_write(p)) old_thing(p);", "if (p) old_thing(p);", "old_thing");
	assert_true(t->loses_call);
	tmpl_free(t);
}

/* The object in front of a member holds an argument that is an expression itself. */
static void overlapping_expressions(void **state)
{
	expect("x = get(p->a)->gone_member;", "x = timer_write(get(p->a), p->a);", "gone_member",
	       "	y = get(q)->gone_member;", "	y = timer_write(get(q), q);");
	expect("f(a->b, c)->gone_member = a->b;", "timer_write(f(a->b, c), a->b);", "gone_member",
	       "	g(1)->gone_member = 2;", NULL);
}

static void not_usable(void **state)
{
	assert_null(make("other(p);", "timer_write(p);", "old_thing"));	/* no symbol */
	assert_null(make("#if A\nold_thing(p);", "timer_write(p);", "old_thing"));
}

static void dead_code_is_left(void **state)
{
	expect("old_thing(p);", "timer_write(p);", "old_thing", "#if 0\nold_thing(a);\n#endif\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments),	    cmocka_unit_test(rename_alone),
		cmocka_unit_test(depth_of_lines),
		cmocka_unit_test(member_behind_function), cmocka_unit_test(names_are_bound),
		cmocka_unit_test(kernel_names_stay), cmocka_unit_test(losses_are_told),
		cmocka_unit_test(overlapping_expressions), cmocka_unit_test(not_usable),	    cmocka_unit_test(dead_code_is_left),
	};

	return cmocka_run_group_tests_name("template", tests, fix_open, fix_close);
}
