// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running other programs: pumping, limits, and the end of a child. Starting
 * (what happens between fork and exec) is in child-start.c.
 *
 * The leader is waited for with WNOWAIT, so that its process group number
 * cannot be reused before the group is killed; only then is it reaped.
 */
#include "base/compat.h"
#include "base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/alloc.h"
#include "base/child-internal.h"
#include "base/clock.h"
#include "base/error.h"

#define DEFAULT_OUTPUT_CAP (64ULL << 20)
/* Output of processes that left the group is awaited so long after the end. */
#define DRAIN_SECONDS 0.2
/* How often a child is looked at where pidfds do not exist. */
#define POLL_FALLBACK_MS 20

static child_hook_fn hook;
static void *hook_payload;

void child_init(struct child *c)
{
	*c = (struct child)CHILD_INIT;
}

void child_release(struct child *c)
{
	strvec_release(&c->argv);
	strvec_release(&c->env);
	child_init(c);
}

void child_set_hook(child_hook_fn fn, void *payload)
{
	hook = fn;
	hook_payload = payload;
}

pid_t child_pid(const struct child_handle *h)
{
	return h->pid;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int child_start(struct child *c, struct child_handle **out, struct strbuf *err)
{
	struct child_handle *h;
	int ret;

	*out = NULL;
	if (child_interrupted())
		return kp_fail(err, KP_INTERRUPTED, "interrupted before '%s' was started",
			       c->argv.n ? c->argv.v[0] : "?");
	h = xcalloc(1, sizeof(*h));
	h->c = c;
	h->in_fd = h->out_fd = h->err_fd = h->pidfd = -1;
	h->slot = -1;
	ret = child_spawn(h, err);
	if (ret < 0) {
		free(h);
		if (hook)
			hook(c, NULL, hook_payload);
		return ret;
	}
	h->started = clock_seconds();
	if (c->limits.wall_seconds > 0)
		h->deadline = h->started + c->limits.wall_seconds;
	h->pidfd = (int)syscall(SYS_pidfd_open, h->pid, 0);
	*out = h;
	return 0;
}

static void kill_group(struct child_handle *h)
{
	kill(-h->pid, SIGKILL);
	kill(h->pid, SIGKILL);
}

static void stop(struct child_handle *h, enum child_kind kind)
{
	if (h->stopped)
		return;
	h->stopped = true;
	h->kind = kind;
	kill_group(h);
}

/* write() without a SIGPIPE, whatever its disposition and in any thread. */
static ssize_t write_quietly(int fd, const void *data, size_t len)
{
	struct timespec zero = { 0 };
	sigset_t pipe_set, old, pending;
	bool was_pending;
	ssize_t n;
	int e;

	sigemptyset(&pipe_set);
	sigaddset(&pipe_set, SIGPIPE);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &pipe_set, &old);
	n = write(fd, data, len);
	e = errno;
	if (n < 0 && e == EPIPE && !was_pending)
		while (sigtimedwait(&pipe_set, NULL, &zero) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = e;
	return n;
}

static void feed_stdin(struct child_handle *h)
{
	const struct child *c = h->c;

	while (h->in_fd >= 0 && h->in_off < c->in_len) {
		ssize_t n = write_quietly(h->in_fd, c->in + h->in_off, c->in_len - h->in_off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			break; /* it does not want the rest */
		h->in_off += (size_t)n;
	}
	close_fd(&h->in_fd);
}

static void write_log(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write_quietly(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		data += n;
		len -= (size_t)n;
	}
}

/* Hands a chunk on, never more than the cap in total. */
static void take_output(struct child_handle *h, bool is_stdout, const char *data, size_t len)
{
	struct child *c = h->c;
	struct strbuf *sb = is_stdout ? c->out : c->err;
	uint64_t cap = c->limits.output_bytes ? c->limits.output_bytes : DEFAULT_OUTPUT_CAP;

	if (len > cap - h->seen) {
		len = (size_t)(cap - h->seen);
		stop(h, CHILD_OUTPUT_CAP);
	}
	h->seen += len;
	if (sb)
		strbuf_add(sb, data, len);
	if (c->log_fd > 0)
		write_log(c->log_fd, data, len);
	if (is_stdout && c->on_output && len)
		c->on_output(data, len, c->payload);
}

/* Bounded, so that one talkative child does not starve the others. */
static void drain(struct child_handle *h, int *fd, bool is_stdout)
{
	char chunk[65536];

	for (int i = 0; *fd >= 0 && i < 16; i++) {
		ssize_t n = read(*fd, chunk, sizeof(chunk));

		if (n > 0)
			take_output(h, is_stdout, chunk, (size_t)n);
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n < 0 && errno == EAGAIN)
			return;
		else
			close_fd(fd);
	}
}

static bool leader_ended(const struct child_handle *h)
{
	siginfo_t si = { 0 };

	return waitid(P_PID, (id_t)h->pid, &si, WEXITED | WNOHANG | WNOWAIT) < 0 || si.si_pid;
}

/* Moves one child on; true when nothing is left to wait for. */
static bool service(struct child_handle *h)
{
	bool ended = h->ended || leader_ended(h);

	feed_stdin(h);
	drain(h, &h->out_fd, true);
	drain(h, &h->err_fd, false);
	if (ended && !h->ended) {
		h->ended = true;
		kill_group(h);
		close_fd(&h->in_fd);
		h->drain_until = clock_seconds() + DRAIN_SECONDS;
	}
	if (!h->ended) {
		if (child_interrupted())
			stop(h, CHILD_INTERRUPTED);
		else if (h->deadline > 0 && clock_seconds() >= h->deadline)
			stop(h, CHILD_TIMEOUT);
		return false;
	}
	if (h->out_fd < 0 && h->err_fd < 0)
		return true;
	return clock_seconds() >= h->drain_until;
}

static void want(struct pollfd *p, int *n, int fd, short events)
{
	if (fd >= 0)
		p[(*n)++] = (struct pollfd){ .fd = fd, .events = events };
}

static double next_event(const struct child_handle *h)
{
	if (h->ended)
		return h->drain_until;
	return h->stopped ? 0 : h->deadline;
}

/* Sleeps until one of the children needs service(). */
static void wait_any(struct child_handle *const *hs, int count)
{
	struct pollfd *p = xcalloc((size_t)count * 4 + 1, sizeof(*p));
	double until = 0, left;
	int n = 0, timeout = -1;

	for (int i = 0; i < count; i++) {
		double t = next_event(hs[i]);

		want(p, &n, hs[i]->in_fd, POLLOUT);
		want(p, &n, hs[i]->out_fd, POLLIN);
		want(p, &n, hs[i]->err_fd, POLLIN);
		if (!hs[i]->ended)
			want(p, &n, hs[i]->pidfd, POLLIN);
		if (t > 0 && (until == 0 || t < until))
			until = t;
		if (hs[i]->pidfd < 0)
			timeout = POLL_FALLBACK_MS;
	}
	/* Once interrupted it stays readable: do not spin on it. */
	if (!child_interrupted())
		want(p, &n, child_signal_fd(), POLLIN);
	if (until > 0) {
		left = (until - clock_seconds()) * 1000 + 1;
		left = left < 0 ? 0 : left > 3600e3 ? 3600e3 : left;
		if (timeout < 0 || left < timeout)
			timeout = (int)left;
	}
	poll(p, (nfds_t)n, timeout);
	free(p);
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static void reap(struct child_handle *h, struct child_result *r)
{
	struct rusage ru = { 0 };
	int status = 0;

	kill(-h->pid, SIGKILL);
	while (wait4(h->pid, &status, 0, &ru) < 0 && errno == EINTR)
		;
	child_forget(h->slot);
	r->kind = WIFSIGNALED(status) ? CHILD_SIGNALED : CHILD_EXITED;
	r->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	if (h->stopped)
		r->kind = h->kind;
	r->wall = clock_seconds() - h->started;
	r->cpu = seconds(ru.ru_utime) + seconds(ru.ru_stime);
	r->max_rss = (uint64_t)ru.ru_maxrss * 1024;
	close_fd(&h->in_fd);
	close_fd(&h->out_fd);
	close_fd(&h->err_fd);
	close_fd(&h->pidfd);
	if (hook)
		hook(h->c, r, hook_payload);
	free(h);
}

bool child_poll(struct child_handle *h)
{
	return service(h);
}

int child_finish(struct child_handle *h, struct child_result *r, struct strbuf *err)
{
	while (!service(h))
		wait_any(&h, 1);
	reap(h, r);
	return 0;
}

void child_kill(struct child_handle *h)
{
	struct child_result r;

	if (!h)
		return;
	kill_group(h);
	reap(h, &r);
}

int child_run(struct child *c, struct child_result *r, struct strbuf *err)
{
	struct child_handle *h;
	int ret = child_start(c, &h, err);

	if (ret < 0)
		return ret;
	return child_finish(h, r, err);
}

/* ---- pool ---- */

struct pool {
	const struct child_task *t;
	struct child *children;
	void **tasks;
	struct child_handle **running; /* compact: running[i] uses children[i] */
	int n, jobs;
	bool exhausted;
};

static int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set);
}

