// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/sibling.h"

#include <git2.h>

#include "base/alloc.h"
#include "base/ctoken.h"
#include "base/error.h"
#include "base/strmap.h"

/* ---- which one ------------------------------------------------------------------------------- */

static void identifiers(const struct strbuf *text, struct strmap *out)
{
	struct ctoks ts;

	if (ctoks_scan(&ts, text->buf, text->len) < 0)
		return;
	for (size_t i = 0; i < ts.n; i++) {
		char *name = ts.t[i].kind == CTOK_IDENT ? xstrndup(ts.text + ts.t[i].off, ts.t[i].len) : NULL;

		if (name)
			strmap_put(out, name, NULL);
		free(name);
	}
	ctoks_release(&ts);
}

/* Identifiers that both have, of those that either has. */
static double likeness(const struct strmap *mine, const struct strbuf *text)
{
	struct strmap other = STRMAP_INIT;
	struct strmap_entry *e;
	size_t both = 0, either;

	identifiers(text, &other);
	strmap_for_each(&other, e)
		both += strmap_has(mine, e->key);
	either = mine->live + other.live - both;
	strmap_release(&other, NULL);
	return either ? (double)both / (double)either : 0;
}

/* The first one by id among equals, whatever the order of the pool. */
static const struct bench_case *nearest(const struct refs *r, const struct case_set *pool, const struct bench_case *c,
					const struct strbuf *text)
{
	const struct bench_case *best = NULL;
	struct strmap mine = STRMAP_INIT;
	double most = 0;

	identifiers(text, &mine);
	for (size_t i = 0; i < pool->n; i++) {
		const struct bench_case *o = pool->c[i];
		struct strbuf other = STRBUF_INIT, ignored = STRBUF_INIT;

		if (!strcmp(o->group, c->group) && strcmp(o->id, c->id) && !refs_text(r, o, false, &other, &ignored)) {
			double like = likeness(&mine, &other);

			if (like > most || (best && like == most && strcmp(o->id, best->id) < 0)) {
				most = like;
				best = o;
			}
		}
		strbuf_release(&other);
		strbuf_release(&ignored);
	}
	strmap_release(&mine, NULL);
	return best;
}

/* ---- its edit --------------------------------------------------------------------------------- */

struct line {
	const char *s;
	size_t len, raw;	/* without blanks at both ends; with them and the newline, from "at" */
	const char *at;
};

struct lines {
	struct line *v;
	size_t n, alloc;
};

static void add_line(struct lines *l, const char *at, size_t raw)
{
	const char *s = at, *end = at + raw;

	while (s < end && strchr(" \t\r\n", *s))
		s++;
	while (end > s && strchr(" \t\r\n", end[-1]))
		end--;
	ALLOC_GROW(l->v, l->n + 1, l->alloc);
	l->v[l->n++] = (struct line){ .s = s, .len = (size_t)(end - s), .at = at, .raw = raw };
}

static void cut(struct lines *l, const struct strbuf *text)
{
	for (const char *p = text->buf, *end = p + text->len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = nl ? (size_t)(nl + 1 - p) : (size_t)(end - p);

		add_line(l, p, n);
		p += n;
	}
}

