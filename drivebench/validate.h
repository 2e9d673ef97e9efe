/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is a candidate a case? States, in the order in which they are tried:
 *
 *	before	the old file on the new kernel: compile or link has to fail
 *	old	the old file on its own kernel: has to build
 *	gold	the maintainers' file on the new kernel: every gate passes or does not apply
 *	empty	a patch that changes nothing: must not be resolved (the build of "before")
 *	stub	all functions emptied: must not be resolved, and honest has to say so
 *	delete	a module without a function: the same
 *
 * The first state that does not come out so rejects the candidate, with a reason. What the
 * machine is to blame for rejects nothing: the candidate stays one.
 */
#ifndef KPORT_VALIDATE_H
#define KPORT_VALIDATE_H

#include "drivebench/grade.h"

/*
 * *record: newly made, as "validation" of the case (docs/case-schema.md); its verdict is
 * "validated" or "rejected". work: directory for builds, made; the caller removes it. KP_INFRA:
 * nothing is known.
 */
int case_validate(const struct refs *r, const struct bench_case *c, unsigned mask, const char *work,
		  json_t **record, struct strbuf *err);
/* A copy of the case with that record; NULL takes it away. */
json_t *case_with_record(const struct bench_case *c, const json_t *record);
const char *bench_version(void);

#endif
