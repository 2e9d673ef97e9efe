/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's text as a value. A tree is an immutable set of files; applying an
 * edit group gives another tree that shares the unchanged files, so the search
 * can hold many states at little cost. Only C sources, headers and Kbuild files
 * are held; everything else of the driver is left alone.
 *
 *	struct tree *t;
 *	tree_read(dir, &t, err);
 *	struct tree *t2 = tree_apply(t, group, err);	// NULL: edits conflict
 *	tree_unref(t2);
 *
 * Drivers for several kernels keep code for each behind "#if LINUX_VERSION_CODE".
 * tree_set_version() says which kernel the tree is read for: what the condition
 * leaves out is then neither token nor function to anybody (checks/ppview.h), so
 * that repairs are made in the branch that is compiled and in no other.
 */
#ifndef KPORT_TREE_H
#define KPORT_TREE_H

#include "base/cfunc.h"
#include "base/ctoken.h"
#include "base/hash.h"
#include "base/strbuf.h"

struct srcfile {
	int refs;
	char *path;	/* relative to the tree */
	char *text;	/* NUL-terminated copy of the bytes */
	size_t len;
	bool crlf;	/* line ends are CR LF throughout; inserted text follows */
	struct hash_hex hash;
	unsigned version; /* of the kernel that it is read for; 0: any */
	/* Made on first use by srcfile_view(), srcfile_toks() and srcfile_parse(). */
	char *view;	/* NULL: as the text, when viewed */
	bool viewed;
	struct ctoks *toks;
	struct cfile *parsed;
};

struct tree {
	int refs;
	struct srcfile **files; /* sorted by path */
	size_t n;
};

int tree_read(const char *dir, struct tree **out, struct strbuf *err);
struct tree *tree_ref(struct tree *t);
void tree_unref(struct tree *t);
/* Before anything of the tree was read; later states of it follow. 0: all branches are seen. */
void tree_set_version(struct tree *t, unsigned version);
/* NULL when there is no such file. */
struct srcfile *tree_file(const struct tree *t, const char *path);
struct hash_hex tree_hash(const struct tree *t);

struct edit_group;
/* A new tree, or NULL with a message when an edit is out of range, overlaps or changes nothing. */
struct tree *tree_apply(const struct tree *t, const struct edit_group *g, struct strbuf *err);
/* Three-way merge of trees; NULL when some file conflicts. */
struct tree *tree_merge(const struct tree *base, const struct tree *ours, const struct tree *theirs,
			struct strbuf *err);
/* Write the files in which t differs from what "base" holds (NULL: all) below dir. */
int tree_write(const struct tree *t, const struct tree *base, const char *dir, struct strbuf *err);

/*
 * A file outside a tree, for reading other sources; takes text (NUL-terminated). version as for
 * tree_set_version().
 */
struct srcfile *srcfile_new(const char *path, char *text, size_t len, unsigned version);
void srcfile_unref(struct srcfile *f);
/*
 * Cached on the file; valid as long as it lives. The view is as long as the text, offsets
 * mean the same in both.
 */
const char *srcfile_view(struct srcfile *f);
const struct ctoks *srcfile_toks(struct srcfile *f);
const struct cfile *srcfile_parse(struct srcfile *f);
/* The function definition around a byte offset, or NULL. */
const struct cfunc *srcfile_func_at(struct srcfile *f, size_t offset);
/* First and one-behind-last byte of a token span. */
size_t srcfile_span_start(struct srcfile *f, struct cspan s);
size_t srcfile_span_end(struct srcfile *f, struct cspan s);
/* Copies, newly allocated. */
char *srcfile_span_text(struct srcfile *f, struct cspan s);
char *srcfile_tok_text(struct srcfile *f, uint32_t tok);
/* Byte offset of a 1-based line and byte column; -1 when outside. */
ssize_t srcfile_offset(const struct srcfile *f, int line, int col);
int srcfile_line(const struct srcfile *f, size_t offset);
/* Is this a file whose text the engine may edit (.c or .h)? */
bool srcfile_is_c(const struct srcfile *f);

#endif
