/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How likely one identifier is the new name of another, from the names alone.
 *
 *	if (!name_opposite("read_foo", "write_foo") && name_similarity(a, b) > 0.6)
 *
 * Names are cut into lower-case words at "_", at digits and at capitals. Two
 * names are opposite when what differs is a pair that means different things:
 * read/write, get/put, lock/unlock, c22/c45, two different numbers.
 */
#ifndef KPORT_NAME_SIM_H
#define KPORT_NAME_SIM_H

#include "base/compat.h"

double name_similarity(const char *a, const char *b); /* 0..1; 1 only for equal words */
bool name_opposite(const char *a, const char *b);

#endif
