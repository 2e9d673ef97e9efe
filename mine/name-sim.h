/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How likely one identifier is the new name of another, from the names alone.
 *
 *	if (!name_opposite("read_foo", "write_foo") && name_similarity(a, b) > 0.6)
 *
 * Names are cut into lower-case words at "_", at digits and at capitals. Two
 * names are opposite when what differs is a pair that means different things:
 * read/write, get/put, lock/unlock, c22/c45, two different numbers, a "no" in one
 * of them, or when one only counts the others ("FOO_MAX").
 */
#ifndef KPORT_NAME_SIM_H
#define KPORT_NAME_SIM_H

#include "base/compat.h"

double name_similarity(const char *a, const char *b); /* 0..1; 1 only for equal words */
bool name_opposite(const char *a, const char *b);
/*
 * Has each name a word that is like none of the other's? "foo_alloc" and
 * "foo_lookup": then the names alone do not say that they mean the same.
 */
bool name_word_replaced(const char *a, const char *b);
/* Are both macros by their looks, or neither? "FOO_BAR" and "foo_bar" differ. */
bool name_same_case(const char *a, const char *b);

#endif
