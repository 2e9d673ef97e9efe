/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing the store of examples (examples.h); for examples-mine.c alone. */
#ifndef KPORT_EXAMPLES_DB_H
#define KPORT_EXAMPLES_DB_H

#include "mine/examples.h"

struct examples_writer;

/* Written beside path; finish renames, abort removes. Both free. */
int examples_writer_open(const char *path, struct examples_writer **out, struct strbuf *err);
int examples_writer_add(struct examples_writer *w, const char *path, const char *function,
			const char *before, const char *after, int line,
			const struct strvec *idents, struct strbuf *err);
int examples_writer_finish(struct examples_writer *w, const struct examples_stats *st,
			   struct strbuf *err);
void examples_writer_abort(struct examples_writer *w);

#endif
