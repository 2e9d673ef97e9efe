/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Advisory lock on a directory (flock on DIR/.lock) or on one file (on FILE.lock), released
 * by the kernel when the holder dies. The lock's file goes when the lock is released, and holds
 * the pid for the message of the other.
 */
#ifndef KPORT_LOCK_H
#define KPORT_LOCK_H

#include "base/compat.h"
#include "base/strbuf.h"

struct lock {
	int fd;
	char *file; /* to remove at the end */
};
#define LOCK_INIT { .fd = -1 }

/* wait_seconds 0: KP_ERR at once when held ("... is in use by process 123"). */
int lock_take(struct lock *l, const char *dir, double wait_seconds, struct strbuf *err);
/* The directory of path must be there. */
int lock_take_file(struct lock *l, const char *path, double wait_seconds, struct strbuf *err);
void lock_release(struct lock *l);

#endif
