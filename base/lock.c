// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
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

/* Opens the lock file and waits for it; *out is -1 on failure. */
static int take(const char *path, const char *name, double wait_seconds, int *out, struct strbuf *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	int ret = fd < 0 ? kp_fail_errno(err, "cannot lock '%s'", name) : wait_for(fd, name, wait_seconds, err);

	/* The pid is for messages only: a full disk is no reason to fail. */
	if (!ret && (ftruncate(fd, 0) < 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0))
		errno = 0;
	if (ret < 0 && fd >= 0)
		close(fd);
	*out = ret < 0 ? -1 : fd;
	return ret;
}

/* Did the one before us remove it while we waited? */
static bool is_still_there(int fd, const char *path)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !stat(path, &there) && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

/* Takes file. dir: is made when it is not there (any more), or NULL. */
static int take_there(struct lock *l, const char *dir, char *file, const char *name, double wait_seconds,
		      struct strbuf *err)
{
	int ret;

	*l = (struct lock)LOCK_INIT;
	do {
		if (l->fd >= 0)
			close(l->fd);
		l->fd = -1;
		ret = dir ? file_mkdirs(dir, err) : 0;
		if (!ret)
			ret = take(file, name, wait_seconds, &l->fd, err);
	} while (!ret && !is_still_there(l->fd, file));
	l->file = ret ? NULL : file;
	if (ret)
		free(file);
	return ret;
}

int lock_take(struct lock *l, const char *dir, double wait_seconds, struct strbuf *err)
{
	return take_there(l, dir, path_join(dir, ".lock"), dir, wait_seconds, err);
}

int lock_take_file(struct lock *l, const char *path, double wait_seconds, struct strbuf *err)
{
	return take_there(l, NULL, xstrfmt("%s.lock", path), path, wait_seconds, err);
}

void lock_release(struct lock *l)
{
	/* Removed while it is held: who waits for it sees that it is gone and takes another. */
	if (l->fd >= 0 && is_still_there(l->fd, l->file))
		unlink(l->file);
	if (l->fd >= 0)
		close(l->fd);
	free(l->file);
	*l = (struct lock)LOCK_INIT;
}
