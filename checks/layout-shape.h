/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How one structure lies in memory, and what is different between two.
 *
 *	struct shape a, b;
 *	struct shape_diff d = { 0 };
 *	shape_read(&g1, dbg_struct(&g1, "struct foo", NULL), &a);
 *	shape_read(&g2, dbg_struct(&g2, "struct foo", NULL), &b);
 *	shape_compare(&a, &b, &d);
 *	shape_diff_release(&d); shape_release(&a); shape_release(&b);
 *
 * Members of unnamed structures and unions count as the outer one's. A member that is a structure
 * is one member (level 0); when the driver declares that structure its members follow as "a.b" and,
 * in arrays, "a[].b". Offsets and widths are in bits.
 */
#ifndef KPORT_LAYOUT_SHAPE_H
#define KPORT_LAYOUT_SHAPE_H

#include "checks/layout-dwarf.h"

enum shape_kind {
	SHAPE_INT, SHAPE_UINT,
	SHAPE_CHAR,	/* plain: kernels since 6.2 make it unsigned, and mean the same */
	SHAPE_BOOL, SHAPE_FLOAT, SHAPE_POINTER, SHAPE_ENUM, SHAPE_STRUCT, SHAPE_OTHER
};

enum shape_order { SHAPE_NATIVE, SHAPE_LE, SHAPE_BE };

struct shape_member {
	char *path;	/* "a.b" */
	char *type;	/* as written */
	uint32_t offset, width; /* width 0: an open array */
	uint32_t count;	/* elements of an array, else 1 */
	uint8_t kind, order, level;
	bool fixed;	/* of the same size everywhere: u8, __le32, uint16_t, char, bit fields */
	bool own;	/* SHAPE_STRUCT: the driver declares it */
	bool bits;	/* a bit field */
};

struct shape {
	char *name;
	uint32_t size;	/* bytes */
	bool packed;	/* a member lies where it would not by itself */
	struct shape_member *m;
	size_t n, alloc;
};

void shape_read(const struct dbg *g, const struct dbg_struct *s, struct shape *out);
void shape_release(struct shape *s);
const struct shape_member *shape_member(const struct shape *s, const char *path);
/* Only numbers of fixed width and structures of such: what a device or a wire can mean. */
bool shape_is_plain(const struct shape *s);
bool shape_has_order(const struct shape *s); /* any member of a given byte order */
bool shape_has_bits(const struct shape *s); /* that are more than flags */
bool shape_has_pointer(const struct shape *s);

enum change_kind {
	CHANGE_REMOVED, CHANGE_RENAMED, CHANGE_NARROWED, CHANGE_WIDENED, CHANGE_SIGN, CHANGE_ORDER,
	CHANGE_KIND, CHANGE_COUNT, CHANGE_REORDERED, CHANGE_MOVED, CHANGE_ADDED, CHANGE_SIZE
};

struct shape_change {
	enum change_kind kind;
	const struct shape_member *a, *b; /* a NULL: added, b NULL: removed, both NULL: size */
	uint32_t from, to;	/* bits; bytes for the size */
};

struct shape_diff {
	struct shape_change *c;
	size_t n, alloc;
};

/* Most telling first: what moved behind a change comes after it. Appended. */
void shape_compare(const struct shape *a, const struct shape *b, struct shape_diff *out);
void shape_diff_release(struct shape_diff *d);
/* "member x narrowed from 4 to 2 bytes; y moved from 8 to 6; size 16, was 20". Appended. */
void shape_diff_text(const struct shape_diff *d, struct strbuf *out);
const char *change_name(enum change_kind k);

#endif
