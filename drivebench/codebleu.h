/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The four parts of CodeBLEU over C tokens, without a compiler: n-grams, n-grams whose
 * keywords weigh five times as much, sub-trees by brackets, and which name flows into which by
 * an assignment. Exact definitions: docs/drivebench.md. Each is in 0..1, and 1 for
 * equal units; the first argument is the candidate, the second the reference.
 */
#ifndef KPORT_CODEBLEU_H
#define KPORT_CODEBLEU_H

#include "base/ctoken.h"

struct token {
	const char *s;		/* borrowed */
	uint32_t len;
	enum ctok_kind kind;
};

struct tokens {
	struct token *t;
	size_t n, alloc;
};

void tokens_add(struct tokens *l, const char *s, size_t len, enum ctok_kind kind);
void tokens_release(struct tokens *l);
bool token_same(const struct token *a, const struct token *b);

double codebleu_ngram(const struct tokens *c, const struct tokens *r, bool weighted);
double codebleu_syntax(const struct tokens *c, const struct tokens *r);
double codebleu_dataflow(const struct tokens *c, const struct tokens *r);

#endif
