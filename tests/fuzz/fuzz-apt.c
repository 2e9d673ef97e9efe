// SPDX-License-Identifier: GPL-2.0-only
/* Source lists, versions and dependency fields: mirrors are addresses, versions are in an order. */
#include "tests/fuzz/fuzz.h"

#include "harness/apt.h"

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void check_mirrors(const char *s, bool deb822)
{
	struct strvec v = STRVEC_INIT;

	apt_sources_parse(s, deb822, &v);
	for (size_t i = 0; i < v.n; i++) {
		FUZZ_CHECK(strchr(v.v[i], ':') && !strpbrk(v.v[i], " \t\n"));
		FUZZ_CHECK(!starts_with(v.v[i], "cdrom:"));
	}
	strvec_release(&v);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	char *s = fuzz_string(data, size);
	struct strvec lines = STRVEC_INIT, names = STRVEC_INIT;

	check_mirrors(s, false);
	check_mirrors(s, true);
	strvec_split(&lines, s, "\n");
	for (size_t i = 0; i + 1 < lines.n && i < 8; i++) {
		const char *a = lines.v[i], *b = lines.v[i + 1];

		FUZZ_CHECK(deb_version_cmp(a, a) == 0);
		FUZZ_CHECK(sign(deb_version_cmp(a, b)) == -sign(deb_version_cmp(b, a)));
	}
	deb_depends_names(s, &names);
	for (size_t i = 0; i < names.n; i++)
		FUZZ_CHECK(*names.v[i] && !strpbrk(names.v[i], ",|( \n"));
	strvec_release(&lines);
	strvec_release(&names);
	free(s);
}
