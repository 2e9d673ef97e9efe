/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * String pool: equal strings get equal numbers. Number 0 is "no string".
 *
 *	struct pool p;
 *	pool_init(&p);
 *	uint32_t id = pool_add(&p, s, len);
 *	const char *text = pool_str(&p, id);	// NULL for 0
 *	pool_release(&p);
 *
 * Strings live, unmoved, until the pool is released. More than 4 GiB of text or
 * 2^31 strings cannot be held; the callers' input is bounded well below that.
 */
#ifndef KPORT_POOL_H
#define KPORT_POOL_H

#include "base/compat.h"

struct pool_chunk;

struct pool {
	const char **str;	/* by number; str[0] is NULL */
	uint32_t *hash;
	uint32_t n, alloc;
	uint32_t *slots;	/* open addressing, 0 is free */
	uint32_t nslots;
	struct pool_chunk *chunk;
	size_t bytes;
};

void pool_init(struct pool *p);
void pool_release(struct pool *p);
uint32_t pool_add(struct pool *p, const char *s, size_t len);
uint32_t pool_addstr(struct pool *p, const char *s); /* NULL gives 0 */
/* Number of a string that is there, else 0. */
uint32_t pool_find(const struct pool *p, const char *s, size_t len);
const char *pool_str(const struct pool *p, uint32_t id);

#endif
