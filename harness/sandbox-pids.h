/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal to the sandbox: what bounds the number of its processes by the kernel's own
 * count. The watcher alone is too slow for a fork bomb on a loaded machine: before it has
 * counted once, the bomb has taken every process number that there is.
 *
 * - root: a control group (the resource limit below is not applied to root);
 * - others: RLIMIT_NPROC set inside. Since Linux 5.14 each user namespace has a count of its
 *   own (user_namespaces(7), /proc/sys/user), so other programs of the user do not count.
 *
 * Root where no group can be made has the watcher alone.
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
/* What RLIMIT_NPROC to set inside for at most max processes; 0: it would not help here. */
uint64_t sandbox_pids_rlimit(uint64_t max);

#endif
