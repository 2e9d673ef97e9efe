// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include <dirent.h>
#include <sys/stat.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/sandbox.h"
#include "harness/sandbox-filter.h"
#include "harness/sandbox-pids.h"
#include "harness/sandbox-watch.h"

#define SYSTEM_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define TMP_BYTES (1ULL << 30)
#define PIDS_SLACK 64 /* room for the watcher to see that there are too many */

static bool disabled;

void sandbox_disable(void)
{
	disabled = true;
}

bool sandbox_is_disabled(void)
{
	return disabled;
}

void sandbox_release(struct sandbox *sb)
{
	strvec_release(&sb->ro);
	strvec_release(&sb->binds);
	strvec_release(&sb->rw);
	strvec_release(&sb->symlinks);
	strvec_release(&sb->path_prefix);
	strvec_release(&sb->env);
}

static void add_path(const struct sandbox *sb, struct strbuf *out)
{
	for (size_t i = 0; i < sb->path_prefix.n; i++)
		strbuf_addf(out, "%s:", sb->path_prefix.v[i]);
	strbuf_addstr(out, SYSTEM_PATH);
}

/* What the child finds in its environment, as NAME=value. */
static void environment(const struct sandbox *sb, struct strvec *out)
{
	struct strbuf path = STRBUF_INIT;

	add_path(sb, &path);
	strvec_pushf(out, "PATH=%s", path.buf);
	strvec_pushl(out, "HOME=/tmp", "TMPDIR=/tmp", "LC_ALL=C", "TERM=dumb", "USER=kport",
		     "LOGNAME=kport", NULL);
	strvec_pushv(out, sb->env.v);
	strbuf_release(&path);
}

static void push_environment(const struct sandbox *sb, struct strvec *argv)
{
	struct strvec env = STRVEC_INIT;

	environment(sb, &env);
	strvec_push(argv, "--clearenv");
	for (size_t i = 0; i < env.n; i++) {
		const char *eq = strchr(env.v[i], '=');
		char *name;

		if (!eq)
			continue;
		name = xstrndup(env.v[i], eq - env.v[i]);
		strvec_pushl(argv, "--setenv", name, eq + 1, NULL);
		free(name);
	}
	strvec_release(&env);
}

/* A top directory of the system: a link into /usr on merged systems. */
static void push_system_dir(const char *path, struct strvec *argv)
{
	char target[256];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n > 0) {
		target[n] = '\0';
		strvec_pushl(argv, "--symlink", target, path, NULL);
	} else if (file_is_dir(path)) {
		strvec_pushl(argv, "--ro-bind", path, path, NULL);
	}
}

/*
 * /lib as a directory of our own with a link for each of its entries, so that
 * /lib/modules can be ours although /usr is read-only.
 */
static int push_lib_of_links(struct strvec *argv, struct strbuf *err)
{
	DIR *d = opendir("/usr/lib");
	struct dirent *e;

	if (!d)
		return kp_fail_errno(err, "cannot read '/usr/lib'");
	strvec_pushl(argv, "--dir", "/lib", "--dir", "/lib/modules", NULL);
	while ((e = readdir(d)) != NULL) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, "modules"))
			continue;
		strvec_push(argv, "--symlink");
		strvec_pushf(argv, "/usr/lib/%s", e->d_name);
		strvec_pushf(argv, "/lib/%s", e->d_name);
	}
	closedir(d);
	return 0;
}

static bool wants_own_lib(const struct sandbox *sb)
{
	struct stat st;

	if (lstat("/lib", &st) < 0 || !S_ISLNK(st.st_mode))
		return false;
	for (size_t i = 1; i < sb->symlinks.n; i += 2)
		if (starts_with(sb->symlinks.v[i], "/lib/"))
			return true;
	return false;
}

