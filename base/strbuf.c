// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/strbuf.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/log.h"

/* What an empty buffer points to; only ever holds the NUL. */
char strbuf_slopbuf[1];

void strbuf_init(struct strbuf *sb)
{
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_release(struct strbuf *sb)
{
	size_t max = sb->max;

	if (sb->alloc)
		free(sb->buf);
	strbuf_init(sb);
	sb->max = max;
}

void strbuf_reset(struct strbuf *sb)
{
	strbuf_setlen(sb, 0);
	sb->truncated = false;
}

char *strbuf_detach(struct strbuf *sb, size_t *len)
{
	char *p;

	strbuf_grow(sb, 0);
	p = sb->buf;
	if (len)
		*len = sb->len;
	sb->alloc = 0;
	strbuf_release(sb);
	return p;
}

void strbuf_setlen(struct strbuf *sb, size_t len)
{
	if (len > (sb->alloc ? sb->alloc - 1 : 0))
		BUG("strbuf_setlen(%zu) beyond %zu", len, sb->alloc);
	sb->len = len;
	if (sb->alloc)
		sb->buf[len] = '\0';
}

void strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t want = sb->len + extra + 1;

	if (want <= extra)
		BUG("strbuf size overflow");
	if (!sb->alloc)
		sb->buf = NULL;
	else if (want <= sb->alloc)
		return;
	if (want < 2 * sb->alloc)
		want = 2 * sb->alloc;
	if (want < 64)
		want = 64;
	sb->buf = xrealloc(sb->buf, want);
	sb->alloc = want;
	sb->buf[sb->len] = '\0';
}

/* How many of len bytes may still be added. */
static size_t room(struct strbuf *sb, size_t len)
{
	size_t left;

	if (!sb->max)
		return len;
	left = sb->len < sb->max ? sb->max - sb->len : 0;
	if (len <= left)
		return len;
	sb->truncated = true;
	return left;
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	len = room(sb, len);
	if (!len)
		return;
	strbuf_grow(sb, len);
	memcpy(sb->buf + sb->len, data, len);
	strbuf_setlen(sb, sb->len + len);
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addch(struct strbuf *sb, int c)
{
	char ch = (char)c;

	strbuf_add(sb, &ch, 1);
}

void strbuf_addbuf(struct strbuf *sb, const struct strbuf *other)
{
	size_t len = room(sb, other->len);

	if (!len)
		return;
	/* Grow first: other may be sb itself. */
	strbuf_grow(sb, len);
	memcpy(sb->buf + sb->len, other->buf, len);
	strbuf_setlen(sb, sb->len + len);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	char small[256], *big = NULL;
	va_list copy;
	int n;

	va_copy(copy, ap);
	n = vsnprintf(small, sizeof(small), fmt, copy);
	va_end(copy);
	if (n < 0)
		BUG("bad format '%s'", fmt);
	if ((size_t)n >= sizeof(small)) {
		big = xmalloc((size_t)n + 1);
		vsnprintf(big, (size_t)n + 1, fmt, ap);
	}
	strbuf_add(sb, big ? big : small, (size_t)n);
	free(big);
}

void strbuf_splice(struct strbuf *sb, size_t pos, size_t len, const void *data, size_t dlen)
{
	if (pos > sb->len || len > sb->len - pos)
		BUG("strbuf_splice(%zu, %zu) beyond %zu", pos, len, sb->len);
	if (dlen > len)
		dlen = len + room(sb, dlen - len);
	if (dlen > len)
		strbuf_grow(sb, dlen - len);
	else if (!sb->alloc)
		return;
	memmove(sb->buf + pos + dlen, sb->buf + pos + len, sb->len - pos - len);
	if (dlen)
		memcpy(sb->buf + pos, data, dlen);
	strbuf_setlen(sb, sb->len + dlen - len);
}

/* Bytes of a control character at p: C0 and DEL one, C1 as UTF-8 two; 0: none. */
static size_t control_len(const char *p, const char *end)
{
	unsigned char c = (unsigned char)*p;

	if (c == 0xc2 && end - p > 1 && (unsigned char)p[1] >= 0x80 && (unsigned char)p[1] < 0xa0)
		return 2;
	return (c < ' ' && c != '\t' && c != '\n') || c == 0x7f;
}

void strbuf_add_shown(struct strbuf *sb, const char *s, size_t len)
{
	size_t word = 0;

	for (const char *p = s, *end = s + len; p < end; p++) {
		size_t control = control_len(p, end);

		word = *p == ' ' || *p == '\t' || *p == '\n' ? 0 : word + 1;
		/* Not inside of a character. */
		if (word > SHOWN_WORD && (control || (*p & 0xc0) != 0x80)) {
			strbuf_addstr(sb, "...");
			while (p + 1 < end && !strchr(" \t\n", p[1]))
				p++;
			word = 0;
			continue;
		}
		strbuf_addch(sb, control ? '?' : *p);
		p += control > 1;
	}
}

void strbuf_rtrim(struct strbuf *sb)
{
	size_t len = sb->len;

	while (len && isspace((unsigned char)sb->buf[len - 1]))
		len--;
	strbuf_setlen(sb, len);
}

void strbuf_trim(struct strbuf *sb)
{
	size_t n = 0;

	strbuf_rtrim(sb);
	while (n < sb->len && isspace((unsigned char)sb->buf[n]))
		n++;
	if (n)
		strbuf_splice(sb, 0, n, "", 0);
}

ssize_t strbuf_read_fd(struct strbuf *sb, int fd)
{
	ssize_t total = 0;
	char chunk[16384];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n > 0) {
			strbuf_add(sb, chunk, (size_t)n);
			total += n;
		} else if (n == 0) {
			return total;
		} else if (errno == EAGAIN && total) {
			return total;
		} else if (errno != EINTR) {
			return -1;
		}
	}
}

bool same_but_blanks(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	for (;; a++, b++) {
		a += strspn(a, " \t\n\r\f\v");
		b += strspn(b, " \t\n\r\f\v");
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool ends_with(const char *s, const char *suffix)
{
	size_t len = strlen(s), slen = strlen(suffix);

	return len >= slen && !memcmp(s + len - slen, suffix, slen);
}

bool skip_prefix(const char *s, const char *prefix, const char **out)
{
	if (!starts_with(s, prefix))
		return false;
	*out = s + strlen(prefix);
	return true;
}
