/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changed between two kernels, as typed changes, computed once per pair and
 * kept in CACHE/index. A change is about one symbol; several may concern the same.
 *
 *	struct api_diff *df;
 *	api_diff_open(from_index, to_index, &df, err);
 *	n = api_diff_lookup(df, "del_timer", &changes);
 */
#ifndef KPORT_APIDIFF_H
#define KPORT_APIDIFF_H

#include "mine/apiindex.h"

enum api_change_kind {
	CHANGE_REMOVED,		/* symbol gone, nothing takes its place that we know */
	CHANGE_ADDED,
	CHANGE_RENAMED,		/* to_name; confidence */
	CHANGE_SIGNATURE,	/* parameters changed */
	CHANGE_RETURN_TYPE,
	CHANGE_CONST,		/* only qualifiers changed */
	CHANGE_TYPE,		/* member or object type */
	CHANGE_MEMBER_MOVED,	/* to_name: new path in the same structure */
	CHANGE_MEMBER_RENAMED,
	CHANGE_MEMBER_REMOVED,
	CHANGE_MEMBER_ADDED,
	CHANGE_KIND,		/* macro <-> inline <-> function */
	CHANGE_MACRO_ARITY,
	CHANGE_VALUE,		/* enumerator or object-like macro */
	CHANGE_HEADER_MOVED,	/* from header -> to header */
	CHANGE_HEADER_GONE,	/* symbol: header; to_name: the header that took its declarations, or NULL */
	CHANGE_INCLUDE_DROPPED,	/* symbol: header; to_name: header it no longer includes */
	CHANGE_EXPORT_LOST,
	CHANGE_EXPORT_GPL,
	CHANGE_NAMESPACE,	/* to_name: namespace */
	CHANGE_DOC,		/* the kernel-doc summary says something else */
	CHANGE_KIND_COUNT
};

struct api_change {
	enum api_change_kind kind;
	const char *symbol;	/* "del_timer", "struct platform_driver", header name */
	const char *member;	/* of a structure, or NULL */
	const char *to_name;
	const struct api_symbol *from, *to; /* NULL where there is none */
	double confidence;	/* 0..1; 1 for facts, lower for renames */
	const char *evidence;	/* why a rename is believed: "forwarding macro", "same signature, words equal", ... */
};

struct api_diff;
int api_diff_open(struct api_index *from, struct api_index *to, struct api_diff **out,
		  struct strbuf *err);
/*
 * The difference that lies in a file, of two indexes that were opened from files:
 * refused when it was made of others.
 */
int api_diff_open_file(const char *path, struct api_index *from, struct api_index *to,
		       struct api_diff **out, struct strbuf *err);
/* The file of an open one. */
const char *api_diff_file(const struct api_diff *df);
void api_diff_close(struct api_diff *df);
/* Changes of one symbol (structures: name "struct foo"; all of its members). Free the array only. */
size_t api_diff_lookup(struct api_diff *df, const char *symbol, const struct api_change ***out);
/* All changes, sorted by symbol and kind. */
size_t api_diff_all(struct api_diff *df, const struct api_change **out);
const char *api_change_name(enum api_change_kind k); /* "removed", "member-renamed", ... */

#endif
