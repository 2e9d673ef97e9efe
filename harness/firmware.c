// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/firmware.h"

#include <fnmatch.h>

#include "base/alloc.h"
#include "base/config.h"
#include "base/error.h"
#include "base/file.h"

#define MAX_FILES 256
#define MAX_BYTES (64ull << 20) /* of one file */

static const char *const endings[] = { "", ".xz", ".zst" };

int firmware_use(const char *dir, struct strbuf *err)
{
	char *real = file_realpath(dir), *word;
	int ret;

	if (!real || !file_is_dir(real)) {
		free(real);
		return kp_fail(err, KP_ERR, "'%s' is no directory of firmware", dir);
	}
	word = xstrfmt("machine.firmware=%s", real);
	ret = config_set(word, err);
	free(word);
	free(real);
	return ret;
}

const char *firmware_dir(void)
{
	const char *dir = config_str("machine.firmware", "");

	return *dir ? dir : NULL;
}

static bool is_usable(const char *rel)
{
	char *path = path_join(firmware_dir(), rel);
	bool usable = file_exists(path) && !file_is_dir(path) && file_size(path) <= MAX_BYTES;

	free(path);
	return usable;
}

char *firmware_find(const char *name)
{
	if (!firmware_dir() || !path_is_safe(name))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		char *rel = xstrfmt("%s%s", name, endings[i]);

		if (is_usable(rel))
			return rel;
		free(rel);
	}
	return NULL;
}

static void add_once(struct strvec *out, const char *rel)
{
	if (out->n < MAX_FILES && !strvec_contains(out, rel))
		strvec_push(out, rel);
}

/* "iwlwifi-*.ucode", also of packed files. */
static void add_matches(const char *pattern, const struct strvec *files, struct strvec *out)
{
	for (size_t i = 0; i < files->n; i++)
		for (size_t e = 0; e < ARRAY_SIZE(endings); e++) {
			char *with = xstrfmt("%s%s", pattern, endings[e]);

			if (fnmatch(with, files->v[i], FNM_PATHNAME) == 0 && is_usable(files->v[i]))
				add_once(out, files->v[i]);
			free(with);
		}
}

static void choose_one(const char *name, struct strvec *files, struct strvec *out)
{
	char *rel;

	if (name[strcspn(name, "*?[")]) {
		if (!files->n)
			file_list(firmware_dir(), files, NULL);
		add_matches(name, files, out);
	} else if ((rel = firmware_find(name))) {
		add_once(out, rel);
		free(rel);
	}
}

void firmware_choose(const struct module_list *l, struct strvec *out)
{
	struct strvec files = STRVEC_INIT;

	for (size_t i = 0; firmware_dir() && i < l->n; i++)
		for (size_t j = 0; j < l->m[i].info.firmware.n; j++)
			choose_one(l->m[i].info.firmware.v[j], &files, out);
	strvec_sort(out);
	strvec_release(&files);
}

/* drivers/base/firmware_loader/main.c, and what Debian's kernels say in its place. */
void firmware_missed(const char *console, size_t len, struct strvec *out)
{
	static const char *const words[] = { ": Direct firmware load for ", ": firmware: failed to load " };
	const char *end = console + len, *p, *line;

	for (line = console; line < end; line = p + 1) {
		p = memchr(line, '\n', (size_t)(end - line));
		if (!p)
			p = end;
		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			const char *at = memmem(line, (size_t)(p - line), words[i], strlen(words[i]));
			const char *name = at ? at + strlen(words[i]) : p;
			const char *behind = memchr(name, ' ', (size_t)(p - name));
			char *copy = behind ? xstrndup(name, (size_t)(behind - name)) : NULL;

			if (copy && *copy)
				add_once(out, copy);
			free(copy);
		}
	}
}
