// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/names-fixture.h"

#include "port/rules.h"
#include "port/rules-title.h"

static const char head[] =
	"// SPDX-License-Identifier: GPL-2.0-only\n"
	"/// One.\n"
	"/// Two.\n"
	"//\n"
	"// Title: use b() in place of a()\n"
	"// Replaces: a, struct s.m,\n"
	"//\t<linux/h.h>, c/2\n"
	"// Needs: b\n"
	"// Include: linux/b.h\n"
	"// Since: 6.1\n"
	"// Confidence: Moderate\n"
	"// Risk: safe\n"
	"\n"
	"@@ @@\n"
	"// Title: not of the head\n"
	"- a()\n";

static void parse(void **state)
{
	struct rule r;

	assert_ok(rule_parse("x/y", head, strlen(head), &r, &err));
	assert_string_equal(r.name, "x/y");
	assert_string_equal(r.title, "use b() in place of a()");
	assert_string_equal(r.text, "One.\nTwo.");
	assert_string_equal(r.since, "6.1");
	assert_null(r.until);
	assert_null(r.commit);
	assert_int_equal(r.replaces.n, 4);
	assert_string_equal(r.replaces.v[1], "struct s.m");
	assert_string_equal(r.replaces.v[2], "<linux/h.h>");
	assert_string_equal(r.replaces.v[3], "c/2");
	assert_int_equal(r.include.n, 1);
	assert_int_equal(r.risk, RISK_SAFE);
	assert_true(r.score > 0.7 && r.score < 0.9);
	rule_release(&r);
}

