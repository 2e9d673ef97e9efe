// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/kbuildfix.h"

#include "base/alloc.h"
#include "base/file.h"

static const char *const kbuild_flags[][2] = {
	{ "EXTRA_CFLAGS", "ccflags-y" },
	{ "EXTRA_AFLAGS", "asflags-y" },
	{ "EXTRA_LDFLAGS", "ldflags-y" },
};

/* Does Kbuild of the target know EXTRA_CFLAGS? Unreadable scripts count as yes. */
static bool target_knows(const struct kernel *to, const char *variable)
{
	static const char *const scripts[] = { "scripts/Makefile.build", "scripts/Makefile.lib" };
	bool known = false, seen = false;

	if (!to || !to->common_dir)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(scripts) && !known; i++) {
		struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
		char *path = path_join(to->common_dir, scripts[i]);

		if (!file_read(path, 4 << 20, &text, &ignored)) {
			seen = true;
			known = strstr(text.buf, variable) != NULL;
		}
		free(path);
		strbuf_release(&text);
		strbuf_release(&ignored);
	}
	return known || !seen;
}

static size_t rename_make_variable(struct edit_group *g, struct srcfile *f, const char *from,
				   const char *to)
{
	size_t len = strlen(from), n = 0;

	for (const char *p = f->text; (p = strstr(p, from)); p += len) {
		char before = p == f->text ? '\n' : p[-1], after = p[len];
		size_t at = (size_t)(p - f->text);

		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789-.", before) ||
		    (after && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz0123456789-",
				     after)))
			continue;
		edit_add(g, f->path, at, at + len, to);
		n++;
	}
	return n;
}

struct edit_group *kbuild_flags_group(const struct kernel *to, const struct tree *t)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "kbuild", RISK_SAFE, 0.97);

	for (size_t v = 0; v < ARRAY_SIZE(kbuild_flags); v++) {
		bool used = false;

		for (size_t i = 0; i < t->n && !used; i++)
			used = !srcfile_is_c(t->files[i]) && strstr(t->files[i]->text, kbuild_flags[v][0]);
		if (!used || target_knows(to, kbuild_flags[v][0]))
			continue;
		for (size_t i = 0; i < t->n; i++)
			if (!srcfile_is_c(t->files[i]))
				rename_make_variable(g, t->files[i], kbuild_flags[v][0],
						     kbuild_flags[v][1]);
		edit_group_why(g, "Kbuild of %s no longer reads %s; %s is its name.", to->name,
			       kbuild_flags[v][0], kbuild_flags[v][1]);
	}
	edit_group_title(g, "use ccflags-y in place of EXTRA_CFLAGS");
	g->symbol = xstrdup("EXTRA_CFLAGS");
	if (g->n)
		return g;
	edit_group_free(g);
	return NULL;
}
