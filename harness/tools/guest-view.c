// SPDX-License-Identifier: GPL-2.0-only
/*
 * What user space sees of the driver, for a comparison with the driver before on its kernel. Lines "see KIND ...":
 *	node NAME TYPE MODE		below /dev
 *	attr CLASS MODE NAME...		files of a device of a class, or "bus:NAME" of a device that it has bound
 *	common CLASS NAME...		devices of the class that were there before have them too
 *	param MODULE NAME MODE VALUE
 *	uevent ACTION SUBSYSTEM NAME
 *	log LEVEL TEXT			messages that name the driver
 *	cut				there is more than we tell
 * Numbers in names are '#': they depend on what else is in the machine.
 */
#define _GNU_SOURCE
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SEEN 400
#define MAX_LOG 100

static int uevents = -1, log_fd = -1;
static struct set common; /* "CLASS NAME" */
static size_t shown;

static bool cut(void)
{
	if (shown == MAX_SEEN)
		say("see cut");
	return shown++ >= MAX_SEEN;
}

/* Sorted and without those that came before. */
static void say_once(struct set *s)
{
	set_sort(s);
	for (size_t i = 0; i < s->n; i++)
		if ((!i || strcmp(s->v[i], s->v[i - 1])) && !cut())
			say("see %s", s->v[i]);
	set_clear(s);
}

/* As say_once(), items that differ only in their last word in one line. */
static void say_joined(struct set *s)
{
	char line[700] = "";
	size_t head = 0; /* length of what is equal */

	set_sort(s);
	for (size_t i = 0; i < s->n; i++) {
		const char *word = strrchr(s->v[i], ' ');
		size_t n = (size_t)(word - s->v[i]);

		if (i && !strcmp(s->v[i], s->v[i - 1]))
			continue;
		if (n != head || strncmp(line, s->v[i], n) || strlen(line) + strlen(word) > sizeof(line) - 2) {
			if (*line && !cut())
				say("see %s", line);
			snprintf(line, sizeof(line), "%.*s", (int)n, s->v[i]);
			head = n;
		}
		strcat(line, word);
	}
	if (*line && !cut())
		say("see %s", line);
	set_clear(s);
}

/* ---- attributes ----------------------------------------------------------------------------- */

/* Files of one device with "CLASS" in front; directories of its own (power/, queue/, statistics/) one level deep. */
static void add_files(struct set *to, const char *kind, const char *class, const char *dir, const char *prefix,
		      bool modes)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[700], name[300], plain[300], text[700];
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		snprintf(name, sizeof(name), "%s%.200s", prefix, e->d_name);
		if (lstat(path, &st) < 0)
			continue;
		/* A directory with "uevent" in it is another device, or several. */
		if (S_ISDIR(st.st_mode) && !*prefix) {
			snprintf(text, sizeof(text), "%s/uevent", path);
			strcat(name, "/");
			if (access(text, F_OK) < 0)
				add_files(to, kind, class, path, name, modes);
		}
		if (!S_ISREG(st.st_mode))
			continue;
		without_numbers(name, plain, sizeof(plain));
		if (modes)
			snprintf(text, sizeof(text), "%s %o %s", class, st.st_mode & 0777, plain);
		else
			snprintf(text, sizeof(text), "%s %s", class, plain);
		set_add(to, kind, text);
	}
	if (d)
		closedir(d);
}

