/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocation that ends the program (exit 128) instead of returning NULL. */
#ifndef KPORT_ALLOC_H
#define KPORT_ALLOC_H

#include "base/compat.h"

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);		    /* NULL gives NULL */
char *xstrndup(const char *s, size_t n);
char *xstrfmt(const char *fmt, ...) PRINTF_LIKE(1, 2);
void *xmemdup(const void *p, size_t n);

/*
 * Make room for at least "want" elements in a growing array; doubles.
 * ALLOC_GROW(list, n + 1, alloc);
 */
#define ALLOC_GROW(p, want, alloc)                                             \
	do {                                                                   \
		if ((size_t)(want) > (size_t)(alloc)) {                        \
			size_t grow_to__ = (alloc) ? (size_t)(alloc) * 2 : 16; \
			if (grow_to__ < (size_t)(want))                        \
				grow_to__ = (want);                            \
			(p) = xrealloc((p), grow_to__ * sizeof(*(p)));         \
			(alloc) = grow_to__;                                   \
		}                                                              \
	} while (0)

/* qsort() may not be given no array, even of no elements. */
static inline void sort_items(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	if (n)
		qsort(v, n, size, cmp);
}

#endif
