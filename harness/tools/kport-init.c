// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first process of the guest: loads the modules that a plan names, says what
 * appeared in the system, uses it (guest-exercise.c), lets go and binds again, unloads
 * everything, says what stayed, loads and unloads once more, and powers off.
 *
 * /kport.plan, one item a line, is read and deleted before anything is loaded:
 *	nonce WORD		behind "kport:" in each line that we write
 *	timeout SECONDS		for one load or unload (guest clock)
 *	settle MILLISECONDS	between loading and looking around
 *	device MODALIAS		an emulated device for the driver: awaited before loading (10 s) and
 *				again until a driver has it (5 s), for some come late (USB)
 *	wait			the machine is to be saved: say "ready", wait for an archive with the rest
 *	clock SECONDS		set the clock (a saved state's stands still)
 *	seed HEX		mix into the kernel's random numbers, which are the saved state's
 *	interface KIND		a kind of exercise that should become possible: awaited (6 s)
 *	peer			somebody answers on the networks, sits behind the buses
 *	i2c NAME ADDRESS	a chip to be made up on the adapter of i2c-stub
 *	hid BUS VENDOR PRODUCT	a keyboard to be made up with these numbers (uhid)
 *	no STAGE		leave out exercise, rebind, suspend or reload
 *	dep NAME FILE [PARAMS]	a module that the driver needs
 *	mod NAME FILE [PARAMS]	a module of the driver, in load order
 *
 * Lines go to /dev/kmsg, so they stand in order with the kernel's own:
 *	kport:NONCE:ready
 *	kport:NONCE:init RELEASE
 *	kport:NONCE:restored DEVICE	a PCI device whose registers were lost in between got them back
 *	kport:NONCE:dep NAME ERRNO
 *	kport:NONCE:standin KIND WORDS ERRNO	was made up, or could not be
 *	kport:NONCE:load-begin NAME, then load NAME ERRNO | load-timeout NAME STATE | load-killed NAME SIGNAL
 *	kport:NONCE:new KIND TEXT	appeared since the dependencies were loaded
 *	kport:NONCE:bound BUS DRIVER DEVICE
 *	kport:NONCE:see KIND TEXT	what user space sees of it (guest-view.c)
 *	kport:NONCE:exercise-begin STAGE KIND TARGET, then exercise STAGE KIND TARGET ok|fail|skip TEXT |
 *		exercise-timeout STAGE KIND TARGET STATE | exercise-killed STAGE KIND TARGET SIGNAL
 *		STAGE is first, rebind, resume; the steps between are KIND unbind, bind, suspend
 *	kport:NONCE:got KIND KEY VALUE	a fact that an exercise found
 *	kport:NONCE:gone STAGE KIND TEXT	appeared at first and does not come back in that stage
 *	kport:NONCE:unload-begin NAME, then unload NAME ERRNO | unload-timeout ... | unload-killed ...
 *	kport:NONCE:reload-begin NAME, then reload NAME ERRNO | ...; reunload likewise: loaded a second time
 *	kport:NONCE:permanent NAME	cannot be unloaded by design
 *	kport:NONCE:left KIND TEXT	there after unloading, and not before loading
 *	kport:NONCE:ref NAME BEFORE AFTER	users of a dependency, when they differ
 *	kport:NONCE:taint WHEN VALUE	WHEN: boot, before, loaded, exercised, after
 *	kport:NONCE:stack TEXT		where a load or unload that hangs stands
 *	kport:NONCE:end
 *
 * STATE is the letter of /proc/PID/stat: one that is not R waits for something.
 * Errors of ours are "kport:NONCE:fault TEXT".
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/random.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "guest-payload.h"
#include "guest-pci.h"

#define MAX_MODULES 128
#define MAX_REPORTED 200 /* "new" and "left" lines each */
#define MAX_DEVICES 8

struct module {
	char *name, *file, *params;
	bool is_dep, loaded;
	long refs; /* of a dependency, before the driver was loaded */
};

static struct module modules[MAX_MODULES];
static size_t nmodules;
static char *devices[MAX_DEVICES]; /* modaliases */
static size_t ndevices;
static char *interfaces[MAX_DEVICES]; /* what they should give */
static size_t ninterfaces;
static char nonce[128] = "none";
static int timeout_seconds = 30, settle_ms = 100;
static bool to_wait;
enum { STAGE_EXERCISE = 1, STAGE_REBIND = 2, STAGE_SUSPEND = 4, STAGE_RELOAD = 8 };
static unsigned leave_out;
static int kmsg = -1;

void say(const char *fmt, ...)
{
	char line[900];
	int n = snprintf(line, sizeof(line), "<5>kport:%s:", nonce);
	va_list ap;

	va_start(ap, fmt);
	n += vsnprintf(line + n, sizeof(line) - n - 2, fmt, ap);
	va_end(ap);
	if (n > (int)sizeof(line) - 3)
		n = sizeof(line) - 3;
	for (int i = 3; i < n; i++)
		if (line[i] == '\n' || line[i] == '\r')
			line[i] = ' ';
	line[n++] = '\n';
	if (kmsg >= 0 && write(kmsg, line, n) == n)
		return;
	if (write(1, line + 3, n - 3) < 0)
		return; /* nowhere left to complain */
}

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

void sleep_ms(int ms)
{
	struct timespec ts = { ms / 1000, (ms % 1000) * 1000000L };

	nanosleep(&ts, NULL);
}

static void finish(void)
{
	say("end");
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

/* At most size-1 bytes of a small file; the length, or -1. */
ssize_t read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	while (len + 1 < size && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += n;
	close(fd);
	buf[len] = '\0';
	return len;
}

bool read_line(const char *path, char *buf, size_t size)
{
	if (read_small(path, buf, size) <= 0)
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	return *buf != '\0';
}

long read_number(const char *path, long otherwise)
{
	char buf[64], *end;
	long n;

	if (!read_line(path, buf, sizeof(buf)))
		return otherwise;
	n = strtol(buf, &end, 0);
	return end == buf ? otherwise : n;
}

int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), code = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		code = errno;
	close(fd);
	return code;
}

