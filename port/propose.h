/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proposers turn one breakage into candidate edit groups. To add one: write
 * port/propose-NAME.c with one "const struct proposer propose_NAME", add it to
 * the table in propose.c, and tests.
 *
 * A proposer is a pure function of its context: no state, no files written, the
 * same candidates in the same order for the same input. It may repair all sites
 * of the same cause in the whole tree with one group (a rename, a rule).
 * Candidates need not be checked by it: the oracle does that. It must never
 * "repair" by dropping functionality (ENGINE.md: wrong fixes and guards).
 */
#ifndef KPORT_PROPOSE_H
#define KPORT_PROPOSE_H

#include "harness/kernel.h"
#include "mine/apidiff.h"
#include "mine/apiindex.h"
#include "mine/examples.h"
#include "port/breakage.h"
#include "port/edit.h"
#include "port/learn-store.h"

struct model_pool;

struct propose_ctx {
	const struct kernel *from, *to;	 /* from may be NULL: then old_ix and diff are NULL too */
	struct api_index *old_ix, *new_ix;
	struct api_diff *diff;
	struct tree *tree;		 /* the state that candidates are made for */
	const struct breakage *b;	 /* the one to repair */
	const struct breakage_list *all; /* all of this unit in this state */
	const char *tree_dir;		 /* the tree as the compiler sees it, for include lookups */
	const char *scratch;		 /* empty directory that a proposer may use and must leave empty */
	const struct rule_set *rules;
	struct examples *examples;	 /* of the two kernels' sources, or NULL */
	struct learn_store *learned;	 /* scores of what was learned from the same sources, or NULL */
	const struct strvec *exclude;	 /* paths whose examples must not be used */
	const struct model_pool *model;	 /* what a model answered, or NULL (port/model.h) */
	bool only_model;		 /* no other proposer is asked */
	const struct strvec *without;	 /* names of proposers that are left out, or NULL */
};

struct proposer {
	const char *name;
	unsigned long long kinds; /* bit per enum diag_kind that it answers */
	int (*propose)(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err);
};

#define KIND_BIT(k) (1ULL << (k))

extern const struct proposer propose_rules;	/* semantic patches, port/rules/ */
extern const struct proposer propose_mined;	/* what other drivers did, mine/examples.h */
extern const struct proposer propose_group;	/* all that another driver did, port/group-*.h */
extern const struct proposer propose_include;	/* headers moved, split, no longer implied */
extern const struct proposer propose_rename;	/* functions, macros, types, enumerators */
extern const struct proposer propose_callback;	/* ops-table functions to the target's types */
extern const struct proposer propose_args;	/* calls to the target's signatures */
extern const struct proposer propose_member;	/* members moved, renamed, behind accessors */
extern const struct proposer propose_const;	/* qualifiers */
extern const struct proposer propose_entry;	/* init_module() and cleanup_module(), what objtool refuses */
extern const struct proposer propose_ifdef;	/* conditions that ask for a macro which was renamed */
extern const struct proposer propose_section;	/* what refers to code that is thrown away */
extern const struct proposer propose_gone;	/* definitions of headers that are gone with nothing in their place */
extern const struct proposer propose_merged;	/* two callbacks that became one */
extern const struct proposer propose_model;	/* what a model answered, port/model.h */
extern const struct proposer propose_misc;	/* return conventions, redefinitions, namespaces, macro arity */

/*
 * All candidates for c->b, best first: duplicates merged, sorted by risk, source
 * and score with a deterministic tie-break; at most max (0: 12).
 */
int propose_all(const struct propose_ctx *c, size_t max, struct edit_group_list *out,
		struct strbuf *err);

/* Is there a proposer of that name? The names of all, separated by blanks, are added to *names when not. */
bool propose_is_name(const char *name, struct strbuf *names);

/* Helpers shared by proposers. */
/*
 * Does the new text add a flag, "x | SOME_FLAG", that the old text (NULL-terminated) has
 * not? What another driver asked for besides is no part of a change of the kernel's.
 */
bool propose_adds_flag(const char *text, const char *const *old);
/* The kernel symbol that examples of the breakage are looked up by; newly allocated or NULL. */
char *propose_symbol(const struct propose_ctx *c);
/* "6.12" of the target, for messages. */
const char *propose_target(const struct propose_ctx *c);
/* Function that holds the breakage's site, or NULL; the file too when file != NULL. */
const struct cfunc *propose_site_function(const struct propose_ctx *c, struct srcfile **file);
/* A function defined in any file of the tree. */
const struct cfunc *propose_find_function(const struct propose_ctx *c, const char *name,
					  struct srcfile **file);

#endif
