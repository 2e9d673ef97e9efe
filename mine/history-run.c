// SPDX-License-Identifier: GPL-2.0-only
/*
 * Examining and storing. Workers take batches of neighbouring commits and go
 * through each from its newest commit to its oldest: packs keep old trees as deltas
 * against newer ones, so that the next base is always at hand. The calling thread
 * stores batches in their order; a worker that is too far ahead waits.
 */
#include "base/compat.h"
#include "mine/history-internal.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/log.h"
#include "mine/history-diff.h"
#include "mine/history-parse.h"

/* One transaction each; smaller for short walks, so that no worker is left without. */
#define MAX_BATCH	 1024
#define MIN_BATCH	 32
#define BATCHES_EACH	 16
/* Batches for each worker that may wait to be stored. */
#define AHEAD		 4
#define MAX_JOBS	 64
/* More of a message than this is not kept; batches of them wait in memory. */
#define MESSAGE_BYTES	 (64u << 10)

/* A commit of which something is to be stored. */
struct found {
	struct history_commit c;
	void *block;	/* holds its files, paths and message */
	void *result;
};

struct batch {
	size_t first, n;
	struct found *v; /* newest first */
	size_t nv, alloc;
	struct history_figures f;
	bool ready;
};

struct run {
	struct walk *k;
	const struct history_examiner *ex;
	struct batch *ring;
	size_t nring, batch, nbatches, next, stored;
	struct strbuf err; /* of workers that could not start */
	bool stop;
	pthread_mutex_t lock;
	pthread_cond_t ready, space;
};

struct worker {
	struct run *r;
	git_repository *repo;
	struct objects *trees, *blobs;
	struct tree_compare diff;
	struct strbuf message;
	bool long_message;
};

/* ---- one commit -------------------------------------------------------------- */

