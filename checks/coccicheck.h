/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs the semantic checks of checks/cocci/ in report mode over files of a driver's tree,
 * in the sandbox, and says which files Coccinelle could not read.
 *
 *	struct coccicheck cc = COCCICHECK_INIT;
 *	if (coccicheck_run(&cc, tree, &files, err) < 0) ...
 *	use(cc.findings, cc.unknown);
 *	coccicheck_release(&cc);
 *
 * A check is DIR/NAME.cocci in the kernel's format with "virtual report", whose Python
 * part prints "file:line:col-col: text"; the name becomes the finding's rule.
 */
#ifndef KPORT_COCCICHECK_H
#define KPORT_COCCICHECK_H

#include "base/strvec.h"
#include "checks/finding.h"

/* Below this share of lines that parse, a file counts as not judged. */
#define COCCI_PARSED_ENOUGH 0.95

struct coccicheck {
	struct finding_list findings; /* without "function" (findings_locate()) */
	struct strvec unknown;	      /* "file: why" */
	size_t checks;		      /* semantic checks that were run */
};
#define COCCICHECK_INIT { .unknown = STRVEC_INIT }

/* files: relative to tree. KP_NOTFOUND when spatch is not installed. */
int coccicheck_run(struct coccicheck *cc, const char *tree, const struct strvec *files,
		   struct strbuf *err);
/* The check of one file, DIR/NAME.cocci, wherever it is. */
int coccicheck_one(struct coccicheck *cc, const char *path, const char *tree, const struct strvec *files,
		   struct strbuf *err);
void coccicheck_release(struct coccicheck *cc);

/* Share of lines in what "spatch --parse-c" printed, -1 when it says nothing; for tests. */
double coccicheck_parse_rate(const char *output);

#endif