static void say_taint(const char *when)
{
	char buf[64];

	if (read_small("/proc/sys/kernel/tainted", buf, sizeof(buf)) > 0)
		say("taint %s %ld", when, strtol(buf, NULL, 10));
}

/* ---- what appeared ------------------------------------------------------------- */

static void say_bound(const char *item)
{
	char bus[128], path[512];
	const char *name = strchr(item, '/');
	DIR *d;
	struct dirent *e;

	if (!name || name - item >= (int)sizeof(bus))
		return;
	snprintf(bus, sizeof(bus), "%.*s", (int)(name - item), item);
	snprintf(path, sizeof(path), "/sys/bus/%s/drivers/%s", bus, name + 1);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (e->d_type == DT_LNK && strcmp(e->d_name, "module"))
			say("bound %s %s %s", bus, name + 1, e->d_name);
	if (d)
		closedir(d);
}

static size_t say_difference(const char *word, const struct set *before, const struct set *after)
{
	size_t shown = 0;

	for (size_t i = 0; i < after->n; i++) {
		if (set_has(before, after->v[i]))
			continue;
		if (word && shown < MAX_REPORTED) {
			say("%s %s", word, after->v[i]);
			if (!strcmp(word, "new") && !strncmp(after->v[i], "driver ", 7))
				say_bound(after->v[i] + 7);
		}
		shown++;
	}
	return shown;
}

/* ---- devices put in for the driver -------------------------------------------- */

/* Is there a device with this modalias (and, when bound, a driver for it) on one bus? */
static bool bus_has(const char *bus, const char *modalias, bool bound)
{
	char path[600], text[512];
	DIR *d;
	struct dirent *e;
	bool found = false;

	snprintf(path, sizeof(path), "/sys/bus/%s/devices", bus);
	d = opendir(path);
	while (d && !found && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/modalias", bus, e->d_name);
		if (read_small(path, text, sizeof(text)) <= 0)
			continue;
		text[strcspn(text, "\n")] = '\0';
		snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/driver", bus, e->d_name);
		found = !strcmp(text, modalias) && (!bound || access(path, F_OK) == 0);
	}
	if (d)
		closedir(d);
	return found;
}

