// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/unit.h"

#include "agents/match.h"
#include "agents/protocol.h"

static struct proto_reply r;

static void parse(const char *text)
{
	proto_reply_release(&r);
	proto_parse(text, strlen(text), &r);
}

static void test_edits_among_chat(void **state)
{
	parse("Sure! Here is the fix.\n\n"
	      "**TITLE:** follow the rename\n"
	      "WHY: it was renamed\nin the kernel.\n\n"
	      "EDIT `a/b.c`\n<<<<\n\told();\n====\n\tnew();\n>>>>\n"
	      "and also\n"
	      "<<<<<<< SEARCH\n\tx = 1;\n=======\n>>>>>>> REPLACE\nDone.\n");
	assert_int_equal(r.problems.n, 0);
	assert_int_equal(r.nedits, 2);
	assert_string_equal(r.edits[0].path, "a/b.c");
	assert_string_equal(r.edits[0].old, "\told();\n");
	assert_string_equal(r.edits[0].new, "\tnew();\n");
	assert_string_equal(r.edits[1].path, "a/b.c");
	assert_string_equal(r.edits[1].new, "");
	assert_string_equal(r.title, "follow the rename");
	assert_string_equal(r.why, "it was renamed in the kernel.");
	proto_reply_release(&r);
}

static void test_fences_are_seen_through(void **state)
{
	parse("```\nEDIT x.c\n<<<<\n```c\nold\n```\n====\n```c\nnew\n```\n>>>>\n```\n");
	assert_int_equal(r.nedits, 1);
	assert_string_equal(r.edits[0].old, "old\n");
	assert_string_equal(r.edits[0].new, "new\n");
	parse("<<<< drivers/y.c\nold\n====\nnew\n>>>>");
	assert_int_equal(r.nedits, 1);
	assert_string_equal(r.edits[0].path, "drivers/y.c");
	proto_reply_release(&r);
}

static void assert_problem(const char *text, const char *what)
{
	parse(text);
	assert_int_equal(r.nedits, 0);
	assert_int_equal(r.problems.n, 1);
	if (!strstr(r.problems.v[0], what))
		print_message("# %s\n", r.problems.v[0]);
	assert_non_null(strstr(r.problems.v[0], what));
	proto_reply_release(&r);
}

static void test_what_is_refused(void **state)
{
	assert_problem("EDIT x.c\n<<<<\nold\n====\nnew\n", "does not end");
	assert_problem("EDIT x.c\n<<<<\nold\n>>>>\n", "does not end");
	assert_problem("EDIT x.c\n<<<<\na\n====\nb\n====\nc\n>>>>\n", "2 lines of '='");
	assert_problem("<<<<\na\n====\nb\n>>>>\n", "names no file");
	assert_problem("EDIT x.c\n<<<<\n\n====\nb\n>>>>\n", "has no old text");
	assert_problem("--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+x\n", "adds or removes a file");
	assert_problem("--- a/x.c\n+++ b/x.c\n@@ -1 +1,2 @@\n+x\n", "no lines of context");
}

static void test_diffs(void **state)
{
	parse("diff --git a/d/x.c b/d/x.c\nindex 1..2 100644\n--- a/d/x.c\n+++ b/d/x.c\n"
	      "@@ -10,3 +10,3 @@ static int f(void)\n \tone();\n-\ttwo();\n+\tTWO();\n \n\tlast();\n"
	      "@@ -40 +40,2 @@\n ctx\n+more\n\n-- \n2.39\n");
	assert_int_equal(r.problems.n, 0);
	assert_int_equal(r.nedits, 2);
	assert_string_equal(r.edits[0].path, "d/x.c");
	assert_string_equal(r.edits[0].old, "\tone();\n\ttwo();\n\n\tlast();\n");
	assert_string_equal(r.edits[0].new, "\tone();\n\tTWO();\n\n\tlast();\n");
	assert_int_equal(r.edits[0].line, 10);
	assert_string_equal(r.edits[1].old, "ctx\n");
	assert_string_equal(r.edits[1].new, "ctx\nmore\n");
	assert_int_equal(r.edits[1].line, 40);
	proto_reply_release(&r);
}

static void test_unknown(void **state)
{
	parse("I need more.\nUNKNOWN function foo_bar()\nUNKNOWN: type `struct foo`\nUNKNOWN:\n- macro FOO_X\n"
	      "- examples of foo_bar\n* commit foo_bar\n- struct bar\n- plain\nThe unknown soldier.\n");
	assert_int_equal(r.nunknown, 7);
	assert_string_equal(r.unknown[0].kind, "function");
	assert_string_equal(r.unknown[0].name, "foo_bar");
	assert_string_equal(r.unknown[1].name, "struct foo");
	assert_string_equal(r.unknown[3].kind, "examples");
	assert_string_equal(r.unknown[3].name, "foo_bar");
	assert_string_equal(r.unknown[5].name, "struct bar");
	assert_string_equal(r.unknown[6].kind, "symbol");
	parse("UNKNOWN function ../../etc/passwd\nGIVE UP: it cannot be done\nCONCERN: x.c:1: leaks\n");
	assert_int_equal(r.nunknown, 0);
	assert_int_equal(r.problems.n, 1);
	assert_string_equal(r.give_up, "it cannot be done");
	assert_int_equal(r.concerns.n, 1);
	proto_reply_release(&r);
}

