/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that come in pairs (lock and unlock, get and put) change together or not at all. */
#ifndef KPORT_PAIRS_H
#define KPORT_PAIRS_H

#include "mine/apiindex.h"
#include "port/tree.h"

/*
 * The driver uses the other half of a pair to which "from" belongs, and the new
 * kernel has no such half for "to": the rename would leave a lock without its
 * unlock.
 */
bool rename_breaks_pair(const struct tree *t, struct api_index *old_ix, struct api_index *new_ix,
			const char *from, const char *to);

#endif
