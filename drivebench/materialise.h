/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A case as a directory: the driver as "kport port" and "kport check" take it, and
 * task.json, which says what has to be done and nothing of how it was done: no gold, no
 * newer version's hash, no siblings, no expected verdicts, no history.
 *
 *	DIR/NAME/	the driver (a file of the kernel keeps its place below it)
 *	DIR/task.json
 */
#ifndef KPORT_MATERIALISE_H
#define KPORT_MATERIALISE_H

#include "drivebench/refs.h"

struct material {
	const struct kernel *from, *to; /* of the refs */
	char *driver;	/* DIR/NAME */
	char *file;	/* of the driver's own file below it: "drivers/acpi/ac.c"; NULL: a package, whose text is a bundle */
};

enum hints { HINTS_NONE, HINTS_SYMBOLS }; /* HINTS_SYMBOLS: what changed under the driver is told */

/*
 * dir is made and must hold no such driver. KP_INFRA: kernels or files are not here, or not
 * those that the case means.
 */
int materialise(const struct refs *r, const struct bench_case *c, enum hints h, const char *dir,
		struct material *out, struct strbuf *err);
void material_release(struct material *m);
/* Unified diff from the driver's file to text, with a/ and b/ prefixes; appended. */
int material_patch(const struct material *m, const char *text, size_t len, struct strbuf *out, struct strbuf *err);
/* The maintainers' own patch. */
int material_gold(const struct refs *r, const struct bench_case *c, const struct material *m, struct strbuf *out,
		  struct strbuf *err);
/*
 * Wrong answers: "stub" empties every function of the file, "delete" leaves a module without
 * any. text is the file's.
 */
void material_stub(const char *text, size_t len, struct strbuf *out);
void material_delete(const char *text, size_t len, struct strbuf *out);

#endif
