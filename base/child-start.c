// SPDX-License-Identifier: GPL-2.0-only
/*
 * From struct child to a running process. All that allocates happens before
 * fork: between fork and exec only system calls are made, so that threads of
 * the parent do no harm. A close-on-exec pipe carries the errno of a failed step
 * back, which makes "could not be started" a different answer from any exit code.
 */
#include "base/compat.h"
#include "base/child.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/child-internal.h"
#include "base/config.h"
#include "base/error.h"

#define MAX_LIVE		 1024
#define CLOSE_RANGE_CLOEXEC_FLAG (1U << 2)

/* Leaders that are alive, for the ends of the program; 0: free. */
static _Atomic pid_t live[MAX_LIVE];
static volatile sig_atomic_t interrupted;
static int signal_pipe[2] = { -1, -1 };

/* ---- signals ---- */

static void kill_live(void)
{
	for (size_t i = 0; i < MAX_LIVE; i++) {
		pid_t pid = atomic_load(&live[i]);

		if (pid > 0)
			kill(-pid, SIGKILL);
	}
}

/* The first signal asks, the second one ends the program. */
static void on_signal(int sig)
{
	int e = errno;

	if (interrupted) {
		kill_live();
		_exit(EXIT_SIGINT);
	}
	interrupted = 1;
	if (write(signal_pipe[1], "", 1) < 0) {
		/* nothing can be done, the flag is set */
	}
	errno = e;
}

void child_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal }, old;

	if (signal_pipe[0] >= 0)
		return;
	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		signal_pipe[0] = signal_pipe[1] = -1;
	sigemptyset(&sa.sa_mask);
	sigaddset(&sa.sa_mask, SIGINT);
	sigaddset(&sa.sa_mask, SIGTERM);
	sigaddset(&sa.sa_mask, SIGHUP);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	/* Not under nohup. */
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
}

bool child_interrupted(void)
{
	return interrupted;
}

int child_signal_fd(void)
{
	return signal_pipe[0];
}

static int remember(pid_t pid)
{
	static atomic_flag registered = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&registered))
		atexit(kill_live);
	for (int i = 0; i < MAX_LIVE; i++) {
		pid_t none = 0;

		if (atomic_compare_exchange_strong(&live[i], &none, pid))
			return i;
	}
	return -1;
}

void child_forget(int slot)
{
	if (slot >= 0)
		atomic_store(&live[slot], 0);
}

/* ---- program and environment ---- */

static char *which_in(const char *name, const char *path)
{
	struct stat st;

	while (path) {
		size_t len = strcspn(path, ":");
		char *full = len ? xstrfmt("%.*s/%s", (int)len, path, name) : xstrdup(name);

		if (!stat(full, &st) && S_ISREG(st.st_mode) && !access(full, X_OK))
			return full;
		free(full);
		path = path[len] ? path + len + 1 : NULL;
	}
	return NULL;
}

/* An ordinary user's PATH has no directory of the system's own tools (depmod), which work for everybody. */
static char *which_or_system(const char *name, const char *path)
{
	char *found = which_in(name, path);

	return found ? found : which_in(name, "/usr/sbin:/sbin");
}

char *child_which(const char *name)
{
	const char *path = getenv("PATH");

	if (!*name)
		return NULL;
	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : xstrdup(name);
	return which_or_system(name, path && *path ? path : "/usr/local/bin:/usr/bin:/bin");
}

static bool same_name(const char *var, const char *name, size_t len)
{
	return !strncmp(var, name, len) && (var[len] == '=' || !var[len]);
}

static void env_apply(struct strvec *env, const char *delta)
{
	size_t len = strcspn(delta, "=");

	for (size_t i = 0; i < env->n; i++)
		if (same_name(env->v[i], delta, len))
			strvec_remove(env, i--);
	if (delta[len])
		strvec_push(env, delta);
}

