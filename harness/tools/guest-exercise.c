// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses the interfaces that appeared with the driver, each in a child with a limit of its own. What no
 * kind takes is opened and closed; every attribute that appeared is read.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_EXERCISES 24 /* of one stage */
#define MAX_ATTRIBUTES 400

bool exercise_peer;

static const struct exercise *const kinds[] = {
	&exercise_net,	 &exercise_can,	  &exercise_block, &exercise_input, &exercise_tty,
	&exercise_watchdog, &exercise_rtc, &exercise_rng,  &exercise_drm,   &exercise_video,
	&exercise_pcm,	 &exercise_card,  &exercise_gpio,  &exercise_i2c,   &exercise_hwmon,
	&exercise_scsi,	 &exercise_usb,
};
#define NKINDS (sizeof(kinds) / sizeof(*kinds))

/* Between the child, which has something to say, and us. */
static char *answer;
#define ANSWER_SIZE 512
static const char *kind_now; /* in the child; NULL: what it finds was told at the first time */
bool exercise_first;

enum exercise_result result(enum exercise_result r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(answer, ANSWER_SIZE, fmt, ap);
	va_end(ap);
	return r;
}

void got(const char *key, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	if (!kind_now)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say("got %s %s %s", kind_now, key, text);
}

bool takes_class(const char *item, const char *class, const char *name, char *target, size_t size)
{
	const char *p = item_of(item, "device");
	size_t n = strlen(class);

	if (!p || strncmp(p, class, n) || p[n] != '/' || strncmp(p + n + 1, name, strlen(name)))
		return false;
	snprintf(target, size, "%s", p + n + 1);
	return true;
}

int open_node(const char *name, int flags)
{
	char path[300];

	snprintf(path, sizeof(path), "/dev/%s", name);
	for (char *p = path; *p; p++)
		if (*p == '!')
			*p = '/';
	return open(path, flags | O_CLOEXEC);
}

/* ---- one exercise ------------------------------------------------------------- */

struct job {
	const struct exercise *kind;
	char target[256];
};

static int run_job(const void *arg)
{
	const struct job *j = arg;

	kind_now = exercise_first ? j->kind->kind : NULL;
	return j->kind->run(j->target);
}

static bool run_one(const char *stage, const struct job *j)
{
	static const char *const words[] = { "ok", "fail", "skip" };
	const char *kind = j->kind->kind;
	int detail = 0, code;

	*answer = '\0';
	say("exercise-begin %s %s %s", stage, kind, j->target);
	code = guest_step(run_job, j, j->kind->seconds, &detail);
	if (code == GUEST_STUCK)
		say("exercise-timeout %s %s %s %c", stage, kind, j->target, detail);
	else if (code == GUEST_KILLED)
		say("exercise-killed %s %s %s %d", stage, kind, j->target, detail);
	else
		say("exercise %s %s %s %s %.*s", stage, kind, j->target,
		    words[(unsigned)code < 3 ? code : 1], ANSWER_SIZE - 1, answer);
	return code >= 0;
}

/* ---- the generic kinds ------------------------------------------------------------ */

/* Errors of open() that a healthy device may give: nothing is plugged in, somebody else has it, needs arguments. */
static bool open_may_fail(int code)
{
	return code == ENXIO || code == ENODEV || code == EBUSY || code == ENOMEDIUM ||
	       code == EINVAL || code == EAGAIN || code == EPERM || code == EACCES ||
	       code == EROFS;
}

static enum exercise_result run_node(const char *target)
{
	int fd = open_node(target, O_RDONLY | O_NONBLOCK), code = errno;

	if (fd < 0 && code == EINVAL)
		fd = open_node(target, O_WRONLY | O_NONBLOCK);
	got("open", "%s", fd < 0 ? strerrorname_np(code) : "0");
	if (fd >= 0) {
		close(fd);
		return result(EXERCISE_OK, "opened and closed");
	}
	return result(open_may_fail(code) ? EXERCISE_SKIP : EXERCISE_FAIL, "open: %s",
		      strerror(code));
}

static const struct exercise node_kind = { "node", 5, NULL, run_node };

static size_t attributes_read;

