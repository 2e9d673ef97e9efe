/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal to the sandbox: a thread that watches a running sandbox from outside
 * and kills it when it has too many processes or writes too much.
 */
#ifndef KPORT_SANDBOX_WATCH_H
#define KPORT_SANDBOX_WATCH_H

#include "harness/sandbox.h"

struct sandbox_watch;

/* pid: the outer bwrap process, not reaped before sandbox_watch_stop(). */
struct sandbox_watch *sandbox_watch_start(const struct sandbox *sb, pid_t pid);
/* Ends the thread and frees; a reason is appended to blame when it killed. */
void sandbox_watch_stop(struct sandbox_watch *w, struct strbuf *blame);

/* What a sandbox may have at once: its own limit or the default. */
uint64_t sandbox_max_processes(const struct sandbox *sb);

/* Bytes on disk and entries below dir; links are not followed. Exposed for tests. */
void sandbox_usage(const char *dir, uint64_t *bytes, uint64_t *entries);

#endif
