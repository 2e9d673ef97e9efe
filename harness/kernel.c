// SPDX-License-Identifier: GPL-2.0-only
/* Kernel records: reading, writing, finding, removing. */
#include "base/compat.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/lock.h"
#include "harness/kernel-record.h"

#define NAME_MAX_LEN 64

struct kernel *kernel_new(void)
{
	struct kernel *k = xcalloc(1, sizeof(*k));

	strvec_init(&k->make_vars);
	strvec_init(&k->roots);
	return k;
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	free(k->name);
	free(k->release);
	free(k->arch);
	free(k->origin);
	free(k->dir);
	free(k->build_dir);
	free(k->common_dir);
	free(k->cc);
	strvec_release(&k->make_vars);
	free(k->symvers);
	free(k->image);
	free(k->modules_dir);
	free(k->source_dir);
	strvec_release(&k->roots);
	free(k);
}

char *kernel_records_dir(void)
{
	char *cache = kport_cache_dir(), *dir = path_join(cache, "kernels");

	free(cache);
	return dir;
}

char *kernel_work_dir(const char *name)
{
	char *dir = kernel_records_dir(), *work = xstrfmt("%s/.work/%s", dir, name);

	free(dir);
	return work;
}

bool kernel_name_valid(const char *name)
{
	if (!*name || strlen(name) > NAME_MAX_LEN || *name == '.' || *name == '-')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("._+-~", *name))
			return false;
	return true;
}

int kernel_name_check(const char *name, struct strbuf *err)
{
	if (kernel_name_valid(name))
		return 0;
	strbuf_addf(err,
		    "'%s' cannot name a kernel: letters, digits, '.', '_', '+', '~' and '-' only, "
		    "at most %d",
		    name, NAME_MAX_LEN);
	return KP_ERR;
}

/* ---- kernel.json ----------------------------------------------------------- */

static void set_path(json_t *o, const char *key, const char *path, const char *dir)
{
	const char *rel = path && dir ? path_inside(dir, path) : NULL;

	json_set_str(o, key, rel && *rel ? rel : path);
}

static json_t *strvec_json(const struct strvec *v, const char *dir)
{
	json_t *a = json_array();

	for (size_t i = 0; i < v->n; i++) {
		const char *rel = dir ? path_inside(dir, v->v[i]) : NULL;

		json_array_append_new(a, json_str(rel && *rel ? rel : v->v[i]));
	}
	return a;
}

int kernel_record_write(const struct kernel *k, const char *dir, const json_t *extra,
			struct strbuf *err)
{
	json_t *o = json_object();
	char *path = path_join(dir, "kernel.json");
	struct strvec outside = STRVEC_INIT;
	int ret;

	json_set_int(o, "schema_version", KERNEL_RECORD_SCHEMA);
	json_set_str(o, "name", k->name);
	json_set_str(o, "release", k->release);
	json_set_str(o, "arch", k->arch);
	json_set_int(o, "version_code", k->version);
	json_set_str(o, "origin", k->origin);
	json_set_str(o, "cc", k->cc);
	json_set_bool(o, "modversions", k->modversions);
	set_path(o, "build_dir", k->build_dir, k->dir);
	set_path(o, "common_dir", k->common_dir, k->dir);
	set_path(o, "symvers", k->symvers, k->dir);
	set_path(o, "image", k->image, k->dir);
	set_path(o, "modules_dir", k->modules_dir, k->dir);
	set_path(o, "source_dir", k->source_dir, k->dir);
	json_object_set_new(o, "make_vars", strvec_json(&k->make_vars, NULL));
	for (size_t i = 0; i < k->roots.n; i++)
		if (!k->dir || strcmp(k->roots.v[i], k->dir))
			strvec_push(&outside, k->roots.v[i]);
	json_object_set_new(o, "roots", strvec_json(&outside, k->dir));
	if (extra)
		json_object_update_missing(o, (json_t *)extra);
	ret = json_write_file(path, o, err);
	json_decref(o);
	strvec_release(&outside);
	free(path);
	return ret;
}

/* Paths of a record: relative ones must be harmless, absolute ones are as the user gave them. */
static char *get_path(const json_t *o, const char *key, const char *dir, bool *bad)
{
	const char *s = json_get_str(o, key);

	if (!s)
		return NULL;
	if (*s == '/')
		return xstrdup(s);
	if (!path_is_safe(s)) {
		*bad = true;
		return NULL;
	}
	return path_join(dir, s);
}

