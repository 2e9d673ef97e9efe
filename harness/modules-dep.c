// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/modules-dep.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"

#define MAX_MODULES 120 /* the guest's table holds 128 */
#define MAX_PLAIN   (512u << 20)

enum mark { MARK_NEW, MARK_OPEN, MARK_DONE };

struct resolver {
	const struct kernel *kernel;
	const char *work_dir;
	struct strmap driver; /* module name -> path (char *) */
	struct strmap known;  /* of the kernel; filled when first needed */
	bool scanned;
	struct strmap marks;  /* module name -> enum mark, as a pointer */
	struct module_list *out;
};

static int resolve_one(struct resolver *r, const char *name, const char *wanted_by, bool soft,
		       struct strbuf *err);

static int scan_kernel(struct resolver *r, struct strbuf *err)
{
	struct strvec files = STRVEC_INIT;
	int ret;

	if (r->scanned)
		return 0;
	r->scanned = true;
	if (!r->kernel->modules_dir)
		return 0;
	ret = file_list(r->kernel->modules_dir, &files, err);
	for (size_t i = 0; ret == 0 && i < files.n; i++) {
		char *name = module_name_of_file(files.v[i]);

		if (name && !strmap_has(&r->known, name))
			strmap_put(&r->known, name,
				   path_join(r->kernel->modules_dir, files.v[i]));
		free(name);
	}
	strvec_release(&files);
	return ret;
}

/* Run argv; what it prints becomes dst. */
static int filter_file(const char *const *argv, const char *dst, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result cr;
	struct strbuf out = STRBUF_INIT, said = STRBUF_INIT;
	int ret;

	strvec_pushv(&c.argv, argv);
	c.out = &out;
	c.err = &said;
	c.limits.wall_seconds = 60;
	c.limits.output_bytes = MAX_PLAIN;
	ret = child_run(&c, &cr, err);
	if (ret == 0 && cr.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	else if (ret == 0 && !child_ok(&cr))
		ret = kp_fail(err, KP_INFRA, "'%s' fails on '%s': %.200s", argv[0],
			      c.argv.v[c.argv.n - 1], said.buf);
	else if (ret == 0)
		ret = file_write_nosync(dst, out.buf, out.len, err);
	child_release(&c);
	strbuf_release(&out);
	strbuf_release(&said);
	return ret;
}

/*
 * A driver's module can carry many MiB of debug information that the guest
 * would have to unpack; where strip is missing it is used as it is.
 */
static int copy_stripped(const char *src, const char *dst, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result cr;
	struct strbuf dropped = STRBUF_INIT;
	int ret;

	strvec_pushl(&c.argv, "strip", "--strip-debug", "-o", dst, "--", src, NULL);
	c.out = &dropped;
	c.err_to_out = true;
	c.limits.wall_seconds = 60;
	ret = child_run(&c, &cr, &dropped);
	if (ret < 0 || !child_ok(&cr)) {
		file_remove(dst, NULL);
		ret = file_copy(src, dst, 0, NULL, err);
	}
	child_release(&c);
	strbuf_release(&dropped);
	return ret;
}

static int plain_copy(const char *src, const char *dst, bool driver, struct strbuf *err)
{
	if (ends_with(src, ".xz"))
		return filter_file((const char *[]){ "xz", "-dc", src, NULL }, dst, err);
	if (ends_with(src, ".zst"))
		return filter_file((const char *[]){ "zstd", "-dcq", src, NULL }, dst, err);
	if (ends_with(src, ".gz"))
		return filter_file((const char *[]){ "gzip", "-dc", src, NULL }, dst, err);
	return driver ? copy_stripped(src, dst, err) : file_copy(src, dst, 0, NULL, err);
}

static int resolve_names(struct resolver *r, const struct strvec *names, const char *wanted_by,
			 bool soft, struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < names->n; i++)
		ret = resolve_one(r, names->v[i], wanted_by, soft, err);
	return ret;
}

/* A module of the kernel that stands on one of the driver's comes and goes with it. */
static bool stands_on_driver(const struct resolver *r, const struct module_info *info)
{
	for (size_t i = 0; i < info->depends.n; i++) {
		const struct module_item *d = module_list_find(r->out, info->depends.v[i]);

		if (d && d->driver)
			return true;
	}
	return false;
}

