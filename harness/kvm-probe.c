// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out whether KVM runs a kernel here, by doing it. /dev/kvm can exist, a
 * machine can be created and libvirt can list it although no stock kernel
 * reaches user space (nested and paravirtual hosts), so nothing less counts.
 */
#include "base/compat.h"
#include "harness/machine-internal.h"

#include <fcntl.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"

#define PROBE_SECONDS  10
#define STARTS_SECONDS 1

int machine_boot_only(const struct kernel *k, enum machine_accel accel, double wall_seconds,
		      const char *dir, bool *reached, struct machine_run *run, struct strbuf *err)
{
	char nonce[33], *init = kport_libexec_path("kport-init");
	char *initrd = path_join(dir, "boot-only.cpio"), *console = path_join(dir, "boot-only.log");
	char *plan = NULL, *until = NULL;
	int ret = machine_nonce(nonce, err);

	if (ret < 0)
		goto out;
	plan = xstrfmt("nonce %s\n", nonce);
	until = xstrfmt("kport:%s:end", nonce);
	ret = initramfs_write(initrd,
			      (struct initramfs_file[]){
				      { .path = "init", .source = init, .mode = 0755 },
				      { .path = "kport.plan", .data = plan, .len = strlen(plan) } },
			      2, err);
	if (ret == 0) {
		struct machine_spec s = { .kernel = k, .initrd = initrd, .accel = accel,
					  .wall_seconds = wall_seconds, .console_path = console,
					  .until = until, .verbose = true };

		strvec_init(&s.qemu_args);
		ret = machine_run(&s, run, err);
		*reached = ret == 0 && run->end == MACHINE_UNTIL;
	}
out:
	free(init);
	free(initrd);
	free(console);
	free(plan);
	free(until);
	return ret;
}

int machine_kernel_boots(const struct kernel *k, double wall_seconds, const char *dir,
			 bool *reached, struct strbuf *err)
{
	struct machine_run run = { 0 };
	int ret = machine_boot_only(k, MACHINE_ACCEL_AUTO, wall_seconds, dir, reached, &run, err);

	machine_run_release(&run);
	return ret;
}

/* Names this machine and its kernel: an answer holds for nothing else. */
static char *host_key(void)
{
	struct strbuf id = STRBUF_INIT;
	struct utsname u;
	char *key;

	if (file_read("/etc/machine-id", 64, &id, NULL) < 0)
		strbuf_addstr(&id, "no-id");
	strbuf_trim(&id);
	if (uname(&u) < 0)
		memset(&u, 0, sizeof(u));
	key = xstrfmt("%s %s %s %u", id.buf, u.nodename, u.release, (unsigned)geteuid());
	strbuf_release(&id);
	return key;
}

static bool recall(const char *path, const char *key, bool *usable, struct strbuf *why)
{
	json_t *v = NULL;
	const char *was;
	bool known = false;

	if (json_read_file(path, 65536, &v, NULL) < 0)
		return false;
	was = json_get_str(v, "host");
	if (was && !strcmp(was, key)) {
		const char *reason = json_get_str(v, "why");

		known = true;
		*usable = json_get_bool(v, "usable", false);
		if (!*usable && reason)
			strbuf_addstr(why, reason);
	}
	json_decref(v);
	return known;
}

static void remember(const char *path, const char *key, bool usable, const char *why)
{
	json_t *v = json_object();

	json_set_str(v, "host", key);
	json_set_bool(v, "usable", usable);
	json_set_str(v, "why", usable ? NULL : why);
	if (file_mkdirs_for(path, NULL) == 0)
		json_write_file(path, v, NULL);
	json_decref(v);
}

/* A machine that cannot even be started: KVM's fault when the same one starts without it. */
static bool starts_emulated(const struct kernel *k, const char *dir)
{
	struct strbuf dropped = STRBUF_INIT;
	struct machine_run run = { 0 };
	bool reached;
	int ret = machine_boot_only(k, MACHINE_ACCEL_TCG, STARTS_SECONDS, dir, &reached, &run, &dropped);

	machine_run_release(&run);
	strbuf_release(&dropped);
	return ret == 0;
}

/* KP_INTERRUPTED or an infrastructure fault that says nothing about KVM: negative. */
static int try_kvm(const struct kernel *k, bool *usable, struct strbuf *why)
{
	struct strbuf message = STRBUF_INIT;
	struct machine_run run = { 0 };
	char *state = kport_state_dir(), *dir = NULL;
	int ret;

	*usable = false;
	ret = file_mkdirs(state, &message);
	if (ret == 0)
		ret = file_mkdtemp(state, "kvm-probe-", &dir, &message);
	if (ret == 0)
		ret = machine_boot_only(k, MACHINE_ACCEL_KVM, PROBE_SECONDS, dir, usable, &run,
					&message);
	if (ret == 0 && !*usable)
		strbuf_addf(why, "kernel %s did not reach user space under KVM within %d s (%s)",
			    k->release ? k->release : k->name, PROBE_SECONDS,
			    run.detail ? run.detail : machine_end_name(run.end));
	else if (ret < 0)
		strbuf_addbuf(why, &message);
	if (ret == KP_INFRA && dir && starts_emulated(k, dir))
		ret = 0;
	if (dir)
		file_remove(dir, NULL);
	free(dir);
	free(state);
	machine_run_release(&run);
	strbuf_release(&message);
	return ret;
}

bool machine_kvm_usable(const struct kernel *k, struct strbuf *why)
{
	char *state, *path, *key;
	bool usable = false;
	int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC), ret;

	if (fd < 0) {
		strbuf_addf(why, "/dev/kvm cannot be opened: %s", strerror(errno));
		return false;
	}
	close(fd);
	state = kport_state_dir();
	path = path_join(state, "kvm.json");
	key = host_key();
	if (!recall(path, key, &usable, why)) {
		/* A machine that cannot be started at all tells nothing about KVM. */
		ret = try_kvm(k, &usable, why);
		if (ret == 0)
			remember(path, key, usable, why->buf);
	}
	free(state);
	free(path);
	free(key);
	return usable;
}
