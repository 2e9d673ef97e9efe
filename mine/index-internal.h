/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files that make and read an API index (mine/index-*.c,
 * mine/apiindex.c) and its differences (mine/apidiff*.c) only.
 */
#ifndef KPORT_INDEX_INTERNAL_H
#define KPORT_INDEX_INTERNAL_H

#include "base/db.h"
#include "base/hash.h"
#include "base/strvec.h"
#include "mine/apiindex.h"
#include "mine/header-parse.h"

/* Raise when the parser or the ranking changes: old indexes are then made anew. */
#define INDEX_FORMAT "kport-api-index-3"

/* Where a header was found; the order is the order of preference. */
enum header_class {
	HEADER_CLASS_ARCH,	/* arch/X/include/asm and generated */
	HEADER_CLASS_KERNEL,	/* include/ */
	HEADER_CLASS_UAPI,
	HEADER_CLASS_GENERIC,	/* include/asm-generic that no asm/ header takes in */
	HEADER_CLASS_OTHER,	/* dt-bindings, trace events, what C code does not include */
};

struct index_file {
	char *path;		/* absolute */
	const char *rel;	/* below its root: a pointer into path */
	char *name;		/* as included: "linux/timer.h" */
	enum header_class cls;
	int64_t size, mtime_ns;
};

/* The headers of a kernel, sorted by name, then class. */
struct index_files {
	struct index_file *f;
	size_t n, alloc;
	char *common_dir, *build_dir, *symvers, *release, *srcarch;
	struct hash_hex key;	/* of names, sizes and times of all, and the release */
};

int index_files_find(struct index_files *fs, const char *common_dir, const char *build_dir,
		     const char *symvers, struct strbuf *err);
void index_files_release(struct index_files *fs);

extern const struct db_migrations index_schema;

/* Parse everything and write the database at path, which must not exist. */
int index_build(const struct index_files *fs, const char *path, struct strbuf *err);

/* Base types in a parameter list or return type: "struct foo *a, gfp_t b" gives foo, gfp_t. */
void type_names(const char *text, bool params, void (*fn)(const char *name, size_t len, void *payload),
		void *payload);

/* For the difference: the database, and all symbols in the order of (name, rank). */
sqlite3 *api_index__db(struct api_index *ix);
size_t api_index__symbol_count(const struct api_index *ix);
const struct api_symbol *api_index__symbol(struct api_index *ix, size_t id); /* 1 .. count */
int api_index__load_all(struct api_index *ix, struct strbuf *err);
uint32_t api_index__owner(const struct api_symbol *s); /* number of the structure, 0: none */
const char *api_index__key(const struct api_index *ix);

#endif
