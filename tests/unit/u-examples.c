// SPDX-License-Identifier: GPL-2.0-only
/* Mining two small trees: pairs, renamed files, what is found, and mining again. */
#include "base/compat.h"

#include <setjmp.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/examples.h"

static char *dir;

static void put(const char *rel, const char *text)
{
	char *path = path_join(dir, rel);
	struct strbuf err = STRBUF_INIT;

	assert_int_equal(file_mkdirs_for(path, &err), 0);
	assert_int_equal(file_write(path, text, strlen(text), &err), 0);
	free(path);
	strbuf_release(&err);
}

static int set_up(void **state)
{
	struct strbuf err = STRBUF_INIT;

	if (file_mkdtemp("/tmp", "u-examples-", &dir, &err) < 0)
		return -1;
	put("old/Makefile", "VERSION = 6\nPATCHLEVEL = 1\n");
	put("new/Makefile", "VERSION = 6\nPATCHLEVEL = 12\n");
	put("old/drivers/a.c", "#include <asm/unaligned.h>\n"
	    "static int a_probe(struct a *a)\n{\n\tdel_timer(&a->t);\n\ta->x = 1;\n\treturn 0;\n}\n");
	put("new/drivers/a.c", "#include <linux/unaligned.h>\n"
	    "static int a_probe(struct a *a)\n{\n\ttimer_delete(&a->t);\n\ta->x = 1;\n\treturn 0;\n}\n");
	put("old/drivers/same.c", "int same(void) { return del_timer(0); }\n");
	put("new/drivers/same.c", "int same(void) { return del_timer(0); }\n");
	/* Only the layout differs: no example. */
	put("old/drivers/layout.c", "int f(int x)\n{\n\treturn g(x,1);\n}\n");
	put("new/drivers/layout.c", "int f(int x)\n{ /* c */\n\treturn g(x, 1);\n}\n");
	put("old/sound/old_name.c", "int one(void) { return cls(THIS, 1); }\nint two(void) { return 2; }\n");
	put("new/sound/sub/new_name.c", "int one(void) { return cls(1); }\nint two(void) { return 2; }\n");
	put("old/net/gone.c", "int gone(void) { return del_timer(1); }\n");
	put("new/net/other.c", "int other(void) { return 1; }\nint more(void) { return 2; }\n");
	return 0;
}

static int tear_down(void **state)
{
	struct strbuf err = STRBUF_INIT;
	int ret = file_remove(dir, &err);

	free(dir);
	strbuf_release(&err);
	return ret;
}

static struct examples *mine(struct examples_stats *st)
{
	char *a = path_join(dir, "old"), *b = path_join(dir, "new"), *db = path_join(dir, "idx/examples-x.db");
	struct strbuf err = STRBUF_INIT;
	struct examples *ex = NULL;

	if (examples_mine(a, b, NULL, db, NULL, NULL, &err) < 0 || examples_open(db, &ex, &err) < 0 ||
	    examples_stats(ex, st, &err) < 0)
		fail_msg("%s", err.buf);
	free(a);
	free(b);
	free(db);
	strbuf_release(&err);
	return ex;
}

