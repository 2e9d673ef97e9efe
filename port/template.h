/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Templates: one before/after example (mine/examples.h) with what is local to its
 * driver turned into metavariables, so that it can be found and repeated in
 * another driver.
 *
 *	before	setup_timer(&priv->timer, foo_tick, (unsigned long)priv)
 *	after	timer_setup(&priv->timer, foo_tick, 0)
 *	is	setup_timer($1, $2, $3) => timer_setup($1, $2, 0)
 *
 * A template is the smallest bracket-balanced window around the change that
 * holds the symbol. Whole arguments, assigned values and the objects in front of
 * a member become expressions that match any balanced text; other local names
 * match one identifier; what the kernel's headers declare stays as it is. A
 * template whose new side needs a name that the old side does not have and the
 * kernel does not declare is none.
 */
#ifndef KPORT_TEMPLATE_H
#define KPORT_TEMPLATE_H

#include "base/ctoken.h"
#include "mine/apiindex.h"
#include "mine/examples.h"
#include "port/tree.h"

#define TMPL_MAX_VARS 24

enum tmpl_kind { TMPL_LITERAL, TMPL_NAME, TMPL_EXPR };

struct tmpl_elem {
	enum tmpl_kind kind;
	uint32_t first, end; /* tokens in the side's text */
	int var;	     /* number of the metavariable, 0 for literals */
	bool gap;	     /* white space in front of it */
	bool newline;	     /* ... that holds a line end */
};

struct tmpl_side {
	char *text;
	struct ctoks ts;
	struct tmpl_elem *e;
	size_t n, alloc;
};

struct tmpl {
	struct tmpl_side before, after;
	size_t symbol;	   /* element of "before" that is the symbol */
	int nvars;
	bool constant[TMPL_MAX_VARS + 1]; /* by metavariable: it stands for no name of the driver */
	char *key;	   /* "a($1) => b($1)": equal templates have equal keys */
	char *general;	   /* key of the general template of the same example, where a caller set it */
	size_t support;	   /* distinct files whose example gives it */
	struct strvec paths; /* of them, in order */
	size_t nliterals;
	bool deletes;	   /* the new side is empty */
	bool loses_call;   /* a kernel function called before is called no more, and nothing new is */
	bool adopts;	   /* the new side hands over a kernel function that the old side does not name */
	bool loses_name;   /* some other kernel name than the symbol is gone */
	char *adds;	   /* first kernel name of the new side that the old side has not, or NULL */
};

/* NULL when the example gives no usable template. */
struct tmpl *tmpl_make(const struct example *ex, const char *symbol, struct api_index *old_ix,
		       struct api_index *new_ix);
/*
 * As general as it can be: arguments and values that are the kernel's constants,
 * numbers or strings are metavariables too, marked in "constant". Which of them
 * really vary is told by several examples (learn.h).
 */
struct tmpl *tmpl_make_general(const struct example *ex, const char *symbol,
			       struct api_index *old_ix, struct api_index *new_ix);
void tmpl_free(struct tmpl *t);

/* Tokens that a match covers, and what the metavariables stand for. */
struct tmpl_match {
	uint32_t first, end;
	struct {
		uint32_t first, end; /* empty: not bound */
	} var[TMPL_MAX_VARS + 1];
};

/* Does t match around the symbol's occurrence at this token? */
bool tmpl_match(const struct tmpl *t, const struct ctoks *ts, size_t occurrence,
		struct tmpl_match *m);
/* The new text for a match; indent: white space at the start of the match's line. */
void tmpl_instantiate(const struct tmpl *t, const struct ctoks *ts, const struct tmpl_match *m,
		      const char *indent, struct strbuf *out);

#endif
