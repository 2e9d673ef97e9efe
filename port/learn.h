/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Learned rules: what the kernel's developers did about an API change in all the
 * files that use it, generalised over those files and measured on files that it
 * was not learned from.
 *
 *	struct learn l;
 *
 *	learn_init(&l, pair, examples, NULL);
 *	learn_choose(&l, symbols, 60, err);		// which changes
 *	learn_read(&l, NULL, progress, payload, err);	// every use of them, before and after
 *	learn_rules(&l);				// learn, score by leave-one-out
 *	l.change[i]->rule[k].smpl ...
 *	learn_release(&l);
 *
 * A use is an occurrence of the symbol that is the kernel's: a member only where
 * the declarations in the file say that its structure is the changed one, a name
 * only where the file does not define it itself. A site is the statement (or hunk
 * of statements) around uses, with what became of it.
 *
 * Rules are least general generalisations of sites with the same shape: a constant
 * is a metavariable only when two files have different ones. A file is judged by
 * the rules that the other files give: a rule needs two of them. Per use:
 *
 *	right	the statement became what the newer tree has, token by token, or the
 *		edit is there and the statement changed in another place as well
 *	wrong	it became something else
 *	alone	the newer tree left the use as it was, the rule did not
 *	missed	the newer tree changed it, no rule did
 *
 * precision = right / (right + wrong + alone), recall = right / (right + wrong +
 * missed), safety = share of the uses left alone by the newer tree that the rules
 * leave alone too.
 */
#ifndef KPORT_LEARN_H
#define KPORT_LEARN_H

#include "base/strmap.h"
#include "mine/examples.h"
#include "port/apiview.h"
#include "port/edit.h"
#include "port/template.h"

enum learn_place {
	LEARN_NAME,	/* function, macro, enumerator, variable */
	LEARN_TAG,	/* struct, union or enum */
	LEARN_MEMBER,	/* access or designator */
	LEARN_CALLBACK,	/* functions put into a member */
	LEARN_HEADER
};

struct learn_site {
	const char *path; /* of learn.paths */
	int file;	  /* number of it */
	int line;
	char *before;	  /* text of the statements; "" when they are too large */
	char *after;	  /* of the new ones; NULL: left alone */
	uint32_t *occ;	  /* tokens of "before" that are uses */
	size_t nocc;
	bool designator;  /* the statement is ".m = value" of an initialiser */
	char *object;	  /* of a structure of this type, "struct foo", or NULL */
	bool answered;	  /* changed because of the symbol, as far as one can see */
	bool gone;	  /* its function is not in the newer file */
	bool large;	  /* too large to be compared: counts as missed */
};

struct learn_score {
	size_t exact, within;	/* right: whole statement; edit alone */
	size_t wrong, alone, missed;
	size_t kept;		/* uses left alone by the newer tree */
	size_t files, files_right;
};

/* Values of one metavariable over the sites of a rule. */
struct learn_values {
	struct strmap seen; /* text -> file number + 1, -1: several files */
};

struct learn_rule {
	struct tmpl *t;		/* of LEARN_HEADER: NULL */
	int *files;		/* distinct numbers, ascending */
	size_t support, files_alloc;
	struct learn_values *value; /* by metavariable */
	char *object;		/* structure whose initialiser it is in, or NULL */
	bool designator;
	struct callback_rule *cb; /* of LEARN_CALLBACK */
	char *header;		/* of LEARN_HEADER: what is included instead */
	struct learn_file_use {
		int file;
		size_t right, wrong, alone;
	} *use;			/* of the rule alone, by file, that file being left out */
	size_t nuses, use_alloc;
	struct learn_score score; /* by leave-one-out, of this rule's edits */
	struct learn_score all;	  /* with all files */
	bool chosen;
	bool guard;		/* what it matches is left for a person: the files differ there */
	char *smpl;		/* body of a semantic patch, or NULL */
	char *why_not;		/* why it is none */
	enum risk risk;
};

struct learn_change {
	enum learn_place place;
	char *name;		/* "del_timer", "i_ctime", "asm/unaligned.h" */
	char *parent;		/* of members: "struct inode" */
	char *title;		/* "struct inode.i_ctime" */
	char *text;		/* "member i_ctime removed" */
	const struct api_change *change; /* the first of that symbol */
	unsigned kinds;		/* bits of enum api_change_kind */
	char *to_name;
	size_t hint;		/* files with examples, before types are looked at */
	struct learn_site *site;
	size_t nsites, site_alloc;
	struct callback_site *cbsite;
	size_t ncbsites, cbsite_alloc;
	int last_file;		/* the last file with an answer, for counting */
	size_t files;		/* that answered the change */
	struct learn_rule *rule;
	size_t nrules, rule_alloc;
	struct learn_score score;
};

struct learn {
	struct api_pair *pair;
	struct examples *examples;
	const struct strvec *exclude;
	struct learn_change **change;
	size_t n, alloc;
	struct strmap by_name;	/* name -> struct learn_names * */
	struct strvec paths;
	size_t nfiles, nread;	/* files of the old tree, files with uses */
};

void learn_init(struct learn *l, struct api_pair *pair, struct examples *ex,
		const struct strvec *exclude);
void learn_release(struct learn *l);
/* Changes of these symbols ("f", "struct s", "struct s.m", "x/y.h"), or the most frequent ones. */
int learn_choose(struct learn *l, const struct strvec *symbols, size_t top, struct strbuf *err);
/* Uses in the trees of the pair; dirs NULL: as examples_mine(). Then only the "top" changes stay. */
int learn_read(struct learn *l, const struct strvec *dirs, size_t top,
	       void (*progress)(uint64_t done, uint64_t total, void *payload), void *payload,
	       struct strbuf *err);
void learn_rules(struct learn *l);

double learn_precision(const struct learn_score *s); /* -1: no edits */
double learn_recall(const struct learn_score *s);
double learn_safety(const struct learn_score *s);
void learn_score_add(struct learn_score *to, const struct learn_score *s);
size_t learn_right(const struct learn_score *s);

#endif