/* Length of the valid sequence at p, or 0. */
static size_t utf8_sequence(const unsigned char *p, size_t len)
{
	size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : (*p & 0xf0) == 0xe0 ? 3 :
		   *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
	    (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

static bool is_ascii(const char *s, size_t len)
{
	unsigned char all = 0;

	for (size_t i = 0; i < len; i++)
		all |= (unsigned char)s[i];
	return all < 0x80;
}

/* True when it was cut. */
static bool set_message(struct strbuf *out, const char *s, size_t len)
{
	bool cut;

	len = strnlen(s, len);
	cut = len > MESSAGE_BYTES;
	if (cut)
		len = MESSAGE_BYTES;
	strbuf_reset(out);
	if (is_ascii(s, len)) {
		strbuf_add(out, s, len);
		return cut;
	}
	for (size_t i = 0; i < len;) {
		size_t n = utf8_sequence((const unsigned char *)s + i, len - i);

		if (n)
			strbuf_add(out, s + i, n);
		else
			strbuf_addstr(out, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
	return cut;
}

static uint64_t hash_address(const char *s, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint64_t)tolower((unsigned char)s[i])) * 0x100000001b3ULL;
	return h;
}

static enum object_result tree_of(struct worker *w, const git_oid *commit, git_oid *out)
{
	struct commit_text c;
	struct object *o;
	enum object_result ret = objects_get(w->trees, commit, GIT_OBJECT_COMMIT, COMMIT_MAX_BYTES, &o);

	if (ret)
		return ret;
	if (commit_parse((const char *)o->data, o->size, &c))
		*out = c.tree;
	else
		ret = OBJECT_BROKEN;
	objects_put(w->trees, o);
	return ret;
}

static enum object_result read_commit(struct worker *w, const struct node *n, struct history_commit *c)
{
	struct commit_text text;
	struct object *o;
	git_oid old_tree;
	enum object_result ret = objects_get(w->trees, &n->id, GIT_OBJECT_COMMIT, COMMIT_MAX_BYTES, &o);

	if (ret)
		return ret;
	memset(c, 0, sizeof(*c));
	if (!commit_parse((const char *)o->data, o->size, &text)) {
		objects_put(w->trees, o);
		return OBJECT_BROKEN;
	}
	c->id = n->id;
	c->time = text.time;
	c->author_time = text.author_time;
	c->author = hash_address(text.author, text.author_len);
	c->nparents = text.nparents;
	if (text.nparents) {
		commit_parent(&text, 0, &c->parent);
		ret = tree_of(w, &c->parent, &old_tree);
	}
	if (!ret)
		ret = tree_compare(&w->diff, text.nparents ? &old_tree : NULL, &text.tree);
	if (!ret) {
		w->long_message = set_message(&w->message, text.message, text.message_len);
		c->message = w->message.buf;
		c->files = w->diff.files;
		c->nfiles = w->diff.nfiles;
	}
	objects_put(w->trees, o);
	return ret;
}

/* The worker's buffers are used again: a copy that lasts until it is stored. */
static void keep(struct worker *w, struct batch *b, const struct history_commit *c, void *result)
{
	size_t files = c->nfiles * sizeof(*c->files), paths = w->diff.paths.len;
	struct found *f;
	struct history_file *copy;
	char *text;

	ALLOC_GROW(b->v, b->nv + 1, b->alloc);
	f = &b->v[b->nv++];
	f->c = *c;
	f->result = result;
	f->block = xmalloc(files + paths + w->message.len + 1);
	copy = f->block;
	text = (char *)f->block + files;
	if (c->nfiles)
		memcpy(copy, c->files, files);
	memcpy(text, w->diff.paths.buf, paths);
	memcpy(text + paths, w->message.buf, w->message.len + 1);
	for (size_t i = 0; i < c->nfiles; i++)
		copy[i].path = text + (c->files[i].path - w->diff.paths.buf);
	f->c.files = copy;
	f->c.message = text + paths;
	f->c.blobs = NULL;
}

static void examine(struct worker *w, struct batch *b, uint32_t index)
{
	struct walk *k = w->r->k;
	const struct node *n = &k->graph.nodes[index];
	struct history_commit c;
	enum object_result ret = read_commit(w, n, &c);
	void *result;

	if (ret) {
		char hex[GIT_OID_HEXSZ + 1];

		log_debug("commit %s: passed over, an object is %s", git_oid_tostr(hex, sizeof(hex), &n->id),
			  ret == OBJECT_MISSING ? "missing" : ret == OBJECT_BROKEN ? "broken" : "too large");
		b->f.missing += ret == OBJECT_MISSING;
		b->f.broken += ret == OBJECT_BROKEN;
		b->f.oversize += ret == OBJECT_OVERSIZE;
		return;
	}
	b->f.commits++;
	b->f.long_message += w->long_message;
	c.release = releases_name(&k->releases, n->release);
	c.blobs = w->blobs;
	result = w->r->ex->examine(w->repo, &c, w->r->ex->payload);
	if (result)
		keep(w, b, &c, result);
}

/* ---- workers ----------------------------------------------------------------- */

static bool worker_open(struct worker *w)
{
	struct walk *k = w->r->k;

	return !history_open_repo(k->w->repo, &w->repo, &w->r->err) &&
	       (w->trees = objects_new(w->repo, k->packs, TREE_CACHE)) &&
	       (w->blobs = objects_new(w->repo, k->packs, BLOB_CACHE)) &&
	       !objects_serve(w->blobs, w->repo, &w->r->err);
}

static void worker_close(struct worker *w)
{
	tree_compare_release(&w->diff);
	strbuf_release(&w->message);
	objects_free(w->trees);
	objects_free(w->blobs);
	git_repository_free(w->repo);
}

static struct batch *take_batch(struct run *r)
{
	struct batch *b = NULL;

	pthread_mutex_lock(&r->lock);
	while (!r->stop && r->next < r->nbatches && r->next >= r->stored + r->nring)
		pthread_cond_wait(&r->space, &r->lock);
	if (!r->stop && r->next < r->nbatches) {
		size_t first = r->next * r->batch, left = r->k->ntodo - first;

		b = &r->ring[r->next++ % r->nring];
		memset(b, 0, sizeof(*b));
		b->first = first;
		b->n = left < r->batch ? left : r->batch;
	}
	pthread_mutex_unlock(&r->lock);
	return b;
}

static bool stopped(struct run *r)
{
	bool stop;

	pthread_mutex_lock(&r->lock);
	stop = r->stop;
	pthread_mutex_unlock(&r->lock);
	return stop;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct run *r = w->r;
	struct batch *b;

	while ((b = take_batch(r))) {
		for (size_t i = b->n; i-- && !stopped(r);)
			examine(w, b, r->k->todo[b->first + i]);
		pthread_mutex_lock(&r->lock);
		b->ready = true;
		pthread_cond_broadcast(&r->ready);
		pthread_mutex_unlock(&r->lock);
	}
	return NULL;
}

/* ---- storing ----------------------------------------------------------------- */

static void release_batch(struct run *r, struct batch *b)
{
	for (size_t i = 0; i < b->nv; i++) {
		if (b->v[i].result)
			r->ex->discard(b->v[i].result);
		free(b->v[i].block);
	}
	free(b->v);
	memset(b, 0, sizeof(*b));
}

static int store_batch(struct run *r, sqlite3 *db, struct batch *b, struct strbuf *err)
{
	struct oids ids = { 0 };
	int ret = db_exec(db, "BEGIN IMMEDIATE", err);

	for (size_t i = b->nv; i-- && !ret;) {
		void *result = b->v[i].result;

		b->v[i].result = NULL;
		ret = r->ex->store(db, &b->v[i].c, result, r->ex->payload, err);
	}
	for (size_t i = 0; i < b->n && !ret; i++)
		oids_add(&ids, &r->k->graph.nodes[r->k->todo[b->first + i]].id);
	if (!ret)
		ret = walked_add_part(&r->k->walked, &ids, err);
	for (size_t i = 0; i < ids.n && !ret; i++)
		oids_add(&r->k->walked.parts, &ids.v[i]);
	if (!ret)
		ret = db_exec(db, "COMMIT", err);
	if (ret && !sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	oids_release(&ids);
	return ret;
}

static void add_figures(struct history_figures *to, const struct history_figures *f)
{
	to->commits += f->commits;
	to->broken += f->broken;
	to->missing += f->missing;
	to->oversize += f->oversize;
	to->long_message += f->long_message;
}

static struct batch *wait_batch(struct run *r)
{
	struct batch *b = &r->ring[r->stored % r->nring];

	pthread_mutex_lock(&r->lock);
	while (!b->ready)
		pthread_cond_wait(&r->ready, &r->lock);
	pthread_mutex_unlock(&r->lock);
	return b;
}

static int store_all(struct run *r, sqlite3 *db, struct strbuf *err)
{
	const struct history_walk *w = r->k->w;
	int ret = 0;

	while (!ret && r->stored < r->nbatches) {
		struct batch *b = wait_batch(r);

		if (child_interrupted())
			return kp_fail(err, KP_INTERRUPTED, "interrupted; run again to go on");
		ret = store_batch(r, db, b, err);
		add_figures(&r->k->figures, &b->f);
		if (w->progress)
			w->progress(b->first + b->n, r->k->ntodo, w->payload);
		release_batch(r, b);
		pthread_mutex_lock(&r->lock);
		r->stored++;
		pthread_cond_broadcast(&r->space);
		pthread_mutex_unlock(&r->lock);
	}
	return ret;
}

/* How many workers, and the commits that each takes at a time. */
static int jobs_of(const struct walk *k, size_t *batch)
{
	long want = k->w->jobs > 0 ? k->w->jobs : sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = want > MAX_JOBS ? MAX_JOBS : want > 1 ? (size_t)want : 1, needed;

	*batch = k->ntodo / (n * BATCHES_EACH);
	*batch = *batch > MAX_BATCH ? MAX_BATCH : *batch < MIN_BATCH ? MIN_BATCH : *batch;
	needed = (k->ntodo + *batch - 1) / *batch;
	return (int)(n > needed ? needed : n);
}

static void stop_workers(struct run *r, pthread_t *threads, int started)
{
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->space);
	pthread_mutex_unlock(&r->lock);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

int history_run(struct walk *k, sqlite3 *db, struct strbuf *err)
{
	struct run r = { .k = k, .ex = k->w->examiner };
	int jobs = jobs_of(k, &r.batch), opened, started = 0, ret;
	struct worker *workers = xcalloc((size_t)jobs, sizeof(*workers));
	pthread_t threads[MAX_JOBS];

	strbuf_init(&r.err);
	r.nbatches = (k->ntodo + r.batch - 1) / r.batch;
	r.nring = (size_t)jobs * AHEAD;
	r.ring = xcalloc(r.nring, sizeof(*r.ring));
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.ready, NULL);
	pthread_cond_init(&r.space, NULL);
	for (int i = 0; i < jobs; i++) {
		workers[i].r = &r;
		strbuf_init(&workers[i].message);
		tree_compare_init(&workers[i].diff, NULL);
	}
	for (opened = 0; opened < jobs && worker_open(&workers[opened]); opened++)
		workers[opened].diff.objects = workers[opened].trees;
	while (started < opened && !pthread_create(&threads[started], NULL, work, &workers[started]))
		started++;
	if (started)
		ret = store_all(&r, db, err);
	else
		ret = kp_fail(err, KP_INFRA, "cannot start a thread%s%s", r.err.len ? ": " : "", r.err.buf);
	stop_workers(&r, threads, started);
	for (size_t i = 0; i < r.nring; i++)
		release_batch(&r, &r.ring[i]);
	for (int i = 0; i < jobs; i++)
		worker_close(&workers[i]);
	free(workers);
	free(r.ring);
	strbuf_release(&r.err);
	return ret;
}
