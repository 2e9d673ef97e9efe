/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of evidence.h that comes from mined histories. */
#ifndef KPORT_EVIDENCE_HISTORY_H
#define KPORT_EVIDENCE_HISTORY_H

#include "port/evidence.h"

/* Adds the commits between the two kernels and, if wanted, their examples of the identifier. */
void evidence_history(const struct api_pair *p, const char *symbol, const char *member, const char *ident,
		      bool examples, struct evidence *out);
void evidence_history_print(const struct evidence *e);
json_t *evidence_history_json(const struct evidence *e);

#endif