static void get_strings(const json_t *o, const char *key, struct strvec *out)
{
	const json_t *a = json_object_get(o, key), *v;
	size_t i;

	json_array_foreach(a, i, v)
		if (json_is_string(v))
			strvec_push(out, json_string_value(v));
}

static struct kernel *kernel_from_json(const json_t *o, const char *dir, bool *bad)
{
	struct kernel *k = kernel_new();

	k->name = xstrdup(json_get_str(o, "name"));
	k->release = xstrdup(json_get_str(o, "release"));
	k->arch = xstrdup(json_get_str(o, "arch"));
	k->version = (unsigned)json_get_int(o, "version_code", 0);
	k->origin = xstrdup(json_get_str(o, "origin"));
	k->cc = xstrdup(json_get_str(o, "cc"));
	k->modversions = json_get_bool(o, "modversions", false);
	k->dir = xstrdup(dir);
	k->build_dir = get_path(o, "build_dir", dir, bad);
	k->common_dir = get_path(o, "common_dir", dir, bad);
	k->symvers = get_path(o, "symvers", dir, bad);
	k->image = get_path(o, "image", dir, bad);
	k->modules_dir = get_path(o, "modules_dir", dir, bad);
	k->source_dir = get_path(o, "source_dir", dir, bad);
	get_strings(o, "make_vars", &k->make_vars);
	strvec_push(&k->roots, dir);
	get_strings(o, "roots", &k->roots);
	*bad |= !k->name || !k->release || !k->arch || !k->origin || !k->cc || !k->build_dir ||
		!k->common_dir || !k->version;
	return k;
}

/* The keys that struct kernel does not hold: packages, notes. */
static json_t *extra_keys(const json_t *o)
{
	static const char *const known[] = { "packages", "notes" };
	json_t *e = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (json_object_get(o, known[i]))
			json_object_set(e, known[i], json_object_get(o, known[i]));
	return e;
}

int kernel_record_read(const char *name, struct kernel **out, json_t **extra, struct strbuf *err)
{
	char *records = kernel_records_dir(), *dir = path_join(records, name);
	char *path = path_join(dir, "kernel.json");
	json_t *o = NULL;
	bool bad = false;
	struct kernel *k;
	int ret;

	if (!kernel_name_valid(name) || !file_exists(path)) {
		strbuf_addf(err, "there is no kernel '%s'", name);
		ret = KP_NOTFOUND;
		goto out;
	}
	ret = json_read_file(path, 1 << 20, &o, err);
	if (ret < 0)
		goto out;
	k = kernel_from_json(o, dir, &bad);
	if (json_get_int(o, "schema_version", 0) != KERNEL_RECORD_SCHEMA || bad ||
	    strcmp(k->name, name)) {
		strbuf_addf(err,
			    "'%s' is damaged or of another version of kport; run: kport kernel "
			    "remove %s",
			    path, name);
		kernel_free(k);
		ret = KP_ERR;
		goto out;
	}
	if (extra)
		*extra = extra_keys(o);
	*out = k;
out:
	json_decref(o);
	free(records);
	free(dir);
	free(path);
	return ret;
}

int kernel_record_install(const char *name, const char *new_dir, struct strbuf *err)
{
	char *records = kernel_records_dir(), *dir = path_join(records, name);
	char *work = kernel_work_dir(name), *old = path_join(work, "old");
	int ret = file_remove(old, err);

	if (ret == 0 && rename(dir, old) < 0 && errno != ENOENT) {
		strbuf_addf(err, "cannot move '%s' away: %s", dir, strerror(errno));
		ret = KP_INFRA;
	}
	if (ret == 0 && rename(new_dir, dir) < 0) {
		strbuf_addf(err, "cannot rename '%s' to '%s': %s", new_dir, dir, strerror(errno));
		ret = KP_INFRA;
	}
	if (ret == 0)
		ret = file_remove(old, err);
	free(records);
	free(dir);
	free(work);
	free(old);
	return ret;
}

int kernel_check_path(const char *dir, struct strbuf *err)
{
	if (!strpbrk(dir, " \t\n:"))
		return 0;
	return kp_fail(err, KP_ERR,
		       "kernels cannot be kept in '%s': Kbuild works in no directory with a "
		       "blank or a colon in its name; set KPORT_CACHE_HOME to another one",
		       dir);
}

static void rebase(char **path, const char *from, const char *to)
{
	const char *rel = *path ? path_inside(from, *path) : NULL;
	char *moved;

	if (!rel)
		return;
	moved = *rel ? path_join(to, rel) : xstrdup(to);
	free(*path);
	*path = moved;
}

