// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a machine: command line, acceleration, and the loop that watches the
 * console and the clock. What starts and stops it is behind struct machine_ops.
 */
#include "base/compat.h"
#include "harness/machine.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "harness/machine-internal.h"

#define DEFAULT_WALL   120.0
#define DEFAULT_MEMORY 512
#define CONSOLE_CAP    (32u << 20)
#define POLL_MS	       20
/* Printed last by the kernel's panic() when it does not reboot. */
#define PANIC_END "---[ end Kernel panic"

/*
 * What the measurements said (Debian's 6.12, emulated, quiet machine): no
 * mitigations save 0.7 s and no crypto self tests 0.6 s of 4.4 s. panic=0 keeps
 * the report's last line on the console, which ends the machine at once. A driver's
 * messages are never rate limited away from us. Poisoned slabs and KFENCE show uses of
 * freed memory and overflows on kernels that have no KASAN; they cost next to nothing.
 */
static const char default_cmdline[] =
	"console=ttyS0,115200 panic=0 oops=panic softlockup_panic=1 mitigations=off cryptomgr.notests "
	"no_timer_check tsc=reliable slub_debug=FZP kfence.sample_interval=1 "
	"printk.devkmsg=on printk.time=1 net.ifnames=0";

static const struct machine_ops *const backend = &machine_libvirt;

struct watch {
	int fd;
	off_t size;
	struct strbuf tail; /* the last bytes seen, so that a split text is found */
	bool until, panic;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void watch_console(struct watch *w, const char *path, const char *until)
{
	char buf[65536];
	ssize_t n;

	if (w->fd < 0)
		w->fd = open(path, O_RDONLY | O_CLOEXEC);
	while (w->fd >= 0 && (n = read(w->fd, buf, sizeof(buf))) > 0) {
		size_t keep = 256;

		w->size += n;
		strbuf_add(&w->tail, buf, (size_t)n);
		for (size_t i = w->tail.len - (size_t)n; i < w->tail.len; i++)
			if (!w->tail.buf[i])
				w->tail.buf[i] = '?';
		w->until |= until && strstr(w->tail.buf, until);
		w->panic |= strstr(w->tail.buf, PANIC_END) != NULL;
		if (w->tail.len > keep)
			strbuf_splice(&w->tail, 0, w->tail.len - keep, "", 0);
	}
}

/* True when the run is over; *end says how. */
static bool watch_once(struct watch *w, void *handle, const struct machine_spec *s, double deadline,
		       struct machine_run *out)
{
	struct strbuf detail = STRBUF_INIT;
	enum machine_state state = backend->poll(handle, &detail);
	bool over = true;

	/* After the state: what was written before the end is then seen. */
	watch_console(w, s->console_path, s->until);
	if (w->until)
		out->end = MACHINE_UNTIL;
	else if (w->panic)
		out->end = MACHINE_PANIC;
	else if (state == MACHINE_OFF)
		out->end = MACHINE_POWEROFF;
	else if (state == MACHINE_BROKEN)
		out->end = MACHINE_CRASHED;
	else if (w->size > CONSOLE_CAP)
		out->end = MACHINE_OUTPUT_CAP;
	else if (now() > deadline)
		out->end = MACHINE_TIMEOUT;
	else
		over = false;
	if (over && out->end == MACHINE_CRASHED)
		out->detail = strbuf_detach(&detail, NULL);
	strbuf_release(&detail);
	return over;
}

static int watch_machine(const struct machine_spec *s, void *handle, struct machine_run *out,
			 struct strbuf *err)
{
	struct watch w = { .fd = -1, .tail = STRBUF_INIT };
	double start = now();
	double deadline = start + (s->wall_seconds > 0 ? s->wall_seconds : DEFAULT_WALL);
	int ret = 0;

