/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only way this program starts other programs.
 *
 *	struct child c = CHILD_INIT;
 *	struct child_result r = { 0 };
 *
 *	strvec_pushl(&c.argv, "git", "apply", path, NULL);
 *	c.dir = dir;
 *	c.out = &output;		// capture stdout
 *	c.limits.wall_seconds = 30;
 *	if (child_run(&c, &r, err) < 0)	// could not be started: r is not filled
 *		...
 *	if (r.kind != CHILD_EXITED || r.code != 0)
 *		...
 *	child_release(&c);
 *
 * Four different answers: a start failure (negative return, message in err), an
 * exit code, a death by signal, and a limit of ours that was hit (timeout,
 * output cap, interruption). The child leads a process group of its own; when
 * it ends, or a limit is hit, the whole group is killed. Children that are alive
 * when the program is interrupted or exits are killed. SIGINT and SIGTERM make
 * child_run return with kind CHILD_INTERRUPTED; from then on no child is started
 * (KP_INTERRUPTED). A second signal ends the program at once. When the program
 * dies (kill -9), its direct children are killed by the kernel; they are bound to
 * the thread that started them.
 *
 * Variables whose names say that they hold a secret (child_secret_name(), and the one that
 * agents.key-env names) are not inherited: no child of ours has a use for a model's key.
 *
 * Each run is reported to the hook set with child_set_hook() (audit trail).
 */
#ifndef KPORT_CHILD_H
#define KPORT_CHILD_H

#include "base/compat.h"
#include "base/strbuf.h"
#include "base/strvec.h"

struct child_limits {
	double wall_seconds;	/* 0: none */
	uint64_t cpu_seconds;	/* RLIMIT_CPU; 0: inherit */
	uint64_t memory_bytes;	/* RLIMIT_AS; 0: inherit */
	uint64_t file_bytes;	/* RLIMIT_FSIZE; 0: inherit */
	uint64_t output_bytes;	/* cap on what is captured and logged; 0: 64 MiB */
};

struct child {
	struct strvec argv;
	struct strvec env;	/* "NAME=value" sets, "NAME" unsets */
	bool clean_env;		/* start from an empty environment */
	bool secrets;		/* inherit those variables too: a program that the user trusts with them */
	const char *dir;	/* NULL: inherit */
	const char *in;		/* bytes for stdin; NULL: /dev/null */
	size_t in_len;
	struct strbuf *out;	/* NULL with log_fd <= 0: inherit stdout */
	struct strbuf *err;	/* NULL: inherit, or as out when err_to_out */
	bool err_to_out;
	int log_fd;		/* > 0: everything captured is also written here */
	bool discard;		/* send what is not captured to /dev/null */
	int keep_fd;		/* > 2: stays open in the child, under the same number */
	struct child_limits limits;
	/* Called with each chunk of stdout; may be NULL. */
	void (*on_output)(const char *data, size_t len, void *payload);
	void *payload;
};

#define CHILD_INIT { .argv = STRVEC_INIT, .env = STRVEC_INIT }

/* KEY, TOKEN, SECRET or PASSWORD in a name of len bytes, in any case. */
bool child_secret_name(const char *name, size_t len);

enum child_kind {
	CHILD_EXITED,
	CHILD_SIGNALED,
	CHILD_TIMEOUT,
	CHILD_OUTPUT_CAP,
	CHILD_INTERRUPTED
};

struct child_result {
	enum child_kind kind;
	int code;	   /* exit code or signal number */
	double wall, cpu;  /* seconds; cpu covers the waited-for descendants */
	uint64_t max_rss;  /* bytes */
};

void child_init(struct child *c);
void child_release(struct child *c);
int child_run(struct child *c, struct child_result *r, struct strbuf *err);

/* Start without waiting, then finish; at most one capture buffer pair each. */
struct child_handle;
int child_start(struct child *c, struct child_handle **out, struct strbuf *err);
/* Takes what it printed and looks at its limits, without waiting; true when it has ended. */
bool child_poll(struct child_handle *h);
/* Waits, fills r, frees the handle. */
int child_finish(struct child_handle *h, struct child_result *r, struct strbuf *err);
/* Kills the group, waits, frees; NULL is fine. */
void child_kill(struct child_handle *h);
pid_t child_pid(const struct child_handle *h);

/*
 * Run n children, at most "jobs" at once (0: number of processors). next()
 * fills c (initialised, released behind done()) and returns true, or returns
 * false when there is no more; done() is called once per child in completion
 * order with the task pointer, r being NULL and start_error set when it could not
 * be started. KP_INTERRUPTED when a signal arrived.
 */
struct child_task {
	bool (*next)(struct child *c, void **task, void *payload);
	void (*done)(struct child *c, const struct child_result *r, const char *start_error,
		     void *task, void *payload);
	void *payload;
};
int child_run_parallel(const struct child_task *t, int jobs, struct strbuf *err);

/* "exit code 2", "signal 9 (Killed)", "timeout after 60 s", ... */
void child_describe(const struct child_result *r, struct strbuf *out);
bool child_ok(const struct child_result *r); /* exited with 0 */

/* r is NULL for a child that could not be started. Called by the thread that finishes it. */
typedef void (*child_hook_fn)(const struct child *c, const struct child_result *r, void *payload);
void child_set_hook(child_hook_fn fn, void *payload);

/* Installs the SIGINT/SIGTERM handlers; call once in main. */
void child_catch_signals(void);
bool child_interrupted(void);

/* Path of an executable on PATH, else in /usr/sbin or /sbin; newly allocated, or NULL. */
char *child_which(const char *name);

#endif
