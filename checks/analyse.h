/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The compilers' own analysers over one captured unit: gcc's -fanalyzer and clang's (with the same options as far as
 * clang knows them). They follow paths through functions, take seconds a unit and err more often
 * than sparse: only what they say now and did not say of the driver before is of use.
 */
#ifndef KPORT_ANALYSE_H
#define KPORT_ANALYSE_H

#include "checks/finding.h"
#include "harness/kbuild.h"

enum analyse_answer {
	ANALYSE_JUDGED,
	ANALYSE_NOT_JUDGED, /* this analyser cannot compile the unit, or gave up */
};

/*
 * Findings in files of the tree are appended, tool "gcc-analyzer" and "clang-analyzer", rule the option or
 * checker, without "function" (findings_locate()). KP_NOTFOUND when the analyser is not installed.
 */
int analyse_gcc(const struct kbuild_unit *u, const struct kernel *k, const char *tree, struct finding_list *out,
		enum analyse_answer *answer, struct strbuf *err);
int analyse_clang(const struct kbuild_unit *u, const struct kernel *k, const char *tree, struct finding_list *out,
		  enum analyse_answer *answer, struct strbuf *err);

/* "text [checker]" in two; for tests. *rule is newly allocated, NULL when there is none. */
char *analyse_split_rule(const char *text, char **rule);

#endif
