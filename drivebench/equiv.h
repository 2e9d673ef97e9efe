/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a port the one that the maintainers made? Compares three versions of a file - the
 * old one, the port, the maintainers' newer one - by tokens, unit by unit: a unit is
 * a function, an object with its initialiser, a structure, a macro call at the top level
 * (MODULE_..., DEVICE_ATTR), a prototype, or one directive.
 *
 *	struct equiv q;
 *	equiv_compare(old, ours, theirs, &q);
 *	for (i = 0; i < q.n; i++)
 *		... q.e[i].unit, q.e[i].verdict ...
 *	equiv_release(&q);
 *
 * Only units that the port changed count; what the maintainers changed besides does not.
 * An edit is a run of tokens removed, a run added in its place, or both. It is EQUAL when
 *
 *  - the unit is the same in port and newer file, or
 *  - the newer file took the same tokens out and put the same in, or
 *  - the added run stands in the newer unit between the same three tokens on either side, or
 *  - the statements that the edit touches stand so in the newer file, and those it replaced
 *    do so less often;
 *
 * ABSENT when the newer file has neither the unit nor the statements (the maintainers rewrote
 * or dropped it for another reason: there is nothing to compare with), else DIFFERENT.
 */
#ifndef KPORT_EQUIV_H
#define KPORT_EQUIV_H

#include "base/compat.h"

enum equiv_verdict { EQUIV_EQUAL, EQUIV_DIFFERENT, EQUIV_ABSENT };

struct equiv_edit {
	char *unit;	/* "function foo_probe", "object foo_driver", "directive #include <x.h>" */
	enum equiv_verdict verdict;
	char *before, *after; /* tokens removed and added, with blanks between */
	char *theirs;	/* what the newer unit has there; NULL when nothing is known */
	int old_line, new_line; /* in the old file and in the port; of the token behind when nothing was removed or added */
};

enum equiv_class {
	EQUIV_SAME,	/* all changed units are the same as in the newer file */
	EQUIV_ALL,	/* every edit is the maintainers' too */
	EQUIV_PARTLY,	/* some are */
	EQUIV_NONE,	/* none is */
	EQUIV_NOTHING	/* nothing to compare with */
};

struct equiv {
	struct equiv_edit *e;
	size_t n, alloc;
	size_t equal, different, absent;
	enum equiv_class cls;
};

/* Texts are NUL-terminated. Any bytes are accepted. */
void equiv_compare(const char *old, const char *ours, const char *theirs, struct equiv *out);
/* Adds the edits of another file's comparison (a driver of several files); takes them. */
void equiv_merge(struct equiv *into, struct equiv *from);
void equiv_release(struct equiv *q);
const char *equiv_class_name(enum equiv_class c); /* "equal", "all edits equal", ... */
const char *equiv_verdict_name(enum equiv_verdict v);

#endif
