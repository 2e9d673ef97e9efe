// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file or directory of a kernel source tree as an external module. The copy
 * keeps its place ("drivers/acpi/ac.c" below the work tree), so that relative
 * includes stay true and patches fit the kernel's own tree. Private headers that
 * it includes come along: those found next to the including file or through
 * the compiler flags of its Makefile, outside include/ and arch/.../include/.
 */
#include "base/compat.h"
#include <ctype.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"
#include "harness/driver-internal.h"
#include "harness/kconfig.h"

#define MAX_SOURCE (16u << 20)
#define MAX_FILES 5000

struct intree {
	struct driver *d;
	const char *root;
	char *subdir;		/* "drivers/acpi" */
	struct strvec incdirs;	/* below root, of -I flags */
	struct strvec flags;	/* Makefile lines for the Kbuild file */
	struct strvec queue;	/* files to look through, below root */
	struct strmap seen;
};

static bool is_public(const char *rel)
{
	if (starts_with(rel, "include/"))
		return true;
	return starts_with(rel, "arch/") && strstr(rel, "/include/");
}

/* "a/b/../c" to "a/c"; NULL when it climbs out. */
static char *normalise(const char *path)
{
	struct strvec parts = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	bool bad = false;
	size_t n = 0;

	strvec_split(&parts, path, "/");
	for (size_t i = 0; i < parts.n && !bad; i++) {
		if (!strcmp(parts.v[i], "."))
			continue;
		if (!strcmp(parts.v[i], "..")) {
			bad = n == 0;
			n -= !bad;
			continue;
		}
		const char *tmp = parts.v[n];

		parts.v[n] = parts.v[i];
		parts.v[i] = tmp;
		n++;
	}
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&out, "%s%s", i ? "/" : "", parts.v[i]);
	strvec_release(&parts);
	if (!bad)
		return strbuf_detach(&out, NULL);
	strbuf_release(&out);
	return NULL;
}

static int copy_one(struct intree *t, const char *rel, struct strbuf *err)
{
	char *src = path_join(t->root, rel), *dst = path_join(t->d->tree, rel);
	int ret = 0;

	if (!file_exists(dst)) {
		ret = file_mkdirs_for(dst, err);
		if (!ret)
			ret = file_copy(src, dst, FILE_COPY_REFLINK, NULL, err);
	}
	free(src);
	free(dst);
	return ret;
}

static int enqueue(struct intree *t, const char *rel, struct strbuf *err)
{
	int ret;

	if (strmap_has(&t->seen, rel))
		return 0;
	if (t->queue.n >= MAX_FILES)
		return kp_fail(err, KP_ERR, "'%s' includes more than %d files", t->d->origin, MAX_FILES);
	ret = copy_one(t, rel, err);
	strmap_put(&t->seen, rel, NULL);
	strvec_push(&t->queue, rel);
	return ret;
}

static bool is_source_file(const char *root, const char *rel)
{
	char *path = path_join(root, rel);
	bool yes = file_exists(path) && !file_is_dir(path);

	free(path);
	return yes;
}

/* Where an include is found in the private part of the source tree; NULL: it is public or absent. */
static char *resolve_include(struct intree *t, const char *from, const char *name, bool quoted)
{
	struct strbuf path = STRBUF_INIT;
	char *rel = NULL;

	for (size_t i = 0; i < t->incdirs.n + 1; i++) {
		if (i == 0) {
			char *dir = path_dir(from);

			strbuf_addf(&path, "%s/%s", dir, name);
			free(dir);
			if (!quoted) {
				strbuf_reset(&path);
				continue;
			}
		} else {
			strbuf_addf(&path, "%s/%s", t->incdirs.v[i - 1], name);
		}
		rel = normalise(path.buf);
		strbuf_reset(&path);
		if (rel && is_source_file(t->root, rel))
			break;
		free(rel);
		rel = NULL;
	}
	strbuf_release(&path);
	if (rel && is_public(rel)) {
		free(rel);
		rel = NULL;
	}
	return rel;
}

static int follow_line(struct intree *t, const char *from, const char *p, const char *end,
		       struct strbuf *err)
{
	const char *close;
	char *name, *rel;
	int ret = 0;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p++ != '#')
		return 0;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (end - p < 9 || memcmp(p, "include", 7))
		return 0;
	p += 7;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || (*p != '"' && *p != '<'))
		return 0;
	close = memchr(p + 1, *p == '"' ? '"' : '>', end - p - 1);
	if (!close)
		return 0;
	name = xstrndup(p + 1, close - p - 1);
	rel = resolve_include(t, from, name, *p == '"');
	if (rel)
		ret = enqueue(t, rel, err);
	free(name);
	free(rel);
	return ret;
}

