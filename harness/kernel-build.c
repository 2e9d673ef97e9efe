// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small kernels with sanitizers, from the source of a record: tinyconfig and harness/sanitizer.config, built in
 * CACHE/kernels/.built/NAME, which stays, so that an interrupted build goes on where it was; then a record of
 * that tree in place.
 */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "harness/kernel-record.h"

struct recipe {
	char *dir, *tree, *root; /* of the build, its O=, where modules are installed */
	const char *source, *cc;
	long jobs;
};

char *kernel_built_dir(const char *name)
{
	char *records = kernel_records_dir(), *dir = xstrfmt("%s/.built/%s", records, name);

	free(records);
	return dir;
}

static int run_make(const struct recipe *r, const char *what, const char *const *targets, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result result = { 0 };
	struct strbuf text = STRBUF_INIT, why = STRBUF_INIT;
	struct progress *p = progress_start(what, 0);
	int ret;

	strvec_pushl(&c.argv, "make", "-C", r->source, NULL);
	strvec_pushf(&c.argv, "O=%s", r->tree);
	strvec_pushf(&c.argv, "CC=%s", r->cc);
	strvec_pushf(&c.argv, "-j%ld", r->jobs);
	strvec_pushf(&c.argv, "INSTALL_MOD_PATH=%s", r->root);
	strvec_pushl(&c.argv, "INSTALL_MOD_STRIP=1", "DEPMOD=true", NULL);
	strvec_pushv(&c.argv, targets);
	strvec_pushl(&c.env, "LC_ALL=C", "MAKEFLAGS", "MAKELEVEL", NULL);
	c.out = &text;
	c.err_to_out = true;
	text.max = 64 << 20;
	c.limits.wall_seconds = 6 * 3600;
	ret = child_run(&c, &result, err);
	progress_finish(p);
	if (ret == 0 && result.kind == CHILD_INTERRUPTED) {
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted; the same command goes on with what is built");
	} else if (ret == 0 && !child_ok(&result)) {
		kernel_make_reason(text.buf, &why);
		ret = kp_fail(err, KP_INFRA, "the kernel of '%s' cannot be built: %s", r->source, why.buf);
	}
	child_release(&c);
	strbuf_release(&text);
	strbuf_release(&why);
	return ret;
}

/* ---- configuration ----------------------------------------------------------- */

/* "CONFIG_X=y" of a line of the recipe, without what stands behind it; *needed: the kernel is nothing without. */
static char *setting(const char *line, bool *needed)
{
	*needed = ends_with(line, " # needed");
	return xstrndup(line, strcspn(line, " "));
}

static bool has_line(const struct strbuf *config, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = config->buf; (p = strstr(p, line)); p++)
		if ((p == config->buf || p[-1] == '\n') && p[n] == '\n')
			return true;
	return false;
}

/* What Kconfig did not take: a kernel that has not the option, or something that it depends on is off. */
static int check_taken(const struct strvec *lines, const struct strbuf *config, struct strbuf *err)
{
	struct strbuf lost = STRBUF_INIT;
	int ret = 0;

	for (size_t i = 0; i < lines->n; i++) {
		bool needed;
		char *s = setting(lines->v[i], &needed);

		if (ends_with(s, "=n") || has_line(config, s)) {
			free(s);
			continue;
		}
		if (needed)
			strbuf_addf(&lost, " %s", s);
		else
			log_info("this kernel does not take %s", s);
		free(s);
	}
	if (lost.len)
		ret = kp_fail(err, KP_INFRA, "this kernel does not take what the sanitizers need:%s", lost.buf);
	strbuf_release(&lost);
	return ret;
}

static void merge(const struct strvec *lines, struct strbuf *config)
{
	for (size_t i = 0; i < lines->n; i++) {
		bool needed;
		char *s = setting(lines->v[i], &needed);
		size_t n = strlen(s);

		if (ends_with(s, "=n"))
			strbuf_addf(config, "# %.*s is not set\n", (int)(n - 2), s);
		else
			strbuf_addf(config, "%s\n", s);
		free(s);
	}
}

