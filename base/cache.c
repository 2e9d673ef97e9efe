// SPDX-License-Identifier: GPL-2.0-only
/*
 * An entry is the value followed by a trailer: the text "kpc1" and the SHA-256
 * of key and value in hex. Entries are not fsynced: a torn one fails its
 * trailer. The modification time of the file is the time of last use.
 */
#include "base/compat.h"
#include "base/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

#define MAGIC	    "kpc1"
#define TRAILER_LEN (sizeof(MAGIC) - 1 + HASH_HEX_LEN)
#define TMP_MAX_AGE 3600

struct cache {
	char *dir;
};

int cache_open(const char *dir, struct cache **out, struct strbuf *err)
{
	struct cache *c;
	int ret = file_mkdirs(dir, err);

	*out = NULL;
	if (ret < 0)
		return ret;
	c = xcalloc(1, sizeof(*c));
	c->dir = xstrdup(dir);
	*out = c;
	return 0;
}

void cache_close(struct cache *c)
{
	if (!c)
		return;
	free(c->dir);
	free(c);
}

static char *entry_path(const struct cache *c, const struct hash_hex *key)
{
	return xstrfmt("%s/%.2s/%s", c->dir, key->hex, key->hex + 2);
}

static void add_trailer(const struct hash_hex *key, const void *data, size_t len,
			struct strbuf *out)
{
	struct hash *h = hash_new();
	struct hash_hex sum;

	hash_add_str(h, key->hex);
	hash_add(h, data, len);
	sum = hash_final(h);
	strbuf_addf(out, "%s%s", MAGIC, sum.hex);
}

static bool intact(const struct hash_hex *key, const struct strbuf *entry)
{
	struct strbuf trailer = STRBUF_INIT;
	bool ok;

	if (entry->len < TRAILER_LEN)
		return false;
	add_trailer(key, entry->buf, entry->len - TRAILER_LEN, &trailer);
	ok = !memcmp(trailer.buf, entry->buf + entry->len - TRAILER_LEN, TRAILER_LEN);
	strbuf_release(&trailer);
	return ok;
}

int cache_get(struct cache *c, const struct hash_hex *key, struct strbuf *out, struct strbuf *err)
{
	struct strbuf entry = STRBUF_INIT;
	char *path = entry_path(c, key);
	int ret = file_read(path, 0, &entry, NULL);

	if (!ret && intact(key, &entry)) {
		strbuf_add(out, entry.buf, entry.len - TRAILER_LEN);
		utimensat(AT_FDCWD, path, NULL, 0);
	} else {
		/* A fault of the machine says nothing about the entry. */
		if (!ret || ret == KP_ERR)
			file_remove(path, NULL);
		ret = kp_fail(err, KP_NOTFOUND, "no entry %s in the cache '%s'", key->hex, c->dir);
	}
	strbuf_release(&entry);
	free(path);
	return ret;
}

int cache_put(struct cache *c, const struct hash_hex *key, const void *data, size_t len,
	      struct strbuf *err)
{
	struct strbuf entry = STRBUF_INIT;
	char *path = entry_path(c, key);
	int ret = file_mkdirs_for(path, err);

	strbuf_grow(&entry, len + TRAILER_LEN);
	strbuf_add(&entry, data, len);
	add_trailer(key, data, len, &entry);
	if (!ret)
		ret = file_write_nosync(path, entry.buf, entry.len, err);
	strbuf_release(&entry);
	free(path);
	return ret;
}

/* ---- prune ---- */

struct used {
	char *rel;
	uint64_t size;
	struct timespec at;
};

struct census {
	struct used *list;
	size_t n, alloc;
	uint64_t total;
};

static int count_entry(const char *rel, const struct stat *st, void *payload, struct strbuf *err)
{
	struct census *cs = payload;

	if (!S_ISREG(st->st_mode) || strcspn(rel, "/") != 2)
		return 0;
	/* Left behind by a writer that was killed; a young one may be in use. */
	if (path_base(rel)[0] == '.' && st->st_mtim.tv_sec + TMP_MAX_AGE > time(NULL))
		return 0;
	ALLOC_GROW(cs->list, cs->n + 1, cs->alloc);
	cs->list[cs->n++] = (struct used){ xstrdup(rel), (uint64_t)st->st_size, st->st_mtim };
	cs->total += (uint64_t)st->st_size;
	return 0;
}

static int older_first(const void *pa, const void *pb)
{
	const struct used *a = pa, *b = pb;

	if (a->at.tv_sec != b->at.tv_sec)
		return a->at.tv_sec < b->at.tv_sec ? -1 : 1;
	if (a->at.tv_nsec != b->at.tv_nsec)
		return a->at.tv_nsec < b->at.tv_nsec ? -1 : 1;
	return strcmp(a->rel, b->rel);
}

int cache_prune(struct cache *c, uint64_t max_bytes, struct strbuf *err)
{
	struct census cs = { 0 };
	int ret = file_walk(c->dir, count_entry, &cs, err);

	if (cs.n)
		sort_items(cs.list, cs.n, sizeof(*cs.list), older_first);
	for (size_t i = 0; !ret && i < cs.n && cs.total > max_bytes; i++) {
		char *path = path_join(c->dir, cs.list[i].rel);

		ret = file_remove(path, err);
		cs.total -= cs.list[i].size;
		free(path);
	}
	for (size_t i = 0; i < cs.n; i++)
		free(cs.list[i].rel);
	free(cs.list);
	return ret;
}