static int add_module(struct resolver *r, const char *name, const char *path, bool driver,
		      bool soft, struct strbuf *err)
{
	struct module_item item = { .driver = driver, .soft = soft && !driver };
	int ret;

	item.file = xstrfmt("%s/%s.ko", r->work_dir, name);
	ret = plain_copy(path, item.file, driver, err);
	if (ret == 0)
		ret = module_info_read(item.file, &item.info, err);
	if (ret == 0 && module_list_find(r->out, item.info.name)) {
		/* Found by another name before. */
		module_info_release(&item.info);
		free(item.file);
		return 0;
	}
	if (ret < 0) {
		free(item.file);
		return ret;
	}
	ret = resolve_names(r, &item.info.soft_pre, name, true, err);
	if (ret == 0)
		ret = resolve_names(r, &item.info.depends, name, item.soft, err);
	item.driver |= stands_on_driver(r, &item.info);
	if (ret == 0 && r->out->n >= MAX_MODULES)
		ret = kp_fail(err, KP_INFRA, "more than %d modules are needed", MAX_MODULES);
	ALLOC_GROW(r->out->m, r->out->n + 1, r->out->alloc);
	r->out->m[r->out->n++] = item;
	return ret;
}

/*
 * The file of a module of the kernel, or NULL. A softdep can name an algorithm of the
 * crypto API, whose plain implementation is called NAME_generic.
 */
static int find_in_kernel(struct resolver *r, const char *name, bool soft, const char **path,
			  struct strbuf *err)
{
	int ret = scan_kernel(r, err);

	*path = strmap_get(&r->known, name);
	if (!*path && soft) {
		char *generic = xstrfmt("%s_generic", name);

		*path = strmap_get(&r->known, generic);
		free(generic);
	}
	return ret;
}

static int resolve_one(struct resolver *r, const char *name, const char *wanted_by, bool soft,
		       struct strbuf *err)
{
	enum mark mark = (enum mark)(uintptr_t)strmap_get(&r->marks, name);
	const char *path = strmap_get(&r->driver, name);
	bool driver = path != NULL;
	int ret = 0;

	if (mark == MARK_DONE || (mark == MARK_OPEN && soft))
		return 0;
	if (mark == MARK_OPEN)
		return kp_fail(err, KP_ERR, "modules '%s' and '%s' depend on each other", name,
			       wanted_by);
	if (!path)
		ret = find_in_kernel(r, name, soft, &path, err);
	if (ret == 0 && !path && !soft) {
		char *advice = kernel_image_advice(r->kernel);

		ret = kp_fail(err, KP_INFRA, "module '%s' needs '%s', which kernel '%s' has no file for; try %s",
			      wanted_by, name, r->kernel->name, advice);
		free(advice);
	}
	if (ret < 0 || !path)
		return ret;
	strmap_put(&r->marks, name, (void *)(uintptr_t)MARK_OPEN);
	ret = add_module(r, name, path, driver, soft, err);
	strmap_put(&r->marks, name, (void *)(uintptr_t)MARK_DONE);
	return ret;
}

static int name_driver(struct resolver *r, const char *ko, struct strbuf *err)
{
	struct module_info info;
	int ret = module_info_read(ko, &info, err);

	if (ret < 0)
		return ret;
	if (strmap_has(&r->driver, info.name))
		ret = kp_fail(err, KP_ERR, "two modules are named '%s'", info.name);
	else
		strmap_put(&r->driver, info.name, xstrdup(ko));
	module_info_release(&info);
	return ret;
}

int modules_resolve(const struct kernel *k, const struct strvec *kos, const struct strvec *wanted,
		    const char *work_dir, struct module_list *out, struct strbuf *err)
{
	struct resolver r = { .kernel = k, .work_dir = work_dir, .out = out };
	struct strmap_entry *e;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; ret == 0 && i < kos->n; i++)
		ret = name_driver(&r, kos->v[i], err);
	/* The driver's own take their places by what they depend on. */
	for (size_t i = 0; ret == 0 && wanted && i < wanted->n; i++)
		if (!strmap_has(&r.driver, wanted->v[i]))
			ret = resolve_one(&r, wanted->v[i], "a device", true, err);
	if (ret == 0) {
		strmap_for_each(&r.driver, e) {
			ret = resolve_one(&r, e->key, e->key, false, err);
			if (ret < 0)
				break;
		}
	}
	strmap_release(&r.driver, free);
	strmap_release(&r.known, free);
	strmap_release(&r.marks, NULL);
	if (ret < 0)
		module_list_release(out);
	return ret;
}

const struct module_item *module_list_find(const struct module_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->m[i].info.name, name))
			return &l->m[i];
	return NULL;
}

void module_list_release(struct module_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		module_info_release(&l->m[i].info);
		free(l->m[i].file);
	}
	free(l->m);
	memset(l, 0, sizeof(*l));
}
