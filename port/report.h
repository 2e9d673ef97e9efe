/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.html: one self-contained file (no network, no scripts needed to read
 * it; light and dark; readable on a phone) made from a result record and the
 * run's directory: verdict ladder, what broke and why, side-by-side diffs by
 * patch, what is left, log excerpts.
 */
#ifndef KPORT_REPORT_H
#define KPORT_REPORT_H

#include "port/run.h"

int report_write(const struct port_run *r, struct strbuf *err);

#endif
