// SPDX-License-Identifier: GPL-2.0-only
/*
 * proto_parse, match_find: any bytes give a bounded reply; a place that is found lies inside
 * the text and what stands there is the old text but for blanks.
 */
#include "tests/fuzz/fuzz.h"

#include "agents/match.h"
#include "agents/protocol.h"
#include "base/strbuf.h"

/* Without any blanks. */
static void squeeze(const char *s, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (!s[i])
			strbuf_addch(out, '?');
		else if (!strchr(" \t\r\n\f", s[i]))
			strbuf_addch(out, s[i]);
	}
}

static void check_place(const char *text, size_t len, const struct proto_edit *e)
{
	struct strbuf why = STRBUF_INIT, is = STRBUF_INIT, said = STRBUF_INIT;
	struct match m;

	if (match_find(text, len, e, &m, &why)) {
		FUZZ_CHECK(why.len > 0);
	} else {
		FUZZ_CHECK(m.start < m.end && m.end <= len && m.text);
		squeeze(text + m.start, m.end - m.start, &is);
		squeeze(e->old, strlen(e->old), &said);
		FUZZ_CHECK(is.len == said.len && !memcmp(is.buf, said.buf, is.len));
		match_release(&m);
	}
	strbuf_release(&why);
	strbuf_release(&is);
	strbuf_release(&said);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct proto_reply r;

	proto_parse((const char *)data, size, &r);
	FUZZ_CHECK(r.nedits <= PROTO_MAX_EDITS && r.nunknown <= PROTO_MAX_UNKNOWN);
	for (size_t i = 0; i < r.nedits; i++) {
		FUZZ_CHECK(*r.edits[i].path && strlen(r.edits[i].path) <= PROTO_MAX_NAME);
		FUZZ_CHECK(*r.edits[i].old && ends_with(r.edits[i].old, "\n"));
		/* The reply itself holds the old text, at least once. */
		if (i < 20)
			check_place((const char *)data, size, &r.edits[i]);
	}
	for (size_t i = 0; i < r.nunknown; i++)
		FUZZ_CHECK(*r.unknown[i].name && *r.unknown[i].kind);
	for (const char *p = r.why; p && *p; p++)
		FUZZ_CHECK((unsigned char)*p >= ' ');
	proto_reply_release(&r);
}
