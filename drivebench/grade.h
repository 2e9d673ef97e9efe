/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Judges answers to one case: a patch is put on a copy of the driver, the copy is
 * built for the target and goes through the gates (checks/gate.h), compared with the driver
 * before as it builds on its own kernel. That one is built once, with the first answer.
 *
 *	struct grader g;
 *	grader_init(&g, &material, "work", mask);
 *	grader_judge(&g, "gold", patch, len, &ladder, err);	// for each answer
 *	grader_release(&g);
 */
#ifndef KPORT_GRADE_H
#define KPORT_GRADE_H

#include "checks/gate.h"
#include "drivebench/materialise.h"

#define GRADE_MASK_DEFAULT \
	(GATE_BIT(GATE_APPLY) | GATE_BIT(GATE_COMPILE) | GATE_BIT(GATE_LINK) | GATE_BIT(GATE_HONEST))

struct grader {
	const struct material *m;
	char *dir;		/* absolute */
	unsigned mask, boot_runs;
	struct driver *orig, *old;
	struct kbuild_result old_build;
	bool have_old;
	double build_seconds;	/* limit of one build; 0: default */
};

void grader_init(struct grader *g, const struct material *m, const char *dir, unsigned mask);
void grader_release(struct grader *g);
/*
 * The driver as it was on its own kernel: *built. What it takes to judge is there
 * behind it.
 */
int grader_before(struct grader *g, bool *built, struct strbuf *err);
/*
 * out is initialised by the caller. 0 whatever the verdict is; a patch that cannot be put on is
 * FAIL of the gate apply. name: of the work directory, and of logs/NAME.
 */
int grader_judge(struct grader *g, const char *name, const char *patch, size_t len, struct gate_ladder *out,
		 struct strbuf *err);
/*
 * The same of what is written alone: gates apply and honest, nothing is built. What they FAIL, grader_judge() fails
 * too; that they PASS says nothing of it.
 */
int grader_read(struct grader *g, const char *name, const char *patch, size_t len, struct gate_ladder *out,
		struct strbuf *err);
/* Before it is put on: a path that is no part of the driver, newly allocated; NULL: none. */
char *patch_stranger(const struct material *m, const char *patch, size_t len);

/* PASS of all gates of the mask, or SKIP for what does not apply. */
bool ladder_resolved(const struct gate_ladder *l, unsigned mask);
bool ladder_infra(const struct gate_ladder *l);
/* {"compile": "PASS", ...}: what was asked for. */
json_t *ladder_verdicts(const struct gate_ladder *l);
/* {"compile": {"reason": "...", "findings": ["x.c:3: ...", ...]}, ...}: the words behind the verdicts, bounded. */
json_t *ladder_details(const struct gate_ladder *l);

#endif
