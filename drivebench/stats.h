/* SPDX-License-Identifier: GPL-2.0-only */
/* The statistics of scores; each definition is in docs/drivebench.md. */
#ifndef KPORT_STATS_H
#define KPORT_STATS_H

#include "base/compat.h"

struct interval {
	double low, high;
};

/* Wilson's, 95 %. n 0: 0 to 1. */
struct interval stats_wilson(size_t hits, size_t n);
/*
 * 95 % percentile bootstrap of sum(hits) / sum(n) over clusters, drawn with replacement;
 * the same numbers on every machine (SplitMix64 of the seed).
 */
struct interval stats_bootstrap(const double *hits, const double *n, size_t clusters, size_t rounds, uint64_t seed);
/* Exact two-sided McNemar test: b and c cases that only the one, only the other solves. */
double stats_mcnemar(size_t b, size_t c);
/* Of n attempts c succeed: one of k drawn does; all k drawn do. NAN when n < k. */
double stats_pass_at(size_t n, size_t c, size_t k);
double stats_pass_all(size_t n, size_t c, size_t k);

#endif
