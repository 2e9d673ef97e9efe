/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Growing byte buffer, always NUL-terminated, may hold NULs.
 *
 *	struct strbuf sb = STRBUF_INIT;
 *	strbuf_addf(&sb, "%s/%s", dir, name);
 *	use(sb.buf, sb.len);
 *	strbuf_release(&sb);
 *
 * sb.buf is never NULL. A buffer with sb.max != 0 never grows beyond that many
 * bytes: further bytes are dropped and sb.truncated is set, which is how output
 * of children is bounded.
 */
#ifndef KPORT_STRBUF_H
#define KPORT_STRBUF_H

#include "base/compat.h"

struct strbuf {
	char *buf;
	size_t len, alloc, max;
	bool truncated;
};

extern char strbuf_slopbuf[];
#define STRBUF_INIT { .buf = strbuf_slopbuf }

void strbuf_init(struct strbuf *sb);
void strbuf_release(struct strbuf *sb);		/* frees; usable again afterwards */
void strbuf_reset(struct strbuf *sb);		/* empties, keeps the memory */
char *strbuf_detach(struct strbuf *sb, size_t *len); /* caller frees; len may be NULL */
void strbuf_setlen(struct strbuf *sb, size_t len);
void strbuf_grow(struct strbuf *sb, size_t extra);

void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *s);
void strbuf_addch(struct strbuf *sb, int c);
void strbuf_addbuf(struct strbuf *sb, const struct strbuf *other);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap);
/* Replace len bytes at pos by data. */
void strbuf_splice(struct strbuf *sb, size_t pos, size_t len, const void *data, size_t dlen);
/*
 * Text that users, files or repositories gave, for people: control characters become '?' (a
 * tab and a newline stay), a word of more than SHOWN_WORD bytes is cut and ends in "...".
 */
#define SHOWN_WORD 1000
void strbuf_add_shown(struct strbuf *sb, const char *s, size_t len);
void strbuf_rtrim(struct strbuf *sb);
void strbuf_trim(struct strbuf *sb);

/* Append everything readable from fd; returns bytes read or -1 with errno. */
ssize_t strbuf_read_fd(struct strbuf *sb, int fd);

/* Small string helpers. */
/* A byte of an identifier of C? */
static inline bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Equal but for blanks, tabs and newlines, wherever they stand? NULL equals only NULL. */
bool same_but_blanks(const char *a, const char *b);
bool starts_with(const char *s, const char *prefix);
bool ends_with(const char *s, const char *suffix);
/* If s starts with prefix, *out points behind it and true is returned. */
bool skip_prefix(const char *s, const char *prefix, const char **out);

#endif