static bool same(const struct line *a, const struct line *b)
{
	return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

/* Do the n lines of old stand in text from "at" on? */
static bool stands(const struct lines *text, size_t at, const struct line *old, size_t n)
{
	if (at + n > text->n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same(&text->v[at + i], &old[i]))
			return false;
	return true;
}

struct change {
	bool gone;		/* the line is replaced or left out */
	struct strbuf before;	/* what comes in front of it */
};

/* One hunk of the sibling's patch without context: lines [oa, oa + on) of old became [na, na + nn) of new. */
struct hunk {
	size_t oa, on, na, nn;
};

static void put_hunk(const struct lines *old, const struct lines *new, const struct hunk *h, const struct lines *text,
		     struct change *ch)
{
	/* Lines that only came are put behind the one that they followed. */
	size_t first = h->on ? h->oa : h->oa ? h->oa - 1 : 0, n = h->on ? h->on : 1;

	if (first + n > old->n || (n == 1 && !old->v[first].len))
		return;
	for (size_t at = 0; at < text->n; at++) {
		size_t where = h->on ? at : at + 1;
		bool free_lines = stands(text, at, &old->v[first], n);

		for (size_t i = 0; free_lines && i < h->on; i++)
			free_lines = !ch[at + i].gone;
		if (!free_lines || ch[where].before.len)
			continue;
		for (size_t i = 0; i < h->nn; i++)
			strbuf_add(&ch[where].before, new->v[h->na + i].at, new->v[h->na + i].raw);
		for (size_t i = 0; i < h->on; i++)
			ch[at + i].gone = true;
	}
}

static void put_all(git_patch *patch, const struct lines *old, const struct lines *new, const struct lines *text,
		    struct change *ch)
{
	for (size_t k = 0; k < git_patch_num_hunks(patch); k++) {
		const git_diff_hunk *g;
		size_t lines;

		if (git_patch_get_hunk(&g, &lines, patch, k))
			continue;
		/* git counts from 1; of an empty side it names the line in front. */
		put_hunk(old, new, &(struct hunk){ .oa = (size_t)g->old_start - (g->old_lines > 0), .on = (size_t)g->old_lines,
			 .na = (size_t)g->new_start - (g->new_lines > 0), .nn = (size_t)g->new_lines }, text, ch);
	}
}

int sibling_transfer(const struct strbuf *old, const struct strbuf *new, const struct strbuf *text, struct strbuf *out,
		     struct strbuf *err)
{
	git_diff_options opts = GIT_DIFF_OPTIONS_INIT;
	struct lines o = { 0 }, n = { 0 }, t = { 0 };
	git_patch *patch = NULL;
	struct change *ch;
	int ret = 0;

	opts.context_lines = 0;
	opts.flags = GIT_DIFF_FORCE_TEXT;
	git_libgit2_init();
	cut(&o, old);
	cut(&n, new);
	cut(&t, text);
	ch = xcalloc(t.n + 1, sizeof(*ch));
	for (size_t i = 0; i <= t.n; i++)
		strbuf_init(&ch[i].before);
	if (git_patch_from_buffers(&patch, old->buf, old->len, "a", new->buf, new->len, "a", &opts))
		ret = kp_fail(err, KP_INFRA, "cannot compare: %s", git_error_last()->message);
	else
		put_all(patch, &o, &n, &t, ch);
	for (size_t i = 0; i <= t.n; i++) {
		strbuf_addbuf(out, &ch[i].before);
		if (i < t.n && !ch[i].gone)
			strbuf_add(out, t.v[i].at, t.v[i].raw);
		strbuf_release(&ch[i].before);
	}
	git_patch_free(patch);
	git_libgit2_shutdown();
	free(ch);
	free(o.v);
	free(n.v);
	free(t.v);
	return ret;
}

int sibling_answer(const struct refs *r, const struct case_set *pool, const struct bench_case *c,
		   const struct material *m, struct strbuf *patch, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT, old = STRBUF_INIT, new = STRBUF_INIT, out = STRBUF_INIT;
	const struct bench_case *s = NULL;
	int ret = refs_text(r, c, false, &text, err);

	if (!ret)
		s = nearest(r, pool, c, &text);
	if (s)
		ret = refs_text(r, s, false, &old, err);
	if (s && !ret)
		ret = refs_text(r, s, true, &new, err);
	if (s && !ret)
		ret = sibling_transfer(&old, &new, &text, &out, err);
	if (s && !ret)
		ret = material_patch(m, out.buf, out.len, patch, err);
	strbuf_release(&text);
	strbuf_release(&old);
	strbuf_release(&new);
	strbuf_release(&out);
	return ret;
}
