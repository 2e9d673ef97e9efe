// SPDX-License-Identifier: GPL-2.0-only
/* Kernel records of trees that the user has: a build tree in place, or a source to prepare. */
#include "base/compat.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/progress.h"
#include "harness/kernel-record.h"

/* A new record under work: the lock is held until record_end(). */
struct record_work {
	struct lock lock;
	char *work, *fresh, *dir; /* dir: where it will be */
};

static int record_begin(struct record_work *w, const char *name, struct strbuf *err)
{
	char *records = kernel_records_dir(), *json = NULL;
	int ret = kernel_name_check(name, err);

	*w = (struct record_work){ .lock = LOCK_INIT };
	if (ret < 0)
		goto out;
	w->dir = path_join(records, name);
	w->work = kernel_work_dir(name);
	w->fresh = path_join(w->work, "new");
	json = path_join(w->dir, "kernel.json");
	ret = lock_take(&w->lock, w->work, 0, err);
	if (ret == 0 && file_exists(json))
		ret = kp_fail(err, KP_ERR,
			      "there is a kernel '%s' already; choose another --name or run: "
			      "kport kernel remove %s",
			      name, name);
	if (ret == 0)
		ret = file_remove(w->fresh, err);
	if (ret == 0)
		ret = file_mkdirs(w->fresh, err);
out:
	free(records);
	free(json);
	return ret;
}

static void record_end(struct record_work *w)
{
	if (w->fresh && w->lock.fd >= 0)
		file_remove(w->fresh, NULL);
	lock_release(&w->lock);
	free(w->work);
	free(w->fresh);
	free(w->dir);
}

static char *absolute(const char *path, const char *what, struct strbuf *err)
{
	char *real = file_realpath(path);

	if (!real)
		kp_fail(err, KP_ERR, "there is no %s '%s'", what, path);
	return real;
}

/* The image and modules that the user named; or those of the tree's own build. */
static int take_image(struct kernel *k, const char *image, const char *modules_dir,
		      struct strbuf *err)
{
	char *path;

	if (image) {
		k->image = absolute(image, "image", err);
		if (!k->image)
			return KP_ERR;
	} else {
		path = path_join(k->build_dir, "arch/x86/boot/bzImage");
		if (file_exists(path))
			k->image = xstrdup(path);
		free(path);
	}
	if (modules_dir) {
		k->modules_dir = absolute(modules_dir, "directory of modules", err);
		if (!k->modules_dir)
			return KP_ERR;
		path = path_join(k->modules_dir, "modules.order");
		if (!file_is_dir(k->modules_dir) || !file_exists(path)) {
			free(path);
			return kp_fail(err, KP_ERR,
				       "'%s' is not a directory of installed modules: it has "
				       "no modules.order",
				       modules_dir);
		}
		free(path);
	}
	return 0;
}

/* Compiler and settings for a tree that must not be changed. */
static int adapt_in_place(struct kernel *k, struct strbuf *err)
{
	char *cc = kernel_fit_compiler(k->cc), *btf;

	if (!cc)
		return kp_fail(err, KP_INFRA,
			       "kernel %s is built with %s, and no compiler that is near to it "
			       "is installed; run: apt-get install %s",
			       k->release, k->cc, k->cc);
	free(k->cc);
	k->cc = cc;
	/* Type information of modules needs a pahole that matches. */
	btf = kernel_config(k, "CONFIG_DEBUG_INFO_BTF_MODULES");
	if (btf)
		strvec_push(&k->make_vars, "CONFIG_DEBUG_INFO_BTF_MODULES=");
	free(btf);
	return 0;
}

static int finish_record(struct record_work *w, struct kernel *k, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret;

	if (!kernel_tools_run(k->build_dir, &why)) {
		ret = kp_fail(err, KP_ERR, "the host tools in '%s' do not run on this machine: %s",
			      k->build_dir, why.buf);
		strbuf_release(&why);
		return ret;
	}
	ret = kernel_self_check(k, w->work, err);
	if (ret == 0)
		ret = kernel_record_write(k, w->fresh, NULL, err);
	if (ret == 0)
		ret = kernel_record_install(k->name, w->fresh, err);
	return ret;
}