static int follow_includes(struct intree *t, const char *rel, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path = path_join(t->root, rel);
	int ret = file_read(path, MAX_SOURCE, &text, err);
	const char *p = text.buf, *end = text.buf + text.len;

	while (!ret && p < end) {
		const char *nl = memchr(p, '\n', end - p);

		ret = follow_line(t, rel, p, nl ? nl : end, err);
		p = nl ? nl + 1 : end;
	}
	free(path);
	strbuf_release(&text);
	return ret;
}

/* The way from the module's directory up to the top of the work tree: "../.." */
static char *way_up(const char *subdir)
{
	struct strbuf up = STRBUF_INIT;
	struct strvec parts = STRVEC_INIT;

	strvec_split(&parts, subdir, "/");
	for (size_t i = 0; i < parts.n; i++)
		strbuf_addf(&up, "%s..", i ? "/" : "");
	if (!parts.n)
		strbuf_addch(&up, '.');
	strvec_release(&parts);
	return strbuf_detach(&up, NULL);
}

static void note_incdir(struct intree *t, const char *makefile_dir, const char *p)
{
	struct strbuf dir = STRBUF_INIT;
	char *rel;

	for (; *p && !isspace((unsigned char)*p); p++) {
		if (!strncmp(p, "$(srctree)/", 11)) {
			p += 10;
		} else if (!strncmp(p, "$(src)", 6) || !strncmp(p, "$(obj)", 6)) {
			strbuf_addstr(&dir, makefile_dir);
			p += 5;
		} else {
			strbuf_addch(&dir, *p);
		}
	}
	rel = normalise(dir.buf);
	if (rel && !strchr(rel, '$') && !strvec_contains(&t->incdirs, rel))
		strvec_push(&t->incdirs, rel);
	free(rel);
	strbuf_release(&dir);
}

static void note_incdirs(struct intree *t, const char *makefile_dir, const char *value)
{
	for (const char *p = strstr(value, "-I"); p; p = strstr(p + 2, "-I")) {
		if (p > value && !isspace((unsigned char)p[-1]))
			continue;
		note_incdir(t, makefile_dir, p + 2 + strspn(p + 2, " \t"));
	}
}

/*
 * Flags that name directories of the source tree, as they must read below the
 * work tree. Public directories stay with the target kernel.
 */
static char *rewrite_flags(const char *value, const char *makefile_dir, const char *up)
{
	struct strbuf out = STRBUF_INIT;

	for (const char *p = value; *p; p++) {
		if (!strncmp(p, "$(srctree)/", 11) && strncmp(p + 11, "include", 7) &&
		    strncmp(p + 11, "arch/", 5) && strncmp(p + 11, "$(src)", 6)) {
			strbuf_addf(&out, "$(src)/%s/", up);
			p += 10;
		} else if (!strncmp(p, "$(srctree)/$(src)", 17)) {
			strbuf_addf(&out, "$(src)/%s/%s", up, makefile_dir);
			p += 16;
		} else if (!strncmp(p, "$(src)", 6) || !strncmp(p, "$(obj)", 6)) {
			strbuf_addf(&out, "$(src)/%s/%s", up, makefile_dir);
			p += 5;
		} else {
			strbuf_addch(&out, *p);
		}
	}
	return strbuf_detach(&out, NULL);
}

static bool is_flag_var(const char *var, const char *object, bool own_dir)
{
	char *per_file = xstrfmt("CFLAGS_%s", object);
	bool yes = starts_with(var, "subdir-ccflags-");

	if (own_dir)
		yes = yes || starts_with(var, "ccflags-") || !strcmp(var, "EXTRA_CFLAGS") ||
		      !strcmp(var, per_file);
	free(per_file);
	return yes;
}

/* Compiler flags of one Makefile on the way to the file. */
static int collect_flags(struct intree *t, const char *dir, const char *object, const char *up,
			 struct strbuf *err)
{
	bool own = !strcmp(dir, t->subdir);
	struct strvec lines = STRVEC_INIT;
	char *rel = path_join(dir, "Makefile"), *path = path_join(t->root, rel);
	int ret = file_exists(path) ? makefile_lines(path, &lines, err) : 0, depth = 0;

	for (size_t i = 0; i < lines.n; i++) {
		char *var = NULL, *value = NULL, *flags;

		depth += starts_with(lines.v[i], "if") ? 1 : starts_with(lines.v[i], "endif") ? -1 : 0;
		if (depth == 0 && makefile_assignment(lines.v[i], &var, &value) &&
		    is_flag_var(var, object, own)) {
			note_incdirs(t, dir, value);
			flags = rewrite_flags(value, dir, up);
			strvec_pushf(&t->flags, "%s += %s",
				     !strcmp(var, "EXTRA_CFLAGS") ? "ccflags-y" : var, flags);
			free(flags);
		}
		free(var);
		free(value);
	}
	strvec_release(&lines);
	free(rel);
	free(path);
	return ret;
}

