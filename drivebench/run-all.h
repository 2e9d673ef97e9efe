/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All cases and attempts of a run, each in a process of its own ("kport bench work"): a
 * child here, or an element of an array job of Slurm on any node that sees the run's
 * directory, the program, and the kernels under the same paths. How it was run is no part of the
 * run: one that Slurm began can be ended here.
 */
#ifndef KPORT_RUN_ALL_H
#define KPORT_RUN_ALL_H

#include "base/compat.h"
#include "base/strbuf.h"
#include "drivebench/bench-run.h"

enum run_engine { RUN_LOCAL, RUN_SLURM };

struct run_counts {
	size_t all, there, made, resolved, infra;
};

/*
 * jobs: cases at once; 0: one here, as many as the queue gives there. KP_ERR: another process works
 * on the run. KP_INTERRUPTED: counts hold what is there. KP_INFRA: Slurm does not answer.
 */
int run_all(const char *dir, enum run_engine engine, int jobs, struct run_counts *n, struct strbuf *err);
/*
 * The part of it that Slurm does. What an earlier coordinator submitted is waited for first. Options of
 * sbatch come from its own variables (SBATCH_PARTITION, SBATCH_TIMELIMIT ...).
 */
int run_slurm(struct bench_run *r, int jobs, struct run_counts *n, struct strbuf *err);

#endif
