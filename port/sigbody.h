/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The body of a function whose return type changed, and what its return
 * statements say. Behaviour is kept: whatever had a side effect still has it.
 */
#ifndef KPORT_SIGBODY_H
#define KPORT_SIGBODY_H

#include "port/edit.h"
#include "port/scope.h"

enum sigbody_note {
	SIGBODY_LOSES_ERROR = 1 << 0,	/* a value other than 0 was, or may have been, returned */
	SIGBODY_INVENTS_VALUE = 1 << 1, /* a value had to be made up that is no plain success */
	SIGBODY_CONVENTION = 1 << 2,	/* 0 or an error became true or false */
	SIGBODY_EARLY_SUCCESS = 1 << 3	/* an early return, maybe of a failure, now reports success */
};

/* All of its returned values are the constant 0. */
bool sigbody_returns_zero(struct srcfile *f, const struct cfunc *fn);
/*
 * Edits that make the body of fn, which returns "from", return "to". The notes
 * are ORed into *notes. False when it cannot be done with the meaning kept.
 */
bool sigbody_convert(const struct type_env *env, struct srcfile *f, const struct cfunc *fn,
		     const char *from, const char *to, struct edit_group *g, unsigned *notes);

#endif
