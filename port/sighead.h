/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of one definition or prototype, from "static" to ")", rewritten to another signature. */
#ifndef KPORT_SIGHEAD_H
#define KPORT_SIGHEAD_H

#include "port/edit.h"
#include "port/sigmap.h"

struct sighead {
	struct srcfile *f;
	const struct cfunc *site;	/* definition or prototype */
	const char *ret;		/* new return type, NULL: as it is */
	const struct csig *to;
	const struct sigmap *map;
	char *const *names;		/* of the new parameters */
};

/*
 * Only what changes is touched: kept parameters keep their text, breaks and
 * comments; continuation lines that stood under the parenthesis still do. False
 * when the head holds directives or cannot be understood.
 */
bool sighead_rewrite(const struct sighead *h, struct strbuf *out);
/* A ready edit of it. */
bool sighead_edit(const struct sighead *h, struct edit_group *g);

#endif
