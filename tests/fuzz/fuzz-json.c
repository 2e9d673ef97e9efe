// SPDX-License-Identifier: GPL-2.0-only
/*
 * json_read_file: what is read can be written and read again as the same value.
 * json_strn: any bytes become a string that every JSON reader takes.
 */
#include "tests/fuzz/fuzz.h"

#include "base/jsonutil.h"

static json_t *parse(const struct strbuf *text)
{
	return json_loadb(text->buf, text->len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
}

static void round_trip(json_t *v, bool exact)
{
	struct strbuf text = STRBUF_INIT, text2 = STRBUF_INIT;
	json_t *w;

	json_dump_compact(v, &text);
	w = parse(&text);
	FUZZ_CHECK(w);
	/* reals are written with 15 digits: compare the texts */
	json_dump_compact(w, &text2);
	FUZZ_CHECK(text.len == text2.len && !memcmp(text.buf, text2.buf, text.len));
	FUZZ_CHECK(!exact || json_equal(v, w));
	json_decref(w);
	strbuf_release(&text);
	strbuf_release(&text2);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct strbuf err = STRBUF_INIT;
	json_t *v = json_strn((const char *)data, size);

	round_trip(v, true);
	json_decref(v);
	if (!json_read_file(fuzz_file(data, size, "doc.json"), 0, &v, &err)) {
		round_trip(v, false);
		json_get_str(v, "a");
		json_get_int(v, "a", 0);
		json_get_num(v, "a", 0);
		json_decref(v);
	} else {
		FUZZ_CHECK(err.len && !v);
	}
	strbuf_release(&err);
}
