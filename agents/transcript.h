/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of exchanges with a model: JSON Lines, one an exchange, written with one
 * write() and fsync()ed before the answer is used.
 *
 *	struct transcript *t;
 *	transcript_open(path, true, &t, err);	// false: only read
 *	v = transcript_find(t, hash);		// borrowed, or NULL
 *	transcript_add(t, v, err);		// takes v: {"request_hash", ...}
 *	transcript_close(t);
 *
 * A torn last line (kill -9, full disk) is cut off when it is opened for writing and left
 * out when it is only read; any other line that is no exchange is KP_ERR with its number.
 * One writer at a time (flock). Of two exchanges with the same hash the first counts.
 */
#ifndef KPORT_TRANSCRIPT_H
#define KPORT_TRANSCRIPT_H

#include <jansson.h>
#include "base/strbuf.h"

struct transcript;
int transcript_open(const char *path, bool write, struct transcript **out, struct strbuf *err);
const json_t *transcript_find(const struct transcript *t, const char *request_hash);
/* In order; NULL behind the last. */
const json_t *transcript_at(const struct transcript *t, size_t i);
int transcript_add(struct transcript *t, json_t *exchange, struct strbuf *err);
void transcript_close(struct transcript *t);

#endif
