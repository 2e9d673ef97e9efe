// SPDX-License-Identifier: GPL-2.0-only
/* Character devices with small protocols: input, tty, watchdog, rtc, random numbers, gpio, i2c. */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/i2c.h>
#include <linux/i2c-dev.h>
#include <linux/input.h>
#include <linux/rtc.h>
#include <linux/watchdog.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static enum exercise_result failed(const char *what)
{
	return result(EXERCISE_FAIL, "%s: %s", what, strerror(errno));
}

/* ---- input ---------------------------------------------------------------------------- */

static bool takes_input(const char *item, char *target, size_t size)
{
	return takes_class(item, "input", "event", target, size);
}

static unsigned count_bits(const unsigned char *p, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += (unsigned)__builtin_popcount(p[i]);
	return n;
}

static enum exercise_result run_input(const char *name)
{
	char path[64], text[128] = "";
	unsigned char types[4] = { 0 }, codes[96];
	struct input_id id;
	unsigned ntypes, ncodes = 0;
	int fd;

	snprintf(path, sizeof(path), "input/%.40s", name);
	fd = open_node(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return failed("open");
	if (ioctl(fd, EVIOCGID, &id) < 0 || ioctl(fd, EVIOCGNAME(sizeof(text) - 1), text) < 0 ||
	    ioctl(fd, EVIOCGBIT(0, sizeof(types)), types) < 0)
		return failed("capabilities");
	got("name", "%s", text);
	got("id", "%04x:%04x:%04x", id.bustype, id.vendor, id.product);
	for (int t = 1; t < EV_MAX; t++) {
		memset(codes, 0, sizeof(codes));
		if (types[t / 8] & 1 << t % 8 && t != EV_REP && ioctl(fd, EVIOCGBIT(t, sizeof(codes)), codes) >= 0) {
			ncodes += count_bits(codes, sizeof(codes));
			got("codes", "type %d: %u", t, count_bits(codes, sizeof(codes)));
		}
	}
	ntypes = count_bits(types, sizeof(types));
	close(fd);
	return result(ntypes && ncodes ? EXERCISE_OK : EXERCISE_FAIL, "'%s', %u kinds of events, %u codes",
		      text, ntypes, ncodes);
}

const struct exercise exercise_input = { "input", 5, takes_input, run_input };

/* ---- tty ------------------------------------------------------------------------------ */

#ifndef TIOCM_LOOP /* asm/termios.h, which the C library's own header does not go with */
#define TIOCM_LOOP 0x8000
#endif

static bool takes_tty(const char *item, char *target, size_t size)
{
	return takes_class(item, "tty", "tty", target, size);
}

static bool read_back(int fd, const char *text)
{
	char buf[64];
	size_t len = 0;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (len < strlen(text) && poll(&p, 1, 1500) > 0) {
		ssize_t n = read(fd, buf + len, sizeof(buf) - len);

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	return len == strlen(text) && !memcmp(buf, text, len);
}

static enum exercise_result run_tty(const char *name)
{
	static const char text[] = "kport tty\n";
	struct termios t;
	int fd = open_node(name, O_RDWR | O_NOCTTY | O_NONBLOCK), lines = 0, left = 0;
	bool loops;
	double end;

	if (fd < 0)
		return failed("open");
	if (tcgetattr(fd, &t) < 0)
		return failed("attributes");
	cfmakeraw(&t);
	cfsetspeed(&t, B115200);
	t.c_cflag |= CLOCAL;
	if (tcsetattr(fd, TCSANOW, &t) < 0)
		return failed("settings");
	loops = ioctl(fd, TIOCMGET, &lines) == 0;
	got("modem-lines", "%d", loops);
	lines |= TIOCM_LOOP;
	loops = loops && ioctl(fd, TIOCMSET, &lines) == 0 && ioctl(fd, TIOCMGET, &lines) == 0 && lines & TIOCM_LOOP;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return failed("write");
	if (loops)
		return read_back(fd, text) ? result(EXERCISE_OK, "what was written came back (loopback)")
					   : result(EXERCISE_FAIL, "loopback: what was written does not come back");
	for (end = now() + 3; ioctl(fd, TIOCOUTQ, &left) == 0 && left && now() < end;)
		sleep_ms(20);
	close(fd);
	return left ? result(EXERCISE_FAIL, "%d bytes are never sent", left)
		    : result(EXERCISE_OK, "opened, set, written and sent (no loopback)");
}

const struct exercise exercise_tty = { "tty", 8, takes_tty, run_tty };

/* ---- watchdog --------------------------------------------------------------------------- */

static bool takes_watchdog(const char *item, char *target, size_t size)
{
	return takes_class(item, "watchdog", "watchdog", target, size);
}

static long watchdog_number(const char *name, const char *file)
{
	char path[300];

	snprintf(path, sizeof(path), "/sys/class/watchdog/%s/%s", name, file);
	return read_number(path, -1);
}

static enum exercise_result run_watchdog(const char *name)
{
	struct watchdog_info info;
	int fd, timeout = 0, wanted = 60;
	char path[300], state[32] = "";

	if (watchdog_number(name, "nowayout") == 1)
		return result(EXERCISE_SKIP, "it could not be stopped again (nowayout)");
	fd = open_node(name, O_WRONLY);
	if (fd < 0)
		return failed("open");
	memset(&info, 0, sizeof(info));
	if (ioctl(fd, WDIOC_GETSUPPORT, &info) < 0)
		return failed("support");
	got("identity", "%.32s", (char *)info.identity);
	got("options", "%#x", info.options);
	if (info.options & WDIOF_SETTIMEOUT && ioctl(fd, WDIOC_SETTIMEOUT, &wanted) < 0)
		return failed("set timeout");
	if (ioctl(fd, WDIOC_GETTIMEOUT, &timeout) == 0)
		got("timeout", "%d", timeout);
	for (int i = 0; i < 3; i++) {
		if (ioctl(fd, WDIOC_KEEPALIVE, 0) < 0)
			return failed("tick");
		sleep_ms(50);
	}
	if (write(fd, "V", 1) != 1)
		return failed("magic close");
	if (close(fd) < 0)
		return failed("close");
	snprintf(path, sizeof(path), "/sys/class/watchdog/%s/state", name);
	if (read_line(path, state, sizeof(state)) && strcmp(state, "inactive"))
		return result(EXERCISE_FAIL, "'%s' after the magic close", state);
	return result(EXERCISE_OK, "'%.32s', timeout %d s, 3 ticks, magic close", (char *)info.identity, timeout);
}

const struct exercise exercise_watchdog = { "watchdog", 8, takes_watchdog, run_watchdog };

/* ---- rtc ---------------------------------------------------------------------------------- */

static bool takes_rtc(const char *item, char *target, size_t size)
{
	return takes_class(item, "rtc", "rtc", target, size);
}

static enum exercise_result run_rtc(const char *name)
{
	struct rtc_time t;
	int fd = open_node(name, O_RDONLY);

	if (fd < 0)
		return failed("open");
	if (ioctl(fd, RTC_RD_TIME, &t) < 0)
		return failed("time");
	close(fd);
	return result(t.tm_year >= 70 && t.tm_mon < 12 && t.tm_mday && t.tm_mday < 32 ? EXERCISE_OK : EXERCISE_FAIL,
		      "%04d-%02d-%02d %02d:%02d:%02d", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour,
		      t.tm_min, t.tm_sec);
}

const struct exercise exercise_rtc = { "rtc", 8, takes_rtc, run_rtc };

/* ---- random numbers ------------------------------------------------------------------------- */

#define RNG_CURRENT "/sys/class/misc/hw_random/rng_current"

static bool takes_rng(const char *item, char *target, size_t size)
{
	const char *name = item_of(item, "rng");

	if (name)
		snprintf(target, size, "%s", name);
	return name != NULL;
}

static enum exercise_result run_rng(const char *name)
{
	unsigned char a[32], b[32];
	char current[128] = "";
	int code = write_text(RNG_CURRENT, name), fd;

	if (code || !read_line(RNG_CURRENT, current, sizeof(current)) || strcmp(current, name))
		return result(EXERCISE_FAIL, "cannot be chosen: '%s'", code ? strerror(code) : current);
	fd = open_node("hwrng", O_RDONLY);
	if (fd < 0)
		return failed("open");
	if (read(fd, a, sizeof(a)) != sizeof(a) || read(fd, b, sizeof(b)) != sizeof(b))
		return failed("read");
	close(fd);
	if (!memcmp(a, b, sizeof(a)))
		return result(EXERCISE_FAIL, "gives the same bytes again");
	return result(EXERCISE_OK, "64 bytes read, chosen as '%s'", current);
}

const struct exercise exercise_rng = { "rng", 10, takes_rng, run_rng };

/* ---- gpio, i2c -------------------------------------------------------------------------------- */

static bool takes_gpio(const char *item, char *target, size_t size)
{
	const char *name = item_of(item, "node");

	if (!name || strncmp(name, "gpiochip", 8))
		return false;
	snprintf(target, size, "%s", name);
	return true;
}

static enum exercise_result run_gpio(const char *name)
{
	struct gpiochip_info chip;
	int fd = open_node(name, O_RDWR);
	unsigned readable = 0;

	if (fd < 0)
		return failed("open");
	memset(&chip, 0, sizeof(chip));
	if (ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, &chip) < 0)
		return failed("chip");
	for (unsigned i = 0; i < chip.lines && i < 8; i++) {
		struct gpio_v2_line_info line = { .offset = i };

		readable += ioctl(fd, GPIO_V2_GET_LINEINFO_IOCTL, &line) == 0;
	}
	got("chip", "%.32s, %u lines", chip.label, chip.lines);
	close(fd);
	return result(chip.lines && readable ? EXERCISE_OK : EXERCISE_FAIL, "'%.32s', %u lines", chip.label,
		      chip.lines);
}

const struct exercise exercise_gpio = { "gpio", 5, takes_gpio, run_gpio };

static bool takes_i2c(const char *item, char *target, size_t size)
{
	const char *name = item_of(item, "busdev");

	if (!name || strncmp(name, "i2c/i2c-", 8))
		return false;
	snprintf(target, size, "%s", name + 4);
	return true;
}

/* Functions by the node where i2c-dev is there, and an address that answers or not. */
static enum exercise_result run_i2c(const char *name)
{
	unsigned long functions = 0;
	char path[300], text[128] = "";
	int fd = open_node(name, O_RDWR);

	snprintf(path, sizeof(path), "/sys/bus/i2c/devices/%s/name", name);
	if (!read_line(path, text, sizeof(text)))
		return result(EXERCISE_FAIL, "has no name");
	if (fd < 0)
		return result(EXERCISE_OK, "'%s'; no i2c-dev to talk through", text);
	if (ioctl(fd, I2C_FUNCS, &functions) < 0)
		return failed("functions");
	got("functions", "%#lx", functions);
	for (long address = 0x50; address < 0x54; address++) {
		union i2c_smbus_data data;
		struct i2c_smbus_ioctl_data io = { I2C_SMBUS_READ, 0, I2C_SMBUS_BYTE_DATA, &data };

		if (ioctl(fd, I2C_SLAVE, address) == 0 && ioctl(fd, I2C_SMBUS, &io) == 0)
			got("answers", "%#lx", address);
	}
	close(fd);
	return result(functions ? EXERCISE_OK : EXERCISE_FAIL, "'%s', functions %#lx", text, functions);
}

const struct exercise exercise_i2c = { "i2c", 10, takes_i2c, run_i2c };
