// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a machine: command line, acceleration, and the loop that watches the
 * console and the clock. What starts and stops it is behind struct machine_ops.
 */
#include "base/compat.h"
#include "harness/machine.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/config.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "harness/machine-internal.h"
#include "harness/machine-slot.h"

#define DEFAULT_WALL   120.0
#define DEFAULT_MEMORY 512
#define CONSOLE_CAP    (32u << 20)
#define POLL_MS	       10
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

struct watch {
	int fd;
	const char *path, *until;
	off_t size;
	struct strbuf tail; /* the last bytes seen, so that a split text is found */
	bool until_seen, panic;
	off_t mark;	/* where the last of our guest's own lines was seen, and when */
	double marked;
};

/* Our guest's lines begin as the one that ends the run: "kport:NONCE:". */
static void watch_marks(struct watch *w)
{
	const char *end = w->until ? strrchr(w->until, ':') : NULL;
	char *mark = end ? xstrndup(w->until, end + 1 - w->until) : NULL;

	for (const char *p = w->tail.buf; mark && (p = strstr(p, mark)); p++) {
		off_t at = w->size - (off_t)(w->tail.len - (size_t)(p - w->tail.buf)) + 1;

		if (at > w->mark) {
			w->mark = at;
			w->marked = clock_seconds();
		}
	}
	free(mark);
}

static void watch_console(struct watch *w)
{
	char buf[65536];
	ssize_t n;

	if (w->fd < 0)
		w->fd = open(w->path, O_RDONLY | O_CLOEXEC);
	while (w->fd >= 0 && (n = read(w->fd, buf, sizeof(buf))) > 0) {
		size_t keep = 256;

		w->size += n;
		strbuf_add(&w->tail, buf, (size_t)n);
		for (size_t i = w->tail.len - (size_t)n; i < w->tail.len; i++)
			if (!w->tail.buf[i])
				w->tail.buf[i] = '?';
		watch_marks(w);
		w->until_seen |= w->until && strstr(w->tail.buf, w->until);
		w->panic |= strstr(w->tail.buf, PANIC_END) != NULL;
		if (w->tail.len > keep)
			strbuf_splice(&w->tail, 0, w->tail.len - keep, "", 0);
	}
}

/* True when the run is over; out->end says how. */
static bool watch_once(struct watch *w, const struct machine_ops *ops, void *handle,
		       double deadline, struct machine_run *out)
{
	struct strbuf detail = STRBUF_INIT;
	enum machine_state state = ops->poll(handle, &detail);
	bool over = true;

	/* After the state: what was written before the end is then seen. */
	watch_console(w);
	if (w->until_seen)
		out->end = MACHINE_UNTIL;
	else if (w->panic)
		out->end = MACHINE_PANIC;
	else if (state == MACHINE_OFF)
		out->end = MACHINE_POWEROFF;
	else if (state == MACHINE_BROKEN)
		out->end = MACHINE_CRASHED;
	else if (w->size > CONSOLE_CAP)
		out->end = MACHINE_OUTPUT_CAP;
	else if (clock_seconds() > deadline)
		out->end = MACHINE_TIMEOUT;
	else
		over = false;
	if (over && detail.len && out->end != MACHINE_UNTIL)
		out->detail = strbuf_detach(&detail, NULL);
	strbuf_release(&detail);
	return over;
}

int machine_watch(const struct machine_ops *ops, void *handle, const char *console_path,
		  const char *until, double wall_seconds, struct machine_run *out,
		  struct strbuf *err)
{
	double start = clock_seconds();
	struct watch w = { .fd = -1, .path = console_path, .until = until, .tail = STRBUF_INIT, .marked = start };
	double deadline = start + (wall_seconds > 0 ? wall_seconds : DEFAULT_WALL);
	int ret = 0;

	while (!watch_once(&w, ops, handle, deadline, out)) {
		if (child_interrupted()) {
			ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
			break;
		}
		usleep(POLL_MS * 1000);
	}
	out->wall += clock_seconds() - start;
	out->quiet = clock_seconds() - w.marked;
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
	if (!s->kernel->image || !file_exists(s->kernel->image)) {
		char *advice = kernel_image_advice(s->kernel);
		int ret = kp_fail(err, KP_INFRA, "kernel '%s' has no bootable image; try %s", s->kernel->name, advice);

		free(advice);
		return ret;
	}
	if (!file_exists(s->initrd))
		return kp_fail(err, KP_INFRA, "no initramfs '%s'", s->initrd);
	return file_write_nosync(s->console_path, "", 0, err);
}