bool child_secret_name(const char *name, size_t len)
{
	static const char *const words[] = { "KEY", "TOKEN", "SECRET", "PASSWORD" };
	char *upper = xstrndup(name, len);
	bool found = false;

	for (char *p = upper; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		found |= strstr(upper, words[i]) != NULL;
	free(upper);
	return found;
}

static bool inherited(const struct child *c, const char *var)
{
	const char *named = config_str("agents.key-env", NULL);
	size_t len = strcspn(var, "=");

	return c->secrets || (!child_secret_name(var, len) && !(named && same_name(var, named, strlen(named))));
}

static void make_env(const struct child *c, struct strvec *env)
{
	for (char **v = environ; !c->clean_env && *v; v++) {
		if (inherited(c, *v))
			strvec_push(env, *v);
	}
	for (size_t i = 0; i < c->env.n; i++)
		env_apply(env, c->env.v[i]);
}

/* The program is looked up on the PATH that the child will have, else on ours. */
static char *find_program(const struct child *c, const struct strvec *env)
{
	const char *name = c->argv.v[0];

	if (strchr(name, '/'))
		return xstrdup(name);
	for (size_t i = 0; i < env->n; i++)
		if (starts_with(env->v[i], "PATH=") && env->v[i][5])
			return which_or_system(name, env->v[i] + 5);
	return child_which(name);
}

/* ---- file descriptors ---- */

/* The child's ends of its stdin, stdout, stderr (-1: inherit), all >= 3. */
struct ends {
	int fd[3];
	int status[2]; /* pipe for the errno of a failed start */
};

/* Moves fd out of 0..2, which are replaced in the child. */
static int move_up(int fd)
{
	int up;

	if (fd < 0 || fd > 2)
		return fd;
	up = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return up;
}

static int make_pipe(int p[2])
{
	if (pipe2(p, O_CLOEXEC) < 0)
		return -1;
	p[0] = move_up(p[0]);
	p[1] = move_up(p[1]);
	return p[0] < 0 || p[1] < 0 ? -1 : 0;
}

static int open_null(int flags)
{
	return move_up(open("/dev/null", flags | O_CLOEXEC));
}

static int make_stdin(const struct child *c, struct child_handle *h, struct ends *e)
{
	int p[2];

	if (!c->in) {
		e->fd[0] = open_null(O_RDONLY);
		return e->fd[0];
	}
	if (make_pipe(p) < 0)
		return -1;
	e->fd[0] = p[0];
	h->in_fd = p[1];
	return fcntl(p[1], F_SETFL, O_NONBLOCK);
}

static int make_output(bool capture, bool discard, int *ours, int *theirs)
{
	int p[2];

	if (capture) {
		if (make_pipe(p) < 0)
			return -1;
		*ours = p[0];
		*theirs = p[1];
		return fcntl(p[0], F_SETFL, O_NONBLOCK);
	}
	if (discard) {
		*theirs = open_null(O_WRONLY);
		return *theirs;
	}
	return 0;
}

static int make_ends(const struct child *c, struct child_handle *h, struct ends *e)
{
	if (make_pipe(e->status) < 0 || make_stdin(c, h, e) < 0)
		return -1;
	if (make_output(c->out || c->log_fd > 0 || c->on_output, c->discard, &h->out_fd,
			&e->fd[1]) < 0)
		return -1;
	if (c->err_to_out && !c->err)
		return 0;
	return make_output(c->err != NULL, c->discard, &h->err_fd, &e->fd[2]);
}

static void close_ends(struct ends *e)
{
	for (int i = 0; i < 3; i++)
		if (e->fd[i] >= 0)
			close(e->fd[i]);
	if (e->status[1] >= 0)
		close(e->status[1]);
}

static void close_ours(struct child_handle *h)
{
	int *fds[] = { &h->in_fd, &h->out_fd, &h->err_fd };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* ---- the child's side ---- */

enum start_step { STEP_DIR, STEP_FDS, STEP_LIMITS, STEP_EXEC };
static const char *const step_names[] = { "cannot enter its directory", "cannot set up its files",
					  "cannot set its limits", "cannot run it" };

struct start_failure {
	enum start_step step;
	int error;
};

struct launch {
	const struct child *c;
	const char *program;
	char *const *argv, *const *envp;
	const struct ends *ends;
	pid_t parent;
};

NORETURN static void start_failed(const struct launch *l, enum start_step step)
{
	struct start_failure f = { .step = step, .error = errno };

	_exit(write(l->ends->status[1], &f, sizeof(f)) < 0 ? 127 : 126);
}

static void default_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			sigaction(sig, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int limit(int what, uint64_t value, uint64_t slack)
{
	struct rlimit old, rl = { .rlim_cur = value, .rlim_max = value + slack };

	if (!value)
		return 0;
	/* An unprivileged process cannot raise its hard limit. */
	if (!getrlimit(what, &old) && old.rlim_max < rl.rlim_max) {
		rl.rlim_max = old.rlim_max;
		if (rl.rlim_cur > rl.rlim_max)
			rl.rlim_cur = rl.rlim_max;
	}
	return setrlimit(what, &rl);
}

static int set_limits(const struct child_limits *l)
{
	struct rlimit no_core = { 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	/* Two seconds between SIGXCPU, which names the limit, and SIGKILL. */
	if (limit(RLIMIT_CPU, l->cpu_seconds, 2) < 0)
		return -1;
	if (limit(RLIMIT_AS, l->memory_bytes, 0) < 0)
		return -1;
	return limit(RLIMIT_FSIZE, l->file_bytes, 0);
}

static int set_fds(const struct launch *l)
{
	for (int i = 0; i < 3; i++)
		if (l->ends->fd[i] >= 0 && dup2(l->ends->fd[i], i) < 0)
			return -1;
	if (l->c->err_to_out && !l->c->err && dup2(1, 2) < 0)
		return -1;
	/* What libraries opened without O_CLOEXEC is not the child's either. */
	syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC_FLAG);
	return l->c->keep_fd > 2 ? fcntl(l->c->keep_fd, F_SETFD, 0) : 0;
}

NORETURN static void become(const struct launch *l)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != l->parent)
		_exit(127);
	default_signals();
	if (set_fds(l) < 0)
		start_failed(l, STEP_FDS);
	if (l->c->dir && chdir(l->c->dir) < 0)
		start_failed(l, STEP_DIR);
	if (set_limits(&l->c->limits) < 0)
		start_failed(l, STEP_LIMITS);
	execve(l->program, l->argv, l->envp);
	start_failed(l, STEP_EXEC);
}

/* ---- the parent's side ---- */

/* Waits for exec (end of file) or the report of a failed step. */
static int await_exec(struct child_handle *h, int fd, struct strbuf *err)
{
	struct start_failure f;
	ssize_t n;

	do
		n = read(fd, &f, sizeof(f));
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		;
	child_forget(h->slot);
	if (n != sizeof(f))
		return kp_fail(err, KP_INFRA, "cannot start '%s'", h->c->argv.v[0]);
	errno = f.error;
	if (f.step == STEP_DIR)
		kp_fail_errno(err, "cannot start '%s': %s '%s'", h->c->argv.v[0],
			      step_names[f.step], h->c->dir);
	else
		kp_fail_errno(err, "cannot start '%s': %s", h->c->argv.v[0], step_names[f.step]);
	return KP_INFRA;
}

static int fork_and_exec(struct child_handle *h, struct launch *l, struct strbuf *err)
{
	sigset_t all, old;

	if (!h->c->out && !h->c->discard)
		fflush(stdout);
	l->parent = getpid();
	/* No handler of ours may run in the child before default_signals(). */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	h->pid = fork();
	if (!h->pid)
		become(l);
	if (h->pid > 0) {
		setpgid(h->pid, h->pid);
		h->slot = remember(h->pid);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (h->pid < 0) {
		kp_fail_errno(err, "cannot start '%s'", h->c->argv.v[0]);
		return KP_INFRA;
	}
	if (h->slot < 0) {
		kill(h->pid, SIGKILL);
		waitpid(h->pid, NULL, 0);
		return kp_fail(err, KP_INFRA, "more than %d children at once", MAX_LIVE);
	}
	return 0;
}

int child_spawn(struct child_handle *h, struct strbuf *err)
{
	struct ends e = { { -1, -1, -1 }, { -1, -1 } };
	struct strvec env = STRVEC_INIT;
	char *program = NULL;
	int ret = KP_INFRA;

	if (!h->c->argv.n)
		return kp_fail(err, KP_INFRA, "cannot start a child without a command");
	make_env(h->c, &env);
	program = find_program(h->c, &env);
	if (!program) {
		kp_fail(err, KP_INFRA, "cannot start '%s': not found on PATH", h->c->argv.v[0]);
		goto out;
	}
	if (make_ends(h->c, h, &e) < 0) {
		kp_fail_errno(err, "cannot start '%s'", h->c->argv.v[0]);
		ret = KP_INFRA;
		goto out;
	}
	ret = fork_and_exec(h,
			    &(struct launch){ .c = h->c,
					      .program = program,
					      .argv = (char *const *)h->c->argv.v,
					      .envp = (char *const *)env.v,
					      .ends = &e },
			    err);
	close_ends(&e);
	e = (struct ends){ { -1, -1, -1 }, { e.status[0], -1 } };
	if (!ret)
		ret = await_exec(h, e.status[0], err);
out:
	close_ends(&e);
	if (e.status[0] >= 0)
		close(e.status[0]);
	if (ret < 0)
		close_ours(h);
	strvec_release(&env);
	free(program);
	return ret;
}
