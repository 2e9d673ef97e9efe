// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/terminal.h"

#include "base/strbuf.h"

#define MAX_COLOUR 16 /* bytes of a sequence that may pass */

/* The length of the colour or clearing sequence at s, or 0. */
static size_t harmless_sequence(const char *s, size_t len)
{
	size_t i = 2;

	if (len < 3 || s[0] != '\033' || s[1] != '[')
		return 0;
	while (i < len && i < MAX_COLOUR && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';'))
		i++;
	return i < len && (s[i] == 'm' || s[i] == 'K') ? i + 1 : 0;
}

/* C1 controls are two bytes in UTF-8; some terminals take the single byte as well. */
static bool is_c1(const unsigned char *s, size_t len)
{
	return len > 1 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0;
}

void terminal_defuse(char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		size_t pass = harmless_sequence(s + i, len - i);

		if (pass)
			i += pass - 1;
		else if (is_c1((unsigned char *)s + i, len - i))
			s[i + 1] = '?', s[i++] = '?';
		else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			s[i] = '?';
	}
}

/* ---- stdout ---------------------------------------------------------------- */

/*
 * A sequence may begin in one chunk and end in the next: what could be such a beginning waits
 * in front of the rest.
 */
static struct strbuf waiting = STRBUF_INIT;

static size_t unfinished(const char *s, size_t len)
{
	const char *esc = len ? memrchr(s, '\033', len) : NULL;
	size_t n = esc ? (size_t)(s + len - esc) : 0;

	if (len && (unsigned char)s[len - 1] == 0xc2)
		return 1;
	if (!n || n > MAX_COLOUR || (n > 1 && esc[1] != '['))
		return 0;
	for (size_t i = 2; i < n; i++)
		if (!((esc[i] >= '0' && esc[i] <= '9') || esc[i] == ';'))
			return 0;
	return n;
}

static bool write_out(const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(STDOUT_FILENO, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		s += n;
		len -= (size_t)n;
	}
	return true;
}

static ssize_t guarded_write(void *cookie, const char *data, size_t len)
{
	size_t keep;
	bool ok;

	strbuf_add(&waiting, data, len);
	keep = unfinished(waiting.buf, waiting.len);
	terminal_defuse(waiting.buf, waiting.len - keep);
	ok = write_out(waiting.buf, waiting.len - keep);
	strbuf_splice(&waiting, 0, waiting.len - keep, "", 0);
	return ok ? (ssize_t)len : 0;
}

void terminal_guard(void)
{
	FILE *guarded;

	if (!isatty(STDOUT_FILENO))
		return;
	guarded = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = guarded_write });
	if (!guarded)
		return;
	setvbuf(guarded, NULL, _IOLBF, 0);
	fflush(stdout);
	stdout = guarded;
}
