// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machines without libvirt: QEMU as our child, its monitor on a socket below a
 * slot (machine-slot.h). The kernel kills it when we die; what outlives even that is
 * found by its slot. The same devices in the same places as machine-domain.c.
 */
#include "base/compat.h"
#include "harness/machine-internal.h"

#include <fcntl.h>
#include <time.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "harness/emulator.h"
#include "harness/machine-slot.h"
#include "harness/qmp.h"

#define START_SECONDS 30
#define COMMAND_SECONDS 20
#define SAVE_BYTES_PER_SECOND (1LL << 40)
#define CONSOLE_FILE_BYTES (64ULL << 20) /* above the cap of machine.c */

struct qemu {
	struct child child;
	struct child_handle *process;
	struct strbuf output;
	struct qmp qmp;
	enum machine_state state;
	struct strbuf detail;
};

static struct machine_slot slot = MACHINE_SLOT_INIT;
static unsigned started;

static void at_exit(void)
{
	machine_slot_release(&slot);
}

static int take_slot(struct strbuf *err)
{
	static bool registered;
	char *run;
	int ret;

	if (slot.root)
		return 0;
	ret = machine_slot_take(&slot, err);
	if (ret < 0)
		return ret;
	if (!registered)
		atexit(at_exit);
	registered = true;
	/* Its being there tells the next holder that there may be something to end. */
	run = path_join(slot.root, "run");
	ret = file_mkdirs(run, err);
	free(run);
	return ret;
}

static int qemu_probe(struct strbuf *describe, struct strbuf *err)
{
	const struct emulator *e = emulator_get(err);

	if (!e)
		return KP_INFRA;
	strbuf_addf(describe, "QEMU %s", e->version);
	return 0;
}

/* ---- the command line ---------------------------------------------------------- */

/* In QEMU's option syntax a comma in a value is doubled. */
static void push_option(struct strvec *argv, const char *before, const char *value,
			const char *behind)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, before);
	for (; *value; value++) {
		strbuf_addch(&sb, *value);
		if (*value == ',')
			strbuf_addch(&sb, ',');
	}
	strbuf_addstr(&sb, behind);
	strvec_push(argv, sb.buf);
	strbuf_release(&sb);
}

static void add_machine(const struct machine_start *s, const char *name, struct strvec *argv)
{
	bool kvm = s->accel == MACHINE_ACCEL_KVM;

	strvec_pushl(argv, "-name", name, "-machine",
		     kvm ? "q35,accel=kvm,hpet=off,vmport=off" : "q35,accel=tcg,hpet=off,vmport=off",
		     "-cpu", kvm ? "host" : "max", "-smp", "1", "-m", NULL);
	strvec_pushf(argv, "%u", s->memory_mib);
	strvec_pushl(argv, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		     "-action", "panic=shutdown,watchdog=reset", "-rtc", "base=utc", "-msg",
		     "timestamp=off", "-sandbox",
		     "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
		     NULL);
	strvec_pushl(argv, "-kernel", s->image, "-initrd", s->initrd, "-append", s->cmdline, NULL);
}

static void add_devices(const struct machine_start *s, const char *socket, struct strvec *argv)
{
	strvec_push(argv, "-chardev");
	push_option(argv, "socket,id=monitor,server=off,path=", socket, "");
	strvec_pushl(argv, "-mon", "chardev=monitor,mode=control", "-chardev", NULL);
	push_option(argv, "file,id=serial0,path=", s->console_path, ",append=on");
	strvec_pushl(argv, "-device", "isa-serial,chardev=serial0", NULL);
	if (s->payload) {
		strvec_push(argv, "-fw_cfg");
		push_option(argv, "name=" MACHINE_PAYLOAD ",file=", s->payload, "");
	} else if (s->saved) {
		strvec_pushl(argv, "-fw_cfg", "name=" MACHINE_PAYLOAD ",string=wait",
			     "-only-migratable", NULL);
	}
	strvec_pushv(argv, s->qemu_args->v);
	if (s->state)
		strvec_pushl(argv, "-incoming", "defer", NULL);
}

/* ---- what happened -------------------------------------------------------------- */

