// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open addressing with linear probing. A slot holds 1 + the index of an entry;
 * removed entries stay as tombstones (key NULL) until the next rehash.
 */
#include "base/compat.h"
#include "base/strmap.h"

#include <sys/random.h>

#include "base/alloc.h"
#include "base/log.h"

/* Seeded, because keys come from hostile drivers; order never depends on it. */
static uint64_t hash_str(const char *s)
{
	static uint64_t seed;
	uint64_t h;

	if (!seed) {
		if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
			seed = (uint64_t)(uintptr_t)&seed;
		seed |= 1;
	}
	h = seed;
	for (; *s; s++) {
		h = (h ^ (unsigned char)*s) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 29;
	}
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ULL;
	return h ^ (h >> 32);
}

void strmap_init(struct strmap *m)
{
	*m = (struct strmap)STRMAP_INIT;
}

void strmap_release(struct strmap *m, void (*free_value)(void *))
{
	struct strmap_entry *e;

	strmap_for_each(m, e) {
		free(e->key);
		if (free_value)
			free_value(e->value);
	}
	free(m->entries);
	free(m->slots);
	strmap_init(m);
}

static struct strmap_entry *find(const struct strmap *m, const char *key, uint64_t hash)
{
	if (!m->nslots)
		return NULL;
	for (size_t i = hash & (m->nslots - 1);; i = (i + 1) & (m->nslots - 1)) {
		struct strmap_entry *e;

		if (!m->slots[i])
			return NULL;
		e = &m->entries[m->slots[i] - 1];
		if (e->key && e->hash == hash && !strcmp(e->key, key))
			return e;
	}
}

static void insert_slot(struct strmap *m, size_t index)
{
	size_t i = m->entries[index].hash & (m->nslots - 1);

	while (m->slots[i])
		i = (i + 1) & (m->nslots - 1);
	m->slots[i] = (uint32_t)index + 1;
}

/* Drops tombstones, makes room for one more at a load of at most one half. */
static void rehash(struct strmap *m)
{
	size_t n = 0, want = 16;

	for (size_t i = 0; i < m->n; i++)
		if (m->entries[i].key)
			m->entries[n++] = m->entries[i];
	m->n = n;
	while (want < 4 * (n + 1))
		want *= 2;
	if (want > UINT32_MAX / 2)
		BUG("strmap of %zu entries", n);
	free(m->slots);
	m->slots = xcalloc(want, sizeof(*m->slots));
	m->nslots = want;
	for (size_t i = 0; i < n; i++)
		insert_slot(m, i);
}

void *strmap_get(const struct strmap *m, const char *key)
{
	struct strmap_entry *e = m->live ? find(m, key, hash_str(key)) : NULL;

	return e ? e->value : NULL;
}

bool strmap_has(const struct strmap *m, const char *key)
{
	return m->live && find(m, key, hash_str(key));
}

void *strmap_put(struct strmap *m, const char *key, void *value)
{
	uint64_t hash = hash_str(key);
	struct strmap_entry *e = find(m, key, hash);

	if (e) {
		void *old = e->value;

		e->value = value;
		return old;
	}
	if (2 * (m->n + 1) > m->nslots)
		rehash(m);
	ALLOC_GROW(m->entries, m->n + 1, m->alloc);
	m->entries[m->n] = (struct strmap_entry){ xstrdup(key), value, hash };
	insert_slot(m, m->n++);
	m->live++;
	return NULL;
}

void *strmap_remove(struct strmap *m, const char *key)
{
	struct strmap_entry *e = m->live ? find(m, key, hash_str(key)) : NULL;
	void *value;

	if (!e)
		return NULL;
	value = e->value;
	free(e->key);
	e->key = NULL;
	e->value = NULL;
	m->live--;
	return value;
}