static int configure(const struct recipe *r, struct strbuf *err)
{
	static const char *const tiny[] = { "tinyconfig", NULL }, *const old[] = { "olddefconfig", NULL };
	char *from = kport_data_path("harness/sanitizer.config"), *to = path_join(r->tree, ".config");
	struct strvec lines = STRVEC_INIT, wanted = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT, config = STRBUF_INIT;
	int ret = file_read(from, 1 << 20, &text, err);

	strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; i < lines.n; i++)
		if (starts_with(lines.v[i], "CONFIG_"))
			strvec_push(&wanted, lines.v[i]);
	if (ret == 0)
		ret = run_make(r, "configuring", tiny, err);
	if (ret == 0)
		ret = file_read(to, 16 << 20, &config, err);
	merge(&wanted, &config);
	if (ret == 0)
		ret = file_write(to, config.buf, config.len, err);
	if (ret == 0)
		ret = run_make(r, "configuring", old, err);
	strbuf_reset(&config);
	if (ret == 0)
		ret = file_read(to, 16 << 20, &config, err);
	if (ret == 0)
		ret = check_taken(&wanted, &config, err);
	strbuf_release(&text);
	strbuf_release(&config);
	strvec_release(&lines);
	strvec_release(&wanted);
	free(from);
	free(to);
	return ret;
}

/* ---- the build ------------------------------------------------------------------ */

static int add_record(const struct recipe *r, const char *name, struct kernel **out, struct strbuf *err)
{
	char *file = path_join(r->tree, "include/config/kernel.release"), *modules = NULL;
	char *image = path_join(r->tree, "arch/x86/boot/bzImage");
	struct strbuf release = STRBUF_INIT;
	int ret = file_read(file, 256, &release, err);

	strbuf_rtrim(&release);
	if (ret == 0) {
		modules = xstrfmt("%s/lib/modules/%s", r->root, release.buf);
		ret = kernel_add_tree(name, r->tree, image, modules, out, err);
	}
	strbuf_release(&release);
	free(modules);
	free(image);
	free(file);
	return ret;
}

static int build(const struct recipe *r, const char *name, struct kernel **out, struct strbuf *err)
{
	static const char *const all[] = { "vmlinux", "bzImage", "modules", NULL };
	static const char *const install[] = { "modules_install", NULL };
	char *config = path_join(r->tree, ".config");
	int ret = file_mkdirs(r->tree, err);

	/* A build that was interrupted has its configuration: a new one would start it afresh. */
	if (ret == 0 && !file_exists(config))
		ret = configure(r, err);
	if (ret == 0)
		ret = run_make(r, "building the kernel (a quarter of an hour of CPU time)", all, err);
	if (ret == 0)
		ret = file_remove(r->root, err);
	if (ret == 0)
		ret = run_make(r, "installing its modules", install, err);
	if (ret == 0)
		ret = add_record(r, name, out, err);
	free(config);
	return ret;
}

int kernel_build_sanitizer(const char *base, long jobs, struct kernel **out, struct strbuf *err)
{
	struct kernel *k = NULL;
	struct recipe r = { .jobs = jobs > 0 ? jobs : sysconf(_SC_NPROCESSORS_ONLN) };
	struct strbuf absent = STRBUF_INIT;
	char *name = NULL;
	int ret = kernel_resolve(base, &k, err);

	if (ret < 0)
		return ret;
	name = kernel_sanitizer_name(k);
	r.dir = kernel_built_dir(name);
	r.tree = path_join(r.dir, "tree");
	r.root = path_join(r.dir, "root");
	r.source = k->source_dir;
	r.cc = k->cc;
	if (kernel_record_read(name, out, NULL, &absent) == 0)
		ret = 0; /* it is there */
	else if (!k->source_dir)
		ret = kp_fail(err, KP_INFRA, "kernel '%s' has no source here; try: kport kernel add %s --with-source",
			      k->name, k->name);
	else
		ret = build(&r, name, out, err);
	kernel_free(k);
	strbuf_release(&absent);
	free(name);
	free(r.dir);
	free(r.tree);
	free(r.root);
	return ret;
}

char *kernel_sanitizer_name(const struct kernel *k)
{
	return xstrfmt("%s-san", k->name);
}
