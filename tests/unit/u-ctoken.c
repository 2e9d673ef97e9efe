/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "base/ctoken.h"

static void scan(struct ctoks *ts, const char *text)
{
	assert_int_equal(ctoks_scan(ts, text, strlen(text)), 0);
}

/* The tokens as "kind:text|kind:text". */
static void assert_tokens(const char *text, const char *want)
{
	static const char letters[] = "insc.#?";
	struct strbuf sb = STRBUF_INIT;
	struct ctoks ts;
	size_t i;

	scan(&ts, text);
	for (i = 0; i < ts.n; i++)
		strbuf_addf(&sb, "%s%c:%.*s", i ? "|" : "", letters[ts.t[i].kind], (int)ts.t[i].len,
			    text + ts.t[i].off);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
	ctoks_release(&ts);
}

static void kinds(void **state)
{
	assert_tokens("", "");
	assert_tokens("int x=0x1Ful;", "i:int|i:x|.:=|n:0x1Ful|.:;");
	assert_tokens("a->b<<=c...", "i:a|.:->|i:b|.:<<=|i:c|.:...");
	assert_tokens("1.5e+3-.5f 0x1e+1", "n:1.5e+3|.:-|n:.5f|n:0x1e|.:+|n:1");
	assert_tokens("L\"a\\\"b\" u8\"x\" 'c' '\\''", "s:L\"a\\\"b\"|s:u8\"x\"|c:'c'|c:'\\''");
	assert_tokens("a/*x*/b//y\nc", "i:a|i:b|i:c");
	assert_tokens("a // x \\\n still\nb", "i:a|i:b");
	assert_tokens("x # y\n", "i:x|.:#|i:y");
	assert_tokens("a\\\nb", "i:a|i:b");
	assert_tokens("f(\xff\xfe)@", "i:f|.:(|?:\xff\xfe|.:)|?:@");
}

static void directives(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct ctoks ts;
	uint32_t off, len;

	assert_tokens("#define A \\\n 1\nb", "#:#define A \\\n 1|i:b");
	assert_tokens("#define A /* x\n y */ 1\r\nb", "#:#define A /* x\n y */ 1|i:b");
	assert_tokens("#define S \"/*\"\nb", "#:#define S \"/*\"|i:b");
	assert_tokens("  # if X\n#\n", "#:# if X|#:#");
	scan(&ts, "x\n # /*c*/ define /*d*/ FOO(a) 1\n#error don't\ny");
	assert_true(ctok_pp_is(&ts, 1, "define"));
	ctok_pp_name(&ts, 1, &sb);
	assert_string_equal(sb.buf, "define");
	assert_true(ctok_pp_word(&ts, 1, &off, &len));
	assert_int_equal(len, 3);
	assert_memory_equal(ts.text + off, "FOO", 3);
	assert_true(ctok_pp_is(&ts, 2, "error"));
	assert_false(ctok_pp_is(&ts, 0, "x"));
	assert_int_equal(ts.t[3].line, 4);
	ctoks_release(&ts);
	strbuf_release(&sb);
}

static void lines_and_offsets(void **state)
{
	struct ctoks ts;

	scan(&ts, "a\r\nb\rc\n/* \n */ d \"x\\\ny\" e\n");
	assert_int_equal(ts.n, 6);
	assert_int_equal(ts.t[1].line, 2);
	assert_int_equal(ts.t[2].line, 3);
	assert_int_equal(ts.t[3].line, 5);
	assert_int_equal(ts.t[4].line, 5);
	assert_int_equal(ts.t[5].line, 6);
	assert_true(ts.t[2].flags & CTOK_BOL);
	assert_false(ts.t[4].flags & CTOK_BOL);
	assert_int_equal(ctok_at(&ts, ts.t[4].off + 2), 4);
	assert_int_equal(ctok_at(&ts, ts.t[3].off + 1), 4); /* the blank behind "d" */
	assert_int_equal(ctok_at(&ts, 0), 0);
	assert_int_equal(ctok_at(&ts, 1000), ts.n);
	assert_int_equal(ctok_at_line(&ts, 4), 3);
	assert_int_equal(ctok_at_line(&ts, 99), ts.n);
	ctoks_release(&ts);
}

static void unterminated(void **state)
{
	struct ctoks ts;

	scan(&ts, "a = \"abc\nb 'x");
	assert_int_equal(ts.n, 5);
	assert_true(ts.t[2].flags & CTOK_UNTERMINATED);
	assert_true(ctok_is(&ts, 3, "b"));
	assert_true(ts.t[4].flags & CTOK_UNTERMINATED);
	ctoks_release(&ts);
	assert_tokens("a /* never", "i:a");
	assert_tokens("a \"x\\", "i:a|s:\"x\\");
	assert_tokens("a /", "i:a|.:/");
}

static void nul_bytes(void **state)
{
	struct ctoks ts;

	assert_int_equal(ctoks_scan(&ts, "a\0b", 3), 0);
	assert_int_equal(ts.n, 3);
	assert_int_equal(ts.t[1].kind, CTOK_OTHER);
	ctoks_release(&ts);
	assert_int_equal(ctoks_scan(&ts, NULL, 0), 0);
	assert_int_equal(ts.n, 0);
	ctoks_release(&ts);
}

static size_t find(const struct ctoks *ts, const char *s, int nth)
{
	size_t i;

	for (i = 0; i < ts->n; i++)
		if (ctok_is(ts, i, s) && !nth--)
			return i;
	fail_msg("no '%s'", s);
	return 0;
}

