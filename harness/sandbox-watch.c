// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include "base/alloc.h"
#include "base/clock.h"
#include "harness/sandbox-watch.h"

#define TICK_MS 40
#define MAX_DEPTH 200 /* what file_walk() takes, which reads it afterwards */

#define TOO_DEEP (UINT64_MAX / 2) /* in place of a number of entries */

struct sandbox_watch {
	const struct sandbox *sb;
	pid_t pid;
	int pidfd;
	pthread_t thread;
	bool started, stop, have_base;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct strbuf why;
	uint64_t base_bytes, base_entries;
	double next_usage;
};

static void usage_at(int fd, int depth, uint64_t *bytes, uint64_t *entries)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;

	if (!d) {
		close(fd);
		return;
	}
	while ((e = readdir(d)) != NULL) {
		struct stat st;
		int sub;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		*bytes += (uint64_t)st.st_blocks * 512;
		++*entries;
		if (!S_ISDIR(st.st_mode))
			continue;
		if (depth >= MAX_DEPTH) {
			*entries = TOO_DEEP;
			break;
		}
		sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub >= 0)
			usage_at(sub, depth + 1, bytes, entries);
		if (*entries >= TOO_DEEP)
			break;
	}
	closedir(d);
}

void sandbox_usage(const char *dir, uint64_t *bytes, uint64_t *entries)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		usage_at(fd, 0, bytes, entries);
}

static void usage_all(const struct sandbox *sb, uint64_t *bytes, uint64_t *entries)
{
	*bytes = *entries = 0;
	for (size_t i = 0; i < sb->rw.n; i++)
		sandbox_usage(sb->rw.v[i], bytes, entries);
}

/* The kernel counts threads as well; a directory has two links more than directories in it. */
static uint64_t threads_of(int proc, const char *pid)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "%s/task", pid);
	return fstatat(proc, path, &st, 0) == 0 && st.st_nlink > 2 ? st.st_nlink - 2 : 1;
}

/*
 * Processes and their threads in a sandbox's /proc; 0 when it cannot be read, or is still ours: until
 * bwrap has mounted another, its processes see those of the whole machine.
 */
static uint64_t count_processes(const char *proc)
{
	struct stat own, st;
	DIR *d = opendir(proc);
	struct dirent *e;
	uint64_t n = 0;

	if (d && (fstat(dirfd(d), &st) || stat("/proc", &own) || st.st_dev == own.st_dev)) {
		closedir(d);
		return 0;
	}
	while (d && (e = readdir(d)) != NULL)
		if (isdigit((unsigned char)e->d_name[0]))
			n += threads_of(dirfd(d), e->d_name);
	if (d)
		closedir(d);
	return n;
}

/* The children of a process, at most "max"; needs no privilege. */
static int children_of(pid_t pid, pid_t *out, int max)
{
	char path[96], text[1024], *s = text, *end;
	ssize_t len;
	int fd, n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	for (; n < max; s = end) {
		long v = strtol(s, &end, 10);

		if (end == s)
			break;
		out[n++] = (pid_t)v;
	}
	return n;
}

/*
 * The sandbox has its own pid namespace and its own /proc, which is reachable
 * through any of its processes; the first (bwrap's reaper) may be closed to
 * us, the others are ordinary programs.
 */
static uint64_t processes_inside(pid_t outer)
{
	pid_t level[32], below[32];
	int n = children_of(outer, level, 32);

	for (int depth = 0; depth < 3 && n; depth++) {
		int m = 0;

		for (int i = 0; i < n; i++) {
			char path[64];
			uint64_t count;

			snprintf(path, sizeof(path), "/proc/%d/root/proc", (int)level[i]);
			count = count_processes(path);
			if (count)
				return count;
		}
		for (int i = 0; i < n && m < 32; i++)
			m += children_of(level[i], below + m, 32 - m);
		memcpy(level, below, sizeof(level));
		n = m;
	}
	return 0;
}

static void kill_it(struct sandbox_watch *w)
{
	if (w->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, w->pidfd, SIGKILL, NULL, 0);
	else
		kill(w->pid, SIGKILL);
}

uint64_t sandbox_max_processes(const struct sandbox *sb)
{
	return sb->max_processes ? sb->max_processes : 512;
}

static bool check_processes(struct sandbox_watch *w)
{
	uint64_t max = sandbox_max_processes(w->sb);

	if (processes_inside(w->pid) <= max)
		return true;
	strbuf_addf(&w->why, "it had more than %" PRIu64 " processes at once", max);
	return false;
}

static bool check_usage(struct sandbox_watch *w)
{
	uint64_t max = w->sb->max_write_bytes ? w->sb->max_write_bytes : 4ULL << 30;
	uint64_t files = w->sb->max_files ? w->sb->max_files : 400000;
	uint64_t bytes, entries;
	double start = clock_seconds();

	if (start < w->next_usage)
		return true;
	usage_all(w->sb, &bytes, &entries);
	w->next_usage = clock_seconds() + 0.2 + 20 * (clock_seconds() - start);
	if (bytes > w->base_bytes + max)
		strbuf_addf(&w->why, "it wrote more than %" PRIu64 " MiB", max >> 20);
	else if (entries >= TOO_DEEP)
		strbuf_addf(&w->why, "it nested directories deeper than %d", MAX_DEPTH);
	else if (entries > w->base_entries + files)
		strbuf_addf(&w->why, "it made more than %" PRIu64 " files", files);
	else
		return true;
	return false;
}

static bool stopped_within(struct sandbox_watch *w, int ms)
{
	struct timespec ts;
	bool stop;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_nsec += (long)ms * 1000000;
	ts.tv_sec += ts.tv_nsec / 1000000000;
	ts.tv_nsec %= 1000000000;
	pthread_mutex_lock(&w->lock);
	while (!w->stop && pthread_cond_timedwait(&w->wake, &w->lock, &ts) == 0)
		;
	stop = w->stop;
	pthread_mutex_unlock(&w->lock);
	return stop;
}

static void *watch(void *arg)
{
	struct sandbox_watch *w = arg;

	if (stopped_within(w, TICK_MS))
		return NULL;
	usage_all(w->sb, &w->base_bytes, &w->base_entries);
	w->have_base = true;
	do {
		if (check_processes(w) && check_usage(w))
			continue;
		kill_it(w);
		return NULL;
	} while (!stopped_within(w, TICK_MS));
	return NULL;
}

struct sandbox_watch *sandbox_watch_start(const struct sandbox *sb, pid_t pid)
{
	struct sandbox_watch *w = xcalloc(1, sizeof(*w));
	pthread_condattr_t attr;
	sigset_t all, old;

	w->sb = sb;
	w->pid = pid;
	w->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	strbuf_init(&w->why);
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &attr);
	pthread_condattr_destroy(&attr);
	/* Signals belong to the thread that waits for the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	w->started = pthread_create(&w->thread, NULL, watch, w) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return w;
}

void sandbox_watch_stop(struct sandbox_watch *w, struct strbuf *blame)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	if (w->started)
		pthread_join(w->thread, NULL);
	/* What it did since it was looked at last. */
	w->next_usage = 0;
	if (w->have_base && !w->why.len)
		check_usage(w);
	if (blame && w->why.len)
		strbuf_addbuf(blame, &w->why);
	strbuf_release(&w->why);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	if (w->pidfd >= 0)
		close(w->pidfd);
	free(w);
}
