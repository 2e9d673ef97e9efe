// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/workdir.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"

#define KEEP_SECONDS (24 * 3600)

/* Is it one of ours whose process is gone, long untouched? */
static bool is_stale(const char *path, const char *rest)
{
	char *end;
	long pid = strtol(rest, &end, 10);
	struct stat st;

	return isdigit((unsigned char)*rest) && *end == '-' && pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH &&
	       lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       time(NULL) - st.st_mtime > KEEP_SECONDS;
}

static void sweep(const char *base, const char *prefix)
{
	DIR *d = opendir(base);
	struct dirent *e;
	const char *rest;

	while (d && (e = readdir(d))) {
		char *path = path_join(base, e->d_name);

		if (skip_prefix(e->d_name, prefix, &rest) && is_stale(path, rest))
			file_remove(path, NULL);
		free(path);
	}
	if (d)
		closedir(d);
}

int workdir_make(const char *prefix, char **dir, struct strbuf *err)
{
	char *base = kport_cache_dir(), *name = xstrfmt("%s%ld-", prefix, (long)getpid());
	int ret = file_mkdirs(base, err);

	sweep(base, prefix);
	if (ret == 0)
		ret = file_mkdtemp(base, name, dir, err);
	free(base);
	free(name);
	return ret;
}
