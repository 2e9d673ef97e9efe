/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NULL-terminated vector of owned strings; v.v is usable as an argv at any
 * time (never NULL). push copies, push_nodup takes ownership.
 */
#ifndef KPORT_STRVEC_H
#define KPORT_STRVEC_H

#include "base/compat.h"

struct strvec {
	const char **v;
	size_t n, alloc;
};

extern const char *strvec_empty[];
#define STRVEC_INIT { .v = strvec_empty }

void strvec_init(struct strvec *sv);
void strvec_release(struct strvec *sv);
void strvec_clear(struct strvec *sv);
const char *strvec_push(struct strvec *sv, const char *s);
const char *strvec_pushf(struct strvec *sv, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strvec_push_nodup(struct strvec *sv, char *s);
void strvec_pushl(struct strvec *sv, ...) __attribute__((sentinel));
void strvec_pushv(struct strvec *sv, const char *const *items);
void strvec_remove(struct strvec *sv, size_t i);
bool strvec_contains(const struct strvec *sv, const char *s);
void strvec_sort(struct strvec *sv); /* bytewise */
/* Split on any of the bytes in "delims", empty fields dropped. */
void strvec_split(struct strvec *sv, const char *s, const char *delims);
/*
 * Split as a POSIX shell would split words: blanks, quotes and backslashes,
 * nothing expanded. Returns KP_ERR on an unterminated quote.
 */
struct strbuf;
int strvec_split_shell(struct strvec *sv, const char *s, struct strbuf *err);

#endif
