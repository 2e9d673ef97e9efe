/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kbuild_recheck() for callers that check the same units many times: nearly all
 * of such a check is parsing headers, so from the third check of a unit with the
 * same include block on, that block and the kernel's own -include files come
 * from a precompiled header (about 0.1 s instead of 0.5).
 *
 *	struct kbuild_checker *c = kbuild_checker_new(kernel, tree, scratch);
 *	kbuild_checker_run(c, unit, &diags, &exit_code, err);	// any number of times
 *	kbuild_checker_free(c);		// removes scratch
 *
 * scratch is a directory of its own outside the tree (up to 80 MB a unit), made
 * when first needed. Whenever anything about the precompiled header is not as it
 * should be (the block warns or fails, a header of the tree changed, gcc rejects
 * it), the unit is checked in the plain way.
 *
 * A check is a question to the compiler and the reading of what it said. Several
 * threads may ask at once, each through a checker of its own; one made with
 * kbuild_checker_at() asks about a copy of the tree that the compiler sees in the
 * tree's place. The reading looks into the tree itself, which must hold by then what the copy held.
 */
#ifndef KPORT_CHECKER_H
#define KPORT_CHECKER_H

#include "harness/kbuild.h"

struct kbuild_checker;

struct kbuild_checker *kbuild_checker_new(const struct kernel *k, const char *tree,
					  const char *scratch);
/* real: the copy's directory. Needs the sandbox. */
struct kbuild_checker *kbuild_checker_at(const struct kernel *k, const char *tree,
					 const char *real, const char *scratch);
void kbuild_checker_free(struct kbuild_checker *c); /* NULL is fine */
/* As kbuild_recheck() with full false: root causes, appended to out. */
int kbuild_checker_run(struct kbuild_checker *c, const struct kbuild_unit *u, struct diag_list *out,
		       int *exit_code, struct strbuf *err);

struct kbuild_answer {
	struct strbuf text; /* what the compiler said */
	int code;
};
#define KBUILD_ANSWER_INIT { .text = STRBUF_INIT }

int kbuild_checker_ask(struct kbuild_checker *c, const struct kbuild_unit *u,
		       struct kbuild_answer *out, struct strbuf *err);
/* Root causes, appended to out. */
void kbuild_answer_read(const struct kbuild_answer *a, const struct kbuild_unit *u,
			const char *tree, struct diag_list *out);

struct kbuild_checker_stats {
	unsigned plain, fast, built;
};
const struct kbuild_checker_stats *kbuild_checker_stats(const struct kbuild_checker *c);

/* Length of the leading block of comments and directives up to its last #include; exposed for tests. */
size_t include_block(const char *text, size_t len);

#endif
