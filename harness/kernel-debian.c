// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel records from Debian's packages: getting what kernel-plan.h chose, and
 * putting a record together from its parts.
 */
#include "base/compat.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/progress.h"
#include "harness/apt.h"
#include "harness/kernel-plan.h"
#include "harness/kernel-record.h"
#include "harness/kernel-unpack.h"

static const char *const part_names[PART_COUNT] = { "build", "libs", "image", "source" };

/* ---- getting and unpacking ------------------------------------------------- */

static char *part_dir(const struct kernel_plan *p, enum kernel_part part)
{
	return path_join(p->fresh, part_names[part]);
}

/* Downloads and what they become, with the compressed source in between. */
static int check_disk(const struct kernel_plan *p, struct strbuf *err)
{
	uint64_t need = 0, room = disk_free(p->work);

	for (int i = 0; i < PART_COUNT; i++) {
		char *done = part_dir(p, i);

		for (size_t j = 0; j < p->pkgs[i].n && !file_exists(done); j++) {
			need += p->pkgs[i].p[j].size + p->pkgs[i].p[j].installed;
			if (i ==
			    PART_SOURCE) /* an archive in the package: 9 to 12 times its size */
				need += 11 * p->pkgs[i].p[j].size;
		}
		free(done);
	}
	if (need <= room)
		return 0;
	return kp_fail(err, KP_INFRA,
		       "kernel '%s' needs about %.0f MiB in '%s', but only %.0f MiB are "
		       "free there",
		       p->name, need / 1048576.0, p->work, room / 1048576.0);
}

/*
 * Removes what killed runs were unpacking. Their tar may go on for a moment: what it still writes
 * to is left for the next time, under a name that is not used again.
 */
static void sweep_unpacked(const char *work)
{
	DIR *d = opendir(work);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *path = path_join(work, e->d_name);

		if (starts_with(e->d_name, "unpack-"))
			file_remove(path, NULL);
		free(path);
	}
	if (d)
		closedir(d);
}

/* One part: unpacked next to its final name and renamed, so that a part that is there is whole. */
static int make_part(const struct kernel_plan *p, enum kernel_part part, struct strbuf *err)
{
	char *done = part_dir(p, part), *raw = NULL;
	int ret = 0;

	if (!p->pkgs[part].n || file_exists(done))
		goto out;
	ret = file_mkdtemp(p->work, "unpack-", &raw, err);
	if (ret == 0 && chmod(raw, 0755) < 0)
		ret = kp_fail_errno(err, "cannot open up '%s'", raw);
	if (ret == 0)
		ret = kernel_unpack_debs(p->debs, &p->pkgs[part], raw, err);
	if (ret == 0 && part == PART_IMAGE)
		ret = kernel_arrange_image(raw, err);
	if (ret == 0 && part == PART_SOURCE)
		ret = kernel_arrange_source(raw, err);
	if (ret == 0)
		ret = file_mkdirs(p->fresh, err);
	if (ret == 0 && rename(raw, done) < 0)
		ret = kp_fail_errno(err, "cannot rename '%s'", raw);
	/* Half a part is of no use to the next run; its downloads are. */
	if (ret < 0 && raw)
		file_remove(raw, NULL);
out:
	free(done);
	free(raw);
	return ret;
}

/*
 * What is in .work/NAME belongs to certain versions; when the suite has moved on since an
 * interrupted run, it is of no use.
 */
static int claim_work(const struct kernel_plan *p, struct strbuf *err)
{
	char *path = path_join(p->work, "version");
	struct strbuf had = STRBUF_INIT, ignored = STRBUF_INIT;
	int ret = 0;

	if (file_read(path, 4096, &had, &ignored) < 0 || strcmp(had.buf, p->version)) {
		ret = file_remove(p->fresh, err);
		if (ret == 0)
			ret = file_remove(p->debs, err);
		if (ret == 0)
			ret = file_write(path, p->version, strlen(p->version), err);
	}
	free(path);
	strbuf_release(&had);
	strbuf_release(&ignored);
	return ret;
}

