// SPDX-License-Identifier: GPL-2.0-only
/*
 * The API index and the difference of the two small kernels in tests/fixtures/apidiff;
 * changes.list holds the expected difference. KPORT_UPDATE=1 rewrites it. Run from
 * the root of the source tree.
 */
#include "base/compat.h"

#include <setjmp.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "mine/apidiff.h"
#include "mine/name-sim.h"
#include "mine/signature.h"

#define FIXTURE "tests/fixtures/apidiff"

static char *cache;

static struct api_index *open_index(const char *side)
{
	struct strbuf err = STRBUF_INIT;
	struct api_index *ix = NULL;
	char *dir = path_join(FIXTURE, side), *symvers = path_join(dir, "Module.symvers");

	if (api_index_open(NULL, dir, symvers, &ix, &err) < 0)
		fail_msg("%s", err.buf);
	free(dir);
	free(symvers);
	strbuf_release(&err);
	return ix;
}

static int set_up(void **state)
{
	struct strbuf err = STRBUF_INIT;

	if (file_mkdtemp("/tmp", "u-apidiff-", &cache, &err) < 0)
		return -1;
	return setenv("KPORT_CACHE_HOME", cache, 1);
}

static int tear_down(void **state)
{
	struct strbuf err = STRBUF_INIT;
	int ret = file_remove(cache, &err);

	free(cache);
	strbuf_release(&err);
	return ret;
}

static void lookups(void **state)
{
	struct api_index *ix = open_index("old");
	const struct api_symbol *s, **list;
	struct strvec v = STRVEC_INIT;
	const char *ns;
	bool gpl;
	size_t n;

	assert_string_equal(api_index_release(ix), "1.0.0-old");
	s = api_lookup(ix, "del_frob", API_ANY_CALLABLE);
	assert_non_null(s);
	assert_int_equal(s->kind, API_INLINE);
	assert_string_equal(s->alias, "frob_delete");
	assert_string_equal(s->header, "linux/frob.h");
	assert_null(api_lookup(ix, "del_frob", API_FUNCTION));
	assert_null(api_lookup(ix, "nothing", API_ANY));
	s = api_lookup(ix, "frob_register", API_FUNCTION);
	assert_true(s->exported && !s->gpl && s->active);
	assert_string_equal(s->params, "void *owner, struct frob *f, int flags");
	assert_false(api_lookup(ix, "frob_absent", API_ANY)->active);
	assert_string_equal(api_lookup(ix, "struct frob", API_ANY)->name, "frob");
	n = api_members(ix, "struct frob", &list);
	assert_int_equal(n, 6);
	assert_string_equal(list[1]->name, "flags");
	assert_string_equal(list[5]->type, "u8[6]");
	free(list);
	s = api_member(ix, "struct frob_ops", "speed");
	assert_string_equal(s->path, "link.speed");
	assert_ptr_equal(api_member(ix, "struct frob_ops", "link.speed"), s);
	assert_null(api_member(ix, "struct frob_ops", "wrong.speed"));
	/* asm-generic/odd.h is had as asm/odd.h. */
	assert_string_equal(api_lookup(ix, "odd", API_ANY)->header, "asm/odd.h");
	assert_int_equal(api_in_header(ix, "asm/odd.h", API_ANY, &list), 1);
	free(list);
	assert_true(api_has_header(ix, "linux/types.h") && !api_has_header(ix, "linux/no.h"));
	assert_int_equal(api_includes(ix, "linux/frob.h", false, &v), 3);
	strvec_clear(&v);
	assert_int_equal(api_includes(ix, "linux/frob.h", true, &v), 4);
	strvec_clear(&v);
	assert_int_equal(api_headers_named(ix, "odd.h", &v), 2);
	strvec_release(&v);
	n = api_taking_type(ix, "struct frob", API_FUNCTION, &list);
	assert_true(n >= 8);
	free(list);
	assert_true(api_is_exported(ix, "frob_ns", &gpl, &ns) && gpl && !ns);
	assert_false(api_is_exported(ix, "frob_same", &gpl, &ns));
	api_index_close(ix);
}