/*
 * The initramfs is in memory twice while it is unpacked, and modules once more. In
 * steps, because a saved state has one size.
 */
static unsigned choose_memory(const struct machine_spec *s)
{
	unsigned need = 256 + 4 * (unsigned)(file_size(s->initrd) >> 20);
	unsigned given = s->memory_mib ? s->memory_mib : DEFAULT_MEMORY;

	return need > given ? (need + DEFAULT_MEMORY - 1) / DEFAULT_MEMORY * DEFAULT_MEMORY : given;
}

/* ---- back ends -------------------------------------------------------------------- */

/*
 * Which one, and is it there? "auto": libvirt where it can be used, else qemu; for
 * saved states qemu, because libvirt's start alone adds 0.4 s to a test of one second.
 */
static int choose_backend(enum machine_from from, const struct machine_ops **ops,
			  struct strbuf *describe, struct strbuf *err)
{
	static const struct machine_ops *chosen;
	const char *word = config_str("machine.backend", "auto");
	struct strbuf why = STRBUF_INIT;
	int ret;

	if (!strcmp(word, "libvirt") || !strcmp(word, "qemu")) {
		*ops = *word == 'q' ? &machine_qemu : &machine_libvirt;
		return (*ops)->probe(describe, err);
	}
	if (strcmp(word, "auto"))
		return kp_fail(err, KP_ERR,
			       "machine.backend is '%s', not 'libvirt', 'qemu' or 'auto'", word);
	*ops = from == MACHINE_SNAPSHOT ? &machine_qemu : chosen ? chosen : &machine_libvirt;
	ret = (*ops)->probe(describe, &why);
	if (ret < 0 && *ops == &machine_libvirt && ret != KP_INTERRUPTED &&
	    machine_qemu.probe(describe, &why) == 0) {
		log_debug("machine: QEMU without libvirt: %s", why.buf);
		*ops = &machine_qemu;
		ret = 0;
	}
	if (ret == 0 && from == MACHINE_FRESH)
		chosen = *ops;
	if (ret < 0)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	return ret;
}

/* ---- one run ---------------------------------------------------------------------- */

struct plan {
	const struct machine_ops *ops;
	struct machine_start start;
	struct strbuf cmdline, describe;
	char *image, *initrd, *console;
};

static void plan_release(struct plan *p)
{
	strbuf_release(&p->cmdline);
	strbuf_release(&p->describe);
	free(p->image);
	free(p->initrd);
	free(p->console);
}

static int plan_make(struct plan *p, const struct machine_spec *s, struct machine_run *out,
		     struct strbuf *err)
{
	int ret = choose_backend(s->from, &p->ops, &p->describe, err);

	if (ret < 0)
		return ret;
	strbuf_addf(&p->cmdline, "%s %s %s", default_cmdline,
		    s->verbose ? "ignore_loglevel" : "quiet", s->cmdline ? s->cmdline : "");
	strbuf_rtrim(&p->cmdline);
	out->accel = choose_accel(s);
	p->image = out->accel == MACHINE_ACCEL_TCG ? machine_boot_image(s->kernel->image)
						   : file_realpath(s->kernel->image);
	p->initrd = file_realpath(s->initrd);
	p->console = file_realpath(s->console_path);
	p->start = (struct machine_start){ .image = p->image, .initrd = p->initrd,
					   .cmdline = p->cmdline.buf, .console_path = p->console,
					   .qemu_args = &s->qemu_args, .accel = out->accel,
					   .memory_mib = choose_memory(s),
					   .wall_seconds = s->wall_seconds };
	return 0;
}

static int start_and_watch(const struct plan *p, const struct machine_spec *s,
			   const struct machine_start *start, struct machine_run *out,
			   struct strbuf *err)
{
	void *handle = NULL;
	double began = clock_seconds();
	int ret = p->ops->start(start, &handle, err);

