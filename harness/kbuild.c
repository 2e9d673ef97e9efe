// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"
#include "harness/capture.h"
#include "harness/sandbox.h"

#define OUTPUT_CAP (64ULL << 20)
#define MAX_MAKE_ERRORS 50
#define TAIL_BYTES 4000
#define FULL_BYTES (64u << 10)

/* State of one build. */
struct build {
	struct driver *d;
	const struct kernel *k;
	const struct kbuild_opts *opts;
	struct kbuild_result *out;
	char *commands, *log;
	struct strmap before; /* relative path -> mtime in ns + 1 for .ko, 1 otherwise */
	struct strbuf output, blame;
};

static void push_unique(struct strvec *v, const char *s)
{
	if (s && !strvec_contains(v, s))
		strvec_push(v, s);
}

int kbuild_sandbox(const struct kernel *k, const char *tree, const char *log_dir, struct sandbox *sb,
		   struct strbuf *err)
{
	char *libexec = kport_libexec_path("kport-cc"), *shims = NULL, *commands = NULL;
	int ret = 0;

	push_unique(&sb->ro, k->build_dir);
	push_unique(&sb->ro, k->common_dir);
	for (size_t i = 0; i < k->roots.n; i++)
		push_unique(&sb->ro, k->roots.v[i]);
	if (tree)
		strvec_push(&sb->rw, tree);
	if (!log_dir)
		goto out;
	if (strchr(log_dir, ':')) {
		ret = kp_fail(err, KP_ERR, "'%s' cannot hold the logs of a build: PATH cannot name a directory "
			      "with ':'; choose another one", log_dir);
		goto out;
	}
	shims = path_join(log_dir, "shims");
	commands = path_join(log_dir, "commands");
	ret = file_remove(commands, err);
	if (!ret)
		ret = file_mkdirs(commands, err);
	if (!ret)
		ret = capture_make_shims(shims, k, err);
	if (ret < 0)
		goto out;
	strvec_push(&sb->ro, shims);
	push_unique(&sb->ro, libexec);
	strvec_push(&sb->rw, commands);
	strvec_push(&sb->path_prefix, shims);
	strvec_pushf(&sb->env, "KPORT_CAPTURE_DIR=%s", commands);
	strvec_pushf(&sb->env, "KPORT_KERNEL_RELEASE=%s", k->release);
	strvec_pushl(&sb->env, "KBUILD_BUILD_USER=kport", "KBUILD_BUILD_HOST=kport",
		     "KBUILD_BUILD_TIMESTAMP=1970-01-01", NULL);
	strvec_push(&sb->symlinks, k->build_dir);
	strvec_pushf(&sb->symlinks, "/lib/modules/%s/build", k->release);
	strvec_push(&sb->symlinks, k->common_dir ? k->common_dir : k->build_dir);
	strvec_pushf(&sb->symlinks, "/lib/modules/%s/source", k->release);
out:
	free(libexec);
	free(shims);
	free(commands);
	return ret;
}

static int jobs_of(const struct kbuild_opts *o)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return o->jobs > 0 ? o->jobs : n > 0 ? (int)n : 1;
}

/* Variables that every make of this build gets. */
static void push_variables(const struct build *b, struct strvec *v)
{
	strvec_pushv(v, b->k->make_vars.v);
	strvec_pushv(v, b->d->make_vars.v);
	if (b->opts->extra_make)
		strvec_pushv(v, b->opts->extra_make->v);
	if (b->opts->no_modpost_errors)
		strvec_push(v, "KBUILD_MODPOST_WARN=1");
}

