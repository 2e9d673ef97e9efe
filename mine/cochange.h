/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Co-changes: commits, or groups of commits, in which a change of an interface and
 * changes of its users belong together. Found while a history is walked
 * (cochange_examiner), grouped afterwards (cochange_group), read back by symbol.
 *
 *	cochange_mine(repo, range, opts, path, &figures, err);	// kport mine REPO RANGE
 *	cochange_open(path, &co, err);
 *	n = cochange_of_symbol(co, "del_timer", &list);
 *	cochange_free_list(list, n);
 *	cochange_close(co);
 *
 * One SQLite file for a repository, in CACHE/index/history-HASH.db, growing with
 * every new range. Each commit that changes a header and at least one user is in it:
 * as a co-change with class, confidence and reason, or with the reason why it is none.
 */
#ifndef KPORT_COCHANGE_H
#define KPORT_COCHANGE_H

#include "mine/examples.h"
#include "mine/history.h"

/* DESIGN section 6. */
enum cochange_class {
	COCHANGE_NONE,		/* filtered: see cochange_filter */
	COCHANGE_RENAME, COCHANGE_SIGNATURE, COCHANGE_REMOVAL, COCHANGE_HEADER_MOVE,
	COCHANGE_MEMBER, COCHANGE_MACRO, COCHANGE_CONSTANT, COCHANGE_NAMESPACE, COCHANGE_LICENCE,
	COCHANGE_SEMANTIC,	/* same declaration, other behaviour or order */
	COCHANGE_HARDENING,	/* const, refcount, bounds, checked results */
	COCHANGE_LAYOUT,
	COCHANGE_ADOPTION,	/* a new interface and its first users: nothing breaks */
	COCHANGE_CLASS_COUNT
};

enum cochange_filter {
	FILTER_NONE,		/* it is a co-change */
	FILTER_MERGE, FILTER_WHITESPACE, FILTER_COMMENTS, FILTER_SPDX, FILTER_REVERT, FILTER_REVERTED,
	FILTER_TREEWIDE,	/* mechanical noise over the whole tree that changes no interface */
	FILTER_UNRELATED,	/* no user's edit concerns what the header changed */
	FILTER_PRIVATE,		/* the header is the driver's own */
	FILTER_NEW_CODE,	/* files added or removed whole */
	FILTER_MOVED,		/* files moved without a change of the interface */
	FILTER_UNREADABLE,
	FILTER_COUNT
};

/* How the commit and the interface's change belong together. */
enum cochange_link { LINK_SAME_COMMIT, LINK_SERIES, LINK_FOLLOW_UP, LINK_COUNT };

struct cochange {
	char commit[41];
	int64_t time;
	char *release;		/* first tag that holds it, or NULL */
	char *subject;
	enum cochange_class cls;
	enum cochange_filter filter;
	enum cochange_link link;
	double confidence;	/* 0..1 */
	char *reason;		/* one line, for people */
	const char *kind;	/* typed change as api_change_name() has it, or NULL */
	char *symbol, *to_name;	/* to_name: of renames and replacements, or NULL */
	char *header;
	char *old_decl, *new_decl; /* NULL where there is none */
	char *fixed_by;		/* commit that says "Fixes:" of it, or NULL */
	int64_t group;		/* siblings: co-changes of one change of the interface share it */
	size_t nusers;		/* files that follow in this commit */
};

struct cochange_options {
	bool all;		/* every reference; range is not looked at */
	bool first_parent;
	bool no_examples;	/* classify only: much quicker; the store says so */
	int jobs;		/* 0: number of processors */
	void (*progress)(uint64_t done, uint64_t total, void *payload); /* as of history_walk */
	void *payload;
};

struct cochange_figures {
	struct history_figures walk;	/* of this run; zero when read from a store */
	/* Of the whole store, in commits. cls[COCHANGE_NONE]: those that were filtered. */
	uint64_t cls[COCHANGE_CLASS_COUNT], filter[FILTER_COUNT], link[LINK_COUNT];
	uint64_t changes, groups, fixed, examples;
};

/*
 * Walks the range and brings the store up to date: what is new is added, links,
 * groups and corrections are settled again. The file is locked. opts may be NULL.
 * Errors: those of history_walk(); KP_ERR when the store was made with other options.
 */
int cochange_mine(const char *repo, const char *range, const struct cochange_options *opts,
		  const char *path, struct cochange_figures *out, struct strbuf *err);

struct cochanges;
int cochange_figures(struct cochanges *co, struct cochange_figures *out, struct strbuf *err);
int cochange_open(const char *path, struct cochanges **out, struct strbuf *err);
void cochange_close(struct cochanges *co);
size_t cochange_of_symbol(struct cochanges *co, const char *symbol, struct cochange **out);
size_t cochange_of_commit(struct cochanges *co, const char *commit, struct cochange **out); /* a prefix will do */
void cochange_free_list(struct cochange *list, size_t n);
/* As examples_for(), with commit set; newest first. */
size_t cochange_examples(struct cochanges *co, const char *ident, const struct strvec *exclude,
			 size_t max, struct example **out);
const char *cochange_class_name(enum cochange_class c);	 /* "rename", "header-move", ... */
const char *cochange_filter_name(enum cochange_filter f);
const char *cochange_link_name(enum cochange_link l);	 /* "same-commit", "series", "follow-up" */
bool cochange_is_header(const char *symbol); /* it names a file, not a declaration */
/* Where the history of a repository is kept; newly allocated. */
char *cochange_path(const char *repo);

#endif
