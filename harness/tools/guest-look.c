// SPDX-License-Identifier: GPL-2.0-only
/* What is in the system, as sets that can be compared. */
#define _GNU_SOURCE
#include "guest.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void set_add(struct set *s, const char *kind, const char *text)
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

void set_sort(struct set *s)
{
	qsort(s->v, s->n, sizeof(*s->v), compare);
}

bool set_has(const struct set *s, const char *item)
{
	return bsearch(&item, s->v, s->n, sizeof(*s->v), compare) != NULL;
}

void set_clear(struct set *s)
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

/* A wakeup source that stands for a setting of a device (power/wakeup), which outlives its driver. */
static bool is_setting(const char *text)
{
	char path[400], state[32];
	const char *name = strncmp(text, "wakeup/", 7) ? NULL : text + 7;

	if (!name)
		return false;
	snprintf(path, sizeof(path), "/sys/class/wakeup/%s/device/power/wakeup", name);
	return read_line(path, state, sizeof(state)) && !strcmp(state, "enabled");
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
		if (!is_setting(text))
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

			/* One that nobody has asked for has no name. */
			if (!isdigit((unsigned char)*p) || !name || !name[1])
				continue;
			snprintf(text, sizeof(text), "%.*s %s", n, p, name + 1);
			p = text;
		}
		if (*p)
			set_add(s, kind, p);
	}
	if (f)
		fclose(f);
}

static void scan_words(struct set *s, const char *kind, const char *path)
{
	char buf[4096], *word, *rest = buf;

	if (read_small(path, buf, sizeof(buf)) <= 0)
		return;
	while ((word = strsep(&rest, " \n")))
		if (*word)
			set_add(s, kind, word);
}

void snapshot(struct set *s)
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
	scan_words(s, "rng", "/sys/class/misc/hw_random/rng_available");
	set_sort(s);
}

const char *item_of(const char *item, const char *kind)
{
	size_t n = strlen(kind);

	return strncmp(item, kind, n) || item[n] != ' ' ? NULL : item + n + 1;
}

void without_numbers(const char *text, char *out, size_t size)
{
	size_t n = 0;

	while (*text && n + 1 < size) {
		if (!isdigit((unsigned char)*text)) {
			out[n++] = *text++;
			continue;
		}
		while (isdigit((unsigned char)*text))
			text++;
		out[n++] = '#';
	}
	out[n] = '\0';
}