/* The bus's name is what stands before the colon of a modalias. */
static void await_devices(bool bound, int seconds)
{
	double end = now() + seconds;

	for (size_t i = 0; i < ndevices; i++) {
		char bus[32];

		snprintf(bus, sizeof(bus), "%.*s", (int)strcspn(devices[i], ":"), devices[i]);
		while (!bus_has(bus, devices[i], bound) && now() < end)
			sleep_ms(50);
	}
}

/* ---- loading ------------------------------------------------------------ */

static int load_module(const void *arg)
{
	const struct module *m = arg;
	int fd = open(m->file, O_RDONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_finit_module, fd, m->params ? m->params : "", 0) < 0)
		rc = errno;
	close(fd);
	return rc;
}

static int unload_module(const void *arg)
{
	const struct module *m = arg;

	return syscall(SYS_delete_module, m->name, O_NONBLOCK) < 0 ? errno : 0;
}

static char task_state(pid_t pid)
{
	char path[64], buf[512], *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (read_small(path, buf, sizeof(buf)) <= 0 || !(p = strrchr(buf, ')')) || p[1] != ' ')
		return '?';
	return p[2];
}

static void say_stack(pid_t pid)
{
	char path[64], buf[4096], *line = buf, *end;

	snprintf(path, sizeof(path), "/proc/%d/stack", (int)pid);
	if (read_small(path, buf, sizeof(buf)) <= 0)
		return;
	for (; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		say("stack %s", line);
	}
}

int guest_step(int (*fn)(const void *arg), const void *arg, double seconds, int *detail)
{
	double start = now(), end = start + seconds;
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(fn(arg));
	if (pid < 0) {
		say("fault fork: %s", strerror(errno));
		finish();
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (now() > end) {
			*detail = task_state(pid);
			say_stack(pid);
			kill(pid, SIGKILL);
			return GUEST_STUCK;
		}
		sleep_ms(now() > start + 1 ? 50 : 2);
	}
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	*detail = WTERMSIG(status);
	return GUEST_KILLED;
}

/* Says "WHAT NAME ERRNO", "WHAT-timeout NAME STATE" or "WHAT-killed NAME SIGNAL". */
enum step { STEP_OK, STEP_REFUSED, STEP_STUCK };

static enum step step(const char *what, const struct module *m, int (*fn)(const void *))
{
	int detail = 0, code;

	say("%s-begin %s", what, m->name);
	code = guest_step(fn, m, timeout_seconds, &detail);
	if (code == GUEST_STUCK)
		say("%s-timeout %s %c", what, m->name, detail);
	else if (code == GUEST_KILLED)
		say("%s-killed %s %d", what, m->name, detail);
	else
		say("%s %s %d", what, m->name, code);
	return code < 0 ? STEP_STUCK : code ? STEP_REFUSED : STEP_OK;
}

static long module_refs(const char *name)
{
	char path[256], buf[32];

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", name);
	return read_small(path, buf, sizeof(buf)) > 0 ? strtol(buf, NULL, 10) : -1;
}

static bool is_permanent(const char *name)
{
	static char buf[65536];
	char key[128], *line;

	if (read_small("/proc/modules", buf, sizeof(buf)) <= 0)
		return false;
	snprintf(key, sizeof(key), "%s ", name);
	for (line = buf; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (strncmp(line, key, strlen(key)))
			continue;
		line[strcspn(line, "\n")] = '\0';
		return strstr(line, "[permanent]") != NULL;
	}
	return false;
}

static void load_dependencies(void)
{
	for (size_t i = 0; i < nmodules; i++) {
		struct module *m = &modules[i];
		int rc;

		if (!m->is_dep)
			continue;
		rc = load_module(m);
		m->loaded = rc == 0;
		say("dep %s %d", m->name, rc);
	}
}

/* Before the driver, with all that is to stay. */
static void remember_refs(void)
{
	for (size_t i = 0; i < nmodules; i++)
		modules[i].refs = modules[i].is_dep ? module_refs(modules[i].name) : 0;
}

static bool load_driver(const char *what)
{
	for (size_t i = 0; i < nmodules; i++) {
		struct module *m = &modules[i];

		if (m->is_dep)
			continue;
		/* One of several modules may lack its hardware: the others are tried. */
		if (step(what, m, load_module) == STEP_STUCK)
			return false;
		m->loaded = module_refs(m->name) >= 0;
	}
	return true;
}

