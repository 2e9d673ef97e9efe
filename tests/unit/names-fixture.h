/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two small kernels, tests/fixtures/names/{old,new}, and a driver given as text:
 * what the tests of the proposers share.
 *
 *	fix_driver("x.c", "...", NULL);
 *	l = fix_propose(&propose_rename, DIAG_IMPLICIT_FUNCTION, "del_timer", NULL, "x.c", "del_timer");
 *	fix_expect(l, 0, "x.c", "...");
 */
#ifndef KPORT_NAMES_FIXTURE_H
#define KPORT_NAMES_FIXTURE_H

#include "port/propose.h"
#include "tests/unit/unit.h"

UNUSED static struct kernel fix_from, fix_to;
UNUSED static struct api_index *fix_old, *fix_new;
UNUSED static struct tree *fix_tree;
UNUSED static struct edit_group_list fix_list;

UNUSED static void fix_kernel(const char *which, const char *name, struct kernel *k,
			      struct api_index **ix)
{
	char *dir = xstrfmt("tests/fixtures/names/%s", which);

	k->name = xstrdup(name);
	k->common_dir = file_realpath(dir);
	assert_non_null(k->common_dir);
	k->build_dir = xstrdup(k->common_dir);
	assert_ok(api_index_open(k->common_dir, k->build_dir, NULL, ix, &err));
	free(dir);
}

/* Group setup. */
UNUSED static int fix_open(void **state)
{
	char *cache;

	if (scratch_make(state) < 0)
		return -1;
	cache = path_join(scratch, "cache");
	setenv("KPORT_CACHE_HOME", cache, 1);
	free(cache);
	fix_kernel("old", "6.1", &fix_from, &fix_old);
	fix_kernel("new", "6.13", &fix_to, &fix_new);
	return 0;
}

UNUSED static int fix_close(void **state)
{
	struct kernel *k[] = { &fix_from, &fix_to };

	edit_group_list_release(&fix_list);
	tree_unref(fix_tree);
	api_index_close(fix_old);
	api_index_close(fix_new);
	for (size_t i = 0; i < 2; i++) {
		free(k[i]->name);
		free(k[i]->common_dir);
		free(k[i]->build_dir);
	}
	return scratch_remove(state);
}

/* Path and text in turn, NULL at the end. */
UNUSED static void fix_driver(const char *path, ...)
{
	char *dir = path_join(scratch, "driver");
	va_list ap;

	file_remove(dir, &err);
	va_start(ap, path);
	while (path) {
		const char *text = va_arg(ap, const char *);
		char *full = path_join(dir, path);

		assert_ok(file_mkdirs_for(full, &err));
		assert_ok(file_write(full, text, strlen(text), &err));
		free(full);
		path = va_arg(ap, const char *);
	}
	va_end(ap);
	tree_unref(fix_tree);
	assert_ok(tree_read(dir, &fix_tree, &err));
	free(dir);
}

/* The proposals for a diagnostic whose caret stands at "needle" in the file. */
UNUSED static struct edit_group_list *fix_propose(const struct proposer *p, enum diag_kind kind,
						  const char *symbol, const char *type,
						  const char *path, const char *needle)
{
	struct breakage b = { 0 };
	struct breakage_list all = { .b = &b, .n = 1 };
	struct propose_ctx c = { .from = &fix_from, .to = &fix_to, .old_ix = fix_old,
				 .new_ix = fix_new, .tree = fix_tree, .b = &b, .all = &all };
	struct srcfile *f = path ? tree_file(fix_tree, path) : NULL;

	edit_group_list_release(&fix_list);
	b.diag.kind = kind;
	b.diag.symbol = xstrdup(symbol);
	b.diag.type = xstrdup(type);
	b.path = xstrdup(path);
	if (f) {
		const char *at = strstr(f->text, needle);

		assert_non_null(at);
		b.start = (size_t)(at - f->text);
		b.end = b.start + strlen(needle);
		b.diag.loc.line = srcfile_line(f, b.start);
	}
	assert_true(p->kinds & KIND_BIT(kind));
	assert_ok(p->propose(&c, &fix_list, &err));
	free(b.diag.symbol);
	free(b.diag.type);
	free(b.path);
	return &fix_list;
}

/* Is there a group that turns the file into this text? Its index, or -1. */
UNUSED static int fix_find(struct edit_group_list *l, const char *path, const char *want)
{
	for (size_t i = 0; i < l->n; i++) {
		struct strbuf why = STRBUF_INIT;
		struct tree *t = tree_apply(fix_tree, l->g[i], &why);
		bool hit = t && !strcmp(tree_file(t, path)->text, want);

		strbuf_release(&why);
		tree_unref(t);
		if (hit)
			return (int)i;
	}
	return -1;
}

UNUSED static void fix_show(struct edit_group_list *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++) {
		struct strbuf why = STRBUF_INIT;
		struct tree *t = tree_apply(fix_tree, l->g[i], &why);

		print_message("# %zu: %s (%s, %.2f) %s\n%s\n", i, l->g[i]->title,
			      risk_name(l->g[i]->risk), l->g[i]->score, l->g[i]->why,
			      t ? tree_file(t, path)->text : why.buf);
		strbuf_release(&why);
		tree_unref(t);
	}
}

#define fix_expect(l, path, want, risk_)                                        \
	do {                                                                    \
		int at__ = fix_find(l, path, want);                             \
		if (at__ < 0)                                                   \
			fix_show(l, path);                                      \
		assert_true(at__ >= 0);                                         \
		assert_int_equal((l)->g[at__]->risk, risk_);                    \
		assert_non_null((l)->g[at__]->title);                           \
		assert_non_null((l)->g[at__]->why);                             \
	} while (0)

#define fix_expect_first(l, path, want, risk_)                                  \
	do {                                                                    \
		fix_expect(l, path, want, risk_);                               \
		assert_int_equal(fix_find(l, path, want), 0);                   \
	} while (0)

#define fix_expect_none(l)                                                      \
	do {                                                                    \
		if ((l)->n)                                                     \
			print_message("# unexpected: %s\n", (l)->g[0]->title);  \
		assert_int_equal((l)->n, 0);                                    \
	} while (0)

#endif