static void pairs(void **state)
{
	struct ctoks ts;

	scan(&ts, "f(a[1]) { g(); }");
	assert_int_equal(ts.t[1].match, 6);
	assert_int_equal(ts.t[6].match, 1);
	assert_int_equal(ts.t[3].match, 5);
	assert_int_equal(ts.t[find(&ts, "{", 0)].match, find(&ts, "}", 0));
	ctoks_release(&ts);
	/* An unclosed "(" does not eat the function's end; a stray closer pairs with nothing. */
	scan(&ts, "{ f( } ) { ] }");
	assert_int_equal(ts.t[0].match, 3);
	assert_int_equal(ts.t[2].match, CTOK_NONE);
	assert_int_equal(ts.t[4].match, CTOK_NONE);
	assert_int_equal(ts.t[5].match, 7);
	ctoks_release(&ts);
}

static void pairs_in_branches(void **state)
{
	struct ctoks ts;
	size_t last;

	scan(&ts, "#ifdef A\nint f(int a) {\n#else\nint f(void) {\n#endif\nx; }\nint g() {}");
	last = find(&ts, "}", 0);
	assert_int_equal(ts.t[find(&ts, "{", 0)].match, last);
	assert_int_equal(ts.t[find(&ts, "{", 1)].match, last);
	assert_int_equal(ts.t[last].match, find(&ts, "{", 0));
	assert_int_equal(ts.t[find(&ts, "{", 2)].match, find(&ts, "}", 1));
	ctoks_release(&ts);
	scan(&ts, "{\n#if 0\n } } {\n#else\n if (x) { y; }\n#endif\n}");
	assert_int_equal(ts.t[0].match, ts.n - 1);
	assert_true(ts.t[2].flags & CTOK_DEAD);
	assert_false(ts.t[1].flags & CTOK_DEAD);
	assert_false(ts.t[find(&ts, "if", 0)].flags & CTOK_DEAD);
	ctoks_release(&ts);
	scan(&ts, "{\n#ifdef A\n if (a) {\n#endif\n x;\n#ifdef A\n }\n#endif\n}");
	assert_int_equal(ts.t[0].match, ts.n - 1);
	ctoks_release(&ts);
	scan(&ts, "#if 1\n{\n#else\n{\n#endif\n}\n#endif\n#else\n");
	assert_int_equal(ts.t[1].match, find(&ts, "}", 0));
	assert_true(ts.t[3].flags & CTOK_DEAD);
	ctoks_release(&ts);
}

static void nested_dead(void **state)
{
	struct ctoks ts;

	scan(&ts, "#if 0 /* off */\n#ifdef B\nb\n#else\nc\n#endif\nd\n#endif\ne\n#if 01\nf\n#endif");
	assert_true(ts.t[find(&ts, "b", 0)].flags & CTOK_DEAD);
	assert_true(ts.t[find(&ts, "c", 0)].flags & CTOK_DEAD);
	assert_true(ts.t[find(&ts, "d", 0)].flags & CTOK_DEAD);
	assert_false(ts.t[find(&ts, "e", 0)].flags & CTOK_DEAD);
	assert_false(ts.t[find(&ts, "f", 0)].flags & CTOK_DEAD);
	ctoks_release(&ts);
}

static void hostile(void **state)
{
	size_t n = 1 << 20, i;
	char *buf = xmalloc(n);
	struct ctoks ts;

	/* Deep nesting and wrong closers stay linear. */
	for (i = 0; i < n; i++)
		buf[i] = i < n / 2 ? '(' : ']';
	assert_int_equal(ctoks_scan(&ts, buf, n), 0);
	assert_int_equal(ts.n, n);
	ctoks_release(&ts);
	for (i = 0; i + 8 <= n; i += 8)
		memcpy(buf + i, i % 16 ? "{\n#endif" : "(\n#if x\n", 8);
	assert_int_equal(ctoks_scan(&ts, buf, n), 0);
	ctoks_release(&ts);
	free(buf);
}

static void same_and_words(void **state)
{
	struct ctoks ts;
	char *s;

	scan(&ts, "static foo foo \"foo\"");
	assert_true(ctok_is_keyword(&ts, 0));
	assert_false(ctok_is_ident(&ts, 0));
	assert_true(ctok_is_ident(&ts, 1));
	assert_true(ctok_same(&ts, 1, &ts, 2));
	assert_false(ctok_same(&ts, 1, &ts, 3));
	assert_false(ctok_same(&ts, 1, &ts, 9));
	assert_false(ctok_is(&ts, 9, "foo"));
	s = ctok_dup(&ts, 1);
	assert_string_equal(s, "foo");
	assert_null(ctok_dup(&ts, 9));
	free(s);
	ctoks_release(&ts);
}

static void normal(void **state)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct ctoks x, y;

	scan(&x, "if ( a  ->b&&  ! c ) /* z */ return  - -1;");
	scan(&y, "if (a->b && !c)\n\treturn - -1;");
	ctoks_normal(&x, 0, x.n, &a);
	ctoks_normal(&y, 0, y.n, &b);
	assert_string_equal(a.buf, b.buf);
	assert_string_equal(a.buf, "if(a->b&&!c)return- -1;");
	strbuf_release(&a);
	strbuf_release(&b);
	ctoks_release(&x);
	ctoks_release(&y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds), cmocka_unit_test(directives),
		cmocka_unit_test(lines_and_offsets), cmocka_unit_test(unterminated),
		cmocka_unit_test(nul_bytes), cmocka_unit_test(pairs),
		cmocka_unit_test(pairs_in_branches), cmocka_unit_test(nested_dead),
		cmocka_unit_test(hostile), cmocka_unit_test(same_and_words),
		cmocka_unit_test(normal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
