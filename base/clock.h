/* SPDX-License-Identifier: GPL-2.0-only */
/* Seconds that only go forward, for limits and durations; their start means nothing. */
#ifndef KPORT_CLOCK_H
#define KPORT_CLOCK_H

#include <time.h>
#include "base/compat.h"

static inline double clock_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#endif
