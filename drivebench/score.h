/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scores of a run from its records alone (results/ID.N.json); nothing is built. Every
 * number is defined in docs/drivebench.md.
 */
#ifndef KPORT_SCORE_H
#define KPORT_SCORE_H

#include "drivebench/bench-run.h"

/* Records in order of case and attempt; one that is missing is null. Newly made. */
int score_read(const struct bench_run *r, json_t **records, struct strbuf *err);
/* cutoff: "YYYY-MM-DD" or NULL. Newly made. */
json_t *score_make(const struct bench_run *r, const json_t *records, const char *cutoff);
/* Two runs on the cases that both have: exact McNemar over the first attempts. Newly made. */
json_t *score_compare(const struct bench_run *a, const json_t *ra, const struct bench_run *b, const json_t *rb);

#endif
