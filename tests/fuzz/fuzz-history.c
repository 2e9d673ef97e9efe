// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commits, trees, deltas and packs of any bytes. The first byte says what the rest is:
 * c commit, t tree, s two trees (halves), d delta (the first half is the base),
 * p entries of a pack, each object of which is read.
 */
#include "tests/fuzz/fuzz.h"

#include "base/alloc.h"
#include "base/file.h"
#include "mine/history-objects.h"
#include "mine/history-parse.h"

#define OBJECTS 8

static void fuzz_commit(const char *data, size_t size)
{
	struct commit_text c;
	git_oid id;

	if (!commit_parse(data, size, &c))
		return;
	FUZZ_CHECK(c.nparents <= COMMIT_MAX_PARENTS);
	FUZZ_CHECK(c.message_len <= size && c.author_len <= size);
	FUZZ_CHECK(c.time >= 0 && c.author_time >= 0);
	for (unsigned i = 0; i < c.nparents; i++)
		commit_parent(&c, i, &id);
}

static void fuzz_tree(const uint8_t *data, size_t size)
{
	const uint8_t *p = data, *end = data + size, *last = p;
	struct tree_entry e;

	while (tree_next(&p, end, &e) > 0) {
		FUZZ_CHECK(p > last && p <= end);
		FUZZ_CHECK(e.id + GIT_OID_RAWSZ == p && strlen(e.name) == e.len);
		tree_name_is_good(&e);
		FUZZ_CHECK(!tree_name_cmp(&e, &e));
		last = p;
	}
}

static void fuzz_two(const uint8_t *data, size_t size)
{
	size_t half = size / 2;
	uint8_t *copy = xmalloc(half + 1);
	const uint8_t *a = copy, *b = data + half;
	const uint8_t *a_end = a + half, *b_end = data + size;
	struct tree_entry e;

	memcpy(copy, data, half);
	copy[half] = 0;
	while (tree_skip_same(&a, a_end, &b, b_end) > 0) {
		FUZZ_CHECK(a <= a_end && b <= b_end);
		if (tree_next(&a, a_end, &e) < 0 || tree_next(&b, b_end, &e) < 0)
			break;
	}
	FUZZ_CHECK(a <= a_end && b <= b_end);
	free(copy);
}

static void fuzz_delta(const uint8_t *data, size_t size)
{
	size_t half = size / 2;
	int64_t n = delta_result_size(data + half, size - half, half);
	uint8_t *out;

	if (n < 0 || n > 1 << 20)
		return;
	out = xmalloc((size_t)n + 1);
	delta_apply(data + half, size - half, data, half, out, (size_t)n);
	free(out);
}

static void put32(struct strbuf *sb, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		strbuf_addch(sb, (int)(v >> shift & 255));
}

/* An index whose objects start at even distances. */
static void make_index(struct strbuf *sb, size_t pack_size)
{
	strbuf_add(sb, "\377tOc\0\0\0\2", 8);
	for (uint32_t i = 0; i < 256; i++)
		put32(sb, i < OBJECTS ? i + 1 : OBJECTS);
	for (int i = 0; i < OBJECTS; i++) {
		strbuf_addch(sb, i);
		for (int j = 1; j < GIT_OID_RAWSZ; j++)
			strbuf_addch(sb, 0);
	}
	for (int i = 0; i < OBJECTS; i++)
		put32(sb, 0);
	for (size_t i = 0; i < OBJECTS; i++)
		put32(sb, (uint32_t)(12 + i * pack_size / OBJECTS));
	for (int i = 0; i < 10; i++)
		put32(sb, 0);
}

static void fuzz_pack(const uint8_t *data, size_t size)
{
	struct strbuf pack = STRBUF_INIT, idx = STRBUF_INIT;
	git_repository *repo = NULL;
	struct objects *os;
	struct packs *ps;
	struct object *o;
	git_oid id = { { 0 } };

	strbuf_add(&pack, "PACK\0\0\0\2\0\0\0\10", 12);
	strbuf_add(&pack, data, size);
	for (int i = 0; i < GIT_OID_RAWSZ; i++)
		strbuf_addch(&pack, 0);
	make_index(&idx, size);
	fuzz_file((const uint8_t *)"", 0, "lock"); /* makes the directory */
	if (file_mkdirs("o/pack", NULL))
		die("no directory");
	fuzz_file((const uint8_t *)pack.buf, pack.len, "o/pack/a.pack");
	fuzz_file((const uint8_t *)idx.buf, idx.len, "o/pack/a.idx");
	git_libgit2_init();
	if (git_repository_init(&repo, "r", 1) < 0)
		die("no repository");
	ps = packs_open("o");
	FUZZ_CHECK(packs_count(ps) == 1);
	os = objects_new(repo, ps, 1 << 20);
	for (int i = 0; i < OBJECTS; i++) {
		id.id[0] = (unsigned char)i;
		for (int type = GIT_OBJECT_COMMIT; type <= GIT_OBJECT_TAG; type++)
			if (!objects_get(os, &id, (git_object_t)type, 1 << 16, &o)) {
				FUZZ_CHECK(o->size <= 1 << 16 && !o->data[o->size]);
				objects_put(os, o);
			}
	}
	objects_free(os);
	packs_close(ps);
	git_repository_free(repo);
	git_libgit2_shutdown();
	strbuf_release(&pack);
	strbuf_release(&idx);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (!size)
		return;
	/* Objects end in a NUL. */
	copy = xmalloc(size);
	memcpy(copy, data + 1, size - 1);
	copy[size - 1] = 0;
	if (*data == 'c')
		fuzz_commit((const char *)copy, size - 1);
	else if (*data == 't')
		fuzz_tree(copy, size - 1);
	else if (*data == 's')
		fuzz_two(copy, size - 1);
	else if (*data == 'd')
		fuzz_delta(copy, size - 1);
	else if (*data == 'p')
		fuzz_pack(copy, size - 1);
	free(copy);
}
