/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records that the compiler shim (harness/tools/kport-cc.c) leaves, and the
 * directory of shims. The records come from inside the sandbox: every field is
 * checked, a broken record is skipped.
 */
#ifndef KPORT_CAPTURE_H
#define KPORT_CAPTURE_H

#include "harness/kbuild.h"

/* Makes dir with the links to kport-cc: compiler names, those of k, and uname. */
int capture_make_shims(const char *dir, const struct kernel *k, struct strbuf *err);
/* Reads all records of dir into units (allocated), sorted. Diagnostics are located in tree and folded. */
int capture_read(const char *dir, const char *tree, struct kbuild_unit **units, size_t *n,
		 struct strbuf *err);
/* The unit's arguments for a check without output files: no -o, no dependency files. */
void capture_check_argv(const struct kbuild_unit *u, bool full, struct strvec *out);
/* Diagnostics of one compiler run: parse, locate, read sources; an exit without any becomes one. */
void capture_parse(const char *text, size_t len, const char *cwd, const char *tree, int exit_code,
		   struct diag_list *raw);
void kbuild_unit_release(struct kbuild_unit *u);

#endif
