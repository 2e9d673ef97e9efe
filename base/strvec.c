// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/strvec.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/strbuf.h"

const char *strvec_empty[] = { NULL };

void strvec_init(struct strvec *sv)
{
	*sv = (struct strvec)STRVEC_INIT;
}

void strvec_release(struct strvec *sv)
{
	strvec_clear(sv);
	if (sv->alloc)
		free(sv->v);
	strvec_init(sv);
}

void strvec_clear(struct strvec *sv)
{
	for (size_t i = 0; i < sv->n; i++)
		free((char *)sv->v[i]);
	sv->n = 0;
	if (sv->alloc)
		sv->v[0] = NULL;
}

const char *strvec_push(struct strvec *sv, const char *s)
{
	strvec_push_nodup(sv, xstrdup(s));
	return sv->v[sv->n - 1];
}

const char *strvec_pushf(struct strvec *sv, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	strvec_push_nodup(sv, strbuf_detach(&sb, NULL));
	return sv->v[sv->n - 1];
}

void strvec_push_nodup(struct strvec *sv, char *s)
{
	if (!s)
		BUG("NULL pushed to a strvec");
	if (!sv->alloc)
		sv->v = NULL;
	ALLOC_GROW(sv->v, sv->n + 2, sv->alloc);
	sv->v[sv->n++] = s;
	sv->v[sv->n] = NULL;
}

void strvec_pushl(struct strvec *sv, ...)
{
	const char *s;
	va_list ap;

	va_start(ap, sv);
	while ((s = va_arg(ap, const char *)))
		strvec_push(sv, s);
	va_end(ap);
}

void strvec_pushv(struct strvec *sv, const char *const *items)
{
	for (; *items; items++)
		strvec_push(sv, *items);
}

void strvec_remove(struct strvec *sv, size_t i)
{
	if (i >= sv->n)
		BUG("strvec_remove(%zu) of %zu", i, sv->n);
	free((char *)sv->v[i]);
	memmove(sv->v + i, sv->v + i + 1, (sv->n - i) * sizeof(*sv->v));
	sv->n--;
}

bool strvec_contains(const struct strvec *sv, const char *s)
{
	for (size_t i = 0; i < sv->n; i++)
		if (!strcmp(sv->v[i], s))
			return true;
	return false;
}

static int cmp_str(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void strvec_sort(struct strvec *sv)
{
	if (sv->n > 1)
		sort_items(sv->v, sv->n, sizeof(*sv->v), cmp_str);
}

void strvec_split(struct strvec *sv, const char *s, const char *delims)
{
	for (;;) {
		size_t len;

		s += strspn(s, delims);
		if (!*s)
			return;
		len = strcspn(s, delims);
		strvec_push_nodup(sv, xstrndup(s, len));
		s += len;
	}
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Inside double quotes a backslash only escapes these; a newline vanishes. */
static const char *double_quoted(const char *s, struct strbuf *word)
{
	for (; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1] == '\n') {
			s++;
			continue;
		}
		if (*s == '\\' && s[1] && strchr("$`\"\\", s[1]))
			s++;
		strbuf_addch(word, *s);
	}
	return *s ? s + 1 : NULL;
}

static const char *single_quoted(const char *s, struct strbuf *word)
{
	const char *end = strchr(s, '\'');

	if (!end)
		return NULL;
	strbuf_add(word, s, (size_t)(end - s));
	return end + 1;
}

static const char *backslashed(const char *s, struct strbuf *word)
{
	if (!*s)
		return NULL;
	if (*s != '\n')
		strbuf_addch(word, *s);
	return s + 1;
}

/* One piece of a word; NULL when a quote is not closed. */
static const char *shell_piece(const char *s, struct strbuf *word)
{
	switch (*s) {
	case '\'':
		return single_quoted(s + 1, word);
	case '"':
		return double_quoted(s + 1, word);
	case '\\':
		return backslashed(s + 1, word);
	default:
		strbuf_addch(word, *s);
		return s + 1;
	}
}

int strvec_split_shell(struct strvec *sv, const char *s, struct strbuf *err)
{
	struct strbuf word = STRBUF_INIT;
	const char *start = s;
	size_t before = sv->n;

	for (;;) {
		while (is_blank(*s) || (*s == '\\' && s[1] == '\n'))
			s += *s == '\\' ? 2 : 1;
		if (!*s)
			return 0;
		while (*s && !is_blank(*s)) {
			s = shell_piece(s, &word);
			if (!s)
				goto unterminated;
		}
		strvec_push_nodup(sv, strbuf_detach(&word, NULL));
	}

unterminated:
	strbuf_release(&word);
	while (sv->n > before)
		strvec_remove(sv, sv->n - 1);
	return kp_fail(err, KP_ERR, "unterminated quote or trailing backslash in '%.200s'", start);
}
