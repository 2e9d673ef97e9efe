// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/sse.h"

#include "base/error.h"

void sse_init(struct sse *s, sse_event_fn fn, void *payload, size_t max)
{
	memset(s, 0, sizeof(*s));
	strbuf_init(&s->line);
	strbuf_init(&s->event);
	strbuf_init(&s->data);
	s->on_event = fn;
	s->payload = payload;
	s->max = max;
}

void sse_release(struct sse *s)
{
	strbuf_release(&s->line);
	strbuf_release(&s->event);
	strbuf_release(&s->data);
}

static int dispatch(struct sse *s)
{
	int ret = 0;

	if (s->has_data)
		ret = s->on_event(s->event.buf, s->data.buf, s->data.len, s->payload);
	strbuf_reset(&s->event);
	strbuf_reset(&s->data);
	s->has_data = false;
	return ret;
}

static void take_field(struct sse *s)
{
	char *colon = memchr(s->line.buf, ':', s->line.len);
	size_t name = colon ? (size_t)(colon - s->line.buf) : s->line.len;
	const char *value = colon ? colon + 1 : "";
	size_t len = colon ? s->line.len - name - 1 : 0;

	if (len && *value == ' ') {
		value++;
		len--;
	}
	if (name == 5 && !memcmp(s->line.buf, "event", 5)) {
		strbuf_reset(&s->event);
		strbuf_add(&s->event, value, len);
	} else if (name == 4 && !memcmp(s->line.buf, "data", 4)) {
		if (s->has_data)
			strbuf_addch(&s->data, '\n');
		strbuf_add(&s->data, value, len);
		s->has_data = true;
	}
}

static int end_line(struct sse *s)
{
	int ret = 0;

	if (!s->line.len)
		ret = dispatch(s);
	else
		take_field(s);
	strbuf_reset(&s->line);
	return ret;
}

int sse_feed(struct sse *s, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = i;
		int ret;

		if (bytes[i] == '\n' && s->after_cr) {
			s->after_cr = false;
			i++;
			continue;
		}
		s->after_cr = false;
		while (len < n && bytes[len] != '\n' && bytes[len] != '\r')
			len++;
		strbuf_add(&s->line, bytes + i, len - i);
		if (s->line.len + s->data.len > s->max)
			return KP_ERR;
		i = len;
		if (i == n)
			break;
		s->after_cr = bytes[i] == '\r';
		i++;
		ret = end_line(s);
		if (ret)
			return ret;
	}
	return 0;
}
