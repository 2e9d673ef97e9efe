/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packs of a repository, mapped and read without a lock by many threads. libgit2
 * reads the same files behind one lock for each pack and keeps bases for all objects
 * together; for a walk that opens every tree of a history that is the larger part of
 * its time. What is not handled here (loose objects, old or damaged indexes) is
 * left to libgit2: see history-objects.h.
 *
 *	struct packs *ps = packs_open(objects_dir);
 *	if (packs_find(ps, &id, &at))
 *		pack_entry(&at, &e);
 *	packs_close(ps);
 *
 * Nothing of a pack is trusted: every offset is checked against the mapping. Checksums
 * are not verified, zlib's own check finds damaged bytes. Packs that are fetched after
 * opening are not seen.
 */
#ifndef KPORT_HISTORY_PACK_H
#define KPORT_HISTORY_PACK_H

#include <git2.h>
#include "base/strvec.h"

/* Deeper chains than git ever writes (4095) are damage. */
#define PACK_MAX_CHAIN 4096

struct pack;
struct packs;

struct pack_at {
	struct pack *pack;
	uint64_t off;
};

enum { PACK_OFS_DELTA = 6, PACK_REF_DELTA = 7 };

struct pack_entry {
	int type;		/* GIT_OBJECT_* or one of the two above */
	uint64_t size;		/* inflated */
	const uint8_t *data;	/* deflated; at most "avail" bytes of it */
	size_t avail;
	uint64_t base;		/* of deltas: the offset in the same pack */
};

/* Never fails: a directory without usable packs gives none. Alternates are followed. */
struct packs *packs_open(const char *objects_dir);
void packs_close(struct packs *ps);
size_t packs_count(const struct packs *ps);
/* Packs that are damaged or cut, or whose index is: a pack's path each. */
const struct strvec *packs_damaged(const struct packs *ps);
bool packs_find(struct packs *ps, const git_oid *id, struct pack_at *out);
/* false: no entry can stand there. */
bool pack_entry(const struct pack_at *at, struct pack_entry *out);
/*
 * Mapped bytes stay in memory until packs_trim() finds more than its limit touched
 * (counted in blocks of 64 KiB) and lets go of all.
 */
void packs_trim(struct packs *ps);

/* A delta: size of the result, or -1 for damage. Applying gives false for damage. */
int64_t delta_result_size(const uint8_t *delta, size_t len, uint64_t base_size);
bool delta_apply(const uint8_t *delta, size_t len, const uint8_t *base, size_t base_size,
		 uint8_t *out, size_t out_size);

#endif
