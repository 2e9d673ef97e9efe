/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files that compute the difference of two indexes
 * (mine/apidiff-*.c) only. Both indexes are loaded whole; symbols are walked in
 * the order of their names, which is the order of their numbers.
 */
#ifndef KPORT_APIDIFF_INTERNAL_H
#define KPORT_APIDIFF_INTERNAL_H

#include "base/strmap.h"
#include "mine/apidiff.h"
#include "mine/index-internal.h"
#include "mine/pool.h"

#define DIFF_FORMAT "kport-api-diff-11"

extern const struct db_migrations diff_schema;

/* Kinds that share one name space: everything but tags and members. */
#define API_ORDINARY (API_FUNCTION | API_INLINE | API_MACRO | API_MACRO_FN | API_ENUMERATOR | \
		      API_TYPEDEF | API_VARIABLE)
#define API_TAG (API_STRUCT | API_UNION | API_ENUM)

struct diff_change {
	enum api_change_kind kind;
	const char *symbol, *member, *to_name, *evidence;	/* pooled or of an index */
	int from, to;						/* symbol numbers, 0: none */
	double confidence;
};

/* Symbols by some number, in lists: members by owner, and so on. */
struct diff_side {
	struct api_index *ix;
	size_t n;			/* symbols */
	uint32_t *member_start;		/* by owner number: where in member[] */
	uint32_t *member;
};

struct diff_pair {
	const struct api_symbol *a, *b;
};

struct diff_ctx {
	struct diff_side a, b;
	struct diff_change *c;
	size_t n, alloc;
	struct pool pool;
	/* Symbols whose names the other side does not have. */
	const struct api_symbol **gone, **fresh;
	size_t ngone, gone_alloc, nfresh, fresh_alloc;
	struct strmap typedefs;		/* of function types that are others now: name -> "" */
	uint8_t *through;		/* by number in b: its type names one of these */
	struct diff_pair *tags;		/* structures and enums of both sides */
	size_t ntags, tags_alloc;
};

void diff_add(struct diff_ctx *d, enum api_change_kind kind, const char *symbol, const char *member,
	      const char *to_name, const struct api_symbol *from, const struct api_symbol *to,
	      double confidence, const char *evidence);
const char *diff_str(struct diff_ctx *d, const char *s); /* pooled copy */

const struct api_symbol *side_ordinary(const struct diff_side *s, const char *name);
const struct api_symbol *side_tag(const struct diff_side *s, const char *name);
/* Members of a structure in order; the array is not the caller's. */
const uint32_t *side_members(const struct diff_side *s, const struct api_symbol *owner, size_t *n);
const struct api_symbol *side_symbol(const struct diff_side *s, uint32_t id);
/* What a macro that only forwards stands for: a function or inline, or NULL. */
const struct api_symbol *side_forwarded(const struct diff_side *s, const struct api_symbol *sym);
/* "struct foo" */
const char *diff_tag_name(struct diff_ctx *d, const struct api_symbol *s);

/* Reports differences of type and parameters, for functions, members and typedefs. */
void diff_types(struct diff_ctx *d, const struct api_symbol *a, const struct api_symbol *b,
		const char *symbol, const char *member);

/* Does its type name a typedef of a function type that is another one now? */
bool diff_uses_changed_typedef(const struct diff_ctx *d, const struct api_symbol *s);

void diff_symbols(struct diff_ctx *d);	/* apidiff-symbols.c; fills gone, fresh, tags */
void diff_members(struct diff_ctx *d);	/* apidiff-members.c */
void diff_renames(struct diff_ctx *d);	/* apidiff-rename.c */
int diff_headers(struct diff_ctx *d, struct strbuf *err);	/* apidiff-headers.c */

#endif
