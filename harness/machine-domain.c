// SPDX-License-Identifier: GPL-2.0-only
/*
 * The XML of a transient domain: direct kernel boot, one processor, a serial
 * port into a file and nothing else; no network, disk, display or balloon.
 */
#include "base/compat.h"
#include "harness/machine-internal.h"

static void add_escaped(struct strbuf *sb, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '&':
			strbuf_addstr(sb, "&amp;");
			break;
		case '<':
			strbuf_addstr(sb, "&lt;");
			break;
		case '>':
			strbuf_addstr(sb, "&gt;");
			break;
		case '\'':
			strbuf_addstr(sb, "&apos;");
			break;
		case '"':
			strbuf_addstr(sb, "&quot;");
			break;
		default:
			strbuf_addch(sb, *s);
		}
	}
}

static void add_element(struct strbuf *sb, const char *name, const char *text)
{
	strbuf_addf(sb, "<%s>", name);
	add_escaped(sb, text);
	strbuf_addf(sb, "</%s>\n", name);
}

static void add_qemu_args(struct strbuf *sb, const struct strvec *args)
{
	if (!args || !args->n)
		return;
	strbuf_addstr(sb, "<qemu:commandline>\n");
	for (size_t i = 0; i < args->n; i++) {
		strbuf_addstr(sb, "<qemu:arg value='");
		add_escaped(sb, args->v[i]);
		strbuf_addstr(sb, "'/>\n");
	}
	strbuf_addstr(sb, "</qemu:commandline>\n");
}

void machine_domain_xml(const struct machine_start *s, const char *name, struct strbuf *out)
{
	bool kvm = s->accel == MACHINE_ACCEL_KVM;

	strbuf_addf(out,
		    "<domain type='%s' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>\n",
		    kvm ? "kvm" : "qemu");
	add_element(out, "name", name);
	strbuf_addf(out,
		    "<memory unit='MiB'>%u</memory>\n"
		    "<vcpu>1</vcpu>\n"
		    "<os>\n<type arch='x86_64' machine='q35'>hvm</type>\n",
		    s->memory_mib);
	add_element(out, "kernel", s->image);
	add_element(out, "initrd", s->initrd);
	add_element(out, "cmdline", s->cmdline);
	strbuf_addf(out,
		    "</os>\n"
		    "<features><acpi/></features>\n"
		    "<cpu mode='%s'/>\n"
		    "<clock offset='utc'><timer name='hpet' present='no'/></clock>\n"
		    "<on_poweroff>destroy</on_poweroff>\n"
		    "<on_reboot>destroy</on_reboot>\n"
		    "<on_crash>destroy</on_crash>\n"
		    "<devices>\n"
		    "<controller type='usb' model='none'/>\n"
		    "<memballoon model='none'/>\n"
		    "<serial type='file'><source path='",
		    kvm ? "host-passthrough" : "maximum");
	add_escaped(out, s->console_path);
	strbuf_addstr(out, "' append='on'/><target type='isa-serial' port='0'/></serial>\n"
			   "</devices>\n");
	add_qemu_args(out, s->qemu_args);
	strbuf_addstr(out, "</domain>\n");
}
