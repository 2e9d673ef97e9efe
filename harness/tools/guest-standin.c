// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices made up in the guest, for drivers that QEMU has no device for: chips on the adapter of i2c-stub, whose
 * registers are 0; keyboards through uhid; an input device through uinput; a USB device with the driver's own numbers, a gadget of
 * ours on dummy_hcd. They are there before the driver, and stay. A platform driver that has bound to nothing is offered a platform
 * device that nobody uses, by driver_override, behind loading: its name is known only then.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <linux/uinput.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static struct standin {
	char kind[12], words[120];
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

/* Keys, buttons, two relative and two absolute axes: something for each kind of handler. */
static int make_input(const char *words)
{
	static const int bits[][2] = {
		{ UI_SET_EVBIT, EV_KEY }, { UI_SET_EVBIT, EV_REL }, { UI_SET_EVBIT, EV_ABS }, { UI_SET_KEYBIT, KEY_A },
		{ UI_SET_KEYBIT, KEY_ENTER }, { UI_SET_KEYBIT, BTN_LEFT }, { UI_SET_KEYBIT, BTN_TRIGGER },
		{ UI_SET_KEYBIT, BTN_SOUTH }, { UI_SET_RELBIT, REL_X }, { UI_SET_RELBIT, REL_Y },
		{ UI_SET_ABSBIT, ABS_X }, { UI_SET_ABSBIT, ABS_Y },
	};
	struct uinput_setup setup = { .id = { .bustype = BUS_VIRTUAL, .vendor = 1, .product = 1 } };
	int fd = open("/dev/uinput", O_RDWR | O_CLOEXEC);

	(void)words;
	if (fd < 0)
		return errno;
	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		if (ioctl(fd, (unsigned long)bits[i][0], bits[i][1]) < 0)
			return errno;
	for (int axis = ABS_X; axis <= ABS_Y; axis++) {
		struct uinput_abs_setup abs = { .code = (uint16_t)axis, .absinfo = { .maximum = 255 } };

		if (ioctl(fd, UI_ABS_SETUP, &abs) < 0)
			return errno;
	}
	snprintf(setup.name, sizeof(setup.name), "kport input");
	return ioctl(fd, UI_DEV_SETUP, &setup) < 0 || ioctl(fd, UI_DEV_CREATE) < 0 ? errno : 0;
}

/* ---- USB ------------------------------------------------------------------------------------ */

#define GADGET "/sys/kernel/config/usb_gadget/kport"

static bool usb_is_there(const char *vendor)
{
	DIR *d = opendir("/sys/bus/usb/devices");
	struct dirent *e;
	bool there = false;

	while (d && !there && (e = readdir(d))) {
		char path[400], text[64];

		snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/idVendor", e->d_name);
		there = read_line(path, text, sizeof(text)) && !strcmp(text, vendor);
	}
	if (d)
		closedir(d);
	return there;
}

/* The other end of a modem: somebody who takes what is sent, or a close would wait for it. Open as long as the guest. */
static void open_peer(void)
{
	struct termios t;
	int fd = open("/dev/ttyGS0", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || tcgetattr(fd, &t) < 0)
		return;
	cfmakeraw(&t);
	tcsetattr(fd, TCSANOW, &t);
}

/* words: "VENDOR PRODUCT FUNCTION", four hexadecimal digits each and a function of configfs */
static int make_usb(const char *words)
{
	char vendor[8], product[8], function[32], path[200], text[16];
	int code;

	if (sscanf(words, "%4s %4s %31s", vendor, product, function) != 3)
		return EINVAL;
	mount("none", "/sys/kernel/config", "configfs", 0, NULL);
	snprintf(path, sizeof(path), GADGET "/functions/%s.0", function);
	if (mkdir(GADGET, 0755) || mkdir(GADGET "/configs/c.1", 0755) || mkdir(path, 0755) ||
	    symlink(path, GADGET "/configs/c.1/f"))
		return errno;
	snprintf(text, sizeof(text), "0x%s", vendor);
	code = write_text(GADGET "/idVendor", text);
	snprintf(text, sizeof(text), "0x%s", product);
	if (!code)
		code = write_text(GADGET "/idProduct", text);
	if (!code)
		code = write_text(GADGET "/UDC", "dummy_udc.0");
	if (!code && !strcmp(function, "acm"))
		open_peer();
	for (int i = 0; !code && i < 40 && !usb_is_there(vendor); i++)
		sleep_ms(50);
	return code ? code : usb_is_there(vendor) ? 0 : ENODEV;
}

/* ---- platform --------------------------------------------------------------------------------- */

/* The first platform device without a driver; false when there is none. */
static bool idle_platform_device(char *out, size_t size)
{
	struct dirent **list;
	int count = scandir("/sys/bus/platform/devices", &list, NULL, alphasort);
	bool found = false;

	for (int i = 0; i < count; i++) {
		char path[400];

		snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/driver_override", list[i]->d_name);
		if (!found && list[i]->d_name[0] != '.' && !access(path, W_OK)) {
			snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/driver", list[i]->d_name);
			found = access(path, F_OK) != 0;
			if (found)
				snprintf(out, size, "%s", list[i]->d_name);
		}
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return found;
}

static bool binds_already(const char *driver)
{
	char path[400];
	DIR *d;
	struct dirent *e;
	bool bound = false;

	snprintf(path, sizeof(path), "/sys/bus/platform/drivers/%s", driver);
	d = opendir(path);
	while (d && !bound && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s", e->d_name);
		bound = e->d_name[0] != '.' && !access(path, F_OK);
	}
	if (d)
		closedir(d);
	return bound;
}

static int probe_device(const void *device)
{
	return write_text("/sys/bus/platform/drivers_probe", device);
}

static void offer_one(const char *driver)
{
	char device[200], path[400];
	int code, detail;

	if (!idle_platform_device(device, sizeof(device)))
		return;
	snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s/driver_override", device);
	code = write_text(path, driver);
	if (!code) {
		say("offer-begin platform %s", device);
		code = guest_step(probe_device, device, 15, &detail);
	}
	say("standin platform %s %d", device, code == GUEST_STUCK ? ETIMEDOUT : code == GUEST_KILLED ? EINTR : code);
}

void standin_offer(const struct set *before)
{
	static const char bus[] = "platform/";
	struct set now = { 0 };

	if (!n || strcmp(all[0].kind, "platform"))
		return;
	snapshot(&now);
	for (size_t i = 0; i < now.n; i++) {
		const char *driver = set_has(before, now.v[i]) ? NULL : item_of(now.v[i], "driver");

		if (driver && !strncmp(driver, bus, sizeof(bus) - 1) && !binds_already(driver + sizeof(bus) - 1))
			offer_one(driver + sizeof(bus) - 1);
	}
	set_clear(&now);
}

/* ---- all ---------------------------------------------------------------------------------------- */

void standin_make(void)
{
	static const struct {
		const char *kind;
		int (*make)(const char *words);
	} kinds[] = { { "i2c", make_i2c }, { "hid", make_hid }, { "input", make_input }, { "usb", make_usb } };

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
			if (!strcmp(all[i].kind, kinds[k].kind))
				say("standin %s %s %d", all[i].kind, all[i].words, kinds[k].make(all[i].words));
	if (n)
		sleep_ms(100); /* uhid makes its device in a worker */
}
