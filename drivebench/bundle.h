/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A driver of many files as one text, so that everything that compares, empties or carries
 * texts works on packages too. Each file stands behind a comment with its path: C first, then what builds it, each
 * in the order of paths. Nothing is lost: bundle_write() gives the same bytes back.
 */
#ifndef KPORT_BUNDLE_H
#define KPORT_BUNDLE_H

#include "base/strbuf.h"

/* Sources and Kbuild files below dir (port/tree.h) but for what modpost leaves there; appended. */
int bundle_read(const char *dir, struct strbuf *out, struct strbuf *err);
/* Of the driver in a package's file; appended. */
int bundle_read_package(const char *deb, struct strbuf *out, struct strbuf *err);
/* Writes each file of it below dir. KP_ERR: a path leaves dir, or it is no bundle. */
int bundle_write(const char *dir, const char *text, size_t len, struct strbuf *err);
bool is_bundle(const char *text, size_t len);

/* fn for each file in turn; what it returns other than 0 ends it. text: len bytes, no NUL behind it. */
typedef int (*bundle_fn)(const char *path, const char *text, size_t len, void *payload, struct strbuf *err);
int bundle_each(const char *text, size_t len, bundle_fn fn, void *payload, struct strbuf *err);
/* The line in front of a file. */
void bundle_mark(struct strbuf *out, const char *path);

#endif
