/* SPDX-License-Identifier: GPL-2.0-only */
/* The result record of a run, result.json (schema_version 1), and the terminal summary. */
#ifndef KPORT_RECORD_H
#define KPORT_RECORD_H

#include <jansson.h>
#include "port/run.h"

json_t *record_make(const struct port_run *r);
int record_write(const struct port_run *r, struct strbuf *err);
/* What a person needs: verdict ladder, patches with risks, what is left, paths, time. */
void record_summary(const struct port_run *r, bool color, struct strbuf *out);

#endif
