/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A parameter that becomes const takes along what is made from it: locals that
 * are set from it and parameters of the driver's own functions that it is
 * passed to. Whether they need it only the compiler knows, so this is for a
 * candidate of its own.
 */
#ifndef KPORT_CONSTPROP_H
#define KPORT_CONSTPROP_H

#include "base/strvec.h"
#include "port/edit.h"
#include "port/scope.h"

/* names: parameters of fn that are const now. Returns how many declarations got a const. */
size_t const_propagate(const struct type_env *env, struct srcfile *f, const struct cfunc *fn,
		       const struct strvec *names, struct edit_group *g);

#endif
