// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"

#define RETRY_NS 50000000L

static int held_by_other(const char *dir, int fd, struct strbuf *err)
{
	char pid[32] = "";
	ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	if (n > 0)
		pid[strspn(pid, "0123456789")] = '\0';
	if (n > 0 && *pid)
		return kp_fail(err, KP_ERR, "'%s' is in use by process %s", dir, pid);
	return kp_fail(err, KP_ERR, "'%s' is in use by another process", dir);
}

static int wait_for(int fd, const char *dir, double wait_seconds, struct strbuf *err)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return kp_fail_errno(err, "cannot lock '%s'", dir);
		if (child_interrupted())
			return kp_fail(err, KP_INTERRUPTED, "interrupted");
		if (wait_seconds <= 0)
			return held_by_other(dir, fd, err);
		nanosleep(&pause, NULL);
		wait_seconds -= (double)RETRY_NS / 1e9;
	}
	return 0;
}

int lock_take(struct lock *l, const char *dir, double wait_seconds, struct strbuf *err)
{
	char *path = path_join(dir, ".lock");
	int ret = file_mkdirs(dir, err), fd = -1;

	if (!ret) {
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
		ret = fd < 0 ? kp_fail_errno(err, "cannot lock '%s'", dir) :
			       wait_for(fd, dir, wait_seconds, err);
	}
	/* The pid is for messages only: a full disk is no reason to fail. */
	if (!ret && (ftruncate(fd, 0) < 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0))
		errno = 0;
	if (ret < 0 && fd >= 0)
		close(fd);
	l->fd = ret < 0 ? -1 : fd;
	free(path);
	return ret;
}

void lock_release(struct lock *l)
{
	/* The file stays: removing it would let two holders in. */
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
