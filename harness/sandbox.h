/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a child in bubblewrap: no network, system and named roots read-only at
 * their own paths, only the named directories writable, private /tmp, own pid,
 * ipc and uts namespaces, a clean environment, resource limits. Paths inside are
 * the paths outside, so nothing has to be translated.
 *
 *	struct sandbox sb = SANDBOX_INIT;
 *	strvec_push(&sb.ro, kernel_dir);
 *	strvec_push(&sb.rw, workspace);
 *	sandbox_run(&sb, &child, &result, err);	// child as in base/child.h
 *
 * The number of processes (which harness/sandbox-pids.h also bounds by the kernel's
 * own count) and the growth of the writable directories are watched from outside;
 * whoever exceeds them is killed with all its processes (kind CHILD_SIGNALED)
 * and sb.blame says why. Nothing survives the call: the sandbox has its own pid
 * namespace.
 *
 * When bubblewrap cannot be had the call is KP_INFRA and says how to get it,
 * unless sandbox_disable() was called (--no-sandbox).
 */
#ifndef KPORT_SANDBOX_H
#define KPORT_SANDBOX_H

#include "base/child.h"

struct sandbox {
	struct strvec ro, rw;	/* absolute directories or files */
	struct strvec binds;	/* pairs: directory, the path inside at which it is read-only */
	struct strvec symlinks; /* pairs: target, path inside (for example /lib/modules/REL/build) */
	struct strvec path_prefix; /* directories put in front of PATH */
	struct strvec env;	/* "NAME=value" inside */
	const char *hostname;	/* NULL: "kport" */
	struct strbuf *blame;	/* set: receives in words which limit of the watcher ended the run */
	uint64_t max_processes;	/* at once, in the whole sandbox; 0: 512 */
	uint64_t max_file_bytes; /* 0: 2 GiB */
	uint64_t max_memory_bytes; /* per process address space; 0: 8 GiB */
	uint64_t max_write_bytes; /* growth of the writable directories that is tolerated; 0: 4 GiB */
};
#define SANDBOX_INIT { .ro = STRVEC_INIT, .rw = STRVEC_INIT, .binds = STRVEC_INIT, .symlinks = STRVEC_INIT, \
		       .path_prefix = STRVEC_INIT, .env = STRVEC_INIT }

void sandbox_release(struct sandbox *sb);
/* Fills in c->argv's front, runs, restores. c->dir is the directory inside. */
int sandbox_run(const struct sandbox *sb, struct child *c, struct child_result *r,
		struct strbuf *err);
/* The argv prefix alone, for callers that start children themselves (parallel pool). */
int sandbox_prefix(const struct sandbox *sb, const char *dir, struct strvec *argv,
		   struct strbuf *err);
void sandbox_disable(void);
bool sandbox_is_disabled(void); /* then binds mean nothing */
/* 0 when a sandbox really works here (tried once, cached), KP_INFRA with the reason otherwise. */
int sandbox_probe(struct strbuf *err);

#endif
