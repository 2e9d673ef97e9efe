/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw commits and trees, read in place. As lenient as git itself: only what a walk
 * cannot do without must be well-formed.
 */
#ifndef KPORT_HISTORY_PARSE_H
#define KPORT_HISTORY_PARSE_H

#include <git2.h>
#include "base/compat.h"

/* A larger commit is not read; its message is what is large. */
#define COMMIT_MAX_BYTES (256u << 20)
/* Octopus merges of real histories have up to 66. */
#define COMMIT_MAX_PARENTS 1024

static inline bool oid_same(const git_oid *a, const git_oid *b)
{
	return !memcmp(a->id, b->id, sizeof(a->id));
}

struct commit_text {
	git_oid tree;
	unsigned nparents;
	const char *parents;	/* the lines; see commit_parent() */
	int64_t time, author_time; /* 0 where a line is missing or odd */
	const char *author;	/* address, not terminated */
	size_t author_len;
	const char *message;	/* behind the empty line; not terminated */
	size_t message_len;
};

/* false: no tree line, or a line of a parent that names none, or too many parents. */
bool commit_parse(const char *data, size_t len, struct commit_text *out);
void commit_parent(const struct commit_text *c, unsigned i, git_oid *out);

struct tree_entry {
	const char *name;	/* terminated */
	size_t len;
	unsigned mode;
	const uint8_t *id;
};

#define TREE_MODE_TYPE	 0170000
#define TREE_MODE_DIR	 0040000
#define TREE_MODE_FILE	 0100000
#define TREE_MODE_LINK	 0120000
#define TREE_MODE_COMMIT 0160000 /* submodule */

static inline bool tree_is_dir(unsigned mode)
{
	return (mode & TREE_MODE_TYPE) == TREE_MODE_DIR;
}

/* The entry at *p, which moves on: 1, 0 at the end, -1 broken. A NUL stands at end. */
int tree_next(const uint8_t **p, const uint8_t *end, struct tree_entry *out);
/* Names that may be part of a path: not empty, ".", ".." and without "/". */
bool tree_name_is_good(const struct tree_entry *e);
/* As git sorts: directories as if their names ended in "/". */
int tree_name_cmp(const struct tree_entry *a, const struct tree_entry *b);
/*
 * Moves both over entries that are equal on both sides; both stand at an entry.
 * Gives 1, or 0 when both ended, or -1 for a broken one.
 */
int tree_skip_same(const uint8_t **a, const uint8_t *a_end, const uint8_t **b, const uint8_t *b_end);

#endif
