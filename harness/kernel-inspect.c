// SPDX-License-Identifier: GPL-2.0-only
/* What a prepared kernel build tree says about itself. */
#include "base/compat.h"
#include <limits.h>

#include <ctype.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/kernel-record.h"

/* Contents of dir/rel, or NULL. */
static char *slurp(const char *dir, const char *rel, size_t max)
{
	char *path = path_join(dir, rel);
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	int ret = file_read(path, max, &text, &ignored);

	free(path);
	strbuf_release(&ignored);
	if (ret < 0) {
		strbuf_release(&text);
		return NULL;
	}
	return strbuf_detach(&text, NULL);
}

static bool has(const char *dir, const char *rel)
{
	char *path = path_join(dir, rel);
	bool yes = file_exists(path);

	free(path);
	return yes;
}

/* What stands behind "key" up to the end of the line, trimmed of blanks and quotes; NULL when
 * absent. */
static char *value_after(const char *text, const char *key)
{
	const char *p = text ? strstr(text, key) : NULL;
	size_t n;

	if (!p)
		return NULL;
	p += strlen(key);
	p += strspn(p, " \t\"");
	n = strcspn(p, "\"\n");
	while (n && isspace((unsigned char)p[n - 1]))
		n--;
	return n ? xstrndup(p, n) : NULL;
}

/*
 * UTS_RELEASE is what modules carry; Debian's kernel.release of 6.1 holds the upstream
 * version instead.
 */
static char *tree_release(const char *dir)
{
	char *text = slurp(dir, "include/generated/utsrelease.h", 4096);
	char *release = value_after(text, "UTS_RELEASE");

	free(text);
	if (release)
		return release;
	text = slurp(dir, "include/config/kernel.release", 4096);
	release = text ? xstrndup(text, strcspn(text, " \t\r\n")) : NULL;
	free(text);
	if (release && *release)
		return release;
	free(release);
	return NULL;
}

static unsigned tree_version(const char *dir)
{
	char *text = slurp(dir, "include/generated/uapi/linux/version.h", 1 << 16);
	char *code = value_after(text, "LINUX_VERSION_CODE");
	unsigned long v = code ? strtoul(code, NULL, 10) : 0;

	free(text);
	free(code);
	return v < 1ul << 31 ? (unsigned)v : 0;
}

