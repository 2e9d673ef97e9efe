/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who answers a case: the engine ("kport port" on the materialised driver, without evidence
 * from its newer self), an agent's command, or a baseline. What an agent gets: a directory
 * with the driver and task.json, the kernels' build trees read-only, nothing else of this
 * machine but the system; in the sandbox, without network. docs/drivebench.md has the variables.
 */
#ifndef KPORT_SOLVE_H
#define KPORT_SOLVE_H

#include "drivebench/materialise.h"

enum solver_kind { SOLVER_ENGINE, SOLVER_RULES, SOLVER_NOOP, SOLVER_SIBLING, SOLVER_GOLD, SOLVER_AGENT, SOLVER_PREDICTIONS, SOLVER_COUNT };

struct solver {
	enum solver_kind kind;
	const char *command;	/* of an agent */
	const char *predictions; /* directory: ID.N.patch */
	const struct case_set *pool; /* of a sibling: where it is looked for */
	bool network;		/* the agent runs without the sandbox, with network: it is trusted */
	double seconds;		/* limit of one answer */
	uint64_t memory;	/* bytes, of one process of an agent; 0: default */
};

struct bench_answer {
	struct strbuf patch;	/* empty: none */
	struct strbuf note;	/* how it ended, in words */
	json_t *cost;		/* tokens_in, tokens_out, money: as the agent says; or NULL */
	double seconds;
};

const char *solver_name(enum solver_kind k);
int solver_parse(const char *name, enum solver_kind *out); /* KP_ERR: none of that name */
/* work: made, absolute. KP_INFRA: the machine is to blame. A wrong or no answer is 0. */
int solve(const struct solver *s, const struct refs *r, const struct bench_case *c, const struct material *m,
	  int attempt, const char *work, struct bench_answer *out, struct strbuf *err);
void bench_answer_release(struct bench_answer *a);

#endif