int kernel_add_tree(const char *name, const char *build_dir, const char *image,
		    const char *modules_dir, struct kernel **out, struct strbuf *err)
{
	struct record_work w = { .lock = LOCK_INIT };
	struct kernel *k = kernel_new();
	char *real = absolute(build_dir, "directory", err);
	int ret = real ? kernel_inspect_tree(real, k, err) : KP_ERR;

	if (ret == 0)
		ret = take_image(k, image, modules_dir, err);
	if (ret == 0)
		ret = adapt_in_place(k, err);
	if (ret < 0)
		goto out;
	if (!k->symvers) {
		ret = kp_fail(err, KP_ERR,
			      "'%s' has no Module.symvers, so no module can be linked against it; "
			      "build the kernel's modules first",
			      build_dir);
		goto out;
	}
	k->name = xstrdup(name ? name : k->release);
	k->origin = xstrfmt("build-tree:%s", real);
	ret = record_begin(&w, k->name, err);
	if (ret == 0)
		ret = finish_record(&w, k, err);
	if (ret == 0)
		ret = kernel_record_read(k->name, out, NULL, err);
	record_end(&w);
out:
	free(real);
	kernel_free(k);
	return ret;
}

/* ---- source and configuration ---------------------------------------------- */

/* The compiler that a configuration was made for, from its text alone. */
static char *config_compiler(const char *config, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	const char *p;
	unsigned long version;
	char *cc, *name;

	if (file_read(config, 16 << 20, &text, err) < 0) {
		strbuf_release(&text);
		return NULL;
	}
	p = strstr(text.buf, "CONFIG_GCC_VERSION=");
	version = p ? strtoul(p + strlen("CONFIG_GCC_VERSION="), NULL, 10) : 0;
	name = version >= 10000 ? xstrfmt("gcc-%lu", version / 10000) : xstrdup("gcc");
	cc = kernel_fit_compiler(name);
	if (!cc)
		kp_fail(err, KP_INFRA, "no C compiler is installed; run: apt-get install %s", name);
	free(name);
	strbuf_release(&text);
	return cc;
}

/* Module.symvers as given, or of a built source tree. */
static int place_symvers(const char *symvers, const char *source, const char *out,
			 struct strbuf *err)
{
	char *own = path_join(source, "Module.symvers"), *to = path_join(out, "Module.symvers");
	int ret;

	if (!symvers && file_exists(own))
		symvers = own;
	if (!symvers)
		ret = kp_fail(err, KP_ERR,
			      "no Module.symvers: without it no module can be linked; give "
			      "--symvers FILE (of the same kernel and configuration)");
	else if (!file_exists(symvers))
		ret = kp_fail(err, KP_ERR, "there is no file '%s'", symvers);
	else
		ret = file_copy(symvers, to, 0, NULL, err);
	free(own);
	free(to);
	return ret;
}

static int prepare(const char *source, const char *out, const char *cc, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT;
	struct progress *p = progress_start("preparing the kernel tree", 0);
	int ret;

	strvec_pushl(&c.argv, "make", "-C", source, NULL);
	strvec_pushf(&c.argv, "O=%s", out);
	strvec_pushf(&c.argv, "CC=%s", cc);
	strvec_pushf(&c.argv, "-j%ld", sysconf(_SC_NPROCESSORS_ONLN));
	strvec_pushl(&c.argv, "olddefconfig", "modules_prepare", NULL);
	strvec_pushl(&c.env, "LC_ALL=C", "MAKEFLAGS", "MAKELEVEL", NULL);
	c.out = &text;
	c.err_to_out = true;
	c.limits.wall_seconds = 1800;
	ret = child_run(&c, &r, err);
	progress_finish(p);
	if (ret == 0 && r.kind == CHILD_INTERRUPTED) {
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	} else if (ret == 0 && !child_ok(&r)) {
		struct strbuf why = STRBUF_INIT;

		kernel_make_reason(text.buf, &why);
		ret = kp_fail(err, KP_ERR, "'%s' cannot be prepared: %s", source, why.buf);
		strbuf_release(&why);
	}
	child_release(&c);
	strbuf_release(&text);
	return ret;
}

