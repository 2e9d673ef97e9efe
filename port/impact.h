/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of a driver a kernel upgrade will break, from its text and the
 * difference of the headers alone: nothing is built or run.
 *
 *	struct impact im;
 *	impact_find(tree, &pair, &im);
 *	for (i = 0; i < im.n; i++)
 *		use(im.item[i].file, im.item[i].line, ...);
 *	impact_release(&im);
 *
 * Looked at: included headers; identifiers that are declared by the old kernel
 * and not by the driver; members reached by "->" and "." whose structure is known
 * from the driver's declarations, and designated initialisers. What the new
 * kernel declares where the driver's includes no longer reach is reported as a
 * missing include. Branches of #if are all read, so code for other kernels is
 * reported too. "sure" is false where the text leaves the type open.
 */
#ifndef KPORT_IMPACT_H
#define KPORT_IMPACT_H

#include "port/apiview.h"
#include "port/tree.h"

enum impact_kind {
	IMPACT_HEADER,	   /* an included header is gone */
	IMPACT_SYMBOL,	   /* a function, macro, type or constant */
	IMPACT_MEMBER,	   /* of a structure */
	IMPACT_CALLBACK,   /* a function pointer of a structure that the driver fills in */
	IMPACT_INCLUDE,	   /* needs another #include: "header" */
};

struct impact_item {
	enum impact_kind kind;
	char *file;		/* relative to the driver's tree */
	int line;		/* of the first use */
	int uses;		/* in this file */
	char *name;		/* identifier, "struct foo.bar" or header */
	char *header;		/* IMPACT_INCLUDE: what declares it now */
	const struct api_change *change; /* belongs to the difference; NULL for IMPACT_INCLUDE */
	bool sure;
};

struct impact {
	struct impact_item *item; /* by file and line */
	size_t n, alloc;
};

void impact_find(const struct tree *t, const struct api_pair *p, struct impact *out);
void impact_release(struct impact *im);
const char *impact_kind_name(enum impact_kind k);

#endif