/* The names under which Makefiles out there expect the kernel. */
static void push_kernel_names(const struct kernel *k, struct strvec *v)
{
	static const char *const dirs[] = { "KERNELDIR", "KDIR", "KSRC", "KERNEL_DIR", "KERNEL_SRC", "KERNEL_PATH",
					    "KERNELPATH", "KERNEL_SOURCE", "KERNEL_BUILD", "KERNEL_SOURCES",
					    "KERN_DIR", "KBUILD_DIR", "LINUX_SRC", "KLIB_BUILD", "KERNEL_SOURCE_DIR",
					    "SYSSRC", "KBUILD" };
	static const char *const releases[] = { "KVER", "KVERSION", "KERNEL_VERSION", "KERNEL_VER",
						"KERNELVER", "kernelver", "KERNEL_UNAME", "TARGET_KERNEL" };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		strvec_pushf(v, "%s=%s", dirs[i], k->build_dir);
	for (size_t i = 0; i < ARRAY_SIZE(releases); i++)
		strvec_pushf(v, "%s=%s", releases[i], k->release);
}

static void push_jobs(const struct build *b, struct strvec *argv)
{
	strvec_pushf(argv, "-j%d", jobs_of(b->opts));
	if (b->opts->keep_going)
		strvec_push(argv, "-k");
}

/* make -C KERNEL M=DIRECTORY modules */
static void plain_command(const struct build *b, struct strvec *argv)
{
	const char *sub = b->d->kbuild_subdir ? b->d->kbuild_subdir : "";

	strvec_pushl(argv, "make", "-C", b->k->build_dir, NULL);
	strvec_pushf(argv, "M=%s%s%s", b->d->tree, *sub ? "/" : "", sub);
	push_jobs(b, argv);
	strvec_push(argv, "modules");
	push_variables(b, argv);
}

static void own_command(const struct build *b, struct strvec *argv)
{
	strvec_push(argv, "make");
	push_jobs(b, argv);
	if (b->d->make_target)
		strvec_push(argv, b->d->make_target);
	push_kernel_names(b->k, argv);
	push_variables(b, argv);
}

/*
 * A shell command of dkms.conf. Its makes take jobs, -k and variables from
 * MAKEFLAGS, which counts as their command line.
 */
static char *makeflags(const struct build *b)
{
	struct strvec vars = STRVEC_INIT;
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "MAKEFLAGS=%s -j%d --", b->opts->keep_going ? "k" : "", jobs_of(b->opts));
	push_variables(b, &vars);
	for (size_t i = 0; i < vars.n; i++) {
		strbuf_addch(&sb, ' ');
		for (const char *p = vars.v[i]; *p; p++) {
			if (*p == ' ' || *p == '\\')
				strbuf_addch(&sb, '\\');
			if (*p == '$')
				strbuf_addch(&sb, '$');
			strbuf_addch(&sb, *p);
		}
	}
	strvec_release(&vars);
	return strbuf_detach(&sb, NULL);
}

static void note_tree(struct build *b, const struct strvec *files)
{
	for (size_t i = 0; i < files->n; i++) {
		uintptr_t stamp = 1;

		if (ends_with(files->v[i], ".ko")) {
			char *path = path_join(b->d->tree, files->v[i]);
			struct stat st;

			if (lstat(path, &st) == 0)
				stamp = (uintptr_t)((uint64_t)st.st_mtim.tv_sec * 1000000000 +
						    (uint64_t)st.st_mtim.tv_nsec) | 1;
			free(path);
		}
		strmap_put(&b->before, files->v[i], (void *)stamp);
	}
}

static int look_before(struct build *b, struct strbuf *err)
{
	struct strvec files = STRVEC_INIT;
	int ret = file_list(b->d->tree, &files, err);

	if (!ret)
		note_tree(b, &files);
	strvec_release(&files);
	return ret;
}

