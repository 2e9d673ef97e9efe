/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal to the sandbox: the system calls that a build does not need, refused by a seccomp
 * filter that bubblewrap installs before it starts the program (--seccomp FD). What is
 * refused, with which answer and why: the tables of sandbox-filter.c, summed up in sandbox.h.
 *
 *	int fd = sandbox_filter_open(&err);	// < 0: KP_INFRA, or KP_NOTFOUND: none here
 *	...	// "--seccomp", the number of fd; fd stays open in the child
 *	close(fd);
 *
 * The program (classic BPF, seccomp(2)) is made once by libseccomp.
 */
#ifndef KPORT_SANDBOX_FILTER_H
#define KPORT_SANDBOX_FILTER_H

#include "base/compat.h"
#include "base/strbuf.h"

/*
 * A new description of the program, read from its start, close-on-exec. KP_NOTFOUND when this
 * kernel was built without seccomp filters: the only case in which a sandbox goes without.
 */
int sandbox_filter_open(struct strbuf *err);
bool sandbox_filter_possible(void); /* by the kernel */

#endif
