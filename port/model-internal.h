/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of model.h share. */
#ifndef KPORT_MODEL_INTERNAL_H
#define KPORT_MODEL_INTERNAL_H

#include "checks/ktarget.h"
#include "port/model.h"

/* One answer: edits as text, so that they can be placed in any state of the tree. */
struct model_cand {
	char *path, *function; /* of the work that it is for; function may be NULL */
	struct proto_reply reply;
	struct hash_hex hash;  /* of the edits */
	char *model;	       /* as the server calls it */
	unsigned round, sample;
};

struct model_pool {
	struct model_cand **c;
	size_t n, alloc;
	const struct strmap *refused; /* model_opts.refused */
	struct ktarget *target; /* for the comparison; may be NULL */
	unsigned from_version, to_version;
};
void model_pool_clear(struct model_pool *p);
void model_pool_remove(struct model_pool *p, size_t i);
/* Not when the same edits are there or were ("seen": hashes). Takes r. */
bool model_pool_add(struct model_pool *p, struct strmap *seen, const char *path, const char *function,
		    struct proto_reply *r, const char *model, unsigned round, unsigned sample);

/*
 * The candidate as edits of the tree; NULL with a sentence for the model when an edit leaves
 * the driver or its text does not stand in exactly one place.
 */
struct edit_group *model_place(const struct model_cand *c, struct tree *t, struct strbuf *why);
/*
 * Does the tree after lack what the tree before did? The finding is appended to why. dir: an
 * empty directory, left empty.
 */
bool model_loses(const struct model_pool *p, struct tree *before, struct tree *after, const char *dir,
		 struct strbuf *why);

/* The function that a finding is about, where that can be said; newly allocated, or NULL. */
char *model_finding_function(struct tree *t, const struct finding *f);
unsigned model_max_rounds(const struct model_opts *m);

/* One piece of work. */
struct model_work {
	char *path, *function;
	const struct breakage **b; /* borrowed from the search result */
	size_t nb, alloc;
};

/* The context that questions are made from. */
struct model_ctx {
	const struct port_run *run;
	const struct propose_ctx *propose;
	struct model_opts *m;
	struct tree *tree;
	struct prompt system, generator, refiner, kind[4];
};
int model_ctx_open(struct model_ctx *x, struct strbuf *err);
void model_ctx_close(struct model_ctx *x);
/* KP_ERR: does not fit the window however little is shown. history NULL: the first round. */
int model_question(const struct model_ctx *x, const struct model_work *w, const char *history,
		   struct strbuf *out, struct strbuf *err);
/* What is known of a symbol, for evidence and UNKNOWN; see agent_task.lookup. payload: model_ctx. */
bool model_lookup(const char *kind, const char *name, struct strbuf *out, void *payload);
void model_evidence(const struct model_ctx *x, const char *symbol, const char *type, bool examples,
		    struct strbuf *out);
/* A definition in whole lines; newly allocated. Its bytes, when asked for. */
char *model_func_text(struct srcfile *f, const struct cfunc *fn, size_t *start, size_t *end);
/* Source as data: lines that would end the block are changed. */
void model_add_data(struct strbuf *out, const char *text, size_t len);
/* A sentence of the model for a commit message: no trailers, no marks of mails and diffs. */
char *model_clean(const char *text);

#endif
