/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What another driver did in one function for a change of the kernel: all
 * statements of the function that changed, and which of them belong together.
 *
 *	struct group_example ex;
 *	if (group_example_load(c, "del_timer", "drivers/a/b.c", "b_remove", words, &ex)) {
 *		for (i = 0; i < ex.natoms; i++)
 *			if (ex.atom[i].tied) ...
 *		group_example_release(&ex);
 *	}
 *
 * Read from the two kernels' source trees, so that insertions and what stands
 * around a change are seen too. Statements are tied when they use the symbol, a
 * kernel name that is gone and that the driver in hand uses as well, a local that
 * came or went with a tied statement, or the value that a tied call gives.
 */
#ifndef KPORT_GROUP_EXAMPLE_H
#define KPORT_GROUP_EXAMPLE_H

#include "port/propose.h"
#include "port/scope.h"

enum group_side { GROUP_OLD, GROUP_NEW };

/* Statements b of the old function became statements a of the new one. */
struct group_atom {
	struct cspan b, a;	 /* whole statements; one of them may be empty */
	struct cspan wb, wa;	 /* the part that is matched and what it becomes */
	struct cspan prev, next; /* old statements around it that stayed; empty where there is none */
	bool tied;
	bool guard;		 /* an "if" that went with its body, which leaves: b is the head alone */
	bool declares;		 /* local declarations and nothing else */
	bool foreign;		 /* concerns gone names that the driver in hand does not have */
	bool has_symbol, has_gone, has_dead; /* b uses the symbol, a gone kernel name, a gone local */
	char *added;		 /* first kernel function that a calls and b does not, or NULL */
	bool result;		 /* tied by the value of a tied call, which is atom "call" */
	size_t call;
};

struct group_example {
	char *path, *function;
	struct srcfile *f[2];
	const struct cfunc *fn[2];
	struct scope scope[2];
	struct group_atom *atom; /* in the order of the text */
	size_t natoms, alloc;
	struct strvec gone;	 /* kernel names of tied statements that the new kernel has not */
	struct strvec dead;	 /* locals, parameters and labels that went */
	struct strvec fresh;	 /* those that came */
	struct strvec moved;	 /* locals that became parameters, or the other way round */
	bool managed;		 /* what came frees or unlocks by itself (scoped, guard, devm) */
	bool partial;		 /* changed too much to be read whole */
	double likeness;	 /* 0..1: names that its function and the one in hand share */
};

/*
 * words: identifiers of the driver's function in hand. False when the files or the
 * function are not there in both trees or nothing is tied to the symbol.
 */
bool group_example_load(const struct propose_ctx *c, const char *symbol, const char *path,
			const char *function, const struct strmap *words,
			struct group_example *out);
void group_example_release(struct group_example *ex);
/* A file of the older tree and what it became; false, and NULL in both, when one is not there. */
bool group_read_pair(const struct propose_ctx *c, const char *path, struct srcfile *f[2]);

/* Sets wb and wa of an atom; the names of the example are known. */
void group_set_window(const struct group_example *ex, struct group_atom *at, const char *symbol);

/* Is it a kernel name that the new kernel has no more? */
bool group_is_gone(const struct propose_ctx *c, const struct ctoks *ts, size_t i);
/* Is the identifier at this token the kernel's (declared by the headers of either kernel), not a driver's? */
bool group_is_kernel_name(const struct propose_ctx *c, const struct ctoks *ts, size_t i);
/* Does the name say that what it begins ends with its scope? */
bool group_is_scoped(const char *name);
/* Declared in the function: a local, a parameter, a label. */
bool group_is_local(const struct scope *s, const struct cfunc *fn, const char *name);

#endif
