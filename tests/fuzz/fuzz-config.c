// SPDX-License-Identifier: GPL-2.0-only
/* kport.conf and --config: loaded whole or refused with one line; overrides win. */
#include "tests/fuzz/fuzz.h"

#include "base/config.h"
#include "base/file.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	struct strbuf err = STRBUF_INIT;
	char *s = fuzz_string(data, size);
	int64_t n;
	bool b;

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	fuzz_file(data, size, "kport.conf");
	FUZZ_CHECK(config_load(&err) == 0 || err.len);
	strbuf_reset(&err);
	FUZZ_CHECK(config_int("port.timeout", 1, &n, &err) == 0 || err.len);
	strbuf_reset(&err);
	FUZZ_CHECK(config_bool("port.keep", false, &b, &err) == 0 || err.len);
	strbuf_reset(&err);
	if (!config_set(s, &err))
		FUZZ_CHECK(strchr(s, '=') && !err.len);
	else
		FUZZ_CHECK(err.len);
	strbuf_reset(&err);
	FUZZ_CHECK(!config_set("port.timeout=77", &err));
	FUZZ_CHECK(!config_int("port.timeout", 1, &n, &err) && n == 77);
	config_release();
	strbuf_release(&err);
	free(s);
}
