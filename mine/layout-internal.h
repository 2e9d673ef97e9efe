/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The structures of one kernel, and their comparison; shared by mine/layout*.c only.
 * A reader of another format (DWARF) fills a layout_set as layout_read_btf() does.
 */
#ifndef KPORT_LAYOUT_INTERNAL_H
#define KPORT_LAYOUT_INTERNAL_H

#include "mine/layout.h"
#include "mine/pool.h"

/* Raise when the comparison's answers change. */
#define LAYOUT_FORMAT "kport-layout-2"

struct layout_member {
	uint32_t name, type;	/* of the pool */
	uint32_t offset, width;	/* bits; width 0: an array of no length */
};

struct layout_struct {
	uint32_t name;		/* "struct foo" */
	uint32_t size;		/* bytes */
	size_t first, n;	/* members */
};

/* Both sides of a comparison use one pool, so equal texts are equal numbers. */
struct layout_set {
	struct pool *pool;
	struct layout_struct *s; /* by name */
	size_t n, alloc;
	struct layout_member *m;
	size_t nm, m_alloc;
};

/* KP_ERR when the file has no BTF, or broken BTF. */
int layout_read_btf(const char *path, struct pool *pool, struct layout_set *out, struct strbuf *err);
void layout_set_sort(struct layout_set *set);
void layout_set_release(struct layout_set *set);

/* A change with texts of the pool. */
struct layout_found {
	enum layout_kind kind;
	const char *symbol, *member, *to_name, *from_type, *to_type;
	int64_t from, to;
	bool sure;
};

struct layout_result {
	struct layout_found *c;
	size_t n, alloc;
	struct layout_figures figures;
};

void layout_compare(const struct layout_set *a, const struct layout_set *b, struct layout_result *out);

#endif
