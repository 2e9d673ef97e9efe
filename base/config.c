// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/config.h"

#include <git2.h>
#include <limits.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"

/* Canonical key (lower case but for a middle part) to value. */
static struct strmap from_files = STRMAP_INIT, from_options = STRMAP_INIT;

/* Once for the life of the program: each start costs milliseconds. */
static void start_libgit2(void)
{
	static bool started;

	if (!started)
		git_libgit2_init();
	started = true;
}

static bool is_key_char(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* "Section.Name" as "section.name"; NULL when it is no key. */
static char *canonical(const char *key, size_t len)
{
	char *k = xstrndup(key, len), *first = strchr(k, '.'), *last = strrchr(k, '.');

	if (!first || first == k || !last[1])
		goto bad;
	for (char *p = k; *p; p++) {
		if (p > first && p < last)
			continue; /* a subsection is free text */
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
		if (p != first && p != last && !is_key_char(*p))
			goto bad;
	}
	return k;
bad:
	free(k);
	return NULL;
}

static int load_entry(const git_config_entry *e, void *payload)
{
	/* "name" without "=" means true. */
	free(strmap_put(&from_files, e->name, xstrdup(e->value ? e->value : "true")));
	return 0;
}

static int load_file(const char *path, struct strbuf *err)
{
	git_config *cfg = NULL;
	const git_error *e;
	int ret = 0;

	if (!path || !file_exists(path))
		return 0;
	if (file_is_dir(path))
		return kp_fail(err, KP_ERR, "'%s' is a directory, not a configuration file", path);
	if (git_config_open_ondisk(&cfg, path) < 0 ||
	    git_config_foreach(cfg, load_entry, NULL) < 0) {
		e = git_error_last();
		/* A syntax error's message names the file and the line. */
		if (e && strstr(e->message, path))
			ret = kp_fail(err, KP_ERR, "%s", e->message);
		else
			ret = kp_fail(err, KP_ERR, "cannot read '%s': %s", path,
				      e ? e->message : "unknown error");
	}
	git_config_free(cfg);
	return ret;
}

static char *user_file(void)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')
		return xstrfmt("%s/kport/kport.conf", xdg);
	return home && *home == '/' ? xstrfmt("%s/.config/kport/kport.conf", home) : NULL;
}

/* The nearest kport.conf from the current directory upwards, or NULL. */
static char *project_file(void)
{
	char dir[PATH_MAX], *slash, *path;

	if (!getcwd(dir, sizeof(dir)))
		return NULL;
	for (;;) {
		path = path_join(*dir ? dir : "/", "kport.conf");
		if (file_exists(path))
			return path;
		free(path);
		slash = strrchr(dir, '/');
		if (!slash || !*dir)
			return NULL;
		*slash = '\0';
	}
}

int config_load(struct strbuf *err)
{
	char *user = user_file(), *project = project_file();
	int ret;

	strmap_release(&from_files, free);
	start_libgit2();
	ret = load_file("/etc/kport.conf", err);
	if (!ret)
		ret = load_file(user, err);
	if (!ret)
		ret = load_file(project, err);
	free(user);
	free(project);
	return ret;
}

int config_set(const char *key_value, struct strbuf *err)
{
	size_t len = strcspn(key_value, "=");
	char *key = key_value[len] ? canonical(key_value, len) : NULL;

	if (!key)
		return kp_fail(err, KP_ERR, "'%s' is not of the form section.name=value",
			       key_value);
	free(strmap_put(&from_options, key, xstrdup(key_value + len + 1)));
	free(key);
	return 0;
}

const char *config_str(const char *key, const char *dflt)
{
	const char *value = strmap_get(&from_options, key);

	if (!value)
		value = strmap_get(&from_files, key);
	return value ? value : dflt;
}

int config_int(const char *key, int64_t dflt, int64_t *out, struct strbuf *err)
{
	const char *value = config_str(key, NULL);
	int ret = 0;

	*out = dflt;
	if (!value)
		return 0;
	start_libgit2();
	if (git_config_parse_int64(out, value) < 0)
		ret = kp_fail(err, KP_ERR, "configuration key '%s' needs a whole number, not '%s'",
			      key, value);
	return ret;
}

int config_bool(const char *key, bool dflt, bool *out, struct strbuf *err)
{
	const char *value = config_str(key, NULL);
	int v, ret = 0;

	*out = dflt;
	if (!value)
		return 0;
	start_libgit2();
	if (git_config_parse_bool(&v, value) < 0)
		ret = kp_fail(err, KP_ERR, "configuration key '%s' needs true or false, not '%s'",
			      key, value);
	else
		*out = v;
	return ret;
}

void config_release(void)
{
	strmap_release(&from_files, free);
	strmap_release(&from_options, free);
}
