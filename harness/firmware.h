/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Firmware for a driver in a machine: files that its user has, in a directory laid out as /lib/firmware is. They are put in when a
 * module names them (MODULE_FIRMWARE, with wildcards), or when a run has shown that the driver asks for them. Names come from
 * strangers: none that leaves the directory is looked at. The directory is "machine.firmware" in kport.conf, or --firmware.
 */
#ifndef KPORT_FIRMWARE_H
#define KPORT_FIRMWARE_H

#include "harness/modules-dep.h"

/* --firmware DIR. KP_ERR: it is no directory. */
int firmware_use(const char *dir, struct strbuf *err);
/* The directory, or NULL. */
const char *firmware_dir(void);
/* Paths below the directory of the files that these modules name: each once, sorted. */
void firmware_choose(const struct module_list *l, struct strvec *out);
/*
 * The file that the kernel finds for that name: itself, or packed (".xz", ".zst"), which it unpacks if it can. Path below the directory,
 * newly allocated, or NULL.
 */
char *firmware_find(const char *name);
/* Names that a kernel's console says it looked for in vain, each once. */
void firmware_missed(const char *console, size_t len, struct strvec *out);

#endif