static int fetch_all(struct kernel_plan *p, struct strbuf *err)
{
	struct apt_packages all = { 0 };
	int ret;

	for (int i = 0; i < PART_COUNT; i++) {
		char *done = part_dir(p, i);

		for (size_t j = 0; j < p->pkgs[i].n && !file_exists(done); j++) {
			ALLOC_GROW(all.p, all.n + 1, all.alloc);
			all.p[all.n++] = p->pkgs[i].p[j];
		}
		free(done);
	}
	ret = apt_fetch(p->suite, &all, p->debs, err);
	p->stale = ret == KP_NOTFOUND;
	free(all.p); /* the elements stay the plan's */
	return ret;
}

/* Where the packages put the two halves and the host tools. */
struct layout {
	char *build, *common, *tools;
};

static void layout_release(struct layout *l)
{
	free(l->build);
	free(l->common);
	free(l->tools);
}

static struct layout layout_of(const struct kernel_plan *p, const char *root)
{
	struct layout l;
	const char *kbuild = "";

	for (size_t i = 0; i < p->pkgs[PART_BUILD].n; i++)
		if (starts_with(p->pkgs[PART_BUILD].p[i].name, "linux-kbuild-"))
			kbuild = p->pkgs[PART_BUILD].p[i].name;
	l.build = xstrfmt("%s/usr/src/linux-headers-%s-amd64", root, p->base);
	l.common = xstrfmt("%s/usr/src/linux-headers-%s-common", root, p->base);
	l.tools = xstrfmt("%s/usr/lib/%s", root, kbuild);
	return l;
}

/* Host tools that this machine cannot load get the libraries of their own suite. */
static int add_libraries(struct kernel_plan *p, struct strbuf *err)
{
	char *root = part_dir(p, PART_BUILD), *libs = part_dir(p, PART_LIBS);
	struct layout l = layout_of(p, root);
	struct strvec unfit = STRVEC_INIT;
	struct strbuf why = STRBUF_INIT;
	int ret = 0;

	if (!p->pkgs[PART_BUILD].n)
		goto out;
	ret = kernel_tools_unfit(l.tools, &unfit, &why, err);
	if (ret < 0 || !unfit.n)
		goto out;
	log_debug("host tools need libraries: %s", why.buf);
	ret = kernel_plan_libraries(p, file_exists(libs) ? NULL : p->debs, err);
	if (ret == 0)
		ret = make_part(p, PART_LIBS, err);
out:
	layout_release(&l);
	strvec_release(&unfit);
	strbuf_release(&why);
	free(root);
	free(libs);
	return ret;
}

/* ---- the record ------------------------------------------------------------ */

static json_t *packages_json(const struct kernel_plan *p, json_t *had)
{
	json_t *a = had ? json_incref(had) : json_array();

	for (int i = 0; i < PART_COUNT; i++)
		for (size_t j = 0; j < p->pkgs[i].n; j++)
			json_array_append_new(a,
					      json_pack("{s:s, s:s}", "name", p->pkgs[i].p[j].name,
							"version", p->pkgs[i].p[j].version));
	return a;
}

static void set_if_there(char **field, char *path)
{
	if (file_exists(path)) {
		free(*field);
		*field = path;
	} else {
		free(path);
	}
}

/* Paths of the optional parts below dir, where they are. */
static void add_parts(struct kernel *k, const char *dir)
{
	set_if_there(&k->image, xstrfmt("%s/image/vmlinuz", dir));
	set_if_there(&k->modules_dir, xstrfmt("%s/image/lib/modules/%s", dir, k->release));
	set_if_there(&k->source_dir, xstrfmt("%s/source/linux", dir));
}

