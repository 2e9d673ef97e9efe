// SPDX-License-Identifier: GPL-2.0-only
/*
 * audit_verify and audit_open agree: a trail that is whole is gone on with and
 * whole afterwards; one that is not is refused or loses its torn end only.
 */
#include "tests/fuzz/fuzz.h"

#include "base/audit.h"
#include "base/error.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size, "trail.jsonl");
	struct strbuf err = STRBUF_INIT;
	uint64_t before, after;
	struct audit *a;
	int whole = audit_verify(path, &before, &err);

	FUZZ_CHECK(whole == 0 || starts_with(err.buf, "line "));
	strbuf_reset(&err);
	if (audit_open(path, &a, &err) < 0) {
		FUZZ_CHECK(whole < 0 && err.len);
	} else {
		FUZZ_CHECK(!audit_add(a, "more", NULL, &err));
		audit_close(a);
		FUZZ_CHECK(!audit_verify(path, &after, &err));
		/* a torn line is noted by one more */
		FUZZ_CHECK(after == before + (whole ? 2 : 1));
	}
	strbuf_release(&err);
}
