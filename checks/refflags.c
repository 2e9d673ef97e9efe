/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/refflags.h"
#include "base/alloc.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/strmap.h"
#include "harness/kbuild.h"

/* Changes whenever what is stored does. */
#define CACHE_TAG "refflags 1"

/* ---- learning ------------------------------------------------------------- */

static bool warning_option(const char *arg)
{
	return (arg[0] == '-' && arg[1] == 'W' && !starts_with(arg, "-Wp,") && !starts_with(arg, "-Wa,") &&
		!starts_with(arg, "-Wl,")) || !strcmp(arg, "-w") || !strcmp(arg, "-fpermissive");
}

static int write_module(const char *dir, struct strbuf *err)
{
	static const char source[] = "#include <linux/module.h>\nMODULE_LICENSE(\"GPL\");\n";
	static const char makefile[] = "obj-m := kport_ref.o\n";
	char *c = path_join(dir, "kport_ref.c"), *m = path_join(dir, "Makefile");
	int ret = file_mkdirs(dir, err);

	if (ret == 0)
		ret = file_write(c, source, strlen(source), err);
	if (ret == 0)
		ret = file_write(m, makefile, strlen(makefile), err);
	free(c);
	free(m);
	return ret;
}

static int take_options(const struct kernel *k, const struct kbuild_result *b, struct strvec *out,
			struct strbuf *err)
{
	size_t i, j;

	for (i = 0; i < b->nunits; i++) {
		if (!ends_with(b->units[i].source, "/kport_ref.c"))
			continue;
		for (j = 1; j < b->units[i].argv.n; j++)
			if (warning_option(b->units[i].argv.v[j]))
				strvec_push(out, b->units[i].argv.v[j]);
		return 0;
	}
	return kp_fail(err, KP_INFRA, "an empty module does not build on kernel '%s': %.300s", k->name,
		       b->tail ? b->tail : "no output");
}

static int learn(const struct kernel *k, const char *work_dir, struct strvec *out, struct strbuf *err)
{
	char *dir = path_join(work_dir, "refmodule"), *src = path_join(dir, "src");
	char *tree = path_join(dir, "tree"), *log = path_join(dir, "log");
	struct kbuild_opts opts = { .log_dir = log, .jobs = 1, .wall_seconds = 300 };
	struct kbuild_result b = { 0 };
	struct driver *d = NULL;
	int ret = file_remove(dir, err);

	if (ret == 0)
		ret = write_module(src, err);
	if (ret == 0)
		ret = driver_load(src, tree, NULL, &d, err);
	if (ret == 0)
		ret = kbuild_run(d, k, &opts, &b, err);
	if (ret == 0) {
		ret = take_options(k, &b, out, err);
		kbuild_result_release(&b);
	}
	driver_free(d);
	file_remove(dir, err);
	free(dir);
	free(src);
	free(tree);
	free(log);
	return ret;
}

/* ---- the cache ------------------------------------------------------------ */

static struct hash_hex cache_key(const struct kernel *k)
{
	static const char *const files[] = { ".config", "Makefile", "include/config/auto.conf" };
	struct strbuf ignored = STRBUF_INIT;
	struct hash *h = hash_new();
	size_t i;

	hash_add_str(h, CACHE_TAG);
	hash_add_str(h, k->release);
	hash_add_str(h, k->build_dir);
	hash_add_str(h, k->cc ? k->cc : "");
	for (i = 0; i < k->make_vars.n; i++)
		hash_add_str(h, k->make_vars.v[i]);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = path_join(k->build_dir, files[i]);
		struct hash_hex x = { "" };

		if (file_exists(path))
			hash_file(path, &x, &ignored);
		hash_add_str(h, x.hex);
		free(path);
	}
	strbuf_release(&ignored);
	return hash_final(h);
}

int refflags_get(const struct kernel *k, const char *work_dir, struct strvec *out, struct strbuf *err)
{
	char *base = kport_cache_dir(), *dir = path_join(base, "checks");
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	struct hash_hex key = cache_key(k);
	struct cache *c = NULL;
	size_t i;
	int ret = 0;

	if (cache_open(dir, &c, &ignored) == 0 && cache_get(c, &key, &text, &ignored) == 0) {
		strvec_split(out, text.buf, "\n");
		goto out;
	}
	ret = learn(k, work_dir, out, err);
	for (i = 0; ret == 0 && i < out->n; i++)
		strbuf_addf(&text, "%s\n", out->v[i]);
	if (ret == 0 && c)
		cache_put(c, &key, text.buf, text.len, &ignored);
out:
	cache_close(c);
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(base);
	free(dir);
	return ret;
}

/* ---- comparing ------------------------------------------------------------ */

/* Never 0, so that an absent entry of the map differs from each. */
enum level { LEVEL_NONE, LEVEL_OFF, LEVEL_ON, LEVEL_ERROR };

static enum level level_of(const struct strmap *m, const char *name)
{
	return (enum level)(uintptr_t)strmap_get(m, name);
}

static void set_level(struct strmap *m, const char *name, enum level l)
{
	char *bare = xstrndup(name, strcspn(name, "="));

	strmap_put(m, bare, (void *)(uintptr_t)l);
	free(bare);
}

static void read_option(struct strmap *m, const char *arg)
{
	const char *name;

	if (!strcmp(arg, "-w") || !strcmp(arg, "-fpermissive"))
		strmap_put(m, arg, (void *)(uintptr_t)LEVEL_OFF);
	else if (!strcmp(arg, "-Wno-error"))
		strmap_put(m, "error", (void *)(uintptr_t)LEVEL_OFF);
	else if (!strcmp(arg, "-Werror"))
		strmap_put(m, "error", (void *)(uintptr_t)LEVEL_ERROR);
	else if (skip_prefix(arg, "-Wno-error=", &name))
		set_level(m, name, level_of(m, name) == LEVEL_OFF ? LEVEL_OFF : LEVEL_ON);
	else if (skip_prefix(arg, "-Werror=", &name))
		set_level(m, name, LEVEL_ERROR);
	else if (skip_prefix(arg, "-Wno-", &name))
		set_level(m, name, LEVEL_OFF);
	else if (skip_prefix(arg, "-W", &name) && *name && warning_option(arg))
		set_level(m, name, LEVEL_ON);
}

static void read_options(struct strmap *m, const struct strvec *args)
{
	size_t i;

	for (i = 0; i < args->n; i++)
		read_option(m, args->v[i]);
}

void refflags_weakened(const struct strvec *ref, const struct strvec *argv, struct strvec *out)
{
	struct strmap want = STRMAP_INIT, have = STRMAP_INIT;
	struct strmap_entry *e;

	read_options(&want, ref);
	read_options(&have, argv);
	strmap_for_each(&want, e)
		if (level_of(&want, e->key) > LEVEL_OFF && level_of(&have, e->key) < level_of(&want, e->key))
			strvec_push(out, e->key);
	strmap_for_each(&have, e)
		if (level_of(&have, e->key) == LEVEL_OFF && level_of(&want, e->key) == LEVEL_NONE)
			strvec_push(out, e->key);
	strmap_release(&want, NULL);
	strmap_release(&have, NULL);
}