/* Of every device below DIR/NAME/SUB. */
static void add_all(struct set *to, const char *top, const char *sub, const char *mark)
{
	DIR *classes = opendir(top), *devices;
	struct dirent *c, *e;

	while (classes && (c = readdir(classes))) {
		char path[400], dir[700], class[300];

		if (c->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", top, c->d_name, sub);
		snprintf(class, sizeof(class), "%s%.200s", mark, c->d_name);
		devices = opendir(path);
		for (int n = 0; devices && n < 8 && (e = readdir(devices));) {
			if (e->d_name[0] == '.')
				continue;
			snprintf(dir, sizeof(dir), "%s/%s", path, e->d_name);
			add_files(to, "common", class, dir, "", false);
			n++;
		}
		if (devices)
			closedir(devices);
	}
	if (classes)
		closedir(classes);
}

static void see_class_devices(const struct set *before, const struct set *loaded, struct set *out)
{
	for (size_t i = 0; i < loaded->n; i++) {
		const char *name = item_of(loaded->v[i], "device"), *slash = name ? strchr(name, '/') : NULL;
		char class[128], dir[500];

		if (!slash || set_has(before, loaded->v[i]))
			continue;
		snprintf(class, sizeof(class), "%.*s", (int)(slash - name), name);
		snprintf(dir, sizeof(dir), "/sys/class/%s", name);
		add_files(out, "attr", class, dir, "", true);
	}
}

static void see_bound(const struct set *before, const struct set *loaded, struct set *out)
{
	for (size_t i = 0; i < loaded->n; i++) {
		const char *name = item_of(loaded->v[i], "driver"), *slash = name ? strchr(name, '/') : NULL;
		char class[128], path[400], dir[700];
		struct dirent *e;
		DIR *d;

		if (!slash || set_has(before, loaded->v[i]))
			continue;
		snprintf(class, sizeof(class), "bus:%.*s", (int)(slash - name), name);
		snprintf(path, sizeof(path), "/sys/bus/%.*s/drivers/%s", (int)(slash - name), name, slash + 1);
		d = opendir(path);
		while (d && (e = readdir(d))) {
			if (e->d_type != DT_LNK || !strcmp(e->d_name, "module"))
				continue;
			snprintf(dir, sizeof(dir), "%s/%s", path, e->d_name);
			add_files(out, "attr", class, dir, "", true);
		}
		if (d)
			closedir(d);
	}
}

/* Which of the classes' attributes others have too. */
static void say_common(const struct set *attributes)
{
	struct set out = { 0 };

	for (size_t i = 0; i < attributes->n; i++) {
		const char *text = item_of(attributes->v[i], "attr"), *name = text ? strrchr(text, ' ') : NULL;
		char item[700];

		if (!name)
			continue;
		snprintf(item, sizeof(item), "common %.*s%s", (int)strcspn(text, " "), text, name);
		if (set_has(&common, item))
			set_add(&out, "common", item_of(item, "common"));
	}
	say_joined(&out);
}

/* ---- nodes, parameters ------------------------------------------------------------------------ */

static void see_nodes(const struct set *before, const struct set *loaded, struct set *out)
{
	for (size_t i = 0; i < loaded->n; i++) {
		const char *name = item_of(loaded->v[i], "node");
		char path[500], plain[400], text[500];
		struct stat st;

		if (!name || set_has(before, loaded->v[i]))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", name);
		if (lstat(path, &st) < 0)
			continue;
		without_numbers(name, plain, sizeof(plain));
		snprintf(text, sizeof(text), "%s %c %o", plain, S_ISBLK(st.st_mode) ? 'b' : 'c', st.st_mode & 0777);
		set_add(out, "node", text);
	}
}

void view_module(const char *name)
{
	char dir[300], path[600], value[128], text[600];
	struct set out = { 0 };
	struct dirent *e;
	struct stat st;
	DIR *d;

	snprintf(dir, sizeof(dir), "/sys/module/%s/parameters", name);
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] == '.' || lstat(path, &st) < 0)
			continue;
		if (!(st.st_mode & 0444) || !read_line(path, value, sizeof(value)))
			*value = '\0';
		snprintf(text, sizeof(text), "%s %s %o %s", name, e->d_name, st.st_mode & 0777, value);
		set_add(&out, "param", text);
	}
	if (d)
		closedir(d);
	say_once(&out);
}

/* ---- uevents ----------------------------------------------------------------------------------- */