static int push_system(const struct sandbox *sb, struct strvec *argv, struct strbuf *err)
{
	static const char *const top[] = { "/bin", "/sbin", "/lib64", "/lib32", "/libx32" };
	/* Files that the tool chain reads; nothing that holds accounts or secrets. */
	static const char *const etc[] = { "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf",
					   "/etc/ld.so.conf.d", "/etc/os-release",
					   "/etc/debian_version" };

	strvec_pushl(argv, "--ro-bind", "/usr", "/usr", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(top); i++)
		push_system_dir(top[i], argv);
	for (size_t i = 0; i < ARRAY_SIZE(etc); i++)
		strvec_pushl(argv, "--ro-bind-try", etc[i], etc[i], NULL);
	strvec_pushl(argv, "--proc", "/proc", "--dev", "/dev", NULL);
	strvec_push(argv, "--size");
	strvec_pushf(argv, "%llu", (unsigned long long)TMP_BYTES);
	strvec_pushl(argv, "--tmpfs", "/tmp", NULL);
	if (wants_own_lib(sb))
		return push_lib_of_links(argv, err);
	push_system_dir("/lib", argv);
	return 0;
}

static int push_binds(const struct strvec *paths, const char *how, struct strvec *argv,
		      struct strbuf *err)
{
	for (size_t i = 0; i < paths->n; i++) {
		char *real = file_realpath(paths->v[i]);

		if (paths->v[i][0] != '/' || !real) {
			kp_fail(err, KP_INFRA, "the sandbox needs '%s', which does not exist", paths->v[i]);
			free(real);
			return KP_INFRA;
		}
		strvec_pushl(argv, how, real, paths->v[i], NULL);
		free(real);
	}
	return 0;
}

int sandbox_prefix(const struct sandbox *sb, const char *dir, int filter_fd, struct strvec *argv,
		   struct strbuf *err)
{
	int ret;

	if (disabled) {
		struct strvec env = STRVEC_INIT;

		environment(sb, &env);
		strvec_pushl(argv, "env", "-i", "-C", dir ? dir : "/", NULL);
		strvec_pushv(argv, env.v);
		strvec_release(&env);
		return 0;
	}
	strvec_pushl(argv, "bwrap", "--unshare-all", "--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop",
		     "ALL", "--hostname", sb->hostname ? sb->hostname : "kport", NULL);
	if (filter_fd >= 0) {
		strvec_push(argv, "--seccomp");
		strvec_pushf(argv, "%d", filter_fd);
	}
	push_environment(sb, argv);
	ret = push_system(sb, argv, err);
	if (!ret)
		ret = push_binds(&sb->ro, "--ro-bind", argv, err);
	if (!ret)
		ret = push_binds(&sb->rw, "--bind", argv, err);
	if (ret < 0)
		return ret;
	for (size_t i = 0; i + 1 < sb->binds.n; i += 2)
		strvec_pushl(argv, "--ro-bind", sb->binds.v[i], sb->binds.v[i + 1], NULL);
	for (size_t i = 0; i + 1 < sb->symlinks.n; i += 2)
		strvec_pushl(argv, "--symlink", sb->symlinks.v[i], sb->symlinks.v[i + 1], NULL);
	/*
	 * Root's sandbox is root of the machine to /proc/sys, which asks for no capability: core_pattern
	 * is a command that the kernel runs outside.
	 */
	strvec_pushl(argv, "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", dir ? dir : "/", "--", NULL);
	return 0;
}

/* Only where the kernel has no filters a sandbox goes without; doctor tells. */
static int open_filter(struct child *c, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int fd = disabled ? KP_NOTFOUND : sandbox_filter_open(&why);

	if (fd >= 0)
		c->keep_fd = fd;
	else if (fd != KP_NOTFOUND)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	return fd < 0 && fd != KP_NOTFOUND ? fd : 0;
}

/* "-1" for the prefix when there is none. */
static int filter_of(const struct child *c)
{
	return c->keep_fd > 2 ? c->keep_fd : -1;
}

static void close_filter(struct child *c)
{
	if (c->keep_fd > 2)
		close(c->keep_fd);
	c->keep_fd = 0;
}

static void set_limits(const struct sandbox *sb, struct child_limits *l)
{
	if (!l->memory_bytes)
		l->memory_bytes = sb->max_memory_bytes ? sb->max_memory_bytes : 8ULL << 30;
	if (!l->file_bytes)
		l->file_bytes = sb->max_file_bytes ? sb->max_file_bytes : 2ULL << 30;
}

/* bwrap itself failed before the program inside was started. */
static bool is_setup_failure(const struct child_result *r, const struct strbuf *text)
{
	return r->kind == CHILD_EXITED && r->code == 1 && text && starts_with(text->buf, "bwrap: ");
}

