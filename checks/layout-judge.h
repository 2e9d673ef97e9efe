/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a changed layout means for a driver: "a" is the driver before on its kernel, "b" the driver to be
 * judged on the target.
 *
 * A finding is what is wrong whatever the values are: a structure of the driver that user space,
 * a device or a wire reads and that is not the same; a structure of the kernel that goes to user space and is
 * not the same; a private copy of a kernel's structure that was one and is none; a number in the source
 * that stands for an old offset or size; a value stored in a member that holds only a part of it; a
 * test for "< 0" of what became unsigned; an initialiser by position that means another member; another
 * member used than before although the one from before is still there.
 *
 * A member of a kernel's structure that only moved is harmless: the driver is compiled anew.
 * What may be meant is a note for a person ("review"): sizeof, memcpy, memset and casts over
 * changed structures, members that became wider, narrower or unsigned.
 */
#ifndef KPORT_LAYOUT_JUDGE_H
#define KPORT_LAYOUT_JUDGE_H

#include "checks/finding.h"
#include "checks/layout-shape.h"
#include "checks/layout-uses.h"
#include "harness/kernel.h"

/* One structure on both sides. */
struct shape_pair {
	struct shape a, b;
	bool both, own;
	const struct dbg_struct *at;	/* where it is declared, b's if it has it */
	struct shape_diff diff;
};

struct layout_judge {
	const struct dbg *a, *b;
	const struct use_list *ua, *ub;
	const char *from, *to;		/* releases, for the texts */
	const struct kernel *ka, *kb;	/* for structures that only the kernels' BTF has */
	struct finding_list *findings, *review;
	struct strmap pairs;		/* "name|own|file" -> struct shape_pair */
	struct strmap said;		/* findings that were made */
	struct strvec shared;		/* "struct foo: user space (ioctl FOO_SET)" */
	size_t copies, members;		/* looked at */
	bool no_btf;
};

void layout_judge_init(struct layout_judge *j);
void layout_judge_release(struct layout_judge *j);

/* The same structure on the other side; NULL: st is of neither. */
const struct shape_pair *judge_pair(struct layout_judge *j, const struct dbg_struct *st);
/* Once for a place and rule. */
void judge_say(struct layout_judge *j, bool wrong, const char *rule, const struct use *u, const char *fmt, ...)
	PRINTF_LIKE(5, 6);

void judge_shared(struct layout_judge *j);	/* layout-shared.c */
void judge_kernel(struct layout_judge *j);	/* layout-kernel.c: members, numbers, notes */
void judge_swaps(struct layout_judge *j);	/* layout-swaps.c */
int judge_copies(struct layout_judge *j, struct strbuf *err); /* layout-copies.c */

#endif
