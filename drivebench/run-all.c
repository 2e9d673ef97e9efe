// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/run-all.h"

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/progress.h"
#include "drivebench/bench-run.h"

struct pool {
	struct bench_run *r;
	size_t next, done;
	struct run_counts *n;
	struct progress *p;
};

struct task {
	const struct bench_case *c;
	int attempt;
};

static bool next_task(struct child *ch, void **out, void *payload)
{
	struct pool *p = payload;
	size_t all = p->r->cases.n * (size_t)p->r->attempts;

	while (p->next < all) {
		const struct bench_case *c = p->r->cases.c[p->next / (size_t)p->r->attempts];
		int attempt = (int)(p->next++ % (size_t)p->r->attempts) + 1;
		struct task *t;

		if (bench_result_current(p->r, c, attempt)) {
			p->n->there++;
			progress_update(p->p, ++p->done);
			continue;
		}
		t = xcalloc(1, sizeof(*t));
		*t = (struct task){ c, attempt };
		strvec_pushl(&ch->argv, "/proc/self/exe", "bench", "work", p->r->dir, c->id, NULL);
		strvec_pushf(&ch->argv, "%d", attempt);
		strvec_push(&ch->argv, "--quiet");
		ch->secrets = p->r->solver.network; /* for the trusted agent */
		ch->err = xcalloc(1, sizeof(*ch->err));
		strbuf_init(ch->err);
		ch->limits.wall_seconds = p->r->solver.seconds + 3600;
		*out = t;
		return true;
	}
	return false;
}

static void task_done(struct child *ch, const struct child_result *r, const char *start_error, void *task,
		      void *payload)
{
	struct pool *p = payload;
	struct task *t = task;

	if (!bench_result_current(p->r, t->c, t->attempt) && (!r || r->kind != CHILD_INTERRUPTED) &&
	    (start_error || !child_ok(r)))
		log_warn("%.12s: %s", t->c->id, start_error ? start_error : ch->err->len ? ch->err->buf : "no answer");
	p->n->made++;
	progress_update(p->p, ++p->done);
	strbuf_release(ch->err);
	free(ch->err);
	free(t);
}

/* What is there in the end; a result that is missing is a fault of ours. */
static void count(struct bench_run *r, struct run_counts *n)
{
	n->all = r->cases.n * (size_t)r->attempts;
	for (size_t i = 0; i < n->all; i++) {
		char *path = bench_result_path(r, r->cases.c[i / (size_t)r->attempts], (int)(i % (size_t)r->attempts) + 1);
		struct strbuf ignored = STRBUF_INIT;
		const char *status;
		json_t *v = NULL;

		json_read_file(path, 0, &v, &ignored);
		status = v ? json_get_str(v, "status") : NULL;
		n->infra += !status || !strcmp(status, "infra");
		n->resolved += v && json_get_bool(v, "resolved", false);
		json_decref(v);
		strbuf_release(&ignored);
		free(path);
	}
}

static int run_local(struct bench_run *r, int jobs, struct run_counts *n, struct strbuf *err)
{
	struct pool p = { .r = r, .n = n };
	const struct child_task task = { .next = next_task, .done = task_done, .payload = &p };
	int ret;

	p.p = progress_start("running", r->cases.n * (size_t)r->attempts);
	ret = child_run_parallel(&task, jobs ? jobs : 1, err);
	progress_finish(p.p);
	return ret;
}

int run_all(const char *dir, enum run_engine engine, int jobs, struct run_counts *n, struct strbuf *err)
{
	struct bench_run r;
	struct lock lock = LOCK_INIT;
	int ret = bench_run_open(dir, true, &r, err);

	if (!ret)
		ret = lock_take(&lock, dir, 0, err);
	if (!ret) {
		ret = engine == RUN_SLURM ? run_slurm(&r, jobs, n, err) : run_local(&r, jobs, n, err);
		count(&r, n);
	}
	lock_release(&lock);
	bench_run_close(&r);
	return ret;
}
