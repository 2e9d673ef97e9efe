// SPDX-License-Identifier: GPL-2.0-only
/* Reading pack files; the format is gitformat-pack(5), index version 2. */
#include "base/compat.h"
#include "mine/history-pack.h"

#include <dirent.h>
#include <endian.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/strbuf.h"

#define OID_BYTES	20
#define IDX_HEADER	8
#define IDX_FANOUT	1024
#define PACK_HEADER	12
#define PACK_TRAILER	20
#define MAX_PACKS	4096
#define MAX_ALTERNATES	16
#define BLOCK_SHIFT	16
/* Names that begin with one byte differ in the seven behind it. */
#define FANOUT_SPAN	72057594037927936.0
#define MAX_GUESSES	6
/* Of pack bytes that stay in memory; enough for the trees of some releases. */
#define TOUCHED_BYTES	(96u << 20)

struct map {
	const uint8_t *p;
	size_t len;
};

struct pack {
	struct map idx, data;
	uint32_t n;
	size_t n64;
	const uint8_t *fanout, *names, *offsets, *offsets64;
	_Atomic uint8_t *touched; /* one for each block */
	struct packs *owner;
};

struct packs {
	struct pack *v;
	size_t n, alloc;
	struct strvec damaged;
	_Atomic uint32_t touched; /* blocks */
	_Atomic size_t last;	  /* where the last object was: asked first */
	pthread_mutex_t lock;
};

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint64_t be64(const uint8_t *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

/* ---- opening ----------------------------------------------------------------- */

static bool map_file(const char *path, struct map *m)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0) {
		close(fd);
		return false;
	}
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return false;
	m->p = p;
	m->len = (size_t)st.st_size;
	return true;
}

static void unmap(struct map *m)
{
	if (m->p)
		munmap((void *)m->p, m->len);
	m->p = NULL;
}

static bool check_idx(struct pack *k)
{
	const uint8_t *p = k->idx.p;
	size_t need, rest;
	uint32_t last = 0;

	if (k->idx.len < IDX_HEADER + IDX_FANOUT + 2 * OID_BYTES || memcmp(p, "\377tOc\0\0\0\2", 8))
		return false;
	k->fanout = p + IDX_HEADER;
	for (int i = 0; i < 256; i++) {
		uint32_t v = be32(k->fanout + 4 * i);

		if (v < last)
			return false;
		last = v;
	}
	k->n = last;
	need = IDX_HEADER + IDX_FANOUT + (size_t)k->n * (OID_BYTES + 4 + 4) + 2 * OID_BYTES;
	if (k->idx.len < need)
		return false;
	rest = k->idx.len - need;
	k->n64 = rest / 8;
	k->names = k->fanout + IDX_FANOUT;
	k->offsets = k->names + (size_t)k->n * (OID_BYTES + 4);
	k->offsets64 = k->offsets + (size_t)k->n * 4;
	return true;
}

static bool check_pack_head(const struct map *m)
{
	return m->p && m->len >= PACK_HEADER + PACK_TRAILER && !memcmp(m->p, "PACK", 4) &&
	       (be32(m->p + 4) == 2 || be32(m->p + 4) == 3);
}

static bool check_pack(const struct pack *k)
{
	return check_pack_head(&k->data) && be32(k->data.p + 8) == k->n;
}

static void release_pack(struct pack *k)
{
	unmap(&k->idx);
	unmap(&k->data);
	free((void *)k->touched);
}

static void add_pack(struct packs *ps, const char *dir, const char *idx_name)
{
	char *idx = path_join(dir, idx_name);
	char *data = xstrfmt("%.*s.pack", (int)(strlen(idx) - strlen(".idx")), idx);
	struct pack k = { .owner = ps };

	if (map_file(idx, &k.idx) & map_file(data, &k.data) && check_idx(&k) && check_pack(&k)) {
		k.touched = xcalloc((k.data.len >> BLOCK_SHIFT) + 1, 1);
		madvise((void *)k.data.p, k.data.len, MADV_RANDOM);
		ALLOC_GROW(ps->v, ps->n + 1, ps->alloc);
		ps->v[ps->n++] = k;
	} else {
		/* Indexes of version 1 begin with a number of objects: nothing is wrong with them. */
		if (!k.idx.p || !check_pack_head(&k.data) || (k.idx.len >= 4 && !memcmp(k.idx.p, "\377tOc", 4)))
			strvec_push(&ps->damaged, data);
		log_debug("'%s': left to libgit2", data);
		release_pack(&k);
	}
	free(idx);
	free(data);
}

