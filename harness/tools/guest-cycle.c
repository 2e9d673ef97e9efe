// SPDX-License-Identifier: GPL-2.0-only
/* The driver lets go of its devices and takes them again through sysfs; the system sleeps and wakes. */
#define _GNU_SOURCE
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BOUND 4
#define STEP_SECONDS 15
#define BACK_SECONDS 5

struct binding {
	char bus[64], driver[128], device[200];
};

/* A write that the kernel may answer late or never. */
struct order {
	char path[500], text[200];
};

static int give_order(const void *arg)
{
	const struct order *o = arg;

	return write_text(o->path, o->text);
}

/* "exercise STAGE KIND TARGET ...", as the exercises do. The errno, negative when it never ended. */
static int order(const char *stage, const char *kind, const char *target, const struct order *o)
{
	int detail = 0, code;

	say("exercise-begin %s %s %s", stage, kind, target);
	code = guest_step(give_order, o, STEP_SECONDS, &detail);
	if (code == GUEST_STUCK)
		say("exercise-timeout %s %s %s %c", stage, kind, target, detail);
	else if (code == GUEST_KILLED)
		say("exercise-killed %s %s %s %d", stage, kind, target, detail);
	return code;
}

static void answer(const char *stage, const char *kind, const char *target, bool ok, const char *text)
{
	say("exercise %s %s %s %s %s", stage, kind, target, ok ? "ok" : "fail", text);
}

static bool kept(const char *item, char *out, size_t size)
{
	if (!item_of(item, "node") && !item_of(item, "device") && !item_of(item, "busdev") && !item_of(item, "rng"))
		return false;
	without_numbers(item, out, size);
	return true;
}

/* How many items of "in" that are not in "before" are called so, numbers apart. */
static size_t count(const struct set *in, const struct set *before, const char *name)
{
	char other[600];
	size_t n = 0;

	for (size_t i = 0; i < in->n; i++)
		if (!set_has(before, in->v[i]) && kept(in->v[i], other, sizeof(other)))
			n += !strcmp(other, name);
	return n;
}

static size_t missing(const char *word, const struct set *before, const struct set *loaded, const struct set *current)
{
	char name[600];
	size_t n = 0;

	for (size_t i = 0; i < loaded->n; i++) {
		if (set_has(before, loaded->v[i]) || !kept(loaded->v[i], name, sizeof(name)))
			continue;
		if (count(current, before, name) >= count(loaded, before, name))
			continue;
		if (word && n < 20)
			say("%s %s", word, loaded->v[i]);
		n++;
	}
	return n;
}

size_t await_again(const char *word, const struct set *before, const struct set *loaded)
{
	struct set current = { 0 };
	double end = now() + BACK_SECONDS;
	size_t n;

	do {
		snapshot(&current);
		if (!missing(NULL, before, loaded, &current))
			break;
		sleep_ms(50);
	} while (now() < end);
	n = missing(word, before, loaded, &current);
	set_clear(&current);
	return n;
}

/* ---- unbind and bind ---------------------------------------------------------------------- */

static bool has_driver(const struct binding *b)
{
	char path[500];

	snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/driver", b->bus, b->device);
	return access(path, F_OK) == 0;
}

/* Devices of drivers that came with the modules: "driver BUS/NAME". */
static size_t find_bindings(const struct set *before, const struct set *loaded, struct binding *out)
{
	size_t n = 0;

	for (size_t i = 0; i < loaded->n; i++) {
		const char *name = item_of(loaded->v[i], "driver"), *slash = name ? strchr(name, '/') : NULL;
		char path[300];
		struct dirent *e;
		DIR *d;

		if (!slash || set_has(before, loaded->v[i]))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/%.*s/drivers/%s", (int)(slash - name), name, slash + 1);
		d = opendir(path);
		while (d && n < MAX_BOUND && (e = readdir(d))) {
			if (e->d_type != DT_LNK || !strcmp(e->d_name, "module"))
				continue;
			snprintf(out[n].bus, sizeof(out[n].bus), "%.*s", (int)(slash - name), name);
			snprintf(out[n].driver, sizeof(out[n].driver), "%.120s", slash + 1);
			snprintf(out[n].device, sizeof(out[n].device), "%.190s", e->d_name);
			n++;
		}
		if (d)
			closedir(d);
	}
	return n;
}

