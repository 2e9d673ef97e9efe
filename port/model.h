/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model as one more source of candidate edits. It sees only what rules, mined and typed
 * repairs have left, and the source as they ported it; what it writes is parsed as data
 * (agents/protocol.h), placed at exactly one place (agents/match.h), compared with what the
 * driver did before (checks/honest.h), and then tried in the same search under the same
 * compiler as every other candidate. Nothing of it is ever "safe": a person reviews it.
 *
 *	r->model = &opts;			// policy MODEL_HYBRID, agent open
 *	model_continue(r, &search_ctx, err);	// behind search_run()
 *
 * One piece of work is a function with the breakages in it (or a file, outside of functions);
 * it is asked about in several questions when there are many breakages or they do not fit the
 * window together, and what does not fit alone is named in the notes. Of each question, "samples" answers are asked for; in
 * later rounds the refiner is told what was tried and what the compiler or the comparison said
 * to it. A piece ends when it is repaired, given up, repeated (an edit that was tried already
 * in every sample of a round), or when a budget is used up.
 *
 * Gates behind the search (link, nodiag, layout, honest) are told to the refiner as well, as
 * long as there are rounds: model_refuse().
 *
 * A model or server that fails never costs what the engine found: the reason stands in
 * model_report and the port is judged as it is.
 */
#ifndef KPORT_MODEL_H
#define KPORT_MODEL_H

#include "agents/agent.h"
#include "base/strmap.h"
#include "port/run.h"

enum model_policy {
	MODEL_OFF,
	MODEL_ONLY,   /* no proposer of the engine: for comparisons */
	MODEL_HYBRID
};

struct model_opts {
	enum model_policy policy;
	struct agent *agent;
	unsigned samples;	/* of each question; 0: 1 */
	bool review;		/* ask for a critique of what came out; it decides nothing */
	bool dump;		/* collect what would be sent in dumped, and send nothing */
	struct strvec no_send;	/* patterns of paths whose text must not leave the house */
	/* found */
	struct strbuf dumped;	/* JSON bodies, one after the other */
	struct strvec notes;	/* what became of it, a sentence each */
	struct strvec concerns; /* of the reviewer */
	json_t *attempts;	/* array: every candidate and its fate */
	unsigned rounds;
	char *failure;		/* server, network or window: why it ended early, or NULL */
	struct strmap refused;	/* edits (their hash) that a gate said no to -> its words; see model_refuse() */
};
void model_opts_init(struct model_opts *m);
void model_opts_release(struct model_opts *m);
/* "engine", "model", "hybrid"; KP_ERR names them. */
int model_policy_parse(const char *word, enum model_policy *out, struct strbuf *err);
const char *model_policy_name(enum model_policy p);

/* Goes on from r->search (complete or not). KP_INTERRUPTED and faults of the engine only. */
int model_continue(struct port_run *r, const struct search_ctx *c, struct strbuf *err);
/*
 * Behind the gates: did one of them say no to edits of the model, and may it amend them? Then
 * these are remembered as refused, with the gate's words for the refiner, and the port is to be
 * searched again from the start: the exchanges so far come from the record.
 */
bool model_refuse(struct port_run *r);
/* The critique of the whole change, for model_opts.concerns. findings: what checkers said. */
int model_review(struct port_run *r, struct strbuf *err);
json_t *model_json(const struct model_opts *m);

/* May this file's text be sent? */
bool model_may_send(const struct model_opts *m, const char *path);

#endif