static int run_command(struct build *b, struct child *c, struct sandbox *sb, struct strbuf *err)
{
	double wall = b->opts->wall_seconds > 0 ? b->opts->wall_seconds : 600;
	int ret;

	c->dir = b->d->tree;
	c->out = &b->output;
	c->err_to_out = true;
	c->limits.wall_seconds = wall;
	c->limits.output_bytes = OUTPUT_CAP;
	c->log_fd = open(b->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (c->log_fd < 0)
		return kp_fail_errno(err, "cannot write '%s'", b->log);
	b->output.max = OUTPUT_CAP;
	sb->blame = &b->blame;
	ret = sandbox_run(sb, c, &b->out->child, err);
	close(c->log_fd);
	if (ret < 0)
		return ret;
	if (b->out->child.kind == CHILD_INTERRUPTED)
		return kp_fail(err, KP_INTERRUPTED, "interrupted while building '%s'", b->d->name);
	if (b->out->child.kind == CHILD_TIMEOUT)
		strbuf_addf(&b->blame, "it did not end within %.0f s", wall);
	else if (b->out->child.kind == CHILD_OUTPUT_CAP)
		strbuf_addf(&b->blame, "it printed more than %llu MiB", OUTPUT_CAP >> 20);
	return 0;
}

/*
 * What DKMS does: the PRE_BUILD script of the package, then MAKE, which gets the
 * release as the first argument when it is a plain make.
 */
static void dkms_command(const struct build *b, struct strvec *argv)
{
	const struct driver *d = b->d;
	struct strbuf text = STRBUF_INIT;
	char *command = d->make_command ? driver_dkms_command(d, d->make_command) : NULL;
	char *pre = d->pre_build ? driver_dkms_command(d, d->pre_build) : NULL;
	const char *rest;

	if (pre)
		strbuf_addf(&text, "./%s\n", pre);
	if (!command)
		strbuf_addstr(&text, "exec \"$@\"\n");
	else if (skip_prefix(command, "make", &rest) && (!*rest || *rest == ' '))
		strbuf_addf(&text, "make KERNELRELEASE=%s%s\n", b->k->release, rest);
	else
		strbuf_addf(&text, "%s\n", command);
	strvec_pushl(argv, "bash", "-c", text.buf, "dkms", NULL);
	if (!command)
		plain_command(b, argv);
	free(command);
	free(pre);
	strbuf_release(&text);
}

/* Variables that scripts of packages expect from DKMS. */
static void dkms_environment(const struct build *b, struct sandbox *sb)
{
	strvec_push_nodup(&sb->env, makeflags(b));
	strvec_pushf(&sb->env, "kernelver=%s", b->k->release);
	strvec_pushf(&sb->env, "kernel_source_dir=%s", b->k->build_dir);
	strvec_pushf(&sb->env, "arch=%s", b->k->arch);
	strvec_pushf(&sb->env, "module=%s", b->d->name);
	strvec_pushf(&sb->env, "module_version=%s", b->d->version ? b->d->version : "0");
	strvec_push(&sb->env, "dkms_tree=/var/lib/dkms");
	strvec_push(&sb->env, "source_tree=/usr/src");
	if (!path_is_safe(b->d->name) || (b->d->version && !path_is_safe(b->d->version)))
		return;
	strvec_push(&sb->symlinks, b->d->tree);
	strvec_pushf(&sb->symlinks, "/var/lib/dkms/%s/%s/build", b->d->name,
		     b->d->version ? b->d->version : "0");
}

static int run_make(struct build *b, struct strbuf *err)
{
	struct sandbox sb = SANDBOX_INIT;
	struct child c = CHILD_INIT;
	int ret = kbuild_sandbox(b->k, b->d->tree, b->opts->log_dir, &sb, err);

	if (ret < 0)
		goto out;
	if (b->d->kind == DRIVER_DKMS) {
		dkms_environment(b, &sb);
		dkms_command(b, &c.argv);
	} else if (b->d->own_makefile) {
		own_command(b, &c.argv);
	} else {
		plain_command(b, &c.argv);
	}
	ret = run_command(b, &c, &sb, err);
out:
	child_release(&c);
	sandbox_release(&sb);
	return ret;
}

static bool is_make_error(const char *line)
{
	return (starts_with(line, "make") && strstr(line, "***")) || starts_with(line, "ERROR: ") ||
	       (strstr(line, "*** ") && strstr(line, "Stop.")) || strstr(line, "command not found") ||
	       strstr(line, "No rule to make target") || strstr(line, "bwrap: ") == line;
}

static void read_output(struct build *b)
{
	char *p = b->output.buf, *end = p + b->output.len;

	while (p < end) {
		char *nl = memchr(p, '\n', end - p);

		if (nl)
			*nl = '\0';
		if (diag_parse_modpost(p, &b->out->modpost))
			;
		else if (is_make_error(p) && b->out->make_errors.n < MAX_MAKE_ERRORS)
			strvec_push(&b->out->make_errors, p);
		if (!nl)
			break;
		*nl = '\n';
		p = nl + 1;
	}
	p = b->output.buf + (b->output.len > TAIL_BYTES ? b->output.len - TAIL_BYTES : 0);
	b->out->tail = xstrdup(p);
}

static bool is_generated(struct build *b, const char *source)
{
	const char *rel = path_inside(b->d->tree, source);

	return !rel || !strmap_has(&b->before, rel);
}

static bool has_failure(const struct diag_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (diag_is_failure(&l->d[i]))
			return true;
	return false;
}

/*
 * Configure-style probes compile small files of their own and live with errors.
 * When nothing else explains a failed build, what is still there is no probe.
 */
static void mark_probes(struct build *b)
{
	struct kbuild_result *r = b->out;
	bool explained = child_ok(&r->child), failed;

	for (size_t i = 0; i < r->nunits; i++) {
		struct kbuild_unit *u = &r->units[i];

		failed = u->exit_code || has_failure(&u->raw);
		u->probe = failed && is_generated(b, u->source);
		explained |= failed && !u->probe;
	}
	for (size_t i = 0; i < r->nunits && !explained; i++)
		r->units[i].probe &= !file_exists(r->units[i].source);
}

/* Units of Kbuild itself that went well say nothing about the driver. */
static void drop_kbuild_units(struct build *b)
{
	struct kbuild_result *r = b->out;
	size_t n = 0;

	for (size_t i = 0; i < r->nunits; i++) {
		struct kbuild_unit *u = &r->units[i];

		if (!u->exit_code && !u->raw.n &&
		    (ends_with(u->source, ".mod.c") || !path_inside(b->d->tree, u->source)))
			kbuild_unit_release(u);
		else
			r->units[n++] = *u;
	}
	r->nunits = n;
}

static bool is_new_module(struct build *b, const char *rel)
{
	char *path = path_join(b->d->tree, rel);
	uintptr_t old = (uintptr_t)strmap_get(&b->before, rel), stamp = 0;
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		stamp = (uintptr_t)((uint64_t)st.st_mtim.tv_sec * 1000000000 +
				    (uint64_t)st.st_mtim.tv_nsec) | 1;
	free(path);
	return stamp && stamp != old;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kbuild_module *)a)->name, ((const struct kbuild_module *)b)->name);
}

