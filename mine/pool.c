// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/pool.h"

#define FIRST_CHUNK (16u << 10) /* each is twice as large as the one before */
#define CHUNK_SIZE  (1u << 20)

struct pool_chunk {
	struct pool_chunk *next;
	size_t used, size;
	char data[];
};

void pool_init(struct pool *p)
{
	memset(p, 0, sizeof(*p));
	p->nslots = 1024;
	p->slots = xcalloc(p->nslots, sizeof(*p->slots));
	p->n = 1;
	p->alloc = 512;
	p->str = xcalloc(p->alloc, sizeof(*p->str));
	p->hash = xcalloc(p->alloc, sizeof(*p->hash));
}

void pool_release(struct pool *p)
{
	struct pool_chunk *c, *next;

	if (!p)
		return;
	for (c = p->chunk; c; c = next) {
		next = c->next;
		free(c);
	}
	free(p->str);
	free(p->hash);
	free(p->slots);
	memset(p, 0, sizeof(*p));
}

static uint32_t hash_bytes(const char *s, size_t len)
{
	uint64_t h = 0x9e3779b97f4a7c15ull ^ len, w;

	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	w = 0;
	memcpy(&w, s, len);
	h = (h ^ w) * 0xc4ceb9fe1a85ec53ull;
	h ^= h >> 29;
	return (uint32_t)(h ^ (h >> 32));
}

static char *chunk_copy(struct pool *p, const char *s, size_t len)
{
	struct pool_chunk *c = p->chunk;
	char *to;

	if (!c || c->size - c->used < len + 1) {
		size_t size = c ? c->size * 2 : FIRST_CHUNK;

		if (size > CHUNK_SIZE)
			size = CHUNK_SIZE;
		if (size < len + 1)
			size = len + 1;

		c = xmalloc(sizeof(*c) + size);
		c->used = 0;
		c->size = size;
		c->next = p->chunk;
		p->chunk = c;
	}
	to = c->data + c->used;
	memcpy(to, s, len);
	to[len] = '\0';
	c->used += len + 1;
	p->bytes += len + 1;
	return to;
}

static void rehash(struct pool *p)
{
	uint32_t n = p->nslots * 2, i, at;

	free(p->slots);
	p->slots = xcalloc(n, sizeof(*p->slots));
	p->nslots = n;
	for (i = 1; i < p->n; i++) {
		for (at = p->hash[i] & (n - 1); p->slots[at]; at = (at + 1) & (n - 1))
			;
		p->slots[at] = i;
	}
}

/* Slot of the string, or of the free place where it would go. */
static uint32_t probe(const struct pool *p, const char *s, size_t len, uint32_t h)
{
	uint32_t at = h & (p->nslots - 1), id;

	while ((id = p->slots[at]) != 0) {
		if (p->hash[id] == h && !strncmp(p->str[id], s, len) && !p->str[id][len])
			break;
		at = (at + 1) & (p->nslots - 1);
	}
	return at;
}

uint32_t pool_add(struct pool *p, const char *s, size_t len)
{
	uint32_t h, at;

	len = strnlen(s, len);
	h = hash_bytes(s, len);
	at = probe(p, s, len, h);
	if (p->slots[at])
		return p->slots[at];
	if (p->n == p->alloc) {
		p->alloc *= 2;
		p->str = xrealloc(p->str, p->alloc * sizeof(*p->str));
		p->hash = xrealloc(p->hash, p->alloc * sizeof(*p->hash));
	}
	p->str[p->n] = chunk_copy(p, s, len);
	p->hash[p->n] = h;
	p->slots[at] = p->n++;
	if (p->n > p->nslots / 2)
		rehash(p);
	return p->n - 1;
}

uint32_t pool_addstr(struct pool *p, const char *s)
{
	return s ? pool_add(p, s, strlen(s)) : 0;
}

uint32_t pool_find(const struct pool *p, const char *s, size_t len)
{
	return p->slots[probe(p, s, len, hash_bytes(s, len))];
}

const char *pool_str(const struct pool *p, uint32_t id)
{
	return p->str[id];
}