/* Starts one more; false when there is nothing more to start. */
static bool pool_start(struct pool *p)
{
	struct strbuf err = STRBUF_INIT;
	struct child *c = &p->children[p->n];

	child_init(c);
	p->tasks[p->n] = NULL;
	if (!p->t->next(c, &p->tasks[p->n], p->t->payload)) {
		child_release(c);
		p->exhausted = true;
		return false;
	}
	if (child_start(c, &p->running[p->n], &err) < 0) {
		p->t->done(c, NULL, err.buf, p->tasks[p->n], p->t->payload);
		child_release(c);
	} else {
		p->n++;
	}
	strbuf_release(&err);
	return true;
}

static void pool_end(struct pool *p, int i)
{
	struct child_result r;

	reap(p->running[i], &r);
	p->t->done(&p->children[i], &r, NULL, p->tasks[i], p->t->payload);
	child_release(&p->children[i]);
	p->n--;
	if (i == p->n)
		return;
	/* The handle points to its child: move both. */
	p->children[i] = p->children[p->n];
	p->tasks[i] = p->tasks[p->n];
	p->running[i] = p->running[p->n];
	p->running[i]->c = &p->children[i];
}

int child_run_parallel(const struct child_task *t, int jobs, struct strbuf *err)
{
	struct pool p = { .t = t, .jobs = jobs > 0 ? jobs : processors() };
	size_t slots = (size_t)p.jobs;

	p.children = xcalloc(slots, sizeof(*p.children));
	p.tasks = xcalloc(slots, sizeof(*p.tasks));
	p.running = xcalloc(slots, sizeof(*p.running));
	for (;;) {
		while (p.n < p.jobs && !p.exhausted && !child_interrupted())
			pool_start(&p);
		if (!p.n)
			break;
		for (int i = 0; i < p.n; i++)
			if (service(p.running[i]))
				pool_end(&p, i--);
		if (p.n && (p.n == p.jobs || p.exhausted || child_interrupted()))
			wait_any(p.running, p.n);
	}
	free(p.children);
	free(p.tasks);
	free(p.running);
	if (child_interrupted())
		return kp_fail(err, KP_INTERRUPTED, "interrupted");
	return 0;
}

/* ---- small things ---- */

void child_describe(const struct child_result *r, struct strbuf *out)
{
	switch (r->kind) {
	case CHILD_EXITED:
		strbuf_addf(out, "exit code %d", r->code);
		break;
	case CHILD_SIGNALED:
		strbuf_addf(out, "signal %d (%s)", r->code, strsignal(r->code));
		break;
	case CHILD_TIMEOUT:
		strbuf_addf(out, "timeout after %.*f s", r->wall < 10, r->wall);
		break;
	case CHILD_OUTPUT_CAP:
		strbuf_addstr(out, "killed: too much output");
		break;
	case CHILD_INTERRUPTED:
		strbuf_addstr(out, "interrupted");
		break;
	}
}

bool child_ok(const struct child_result *r)
{
	return r->kind == CHILD_EXITED && r->code == 0;
}
