/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Learned rules kept beside the examples that they come from: what they say, and what
 * they were right and wrong in, file by file.
 *
 *	char *path = learn_store_path(examples_path(old, new));
 *	learn_store_write(path, &l, err);		// replaces the rules of the same symbols
 *	n = learn_store_of(path, "struct foo.bar", &list);
 *	learned_free(list, n);
 *
 *	learn_store_open(path, &st, err);		// KP_NOTFOUND: nothing was learned
 *	if (learn_store_find(st, "del_timer", key, exclude, &score)) ...
 *	learn_store_close(st);
 */
#ifndef KPORT_LEARN_STORE_H
#define KPORT_LEARN_STORE_H

#include "port/learn.h"

/* A rule as it is kept. */
struct learned {
	char *key;		/* "del_timer ( $1 ) => timer_delete ( $1 )" */
	size_t support;		/* files that gave it */
	struct learn_score score; /* exact, wrong and alone, in files that it was not learned from */
};

/* Of a store of examples; newly allocated. */
char *learn_store_path(const char *examples);
int learn_store_write(const char *path, const struct learn *l, struct strbuf *err);
/*
 * What was learned of a symbol ("del_timer", "struct foo.bar") and was right in 85 % of its uses
 * or more, the best supported first; 0 without a store.
 */
size_t learn_store_of(const char *path, const char *symbol, struct learned **out);
void learned_free(struct learned *list, size_t n);

struct learn_store;

int learn_store_open(const char *path, struct learn_store **out, struct strbuf *err);
void learn_store_close(struct learn_store *s);
/*
 * Scores of the rule whose key is that of a general template (template.h, tmpl_make_general)
 * of the symbol, the uses in excluded files and their namesakes left out; false: not learned.
 */
bool learn_store_find(struct learn_store *s, const char *symbol, const char *key,
		      const struct strvec *exclude, struct learn_score *out);

#endif
