/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Server-sent events, as far as model servers use them: fields "event" and "data", lines
 * that end in LF, CR LF or CR, comments ignored.
 *
 *	struct sse s;
 *	sse_init(&s, on_event, payload, 1 << 20);
 *	sse_feed(&s, bytes, n);		// KP_ERR: a line or event is longer than the limit
 *	sse_release(&s);
 *
 * An event without its empty line at the end of the stream is not delivered: it may be cut.
 * on_event returns 0 to go on; anything else ends feeding and is returned.
 */
#ifndef KPORT_SSE_H
#define KPORT_SSE_H

#include "base/strbuf.h"

typedef int (*sse_event_fn)(const char *event, const char *data, size_t len, void *payload);

struct sse {
	struct strbuf line, event, data;
	bool has_data, after_cr;
	size_t max;
	sse_event_fn on_event;
	void *payload;
};

void sse_init(struct sse *s, sse_event_fn fn, void *payload, size_t max);
int sse_feed(struct sse *s, const char *bytes, size_t n);
void sse_release(struct sse *s);

#endif
