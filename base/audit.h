/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Append-only, hash-chained trail of a run: JSON Lines, each with "seq", "time"
 * (UTC), "event", its data, "prev" (SHA-256 of the line before) and "hash"
 * (SHA-256 of this line without "hash"). A resumed run goes on with the chain; a
 * torn last line (kill -9) is cut off and noted; a broken chain is refused.
 * Values of environment variables whose name holds KEY, TOKEN, SECRET or PASSWORD
 * are redacted, wherever their text turns up. One writer at a time (flock).
 *
 * The chain shows changed, removed, added and reordered lines. It cannot show
 * that whole lines are missing at the end: keep audit_head() elsewhere for that
 * (the result record does).
 */
#ifndef KPORT_AUDIT_H
#define KPORT_AUDIT_H

#include <jansson.h>
#include "base/hash.h"
#include "base/strbuf.h"

struct audit;
int audit_open(const char *path, struct audit **out, struct strbuf *err);
/* data is consumed, NULL is fine; a NULL audit swallows it. */
int audit_add(struct audit *a, const char *event, json_t *data, struct strbuf *err);
void audit_close(struct audit *a);
/* SHA-256 of the last line; zeros when there is none. */
struct hash_hex audit_head(struct audit *a);
/* Makes every child process an event of this trail until closed. */
void audit_watch_children(struct audit *a);
/* KP_ERR with "line N: ..." at the first break of the chain. */
int audit_verify(const char *path, uint64_t *lines, struct strbuf *err);

#endif
