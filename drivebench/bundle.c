// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/bundle.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/workdir.h"
#include "harness/driver.h"
#include "port/tree.h"

static const char head[] = "/* file of the driver: ", tail[] = " */\n";

void bundle_mark(struct strbuf *out, const char *path)
{
	strbuf_addf(out, "%s%s%s", head, path, tail);
}

bool is_bundle(const char *text, size_t len)
{
	return len > strlen(head) && !memcmp(text, head, strlen(head));
}

static void add_files(const struct tree *t, bool c, struct strbuf *out)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct srcfile *f = t->files[i];

		if (srcfile_is_c(f) != c || ends_with(f->path, ".mod.c"))
			continue;
		bundle_mark(out, f->path);
		strbuf_add(out, f->text, f->len);
		strbuf_addch(out, '\n');
	}
}

int bundle_read(const char *dir, struct strbuf *out, struct strbuf *err)
{
	struct tree *t = NULL;
	int ret = tree_read(dir, &t, err);

	if (ret)
		return ret;
	add_files(t, true, out);
	add_files(t, false, out);
	tree_unref(t);
	return 0;
}

int bundle_read_package(const char *deb, struct strbuf *out, struct strbuf *err)
{
	char *work = NULL, *tree = NULL;
	struct strbuf ignored = STRBUF_INIT;
	struct driver *d = NULL;
	int ret = workdir_make("bench-", &work, err);

	if (!ret) {
		tree = path_join(work, "package");
		ret = driver_load(deb, tree, NULL, &d, err);
	}
	if (!ret)
		ret = bundle_read(tree, out, err);
	if (work)
		file_remove(work, &ignored);
	driver_free(d);
	strbuf_release(&ignored);
	free(tree);
	free(work);
	return ret;
}

int bundle_each(const char *text, size_t len, bundle_fn fn, void *payload, struct strbuf *err)
{
	const char *p = text, *end = text + len;
	int ret = 0;

	while (!ret && p < end) {
		const char *name = p + strlen(head), *stop, *next;
		char *path;

		stop = is_bundle(p, (size_t)(end - p)) ? memmem(name, (size_t)(end - name), tail, strlen(tail)) : NULL;
		if (!stop)
			return kp_fail(err, KP_ERR, "files of a driver are no longer told apart");
		path = xstrndup(name, (size_t)(stop - name));
		p = stop + strlen(tail);
		next = memmem(p, (size_t)(end - p), head, strlen(head));
		next = next ? next : end;
		/* The newline in front of the next one belongs to nobody. */
		ret = fn(path, p, next > p ? (size_t)(next - p) - 1 : 0, payload, err);
		free(path);
		p = next;
	}
	return ret;
}

static int write_one(const char *path, const char *text, size_t len, void *payload, struct strbuf *err)
{
	char *file = path_join(payload, path);
	int ret = path_is_safe(path) ? file_mkdirs_for(file, err) : kp_fail(err, KP_ERR, "'%s' is no path of a driver", path);

	if (!ret)
		ret = file_write(file, text, len, err);
	free(file);
	return ret;
}

int bundle_write(const char *dir, const char *text, size_t len, struct strbuf *err)
{
	return bundle_each(text, len, write_one, (void *)dir, err);
}
