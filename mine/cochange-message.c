// SPDX-License-Identifier: GPL-2.0-only
/* What a commit's message names: symbols, commits that it fixes or reverts. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "mine/cochange-internal.h"

#define MAX_WORDS 64
#define MAX_FIXES 8

uint32_t cc_word_hash(const char *s, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

static size_t hex_len(const char *s)
{
	return strspn(s, "0123456789abcdef");
}

/* "Signed-off-by: ..." and the like name people. */
static bool is_trailer(const char *line)
{
	size_t n = 0;

	while ((line[n] >= 'a' && line[n] <= 'z') || (line[n] >= 'A' && line[n] <= 'Z') || line[n] == '-')
		n++;
	return n > 2 && line[n] == ':' &&
	       ((n > 3 && !strncasecmp(line + n - 3, "-by", 3)) || !strncasecmp(line, "cc:", 3) ||
		!strncasecmp(line, "link:", 5) || !strncasecmp(line, "message-id:", 11));
}

/* A name as code has it: with "_", a call, or capitals inside. */
static bool is_name(const char *w, size_t len, const char *behind)
{
	if (len < 4 || len > 100 || (*w >= '0' && *w <= '9'))
		return false;
	if (memchr(w, '_', len) || (behind[0] == '(' && behind[1] == ')'))
		return true;
	return false;
}

static void add_word(struct cc_result *r, uint32_t h)
{
	for (size_t i = 0; i < r->nwords; i++)
		if (r->words[i] == h)
			return;
	if (!r->words)
		r->words = xcalloc(MAX_WORDS, sizeof(*r->words));
	if (r->nwords < MAX_WORDS)
		r->words[r->nwords++] = h;
}

static void words_of_line(struct cc_result *r, const char *p, const char *end)
{
	while (p < end) {
		const char *w = p;

		while (p < end && is_word_char(*p))
			p++;
		if (p > w && is_name(w, (size_t)(p - w), p))
			add_word(r, cc_word_hash(w, (size_t)(p - w)));
		if (p == w)
			p++;
	}
}

static void find_revert(struct cc_result *r, const char *message)
{
	const char *p = strstr(message, "This reverts commit ");
	size_t n;

	if (p) {
		p += strlen("This reverts commit ");
		n = hex_len(p);
		if (n >= 7 && n <= 40) {
			memcpy(r->revert, p, n);
			r->revert[n] = '\0';
		}
	}
	if (!r->revert[0] && (starts_with(message, "Revert \"") || starts_with(message, "Revert '") || p))
		memcpy(r->revert, "0", 2);
}

void cc_message(const char *message, struct cc_result *r)
{
	const char *end = message + strnlen(message, CC_MAX_MESSAGE), *p = message;

	find_revert(r, message);
	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p)), *f;

		eol = eol ? eol : end;
		if (skip_prefix(p, "Fixes:", &f)) {
			size_t n;

			f += strspn(f, " \t");
			skip_prefix(f, "commit ", &f);
			n = hex_len(f);
			if (n >= 7 && n <= 40 && r->fixes.n < MAX_FIXES)
				strvec_push_nodup(&r->fixes, xstrndup(f, n));
		} else if (!is_trailer(p)) {
			words_of_line(r, p, eol);
		}
		p = eol < end ? eol + 1 : end;
	}
}
