// SPDX-License-Identifier: GPL-2.0-only
/*
 * The header parser against tests/fixtures/headers/NAME.h, whose expected listing is
 * NAME.list. KPORT_UPDATE=1 rewrites the listings (read the difference before
 * committing it). Run from the root of the source tree.
 */
#include "base/compat.h"

#include <setjmp.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "mine/header-parse.h"

#define DIR_FIXTURES "tests/fixtures/headers"

static const struct { unsigned kind; const char *name; } kinds[] = {
	{ API_FUNCTION, "function" }, { API_INLINE, "inline" }, { API_MACRO, "macro" },
	{ API_MACRO_FN, "macro()" }, { API_STRUCT, "struct" }, { API_UNION, "union" },
	{ API_ENUM, "enum" }, { API_ENUMERATOR, "enumerator" }, { API_TYPEDEF, "typedef" },
	{ API_VARIABLE, "variable" }, { API_MEMBER, "member" },
};

static const char *kind_name(unsigned kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == kind)
			return kinds[i].name;
	return "?";
}

static void field(struct strbuf *out, const struct pool *p, const char *name, uint32_t id)
{
	const char *s = pool_str(p, id);

	if (!s)
		return;
	strbuf_addf(out, " %s=<", name);
	for (; *s; s++)
		strbuf_addstr(out, *s == '\n' ? "\\n" : *s == '\t' ? "\\t" : (char[]){ *s, 0 });
	strbuf_addch(out, '>');
}

static void list(struct strbuf *out, const struct header_syms *hs)
{
	static const char *const states[] = { "off", "unknown", "on" };
	const struct pool *p = hs->pool;

	for (size_t i = 0; i < hs->ninc; i++)
		strbuf_addf(out, "include %s%s\n", pool_str(p, hs->inc[i].name),
			    hs->inc[i].state == HEADER_OFF ? " off" : "");
	for (size_t i = 0; i < hs->n; i++) {
		const struct header_sym *s = &hs->s[i];

		strbuf_addf(out, "%u %s %s", s->line, kind_name(s->kind), pool_str(p, s->name));
		field(out, p, "type", s->type);
		field(out, p, "params", s->params);
		field(out, p, "body", s->body);
		field(out, p, "parent", s->parent);
		field(out, p, "path", s->path);
		field(out, p, "alias", s->alias);
		field(out, p, "doc", s->doc);
		field(out, p, "cond", s->cond);
		if (s->cond)
			strbuf_addf(out, " %s", states[s->state + 1]);
		strbuf_addf(out, "%s%s\n", s->must_check ? " must-check" : "",
			    s->expanded ? " generated" : "");
	}
}

static void config(struct header_config *cfg)
{
	header_config_init(cfg, "x86");
	header_config_autoconf(cfg, "#define CONFIG_SMP 1\n#define CONFIG_NET 1\n"
				    "#define CONFIG_USB_MODULE 1\n#define CONFIG_HZ 250\n");
}

static void parse(const char *text, size_t len, struct strbuf *out)
{
	struct header_config cfg;
	struct pool pool;
	struct header_syms hs = { .pool = &pool };

	pool_init(&pool);
	config(&cfg);
	header_parse(&cfg, text, len, &hs);
	list(out, &hs);
	header_syms_release(&hs);
	header_config_release(&cfg);
	pool_release(&pool);
}

static void one_fixture(const char *rel)
{
	struct strbuf text = STRBUF_INIT, want = STRBUF_INIT, got = STRBUF_INIT, err = STRBUF_INIT;
	char *path = path_join(DIR_FIXTURES, rel), *expect;

	expect = xstrfmt("%.*s.list", (int)strlen(path) - 2, path);
	assert_int_equal(file_read(path, 0, &text, &err), 0);
	parse(text.buf, text.len, &got);
	if (getenv("KPORT_UPDATE"))
		assert_int_equal(file_write(expect, got.buf, got.len, &err), 0);
	assert_int_equal(file_read(expect, 0, &want, &err), 0);
	if (strcmp(want.buf, got.buf))
		print_error("%s: listing differs:\n%s\n", path, got.buf);
	assert_string_equal(want.buf, got.buf);
	free(path);
	free(expect);
	strbuf_release(&text);
	strbuf_release(&want);
	strbuf_release(&got);
	strbuf_release(&err);
}

