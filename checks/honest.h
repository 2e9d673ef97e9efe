/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The honest gate's inside: compares the facts of a driver before and after a port.
 *
 *	struct honest h;
 *	honest_init(&h, &findings, &review);
 *	facts_read(..., &h.old, err); facts_read(..., &h.new, err);
 *	h.target = ...;				// NULL: nothing is known of the target
 *	honest_compare(&h);
 *	honest_release(&h);			// closes target
 *
 * What was lost for no reason that the target kernel gives is a finding. What the target
 * explains - a member, function or value that it no longer has - goes to "review":
 * a person should look, the gate does not fail. The decisions:
 *
 * function gone	fails, unless renamed (similar body), now declared by the target, the
 *			callback of a member the target lacks, or merged: what it called is still
 *			called as often, or is gone from the target
 * function emptied	fails; also "always returns a constant" where a value was computed,
 *			unless the callee returns void in the target (review)
 * function unused	fails, unless its only use was such a member
 * call gone		of the kinds register, lock, unlock, put, free, unregister, stop, unmap:
 *			fails, unless a call of the same kind came (a rename); when the target
 *			lacks the function, any release in the same function will do, and calls that
 *			went together with their opposite (enable, disable) are left to review
 * error check gone	fails, unless the callee returns void in the target, or is gone (review)
 * member gone		fails, unless its value stands under another member (renamed), or the
 *			target's structure lacks the member, or the target lacks the value (review)
 * other call gone	review, when no call came in the same function; so with set members
 * opposite		a call that became its opposite (read, write) fails; a callee that returns bool
 *			where another was checked the same way goes to review
 * stub			a new function or macro in the name of a kernel function that was called,
 *			or a new function that is called, and does nothing: fails
 * cast			to a pointer where the same argument, value or callback stood without: fails
 */
#ifndef KPORT_HONEST_H
#define KPORT_HONEST_H

#include "checks/facts.h"
#include "checks/finding.h"
#include "checks/ktarget.h"

struct honest {
	struct facts old, new;
	struct ktarget *target;
	struct finding_list *findings, *review;
	struct strmap renamed;	/* function before -> its name now (string owned by the facts) */
	struct strmap excused;	/* functions that may be gone or unused: the reason was reported */
};

void honest_init(struct honest *h, struct finding_list *findings, struct finding_list *review);
void honest_release(struct honest *h);
void honest_compare(struct honest *h);

/* The parts, in the order in which they run. */
void honest_renames(struct honest *h);
void honest_tables(struct honest *h);
void honest_functions(struct honest *h);
void honest_calls(struct honest *h);
void honest_checks(struct honest *h);
void honest_edits(struct honest *h);
void honest_tricks(struct honest *h);
void honest_build_files(struct honest *h);

/* Shared by them. at: the place that is named. */
void honest_fail(struct honest *h, const char *rule, const struct fact *at, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
void honest_review(struct honest *h, const char *rule, const struct fact *at, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* The name that a function of the old driver has in the new one. */
const char *honest_new_name(const struct honest *h, const char *old_name);
/* Defined in the new driver, or callable in the target. */
bool honest_exists(const struct honest *h, const char *callee);
/* Words of a, between underscores, that b has too. */
size_t honest_words_shared(const char *a, const char *b);
/* A function of the target or of the new driver that returns nothing. */
bool honest_void_function(const struct honest *h, const char *callee);
/* The C text ret ... "void" without a "*". */
bool honest_returns_void(const struct fact *function);

#endif
