/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the old text of an edit stands in a file: whole lines, exactly one place.
 *
 *	struct match m;
 *	if (match_find(text, len, &edit, &m, why) == 0)
 *		replace [m.start, m.end) by m.text
 *	match_release(&m);
 *
 * First lines are compared as they are (a CR at the end aside), then with blanks and empty
 * lines made equal, never by likeness. Of several places, the one at the line that a diff
 * names exactly is taken; without that they are refused. Where only blanks differed, lines of
 * the new text that repeat old ones are taken from the file, and the others get its indent.
 *
 * KP_NOTFOUND with a message for the model: which line is there, what it says instead, or at
 * which lines the text stands.
 */
#ifndef KPORT_MATCH_H
#define KPORT_MATCH_H

#include "agents/protocol.h"

struct match {
	size_t start, end;
	char *text; /* lines with "\n" */
	bool blanks; /* only without regard to blanks */
};

int match_find(const char *text, size_t len, const struct proto_edit *e, struct match *out,
	       struct strbuf *why);
void match_release(struct match *m);

#endif
