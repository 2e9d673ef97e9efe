// SPDX-License-Identifier: GPL-2.0-only
/* What a machine is given of its host: the command line of QEMU, the XML of libvirt, the device table. */
#include "tests/unit/unit.h"

#include "base/config.h"
#include "harness/devices.h"
#include "harness/machine-internal.h"

/* Words that hand a guest something of the host, in options and in devices. */
static const char *const forbidden[] = {
	"-virtfs", "-fsdev", "-hda", "-cdrom", "-usbdevice", "-nic", "-net", "-vnc", "-spice",
	"-gdb", "-s", "-runas", "-plugin", "virtio-9p", "vhost", "vfio", "ivshmem", "usb-host", "usb-mtp",
	"usb-redir", "scsi-generic", "scsi-block", "tpm-passthrough", "hostfwd", "guestfwd", "smb=", "tftp=",
	"tap,", "bridge,", "vde,", "l2tpv3", "file.driver=http", "driver=nbd",
};

static const char *offence(const struct strvec *args)
{
	for (size_t i = 0; i < args->n; i++)
		for (size_t j = 0; j < ARRAY_SIZE(forbidden); j++) {
			bool option = forbidden[j][0] == '-';

			if (option ? !strcmp(args->v[i], forbidden[j]) : strstr(args->v[i], forbidden[j]) != NULL)
				return args->v[i];
		}
	for (size_t i = 0; i + 1 < args->n; i++) {
		const char *value = args->v[i + 1];

		if (!strcmp(args->v[i], "-netdev") &&
		    (!starts_with(value, "user,") || !strstr(value, "restrict=on")))
			return value;
		if (!strcmp(args->v[i], "-blockdev") && !starts_with(value, "null-co,") &&
		    !strstr(value, "read-only=on"))
			return value;
		/* Zeros, with an overlay that has no name. */
		if (!strcmp(args->v[i], "-drive") &&
		    (!strstr(value, ",file.driver=null-co,") || !strstr(value, ",snapshot=on,") ||
		     strstr(value, "file=") || strstr(value, "filename=")))
			return value;
		if (!strcmp(args->v[i], "-audiodev") && !starts_with(value, "none,"))
			return value;
	}
	return NULL;
}

static void test_offence(void **state)
{
	static const char *const bad[][2] = { { "-netdev", "user,id=n" },
					      { "-netdev", "user,id=n,restrict=on,hostfwd=tcp::1-:1" },
					      { "-netdev", "tap,id=n,restrict=on" },
					      { "-blockdev", "driver=file,filename=/etc/passwd,node-name=d" },
					      { "-drive", "if=none,id=d,format=raw,file=/etc/passwd" },
					      { "-drive", "if=none,id=d,snapshot=on,file.filename=/etc/passwd" },
					      { "-virtfs", "local,path=/" },
					      { "-device", "vhost-vsock-pci,guest-cid=3" } };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct strvec v = STRVEC_INIT;

		strvec_pushl(&v, bad[i][0], bad[i][1], NULL);
		assert_non_null(offence(&v));
		strvec_release(&v);
	}
}

static void test_devices(void **state)
{
	struct device_table t = { 0 };

	assert_ok(device_table_read(&t, &err));
	assert_true(t.n > 20);
	for (size_t i = 0; i < t.n; i++)
		if (offence(&t.row[i].qemu_args))
			fail_msg("%s: '%s'", t.row[i].modalias, offence(&t.row[i].qemu_args));
	device_table_release(&t);
}

static struct machine_start plain(const struct strvec *args)
{
	return (struct machine_start){ .image = "/k/image", .initrd = "/k/initrd", .cmdline = "quiet",
				       .console_path = "/k/console", .qemu_args = args, .memory_mib = 512,
				       .accel = MACHINE_ACCEL_TCG };
}

static void test_xml(void **state)
{
	static const char *const elements[] = { "<interface", "<filesystem", "<disk", "<hostdev", "<graphics", "<channel",
						"<redirdev", "<shmem", "<vsock", "<sound", "<tpm", "<rng", "<parallel" };
	struct strvec none = STRVEC_INIT;
	struct machine_start s = plain(&none);
	struct strbuf xml = STRBUF_INIT;

	machine_domain_xml(&s, "kport-1", &xml);
	for (size_t i = 0; i < ARRAY_SIZE(elements); i++)
		assert_null(strstr(xml.buf, elements[i]));
	assert_null(strstr(xml.buf, "qemu:commandline"));
	assert_non_null(strstr(xml.buf, "<memballoon model='none'/>"));
	strbuf_release(&xml);
}

/* A QEMU that writes down what it is started with. */
static const char fake[] = "#!/bin/sh\n"
			   "case $1 in\n"
			   "--version) echo 'QEMU emulator version 9.9.1';;\n"
			   "-device) echo 'name \"e1000\", bus PCI';;\n"
			   "*) printf '%s\\n' \"$@\" >\"${0%/*}/args\"; exit 1;;\n"
			   "esac\n";

static void test_command_line(void **state)
{
	struct strvec none = STRVEC_INIT, args = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct machine_start s = plain(&none);
	char *dir, *qemu, *out, *set;
	void *handle = NULL;
	bool confined = false;

	assert_ok(file_mkdtemp("/tmp", "kport-u-surface", &dir, &err));
	setenv("XDG_CACHE_HOME", dir, 1);
	setenv("XDG_STATE_HOME", dir, 1);
	qemu = path_join(dir, "qemu");
	out = path_join(dir, "args");
	assert_ok(file_write_mode(qemu, fake, sizeof(fake) - 1, 0755, &err));
	set = xstrfmt("machine.qemu=%s", qemu);
	assert_ok(config_set(set, &err));
	assert_int_equal(machine_qemu.start(&s, &handle, &err), KP_INFRA);
	strbuf_reset(&err);
	assert_ok(file_read(out, 1 << 16, &text, &err));
	for (char *p = text.buf, *nl; (nl = strchr(p, '\n')); p = nl + 1) {
		*nl = '\0';
		strvec_push(&args, p);
	}
	assert_true(args.n > 10);
	assert_null(offence(&args));
	assert_true(strvec_contains(&args, "-nodefaults"));
	assert_true(strvec_contains(&args, "-no-user-config"));
	assert_false(strvec_contains(&args, "-netdev"));
	for (size_t i = 0; i + 1 < args.n; i++)
		confined |= !strcmp(args.v[i], "-sandbox") &&
			    !strcmp(args.v[i + 1],
				    "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny");
	assert_true(confined);
	file_remove(dir, &err);
	strvec_release(&args);
	strbuf_release(&text);
	free(dir);
	free(qemu);
	free(out);
	free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offence),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
