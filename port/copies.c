// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/copies.h"

#include "base/alloc.h"
#include "base/file.h"

#define MAX_SOURCE (16 << 20)

/* The tree's file with the text of a source that is none of its files, or NULL. */
static const struct srcfile *original_of(const char *source, const char *tree_dir, const struct tree *t)
{
	const char *rel = path_inside(tree_dir, source);
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	const struct srcfile *found = NULL;

	if (!rel || tree_file(t, rel) || file_read(source, MAX_SOURCE, &text, &ignored)) {
		strbuf_release(&text);
		strbuf_release(&ignored);
		return NULL;
	}
	for (size_t i = 0; i < t->n && !found; i++)
		if (t->files[i]->len == text.len && !memcmp(t->files[i]->text, text.buf, text.len))
			found = t->files[i];
	strbuf_release(&text);
	strbuf_release(&ignored);
	return found;
}

static void move_file(char **file, const char *from, const char *to)
{
	if (*file && !strcmp(*file, from)) {
		free(*file);
		*file = xstrdup(to);
	}
}

static void move_diags(struct diag_list *l, const char *from, const char *to)
{
	for (size_t i = 0; i < l->n; i++) {
		move_file(&l->d[i].loc.file, from, to);
		for (size_t k = 0; k < l->d[i].nnotes; k++)
			move_file(&l->d[i].notes[k].file, from, to);
	}
}

/* The compiler reads "to"; what stands beside "from" is still found by #include "...". */
static void move_argument(struct kbuild_unit *u, const char *to)
{
	struct strvec argv = STRVEC_INIT;
	char *dir = path_dir(u->source);

	for (size_t i = 0; i < u->argv.n; i++) {
		char *path = path_absolute(u->cwd, u->argv.v[i]);

		strvec_push(&argv, i && !strcmp(path, u->source) ? to : u->argv.v[i]);
		if (!i)
			strvec_pushl(&argv, "-iquote", dir, NULL);
		free(path);
	}
	strvec_release(&u->argv);
	u->argv = argv;
	free(dir);
}

void units_follow_copies(struct kbuild_result *b, const char *tree_dir, const struct tree *t)
{
	for (size_t i = 0; i < b->nunits; i++) {
		struct kbuild_unit *u = &b->units[i];
		const struct srcfile *f = u->source ? original_of(u->source, tree_dir, t) : NULL;
		char *to;

		if (!f)
			continue;
		to = path_join(tree_dir, f->path);
		move_argument(u, to);
		move_diags(&u->diags, u->source, to);
		move_diags(&u->raw, u->source, to);
		free(u->source);
		u->source = to;
	}
}
