/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the driver-*.c files. */
#ifndef KPORT_DRIVER_INTERNAL_H
#define KPORT_DRIVER_INTERNAL_H

#include "harness/driver.h"

/* Each fills a zeroed driver whose origin and tree are set, and makes the tree. */
int driver_load_kbuild(struct driver *d, const char *input, struct strbuf *err);
int driver_load_dkms(struct driver *d, const char *input, struct strbuf *err);
int driver_load_deb(struct driver *d, const char *input, struct strbuf *err);
/* root: the kernel source tree around input; config: see driver_load_opts. */
int driver_load_intree(struct driver *d, const char *root, const char *input, const char *config,
		       struct strbuf *err);

int driver_intree_configure(struct driver *d, const struct kernel *k, struct strbuf *err);

/* Copies a tree as it is; links that leave it are refused. */
int driver_copy_tree(const char *src, const char *dst, struct strbuf *err);
void driver_add_module(struct driver *d, const char *name, const char *location);
/* The root of the kernel source tree that holds path, or NULL. */
char *driver_kernel_root(const char *path);

/*
 * Makefile text without comments, continued lines joined, one assignment or
 * rule a line. Conditionals are kept as lines.
 */
int makefile_lines(const char *path, struct strvec *out, struct strbuf *err);
/* "obj-m", "obj-$(CONFIG_X)": does the line add to such a list? var and value are new strings. */
bool makefile_assignment(const char *line, char **var, char **value);

#endif
