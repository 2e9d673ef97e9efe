/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate ladder (DESIGN section 4). A gate looks at a subject and fills one
 * report; it never prints and never changes the subject's trees. Gates run in the order of
 * the enum; "blocked" gates behind a failed one are SKIP with that reason:
 *
 *	apply is not PASS or SKIP	blocks everything: other code would be judged than delivered
 *	compile is FAIL or INFRA	blocks link, nodiag, layout and the machine: there is no module
 *	link is not PASS		blocks the machine: the module cannot be loaded
 *
 * nodiag and layout block nothing; boot to behaviour block each other inside
 * gate_machine(); honest reads sources and is blocked by apply alone.
 */
#ifndef KPORT_GATE_H
#define KPORT_GATE_H

#include <jansson.h>
#include "base/verdict.h"
#include "harness/driver.h"
#include "harness/kbuild.h"
#include "harness/kernel.h"
#include "harness/machine.h"
#include "checks/finding.h"

enum gate_id {
	GATE_APPLY, GATE_COMPILE, GATE_LINK, GATE_NODIAG, GATE_LAYOUT, GATE_BOOT, GATE_LOAD,
	GATE_UNLOAD, GATE_PROBE, GATE_EXERCISE, GATE_BEHAVIOUR, GATE_HONEST, GATE_COUNT
};

struct gate_report {
	enum verdict verdict;
	struct strbuf reason;	/* one line: why not PASS, or what was shown */
	struct finding_list findings; /* the ones that count */
	char *log;		/* path of a log relative to the run's directory, or NULL */
	double seconds;
	json_t *data;		/* gate-specific figures, or NULL */
};

/* What is judged: a port (old and new) or, for "kport check", a driver alone (old NULL). */
struct gate_subject {
	const struct kernel *from, *to;	/* from NULL when no baseline was asked for */
	struct driver *old;		/* the driver before, built on "from"; NULL for check */
	struct driver *new;		/* the driver after, for "to" */
	struct kbuild_result *old_build; /* NULL: none */
	struct kbuild_result *new_build;
	const char *run_dir;		/* port-OUT: logs go to run_dir/logs */
	/* GATE_APPLY: unified diff of the whole port and the pristine tree. */
	const char *patch_path, *pristine_tree;
	double boot_seconds;		/* 0: default limit */
	unsigned boot_runs;		/* valid runs needed; 0: 1 */
	enum machine_from boot_from;	/* fresh, or from a saved state */
	bool analyse;			/* nodiag: the compilers' analysers too */
};

struct gate_ladder {
	struct gate_report gate[GATE_COUNT];
};

void gate_ladder_init(struct gate_ladder *l);
void gate_ladder_release(struct gate_ladder *l);
const char *gate_name(enum gate_id id);	 /* "compile" */
const char *gate_title(enum gate_id id); /* one line for reports */
#define GATE_BIT(id)	  (1u << (id))
#define GATE_MASK_ALL	  (GATE_BIT(GATE_COUNT) - 1)
#define GATE_MASK_MACHINE (GATE_BIT(GATE_BOOT) | GATE_BIT(GATE_LOAD) | GATE_BIT(GATE_UNLOAD) | \
			   GATE_BIT(GATE_PROBE) | GATE_BIT(GATE_EXERCISE) | GATE_BIT(GATE_BEHAVIOUR))
/* "compile,link" as a mask; KP_ERR names the word that is no gate, and the gates. */
int gate_mask_parse(const char *list, unsigned *mask, struct strbuf *err);

/*
 * mask: bit per gate; the others stay VERDICT_NONE. Boot to behaviour come from the
 * same machine run. Returns KP_INTERRUPTED when interrupted; a gate's own trouble
 * is VERDICT_INFRA in its report.
 */
int gates_run(const struct gate_subject *s, unsigned mask, struct gate_ladder *out,
	      struct strbuf *err);
/* Every applicable gate passed. */
bool gate_ladder_ok(const struct gate_ladder *l);
/* {"compile": {"rank", "verdict", "reason", "log", "seconds", "findings", "data"}, ...}, all gates. */
json_t *gate_ladder_json(const struct gate_ladder *l);

/* The single gates, for gates_run() and tests; each in its own gate-NAME.c. */
void gate_apply(const struct gate_subject *s, struct gate_report *r);
void gate_compile(const struct gate_subject *s, struct gate_report *r);
void gate_link(const struct gate_subject *s, struct gate_report *r);
void gate_nodiag(const struct gate_subject *s, struct gate_report *r);
void gate_layout(const struct gate_subject *s, struct gate_report *r);
void gate_machine(const struct gate_subject *s, struct gate_ladder *l); /* boot to behaviour */
void gate_honest(const struct gate_subject *s, struct gate_report *r);

#endif
