/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of long work on stderr: one redrawn line with a bar on a terminal,
 * otherwise a plain line at most every 5 seconds and at the end. Work that is
 * shorter than 5 seconds leaves no line behind. Silent with --quiet.
 *
 *	struct progress *p = progress_start("unpacking", total);   // 0: unknown
 *	progress_update(p, done);
 *	progress_finish(p);
 */
#ifndef KPORT_PROGRESS_H
#define KPORT_PROGRESS_H

#include "base/compat.h"

struct progress;

struct progress *progress_start(const char *title, uint64_t total);
void progress_update(struct progress *p, uint64_t done);
/* Text behind the bar, for example the current file; copied. */
void progress_note(struct progress *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
void progress_finish(struct progress *p); /* NULL is fine */
/* Used by log.c: remove a drawn bar from the terminal. */
void progress_clear_line(void);

#endif
