/* SPDX-License-Identifier: GPL-2.0-only */
/* What apt.c and apt-fetch.c share; others use apt.h. */
#ifndef KPORT_APT_INTERNAL_H
#define KPORT_APT_INTERNAL_H

#include "base/child.h"
#include "base/lock.h"
#include "base/progress.h"
#include "harness/apt.h"

/* One private apt: where its state is and the lock on it. */
struct apt {
	char *dir;
	struct lock lock;
};

/* Takes the lock, makes the state; KP_INFRA when there is no apt. */
int apt_open(struct apt *a, struct strbuf *err);
void apt_close(struct apt *a);
/* A child that runs one of apt's programs on one suite; the caller adds arguments. */
void apt_child(const struct apt *a, const char *program, const char *suite, struct child *c);
/* Runs it; a failure becomes one message. out: its stdout, or NULL. */
int apt_run(struct child *c, const char *suite, struct strbuf *out, struct strbuf *err);

/* Lines of apt's status descriptor ("dlstatus:1:45.02:...") move a bar in MiB. */
struct apt_status {
	struct progress *p;
	uint64_t total; /* bytes */
	struct strbuf line;
};
void apt_on_status(const char *data, size_t len, void *payload);

#endif
