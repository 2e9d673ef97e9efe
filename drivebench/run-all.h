/* SPDX-License-Identifier: GPL-2.0-only */
/* All cases and attempts of a run, each in a child process ("kport bench work"). */
#ifndef KPORT_RUN_ALL_H
#define KPORT_RUN_ALL_H

#include "base/compat.h"
#include "base/strbuf.h"

struct run_counts {
	size_t all, there, made, resolved, infra;
};

/* KP_ERR: another process works on the run. KP_INTERRUPTED: counts hold what is there. */
int run_all(const char *dir, int jobs, struct run_counts *n, struct strbuf *err);

#endif
