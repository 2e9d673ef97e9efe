/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QEMU's machine protocol: JSON objects, one a line, over a unix socket. We
 * listen and the emulator connects, so that nobody has to wait for a socket to appear.
 *
 *	struct qmp q = QMP_INIT;
 *	qmp_listen(&q, path, err);
 *	... start the emulator with path, server=off ...
 *	qmp_accept(&q, 10, alive, payload, err);	// greeting and capabilities
 *	qmp_command(&q, "stop", NULL, 5, NULL, err);
 *	while (qmp_event(&q, &event))			// what happened meanwhile
 *		...
 *	qmp_release(&q);
 *
 * Not for threads. Replies are hostile input: lines are bounded. All failures
 * are KP_INFRA; an end of the connection sets q->closed.
 *
 * Facts: docs/interop/qmp-spec.txt of QEMU.
 */
#ifndef KPORT_QMP_H
#define KPORT_QMP_H

#include <jansson.h>

#include "base/strbuf.h"

#define QMP_EVENTS 64

struct qmp {
	int listen_fd, fd;
	char *path;
	bool closed;
	struct strbuf in;	     /* bytes behind the last whole line */
	json_t *events[QMP_EVENTS]; /* not yet asked for, oldest first */
	size_t nevents;
};
#define QMP_INIT { .listen_fd = -1, .fd = -1, .in = STRBUF_INIT }

int qmp_listen(struct qmp *q, const char *path, struct strbuf *err);
/* alive: asked while waiting; false gives up. */
int qmp_accept(struct qmp *q, double seconds, bool (*alive)(void *payload), void *payload,
	       struct strbuf *err);
/* arguments is stolen, may be NULL; *reply: the "return" value, new reference, or NULL. */
int qmp_command(struct qmp *q, const char *name, json_t *arguments, double seconds, json_t **reply,
		struct strbuf *err);
/* The emulator gets its own copy of fd, under a name that "fd:NAME" means from then on. */
int qmp_send_fd(struct qmp *q, int fd, const char *name, struct strbuf *err);
/* Never blocks. *event is a new reference: {"event", "data", ...}. */
bool qmp_event(struct qmp *q, json_t **event);
void qmp_release(struct qmp *q);

#endif