static int find_modules(struct build *b, struct strbuf *err)
{
	struct strvec files = STRVEC_INIT;
	struct kbuild_result *r = b->out;
	int ret = file_list(b->d->tree, &files, err);

	for (size_t i = 0; i < files.n && !ret; i++) {
		const char *base = path_base(files.v[i]);
		struct kbuild_module *m;

		if (!ends_with(base, ".ko") || !is_new_module(b, files.v[i]))
			continue;
		r->modules = xrealloc(r->modules, (r->nmodules + 1) * sizeof(*r->modules));
		m = &r->modules[r->nmodules++];
		m->name = xstrndup(base, strlen(base) - 3);
		m->path = path_join(b->d->tree, files.v[i]);
	}
	if (r->nmodules)
		sort_items(r->modules, r->nmodules, sizeof(*r->modules), by_name);
	strvec_release(&files);
	return ret;
}

static bool has_module(const struct kbuild_result *r, const char *name)
{
	for (size_t i = 0; i < r->nmodules; i++)
		if (!strcmp(r->modules[i].name, name))
			return true;
	return false;
}

/* A directory of the kernel makes modules by configuration: those are not promised. */
static void find_missing(struct build *b)
{
	const struct driver *d = b->d;

	if (d->kind == DRIVER_INTREE && !ends_with(d->intree_path, ".c"))
		return;
	for (size_t i = 0; i < d->nmodules; i++)
		if (!has_module(b->out, d->modules[i].name))
			strvec_push(&b->out->missing, d->modules[i].name);
}

