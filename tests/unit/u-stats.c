// SPDX-License-Identifier: GPL-2.0-only
/* Values worked out by hand, or with fractions; the test of each says how. */
#include "tests/unit/unit.h"

#include <math.h>

#include "drivebench/stats.h"

static void near(double got, double want)
{
	if (!(fabs(got - want) < 1e-12))
		fail_msg("%.17g, not %.17g", got, want);
}

/*
 * z^2 = 3.8414588206941254 for 95 %. With p = 0 the bounds are 0 and z^2/(n + z^2), with p = 1 they are n/(n + z^2)
 * and 1; with p = 1/2 the middle is 1/2 and the half width z/2 / sqrt(n + z^2).
 */
static void test_wilson(void **state)
{
	const double zz = 3.8414588206941254;
	struct interval i = stats_wilson(0, 10);

	near(i.low, 0);
	near(i.high, zz / (10 + zz));
	near(i.high, 0.27753279986288986);
	i = stats_wilson(10, 10);
	near(i.low, 10 / (10 + zz));
	near(i.high, 1);
	i = stats_wilson(50, 100);
	near(i.low, 0.5 - sqrt(zz) / 2 / sqrt(100 + zz));
	near(i.high, 0.5 + sqrt(zz) / 2 / sqrt(100 + zz));
	near(i.low + i.high, 1);
	i = stats_wilson(0, 0);
	near(i.low, 0);
	near(i.high, 1);
	/* as printed for 81 of 263 in the literature (Newcombe 1998): 0.2553 to 0.3662 */
	i = stats_wilson(81, 263);
	assert_true(fabs(i.low - 0.2553) < 5e-5 && fabs(i.high - 0.3662) < 5e-5);
}

/*
 * SplitMix64 from state 1 begins with 0x910a2dec89025cc1, 0xbeeb8da1658eec67, 0xf893a2eefb32555e, 0x71c18690ee42c90b (the generator's
 * published algorithm, worked out apart from this code): odd, odd, even, odd. With two clusters two rounds draw (1, 1) and (0, 1).
 */
static void test_bootstrap(void **state)
{
	const double hits[] = { 0, 3 }, n[] = { 1, 4 }, same[] = { 1, 1 }, two[] = { 2, 2 };
	struct interval i = stats_bootstrap(hits, n, 2, 2, 1);

	near(i.low, 3. / 5);	/* (0 + 3) / (1 + 4) */
	near(i.high, 3. / 4);	/* (3 + 3) / (4 + 4) */
	/* clusters that are all the same leave nothing to chance */
	i = stats_bootstrap(same, two, 2, 2000, 1);
	near(i.low, 0.5);
	near(i.high, 0.5);
	/* one cluster too */
	i = stats_bootstrap(hits + 1, n + 1, 1, 2000, 7);
	near(i.low, 0.75);
	near(i.high, 0.75);
	i = stats_bootstrap(hits, n, 0, 2000, 1);
	near(i.low, 0);
	near(i.high, 1);
}

/* The rates of many rounds with two clusters of one case, one resolved, are 0, 1/2, 1 with 1/4, 1/2, 1/4. */
static void test_bootstrap_bounds(void **state)
{
	const double hits[] = { 0, 1 }, n[] = { 1, 1 };
	struct interval i = stats_bootstrap(hits, n, 2, 2000, 1);

	near(i.low, 0);
	near(i.high, 1);
}

static void test_mcnemar(void **state)
{
	near(stats_mcnemar(0, 0), 1);
	near(stats_mcnemar(0, 1), 1);		/* 2 * 1/2 */
	near(stats_mcnemar(0, 2), 0.5);		/* 2 * 1/4 */
	near(stats_mcnemar(1, 5), 14. / 64);	/* 2 * (1 + 6) / 64 */
	near(stats_mcnemar(5, 1), 14. / 64);
	near(stats_mcnemar(2, 8), 112. / 1024);	/* 2 * (1 + 10 + 45) / 1024 */
	near(stats_mcnemar(4, 4), 1);		/* more than 1 */
	near(stats_mcnemar(0, 10), 2. / 1024);
	/* far out it stays a number */
	assert_true(stats_mcnemar(0, 5000) >= 0 && stats_mcnemar(0, 5000) < 1e-300);
}

static void test_pass(void **state)
{
	near(stats_pass_at(5, 2, 1), 0.4);
	near(stats_pass_at(5, 2, 2), 0.7);	/* 1 - C(3,2)/C(5,2) = 1 - 3/10 */
	near(stats_pass_at(5, 4, 2), 1);	/* one miss cannot fill two */
	near(stats_pass_all(5, 2, 2), 0.1);	/* C(2,2)/C(5,2) */
	near(stats_pass_all(5, 3, 2), 0.3);
	near(stats_pass_all(5, 1, 2), 0);
	near(stats_pass_at(3, 0, 3), 0);
	near(stats_pass_all(3, 3, 3), 1);
	assert_true(isnan(stats_pass_at(2, 1, 3)) && isnan(stats_pass_all(2, 1, 3)) && isnan(stats_pass_at(2, 1, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wilson), cmocka_unit_test(test_bootstrap), cmocka_unit_test(test_bootstrap_bounds),
		cmocka_unit_test(test_mcnemar), cmocka_unit_test(test_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
