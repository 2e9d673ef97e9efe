// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/reach.h"

#include "base/alloc.h"
#include "base/file.h"

#define MAX_DEPTH 16

static struct srcfile *local_header(const struct tree *t, const struct srcfile *from,
				    const char *name)
{
	char *dir = path_dir(from->path), *path = path_join(dir, name);
	struct srcfile *f = tree_file(t, path);
	size_t i;

	if (!f)
		f = tree_file(t, name);
	for (i = 0; !f && i < t->n; i++)
		if (!strcmp(path_base(t->files[i]->path), path_base(name)))
			f = t->files[i];
	free(path);
	free(dir);
	return f;
}

static bool kernel_reaches(struct api_index *ix, const char *from, const char *header)
{
	struct strvec deep = STRVEC_INIT;
	bool yes = !strcmp(from, header);

	if (!yes && ix) {
		api_includes(ix, from, true, &deep);
		yes = strvec_contains(&deep, header);
	}
	strvec_release(&deep);
	return yes;
}

static bool reaches(struct api_index *ix, const struct tree *t, struct srcfile *f,
		    const char *header, int depth)
{
	const struct ctoks *ts = srcfile_toks(f);
	bool yes = false;
	uint32_t i;

	for (i = 0; i < ts->n && !yes && depth < MAX_DEPTH; i++) {
		const char *p, *end;
		struct srcfile *local;
		char *name, close;

		if (!ctok_pp_is(ts, i, "include"))
			continue;
		p = f->text + ts->t[i].off;
		end = p + ts->t[i].len;
		while (p < end && *p != '<' && *p != '"')
			p++;
		if (p == end)
			continue;
		close = *p == '<' ? '>' : '"';
		p++;
		name = memchr(p, close, end - p) ?
			       xstrndup(p, (const char *)memchr(p, close, end - p) - p) : NULL;
		local = name && close == '"' ? local_header(t, f, name) : NULL;
		if (local && local != f)
			yes = reaches(ix, t, local, header, depth + 1);
		else if (name)
			yes = kernel_reaches(ix, name, header);
		free(name);
	}
	return yes;
}

bool header_reached(struct api_index *ix, const struct tree *t, struct srcfile *f,
		    const char *header)
{
	return reaches(ix, t, f, header, 0);
}