/* The build part in p->fresh becomes a record there; *out is as it will be when installed. */
static int fit_and_check(struct kernel_plan *p, struct kernel *k, json_t *notes, struct strbuf *err)
{
	char *root = part_dir(p, PART_BUILD), *libs = part_dir(p, PART_LIBS);
	struct layout l = layout_of(p, root);
	struct kernel_fit fit = { .build_dir = l.build,
				  .common_dir = l.common,
				  .tools_dir = l.tools,
				  .notes = STRVEC_INIT };
	int ret;

	fit.libs_dir = file_is_dir(libs) ? libs : NULL;
	ret = kernel_fit(&fit, err);
	if (ret == 0)
		ret = kernel_inspect_tree(l.build, k, err);
	if (ret < 0)
		goto out;
	free(k->cc);
	k->cc = xstrdup(fit.cc);
	free(k->common_dir);
	k->common_dir = xstrdup(l.common);
	ret = kernel_self_check(k, p->work, err);
	for (size_t i = 0; i < fit.notes.n; i++)
		json_array_append_new(notes, json_str(fit.notes.v[i]));
out:
	layout_release(&l);
	strvec_release(&fit.notes);
	free(fit.cc);
	free(root);
	free(libs);
	return ret;
}

static int new_record(struct kernel_plan *p, struct strbuf *err)
{
	struct kernel *k = kernel_new();
	char *records = kernel_records_dir(), *dir = path_join(records, p->name);
	json_t *notes = json_array(), *extra;
	int ret = fit_and_check(p, k, notes, err);

	extra = json_pack("{s:o, s:o}", "packages", packages_json(p, NULL), "notes", notes);
	if (ret < 0)
		goto out;
	k->name = xstrdup(p->name);
	k->origin = xstrfmt("debian:%s", p->suite);
	k->dir = xstrdup(dir);
	add_parts(k, p->fresh);
	kernel_rebase(k, p->fresh, dir);
	ret = kernel_record_write(k, p->fresh, extra, err);
	if (ret == 0)
		ret = kernel_record_install(p->name, p->fresh, err);
out:
	json_decref(extra);
	kernel_free(k);
	free(records);
	free(dir);
	return ret;
}

/* Parts that a present record lacks are moved into it, then its description names them. */
static int complete_record(struct kernel_plan *p, const struct kernel *had, json_t *extra,
			   struct strbuf *err)
{
	struct kernel *k = NULL;
	int ret = 0;

	for (int i = PART_IMAGE; i < PART_COUNT && ret == 0; i++) {
		char *from = part_dir(p, i), *to = path_join(had->dir, part_names[i]);

		if (p->pkgs[i].n) {
			ret = file_remove(to, err);
			if (ret == 0 && rename(from, to) < 0)
				ret = kp_fail_errno(err, "cannot rename '%s' to '%s'", from, to);
		}
		free(from);
		free(to);
	}
	if (ret == 0)
		ret = kernel_record_read(p->name, &k, NULL, err);
	if (ret < 0)
		return ret;
	add_parts(k, k->dir);
	json_object_set_new(extra, "packages",
			    packages_json(p, json_object_get(extra, "packages")));
	ret = kernel_record_write(k, k->dir, extra, err);
	kernel_free(k);
	return ret;
}

/* ---- the whole ------------------------------------------------------------- */

static bool lacks(const struct kernel *k, unsigned want)
{
	return ((want & KERNEL_WANT_IMAGE) && !k->image) ||
	       ((want & KERNEL_WANT_SOURCE) && !k->source_dir);
}

static int run_plan(struct kernel_plan *p, unsigned want, struct strbuf *err)
{
	int ret = kernel_plan_packages(p, want, err);

	if (ret == KP_NOTFOUND && p->present[PART_BUILD])
		strbuf_addf(
			err,
			"; it has moved on since kernel '%s' was added: run 'kport kernel remove "
			"%s' and add it again",
			p->name, p->name);
	sweep_unpacked(p->work);
	if (ret == 0)
		ret = claim_work(p, err);
	if (ret == 0)
		ret = check_disk(p, err);
	if (ret == 0)
		ret = fetch_all(p, err);
	for (int i = 0; i < PART_COUNT && ret == 0; i++)
		ret = i == PART_LIBS ? add_libraries(p, err) : make_part(p, i, err);
	return ret;
}

