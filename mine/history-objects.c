// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/history-objects.h"

#include <git2/sys/odb_backend.h>
#include <libdeflate.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/error.h"
#include "mine/history-parse.h"

#define BUCKETS		16384
/* A larger object is handed out but not kept. */
#define KEEP_SHARE	8
/* Of an object that libgit2 asks for; larger ones it reads itself. */
#define SERVED_BYTES	(64u << 20)
#define BACKEND_PRIORITY 100 /* libgit2's own have 1 and 2 */
#define ALIGNMENT	16
/* Pinned objects that the ring's head steps over before it gives up. */
#define MAX_STEPS	64

struct delta {
	uint64_t off, size;
	const uint8_t *data;
	size_t avail;
};

struct objects {
	git_odb *odb;
	struct packs *packs;
	struct object *by_id[BUCKETS], *by_at[BUCKETS];
	/* Kept objects lie in the order of their age, new ones where the oldest are dropped. */
	uint8_t *ring;
	size_t ring_bytes, head;
	struct object *oldest, *newest;
	struct libdeflate_decompressor *inflater;
	struct strbuf scratch; /* inflated deltas */
	struct delta *chain;
	size_t chain_alloc;
};

/* ---- the cache --------------------------------------------------------------- */

static struct object **id_bucket(struct objects *os, const git_oid *id)
{
	uint32_t h;

	memcpy(&h, id->id, sizeof(h));
	return &os->by_id[h % BUCKETS];
}

static struct object **at_bucket(struct objects *os, const struct pack_at *at)
{
	uint64_t h = (at->off ^ (uintptr_t)at->pack) * 0x9e3779b97f4a7c15ULL;

	return &os->by_at[h >> 50];
}