/* Of the file's directory and of those above it (subdir-ccflags-y). */
static int collect_all_flags(struct intree *t, const char *object, struct strbuf *err)
{
	char *up = way_up(t->subdir), *dir = xstrdup(t->subdir);
	int ret = 0;

	while (!ret && *dir && strcmp(dir, ".")) {
		char *parent = path_dir(dir);

		ret = collect_flags(t, dir, object, up, err);
		free(dir);
		dir = parent;
	}
	free(dir);
	free(up);
	return ret;
}

static int follow_all(struct intree *t, struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; i < t->queue.n && !ret; i++)
		ret = follow_includes(t, t->queue.v[i], err);
	return ret;
}

static int write_kbuild(struct intree *t, const char *object, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	char *dir = path_join(t->d->tree, t->subdir), *path = path_join(dir, "Kbuild");
	int ret;

	strbuf_addf(&text, "obj-m := %s\n", object);
	for (size_t i = 0; i < t->flags.n; i++)
		strbuf_addf(&text, "%s\n", t->flags.v[i]);
	ret = file_write(path, text.buf, text.len, err);
	strbuf_release(&text);
	free(dir);
	free(path);
	return ret;
}

static int load_file(struct intree *t, const char *rel, struct strbuf *err)
{
	size_t n = strlen(t->d->name);
	char *object = xstrfmt("%s.o", t->d->name);
	int ret;

	if (!ends_with(rel, ".c") || !n) {
		free(object);
		return kp_fail(err, KP_ERR, "'%s' is not a C file of a driver", t->d->origin);
	}
	ret = collect_all_flags(t, object, err);
	if (!ret)
		ret = enqueue(t, rel, err);
	if (!ret)
		ret = follow_all(t, err);
	if (!ret)
		ret = write_kbuild(t, object, err);
	if (!ret)
		driver_add_module(t->d, t->d->name, t->subdir);
	free(object);
	return ret;
}

/* "obj-$(CONFIG_X) += foo.o bar/": the option and the modules it makes. */
static void note_objects(struct intree *t, const char *var, const char *value, const char *dir)
{
	const char *config;
	struct strvec words = STRVEC_INIT;

	if (!skip_prefix(var, "obj-$(CONFIG_", &config))
		return;
	strvec_split(&words, value, " \t");
	if (words.n) {
		char *set = xstrfmt("CONFIG_%.*s=m", (int)strcspn(config, ")"), config);

		if (!strvec_contains(&t->d->make_vars, set))
			strvec_push(&t->d->make_vars, set);
		free(set);
	}
	for (size_t i = 0; i < words.n; i++) {
		char *name;

		if (!ends_with(words.v[i], ".o"))
			continue;
		name = xstrndup(words.v[i], strlen(words.v[i]) - 2);
		driver_add_module(t->d, name, dir);
		free(name);
	}
	strvec_release(&words);
}

/* A Makefile of the copied directory: options, include directories, paths made relative. */
static int adapt_makefile(struct intree *t, const char *rel, struct strbuf *err)
{
	char *path = path_join(t->d->tree, rel), *dir = path_dir(rel), *up = way_up(dir);
	struct strvec lines = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	bool changed = false;
	int ret = makefile_lines(path, &lines, err);

	for (size_t i = 0; i < lines.n; i++) {
		char *var = NULL, *value = NULL, *flags = NULL;

		if (makefile_assignment(lines.v[i], &var, &value)) {
			note_objects(t, var, value, dir);
			note_incdirs(t, dir, value);
		}
		if (strstr(lines.v[i], "$(srctree)")) {
			flags = rewrite_flags(lines.v[i], dir, up);
			changed |= strcmp(flags, lines.v[i]) != 0;
		}
		strbuf_addf(&text, "%s\n", flags ? flags : lines.v[i]);
		free(flags);
		free(var);
		free(value);
	}
	/* Untouched unless a path has to change. */
	if (!ret && changed)
		ret = file_write(path, text.buf, text.len, err);
	strvec_release(&lines);
	strbuf_release(&text);
	free(path);
	free(dir);
	free(up);
	return ret;
}

