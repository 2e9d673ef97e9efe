/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A source text as one kernel sees it: what "#if LINUX_VERSION_CODE < ..." and
 * the like leave out is replaced by blanks, so that offsets and line numbers stay.
 * A driver that serves several kernels from one source is compared with itself this
 * way: code kept for kernels that are not meant proves nothing about the port.
 *
 *	struct strbuf view = STRBUF_INIT;
 *	ppview(text, len, KERNEL_VERSION(6,12,95), &view);
 *
 * Decided are conditions made of LINUX_VERSION_CODE, KERNEL_VERSION(), numbers,
 * defined(MODULE), defined(__KERNEL__) and operators. All others, CONFIG_ symbols
 * among them, stay open: both branches are kept. The directives of a decided #if are
 * blanked too when all of its branches are decided. "#if 0" stays as it is.
 */
#ifndef KPORT_PPVIEW_H
#define KPORT_PPVIEW_H

#include "base/strbuf.h"

enum pp_truth { PP_FALSE, PP_TRUE, PP_OPEN };

/* version 0: unknown, then conditions on it stay open. Appended to out, len bytes. */
void ppview(const char *text, size_t len, unsigned version, struct strbuf *out);
/* One condition, the text behind "#if". */
enum pp_truth pp_condition(const char *expr, size_t len, unsigned version);

#endif
