/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers over jansson: typed getters for untrusted documents, canonical
 * output (sorted keys) and atomic writing.
 */
#ifndef KPORT_JSONUTIL_H
#define KPORT_JSONUTIL_H

#include <jansson.h>
#include "base/strbuf.h"

/* Message: "'PATH': line L, column C: what". max 0: 256 MiB. */
int json_read_file(const char *path, size_t max, json_t **out, struct strbuf *err);
/* Two-space indent, sorted keys, final newline. */
int json_write_file(const char *path, const json_t *v, struct strbuf *err);
void json_dump_compact(const json_t *v, struct strbuf *out);
void json_dump_pretty(const json_t *v, struct strbuf *out);
/* To standard output, for commands; takes v. */
void json_print(json_t *v);

/* NULL when absent or of another type; the string belongs to the document. */
const char *json_get_str(const json_t *obj, const char *key);
int64_t json_get_int(const json_t *obj, const char *key, int64_t dflt);
bool json_get_bool(const json_t *obj, const char *key, bool dflt);
double json_get_num(const json_t *obj, const char *key, double dflt);

/* Appends s with U+FFFD for each byte outside of UTF-8 and each NUL. */
void utf8_add(struct strbuf *sb, const char *s, size_t n);

/* Strings that may hold bytes outside UTF-8, made whole by utf8_add(). s NULL gives null. */
json_t *json_str(const char *s);
json_t *json_strn(const char *s, size_t n);
void json_set_str(json_t *obj, const char *key, const char *s);	/* NULL: key left out */
void json_set_int(json_t *obj, const char *key, int64_t v);
void json_set_bool(json_t *obj, const char *key, bool v);
void json_set_num(json_t *obj, const char *key, double v);

#endif
