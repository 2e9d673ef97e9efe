/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The patch series: steps with the same title become one patch, in order of
 * first appearance; a step that cannot be moved to its patch (its text depends on
 * what comes between) starts another one with the same subject. Each patch
 * applies with "git am" to a repository that holds the driver at its top.
 *
 * Message: subject "NAME: title", what changed in the kernel (old and new
 * declaration, release or commit), how the driver follows, the evidence, and for
 * edits that are not safe a line that says what to look at. No sign-off.
 */
#ifndef KPORT_SERIES_H
#define KPORT_SERIES_H

#include "port/run.h"

/* Fills r->patches from the search result. The last patch's "after" equals the result's tree. */
int series_make(struct port_run *r, struct strbuf *err);
/* Writes out_dir/series/ (names, mail headers, diffs) and the whole diff out_dir/port.patch. */
int series_write(struct port_run *r, struct strbuf *err);
void port_patch_release(struct port_patch *p);
/* Unified diff of two trees, with a/ and b/ prefixes; appended. */
int tree_diff(const struct tree *before, const struct tree *after, struct strbuf *out,
	      struct strbuf *err);

#endif
