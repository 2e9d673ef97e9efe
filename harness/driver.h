/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A driver as the user has it, brought into one shape: a source tree plus the
 * way to build it. Inputs: a Kbuild directory (obj-m in Makefile or Kbuild), a
 * DKMS package (directory with dkms.conf), a Debian *-dkms .deb, or a file or
 * directory inside a kernel source tree (taken out as an external module with
 * the private headers that it includes).
 *
 *	struct driver *d;
 *	driver_load("./foo", "/ws/orig", NULL, &d, err);   // copies into /ws/orig
 *	driver_free(d);
 *
 * Nothing of the driver is run while loading; dkms.conf is shell and is
 * evaluated inside the sandbox with kernelver, kernel_source_dir, arch and
 * dkms_tree set, once per kernel (driver_dkms_configure).
 */
#ifndef KPORT_DRIVER_H
#define KPORT_DRIVER_H

#include "base/strbuf.h"
#include "base/strvec.h"
#include "harness/kernel.h"

enum driver_kind { DRIVER_KBUILD, DRIVER_DKMS, DRIVER_INTREE };

struct driver_module {
	char *name;	/* "v4l2loopback" */
	char *location;	/* directory of the .ko below the tree, "" for the top */
};

struct driver {
	char *name, *version;	/* version NULL when unknown */
	enum driver_kind kind;
	char *origin;		/* what the user named */
	char *tree;		/* absolute: the copied tree; nothing outside belongs to the driver */
	char *kbuild_subdir;	/* DRIVER_KBUILD/INTREE: directory of obj-m below the tree, "" mostly */
	bool own_makefile;	/* Kbuild directory: build by the driver's own Makefile ... */
	char *make_target;	/* ... with this target, NULL for its default */
	struct strvec make_vars; /* "CONFIG_X=m": given to make besides those of the kernel */
	/* DRIVER_DKMS, as evaluated for one kernel by driver_dkms_configure(): */
	char *configured;	/* release of the kernel that the fields below are for, or NULL */
	char *make_command;	/* shell text of MAKE[0], NULL: plain Kbuild; paths as DKMS has them */
	char *clean_command;
	char *pre_build;	/* shell text or NULL */
	struct strvec patches;	/* files below "patches/" that match this kernel, in order */
	bool patched;		/* they are applied to tree */
	char *exclusive;	/* why BUILD_EXCLUSIVE_* forbids this kernel, or NULL */
	struct driver_module *modules;
	size_t nmodules;
	/* A directory of the kernel: options that cannot be meant for this machine, "CONFIG_X: needs PPC_PMAC". */
	struct strvec skipped;
	/* DRIVER_INTREE: where it came from, for --exclude and messages. */
	char *intree_path;	/* "drivers/acpi/ac.c" */
	char *intree_root;
	/* Files that were there before and are no sources (patched copies, objects) are not touched. */
};

struct driver_load_opts {
	const char *config;	/* in-tree: extra "CONFIG_X=m" make variables, space separated; NULL: derived */
};

/* Whether make can build below this path: no blanks, ':', quotes... */
bool driver_tree_path_ok(const char *path);
/* work_tree must not exist; it is made. The input is only read. */
int driver_load(const char *input, const char *work_tree, const struct driver_load_opts *opts,
		struct driver **out, struct strbuf *err);
/* The same driver (kind, recipe) with another copy of its tree, which the caller made (file_copy). */
struct driver *driver_clone(const struct driver *d, const char *tree);
/*
 * Fits the recipe to a kernel. DKMS: evaluates dkms.conf and applies the package's
 * patches for it to d->tree, once (d->patched); a patch that does not apply is
 * KP_ERR. A directory of the kernel: options whose Kconfig dependencies this
 * kernel's configuration does not meet go from make_vars to skipped. Nothing for
 * the other kinds. Called by the users of kbuild_run() before anything reads the
 * tree; kbuild_run() runs PRE_BUILD and make only.
 */
int driver_dkms_configure(struct driver *d, const struct kernel *k, struct strbuf *err);
/*
 * Shell text of dkms.conf with DKMS' own directories (/var/lib/dkms/NAME/VERSION/build,
 * /usr/src/NAME-VERSION) replaced by the tree, placeholders that an installation fills in
 * ("@CFLAGS@") left out and SUBDIRS=, which Kbuild refuses, as M=. Newly allocated.
 */
char *driver_dkms_command(const struct driver *d, const char *text);
void driver_free(struct driver *d);
const char *driver_kind_name(enum driver_kind k); /* "kbuild", "dkms", "in-tree" */

#endif
