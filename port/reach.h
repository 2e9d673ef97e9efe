/* SPDX-License-Identifier: GPL-2.0-only */
/* Is a header of the kernel seen by a file of the driver, by whichever way? */
#ifndef KPORT_REACH_H
#define KPORT_REACH_H

#include "mine/apiindex.h"
#include "port/tree.h"

/* By its own includes, those of the driver's headers that it includes, and theirs. */
bool header_reached(struct api_index *ix, const struct tree *t, struct srcfile *f,
		    const char *header);

#endif