static void test_bounds(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	for (int i = 0; i < 300; i++)
		strbuf_addf(&sb, "EDIT x.c\n<<<<\nold%d\n====\nnew\n>>>>\nUNKNOWN function f%d\n", i, i);
	parse(sb.buf);
	assert_int_equal(r.nedits, PROTO_MAX_EDITS);
	assert_int_equal(r.nunknown, PROTO_MAX_UNKNOWN);
	assert_true(r.problems.n > 0 && r.problems.n <= 20);
	strbuf_reset(&sb);
	strbuf_addstr(&sb, "TITLE: ");
	for (int i = 0; i < 5000; i++)
		strbuf_addch(&sb, 'x');
	strbuf_addstr(&sb, "\nWHY: a\033[31mb\n");
	parse(sb.buf);
	assert_int_equal(strlen(r.title), PROTO_MAX_NAME);
	assert_string_equal(r.why, "a [31mb");
	proto_reply_release(&r);
	strbuf_release(&sb);
}

/* ---- matching ------------------------------------------------------------------ */

static const char file_text[] = "int a;\n\n\tfoo(1,\n\t    2);\n\tbar();\n\tdup();\n\n\tdup();\n\tend();\n}";

static int match(const char *text, const char *old, const char *new, int line, struct match *m)
{
	struct proto_edit e = { (char *)"x.c", (char *)old, (char *)new, line };

	return match_find(text, strlen(text), &e, m, &err);
}

static void assert_becomes(const char *text, const char *old, const char *new, int line, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	struct match m;

	assert_ok(match(text, old, new, line, &m));
	strbuf_addstr(&sb, text);
	strbuf_splice(&sb, m.start, m.end - m.start, m.text, strlen(m.text));
	assert_string_equal(sb.buf, want);
	match_release(&m);
	strbuf_release(&sb);
}

static void test_one_place(void **state)
{
	struct match m;

	assert_becomes("a\nb\nc\n", "b\n", "B\nBB\n", 0, "a\nB\nBB\nc\n");
	assert_becomes("a\nb\nc\n", "a\nb\n", "", 0, "c\n");
	assert_becomes("a\nb\nc", "c\n", "C\n", 0, "a\nb\nC");
	/* Blanks differ: the file's indent is kept, and its own lines. */
	assert_becomes("\tif (x)\n\t\tfoo(1,  2);\n", "if (x)\n    foo(1, 2);\n",
		       "if (x)\n    foo(1, 2);\nbar();\n", 0, "\tif (x)\n\t\tfoo(1,  2);\n\tbar();\n");
	assert_becomes("a();\r\nb();\r\n", "b();\n", "c();\n", 0, "a();\r\nc();\n");
	assert_fails(KP_NOTFOUND, "stands 2 times in 'x.c', at lines 6, 8",
		     match(file_text, "\tdup();\n", "x\n", 0, &m));
	assert_fails(KP_NOTFOUND, "stands 2 times", match(file_text, "\tdup();\n", "x\n", 7, &m));
	assert_ok(match(file_text, "\tdup();\n", "x\n", 8, &m));
	match_release(&m);
	assert_fails(KP_NOTFOUND, "no line of 'x.c' is 'nothing();'", match(file_text, "nothing();\n", "", 0, &m));
	assert_fails(KP_NOTFOUND, "line 5 is 'bar();' but then comes 'dup();', not 'baz();'",
		     match(file_text, "bar();\nbaz();\n", "", 0, &m));
	/* Part of a line is no place. */
	assert_fails(KP_NOTFOUND, "no line of", match("\tx = foo(1);\n", "foo(1);\n", "bar\n", 0, &m));
}

static void test_repetitive_texts_end(void **state)
{
	struct strbuf t = STRBUF_INIT, o = STRBUF_INIT;
	struct match m;

	for (int i = 0; i < 100000; i++)
		strbuf_addstr(&t, "a\n");
	for (int i = 0; i < 40000; i++)
		strbuf_addstr(&o, "a\n");
	strbuf_addstr(&o, "b\n");
	assert_int_equal(match(t.buf, o.buf, "c\n", 0, &m), KP_NOTFOUND);
	strbuf_reset(&err);
	strbuf_release(&t);
	strbuf_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edits_among_chat),
		cmocka_unit_test(test_fences_are_seen_through),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_diffs),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_one_place),
		cmocka_unit_test(test_repetitive_texts_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
