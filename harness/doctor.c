// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/doctor.h"

#include <ctype.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "base/workdir.h"
#include "harness/apt.h"
#include "harness/kernel-record.h"
#include "harness/machine.h"
#include "harness/sandbox.h"
#include "harness/sandbox-filter.h"

#define GIB (1024.0 * 1024 * 1024)

static struct doctor_item *add(struct doctor_report *r, const char *name, const char *purpose)
{
	ALLOC_GROW(r->items, r->n + 1, r->alloc);
	r->items[r->n] = (struct doctor_item){ .name = xstrdup(name), .purpose = xstrdup(purpose) };
	return &r->items[r->n++];
}

struct doctor_item *doctor_add(struct doctor_report *r, const char *name, const char *purpose)
{
	return add(r, name, purpose);
}

static void set_detail(struct doctor_item *it, enum doctor_status status, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void set_detail(struct doctor_item *it, enum doctor_status status, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	free(it->detail);
	it->detail = strbuf_detach(&sb, NULL);
	it->status = status;
}

/* ---- tools ----------------------------------------------------------------- */

struct tool {
	const char *program, *package, *purpose;
	enum doctor_status when_missing;
	const char *version_option; /* NULL: has none, is only looked for */
};

static const struct tool tools[] = {
	{ "make", "make", "runs Kbuild", DOCTOR_BAD, "--version" },
	{ "ld", "binutils", "links modules", DOCTOR_BAD, "--version" },
	{ "spatch", "coccinelle", "semantic patches: rules, and checks of gate nodiag", DOCTOR_BAD,
	  "--version" },
	{ "sparse", "sparse", "gate nodiag", DOCTOR_BAD, "--version" },
	{ "qemu-system-x86_64", "qemu-system-x86", "machines for gates boot, load and unload",
	  DOCTOR_BAD, "--version" },
	{ "git", "git", "applies and checks patch series", DOCTOR_BAD, "--version" },
	{ "apt-get", "apt", "downloads kernels of Debian", DOCTOR_NOTE, "--version" },
	{ "dpkg-deb", "dpkg", "unpacks packages", DOCTOR_NOTE, "--version" },
	{ "tar", "tar", "unpacks kernel sources", DOCTOR_NOTE, "--version" },
	{ "curl", "curl", "resumes downloads", DOCTOR_NOTE, "--version" },
	{ "patch", "patch", "patches of DKMS packages", DOCTOR_NOTE, "--version" },
	{ "xz", "xz-utils", "unpacks kernel sources and modules", DOCTOR_BAD, "--version" },
	{ "depmod", "kmod", "dependencies of a kernel's modules", DOCTOR_BAD, "--version" },
	{ "clang", "clang", "its analyser, for --analyse", DOCTOR_NOTE, "--version" },
	{ "flex", "flex", "'kernel add --source'", DOCTOR_NOTE, "--version" },
	{ "bison", "bison", "'kernel add --source'", DOCTOR_NOTE, "--version" },
	{ "bc", "bc", "'kernel add --source'", DOCTOR_NOTE, "--version" },
};

/* The first number with a dot in a program's answer ("v1.35.0", "6.0.1-git"), or the one behind
 * "version". */
static char *version_in(const char *text)
{
	const char *word;

	for (const char *p = text; *p; p++) {
		size_t n = strspn(p, "0123456789");

		if (n && p[n] == '.' && isdigit((unsigned char)p[n + 1]) &&
		    (p == text || p[-1] == 'v' || !isalnum((unsigned char)p[-1])))
			return xstrndup(p, strspn(p, "0123456789."));
		p += n ? n - 1 : 0;
	}
	word = strstr(text, "version ");
	word = word && isdigit((unsigned char)word[8]) ? word + 8 : NULL;
	return word ? xstrndup(word, strspn(word, "0123456789")) : NULL;
}

/* Runs "PROGRAM OPTION"; false with a reason when it does not start or fails. */
static bool ask(const char *program, const char *option, char **version, struct strbuf *why)
{
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;
	bool ok;

	strvec_pushl(&c.argv, program, option, NULL);
	strvec_push(&c.env, "LC_ALL=C");
	c.out = &text;
	c.err_to_out = true;
	c.limits.wall_seconds = 60;
	ok = child_run(&c, &r, &err) == 0;
	if (!ok)
		strbuf_addbuf(why, &err);
	else if (!(ok = child_ok(&r)))
		child_describe(&r, why);
	else
		*version = version_in(text.buf);
	child_release(&c);
	strbuf_release(&text);
	strbuf_release(&err);
	return ok;
}

static void check_tool(struct doctor_report *r, const struct tool *t)
{
	struct doctor_item *it = add(r, t->program, t->purpose);
	char *path = child_which(t->program);
	struct strbuf why = STRBUF_INIT;

	if (!path) {
		it->package = t->package;
		set_detail(it, t->when_missing, "not installed");
	} else if (!ask(t->program, t->version_option, &it->version, &why)) {
		it->package = t->package;
		set_detail(it, t->when_missing, "'%s' does not run: %s", path, why.buf);
	}
	strbuf_release(&why);
	free(path);
}

/* Does spatch run a semantic patch with a script? Its Python is loaded when the first one asks for it. */
static bool scripts_run(const char *dir, struct strbuf *why)
{
	static const char patch[] = "@initialize:python@ @@\nimport re\n\n@@ typedef a, b; @@\n- a\n+ b\n";
	static const char source[] = "a c;\n";
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	struct strbuf text = STRBUF_INIT;
	char *cocci = path_join(dir, "script.cocci"), *unit = path_join(dir, "unit.c");
	bool ok = false;

	strvec_pushl(&c.argv, "spatch", "--very-quiet", "--sp-file", cocci, unit, NULL);
	strvec_push(&c.env, "LC_ALL=C");
	c.out = &text;
	c.err_to_out = true;
	c.limits.wall_seconds = 60;
	if (file_write(cocci, patch, sizeof(patch) - 1, why) == 0 &&
	    file_write(unit, source, sizeof(source) - 1, why) == 0 && child_run(&c, &r, why) == 0) {
		ok = child_ok(&r) && strstr(text.buf, "+b c;");
		if (!ok)
			strbuf_addf(why, "%.*s", (int)strcspn(text.buf, "\n"), text.buf);
	}
	child_release(&c);
	strbuf_release(&text);
	free(cocci);
	free(unit);
	return ok;
}

static void check_scripts(struct doctor_report *r)
{
	struct doctor_item *it = add(r, "spatch-python", "semantic patches with scripts");
	char *path = child_which("spatch"), *dir = NULL;
	struct strbuf why = STRBUF_INIT;

	if (!path)
		set_detail(it, DOCTOR_BAD, "spatch is not installed");
	else if (workdir_make("doctor-", &dir, &why) < 0 || !scripts_run(dir, &why))
		set_detail(it, DOCTOR_BAD, "spatch runs no scripts: %s", why.buf);
	if (it->status != DOCTOR_OK)
		it->package = "libpython3.11";
	if (dir)
		file_remove(dir, &why);
	strbuf_release(&why);
	free(path);
	free(dir);
}

static void check_compiler(struct doctor_report *r)
{
	char *cc = kernel_fit_compiler("gcc-12");
	struct doctor_item *it = add(r, cc ? cc : "gcc-12", "builds modules");
	struct strbuf why = STRBUF_INIT;

	if (!cc)
		set_detail(it, DOCTOR_BAD, "no C compiler is installed");
	else if (!ask(cc, "--version", &it->version, &why))
		set_detail(it, DOCTOR_BAD, "'%s' does not run: %s", cc, why.buf);
	if (it->status != DOCTOR_OK)
		it->package = "gcc-12";
	strbuf_release(&why);
	free(cc);
}

/* The guest has no C library: only a static busybox runs there. */
static void check_busybox(struct doctor_report *r)
{
	struct doctor_item *it = add(r, "busybox", "user space of the machines");
	char *path = child_which("busybox");
	struct strbuf why = STRBUF_INIT;

	it->package = "busybox-static";
	if (!path)
		set_detail(it, DOCTOR_BAD, "not installed");
	else if (!kernel_program_is_static(path))
		set_detail(it, DOCTOR_BAD, "'%s' is not the static one", path);
	else if (!ask(path, "--help", &it->version, &why))
		set_detail(it, DOCTOR_BAD, "'%s' does not run: %s", path, why.buf);
	if (it->status == DOCTOR_OK)
		it->package = NULL;
	strbuf_release(&why);
	free(path);
}

/* ---- sandbox and machines -------------------------------------------------- */

static void check_sandbox(struct doctor_report *r)
{
	struct doctor_item *it = add(r, "bwrap", "sandbox of builds");
	struct strbuf why = STRBUF_INIT;
	char *path = child_which("bwrap");

	if (!path) {
		it->package = "bubblewrap";
		set_detail(it, DOCTOR_BAD, "not installed");
	} else if (sandbox_probe(&why) < 0) {
		set_detail(it, DOCTOR_BAD, "%s", why.buf);
	} else {
		ask("bwrap", "--version", &it->version, &why);
		if (!sandbox_filter_possible())
			set_detail(it, DOCTOR_NOTE, "this kernel has no seccomp filters "
				   "(CONFIG_SECCOMP_FILTER): builds can make any system call");
	}
	strbuf_release(&why);
	free(path);
}

static void check_libvirt(struct doctor_report *r)
{
	struct doctor_item *it = add(r, "libvirt", "starts the machines");
	struct strbuf what = STRBUF_INIT, why = STRBUF_INIT;

	if (machine_probe(&what, &why) < 0) {
		it->package = "libvirt-daemon-system";
		set_detail(it, DOCTOR_BAD, "%s", why.buf);
	} else {
		it->version = version_in(what.buf);
	}
	strbuf_release(&what);
	strbuf_release(&why);
}

/* The newest kernel that can be booted, or NULL. */
static const struct kernel *bootable(const struct kernel_list *l)
{
	for (size_t i = l->n; i-- > 0;)
		if (l->k[i]->image && l->k[i]->modules_dir)
			return l->k[i];
	return NULL;
}

static void check_kvm(struct doctor_report *r, const struct kernel_list *kernels)
{
	struct doctor_item *it = add(r, "kvm", "machines at full speed");
	const struct kernel *k = bootable(kernels);
	struct strbuf why = STRBUF_INIT;

	if (access("/dev/kvm", R_OK | W_OK) < 0)
		set_detail(it, DOCTOR_NOTE,
			   "/dev/kvm: %s; machines are emulated, about ten times slower",
			   strerror(errno));
	else if (!k)
		set_detail(it, DOCTOR_NOTE,
			   "/dev/kvm is there, but whether a kernel runs is not known before one "
			   "is added: kport kernel add 6.12 --with-image");
	else if (!machine_kvm_usable(k, &why))
		set_detail(it, DOCTOR_NOTE,
			   "not usable: %s; machines are emulated, about ten times slower",
			   why.buf);
	strbuf_release(&why);
}

/* ---- kernels --------------------------------------------------------------- */

static void check_kernel(struct doctor_report *r, const struct kernel *k)
{
	char *name = xstrfmt("kernel %s", k->name), *cc = child_which(k->cc);
	struct doctor_item *it = add(r, name, "kernel to build for");
	const char *const paths[] = { k->build_dir, k->common_dir,  k->symvers,
				      k->image,	    k->modules_dir, k->source_dir };
	struct strbuf why = STRBUF_INIT;

	it->version = xstrdup(k->release);
	for (size_t i = 0; i < ARRAY_SIZE(paths) && it->status == DOCTOR_OK; i++)
		if (paths[i] && !file_exists(paths[i]))
			set_detail(it, DOCTOR_BAD, "'%s' is gone; run: kport kernel remove %s",
				   paths[i], k->name);
	if (it->status == DOCTOR_OK && !kernel_tools_run(k->build_dir, &why))
		set_detail(it, DOCTOR_BAD, "its host tools do not run: %s", why.buf);
	if (it->status == DOCTOR_OK && !cc)
		set_detail(it, DOCTOR_BAD,
			   "its compiler '%s' is gone; run: kport kernel remove %s, and add it "
			   "again",
			   k->cc, k->name);
	strbuf_release(&why);
	free(name);
	free(cc);
}

static void check_kernels(struct doctor_report *r, const struct kernel_list *l)
{
	struct strvec damaged = STRVEC_INIT;

	for (size_t i = 0; i < l->n; i++)
		check_kernel(r, l->k[i]);
	kernel_list_damaged(&damaged);
	for (size_t i = 0; i < damaged.n; i++) {
		char *name = xstrfmt("kernel %s", damaged.v[i]);

		set_detail(add(r, name, "kernel to build for"), DOCTOR_BAD,
			   "its record is damaged; run: kport kernel remove %s", damaged.v[i]);
		free(name);
	}
	if (!l->n && !damaged.n)
		set_detail(add(r, "kernels", "kernels to build for"), DOCTOR_NOTE,
			   "none yet; run: kport kernel add 6.12");
	strvec_release(&damaged);
}

static void check_mirror(struct doctor_report *r)
{
	struct doctor_item *it =
		add(r, "debian mirror", "where 'kernel add VERSION' gets packages");
	struct strvec mirrors = STRVEC_INIT;
	struct strbuf why = STRBUF_INIT;
	char *apt = child_which("apt-config");

	if (!apt)
		set_detail(it, DOCTOR_NOTE, "apt is not installed");
	else if (apt_mirrors(&mirrors, &why) < 0)
		set_detail(it, DOCTOR_NOTE, "%s", why.buf);
	else if (!apt_keyring()) {
		it->package = "debian-archive-keyring";
		set_detail(it, DOCTOR_NOTE, "the keys of Debian's archive are not installed");
	}
	strvec_release(&mirrors);
	strbuf_release(&why);
	free(apt);
}

/* ---- the machine ----------------------------------------------------------- */

static void check_disk(struct doctor_report *r)
{
	char *cache = kport_cache_dir();
	struct doctor_item *it =
		add(r, "disk", "cache: 0.5 GiB a kernel, 2.5 GiB with image and source");
	double room = disk_free(cache) / GIB;

	it->version = xstrfmt("%.1f GiB", room);
	if (room < 1)
		set_detail(it, DOCTOR_BAD,
			   "too little is free in '%s'; set KPORT_CACHE_HOME to another disk",
			   cache);
	else if (room < 8)
		set_detail(it, DOCTOR_NOTE, "two kernels with image and source do not fit in '%s'",
			   cache);
	free(cache);
}

static double memory_available(void)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	double kib = -1;
	const char *p;

	if (file_read("/proc/meminfo", 1 << 16, &text, &ignored) == 0 &&
	    (p = strstr(text.buf, "MemAvailable:")))
		kib = strtod(p + strlen("MemAvailable:"), NULL);
	strbuf_release(&text);
	strbuf_release(&ignored);
	return kib * 1024 / GIB;
}