static void listen_uevents(void)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int room = 4 << 20;

	uevents = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (uevents < 0)
		return;
	setsockopt(uevents, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	if (bind(uevents, (struct sockaddr *)&a, sizeof(a)) < 0) {
		close(uevents);
		uevents = -1;
	}
}

/* "add@/devices/..." and then KEY=VALUE each behind a zero. */
static void see_uevents(struct set *out)
{
	char buf[8192], name[300], text[500];
	ssize_t n;

	while (uevents >= 0 && (n = recv(uevents, buf, sizeof(buf) - 1, 0)) > 0) {
		const char *subsystem = "", *action = "", *path = "";

		buf[n] = '\0';
		for (char *p = buf; p < buf + n; p += strlen(p) + 1) {
			if (!strncmp(p, "SUBSYSTEM=", 10))
				subsystem = p + 10;
			else if (!strncmp(p, "ACTION=", 7))
				action = p + 7;
			else if (!strncmp(p, "DEVPATH=", 8))
				path = strrchr(p, '/') + 1;
		}
		without_numbers(path, name, sizeof(name));
		snprintf(text, sizeof(text), "%s %s %s", action, subsystem, name);
		if (strcmp(subsystem, "module"))
			set_add(out, "uevent", text);
	}
	close(uevents);
	uevents = -1;
}

/* ---- messages ------------------------------------------------------------------------------------ */

/* A module's or driver's name at the start of a message, up to ':' or ' '. */
static bool names_driver(const char *text, const struct set *before, const struct set *loaded)
{
	for (size_t i = 0; i < loaded->n; i++) {
		const char *name = item_of(loaded->v[i], "module"), *driver = item_of(loaded->v[i], "driver");
		size_t n;

		if (driver)
			name = strchr(driver, '/') ? strchr(driver, '/') + 1 : driver;
		if (!name || set_has(before, loaded->v[i]))
			continue;
		n = strlen(name);
		if (!strncmp(text, name, n) && (text[n] == ':' || text[n] == ' '))
			return true;
	}
	return false;
}

/* Addresses too are numbers. */
static void without_hex(char *text)
{
	char *to = text;

	for (const char *p = text; *p;) {
		if (!strncmp(p, "0x", 2)) {
			p += 2 + strspn(p + 2, "0123456789abcdefABCDEF");
			*to++ = '0';
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
}

/* "LEVEL,NUMBER,TIME,FLAGS;TEXT", one message a read. */
static void see_messages(const struct set *before, const struct set *loaded, struct set *out)
{
	char buf[2048], plain[300], text[400];
	ssize_t n;

	while (log_fd >= 0 && out->n < MAX_LOG) {
		char *p;

		n = read(log_fd, buf, sizeof(buf) - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		buf[n] = '\0';
		p = strchr(buf, ';');
		if (!p || !names_driver(p + 1, before, loaded))
			continue;
		p[1 + strcspn(p + 1, "\n")] = '\0';
		without_hex(p + 1);
		without_numbers(p + 1, plain, sizeof(plain));
		snprintf(text, sizeof(text), "%ld %s", strtol(buf, NULL, 10) & 7, plain);
		set_add(out, "log", text);
	}
	if (log_fd >= 0)
		close(log_fd);
	log_fd = -1;
}

/* ---- all ------------------------------------------------------------------------------------------- */

void view_begin(void)
{
	listen_uevents();
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_fd >= 0)
		lseek(log_fd, 0, SEEK_END);
	add_all(&common, "/sys/class", "", "");
	add_all(&common, "/sys/bus", "/devices", "bus:");
	set_sort(&common);
}

void view_report(const struct set *before, const struct set *loaded)
{
	struct set out = { 0 };

	see_nodes(before, loaded, &out);
	say_once(&out);
	see_class_devices(before, loaded, &out);
	see_bound(before, loaded, &out);
	set_sort(&out);
	say_common(&out);
	say_joined(&out);
	see_uevents(&out);
	say_once(&out);
	see_messages(before, loaded, &out);
	say_once(&out);
}
