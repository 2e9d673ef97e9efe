// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/prompt.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

#define MAX_PLACES 32

static void without_remarks(const char *s, struct strbuf *out)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		n += s[n] == '\n';
		if (!starts_with(s, "#:"))
			strbuf_add(out, s, n);
		s += n;
	}
}

int prompt_load(const char *name, struct prompt *out, struct strbuf *err)
{
	char *rel = xstrfmt("agents/prompts/%s.txt", name), *path = kport_data_path(rel);
	struct strbuf file = STRBUF_INIT, text = STRBUF_INIT;
	int ret = file_read(path, 1 << 20, &file, err);

	memset(out, 0, sizeof(*out));
	if (!ret) {
		without_remarks(file.buf, &text);
		out->name = xstrdup(name);
		out->text = strbuf_detach(&text, NULL);
		out->hash = hash_buf(file.buf, file.len);
	}
	strbuf_release(&file);
	free(path);
	free(rel);
	return ret;
}

void prompt_release(struct prompt *p)
{
	free(p->name);
	free(p->text);
	memset(p, 0, sizeof(*p));
}

static const char *value_of(const char *const *pairs, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i += 2) {
		if (strlen(pairs[i]) == len && !memcmp(pairs[i], name, len))
			return pairs[i + 1];
	}
	return NULL;
}

static size_t place_length(const char *s)
{
	size_t n = 0;

	while ((s[n] >= 'A' && s[n] <= 'Z') || s[n] == '_')
		n++;
	return n && s[n] == '@' ? n : 0;
}

void prompt_fill(const struct prompt *p, struct strbuf *out, ...)
{
	const char *pairs[MAX_PLACES * 2], *name;
	size_t n = 0, len;
	va_list ap;

	va_start(ap, out);
	while (n + 1 < ARRAY_SIZE(pairs) && (name = va_arg(ap, const char *))) {
		pairs[n++] = name;
		pairs[n++] = va_arg(ap, const char *);
	}
	va_end(ap);
	for (const char *s = p->text; *s;) {
		const char *value;

		if (*s != '@' || !(len = place_length(s + 1))) {
			strbuf_addch(out, *s++);
			continue;
		}
		value = value_of(pairs, n, s + 1, len);
		if (!value)
			BUG("prompt '%s': nothing for '%.*s'", p->name, (int)len, s + 1);
		strbuf_addstr(out, value);
		s += len + 2;
	}
}

size_t prompt_tokens(size_t bytes)
{
	return (bytes + 2) / 3;
}
