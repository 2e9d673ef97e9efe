// SPDX-License-Identifier: GPL-2.0-only
/* Likeness of texts: counts made by hand, written down beside each test. */
#include "tests/unit/unit.h"

#include <math.h>

#include "drivebench/codebleu.h"
#include "drivebench/similar.h"

static void near(double got, double want)
{
	if (!(fabs(got - want) < 1e-12))
		fail_msg("%.17g, not %.17g", got, want);
}

static const char old_text[] = "int f(int a)\n{\n\treturn old_fn(a);\n}\n";
static const char gold_text[] = "int f(int a)\n{\n\treturn new_fn(a, 0);\n}\n";
static const char *const names[] = { "old_fn", "new_fn" };

static struct similar of(const char *old, const char *ours, const char *gold)
{
	struct similar s;

	similar_compare(old, ours, gold, names, 2, &s);
	assert_false(s.capped);
	return s;
}

/*
 * 14 tokens become 16 in gold: one is another, two are new, distance 3. The port has the name and not the argument:
 * distance 1 from the old text, 2 from gold.
 */
static void test_half_way(void **state)
{
	struct similar s = of(old_text, "int f(int a)\n{\n\treturn new_fn(a);\n}\n", gold_text);

	assert_int_equal(s.units, 1);
	assert_int_equal(s.exact, 0);
	assert_int_equal(s.token, 0);
	near(s.delta, 1. / 3);
	near(s.edit_ratio, 1. / 3);
	near(s.function_iou, 1);
	near(s.recall, 1);	/* old_fn -1, new_fn +1 in both */
	near(s.precision, 1);
	/*
	 * Of 14, 13, 12, 11 n-grams of the port gold has 14, 12 ("a )" is there twice, in gold once), 10, 8; with keywords at 5: 26 of 26, 44 of
	 * 46, 58 of 64, 68 of 80.
	 */
	near(s.bleu, exp(1 - 16. / 14) * pow(12. / 13 * 10 / 12 * 8 / 11, 0.25));
	near(s.weighted_bleu, exp(1 - 16. / 14) * pow(44. / 46 * 58 / 64 * 68 / 80, 0.25));
	near(s.syntax, 1. / 3);	/* "( int a )" of it, the call, and the body around the call */
	near(s.dataflow, 1);	/* nothing is assigned */
	near(s.codebleu, (s.bleu + s.weighted_bleu + s.syntax + s.dataflow) / 4);
}

static void test_ends(void **state)
{
	struct similar s = of(old_text, old_text, gold_text);

	near(s.delta, 0);
	near(s.edit_ratio, 0);
	near(s.function_iou, 0);
	near(s.recall, 0);
	assert_true(isnan(s.precision));
	s = of(old_text, gold_text, gold_text);
	assert_int_equal(s.exact, 1);
	near(s.delta, 1);
	near(s.codebleu, 1);
	near(s.edit_ratio, 1);
	/* other blanks: the tokens, not the bytes */
	s = of(old_text, "int f(int a) { return new_fn(a,0); }\n", gold_text);
	assert_int_equal(s.exact, 0);
	assert_int_equal(s.token, 1);
	near(s.delta, 1);
	/* farther from gold than where it began is no less than nothing */
	s = of(old_text, "int f(int a)\n{\n\tx(); y(); return z(1, 2, 3);\n}\n", gold_text);
	near(s.delta, 0);
	near(s.recall, 0.5);	/* the old name went, the new one did not come */
	/* gold changes nothing */
	s = of(old_text, gold_text, old_text);
	assert_int_equal(s.units, 0);
	assert_true(isnan(s.edit_ratio) && isnan(s.recall));
	near(s.function_iou, 0);
}

/* Gold changes f and g, the port g and h. */
static void test_units(void **state)
{
	const char *old = "int f(void) { return 1; }\nint g(void) { return 2; }\nint h(void) { return 3; }\n";
	struct similar s = of(old, "int f(void) { return 1; }\nint g(void) { return 20; }\nint h(void) { return 30; }\n",
			      "int f(void) { return 10; }\nint g(void) { return 20; }\nint h(void) { return 3; }\n");

	assert_int_equal(s.units, 2);
	assert_int_equal(s.both, 1);
	assert_int_equal(s.any, 3);
	near(s.function_iou, 1. / 3);
	assert_int_equal(s.exact, 1);
	near(s.delta, 0.5);	/* 0 of f, 1 of g */
	near(s.edit_ratio, 1);	/* two tokens each */
}

static void scan(const char *text, struct ctoks *ts, struct tokens *out)
{
	memset(out, 0, sizeof(*out));
	ctoks_scan(ts, text, strlen(text));
	for (size_t i = 0; i < ts->n; i++)
		tokens_add(out, text + ts->t[i].off, ts->t[i].len, (enum ctok_kind)ts->t[i].kind);
}

static void with(const char *c, const char *r, double syntax, double dataflow, double bleu)
{
	struct ctoks a, b;
	struct tokens x, y;

	scan(c, &a, &x);
	scan(r, &b, &y);
	near(codebleu_syntax(&x, &y), syntax);
	near(codebleu_dataflow(&x, &y), dataflow);
	near(codebleu_ngram(&x, &y, false), bleu);
	tokens_release(&x);
	tokens_release(&y);
	ctoks_release(&a);
	ctoks_release(&b);
}

static void test_codebleu(void **state)
{
	/*
	 * a and b flow into x, x into y: two of three; no bracket. 8 tokens for 10: "x = a ; y = x ;" has 8, 6, 4, 2 of its 8, 7, 6, 5 n-grams
	 * in "x = a + b ; y = x ;".
	 */
	with("x = a; y = x;", "x = a + b; y = x;", 1, 2. / 3, exp(1 - 10. / 8) * pow(6. / 7 * 4 / 6 * 2 / 5, 0.25));
	/* names, numbers and strings are classes; the shape is the same */
	with("f(a, 1)", "g(b, 2)", 1, 1, 0);
	with("", "", 1, 1, 1);
	with("", "f(a)", 0, 0, 0);
	/* a reference of two tokens has n-grams up to two */
	with("a b", "a b", 1, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_half_way), cmocka_unit_test(test_ends), cmocka_unit_test(test_units),
		cmocka_unit_test(test_codebleu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