/* What it left in its two directories. */
static int read_results(struct build *b, struct strbuf *err)
{
	int ret = file_open_dirs(b->d->tree, err);

	if (!ret)
		ret = file_open_dirs(b->commands, err);
	if (!ret)
		ret = capture_read(b->commands, b->d->tree, &b->out->units, &b->out->nunits, err);
	if (!ret) {
		mark_probes(b);
		drop_kbuild_units(b);
		ret = find_modules(b, err);
		find_missing(b);
	}
	return ret;
}

static int collect(struct build *b, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret;

	read_output(b);
	ret = read_results(b, &why);
	/* A build that was stopped may leave what cannot be read; the blame says enough. */
	if (ret == KP_ERR && b->blame.len)
		ret = 0;
	else if (ret < 0)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	if (b->blame.len)
		b->out->blame = strbuf_detach(&b->blame, NULL);
	b->out->log = xstrdup(b->log);
	return ret;
}

/* A build that failed on a full disk says nothing about the driver. */
static int check_space(const struct build *b, struct strbuf *err)
{
	const char *dirs[] = { b->d->tree, b->opts->log_dir };
	struct statvfs fs;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !kbuild_built(b->out) && !b->out->blame; i++)
		if (!statvfs(dirs[i], &fs) && (uint64_t)fs.f_bavail * fs.f_frsize < FULL_BYTES)
			return kp_fail(err, KP_INFRA, "the build failed with no space left in '%s'", dirs[i]);
	return 0;
}

int kbuild_run(struct driver *d, const struct kernel *k, const struct kbuild_opts *opts,
	       struct kbuild_result *out, struct strbuf *err)
{
	struct build b = { .d = d, .k = k, .opts = opts, .out = out, .before = STRMAP_INIT,
			   .output = STRBUF_INIT, .blame = STRBUF_INIT };
	int ret;

	memset(out, 0, sizeof(*out));
	strvec_init(&out->make_errors);
	strvec_init(&out->missing);
	b.commands = path_join(opts->log_dir, "commands");
	b.log = path_join(opts->log_dir, "build.log");
	ret = file_mkdirs(opts->log_dir, err);
	if (!ret)
		ret = file_remove(b.log, err);
	if (!ret)
		ret = driver_dkms_configure(d, k, err);
	if (!ret)
		ret = look_before(&b, err);
	if (!ret)
		ret = run_make(&b, err);
	if (!ret)
		ret = collect(&b, err);
	if (!ret)
		ret = check_space(&b, err);
	if (ret < 0)
		kbuild_result_release(out);
	free(b.commands);
	free(b.log);
	strmap_release(&b.before, NULL);
	strbuf_release(&b.output);
	strbuf_release(&b.blame);
	return ret;
}

void kbuild_result_release(struct kbuild_result *r)
{
	for (size_t i = 0; i < r->nunits; i++)
		kbuild_unit_release(&r->units[i]);
	for (size_t i = 0; i < r->nmodules; i++) {
		free(r->modules[i].name);
		free(r->modules[i].path);
	}
	free(r->units);
	free(r->modules);
	diag_list_release(&r->modpost);
	strvec_release(&r->make_errors);
	strvec_release(&r->missing);
	free(r->log);
	free(r->tail);
	free(r->blame);
	memset(r, 0, sizeof(*r));
	strvec_init(&r->make_errors);
	strvec_init(&r->missing);
}

