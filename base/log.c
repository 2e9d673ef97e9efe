// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/log.h"

#include "base/error.h"
#include "base/progress.h"
#include "base/strbuf.h"

static const char *command;

enum log_level log_level = LOG_INFO;

static enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_when;

int log_set_color(const char *when)
{
	if (!strcmp(when, "auto"))
		color_when = COLOR_AUTO;
	else if (!strcmp(when, "always"))
		color_when = COLOR_ALWAYS;
	else if (!strcmp(when, "never"))
		color_when = COLOR_NEVER;
	else
		return -1;
	return 0;
}

bool log_color(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color_when != COLOR_AUTO)
		return color_when == COLOR_ALWAYS;
	return !(no && *no) && !(term && !strcmp(term, "dumb")) && isatty(fd);
}

/* One write per line, so that lines of several processes do not mix. */
static void emit(const char *color, const char *head, const char *fmt, va_list ap)
{
	struct strbuf line = STRBUF_INIT, text = STRBUF_INIT;
	bool colored = color && log_color(STDERR_FILENO);
	size_t off = 0;

	if (colored)
		strbuf_addstr(&line, color);
	strbuf_addstr(&line, head);
	if (colored)
		strbuf_addstr(&line, "\033[0m");
	/* Names and texts in it may come from anywhere. */
	strbuf_vaddf(&text, fmt, ap);
	strbuf_add_shown(&line, text.buf, text.len);
	strbuf_release(&text);
	strbuf_addch(&line, '\n');
	progress_clear_line();
	fflush(stderr);
	while (off < line.len) {
		ssize_t n = write(STDERR_FILENO, line.buf + off, line.len - off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		off += (size_t)n;
	}
	strbuf_release(&line);
}

#define EMIT(color, head)                                                                          \
	do {                                                                                       \
		va_list ap;                                                                        \
		va_start(ap, fmt);                                                                 \
		emit(color, head, fmt, ap);                                                        \
		va_end(ap);                                                                        \
	} while (0)

void log_error(const char *fmt, ...)
{
	EMIT("\033[1;31m", "kport: ");
}

void log_warn(const char *fmt, ...)
{
	if (log_level >= LOG_WARN)
		EMIT("\033[1;33m", "kport: warning: ");
}

void log_info(const char *fmt, ...)
{
	if (log_level >= LOG_INFO)
		EMIT(NULL, "");
}

void log_debug(const char *fmt, ...)
{
	if (log_level >= LOG_DEBUG)
		EMIT("\033[2m", "debug: ");
}

void print_shown(const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_add_shown(&sb, text, strlen(text));
	fputs(sb.buf, stdout);
	strbuf_release(&sb);
}

void die(const char *fmt, ...)
{
	EMIT("\033[1;31m", "kport: ");
	exit(EXIT_FATAL);
}

void log_set_command(const char *name)
{
	command = name;
}

void usage(const char *fmt, ...)
{
	struct strbuf head = STRBUF_INIT;

	strbuf_addf(&head, "kport%s%s: ", command ? " " : "", command ? command : "");
	EMIT("\033[1;31m", head.buf);
	exit(EXIT_USAGE);
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
	struct strbuf head = STRBUF_INIT;

	strbuf_addf(&head, "kport: bug at %s:%d: ", file, line);
	EMIT("\033[1;31m", head.buf);
	abort();
}