/* ARCH= of Kbuild from the configuration symbol of the architecture. */
static const char *tree_arch(const struct kernel *k)
{
	static const struct {
		const char *symbol, *arch;
	} map[] = {
		{ "CONFIG_X86_64", "x86_64" }, { "CONFIG_ARM64", "arm64" },
		{ "CONFIG_X86_32", "i386" },   { "CONFIG_RISCV", "riscv" },
		{ "CONFIG_S390", "s390" },     { "CONFIG_PPC64", "powerpc" },
		{ "CONFIG_ARM", "arm" },       { "CONFIG_LOONGARCH", "loongarch" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(map); i++) {
		char *v = kernel_config(k, map[i].symbol);

		free(v);
		if (v)
			return map[i].arch;
	}
	return NULL;
}

/* "gcc-12" out of "$(if ...) $(CROSS_COMPILE)gcc-12" or "x86_64-linux-gnu-gcc-12 (Debian
 * ...) 12.2.0" */
static char *compiler_word(const char *text)
{
	const char *names[] = { "clang", "gcc" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *p = strstr(text, names[i]);
		size_t n = strlen(names[i]);

		if (!p)
			continue;
		if (p[n] == '-' && isdigit((unsigned char)p[n + 1]))
			n += 1 + strspn(p + n + 1, "0123456789");
		return xstrndup(p, n);
	}
	return NULL;
}

char *kernel_config_compiler(const struct kernel *k)
{
	char *text = kernel_config(k, "CONFIG_CC_VERSION_TEXT");
	char *cc = text ? compiler_word(text) : NULL, *version;

	free(text);
	if (cc && strcmp(cc, "gcc"))
		return cc;
	/* Built with a plain "gcc": its version says which one. */
	version = kernel_config(k, "CONFIG_GCC_VERSION");
	if (version && strtoul(version, NULL, 10) >= 10000) {
		free(cc);
		cc = xstrfmt("gcc-%lu", strtoul(version, NULL, 10) / 10000);
	}
	free(version);
	return cc ? cc : xstrdup("gcc");
}

/* What the tree's Makefile will use: packages pin it in a file of their own. */
static char *tree_compiler(const struct kernel *k)
{
	char *text = slurp(k->build_dir, ".kernelvariables", 1 << 16);
	char *line = value_after(text, "\nCC =");
	char *cc = line ? compiler_word(line) : NULL;

	free(text);
	free(line);
	return cc ? cc : kernel_config_compiler(k);
}

/* The source half of a tree made with O= or packaged in two parts: named by its small Makefile. */
static char *tree_common(const char *dir)
{
	char *text, *line, *real = NULL;

	if (has(dir, "include/linux/kernel.h"))
		return xstrdup(dir);
	text = slurp(dir, "Makefile", 1 << 16);
	line = value_after(text, "\ninclude ");
	if (!line && text && starts_with(text, "include "))
		line = xstrndup(text + 8, strcspn(text + 8, " \t\r\n"));
	if (line && ends_with(line, "/Makefile")) {
		const char *rel; /* as kernel_fit() writes it */
		char *path;

		line[strlen(line) - strlen("/Makefile")] = '\0';
		path = skip_prefix(line, "$(kport_here)/", &rel) ? path_join(dir, rel) :
								   xstrdup(line);
		real = *path == '/' ? file_realpath(path) : NULL;
		free(path);
	}
	free(text);
	free(line);
	if (!real) {
		char *source = path_join(dir, "source");

		real = file_realpath(source);
		free(source);
	}
	if (real && !has(real, "include/linux/kernel.h")) {
		free(real);
		real = NULL;
	}
	return real;
}

static int refuse(const char *dir, const char *why, struct strbuf *err)
{
	strbuf_addf(err, "'%s' is not a kernel build tree: %s", dir, why);
	return KP_ERR;
}

static int check_prepared(const char *dir, struct strbuf *err)
{
	if (!file_is_dir(dir))
		return refuse(dir, "there is no such directory", err);
	if (!has(dir, "Makefile"))
		return refuse(dir, "it has no Makefile", err);
	if (has(dir, "include/generated/autoconf.h"))
		return 0;
	if (has(dir, "Kconfig") && has(dir, "init/Kconfig"))
		return refuse(dir,
			      "it is a kernel source that is not prepared; run: kport kernel add "
			      "--source DIR --kconfig FILE",
			      err);
	return refuse(dir, "it has no include/generated/autoconf.h", err);
}

/* Distribution trees keep host tools in a directory of their own behind links. */
static void push_link_root(struct kernel *k, const char *name)
{
	char *link = path_join(k->build_dir, name), *real = file_realpath(link), *root = NULL;
	char target[PATH_MAX], *path;
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	if (n > 0 && real) {
		/* The directory as the link names it, since links may lead to it in turn. */
		target[n] = '\0';
		path = path_join(k->build_dir, target);
		root = path_dir(path);
		free(path);
		path = file_realpath(root);
		if (path && !path_inside(k->build_dir, path) && !strvec_contains(&k->roots, root))
			strvec_push(&k->roots, root);
		free(path);
	}
	free(root);
	free(link);
	free(real);
}

int kernel_inspect_tree(const char *build_dir, struct kernel *k, struct strbuf *err)
{
	const char *arch;
	char *path;
	int ret = check_prepared(build_dir, err);

	if (ret < 0)
		return ret;
	k->build_dir = xstrdup(build_dir);
	k->release = tree_release(build_dir);
	if (!k->release || !*k->release ||
	    k->release[strspn(k->release, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+~-")])
		return refuse(build_dir, "it names no kernel release", err);
	k->version = tree_version(build_dir);
	if (!k->version)
		return refuse(build_dir, "include/generated/uapi/linux/version.h gives no version",
			      err);
	arch = tree_arch(k);
	if (!arch)
		return refuse(build_dir, "its configuration is of no known architecture", err);
	k->arch = xstrdup(arch);
	k->common_dir = tree_common(build_dir);
	if (!k->common_dir)
		return refuse(build_dir, "its kernel headers (include/linux) are not there", err);
	if (!has(build_dir, "scripts/mod/modpost") && !has(k->common_dir, "scripts/mod/modpost"))
		return refuse(build_dir,
			      "its host tools are not built; run 'make modules_prepare' in it",
			      err);
	k->cc = tree_compiler(k);
	path = path_join(build_dir, "Module.symvers");
	if (file_exists(path))
		k->symvers = xstrdup(path);
	free(path);
	path = kernel_config(k, "CONFIG_MODVERSIONS");
	k->modversions = path != NULL;
	free(path);
	strvec_push(&k->roots, build_dir);
	if (!path_inside(build_dir, k->common_dir))
		strvec_push(&k->roots, k->common_dir);
	push_link_root(k, "scripts");
	push_link_root(k, "tools");
	return 0;
}
