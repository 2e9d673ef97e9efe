// SPDX-License-Identifier: GPL-2.0-only
/* Facts about .deb files: version order, dependency fields, unpacking. */
#include "base/compat.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/apt.h"
#include "harness/kernel.h"

/* deb-version(7): "~" sorts before the end, letters before other characters. */
static int order(int c)
{
	if (isdigit(c))
		return 0;
	if (isalpha(c))
		return c;
	if (c == '~')
		return -1;
	return c ? c + 256 : 0;
}

static int part_cmp(const char *a, size_t na, const char *b, size_t nb)
{
	const char *ea = a + na, *eb = b + nb;

#define AT(p, e) ((p) < (e) ? (unsigned char)*(p) : 0)
	while (a < ea || b < eb) {
		int first = 0;

		while ((a < ea && !isdigit(AT(a, ea))) || (b < eb && !isdigit(AT(b, eb)))) {
			int d = order(AT(a, ea)) - order(AT(b, eb));

			if (d)
				return d;
			a += a < ea;
			b += b < eb;
		}
		while (AT(a, ea) == '0')
			a++;
		while (AT(b, eb) == '0')
			b++;
		while (isdigit(AT(a, ea)) && isdigit(AT(b, eb))) {
			if (!first)
				first = *a - *b;
			a++;
			b++;
		}
		if (isdigit(AT(a, ea)))
			return 1;
		if (isdigit(AT(b, eb)))
			return -1;
		if (first)
			return first;
	}
#undef AT
	return 0;
}

int deb_version_cmp(const char *a, const char *b)
{
	const char *ca = strchr(a, ':'), *cb = strchr(b, ':'), *ra, *rb;
	unsigned long ea = ca ? strtoul(a, NULL, 10) : 0, eb = cb ? strtoul(b, NULL, 10) : 0;
	int d;

	if (ea != eb)
		return ea < eb ? -1 : 1;
	a = ca ? ca + 1 : a;
	b = cb ? cb + 1 : b;
	ra = strrchr(a, '-');
	rb = strrchr(b, '-');
	d = part_cmp(a, ra ? (size_t)(ra - a) : strlen(a), b, rb ? (size_t)(rb - b) : strlen(b));
	if (d)
		return d;
	ra = ra ? ra + 1 : "";
	rb = rb ? rb + 1 : "";
	return part_cmp(ra, strlen(ra), rb, strlen(rb));
}

void deb_depends_names(const char *depends, struct strvec *out)
{
	struct strvec items = STRVEC_INIT;

	strvec_split(&items, depends, ",");
	for (size_t i = 0; i < items.n; i++) {
		const char *s = items.v[i] + strspn(items.v[i], " \t\n");
		size_t n = strcspn(s, " \t\n(|:[<");

		if (n)
			strvec_push_nodup(out, xstrndup(s, n));
	}
	strvec_release(&items);
}

/* Does a link in the directory rel_dir (below the root, "": the root) stay below the root? */
static bool link_stays_inside(const char *rel_dir, const char *target)
{
	struct strvec parts = STRVEC_INIT;
	bool named = false;
	long depth;

	if (*target == '/')
		return false;
	strvec_split(&parts, rel_dir, "/");
	depth = (long)parts.n;
	strvec_clear(&parts);
	strvec_split(&parts, target, "/");
	for (size_t i = 0; i < parts.n && depth >= 0; i++) {
		bool up = !strcmp(parts.v[i], "..");

		/* ".." behind a name could climb out through another link. */
		if (up && named)
			depth = -1;
		else if (up)
			depth--;
		else
			named = true;
	}
	strvec_release(&parts);
	return depth >= 0;
}

static bool link_is_bad(int fd, const char *name, const char *rel_dir)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(fd, name, target, sizeof(target) - 1);

	if (n < 0)
		return true;
	target[n] = '\0';
	return !link_stays_inside(rel_dir, target);
}

/* Removes what does not belong into an unpacked package: devices, pipes, links that leave it. */
static int prune_tree(int fd, const char *rel, struct strbuf *err)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;
	struct stat st;
	int ret = 0;

	if (!d) {
		close(fd);
		strbuf_addf(err, "cannot read directory '%s': %s", rel, strerror(errno));
		return KP_INFRA;
	}
	while (ret == 0 && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			char *sub = *rel ? path_join(rel, e->d_name) : xstrdup(e->d_name);
			int subfd;

			if ((st.st_mode & 0700) != 0700)
				fchmodat(fd, e->d_name, (st.st_mode & 07777) | 0700, 0);
			subfd = openat(fd, e->d_name,
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (subfd >= 0)
				ret = prune_tree(subfd, sub, err);
			free(sub);
		} else if (!S_ISREG(st.st_mode) &&
			   (!S_ISLNK(st.st_mode) || link_is_bad(fd, e->d_name, rel))) {
			unlinkat(fd, e->d_name, 0);
		}
	}
	closedir(d);
	return ret;
}

int deb_unpack(const char *deb, const char *dir, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT;
	int fd, ret = file_mkdirs(dir, err);

	if (ret < 0)
		return ret;
	strvec_pushl(&c.argv, "dpkg-deb", "-x", deb, dir, NULL);
	c.discard = true;
	c.err = &text;
	c.limits.wall_seconds = 1800;
	ret = child_run(&c, &r, err);
	if (ret < 0)
		goto out;
	if (r.kind == CHILD_INTERRUPTED) {
		strbuf_addstr(err, "interrupted");
		ret = KP_INTERRUPTED;
	} else if (!child_ok(&r)) {
		bool full = strstr(text.buf, "No space left on device");

		strbuf_addf(err, "cannot unpack '%s'%s", path_base(deb),
			    full ? ": no space left on device" : "");
		if (!full) {
			strbuf_addstr(err, ": ");
			strbuf_add(err, text.buf, strcspn(text.buf, "\n"));
		}
		ret = full ? KP_INFRA : KP_ERR;
	}
	if (ret < 0)
		goto out;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		strbuf_addf(err, "cannot open '%s': %s", dir, strerror(errno));
		ret = KP_INFRA;
		goto out;
	}
	ret = prune_tree(fd, "", err);
out:
	child_release(&c);
	strbuf_release(&text);
	return ret;
}
