// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include "base/strmap.h"

static int a = 1, b = 2;

static void test_empty(void **state)
{
	struct strmap m = STRMAP_INIT;
	struct strmap_entry *e;
	int n = 0;

	assert_null(strmap_get(&m, "x"));
	assert_false(strmap_has(&m, "x"));
	assert_null(strmap_remove(&m, "x"));
	strmap_for_each(&m, e)
		n++;
	assert_int_equal(n, 0);
	strmap_release(&m, free);
}

static void test_put_get_remove(void **state)
{
	struct strmap m = STRMAP_INIT;

	assert_null(strmap_put(&m, "k", &a));
	assert_ptr_equal(strmap_put(&m, "k", &b), &a);
	assert_ptr_equal(strmap_get(&m, "k"), &b);
	assert_int_equal(m.live, 1);
	assert_null(strmap_put(&m, "", &a));
	assert_ptr_equal(strmap_get(&m, ""), &a);
	assert_ptr_equal(strmap_remove(&m, "k"), &b);
	assert_null(strmap_get(&m, "k"));
	assert_false(strmap_has(&m, "k"));
	assert_null(strmap_remove(&m, "k"));
	assert_null(strmap_put(&m, "k", &a));
	assert_ptr_equal(strmap_get(&m, "k"), &a);
	assert_int_equal(m.live, 2);
	strmap_release(&m, NULL);
}

static void test_as_a_set(void **state)
{
	struct strmap m = STRMAP_INIT;

	strmap_put(&m, "member", NULL);
	assert_true(strmap_has(&m, "member"));
	assert_null(strmap_get(&m, "member"));
	assert_false(strmap_has(&m, "other"));
	strmap_release(&m, NULL);
}

static void test_order_survives_growth_and_removal(void **state)
{
	struct strmap m = STRMAP_INIT;
	struct strmap_entry *e;
	char key[32];
	int next = 0;

	for (int i = 0; i < 20000; i++) {
		snprintf(key, sizeof(key), "key %d", i);
		strmap_put(&m, key, xstrdup(key));
		/* every third goes again, a while later */
		if (i >= 100 && (i - 100) % 3 == 0) {
			snprintf(key, sizeof(key), "key %d", i - 100);
			free(strmap_remove(&m, key));
		}
	}
	strmap_for_each(&m, e) {
		while (next < 19900 && next % 3 == 0)
			next++;
		snprintf(key, sizeof(key), "key %d", next++);
		assert_string_equal(e->key, key);
		assert_string_equal(e->value, key);
		assert_string_equal(strmap_get(&m, key), key);
	}
	assert_int_equal(next, 20000);
	strmap_release(&m, free);
	assert_int_equal(m.live, 0);
}

static void test_put_and_remove_for_ever(void **state)
{
	struct strmap m = STRMAP_INIT;
	char key[32];

	/* tombstones must neither fill the table nor make it grow without end */
	for (int i = 0; i < 200000; i++) {
		snprintf(key, sizeof(key), "%d", i);
		strmap_put(&m, key, &a);
		assert_ptr_equal(strmap_remove(&m, key), &a);
	}
	assert_int_equal(m.live, 0);
	assert_true(m.nslots < 1024);
	strmap_release(&m, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_put_get_remove),
		cmocka_unit_test(test_as_a_set),
		cmocka_unit_test(test_order_survives_growth_and_removal),
		cmocka_unit_test(test_put_and_remove_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
