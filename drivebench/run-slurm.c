// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cases of a run as array jobs of Slurm. What has to be done is a file, DIR/slurm/tasks.N, a
 * line for each element; results meet in DIR/results as those of local children do, so
 * nothing has to be collected: the coordinator submits, waits until the queue has no more of it, and can
 * be killed. DIR/slurm/jobs holds what was submitted, for who comes after it.
 */
#include "base/compat.h"
#include "drivebench/run-all.h"

#include <time.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"

/* Slurm's own MaxArraySize is 1001 unless somebody changed it. */
#define MAX_ELEMENTS  1000
#define POLL_SECONDS  1
/* So long the controller may be away before the run is given up; what is finished stays. */
#define AWAY_SECONDS  120

struct slurm {
	struct bench_run *r;
	struct run_counts *n;
	char *dir;		/* DIR/slurm */
	struct strvec jobs;	/* ids */
	struct strbuf state;	/* the queue's last word about them */
};

static int tool(struct child *c, struct strbuf *out, struct strbuf *err)
{
	struct child_result r = { 0 };
	struct strbuf why = STRBUF_INIT;
	const char *name = c->argv.v[0];
	int ret;

	c->out = out;
	c->err = &why;
	c->limits.wall_seconds = 60;
	ret = child_run(c, &r, err);
	if (!ret && r.kind == CHILD_INTERRUPTED)
		ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
	else if (ret && ret != KP_INTERRUPTED)
		ret = KP_INFRA;
	if (!ret && !child_ok(&r)) {
		strbuf_rtrim(&why);
		ret = kp_fail(err, KP_INFRA, "%s: %s", name, why.len ? why.buf : "failed");
	}
	strbuf_release(&why);
	return ret;
}

/* ---- submitting ------------------------------------------------------------------------------- */

/* An element of the array: one case, one attempt. */
static const char element[] = "#!/bin/sh\n"
	"set -f\n"
	"kport=$1 tasks=$2 run=$3\n"
	"set -- $(sed -n \"${SLURM_ARRAY_TASK_ID}p\" \"$tasks\")\n"
	"exec \"$kport\" bench work \"$run\" \"$1\" \"$2\" --quiet\n";

static int remember_job(struct slurm *s, const char *id, struct strbuf *err)
{
	char *path = path_join(s->dir, "jobs");
	struct strbuf text = STRBUF_INIT;
	int ret;

	strvec_push(&s->jobs, id);
	for (size_t i = 0; i < s->jobs.n; i++)
		strbuf_addf(&text, "%s\n", s->jobs.v[i]);
	ret = file_write(path, text.buf, text.len, err);
	strbuf_release(&text);
	free(path);
	return ret;
}

static int submit(struct slurm *s, const struct strbuf *list, size_t elements, int at_once, struct strbuf *err)
{
	char *tasks = xstrfmt("%s/tasks.%zu", s->dir, s->jobs.n), *script = path_join(s->dir, "element.sh");
	char *self = file_realpath("/proc/self/exe");
	struct child c = CHILD_INIT;
	struct strbuf id = STRBUF_INIT;
	int ret = self ? file_write(tasks, list->buf, list->len, err) : kp_fail(err, KP_INFRA, "this program has no path");

	if (!ret)
		ret = file_write(script, element, strlen(element), err);
	strvec_pushl(&c.argv, "sbatch", "--parsable", "--job-name=kport-bench", "--ntasks=1", "--cpus-per-task=1", NULL);
	strvec_pushf(&c.argv, at_once ? "--array=1-%zu%%%d" : "--array=1-%zu", elements, at_once);
	strvec_pushf(&c.argv, "--output=%s/%%A.%%a.log", s->dir);
	strvec_pushl(&c.argv, script, self ? self : "", tasks, s->r->dir, NULL);
	c.secrets = s->r->solver.network; /* a trusted agent's key goes where the agent goes */
	if (!ret)
		ret = tool(&c, &id, err);
	strbuf_setlen(&id, strcspn(id.buf, ";\n")); /* "JOB;CLUSTER" */
	if (!ret)
		ret = id.len ? remember_job(s, id.buf, err) : kp_fail(err, KP_INFRA, "sbatch named no job");
	child_release(&c);
	strbuf_release(&id);
	free(tasks);
	free(script);
	free(self);
	return ret;
}

