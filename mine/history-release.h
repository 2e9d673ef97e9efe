/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first release that holds a commit: the oldest tag, by the date of the tagged
 * commit, from which it can be reached. Release candidates count as their release
 * ("v6.3-rc2" is "v6.3"). Tags that are no versions are left out when there are any
 * that are; tags of trees and files always.
 */
#ifndef KPORT_HISTORY_RELEASE_H
#define KPORT_HISTORY_RELEASE_H

#include "mine/history-graph.h"

struct releases {
	char **names;
	size_t n, alloc;
	bool tagged;	/* the repository has tags, whether of these commits or of others */
};

/* Sets node.release of g's loaded nodes; index + 1 into names. */
void releases_mark(struct releases *r, git_repository *repo, struct graph *g);
const char *releases_name(const struct releases *r, uint32_t release); /* 0: NULL */
void releases_release(struct releases *r);
/* "v6.3" for "v6.3-rc2" and "v6.3"; NULL for what is no version. Newly allocated. */
char *release_of_tag(const char *tag);

#endif
