// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/machine-slot.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

#define MAX_SLOTS 64
/* ROOT/lib/qemu/domain-9999-kport-9999/monitor.sock has to fit a socket's address (108 bytes). */
#define MAX_ROOT 60

static const char emulator[] = "qemu-system-";

/* Calls fn for each process; its command line has NULs replaced by blanks. */
static void each_process(void (*fn)(pid_t pid, void *payload), void *payload)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			fn((pid_t)strtol(e->d_name, NULL, 10), payload);
	if (d)
		closedir(d);
}

static bool proc_read(pid_t pid, const char *name, struct strbuf *out)
{
	char *path = xstrfmt("/proc/%d/%s", (int)pid, name);
	bool ok = file_read(path, 1 << 20, out, NULL) == 0;

	free(path);
	return ok;
}

static void reap_one(pid_t pid, void *payload)
{
	struct strbuf stat = STRBUF_INIT;
	const char *comm, *rest;
	char state;
	int ppid;

	if (proc_read(pid, "stat", &stat)) {
		comm = strchr(stat.buf, '(');
		rest = strrchr(stat.buf, ')');
		if (comm && rest && starts_with(comm + 1, emulator) &&
		    sscanf(rest + 1, " %c %d", &state, &ppid) == 2 && state == 'Z' &&
		    ppid == getpid())
			waitpid(pid, NULL, WNOHANG);
	}
	strbuf_release(&stat);
}

void machine_reap(void)
{
	each_process(reap_one, NULL);
}

struct sweep {
	const char *root;
	size_t found;
	struct strvec *list; /* told, not killed */
};

/* The root stands in the emulator's command line: the monitor's socket lies below it. */
static void kill_one(pid_t pid, void *payload)
{
	struct sweep *s = payload;
	struct strbuf cmd = STRBUF_INIT;
	char *needle = xstrfmt("%s/", s->root);

	if (proc_read(pid, "cmdline", &cmd) && strstr(cmd.buf, emulator) &&
	    memmem(cmd.buf, cmd.len, needle, strlen(needle))) {
		s->found++;
		if (s->list)
			strvec_pushf(s->list, "emulator %d of '%s'", (int)pid, s->root);
		else
			kill(pid, SIGKILL);
	}
	free(needle);
	strbuf_release(&cmd);
}

/* For a slot that we hold: nothing of an earlier holder stays. */
static void sweep_slot(const char *root)
{
	static const char *const stale[] = { "run", "lib", "log" };
	struct sweep s = { .root = root };

	for (int tries = 0; tries < 100; tries++) {
		s.found = 0;
		each_process(kill_one, &s);
		if (!s.found)
			break;
		machine_reap();
		usleep(20000);
	}
	for (size_t i = 0; i < ARRAY_SIZE(stale); i++) {
		char *path = path_join(root, stale[i]);

		file_remove(path, NULL);
		free(path);
	}
}

/* A private directory in /tmp for state directories whose path is too long for sockets. */
static char *short_base(struct strbuf *err)
{
	char *dir = xstrfmt("/tmp/kport-%u", (unsigned)geteuid());
	struct stat st;

	mkdir(dir, 0700);
	if (lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 022))
		return dir;
	kp_fail(err, KP_INFRA, "'%s' is not a directory of ours", dir);
	free(dir);
	return NULL;
}

static char *slots_base(struct strbuf *err)
{
	char *state = kport_state_dir(), *base = xstrfmt("%s/machines", state);

	free(state);
	if (strlen(base) + 4 <= MAX_ROOT)
		return base;
	free(base);
	return short_base(err);
}

static bool was_used(const char *root)
{
	char *run = path_join(root, "run");
	bool used = file_is_dir(run);

	free(run);
	return used;
}

int machine_slot_take(struct machine_slot *s, struct strbuf *err)
{
	char *base = slots_base(err);

	if (!base)
		return KP_INFRA;
	for (int i = 0; i < MAX_SLOTS; i++) {
		char *root = xstrfmt("%s/%d", base, i);
		struct lock lock = LOCK_INIT;
		bool needed = !s->root;

		/* Behind the one that we take only those that exist are looked at. */
		if ((!needed && !file_is_dir(root)) || (needed && file_mkdirs(root, NULL) < 0) ||
		    lock_take(&lock, root, 0, NULL) < 0) {
			free(root);
			continue;
		}
		if (was_used(root))
			sweep_slot(root);
		if (needed) {
			s->root = root;
			s->lock = lock;
		} else {
			lock_release(&lock);
			free(root);
		}
	}
	if (!s->root)
		kp_fail(err, KP_INFRA, "no free directory for a machine below '%s'", base);
	free(base);
	return s->root ? 0 : KP_INFRA;
}

int machine_slot_leftovers(struct strvec *out, struct strbuf *err)
{
	char *base = slots_base(err);

	if (!base)
		return KP_INFRA;
	for (int i = 0; i < MAX_SLOTS; i++) {
		char *root = xstrfmt("%s/%d", base, i);
		struct sweep sweep = { .root = root, .list = out };
		struct lock lock = LOCK_INIT;

		if (file_is_dir(root) && lock_take(&lock, root, 0, NULL) == 0) {
			each_process(kill_one, &sweep);
			lock_release(&lock);
		}
		free(root);
	}
	free(base);
	return 0;
}

void machine_slot_release(struct machine_slot *s)
{
	if (s->root)
		sweep_slot(s->root);
	lock_release(&s->lock);
	free(s->root);
	s->root = NULL;
}
