/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of a driver a kernel upgrade will break, from its text and the
 * difference of the headers (and, where there is BTF, of the structures) alone:
 * nothing is built or run.
 *
 *	struct impact im;
 *	impact_find(tree, &pair, &im);
 *	impact_remedies(&im, &pair, err);	// what kport port would try
 *	for (i = 0; i < im.n; i++)
 *		use(im.item[i].file, im.item[i].line, ...);
 *	impact_release(&im);
 *
 * Looked at: included headers; identifiers that are declared by the old kernel
 * and not by the driver; members reached by "->" and "." whose structure is known
 * from the driver's declarations, assignments of callbacks, designated
 * initialisers, and what the kernel's macros (CLASS_ATTR_RO) fill in. What the new
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
	IMPACT_LAYOUT,	   /* lies or is initialised differently: "text" */
	IMPACT_DOC,	   /* documented anew */
	IMPACT_KIND_COUNT
};

enum impact_weight {
	IMPACT_LOOK,	/* builds; worth a look */
	IMPACT_BREAKS,	/* does not build or link */
	IMPACT_FATAL	/* nothing in the driver's code can help: licence */
};

enum impact_remedy { REMEDY_NONE, REMEDY_RULE, REMEDY_RENAME, REMEDY_IMPORT, REMEDY_MINED };

struct impact_item {
	enum impact_kind kind;
	enum impact_weight weight;
	char *file;		/* relative to the driver's tree */
	int line;		/* of the first use */
	int uses;		/* in this file */
	char *name;		/* identifier, "struct foo.bar" or header */
	char *header;		/* IMPACT_INCLUDE: what declares it now */
	char *text;		/* IMPACT_LAYOUT: what is different */
	char *via;		/* macro of the kernel that fills it in, or NULL */
	const struct api_change *change; /* belongs to the difference; NULL for IMPACT_INCLUDE, IMPACT_LAYOUT */
	bool sure;
	enum impact_remedy remedy;
	char *remedy_name;	/* rule, new name, namespace, what others use; NULL without */
	char *remedy_text;	/* for people */
};

struct impact {
	struct impact_item *item; /* by file and line */
	size_t n, alloc;
};

void impact_find(const struct tree *t, const struct api_pair *p, struct impact *out);
/* KP_ERR, KP_INFRA: the rules cannot be read. */
int impact_remedies(struct impact *im, const struct api_pair *p, struct strbuf *err);
void impact_release(struct impact *im);
const char *impact_kind_name(enum impact_kind k);
const char *impact_weight_name(enum impact_weight w);	/* "look", "breaks", "fatal" */
const char *impact_remedy_name(enum impact_remedy r);	/* "rule", ... */

#endif
