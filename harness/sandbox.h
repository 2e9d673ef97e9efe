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
 * System calls (harness/sandbox-filter.c has the lists): the program is a stranger's and the
 * kernel below it is the machine's, so what a build does not need is refused, whatever the
 * privileges inside would be:
 *
 *	EPERM		mounts, namespaces (unshare, setns, clone), chroot; ptrace and reading the
 *			memory of others; bpf, perf, modules, kexec, reboot, swap, quota, keys,
 *			the clock, names of the machine; device nodes; set-id bits on files, which
 *			would be the caller's (open, creat, chmod, mknod); typing into a terminal
 *	EAFNOSUPPORT	sockets other than AF_UNIX (AF_VSOCK reaches the host of a machine, AF_ALG and
 *			AF_NETLINK the kernel); of a 32-bit program all that come by socketcall()
 *	ENOSYS		clone3 and openat2 (their flags lie in memory, where a filter cannot look),
 *			io_uring, userfaultfd, and calls that are younger than the list, so that a
 *			new kernel adds nothing
 *
 * 32-bit programs run under the same rules: compilers made long ago are. x32 is refused.
 * When the filter cannot be made or installed nothing runs (KP_INFRA); only a kernel without
 * seccomp filters runs builds without one, and doctor says so.
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
	uint64_t max_processes;	/* and threads, at once, in the whole sandbox; 0: 512 */
	uint64_t max_file_bytes; /* 0: 2 GiB */
	uint64_t max_memory_bytes; /* per process address space; 0: 8 GiB */
	uint64_t max_files;	/* and directories that may be added to the writable ones; 0: 400000 */
	uint64_t max_write_bytes; /* growth of the writable directories that is tolerated; 0: 4 GiB */
};
#define SANDBOX_INIT { .ro = STRVEC_INIT, .rw = STRVEC_INIT, .binds = STRVEC_INIT, .symlinks = STRVEC_INIT, \
		       .path_prefix = STRVEC_INIT, .env = STRVEC_INIT }

void sandbox_release(struct sandbox *sb);
/* Fills in c->argv's front, runs, restores. c->dir is the directory inside. */
int sandbox_run(const struct sandbox *sb, struct child *c, struct child_result *r,
		struct strbuf *err);
/*
 * The argv prefix alone, exposed for tests: bubblewrap reads the filter from filter_fd, which
 * stays open in the child; -1: without.
 */
int sandbox_prefix(const struct sandbox *sb, const char *dir, int filter_fd, struct strvec *argv,
		   struct strbuf *err);
void sandbox_disable(void);
bool sandbox_is_disabled(void); /* then binds mean nothing */
/* 0 when a sandbox really works here (tried once, cached), KP_INFRA with the reason otherwise. */
int sandbox_probe(struct strbuf *err);

#endif
