/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the headers of one kernel declare, as far as the gates ask: is a name there
 * at all, is it called or defined like a function, does it return void, does a structure
 * still have a member, under which configuration symbols is a name declared.
 *
 *	struct ktarget *t;
 *	if (ktarget_open(k, &t, err) < 0) ...
 *	if (!ktarget_callable(t, "del_timer")) ...
 *	ktarget_close(t);
 *
 * Made by one pass over the headers (about a second for a whole kernel). Headers are
 * read as text: names in comments and strings do not count, both branches of an
 * #if do. The directories of a kernel are include/ and arch/ARCH/include of its
 * common and build trees. A NULL ktarget knows nothing: callers treat names as present.
 */
#ifndef KPORT_KTARGET_H
#define KPORT_KTARGET_H

#include "base/strbuf.h"
#include "base/strvec.h"
#include "harness/kernel.h"

struct ktarget;

int ktarget_open(const struct kernel *k, struct ktarget **out, struct strbuf *err);
/* Directories with headers; those that do not exist are passed over. */
int ktarget_open_dirs(const struct strvec *dirs, struct ktarget **out, struct strbuf *err);
void ktarget_close(struct ktarget *t);

bool ktarget_has(const struct ktarget *t, const char *name);
/* It is followed by "(" somewhere, or is a macro. */
bool ktarget_callable(const struct ktarget *t, const char *name);
/* Declared or defined as "void name(". */
bool ktarget_returns_void(const struct ktarget *t, const char *name);
bool ktarget_returns_bool(const struct ktarget *t, const char *name);
bool ktarget_has_struct(const struct ktarget *t, const char *tag);
/* True also when the structure is not known: nothing can be said then. */
bool ktarget_has_member(struct ktarget *t, const char *tag, const char *member);
/*
 * CONFIG_ symbols in the #if conditions around the declarations of name, appended; empty when
 * one of them stands outside of any. Returns false when no header names it.
 */
bool ktarget_config_of(struct ktarget *t, const char *name, struct strvec *out);

#endif
