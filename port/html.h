/* SPDX-License-Identifier: GPL-2.0-only */
/* Small pieces of HTML: escaping of untrusted text, and side-by-side diffs. */
#ifndef KPORT_HTML_H
#define KPORT_HTML_H

#include "port/tree.h"

/* Escapes markup; bytes that are no UTF-8 and control characters become U+FFFD. */
void html_text(struct strbuf *out, const char *s);
void html_textn(struct strbuf *out, const char *s, size_t n);
/* A table for each file that differs: old on the left, new on the right, changed part marked. */
int html_tree_diff(struct strbuf *out, const struct tree *before, const struct tree *after,
		   struct strbuf *err);
/* The page's style sheet: light and dark, narrow screens, print. */
extern const char html_style[];

#endif