static bool allows(const struct binding *b)
{
	char path[400];

	snprintf(path, sizeof(path), "/sys/bus/%s/drivers/%s/unbind", b->bus, b->driver);
	return access(path, W_OK) == 0;
}

/* One write to "bind" or "unbind", told of a device that may be another. False: it hangs. */
static bool write_order(const struct binding *b, const char *kind, const char *target, int *code)
{
	struct order o;

	snprintf(o.path, sizeof(o.path), "/sys/bus/%s/drivers/%s/%s", b->bus, b->driver, kind);
	snprintf(o.text, sizeof(o.text), "%s", b->device);
	*code = order("rebind", kind, target, &o);
	return *code >= 0;
}

static bool let_go(const struct binding *b, bool *ok)
{
	char text[200];
	double end;
	int code;

	if (!write_order(b, "unbind", b->device, &code))
		return false;
	for (end = now() + 2; has_driver(b) && now() < end;)
		sleep_ms(20);
	*ok = !code && !has_driver(b);
	snprintf(text, sizeof(text), "%s", code ? strerror(code) : *ok ? "let go" : "it still has its driver");
	answer("rebind", "unbind", b->device, *ok, text);
	return true;
}

/*
 * All that have lost their driver, for one device may have taken others with it, and then only some of them
 * can be bound by hand.
 */
static bool take_again(const struct binding *all, size_t n, const struct binding *b)
{
	char text[200] = "bound again";
	size_t without = n;
	double end;
	int code = 0;

	for (size_t i = 0; i < n; i++)
		if (!has_driver(&all[i]) && !write_order(&all[i], "bind", b->device, &code))
			return false;
	for (end = now() + 3; without && now() < end;) {
		without = 0;
		for (size_t i = 0; i < n; i++)
			without += !has_driver(&all[i]);
		if (without)
			sleep_ms(20);
	}
	if (without)
		snprintf(text, sizeof(text), "%s", code ? strerror(code) : "it stays without a driver");
	answer("rebind", "bind", b->device, !without, text);
	return true;
}

bool cycle_rebind(const struct set *before, const struct set *loaded)
{
	struct binding b[MAX_BOUND];
	size_t n = find_bindings(before, loaded, b), done = 0;
	struct set again = { 0 };
	bool ok = true, alive = true;

	for (size_t i = 0; i < n && alive; i++) {
		/* The device may be gone with one that was let go of before. */
		if (!allows(&b[i]) || !has_driver(&b[i]))
			continue;
		alive = let_go(&b[i], &ok) && (!ok || take_again(b, n, &b[i]));
		done++;
	}
	if (!alive || !done)
		return alive;
	if (await_again("gone rebind", before, loaded))
		return true;
	snapshot(&again);
	alive = exercise_all("rebind", before, &again);
	set_clear(&again);
	return alive;
}

/* ---- sleep ---------------------------------------------------------------------------------- */

#define PM_TEST "/sys/power/pm_test"

/* All devices are put to sleep and woken again; the machine itself stays awake. */
bool cycle_suspend(const struct set *before, const struct set *loaded)
{
	struct binding b[MAX_BOUND];
	struct order o = { "/sys/power/state", "freeze" };
	struct set again = { 0 };
	char modes[128];
	int code;
	bool alive;

	if (!find_bindings(before, loaded, b)) {
		say("exercise resume suspend system skip no device is bound");
		return true;
	}
	if (read_small(PM_TEST, modes, sizeof(modes)) <= 0 || !strstr(modes, "devices") ||
	    write_text(PM_TEST, "devices")) {
		say("exercise resume suspend system skip the kernel has no /sys/power/pm_test");
		return true;
	}
	write_text("/sys/module/suspend/parameters/pm_test_delay", "0");
	write_text("/sys/module/printk/parameters/console_suspend", "N");
	code = order("resume", "suspend", "system", &o);
	write_text(PM_TEST, "none");
	if (code < 0)
		return false;
	answer("resume", "suspend", "system", !code, code ? strerror(code) : "all devices slept and woke");
	if (code || await_again("gone resume", before, loaded))
		return true;
	snapshot(&again);
	alive = exercise_all("resume", before, &again);
	set_clear(&again);
	return alive;
}
