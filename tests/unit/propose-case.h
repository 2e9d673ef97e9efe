/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proposers against tests/fixtures/propose/KIND/NAME/: in/ is the driver, case.json
 * the breakage ("at": the text of its site, the first one behind "after"), out/ the
 * driver after the candidate "pick" (0). "candidates" is how many there have to be
 * (0: none, and no out/); "title" and "risk" are those of the picked one. The
 * kernels are fixtures/propose/kernel/{old,new}. KPORT_UPDATE=1 writes out/, title
 * and risk as they are: read them before you commit them.
 */
#ifndef KPORT_PROPOSE_CASE_H
#define KPORT_PROPOSE_CASE_H

#include "unit.h"

#include <dirent.h>

#include "base/jsonutil.h"
#include "port/propose.h"

struct propose_case {
	char *name, *dir;
	json_t *meta;
	struct tree *tree;
	struct breakage b;
};

static const struct proposer *case_proposer;
static struct api_index *case_old, *case_new;

static struct api_index *case_index(const char *which)
{
	char *rel = xstrfmt("tests/fixtures/propose/kernel/%s", which), *dir = kport_data_path(rel);
	struct api_index *ix = NULL;

	assert_ok(api_index_open(dir, dir, NULL, &ix, &err));
	free(rel);
	free(dir);
	return ix;
}

static enum diag_kind case_kind(const char *name)
{
	int k;

	for (k = 0; k < DIAG_KIND_COUNT; k++)
		if (!strcmp(diag_kind_name(k), name))
			return k;
	fail_msg("no diagnostic kind '%s'", name);
	return DIAG_OTHER;
}

static enum diag_context case_context(const char *name)
{
	static const char *const names[] = { "none", "init", "assign", "argument", "return" };
	size_t i;

