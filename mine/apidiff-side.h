/* SPDX-License-Identifier: GPL-2.0-only */
/* One side of a difference; see mine/apidiff-internal.h. */
#ifndef KPORT_APIDIFF_SIDE_H
#define KPORT_APIDIFF_SIDE_H

#include "mine/apidiff-internal.h"

/* The index must outlive the side. */
int side_load(struct diff_side *s, struct api_index *ix, struct strbuf *err);
void side_release(struct diff_side *s);

#endif
