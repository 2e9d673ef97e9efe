// SPDX-License-Identifier: GPL-2.0-only
/* Walking, copying and removing trees. Symlinks are never followed. */
#include "base/compat.h"
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"

#define MAX_DEPTH 200

/* ---- walk ---- */

int file_names(const char *path, struct strvec *names, struct strbuf *err)
{
	struct dirent *d;
	int ret = 0, fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		return kp_fail_errno(err, "cannot read the directory '%s'", path);
	for (errno = 0; (d = readdir(dir)); errno = 0)
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			strvec_push(names, d->d_name);
	if (errno)
		ret = kp_fail_errno(err, "cannot read the directory '%s'", path);
	closedir(dir);
	strvec_sort(names);
	return ret;
}

struct walk {
	const char *root;
	file_walk_fn fn;
	void *payload;
};

static int walk_dir(const struct walk *w, const char *rel, int depth, struct strbuf *err);

static int walk_entry(const struct walk *w, const char *rel, int depth, struct strbuf *err)
{
	char *path = path_join(w->root, rel);
	struct stat st;
	int ret;

	/* What vanishes meanwhile was not there. */
	st.st_mode = 0;
	if (!lstat(path, &st))
		ret = w->fn(rel, &st, w->payload, err);
	else
		ret = errno == ENOENT ? 0 : kp_fail_errno(err, "cannot read '%s'", path);
	free(path);
	if (!ret && S_ISDIR(st.st_mode))
		ret = walk_dir(w, rel, depth + 1, err);
	return ret == FILE_WALK_SKIP ? 0 : ret;
}

static int walk_dir(const struct walk *w, const char *rel, int depth, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	char *path = *rel ? path_join(w->root, rel) : xstrfmt("%s/", w->root);
	int ret;

	if (depth > MAX_DEPTH)
		ret = kp_fail(err, KP_ERR, "'%.100s...': nested deeper than %d directories", path,
			      MAX_DEPTH);
	else
		ret = file_names(path, &names, err);
	for (size_t i = 0; !ret && i < names.n; i++) {
		char *sub = path_join(rel, names.v[i]);

		ret = walk_entry(w, sub, depth, err);
		free(sub);
	}
	strvec_release(&names);
	free(path);
	return ret;
}

int file_walk(const char *dir, file_walk_fn fn, void *payload, struct strbuf *err)
{
	struct walk w = { .root = dir, .fn = fn, .payload = payload };

	return walk_dir(&w, "", 0, err);
}

static int list_one(const char *rel, const struct stat *st, void *payload, struct strbuf *err)
{
	if (S_ISREG(st->st_mode))
		strvec_push(payload, rel);
	return 0;
}

int file_list(const char *dir, struct strvec *out, struct strbuf *err)
{
	struct strvec found = STRVEC_INIT;
	int ret = file_walk(dir, list_one, &found, err);

	/* The walk sorts by component ("a/b" before "a-b"). */
	strvec_sort(&found);
	if (!ret)
		strvec_pushv(out, found.v);
	strvec_release(&found);
	return ret;
}

/* ---- remove ---- */

/* Deeper directories are moved up first: each level takes a descriptor and stack. */
#define REMOVE_DEPTH 64

struct removal {
	int top;	 /* the directory that is removed */
	unsigned lifted; /* directories moved into it */
};

static int remove_at(struct removal *r, int at, const char *name, int depth);

static int remove_inside(struct removal *r, int fd, int depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *d;
	int ret = 0;

	if (!dir) {
		close(fd);
		return -1;
	}
	while (!ret && (d = readdir(dir)))
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			ret = remove_at(r, dirfd(dir), d->d_name, depth);
	closedir(dir);
	return ret;
}

static int lift(struct removal *r, int at, const char *name)
{
	struct stat st;
	char to[32];

	do
		snprintf(to, sizeof(to), ".lifted-%u", r->lifted++);
	while (!fstatat(r->top, to, &st, AT_SYMLINK_NOFOLLOW));
	return renameat(at, name, r->top, to);
}

/* By descriptor, so that nobody can swap a directory for a symlink meanwhile. */
static int open_to_remove(int at, const char *name)
{
	struct stat st;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		errno = EACCES;
		return -1;
	}
	/* Builds leave directories that not even their owner may write. */
	if ((st.st_mode & 0700) != 0700)
		fchmodat(at, name, 0700, 0);
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int remove_at(struct removal *r, int at, const char *name, int depth)
{
	int fd;

	if (!unlinkat(at, name, 0) || errno == ENOENT)
		return 0;
	fd = open_to_remove(at, name);
	if (fd < 0)
		return -1;
	if (depth >= REMOVE_DEPTH) {
		close(fd);
		return lift(r, at, name);
	}
	if (remove_inside(r, fd, depth + 1) < 0)
		return -1;
	return unlinkat(at, name, AT_REMOVEDIR);
}

