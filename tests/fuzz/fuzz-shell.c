// SPDX-License-Identifier: GPL-2.0-only
/* strvec_split_shell: words that are quoted again and split again are the same words. */
#include "tests/fuzz/fuzz.h"

#include "base/strbuf.h"
#include "base/strvec.h"

static void quote(const char *word, struct strbuf *out)
{
	strbuf_addch(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			strbuf_addstr(out, "'\\''");
		else
			strbuf_addch(out, *word);
	strbuf_addstr(out, "' ");
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct strvec words = STRVEC_INIT, again = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT, text = STRBUF_INIT;
	char *s = fuzz_string(data, size);

	strvec_push(&words, "first");
	if (strvec_split_shell(&words, s, &err) < 0) {
		FUZZ_CHECK(words.n == 1 && err.len);
	} else {
		FUZZ_CHECK(!err.len && !words.v[words.n]);
		for (size_t i = 0; i < words.n; i++)
			quote(words.v[i], &text);
		FUZZ_CHECK(!strvec_split_shell(&again, text.buf, &err));
		FUZZ_CHECK(again.n == words.n);
		for (size_t i = 0; i < words.n; i++)
			FUZZ_CHECK(!strcmp(words.v[i], again.v[i]));
	}
	strvec_release(&words);
	strvec_release(&again);
	strbuf_release(&err);
	strbuf_release(&text);
	free(s);
}
