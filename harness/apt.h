/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debian packages through the machine's own apt, with state of its own below
 * CACHE/apt: nothing of the system's apt is changed and none of its hooks run.
 * The mirror is taken from the machine's configuration (or kernel.mirror in
 * kport.conf), signatures are checked by apt against the debian-archive keyring.
 *
 *	apt_refresh("bookworm", false, err);		// index fetched when absent or a day old
 *	apt_names("bookworm", "linux-headers-6.1", &names, err);
 *	apt_show("bookworm", &names, &pkgs, err);
 *	apt_fetch("bookworm", &pkgs, dir, err);		// resumes; dir/NAME_VERSION_ARCH.deb
 *
 * All calls are serialised over processes by a lock on CACHE/apt. Errors: KP_INFRA
 * when the mirror cannot be reached, KP_NOTFOUND when it has no such suite or
 * package. Facts: apt.conf(5), sources.list(5), apt-get(8).
 */
#ifndef KPORT_APT_H
#define KPORT_APT_H

#include "base/compat.h"
#include "base/strbuf.h"
#include "base/strvec.h"

struct apt_package {
	char *name, *version;
	char *depends;	    /* the field as it stands, "" when there is none */
	char *file;	    /* name of the .deb in the directory of apt_fetch() */
	uint64_t size;	    /* bytes of the .deb */
	uint64_t installed; /* bytes unpacked, as the packager estimated */
};

struct apt_packages {
	struct apt_package *p;
	size_t n, alloc;
};

void apt_packages_release(struct apt_packages *l);
/* Moves all elements of src to the end of dst. */
void apt_packages_append(struct apt_packages *dst, struct apt_packages *src);

/* The suites that are asked, this machine's own release first; NULL-terminated. */
const char *const *apt_suites(void);
/* The suite whose packages complete a backports suite ("trixie" for "trixie-backports"), or suite.
 */
const char *apt_suite_base(const char *suite);

/* The file with the keys of Debian's archive, or NULL. */
const char *apt_keyring(void);
/* At most once a day, unless force. An old index is kept when the mirror cannot be reached. */
int apt_refresh(const char *suite, bool force, struct strbuf *err);
/* Package names that start with prefix, sorted. */
int apt_names(const char *suite, const char *prefix, struct strvec *out, struct strbuf *err);
/* The newest version of each name (or exactly "NAME=VERSION"); unknown names are left out. */
int apt_show(const char *suite, const struct strvec *names, struct apt_packages *out,
	     struct strbuf *err);
/* Download what is missing in dir. A file that is there is checked, not fetched again. */
int apt_fetch(const char *suite, const struct apt_packages *pkgs, const char *dir,
	      struct strbuf *err);

/* Compares version strings as dpkg does: <0, 0, >0. */
int deb_version_cmp(const char *a, const char *b);
/*
 * Names in a Depends field, first alternative of each, without version and
 * architecture; in order.
 */
void deb_depends_names(const char *depends, struct strvec *out);

/*
 * apt-sources.c: the mirrors in one sources file, appended to out best first:
 * those that name a known Debian suite with component main. deb822: the format
 * of *.sources files; else one-line.
 */
void apt_sources_parse(const char *text, bool deb822, struct strvec *out);
/* All mirrors of this machine; kernel.mirror alone when configured. KP_INFRA when none. */
int apt_mirrors(struct strvec *out, struct strbuf *err);

#endif
