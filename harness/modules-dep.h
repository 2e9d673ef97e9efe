/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has to be loaded, and in which order, for the modules of a driver: the
 * names in each module's own .modinfo ("depends=", "softdep=pre: ..."), looked up
 * among the driver's modules first and then below the kernel's modules directory.
 * modules.dep is not needed (packages do not ship it).
 *
 *	struct module_list l = { 0 };
 *	modules_resolve(k, files, NULL, work_dir, &l, err);
 *	for (i...) l.m[i].file		// plain .ko, dependencies first
 *	module_list_release(&l);
 *
 * Compressed modules of the kernel are decompressed into work_dir; the driver's
 * are copied there without debug information.
 */
#ifndef KPORT_MODULES_DEP_H
#define KPORT_MODULES_DEP_H

#include "base/strvec.h"
#include "harness/kernel.h"

/* Facts of one .ko, from its .modinfo section and symbol table. */
struct module_info {
	char *name;		/* "v4l2loopback"; of the file when it does not say */
	struct strvec depends;	/* as written, "-" replaced by "_" */
	struct strvec soft_pre;	/* "softdep=pre:" */
	struct strvec aliases;	/* "pci:v00008086d0000100Esv*sd*bc*sc*i*": the devices it wants */
	struct strvec firmware;	/* files that it may ask for, with wildcards */
	char *vermagic, *license; /* or NULL */
	bool has_exit;		/* a cleanup_module symbol: can be unloaded */
	bool platform;		/* registers a platform driver */
};

int module_info_read(const char *ko, struct module_info *out, struct strbuf *err);
void module_info_release(struct module_info *i);
/* "snd-hda.ko.xz" -> "snd_hda"; newly allocated; NULL when it is no module's file name. */
char *module_name_of_file(const char *path);

struct module_item {
	struct module_info info;
	char *file;	/* plain .ko below work_dir */
	bool driver;	/* of the driver, or of the kernel and standing on one of the driver's */
	bool soft;	/* only a softdep: may fail */
};

struct module_list {
	struct module_item *m;	/* load order */
	size_t n, alloc;
};

/*
 * kos: paths of the driver's modules; wanted: names of modules of the kernel that
 * are loaded first where the kernel has them, or NULL. A dependency that nobody has is KP_INFRA
 * (the kernel record lacks it); a cycle or an unreadable module KP_ERR.
 */
int modules_resolve(const struct kernel *k, const struct strvec *kos, const struct strvec *wanted,
		    const char *work_dir, struct module_list *out, struct strbuf *err);
const struct module_item *module_list_find(const struct module_list *l, const char *name);
void module_list_release(struct module_list *l);

#endif