static void set_state(struct qemu *q, enum machine_state state, const char *detail)
{
	if (q->state != MACHINE_RUNNING)
		return;
	q->state = state;
	if (!q->detail.len && detail)
		strbuf_addstr(&q->detail, detail);
}

static void take_events(struct qemu *q)
{
	json_t *e;

	while (qmp_event(&q->qmp, &e)) {
		const char *name = json_get_str(e, "event");

		/* Not by the guest: somebody on the host ended it. */
		if (!strcmp(name, "SHUTDOWN") &&
		    !json_get_bool(json_object_get(e, "data"), "guest", true))
			set_state(q, MACHINE_BROKEN, "the emulator was told to end");
		else if (!strcmp(name, "SHUTDOWN"))
			set_state(q, MACHINE_OFF, NULL);
		else if (!strcmp(name, "STOP"))
			set_state(q, MACHINE_BROKEN, "the emulator stopped the guest");
		else if (!strcmp(name, "WATCHDOG") && !q->detail.len)
			strbuf_addstr(&q->detail, "its watchdog ran out");
		else if (!strcmp(name, "GUEST_PANICKED") && !q->detail.len)
			strbuf_addstr(&q->detail, "it reported a panic");
		json_decref(e);
	}
}

/* The emulator's last words without its name: "...: -device edu: no such device". */
static void say_died(struct qemu *q, struct strbuf *out)
{
	const char *line, *p;

	strbuf_rtrim(&q->output);
	line = strrchr(q->output.buf, '\n');
	line = line ? line + 1 : q->output.buf;
	p = strstr(line, ": ");
	strbuf_addf(out, "the emulator died%s%.300s", *line ? ": " : "", p ? p + 2 : line);
}

static enum machine_state qemu_poll(void *handle, struct strbuf *detail)
{
	struct qemu *q = handle;
	bool ended = child_poll(q->process);

	/* After the process: the last events of one that ended are then seen. */
	take_events(q);
	if (ended && q->state == MACHINE_RUNNING) {
		struct strbuf died = STRBUF_INIT;

		say_died(q, &died);
		set_state(q, MACHINE_BROKEN, died.buf);
		strbuf_release(&died);
	}
	strbuf_addbuf(detail, &q->detail);
	return q->state;
}

static bool is_alive(void *payload)
{
	struct qemu *q = payload;

	return !child_poll(q->process);
}

/* ---- starting and ending ---------------------------------------------------------- */

static void qemu_stop(void *handle)
{
	struct qemu *q = handle;

	child_kill(q->process);
	child_release(&q->child);
	qmp_release(&q->qmp);
	strbuf_release(&q->output);
	strbuf_release(&q->detail);
	free(q);
}

/* Bytes of RAM come from the file; the guest runs on when they are there. */
static int go_on(struct qemu *q, const char *state, struct strbuf *err)
{
	int fd = open(state, O_RDONLY | O_CLOEXEC), ret;
	json_t *a = json_object();

	json_set_str(a, "uri", "fd:state");
	if (fd < 0) {
		json_decref(a);
		return kp_fail_errno(err, "cannot read '%s'", state);
	}
	ret = qmp_send_fd(&q->qmp, fd, "state", err);
	if (ret == 0)
		ret = qmp_command(&q->qmp, "migrate-incoming", a, COMMAND_SECONDS, NULL, err);
	else
		json_decref(a);
	close(fd);
	return ret;
}

static int start_process(struct qemu *q, const struct machine_start *s, const char *socket,
			 struct strbuf *err)
{
	const struct emulator *e = emulator_get(err);
	char *name;

	if (!e)
		return KP_INFRA;
	strvec_push(&q->child.argv, e->path);
	name = xstrfmt("guest=kport-%u", ++started);
	add_machine(s, name, &q->child.argv);
	free(name);
	add_devices(s, socket, &q->child.argv);
	q->child.out = &q->output;
	q->child.err_to_out = true;
	q->child.limits.output_bytes = 1 << 20;
	/* Two threads of it can be busy. */
	if (s->wall_seconds > 0)
		q->child.limits.cpu_seconds = 2 * (uint64_t)s->wall_seconds + 60;
	if (!s->saved || s->state)
		q->child.limits.file_bytes = CONSOLE_FILE_BYTES;
	return child_start(&q->child, &q->process, err);
}

