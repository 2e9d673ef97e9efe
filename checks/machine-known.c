// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "checks/machine-known.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

/* "6.12" as LINUX_VERSION_CODE has it; "-" gives dflt; 0 is no version. */
static unsigned parse_version(const char *s, unsigned dflt)
{
	unsigned a = 0, b = 0, c = 0;

	if (!strcmp(s, "-"))
		return dflt;
	if (sscanf(s, "%u.%u.%u", &a, &b, &c) < 2)
		return 0;
	return a << 16 | b << 8 | (c > 255 ? 255 : c);
}

static bool is_built(const struct kbuild_result *build, const char *module)
{
	for (size_t i = 0; i < build->nmodules; i++)
		if (!strcmp(build->modules[i].name, module))
			return true;
	return false;
}

struct titles {
	const struct kernel *k;
	const struct kbuild_result *build;
	struct strvec *titles;
};

/* SINCE UNTIL MODULE TITLE, separated by tabs; UNTIL is the first version without it. */
static int take_title(const char *line, void *payload)
{
	const struct titles *t = payload;
	struct strvec f = STRVEC_INIT;
	unsigned since, until;
	int ret = KP_ERR;

	strvec_split(&f, line, "\t");
	if (f.n == 4) {
		since = parse_version(f.v[0], 1);
		until = parse_version(f.v[1], ~0u);
		if (since && until) {
			ret = 0;
			if (t->k->version >= since && t->k->version < until && is_built(t->build, f.v[2]))
				strvec_push(t->titles, f.v[3]);
		}
	}
	strvec_release(&f);
	return ret;
}

static int each_line(const char *file, int (*take)(const char *line, void *payload), void *payload,
		     struct strbuf *err)
{
	char *path = kport_data_path(file);
	struct strbuf text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	int ret = file_read(path, 1 << 20, &text, err);

	if (ret == 0)
		strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; ret == 0 && i < lines.n; i++) {
		if (*lines.v[i] == '#')
			continue;
		ret = take(lines.v[i], payload);
		if (ret < 0)
			kp_fail(err, ret, "'%s': wrong line '%s'", path, lines.v[i]);
	}
	strvec_release(&lines);
	strbuf_release(&text);
	free(path);
	return ret;
}

int machine_known_titles(const struct kernel *k, const struct kbuild_result *build,
			 struct strvec *titles, struct strbuf *err)
{
	struct titles t = { k, build, titles };

	return each_line("checks/known-console.tsv", take_title, &t, err);
}

struct stock {
	unsigned from, to;
	struct strvec *keys;
};

/* VERSION KEY: something changes in that version; "-": it is by chance. */
static int take_stock(const char *line, void *payload)
{
	struct stock *s = payload;
	size_t n = strcspn(line, "\t");
	char *word = xstrndup(line, n);
	bool always = !strcmp(word, "-");
	unsigned version = always ? 1 : parse_version(word, 0);

	free(word);
	if (!version || !line[n] || !line[n + 1])
		return KP_ERR;
	if (always || (version > s->from && version <= s->to) || (version > s->to && version <= s->from))
		strvec_push(s->keys, line + n + 1);
	return 0;
}

int machine_known_stock(const struct kernel *from, const struct kernel *to, struct strvec *keys,
			struct strbuf *err)
{
	struct stock s = { from->version, to->version, keys };

	return each_line("checks/stock-view.tsv", take_stock, &s, err);
}
