/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The warning options with which a kernel compiles any module, learned by building
 * an empty one, and what a driver's build took away from them.
 *
 *	struct strvec ref = STRVEC_INIT;
 *	refflags_get(k, run_dir, &ref, err);	// once per kernel, then from the cache
 *	refflags_weakened(&ref, &unit->argv, &out);
 *
 * Later options win, as for gcc. "weakened" are warnings that are off or no longer
 * errors though the kernel's options have them on, or say nothing of them.
 */
#ifndef KPORT_REFFLAGS_H
#define KPORT_REFFLAGS_H

#include "base/strbuf.h"
#include "base/strvec.h"
#include "harness/kernel.h"

/* work_dir: a directory below which the module is built; it is removed again. */
int refflags_get(const struct kernel *k, const char *work_dir, struct strvec *out, struct strbuf *err);
/* Names of what is weaker: "-w", "incompatible-pointer-types", ...; appended. */
void refflags_weakened(const struct strvec *ref, const struct strvec *argv, struct strvec *out);

#endif
