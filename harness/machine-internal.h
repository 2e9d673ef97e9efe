/* SPDX-License-Identifier: GPL-2.0-only */
/* Between machine.c, which owns limits and the console, and the back ends. */
#ifndef KPORT_MACHINE_INTERNAL_H
#define KPORT_MACHINE_INTERNAL_H

#include "harness/machine.h"

enum machine_state { MACHINE_RUNNING, MACHINE_OFF, MACHINE_BROKEN };

/* Everything decided: what the back end has to start. */
struct machine_start {
	const char *image, *initrd, *cmdline, *console_path; /* absolute */
	const struct strvec *qemu_args;
	unsigned memory_mib;
	enum machine_accel accel; /* never AUTO */
};

struct machine_ops {
	const char *name;
	/* Ready to start? describe: name and version for the record. */
	int (*probe)(struct strbuf *describe, struct strbuf *err);
	/* One machine at a time; *handle is given to the others. */
	int (*start)(const struct machine_start *s, void **handle, struct strbuf *err);
	/* Never blocks. MACHINE_BROKEN: why is told in "detail". */
	enum machine_state (*poll)(void *handle, struct strbuf *detail);
	/* Ends it whatever its state, and frees the handle. */
	void (*stop)(void *handle);
};

extern const struct machine_ops machine_libvirt;

/* The XML of a transient domain. */
void machine_domain_xml(const struct machine_start *s, const char *name, struct strbuf *out);

/*
 * The fastest form of a kernel's image: the uncompressed kernel out of a bzImage when it can
 * be started directly (PVH), kept in the cache, else the image itself. Never fails
 * for lack of a faster form.
 */
char *machine_boot_image(const char *image);

/* A machine that only shows that the kernel reaches our init; in dir, which exists. */
int machine_boot_only(const struct kernel *k, enum machine_accel accel, double wall_seconds,
		      const char *dir, bool *reached, struct machine_run *run, struct strbuf *err);

#endif
