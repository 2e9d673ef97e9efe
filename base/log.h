/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Diagnostics for people, on stderr. Library code logs at debug level only;
 * cmd-*.c files report errors. Lines that arrive while a progress bar is drawn
 * clear it first (progress.h). What the messages quote is made harmless for terminals
 * and cut where it is endless: strbuf_add_shown().
 */
#ifndef KPORT_LOG_H
#define KPORT_LOG_H

#include "base/compat.h"

enum log_level { LOG_QUIET, LOG_WARN, LOG_INFO, LOG_DEBUG };

extern enum log_level log_level;     /* LOG_INFO by default */

/* "auto", "always", "never"; honours NO_COLOR and isatty for auto. -1: unknown word. */
int log_set_color(const char *when);
bool log_color(int fd);

void log_error(const char *fmt, ...) PRINTF_LIKE(1, 2); /* always printed: "kport: ..." */
void log_warn(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_info(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_debug(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* To standard output what repositories or users gave: see strbuf_add_shown(). */
void print_shown(const char *text);

/* The command that runs: its name follows "kport " in the messages of usage(). */
void log_set_command(const char *name);

/* Print and exit 128 / 129; abort() for a bug. Only for main and cmd files. */
NORETURN void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
NORETURN void usage(const char *fmt, ...) PRINTF_LIKE(1, 2);
NORETURN void bug_at(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)

#endif