/* False when a step hangs: the system is then not worth looking at. */
static bool unload_driver(const char *what)
{
	for (size_t i = nmodules; i-- > 0;) {
		struct module *m = &modules[i];
		double end = now() + 3;

		if (m->is_dep || !m->loaded)
			continue;
		if (is_permanent(m->name)) {
			say("permanent %s", m->name);
			continue;
		}
		/* A user that is just letting go is not a fault. */
		while (module_refs(m->name) > 0 && now() < end)
			sleep_ms(50);
		if (step(what, m, unload_module) == STEP_STUCK)
			return false;
	}
	return true;
}

/* Is nothing of the driver loaded any more? */
static bool all_gone(void)
{
	for (size_t i = 0; i < nmodules; i++)
		if (!modules[i].is_dep && module_refs(modules[i].name) >= 0)
			return false;
	return true;
}

static void say_leftovers(const struct set *before)
{
	struct set after = { 0 };
	double end = all_gone() ? now() + 3 : 0;

	do { /* the last put of a device may come late */
		snapshot(&after);
		if (!say_difference(NULL, before, &after))
			break;
		sleep_ms(100);
	} while (now() < end);
	say_difference("left", before, &after);
	for (size_t i = 0; i < nmodules; i++) {
		long refs = modules[i].is_dep ? module_refs(modules[i].name) : 0;

		if (modules[i].is_dep && refs != modules[i].refs)
			say("ref %s %ld %ld", modules[i].name, modules[i].refs, refs);
	}
}

/* ---- start -------------------------------------------------------------- */

static char *next_word(char **p)
{
	char *w = *p + strspn(*p, " ");

	*p = w + strcspn(w, " ");
	if (**p)
		*(*p)++ = '\0';
	return w;
}

