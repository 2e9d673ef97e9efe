// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices made up in the guest, for drivers that QEMU has no device for: chips on the adapter of i2c-stub, whose
 * registers are 0, and keyboards through uhid. They are there before the driver, and stay.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct standin {
	char kind[8], words[120];
} all[8];
static size_t n;

void standin_add(const char *kind, const char *words)
{
	if (n == sizeof(all) / sizeof(*all))
		return;
	snprintf(all[n].kind, sizeof(all[n].kind), "%s", kind);
	snprintf(all[n++].words, sizeof(all[0].words), "%s", words);
}

/* words: "NAME ADDRESS" */
static int make_i2c(const char *words)
{
	DIR *d = opendir("/sys/bus/i2c/devices");
	struct dirent *e;
	int code = ENODEV;

	while (d && (e = readdir(d))) {
		char path[400], name[128];

		snprintf(path, sizeof(path), "/sys/bus/i2c/devices/%s/name", e->d_name);
		if (strncmp(e->d_name, "i2c-", 4) || !read_line(path, name, sizeof(name)) ||
		    strcmp(name, "SMBus stub driver"))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/i2c/devices/%s/new_device", e->d_name);
		code = write_text(path, words);
	}
	if (d)
		closedir(d);
	return code;
}

/* Eight keys for modifiers and one byte for another one: what the HID specification has as its example, cut down. */
static const unsigned char keyboard[] = {
	0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01,
	0x95, 0x08, 0x81, 0x02, 0x19, 0x00, 0x29, 0x65, 0x25, 0x65, 0x75, 0x08, 0x95, 0x01, 0x81, 0x00, 0xc0,
};

/* words: "BUS VENDOR PRODUCT"; the device lives as long as the descriptor is open. */
static int make_hid(const char *words)
{
	static struct uhid_event ev;
	struct uhid_create2_req *c = &ev.u.create2;
	unsigned bus, vendor, product;
	int fd = open("/dev/uhid", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return errno;
	if (sscanf(words, "%x %x %x", &bus, &vendor, &product) != 3)
		return EINVAL;
	memset(&ev, 0, sizeof(ev));
	ev.type = UHID_CREATE2;
	snprintf((char *)c->name, sizeof(c->name), "kport keyboard");
	c->bus = (uint16_t)bus;
	c->vendor = vendor;
	c->product = product;
	c->rd_size = sizeof(keyboard);
	memcpy(c->rd_data, keyboard, sizeof(keyboard));
	return write(fd, &ev, sizeof(ev)) < 0 ? errno : 0;
}

void standin_make(void)
{
	for (size_t i = 0; i < n; i++) {
		bool i2c = !strcmp(all[i].kind, "i2c");

		say("standin %s %s %d", all[i].kind, all[i].words, i2c ? make_i2c(all[i].words) : make_hid(all[i].words));
	}
	if (n)
		sleep_ms(100); /* uhid makes its device in a worker */
}
