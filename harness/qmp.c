// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "harness/qmp.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/jsonutil.h"

#define MAX_LINE (4u << 20)
#define STEP_MS	 20

int qmp_listen(struct qmp *q, const char *path, struct strbuf *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(a.sun_path))
		return kp_fail(err, KP_INFRA, "'%s' is too long for a socket", path);
	memcpy(a.sun_path, path, strlen(path));
	unlink(path);
	q->path = xstrdup(path);
	q->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (q->listen_fd < 0 || bind(q->listen_fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    listen(q->listen_fd, 1) < 0) {
		kp_fail_errno(err, "no socket '%s'", path);
		return KP_INFRA;
	}
	return 0;
}

/* ---- reading ---------------------------------------------------------------- */

static void fill(struct qmp *q)
{
	char buf[65536];
	ssize_t n;

	while (!q->closed && q->fd >= 0) {
		n = recv(q->fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0 || q->in.len + (size_t)n > MAX_LINE)
			q->closed = true;
		else
			strbuf_add(&q->in, buf, (size_t)n);
	}
}

/* The next whole object, or NULL. */
static json_t *take_object(struct qmp *q)
{
	char *end = memchr(q->in.buf, '\n', q->in.len);
	json_t *v;

	if (!end)
		return NULL;
	v = json_loadb(q->in.buf, (size_t)(end - q->in.buf), 0, NULL);
	strbuf_splice(&q->in, 0, (size_t)(end - q->in.buf) + 1, "", 0);
	if (!json_is_object(v)) {
		json_decref(v);
		v = NULL;
		q->closed = true;
	}
	return v;
}

static void keep_event(struct qmp *q, json_t *v)
{
	if (q->nevents == QMP_EVENTS) {
		/* A guest can make any number of them: the first ones tell what went wrong. */
		json_decref(v);
		return;
	}
	q->events[q->nevents++] = v;
}

/* Reads what is there; events are kept, the first other object is returned. */
static json_t *next_reply(struct qmp *q)
{
	json_t *v;

	fill(q);
	while ((v = take_object(q))) {
		if (!json_get_str(v, "event"))
			return v;
		keep_event(q, v);
	}
	return NULL;
}

static int await_reply(struct qmp *q, double seconds, const char *what, json_t **out,
		       struct strbuf *err)
{
	double deadline = clock_seconds() + seconds;

	while (!(*out = next_reply(q))) {
		struct pollfd p = { .fd = q->fd, .events = POLLIN };

		if (q->closed)
			return kp_fail(err, KP_INFRA, "the emulator is gone, at '%s'", what);
		if (child_interrupted())
			return kp_fail(err, KP_INTERRUPTED, "interrupted");
		if (clock_seconds() > deadline)
			return kp_fail(err, KP_INFRA, "the emulator does not answer '%s'", what);
		poll(&p, 1, STEP_MS);
	}
	return 0;
}

bool qmp_event(struct qmp *q, json_t **event)
{
	json_t *v = next_reply(q);

	json_decref(v); /* the answer to nobody's question */
	if (!q->nevents)
		return false;
	*event = q->events[0];
	q->nevents--;
	memmove(q->events, q->events + 1, q->nevents * sizeof(*q->events));
	return true;
}

/* ---- writing ---------------------------------------------------------------- */

static int send_all(struct qmp *q, struct strbuf *text, int pass_fd, struct strbuf *err)
{
	struct iovec iov = { .iov_base = text->buf, .iov_len = text->len };
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (pass_fd >= 0) {
		struct cmsghdr *c;

		m.msg_control = control.buf;
		m.msg_controllen = sizeof(control.buf);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &pass_fd, sizeof(int));
	}
	/* Commands are far smaller than a socket's buffer. */
	if (sendmsg(q->fd, &m, MSG_NOSIGNAL) != (ssize_t)text->len) {
		q->closed = true;
		return kp_fail(err, KP_INFRA, "the emulator does not take commands");
	}
	return 0;
}

static int execute(struct qmp *q, const char *name, json_t *arguments, int pass_fd, double seconds,
		   json_t **reply, struct strbuf *err)
{
	json_t *command = json_object(), *answer = NULL, *error;
	struct strbuf text = STRBUF_INIT;
	int ret;

	json_set_str(command, "execute", name);
	if (arguments)
		json_object_set_new(command, "arguments", arguments);
	json_dump_compact(command, &text);
	strbuf_addch(&text, '\n');
	ret = q->closed || q->fd < 0 ? kp_fail(err, KP_INFRA, "the emulator is gone, at '%s'", name)
				     : send_all(q, &text, pass_fd, err);
	if (ret == 0)
		ret = await_reply(q, seconds, name, &answer, err);
	error = json_object_get(answer, "error");
	if (ret == 0 && error) {
		const char *desc = json_get_str(error, "desc");

		ret = kp_fail(err, KP_INFRA, "the emulator refuses '%s': %s", name,
			      desc ? desc : "no reason given");
	}
	if (ret == 0 && reply)
		*reply = json_incref(json_object_get(answer, "return"));
	json_decref(answer);
	json_decref(command);
	strbuf_release(&text);
	return ret;
}

int qmp_command(struct qmp *q, const char *name, json_t *arguments, double seconds, json_t **reply,
		struct strbuf *err)
{
	return execute(q, name, arguments, -1, seconds, reply, err);
}

int qmp_send_fd(struct qmp *q, int fd, const char *name, struct strbuf *err)
{
	json_t *a = json_object();

	json_set_str(a, "fdname", name);
	return execute(q, "getfd", a, fd, 10, NULL, err);
}

/* ---- the connection ----------------------------------------------------------- */

int qmp_accept(struct qmp *q, double seconds, bool (*alive)(void *payload), void *payload,
	       struct strbuf *err)
{
	double deadline = clock_seconds() + seconds;
	json_t *greeting = NULL;
	int ret;

	while ((q->fd = accept4(q->listen_fd, NULL, NULL, SOCK_CLOEXEC)) < 0) {
		struct pollfd p = { .fd = q->listen_fd, .events = POLLIN };

		if (child_interrupted())
			return kp_fail(err, KP_INTERRUPTED, "interrupted");
		if (!alive(payload))
			return kp_fail(err, KP_INFRA, "the emulator does not start");
		if (clock_seconds() > deadline)
			return kp_fail(err, KP_INFRA, "the emulator says nothing for %.0f s",
				       seconds);
		poll(&p, 1, STEP_MS);
	}
	ret = await_reply(q, deadline - clock_seconds(), "greeting", &greeting, err);
	if (ret == 0 && !json_object_get(greeting, "QMP"))
		ret = kp_fail(err, KP_INFRA, "what answers is no emulator");
	json_decref(greeting);
	if (ret == 0)
		ret = qmp_command(q, "qmp_capabilities", NULL, 10, NULL, err);
	return ret;
}

void qmp_release(struct qmp *q)
{
	for (size_t i = 0; i < q->nevents; i++)
		json_decref(q->events[i]);
	if (q->fd >= 0)
		close(q->fd);
	if (q->listen_fd >= 0)
		close(q->listen_fd);
	if (q->path)
		unlink(q->path);
	free(q->path);
	strbuf_release(&q->in);
	*q = (struct qmp)QMP_INIT;
}
