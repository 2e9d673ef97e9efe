/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages of the benchmark and of nightly runs: one file each, nothing is loaded, light and dark. A small script sorts
 * tables of the class "sort" by the header that is clicked and filters those of "filter" by words; without it everything
 * is there to read.
 *
 *	page_open(&out, "title");
 *	strbuf_addstr(&out, "<h1>...");
 *	page_close(&out);
 *
 * What comes from drivers, models or logs goes through html_text() (port/html.h).
 */
#ifndef KPORT_PAGE_H
#define KPORT_PAGE_H

#include "base/strbuf.h"

void page_open(struct strbuf *out, const char *title);
void page_close(struct strbuf *out);
/* Opens a table that sorts and has a field to filter by; columns: texts of the head, "#" in front: sorted as numbers. */
void page_table(struct strbuf *out, const char *const *columns, size_t n);

struct page_bar {
	const char *label, *note;	/* in front of it and behind it */
	double value, low, high;	/* 0 to 1; low == high: no interval */
	unsigned series;		/* 0 to 3: colour */
};
/* Horizontal bars as inline SVG; an empty label belongs to the group above. */
void page_bars(struct strbuf *out, const char *title, const struct page_bar *b, size_t n);
/* A unified diff, lines coloured; at most max bytes of it. */
void page_diff(struct strbuf *out, const char *diff, size_t len, size_t max);

#endif