static bool has_error(const struct diag_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->d[i].level >= DIAG_ERROR)
			return true;
	return false;
}

bool kbuild_built(const struct kbuild_result *r)
{
	if (!child_ok(&r->child) || r->blame || !r->nmodules || r->missing.n || has_error(&r->modpost))
		return false;
	for (size_t i = 0; i < r->nunits; i++)
		if (!r->units[i].probe && (r->units[i].exit_code || has_error(&r->units[i].raw)))
			return false;
	return true;
}

bool kbuild_succeeded(const struct kbuild_result *r)
{
	if (!kbuild_built(r) || has_failure(&r->modpost))
		return false;
	for (size_t i = 0; i < r->nunits; i++)
		if (!r->units[i].probe && has_failure(&r->units[i].raw))
			return false;
	return true;
}

int kbuild_recheck(const struct kbuild_unit *u, const struct kernel *k, const char *tree, bool full,
		   const struct strvec *extra, struct diag_list *out, int *exit_code,
		   struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT, blame = STRBUF_INIT;
	struct sandbox sb = SANDBOX_INIT;
	struct diag_list raw = { 0 };
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	int ret = kbuild_sandbox(k, NULL, NULL, &sb, err);

	if (ret < 0)
		goto out;
	strvec_push(&sb.ro, tree);
	sb.blame = &blame;
	capture_check_argv(u, full, &c.argv);
	if (extra)
		strvec_pushv(&c.argv, extra->v);
	c.dir = u->cwd;
	c.err = &text;
	c.discard = true;
	c.limits.wall_seconds = 120;
	ret = sandbox_run(&sb, &c, &r, err);
	if (ret < 0)
		goto out;
	if (r.kind == CHILD_INTERRUPTED) {
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted while checking '%s'", u->source);
		goto out;
	}
	*exit_code = r.kind == CHILD_EXITED ? r.code : 128 + 9;
	capture_parse(text.buf, text.len, u->cwd, tree, *exit_code, &raw);
	diag_fold(&raw, out);
out:
	diag_list_release(&raw);
	child_release(&c);
	sandbox_release(&sb);
	strbuf_release(&text);
	strbuf_release(&blame);
	return ret;
}

int kbuild_object(const struct kbuild_unit *u, const struct kernel *k, const char *tree,
		  const struct strvec *extra, const char *out_dir, char **object, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT, blame = STRBUF_INIT;
	struct sandbox sb = SANDBOX_INIT;
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	char *made = NULL;
	int ret = file_mkdirs(out_dir, err);

	if (!ret)
		ret = kbuild_sandbox(k, NULL, NULL, &sb, err);
	if (!ret)
		ret = file_mkdtemp(out_dir, "unit-", &made, err);
	if (ret < 0)
		goto out;
	strvec_push(&sb.ro, tree);
	strvec_push(&sb.rw, made);
	sb.blame = &blame;
	capture_check_argv(u, true, &c.argv);
	strvec_pushv(&c.argv, extra->v);
	*object = path_join(made, "unit.o");
	strvec_pushl(&c.argv, "-o", *object, NULL);
	c.dir = u->cwd;
	c.err = &text;
	c.discard = true;
	c.limits.wall_seconds = 120;
	ret = sandbox_run(&sb, &c, &r, err);
	if (!ret && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted while compiling '%s'", u->source);
	else if (!ret && !child_ok(&r))
		ret = kp_fail(err, KP_ERR, "'%s' does not compile again: %.200s", u->source,
			      blame.len ? blame.buf : text.buf);
	if (ret < 0) {
		free(*object);
		*object = NULL;
	}
out:
	child_release(&c);
	sandbox_release(&sb);
	strbuf_release(&text);
	strbuf_release(&blame);
	free(made);
	return ret;
}