static void add_line(struct strbuf *out, const struct api_change *c)
{
	strbuf_addf(out, "%s %s", api_change_name(c->kind), c->symbol);
	if (c->member)
		strbuf_addf(out, " .%s", c->member);
	if (c->to_name)
		strbuf_addf(out, " -> %s", c->to_name);
	if (c->confidence < 1)
		strbuf_addf(out, " (%.2f)", c->confidence);
	if (c->evidence)
		strbuf_addf(out, ": %s", c->evidence);
	strbuf_addch(out, '\n');
}

static void difference(void **state)
{
	struct api_index *a = open_index("old"), *b = open_index("new");
	struct strbuf err = STRBUF_INIT, got = STRBUF_INIT, want = STRBUF_INIT;
	const struct api_change *all, **some;
	struct api_diff *df = NULL;
	size_t n, i;

	assert_int_equal(api_diff_open(a, b, &df, &err), 0);
	n = api_diff_lookup(df, "del_frob", &some);
	assert_int_equal(n, 1);
	assert_int_equal(some[0]->kind, CHANGE_RENAMED);
	assert_string_equal(some[0]->to_name, "frob_delete");
	assert_string_equal(some[0]->from->name, "del_frob");
	free(some);
	n = api_diff_all(df, &all);
	for (i = 0; i < n; i++)
		add_line(&got, &all[i]);
	if (getenv("KPORT_UPDATE"))
		assert_int_equal(file_write(FIXTURE "/changes.list", got.buf, got.len, &err), 0);
	assert_int_equal(file_read(FIXTURE "/changes.list", 0, &want, &err), 0);
	if (strcmp(got.buf, want.buf))
		print_error("got:\n%s", got.buf);
	assert_string_equal(got.buf, want.buf);
	/* The same both ways of asking. */
	n = api_diff_lookup(df, "struct frob", &some);
	assert_true(n > 3);
	for (i = 0; i < n; i++)
		assert_string_equal(some[i]->symbol, "struct frob");
	free(some);
	api_diff_close(df);
	api_index_close(a);
	api_index_close(b);
	strbuf_release(&err);
	strbuf_release(&got);
	strbuf_release(&want);
}

static void no_difference(void **state)
{
	struct api_index *a = open_index("old"), *b = open_index("old");
	struct strbuf err = STRBUF_INIT;
	const struct api_change *all;
	struct api_diff *df = NULL;

	assert_int_equal(api_diff_open(a, b, &df, &err), 0);
	assert_int_equal(api_diff_all(df, &all), 0);
	api_diff_close(df);
	api_index_close(a);
	api_index_close(b);
	strbuf_release(&err);
}

/* A file that is no database is made anew. */
static void damaged(void **state)
{
	struct strvec files = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	char *dir = path_join(cache, "index");

	api_index_close(open_index("old"));
	assert_int_equal(file_list(dir, &files, &err), 0);
	for (size_t i = 0; i < files.n; i++)
		if (ends_with(files.v[i], ".db")) {
			char *path = path_join(dir, files.v[i]);

			assert_int_equal(file_write(path, "SQLite format 3 is not this", 27, &err), 0);
			free(path);
		}
	lookups(state);
	difference(state);
	free(dir);
	strvec_release(&files);
	strbuf_release(&err);
}

/* Several processes that all find no index make it once and all get it. */
static void together(void **state)
{
	struct strbuf err = STRBUF_INIT;
	char *dir = path_join(cache, "index");
	int status, i, ok = 0;

	assert_int_equal(file_remove(dir, &err), 0);
	for (i = 0; i < 4; i++)
		if (!fork()) {
			struct api_index *ix = open_index("new");

			_exit(api_lookup(ix, "frob_ready", API_FUNCTION) ? 0 : 1);
		}
	for (i = 0; i < 4; i++)
		ok += wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	assert_int_equal(ok, 4);
	free(dir);
	strbuf_release(&err);
}

static void bad_trees(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct api_index *ix = NULL;

	assert_true(api_index_open(NULL, "/nonexistent", NULL, &ix, &err) < 0);
	assert_non_null(strstr(err.buf, "/nonexistent"));
	strbuf_reset(&err);
	assert_true(api_index_open(NULL, "tests/unit", NULL, &ix, &err) < 0);
	assert_non_null(strstr(err.buf, "no kernel headers"));
	assert_null(ix);
	strbuf_release(&err);
}

