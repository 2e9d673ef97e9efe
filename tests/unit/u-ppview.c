/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include <setjmp.h>
#include <cmocka.h>
#include "checks/ppview.h"

#define V(a, b, c) (((a) << 16) + ((b) << 8) + (c))

static void assert_condition(const char *expr, unsigned version, enum pp_truth want)
{
	assert_int_equal(pp_condition(expr, strlen(expr), version), want);
}

static void conditions(void **state)
{
	unsigned v = V(6, 12, 95);

	assert_condition("LINUX_VERSION_CODE >= KERNEL_VERSION(6,12,0)", v, PP_TRUE);
	assert_condition("LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)", v, PP_FALSE);
	assert_condition("KERNEL_VERSION(5,4,300) > LINUX_VERSION_CODE", V(5, 4, 255), PP_FALSE);
	assert_condition("LINUX_VERSION_CODE < KERNEL_VERSION(6,12,0)", 0, PP_OPEN);
	assert_condition("LINUX_VERSION_CODE >= KERNEL_VERSION(6,0,0) && defined(CONFIG_X)", v, PP_OPEN);
	assert_condition("LINUX_VERSION_CODE < KERNEL_VERSION(6,0,0) && defined(CONFIG_X)", v, PP_FALSE);
	assert_condition("LINUX_VERSION_CODE > KERNEL_VERSION(6,0,0) || RHEL(8, 2)", v, PP_TRUE);
	assert_condition("RHEL_RELEASE_CODE && LINUX_VERSION_CODE > KERNEL_VERSION(6,0,0)", v, PP_OPEN);
	assert_condition("!(LINUX_VERSION_CODE < KERNEL_VERSION(6,0,0)) /* new */", v, PP_TRUE);
	assert_condition("defined MODULE && 0x60c5fu <= LINUX_VERSION_CODE", v, PP_TRUE);
	assert_condition("1 - 2 == -1", v, PP_TRUE);
	assert_condition("LINUX_VERSION_CODE & 1", v, PP_OPEN);
	assert_condition("", v, PP_OPEN);
	assert_condition("((((((((((((((((((((((((((((((((((((((((((((((1", v, PP_OPEN);
	assert_condition("KERNEL_VERSION(", v, PP_OPEN);
}

static void assert_view(const char *text, unsigned version, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i, n = 0;

	ppview(text, strlen(text), version, &sb);
	assert_int_equal(sb.len, strlen(text));
	/* Compared without blanks; their place was checked by the length. */
	for (i = 0; i < sb.len; i++)
		if (sb.buf[i] != ' ')
			sb.buf[n++] = sb.buf[i];
	sb.buf[n] = '\0';
	assert_string_equal(sb.buf, want);
	strbuf_release(&sb);
}

static void views(void **state)
{
	const char *two = "a\n#if LINUX_VERSION_CODE < KERNEL_VERSION(6,0,0)\nold\n#else\nnew\n#endif\nb";

	assert_view(two, V(6, 1, 0), "a\n\n\n\nnew\n\nb");
	assert_view(two, V(5, 10, 0), "a\n\nold\n\n\n\nb");
	assert_view(two, 0, "a\n#ifLINUX_VERSION_CODE<KERNEL_VERSION(6,0,0)\nold\n#else\nnew\n#endif\nb");
	assert_view("#if LINUX_VERSION_CODE < KERNEL_VERSION(5,0,0)\n1\n"
		    "#elif LINUX_VERSION_CODE < KERNEL_VERSION(6,0,0)\n2\n#else\n3\n#endif",
		    V(5, 5, 0), "\n\n\n2\n\n\n");
	assert_view("#ifdef X\n1\n#elif LINUX_VERSION_CODE < KERNEL_VERSION(6,0,0)\n2\n#else\n3\n#endif",
		    V(6, 5, 0), "#ifdefX\n1\n#elifLINUX_VERSION_CODE<KERNEL_VERSION(6,0,0)\n\n#else\n3\n#endif");
	assert_view("#if 0\n1\n#endif\n#ifdef CONFIG_PM\n2\n#endif", V(6, 5, 0),
		    "#if0\n1\n#endif\n#ifdefCONFIG_PM\n2\n#endif");
	assert_view("#endif\n#else\n#if LINUX_VERSION_CODE < KERNEL_VERSION(6,0,0)\nx", V(6, 5, 0),
		    "#endif\n#else\n#ifLINUX_VERSION_CODE<KERNEL_VERSION(6,0,0)\nx");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(conditions), cmocka_unit_test(views) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