static void check_memory(struct doctor_report *r)
{
	struct doctor_item *it = add(r, "memory", "builds and machines");
	double gib = memory_available();

	if (gib < 0) {
		set_detail(it, DOCTOR_NOTE, "/proc/meminfo does not say how much is available");
		return;
	}
	it->version = xstrfmt("%.1f GiB", gib);
	if (gib < 1)
		set_detail(it, DOCTOR_BAD, "a machine and a build need 1 GiB");
	else if (gib < 2)
		set_detail(it, DOCTOR_NOTE, "tight: 2 GiB are better");
}

/* ---- the whole ------------------------------------------------------------- */

void doctor_run(struct doctor_report *r)
{
	struct kernel_list kernels = { 0 };
	struct strbuf why = STRBUF_INIT;

	check_compiler(r);
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		check_tool(r, &tools[i]);
	check_scripts(r);
	check_busybox(r);
	check_sandbox(r);
	check_libvirt(r);
	if (kernel_list(&kernels, &why) < 0)
		set_detail(add(r, "kernels", "kernels to build for"), DOCTOR_BAD, "%s", why.buf);
	check_kvm(r, &kernels);
	check_kernels(r, &kernels);
	check_mirror(r);
	check_disk(r);
	check_memory(r);
	kernel_list_release(&kernels);
	strbuf_release(&why);
}

