// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/emulator.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/config.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#define ASK_SECONDS 30

static struct emulator *known;

static int ask(const char *path, const char *const *args, struct strbuf *out, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result r;
	int ret;

	strvec_push(&c.argv, path);
	strvec_pushv(&c.argv, args);
	c.out = out;
	c.discard = true;
	c.limits.wall_seconds = ASK_SECONDS;
	ret = child_run(&c, &r, err);
	if (ret == 0 && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	else if (ret == 0 && !child_ok(&r))
		ret = kp_fail(err, KP_INFRA, "'%s %s' fails", path, args[0]);
	child_release(&c);
	return ret;
}

/* "QEMU emulator version 7.2.22 (Debian ...)" */
static char *read_version(const char *text)
{
	const char *p = strstr(text, "version ");

	p = p ? p + strlen("version ") : "";
	return xstrndup(p, strspn(p, "0123456789."));
}

/* name "e1000", bus PCI, alias "e1000-82540em", desc "..." */
static void read_devices(const char *text, struct strvec *out)
{
	static const char *const keys[] = { "name \"", "alias \"" };

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		size_t line = strcspn(text, "\n");

		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			const char *p = memmem(text, line, keys[i], strlen(keys[i]));

			if (!p || (i == 0 && p != text))
				continue;
			p += strlen(keys[i]);
			strvec_pushf(out, "%.*s", (int)strcspn(p, "\"\n"), p);
		}
	}
}

static int inquire(struct emulator *e, struct strbuf *err)
{
	struct strbuf version = STRBUF_INIT, devices = STRBUF_INIT;
	int ret = ask(e->path, (const char *[]){ "--version", NULL }, &version, err);

	if (ret == 0)
		ret = ask(e->path, (const char *[]){ "-device", "help", NULL }, &devices, err);
	if (ret == 0) {
		e->version = read_version(version.buf);
		read_devices(devices.buf, &e->devices);
		if (!*e->version || !e->devices.n)
			ret = kp_fail(err, KP_INFRA, "'%s' is no QEMU", e->path);
	}
	strbuf_release(&version);
	strbuf_release(&devices);
	return ret;
}

static char *cache_path(void)
{
	char *cache = kport_cache_dir(), *path = path_join(cache, "machine/emulator.json");

	free(cache);
	return path;
}

static bool recall(struct emulator *e, const char *path)
{
	json_t *v = NULL, *item;
	const char *identity, *version;
	size_t i;

	if (json_read_file(path, 1 << 20, &v, NULL) < 0)
		return false;
	identity = json_get_str(v, "identity");
	version = json_get_str(v, "version");
	if (identity && version && !strcmp(identity, e->identity)) {
		e->version = xstrdup(version);
		json_array_foreach(json_object_get(v, "devices"), i, item)
			if (json_is_string(item))
				strvec_push(&e->devices, json_string_value(item));
	}
	json_decref(v);
	return e->devices.n > 0;
}

/* Best effort: without it the emulator is asked again. */
static void remember(const struct emulator *e, const char *path)
{
	json_t *v = json_object(), *a = json_array();

	json_set_str(v, "identity", e->identity);
	json_set_str(v, "version", e->version);
	for (size_t i = 0; i < e->devices.n; i++)
		json_array_append_new(a, json_str(e->devices.v[i]));
	json_object_set_new(v, "devices", a);
	if (file_mkdirs_for(path, NULL) == 0)
		json_write_file(path, v, NULL);
	json_decref(v);
}

static void emulator_free(struct emulator *e)
{
	free(e->path);
	free(e->identity);
	free(e->version);
	strvec_release(&e->devices);
	free(e);
}

const struct emulator *emulator_get(struct strbuf *err)
{
	const char *name = config_str("machine.qemu", "qemu-system-x86_64");
	struct emulator *e;
	struct stat st;
	char *found, *cache;

	if (known)
		return known;
	found = child_which(name);
	if (!found || stat(found, &st) < 0) {
		free(found);
		kp_fail(err, KP_INFRA, "no '%s' on PATH (install qemu-system-x86)", name);
		return NULL;
	}
	e = xcalloc(1, sizeof(*e));
	strvec_init(&e->devices);
	e->path = file_realpath(found);
	e->identity = xstrfmt("%s %lld %lld.%ld", e->path, (long long)st.st_size,
			      (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	free(found);
	cache = cache_path();
	if (recall(e, cache)) {
		known = e;
	} else if (inquire(e, err) == 0) {
		remember(e, cache);
		known = e;
	} else {
		emulator_free(e);
	}
	free(cache);
	return known;
}

char *emulator_lacks(const struct emulator *e, const struct strvec *qemu_args)
{
	for (size_t i = 0; i + 1 < qemu_args->n; i += 2) {
		const char *v = qemu_args->v[i + 1];
		char *name;

		if (strcmp(qemu_args->v[i], "-device"))
			continue;
		name = xstrndup(v, strcspn(v, ","));
		if (!strvec_contains(&e->devices, name))
			return name;
		free(name);
	}
	return NULL;
}
