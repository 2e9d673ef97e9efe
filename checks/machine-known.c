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

/* SINCE UNTIL MODULE TITLE, separated by tabs; UNTIL is the first version without it. */
static int take_line(const struct kernel *k, const struct kbuild_result *build, const char *line,
		     struct strvec *titles)
{
	struct strvec f = STRVEC_INIT;
	unsigned since, until;
	int ret = KP_ERR;

	strvec_split(&f, line, "\t");
	if (f.n == 4) {
		since = parse_version(f.v[0], 1);
		until = parse_version(f.v[1], ~0u);
		if (since && until) {
			ret = 0;
			if (k->version >= since && k->version < until && is_built(build, f.v[2]))
				strvec_push(titles, f.v[3]);
		}
	}
	strvec_release(&f);
	return ret;
}

int machine_known_titles(const struct kernel *k, const struct kbuild_result *build,
			 struct strvec *titles, struct strbuf *err)
{
	char *path = kport_data_path("checks/known-console.tsv");
	struct strbuf text = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	int ret = file_read(path, 1 << 20, &text, err);

	if (ret == 0)
		strvec_split(&lines, text.buf, "\n");
	for (size_t i = 0; ret == 0 && i < lines.n; i++) {
		if (*lines.v[i] == '#')
			continue;
		ret = take_line(k, build, lines.v[i], titles);
		if (ret < 0)
			kp_fail(err, ret, "'%s': wrong line '%s'", path, lines.v[i]);
	}
	strvec_release(&lines);
	strbuf_release(&text);
	free(path);
	return ret;
}
