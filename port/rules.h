/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The library of semantic patches, port/rules/AREA/NAME.cocci. Each is narrow,
 * explained, and tested by tests/fixtures/rules/NAME/{in,out,clean}.c. The head
 * of a file is the kernel's own form with some more fields:
 *
 *	// SPDX-License-Identifier: GPL-2.0-only
 *	/// What changed in the kernel and why this is the same; becomes the
 *	/// body of the commit message.
 *	//
 *	// Title: use timer_delete() in place of del_timer()
 *	// Replaces: del_timer, del_timer_sync
 *	// Needs: timer_delete, timer_delete_sync
 *	// Include: linux/timer.h
 *	// Since: 6.15
 *	// Until: 7.0
 *	// Commit: 8fa7292fee5c
 *	// Confidence: High
 *	// Risk: safe
 *	// Options: --no-loops
 *
 * Title, Replaces and Confidence are required; a field goes on over lines that
 * start with "//" and a tab. Replaces says what starts the rule and must be
 * gone in the target; Needs what the target must have ("!x": must not have):
 *
 *	name		declared in any way
 *	name/2		a function or macro with two parameters
 *	name~text	its declaration holds the text
 *	name@export	modules may use it
 *	name@unchecked	declared, and its result may be ignored (no __must_check)
 *	struct s	has a body
 *	struct s.m	a member; struct s.m:type with this type; struct s.m~text
 *	<linux/x.h>	a header
 *
 * Since and Until inform the reader: whether a rule applies is decided from the
 * target's headers, because stable trees take changes back. A file that includes
 * nothing of Include gets it when the rule changed the file.
 */
#ifndef KPORT_RULES_H
#define KPORT_RULES_H

#include "harness/diag.h"
#include "mine/apiindex.h"
#include "port/edit.h"

struct rule {
	char *name;  /* "timer/timer-delete" */
	char *path;  /* of the .cocci file */
	char *title, *text;
	char *since, *until, *commit; /* or NULL */
	struct strvec replaces, needs, include, options;
	struct strvec before, unless; /* of a caution (cautions.h) */
	bool reports;		      /* a caution that finds places and changes nothing */
	enum risk risk;
	double score; /* from Confidence */
	struct hash_hex hash; /* of the file's text */
};

struct rule_set {
	struct rule *r; /* sorted by name */
	size_t n, alloc;
};

/* All rules (or cautions) below dir. One bad file fails the load: the message names it. */
int rule_set_load(const char *dir, struct rule_set **out, struct strbuf *err);
void rule_set_free(struct rule_set *rs);

/* The head of one file. */
int rule_parse(const char *name, const char *text, size_t len, struct rule *out, struct strbuf *err);
void rule_release(struct rule *r);

/* Does the target have the item? */
bool rule_item_holds(const char *item, struct api_index *ix);
/*
 * Is an item of Replaces, gone in the target, what the diagnostic is about, or
 * does it stand in the statement at its site (words: the identifiers there)? And
 * does all of Needs hold?
 */
bool rule_answers(const struct rule *r, const struct diag *d, const struct strvec *words,
		  struct api_index *ix);
/* Does it follow the change of this: "f", "struct s", "struct s.m", "<linux/x.h>"? */
bool rule_follows(const struct rule *r, const char *name, struct api_index *ix);
/* The name that stands in a driver's text for an item: "m" of "struct s.m". Newly allocated. */
char *rule_item_name(const char *item);

/*
 * Apply it to all files of the tree that hold one of its names. *out is NULL when
 * nothing changed, when the driver defines one of the names itself, or when
 * spatch could not judge (a file that it cannot parse, a time-out): that is no
 * failure. scratch is an existing directory, left empty. KP_INFRA: spatch is
 * missing or broken. ix: the target; a header of Include that what the file
 * includes brings along is not added (NULL: not known).
 */
int rule_apply(const struct rule *r, struct tree *t, struct api_index *ix, const char *scratch,
	       struct edit_group **out, struct strbuf *err);

#endif
