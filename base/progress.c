// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "base/clock.h"
#include "base/progress.h"
#include "base/terminal.h"

#include <sys/ioctl.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/strbuf.h"

#define REDRAW_SECONDS 0.1
#define LINE_SECONDS   5.0
#define BAR_CELLS      24

struct progress {
	char *title, *note;
	uint64_t total, done;
	double started, last;
	bool tty;
};

/* A bar is on the last line of the terminal. */
static bool drawn;

void progress_clear_line(void)
{
	if (!drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	drawn = false;
}

struct progress *progress_start(const char *title, uint64_t total)
{
	struct progress *p = xcalloc(1, sizeof(*p));

	p->title = xstrdup(title);
	p->total = total;
	p->tty = isatty(STDERR_FILENO);
	p->started = clock_seconds();
	/* Short work draws nothing at all. */
	p->last = p->started;
	return p;
}

static void add_bar(const struct progress *p, struct strbuf *out)
{
	uint64_t done = p->done < p->total ? p->done : p->total;
	int cells = (int)((double)done * BAR_CELLS / (double)p->total);

	strbuf_addstr(out, " [");
	for (int i = 0; i < BAR_CELLS; i++)
		strbuf_addch(out, i < cells ? '#' : '.');
	strbuf_addf(out, "] %3d%%", (int)((double)done * 100 / (double)p->total));
}

static void add_state(const struct progress *p, struct strbuf *out)
{
	if (p->total && p->tty)
		add_bar(p, out);
	if (p->total)
		strbuf_addf(out, " %" PRIu64 "/%" PRIu64, p->done, p->total);
	else if (p->done)
		strbuf_addf(out, " %" PRIu64, p->done);
	if (p->note)
		strbuf_addf(out, " %.60s", p->note);
}

/* A line that wraps cannot be drawn over. */
static int terminal_width(void)
{
	struct winsize ws;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) < 0 || ws.ws_col < 20)
		return 79;
	return ws.ws_col - 1;
}

static void draw(struct progress *p)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addstr(&line, p->title);
	add_state(p, &line);
	if (p->tty) {
		terminal_defuse(line.buf, line.len);
		fprintf(stderr, "\r%.*s\033[K", terminal_width(), line.buf);
		fflush(stderr);
		drawn = true;
	} else {
		fprintf(stderr, "%s\n", line.buf);
	}
	strbuf_release(&line);
	p->last = clock_seconds();
}

static void maybe_draw(struct progress *p)
{
	if (log_level < LOG_INFO)
		return;
	if (clock_seconds() - p->last >= (p->tty ? REDRAW_SECONDS : LINE_SECONDS))
		draw(p);
}

void progress_update(struct progress *p, uint64_t done)
{
	if (!p)
		return;
	p->done = done;
	maybe_draw(p);
}

void progress_note(struct progress *p, const char *fmt, ...)
{
	struct strbuf note = STRBUF_INIT;
	va_list ap;

	if (!p)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&note, fmt, ap);
	va_end(ap);
	free(p->note);
	p->note = strbuf_detach(&note, NULL);
	maybe_draw(p);
}

void progress_finish(struct progress *p)
{
	double took;

	if (!p)
		return;
	took = clock_seconds() - p->started;
	progress_clear_line();
	if (log_level >= LOG_INFO && took >= LINE_SECONDS) {
		free(p->note);
		p->note = xstrfmt("done in %.0f s", took);
		p->tty = false;
		draw(p);
	}
	free(p->title);
	free(p->note);
	free(p);
}
