/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a kernel console log: our markers (each carries the run's nonce, so a
 * driver cannot forge them), and what the kernel complained about.
 *
 *	struct console_log l;
 *	console_parse(text, len, nonce, &l);
 *	for (i...) l.ev[i]	// in order of the log
 *	console_log_release(&l);
 *
 * A report is one event however many of its lines look like a start of one; the
 * panic that an oops leads to is an event of its own. Words are the kernel's
 * (lib/bug.c, kernel/panic.c, arch/x86/mm/fault.c, mm/, kernel/locking/, kernel/module/).
 */
#ifndef KPORT_CONSOLE_H
#define KPORT_CONSOLE_H

#include "base/strbuf.h"

enum console_event_kind {
	CONSOLE_MARKER,	 /* text: what stood behind the nonce */
	CONSOLE_OOPS,	 /* BUG:, Oops, general protection fault, unable to handle ... */
	CONSOLE_PANIC,
	CONSOLE_WARNING, /* WARNING: CPU: ... */
	CONSOLE_SANITIZER, /* KASAN, UBSAN, KCSAN, KFENCE, kmemleak */
	CONSOLE_LOCKDEP, /* possible circular locking, inconsistent lock state, RCU misuse ... */
	CONSOLE_HANG,	 /* soft lockup, hung task, RCU stall */
	CONSOLE_ERROR	 /* module: unknown symbol, version magic, init returned ... */
};

struct console_event {
	enum console_event_kind kind;
	char *title;	/* normalised: addresses and numbers removed; as for syzkaller reports */
	char *function;	/* where it happened ("foo_init"), or NULL */
	char *text;	/* the whole report, at most 8 KiB, without time stamps */
	int line;	/* 1-based line of the log */
};

struct console_log {
	struct console_event *ev;
	size_t n, alloc;
};

/* nonce NULL: no markers are recognised. Any bytes are accepted. */
void console_parse(const char *text, size_t len, const char *nonce, struct console_log *out);
void console_log_release(struct console_log *l);
/* First marker that starts with prefix, or NULL; what is behind the prefix. */
const char *console_marker(const struct console_log *l, const char *prefix);
const char *console_event_name(enum console_event_kind k);

#endif
