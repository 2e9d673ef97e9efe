// SPDX-License-Identifier: GPL-2.0-only
/* Which headers a kernel has and by which names they are included. */
#include "base/compat.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/index-internal.h"

#define MAX_HEADERS 100000
#define MAX_DIR_DEPTH 24

/* One directory that is on the include path, and what its files are called. */
struct root {
	const char *sub;    /* below common_dir or build_dir; %s is the architecture */
	const char *prefix; /* put in front of the name */
	enum header_class cls;
	bool build;
};

static const struct root roots[] = {
	{ "arch/%s/include/generated/uapi", "", HEADER_CLASS_ARCH, true },
	{ "arch/%s/include/generated", "", HEADER_CLASS_ARCH, true },
	{ "include/generated/uapi", "", HEADER_CLASS_KERNEL, true },
	{ "include/generated", "generated/", HEADER_CLASS_KERNEL, true },
	{ "arch/%s/include/uapi", "", HEADER_CLASS_ARCH, false },
	{ "arch/%s/include", "", HEADER_CLASS_ARCH, false },
	{ "include/uapi", "", HEADER_CLASS_UAPI, false },
	{ "include", "", HEADER_CLASS_KERNEL, false },
};

static enum header_class class_of(const char *name, enum header_class cls)
{
	if (starts_with(name, "asm-generic/"))
		return HEADER_CLASS_GENERIC;
	if (starts_with(name, "dt-bindings/") || starts_with(name, "trace/") ||
	    starts_with(name, "vdso/") || !strcmp(name, "asm/asm-prototypes.h") ||
	    !strcmp(name, "linux/fortify-string.h"))
		return HEADER_CLASS_OTHER;
	return cls;
}

/* Directories that are roots of their own or no headers for C. */
static bool skip_dir(const char *rel)
{
	return !strcmp(rel, "uapi") || !strcmp(rel, "generated") || !strcmp(rel, "config");
}

static void add_file(struct index_files *fs, const char *path, size_t root_len,
		     const struct root *r, const struct stat *st)
{
	struct index_file *f;

	ALLOC_GROW(fs->f, fs->n + 1, fs->alloc);
	f = &fs->f[fs->n++];
	memset(f, 0, sizeof(*f));
	f->path = xstrdup(path);
	f->rel = f->path + root_len + 1;
	f->name = *r->prefix ? xstrfmt("%s%s", r->prefix, f->rel) : xstrdup(f->rel);
	f->cls = class_of(f->name, r->cls);
	f->size = st->st_size;
	f->mtime_ns = st->st_mtim.tv_sec * 1000000000ll + st->st_mtim.tv_nsec;
}

static int walk(struct index_files *fs, struct strbuf *path, size_t root_len, const struct root *r,
		int depth, struct strbuf *err)
{
	size_t len = path->len;
	DIR *dir = opendir(path->buf);
	struct dirent *de;
	struct stat st;
	int ret = 0;

	if (!dir)
		return errno == ENOENT ? 0 : kp_fail(err, KP_ERR, "cannot read '%s': %s", path->buf,
						     strerror(errno));
	while (!ret && (de = readdir(dir)) != NULL) {
		bool header = ends_with(de->d_name, ".h");

		if (de->d_name[0] == '.' || (!header && strchr(de->d_name, '.')) ||
		    (!header && de->d_type == DT_REG))
			continue;
		strbuf_setlen(path, len);
		strbuf_addch(path, '/');
		strbuf_addstr(path, de->d_name);
		if (fstatat(dirfd(dir), de->d_name, &st, 0) < 0)
			continue;
		if (S_ISREG(st.st_mode) && header)
			add_file(fs, path->buf, root_len, r, &st);
		else if (S_ISDIR(st.st_mode) && depth < MAX_DIR_DEPTH &&
			 !(depth == 0 && skip_dir(de->d_name)))
			ret = walk(fs, path, root_len, r, depth + 1, err);
		if (fs->n > MAX_HEADERS)
			ret = kp_fail(err, KP_ERR, "more than %d headers below '%.*s'", MAX_HEADERS,
				      (int)len, path->buf);
	}
	strbuf_setlen(path, len);
	closedir(dir);
	return ret;
}

static int by_name(const void *a, const void *b)
{
	const struct index_file *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	if (c)
		return c;
	return x->cls != y->cls ? (int)x->cls - (int)y->cls : strcmp(x->path, y->path);
}

/* The architecture whose headers were generated here; x86 when nothing says. */
static char *find_srcarch(const char *build_dir)
{
	char *arch_dir = path_join(build_dir, "arch"), *found = NULL;
	DIR *dir = opendir(arch_dir);
	struct dirent *de;

	while (dir && (de = readdir(dir)) != NULL) {
		char *gen = xstrfmt("%s/%s/include/generated", arch_dir, de->d_name);

		/* Of several the first by name: the answer must not depend on the disk's order. */
		if (de->d_name[0] != '.' && file_is_dir(gen) &&
		    (!found || strcmp(de->d_name, found) < 0)) {
			free(found);
			found = xstrdup(de->d_name);
		}
		free(gen);
	}
	if (dir)
		closedir(dir);
	free(arch_dir);
	return found ? found : xstrdup("x86");
}

