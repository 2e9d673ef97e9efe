// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/stats.h"

#include <math.h>

#include "base/alloc.h"

#define Z95 1.959963984540054

struct interval stats_wilson(size_t hits, size_t n)
{
	double p, d, mid, half;

	if (!n)
		return (struct interval){ 0, 1 };
	p = (double)hits / (double)n;
	d = 1 + Z95 * Z95 / (double)n;
	mid = (p + Z95 * Z95 / (2 * (double)n)) / d;
	half = Z95 * sqrt(p * (1 - p) / (double)n + Z95 * Z95 / (4 * (double)n * (double)n)) / d;
	return (struct interval){ hits ? mid - half : 0, hits < n ? mid + half : 1 };
}

static uint64_t split_mix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct interval stats_bootstrap(const double *hits, const double *n, size_t clusters, size_t rounds, uint64_t seed)
{
	struct interval out = { 0, 1 };
	double *rates;

	if (!clusters || !rounds)
		return out;
	rates = xcalloc(rounds, sizeof(*rates));
	for (size_t b = 0; b < rounds; b++) {
		double h = 0, all = 0;

		for (size_t i = 0; i < clusters; i++) {
			size_t k = (size_t)(split_mix(&seed) % clusters);

			h += hits[k];
			all += n[k];
		}
		rates[b] = all > 0 ? h / all : 0;
	}
	sort_items(rates, rounds, sizeof(*rates), by_value);
	out.low = rates[rounds * 25 / 1000];
	out.high = rates[(rounds * 975 + 999) / 1000 - 1];
	free(rates);
	return out;
}

static double log_choose(size_t n, size_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

double stats_mcnemar(size_t b, size_t c)
{
	size_t n = b + c, small = b < c ? b : c;
	double sum = 0;

	for (size_t i = 0; i <= small; i++)
		sum += exp(log_choose(n, i) - (double)n * M_LN2);
	return 2 * sum < 1 ? 2 * sum : 1;
}

double stats_pass_at(size_t n, size_t c, size_t k)
{
	double miss = 1;

	if (n < k || !k)
		return NAN;
	for (size_t i = 0; i < k; i++)
		miss *= n - c > i ? (double)(n - c - i) / (double)(n - i) : 0;
	return 1 - miss;
}

double stats_pass_all(size_t n, size_t c, size_t k)
{
	double hit = 1;

	if (n < k || !k)
		return NAN;
	for (size_t i = 0; i < k; i++)
		hit *= c > i ? (double)(c - i) / (double)(n - i) : 0;
	return hit;
}