	for (i = 0; name && i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return (enum diag_context)i;
	return DIAG_CTX_NONE;
}

static void case_site(struct propose_case *c)
{
	const char *at = json_get_str(c->meta, "at"), *after = json_get_str(c->meta, "after");
	struct srcfile *f = tree_file(c->tree, json_get_str(c->meta, "path"));
	const char *p;

	assert_non_null(f);
	p = after ? strstr(f->text, after) : f->text;
	assert_non_null(p);
	p = strstr(p + (after ? strlen(after) : 0), at);
	assert_non_null(p);
	c->b.path = xstrdup(f->path);
	c->b.start = (size_t)(p - f->text);
	c->b.end = c->b.start + strlen(at);
}

static void case_load(struct propose_case *c, const char *dir, const char *name)
{
	char *path, *in;

	memset(c, 0, sizeof(*c));
	c->name = xstrdup(name);
	c->dir = path_join(dir, name);
	path = path_join(c->dir, "case.json");
	in = path_join(c->dir, "in");
	assert_ok(json_read_file(path, 0, &c->meta, &err));
	assert_ok(tree_read(in, &c->tree, &err));
	c->b.diag.kind = case_kind(json_get_str(c->meta, "kind"));
	c->b.diag.context = case_context(json_get_str(c->meta, "context"));
	c->b.diag.symbol = xstrdup(json_get_str(c->meta, "symbol"));
	c->b.diag.type = xstrdup(json_get_str(c->meta, "type"));
	c->b.diag.expected = xstrdup(json_get_str(c->meta, "expected"));
	c->b.diag.found = xstrdup(json_get_str(c->meta, "found"));
	c->b.diag.target = xstrdup(json_get_str(c->meta, "target"));
	c->b.diag.macro = xstrdup(json_get_str(c->meta, "macro"));
	c->b.diag.arg = (int)json_get_int(c->meta, "arg", 0);
	case_site(c);
	free(path);
	free(in);
}

static void case_release(struct propose_case *c)
{
	free(c->name);
	free(c->dir);
	json_decref(c->meta);
	tree_unref(c->tree);
	free(c->b.path);
	free(c->b.diag.symbol);
	free(c->b.diag.type);
	free(c->b.diag.expected);
	free(c->b.diag.found);
	free(c->b.diag.target);
	free(c->b.diag.macro);
}

static void case_update(struct propose_case *c, const struct edit_group *g, struct tree *after)
{
	char *out = path_join(c->dir, "out"), *path = path_join(c->dir, "case.json");

	json_set_str(c->meta, "title", g->title);
	json_set_str(c->meta, "risk", risk_name(g->risk));
	assert_ok(json_write_file(path, c->meta, &err));
	assert_ok(file_mkdirs(out, &err));
	assert_ok(tree_write(after, c->tree, out, &err));
	free(out);
	free(path);
}

/* Every file of out/ is what the candidate makes; the others are left alone. */
static void case_compare(struct propose_case *c, struct tree *after)
{
	char *out = path_join(c->dir, "out");
	struct tree *want = NULL;
	size_t i;

	assert_ok(tree_read(out, &want, &err));
	assert_true(want->n > 0);
	for (i = 0; i < after->n; i++) {
		struct srcfile *f = after->files[i], *w = tree_file(want, f->path);

		if (!w)
			w = tree_file(c->tree, f->path);
		assert_non_null(w);
		if (strcmp(f->text, w->text))
			print_message("# %s/%s is\n%s", c->name, f->path, f->text);
		assert_string_equal(f->text, w->text);
	}
	tree_unref(want);
	free(out);
}

static void case_check(struct propose_case *c)
{
	char *old = kport_data_path("tests/fixtures/propose/kernel/old");
	struct kernel from = { .name = (char *)"1.0", .common_dir = old }, to = { .name = (char *)"2.0" };
	struct breakage_list all = { .b = &c->b, .n = 1 };
	struct propose_ctx ctx = { .from = &from, .to = &to, .old_ix = case_old, .new_ix = case_new,
				   .tree = c->tree, .b = &c->b, .all = &all };
	struct edit_group_list l = { 0 }, again = { 0 };
	int64_t want = json_get_int(c->meta, "candidates", -1);
	size_t pick = (size_t)json_get_int(c->meta, "pick", 0);
	struct edit_group *g;
	struct tree *after;
	size_t i;

	assert_true((case_proposer->kinds & KIND_BIT(c->b.diag.kind)) != 0);
	assert_ok(case_proposer->propose(&ctx, &l, &err));
	if (want >= 0 && (size_t)want != l.n)
		for (i = 0; i < l.n; i++)
			print_message("# %s: '%s'\n", c->name, l.g[i]->title);
	if (want >= 0)
		assert_int_equal(l.n, want);
	/* The same input gives the same candidates. */
	assert_ok(case_proposer->propose(&ctx, &again, &err));
	assert_int_equal(l.n, again.n);
	for (i = 0; i < l.n; i++)
		assert_true(edit_groups_equal(l.g[i], again.g[i]));
	edit_group_list_release(&again);
	if (want == 0)
		goto out;
	assert_true(pick < l.n);
	g = l.g[pick];
	assert_non_null(g->title);
	assert_non_null(g->why);
	after = tree_apply(c->tree, g, &err);
	assert_non_null(after);
	if (getenv("KPORT_UPDATE"))
		case_update(c, g, after);
	assert_string_equal(g->title, json_get_str(c->meta, "title"));
	assert_string_equal(risk_name(g->risk), json_get_str(c->meta, "risk"));
	case_compare(c, after);
	tree_unref(after);
out:
	edit_group_list_release(&l);
	free(old);
}

/* All cases below fixtures/propose/KIND, in order of their names. */
static void case_check_all(const char *kind)
{
	char *rel = xstrfmt("tests/fixtures/propose/%s", kind), *dir = kport_data_path(rel);
	struct strvec names = STRVEC_INIT;
	DIR *d = opendir(dir);
	struct dirent *de;
	size_t i;

	assert_non_null(d);
	while ((de = readdir(d)))
		if (de->d_name[0] != '.')
			strvec_push(&names, de->d_name);
	closedir(d);
	strvec_sort(&names);
	assert_true(names.n > 0);
	for (i = 0; i < names.n; i++) {
		struct propose_case c;

		if (getenv("KPORT_CASE") && strcmp(getenv("KPORT_CASE"), names.v[i]))
			continue;
		print_message("# %s/%s\n", kind, names.v[i]);
		case_load(&c, dir, names.v[i]);
		case_check(&c);
		case_release(&c);
	}
	strvec_release(&names);
	free(dir);
	free(rel);
}

static int case_setup(void **state)
{
	if (scratch_make(state))
		return -1;
	setenv("KPORT_CACHE_HOME", scratch, 1);
	case_old = case_index("old");
	case_new = case_index("new");
	return 0;
}

static int case_teardown(void **state)
{
	api_index_close(case_old);
	api_index_close(case_new);
	return scratch_remove(state);
}

#endif
