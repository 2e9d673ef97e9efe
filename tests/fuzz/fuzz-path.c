// SPDX-License-Identifier: GPL-2.0-only
/* A path that is safe stays inside any directory that it is joined to. */
#include "tests/fuzz/fuzz.h"

#include "base/alloc.h"
#include "base/file.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	char *s = fuzz_string(data, size), *joined = path_join("/base/dir", s), *dir = path_dir(s);
	const char *rest = path_inside("/base/dir", joined);

	if (path_is_safe(s)) {
		FUZZ_CHECK(rest && !strcmp(rest, s));
		FUZZ_CHECK(*path_base(s) && !strchr(s, '\n'));
	}
	if (rest)
		FUZZ_CHECK(!starts_with(rest, "../") && !strstr(rest, "/../") &&
			   strcmp(rest, ".."));
	FUZZ_CHECK(*dir);
	free(s);
	free(joined);
	free(dir);
}
