/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of a repository for one thread: from its packs, else through libgit2, the
 * recent ones kept in memory. What was read is pinned until it is put back.
 *
 *	struct objects *os = objects_new(repo, packs, 32 << 20);
 *	if (!objects_get(os, &id, GIT_OBJECT_TREE, MAX_TREE, &o)) {
 *		use(o->data, o->size);
 *		objects_put(os, o);
 *	}
 *	objects_free(os);
 *
 * objects_serve() makes libgit2 itself read that repository's packs in this way,
 * so that git_blob_lookup() and its kin profit. Hashes are not verified; zlib's
 * checksum is.
 */
#ifndef KPORT_HISTORY_OBJECTS_H
#define KPORT_HISTORY_OBJECTS_H

#include <git2.h>
#include "base/strbuf.h"
#include "mine/history-pack.h"

enum object_result {
	OBJECT_OK,
	OBJECT_MISSING,
	OBJECT_BROKEN,	 /* damaged, or of another type than expected */
	OBJECT_OVERSIZE,
};

struct object {
	git_oid id;
	bool has_id, heap;
	int8_t type;
	uint32_t pins;
	struct pack_at at;	/* at.pack NULL: not from a pack */
	struct object *next_id, *next_at, *newer;
	size_t size;
	uint8_t data[];		/* a NUL follows */
};

struct objects;

/* packs is shared and outlives this; NULL: only libgit2. */
struct objects *objects_new(git_repository *repo, struct packs *packs, size_t cache_bytes);
void objects_free(struct objects *os);
enum object_result objects_get(struct objects *os, const git_oid *id, git_object_t type,
			       size_t max, struct object **out);
void objects_put(struct objects *os, struct object *o);
/* The same into out, which is emptied first, without keeping the object: for what is read once. */
enum object_result objects_read(struct objects *os, const git_oid *id, git_object_t type, size_t max,
				struct strbuf *out);

/* os must outlive repo's use of its object database and be used by the same thread. */
int objects_serve(struct objects *os, git_repository *repo, struct strbuf *err);

#endif
