/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The compiler's diagnostics of a build as findings, with the enclosing function and file
 * names relative to the driver's tree.
 */
#ifndef KPORT_UNITFIND_H
#define KPORT_UNITFIND_H

#include "checks/finding.h"
#include "harness/kbuild.h"

enum unit_which {
	UNIT_FAILURES, /* errors (rule "error") and dangerous warnings (rule: the option) */
	UNIT_WARNINGS  /* the other warnings */
};

/* Probes of configure scripts are left out. Diagnostics outside of the tree have no function. */
void unit_findings(const struct kbuild_result *b, const char *tree, enum unit_which which,
		   struct finding_list *out);

/*
 * Fills in "function" of the findings that have a line, by reading their files below tree; each
 * file once.
 */
void findings_locate(struct finding_list *l, const char *tree);

#endif
