/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A virtual machine that boots one kernel directly with our own initramfs:
 * one processor, no network, no host directories, console to a file, hard limits
 * on the host's clock.
 *
 *	struct machine_spec s = { .kernel = k, .initrd = path, .console_path = log,
 *				  .until = "kport:NONCE:end" };
 *	struct machine_run r = { 0 };
 *	if (machine_run(&s, &r, err) < 0)	// KP_INFRA, KP_INTERRUPTED
 *		...
 *	machine_run_release(&r);
 *
 * The verdict never comes from the machine's end (a panic looks like a
 * poweroff) but from the console (console.h).
 *
 * A machine is booted afresh, or goes on from a saved state (MACHINE_SNAPSHOT) that is made
 * at first use, one for each kernel, device set, guest program and emulator, and kept in the
 * cache; what the device set does not allow is done afresh, and "because" says why.
 *
 * Two back ends, "machine.backend" in kport.conf: libvirt, by its embedded driver that needs no
 * daemon ("machine.uri" names another connection), and qemu, without libvirt. By default
 * libvirt where it can be used, else qemu; saved states are always qemu's. Machines of a process that
 * was killed are ended by the next one that starts a machine.
 */
#ifndef KPORT_MACHINE_H
#define KPORT_MACHINE_H

#include "base/strbuf.h"
#include "base/strvec.h"
#include "harness/kernel.h"

enum machine_accel { MACHINE_ACCEL_AUTO, MACHINE_ACCEL_KVM, MACHINE_ACCEL_TCG };

enum machine_from { MACHINE_FRESH, MACHINE_SNAPSHOT };

struct machine_spec {
	const struct kernel *kernel;
	enum machine_from from;
	/* With MACHINE_SNAPSHOT the guest unpacks it behind the restore; "init" in it is not used. */
	const char *initrd;
	const char *cmdline;	   /* added to the defaults, or NULL */
	struct strvec qemu_args;   /* more devices; empty by default */
	double wall_seconds;	   /* 0: 120; on the host's clock */
	unsigned memory_mib;	   /* 0: 512; more when the initramfs is large */
	enum machine_accel accel;
	bool verbose;		   /* show all messages of the boot, not only errors */
	const char *console_path;  /* the serial log is written here */
	const char *until;	   /* stop when the console shows this text; NULL: guest powers off */
};

enum machine_end {
	MACHINE_POWEROFF,   /* or reset: the guest ended by itself */
	MACHINE_UNTIL,	    /* the text of "until" came */
	MACHINE_PANIC,	    /* the console shows the end of a kernel panic */
	MACHINE_TIMEOUT,
	MACHINE_OUTPUT_CAP, /* more than 32 MiB of console */
	MACHINE_CRASHED	    /* the virtual machine monitor died or stopped the guest */
};

struct machine_run {
	enum machine_end end;
	enum machine_accel accel; /* the one used */
	enum machine_from from;	  /* how it was started */
	char *because;		  /* MACHINE_FRESH though a snapshot was wanted: why; or NULL */
	double wall;		  /* seconds, start to end of the machine */
	double quiet;		  /* the last of them: since a line with the mark of "until" came */
	double prepared;	  /* seconds before that: making or checking the saved state */
	char *backend;		  /* "libvirt 9.0.0 qemu:///embed", for the record */
	char *detail;		  /* what the monitor said (crash, watchdog), or NULL */
};

int machine_run(const struct machine_spec *s, struct machine_run *out, struct strbuf *err);
void machine_run_release(struct machine_run *r);
const char *machine_end_name(enum machine_end e);     /* "poweroff", "until", ... */
const char *machine_accel_name(enum machine_accel a); /* "kvm", "tcg", "auto" */
const char *machine_from_name(enum machine_from f);   /* "fresh", "snapshot" */
int machine_from_parse(const char *word, enum machine_from *out, struct strbuf *err);

/*
 * Can machines be started here at all? Connects to the back end, starts nothing.
 * KP_INFRA with the reason and what to install otherwise. what: "libvirt 9.0.0 ...".
 */
int machine_probe(struct strbuf *what, struct strbuf *err);

/* Emulators below our directories whose process is gone: one line each. Nothing is ended. */
int machine_leftovers(struct strvec *out, struct strbuf *err);

/*
 * Can KVM really run a kernel here? Boots a known kernel once with a limit of 10 s; the answer
 * is kept in the state directory per machine and kernel of the host. why: reason when not.
 */
bool machine_kvm_usable(const struct kernel *k, struct strbuf *why);

/* Does the kernel reach our init with nothing else in the machine? dir is for scratch files. */
int machine_kernel_boots(const struct kernel *k, double wall_seconds, const char *dir,
			 bool *reached, struct strbuf *err);

/*
 * Initramfs, written as uncompressed newc cpio. Directories are made as needed;
 * paths must be safe (path_is_safe) and unique.
 */
struct initramfs_file {
	const char *path;   /* inside, without leading slash */
	const char *source; /* file on the host, or NULL with data */
	const void *data;
	size_t len;
	unsigned mode;	    /* 0: 0644 */
};
int initramfs_write(const char *path, const struct initramfs_file *files, size_t n,
		    struct strbuf *err);

/* A random word for markers (32 hex digits). */
int machine_nonce(char out[33], struct strbuf *err);

#endif
