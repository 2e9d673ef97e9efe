/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the options of a directory depend on, read from its Kconfig files: only
 * "config", its type, "depends on" and "if" blocks; no defaults, no selects. Enough to say
 * that a driver of another machine cannot be meant.
 */
#ifndef KPORT_KCONFIG_H
#define KPORT_KCONFIG_H

#include "base/strmap.h"
#include "base/strbuf.h"

struct kconfig {
	struct strmap deps;  /* "X" -> expression (char *), "" when it depends on nothing */
	struct strmap bools; /* set of the symbols that cannot be "m" */
};
#define KCONFIG_INIT { STRMAP_INIT, STRMAP_INIT }

void kconfig_release(struct kconfig *k);
/* Adds what a file says; a file that is absent is an error. "source" lines are not followed. */
int kconfig_read(struct kconfig *k, const char *path, struct strbuf *err);

/* "y", "m" or anything else for a symbol without "CONFIG_"; NULL: off. Newly allocated. */
typedef char *(*kconfig_value_fn)(const char *symbol, void *payload);
/*
 * Does the expression hold? An expression that cannot be parsed holds. When not,
 * the first symbol found off is appended to why (may be NULL).
 */
bool kconfig_holds(const char *expr, kconfig_value_fn value, void *payload, struct strbuf *why);

#endif