static int load_dir(struct intree *t, const char *rel, const char *abs, struct strbuf *err)
{
	struct strvec files = STRVEC_INIT;
	char *dst = path_join(t->d->tree, rel), *parent;
	int ret = driver_copy_tree(abs, dst, err);

	free(dst);
	if (!ret)
		ret = file_list(abs, &files, err);
	for (size_t i = 0; i < files.n && !ret; i++) {
		char *file = path_join(rel, files.v[i]);
		const char *base = path_base(file);

		if (!strcmp(base, "Makefile") || !strcmp(base, "Kbuild"))
			ret = adapt_makefile(t, file, err);
		else if (ends_with(base, ".c") || ends_with(base, ".h"))
			ret = enqueue(t, file, err);
		free(file);
	}
	strvec_release(&files);
	/* Flags that directories above give to all below; kept for include directories only. */
	for (parent = path_dir(rel); !ret && strcmp(parent, ".");) {
		char *next = path_dir(parent), *up = way_up(rel);

		ret = collect_flags(t, parent, "", up, err);
		free(up);
		free(parent);
		parent = next;
	}
	free(parent);
	if (!ret)
		ret = follow_all(t, err);
	if (!ret && !t->d->nmodules)
		ret = kp_fail(err, KP_ERR, "no 'obj-$(CONFIG_...)' makes a module in '%s'", t->d->origin);
	return ret;
}

int driver_load_intree(struct driver *d, const char *root, const char *input, const char *config,
		       struct strbuf *err)
{
	struct intree t = { .d = d, .root = root, .incdirs = STRVEC_INIT, .flags = STRVEC_INIT,
			    .queue = STRVEC_INIT, .seen = STRMAP_INIT };
	const char *rel = path_inside(root, input);
	bool dir = file_is_dir(input);
	int ret;

	d->kind = DRIVER_INTREE;
	d->intree_root = xstrdup(root);
	d->intree_path = xstrdup(rel);
	t.subdir = dir ? xstrdup(rel) : path_dir(rel);
	d->kbuild_subdir = xstrdup(strcmp(t.subdir, ".") ? t.subdir : "");
	if (config)
		strvec_split(&d->make_vars, config, " \t");
	if (!rel || !*rel || is_public(rel))
		ret = kp_fail(err, KP_ERR, "'%s' is not a driver", d->origin);
	else if (dir)
		ret = load_dir(&t, rel, input, err);
	else
		ret = load_file(&t, rel, err);
	free(t.subdir);
	strvec_release(&t.incdirs);
	strvec_release(&t.flags);
	strvec_release(&t.queue);
	strmap_release(&t.seen, NULL);
	return ret;
}

struct config_lookup {
	const struct kernel *k;
	const struct driver *d;
};

/* The kernel's value; what the directory itself makes counts as "m". */
static char *config_value(const char *symbol, void *payload)
{
	struct config_lookup *l = payload;
	char *own = xstrfmt("CONFIG_%s=m", symbol), *name = xstrfmt("CONFIG_%s", symbol), *value;

	value = strvec_contains(&l->d->make_vars, own) ? xstrdup("m") : kernel_config(l->k, name);
	free(own);
	free(name);
	return value;
}

static int read_kconfigs(const struct driver *d, struct kconfig *kc, struct strbuf *err)
{
	struct strvec files = STRVEC_INIT;
	char *dir = path_join(d->tree, d->intree_path);
	int ret = file_list(dir, &files, err);

	for (size_t i = 0; i < files.n && !ret; i++) {
		char *path = path_join(dir, files.v[i]);

		if (starts_with(path_base(path), "Kconfig"))
			ret = kconfig_read(kc, path, err);
		free(path);
	}
	free(dir);
	strvec_release(&files);
	return ret;
}

int driver_intree_configure(struct driver *d, const struct kernel *k, struct strbuf *err)
{
	struct config_lookup lookup = { k, d };
	struct kconfig kc = KCONFIG_INIT;
	struct strvec keep = STRVEC_INIT;
	int ret = 0;

	if (ends_with(d->intree_path, ".c") || (d->configured && !strcmp(d->configured, k->release)))
		return 0;
	ret = read_kconfigs(d, &kc, err);
	for (size_t i = 0; i < d->make_vars.n && !ret; i++) {
		struct strbuf why = STRBUF_INIT;
		const char *name = d->make_vars.v[i], *expr = NULL;
		char *symbol = NULL;

		if (skip_prefix(name, "CONFIG_", &name) && ends_with(name, "=m")) {
			symbol = xstrndup(name, strlen(name) - 2);
			expr = strmap_get(&kc.deps, symbol);
		}
		if (symbol && strmap_has(&kc.bools, symbol))
			strvec_pushf(&d->skipped, "CONFIG_%s: cannot be a module", symbol);
		else if (!expr || kconfig_holds(expr, config_value, &lookup, &why))
			strvec_push(&keep, d->make_vars.v[i]);
		else
			strvec_pushf(&d->skipped, "CONFIG_%s: needs %s", symbol, why.buf);
		free(symbol);
		strbuf_release(&why);
	}
	if (!ret) {
		strvec_clear(&d->make_vars);
		strvec_pushv(&d->make_vars, keep.v);
		free(d->configured);
		d->configured = xstrdup(k->release);
	}
	strvec_release(&keep);
	kconfig_release(&kc);
	return ret;
}
