/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the structures of two kernels lie in memory, and what is different, from
 * the BTF of both: made once for a pair, kept in CACHE/index, looked up by
 * structure.
 *
 *	struct layout_diff *ld;
 *	layout_diff_open(old_file, new_file, "6.1", "6.12", &ld, err);
 *	n = layout_diff_lookup(ld, "struct net_device", &list);
 *	layout_changes_free(list, n);
 *	layout_diff_close(ld);
 *
 * The files are ELF files with a .BTF section (a vmlinux) or bare BTF. Headers say
 * what a structure's text is; this says what the compiler made of it in the
 * configuration of the kernel that was built, and it sees changes that no text of the
 * structure shows (a member's own type grew). Modules built anew do not mind
 * a member that moved; they do mind one that became narrower, initialisers without
 * names when members changed places, and whatever is shared with user space or a
 * binary part of the driver.
 *
 * Members of unnamed structures and unions count as the outer one's; those inside a
 * member with a type of no name are "a.b". Structures of the same name in several
 * files of a kernel (private ones) are compared with the one that is most alike, and
 * the change is not "sure". Types of loadable modules are not in a vmlinux.
 *
 * Errors: KP_ERR no BTF in the file, or broken; KP_NOTFOUND no such file; KP_INFRA
 * cache not writable.
 */
#ifndef KPORT_LAYOUT_H
#define KPORT_LAYOUT_H

#include "base/db.h"
#include "base/strbuf.h"

enum layout_kind {
	LAYOUT_SIZE,		/* of the structure: from, to in bytes; no member */
	LAYOUT_ADDED,		/* member; to: offset */
	LAYOUT_REMOVED,		/* member; from: offset */
	LAYOUT_RENAMED,		/* to_name; same place, same type */
	LAYOUT_NARROWED,	/* from, to: bits */
	LAYOUT_WIDENED,		/* from, to: bits */
	LAYOUT_RETYPED,		/* same width */
	LAYOUT_MOVED,		/* from, to: offset */
	LAYOUT_REORDERED,	/* from, to: offset; changed places with other members */
	LAYOUT_KIND_COUNT
};

struct layout_change {
	enum layout_kind kind;
	char *symbol;		/* "struct foo", "union foo", or a typedef of a structure without a name */
	char *member;		/* NULL for LAYOUT_SIZE */
	char *to_name;		/* LAYOUT_RENAMED */
	int64_t from, to;	/* offsets and widths are in bits */
	char *from_type, *to_type; /* of the member, or NULL */
	bool sure;
};

struct layout_figures {
	uint64_t old_structs, new_structs;	/* with a name */
	uint64_t both, changed;			/* structures that both have; those that differ */
	uint64_t changes[LAYOUT_KIND_COUNT];
	char *from, *to;			/* the kernels, or NULL */
};

struct layout_diff;
/*
 * Opens what is kept for the two files, and makes it when there is nothing yet. from, to:
 * what the kernels are called, kept with it.
 */
int layout_diff_open(const char *old_file, const char *new_file, const char *from, const char *to,
		     struct layout_diff **out, struct strbuf *err);
/* Opens a file of layout_diff_path(), wherever it is. */
int layout_diff_open_file(const char *path, struct layout_diff **out, struct strbuf *err);
/* The file of an open one. */
const char *layout_diff_file(const struct layout_diff *ld);
void layout_diff_close(struct layout_diff *ld);
/* In the order of kinds, then of the members. */
size_t layout_diff_lookup(struct layout_diff *ld, const char *symbol, struct layout_change **out);
void layout_changes_free(struct layout_change *list, size_t n);
int layout_diff_figures(struct layout_diff *ld, struct layout_figures *out, struct strbuf *err);
void layout_figures_release(struct layout_figures *f);
/* CACHE/index/layout-HASH.db; newly allocated. */
char *layout_diff_path(const char *old_file, const char *new_file);
/* "moved", "narrowed", ... */
const char *layout_kind_name(enum layout_kind k);
/* One line: "member flags widened from 4 to 8 bytes". */
void layout_change_text(const struct layout_change *c, struct strbuf *out);

extern const struct db_migrations layout_schema;

#endif
