/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which packages of which suite make the record of a kernel version.
 *
 *	struct kernel_plan p = { .name = "6.12" };
 *	kernel_plan_find(&p, "6.12", err);		// suite, release, version
 *	kernel_plan_packages(&p, want, err);		// packages of each part
 *	kernel_plan_release(&p);
 *
 * Versions come from the suites' indexes; only where to look first is known here.
 * Errors: KP_NOTFOUND when no suite has it, KP_INFRA when the mirror cannot be reached.
 */
#ifndef KPORT_KERNEL_PLAN_H
#define KPORT_KERNEL_PLAN_H

#include <jansson.h>
#include "harness/apt.h"
#include "harness/kernel.h"

enum kernel_part { PART_BUILD, PART_LIBS, PART_IMAGE, PART_SOURCE, PART_COUNT };

struct kernel_plan {
	const char *name; /* of the record */
	const char *suite;
	char *base;    /* "6.12.95+deb12": release without the flavour */
	char *version; /* of the packages */
	struct apt_packages pkgs[PART_COUNT];
	char *work, *debs, *fresh; /* directories */
	bool present[PART_COUNT];  /* the record has it already */
	bool stale;		   /* the index names packages that the mirror has no more */
};

void kernel_plan_release(struct kernel_plan *p);
/* As new, but for name and directories. */
void kernel_plan_clear(struct kernel_plan *p);
/* "6.12", "6.12.95": digits with dots, at least two numbers; a full release is accepted, too. */
bool kernel_plan_is_version(const char *word);
int kernel_plan_find(struct kernel_plan *p, const char *word, struct strbuf *err);
/* A present record fixes suite, release and version of what is added to it. */
int kernel_plan_from_record(struct kernel_plan *p, const struct kernel *k, const json_t *extra,
			    struct strbuf *err);
/* The packages of the parts that are wanted and not present; want: enum kernel_want. */
int kernel_plan_packages(struct kernel_plan *p, unsigned want, struct strbuf *err);
/*
 * The libraries of the host tools' package, with what they depend on themselves;
 * downloaded to fetch_to unless that is NULL.
 */
int kernel_plan_libraries(struct kernel_plan *p, const char *fetch_to, struct strbuf *err);

#endif
