// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/fuzz.h"

#include "base/alloc.h"
#include "base/file.h"

static char *scratch;

static void remove_scratch(void)
{
	if (!chdir("/"))
		file_remove(scratch, NULL);
	free(scratch);
}

char *fuzz_string(const uint8_t *data, size_t size)
{
	return xstrndup((const char *)data, size);
}

const char *fuzz_file(const uint8_t *data, size_t size, const char *name)
{
	struct strbuf err = STRBUF_INIT;

	if (!scratch) {
		if (file_mkdtemp("/tmp", "kport-fuzz-", &scratch, &err) < 0 || chdir(scratch) < 0)
			die("%s", err.buf);
		atexit(remove_scratch);
	}
	if (file_write_nosync(name, data, size, &err) < 0)
		die("%s", err.buf);
	return name;
}
