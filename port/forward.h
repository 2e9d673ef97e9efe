/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Old names that only passed on to something else: a macro or an inline whose
 * body is one expression. What the old kernel itself said a call means is the
 * best evidence of how to write it without the old name.
 */
#ifndef KPORT_FORWARD_H
#define KPORT_FORWARD_H

#include "mine/apiindex.h"
#include "port/edit.h"

struct forward {
	const struct api_symbol *sym; /* the old definition */
	char *expr;	    /* body as an expression, blanks normalised: "dma_set_mask(&pdev->dev, mask)" */
	struct strvec params;
	char *target;	    /* the function of a body that is one call, else NULL */
	bool pure;	    /* the call takes exactly the parameters, in order */
};

/* false when the body is no single expression. */
bool forward_parse(const struct api_symbol *s, struct forward *out);
void forward_release(struct forward *f);
/*
 * Are all identifiers of the expression parameters, members or names that ix
 * declares, and is at least one of them a callable that is given a parameter?
 * Constants and stubs are not carried over.
 */
bool forward_is_live(const struct forward *f, struct api_index *ix);
/*
 * Replace each call of the old name in the file. Returns how many, or -1 when one
 * cannot be: used without a call, nested, or an argument with side effects
 * would be repeated.
 */
int forward_apply(const struct forward *f, struct edit_group *g, struct srcfile *file);

#endif
