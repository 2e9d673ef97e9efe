// SPDX-License-Identifier: GPL-2.0-only
/* What is used through sysfs: sensors, SCSI hosts, USB host controllers. */
#define _GNU_SOURCE
#include "guest.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- sensors ---------------------------------------------------------------------------- */

static bool takes_hwmon(const char *item, char *target, size_t size)
{
	return takes_class(item, "hwmon", "hwmon", target, size);
}

/* Units of Documentation/hwmon: millidegrees, millivolts, milliamperes, revolutions, ... */
static bool is_sane(const char *file, long value)
{
	if (!strncmp(file, "temp", 4))
		return value >= -150000 && value <= 300000;
	if (!strncmp(file, "in", 2) || !strncmp(file, "curr", 4))
		return value >= -1000000 && value <= 1000000;
	return value >= 0;
}

static bool is_value(const char *file)
{
	const char *end = strrchr(file, '_');

	return end && !strcmp(end, "_input");
}

static enum exercise_result run_hwmon(const char *name)
{
	char dir[300], path[600], text[128] = "";
	unsigned values = 0, errors = 0;
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof(dir), "/sys/class/hwmon/%s", name);
	snprintf(path, sizeof(path), "%s/name", dir);
	if (!read_line(path, text, sizeof(text)))
		return result(EXERCISE_FAIL, "has no name");
	got("name", "%s", text);
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		char value[64], *end;
		long n;

		if (!is_value(e->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		got("value", "%s", e->d_name);
		if (!read_line(path, value, sizeof(value))) {
			errors++;
			continue;
		}
		n = strtol(value, &end, 10);
		if (*end || !is_sane(e->d_name, n))
			return result(EXERCISE_FAIL, "'%s' is '%s'", e->d_name, value);
		values++;
	}
	if (d)
		closedir(d);
	if (!values && errors)
		return result(EXERCISE_FAIL, "'%s': none of %u values can be read", text, errors);
	return result(values ? EXERCISE_OK : EXERCISE_SKIP, "'%s', %u values read", text, values);
}

const struct exercise exercise_hwmon = { "hwmon", 10, takes_hwmon, run_hwmon };

/* ---- SCSI hosts ------------------------------------------------------------------------- */

static bool takes_scsi(const char *item, char *target, size_t size)
{
	return takes_class(item, "scsi_host", "host", target, size);
}

/* Disks behind it are exercised as block devices. */
static enum exercise_result run_scsi(const char *name)
{
	char path[300], state[64] = "", text[64] = "";
	int code;

	snprintf(path, sizeof(path), "/sys/class/scsi_host/%s/state", name);
	if (!read_line(path, state, sizeof(state)) || strcmp(state, "running"))
		return result(EXERCISE_FAIL, "its state is '%s'", state);
	snprintf(path, sizeof(path), "/sys/class/scsi_host/%s/proc_name", name);
	if (read_line(path, text, sizeof(text)))
		got("proc-name", "%s", text);
	snprintf(path, sizeof(path), "/sys/class/scsi_host/%s/scan", name);
	/* One place: all of them take long where there are many. */
	code = write_text(path, "0 0 0");
	if (code && code != EINVAL)
		return result(EXERCISE_FAIL, "scanning: %s", strerror(code));
	return result(EXERCISE_OK, "'%s', running, scanned", text);
}

const struct exercise exercise_scsi = { "scsi-host", 15, takes_scsi, run_scsi };

/* ---- USB host controllers ------------------------------------------------------------------ */

static bool takes_usb(const char *item, char *target, size_t size)
{
	const char *name = item_of(item, "busdev");

	if (!name || strncmp(name, "usb/usb", 7) || !isdigit((unsigned char)name[7]))
		return false;
	snprintf(target, size, "%s", name + 4);
	return true;
}

/* The first device behind the root hub of a bus, "1-4"; "": of any. */
static bool device_behind(const char *bus, char *out, size_t size)
{
	char dir[300];
	struct dirent *e;
	DIR *d;
	bool found = false;

	snprintf(dir, sizeof(dir), "/sys/bus/usb/devices/%s", bus);
	d = opendir(dir);
	while (d && !found && (e = readdir(d))) {
		found = isdigit((unsigned char)e->d_name[0]) && strchr(e->d_name, '-') &&
			!strchr(e->d_name, ':');
		if (found)
			snprintf(out, size, "%s", e->d_name);
	}
	if (d)
		closedir(d);
	return found;
}

static bool usb_line(const char *device, const char *file, char *out, size_t size)
{
	char path[300];

	snprintf(path, sizeof(path), "/sys/bus/usb/devices/%s/%s", device, file);
	return read_line(path, out, size);
}

static enum exercise_result run_usb(const char *bus)
{
	char device[128] = "", other[128] = "", vendor[16] = "", product[16] = "", speed[32] = "", ports[16] = "";
	double end = now() + 6;

	if (!usb_line(bus, "speed", speed, sizeof(speed)) || !usb_line(bus, "maxchild", ports, sizeof(ports)))
		return result(EXERCISE_FAIL, "the root hub has no descriptors");
	got("root-hub", "speed %s, %s ports", speed, ports);
	while (!device_behind(bus, device, sizeof(device)) && exercise_peer && !device_behind("", other, sizeof(other)) &&
	       now() < end)
		sleep_ms(50);
	/* A controller has a bus for each generation: a device sits on one of them. */
	if (!*device)
		return exercise_peer && !*other ? result(EXERCISE_FAIL, "the device behind it is not seen")
						: result(EXERCISE_SKIP, "root hub of %s ports, nothing is plugged into it", ports);
	/* Its directory comes before its files. */
	while (!(usb_line(device, "idVendor", vendor, sizeof(vendor)) &&
		 usb_line(device, "idProduct", product, sizeof(product))) && now() < end)
		sleep_ms(50);
	if (!*vendor || !*product)
		return result(EXERCISE_FAIL, "'%s' behind it has no descriptors", device);
	return result(EXERCISE_OK, "device %s:%s behind it enumerated", vendor, product);
}

const struct exercise exercise_usb = { "usb", 10, takes_usb, run_usb };
