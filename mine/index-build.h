/* SPDX-License-Identifier: GPL-2.0-only */
/* State of making one index; shared by mine/index-build.c and mine/index-write.c only. */
#ifndef KPORT_INDEX_BUILD_H
#define KPORT_INDEX_BUILD_H

#include "base/strmap.h"
#include "mine/index-internal.h"

struct index_header {
	const char *name;
	enum header_class cls;
	uint32_t shown;	 /* the header to include for what this one declares */
	bool wanted, unwanted; /* some #include of it holds; none does, and there is one */
};

struct index_edge {
	uint32_t from, to, order;
};

struct index_place {
	uint32_t name, rank, sym;
};

struct index_export {
	bool gpl;
	uint32_t ns;
};

struct index_build {
	const struct index_files *fs;
	struct header_config cfg;
	struct pool pool;
	struct header_syms hs;
	struct index_header *header;
	uint32_t nheaders;
	struct strmap header_ids;   /* name -> number + 1 */
	struct index_edge *edge;
	size_t nedges;
	struct index_place *order;  /* symbols by name and rank */
	uint32_t *id;		    /* of a symbol in the database, from 1 */
	struct strmap exports;	    /* name -> struct index_export * */
	size_t unreadable;
};

uint32_t index_header_find(const struct index_build *b, const char *name); /* number + 1 or 0 */
int index_write(struct index_build *b, const char *path, struct strbuf *err);

/* symbol.flags */
enum index_flags {
	INDEX_EXPORTED = 1 << 0,
	INDEX_GPL = 1 << 1,
	INDEX_MUST_CHECK = 1 << 2,
	INDEX_EXPANDED = 1 << 3,
	INDEX_STATE_SHIFT = 4, /* two bits: enum header_state + 1 */
};

#endif
