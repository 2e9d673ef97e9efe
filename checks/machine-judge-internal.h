/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that judge one machine. */
#ifndef KPORT_MACHINE_JUDGE_INTERNAL_H
#define KPORT_MACHINE_JUDGE_INTERNAL_H

#include "checks/machine-judge.h"

enum { BOOT, LOAD, UNLOAD, PROBE, EXERCISE, BEHAVIOUR }; /* of machine_judgement.gate */

struct judge {
	const struct machine_trace *t;
	const struct machine_known *known;
	struct machine_judgement *j;
	bool excused[PHASE_COUNT]; /* a known complaint came in this phase */
};

/* Adds to the reason, parts are separated by "; ". */
void report_say(struct gate_report *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The worse of two answers: a fault of the driver, then one of ours, then the rest. */
void report_worsen(struct gate_report *r, enum verdict v);
void report_finding(struct gate_report *r, const char *rule, const char *function, const char *text);
json_t *report_data(struct gate_report *r);
json_t *report_json_list(const struct strvec *v);
/* The driver before in its machine, or NULL. */
const struct machine_trace *judge_baseline(const struct judge *g);
/* Has the kernel marked itself as broken in this phase? */
void judge_taint(struct judge *g, enum trace_phase phase, struct gate_report *r);
/* Has the log a hang that the kernel told? */
bool judge_has_hang(const struct machine_trace *t);

const char *judge_errno(int code); /* "ENOENT" */
const struct trace_module *judge_find_module(const struct machine_trace *t, const char *name);
/* A load or unload that hangs, or was killed. */
void judge_stuck(struct judge *g, struct gate_report *r, const struct trace_module *m, bool unload);
/*
 * Our init came to its end, yet the console lacks what it says about a step: part of the log is lost, and nothing may be concluded.
 */
void judge_gaps(struct judge *g, struct gate_report *r, bool unload);

/* machine-judge-unload.c; loaded: how many modules */
void judge_unload(struct judge *g, size_t loaded);
/* machine-judge-exercise.c */
void judge_exercise(struct judge *g, size_t loaded);
/* Items that came with the first load and not with the second; in gate unload. */
void judge_gone(struct judge *g, struct gate_report *r, const char *stage);
/* behaviour.c */
void judge_behaviour(struct judge *g);

#endif
