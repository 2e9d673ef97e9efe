// SPDX-License-Identifier: GPL-2.0-only
/*
 * facts_read, honest_compare: any source compared with itself has lost nothing; compared
 * with an empty one, and the empty one with it, it ends.
 */
#include "tests/fuzz/fuzz.h"

#include "base/file.h"
#include "checks/honest.h"

static void compare(const char *a, const char *b, bool same)
{
	struct finding_list findings = { 0 }, review = { 0 };
	struct strbuf err = STRBUF_INIT;
	struct honest h;

	honest_init(&h, &findings, &review);
	FUZZ_CHECK(facts_read(a, 0x060100, &h.old, &err) == 0);
	FUZZ_CHECK(facts_read(b, 0x060100, &h.new, &err) == 0);
	honest_compare(&h);
	FUZZ_CHECK(!same || (findings.n == 0 && review.n == 0));
	honest_release(&h);
	finding_list_release(&findings);
	finding_list_release(&review);
	strbuf_release(&err);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct strbuf err = STRBUF_INIT;

	/* Enters the scratch directory. */
	fuzz_file(data, 0, "scratch");
	/* The first byte chooses between a source and a build file. */
	FUZZ_CHECK(file_mkdirs("full", &err) == 0 && file_mkdirs("empty", &err) == 0);
	file_remove("full/x.c", &err);
	file_remove("full/Makefile", &err);
	if (size && data[0] == '#')
		fuzz_file(data, size, "full/Makefile");
	else
		fuzz_file(data, size, "full/x.c");
	compare("full", "full", true);
	compare("full", "empty", false);
	compare("empty", "full", false);
	strbuf_release(&err);
}
