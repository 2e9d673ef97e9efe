/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cases of the benchmark (docs/case-schema.md) and manifests of them: JSON Lines. The
 * schema is strict: unknown keys, wrong types, hashes that are none, paths that climb, an id
 * that is not that of the content, and the same id twice are errors, one line each with
 * file and line.
 *
 *	struct case_set s = CASE_SET_INIT;
 *	case_set_read(&s, "cases.jsonl", err);
 *	case_set_select(&s, &choice, err);
 *	for (i = 0; i < s.n; i++)
 *		... s.c[i]->id ...
 *	case_set_release(&s);
 */
#ifndef KPORT_CASE_H
#define KPORT_CASE_H

#include <jansson.h>
#include "base/strbuf.h"
#include "base/strvec.h"

struct bench_case {
	json_t *json;		/* whole; what follows belongs to it, or is NULL */
	const char *id, *track, *group, *taxonomy, *date;
	const char *path;	/* of the driver below the kernel's tree; NULL: a package */
	const char *old_hash, *gold_hash;
	const json_t *from, *to; /* references of kernels */
	const json_t *validation; /* NULL: a candidate */
	bool validated;		/* validation says so */
	char *pair;		/* "6.1 -> 6.12" */
	char *name;		/* of the module: "ac" */
};

struct case_set {
	struct bench_case **c;
	size_t n, alloc;
};
#define CASE_SET_INIT { 0 }

/* The first n bytes of a line; where ("FILE:LINE") starts the message. */
int case_parse(const char *text, size_t len, const char *where, struct bench_case **out, struct strbuf *err);
/* Takes v. */
int case_from_json(json_t *v, const char *where, struct bench_case **out, struct strbuf *err);
void case_free(struct bench_case *c);
/* The id that the content demands. */
void case_identity(const json_t *v, char id[65]);

/* Appends; KP_ERR at the first line that is wrong. A directory: all *.jsonl in it. */
int case_set_read(struct case_set *s, const char *path, struct strbuf *err);
int case_set_write(const struct case_set *s, const char *path, struct strbuf *err);
struct bench_case *case_set_find(const struct case_set *s, const char *id); /* or NULL */
void case_set_release(struct case_set *s);

struct case_choice {
	const char *track, *pair, *taxonomy, *split; /* NULL: any; pair "6.1:6.12"; split "dev", "test" */
	const struct strvec *ids; /* beginnings of ids; NULL or empty: any */
	int64_t limit;		/* 0: none */
	bool validated;		/* candidates are left out */
};
/* Drops what is not chosen. An id that fits no case or several is KP_ERR. */
int case_set_select(struct case_set *s, const struct case_choice *c, struct strbuf *err);
/*
 * "dev" (two of ten) or "test", by the group of siblings, so that what one upstream change
 * did is never on both sides.
 */
const char *case_split(const struct bench_case *c);
/* "6.12" of any reference of a kernel; commits are cut to 12 digits. Newly allocated. */
char *case_kernel_word(const json_t *ref);

#endif
