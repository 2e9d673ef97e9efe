/* SPDX-License-Identifier: GPL-2.0-only */
/* The ladder, and gate "apply" on small trees. */
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include <unistd.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "checks/gate.h"

struct fixture {
	char *dir, *pristine, *tree, *patch;
	struct driver *d;
	struct gate_subject s;
};

static void put(const char *dir, const char *name, const char *text)
{
	char *path = path_join(dir, name);
	struct strbuf err = STRBUF_INIT;

	assert_int_equal(file_mkdirs_for(path, &err), 0);
	assert_int_equal(file_write(path, text, strlen(text), &err), 0);
	strbuf_release(&err);
	free(path);
}

static const char source[] = "int a;\nint b;\nint c;\nint d;\nint e;\nint f;\nint g;\n";
static const char ported[] = "int a;\nint b;\nint c;\nlong d;\nint e;\nint f;\nint g;\n";
static const char diff[] = "--- a/x.c\n+++ b/x.c\n@@ -1,7 +1,7 @@\n int a;\n int b;\n int c;\n-int d;\n"
			   "+long d;\n int e;\n int f;\n int g;\n";

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct strbuf err = STRBUF_INIT;

	assert_int_equal(file_mkdtemp("/tmp", "kport-gate-", &f->dir, &err), 0);
	f->pristine = path_join(f->dir, "pristine");
	f->tree = path_join(f->dir, "tree");
	f->patch = path_join(f->dir, "port.patch");
	put(f->pristine, "x.c", source);
	put(f->pristine, "Makefile", "obj-m := x.o\n");
	assert_int_equal(driver_load(f->pristine, f->tree, NULL, &f->d, &err), 0);
	put(f->tree, "x.c", ported);
	put(f->dir, "port.patch", diff);
	f->s = (struct gate_subject){ .new = f->d, .run_dir = f->dir, .patch_path = f->patch,
				      .pristine_tree = f->pristine };
	*state = f;
	strbuf_release(&err);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct strbuf err = STRBUF_INIT;

	file_remove(f->dir, &err);
	driver_free(f->d);
	free(f->dir);
	free(f->pristine);
	free(f->tree);
	free(f->patch);
	free(f);
	strbuf_release(&err);
	return 0;
}

/* Runs gate "apply"; rule NULL: it passes, else its first finding has that rule. */
static void assert_apply(struct fixture *f, const char *rule)
{
	struct gate_ladder l;
	const struct gate_report *r = &l.gate[GATE_APPLY];
	struct strbuf err = STRBUF_INIT;

	gate_ladder_init(&l);
	assert_int_equal(gates_run(&f->s, GATE_BIT(GATE_APPLY), &l, &err), 0);
	if (rule) {
		assert_int_equal(r->verdict, VERDICT_FAIL);
		assert_string_equal(r->findings.f[0].rule, rule);
		assert_true(r->reason.len > 0);
	} else {
		if (r->verdict != VERDICT_PASS)
			fail_msg("%s", r->reason.buf);
		assert_int_equal(r->findings.n, 0);
	}
	gate_ladder_release(&l);
	strbuf_release(&err);
}

static void applies(void **state)
{
	struct fixture *f = *state;

	assert_apply(f, NULL);
	/* What a build leaves is no concern, nor is an empty patch for an unchanged tree. */
	put(f->tree, "x.o", "object");
	put(f->tree, "x.mod.c", "generated");
	put(f->tree, "notes.txt", "left by the build");
	assert_apply(f, NULL);
	put(f->dir, "port.patch", "");
	put(f->tree, "x.c", source);
	assert_apply(f, NULL);
}

static void does_not_apply(void **state)
{
	struct fixture *f = *state;

	put(f->pristine, "x.c", "something else\n");
	assert_apply(f, "hunk");
	/* Only with an offset: the hunk is not about the tree it claims to be about. */
	put(f->pristine, "x.c", "int z;\nint y;\nint a;\nint b;\nint c;\nint d;\nint e;\nint f;\nint g;\n");
	assert_apply(f, "hunk");
	put(f->dir, "port.patch", "no patch at all\n@@ nothing @@\n");
	assert_apply(f, "syntax");
}

static void other_result(void **state)
{
	struct fixture *f = *state;

	put(f->tree, "x.c", "long d;\n");
	assert_apply(f, "differs");
}

static void changed_by_the_build(void **state)
{
	struct fixture *f = *state;
	struct strbuf err = STRBUF_INIT;
	char *old = path_join(f->dir, "old");
	struct driver *d;

	/* The old build rewrote config.h too, so that its contents say nothing. */
	put(f->pristine, "config.h", "#define A 1\n");
	put(f->tree, "config.h", "#define A 2\n");
	assert_apply(f, "differs");
	put(old, "config.h", "#define A 3\n");
	d = driver_clone(f->d, old);
	f->s.old = d;
	assert_apply(f, NULL);
	driver_free(d);
	f->s.old = NULL;
	free(old);
	strbuf_release(&err);
}

