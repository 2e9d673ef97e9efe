/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns what happened in one machine into the verdicts of the gates boot, load,
 * unload, probe, exercise and behaviour. Pure: reads nothing but its arguments.
 *
 *	struct machine_judgement j;
 *	machine_judge(&trace, NULL, &j);
 *	... j.gate[GATE_LOAD - GATE_BOOT].verdict
 *	machine_judgement_release(&j);
 *
 * Rules: every loader's call returned 0 and the kernel did not complain in
 * between; -ENODEV of a driver without hardware is SKIP, and so is any error of one that asks for firmware which
 * nobody gave; what the driver before did on its own kernel too (baseline) is not held against the port.
 */
#ifndef KPORT_MACHINE_JUDGE_H
#define KPORT_MACHINE_JUDGE_H

#include "checks/gate.h"
#include "checks/machine-trace.h"

#define MACHINE_GATES 6 /* GATE_BOOT .. GATE_BEHAVIOUR, contiguous */

/*
 * How long the guest waits for one load or unload, on its clock, before it says itself that it hangs, and the longest that
 * it waits for any use of an interface. A machine that came to its limit is stuck in the driver when its guest
 * said nothing for longer than that; else the limit was too short, which says nothing of the driver.
 */
#define MACHINE_STEP_SECONDS 20
#define MACHINE_USE_SECONDS  25

/* Why an answer should not be taken from one run alone. */
enum machine_again {
	MACHINE_ONCE,	     /* it stands */
	MACHINE_AGAIN_INFRA, /* nothing about the driver was learnt */
	MACHINE_AGAIN_SLOW,  /* a limit was hit without a sign of a hang */
};

struct machine_judgement {
	struct gate_report gate[MACHINE_GATES];
	enum machine_again again;
	bool clean; /* nothing that a baseline could explain */
};

/* What else is known when a machine is judged. */
struct machine_known {
	const struct machine_trace *baseline; /* the driver before on its kernel, or NULL */
	const struct strvec *titles;	      /* normalised titles, or NULL */
	const char *baseline_kernel;	      /* its name, for messages */
	const struct strvec *emulated;	      /* modaliases of devices put in for this driver, or NULL */
	const struct strvec *firmware;	      /* files that were put in, or NULL */
	const struct strvec *stock;	      /* what the two kernels themselves show otherwise, or NULL */
	const struct strvec *interfaces;      /* kinds of exercise that stock drivers of these give, or NULL */
};

void machine_judge(const struct machine_trace *t, const struct machine_known *known,
		   struct machine_judgement *out);
/* Nothing was run: all gates get this verdict and reason. */
void machine_judge_none(struct machine_judgement *out, enum verdict v, const char *reason);
void machine_judgement_release(struct machine_judgement *j);

#endif