static void add_dir(struct packs *ps, const char *objects)
{
	char *dir = path_join(objects, "pack");
	struct strvec names = STRVEC_INIT;
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && names.n < MAX_PACKS && (e = readdir(d)))
		if (ends_with(e->d_name, ".idx"))
			strvec_push(&names, e->d_name);
	if (d)
		closedir(d);
	strvec_sort(&names);
	for (size_t i = 0; i < names.n && ps->n < MAX_PACKS; i++)
		add_pack(ps, dir, names.v[i]);
	strvec_release(&names);
	free(dir);
}

/* Directories of objects that this one borrows from; breadth first, each once. */
static void add_alternates(struct strvec *dirs, const char *objects)
{
	char *path = path_join(objects, "info/alternates");
	struct strbuf text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;

	if (!file_read(path, 1 << 20, &text, NULL))
		strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; i < lines.n && dirs->n < MAX_ALTERNATES; i++) {
		char *alt = path_join(objects, lines.v[i]), *real = file_realpath(alt);

		if (lines.v[i][0] != '#' && real && !strvec_contains(dirs, real))
			strvec_push(dirs, real);
		free(alt);
		free(real);
	}
	strvec_release(&lines);
	strbuf_release(&text);
	free(path);
}

struct packs *packs_open(const char *objects_dir)
{
	struct packs *ps = xcalloc(1, sizeof(*ps));
	struct strvec dirs = STRVEC_INIT;
	char *real = file_realpath(objects_dir);

	pthread_mutex_init(&ps->lock, NULL);
	strvec_init(&ps->damaged);
	strvec_push(&dirs, real ? real : objects_dir);
	for (size_t i = 0; i < dirs.n; i++) {
		add_dir(ps, dirs.v[i]);
		add_alternates(&dirs, dirs.v[i]);
	}
	free(real);
	strvec_release(&dirs);
	return ps;
}

void packs_close(struct packs *ps)
{
	if (!ps)
		return;
	for (size_t i = 0; i < ps->n; i++)
		release_pack(&ps->v[i]);
	free(ps->v);
	strvec_release(&ps->damaged);
	pthread_mutex_destroy(&ps->lock);
	free(ps);
}

const struct strvec *packs_damaged(const struct packs *ps)
{
	return &ps->damaged;
}

size_t packs_count(const struct packs *ps)
{
	return ps->n;
}

/* ---- looking up -------------------------------------------------------------- */

static bool offset_of(const struct pack *k, uint32_t i, uint64_t *out)
{
	uint64_t off = be32(k->offsets + (size_t)i * 4);

	if (off & 0x80000000u) {
		uint64_t at = off & 0x7fffffffu;

		if (at >= k->n64)
			return false;
		off = be64(k->offsets64 + at * 8);
	}
	*out = off;
	return true;
}

/*
 * Names are evenly spread: the first guess is by value, the next ones by the distance to
 * the one before. Where that leads nowhere the range halves.
 */
static bool find_in(const struct pack *k, const git_oid *id, uint64_t *off)
{
	uint32_t first = id->id[0];
	uint32_t lo = first ? be32(k->fanout + 4 * (first - 1)) : 0, hi = be32(k->fanout + 4 * first);
	uint64_t start = be64(id->id), at = (start << 8 >> 32) * (hi - lo) >> 32;
	double density = (double)(hi - lo) / FANOUT_SPAN;

	for (int guesses = 0; lo < hi; guesses++) {
		uint32_t mid = guesses < MAX_GUESSES ? lo + (uint32_t)at : lo + (hi - lo) / 2;
		const uint8_t *name = k->names + (size_t)mid * OID_BYTES;
		uint64_t other = be64(name);
		int c = start != other ? (start < other ? -1 : 1) : memcmp(id->id, name, OID_BYTES);
		double step = (double)(c < 0 ? other - start : start - other) * density;

		if (!c)
			return offset_of(k, mid, off);
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
		at = step < hi - lo ? (uint64_t)step : hi - lo - 1;
		if (c < 0)
			at = hi - lo - 1 - at;
	}
	return false;
}

bool packs_find(struct packs *ps, const git_oid *id, struct pack_at *out)
{
	size_t last = atomic_load_explicit(&ps->last, memory_order_relaxed);

	for (size_t i = 0; i < ps->n; i++) {
		size_t j = (last + i) % ps->n;

		if (find_in(&ps->v[j], id, &out->off)) {
			out->pack = &ps->v[j];
			if (i)
				atomic_store_explicit(&ps->last, j, memory_order_relaxed);
			return true;
		}
	}
	return false;
}

static void touch(struct pack *k, uint64_t off)
{
	_Atomic uint8_t *b = &k->touched[off >> BLOCK_SHIFT];

	if (atomic_load_explicit(b, memory_order_relaxed))
		return;
	atomic_store_explicit(b, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&k->owner->touched, 1, memory_order_relaxed);
}

