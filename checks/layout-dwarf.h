/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The debug information of one build of a driver: what its compiler made of every
 * structure, variable and function, by name. Read with libdw from the object of each unit,
 * relocated by libdwfl. Facts: the DWARF 5 standard, sections 5.7 (structures) and 3.3 (functions).
 *
 *	struct dbg g;
 *	dbg_init(&g, tree);
 *	dbg_add(&g, "/ws/foo.o", err);			// once per unit
 *	const struct dbg_struct *s = dbg_struct(&g, "struct foo", NULL);
 *	dbg_release(&g);
 *
 * Names are "struct foo", "union foo", or that of the typedef of a structure without a tag. A
 * DIE is good until dbg_release(). Objects come out of a build that ran a stranger's Makefile: libdw
 * bounds its reads, the depth and number of what is followed is bounded here.
 *
 * Errors: KP_NOTFOUND the object has no debug information; KP_ERR it cannot be read.
 */
#ifndef KPORT_LAYOUT_DWARF_H
#define KPORT_LAYOUT_DWARF_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/strbuf.h"
#include "base/strmap.h"
#include "base/strvec.h"

/* One definition; the same header seen by several units counts once. */
struct dbg_struct {
	char *name;
	char *file;	/* relative to the tree, or the path of a header of the kernel */
	int line;
	bool own;	/* declared below the tree */
	Dwarf_Die die;
	struct dbg_struct *next; /* of the same name, elsewhere */
};

struct dbg {
	char *tree;
	Dwfl **dwfl;
	size_t n, alloc;
	struct strmap structs;	 /* name -> struct dbg_struct */
	struct strmap types;	 /* typedefs and base types: name -> Dwarf_Die */
	struct strmap functions; /* name and "file:name" -> Dwarf_Die */
	struct strmap globals;	 /* variables: name -> Dwarf_Die */
	struct strmap files;	 /* of the driver that were compiled, headers too; relative */
};

void dbg_init(struct dbg *g, const char *tree);
void dbg_release(struct dbg *g);
int dbg_add(struct dbg *g, const char *object, struct strbuf *err);

/* file NULL: the driver's own one if there is one. Else that of the file, or NULL. */
const struct dbg_struct *dbg_struct(const struct dbg *g, const char *name, const char *file);
/* The structure that a type is (through typedefs and qualifiers), or NULL. */
const struct dbg_struct *dbg_struct_of(const struct dbg *g, Dwarf_Die *type);
/* A function by name; file: the one of that file, if there is one. */
bool dbg_function(const struct dbg *g, const char *file, const char *name, Dwarf_Die *out);

/* The type of a member, variable, typedef, pointer...; false: void. */
bool die_type(Dwarf_Die *die, Dwarf_Die *out);
/* Through typedefs and qualifiers; false: void. */
bool die_peel(Dwarf_Die *die, Dwarf_Die *out);
bool die_is_struct(Dwarf_Die *die); /* or union */
bool die_flag(Dwarf_Die *die, unsigned attr);
bool die_number(Dwarf_Die *die, unsigned attr, uint64_t *out);
/* Elements of an array type, all dimensions; 0: open. */
uint64_t die_array_count(Dwarf_Die *array);
/* The type as it is written without a name: "const struct foo *", "u8[4]". Appended to out. */
void die_type_text(Dwarf_Die *type, struct strbuf *out);

#endif