	while (!watch_once(&w, handle, s, deadline, out)) {
		if (child_interrupted()) {
			ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
			break;
		}
		usleep(POLL_MS * 1000);
	}
	out->wall = now() - start;
	if (w.fd >= 0)
		close(w.fd);
	strbuf_release(&w.tail);
	return ret;
}

static enum machine_accel choose_accel(const struct machine_spec *s)
{
	struct strbuf why = STRBUF_INIT;
	enum machine_accel a = s->accel;

	if (a == MACHINE_ACCEL_AUTO) {
		a = machine_kvm_usable(s->kernel, &why) ? MACHINE_ACCEL_KVM : MACHINE_ACCEL_TCG;
		if (why.len)
			log_debug("machine: emulation instead of KVM: %s", why.buf);
	}
	strbuf_release(&why);
	return a;
}

static int check_spec(const struct machine_spec *s, struct strbuf *err)
{
	if (s->kernel->arch && strcmp(s->kernel->arch, "x86_64"))
		return kp_fail(err, KP_INFRA, "no machine for a kernel of '%s', only for x86_64",
			       s->kernel->arch);
	if (!s->kernel->image || !file_exists(s->kernel->image))
		return kp_fail(err, KP_INFRA,
			       "kernel '%s' has no bootable image; try 'kport kernel add %s --image'",
			       s->kernel->name, s->kernel->name);
	if (!file_exists(s->initrd))
		return kp_fail(err, KP_INFRA, "no initramfs '%s'", s->initrd);
	return file_write_nosync(s->console_path, "", 0, err);
}

/* The initramfs is in memory twice while it is unpacked, and modules once more. */
static unsigned choose_memory(const struct machine_spec *s)
{
	unsigned need = 256 + 4 * (unsigned)(file_size(s->initrd) >> 20);
	unsigned given = s->memory_mib ? s->memory_mib : DEFAULT_MEMORY;

	return need > given ? need : given;
}

int machine_run(const struct machine_spec *s, struct machine_run *out, struct strbuf *err)
{
	struct strbuf cmdline = STRBUF_INIT, describe = STRBUF_INIT;
	struct machine_start start = { .qemu_args = &s->qemu_args,
				       .memory_mib = choose_memory(s) };
	char *image = NULL, *initrd = NULL, *console = NULL;
	void *handle = NULL;
	int ret;

	memset(out, 0, sizeof(*out));
	ret = check_spec(s, err);
	if (ret < 0)
		return ret;
	ret = backend->probe(&describe, err);
	if (ret < 0)
		goto out;
	strbuf_addf(&cmdline, "%s %s %s", default_cmdline,
		    s->verbose ? "ignore_loglevel" : "quiet", s->cmdline ? s->cmdline : "");
	strbuf_rtrim(&cmdline);
	start.accel = out->accel = choose_accel(s);
	image = start.accel == MACHINE_ACCEL_TCG ? machine_boot_image(s->kernel->image)
						 : file_realpath(s->kernel->image);
	initrd = file_realpath(s->initrd);
	console = file_realpath(s->console_path);
	start.image = image;
	start.initrd = initrd;
	start.console_path = console;
	start.cmdline = cmdline.buf;
	ret = backend->start(&start, &handle, err);
	if (ret < 0)
		goto out;
	out->backend = strbuf_detach(&describe, NULL);
	ret = watch_machine(s, handle, out, err);
	backend->stop(handle);
out:
	if (ret < 0)
		machine_run_release(out);
	strbuf_release(&cmdline);
	strbuf_release(&describe);
	free(image);
	free(initrd);
	free(console);
	return ret;
}

void machine_run_release(struct machine_run *r)
{
	free(r->backend);
	free(r->detail);
	memset(r, 0, sizeof(*r));
}

int machine_probe(struct strbuf *what, struct strbuf *err)
{
	return backend->probe(what, err);
}

const char *machine_end_name(enum machine_end e)
{
	static const char *const names[] = { "poweroff", "until",      "panic",
					     "timeout",	 "output-cap", "crashed" };

	return names[e];
}

const char *machine_accel_name(enum machine_accel a)
{
	static const char *const names[] = { "auto", "kvm", "tcg" };

	return names[a];
}