void doctor_report_release(struct doctor_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].name);
		free(r->items[i].version);
		free(r->items[i].purpose);
		free(r->items[i].detail);
	}
	free(r->items);
	*r = (struct doctor_report){ 0 };
}

bool doctor_report_good(const struct doctor_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].status == DOCTOR_BAD)
			return false;
	return true;
}

char *doctor_install_command(const struct doctor_report *r)
{
	struct strvec packages = STRVEC_INIT;
	struct strbuf cmd = STRBUF_INIT;

	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].package && !strvec_contains(&packages, r->items[i].package))
			strvec_push(&packages, r->items[i].package);
	if (packages.n) {
		strbuf_addf(&cmd, "%sapt-get install -y", geteuid() ? "sudo " : "");
		for (size_t i = 0; i < packages.n; i++)
			strbuf_addf(&cmd, " %s", packages.v[i]);
	}
	strvec_release(&packages);
	return cmd.len ? strbuf_detach(&cmd, NULL) : NULL;
}

const char *doctor_status_name(enum doctor_status s)
{
	static const char *const names[] = { "ok", "note", "bad" };

	return names[s];
}

const char *const *doctor_packages(void)
{
	static const char *list[ARRAY_SIZE(tools) + 7];
	static const char *const more[] = { "gcc-12", "busybox-static", "bubblewrap",
					    "libvirt-daemon-system", "debian-archive-keyring",
					    "libpython3.11" };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		list[n++] = tools[i].package;
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		list[n++] = more[i];
	return list;
}
