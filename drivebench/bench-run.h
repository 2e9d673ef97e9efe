/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run: a directory with its settings (run.json), its cases (cases.jsonl), and one
 * result for each case and attempt (results/ID.N.json), written atomically when it is there.
 * Whatever is killed, what is finished stays; the same run goes on where it was. A result
 * holds the key of all that it depends on: with another kernel, program or setting
 * it is made again. docs/drivebench.md has the record.
 */
#ifndef KPORT_BENCH_RUN_H
#define KPORT_BENCH_RUN_H

#include "base/hash.h"
#include "drivebench/grade.h"
#include "drivebench/solve.h"

struct bench_run {
	char *dir;		/* absolute */
	json_t *settings;	/* run.json; strings of solver belong to it */
	struct solver solver;
	unsigned mask;
	int64_t attempts;
	bool hints;
	struct strvec kernels;	/* KERNEL=SOURCE */
	struct case_set cases;
	struct case_set pool;	/* cases among which siblings are looked for: the shipped ones, and those of the run */
	struct refs refs;
	struct hash_hex program;
};

/* settings: taken. KP_ERR: the directory holds a run with other settings or cases. */
int bench_run_create(const char *dir, json_t *settings, const struct case_set *cases, struct strbuf *err);
/* for_work: kernels too. */
int bench_run_open(const char *dir, bool for_work, struct bench_run *out, struct strbuf *err);
void bench_run_close(struct bench_run *r);
char *bench_result_path(const struct bench_run *r, const struct bench_case *c, int attempt);
/* Is there a result that fits? */
bool bench_result_current(const struct bench_run *r, const struct bench_case *c, int attempt);
/* One case, one attempt: solved, judged, compared, written. KP_INTERRUPTED: nothing is written. */
int bench_work_case(struct bench_run *r, const struct bench_case *c, int attempt, struct strbuf *err);

#endif
