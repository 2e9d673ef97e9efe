/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs sparse over one compiled unit with the options of its captured compiler command,
 * in the sandbox, as "make C=2" of its kernel would.
 *
 * Sparse gives up a unit at its first error. When that stands in the driver it is a finding
 * and the rest of the unit is not judged; when it stands in the kernel's headers (sparse being older than the kernel) the
 * unit is tried again with stand-ins for what sparse does not know, and counts as
 * unreadable if that does not help.
 */
#ifndef KPORT_SPARSE_H
#define KPORT_SPARSE_H

#include "checks/finding.h"
#include "harness/kbuild.h"

enum sparse_answer { SPARSE_JUDGED, SPARSE_NOT_JUDGED, SPARSE_HEADERS_UNREADABLE };

/*
 * Findings in files of the tree are appended, without "function" (findings_locate()). KP_NOTFOUND
 * when sparse is not installed.
 */
int sparse_unit(const struct kbuild_unit *u, const struct kernel *k, const char *tree,
		struct finding_list *out, enum sparse_answer *answer, struct strbuf *err);

#endif
