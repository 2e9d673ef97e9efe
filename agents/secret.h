/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A key of a model server: from an environment variable or a file that only its owner can
 * read, kept away from everything that is written or started.
 *
 *	struct secret *s;
 *	secret_take("OPENAI_API_KEY", NULL, &s, err);	// KP_NOTFOUND: neither is there
 *	header = secret_text(s);
 *	secret_free(s);					// wiped
 *
 * secret_take() wipes the variable and removes it from the environment, so that no child
 * process gets it, and forbids core dumps of this process (PR_SET_DUMPABLE, RLIMIT_CORE).
 * The file must be a regular file of ours with no permission for group and others.
 * libcurl copies the header into buffers of its own, which cannot be wiped: that nobody
 * dumps or traces the process is what guards them.
 */
#ifndef KPORT_SECRET_H
#define KPORT_SECRET_H

#include "base/strbuf.h"

struct secret;
/* file wins over the variable. Keys are one line of printable bytes, at most 4096. */
int secret_take(const char *variable, const char *file, struct secret **out, struct strbuf *err);
const char *secret_text(const struct secret *s); /* never log it */
void secret_free(struct secret *s);
/* Replaces every occurrence of the key, as it is and as JSON quotes it, by "[redacted]"; s NULL: nothing. */
void secret_redact(const struct secret *s, struct strbuf *text);
void strbuf_wipe(struct strbuf *sb); /* overwrites, then releases */

#endif
