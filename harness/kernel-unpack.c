// SPDX-License-Identifier: GPL-2.0-only
/* From Debian's packages to the parts of a kernel record. */
#include "base/compat.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "harness/kernel-unpack.h"
#include "harness/kernel.h"

int kernel_unpack_debs(const char *debs, const struct apt_packages *pkgs, const char *dir,
		       struct strbuf *err)
{
	struct progress *p;
	uint64_t total = 0, done = 0;
	int ret = 0;

	for (size_t i = 0; i < pkgs->n; i++)
		total += pkgs->p[i].installed;
	p = progress_start("unpacking MiB", total >> 20);
	for (size_t i = 0; i < pkgs->n && ret == 0; i++) {
		char *deb = path_join(debs, pkgs->p[i].file);

		progress_note(p, "%s", pkgs->p[i].name);
		progress_update(p, done >> 20);
		ret = deb_unpack(deb, dir, err);
		done += pkgs->p[i].installed;
		free(deb);
	}
	progress_update(p, done >> 20);
	progress_finish(p);
	return ret;
}

static int move(const char *from, const char *to, struct strbuf *err)
{
	int ret = file_mkdirs_for(to, err);

	if (ret == 0 && rename(from, to) < 0)
		ret = kp_fail_errno(err, "cannot rename '%s' to '%s'", from, to);
	return ret;
}

/* The one entry of a directory with this prefix; NULL when there is none. */
static char *entry_with_prefix(const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *found = NULL;

	while (d && !found && (e = readdir(d)))
		if (*e->d_name != '.' && starts_with(e->d_name, prefix))
			found = xstrdup(e->d_name);
	if (d)
		closedir(d);
	return found;
}

/* Runs a tool whose failure text is one line of ours. */
static int run_tool(struct child *c, const char *what, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	struct child_result r = { 0 };
	int ret;

	c->err = &text;
	c->discard = true;
	strvec_push(&c->env, "LC_ALL=C");
	ret = child_run(c, &r, err);
	if (ret == 0 && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	else if (ret == 0 && !child_ok(&r) && strstr(text.buf, "No space left on device"))
		ret = kp_fail(err, KP_INFRA, "%s: no space left on device", what);
	else if (ret == 0 && !child_ok(&r))
		ret = kp_fail(err, KP_INFRA, "%s failed: %.*s", what, (int)strcspn(text.buf, "\n"),
			      text.buf);
	strbuf_release(&text);
	return ret;
}

/* Dependencies of the modules, which the packages leave to their installation. */
static int make_modules_dep(const char *dir, const char *release, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	int ret;

	strvec_pushl(&c.argv, "depmod", "-b", dir, release, NULL);
	c.limits.wall_seconds = 600;
	ret = run_tool(&c, "depmod", err);
	child_release(&c);
	return ret;
}

int kernel_arrange_image(const char *dir, struct strbuf *err)
{
	char *newer = path_join(dir, "usr/lib/modules"), *mods = path_join(dir, "lib/modules");
	char *boot = path_join(dir, "boot"), *usr = path_join(dir, "usr"),
	     *to = path_join(dir, "vmlinuz");
	char *release = NULL, *kernel = NULL, *name = NULL;
	int ret = 0;

	if (!file_is_dir(mods) && file_is_dir(newer))
		ret = move(newer, mods, err);
	release = entry_with_prefix(mods, "");
	if (ret == 0 && !release)
		ret = kp_fail(err, KP_ERR, "the kernel's packages hold no modules");
	if (ret < 0)
		goto out;
	name = entry_with_prefix(boot, "vmlinuz-");
	kernel = name ? path_join(boot, name) : xstrfmt("%s/%s/vmlinuz", mods, release);
	if (!file_exists(kernel))
		ret = kp_fail(err, KP_ERR, "the kernel's packages hold no image");
	if (ret == 0)
		ret = move(kernel, to, err);
	if (ret == 0)
		ret = make_modules_dep(dir, release, err);
	if (ret == 0)
		ret = file_remove(usr, err); /* documentation */
out:
	free(newer);
	free(mods);
	free(boot);
	free(usr);
	free(to);
	free(release);
	free(kernel);
	free(name);
	return ret;
}

/* "1:12345:..." lines of "xz --robot --list": the fifth field of "totals" is the unpacked size. */
static uint64_t unpacked_size(const char *archive)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	unsigned long long packed, plain = 0;
	unsigned streams, blocks;
	const char *totals;

	strvec_pushl(&c.argv, "xz", "--robot", "--list", archive, NULL);
	c.out = &text;
	c.discard = true;
	c.limits.wall_seconds = 60;
	if (child_run(&c, &r, &ignored) == 0 && (totals = strstr(text.buf, "totals\t")) &&
	    sscanf(totals, "totals\t%u\t%u\t%llu\t%llu", &streams, &blocks, &packed, &plain) != 4)
		plain = 0;
	child_release(&c);
	strbuf_release(&text);
	strbuf_release(&ignored);
	return plain;
}

/* tar prints the number of each checkpoint: records of 10 KiB. */
struct tar_progress {
	struct progress *p;
	uint64_t value;
};

#define TAR_RECORD 10240

static void on_checkpoint(const char *data, size_t len, void *payload)
{
	struct tar_progress *t = payload;

	for (size_t i = 0; i < len; i++) {
		if (data[i] >= '0' && data[i] <= '9') {
			t->value = t->value * 10 + (data[i] - '0');
		} else {
			if (t->value)
				progress_update(t->p, t->value * TAR_RECORD >> 20);
			t->value = 0;
		}
	}
}

static int unpack_tar(const char *archive, const char *dir, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct tar_progress t = { 0 };
	int ret = file_mkdirs(dir, err);

	if (ret < 0)
		return ret;
	t.p = progress_start("unpacking MiB", unpacked_size(archive) >> 20);
	progress_note(t.p, "%s", path_base(archive));
	strvec_pushl(&c.argv, "tar", "-x", "-J", "--strip-components=1", "--no-same-owner",
		     "--checkpoint=1000", "--checkpoint-action=exec=echo $TAR_CHECKPOINT", "-f",
		     archive, "-C", dir, NULL);
	c.on_output = on_checkpoint;
	c.payload = &t;
	c.limits.wall_seconds = 3600;
	ret = run_tool(&c, "unpacking the kernel source", err);
	progress_finish(t.p);
	child_release(&c);
	return ret;
}

int kernel_arrange_source(const char *dir, struct strbuf *err)
{
	char *src = path_join(dir, "usr/src"), *name = entry_with_prefix(src, "linux-source-");
	char *usr = path_join(dir, "usr"), *to = path_join(dir, "linux"), *archive = NULL;
	int ret;

	if (name)
		archive = path_join(src, name);
	if (!archive || !ends_with(archive, ".tar.xz"))
		ret = kp_fail(err, KP_ERR,
			      "the source package holds no archive 'linux-source-*.tar.xz'");
	else
		ret = unpack_tar(archive, to, err);
	if (ret == 0)
		ret = file_remove(usr, err);
	free(src);
	free(name);
	free(usr);
	free(to);
	free(archive);
	return ret;
}
