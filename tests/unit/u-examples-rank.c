// SPDX-License-Identifier: GPL-2.0-only
/* Which examples are shown to people. */
#include "tests/unit/unit.h"

#include "mine/examples.h"

struct text {
	const char *path, *before, *after;
};

static struct example *list_of(const struct text *t, size_t n)
{
	struct example *list = xcalloc(n, sizeof(*list));

	for (size_t i = 0; i < n; i++) {
		list[i].path = xstrdup(t[i].path);
		list[i].before = xstrdup(t[i].before);
		list[i].after = xstrdup(t[i].after);
	}
	return list;
}

static void order(void **state)
{
	static const struct text t[] = {
		{ "a/deleted.c", "old(x);", "" },
		{ "a/beside.c", "old(x); y = 1;", "old( x ); y = 2;" },
		{ "a/long.c", "old(x); something_else(x, y, z);", "fresh(x); something_else(x, y);" },
		{ "a/short.c", "old(x);", "fresh(x);" },
		{ "a/second.c", "old(y);", "fresh(yy);" },
		{ "b/other.c", "if (old(x)) return;", "if (fresh(x)) return;" },
		{ "c/gone.c", "old(z);", "z = NULL;" },
	};
	static const char *const want[] = { "a/short.c", "b/other.c", "c/gone.c", "a/second.c", "a/long.c",
					    "a/deleted.c", "a/beside.c" };
	struct example *list = list_of(t, ARRAY_SIZE(t));

	assert_int_equal(examples_rank(list, ARRAY_SIZE(t), "old", "fresh"), 6);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_string_equal(list[i].path, want[i]);
	examples_free_list(list, ARRAY_SIZE(t));
}

static void other_arguments(void **state)
{
	static const struct text t[] = {
		{ "a/x.c", "c = make(THIS, \"x\"); d = 2;", "c = make(THIS, \"x\"); d = 3;" },
		{ "b/x.c", "c = make(THIS, \"a long name here\");", "c = make(\"a long name here\");" },
		{ "c/x.c", "remake(x);", "make2(x);" }, /* other words that hold it */
	};
	struct example *list = list_of(t, 3);

	assert_int_equal(examples_rank(list, 2, "make", NULL), 1);
	assert_string_equal(list[0].path, "b/x.c");
	examples_free_list(list, 3);
}

static void mostly_dropped(void **state)
{
	static const struct text t[] = {
		{ "a/x.c", ".llseek = old,", ".llseek = fresh," },
		{ "b/x.c", ".llseek = old,", "" },
		{ "c/x.c", ".llseek = old,", "" },
	};
	struct example *list = list_of(t, 3);

	assert_int_equal(examples_deletions(list, 3), 2);
	assert_int_equal(examples_rank(list, 3, "old", NULL), 3);
	assert_string_equal(list[0].after, "");
	examples_free_list(list, 3);
	assert_int_equal(examples_rank(NULL, 0, "old", NULL), 0);
}

static void replacement(void **state)
{
	static const struct text t[] = {
		{ "a/x.c", "strlcpy(a, b, n);", "strscpy(a, b, n);" },
		{ "b/x.c", "strlcpy(c, d, sizeof(c));", "strscpy(c, d, sizeof(c)); return other;" },
		{ "c/x.c", "strlcpy(e, f, n);", "r = \"x\";" },
		{ "d/x.c", "strlcpy(e, f, n);", "strlcpy(e, f, m); strscpy(g, h, n);" }, /* still there */
		{ "e/x.c", "strlcpy(e, f, n);", "" },
	};
	struct example *list = list_of(t, ARRAY_SIZE(t));
	size_t agree, of;
	char *name = examples_replacement(list, ARRAY_SIZE(t), "strlcpy", &agree, &of);

	assert_string_equal(name, "strscpy");
	assert_int_equal(agree, 2);
	assert_int_equal(of, 3);
	free(name);
	assert_null(examples_replacement(list, 1, "strlcpy", &agree, &of));
	assert_null(examples_replacement(NULL, 0, "strlcpy", &agree, &of));
	examples_free_list(list, ARRAY_SIZE(t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order), cmocka_unit_test(other_arguments), cmocka_unit_test(mostly_dropped),
		cmocka_unit_test(replacement),
	};

	return cmocka_run_group_tests_name("examples-rank", tests, NULL, NULL);
}
