// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/verdict.h"

static const char *const names[] = {
	[VERDICT_NONE] = "NOT RUN", [VERDICT_PASS] = "PASS",	 [VERDICT_FAIL] = "FAIL",
	[VERDICT_SKIP] = "SKIP", [VERDICT_UNKNOWN] = "UNKNOWN", [VERDICT_INFRA] = "INFRA",
};

const char *verdict_name(enum verdict v)
{
	return (size_t)v < ARRAY_SIZE(names) ? names[v] : names[VERDICT_NONE];
}

enum verdict verdict_parse(const char *name)
{
	for (size_t i = 1; i < ARRAY_SIZE(names); i++)
		if (name && !strcmp(name, names[i]))
			return (enum verdict)i;
	return VERDICT_NONE;
}