static int run_prefixed(const struct sandbox *sb, struct child *c, struct child_result *r,
			struct strbuf *err)
{
	struct child_handle *h;
	struct sandbox_watch *w;
	struct strvec argv = c->argv;
	char *group = sandbox_pids_make(sandbox_max_processes(sb) + PIDS_SLACK);
	int ret;

	if (group) {
		strvec_init(&c->argv);
		strvec_pushl(&c->argv, "/bin/sh", "-c",
			     "echo $$ 2>/dev/null >\"$0/cgroup.procs\"; exec \"$@\"", group, NULL);
		strvec_pushv(&c->argv, (const char *const *)argv.v);
	}
	ret = child_start(c, &h, err);
	if (ret == 0) {
		w = sandbox_watch_start(sb, child_pid(h));
		ret = child_finish(h, r, err);
		sandbox_watch_stop(w, sb->blame);
	}
	if (group) {
		strvec_release(&c->argv);
		c->argv = argv;
		sandbox_pids_leave(group);
	}
	return ret;
}

static void push_process_limit(const struct sandbox *sb, struct strvec *argv)
{
	uint64_t limit = disabled ? 0 : sandbox_pids_rlimit(sandbox_max_processes(sb) + PIDS_SLACK);

	if (!limit)
		return;
	strvec_push(argv, "/usr/bin/prlimit");
	strvec_pushf(argv, "--nproc=%" PRIu64, limit);
	strvec_push(argv, "--");
}

int sandbox_run(const struct sandbox *sb, struct child *c, struct child_result *r,
		struct strbuf *err)
{
	struct child inner = *c;
	const struct strbuf *text;
	int ret = 0;

	if (!disabled)
		ret = sandbox_probe(err);
	strvec_init(&inner.argv);
	strvec_init(&inner.env);
	inner.dir = NULL;
	inner.keep_fd = 0;
	if (!ret)
		ret = open_filter(&inner, err);
	if (!ret)
		ret = sandbox_prefix(sb, c->dir, filter_of(&inner), &inner.argv, err);
	if (ret < 0)
		goto out;
	push_process_limit(sb, &inner.argv);
	strvec_pushv(&inner.argv, c->argv.v);
	set_limits(sb, &inner.limits);
	ret = run_prefixed(sb, &inner, r, err);
	if (ret < 0)
		goto out;
	text = c->err ? c->err : c->err_to_out ? c->out : NULL;
	if (!disabled && is_setup_failure(r, text))
		ret = kp_fail(err, KP_INFRA, "the sandbox could not be set up: %.*s",
			      (int)strcspn(text->buf, "\n"), text->buf);
out:
	close_filter(&inner);
	strvec_release(&inner.argv);
	strvec_release(&inner.env);
	return ret;
}

int sandbox_probe(struct strbuf *err)
{
	static int state; /* 0: not tried, 1: works, 2: does not */
	static char *why;
	struct sandbox sb = SANDBOX_INIT;
	struct strbuf text = STRBUF_INIT, start_err = STRBUF_INIT;
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };

	if (state == 1)
		return 0;
	if (state == 2)
		return kp_fail(err, KP_INFRA, "%s", why);
	c.out = &text;
	c.err_to_out = true;
	c.limits.wall_seconds = 20;
	text.max = 4096;
	if (open_filter(&c, &start_err) == 0 &&
	    sandbox_prefix(&sb, "/", filter_of(&c), &c.argv, &start_err) == 0) {
		strvec_push(&c.argv, "/usr/bin/true");
		if (child_run(&c, &r, &start_err) == 0 && child_ok(&r))
			state = 1;
	}
	if (state != 1 && child_interrupted()) {
		kp_fail(err, KP_INTERRUPTED, "interrupted");
	} else if (state != 1) {
		state = 2;
		why = xstrfmt("no sandbox: %.*s; install 'bubblewrap' and allow user namespaces, or give "
			      "--no-sandbox to build without one",
			      (int)strcspn(start_err.len ? start_err.buf : text.buf, "\n"),
			      start_err.len ? start_err.buf : text.buf);
		kp_fail(err, KP_INFRA, "%s", why);
	}
	close_filter(&c);
	child_release(&c);
	strbuf_release(&text);
	strbuf_release(&start_err);
	return state == 1 ? 0 : state == 2 ? KP_INFRA : KP_INTERRUPTED;
}
