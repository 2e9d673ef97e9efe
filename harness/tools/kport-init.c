// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only process of the guest: loads the modules that a plan names, says what
 * appeared in the system, unloads them, says what stayed, and powers off.
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
 *	dep NAME FILE		a module that the driver needs
 *	mod NAME FILE [PARAMS]	a module of the driver, in load order
 *
 * Lines go to /dev/kmsg, so they stand in order with the kernel's own:
 *	kport:NONCE:ready
 *	kport:NONCE:init RELEASE
 *	kport:NONCE:restored DEVICE	a PCI device whose registers were lost in between got them back
 *	kport:NONCE:dep NAME ERRNO
 *	kport:NONCE:load-begin NAME, then load NAME ERRNO | load-timeout NAME STATE | load-killed NAME SIGNAL
 *	kport:NONCE:new KIND TEXT	appeared since the dependencies were loaded
 *	kport:NONCE:bound BUS DRIVER DEVICE
 *	kport:NONCE:unload-begin NAME, then unload NAME ERRNO | unload-timeout ... | unload-killed ...
 *	kport:NONCE:permanent NAME	cannot be unloaded by design
 *	kport:NONCE:left KIND TEXT	there after unloading, and not before loading
 *	kport:NONCE:ref NAME BEFORE AFTER	users of a dependency, when they differ
 *	kport:NONCE:taint WHEN VALUE	WHEN: boot, before, loaded, after
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

#include "guest-payload.h"

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#include "guest-pci.h"

#define MAX_MODULES 128
#define MAX_REPORTED 200 /* "new" and "left" lines each */
#define MAX_DEVICES 8

struct module {
	char *name, *file, *params;
	bool is_dep, loaded;
	long refs; /* of a dependency, before the driver was loaded */
};

struct set {
	char **v;
	size_t n, alloc;
};

static struct module modules[MAX_MODULES];
static size_t nmodules;
static char *devices[MAX_DEVICES]; /* modaliases */
static size_t ndevices;
static char nonce[128] = "none";
static int timeout_seconds = 30, settle_ms = 100;
static bool to_wait;
static int kmsg = -1;

static void say(const char *fmt, ...)
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

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void sleep_ms(int ms)
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
static ssize_t read_small(const char *path, char *buf, size_t size)
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

static void say_taint(const char *when)
{
	char buf[64];

	if (read_small("/proc/sys/kernel/tainted", buf, sizeof(buf)) > 0)
		say("taint %s %ld", when, strtol(buf, NULL, 10));
}

/* ---- what is in the system ---------------------------------------------- */

static void set_add(struct set *s, const char *kind, const char *text)
{
	char *item;

	if (s->n == s->alloc) {
		s->alloc = s->alloc ? s->alloc * 2 : 1024;
		s->v = realloc(s->v, s->alloc * sizeof(*s->v));
		if (!s->v)
			_exit(1);
	}
	if (asprintf(&item, "%s %s", kind, text) < 0)
		_exit(1);
	s->v[s->n++] = item;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool set_has(const struct set *s, const char *item)
{
	return bsearch(&item, s->v, s->n, sizeof(*s->v), compare) != NULL;
}

static void set_clear(struct set *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	s->n = 0;
}

static void scan_dev(struct set *s, const char *dir, int depth)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[512];
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (lstat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < 4)
			scan_dev(s, path, depth + 1);
		else if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))
			set_add(s, "node", path + strlen("/dev/"));
	}
	if (d)
		closedir(d);
}

/* Entries of DIR (prefix removed) as items of one kind. */
static void scan_flat(struct set *s, const char *kind, const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char text[512];

		if (e->d_name[0] == '.')
			continue;
		snprintf(text, sizeof(text), "%s%s", prefix, e->d_name);
		set_add(s, kind, text);
	}
	if (d)
		closedir(d);
}

/* DIR/A/SUB/B as "KIND A/B". */
static void scan_nested(struct set *s, const char *kind, const char *dir, const char *sub)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[512], prefix[300];

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", dir, e->d_name, sub);
		snprintf(prefix, sizeof(prefix), "%s/", e->d_name);
		scan_flat(s, kind, path, prefix);
	}
	if (d)
		closedir(d);
}

static void scan_proc_root(struct set *s)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && !isdigit((unsigned char)e->d_name[0]))
			set_add(s, "proc", e->d_name);
	if (d)
		closedir(d);
}

