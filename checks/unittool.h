/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A static tool over one captured unit, in the sandbox, the driver's tree read-only: sparse (sparse.h) and
 * the analysers (analyse.h).
 */
#ifndef KPORT_UNITTOOL_H
#define KPORT_UNITTOOL_H

#include "harness/kbuild.h"

/*
 * Runs argv where the unit was compiled and collects both its outputs, 8 MiB at most. A tool that ended early, by its
 * limit of CPU time or a crash, leaves an error at the unit's first line. KP_INFRA when the machine stood still.
 */
int unit_tool_run(const struct kbuild_unit *u, const struct kernel *k, const char *tree, const struct strvec *argv,
		  struct strbuf *out, struct strbuf *err);
/* The unit's own arguments that start no output and are no warning options, appended without the compiler. */
void unit_tool_args(const struct kbuild_unit *u, struct strvec *argv);

/* "file:line:col: warning: text". False when a line is none; file is newly allocated, text points into line. */
bool unit_tool_line(const char *line, char **file, int *lineno, bool *error, const char **text);
/* The file of such a line relative to the tree, or NULL; *full is newly allocated and holds it. */
const char *unit_tool_place(const struct kbuild_unit *u, const char *tree, const char *file, char **full);

#endif
