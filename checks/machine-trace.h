/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happened in one machine, read from the markers of our init
 * (harness/tools/kport-init.c lists them) and the kernel's complaints between them.
 */
#ifndef KPORT_MACHINE_TRACE_H
#define KPORT_MACHINE_TRACE_H

#include "base/strvec.h"
#include "harness/console.h"
#include "harness/machine.h"
#include "harness/modules-dep.h"

enum trace_step { TRACE_NONE, TRACE_BEGUN, TRACE_DONE, TRACE_TIMEOUT, TRACE_KILLED };

/* When something happened: complaints before PHASE_LOAD are the stock kernel's. */
enum trace_phase { PHASE_BOOT, PHASE_READY, PHASE_LOAD, PHASE_EXERCISE, PHASE_UNLOAD, PHASE_COUNT };

struct trace_module {
	const struct module_item *item; /* of the driver; borrowed */
	enum trace_step load, unload, reload, reunload; /* "re": a second time */
	int load_errno, unload_errno; /* TRACE_DONE: 0 or an errno; TRACE_KILLED: the signal */
	int reload_errno, reunload_errno;
	bool waits;	/* a TRACE_TIMEOUT whose task waits for something */
	bool permanent; /* the kernel says that it cannot be unloaded */
};

/* One use of an interface, or one step of unbinding, binding, sleeping. */
enum trace_result { TRACE_USED, TRACE_FAILED, TRACE_SKIPPED, TRACE_HANGS, TRACE_DIED, TRACE_UNDER_WAY };

struct trace_exercise {
	char *stage;  /* "first", "rebind", "resume" */
	char *kind;   /* "net", "node", "unbind", ... */
	char *target; /* "eth0" */
	char *text;   /* what came of it */
	enum trace_result result;
	bool waits;   /* TRACE_HANGS: for something */
};

struct machine_trace {
	const struct module_list *list; /* borrowed */
	const struct machine_run *run;	/* borrowed */
	struct console_log log;
	bool reached, ended;		/* our init started; it came to its end */
	enum trace_phase phase;		/* the last one that began */
	struct trace_module *modules;	/* load order */
	size_t nmodules;
	struct strvec appeared;	/* "KIND TEXT" */
	struct strvec bound;	/* "BUS DRIVER DEVICE" */
	struct strvec left;	/* "KIND TEXT" */
	struct strvec refs;	/* "NAME BEFORE AFTER" */
	struct strvec standins;	/* "KIND WORDS ERRNO": made up in the guest, or not */
	struct strvec faults;	/* our init's own trouble */
	struct strvec refused;	/* "NAME ERRNO": dependencies that do not load */
	struct strvec stack;	/* where a hanging step stands */
	struct trace_exercise *exercises;
	size_t nexercises, exercises_alloc;
	struct strvec facts;	/* "KIND KEY VALUE": what exercises found */
	struct strvec gone;	/* "STAGE KIND TEXT": appeared at first, and not again in that stage */
	struct strvec seen;	/* "KIND ...": what user space sees (guest-view.c) */
	struct strvec firmware;	/* names of files that were asked for and are not there; the kernel's words, which a driver can copy */
	long taint[PHASE_COUNT];	/* at the end of each phase; -1: not seen */
};

/* run and list must outlive the trace. */
void machine_trace_read(const char *text, size_t len, const char *nonce,
			const struct module_list *list, const struct machine_run *run,
			struct machine_trace *out);
void machine_trace_release(struct machine_trace *t);

/* The phase that line of the log belongs to. */
enum trace_phase machine_trace_phase_of(const struct machine_trace *t, int line);
/* A complaint of the kernel (neither a marker nor a loader's error). */
bool console_event_is_complaint(const struct console_event *ev);
/*
 * Why a dependency of this module, direct or not, was refused: its errno and name
 * (borrowed from the trace's list), or 0.
 */
int machine_trace_refused(const struct machine_trace *t, const struct module_item *m,
			  const char **name);
/* The loader's or kernel's own words on why a module was refused, or NULL. */
const char *machine_trace_error(const struct machine_trace *t, const char *module);
/* The first exercise of that stage and kind with that result, or NULL; stage NULL: of any. */
const struct trace_exercise *machine_trace_exercise(const struct machine_trace *t, const char *stage,
						    const char *kind, enum trace_result r);
/* Items of one kind of "appeared" or "left", without the kind. */
void machine_trace_items(const struct strvec *from, const char *kind, struct strvec *out);

#endif
