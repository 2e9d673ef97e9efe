/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that make and take shared indexes (mine/share*.c) only. */
#ifndef KPORT_SHARE_INTERNAL_H
#define KPORT_SHARE_INTERNAL_H

#include <jansson.h>
#include "base/hash.h"
#include "mine/share.h"

#define SHARE_MAX_FILE (8ull << 30)
#define SHARE_MAX_MANIFEST (1u << 20)
#define SHARE_MANIFEST "manifest.json"

/* One file of the archive. */
struct share_entry {
	enum share_part part;
	uint64_t size;
	struct hash_hex hash;
};

struct share_manifest {
	struct share_info info;
	struct share_entry entry[SHARE_PART_COUNT];
	size_t n;
};

const char *share_part_name(enum share_part part); /* "old.db" */

/* share-manifest.c */
json_t *share_manifest_json(const struct share_manifest *m);
/* Nothing of it is believed: KP_ERR for all that this kport would not have written. */
int share_manifest_parse(const char *text, size_t len, struct share_manifest *out, struct strbuf *err);
void share_manifest_release(struct share_manifest *m);

/* share-file.c: the container. paths[i] is the file of m->entry[i]. */
int share_file_write(const char *file, const struct share_manifest *m, const char *const *paths,
		     struct strbuf *err);
/* Checks the hash of the whole, reads the manifest, and unpacks into dir, which exists. */
int share_file_read(const char *file, const char *dir, struct share_manifest *out, struct strbuf *err);

/* share-check.c: is the database whole and of our making? */
int share_check_db(const char *path, enum share_part part, struct strbuf *err);

#endif
