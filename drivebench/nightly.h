/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nightly runs: each driver of a list is ported to each kernel that is watched, and the night is compared with the last
 * good one (docs/nightly.md). A unit is one driver for one kernel; one whose inputs have not changed since an earlier night
 * is not run again. Everything is in one directory:
 *
 *	DIR/nightly.db			nights and results (SQLite)
 *	DIR/nights/ID/NAME/KERNEL/	what "kport port" writes, of the last try
 *	DIR/nights/ID/index.html, junit.xml
 *	DIR/kernels/TAG/		sources of watched tags
 *
 *	nightly_load(&n, &opts, err);	// drivers, kernels, known failures: all inputs are checked here
 *	nightly_run(&n, err);		// KP_INTERRUPTED: the next call goes on with the same night
 *	nightly_compare(&n, err);
 *	nightly_report(&n, err);
 *	nightly_prune(&n, err);
 *	nightly_release(&n);
 */
#ifndef KPORT_NIGHTLY_H
#define KPORT_NIGHTLY_H

#include <sqlite3.h>
#include "base/hash.h"
#include "base/lock.h"
#include "base/strvec.h"
#include "harness/kernel.h"

struct nightly_opts {
	const char *dir, *drivers, *known;	/* known NULL: none */
	const char *gates;			/* NULL: all that "kport port" has */
	struct strvec to;			/* words of kernels; none: all records */
	struct strvec builds;			/* directories of build trees, as /lib/modules */
	const char *repo, *tags;		/* a git repository and which tags of it; NULL: none */
	const char *kconfig, *symvers;		/* for kernels of that repository */
	bool no_boot, again;
	int64_t jobs, tries, keep, boot_runs;
};

struct night_driver {
	char *name, *input, *from_word;
	struct kernel *from;
	struct hash_hex hash;
};

enum night_change {
	NIGHT_SAME,		/* as in the last good night */
	NIGHT_NEW_FAILURE,
	NIGHT_FIXED,
	NIGHT_STILL_FAILING,	/* failed in the last good night too: only there when that is known */
	NIGHT_KNOWN,		/* fails, and the list of known failures says so */
	NIGHT_KNOWN_PASSES,	/* is on that list and passes */
	NIGHT_FLAKY,		/* the same inputs gave both answers */
	NIGHT_INFRA,
	NIGHT_FIRST,		/* passes, and was not there before */
	NIGHT_CHANGES
};

struct night_unit {
	const struct night_driver *driver;
	const struct kernel *kernel;
	struct hash_hex key;
	char *outcome;		/* "ported", "review", "not", "infra"; NULL: not run yet */
	char *words;		/* the headline, or what failed */
	char *dir;		/* below nightly.dir */
	char *before;		/* outcome of the night that it is compared with, or NULL */
	char *before_kernel;	/* of that, when it is another kernel */
	int tries;
	bool shaky;		/* failed, and a machine had part in it */
	bool carried;		/* from an earlier night: nothing has changed */
	double seconds;
	enum night_change change;
};

struct nightly {
	struct nightly_opts o;
	char *dir;		/* absolute */
	char *id, *good;	/* this night and the one it is compared with (NULL: none) */
	struct night_driver *drivers;
	struct kernel **kernels;
	struct night_unit *units;
	size_t ndrivers, nkernels, nunits;
	struct strvec known;	/* "NAME KERNEL-pattern" */
	struct hash_hex program;
	sqlite3 *db;
	struct lock lock;
	size_t counts[NIGHT_CHANGES];
};

int nightly_load(struct nightly *n, const struct nightly_opts *o, struct strbuf *err);
void nightly_release(struct nightly *n);
int nightly_run(struct nightly *n, struct strbuf *err);
int nightly_compare(struct nightly *n, struct strbuf *err);
int nightly_report(const struct nightly *n, struct strbuf *err);
/* Keeps the newest o.keep nights, the last good one, and what units of kept nights refer to. */
int nightly_prune(struct nightly *n, struct strbuf *err);

const char *night_change_name(enum night_change c);
bool night_passes(const char *outcome);

/* ---- nightly-kernels.c: also used by nightly_load() */
int nightly_kernels(struct nightly *n, struct strbuf *err);

/* ---- nightly-store.c */
int nightly_store_open(struct nightly *n, struct strbuf *err);
/* The night that was not finished, else a new one: n->id; the last good night: n->good. */
int nightly_store_begin(struct nightly *n, struct strbuf *err);
/* What is known of a unit in this night, else, with the same key, of an earlier one (carried). */
int nightly_store_find(struct nightly *n, struct night_unit *u, struct strbuf *err);
int nightly_store_put(struct nightly *n, const struct night_unit *u, int try, struct strbuf *err);
/* Outcome of the driver in the last good night on this kernel, else on the newest one below it. */
int nightly_store_before(struct nightly *n, struct night_unit *u, struct strbuf *err);
/* Did the same key ever give both answers? */
int nightly_store_flaky(struct nightly *n, const struct night_unit *u, bool *yes, struct strbuf *err);
/* verdict: "good", "bad" or "infra". */
int nightly_store_end(struct nightly *n, const char *verdict, struct strbuf *err);

#endif
