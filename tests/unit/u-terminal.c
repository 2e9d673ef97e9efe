// SPDX-License-Identifier: GPL-2.0-only
/* What of foreign text a terminal gets to see. The guard itself is used in t2015. */
#include "tests/unit/unit.h"

#include "base/terminal.h"

static void test_defuse(void **state)
{
	static const char *const cases[][2] = {
		{ "plain\ttext\n", "plain\ttext\n" },
		{ "\033[1;31mred\033[0m \033[K", "\033[1;31mred\033[0m \033[K" },
		{ "\033]0;title\007", "?]0;title?" },
		{ "\033[2J\033[6n\033P1\033\\", "?[2J?[6n?P1?\\" },
		{ "a\rb\bc\177", "a?b?c?" },
		{ "\302\233" "31m \303\244", "??31m \303\244" },
		{ "\033[11111111111111111111m", "?[11111111111111111111m" },
		{ "end\033", "end?" },
		{ "end\033[", "end?[" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *s = xstrdup(cases[i][0]);

		terminal_defuse(s, strlen(s));
		assert_string_equal(s, cases[i][1]);
		free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_defuse) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