static void undeclared_source(void **state)
{
	struct fixture *f = *state;

	put(f->tree, "compat.h", "#define del_timer(x) 0\n");
	assert_apply(f, "undeclared");
}

static void outside(void **state)
{
	struct fixture *f = *state;

	put(f->dir, "port.patch", "--- a/../pristine/x.c\n+++ b/../pristine/x.c\n@@ -1 +1 @@\n-int a;\n+int b;\n");
	assert_apply(f, "outside");
	put(f->dir, "port.patch", "--- /dev/null\n+++ b/x.o\n@@ -0,0 +1 @@\n+int b;\n");
	assert_apply(f, "product");
	put(f->dir, "port.patch", "diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n"
				  "@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n");
	assert_apply(f, "kind");
}

/* ---- the ladder ----------------------------------------------------------- */

static void names_and_masks(void **state)
{
	struct strbuf err = STRBUF_INIT;
	unsigned mask;
	int i;

	for (i = 0; i < GATE_COUNT; i++) {
		assert_int_equal(gate_mask_parse(gate_name(i), &mask, &err), 0);
		assert_int_equal(mask, GATE_BIT(i));
		assert_true(strlen(gate_title(i)) > 10);
	}
	assert_int_equal(gate_mask_parse("compile, link", &mask, &err), 0);
	assert_int_equal(mask, GATE_BIT(GATE_COMPILE) | GATE_BIT(GATE_LINK));
	assert_int_equal(gate_mask_parse("compile,lnik", &mask, &err), KP_ERR);
	assert_non_null(strstr(err.buf, "'lnik'"));
	strbuf_release(&err);
}

static void blocked_behind_apply(void **state)
{
	struct fixture *f = *state;
	struct strbuf err = STRBUF_INIT;
	struct gate_ladder l;
	int i;

	put(f->pristine, "x.c", "something else\n");
	gate_ladder_init(&l);
	assert_int_equal(gates_run(&f->s, GATE_MASK_ALL, &l, &err), 0);
	assert_int_equal(l.gate[GATE_APPLY].verdict, VERDICT_FAIL);
	for (i = GATE_COMPILE; i < GATE_COUNT; i++) {
		assert_int_equal(l.gate[i].verdict, VERDICT_SKIP);
		assert_string_equal(l.gate[i].reason.buf, "blocked: gate apply is FAIL");
	}
	assert_false(gate_ladder_ok(&l));
	gate_ladder_release(&l);
	strbuf_release(&err);
}

static void only_asked_for(void **state)
{
	struct fixture *f = *state;
	struct strbuf err = STRBUF_INIT;
	struct gate_ladder l;
	json_t *v;

	gate_ladder_init(&l);
	assert_int_equal(gates_run(&f->s, GATE_BIT(GATE_COMPILE) | GATE_BIT(GATE_HONEST), &l, &err), 0);
	assert_int_equal(l.gate[GATE_APPLY].verdict, VERDICT_NONE);
	assert_int_equal(l.gate[GATE_COMPILE].verdict, VERDICT_SKIP); /* nothing was built */
	assert_int_equal(l.gate[GATE_HONEST].verdict, VERDICT_SKIP);  /* nothing before */
	assert_int_equal(l.gate[GATE_BOOT].verdict, VERDICT_NONE);
	/* Nothing passed: that is no success. */
	assert_false(gate_ladder_ok(&l));
	v = gate_ladder_json(&l);
	assert_int_equal(json_object_size(v), GATE_COUNT);
	assert_string_equal(json_get_str(json_object_get(v, "honest"), "verdict"), "SKIP");
	assert_string_equal(json_get_str(json_object_get(v, "boot"), "verdict"), "NOT RUN");
	json_decref(v);
	gate_ladder_release(&l);
	strbuf_release(&err);
}

static void ladder_answers(void **state)
{
	static const struct { enum verdict v; bool ok; } cases[] = {
		{ VERDICT_PASS, true }, { VERDICT_SKIP, true }, { VERDICT_NONE, true },
		{ VERDICT_FAIL, false }, { VERDICT_UNKNOWN, false }, { VERDICT_INFRA, false },
	};
	struct gate_ladder l;
	size_t i;

	gate_ladder_init(&l);
	l.gate[GATE_COMPILE].verdict = VERDICT_PASS;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		l.gate[GATE_PROBE].verdict = cases[i].v;
		assert_int_equal(gate_ladder_ok(&l), cases[i].ok);
	}
	gate_ladder_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(applies, setup, teardown),
		cmocka_unit_test_setup_teardown(does_not_apply, setup, teardown),
		cmocka_unit_test_setup_teardown(other_result, setup, teardown),
		cmocka_unit_test_setup_teardown(changed_by_the_build, setup, teardown),
		cmocka_unit_test_setup_teardown(undeclared_source, setup, teardown),
		cmocka_unit_test_setup_teardown(outside, setup, teardown),
		cmocka_unit_test(names_and_masks),
		cmocka_unit_test_setup_teardown(blocked_behind_apply, setup, teardown),
		cmocka_unit_test_setup_teardown(only_asked_for, setup, teardown),
		cmocka_unit_test(ladder_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
