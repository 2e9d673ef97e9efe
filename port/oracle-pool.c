// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/oracle-pool.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

struct worker {
	char *dir;
	struct kbuild_checker *checker;
	struct tree *on_disk;
	/* its share of a run */
	struct oracle_job *jobs;
	size_t first, step, n;
};

struct oracle_pool {
	const struct kernel *k;
	char *tree_dir;
	struct tree *original;
	struct worker *w;
	unsigned n;
};

struct oracle_pool *oracle_pool_new(const struct kernel *k, const char *tree_dir,
				    struct tree *original, unsigned workers)
{
	struct oracle_pool *p = xcalloc(1, sizeof(*p));

	p->k = k;
	p->tree_dir = xstrdup(tree_dir);
	p->original = tree_ref(original);
	p->n = workers;
	p->w = xcalloc(workers ? workers : 1, sizeof(*p->w));
	return p;
}

void oracle_pool_free(struct oracle_pool *p)
{
	struct strbuf ignored = STRBUF_INIT;

	if (!p)
		return;
	for (unsigned i = 0; i < p->n; i++) {
		kbuild_checker_free(p->w[i].checker);
		tree_unref(p->w[i].on_disk);
		if (p->w[i].dir)
			file_remove(p->w[i].dir, &ignored);
		free(p->w[i].dir);
	}
	strbuf_release(&ignored);
	tree_unref(p->original);
	free(p->w);
	free(p->tree_dir);
	free(p);
}

static int worker_open(struct oracle_pool *p, unsigned i, struct strbuf *err)
{
	struct worker *w = &p->w[i];
	char *scratch;
	int ret;

	if (w->checker)
		return 0;
	w->dir = xstrfmt("%s.w%u", p->tree_dir, i);
	ret = file_remove(w->dir, err);
	if (!ret)
		ret = file_copy(p->tree_dir, w->dir, 0, NULL, err);
	/* The tree may hold a later state by now. */
	if (!ret)
		ret = tree_write(p->original, NULL, w->dir, err);
	if (ret)
		return ret;
	scratch = xstrfmt("%s.pch", w->dir);
	w->checker = kbuild_checker_at(p->k, p->tree_dir, w->dir, scratch);
	w->on_disk = tree_ref(p->original);
	free(scratch);
	return 0;
}

/* Counts of references are the searching thread's: this one takes none. */
static void *work(void *arg)
{
	struct worker *w = arg;
	const struct tree *on_disk = w->on_disk;

	for (size_t i = w->first; i < w->n; i += w->step) {
		struct oracle_job *j = &w->jobs[i];

		j->ret = tree_write(j->tree, on_disk, w->dir, &j->err);
		on_disk = j->tree;
		if (!j->ret)
			j->ret = kbuild_checker_ask(w->checker, j->unit, &j->answer, &j->err);
		if (j->ret)
			break;
	}
	return NULL;
}

static void note_tree(struct worker *w)
{
	struct tree *last = NULL;
	bool sure = true;

	for (size_t i = w->first; i < w->n; i += w->step) {
		last = w->jobs[i].tree;
		sure &= !w->jobs[i].ret;
	}
	if (!last)
		return;
	tree_unref(w->on_disk);
	w->on_disk = sure ? tree_ref(last) : NULL;
}

int oracle_pool_run(struct oracle_pool *p, struct oracle_job *jobs, size_t n, struct strbuf *err)
{
	unsigned workers = n < p->n ? (unsigned)n : p->n;
	pthread_t *thread = xcalloc(workers ? workers : 1, sizeof(*thread));
	bool *started = xcalloc(workers ? workers : 1, sizeof(*started));
	int ret = 0;

	for (size_t i = 0; i < n; i++)
		jobs[i].ret = KP_INFRA; /* until it was asked */
	for (unsigned i = 0; !ret && i < workers; i++)
		ret = worker_open(p, i, err);
	for (unsigned i = 0; !ret && i < workers; i++) {
		struct worker *w = &p->w[i];

		w->jobs = jobs;
		w->first = i;
		w->step = workers;
		w->n = n;
		started[i] = i + 1 < workers && !pthread_create(&thread[i], NULL, work, w);
	}
	for (unsigned i = 0; !ret && i < workers; i++) {
		if (!started[i])
			work(&p->w[i]);
	}
	for (unsigned i = 0; i < workers; i++) {
		if (started[i])
			pthread_join(thread[i], NULL);
	}
	for (unsigned i = 0; !ret && i < workers; i++)
		note_tree(&p->w[i]);
	free(thread);
	free(started);
	return ret;
}
