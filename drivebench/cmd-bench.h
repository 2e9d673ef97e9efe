/* SPDX-License-Identifier: GPL-2.0-only */
/* What the words of "kport bench" share: the choice of cases and of kernels. */
#ifndef KPORT_CMD_BENCH_H
#define KPORT_CMD_BENCH_H

#include <jansson.h>
#include "base/options.h"
#include "drivebench/case.h"
#include "drivebench/refs.h"

struct bench_choice {
	const char *cases;	/* manifest or directory; NULL: the shipped ones */
	struct case_choice c;
	struct strvec ids, kernels;
	bool candidates;
};

#define BENCH_CHOICE_INIT { .ids = STRVEC_INIT, .kernels = STRVEC_INIT }

#define BENCH_CHOICE_OPTIONS(b) \
	OPTION_GROUP("Cases"), \
	OPTION_STR('c', "cases", &(b)->cases, "FILE|DIR", "manifest (default: those that come with kport)"), \
	OPTION_STR(0, "track", &(b)->c.track, "TRACK", "only history, release or out-of-tree"), \
	OPTION_STR(0, "pair", &(b)->c.pair, "K1:K2", "only this pair of kernels"), \
	OPTION_STR(0, "taxonomy", &(b)->c.taxonomy, "WORD", "only cases with a change of this kind"), \
	OPTION_STR(0, "split", &(b)->c.split, "dev|test", "only this side"), \
	OPTION_LIST(0, "id", &(b)->ids, "ID", "only this case, by the beginning of its id (may be repeated)"), \
	OPTION_INT(0, "limit", &(b)->c.limit, "N", "the first N of them, by id"), \
	OPTION_LIST(0, "kernel", &(b)->kernels, "KERNEL=SOURCE", \
		    "a kernel besides those of 'kport kernel list', with its source tree (may be repeated)")

/* Reads and selects; wrong words are usage(). */
int bench_choose(struct bench_choice *b, struct case_set *out, struct strbuf *err);
void bench_choice_release(struct bench_choice *b);
/* "apply,compile" to a mask; NULL: the default without a machine. usage() for wrong ones. */
unsigned bench_mask(const char *list, bool boot);
/*
 * Adds to the settings of a run how its answers are judged: "gates", and "kernels" (seen from the
 * directories of the children too).
 */
void bench_judging_json(json_t *settings, const struct bench_choice *b, unsigned mask);

int bench_list(const struct command *cmd, int argc, const char **argv);
int bench_packages(const struct command *cmd, int argc, const char **argv);
int bench_materialise(const struct command *cmd, int argc, const char **argv);
int bench_validate(const struct command *cmd, int argc, const char **argv);
int bench_run(const struct command *cmd, int argc, const char **argv);
int bench_work(const struct command *cmd, int argc, const char **argv);
int bench_report(const struct command *cmd, int argc, const char **argv);
int bench_score(const struct command *cmd, int argc, const char **argv);

#endif
