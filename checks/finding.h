/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A finding of any static tool in one form, so that findings of the port can be
 * compared with those of the baseline: two findings are the same when tool,
 * rule, function (or file) and normalised text agree; line numbers do not count.
 */
#ifndef KPORT_FINDING_H
#define KPORT_FINDING_H

#include <jansson.h>
#include "base/hash.h"
#include "base/strbuf.h"

struct finding {
	char *tool;	/* "sparse", "coccinelle", "gcc", "modpost", "honest", "console" */
	char *rule;	/* option, check name, or NULL */
	char *file;	/* relative to the driver's tree */
	int line;	/* 0: none */
	char *function;	/* enclosing function or NULL */
	char *text;
};

struct finding_list {
	struct finding *f;
	size_t n, alloc;
};

struct finding *finding_add(struct finding_list *l); /* zeroed */
/* All strings are copied; file, rule and function may be NULL. */
struct finding *finding_addf(struct finding_list *l, const char *tool, const char *rule,
			     const char *file, int line, const char *function, const char *fmt, ...)
	PRINTF_LIKE(7, 8);
/* "drivers/foo.c:12: text (function 'bar')", or without what is not known. Appended to out. */
void finding_describe(const struct finding *f, struct strbuf *out);
/*
 * The text without what moves when lines are inserted: numbers behind "line" or ":",
 * addresses, typographic quotes, runs of blanks. Appended to out.
 */
void finding_normal_text(const char *text, struct strbuf *out);
/* The same for findings that are the same. */
void finding_fingerprint(const struct finding *f, struct hash_hex *out);
void finding_list_release(struct finding_list *l);
/* Findings of "now" that "before" does not have, as a multiset; appended to out (copies). */
void finding_list_new_ones(const struct finding_list *now, const struct finding_list *before,
			   struct finding_list *out);
/* By file, line, tool and text. */
void finding_list_sort(struct finding_list *l);
json_t *finding_list_json(const struct finding_list *l);

#endif
