/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of kernel provisioning share; others use kernel.h.
 *
 * A record is CACHE/kernels/NAME/kernel.json next to up to three parts, each
 * complete or absent: build/ (headers, host tools), image/ (kernel and
 * modules), source/. It is assembled in CACHE/kernels/.work/NAME/new/ and
 * renamed; downloads wait in .work/NAME/debs/ until the record is complete.
 */
#ifndef KPORT_KERNEL_RECORD_H
#define KPORT_KERNEL_RECORD_H

#include <jansson.h>
#include "base/lock.h"
#include "harness/kernel.h"

#define KERNEL_RECORD_SCHEMA 1

struct kernel *kernel_new(void);
/* CACHE/kernels, and the working directory for one name, newly allocated. */
char *kernel_records_dir(void);
char *kernel_work_dir(const char *name);
/* Where a kernel of ours is built and stays, newly allocated. */
char *kernel_built_dir(const char *name);
/* Letters, digits, "._+-", not starting with a dot, at most 64 bytes. */
bool kernel_name_valid(const char *name);
/* KP_ERR with a message for a name that cannot be one. */
int kernel_name_check(const char *name, struct strbuf *err);

/* KP_NOTFOUND when there is no such record. extra (may be NULL): what is stored beyond struct
 * kernel. */
int kernel_record_read(const char *name, struct kernel **out, json_t **extra, struct strbuf *err);
/*
 * Write dir/kernel.json. Paths below k->dir are stored relative; extra is merged
 * in and stays the caller's. k->dir is where the record will live in the end.
 */
int kernel_record_write(const struct kernel *k, const char *dir, const json_t *extra,
			struct strbuf *err);
/*
 * Put the assembled record dir in the place of NAME's record, whole: the old one, if
 * any, is moved away first and removed.
 */
int kernel_record_install(const char *name, const char *new_dir, struct strbuf *err);

/*
 * Facts of a build tree: release, version, arch, symvers, modversions, common_dir, cc (the
 * compiler it is configured for; "gcc-12"). KP_ERR when it is not one.
 */
int kernel_inspect_tree(const char *build_dir, struct kernel *k, struct strbuf *err);
/* The compiler that the configuration was made with ("gcc-14"), newly allocated. */
char *kernel_config_compiler(const struct kernel *k);
/* Kbuild cannot work below a directory with a blank or a colon in its name. */
int kernel_check_path(const char *dir, struct strbuf *err);
/* All paths of k below "from" become the same below "to"; roots are emptied. */
void kernel_rebase(struct kernel *k, const char *from, const char *to);
/* kernel-fit.c: see there. */
struct kernel_fit {
	const char *build_dir, *common_dir; /* of the tree, ours to change */
	const char *tools_dir;		    /* where host tools live */
	const char *libs_dir;		    /* where libraries for them were unpacked, or NULL */
	char *cc;			    /* out: compiler that will be used */
	struct strvec notes;		    /* out: what was changed, for the record */
};
int kernel_fit(struct kernel_fit *f, struct strbuf *err);
/* kernel-ccfit.c: turn off what the configuration says of a compiler and cc does not satisfy. */
int kernel_fit_config(const char *build_dir, const char *cc, struct strvec *notes,
		      struct strbuf *err);
/* The installed compiler that is nearest to the wanted ("gcc-14"); NULL when there is none. */
char *kernel_fit_compiler(const char *wanted);
/* From one absolute directory to another path: "../../lib/x". */
char *kernel_relative_path(const char *from_dir, const char *to);
/*
 * kernel-tools.c: programs below dir that this machine cannot load, absolute; the
 * first reason in why. kernel_tools_wrap() makes them start with the libraries below
 * libs_root (NULL: none, which is an error when one is needed).
 */
int kernel_tools_unfit(const char *dir, struct strvec *out, struct strbuf *why, struct strbuf *err);
int kernel_tools_wrap(const char *dir, const char *libs_root, size_t *wrapped, struct strbuf *err);
/* A program that needs no loader. */
bool kernel_program_is_static(const char *path);
/* Names in CACHE/kernels whose kernel.json cannot be used, sorted. */
void kernel_list_damaged(struct strvec *out);
/* Do the host tools below dir start on this machine? The first that does not is named in why. */
bool kernel_tools_run(const char *dir, struct strbuf *why);
/* The line of a failed make that says most: the first error, else the last line. */
void kernel_make_reason(const char *text, struct strbuf *out);
/*
 * Builds and links a module of a few lines in a directory below work; KP_INFRA with the
 * words of the build when that fails.
 */
int kernel_self_check(const struct kernel *k, const char *work, struct strbuf *err);

#endif
