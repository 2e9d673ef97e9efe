/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One port, from the driver as given to everything that is known about it. The
 * outputs (series.h, record.h, report.h) are written from this alone.
 *
 *	struct port_run run;
 *	port_run_init(&run);
 *	run.input = "./foo"; run.from = k1; run.to = k2; run.out_dir = "port-foo";
 *	port_run_execute(&run, err);
 *	port_run_release(&run);
 *
 * Directory of a run: out_dir/{series/,port.patch,tree/,result.json,report.html,
 * audit.jsonl,logs/}; out_dir/work/ holds what is needed while it runs and is
 * removed at the end (kept with keep_work).
 */
#ifndef KPORT_RUN_H
#define KPORT_RUN_H

#include "base/audit.h"
#include "checks/gate.h"
#include "port/search.h"

enum port_outcome {
	PORT_NOTHING,	 /* builds on the target as it is */
	PORT_PORTED,	 /* all applicable gates pass, all edits safe */
	PORT_REVIEW,	 /* all applicable gates pass, some edits or cautions want a person's eye */
	PORT_NOT	 /* not ported, here is what is left */
};

/* One patch of the series: steps of one kernel change. */
struct port_patch {
	char *subject;	     /* without prefix */
	char *file;	     /* "0001-....patch", relative to out_dir/series; NULL until written */
	struct port_step **steps; /* borrowed from the search result */
	size_t nsteps;
	struct tree *before, *after;
	enum risk risk;	     /* worst of its edits */
};

struct port_times {
	double load, baseline, breaks, index, search, build, gates, total; /* seconds */
};

struct model_opts;
struct rule;
struct rule_set;

struct port_run {
	/* given */
	const char *input, *out_dir; /* out_dir: absolute, exists */
	struct kernel *from, *to;   /* from may be NULL: no baseline */
	unsigned gate_mask;
	double boot_seconds, build_seconds; /* limits; 0: default */
	unsigned boot_runs;
	enum machine_from boot_from;
	bool analyse; /* gate nodiag: the compilers' analysers too */
	bool keep_work;
	struct search_opts search_opts;
	struct strvec exclude;	    /* path patterns that the evidence must not come from */
	struct model_opts *model;   /* a model goes on where the engine ends (model.h); NULL: none */
	struct strvec without;	    /* proposers that are left out (propose.h), for comparisons */

	/* found */
	char *work_dir;		    /* no blanks in it, which Kbuild cannot take */
	struct driver *orig;	    /* pristine copy, never built */
	struct driver *old, *new;   /* built on from; ported and built on to */
	struct kbuild_result old_build, break_build, new_build;
	bool have_old_build, have_break_build, have_new_build;
	struct tree *start;	    /* what the search starts from: before, with Kbuild files that the target reads, and cautions.h */
	struct port_step **first;   /* ... which are these steps */
	size_t nfirst;
	struct tree *before;	    /* sources as given (after the package's own patches for the target) */
	struct breakage_list breakages; /* all units, before any edit */
	const struct strmap *keys;	/* of breakages that the old kernel shows as well */
	struct search_result search;
	bool have_search;
	struct oracle_stats oracle;
	struct rule_set *caution_rules; /* cautions.h */
	const struct rule **watch;	/* those of them that report */
	size_t nwatch;
	struct finding_list cautions;	/* places that behave otherwise on the target */
	struct strvec unconfigured; /* pairs: symbol that is missing, the file of the target's source that exports it */
	struct port_patch *patches;
	size_t npatches;
	struct gate_ladder ladder;
	enum port_outcome outcome;
	struct strbuf headline;	    /* one line: outcome and why */
	struct port_times times;
	struct audit *audit;
};

void port_run_init(struct port_run *r);
void port_run_release(struct port_run *r);
/*
 * KP_ERR: the input is at fault (no modules, does not build on its own old kernel, ...);
 * KP_INFRA; KP_INTERRUPTED. An unsuccessful port is 0 with outcome PORT_NOT.
 */
int port_run_execute(struct port_run *r, struct strbuf *err);
/* Not ported for want of nothing but gates that could not run here (INFRA). */
bool port_run_lacks_machine(const struct port_run *r);
const char *port_outcome_name(enum port_outcome o); /* "ported", "ported, review these edits", ... */

#endif