/* The generated Makefile names the output directory, which moves with the cache. */
static int free_makefile(const char *out, const char *source, struct strbuf *err)
{
	char *path = path_join(out, "Makefile");
	struct strbuf text = STRBUF_INIT;
	int ret;

	strbuf_addf(&text,
		    "# Written by kport.\n"
		    "kport_here := $(realpath $(dir $(lastword $(MAKEFILE_LIST))))\n"
		    "export KBUILD_OUTPUT := $(kport_here)\ninclude %s/Makefile\n",
		    source);
	ret = file_write(path, text.buf, text.len, err);
	free(path);
	strbuf_release(&text);
	return ret;
}

/* Prepares fresh/build and describes it in k as if it were in the record already. */
static int build_source_record(struct record_work *w, struct kernel *k, const char *source,
			       const char *config, const char *symvers, struct strbuf *err)
{
	char *out = path_join(w->fresh, "build"), *to = path_join(out, ".config");
	char *cc = config_compiler(config, err);
	int ret = cc ? file_mkdirs(out, err) : KP_ERR;

	if (ret == 0)
		ret = place_symvers(symvers, source, out, err);
	if (ret == 0)
		ret = file_copy(config, to, 0, NULL, err);
	if (ret == 0)
		ret = prepare(source, out, cc, err);
	if (ret == 0)
		ret = free_makefile(out, source, err);
	if (ret == 0)
		ret = kernel_inspect_tree(out, k, err);
	if (ret < 0)
		goto out;
	free(k->cc);
	k->cc = cc;
	cc = NULL;
	k->source_dir = xstrdup(source);
	ret = adapt_in_place(k, err);
out:
	free(out);
	free(to);
	free(cc);
	return ret;
}

static int check_source(const char *dir, struct strbuf *err)
{
	static const char *const needed[] = { "Makefile", "Kbuild", "include/linux/kernel.h" };

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		char *path = path_join(dir, needed[i]);
		bool there = file_exists(path);

		free(path);
		if (!there)
			return kp_fail(err, KP_ERR,
				       "'%s' is not a kernel source tree: it has no %s", dir,
				       needed[i]);
	}
	return 0;
}

/* "6.1.176" from the first lines of the top Makefile. */
static char *source_version(const char *source, struct strbuf *err)
{
	static const char *const keys[] = { "VERSION = ", "PATCHLEVEL = ", "SUBLEVEL = " };
	char *path = path_join(source, "Makefile"), *name = NULL;
	struct strbuf text = STRBUF_INIT;
	unsigned long n[ARRAY_SIZE(keys)];

	if (file_read(path, 1 << 20, &text, err) < 0)
		goto out;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *p = strstr(text.buf, keys[i]);

		if (!p || (p != text.buf && p[-1] != '\n')) {
			kp_fail(err, KP_ERR, "'%s' is not the Makefile of a kernel: it has no %.*s",
				path, (int)strcspn(keys[i], " "), keys[i]);
			goto out;
		}
		n[i] = strtoul(p + strlen(keys[i]), NULL, 10);
	}
	name = xstrfmt("%lu.%lu.%lu", n[0], n[1], n[2]);
out:
	free(path);
	strbuf_release(&text);
	return name;
}

int kernel_add_source(const char *name, const char *source_dir, const char *config,
		      const char *symvers, struct kernel **out, struct strbuf *err)
{
	struct record_work w = { .lock = LOCK_INIT };
	struct kernel *k = kernel_new();
	char *source = absolute(source_dir, "directory", err), *version = NULL;
	int ret = source ? check_source(source, err) : KP_ERR;

	if (ret < 0)
		goto out;
	version = source_version(source, err);
	if (!version) {
		ret = KP_ERR;
		goto out;
	}
	k->name = xstrdup(name ? name : version);
	k->origin = xstrfmt("source:%s", source);
	ret = record_begin(&w, k->name, err);
	if (ret == 0)
		ret = kernel_check_path(w.work, err);
	if (ret == 0)
		ret = build_source_record(&w, k, source, config, symvers, err);
	if (ret == 0)
		ret = kernel_self_check(k, w.work, err);
	if (ret == 0) {
		k->dir = xstrdup(w.dir);
		kernel_rebase(k, w.fresh, w.dir);
		ret = kernel_record_write(k, w.fresh, NULL, err);
	}
	if (ret == 0)
		ret = kernel_record_install(k->name, w.fresh, err);
	if (ret == 0)
		ret = kernel_record_read(k->name, out, NULL, err);
	record_end(&w);
out:
	free(source);
	free(version);
	kernel_free(k);
	return ret;
}
