/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Some Makefiles copy a source and compile the copy, which is no file of the driver. Where the
 * two have the same text the original stands for the copy: units are compiled from it, and what
 * the compiler said of the copy is told of the original. The real build copies it anew.
 */
#ifndef KPORT_COPIES_H
#define KPORT_COPIES_H

#include "harness/kbuild.h"
#include "port/tree.h"

/* Units of a build in tree_dir, which t was read from before it was built. */
void units_follow_copies(struct kbuild_result *b, const char *tree_dir, const struct tree *t);

#endif
