// SPDX-License-Identifier: GPL-2.0-only
/*
 * Longest common subsequence of two token sequences by the plain table, after what
 * they share at both ends; a rest of more than MAX_CELLS is one run.
 */
#include "base/compat.h"
#include "drivebench/equiv-internal.h"

#include "base/alloc.h"

#define MAX_CELLS (64UL << 20)

static void add_run(struct equiv_runs *out, size_t a, size_t b, size_t c, size_t d)
{
	ALLOC_GROW(out->r, out->n + 1, out->alloc);
	out->r[out->n++] = (struct equiv_run){ a, b, c, d };
}

/* Length of the longest common subsequence of x[i..n) and y[j..m) at table[i * (m + 1) + j]. */
static uint16_t *lcs_table(const uint32_t *x, size_t n, const uint32_t *y, size_t m)
{
	uint16_t *t = xcalloc((n + 1) * (m + 1), sizeof(*t));

	for (size_t i = n; i-- > 0;) {
		uint16_t *row = t + i * (m + 1), *below = row + m + 1;

		for (size_t j = m; j-- > 0;) {
			if (x[i] == y[j])
				row[j] = (uint16_t)(below[j + 1] + 1);
			else
				row[j] = below[j] > row[j + 1] ? below[j] : row[j + 1];
		}
	}
	return t;
}

static void walk(const uint32_t *x, size_t n, const uint32_t *y, size_t m, size_t base,
		 struct equiv_runs *out)
{
	uint16_t *t = lcs_table(x, n, y, m);
	size_t i = 0, j = 0;

	while (i < n || j < m) {
		size_t a = i, c = j;

		while (i < n || j < m) {
			if (i < n && j < m && x[i] == y[j])
				break;
			if (j == m || (i < n && t[(i + 1) * (m + 1) + j] >= t[i * (m + 1) + j + 1]))
				i++;
			else
				j++;
		}
		if (i > a || j > c)
			add_run(out, base + a, base + i, base + c, base + j);
		while (i < n && j < m && x[i] == y[j]) {
			i++;
			j++;
		}
	}
	free(t);
}

void equiv_diff(const struct equiv_unit *old, const struct equiv_unit *new, struct equiv_runs *out)
{
	size_t n = old ? old->n : 0, m = new ? new->n : 0, head = 0, tail = 0;

	memset(out, 0, sizeof(*out));
	while (head < n && head < m && old->w[head] == new->w[head])
		head++;
	while (tail < n - head && tail < m - head && old->w[n - 1 - tail] == new->w[m - 1 - tail])
		tail++;
	n -= head + tail;
	m -= head + tail;
	if (!n && !m)
		return;
	if (!n || !m || n > UINT16_MAX || m > UINT16_MAX || n * m > MAX_CELLS)
		add_run(out, head, head + n, head, head + m);
	else
		walk(old->w + head, n, new->w + head, m, head, out);
}

double equiv_similarity(const struct equiv_unit *a, const struct equiv_unit *b)
{
	struct equiv_runs runs;
	size_t apart = 0, all = a->n + b->n;

	equiv_diff(a, b, &runs);
	for (size_t i = 0; i < runs.n; i++)
		apart += runs.r[i].b - runs.r[i].a + runs.r[i].d - runs.r[i].c;
	free(runs.r);
	return all ? 1.0 - (double)apart / (double)all : 1.0;
}
