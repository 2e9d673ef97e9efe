// SPDX-License-Identifier: GPL-2.0-only
/* Single files and directories; trees are in file-tree.c, names in path.c. */
#include "base/compat.h"
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/alloc.h"
#include "base/error.h"

#define DEFAULT_MAX ((size_t)1 << 30)

/* Opens a regular file; a FIFO or device would block or never end. */
static int open_regular(const char *path, struct stat *st, struct strbuf *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return kp_fail_errno(err, "cannot read '%s'", path);
	if (fstat(fd, st) < 0) {
		int ret = kp_fail_errno(err, "cannot read '%s'", path);

		close(fd);
		return ret;
	}
	if (!S_ISREG(st->st_mode)) {
		close(fd);
		return kp_fail(err, KP_ERR, "cannot read '%s': %s", path,
			       S_ISDIR(st->st_mode) ? "it is a directory" : "not a regular file");
	}
	return fd;
}

int file_read(const char *path, size_t max, struct strbuf *out, struct strbuf *err)
{
	size_t before = out->len;
	char chunk[65536];
	struct stat st;
	ssize_t n = 0;
	int ret = 0, fd;

	if (!max)
		max = DEFAULT_MAX;
	fd = open_regular(path, &st, err);
	if (fd < 0)
		return fd;
	if ((uint64_t)st.st_size <= max)
		strbuf_grow(out, (size_t)st.st_size);
	/* The size of files in /proc is not known, that of others may change. */
	while ((uint64_t)st.st_size <= max && out->len - before <= max) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		strbuf_add(out, chunk, (size_t)n);
	}
	if (n < 0)
		ret = kp_fail_errno(err, "cannot read '%s'", path);
	else if ((uint64_t)st.st_size > max || out->len - before > max)
		ret = kp_fail(err, KP_ERR, "'%s' is larger than %zu bytes", path, max);
	close(fd);
	if (ret < 0)
		strbuf_setlen(out, before);
	return ret;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* After a rename the directory must reach the disk as well. */
static void sync_dir_of(const char *path)
{
	char *dir = path_dir(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(dir);
}

static int fill_and_rename(int fd, const char *tmp, const char *path, const void *data, size_t len,
			   mode_t mode, bool sync)
{
	int bad = write_all(fd, data, len) < 0 || fchmod(fd, mode) < 0 || (sync && fsync(fd) < 0);
	int e = errno;

	if (close(fd) < 0 && !bad) {
		bad = 1;
		e = errno;
	}
	if (!bad && rename(tmp, path) < 0) {
		bad = 1;
		e = errno;
	}
	if (bad)
		unlink(tmp);
	errno = e;
	return bad ? -1 : 0;
}

static int write_aside(const char *path, const void *data, size_t len, mode_t mode, bool sync,
		       struct strbuf *err)
{
	char *dir = path_dir(path), *tmp = xstrfmt("%s/.%.100s.XXXXXX", dir, path_base(path));
	int ret = 0, fd;

	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		ret = kp_fail_errno(err, "cannot write '%s'", path);
	else if (fill_and_rename(fd, tmp, path, data, len, mode, sync) < 0)
		ret = kp_fail_errno(err, "cannot write '%s'", path);
	else if (sync)
		sync_dir_of(path);
	free(tmp);
	free(dir);
	return ret;
}

static mode_t default_mode(void)
{
	static mode_t mask = (mode_t)-1;

	if (mask == (mode_t)-1) {
		mask = umask(022);
		umask(mask);
	}
	return 0666 & ~mask;
}

int file_write(const char *path, const void *data, size_t len, struct strbuf *err)
{
	return write_aside(path, data, len, default_mode(), true, err);
}

int file_write_mode(const char *path, const void *data, size_t len, mode_t mode, struct strbuf *err)
{
	return write_aside(path, data, len, mode & 07777, true, err);
}

int file_write_nosync(const char *path, const void *data, size_t len, struct strbuf *err)
{
	return write_aside(path, data, len, default_mode(), false, err);
}

int file_mkdirs(const char *path, struct strbuf *err)
{
	char *p = xstrdup(path);
	int ret = 0;

	for (char *s = p + strspn(p, "/"); *s && !ret;) {
		char *end = s + strcspn(s, "/"), keep = *end;

		*end = '\0';
		if (mkdir(p, 0777) < 0) {
			int e = errno; /* file_is_dir() has one of its own */

			if (!file_is_dir(p)) {
				errno = e;
				ret = kp_fail_errno(err, "cannot make the directory '%s'", p);
			}
		}
		*end = keep;
		s = end + strspn(end, "/");
	}
	free(p);
	/* A file in the way is not "no such thing". */
	return ret == KP_NOTFOUND ? KP_ERR : ret;
}

int file_mkdirs_for(const char *path, struct strbuf *err)
{
	char *dir = path_dir(path);
	int ret = file_mkdirs(dir, err);

	free(dir);
	return ret;
}

int file_check_out(const char *path, struct strbuf *err)
{
	char *dir = path_dir(path), *probe = NULL;
	const char *in = *dir ? dir : ".";
	struct stat st;
	int fd = -1, ret = 0;

	if (!file_is_dir(in)) {
		ret = kp_fail(err, KP_ERR, "cannot write '%s': there is no directory '%s'", path, in);
	} else if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		ret = kp_fail(err, KP_ERR, "'%s' is %s", path,
			      S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
	} else {
		probe = xstrfmt("%s/.kport-XXXXXX", in);
		fd = mkostemp(probe, O_CLOEXEC);
		if (fd < 0)
			ret = kp_fail(err, KP_INFRA, "cannot write '%s': %s", path, strerror(errno));
	}
	if (fd >= 0) {
		unlink(probe);
		close(fd);
	}
	free(probe);
	free(dir);
	return ret;
}

bool file_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

bool file_is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

uint64_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : (uint64_t)st.st_size;
}

int file_mkdtemp(const char *parent, const char *prefix, char **out, struct strbuf *err)
{
	int ret = file_mkdirs(parent, err);
	char *path;

	*out = NULL;
	if (ret < 0)
		return ret;
	path = xstrfmt("%s/%sXXXXXX", parent, prefix);
	if (!mkdtemp(path)) {
		ret = kp_fail_errno(err, "cannot make a directory in '%s'", parent);
		free(path);
		return ret;
	}
	*out = path;
	return 0;
}

uint64_t disk_free(const char *path)
{
	char *p = xstrdup(path), *up;
	struct statvfs vfs;
	int bad;

	/* What does not exist yet will lie where its parent lies. */
	while ((bad = statvfs(p, &vfs)) < 0 && errno == ENOENT && strcmp(p, "/") &&
	       strcmp(p, ".")) {
		up = path_dir(p);
		free(p);
		p = up;
	}
	free(p);
	return bad < 0 ? 0 : (uint64_t)vfs.f_bavail * vfs.f_frsize;
}