static int submit_all(struct slurm *s, int at_once, struct strbuf *err)
{
	size_t all = s->r->cases.n * (size_t)s->r->attempts, elements = 0;
	struct strbuf list = STRBUF_INIT;
	int ret = 0;

	s->n->there = s->n->made = 0;
	for (size_t i = 0; !ret && i < all; i++) {
		const struct bench_case *c = s->r->cases.c[i / (size_t)s->r->attempts];
		int attempt = (int)(i % (size_t)s->r->attempts) + 1;

		if (bench_result_current(s->r, c, attempt)) {
			s->n->there++;
		} else {
			strbuf_addf(&list, "%s %d\n", c->id, attempt);
			elements++;
		}
		if (elements == MAX_ELEMENTS || (elements && i + 1 == all)) {
			ret = submit(s, &list, elements, at_once, err);
			s->n->made += elements;
			strbuf_reset(&list);
			elements = 0;
		}
	}
	strbuf_release(&list);
	return ret;
}

/* ---- waiting ---------------------------------------------------------------------------------- */

/* "JOB STATE REASON": what keeps an element from starting is said once, unless it is its turn that has not come. */
static void say_state(struct slurm *s, const char *line)
{
	static const char *const usual[] = { "(None)", "Resources", "Priority", "JobArrayTaskLimit", "None" };
	const char *reason = strrchr(line, ' ');

	if (!reason || !strstr(line, " PENDING ") || !strcmp(line, s->state.buf))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (!strcmp(reason + 1, usual[i]))
			return;
	strbuf_reset(&s->state);
	strbuf_addstr(&s->state, line);
	log_warn("slurm: job %s", line);
}

/* *left: elements of our jobs that the queue knows. */
static int look(struct slurm *s, size_t *left, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct strbuf out = STRBUF_INIT;
	struct strvec lines = STRVEC_INIT;
	int ret;

	strvec_pushl(&c.argv, "squeue", "--noheader", "--array", "--format=%F %T %r", NULL);
	ret = tool(&c, &out, err);
	strvec_split(&lines, out.buf, "\n");
	*left = 0;
	for (size_t i = 0; !ret && i < lines.n; i++) {
		char *id = xstrndup(lines.v[i], strcspn(lines.v[i], " "));

		if (strvec_contains(&s->jobs, id)) {
			(*left)++;
			say_state(s, lines.v[i]);
		}
		free(id);
	}
	child_release(&c);
	strvec_release(&lines);
	strbuf_release(&out);
	return ret;
}

static size_t finished(const struct slurm *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->r->cases.n; i++)
		for (int a = 1; a <= s->r->attempts; a++) {
			char *path = bench_result_path(s->r, s->r->cases.c[i], a);

			n += file_exists(path);
			free(path);
		}
	return n;
}

static int wait_for(struct slurm *s, struct strbuf *err)
{
	struct progress *p = progress_start("running", s->r->cases.n * (size_t)s->r->attempts);
	struct strbuf why = STRBUF_INIT;
	size_t left = 1, away = 0;
	int ret = 0;

	while (left && away <= AWAY_SECONDS) {
		struct timespec ts = { .tv_sec = POLL_SECONDS };

		strbuf_reset(&why);
		ret = child_interrupted() ? kp_fail(&why, KP_INTERRUPTED, "interrupted") : look(s, &left, &why);
		if (ret == KP_INTERRUPTED)
			break;
		away = ret ? away + POLL_SECONDS : 0;
		left = ret ? 1 : left;
		progress_update(p, finished(s));
		if (left)
			nanosleep(&ts, NULL);
	}
	progress_finish(p);
	if (ret)
		strbuf_addbuf(err, &why);
	strbuf_release(&why);
	return ret;
}

/* ---- the run ---------------------------------------------------------------------------------- */

/* Elements of a coordinator that died go on; they are waited for, so that no case is made twice. */
static int adopt(struct slurm *s, struct strbuf *err)
{
	char *path = path_join(s->dir, "jobs");
	struct strbuf text = STRBUF_INIT;
	int ret = file_mkdirs(s->dir, err);

	if (!ret && file_exists(path))
		ret = file_read(path, 1 << 20, &text, err);
	if (!ret && text.len) {
		strvec_split(&s->jobs, text.buf, "\n");
		ret = wait_for(s, err);
	}
	strbuf_release(&text);
	free(path);
	return ret;
}

int run_slurm(struct bench_run *r, int at_once, struct run_counts *n, struct strbuf *err)
{
	struct slurm s = { .r = r, .n = n, .dir = path_join(r->dir, "slurm"), .jobs = STRVEC_INIT, .state = STRBUF_INIT };
	int ret = adopt(&s, err);

	if (!ret)
		ret = submit_all(&s, at_once, err);
	if (!ret && n->made)
		ret = wait_for(&s, err);
	if (ret && s.jobs.n)
		log_warn("what was submitted goes on without this command; the same command waits for it, 'scancel %s' ends it",
			 s.jobs.v[s.jobs.n - 1]);
	strvec_release(&s.jobs);
	strbuf_release(&s.state);
	free(s.dir);
	return ret;
}
