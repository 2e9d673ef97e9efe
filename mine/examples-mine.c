// SPDX-License-Identifier: GPL-2.0-only
/* Mining two source trees: worker threads compare files, one at a time writes. */
#include "base/compat.h"
#include "mine/examples.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/examples-db.h"
#include "mine/hunks.h"

#define MAX_FILE_BYTES (2u << 20)

struct miner {
	const char *old_src, *new_src;
	struct file_pairs pairs;
	size_t next;	/* index of the next pair to take */
	uint64_t done;
	struct examples_stats stats;
	void (*progress)(uint64_t done, uint64_t total, void *payload);
	void *payload;
	struct examples_writer *w;
	int ret;
	struct strbuf *err;
	pthread_mutex_t lock;
};

/* ---- workers ------------------------------------------------------------------ */

/* What a pair's examples come from. */
static struct hash_hex pair_content(const struct strbuf *a, const struct strbuf *b)
{
	struct hash *h = hash_new();
	uint64_t len = a->len;

	hash_add(h, &len, sizeof(len));
	hash_add(h, a->buf, a->len);
	hash_add(h, b->buf, b->len);
	return hash_final(h);
}

enum outcome { PAIR_SAME, PAIR_MINED, PAIR_REUSED, PAIR_UNREADABLE };

static bool has(struct miner *m, const char *rel, const struct hash_hex *content)
{
	bool yes;

	pthread_mutex_lock(&m->lock);
	yes = examples_writer_has(m->w, rel, content);
	pthread_mutex_unlock(&m->lock);
	return yes;
}

static enum outcome mine_pair(struct miner *m, const struct file_pair *p, struct hunks *out,
			      struct hash_hex *content)
{
	char *a = path_join(m->old_src, p->old_path), *b = path_join(m->new_src, p->new_path);
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT, err = STRBUF_INIT;
	enum outcome o = PAIR_UNREADABLE;

	if (file_read(a, MAX_FILE_BYTES, &x, &err) == 0 && file_read(b, MAX_FILE_BYTES, &y, &err) == 0) {
		o = PAIR_SAME;
		if (x.len != y.len || memcmp(x.buf, y.buf, x.len)) {
			*content = pair_content(&x, &y);
			if (has(m, p->old_path, content))
				o = PAIR_REUSED;
			else
				o = hunks_compare(x.buf, x.len, y.buf, y.len, out, &err) ? PAIR_UNREADABLE : PAIR_MINED;
		}
	}
	strbuf_release(&x);
	strbuf_release(&y);
	strbuf_release(&err);
	free(a);
	free(b);
	return o;
}

static int write_pair(struct miner *m, const struct file_pair *p, const struct hash_hex *content,
		      const struct hunks *f)
{
	int ret = examples_writer_file(m->w, p->old_path, p->new_path, content, m->err);

	for (size_t i = 0; !ret && i < f->n; i++) {
		const struct hunk *h = &f->h[i];

		ret = examples_writer_add(m->w, h->function, h->before, h->after, h->line, &h->idents,
					  m->err);
	}
	return ret;
}

static void *worker(void *arg)
{
	struct miner *m = arg;

	for (;;) {
		struct hunks f = HUNKS_INIT;
		const struct file_pair *p;
		struct hash_hex content;
		enum outcome o;

		pthread_mutex_lock(&m->lock);
		if (m->ret || m->next >= m->pairs.n || child_interrupted()) {
			pthread_mutex_unlock(&m->lock);
			return NULL;
		}
		p = &m->pairs.p[m->next++];
		pthread_mutex_unlock(&m->lock);

		o = mine_pair(m, p, &f, &content);

		pthread_mutex_lock(&m->lock);
		m->stats.files++;
		m->stats.changed += o == PAIR_MINED || o == PAIR_REUSED;
		m->stats.reused += o == PAIR_REUSED;
		m->stats.unreadable += o == PAIR_UNREADABLE;
		if (o == PAIR_MINED && !m->ret)
			m->ret = write_pair(m, p, &content, &f);
		if (m->progress)
			m->progress(++m->done, m->pairs.n, m->payload);
		pthread_mutex_unlock(&m->lock);
		hunks_release(&f);
	}
}

static void run_workers(struct miner *m)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t t[16];
	int n = cpus > 16 ? 16 : cpus < 1 ? 1 : (int)cpus, started = 0;

	while (started < n && !pthread_create(&t[started], NULL, worker, m))
		started++;
	if (!started)
		worker(m);
	for (int i = 0; i < started; i++)
		pthread_join(t[i], NULL);
}

/* "6.1" from the tree's Makefile; appended, nothing when it has none. */
static void tree_version(const char *src, struct strbuf *out)
{
	static const char *const names[] = { "VERSION =", "PATCHLEVEL =" };
	char *path = path_join(src, "Makefile");
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;

	if (file_read(path, 1u << 20, &text, &ignored) == 0)
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			const char *p = starts_with(text.buf, names[i]) ? text.buf : NULL;
			char *line = xstrfmt("\n%s", names[i]);

			if (!p && (p = strstr(text.buf, line)) != NULL)
				p++;
			if (p) {
				p += strlen(names[i]);
				p += strspn(p, " \t");
				strbuf_addf(out, "%s%.*s", i ? "." : "", (int)strspn(p, "0123456789"), p);
			}
			free(line);
		}
	free(path);
	strbuf_release(&text);
	strbuf_release(&ignored);
}

int examples_mine(const char *old_src, const char *new_src, const struct strvec *dirs,
		  const char *path,
		  void (*progress)(uint64_t done, uint64_t total, void *payload), void *payload,
		  struct strbuf *err)
{
	static const char *const usual[] = { "drivers", "sound", "net", "fs", "block", "crypto",
					     "lib", "samples", "arch/x86" };
	struct miner m = { .old_src = old_src, .new_src = new_src, .progress = progress,
			   .payload = payload, .err = err };
	struct strbuf versions = STRBUF_INIT;
	int ret;

	pthread_mutex_init(&m.lock, NULL);
	tree_version(old_src, &versions);
	strbuf_addch(&versions, '-');
	tree_version(new_src, &versions);
	/* Other directories give another store. */
	for (size_t i = 0; dirs && i < dirs->n; i++)
		strbuf_addf(&versions, " %s", dirs->v[i]);
	ret = file_pairs_find(old_src, new_src, dirs ? dirs->v : usual, dirs ? dirs->n : ARRAY_SIZE(usual),
			      &m.pairs, err);
	m.stats.renamed = m.pairs.renamed;
	if (!ret)
		ret = examples_writer_open(path, versions.buf, &m.w, err);
	if (!ret) {
		run_workers(&m);
		ret = m.ret;
		if (!ret && child_interrupted())
			ret = kp_fail(err, KP_INTERRUPTED, "interrupted; run the same command again to go on");
		if (ret)
			examples_writer_stop(m.w);
		else
			ret = examples_writer_finish(m.w, &m.stats, err);
	}
	pthread_mutex_destroy(&m.lock);
	file_pairs_release(&m.pairs);
	strbuf_release(&versions);
	return ret;
}