static size_t room_of(size_t size)
{
	return (sizeof(struct object) + size + 1 + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static void append(struct objects *os, struct object *o)
{
	o->newer = NULL;
	*(os->newest ? &os->newest->newer : &os->oldest) = o;
	os->newest = o;
}

static struct object *take_oldest(struct objects *os)
{
	struct object *o = os->oldest;

	os->oldest = o->newer;
	if (!os->oldest)
		os->newest = NULL;
	return o;
}

static void forget(struct objects *os, struct object *o)
{
	struct object **p;

	if (o->has_id) {
		for (p = id_bucket(os, &o->id); *p != o; p = &(*p)->next_id)
			;
		*p = o->next_id;
	}
	if (o->at.pack) {
		for (p = at_bucket(os, &o->at); *p != o; p = &(*p)->next_at)
			;
		*p = o->next_at;
	}
}

/* Room at the ring's head, of which the oldest make way; NULL when too many are pinned. */
static struct object *ring_room(struct objects *os, size_t room)
{
	for (int steps = 0; steps < MAX_STEPS;) {
		size_t oldest = os->oldest ? (size_t)((uint8_t *)os->oldest - os->ring) : os->ring_bytes;
		struct object *o;

		if (!os->oldest)
			os->head = 0;
		/* The head is behind the oldest object until it begins anew. */
		if ((oldest < os->head ? os->ring_bytes : oldest) - os->head >= room)
			return (struct object *)(os->ring + os->head);
		if (oldest < os->head) {
			os->head = 0;
			continue;
		}
		o = take_oldest(os);
		if (o->pins) {
			append(os, o);
			os->head = oldest + room_of(o->size);
			steps++;
		} else {
			forget(os, o);
		}
	}
	return NULL;
}

static void set_id(struct objects *os, struct object *o, const git_oid *id)
{
	struct object **p = id_bucket(os, id);

	if (o->has_id)
		return;
	o->id = *id;
	o->has_id = true;
	o->next_id = *p;
	*p = o;
}

/* Takes an object that alloc_object() made; gives it pinned. */
static struct object *keep(struct objects *os, struct object *o, const struct pack_at *at)
{
	o->pins = 1;
	if (!o->heap) {
		append(os, o);
		os->head += room_of(o->size);
	}
	if (at) {
		struct object **p = at_bucket(os, at);

		o->at = *at;
		o->next_at = *p;
		*p = o;
	}
	return o;
}

static struct object *pin(struct object *o)
{
	o->pins++;
	return o;
}

static struct object *cached_id(struct objects *os, const git_oid *id)
{
	for (struct object *o = *id_bucket(os, id); o; o = o->next_id)
		if (oid_same(&o->id, id))
			return pin(o);
	return NULL;
}

static struct object *cached_at(struct objects *os, const struct pack_at *at)
{
	for (struct object *o = *at_bucket(os, at); o; o = o->next_at)
		if (o->at.off == at->off && o->at.pack == at->pack)
			return pin(o);
	return NULL;
}

void objects_put(struct objects *os, struct object *o)
{
	if (o && !--o->pins && o->heap) {
		forget(os, o);
		free(o);
	}
}

/* To be given to keep() or give_up() before the next one is made. */
static struct object *alloc_object(struct objects *os, int type, uint64_t size)
{
	size_t room = room_of(size);
	struct object *o = room <= os->ring_bytes / KEEP_SHARE ? ring_room(os, room) : NULL;
	bool heap = !o;

	if (heap)
		o = xmalloc(room);
	memset(o, 0, sizeof(*o));
	o->heap = heap;
	o->type = (int8_t)type;
	o->size = size;
	o->data[size] = 0;
	return o;
}

static void give_up(struct object *o)
{
	if (o->heap)
		free(o);
}

/* ---- from a pack ------------------------------------------------------------- */

static bool inflate_whole(struct objects *os, const uint8_t *in, size_t avail, uint8_t *out, size_t size)
{
	size_t used, made;

	/* A broken stream may claim to need all that follows: bounded by its own end. */
	return libdeflate_zlib_decompress_ex(os->inflater, in, avail, out, size, &used, &made) ==
		       LIBDEFLATE_SUCCESS &&
	       made == size;
}

/* Walks down to a base that is in memory or whole; NULL with *ret set when there is none. */
static struct object *chain_base(struct objects *os, struct pack_at at, size_t max, size_t *depth,
				 enum object_result *ret)
{
	struct pack_entry e;
	struct object *o;

	for (*depth = 0;; at.off = e.base) {
		o = cached_at(os, &at);
		if (o)
			return o;
		*ret = OBJECT_BROKEN;
		if (*depth > PACK_MAX_CHAIN || !pack_entry(&at, &e))
			return NULL;
		*ret = OBJECT_OVERSIZE;
		if (e.size > max)
			return NULL;
		if (e.type < PACK_OFS_DELTA)
			break;
		ALLOC_GROW(os->chain, *depth + 1, os->chain_alloc);
		os->chain[(*depth)++] =
			(struct delta){ .off = at.off, .size = e.size, .data = e.data, .avail = e.avail };
	}
	o = alloc_object(os, e.type, e.size);
	if (inflate_whole(os, e.data, e.avail, o->data, e.size))
		return keep(os, o, &at);
	give_up(o);
	*ret = OBJECT_BROKEN;
	return NULL;
}

/* The object that a delta makes of its base; the base is put back. */
static struct object *follow(struct objects *os, struct object *base, const struct delta *d, size_t max,
			     enum object_result *ret)
{
	struct pack_at at = { .pack = base->at.pack, .off = d->off };
	struct object *o = NULL;
	int64_t size = -1;
	uint8_t *delta;

	strbuf_setlen(&os->scratch, 0);
	strbuf_grow(&os->scratch, d->size + 1);
	delta = (uint8_t *)os->scratch.buf;
	*ret = OBJECT_BROKEN;
	if (inflate_whole(os, d->data, d->avail, delta, d->size))
		size = delta_result_size(delta, d->size, base->size);
	if (size >= 0 && (uint64_t)size > max) {
		*ret = OBJECT_OVERSIZE;
	} else if (size >= 0) {
		o = alloc_object(os, base->type, (uint64_t)size);
		if (delta_apply(delta, d->size, base->data, base->size, o->data, o->size)) {
			keep(os, o, &at);
		} else {
			give_up(o);
			o = NULL;
		}
	}
	objects_put(os, base);
	return o;
}

static enum object_result get_packed(struct objects *os, const struct pack_at *at, size_t max,
				     struct object **out)
{
	enum object_result ret = OBJECT_OK;
	size_t depth;
	struct object *o = chain_base(os, *at, max, &depth, &ret);

	while (o && depth)
		o = follow(os, o, &os->chain[--depth], max, &ret);
	*out = o;
	packs_trim(os->packs);
	return o ? OBJECT_OK : ret;
}

/* ---- through libgit2 --------------------------------------------------------- */

static enum object_result get_other(struct objects *os, const git_oid *id, size_t max,
				    struct object **out)
{
	git_odb_object *raw;
	git_object_t type;
	size_t size;
	int rc = git_odb_read_header(&size, &type, os->odb, id);

	if (rc < 0)
		return rc == GIT_ENOTFOUND ? OBJECT_MISSING : OBJECT_BROKEN;
	if (size > max)
		return OBJECT_OVERSIZE;
	rc = git_odb_read(&raw, os->odb, id);
	if (rc < 0)
		return rc == GIT_ENOTFOUND ? OBJECT_MISSING : OBJECT_BROKEN;
	size = git_odb_object_size(raw);
	*out = alloc_object(os, git_odb_object_type(raw), size);
	memcpy((*out)->data, git_odb_object_data(raw), size);
	git_odb_object_free(raw);
	keep(os, *out, NULL);
	return OBJECT_OK;
}

/* ---- for callers ------------------------------------------------------------- */

struct objects *objects_new(git_repository *repo, struct packs *packs, size_t cache_bytes)
{
	struct objects *os = xcalloc(1, sizeof(*os));

	strbuf_init(&os->scratch);
	os->packs = packs && packs_count(packs) ? packs : NULL;
	os->ring_bytes = cache_bytes;
	os->ring = mmap(NULL, cache_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Written from end to end all the time: in large pages, where the kernel has them. */
	if (os->ring == MAP_FAILED)
		os->ring = NULL;
	else
		madvise(os->ring, cache_bytes, MADV_HUGEPAGE);
	os->inflater = libdeflate_alloc_decompressor();
	if (!os->ring || !os->inflater || git_repository_odb(&os->odb, repo) < 0) {
		objects_free(os);
		return NULL;
	}
	return os;
}

void objects_free(struct objects *os)
{
	if (!os)
		return;
	if (os->inflater)
		libdeflate_free_decompressor(os->inflater);
	git_odb_free(os->odb);
	strbuf_release(&os->scratch);
	if (os->ring)
		munmap(os->ring, os->ring_bytes);
	free(os->chain);
	free(os);
}

enum object_result objects_get(struct objects *os, const git_oid *id, git_object_t type, size_t max,
			       struct object **out)
{
	enum object_result ret = OBJECT_MISSING;
	struct object *o = cached_id(os, id);
	struct pack_at at;

	if (!o) {
		if (os->packs && packs_find(os->packs, id, &at))
			ret = get_packed(os, &at, max, &o);
		if (ret == OBJECT_MISSING || ret == OBJECT_BROKEN)
			ret = get_other(os, id, max, &o);
		if (ret)
			return ret;
		set_id(os, o, id);
	}
	ret = o->type != type ? OBJECT_BROKEN : o->size > max ? OBJECT_OVERSIZE : OBJECT_OK;
	if (ret)
		objects_put(os, o);
	else
		*out = o;
	return ret;
}

enum object_result objects_read(struct objects *os, const git_oid *id, git_object_t type, size_t max,
				struct strbuf *out)
{
	enum object_result ret;
	struct pack_entry e;
	struct pack_at at;
	struct object *o;

	strbuf_reset(out);
	if (os->packs && packs_find(os->packs, id, &at) && pack_entry(&at, &e) && e.type == (int)type &&
	    e.size <= max) {
		packs_trim(os->packs);
		strbuf_grow(out, e.size);
		if (inflate_whole(os, e.data, e.avail, (uint8_t *)out->buf, e.size)) {
			strbuf_setlen(out, e.size);
			return OBJECT_OK;
		}
	}
	ret = objects_get(os, id, type, max, &o);
	if (ret)
		return ret;
	strbuf_add(out, o->data, o->size);
	objects_put(os, o);
	return OBJECT_OK;
}

/* ---- for libgit2 ------------------------------------------------------------- */

struct served {
	git_odb_backend backend;
	struct objects *os;
};

static struct object *served_get(git_odb_backend *b, const git_oid *id)
{
	struct objects *os = ((struct served *)b)->os;
	struct object *o = cached_id(os, id);
	struct pack_at at;

	if (o || !packs_find(os->packs, id, &at) || get_packed(os, &at, SERVED_BYTES, &o))
		return o;
	set_id(os, o, id);
	return o;
}

static int served_read(void **data, size_t *size, git_object_t *type, git_odb_backend *b,
		       const git_oid *id)
{
	struct object *o = served_get(b, id);

	if (!o)
		return GIT_PASSTHROUGH;
	*data = git_odb_backend_data_alloc(b, o->size + 1);
	if (*data) {
		memcpy(*data, o->data, o->size + 1);
		*size = o->size;
		*type = o->type;
	}
	objects_put(((struct served *)b)->os, o);
	return *data ? 0 : GIT_ERROR;
}

/* Whoever asks for the size mostly wants the object next: it is kept. */
static int served_read_header(size_t *size, git_object_t *type, git_odb_backend *b, const git_oid *id)
{
	struct object *o = served_get(b, id);

	if (!o)
		return GIT_PASSTHROUGH;
	*size = o->size;
	*type = o->type;
	objects_put(((struct served *)b)->os, o);
	return 0;
}

static void served_free(git_odb_backend *b)
{
	free(b);
}

int objects_serve(struct objects *os, git_repository *repo, struct strbuf *err)
{
	struct served *s;
	git_odb *odb;
	int rc;

	if (!os->packs)
		return 0;
	s = xcalloc(1, sizeof(*s));
	git_odb_init_backend(&s->backend, GIT_ODB_BACKEND_VERSION);
	s->backend.read = served_read;
	s->backend.read_header = served_read_header;
	s->backend.free = served_free;
	s->os = os;
	rc = git_repository_odb(&odb, repo);
	if (!rc) {
		rc = git_odb_add_backend(odb, &s->backend, BACKEND_PRIORITY);
		git_odb_free(odb);
	}
	if (rc < 0) {
		free(s);
		return kp_fail(err, KP_INFRA, "libgit2 takes no object reader");
	}
	return 0;
}
