// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machines through libvirt. One connection per process, opened at the first
 * machine and closed at exit; its event loop runs in a thread of its own.
 *
 * The embedded driver lives in this process and needs no daemon. It refuses
 * VIR_DOMAIN_START_AUTODESTROY, so what is left of a killed process is ended
 * by machine-slot.c. Its emulators are made our children (subreaper), because
 * libvirt waits until they are reaped.
 */
#include "base/compat.h"
#include "harness/machine-internal.h"

#include <ctype.h>
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include "base/alloc.h"
#include "base/config.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/machine-slot.h"

#define REAP_MS 20

static const char hint[] =
	"install qemu-system-x86 and libvirt-daemon, or name a running libvirt in 'machine.uri'";

struct domain {
	virDomainPtr dom;
	char *name;
	enum machine_state state;
	struct strbuf detail;
};

static struct {
	virConnectPtr conn;
	struct machine_slot slot;
	char *uri;	/* as shown to people */
	bool embed;
	int timer;	/* reaps while a machine starts or stops */
	pthread_mutex_t lock; /* the fields of the active domain */
	struct domain *active;
	unsigned started;
} lv = { .slot = MACHINE_SLOT_INIT, .timer = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

static int fail_libvirt(struct strbuf *err, const char *what)
{
	const char *message = virGetLastErrorMessage();

	return kp_fail(err, KP_INFRA, "%s: %s (%s)", what, message ? message : "no reason given",
		       hint);
}

static void swallow_error(void *payload, virErrorPtr e)
{
}

static void on_timer(int timer, void *payload)
{
	machine_reap();
}

static void reap_while(bool on)
{
	if (lv.timer >= 0)
		virEventUpdateTimeout(lv.timer, on ? REAP_MS : -1);
}

static void *event_loop(void *payload)
{
	while (virEventRunDefaultImpl() == 0)
		;
	return NULL;
}

static int on_lifecycle(virConnectPtr conn, virDomainPtr dom, int event, int detail, void *payload)
{
	const char *name = virDomainGetName(dom);
	struct domain *d;

	pthread_mutex_lock(&lv.lock);
	d = lv.active;
	if (!d || !name || strcmp(d->name, name) || d->state != MACHINE_RUNNING)
		goto out;
	if (event == VIR_DOMAIN_EVENT_SHUTDOWN) {
		d->state = MACHINE_OFF;
	} else if (event == VIR_DOMAIN_EVENT_STOPPED) {
		d->state = detail == VIR_DOMAIN_EVENT_STOPPED_FAILED ||
					   detail == VIR_DOMAIN_EVENT_STOPPED_CRASHED
				   ? MACHINE_BROKEN
				   : MACHINE_OFF;
		strbuf_addstr(&d->detail, "the emulator died");
	} else if (event == VIR_DOMAIN_EVENT_SUSPENDED || event == VIR_DOMAIN_EVENT_CRASHED) {
		d->state = MACHINE_BROKEN;
		strbuf_addstr(&d->detail, "the emulator stopped the guest");
	}
out:
	pthread_mutex_unlock(&lv.lock);
	return 0;
}

static int start_event_loop(struct strbuf *err)
{
	sigset_t all, old;
	pthread_t thread;
	int ret;

	if (virEventRegisterDefaultImpl() < 0)
		return fail_libvirt(err, "libvirt's event loop");
	lv.timer = virEventAddTimeout(-1, on_timer, NULL, NULL);
	/* Signals belong to the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&thread, NULL, event_loop, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret)
		return kp_fail(err, KP_INFRA, "no thread for libvirt's events: %s", strerror(ret));
	pthread_detach(thread);
	return 0;
}

/*
 * Facts: nothing but root's own user works where /dev/kvm belongs to root; the
 * log daemon is not there; mount namespaces and cgroups are not ours to change.
 */
static int write_embed_conf(const char *root, struct strbuf *err)
{
	struct strbuf conf = STRBUF_INIT;
	char *path = path_join(root, "etc/qemu.conf");
	int ret;

	if (geteuid() == 0)
		strbuf_addstr(&conf, "user = \"root\"\ngroup = \"root\"\n");
	strbuf_addstr(&conf, "stdio_handler = \"file\"\n"
			     "security_driver = \"none\"\n"
			     "namespaces = []\n"
			     "cgroup_controllers = []\n"
			     "dynamic_ownership = 0\n"
			     "remember_owner = 0\n"
			     "max_core = 0\n");
	ret = file_mkdirs_for(path, err);
	if (ret == 0)
		ret = file_write_nosync(path, conf.buf, conf.len, err);
	free(path);
	strbuf_release(&conf);
	return ret;
}

static void add_uri_escaped(struct strbuf *sb, const char *s)
{
	for (; *s; s++)
		if (isalnum((unsigned char)*s) || strchr("/-_.~", *s))
			strbuf_addch(sb, *s);
		else
			strbuf_addf(sb, "%%%02X", (unsigned char)*s);
}

static int prepare_embed(struct strbuf *uri, struct strbuf *err)
{
	int ret = machine_slot_take(&lv.slot, err);

	if (ret == 0)
		ret = write_embed_conf(lv.slot.root, err);
	if (ret == 0) {
		char *log = xstrfmt("3:file:%s/libvirt.log", lv.slot.root);

		strbuf_addstr(uri, "qemu:///embed?root=");
		add_uri_escaped(uri, lv.slot.root);
		setenv("LIBVIRT_LOG_OUTPUTS", log, 0);
		free(log);
	}
	return ret;
}

/* What the driver adopted of an earlier life of this slot. */
static void destroy_leftovers(void)
{
	virDomainPtr *doms = NULL;
	int n = virConnectListAllDomains(lv.conn, &doms, 0);

	for (int i = 0; i < n; i++) {
		virDomainDestroy(doms[i]);
		virDomainFree(doms[i]);
	}
	free(doms);
}

static void domain_free(struct domain *d)
{
	if (d->dom)
		virDomainFree(d->dom);
	strbuf_release(&d->detail);
	free(d->name);
	free(d);
}

static void libvirt_stop(void *handle)
{
	struct domain *d = handle;

	reap_while(true);
	virDomainDestroy(d->dom);
	reap_while(false);
	pthread_mutex_lock(&lv.lock);
	lv.active = NULL;
	pthread_mutex_unlock(&lv.lock);
	domain_free(d);
}

static void at_exit(void)
{
	if (lv.active)
		libvirt_stop(lv.active);
	if (lv.conn)
		virConnectClose(lv.conn);
	lv.conn = NULL;
	machine_slot_release(&lv.slot);
}

static int open_connection(const char *uri, struct strbuf *err)
{
	virSetErrorFunc(NULL, swallow_error);
	if (virInitialize() < 0)
		return fail_libvirt(err, "libvirt");
	if (lv.timer < 0 && start_event_loop(err) < 0)
		return KP_INFRA;
	lv.conn = virConnectOpen(uri);
	if (!lv.conn) {
		struct strbuf what = STRBUF_INIT;

		strbuf_addf(&what, "libvirt cannot be used at '%s'", lv.uri);
		fail_libvirt(err, what.buf);
		strbuf_release(&what);
		return KP_INFRA;
	}
	if (lv.embed)
		destroy_leftovers();
	if (virConnectDomainEventRegisterAny(lv.conn, NULL, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
					     VIR_DOMAIN_EVENT_CALLBACK(on_lifecycle), NULL,
					     NULL) < 0)
		return fail_libvirt(err, "libvirt's events");
	return 0;
}

static int libvirt_connect(struct strbuf *err)
{
	static bool registered;
	struct strbuf uri = STRBUF_INIT;
	int ret = 0;

	if (lv.conn)
		return 0;
	free(lv.uri);
	lv.uri = xstrdup(config_str("machine.uri", "qemu:///embed"));
	lv.embed = !strcmp(lv.uri, "qemu:///embed");
	if (!registered)
		atexit(at_exit);
	registered = true;
	if (lv.embed)
		ret = prepare_embed(&uri, err);
	else
		strbuf_addstr(&uri, lv.uri);
	if (ret == 0)
		ret = open_connection(uri.buf, err);
	if (ret < 0) {
		if (lv.conn)
			virConnectClose(lv.conn);
		lv.conn = NULL;
		machine_slot_release(&lv.slot);
	}
	strbuf_release(&uri);
	return ret;
}

static int libvirt_probe(struct strbuf *describe, struct strbuf *err)
{
	unsigned long version = 0;
	int ret = libvirt_connect(err);

	if (ret < 0)
		return ret;
	virConnectGetLibVersion(lv.conn, &version);
	strbuf_addf(describe, "libvirt %lu.%lu.%lu %s", version / 1000000, version / 1000 % 1000,
		    version % 1000, lv.uri);
	return 0;
}

static int libvirt_start(const struct machine_start *s, void **handle, struct strbuf *err)
{
	struct domain *d;
	struct strbuf xml = STRBUF_INIT;
	int ret = libvirt_connect(err);

	if (ret < 0)
		return ret;
	if (lv.active)
		return kp_fail(err, KP_INFRA, "a machine is running already");
	d = xcalloc(1, sizeof(*d));
	strbuf_init(&d->detail);
	d->name = lv.embed ? xstrfmt("kport-%u", ++lv.started)
			   : xstrfmt("kport-%d-%u", (int)getpid(), ++lv.started);
	d->state = MACHINE_RUNNING;
	machine_domain_xml(s, d->name, &xml);
	pthread_mutex_lock(&lv.lock);
	lv.active = d;
	pthread_mutex_unlock(&lv.lock);
	if (lv.embed)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	reap_while(true);
	d->dom = virDomainCreateXML(lv.conn, xml.buf, lv.embed ? 0 : VIR_DOMAIN_START_AUTODESTROY);
	reap_while(false);
	if (lv.embed)
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	if (!d->dom) {
		ret = fail_libvirt(err, "the machine does not start");
		pthread_mutex_lock(&lv.lock);
		lv.active = NULL;
		pthread_mutex_unlock(&lv.lock);
		domain_free(d);
	}
	strbuf_release(&xml);
	*handle = ret < 0 ? NULL : d;
	return ret;
}

static enum machine_state libvirt_poll(void *handle, struct strbuf *detail)
{
	struct domain *d = handle;
	enum machine_state state;

	pthread_mutex_lock(&lv.lock);
	state = d->state;
	strbuf_addbuf(detail, &d->detail);
	pthread_mutex_unlock(&lv.lock);
	return state;
}

const struct machine_ops machine_libvirt = {
	.name = "libvirt",
	.probe = libvirt_probe,
	.start = libvirt_start,
	.poll = libvirt_poll,
	.stop = libvirt_stop,
};
