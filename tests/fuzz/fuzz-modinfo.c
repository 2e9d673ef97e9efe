// SPDX-License-Identifier: GPL-2.0-only
/* module_info_read: any file is refused with a message, or has a name that may stand in a path. */
#include "tests/fuzz/fuzz.h"

#include "base/file.h"
#include "harness/modules-dep.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	struct strbuf err = STRBUF_INIT;
	struct module_info i;

	if (module_info_read(fuzz_file(data, size, "foo.ko"), &i, &err) == 0) {
		FUZZ_CHECK(path_is_safe(i.name) && !strchr(i.name, '/') && !err.len);
		for (size_t k = 0; k < i.depends.n; k++)
			FUZZ_CHECK(*i.depends.v[k] && !strchr(i.depends.v[k], '-'));
		module_info_release(&i);
	} else {
		FUZZ_CHECK(err.len);
	}
	strbuf_release(&err);
}
