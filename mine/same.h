/* SPDX-License-Identifier: GPL-2.0-only */
/* How many bytes two buffers have in common at their ends; at most n are looked at. */
#ifndef KPORT_SAME_H
#define KPORT_SAME_H

#include "base/compat.h"

#define SAME_BLOCK 64

static inline size_t same_head(const void *x, const void *y, size_t n)
{
	const unsigned char *a = x, *b = y;
	size_t i = 0;

	while (i + SAME_BLOCK <= n && !memcmp(a + i, b + i, SAME_BLOCK))
		i += SAME_BLOCK;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* x and y: behind the last bytes. */
static inline size_t same_tail(const void *x, const void *y, size_t n)
{
	const unsigned char *a = x, *b = y;
	size_t i = 0;

	while (i + SAME_BLOCK <= n && !memcmp(a - i - SAME_BLOCK, b - i - SAME_BLOCK, SAME_BLOCK))
		i += SAME_BLOCK;
	while (i < n && a[-(ptrdiff_t)i - 1] == b[-(ptrdiff_t)i - 1])
		i++;
	return i;
}

#endif