void packs_trim(struct packs *ps)
{
	if (atomic_load_explicit(&ps->touched, memory_order_relaxed) < TOUCHED_BYTES >> BLOCK_SHIFT)
		return;
	pthread_mutex_lock(&ps->lock);
	if (atomic_exchange(&ps->touched, 0)) {
		for (size_t i = 0; i < ps->n; i++) {
			struct pack *k = &ps->v[i];

			for (size_t b = 0; b <= k->data.len >> BLOCK_SHIFT; b++)
				atomic_store_explicit(&k->touched[b], 0, memory_order_relaxed);
			madvise((void *)k->data.p, k->data.len, MADV_DONTNEED);
		}
	}
	pthread_mutex_unlock(&ps->lock);
}

/* ---- entries ----------------------------------------------------------------- */

static bool delta_base(const struct pack_at *at, const uint8_t **p, const uint8_t *end, uint64_t *out)
{
	uint64_t back;

	if (*p >= end)
		return false;
	back = **p & 0x7f;
	while (*(*p)++ & 0x80) {
		if (*p >= end || back >> 55)
			return false;
		back = ((back + 1) << 7) | (**p & 0x7f);
	}
	if (!back || back > at->off - PACK_HEADER)
		return false;
	*out = at->off - back;
	return true;
}

bool pack_entry(const struct pack_at *at, struct pack_entry *out)
{
	struct pack *k = at->pack;
	const uint8_t *p, *end = k->data.p + k->data.len - PACK_TRAILER;
	unsigned shift = 4;

	if (at->off < PACK_HEADER || at->off >= k->data.len - PACK_TRAILER)
		return false;
	touch(k, at->off);
	p = k->data.p + at->off;
	out->type = (*p >> 4) & 7;
	out->size = *p & 15;
	while (*p++ & 0x80) {
		if (p >= end || shift > 57)
			return false;
		out->size |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
	}
	if (out->type == PACK_OFS_DELTA) {
		if (!delta_base(at, &p, end, &out->base))
			return false;
	} else if (out->type == PACK_REF_DELTA) {
		git_oid id;

		if (end - p < OID_BYTES)
			return false;
		memcpy(id.id, p, OID_BYTES);
		p += OID_BYTES;
		if (!find_in(k, &id, &out->base))
			return false;
	} else if (out->type < GIT_OBJECT_COMMIT || out->type > GIT_OBJECT_TAG) {
		return false;
	}
	if (p >= end)
		return false;
	out->data = p;
	out->avail = (size_t)(end - p);
	return true;
}

/* ---- deltas ------------------------------------------------------------------ */

static bool delta_size(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
	unsigned shift = 0;
	uint8_t c;

	*out = 0;
	do {
		if (*p >= end || shift > 56)
			return false;
		c = *(*p)++;
		*out |= (uint64_t)(c & 0x7f) << shift;
		shift += 7;
	} while (c & 0x80);
	return true;
}

int64_t delta_result_size(const uint8_t *delta, size_t len, uint64_t base_size)
{
	const uint8_t *p = delta, *end = delta + len;
	uint64_t base, result;

	if (!delta_size(&p, end, &base) || !delta_size(&p, end, &result) || base != base_size ||
	    result > INT64_MAX)
		return -1;
	return (int64_t)result;
}

/* The bytes of an argument that the bits of "which" announce. */
static bool delta_arg(const uint8_t **p, const uint8_t *end, unsigned which, size_t *out)
{
	*out = 0;
	for (unsigned i = 0; which; i++, which >>= 1) {
		if (!(which & 1))
			continue;
		if (*p >= end)
			return false;
		*out |= (size_t)*(*p)++ << (8 * i);
	}
	return true;
}

bool delta_apply(const uint8_t *delta, size_t len, const uint8_t *base, size_t base_size,
		 uint8_t *out, size_t out_size)
{
	const uint8_t *p = delta, *end = delta + len;
	uint64_t skip;

	if (!delta_size(&p, end, &skip) || !delta_size(&p, end, &skip))
		return false;
	while (p < end) {
		unsigned op = *p++;
		const uint8_t *from = p;
		size_t off, n = op;

		if (op & 0x80) {
			if (!delta_arg(&p, end, op & 0xf, &off) ||
			    !delta_arg(&p, end, op >> 4 & 7, &n))
				return false;
			n = n ? n : 0x10000;
			if (off > base_size || n > base_size - off)
				return false;
			from = base + off;
		} else if (!op || n > (size_t)(end - p)) {
			return false;
		} else {
			p += n;
		}
		if (n > out_size)
			return false;
		memcpy(out, from, n);
		out += n;
		out_size -= n;
	}
	return !out_size;
}