	if (ret < 0)
		return ret;
	out->wall = clock_seconds() - began;
	ret = machine_watch(p->ops, handle, s->console_path, s->until, s->wall_seconds, out, err);
	p->ops->stop(handle);
	return ret;
}

/* The guest said nothing: it was not the driver that ended it. */
static bool came_to_nothing(const struct machine_spec *s, const struct machine_run *out)
{
	return out->end == MACHINE_CRASHED && file_size(s->console_path) == 0;
}

/* KP_NOTFOUND: this machine cannot be saved. A state that does not work is made once more. */
static int run_snapshot(const struct plan *p, const struct machine_spec *s,
			struct machine_run *out, struct strbuf *err)
{
	struct machine_start start = p->start;
	struct strbuf why = STRBUF_INIT;
	char *dir = NULL, *state = NULL, *initrd = NULL;
	int ret = KP_INFRA;

	for (int tries = 0; tries < 2 && ret == KP_INFRA; tries++) {
		double began = clock_seconds();

		strbuf_reset(&why);
		ret = machine_snapshot_get(p->ops, &p->start, &dir, &why);
		out->prepared += clock_seconds() - began;
		if (ret < 0)
			break;
		free(state);
		free(initrd);
		start.saved = true;
		start.payload = p->initrd;
		start.state = state = path_join(dir, "state");
		start.initrd = initrd = path_join(dir, "initrd.cpio");
		ret = start_and_watch(p, s, &start, out, &why);
		if (ret == 0 && came_to_nothing(s, out)) {
			ret = kp_fail(&why, KP_INFRA, "the saved machine does not go on: %s",
				      out->detail ? out->detail : "no reason given");
			free(out->detail);
			out->detail = NULL;
		}
		if (ret == KP_INFRA) {
			log_debug("machine: saved state dropped: %s", why.buf);
			machine_snapshot_drop(dir);
		}
		free(dir);
		dir = NULL;
	}
	if (ret < 0)
		strbuf_addbuf(err, &why);
	else
		out->from = MACHINE_SNAPSHOT;
	strbuf_release(&why);
	free(dir);
	free(state);
	free(initrd);
	return ret;
}

int machine_run(const struct machine_spec *s, struct machine_run *out, struct strbuf *err)
{
	struct plan p = { .cmdline = STRBUF_INIT, .describe = STRBUF_INIT };
	struct strbuf why = STRBUF_INIT;
	int ret;

	memset(out, 0, sizeof(*out));
	ret = check_spec(s, err);
	if (ret == 0)
		ret = plan_make(&p, s, out, err);
	if (ret == 0 && s->from == MACHINE_SNAPSHOT) {
		ret = run_snapshot(&p, s, out, &why);
		if (ret == KP_NOTFOUND)
			out->because = xstrdup(why.buf);
		else if (ret < 0)
			strbuf_addbuf(err, &why);
	}
	if (ret == KP_NOTFOUND || (ret == 0 && s->from == MACHINE_FRESH))
		ret = start_and_watch(&p, s, &p.start, out, err);
	if (ret == 0)
		out->backend = strbuf_detach(&p.describe, NULL);
	else
		machine_run_release(out);
	strbuf_release(&why);
	plan_release(&p);
	return ret;
}

void machine_run_release(struct machine_run *r)
{
	free(r->because);
	free(r->backend);
	free(r->detail);
	memset(r, 0, sizeof(*r));
}

int machine_probe(struct strbuf *what, struct strbuf *err)
{
	const struct machine_ops *ops;

	return choose_backend(MACHINE_FRESH, &ops, what, err);
}

int machine_leftovers(struct strvec *out, struct strbuf *err)
{
	return machine_slot_leftovers(out, err);
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

const char *machine_from_name(enum machine_from f)
{
	return f == MACHINE_SNAPSHOT ? "snapshot" : "fresh";
}

int machine_from_parse(const char *word, enum machine_from *out, struct strbuf *err)
{
	for (enum machine_from f = MACHINE_FRESH; f <= MACHINE_SNAPSHOT; f++) {
		if (strcmp(word, machine_from_name(f)))
			continue;
		*out = f;
		return 0;
	}
	return kp_fail(err, KP_ERR, "machines start 'fresh' or from a 'snapshot', not '%s'", word);
}