/* Text of a small file of the tree, or "". */
static void read_small(const char *dir, const char *rel, struct strbuf *out)
{
	char *path = path_join(dir, rel);
	struct strbuf ignored = STRBUF_INIT;

	strbuf_reset(out);
	if (file_read(path, 1u << 20, out, &ignored) < 0)
		strbuf_reset(out);
	strbuf_release(&ignored);
	free(path);
}

/* Value of "NAME = value" in the kernel's top Makefile, appended. */
static void make_value(const char *text, const char *name, const char *before, struct strbuf *out)
{
	size_t len = strlen(name);
	const char *p = text;

	while (p && *p) {
		if (!strncmp(p, name, len) && p[len + strspn(p + len, " \t")] == '=') {
			p += len + strspn(p + len, " \t=");
			if (strcspn(p, " \t\n"))
				strbuf_addf(out, "%s%.*s", before, (int)strcspn(p, " \t\n"), p);
			return;
		}
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
}

/* From what the build left, else from the Makefile of a source tree. */
static char *read_release(const char *build_dir)
{
	struct strbuf sb = STRBUF_INIT, out = STRBUF_INIT;
	const char *p;

	read_small(build_dir, "include/config/kernel.release", &out);
	if (!out.len) {
		read_small(build_dir, "include/generated/utsrelease.h", &sb);
		p = strchr(sb.buf, '"');
		if (p)
			strbuf_add(&out, p + 1, strcspn(p + 1, "\"\n"));
	}
	if (!out.len) {
		read_small(build_dir, "Makefile", &sb);
		make_value(sb.buf, "VERSION", "", &out);
		make_value(sb.buf, "PATCHLEVEL", ".", &out);
		make_value(sb.buf, "SUBLEVEL", ".", &out);
	}
	strbuf_trim(&out);
	if (!out.len)
		strbuf_addstr(&out, "unknown");
	strbuf_release(&sb);
	return strbuf_detach(&out, NULL);
}

static void make_key(struct index_files *fs)
{
	struct hash *h = hash_new();
	struct strbuf sb = STRBUF_INIT;
	struct stat st;
	size_t i;

	strbuf_addf(&sb, "%s\n%s\n%s\n", INDEX_FORMAT, fs->release, fs->srcarch);
	if (fs->symvers && !stat(fs->symvers, &st))
		strbuf_addf(&sb, "%lld %lld\n", (long long)st.st_size, (long long)st.st_mtime);
	for (i = 0; i < fs->n; i++) {
		const int64_t id[3] = { fs->f[i].cls, fs->f[i].size, fs->f[i].mtime_ns };

		strbuf_add(&sb, id, sizeof(id));
		strbuf_add(&sb, fs->f[i].name, strlen(fs->f[i].name) + 1);
	}
	hash_add(h, sb.buf, sb.len);
	fs->key = hash_final(h);
	strbuf_release(&sb);
}

int index_files_find(struct index_files *fs, const char *common_dir, const char *build_dir,
		     const char *symvers, struct strbuf *err)
{
	struct strbuf path = STRBUF_INIT, sub = STRBUF_INIT;
	size_t i;
	int ret = 0;

	memset(fs, 0, sizeof(*fs));
	fs->build_dir = file_realpath(build_dir);
	fs->common_dir = file_realpath(common_dir ? common_dir : build_dir);
	fs->symvers = symvers && file_exists(symvers) ? xstrdup(symvers) : NULL;
	if (!fs->build_dir || !fs->common_dir)
		return kp_fail(err, KP_ERR, "no kernel headers in '%s'",
			       fs->build_dir ? common_dir : build_dir);
	fs->srcarch = find_srcarch(fs->build_dir);
	fs->release = read_release(fs->build_dir);
	for (i = 0; i < ARRAY_SIZE(roots) && !ret; i++) {
		const struct root *r = &roots[i];
		const char *hole = strstr(r->sub, "%s");

		strbuf_reset(&path);
		strbuf_addf(&path, "%s/", r->build ? fs->build_dir : fs->common_dir);
		if (hole)
			strbuf_addf(&path, "%.*s%s%s", (int)(hole - r->sub), r->sub, fs->srcarch,
				    hole + 2);
		else
			strbuf_addstr(&path, r->sub);
		ret = walk(fs, &path, path.len, r, 0, err);
	}
	if (!ret && !fs->n)
		ret = kp_fail(err, KP_ERR, "no kernel headers in '%s'", fs->common_dir);
	if (!ret) {
		sort_items(fs->f, fs->n, sizeof(*fs->f), by_name);
		make_key(fs);
	}
	strbuf_release(&path);
	strbuf_release(&sub);
	return ret;
}

void index_files_release(struct index_files *fs)
{
	size_t i;

	for (i = 0; i < fs->n; i++) {
		free(fs->f[i].path);
		free(fs->f[i].name);
	}
	free(fs->f);
	free(fs->common_dir);
	free(fs->build_dir);
	free(fs->symvers);
	free(fs->release);
	free(fs->srcarch);
	memset(fs, 0, sizeof(*fs));
}
