// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"

#include "propose-case.h"

static void cases(void **state)
{
	case_proposer = &propose_merged;
	case_check_all("merged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
	};

	return cmocka_run_group_tests(tests, case_setup, case_teardown);
}
