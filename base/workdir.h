/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Directories for the work of one process, in the cache: CACHE/PREFIXPID-XXXXXX. The caller removes its own. What a process that
 * was killed left is removed by one that makes such a directory more than a day later (the age guards processes that cannot be seen
 * from here).
 */
#ifndef KPORT_WORKDIR_H
#define KPORT_WORKDIR_H

#include "base/strbuf.h"

/* prefix: "check-". *dir is newly allocated. */
int workdir_make(const char *prefix, char **dir, struct strbuf *err);

#endif
