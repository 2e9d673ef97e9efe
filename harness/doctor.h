/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks every part outside this program that a port needs, by using it: tools
 * are started, the sandbox and the machine back end are tried, kernels are looked at.
 *
 *	struct doctor_report r = { 0 };
 *	doctor_run(&r);
 *	char *command = doctor_install_command(&r);	// NULL: nothing to install
 *	free(command);
 *	doctor_report_release(&r);
 *
 * Nothing is changed, but for the answer of the KVM probe that machine.h keeps.
 */
#ifndef KPORT_DOCTOR_H
#define KPORT_DOCTOR_H

#include "base/compat.h"

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_NOTE, /* kport works, but slower or not in all commands: detail says what */
	DOCTOR_BAD,  /* ports cannot be made or proved */
};

struct doctor_item {
	enum doctor_status status;
	char *name;    /* "spatch" */
	char *version; /* or NULL */
	char *purpose; /* "semantic patches" */
	char *detail;  /* what is wrong, and what to do when a package does not cure it; or NULL */
	const char *package; /* that brings it, a line of deps.txt; or NULL */
};

struct doctor_report {
	struct doctor_item *items;
	size_t n, alloc;
};

void doctor_run(struct doctor_report *r);
/* One more item, ok until something else is set; for parts above this directory. */
struct doctor_item *doctor_add(struct doctor_report *r, const char *name, const char *purpose);
void doctor_report_release(struct doctor_report *r);
/* No item is bad. */
bool doctor_report_good(const struct doctor_report *r);
/* One command that installs the packages of all items that are not ok; newly allocated or NULL. */
char *doctor_install_command(const struct doctor_report *r);
const char *doctor_status_name(enum doctor_status s); /* "ok", "note", "bad" */
/* The packages that doctor may name, NULL-terminated: each stands in deps.txt. */
const char *const *doctor_packages(void);

#endif
