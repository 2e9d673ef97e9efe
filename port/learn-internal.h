/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of learn.h. */
#ifndef KPORT_LEARN_INTERNAL_H
#define KPORT_LEARN_INTERNAL_H

#include "mine/units.h"
#include "port/learn.h"

/* Changes that are about one name. */
struct learn_names {
	struct learn_change **c;
	size_t n, alloc;
};

/* Two versions of one file, and which units of the old one became what. */
struct learn_file {
	struct learn *l;
	const char *path;
	int number;		/* in learn.paths; -1 until a use was found */
	struct tree tree;	/* the old file alone */
	struct srcfile *f;
	struct srcfile *g;	/* the newer one; equal to f when nothing changed */
	struct cunits us[2];
	uint32_t *hunk;		/* by unit of the old file: number of its hunk + 1, 0: unchanged */
	struct cunits_hunk *h;
	size_t nh, h_alloc;
	struct strmap types;	/* "function base" -> type */
};

/* Drops all changes but the first n. */
void learn_keep(struct learn *l, size_t n);
/* Number of the file, which has a use now. */
int learn_file_number(struct learn_file *lf);
/* Reads the uses of a callback's functions in this file. */
void learn_callback_sites(struct learn_file *lf, struct learn_change *c);
/* Rules of a LEARN_CALLBACK change and their scores. */
void learn_callback_rules(struct learn *l, struct learn_change *c);
void learn_callback_release(struct learn_change *c);

struct learn_rule *learn_add_rule(struct learn_change *c);
void learn_rule_release(struct learn_rule *r);
void learn_rule_add_file(struct learn_rule *r, int file);
void learn_rule_add_use(struct learn_rule *r, int file, bool right, bool alone);
bool learn_rule_has_file(const struct learn_rule *r, int file);
/* Order in which rules are tried: the most specific first. */
void learn_template_rules(struct learn *l, struct learn_change *c);
void learn_header_rules(struct learn *l, struct learn_change *c);

/* Examples of one site: all of what changed, and what changed at each use alone. */
size_t learn_site_examples(const struct learn_site *s, struct example **out);

/* Is the metavariable a literal when this file (-1: none) is left out? NULL: no. */
const char *learn_fixed(const struct learn_rule *r, int var, int without);

/* "object -> member" that becomes a call: not where it is assigned to. */
bool learn_is_read_only(const struct learn_change *c, const struct learn_rule *r);

#define LEARN_MIN_FILES 2

#endif