void kernel_rebase(struct kernel *k, const char *from, const char *to)
{
	rebase(&k->build_dir, from, to);
	rebase(&k->common_dir, from, to);
	rebase(&k->symvers, from, to);
	rebase(&k->image, from, to);
	rebase(&k->modules_dir, from, to);
	rebase(&k->source_dir, from, to);
	strvec_clear(&k->roots);
}

/* ---- finding --------------------------------------------------------------- */

static int by_version(const void *a, const void *b)
{
	const struct kernel *ka = *(struct kernel *const *)a, *kb = *(struct kernel *const *)b;

	if (ka->version != kb->version)
		return ka->version < kb->version ? -1 : 1;
	return strcmp(ka->name, kb->name);
}

int kernel_list(struct kernel_list *out, struct strbuf *err)
{
	char *records = kernel_records_dir();
	DIR *d = opendir(records);
	struct dirent *e;
	size_t alloc = 0;
	struct strbuf ignored = STRBUF_INIT;

	*out = (struct kernel_list){ 0 };
	if (!d && errno != ENOENT) {
		strbuf_addf(err, "cannot read '%s': %s", records, strerror(errno));
		free(records);
		return KP_INFRA;
	}
	while (d && (e = readdir(d))) {
		struct kernel *k;

		/* Not a record, or a damaged one, which naming it reports. */
		if (kernel_record_read(e->d_name, &k, NULL, &ignored) < 0)
			continue;
		ALLOC_GROW(out->k, out->n + 1, alloc);
		out->k[out->n++] = k;
	}
	if (d)
		closedir(d);
	if (out->n)
		sort_items(out->k, out->n, sizeof(*out->k), by_version);
	strbuf_release(&ignored);
	free(records);
	return 0;
}

void kernel_list_release(struct kernel_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		kernel_free(l->k[i]);
	free(l->k);
	*l = (struct kernel_list){ 0 };
}

void kernel_list_damaged(struct strvec *out)
{
	char *records = kernel_records_dir();
	DIR *d = opendir(records);
	struct strbuf ignored = STRBUF_INIT;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct kernel *k = NULL;
		int ret = kernel_record_read(e->d_name, &k, NULL, &ignored);

		if (ret < 0 && ret != KP_NOTFOUND)
			strvec_push(out, e->d_name);
		kernel_free(k);
	}
	if (d)
		closedir(d);
	strvec_sort(out);
	strbuf_release(&ignored);
	free(records);
}

/* "6.12.95" out of "6.12.95+deb12-amd64" */
static bool release_has_version(const char *release, const char *word)
{
	const char *rest;

	return isdigit((unsigned char)*word) && skip_prefix(release, word, &rest) &&
	       (*rest == '-' || *rest == '+');
}

/* By release, full or its version alone; the newest that fits. */
static struct kernel *find_release(struct kernel_list *l, const char *word)
{
	for (size_t i = l->n; i-- > 0;) {
		struct kernel *k = l->k[i];

		if (!strcmp(k->release, word) || release_has_version(k->release, word)) {
			l->k[i] = l->k[--l->n];
			return k;
		}
	}
	return NULL;
}

static int not_found(const char *word, const struct kernel_list *l, struct strbuf *err)
{
	strbuf_addf(err, "no kernel '%s' is known", word);
	for (size_t i = 0; i < l->n; i++)
		strbuf_addf(err, "%s'%s'", i ? ", " : " (known: ", l->k[i]->name);
	if (l->n)
		strbuf_addch(err, ')');
	if (kernel_debian_known(word))
		strbuf_addf(err, "; run: kport kernel add %s", word);
	else
		strbuf_addstr(err,
			      "; add one with 'kport kernel add VERSION', or name a build tree");
	return KP_NOTFOUND;
}

/* A path: the build tree itself, or a directory that has one as "build". */
static int resolve_tree(const char *word, struct kernel **out, struct strbuf *err)
{
	char *real = file_realpath(word), *sub = NULL, *config = NULL;
	struct kernel *k = kernel_new();
	int ret = KP_NOTFOUND;

	if (!real || !file_is_dir(real)) {
		strbuf_addf(err, "there is no kernel tree '%s'", word);
		goto out;
	}
	sub = path_join(real, "build/Makefile");
	if (file_exists(sub)) {
		char *b = path_join(real, "build");

		free(real);
		real = file_realpath(b);
		free(b);
	}
	ret = kernel_inspect_tree(real, k, err);
	if (ret < 0)
		goto out;
	k->name = xstrdup(k->release);
	k->origin = xstrfmt("build-tree:%s", real);
	*out = k;
	k = NULL;
out:
	kernel_free(k);
	free(real);
	free(sub);
	free(config);
	return ret;
}

