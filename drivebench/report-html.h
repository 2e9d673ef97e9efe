/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs as pages: DIR/index.html (figures of all runs, their cases as a table that sorts and filters) and one page for
 * each case and attempt of the first run (DIR/cases/ID.N.html: gates, what they found, the patch). From records alone.
 */
#ifndef KPORT_REPORT_HTML_H
#define KPORT_REPORT_HTML_H

#include "drivebench/scored.h"

int report_html(const struct scored_list *l, const char *dir, struct strbuf *err);
/* "compile FAIL" of the first gate that is not passed; how it ended when there is none. */
void record_why(const json_t *rec, struct strbuf *out);

#endif
