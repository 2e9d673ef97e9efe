// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes an unpacked kernel build tree work on this machine: small Makefile,
 * compiler, host tools, configuration.
 */
#include "base/compat.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "harness/kernel-record.h"

#define GCC_OLDEST 8
#define GCC_NEWEST 24

/* ---- compiler -------------------------------------------------------------- */

static bool installed(const char *name)
{
	char *path = child_which(name);

	free(path);
	return path != NULL;
}

char *kernel_fit_compiler(const char *wanted)
{
	const char *digits;
	long major, best = 0;

	if (installed(wanted))
		return xstrdup(wanted);
	if (!skip_prefix(wanted, "gcc-", &digits))
		return installed("gcc") && starts_with(wanted, "gcc") ? xstrdup("gcc") : NULL;
	major = strtol(digits, NULL, 10);
	for (long v = GCC_OLDEST; v <= GCC_NEWEST; v++) {
		char *name = xstrfmt("gcc-%ld", v);

		/* The nearest; of two that are as near, the newer. */
		if (installed(name) && (!best || labs(v - major) <= labs(best - major)))
			best = v;
		free(name);
	}
	if (best)
		return xstrfmt("gcc-%ld", best);
	return installed("gcc") ? xstrdup("gcc") : NULL;
}

/* ---- the small files that packages put into a tree -------------------------- */

char *kernel_relative_path(const char *from_dir, const char *to)
{
	struct strvec a = STRVEC_INIT, b = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	size_t same = 0;

	strvec_split(&a, from_dir, "/");
	strvec_split(&b, to, "/");
	while (same < a.n && same < b.n && !strcmp(a.v[same], b.v[same]))
		same++;
	for (size_t i = same; i < a.n; i++)
		strbuf_addstr(&out, "../");
	for (size_t i = same; i < b.n; i++)
		strbuf_addf(&out, "%s%s", b.v[i], i + 1 < b.n ? "/" : "");
	strvec_release(&a);
	strvec_release(&b);
	return strbuf_detach(&out, NULL);
}

/*
 * The packaged Makefile names the other half, and newer ones the output
 * directory, by absolute paths. Ours finds both from where it lies itself.
 */
static int write_makefile(const struct kernel_fit *f, struct strbuf *err)
{
	char *path = path_join(f->build_dir, "Makefile");
	char *common = kernel_relative_path(f->build_dir, f->common_dir);
	struct strbuf old = STRBUF_INIT, text = STRBUF_INIT;
	int ret = file_read(path, 1 << 16, &old, err);

	if (ret < 0)
		goto out;
	strbuf_addstr(&text, "# Written by kport: the packaged file, but free of absolute paths.\n"
			     "kport_here := $(realpath $(dir $(lastword $(MAKEFILE_LIST))))\n");
	if (strstr(old.buf, "KBUILD_OUTPUT"))
		strbuf_addstr(&text, "KBUILD_OUTPUT := $(kport_here)\n");
	strbuf_addf(&text, "include $(kport_here)/%s/Makefile\n", common);
	ret = file_write(path, text.buf, text.len, err);
out:
	free(path);
	free(common);
	strbuf_release(&old);
	strbuf_release(&text);
	return ret;
}

/* .kernelvariables is read by the kernel's Makefile before anything uses a compiler. */
static int pin_compiler(const struct kernel_fit *f, struct strbuf *err)
{
	char *path = path_join(f->build_dir, ".kernelvariables");
	struct strbuf old = STRBUF_INIT, text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	int ret = file_read(path, 1 << 16, &old, err);

	if (ret == KP_NOTFOUND) {
		strbuf_reset(err);
		ret = 0;
	}
	if (ret < 0)
		goto out;
	strvec_split(&lines, old.buf, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		const char *l = lines.v[i];

		if (!starts_with(l, "CC =") && !starts_with(l, "CCACHE") &&
		    !starts_with(l, "override CROSS_COMPILE"))
			strbuf_addf(&text, "%s\n", l);
	}
	strbuf_addf(&text, "CC = %s\n", f->cc);
	ret = file_write(path, text.buf, text.len, err);
out:
	free(path);
	strbuf_release(&old);
	strbuf_release(&text);
	strvec_release(&lines);
	return ret;
}

/* Type information of modules needs a pahole that matches; without vmlinux Kbuild leaves it out. */
static int drop_vmlinux(const struct kernel_fit *f, struct strbuf *err)
{
	char *path = path_join(f->build_dir, "vmlinux");
	int ret = file_remove(path, err);

	free(path);
	return ret;
}

