/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Candidate cases for the benchmark, by reference only: docs/case-schema.md. A
 * case names kernels (a Debian source package and version, a git commit, or the release
 * of a tree), a driver's file by path and SHA-256, and what changed under it; no text of
 * a driver or a kernel is in it. Whether the old file really fails and the new one really
 * builds is for validation to find out: "validation" is null.
 *
 *	struct case_list l = { 0 };
 *	cases_from_trees(old_src, new_src, NULL, &l, err);
 *	cases_finish(&l);			// ids, groups of siblings, order
 *	cases_write(&l, "cases.jsonl", err);	// one JSON object a line
 *	case_list_release(&l);
 */
#ifndef KPORT_CASES_H
#define KPORT_CASES_H

#include <jansson.h>
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/strvec.h"

#define CASE_SCHEMA_VERSION 1

enum case_track { CASE_HISTORY, CASE_RELEASE, CASE_OUT_OF_TREE };

struct case_symbol {
	char *name;	/* "del_timer", "struct foo.bar", "linux/foo.h" */
	char *kind;	/* typed change: "removed", "signature", ... */
	char *taxonomy;	/* DESIGN section 6: "rename", "member", ... */
	char *to;	/* what takes its place, or NULL */
	double confidence;
};

struct candidate {
	enum case_track track;
	json_t *from, *to;	/* references of kernels */
	char *path;		/* of the driver's file, below the kernel's tree; of CASE_OUT_OF_TREE the package's name */
	char *old_version, *gold_version; /* CASE_OUT_OF_TREE */
	struct hash_hex old_hash, gold_hash; /* of the file (the .deb) before and after */
	struct case_symbol *symbol; /* the surest first */
	size_t nsymbols, symbols_alloc;
	char *object, *config;	/* "foo.o", "CONFIG_FOO" */
	char *subject;		/* of the commit: CASE_HISTORY, else NULL */
	/* Set by cases_finish(). */
	struct hash_hex id, group;
};

struct case_list {
	struct candidate *c;
	size_t n, alloc;
	uint64_t drivers;	/* files that were looked at; of a history, those that use what changed */
	uint64_t unbuilt;	/* of them, those that no Makefile of their directory builds alone */
	uint64_t differ;	/* of them, those that are different and in both trees */
};

struct candidate *case_add(struct case_list *l, enum case_track track);
void case_drop_last(struct case_list *l); /* what was added last was none */
void case_add_symbol(struct candidate *c, const char *name, const char *kind, const char *taxonomy,
		     const char *to, double confidence);
/*
 * Drivers of one file in the tree's own Makefiles that are different in the newer tree and
 * whose changed lines use something that changed in the headers. dirs NULL: drivers, sound.
 * KP_ERR: no kernel tree.
 */
int cases_from_trees(const char *old_src, const char *new_src, const struct strvec *dirs,
		     struct case_list *out, struct strbuf *err);
/*
 * From the store of a repository's mined history (cochange.h): the state of a driver before
 * a commit that changed an interface and the driver. KP_NOTFOUND: it was not mined.
 */
int cases_from_history(const char *repo, const char *store, struct case_list *out, struct strbuf *err);
/* Two versions of a package that holds a driver; texts are all its sources, one behind the other. */
struct case_package {
	const char *name, *old_version, *new_version;
	struct hash_hex old_hash, new_hash;	/* of the packages */
	const char *old_text, *new_text;
};
/* Adds a case when lines that changed use something that changed in the headers between the trees. */
int cases_from_package(const char *old_src, const char *new_src, const struct case_package *p, struct case_list *out,
		       struct strbuf *err);
void cases_finish(struct case_list *l);
json_t *case_json(const struct case_list *l, size_t i);
int cases_write(const struct case_list *l, const char *path, struct strbuf *err);
void case_list_release(struct case_list *l);

/* How a source tree is referred to: its Debian package when it lies in a kernel record, else its release. */
json_t *case_tree_ref(const char *src);

struct intree_driver {
	char *path, *object, *config;
};
struct intree_list {
	struct intree_driver *v;
	size_t n, alloc;
};
/* Drivers of one C file and no header of their own, below dir of a tree. cases-intree.c */
int intree_find(const char *src, const char *dir, struct intree_list *out, struct strbuf *err);
void intree_list_release(struct intree_list *l);
/* The symbol under which a Makefile makes a module of this object alone; newly allocated or NULL. */
char *intree_config(const char *makefile, size_t len, const char *object);

#endif
