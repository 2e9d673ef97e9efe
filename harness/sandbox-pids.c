// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/sandbox-pids.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
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
 * hierarchy is mounted under its controller's name, or "0::/path" of version 2 (cgroups(7)).
 */
static char *own_group(bool *version1)
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
			*version1 = pids;
			if (pids)
				break;
		}
	strbuf_release(&text);
	strbuf_release(&ignored);
	return found;
}

/*
 * In version 2 a group that has processes gives its children no controllers, so the nearest
 * group above that does is taken (a slice of systemd's). Cuts "group" off there.
 */
static bool up_to_controller(char *group)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	bool found = false;

	while (!found && starts_with(group, ROOT)) {
		char *path = path_join(group, "cgroup.subtree_control");

		strbuf_reset(&text);
		found = file_read(path, 4096, &text, &ignored) == 0 && strstr(text.buf, "pids");
		free(path);
		if (!found)
			*strrchr(group, '/') = '\0';
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

static char *parent; /* where groups can be made, or NULL; of the whole run */
static pthread_once_t parent_once = PTHREAD_ONCE_INIT;

static void find_parent(void)
{
	bool version1 = false;

	parent = own_group(&version1);
	if (parent && ((!version1 && !up_to_controller(parent)) || access(parent, W_OK))) {
		free(parent);
		parent = NULL;
	}
	if (parent)
		sweep(parent);
}

char *sandbox_pids_make(uint64_t max)
{
	static _Atomic unsigned count;
	char *group, number[32];
	bool made;

	pthread_once(&parent_once, find_parent);
	if (!parent)
		return NULL;
	group = xstrfmt("%s/" PREFIX "%d-%u", parent, (int)getpid(), count++);
	made = mkdir(group, 0755) == 0;
	snprintf(number, sizeof(number), "%" PRIu64, max);
	if (made && put(group, "pids.max", number))
		return group;
	if (made)
		rmdir(group);
	free(group);
	return NULL;
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

uint64_t sandbox_pids_rlimit(uint64_t max)
{
	struct rlimit own;
	struct utsname u;
	unsigned major, minor;

	if (geteuid() == 0 || uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2 ||
	    major < 5 || (major == 5 && minor < 14))
		return 0;
	if (getrlimit(RLIMIT_NPROC, &own) == 0 && own.rlim_max != RLIM_INFINITY && own.rlim_max < max)
		return own.rlim_max;
	return max;
}