/* Not what makes the system do something when it is read, nor what is large. */
static bool is_readable(const char *path, const struct stat *st)
{
	const char *name = strrchr(path, '/') + 1;

	return S_ISREG(st->st_mode) && (st->st_mode & 0444) && st->st_size <= 4096 &&
	       strcmp(name, "config") && strcmp(name, "rom") && strncmp(name, "resource", 8);
}

static void read_attributes(const char *dir, int depth)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) && attributes_read < MAX_ATTRIBUTES) {
		char path[700], buf[4097];
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (lstat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < 2)
			read_attributes(path, depth + 1);
		if (!is_readable(path, &st))
			continue;
		/* Where it stood, should it never come back. */
		snprintf(answer, ANSWER_SIZE, "reading %s", path);
		read_small(path, buf, sizeof(buf));
		attributes_read++;
	}
	if (d)
		closedir(d);
}

static enum exercise_result run_attributes(const char *target)
{
	char path[400];

	snprintf(path, sizeof(path), "/sys/class/%s", target);
	read_attributes(path, 0);
	return result(attributes_read ? EXERCISE_OK : EXERCISE_SKIP, "%zu attributes read",
		      attributes_read);
}

static const struct exercise attributes_kind = { "attributes", 10, NULL, run_attributes };

/* ---- all -------------------------------------------------------------------------- */

static bool find_kind(const char *item, struct job *j)
{
	for (size_t i = 0; i < NKINDS; i++) {
		if (!kinds[i]->takes(item, j->target, sizeof(j->target)))
			continue;
		j->kind = kinds[i];
		return true;
	}
	return false;
}

static size_t collect(const struct set *before, const struct set *loaded, struct job *jobs)
{
	size_t n = 0;

	for (size_t i = 0; i < loaded->n && n < MAX_EXERCISES; i++)
		if (!set_has(before, loaded->v[i]) && find_kind(loaded->v[i], &jobs[n]))
			n++;
	return n;
}

/* Nodes that no kind has opened, and the attributes of every class device that appeared. */
static size_t collect_generic(const struct set *before, const struct set *loaded, struct job *jobs,
			      size_t n)
{
	size_t taken = n;

	for (size_t i = 0; i < loaded->n && n < MAX_EXERCISES; i++) {
		const char *item = loaded->v[i], *name;
		bool known = false;

		if (set_has(before, item))
			continue;
		if ((name = item_of(item, "node"))) {
			const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;

			/* One that is opened and simply closed goes on and resets the machine. */
			known = !strncmp(name, "watchdog", 8);
			for (size_t k = 0; k < taken && !known; k++)
				known = !strcmp(jobs[k].target, base);
			if (known)
				continue;
			jobs[n].kind = &node_kind;
		} else if ((name = item_of(item, "device"))) {
			jobs[n].kind = &attributes_kind;
		} else {
			continue;
		}
		snprintf(jobs[n].target, sizeof(jobs[n].target), "%s", name);
		n++;
	}
	return n;
}

void exercise_await(const char *kind, const struct set *before, double seconds)
{
	struct set current = { 0 };
	double end = now() + seconds;
	bool found = false;

	while (!found && now() < end) {
		struct job j;

		snapshot(&current);
		for (size_t i = 0; i < current.n && !found; i++)
			found = !set_has(before, current.v[i]) && find_kind(current.v[i], &j) &&
				!strcmp(j.kind->kind, kind);
		if (!found)
			sleep_ms(50);
	}
	set_clear(&current);
}

bool exercise_all(const char *stage, const struct set *before, const struct set *loaded)
{
	struct job *jobs = calloc(MAX_EXERCISES, sizeof(*jobs));
	size_t n;
	bool ok = true;

	if (!answer)
		answer = mmap(NULL, ANSWER_SIZE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!jobs || answer == MAP_FAILED)
		_exit(1);
	exercise_first = !strcmp(stage, "first");
	n = collect(before, loaded, jobs);
	if (exercise_first)
		n = collect_generic(before, loaded, jobs, n);
	for (size_t i = 0; i < n && ok; i++)
		ok = run_one(stage, &jobs[i]);
	free(jobs);
	return ok;
}
