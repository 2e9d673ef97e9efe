/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rewrite of one function of the driver from its present signature to a
 * wanted one: definition, all prototypes, body and direct callers.
 *
 *	struct sigchange sc;
 *	if (sigchange_init(&sc, c, f, fn, &wanted)) {
 *		for (v = 0; v < sc.nvariants; v++)
 *			g = sigchange_build(&sc, v, "callback");  // NULL: not possible
 *		w = sigchange_wrapper(&sc, refs, nrefs, "callback");
 *	}
 *	sigchange_release(&sc);
 *
 * The groups have edits, risk and score, and sentences on what a person has to
 * look at; the caller adds title and evidence.
 */
#ifndef KPORT_SIGCHANGE_H
#define KPORT_SIGCHANGE_H

#include "port/propose.h"
#include "port/recover.h"
#include "port/sigmap.h"

struct sigchange {
	const struct propose_ctx *c;
	struct type_env env;
	struct srcfile *f;
	const struct cfunc *fn;	   /* the definition */
	char *name;
	struct csig from, to;
	struct sigmap map;
	char **names;		   /* of the new parameters */
	bool ret_changes;
	/* Per old parameter: expressions that give it back; none when it is kept or unused. */
	struct recoveries *recovered;
	bool *narrowed;		   /* per old parameter: all uses read the part that is given now */
	bool *passed;		   /* per old parameter: only handed on to what lost it too */
	bool *needed;		   /* per old parameter: the body uses it and it changed or went */
	size_t nvariants;
};

/* A place in the tree that names a function as a value. */
struct sigref {
	struct srcfile *f;
	uint32_t tok;
};

/* False when the head cannot be read or nothing would change. "to" is copied. */
bool sigchange_init(struct sigchange *sc, const struct propose_ctx *c, struct srcfile *f,
		    const struct cfunc *fn, const struct csig *to);
void sigchange_release(struct sigchange *sc);
struct edit_group *sigchange_build(struct sigchange *sc, size_t variant, const char *technique);
/*
 * The same with locals and own callees made const along with a parameter; NULL
 * when no parameter becomes const or nothing hangs on it.
 */
struct edit_group *sigchange_build_const(struct sigchange *sc, size_t variant,
					 const char *technique);
/* The function stays; a new one of the wanted type calls it and takes its place at the refs. */
struct edit_group *sigchange_wrapper(struct sigchange *sc, const struct sigref *refs, size_t nrefs,
				     const char *technique);
/* "return void from platform_driver.remove": what changes, as a commit subject. */
void sigchange_describe(const struct sigchange *sc, const char *where, struct strbuf *out);
/* "int (struct foo *a, int b)". */
void csig_text(const struct csig *s, struct strbuf *out);
void csig_copy(struct csig *dst, const struct csig *src);
/* Places that name the function without calling it, in the files where it can be meant. */
size_t sigchange_refs(const struct sigchange *sc, struct sigref **out);

/*
 * The definition of "name" whose type is "sig": drivers for several kernels have
 * a head per #if branch. Else, by "arg" and "type" alone (sig NULL), the one whose
 * parameter has that type. NULL when there is none.
 */
const struct cfunc *sig_find_definition(const struct propose_ctx *c, const char *name,
					const struct csig *sig, int arg, const char *type,
					struct srcfile **file);
bool csig_same(const struct type_env *env, const struct csig *a, const struct csig *b);

/* Internal to sigchange*.c: direct calls. False: a caller needs what is gone. */
bool sigcalls_rewrite(struct sigchange *sc, struct edit_group *g, unsigned *notes);

enum sigcalls_note {
	SIGCALLS_DEFAULT = 1 << 8,
	SIGCALLS_DROPPED_EFFECT = 1 << 9,
	SIGCHANGE_RESULT = 1 << 10, /* a new parameter that results may be stored through */
	SIGCHANGE_MODE = 1 << 11    /* a new bool: says in which way to do it */
};

#endif
