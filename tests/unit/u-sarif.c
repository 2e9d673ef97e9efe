/* SPDX-License-Identifier: GPL-2.0-only */
/* Findings as SARIF: what the schema of 2.1.0 requires, and what must not be lost. */
#include "tests/unit/unit.h"

#include "base/jsonutil.h"
#include "checks/analyse.h"
#include "checks/sarif.h"

static const char *text_at(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	assert_non_null(s);
	return s;
}

static void make_ladder(struct gate_ladder *l)
{
	gate_ladder_init(l);
	l->gate[GATE_NODIAG].verdict = VERDICT_FAIL;
	finding_addf(&l->gate[GATE_NODIAG].findings, "gcc-analyzer", "-Wanalyzer-null-dereference", "sub dir/a+b.c", 7,
		     "probe", "dereference of NULL '%s'", "p");
	finding_addf(&l->gate[GATE_NODIAG].findings, "sparse", NULL, "/usr/include/x.h", 0, NULL, "odd");
	l->gate[GATE_LINK].verdict = VERDICT_FAIL;
	finding_addf(&l->gate[GATE_LINK].findings, "modpost", "missing", NULL, 0, NULL, "no symbol");
	l->gate[GATE_LAYOUT].verdict = VERDICT_UNKNOWN;
	strbuf_addstr(&l->gate[GATE_LAYOUT].reason, "no debug information");
	l->gate[GATE_BOOT].verdict = VERDICT_INFRA;
}

/* The required properties: sarifLog, run, tool, toolComponent, result, message, invocation, notification, reportingDescriptor. */
static void check_required(const json_t *doc)
{
	json_t *run = json_array_get(json_object_get(doc, "runs"), 0), *driver, *rules, *results, *v;
	size_t i;

	assert_string_equal(text_at(doc, "version"), "2.1.0");
	assert_int_equal(json_array_size(json_object_get(doc, "runs")), 1);
	driver = json_object_get(json_object_get(run, "tool"), "driver");
	assert_string_equal(text_at(driver, "name"), "kport");
	rules = json_object_get(driver, "rules");
	results = json_object_get(run, "results");
	json_array_foreach(results, i, v) {
		size_t rule = (size_t)json_integer_value(json_object_get(v, "ruleIndex"));

		assert_true(*text_at(json_object_get(v, "message"), "text") != 0);
		assert_true(json_is_array(json_object_get(v, "locations")));
		assert_string_equal(text_at(json_array_get(rules, rule), "id"), text_at(v, "ruleId"));
	}
	json_array_foreach(json_object_get(run, "invocations"), i, v)
		assert_true(json_is_boolean(json_object_get(v, "executionSuccessful")));
}

static void test_required(void **state)
{
	struct gate_ladder l;
	json_t *doc;

	gate_ladder_init(&l);
	doc = sarif_from_ladder(&l, false);
	check_required(doc);
	json_decref(doc);
	gate_ladder_release(&l);
	make_ladder(&l);
	doc = sarif_from_ladder(&l, true);
	check_required(doc);
	json_decref(doc);
	gate_ladder_release(&l);
}

static const json_t *result(const json_t *doc, size_t i)
{
	const json_t *run = json_array_get(json_object_get(doc, "runs"), 0);

	return json_array_get(json_object_get(run, "results"), i);
}

static const json_t *place(const json_t *r)
{
	return json_object_get(json_array_get(json_object_get(r, "locations"), 0), "physicalLocation");
}

static void test_content(void **state)
{
	struct gate_ladder l;
	const json_t *r, *artifact, *notes;
	json_t *doc;

	make_ladder(&l);
	doc = sarif_from_ladder(&l, true);
	/* In the order of the gates: link first. */
	r = result(doc, 0);
	assert_string_equal(text_at(r, "ruleId"), "link/modpost/missing");
	assert_int_equal(json_array_size(json_object_get(r, "locations")), 0);
	r = result(doc, 1);
	assert_string_equal(text_at(r, "ruleId"), "nodiag/gcc-analyzer/-Wanalyzer-null-dereference");
	assert_string_equal(text_at(r, "level"), "error");
	assert_string_equal(text_at(r, "baselineState"), "new");
	artifact = json_object_get(place(r), "artifactLocation");
	assert_string_equal(text_at(artifact, "uri"), "sub%20dir/a%2Bb.c");
	assert_string_equal(text_at(artifact, "uriBaseId"), "DRIVER");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(place(r), "region"), "startLine")), 7);
	/* A line that is not known is no region: 0 is not allowed there. */
	r = result(doc, 2);
	assert_null(json_object_get(place(r), "region"));
	assert_string_equal(text_at(json_object_get(place(r), "artifactLocation"), "uri"), "file:///usr/include/x.h");
	/* A gate that could not judge is told, and the run was not a success. */
	r = json_array_get(json_object_get(json_array_get(json_object_get(doc, "runs"), 0), "invocations"), 0);
	assert_true(json_is_false(json_object_get(r, "executionSuccessful")));
	notes = json_object_get(r, "toolExecutionNotifications");
	assert_int_equal(json_array_size(notes), 2);
	assert_string_equal(text_at(json_object_get(json_array_get(notes, 0), "message"), "text"),
			    "gate layout is UNKNOWN: no debug information");
	json_decref(doc);
	gate_ladder_release(&l);
}

/* The fingerprint stays when lines move, and differs for another function. */
static void test_fingerprint(void **state)
{
	struct finding a = { .tool = "t", .rule = "r", .file = "f.c", .line = 3, .function = "g", .text = "x at line 3" };
	struct finding b = a, c = a;
	struct hash_hex x, y, z;

	b.line = 90;
	b.text = "x at line 90";
	c.function = "h";
	finding_fingerprint(&a, &x);
	finding_fingerprint(&b, &y);
	finding_fingerprint(&c, &z);
	assert_string_equal(x.hex, y.hex);
	assert_string_not_equal(x.hex, z.hex);
}

static void assert_rule(const char *line, const char *words, const char *want)
{
	char *rule, *text = analyse_split_rule(line, &rule);

	assert_string_equal(text, words);
	if (want)
		assert_string_equal(rule, want);
	else
		assert_null(rule);
	free(text);
	free(rule);
}

static void test_rules(void **state)
{
	assert_rule("Dereference of null pointer [core.NullDereference]", "Dereference of null pointer", "core.NullDereference");
	assert_rule("a [1] b [x.Y]", "a [1] b", "x.Y");
	assert_rule("index a[3]", "index a[3]", NULL);
	assert_rule("no rule", "no rule", NULL);
	assert_rule("[x]", "[x]", NULL);
	assert_rule("a []", "a []", NULL);
	assert_rule("", "", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_required), cmocka_unit_test(test_content),
		cmocka_unit_test(test_fingerprint), cmocka_unit_test(test_rules),
	};

	return cmocka_run_group_tests_name("sarif", tests, NULL, NULL);
}
