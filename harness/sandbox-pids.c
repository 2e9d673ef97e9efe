// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/sandbox-pids.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"

#define ROOT "/sys/fs/cgroup"
#define PREFIX "kport-sandbox-"

static bool put(const char *dir, const char *file, const char *text)
{
	char *path = path_join(dir, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	free(path);
	return ok;
}

/*
 * Our own group in the hierarchy that has the controller: "N:pids:/path" of version 1, where a
 * hierarchy is mounted under its controller's name, or "0::/path" of version 2.
 */
static char *own_group(void)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	char *found = NULL, *line, *next;

	if (file_read("/proc/self/cgroup", 1 << 16, &text, &ignored) == 0)
		for (line = text.buf; line && *line; line = next) {
			char *name = strchr(line, ':'), *path = name ? strchr(name + 1, ':') : NULL;
			bool pids, unified;

			next = strchr(line, '\n');
			if (next)
				*next++ = '\0';
			if (!path)
				continue;
			*path++ = '\0';
			pids = !strcmp(name + 1, "pids");
			unified = !name[1] && !found;
			if (!pids && !unified)
				continue;
			free(found);
			found = xstrfmt("%s%s%s", ROOT, pids ? "/pids" : "", strcmp(path, "/") ? path : "");
			if (pids)
				break;
		}
	strbuf_release(&text);
	strbuf_release(&ignored);
	return found;
}

/* Groups that a killed kport left; one with processes in it stays. */
static void sweep(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (starts_with(e->d_name, PREFIX)) {
			char *path = path_join(dir, e->d_name);
			struct stat st;

			/* A young one may be about to be entered. */
			if (!stat(path, &st) && st.st_ctime + 60 < time(NULL))
				rmdir(path);
			free(path);
		}
	if (d)
		closedir(d);
}

char *sandbox_pids_make(uint64_t max)
{
	static _Atomic unsigned count;
	char *parent = own_group(), *group = NULL, number[32];

	if (!parent || access(parent, W_OK))
		goto out;
	sweep(parent);
	group = xstrfmt("%s/" PREFIX "%d-%u", parent, (int)getpid(), count++);
	snprintf(number, sizeof(number), "%" PRIu64, max);
	if (mkdir(group, 0755) || !put(group, "pids.max", number)) {
		rmdir(group);
		free(group);
		group = NULL;
	}
out:
	free(parent);
	return group;
}

void sandbox_pids_leave(char *group)
{
	struct timespec pause = { .tv_nsec = 5000000 };

	if (!group)
		return;
	/* The last processes may be on their way out. */
	for (int i = 0; i < 200 && rmdir(group) && errno == EBUSY; i++)
		nanosleep(&pause, NULL);
	free(group);
}
