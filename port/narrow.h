/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A parameter that the kernel narrowed to the part of it that was used:
 * "struct ifreq *ifr", of which the body only reads "ifr->ifr_settings", became
 * "struct if_settings *ifs".
 */
#ifndef KPORT_NARROW_H
#define KPORT_NARROW_H

#include "port/edit.h"
#include "port/scope.h"

/*
 * Every use of "name" (of type "from") in fn's body is a way to a "to": rewrite
 * them to use "new_name". False, and nothing added, when one is not.
 * old: where the driver's own kernel declares the members.
 */
bool narrow_uses(const struct type_env *old, struct srcfile *f, const struct cfunc *fn,
		 const char *name, const char *from, const char *to, const char *new_name,
		 struct edit_group *g);

#endif
