// SPDX-License-Identifier: GPL-2.0-only
/* Paths as text, and the places where kport keeps and finds its own files. */
#include "base/compat.h"
#include "base/file.h"

#include <limits.h>
#include <pwd.h>

#include "base/alloc.h"

char *path_join(const char *a, const char *b)
{
	size_t len = strlen(a);

	if (*b == '/' || !len)
		return xstrdup(b);
	return xstrfmt(a[len - 1] == '/' ? "%s%s" : "%s/%s", a, b);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *path_dir(const char *path)
{
	size_t len = (size_t)(path_base(path) - path);

	if (!len)
		return xstrdup(".");
	while (len > 1 && path[len - 1] == '/')
		len--;
	return xstrndup(path, len);
}

static bool is_component(const char *s, size_t len, const char *what)
{
	return len == strlen(what) && !memcmp(s, what, len);
}

bool path_is_safe(const char *rel)
{
	if (!rel || strchr(rel, '\n'))
		return false;
	for (;;) {
		size_t len = strcspn(rel, "/");

		if (!len || is_component(rel, len, ".") || is_component(rel, len, ".."))
			return false;
		if (!rel[len])
			return true;
		rel += len + 1;
	}
}

static bool climbs(const char *rel)
{
	for (;;) {
		size_t len = strcspn(rel, "/");

		if (is_component(rel, len, ".."))
			return true;
		if (!rel[len])
			return false;
		rel += len + 1;
	}
}

char *path_absolute(const char *cwd, const char *path)
{
	char *full = cwd && *path != '/' ? path_join(cwd, path) : xstrdup(path);
	char *to = full;
	const char *from = full;

	if (*full != '/')
		return full;
	while (*from) {
		size_t len;

		while (*from == '/')
			from++;
		len = strcspn(from, "/");
		if (is_component(from, len, "..")) {
			while (to > full && *--to != '/')
				;
		} else if (len && !is_component(from, len, ".")) {
			*to++ = '/';
			memmove(to, from, len);
			to += len;
		}
		from += len;
	}
	if (to == full)
		*to++ = '/';
	*to = '\0';
	return full;
}

const char *path_inside(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	if (strncmp(dir, path, len) || (path[len] && path[len] != '/') || (!len && *dir != '/'))
		return NULL;
	path += len;
	path += strspn(path, "/");
	return climbs(path) ? NULL : path;
}

char *file_realpath(const char *path)
{
	return realpath(path, NULL);
}

static char *home_dir(void)
{
	const char *home = getenv("HOME");
	struct passwd *pw;

	if (home && *home == '/')
		return xstrdup(home);
	pw = getpwuid(getuid());
	if (pw && pw->pw_dir && *pw->pw_dir == '/')
		return xstrdup(pw->pw_dir);
	return xstrfmt("/var/tmp/kport-%lu", (unsigned long)getuid());
}

static char *xdg_dir(const char *own, const char *xdg, const char *below_home)
{
	const char *dir = getenv(own);
	char *home, *path;

	if (dir && *dir)
		return xstrdup(dir);
	dir = getenv(xdg);
	/* A relative path in an XDG variable is to be ignored. */
	if (dir && *dir == '/')
		return path_join(dir, "kport");
	home = home_dir();
	path = xstrfmt("%s/%s/kport", home, below_home);
	free(home);
	return path;
}

char *kport_cache_dir(void)
{
	return xdg_dir("KPORT_CACHE_HOME", "XDG_CACHE_HOME", ".cache");
}

char *kport_state_dir(void)
{
	return xdg_dir("KPORT_STATE_HOME", "XDG_STATE_HOME", ".local/state");
}

/* The build directory that this executable lies in, or NULL. */
static char *build_dir(void)
{
	char exe[PATH_MAX], *root, *rules;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	bool found = false;

	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	for (char *slash; !found && (slash = strrchr(exe, '/')) && slash != exe;) {
		*slash = '\0';
		if (!starts_with(path_base(exe), "build"))
			continue;
		root = path_dir(exe);
		rules = path_join(root, "base/compat.h");
		found = file_exists(rules);
		free(root);
		free(rules);
	}
	return found ? xstrdup(exe) : NULL;
}

/* PREFIX/KIND/kport beside the PREFIX/bin that this executable lies in; else where it was to be installed. */
static char *installed(const char *kind, const char *dflt, const char *rel)
{
	char exe[PATH_MAX], *bin, *prefix, *dir, *path;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		return path_join(dflt, rel);
	exe[n] = '\0';
	bin = path_dir(exe);
	prefix = path_dir(bin);
	dir = xstrfmt("%s/%s/kport", prefix, kind);
	path = path_join(file_is_dir(dir) ? dir : dflt, rel);
	free(bin);
	free(prefix);
	free(dir);
	return path;
}

char *kport_data_path(const char *rel)
{
	const char *dir = getenv("KPORT_DATA_DIR");
	char *build, *root, *path;

	if (dir && *dir)
		return path_join(dir, rel);
	build = build_dir();
	if (!build)
		return installed("share", KPORT_DATA_INSTALLED, rel);
	root = path_dir(build);
	path = path_join(root, rel);
	free(root);
	free(build);
	return path;
}

char *kport_libexec_path(const char *name)
{
	const char *dir = getenv("KPORT_LIBEXEC_DIR");
	char *build, *path;

	if (dir && *dir)
		return path_join(dir, name);
	build = build_dir();
	if (!build)
		return installed("libexec", KPORT_LIBEXEC_INSTALLED, name);
	path = xstrfmt("%s/libexec/%s", build, name);
	free(build);
	return path;
}
