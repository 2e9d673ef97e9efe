/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Return codes of our functions and exit codes of the program.
 *
 * A function that can fail returns 0 or one of the negative codes below and
 * appends one whole message to its last argument, a "struct strbuf *err",
 * which it leaves untouched on success. It never prints. Messages are lower
 * case without a full stop, quote their subject with single quotes and say
 * what to do when that is known.
 *
 *	if (n > max)
 *		return kp_fail(err, KP_ERR, "'%s': more than %d entries", path, max);
 */
#ifndef KPORT_ERROR_H
#define KPORT_ERROR_H

#include "base/compat.h"

enum kp_code {
	KP_OK = 0,
	KP_ERR = -1,	     /* the input is at fault */
	KP_INFRA = -2,	     /* the machine or an external tool is at fault */
	KP_NOTFOUND = -3,    /* expected answer: there is no such thing */
	KP_INTERRUPTED = -4, /* SIGINT or SIGTERM arrived; the work can be resumed */
};

enum kp_exit {
	EXIT_YES = 0,	  /* done, or the answer is yes */
	EXIT_NO = 1,	  /* the answer is no: not ported, findings, regression */
	EXIT_INFRA = 2,	  /* infrastructure fault */
	EXIT_FATAL = 128, /* bug or fatal */
	EXIT_USAGE = 129, /* wrong usage */
	EXIT_SIGINT = 130 /* interrupted; run again to resume */
};

struct strbuf;

/* Appends the message to err (NULL: dropped) and returns code. */
int kp_fail(struct strbuf *err, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/*
 * The same for a failed system call: ": " and the text of errno follow the
 * message. Absent files give KP_NOTFOUND, wrong or forbidden paths KP_ERR, all
 * else (disk full, I/O error, too many open files) KP_INFRA.
 */
int kp_fail_errno(struct strbuf *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The exit code for a negative kp_code: 128, 2, 1 (not found) or 130. */
int kp_exit_code(int code);

#endif