/* Everything in the working directory but its lock. */
static void clear_work(const char *work)
{
	static const char *const names[] = { "new", "old", "debs", "version" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = path_join(work, names[i]);

		file_remove(path, NULL);
		free(path);
	}
	sweep_unpacked(work);
}

static int plan_and_run(struct kernel_plan *p, const char *word, unsigned want,
			const struct kernel *had, const json_t *extra, struct strbuf *err)
{
	int ret =
		had ? kernel_plan_from_record(p, had, extra, err) : kernel_plan_find(p, word, err);

	return ret < 0 ? ret : run_plan(p, want, err);
}

/* The index is a day old at most, and a mirror can move on in that time. */
static int plan_and_run_fresh(struct kernel_plan *p, const char *word, unsigned want,
			      const struct kernel *had, const json_t *extra, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = plan_and_run(p, word, want, had, extra, &why);

	if (ret == KP_NOTFOUND && p->stale) {
		strbuf_reset(&why);
		ret = apt_refresh(p->suite, true, &why);
		kernel_plan_clear(p);
		if (ret == 0)
			ret = plan_and_run(p, word, want, had, extra, &why);
	}
	if (ret < 0)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	return ret;
}

static int add_locked(struct kernel_plan *p, const char *word, unsigned want, struct strbuf *err)
{
	struct kernel *had = NULL;
	json_t *extra = NULL;
	struct strbuf why = STRBUF_INIT;
	int ret = kernel_record_read(p->name, &had, &extra, &why);

	if (ret < 0 && ret != KP_NOTFOUND) {
		strbuf_addbuf(err, &why);
		goto out;
	}
	ret = 0;
	if (had && !lacks(had, want))
		goto out;
	ret = plan_and_run_fresh(p, word, want, had, extra, err);
	if (ret == 0)
		ret = had ? complete_record(p, had, extra, err) : new_record(p, err);
	if (ret == 0)
		clear_work(p->work);
out:
	kernel_free(had);
	json_decref(extra);
	strbuf_release(&why);
	return ret;
}

static int take_work_lock(struct lock *l, const char *work, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = lock_take(l, work, 0, &why);

	if (ret == KP_ERR && strstr(why.buf, "in use")) {
		log_info("waiting: %s", why.buf);
		ret = lock_take(l, work, 6 * 3600, err);
	} else if (ret < 0) {
		strbuf_addbuf(err, &why);
	}
	strbuf_release(&why);
	return ret;
}

int kernel_add_debian(const char *version, unsigned want, struct kernel **out, struct strbuf *err)
{
	struct kernel_plan p = { .name = version };
	struct lock lock = LOCK_INIT;
	char *word = NULL;
	int ret;

	if (!kernel_plan_is_version(version))
		return kp_fail(err, KP_ERR,
			       "'%s' is not a kernel version; give one like '6.12', or "
			       "'--tree DIR', or '--source DIR --kconfig FILE'",
			       version);
	word = ends_with(version, "-amd64") ? xstrndup(version, strlen(version) - 6) :
					      xstrdup(version);
	p.work = kernel_work_dir(version);
	p.debs = path_join(p.work, "debs");
	p.fresh = path_join(p.work, "new");
	ret = kernel_check_path(p.work, err);
	if (ret == 0)
		ret = take_work_lock(&lock, p.work, err);
	if (ret == 0)
		ret = add_locked(&p, word, want, err);
	lock_release(&lock);
	if (ret == 0)
		ret = kernel_record_read(version, out, NULL, err);
	kernel_plan_release(&p);
	free(word);
	return ret;
}
