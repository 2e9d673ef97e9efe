/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Learned rules kept beside the examples that they come from: what they say, what
 * they were right and wrong in, file by file, so that a reader may leave files
 * out.
 *
 *	char *path = learn_store_path(examples_path(old, new));
 *	learn_store_write(path, &l, err);		// replaces the rules of the same symbols
 *	learn_store_open(path, &st, err);		// KP_NOTFOUND: nothing was learned
 *	if (learn_store_find(st, "del_timer", key, exclude, &score)) ...
 *	learn_store_close(st);
 */
#ifndef KPORT_LEARN_STORE_H
#define KPORT_LEARN_STORE_H

#include "port/learn.h"

struct learn_store;

/* Of a store of examples; newly allocated. */
char *learn_store_path(const char *examples);
int learn_store_write(const char *path, const struct learn *l, struct strbuf *err);
int learn_store_open(const char *path, struct learn_store **out, struct strbuf *err);
void learn_store_close(struct learn_store *s);
/*
 * Scores of the rule whose key is that of a template (template.h, tmpl_make_general)
 * of the symbol, the uses in excluded files and their namesakes left out; false: not learned.
 */
bool learn_store_find(struct learn_store *s, const char *symbol, const char *key,
		      const struct strvec *exclude, struct learn_score *out);

#endif