/*
 * Lines of a table in /proc. Of /proc/interrupts only the number and the name
 * count: the columns between are counters.
 */
static void scan_lines(struct set *s, const char *kind, const char *path, bool ends)
{
	FILE *f = fopen(path, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		char text[512], *p = line + strspn(line, " \t");

		p[strcspn(p, "\n")] = '\0';
		if (ends) {
			char *name = strrchr(p, ' ');
			int n = strcspn(p, ":");

			if (!isdigit((unsigned char)*p))
				continue;
			snprintf(text, sizeof(text), "%.*s %s", n, p, name ? name + 1 : "");
			p = text;
		}
		if (*p)
			set_add(s, kind, p);
	}
	if (f)
		fclose(f);
}

static void snapshot(struct set *s)
{
	set_clear(s);
	scan_dev(s, "/dev", 0);
	scan_flat(s, "module", "/sys/module", "");
	scan_flat(s, "class", "/sys/class", "");
	scan_nested(s, "device", "/sys/class", ".");
	scan_nested(s, "driver", "/sys/bus", "drivers");
	scan_nested(s, "busdev", "/sys/bus", "devices");
	scan_flat(s, "bus", "/sys/bus", "");
	scan_flat(s, "debugfs", "/sys/kernel/debug", "");
	scan_proc_root(s);
	scan_lines(s, "number", "/proc/devices", false);
	scan_lines(s, "fs", "/proc/filesystems", false);
	scan_lines(s, "iomem", "/proc/iomem", false);
	scan_lines(s, "ioport", "/proc/ioports", false);
	scan_lines(s, "irq", "/proc/interrupts", true);
	qsort(s->v, s->n, sizeof(*s->v), compare);
}

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

static int load_module(const struct module *m)
{
	int fd = open(m->file, O_RDONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return errno;
	if (syscall(SYS_finit_module, fd, m->params ? m->params : "", 0) < 0)
		rc = errno;
	close(fd);
	return rc;
}

static int unload_module(const struct module *m)
{
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

/*
 * Do one step in a child, so that a kernel that never comes back does not take us
 * with it. Says "WHAT NAME ERRNO", "WHAT-timeout NAME" or "WHAT-killed NAME SIGNAL".
 */
enum step { STEP_OK, STEP_REFUSED, STEP_STUCK };

static enum step step(const char *what, const struct module *m, int (*fn)(const struct module *))
{
	double end = now() + timeout_seconds;
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(fn(m));
	if (pid < 0) {
		say("fault fork: %s", strerror(errno));
		finish();
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (now() > end) {
			say("%s-timeout %s %c", what, m->name, task_state(pid));
			say_stack(pid);
			return STEP_STUCK;
		}
		sleep_ms(now() > end - timeout_seconds + 1 ? 50 : 2);
	}
	if (WIFSIGNALED(status)) {
		say("%s-killed %s %d", what, m->name, WTERMSIG(status));
		return STEP_STUCK;
	}
	say("%s %s %d", what, m->name, WEXITSTATUS(status));
	return WEXITSTATUS(status) == 0 ? STEP_OK : STEP_REFUSED;
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
	for (size_t i = 0; i < nmodules; i++)
		modules[i].refs = modules[i].is_dep ? module_refs(modules[i].name) : 0;
}

static bool load_driver(void)
{
	for (size_t i = 0; i < nmodules; i++) {
		struct module *m = &modules[i];

		if (m->is_dep)
			continue;
		say("load-begin %s", m->name);
		/* One of several modules may lack its hardware: the others are tried. */
		if (step("load", m, load_module) == STEP_STUCK)
			return false;
		m->loaded = module_refs(m->name) >= 0;
	}
	return true;
}

/* False when a step hangs: the system is then not worth looking at. */
static bool unload_driver(void)
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
		say("unload-begin %s", m->name);
		/* A user that is just letting go is not a fault. */
		while (module_refs(m->name) > 0 && now() < end)
			sleep_ms(50);
		if (step("unload", m, unload_module) == STEP_STUCK)
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
	await_devices(false, 10);
	snapshot(&before);
	say_taint("before");
	if (!load_driver())
		finish();
	await_devices(true, 5);
	sleep_ms(settle_ms);
	snapshot(&loaded);
	say_difference("new", &before, &loaded);
	say_taint("loaded");
	if (unload_driver())
		say_leftovers(&before);
	say_taint("after");
	finish();
}