static void refuse(void **state)
{
	static const char *const bad[][2] = {
		{ "/// t\n// Title: x\n// Replaces: y\n", "has no Confidence" },
		{ "/// t\n// Title: x\n// Confidence: High\n", "has no Replaces" },
		{ "/// t\n// Replaces: y\n// Confidence: High\n", "has no Title" },
		{ "// Title: x\n// Replaces: y\n// Confidence: High\n", "has no ///" },
		{ "/// t\n// Title: x\n// Replaces: y\n// Confidence: sure\n", "not 'sure'" },
		{ "/// t\n// Title: x\n// Replaces: y\n// Confidence: High\n// Risk: none\n", "not 'none'" },
		{ "/// t\n// Title: x\n// Replaces: y\n// Confidence: High\n// Colour: red\n",
		  "unknown field 'Colour'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct rule r;

		assert_fails(KP_ERR, bad[i][1], rule_parse("n", bad[i][0], strlen(bad[i][0]), &r, &err));
	}
}

static void item_names(void **state)
{
	static const char *const items[][2] = {
		{ "f", "f" }, { "f/2", "f" }, { "!f~x *", "f" }, { "f@export", "f" },
		{ "struct s", "s" }, { "struct s.m", "m" }, { "struct s.m:unsigned long", "m" },
		{ "struct s.a.b", "b" }, { "<linux/x.h>", "linux/x.h" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
		char *name = rule_item_name(items[i][0]);

		assert_string_equal(name, items[i][1]);
		free(name);
	}
}

static void items(void **state)
{
	assert_true(rule_item_holds("del_timer", fix_old));
	assert_false(rule_item_holds("del_timer", fix_new));
	assert_true(rule_item_holds("!del_timer", fix_new));
	assert_true(rule_item_holds("dma_set_mask/2", fix_new));
	assert_false(rule_item_holds("dma_set_mask/3", fix_new));
	assert_true(rule_item_holds("pci_set_dma_mask/2", fix_old));
	assert_true(rule_item_holds("dma_set_mask~struct device *", fix_new));
	assert_false(rule_item_holds("dma_set_mask~struct pci_dev *", fix_new));
	assert_true(rule_item_holds("timer_peek@unchecked", fix_old));
	assert_true(rule_item_holds("timer_peek", fix_new));
	assert_false(rule_item_holds("timer_peek@unchecked", fix_new));
	assert_true(rule_item_holds("struct atom_state", fix_old));
	assert_false(rule_item_holds("struct atom_state", fix_new));
	assert_true(rule_item_holds("struct sta.vm_flags:unsigned long", fix_old));
	assert_false(rule_item_holds("struct sta.vm_flags:unsigned long", fix_new));
	assert_true(rule_item_holds("<asm/unaligned.h>", fix_old));
	assert_false(rule_item_holds("<asm/unaligned.h>", fix_new));
}

static bool answers(const char *replaces, const char *needs, enum diag_kind kind, const char *symbol,
		    const char *word)
{
	char *text = xstrfmt("/// t\n// Title: x\n// Replaces: %s\n// Needs: %s\n// Confidence: High\n",
			     replaces, needs);
	struct strvec words = STRVEC_INIT;
	struct diag d = { .kind = kind };
	struct rule r;
	bool hit;

	if (word)
		strvec_push(&words, word);
	d.symbol = xstrdup(symbol);
	assert_ok(rule_parse("n", text, strlen(text), &r, &err));
	hit = rule_answers(&r, &d, &words, fix_new);
	rule_release(&r);
	strvec_release(&words);
	free(d.symbol);
	free(text);
	return hit;
}

static void dispatch(void **state)
{
	assert_true(answers("del_timer", "timer_delete", DIAG_IMPLICIT_FUNCTION, "del_timer", NULL));
	/* Named in the statement, as in the expansion of a macro. */
	assert_true(answers("del_timer", "timer_delete", DIAG_OTHER, NULL, "del_timer"));
	/* Another symbol; a target that has it; a target without what is needed. */
	assert_false(answers("del_timer", "", DIAG_IMPLICIT_FUNCTION, "add_timer", NULL));
	assert_false(answers("timer_delete", "", DIAG_IMPLICIT_FUNCTION, "timer_delete", NULL));
	assert_false(answers("del_timer", "no_such", DIAG_IMPLICIT_FUNCTION, "del_timer", NULL));
	assert_true(answers("struct sta.ht_cap", "struct sta.deflink", DIAG_NO_MEMBER, "ht_cap", NULL));
	/* A structure that the target does not know at all: nothing is known of its members. */
	assert_false(answers("struct nowhere.m", "", DIAG_NO_MEMBER, "m", NULL));
	assert_true(answers("<asm/unaligned.h>", "", DIAG_MISSING_HEADER, "asm/unaligned.h", NULL));
}

/* The title of the rule's patch when "from" became "to" in the driver. */
static char *fitted(const char *title, const char *const (*pairs)[2])
{
	struct strbuf rule = STRBUF_INIT, text = STRBUF_INIT;
	struct edit_group *g = edit_group_new(EDIT_RULE, "rule:t", RISK_SAFE, 1);
	struct rule r;
	char *got;

	strbuf_addf(&rule, "/// t\n// Title: %s\n// Replaces: del_timer, del_timer_sync, old_c\n"
		    "// Needs: timer_delete, timer_delete_sync\n// Confidence: High\n", title);
	assert_ok(rule_parse("n", rule.buf, rule.len, &r, &err));
	for (size_t i = 0; pairs[i][0]; i++)
		strbuf_addf(&text, "%s(x);\n", pairs[i][0]);
	fix_driver("x.c", text.buf, NULL);
	strbuf_reset(&text);
	for (size_t i = 0; pairs[i][0]; i++) {
		edit_add(g, "x.c", text.len, text.len + strlen(pairs[i][0]), pairs[i][1]);
		strbuf_addf(&text, "%s(x);\n", pairs[i][0]);
	}
	edit_group_title(g, "%s", r.title);
	rule_title_fit(&r, fix_tree, g);
	got = xstrdup(g->title);
	edit_group_free(g);
	rule_release(&r);
	strbuf_release(&rule);
	strbuf_release(&text);
	return got;
}

static void titles(void **state)
{
	static const char *const first[][2] = { { "del_timer", "timer_delete" }, { 0 } };
	static const char *const second[][2] = { { "del_timer_sync", "timer_delete_sync" }, { 0 } };
	static const char *const both[][2] = { { "del_timer", "timer_delete" },
		{ "del_timer_sync", "timer_delete_sync" }, { 0 } };
	static const char *const third[][2] = { { "old_c", "other" }, { 0 } };
	static const char title[] = "use timer_delete() in place of del_timer()";
	const struct { const char *const (*pairs)[2]; const char *title, *want; } cases[] = {
		{ first, title, title },
		{ second, title, "use timer_delete_sync() in place of del_timer_sync()" },
		{ both, title, "use timer_delete() and timer_delete_sync() in place of del_timer() and "
			"del_timer_sync()" },
		{ third, title, "replace old_c()" },
		{ second, "drop the timers", "drop the timers" },
		{ second, "use the new ones in place of the old ones", "use the new ones in place of the old ones" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got = fitted(cases[i].title, cases[i].pairs);

		assert_string_equal(got, cases[i].want);
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse),      cmocka_unit_test(refuse), cmocka_unit_test(item_names),
		cmocka_unit_test(items),      cmocka_unit_test(dispatch), cmocka_unit_test(titles),
	};

	return cmocka_run_group_tests(tests, fix_open, fix_close);
}
