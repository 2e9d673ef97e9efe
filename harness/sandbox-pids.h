/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal to the sandbox: a control group that bounds the number of processes, where
 * one can be made (mostly as root). Without it the watcher alone ends a fork bomb, and
 * until it does the bomb can leave other programs without room for a process.
 *
 *	char *group = sandbox_pids_make(576);	// NULL: none can be made here
 *	...	// the first process writes its number to GROUP/cgroup.procs before it starts the sandbox
 *	sandbox_pids_leave(group);		// all its processes have ended
 */
#ifndef KPORT_SANDBOX_PIDS_H
#define KPORT_SANDBOX_PIDS_H

#include "base/compat.h"

/* A new group for at most max processes; newly allocated path. */
char *sandbox_pids_make(uint64_t max);
/* Removes and frees; NULL is fine. */
void sandbox_pids_leave(char *group);

#endif
