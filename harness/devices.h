/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which devices to put into a machine for a driver: those of harness/devices.tsv
 * whose modalias one of the driver's aliases matches, as udev would decide. At
 * most one a module and MACHINE_MAX_DEVICES in all. A driver that none of them matches gets a stand-in, as its aliases tell:
 * a chip on the kernel's own adapter without hardware (i2c-stub) whose registers are 0, a keyboard with its numbers (uhid), an
 * input device (uinput), a USB device with its numbers (dummy_hcd), else an idle platform device if it turns out to be for one.
 */
#ifndef KPORT_DEVICES_H
#define KPORT_DEVICES_H

#include "harness/modules-dep.h"

#define MACHINE_MAX_DEVICES 4
#define MACHINE_I2C_ADDRESS "0x48" /* of the chip that is made up */

struct machine_devices {
	struct strvec modalias;	 /* the devices, or empty */
	struct strvec needs;	 /* modules of the kernel that bring them up */
	struct strvec interfaces; /* kinds of exercise that stock drivers of these give ("net") */
	struct strvec qemu_args; /* for struct machine_spec */
	struct strvec standins;	 /* none is emulated: what is made up in the guest, "KIND WORDS" (guest-standin.c) */
};

/* kos: the driver's modules. KP_ERR for an unreadable module or a wrong line of the table. */
int machine_devices_choose(const struct strvec *kos, struct machine_devices *out,
			   struct strbuf *err);
/* The whole table, in its order. */
struct device_row {
	char *modalias, *interface; /* "-": none */
	struct strvec needs, qemu_args;
};
struct device_table {
	struct device_row *row;
	size_t n, alloc;
};
int device_table_read(struct device_table *t, struct strbuf *err);
void device_table_release(struct device_table *t);
/* The name of a row's device in QEMU. Newly allocated. */
char *device_row_name(const struct device_row *row);
/* Would udev load a module with these aliases for the device? */
bool device_row_matches(const struct device_row *row, const struct strvec *aliases);
/* What is made up for a module that no row matches, "KIND WORDS", newly allocated, or NULL; the modules that bring it up. */
char *device_standin(const struct module_info *info, const char **needs);
void machine_devices_init(struct machine_devices *d);
void machine_devices_release(struct machine_devices *d);

#endif
