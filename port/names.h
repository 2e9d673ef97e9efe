/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Identifiers as words, and how far two of them may be taken for the old and the
 * new name of one thing. A name is split at "_" and where a lower-case letter
 * meets an upper-case one; words are compared in lower case.
 */
#ifndef KPORT_NAMES_H
#define KPORT_NAMES_H

#include "base/strvec.h"

void name_words(const char *name, struct strvec *out);
/* 0..1: share of words in common, with half credit for words that share a stem. */
double names_similarity(const char *a, const char *b);
/*
 * Do the words in which a and b differ say the opposite or another one of a
 * family: read/write, valid/invalid, get/put, C22/C45, readl/readb? Then one is
 * not the new name of the other however alike they look.
 */
bool names_opposed(const char *a, const char *b);
/*
 * What the other half of a pair would be called: "name" with one word replaced by
 * each of its opposites ("foo_lock" gives "foo_unlock" and "foo_trylock").
 */
void names_partners(const char *name, struct strvec *out);
/* Is each word of "inner" a word of "outer"? */
bool name_has_words(const char *outer, const char *inner);

#endif