/* Credited only so far as the host's own are worth: they are. */
static void add_seed(const char *hex)
{
	struct {
		struct rand_pool_info info;
		unsigned char bytes[64];
	} pool = { 0 };
	unsigned byte;
	int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);

	while (pool.info.buf_size < (int)sizeof(pool.bytes) && sscanf(hex, "%2x", &byte) == 1) {
		((unsigned char *)pool.info.buf)[pool.info.buf_size++] = (unsigned char)byte;
		hex += 2;
	}
	pool.info.entropy_count = pool.info.buf_size * 8;
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool) < 0 || ioctl(fd, RNDRESEEDCRNG) < 0)
		say("fault seed: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void set_clock(const char *seconds)
{
	struct timespec ts = { .tv_sec = atoll(seconds) };

	if (clock_settime(CLOCK_REALTIME, &ts) < 0)
		say("fault clock: %s", strerror(errno));
}

static void plan_line(char *line)
{
	char *word = next_word(&line);

	if (!strcmp(word, "nonce")) {
		snprintf(nonce, sizeof(nonce), "%s", line);
	} else if (!strcmp(word, "timeout")) {
		timeout_seconds = atoi(line);
	} else if (!strcmp(word, "settle")) {
		settle_ms = atoi(line);
	} else if (!strcmp(word, "interface") && ninterfaces < MAX_DEVICES) {
		interfaces[ninterfaces++] = strdup(line);
	} else if (!strcmp(word, "peer")) {
		exercise_peer = true;
	} else if (!strcmp(word, "standin")) {
		char *kind = next_word(&line);

		standin_add(kind, line);
	} else if (!strcmp(word, "no")) {
		leave_out |= !strcmp(line, "exercise")	? STAGE_EXERCISE
			     : !strcmp(line, "rebind")	? STAGE_REBIND
			     : !strcmp(line, "suspend") ? STAGE_SUSPEND
							: STAGE_RELOAD;
	} else if (!strcmp(word, "wait")) {
		to_wait = true;
	} else if (!strcmp(word, "clock")) {
		set_clock(line);
	} else if (!strcmp(word, "seed")) {
		add_seed(line);
	} else if (!strcmp(word, "device") && ndevices < MAX_DEVICES) {
		devices[ndevices++] = strdup(line);
	} else if ((!strcmp(word, "dep") || !strcmp(word, "mod")) && nmodules < MAX_MODULES) {
		struct module *m = &modules[nmodules++];

		m->is_dep = word[0] == 'd';
		m->name = strdup(next_word(&line));
		m->file = strdup(next_word(&line));
		m->params = strdup(line);
	} else if (*word) {
		say("fault plan: '%s'", word);
	}
}

static void read_plan(void)
{
	static char buf[65536];
	char *line = buf, *end;

	if (read_small("/kport.plan", buf, sizeof(buf)) < 0) {
		say("fault no plan");
		finish();
	}
	unlink("/kport.plan");
	for (; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		plan_line(line);
	}
	memset(buf, 0, sizeof(buf));
}

/* ---- a machine that is saved and restored ----------------------------------------- */

/* Everything that happens in here is saved; what comes back is another test each time. */
static void wait_for_payload(void)
{
	char *data;
	size_t len;

	to_wait = false;
	if (!payload_init()) {
		say("fault no firmware configuration device: %s", strerror(errno));
		finish();
	}
	/* What the kernel does late (clock sources, deferred probes) is then done once for all. */
	sleep_ms(1000);
	pci_remember();
	say("ready");
	while (!payload_fetch(&data, &len))
		sleep_ms(5);
	if (!payload_unpack(data, len)) {
		say("fault payload");
		finish();
	}
	memset(data, 0, len); /* the nonce is in it */
	munmap(data, len);
	read_plan();
	pci_restore();
}

static void mount_one(const char *type, const char *dir)
{
	mkdir(dir, 0755);
	if (mount(type, dir, type, 0, NULL) < 0 && errno != EBUSY && strcmp(type, "debugfs"))
		say("fault mount %s: %s", dir, strerror(errno));
}

static void set_up(void)
{
	mount_one("devtmpfs", "/dev");
	kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	mount_one("proc", "/proc");
	mount_one("sysfs", "/sys");
	mount_one("debugfs", "/sys/kernel/debug");
	klogctl(8 /* console level */, NULL, 8);
	/* The console that sleep switches to: it would appear only then. */
	close(open("/dev/tty63", O_RDWR | O_NOCTTY | O_CLOEXEC));
}

/* What is there with the driver is used, let go of and bound again. False when something hangs. */
static bool use(const struct set *before, const struct set *loaded)
{
	if (leave_out & STAGE_EXERCISE)
		return true;
	view_report(before, loaded);
	for (size_t i = 0; i < nmodules; i++)
		if (!modules[i].is_dep && modules[i].loaded)
			view_module(modules[i].name);
	return exercise_all("first", before, loaded) &&
	       (leave_out & STAGE_REBIND || cycle_rebind(before, loaded)) &&
	       (leave_out & STAGE_SUSPEND || cycle_suspend(before, loaded));
}

/* Only what is gone can be loaded again. */
static void load_again(const struct set *before, const struct set *loaded)
{
	bool any = false;

	for (size_t i = 0; i < nmodules; i++)
		any |= !modules[i].is_dep && modules[i].loaded;
	if (!any || leave_out & STAGE_RELOAD || !all_gone() || !load_driver("reload"))
		return;
	await_devices(true, 5);
	await_again("gone reload", before, loaded);
	unload_driver("reunload");
}

int main(void)
{
	struct set before = { 0 }, loaded = { 0 };
	struct utsname u;

	set_up();
	read_plan();
	if (to_wait)
		wait_for_payload();
	uname(&u);
	say("init %s", u.release);
	say_taint("boot");
	if (!nmodules)
		finish();
	load_dependencies();
	standin_make();
	remember_refs();
	await_devices(false, 10);
	view_begin();
	snapshot(&before);
	say_taint("before");
	if (!load_driver("load"))
		finish();
	standin_offer(&before);
	await_devices(true, 5);
	for (size_t i = 0; i < ninterfaces; i++)
		exercise_await(interfaces[i], &before, 6);
	sleep_ms(settle_ms);
	snapshot(&loaded);
	say_difference("new", &before, &loaded);
	say_taint("loaded");
	if (!use(&before, &loaded))
		finish();
	say_taint("exercised");
	if (unload_driver("unload")) {
		say_leftovers(&before);
		load_again(&before, &loaded);
	}
	say_taint("after");
	finish();
}