int kernel_fit(struct kernel_fit *f, struct strbuf *err)
{
	struct kernel *k = kernel_new();
	char *wanted = NULL;
	size_t wrapped;
	int ret;

	ret = write_makefile(f, err);
	if (ret == 0)
		ret = drop_vmlinux(f, err);
	if (ret == 0)
		ret = kernel_inspect_tree(f->build_dir, k, err);
	if (ret < 0)
		goto out;
	wanted = kernel_config_compiler(k);
	f->cc = kernel_fit_compiler(wanted);
	if (!f->cc) {
		ret = kp_fail(err, KP_INFRA,
			      "kernel %s is built with %s, and no compiler that is near to it "
			      "is installed; run: apt-get install %s",
			      k->release, wanted, wanted);
		goto out;
	}
	if (strcmp(f->cc, wanted))
		strvec_pushf(&f->notes, "compiler %s instead of %s", f->cc, wanted);
	ret = pin_compiler(f, err);
	if (ret == 0)
		ret = kernel_fit_config(f->build_dir, f->cc, &f->notes, err);
	if (ret == 0)
		ret = kernel_tools_wrap(f->tools_dir, f->libs_dir, &wrapped, err);
	if (ret == 0 && wrapped)
		strvec_pushf(&f->notes, "%zu host tools run with the C library of their suite",
			     wrapped);
out:
	kernel_free(k);
	free(wanted);
	return ret;
}

/* ---- proof ----------------------------------------------------------------- */

static const char hello_c[] = "// SPDX-License-Identifier: GPL-2.0-only\n"
			      "#include <linux/module.h>\n"
			      "static int __init hello_init(void)\n{\n\tpr_info(\"hello\\n\");\n"
			      "\treturn 0;\n}\n"
			      "static void __exit hello_exit(void)\n{\n}\n"
			      "module_init(hello_init);\nmodule_exit(hello_exit);\n"
			      "MODULE_DESCRIPTION(\"check of a kernel build tree\");\n"
			      "MODULE_LICENSE(\"GPL\");\n";

static int write_hello(const char *dir, struct strbuf *err)
{
	char *c = path_join(dir, "hello.c"), *m = path_join(dir, "Makefile");
	static const char makefile[] = "obj-m := hello.o\n";
	int ret = file_write(c, hello_c, strlen(hello_c), err);

	if (ret == 0)
		ret = file_write(m, makefile, strlen(makefile), err);
	free(c);
	free(m);
	return ret;
}

void kernel_make_reason(const char *text, struct strbuf *out)
{
	static const char *const marks[] = { "error:", "ERROR", "not found", "***" };
	struct strvec lines = STRVEC_INIT;
	const char *best = NULL;

	strvec_split(&lines, text, "\n");
	for (size_t m = 0; m < ARRAY_SIZE(marks) && !best; m++)
		for (size_t i = 0; i < lines.n && !best; i++)
			if (strstr(lines.v[i], marks[m]))
				best = lines.v[i];
	if (!best)
		best = lines.n ? lines.v[lines.n - 1] : "make printed nothing";
	strbuf_add(out, best, strnlen(best, 300));
	strvec_release(&lines);
}

int kernel_self_check(const struct kernel *k, const char *work, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT;
	char *dir = NULL, *ko = NULL;
	int ret = file_mkdtemp(work, "check-", &dir, err);

	if (ret < 0)
		return ret;
	ret = write_hello(dir, err);
	if (ret < 0)
		goto out;
	strvec_push(&c.argv, "make");
	strvec_pushl(&c.argv, "-C", k->build_dir, NULL);
	strvec_pushf(&c.argv, "M=%s", dir);
	strvec_pushf(&c.argv, "CC=%s", k->cc);
	strvec_pushv(&c.argv, (const char *const *)k->make_vars.v);
	strvec_push(&c.argv, "modules");
	strvec_pushl(&c.env, "LC_ALL=C", "MAKEFLAGS", "MAKELEVEL", NULL);
	c.out = &text;
	c.err_to_out = true;
	c.limits.wall_seconds = 300;
	ret = child_run(&c, &r, err);
	if (ret < 0)
		goto out;
	ko = path_join(dir, "hello.ko");
	if (r.kind == CHILD_INTERRUPTED) {
		strbuf_addstr(err, "interrupted");
		ret = KP_INTERRUPTED;
	} else if (!child_ok(&r) || !file_exists(ko)) {
		log_debug("%s", text.buf);
		strbuf_addf(err, "kernel %s does not build a module on this machine: ", k->release);
		kernel_make_reason(text.buf, err);
		ret = KP_INFRA;
	}
out:
	child_release(&c);
	strbuf_release(&text);
	strbuf_reset(&text);
	file_remove(dir, &text);
	strbuf_release(&text);
	free(dir);
	free(ko);
	return ret;
}