int kernel_resolve(const char *word, struct kernel **out, struct strbuf *err)
{
	struct kernel_list l = { 0 };
	struct strbuf why = STRBUF_INIT;
	int ret;

	if (!*word) {
		strbuf_addstr(err, "the name of a kernel is empty");
		return KP_ERR;
	}
	if (kernel_name_valid(word)) {
		ret = kernel_record_read(word, out, NULL, &why);
		if (ret != KP_NOTFOUND) {
			strbuf_addbuf(err, &why);
			goto out;
		}
	}
	if (strchr(word, '/') || !strcmp(word, ".") || !strcmp(word, "..")) {
		ret = resolve_tree(word, out, err);
		goto out;
	}
	ret = kernel_list(&l, err);
	if (ret < 0)
		goto out;
	*out = find_release(&l, word);
	if (*out)
		ret = 0;
	else if (file_is_dir(word))
		ret = resolve_tree(word, out, err);
	else
		ret = not_found(word, &l, err);
out:
	kernel_list_release(&l);
	strbuf_release(&why);
	return ret;
}

int kernel_remove(const char *name, struct strbuf *err)
{
	char *records = kernel_records_dir(), *dir = NULL, *work = NULL, *old = NULL, *built = NULL;
	struct lock lock = LOCK_INIT;
	int ret = kernel_name_check(name, err);

	if (ret < 0)
		goto out;
	dir = path_join(records, name);
	work = kernel_work_dir(name);
	old = path_join(work, "old");
	if (!file_exists(dir) && !file_exists(work)) {
		struct kernel_list l = { 0 };

		ret = kernel_list(&l, err);
		if (ret == 0)
			ret = not_found(name, &l, err);
		kernel_list_release(&l);
		goto out;
	}
	ret = file_mkdirs(work, err);
	if (ret == 0)
		ret = lock_take(&lock, work, 0, err);
	if (ret == 0)
		ret = file_remove(old, err);
	/* Out of sight at once: a record is whole or absent, however this ends. */
	if (ret == 0 && file_exists(dir) && rename(dir, old) < 0) {
		strbuf_addf(err, "cannot move '%s' away: %s", dir, strerror(errno));
		ret = KP_INFRA;
	}
	/* Of one that was built here: the tree that its record names. */
	built = kernel_built_dir(name);
	if (ret == 0)
		ret = file_remove(built, err);
	if (ret == 0)
		ret = file_remove(work, err);
	lock_release(&lock);
out:
	free(records);
	free(dir);
	free(work);
	free(old);
	free(built);
	return ret;
}

/* ---- configuration --------------------------------------------------------- */

/* The value of "SYMBOL=" at the start of a line, unquoted. */
static char *config_value(const char *text, const char *symbol)
{
	size_t n = strlen(symbol);

	for (const char *p = text; (p = strstr(p, symbol)); p += n) {
		const char *v = p + n + 1;
		size_t len;

		if ((p != text && p[-1] != '\n') || p[n] != '=')
			continue;
		len = strcspn(v, "\n");
		if (len >= 2 && v[0] == '"' && v[len - 1] == '"')
			return xstrndup(v + 1, len - 2);
		return xstrndup(v, len);
	}
	return NULL;
}

char *kernel_config(const struct kernel *k, const char *symbol)
{
	static const char *const files[] = { "include/config/auto.conf", ".config" };
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	char *value = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = path_join(k->build_dir, files[i]);
		int ret = file_read(path, 16 << 20, &text, &ignored);

		free(path);
		if (ret == 0) {
			value = config_value(text.buf, symbol);
			break;
		}
	}
	strbuf_release(&text);
	strbuf_release(&ignored);
	return value && strcmp(value, "n") ? value : (free(value), NULL);
}

char *kernel_image_advice(const struct kernel *k)
{
	if (k->origin && starts_with(k->origin, "debian:"))
		return xstrfmt("'kport kernel add %s --with-image'", k->name);
	return xstrfmt("'kport kernel remove %s' and 'kport kernel add --tree DIR --image FILE "
		       "--modules DIR --name %s'", k->name, k->name);
}
