/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules for functions that are put into a member of an operations structure: the
 * structure's other name for it, the function's new return type and parameters, and
 * "return 0;" at the end where nothing is returned any more.
 */
#ifndef KPORT_CALLBACK_RULE_H
#define KPORT_CALLBACK_RULE_H

#include "port/ctype.h"
#include "port/learn.h"

/* One function in one file: ".remove = F" of an object of the structure, F being defined there. */
struct callback_site {
	int file, line;
	char *member;	   /* whose value F is in the newer file; NULL: of none */
	struct csig was, is;
	char *head, *body; /* normalised, of the older file; body with its braces */
	char *new_body;
	bool answered;
	bool one_return;   /* the only return is "return 0;" as the last statement */
	bool new_returns;  /* the newer function returns a value somewhere */
};

struct callback_param {
	char *type, *name; /* name only of new ones */
	int from;	   /* place in the older list, -1: new */
	bool changed;	   /* the type is another one */
};

struct callback_rule {
	char *member;	   /* name in the newer kernel */
	bool any_member;   /* it stays as it is: the files chose different ones */
	char *ret, *new_ret;
	struct strvec types; /* of the older parameters */
	struct callback_param *p;
	size_t n;
	char *key;
};

void callback_rule_free(struct callback_rule *r);
/* Fills smpl or why_not; number: of the rule in its file. */
void callback_rule_smpl(struct learn_change *c, struct learn_rule *r, size_t number);

#endif
