/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel records: everything needed to build modules for one kernel and to boot
 * it, in one relocatable directory CACHE/kernels/NAME/ with kernel.json (paths
 * in it are relative to the record, or absolute for a tree added in place).
 *
 *	struct kernel *k;
 *	if (kernel_resolve("6.12", &k, err) < 0) ...
 *	use(k->build_dir);
 *	kernel_free(k);
 *
 * A record is complete or absent: it is assembled aside and renamed; partial
 * downloads are kept next to it so that adding again resumes.
 */
#ifndef KPORT_KERNEL_H
#define KPORT_KERNEL_H

#include "base/strbuf.h"
#include "base/strvec.h"

struct kernel {
	char *name;	   /* "6.12": what the user types */
	char *release;	   /* "6.12.95+deb12-amd64": utsname and vermagic */
	char *arch;	   /* "x86_64": ARCH= of Kbuild */
	unsigned version;  /* KERNEL_VERSION(a,b,c) as LINUX_VERSION_CODE has it */
	char *origin;	   /* "debian:bookworm-backports", "build-tree:/path", ... */
	char *dir;	   /* the record's directory; NULL for a tree used in place */
	char *build_dir;   /* absolute: what /lib/modules/RELEASE/build would be */
	char *common_dir;  /* absolute: source half with include/ and arch/ (may equal build_dir) */
	char *cc;	   /* compiler that fits: "gcc-12" */
	struct strvec make_vars; /* "NAME=value" to be given to each make of this kernel */
	char *symvers;	   /* Module.symvers */
	char *image;	   /* bootable image or NULL */
	char *modules_dir; /* lib/modules/RELEASE with modules or NULL */
	char *source_dir;  /* full source tree or NULL */
	/*
	 * Directories which must be visible, read-only, for a build (record, tool
	 * roots outside it).
	 */
	struct strvec roots;
	bool modversions;  /* CONFIG_MODVERSIONS */
};

void kernel_free(struct kernel *k);

/*
 * word: a record's name, a release, a build tree or a path to one. KP_NOTFOUND with
 * a message that names the known ones and the command that adds it.
 */
int kernel_resolve(const char *word, struct kernel **out, struct strbuf *err);

struct kernel_list {
	struct kernel **k;
	size_t n;
};
int kernel_list(struct kernel_list *out, struct strbuf *err); /* sorted by version */
void kernel_list_release(struct kernel_list *l);
int kernel_remove(const char *name, struct strbuf *err);
/* The commands that bring the image and the modules that k has not; newly allocated. */
char *kernel_image_advice(const struct kernel *k);

/* Value of a configuration symbol ("CONFIG_X"): "y", "m", a string; NULL when off. Newly allocated. */
char *kernel_config(const struct kernel *k, const char *symbol);

/* Is there a Debian recipe for this version word ("6.12")? For messages and doctor. */
bool kernel_debian_known(const char *version);

enum kernel_want {
	KERNEL_WANT_BUILD = 0,
	KERNEL_WANT_IMAGE = 1 << 0,  /* image and modules: for booting */
	KERNEL_WANT_SOURCE = 1 << 1, /* full source: for mining and in-tree drivers */
};

/*
 * Add a record from Debian's packages (version: 5.10, 6.1, 6.12, 7.2, 7.3 or any
 * whose packages a known suite has). Downloads go through apt with private state
 * under the cache, verified by its signatures. What a present record lacks of
 * "want" is completed. Progress is drawn.
 */
int kernel_add_debian(const char *version, unsigned want, struct kernel **out, struct strbuf *err);
/* An existing build tree, used in place. image, modules may be NULL. name NULL: from the release. */
int kernel_add_tree(const char *name, const char *build_dir, const char *image,
		    const char *modules_dir, struct kernel **out, struct strbuf *err);
/* A source tree and a configuration: copied by reference, prepared with "make O=... modules_prepare". */
int kernel_add_source(const char *name, const char *source_dir, const char *config,
		      const char *symvers, struct kernel **out, struct strbuf *err);

/*
 * A small kernel with KASAN, UBSAN and lockdep from the source of the record "base", and a record of it under the name that
 * kernel_sanitizer_name() gives; nothing is done when it is there. jobs 0: one a processor. Ten minutes of CPU time and more; an
 * interrupted build goes on the next time.
 */
int kernel_build_sanitizer(const char *base, long jobs, struct kernel **out, struct strbuf *err);
char *kernel_sanitizer_name(const struct kernel *k); /* "6.12-san"; newly allocated */

/*
 * Download the newest version of one binary package from one of the suites that
 * are known (suite NULL: any), verified, into dir; *path is the .deb. version
 * NULL: newest. Used for kernels and for *-dkms packages.
 */
int apt_download(const char *suite, const char *package, const char *version, const char *dir,
		 char **path, struct strbuf *err);
/* Unpack the data of a .deb (regular files, directories, inside symlinks) into dir. */
int deb_unpack(const char *deb, const char *dir, struct strbuf *err);

#endif
