/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash map from owned strings to void pointers (values are the caller's).
 * Iteration is in insertion order, so results that depend on it are
 * deterministic. As a set: strmap_put(m, key, NULL) and strmap_has().
 */
#ifndef KPORT_STRMAP_H
#define KPORT_STRMAP_H

#include "base/compat.h"

struct strmap_entry {
	char *key; /* NULL when removed */
	void *value;
	uint64_t hash;
};

struct strmap {
	struct strmap_entry *entries;
	size_t n, alloc, live;
	uint32_t *slots;
	size_t nslots;
};

#define STRMAP_INIT { 0 }

void strmap_init(struct strmap *m);
/* free_value may be NULL. */
void strmap_release(struct strmap *m, void (*free_value)(void *));
void *strmap_get(const struct strmap *m, const char *key); /* NULL when absent */
bool strmap_has(const struct strmap *m, const char *key);
/* Returns the value that was there before, or NULL. */
void *strmap_put(struct strmap *m, const char *key, void *value);
void *strmap_remove(struct strmap *m, const char *key);

#define strmap_for_each(m, e)                                                  \
	for ((e) = (m)->entries; (e) && (e) < (m)->entries + (m)->n; (e)++)    \
		if ((e)->key)

#endif
