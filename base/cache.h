/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Content cache: values under a SHA-256 key in DIR/xx/yyyy..., written
 * atomically, safe for concurrent processes. A miss is KP_NOTFOUND. A damaged
 * entry (its trailer does not match) is removed and reported as a miss.
 */
#ifndef KPORT_CACHE_H
#define KPORT_CACHE_H

#include "base/hash.h"
#include "base/strbuf.h"

struct cache;
int cache_open(const char *dir, struct cache **out, struct strbuf *err);
void cache_close(struct cache *c);
int cache_get(struct cache *c, const struct hash_hex *key, struct strbuf *out, struct strbuf *err);
int cache_put(struct cache *c, const struct hash_hex *key, const void *data, size_t len,
	      struct strbuf *err);
/* Delete the least recently used entries until at most max_bytes remain. */
int cache_prune(struct cache *c, uint64_t max_bytes, struct strbuf *err);

#endif
