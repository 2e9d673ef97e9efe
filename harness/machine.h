/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A virtual machine that boots one kernel directly with our own initramfs,
 * through libvirt (qemu:///embed or a running daemon; transient domain, console to a
 * file), with hard time limits and no network device.
 *
 *	struct machine_spec s = { .kernel = k, .initrd = path, .wall_seconds = 60, ... };
 *	struct machine_run r;
 *	machine_run(&s, &r, err);
 *
 * The verdict never comes from the machine's exit (a panic looks like a
 * poweroff) but from the console (console.h).
 */
#ifndef KPORT_MACHINE_H
#define KPORT_MACHINE_H

#include "base/strbuf.h"
#include "base/strvec.h"
#include "harness/kernel.h"

enum machine_accel { MACHINE_ACCEL_AUTO, MACHINE_ACCEL_KVM, MACHINE_ACCEL_TCG };

struct machine_spec {
	const struct kernel *kernel;
	const char *initrd;
	const char *cmdline;	   /* added to the defaults */
	struct strvec qemu_args;   /* more devices; empty by default */
	double wall_seconds;	   /* 0: 120; on the host's clock */
	unsigned memory_mib;	   /* 0: 512 */
	enum machine_accel accel;
	const char *console_path;  /* the serial log is written here */
	const char *until;	   /* stop early when the console shows this text; NULL: guest powers off */
};

enum machine_end { MACHINE_POWEROFF, MACHINE_UNTIL, MACHINE_TIMEOUT, MACHINE_CRASHED };

struct machine_run {
	enum machine_end end;
	enum machine_accel accel; /* the one used */
	double wall;
	char *backend;		  /* "libvirt 9.0.0 qemu:///embed", for the record */
};

int machine_run(const struct machine_spec *s, struct machine_run *out, struct strbuf *err);
void machine_run_release(struct machine_run *r);

/*
 * Can KVM really run a kernel here? Boots a known kernel once with a limit of 10 s; the answer
 * is kept in the state directory per machine and kernel of the host. why: reason when not.
 */
bool machine_kvm_usable(const struct kernel *k, struct strbuf *why);

/* Initramfs: busybox, our init, modules and files; written as newc cpio (uncompressed). */
struct initramfs_file {
	const char *path;   /* inside, without leading slash */
	const char *source; /* file on the host, or NULL with data */
	const void *data;
	size_t len;
	unsigned mode;	    /* 0: 0644 */
};
int initramfs_write(const char *path, const struct initramfs_file *files, size_t n,
		    struct strbuf *err);

#endif
