/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prompts are files (agents/prompts/NAME.txt), so that they can be read, changed and named by
 * their hash. Lines that begin with "#:" are remarks; @NAME@ is a place to be filled.
 *
 *	struct prompt p;
 *	prompt_load("generator", &p, err);
 *	prompt_fill(&p, &out, "TARGET", "6.12", "RULES", text, NULL);
 *	prompt_release(&p);
 *
 * Values are put in once: an "@NAME@" inside of them stays as it is.
 */
#ifndef KPORT_PROMPT_H
#define KPORT_PROMPT_H

#include "base/hash.h"

struct prompt {
	char *name;
	char *text;
	struct hash_hex hash; /* of the file */
};

int prompt_load(const char *name, struct prompt *out, struct strbuf *err);
void prompt_release(struct prompt *p);
/* Pairs of name and value, NULL behind the last. A place without a value is a bug of the caller. */
void prompt_fill(const struct prompt *p, struct strbuf *out, ...) __attribute__((sentinel));

/*
 * How many tokens a text may have: no tokenizer is at hand, three bytes a token are more than
 * C costs with any of those that are in use.
 */
size_t prompt_tokens(size_t bytes);

#endif
