/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the references of a case mean on this machine: kernels and files. A reference fits a
 * kernel record whose packages name the source package in the very version, whose source
 * tree has the Makefile of the release, or is the work tree of a git repository at the commit. Packages
 * of drivers lie in the cache; one that is not there is downloaded. Nothing else is.
 */
#ifndef KPORT_REFS_H
#define KPORT_REFS_H

#include "drivebench/case.h"
#include "harness/kernel.h"

struct ref_kernel {
	struct kernel *k;
	json_t *ref;	/* what case_tree_ref() says of its source */
	char commit[41]; /* of its source, when that is a work tree of git; else "" */
};

struct refs {
	struct ref_kernel *v;
	size_t n, alloc;
};
#define REFS_INIT { 0 }

/*
 * All records with a source tree, and "more": KERNEL[=SOURCE], as kernel_resolve() takes the
 * first. KP_NOTFOUND, KP_ERR for words that are none.
 */
int refs_open(struct refs *r, const struct strvec *more, struct strbuf *err);
void refs_release(struct refs *r);
/* One KERNEL[=SOURCE]; it has a source tree. */
int refs_kernel_word(const char *word, struct kernel **out, struct strbuf *err);
/* KP_NOTFOUND with the command that would add it. The kernel stays the refs'. */
int refs_kernel(const struct refs *r, const json_t *ref, const struct kernel **out, struct strbuf *err);
/*
 * The .deb of a package's old or new version, in the cache ("packages"), by its hash; newly allocated. KP_INFRA: it
 * is not there and no suite has that version any more.
 */
int refs_package(const struct bench_case *c, bool gold, char **out, struct strbuf *err);
/* PACKAGE_VERSION_*.deb of the cache, downloaded into it where it is not. sha256 NULL: any. KP_NOTFOUND: no suite has it. */
int refs_deb(const char *package, const char *version, const char *sha256, char **out, struct strbuf *err);
/*
 * The text of the driver's file in the case's old (gold false) or new kernel, appended;
 * KP_INFRA: it has another hash than the case says, or is not there. Of a package: all its sources (bundle.h).
 */
int refs_text(const struct refs *r, const struct bench_case *c, bool gold, struct strbuf *out, struct strbuf *err);

#endif