static int remove_tree(const char *path)
{
	struct removal r = { .top = open_to_remove(AT_FDCWD, path) };
	unsigned before;
	int fd, ret;

	if (r.top < 0)
		return -1;
	do {
		before = r.lifted;
		fd = openat(r.top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ret = fd < 0 ? -1 : remove_inside(&r, fd, 1);
	} while (!ret && r.lifted != before);
	close(r.top);
	return ret < 0 ? ret : rmdir(path);
}

int file_remove(const char *path, struct strbuf *err)
{
	struct stat st;

	if (lstat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (unlink(path) < 0 && errno != ENOENT && remove_tree(path) < 0)
		return kp_fail_errno(err, "cannot remove '%s'", path);
	return 0;
}

/* ---- rights ---- */

static int open_dir(const char *rel, const struct stat *st, void *payload, struct strbuf *err)
{
	char *path;

	if (!S_ISDIR(st->st_mode) || (st->st_mode & 0700) == 0700)
		return 0;
	path = path_join(payload, rel);
	chmod(path, (st->st_mode & 0777) | 0700);
	free(path);
	return 0;
}

int file_open_dirs(const char *dir, struct strbuf *err)
{
	struct stat st;
	char *root = xstrdup(dir);
	int ret = 0;

	if (!lstat(dir, &st))
		ret = open_dir("", &st, root, err);
	if (!ret)
		ret = file_walk(dir, open_dir, root, err);
	free(root);
	return ret;
}

/* ---- copy ---- */

struct copy {
	const char *src, *dst;
	char *real_src;
	unsigned flags;
	uint64_t bytes, files, max_bytes, max_files;
	struct strvec dirs; /* whose times are set at the end */
};

static int plain_copy(int in, int out)
{
	char *buf = xmalloc(1 << 17);
	ssize_t n, off, m;

	while ((n = read(in, buf, 1 << 17)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		for (off = 0; n > 0 && off < n; off += m) {
			m = write(out, buf + off, (size_t)(n - off));
			if (m < 0 && errno == EINTR)
				m = 0;
			else if (m <= 0)
				n = -1;
		}
		if (n < 0)
			break;
	}
	free(buf);
	return n < 0 ? -1 : 0;
}

/* A clone where the file system can, else in the kernel, else by hand. */
static int copy_bytes(int in, int out, uint64_t size, unsigned flags)
{
	bool started = false;

	if ((flags & FILE_COPY_REFLINK) && !ioctl(out, FICLONE, in))
		return 0;
	while (size) {
		ssize_t n = copy_file_range(in, NULL, out, NULL, size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && !started)
			return plain_copy(in, out);
		if (n < 0)
			return -1;
		if (!n)
			break;
		started = true;
		size -= (uint64_t)n;
	}
	return 0;
}

static int open_fresh(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, 0600);

	if (fd >= 0 || errno != EEXIST || unlink(path) < 0)
		return fd;
	return open(path, flags, 0600);
}

static int copy_regular(struct copy *cp, const char *from, const char *to, const struct stat *st,
			struct strbuf *err)
{
	struct timespec times[2] = { st->st_atim, st->st_mtim };
	int in, out = -1, ret = 0;

	cp->bytes += (uint64_t)st->st_size;
	if (cp->bytes > cp->max_bytes)
		return kp_fail(err, KP_ERR, "'%s' holds more than %" PRIu64 " bytes", cp->src,
			       cp->max_bytes);
	in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (in < 0)
		return kp_fail_errno(err, "cannot read '%s'", from);
	out = open_fresh(to);
	if (out < 0 || copy_bytes(in, out, (uint64_t)st->st_size, cp->flags) < 0 ||
	    fchmod(out, st->st_mode & 0777) < 0 || futimens(out, times) < 0)
		ret = kp_fail_errno(err, "cannot copy '%s' to '%s'", from, to);
	close(in);
	if (out >= 0 && close(out) < 0 && !ret)
		ret = kp_fail_errno(err, "cannot copy '%s' to '%s'", from, to);
	if (ret < 0 && out >= 0)
		unlink(to);
	return ret;
}

/* By name and, where it leads somewhere, by the file it leads to. */
static bool link_stays_inside(const struct copy *cp, const char *rel, const char *path,
			      const char *target)
{
	int depth = 0;
	char *real;
	bool ok;

	if (*target == '/')
		return false;
	for (const char *s = strchr(rel, '/'); s; s = strchr(s + 1, '/'))
		depth++;
	for (const char *s = target; *s && depth >= 0; s += strspn(s, "/")) {
		size_t len = strcspn(s, "/");

		if (len == 2 && !memcmp(s, "..", 2))
			depth--;
		else if (!(len == 1 && *s == '.'))
			depth++;
		s += len;
	}
	if (depth < 0)
		return false;
	real = file_realpath(path);
	ok = !real || path_inside(cp->real_src, real);
	free(real);
	return ok;
}

static int copy_link(struct copy *cp, const char *rel, const char *from, const char *to,
		     const struct stat *st, struct strbuf *err)
{
	struct timespec times[2] = { st->st_atim, st->st_mtim };
	char target[4096];
	ssize_t n = readlink(from, target, sizeof(target) - 1);

	if (n < 0)
		return kp_fail_errno(err, "cannot read '%s'", from);
	target[n] = '\0';
	if ((cp->flags & FILE_COPY_INSIDE_LINKS) && !link_stays_inside(cp, rel, from, target))
		return kp_fail(err, KP_ERR, "'%s' is a link that leads outside, to '%s'", from,
			       target);
	if (symlink(target, to) < 0 &&
	    (errno != EEXIST || unlink(to) < 0 || symlink(target, to) < 0))
		return kp_fail_errno(err, "cannot copy '%s' to '%s'", from, to);
	utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW);
	return 0;
}

static int copy_dir(struct copy *cp, const char *rel, const char *to, struct strbuf *err)
{
	struct stat st;

	if (mkdir(to, 0700) < 0) {
		int e = errno;

		if (e == EEXIST && !lstat(to, &st) && S_ISDIR(st.st_mode))
			goto made;
		errno = e;
		return kp_fail_errno(err, "cannot make the directory '%s'", to);
	}
made:
	strvec_push(&cp->dirs, rel);
	return 0;
}

static int copy_entry(const char *rel, const struct stat *st, void *payload, struct strbuf *err)
{
	struct copy *cp = payload;
	char *from, *to;
	int ret;

	if ((cp->flags & FILE_COPY_NO_GIT) && !strcmp(path_base(rel), ".git"))
		return FILE_WALK_SKIP;
	if (++cp->files > cp->max_files)
		return kp_fail(err, KP_ERR, "'%s' holds more than %" PRIu64 " files", cp->src,
			       cp->max_files);
	from = path_join(cp->src, rel);
	to = path_join(cp->dst, rel);
	if (S_ISREG(st->st_mode))
		ret = copy_regular(cp, from, to, st, err);
	else if (S_ISLNK(st->st_mode))
		ret = copy_link(cp, rel, from, to, st, err);
	else if (S_ISDIR(st->st_mode))
		ret = copy_dir(cp, rel, to, err);
	else
		ret = kp_fail(err, KP_ERR, "'%s' is neither file, directory nor symlink", from);
	free(from);
	free(to);
	return ret;
}

/* Children first: writing into a directory changes its time. */
static void finish_dirs(const struct copy *cp)
{
	for (size_t i = cp->dirs.n; i-- > 0;) {
		char *from = path_join(cp->src, cp->dirs.v[i]);
		char *to = path_join(cp->dst, cp->dirs.v[i]);
		struct stat st;

		if (!stat(from, &st)) {
			struct timespec times[2] = { st.st_atim, st.st_mtim };

			chmod(to, st.st_mode & 0777);
			utimensat(AT_FDCWD, to, times, 0);
		}
		free(from);
		free(to);
	}
}

static int copy_tree(struct copy *cp, struct strbuf *err)
{
	char *real_dst;
	int ret = file_mkdirs(cp->dst, err);

	if (ret < 0)
		return ret;
	real_dst = file_realpath(cp->dst);
	if (!real_dst)
		ret = kp_fail_errno(err, "cannot copy '%s' to '%s'", cp->src, cp->dst);
	else if (path_inside(cp->real_src, real_dst))
		ret = kp_fail(err, KP_ERR, "cannot copy '%s' into itself ('%s')", cp->src, cp->dst);
	free(real_dst);
	if (ret < 0)
		return ret;
	strvec_push(&cp->dirs, ".");
	ret = file_walk(cp->src, copy_entry, cp, err);
	if (!ret)
		finish_dirs(cp);
	return ret;
}

int file_copy(const char *src, const char *dst, unsigned flags,
	      const struct file_copy_limits *limits, struct strbuf *err)
{
	struct copy cp = { .src = src, .dst = dst, .flags = flags, .dirs = STRVEC_INIT };
	struct stat st;
	int ret;

	cp.max_bytes = limits && limits->bytes ? limits->bytes : 4ULL << 30;
	cp.max_files = limits && limits->files ? limits->files : 200000;
	cp.real_src = file_realpath(src);
	if (!cp.real_src || stat(cp.real_src, &st) < 0)
		ret = kp_fail_errno(err, "cannot read '%s'", src);
	else if (S_ISDIR(st.st_mode))
		ret = copy_tree(&cp, err);
	else if (S_ISREG(st.st_mode))
		ret = copy_regular(&cp, cp.real_src, dst, &st, err);
	else
		ret = kp_fail(err, KP_ERR, "'%s' is neither file nor directory", src);
	free(cp.real_src);
	strvec_release(&cp.dirs);
	return ret;
}