static void signatures(void **state)
{
	static const struct { const char *a, *b; enum sig_result want; } cases[] = {
		{ "int a", "int b", SIG_SAME },
		{ "u32 a", "unsigned int", SIG_SAME },
		{ "unsigned a", "unsigned int b", SIG_SAME },
		{ "u8 buf[16]", "unsigned char *p", SIG_SAME },
		{ "const char *a", "char *a", SIG_QUALIFIERS },
		{ "char *const a", "char *a", SIG_SAME },
		{ "void __user *a", "void *a", SIG_SAME },
		{ "struct foo *a", "struct bar *a", SIG_DIFFERENT },
		{ "int a", "long a", SIG_DIFFERENT },
		{ "void", "", SIG_SAME },
		{ "int a", "int a, int b", SIG_DIFFERENT },
		{ "int (*cb)(struct foo *f, int x)", "int (*fn)(struct foo *, int)", SIG_SAME },
		{ "int (*cb)(struct foo *f)", "int (*fn)(const struct foo *)", SIG_QUALIFIERS },
		{ "int (*cb)(struct foo *f)", "void (*fn)(struct foo *)", SIG_DIFFERENT },
		{ "const char *fmt, ...", "const char *f, ...", SIG_SAME },
		{ "const char *fmt, ...", "const char *f", SIG_DIFFERENT },
		{ "enum foo x", "int x", SIG_DIFFERENT },
		{ "gfp_t flags", "gfp_t", SIG_SAME },
		{ "unsigned long long x", "u64 x", SIG_SAME },
		{ "struct foo **a", "struct foo *a[]", SIG_SAME },
	};
	struct strbuf sb = STRBUF_INIT;
	bool variadic;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (sig_compare_params(cases[i].a, cases[i].b) != cases[i].want)
			fail_msg("'%s' against '%s'", cases[i].a, cases[i].b);
	assert_int_equal(sig_compare_types("u8[6]", "unsigned char[6]"), SIG_SAME);
	assert_int_equal(sig_compare_types("u8[6]", "u8[8]"), SIG_DIFFERENT);
	assert_int_equal(sig_compare_types("unsigned int:1", "u32:1"), SIG_SAME);
	assert_int_equal(sig_compare_types(NULL, "int"), SIG_DIFFERENT);
	assert_int_equal(sig_arity("int a, void (*f)(int, int), ...", &variadic), 2);
	assert_true(variadic);
	assert_int_equal(sig_arity("void", &variadic), 0);
	sig_param_name("void (*fn)(int x)", &sb);
	assert_string_equal(sb.buf, "fn");
	strbuf_reset(&sb);
	sig_param_name("struct foo *", &sb);
	assert_string_equal(sb.buf, "");
	strbuf_release(&sb);
}

static void names(void **state)
{
	static const char *const opposite[][2] = {
		{ "foo_read", "foo_write" }, { "page_lock", "page_unlock" }, { "phy_c22", "phy_c45" },
		{ "dev_get", "dev_put" }, { "x_valid", "x_broken" }, { "rx_done", "tx_done" },
		{ "readl", "readl" }, { "chan_size", "chan_pages" },
		{ "REQ_NO_PROGRESS", "REQ_MADE_PROGRESS" }, { "CLK_END", "CLK_ESW" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opposite); i++)
		assert_int_equal(name_opposite(opposite[i][0], opposite[i][1]), i != 6);
	assert_false(name_opposite("del_timer", "timer_delete"));
	assert_false(name_opposite("from_timer", "timer_container_of"));
	assert_true(name_similarity("del_timer", "timer_delete") > 0.8);
	assert_true(name_similarity("PDE_DATA", "pde_data") > 0.95);
	assert_true(name_similarity("foo_alloc", "bar_free") < 0.3);
	assert_true(name_similarity("a", "a") == 1);
	assert_true(name_similarity("", "") == 0);
	assert_true(name_word_replaced("even_cows", "skip_cows"));
	assert_false(name_word_replaced("index", "__index"));
	assert_false(name_same_case("FOO_BAR", "foo_bar"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lookups), cmocka_unit_test(difference), cmocka_unit_test(no_difference),
		cmocka_unit_test(damaged), cmocka_unit_test(together), cmocka_unit_test(bad_trees),
		cmocka_unit_test(signatures), cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