static void fixtures(void **state)
{
	struct strvec files = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;
	size_t seen = 0;

	assert_int_equal(file_list(DIR_FIXTURES, &files, &err), 0);
	for (size_t i = 0; i < files.n; i++) {
		if (!ends_with(files.v[i], ".h"))
			continue;
		one_fixture(files.v[i]);
		seen++;
	}
	assert_true(seen >= 4);
	strvec_release(&files);
	strbuf_release(&err);
}

/* Whatever the text is cut off at, the parser comes back. */
static void cut_off(void **state)
{
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT, err = STRBUF_INIT;

	assert_int_equal(file_read(DIR_FIXTURES "/struct.h", 0, &text, &err), 0);
	for (size_t n = 0; n < text.len; n += 7) {
		strbuf_reset(&out);
		parse(text.buf, n, &out);
	}
	strbuf_release(&text);
	strbuf_release(&out);
	strbuf_release(&err);
}

static void hostile(void **state)
{
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	int i;

	for (i = 0; i < 20000; i++)
		strbuf_addstr(&text, "struct a { ");
	parse(text.buf, text.len, &out);
	strbuf_reset(&text);
	for (i = 0; i < 20000; i++)
		strbuf_addstr(&text, "#if A(((\n");
	parse(text.buf, text.len, &out);
	strbuf_reset(&text);
	/* A generator that doubles at each step must not explode. */
	strbuf_addstr(&text, "#define G0(x) int f##x(void);\n");
	for (i = 1; i < 40; i++)
		strbuf_addf(&text, "#define G%d(x) G%d(x##a) G%d(x##b)\n", i, i - 1, i - 1);
	strbuf_addstr(&text, "G39(q)\nint after(void);\n");
	strbuf_reset(&out);
	parse(text.buf, text.len, &out);
	assert_non_null(strstr(out.buf, "function after type=<int> params=<void>"));
	strbuf_release(&text);
	strbuf_release(&out);
}

static void conditions(void **state)
{
	static const struct { const char *text; enum header_state want; } cases[] = {
		{ "defined(CONFIG_SMP)", HEADER_ON },
		{ "!defined(CONFIG_SMP)", HEADER_OFF },
		{ "IS_ENABLED(CONFIG_USB)", HEADER_ON },
		{ "IS_BUILTIN(CONFIG_USB)", HEADER_OFF },
		{ "IS_MODULE(CONFIG_USB) && CONFIG_HZ == 250", HEADER_ON },
		{ "CONFIG_HZ > 250 || defined(UNKNOWN)", HEADER_UNKNOWN },
		{ "CONFIG_HZ >= 250 || defined(UNKNOWN)", HEADER_ON },
		{ "defined(UNKNOWN) && defined(CONFIG_ABSENT)", HEADER_OFF },
		{ "!(BITS_PER_LONG == 32)", HEADER_ON },
		{ "BITS_PER_LONG == 64 ? 1 : 0", HEADER_UNKNOWN },
		{ "GCC_VERSION >= 40000", HEADER_UNKNOWN },
		{ "(", HEADER_UNKNOWN }, { "", HEADER_UNKNOWN }, { "defined", HEADER_UNKNOWN },
	};
	struct header_config cfg;

	config(&cfg);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(header_condition(&cfg, cases[i].text), cases[i].want);
	header_config_release(&cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixtures), cmocka_unit_test(cut_off), cmocka_unit_test(hostile),
		cmocka_unit_test(conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
