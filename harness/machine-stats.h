/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How reliable machines are here: counts per kernel, back end, acceleration and way of
 * starting, in machines.db of the state directory.
 *
 *	valid		said something about the driver
 *	infra		did not (our fault or the machine's), and was repeated where that is allowed
 *	slow		hit a limit without a sign of a hang, and was repeated with twice the time
 *	disagree	valid, and not what the valid run before it said of the same driver: a flake
 */
#ifndef KPORT_MACHINE_STATS_H
#define KPORT_MACHINE_STATS_H

#include "harness/machine.h"

enum machine_outcome { MACHINE_VALID, MACHINE_INFRA, MACHINE_SLOW, MACHINE_DISAGREES };

struct machine_stat {
	char *kernel, *backend;	/* release; "QEMU 7.2.22" */
	char *accel, *from;	/* "tcg"; "fresh", "snapshot" */
	int64_t valid, infra, slow, disagree;
	double mean, slowest;	/* seconds of the valid runs */
	int64_t last;		/* seconds since 1970 */
};

/* r NULL: no machine could be had. Statistics never stand in the way: failures are for the debug log. */
void machine_stats_add(const struct kernel *k, const struct machine_run *r,
		       enum machine_outcome outcome);
/* Sorted by kernel. None: *n is 0. */
int machine_stats_list(struct machine_stat **out, size_t *n, struct strbuf *err);
void machine_stats_free(struct machine_stat *s, size_t n);

#endif