static void found(void **state)
{
	struct examples_stats st;
	struct examples *ex = mine(&st);
	struct strvec exclude = STRVEC_INIT;
	struct example *v;
	size_t n;

	assert_int_equal(st.files, 4);
	assert_int_equal(st.changed, 3);
	assert_int_equal(st.renamed, 1);
	assert_int_equal(st.reused, 0);
	n = examples_for(ex, "del_timer", NULL, 10, &v);
	assert_int_equal(n, 1);
	assert_string_equal(v[0].path, "drivers/a.c");
	assert_string_equal(v[0].function, "a_probe");
	assert_int_equal(v[0].line, 4);
	assert_string_equal(v[0].before, "del_timer(&a->t);");
	assert_string_equal(v[0].after, "timer_delete(&a->t);");
	examples_free_list(v, n);
	n = examples_for(ex, "cls", NULL, 10, &v);
	assert_int_equal(n, 1);
	assert_string_equal(v[0].path, "sound/old_name.c");
	assert_string_equal(v[0].after, "return cls(1);");
	examples_free_list(v, n);
	assert_int_equal(examples_for(ex, "g", NULL, 10, &v), 0);
	/* The driver being ported, by path, by directory and by base name. */
	strvec_push(&exclude, "drivers/a.c");
	assert_int_equal(examples_for(ex, "del_timer", &exclude, 10, &v), 0);
	strvec_clear(&exclude);
	strvec_push(&exclude, "drivers");
	assert_int_equal(examples_for(ex, "del_timer", &exclude, 10, &v), 0);
	strvec_clear(&exclude);
	strvec_push(&exclude, "elsewhere/a.c");
	assert_int_equal(examples_for(ex, "del_timer", &exclude, 10, &v), 0);
	strvec_release(&exclude);
	examples_close(ex);
}

/* Only what changed is mined again; what is gone goes. */
static void again(void **state)
{
	struct examples_stats st;
	struct examples *ex;
	struct strbuf err = STRBUF_INIT;
	struct example *v;
	char *gone = path_join(dir, "new/sound/sub/new_name.c");
	size_t n;

	examples_close(mine(&st));
	ex = mine(&st);
	assert_int_equal(st.reused, 3);
	examples_close(ex);
	put("new/drivers/a.c", "#include <linux/unaligned.h>\n"
	    "static int a_probe(struct a *a)\n{\n\ttimer_shutdown(&a->t);\n\ta->x = 1;\n\treturn 0;\n}\n");
	assert_int_equal(file_remove(gone, &err), 0);
	ex = mine(&st);
	assert_int_equal(st.changed, 2);
	assert_int_equal(st.reused, 1);
	assert_int_equal(st.renamed, 0);
	n = examples_for(ex, "del_timer", NULL, 10, &v);
	assert_int_equal(n, 1);
	assert_string_equal(v[0].after, "timer_shutdown(&a->t);");
	examples_free_list(v, n);
	assert_int_equal(examples_for(ex, "cls", NULL, 10, &v), 0);
	examples_close(ex);
	free(gone);
	strbuf_release(&err);
}

/* What a killed run left: its pairs are taken over; rubbish is not. */
static void left_over(void **state)
{
	char *db = path_join(dir, "idx/examples-x.db"), *part = xstrfmt("%s.part", db);
	struct strbuf err = STRBUF_INIT;
	struct examples_stats st;

	examples_close(mine(&st));
	assert_int_equal(rename(db, part), 0);
	examples_close(mine(&st));
	assert_int_equal(st.reused, st.changed);
	assert_false(file_exists(part));
	assert_int_equal(file_write(part, "rubbish", 7, &err), 0);
	assert_int_equal(file_write(db, "rubbish", 7, &err), 0);
	examples_close(mine(&st));
	assert_int_equal(st.reused, 0);
	free(db);
	free(part);
	strbuf_release(&err);
}

static void bad_input(void **state)
{
	char *a = path_join(dir, "old"), *none = path_join(dir, "none"), *db = path_join(dir, "idx/none.db");
	struct strbuf err = STRBUF_INIT;
	struct examples *ex = NULL;

	assert_int_equal(examples_mine(a, none, NULL, db, NULL, NULL, &err), KP_ERR);
	assert_non_null(strstr(err.buf, "none"));
	strbuf_reset(&err);
	assert_int_equal(examples_open(db, &ex, &err), KP_NOTFOUND);
	assert_non_null(strstr(err.buf, "kport mine"));
	free(a);
	free(none);
	free(db);
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found), cmocka_unit_test(again), cmocka_unit_test(left_over),
		cmocka_unit_test(bad_input),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