/* One that hung up is about to: its last words are worth a moment. */
static bool has_ended(struct qemu *q)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	bool ended = child_poll(q->process);

	for (int i = 0; !ended && q->qmp.closed && i < 200; i++) {
		nanosleep(&pause, NULL);
		ended = child_poll(q->process);
	}
	return ended;
}

static int qemu_start(const struct machine_start *s, void **handle, struct strbuf *err)
{
	struct qemu *q = xcalloc(1, sizeof(*q));
	struct strbuf why = STRBUF_INIT;
	char *socket = NULL;
	int ret = take_slot(err);

	child_init(&q->child);
	strbuf_init(&q->output);
	strbuf_init(&q->detail);
	q->qmp = (struct qmp)QMP_INIT;
	if (ret < 0)
		goto out;
	socket = path_join(slot.root, "run/monitor");
	ret = qmp_listen(&q->qmp, socket, err);
	if (ret == 0)
		ret = start_process(q, s, socket, err);
	if (ret < 0)
		goto out;
	ret = qmp_accept(&q->qmp, START_SECONDS, is_alive, q, &why);
	if (ret == 0 && s->state)
		ret = go_on(q, s->state, &why);
	if (ret == KP_INFRA && has_ended(q)) {
		strbuf_reset(&why);
		say_died(q, &why);
	}
	if (ret < 0)
		strbuf_addbuf(err, &why);
out:
	if (ret < 0) {
		qemu_stop(q);
		q = NULL;
	}
	*handle = q;
	strbuf_release(&why);
	free(socket);
	return ret;
}

/* ---- saving ----------------------------------------------------------------------- */

static int await_saved(struct qemu *q, double seconds, struct strbuf *err)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	double waited = 0;

	for (;; waited += 0.01) {
		json_t *reply = NULL;
		const char *status, *desc;
		int ret = qmp_command(&q->qmp, "query-migrate", NULL, COMMAND_SECONDS, &reply, err);

		if (ret < 0)
			return ret;
		status = json_get_str(reply, "status");
		desc = json_get_str(reply, "error-desc");
		if (status && !strcmp(status, "completed")) {
			json_decref(reply);
			return 0;
		}
		if (status && (!strcmp(status, "failed") || !strcmp(status, "cancelled")))
			ret = kp_fail(err, KP_INFRA, "the emulator cannot save the machine: %s",
				      desc ? desc : "no reason given (is the disk full?)");
		else if (waited > seconds)
			ret = kp_fail(err, KP_INFRA, "saving the machine takes more than %.0f s",
				      seconds);
		json_decref(reply);
		if (ret < 0)
			return ret;
		nanosleep(&pause, NULL);
	}
}

/*
 * The guest runs until the last moment: one that is stopped before would come back
 * stopped.
 */
static int qemu_save(void *handle, const char *path, double seconds, struct strbuf *err)
{
	struct qemu *q = handle;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600), ret;
	json_t *limit = json_object(), *uri = json_object();

	json_set_int(limit, "max-bandwidth", SAVE_BYTES_PER_SECOND);
	json_set_str(uri, "uri", "fd:state");
	if (fd < 0)
		ret = kp_fail_errno(err, "cannot write '%s'", path);
	else
		ret = qmp_command(&q->qmp, "migrate-set-parameters", json_incref(limit),
				  COMMAND_SECONDS, NULL, err);
	if (ret == 0)
		ret = qmp_send_fd(&q->qmp, fd, "state", err);
	if (ret == 0)
		ret = qmp_command(&q->qmp, "migrate", json_incref(uri), COMMAND_SECONDS, NULL, err);
	if (ret == 0)
		ret = await_saved(q, seconds, err);
	json_decref(limit);
	json_decref(uri);
	if (fd >= 0 && close(fd) < 0 && ret == 0)
		ret = kp_fail_errno(err, "cannot write '%s'", path);
	return ret;
}

const struct machine_ops machine_qemu = {
	.name = "qemu",
	.probe = qemu_probe,
	.start = qemu_start,
	.poll = qemu_poll,
	.save = qemu_save,
	.stop = qemu_stop,
};
