/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds a driver's modules against a kernel in the sandbox and says what
 * happened: every compiler command with its diagnostics, modpost's findings,
 * the modules that came out.
 *
 * Commands are captured by shims named gcc, gcc-12, cc, clang... in a directory
 * in front of PATH (libexec/kport-cc): each compiler run on a C source with
 * -D__KERNEL__ leaves a record (cwd, argv, exit code) in the build's log
 * directory, and when it printed anything the same command is repeated with the
 * machine format of diagnostics. The shim directory also has a "uname" that
 * answers "-r" with the kernel's release, so that Makefiles that build for the
 * running kernel build for this one; /lib/modules/RELEASE/build exists inside.
 */
#ifndef KPORT_KBUILD_H
#define KPORT_KBUILD_H

#include "base/child.h"
#include "harness/diag.h"
#include "harness/driver.h"
#include "harness/kernel.h"

struct kbuild_unit {
	char *source;	/* absolute path of the C file */
	char *object;	/* absolute path of -o, or NULL */
	char *cwd;
	struct strvec argv; /* argv[0] is the real compiler; first record of a source and object wins */
	int exit_code;
	bool probe;	/* a configure-style test: made during the build, expected to fail at times */
	struct diag_list diags; /* root causes (diag_fold) */
	struct diag_list raw;	/* everything the compiler said */
};

struct kbuild_module {
	char *name;	/* "v4l2loopback" */
	char *path;	/* absolute path of the .ko, in the built tree */
};

struct kbuild_result {
	struct child_result child;	/* of make */
	struct kbuild_unit *units;	/* sorted by source, then object; without modpost's own .mod.c */
	size_t nunits;
	struct diag_list modpost;
	struct strvec make_errors;	/* "make: ..." and "No rule to make target" lines that explain a failure without diagnostics */
	struct strvec missing;	/* modules that the driver is known to have and that did not come out */
	struct kbuild_module *modules;	/* sorted by name */
	size_t nmodules;
	char *log;	/* path of the combined make output (capped) */
	char *tail;	/* last lines of the output, for messages */
	char *blame;	/* set when the build ended by a limit or the sandbox: the driver's fault, in words */
};

struct kbuild_opts {
	const char *log_dir;	/* required, made: build.log and commands land here */
	double wall_seconds;	/* 0: 600 */
	int jobs;		/* make -j; 0: number of processors */
	bool keep_going;	/* make -k: see errors of all units (the default of the engine) */
	bool no_modpost_errors;	/* KBUILD_MODPOST_WARN=1: link although symbols are missing */
	struct strvec *extra_make; /* more make variables or NULL */
};

/*
 * Build d (its tree is written to) for k; a DKMS package is configured for k
 * first when the caller did not. Returns 0 whenever the build ran,
 * whatever came out; KP_INFRA when it could not be run.
 */
int kbuild_run(struct driver *d, const struct kernel *k, const struct kbuild_opts *opts,
	       struct kbuild_result *out, struct strbuf *err);
void kbuild_result_release(struct kbuild_result *r);
/* make exited 0, every compiler run succeeded, no failing diagnostics, at least one module and none missing. */
bool kbuild_succeeded(const struct kbuild_result *r);
/* The same without regard to warnings: what a baseline on the old kernel must reach. */
bool kbuild_built(const struct kbuild_result *r);

/*
 * Run one captured unit's command again on the current contents of the tree with
 * -fsyntax-only (full false) or as a full compile to /dev/null (full true), in
 * the sandbox, diagnostics parsed and folded; the tree is read-only meanwhile.
 * extra: more compiler arguments or NULL; a file named there must lie in the tree
 * or in a root of k.
 */
struct sandbox;
int kbuild_recheck(const struct kbuild_unit *u, const struct kernel *k, const char *tree, bool full,
		   const struct strvec *extra, struct diag_list *out, int *exit_code,
		   struct strbuf *err);
/*
 * Compile one captured unit again into out_dir (made; not below the tree), with more arguments;
 * *object is newly allocated. KP_ERR when the compiler fails.
 */
int kbuild_object(const struct kbuild_unit *u, const struct kernel *k, const char *tree,
		  const struct strvec *extra, const char *out_dir, char **object, struct strbuf *err);
/*
 * The sandbox of builds of this kernel with "tree" writable; the caller releases
 * it. log_dir NULL: without the shims.
 */
int kbuild_sandbox(const struct kernel *k, const char *tree, const char *log_dir, struct sandbox *sb,
		   struct strbuf *err);

#endif
