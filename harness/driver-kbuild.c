// SPDX-License-Identifier: GPL-2.0-only
/* A directory with a Kbuild Makefile: which directory holds obj-m, and who has to call make. */
#include "base/compat.h"
#include <ctype.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/driver-internal.h"

struct kbuild_dir {
	bool makefile;	 /* there is a Makefile, makefile or Kbuild */
	bool obj_m;	 /* "obj-m" by that name */
	bool obj_var;	 /* only "obj-$(...)": somebody has to set the variable */
	bool calls_make; /* a recipe runs make on another directory: a wrapper */
	bool sets_vars;	 /* ... and gives it variables of its own */
	char *target;	 /* a target that builds modules, when it is a wrapper */
};

static void kbuild_dir_release(struct kbuild_dir *k)
{
	free(k->target);
}

/* Variables that a wrapper gives to Kbuild and that we give as well. */
static bool is_common_var(const char *name, size_t n)
{
	static const char *const common[] = { "M", "SUBDIRS", "ARCH", "CC", "V", "W", "CROSS_COMPILE",
					      "KBUILD_VERBOSE", "INSTALL_MOD_PATH", "PWD", "KBUILD_EXTMOD",
					      "MODVERDIR", "LD", "INSTALL_MOD_DIR", "LLVM", "HOSTCC" };

	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		if (strlen(common[i]) == n && !memcmp(common[i], name, n))
			return true;
	return false;
}

static bool gives_variables(const char *recipe)
{
	for (const char *eq = strchr(recipe, '='); eq; eq = strchr(eq + 1, '=')) {
		const char *p = eq;

		while (p > recipe && (isalnum((unsigned char)p[-1]) || p[-1] == '_'))
			p--;
		if (p < eq && isupper((unsigned char)*p) && (p == recipe || isspace((unsigned char)p[-1])) &&
		    !is_common_var(p, eq - p))
			return true;
	}
	return false;
}

static void note_target(struct kbuild_dir *k, const char *line)
{
	static const char *const wanted[] = { "modules", "module", "default", "all" };
	size_t n = strcspn(line, ":");
	char *names;

	if (!line[n] || line[n + 1] == '=' || memchr(line, '=', n) || isspace((unsigned char)*line))
		return;
	names = xstrndup(line, n);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct strvec words = STRVEC_INIT;
		bool hit;

		strvec_split(&words, names, " \t");
		hit = strvec_contains(&words, wanted[i]);
		strvec_release(&words);
		if (!hit)
			continue;
		/* The first of the wanted words that any rule has. */
		for (size_t j = 0; j < i && k->target; j++)
			if (!strcmp(k->target, wanted[j]))
				hit = false;
		if (hit) {
			free(k->target);
			k->target = xstrdup(wanted[i]);
		}
		break;
	}
	free(names);
}

static void scan_line(struct kbuild_dir *k, const char *line)
{
	char *var = NULL, *value = NULL;

	if (*line == '\t') {
		if ((strstr(line, "$(MAKE)") || strstr(line, "${MAKE}") || strstr(line, "make ")) &&
		    (strstr(line, "M=") || strstr(line, "SUBDIRS=") || strstr(line, "-C"))) {
			k->calls_make = true;
			k->sets_vars |= gives_variables(line);
		}
		return;
	}
	if (makefile_assignment(line, &var, &value)) {
		if (!strcmp(var, "obj-m"))
			k->obj_m = true;
		else if (starts_with(var, "obj-$"))
			k->obj_var = true;
	} else {
		note_target(k, line);
	}
	free(var);
	free(value);
}

static int scan_dir(const char *dir, struct kbuild_dir *k, struct strbuf *err)
{
	static const char *const names[] = { "Kbuild", "Makefile", "makefile", "GNUmakefile" };
	int ret = 0;

	memset(k, 0, sizeof(*k));
	for (size_t i = 0; i < ARRAY_SIZE(names) && !ret; i++) {
		char *path = path_join(dir, names[i]);
		struct strvec lines = STRVEC_INIT;

		if (file_exists(path) && !file_is_dir(path)) {
			k->makefile = true;
			ret = makefile_lines(path, &lines, err);
			for (size_t j = 0; j < lines.n; j++)
				scan_line(k, lines.v[j]);
		}
		strvec_release(&lines);
		free(path);
	}
	return ret;
}

/* Directories below the tree that have obj-m, nearest to the top first. */
static int find_subdirs(const char *tree, struct strvec *out, struct strbuf *err)
{
	struct strvec files = STRVEC_INIT;
	int ret = file_list(tree, &files, err);

	for (size_t i = 0; i < files.n && !ret; i++) {
		const char *base = path_base(files.v[i]);
		struct kbuild_dir k;
		char *rel, *dir;

		if (base == files.v[i] || (strcmp(base, "Makefile") && strcmp(base, "Kbuild")))
			continue;
		rel = path_dir(files.v[i]);
		dir = path_join(tree, rel);
		ret = scan_dir(dir, &k, err);
		if (!ret && (k.obj_m || k.obj_var) && !strvec_contains(out, rel))
			strvec_push(out, rel);
		kbuild_dir_release(&k);
		free(rel);
		free(dir);
	}
	strvec_release(&files);
	return ret;
}

static int choose_subdir(struct driver *d, struct strbuf *err)
{
	struct strvec dirs = STRVEC_INIT;
	int ret = find_subdirs(d->tree, &dirs, err);

	if (ret < 0)
		goto out;
	if (dirs.n == 1)
		d->kbuild_subdir = xstrdup(dirs.v[0]);
	else if (dirs.n)
		ret = kp_fail(err, KP_ERR, "'%s' has several module directories ('%s', '%s'...) and no Makefile above "
			      "them; name one of them", d->origin, dirs.v[0], dirs.v[1]);
	else
		ret = kp_fail(err, KP_ERR, "'%s' has no Makefile or Kbuild file with 'obj-m' and no dkms.conf",
			      d->origin);
out:
	strvec_release(&dirs);
	return ret;
}

int driver_load_kbuild(struct driver *d, const char *input, struct strbuf *err)
{
	struct kbuild_dir k = { 0 };
	int ret = driver_copy_tree(input, d->tree, err);

	d->kind = DRIVER_KBUILD;
	if (!ret)
		ret = scan_dir(d->tree, &k, err);
	if (ret < 0)
		return ret;
	if (k.obj_m && !k.sets_vars) {
		/* Plain: Kbuild needs nothing of the wrapper. */
	} else if (k.calls_make) {
		d->own_makefile = true;
		d->make_target = k.target;
		k.target = NULL;
	} else if (!k.obj_m && !k.obj_var) {
		ret = choose_subdir(d, err);
	}
	kbuild_dir_release(&k);
	return ret;
}
