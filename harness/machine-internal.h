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
	double wall_seconds;	  /* the back end may use it for limits of its own */
	/*
	 * A machine that is saved, or goes on from a saved state: the file that its guest reads as
	 * MACHINE_PAYLOAD, NULL while there is none; and the state to go on from, or NULL.
	 */
	bool saved;
	const char *payload, *state;
};

/* fw_cfg's name for what a restored guest is to do. harness/tools/guest-payload.h knows it too. */
#define MACHINE_PAYLOAD "opt/kport/test"

/*
 * One way to run machines. The calling sequence is probe, start, poll until it is over (or save),
 * stop; one machine at a time.
 */
struct machine_ops {
	const char *name;
	/* Ready to start? describe: name and version for the record. */
	int (*probe)(struct strbuf *describe, struct strbuf *err);
	/* *handle is given to the others. */
	int (*start)(const struct machine_start *s, void **handle, struct strbuf *err);
	/* Never blocks. detail: what the monitor said, if anything. */
	enum machine_state (*poll)(void *handle, struct strbuf *detail);
	/* Stops the guest for good and writes its state to path. NULL: not supported. */
	int (*save)(void *handle, const char *path, double seconds, struct strbuf *err);
	/* Ends it whatever its state, and frees the handle. */
	void (*stop)(void *handle);
};

extern const struct machine_ops machine_libvirt, machine_qemu;

/* Watches a started machine until the end or the text "until". KP_INTERRUPTED. */
int machine_watch(const struct machine_ops *ops, void *handle, const char *console_path,
		  const char *until, double wall_seconds, struct machine_run *out,
		  struct strbuf *err);

/*
 * The saved state for this machine (its initrd and payload do not count), made when it is not there or
 * damaged: *dir, newly allocated, holds "state" and "initrd.cpio". KP_NOTFOUND: these devices cannot be
 * saved. Others wait while one makes it. Old ones go when "machine.states-mib" (4096) is exceeded.
 */
int machine_snapshot_get(const struct machine_ops *ops, const struct machine_start *s, char **dir,
			 struct strbuf *err);
/* It does not work: the next one makes it anew. */
void machine_snapshot_drop(const char *dir);

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
