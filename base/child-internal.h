/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by child.c and child-start.c; not for others. */
#ifndef KPORT_CHILD_INTERNAL_H
#define KPORT_CHILD_INTERNAL_H

#include "base/child.h"

struct child_handle {
	struct child *c;
	pid_t pid;
	int pidfd;		   /* -1 where the kernel has none */
	int in_fd, out_fd, err_fd; /* our ends, non-blocking; -1 closed */
	size_t in_off;		   /* bytes of c->in written */
	uint64_t seen;		   /* bytes of output taken */
	double started, deadline;  /* monotonic seconds; deadline 0: none */
	bool ended;		   /* the leader is a zombie */
	double drain_until;	   /* when ended: wait no longer for output */
	bool stopped;		   /* killed by us, because of ... */
	enum child_kind kind;
	int slot; /* in the table of live children */
};

/* Forks and execs; fills pid, slot and the fds. */
int child_spawn(struct child_handle *h, struct strbuf *err);
/* The leader is reaped: its number is no longer ours to kill. */
void child_forget(int slot);
/* Readable once interrupted; -1 before child_catch_signals(). */
int child_signal_fd(void);

#endif
