/* SPDX-License-Identifier: GPL-2.0-only */
/* What the static tools' output and options are read as. */
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "base/alloc.h"
#include "checks/coccicheck.h"
#include "checks/refflags.h"
#include "checks/unittool.h"

static void assert_line(const char *line, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	const char *text;
	char *file = NULL;
	bool error;
	int n;

	if (unit_tool_line(line, &file, &n, &error, &text))
		strbuf_addf(&sb, "%s|%d|%s|%s", file, n, error ? "error" : "warning", text);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
	free(file);
}

static void sparse_lines(void **state)
{
	assert_line("/t/x.c:3:5: warning: symbol 'f' was not declared", "/t/x.c|3|warning|symbol 'f' was not declared");
	assert_line("x.c:12:1: error: got ;", "x.c|12|error|got ;");
	assert_line("a:b/x.c:12:1: error: got 1:2: 3", "a:b/x.c|12|error|got 1:2: 3");
	assert_line("x.c:2:32:    int *", "");
	assert_line("x.c: note: in included file (through a.h):", "");
	assert_line("x.c:0:1: warning: w", "");
	assert_line("x.c:99999999999999999999:1: warning: w", "");
	assert_line("", "");
	assert_line(":::", "");
}

static void parse_rates(void **state)
{
	assert_true(coccicheck_parse_rate("nb good = 90,  nb passed = 13 ===> 0.24% passed\n"
					  "nb good = 90,  nb bad = 10 =========> 90.00% good or passed\n") == 0.9);
	assert_true(coccicheck_parse_rate("nb good = 0,  nb bad = 0 ====> x") < 0);
	assert_true(coccicheck_parse_rate("nb good = 5, nb passed = 1\n") < 0);
	assert_true(coccicheck_parse_rate("") < 0);
}

static void assert_weakened(const char *ref, const char *argv, const char *want)
{
	struct strvec r = STRVEC_INIT, a = STRVEC_INIT, out = STRVEC_INIT;
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	strvec_split(&r, ref, " ");
	strvec_split(&a, argv, " ");
	refflags_weakened(&r, &a, &out);
	for (i = 0; i < out.n; i++)
		strbuf_addf(&sb, "%s%s", i ? " " : "", out.v[i]);
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
	strvec_release(&r);
	strvec_release(&a);
	strvec_release(&out);
}

static void weakened_options(void **state)
{
	const char *ref = "-Wall -Wno-pointer-sign -Werror=return-type -Wvla -Wframe-larger-than=2048";

	assert_weakened(ref, ref, "");
	assert_weakened(ref, "gcc -Wall -Wno-pointer-sign -Werror=return-type -Wvla -Wframe-larger-than=1024 -Wextra", "");
	assert_weakened(ref, "-Wall -Wno-pointer-sign -Werror=return-type -Wvla -Wframe-larger-than=2048 -w", "-w");
	assert_weakened(ref, "-Wall -Werror=return-type -Wframe-larger-than=2048", "vla");
	assert_weakened("-Werror=return-type", "-Werror=return-type -Wno-error=return-type", "return-type");
	assert_weakened("-Werror=return-type", "-Werror=return-type -Wno-return-type", "return-type");
	assert_weakened("-Wall", "-Wall -Wno-int-conversion", "int-conversion");
	assert_weakened("-Wall -Wno-int-conversion", "-Wall -Wno-int-conversion", "");
	/* The last one wins. */
	assert_weakened("-Wall", "-Wno-int-conversion -Wall -Wint-conversion", "");
	assert_weakened("-Wall", "-Wall -Wno-error", "error");
	assert_weakened("-Wp,-MMD,x -Wall", "-Wall -Wp,-MMD,y", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sparse_lines),
		cmocka_unit_test(parse_rates),
		cmocka_unit_test(weakened_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
