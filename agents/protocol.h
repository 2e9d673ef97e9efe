/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a model writes, as data. Plain text, so that any model can be asked; what stands around
 * it is ignored. Lines of their own:
 *
 *	TITLE: follow the removal of widget_poke()	(subject of the patch)
 *	WHY: one or more sentences, up to an empty line
 *	EDIT drivers/foo.c
 *	<<<<
 *	whole lines as they are in the file
 *	====
 *	the lines that take their place
 *	>>>>
 *	UNKNOWN function widget_prod		(also: type, macro, examples, commit)
 *	GIVE UP: reason
 *	CONCERN: sentence			(of a reviewer)
 *
 * A unified diff is read as edits too: of each hunk, context and "-" lines are the old text,
 * context and "+" lines the new. Markdown (fences, bold, backquotes) is seen through.
 *
 *	struct proto_reply r;
 *	proto_parse(text, len, &r);	// never fails: what is wrong stands in r.problems
 *	proto_reply_release(&r);
 *
 * Bounded: PROTO_MAX_EDITS edits, names of PROTO_MAX_NAME bytes, and so on; more is a problem.
 * Nothing is checked against files here: that is match.h's.
 */
#ifndef KPORT_PROTOCOL_H
#define KPORT_PROTOCOL_H

#include "base/strbuf.h"
#include "base/strvec.h"

#define PROTO_MAX_EDITS	   200
#define PROTO_MAX_UNKNOWN  40
#define PROTO_MAX_NAME	   200
#define PROTO_MAX_SENTENCE 2000

struct proto_edit {
	char *path;	/* as written, unchecked */
	char *old, *new; /* whole lines, each with its "\n"; old is never empty */
	int line;	/* where the old text is said to begin (diffs), 1-based; 0: not said */
};

struct proto_unknown {
	char *kind; /* "function", "type", "macro", "examples", "commit", "symbol" */
	char *name; /* an identifier, or "struct foo" */
};

struct proto_reply {
	struct proto_edit *edits;
	size_t nedits, edits_alloc;
	struct proto_unknown *unknown;
	size_t nunknown, unknown_alloc;
	char *title, *why, *give_up; /* or NULL */
	struct strvec concerns;
	struct strvec problems; /* sentences for the model: what was not understood */
};

void proto_parse(const char *text, size_t len, struct proto_reply *out);
void proto_reply_release(struct proto_reply *r);

#endif
