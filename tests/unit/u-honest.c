/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs honest_compare() over tests/fixtures/honest/CASE/{old,new,target}. CASE/expect has the
 * verdict, PASS or FAIL, in its first line; then every finding that must be there and no
 * other, one a line: "fail RULE TEXT" or "review RULE TEXT", TEXT being part of the finding's.
 */
#include "base/compat.h"
#include <dirent.h>
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/file.h"
#include "checks/honest.h"

#define CASES "tests/fixtures/honest"
#define KV(a, b, c) (((a) << 16) + ((b) << 8) + (c))

static void describe(const struct finding_list *l, const char *how, const bool *used, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (used[i])
			continue;
		strbuf_addf(out, "  unexpected: %s %s ", how, l->f[i].rule);
		finding_describe(&l->f[i], out);
		strbuf_addch(out, '\n');
	}
}

static bool match(const struct finding_list *l, bool *used, const char *rule_text)
{
	size_t i, n = strcspn(rule_text, " ");

	for (i = 0; i < l->n; i++)
		if (!used[i] && strlen(l->f[i].rule) == n && !strncmp(l->f[i].rule, rule_text, n) &&
		    strstr(l->f[i].text, rule_text + n + 1))
			return used[i] = true;
	return false;
}

/* Complaints about one case, appended. */
static void compare_expect(const char *expect, const struct finding_list *fail,
			   const struct finding_list *review, struct strbuf *out)
{
	bool *used_f = xcalloc(fail->n + 1, sizeof(bool)), *used_r = xcalloc(review->n + 1, sizeof(bool));
	struct strvec lines = STRVEC_INIT;
	const char *rest;
	size_t i;

	strvec_split(&lines, expect, "\n");
	if (!lines.n || strcmp(lines.v[0], fail->n ? "FAIL" : "PASS"))
		strbuf_addf(out, "  verdict is not %s\n", lines.n ? lines.v[0] : "given");
	for (i = 1; i < lines.n; i++) {
		if (skip_prefix(lines.v[i], "fail ", &rest) && match(fail, used_f, rest))
			continue;
		if (skip_prefix(lines.v[i], "review ", &rest) && match(review, used_r, rest))
			continue;
		strbuf_addf(out, "  missing: %s\n", lines.v[i]);
	}
	describe(fail, "fail", used_f, out);
	describe(review, "review", used_r, out);
	strvec_release(&lines);
	free(used_f);
	free(used_r);
}

static void run_case(const char *name, struct strbuf *out)
{
	struct finding_list fail = { 0 }, review = { 0 };
	struct strvec dirs = STRVEC_INIT;
	struct strbuf expect = STRBUF_INIT, err = STRBUF_INIT, bad = STRBUF_INIT;
	struct honest h;
	char *old = xstrfmt(CASES "/%s/old", name), *new = xstrfmt(CASES "/%s/new", name);
	char *file = xstrfmt(CASES "/%s/expect", name);

	honest_init(&h, &fail, &review);
	strvec_pushf(&dirs, CASES "/%s/target/include", name);
	if (facts_read(old, KV(6, 1, 0), &h.old, &err) < 0 ||
	    facts_read(new, KV(6, 12, 0), &h.new, &err) < 0 ||
	    ktarget_open_dirs(&dirs, &h.target, &err) < 0 || file_read(file, 0, &expect, &err) < 0)
		fail_msg("%s: %s", name, err.buf);
	honest_compare(&h);
	compare_expect(expect.buf, &fail, &review, &bad);
	if (bad.len)
		strbuf_addf(out, "%s:\n%s", name, bad.buf);
	honest_release(&h);
	finding_list_release(&fail);
	finding_list_release(&review);
	strvec_release(&dirs);
	strbuf_release(&expect);
	strbuf_release(&err);
	strbuf_release(&bad);
	free(old);
	free(new);
	free(file);
}

static void cases(void **state)
{
	struct strvec names = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	DIR *d = opendir(CASES);
	struct dirent *e;
	size_t i;

	assert_non_null(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			strvec_push(&names, e->d_name);
	closedir(d);
	strvec_sort(&names);
	assert_true(names.n >= 40);
	for (i = 0; i < names.n; i++)
		run_case(names.v[i], &out);
	if (out.len)
		fail_msg("of %zu cases these differ:\n%s", names.n, out.buf);
	strvec_release(&names);
	strbuf_release(&out);
}

/* A driver compared with itself loses nothing, whatever is in it. */
static void same_driver(void **state)
{
	struct finding_list fail = { 0 }, review = { 0 };
	struct strbuf err = STRBUF_INIT;
	struct honest h;

	honest_init(&h, &fail, &review);
	assert_int_equal(facts_read(CASES, 0, &h.old, &err), 0);
	assert_int_equal(facts_read(CASES, 0, &h.new, &err), 0);
	honest_compare(&h);
	assert_int_equal(fail.n, 0);
	assert_int_equal(review.n, 0);
	honest_release(&h);
	strbuf_release(&err);
}

static void trivial_defines(void **state)
{
	assert_true(facts_trivial_define(""));
	assert_true(facts_trivial_define("0"));
	assert_true(facts_trivial_define("(x) do{(void)(x);}while(0)"));
	assert_true(facts_trivial_define("(a,b) ((void)(a),-ENODEV)"));
	assert_true(facts_trivial_define("(x) ERR_PTR(-ENODEV)"));
	assert_true(facts_trivial_define("(x) NULL"));
	assert_false(facts_trivial_define("timer_delete"));
	assert_false(facts_trivial_define("(t) timer_delete(t)"));
	assert_false(facts_trivial_define("(f) f(1)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(same_driver),
		cmocka_unit_test(trivial_defines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
