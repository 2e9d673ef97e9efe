/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A baseline: what the maintainers did to the driver's nearest sibling (the same upstream change, the most identifiers in
 * common), put on this driver line by line. Whoever copies without thinking gets that far.
 */
#ifndef KPORT_SIBLING_H
#define KPORT_SIBLING_H

#include "drivebench/materialise.h"

/* Appends a patch; nothing when there is no sibling in the pool or none of its lines are the driver's. */
int sibling_answer(const struct refs *r, const struct case_set *pool, const struct bench_case *c,
		   const struct material *m, struct strbuf *patch, struct strbuf *err);
/* Lines of old that changed in new, changed in text in the same way: appended to out. Blanks at the ends do not count. */
int sibling_transfer(const struct strbuf *old, const struct strbuf *new, const struct strbuf *text, struct strbuf *out,
		     struct strbuf *err);

#endif
