/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One driver on one kernel, ready to be started any number of times: its modules and those that they need, the devices and
 * firmware that are put in, and what the guest is told to do.
 */
#ifndef KPORT_MACHINE_BENCH_H
#define KPORT_MACHINE_BENCH_H

#include "checks/gate.h"
#include "harness/devices.h"

struct machine_bench {
	const struct kernel *kernel;
	enum machine_from from;
	struct module_list modules;
	struct machine_devices devices;
	struct strvec firmware; /* below firmware_dir(): files to put in */
	char *dir; /* temporary: modules, initramfs */
};

int machine_bench_init(struct machine_bench *b, const struct gate_subject *s, const struct kernel *k,
		       const struct kbuild_result *build, struct strbuf *err);
void machine_bench_release(struct machine_bench *b);
/* The archive for one run. */
int machine_bench_write(const struct machine_bench *b, const char *nonce, const char *path, struct strbuf *err);
/* Puts in what a run was seen to ask for. False: there is nothing that is not in already. */
bool machine_bench_add_firmware(struct machine_bench *b, const struct strvec *asked);

#endif
