// SPDX-License-Identifier: GPL-2.0-only
/* From a model's text to edits of the driver, and what they may not do. */
#include "base/compat.h"
#include "port/model-internal.h"

#include <ctype.h>

#include "agents/match.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"
#include "checks/honest.h"

/* ---- the pool ------------------------------------------------------------------- */

static void cand_free(struct model_cand *c)
{
	free(c->path);
	free(c->function);
	free(c->model);
	proto_reply_release(&c->reply);
	free(c);
}

void model_pool_clear(struct model_pool *p)
{
	for (size_t i = 0; i < p->n; i++)
		cand_free(p->c[i]);
	free(p->c);
	p->c = NULL;
	p->n = p->alloc = 0;
}

void model_pool_remove(struct model_pool *p, size_t i)
{
	cand_free(p->c[i]);
	memmove(p->c + i, p->c + i + 1, (p->n - i - 1) * sizeof(*p->c));
	p->n--;
}

static struct hash_hex edits_hash(const struct proto_reply *r)
{
	struct hash *h = hash_new();

	for (size_t i = 0; i < r->nedits; i++) {
		hash_add_str(h, r->edits[i].path);
		hash_add_str(h, r->edits[i].old);
		hash_add_str(h, r->edits[i].new);
	}
	return hash_final(h);
}

bool model_pool_add(struct model_pool *p, struct strmap *seen, const char *path, const char *function,
		    struct proto_reply *r, const char *model, unsigned round, unsigned sample)
{
	struct hash_hex h = edits_hash(r);
	struct model_cand *c;

	if (strmap_has(seen, h.hex)) {
		proto_reply_release(r);
		return false;
	}
	strmap_put(seen, h.hex, NULL);
	c = xcalloc(1, sizeof(*c));
	c->path = xstrdup(path);
	c->function = xstrdup(function);
	c->reply = *r;
	c->hash = h;
	c->model = xstrdup(model);
	c->round = round;
	c->sample = sample;
	ALLOC_GROW(p->c, p->n + 1, p->alloc);
	p->c[p->n++] = c;
	memset(r, 0, sizeof(*r));
	return true;
}

/* ---- words ------------------------------------------------------------------------ */

/* A word that mails, diffs or trailers begin with. */
static bool is_mark(const char *w, size_t n)
{
	size_t dashes = 0;

	while (dashes < n && w[dashes] == '-')
		dashes++;
	return dashes >= 3 || (n >= 2 && !memcmp(w, "@@", 2)) || (n == 4 && !memcmp(w, "diff", 4)) ||
	       (n == 6 && !memcmp(w, "Index:", 6)) || (n >= 1 && *w == '>');
}

char *model_clean(const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	while (*text) {
		size_t n = strcspn(text, " \t\n\r");
		size_t keep = n;

		/* "Signed-off-by:" and every other trailer. */
		if (n > 1 && text[n - 1] == ':' && memchr(text, '-', n))
			keep--;
		if (n && !is_mark(text, n)) {
			strbuf_addf(&sb, "%s", sb.len ? " " : "");
			strbuf_add(&sb, text, keep);
		}
		text += n;
		text += strspn(text, " \t\n\r");
	}
	return strbuf_detach(&sb, NULL);
}

/* A subject: begins small unless it is a name, has no full stop, is no longer than 70 bytes. */
static void set_title(struct edit_group *g, const struct model_cand *c)
{
	char *t = c->reply.title ? model_clean(c->reply.title) : NULL;
	size_t n = t ? strlen(t) : 0;

	while (n && (t[n - 1] == '.' || t[n - 1] == ' '))
		t[--n] = '\0';
	if (n > 70) {
		n = 70;
		while (n > 40 && t[n] != ' ')
			n--;
		t[n] = '\0';
	}
	if (n)
		edit_group_title(g, "%s", t);
	else if (c->function)
		edit_group_title(g, "follow the target kernel in %s()", c->function);
	else
		edit_group_title(g, "follow the target kernel in %s", path_base(c->path));
	free(t);
}

/* ---- placing ------------------------------------------------------------------------ */

/* What both texts begin and end with, by lines, is no edit. */
static void add_trimmed(struct edit_group *g, const struct srcfile *f, struct match *m)
{
	const char *was = f->text + m->start, *now = m->text;
	size_t nw = m->end - m->start, nn = strlen(now), head = 0, tail = 0;

	for (size_t i = 0; i < nw && i < nn && was[i] == now[i]; i++) {
		if (was[i] == '\n')
			head = i + 1;
	}
	for (size_t i = 0; i < nw - head && i < nn - head && was[nw - 1 - i] == now[nn - 1 - i]; i++) {
		if (i + 1 < nw - head && was[nw - 2 - i] == '\n' && i + 1 < nn - head &&
		    now[nn - 2 - i] == '\n')
			tail = i + 1;
	}
	if (nw - head - tail || nn - head - tail) {
		char *text = xstrndup(now + head, nn - head - tail);

		edit_add(g, f->path, m->start + head, m->end - tail, text);
		free(text);
	}
}

/* Bytes of an answer that are no UTF-8 arrive as this: what was meant is lost. */
static size_t count_lost(const char *s)
{
	size_t n = 0;

	for (; (s = strstr(s, "\xef\xbf\xbd")); s += 3)
		n++;
	return n;
}

static int place_one(struct edit_group *g, const struct proto_edit *e, struct tree *t, struct strbuf *why)
{
	struct srcfile *f = path_is_safe(e->path) ? tree_file(t, e->path) : NULL;
	struct match m;
	int ret;

	if (!f || !srcfile_is_c(f)) {
		strbuf_addstr(why, "'");
		strbuf_add_shown(why, e->path, strlen(e->path));
		strbuf_addstr(why, "' is no C file of the driver");
		return KP_NOTFOUND;
	}
	if (count_lost(e->new) > count_lost(e->old)) {
		strbuf_addstr(why, "the new text has bytes that are no UTF-8");
		return KP_NOTFOUND;
	}
	ret = match_find(f->text, f->len, e, &m, why);
	if (ret)
		return ret;
	add_trimmed(g, f, &m);
	match_release(&m);
	return 0;
}

struct edit_group *model_place(const struct model_cand *c, struct tree *t, struct strbuf *why)
{
	struct edit_group *g = edit_group_new(EDIT_MODEL, "model", RISK_REVIEW,
					      0.5 - 0.01 * (c->sample < 40 ? c->sample : 40));
	int ret = 0;

	for (size_t i = 0; !ret && i < c->reply.nedits; i++)
		ret = place_one(g, &c->reply.edits[i], t, why);
	if (!ret && !g->n) {
		strbuf_addstr(why, "the edits change nothing");
		ret = KP_NOTFOUND;
	}
	if (ret) {
		edit_group_free(g);
		return NULL;
	}
	set_title(g, c);
	if (c->reply.why) {
		char *s = model_clean(c->reply.why);

		edit_group_why(g, "%s", s);
		free(s);
	}
	edit_group_why(g, "This edit was written by a language model and passed the compiler and the comparison "
			  "with the driver before, nothing more.");
	g->assisted = xstrdup(c->model);
	g->answer = xstrdup(c->hash.hex);
	return g;
}

/* ---- comparing ------------------------------------------------------------------------ */

static int read_facts(const struct model_pool *p, struct tree *t, const char *dir, unsigned version,
		      struct facts *out, struct strbuf *err)
{
	int ret = file_mkdirs(dir, err);

	if (!ret)
		ret = tree_write(t, NULL, dir, err);
	return ret ? ret : facts_read(dir, version, out, err);
}

bool model_loses(const struct model_pool *p, struct tree *before, struct tree *after, const char *dir,
		 struct strbuf *why)
{
	struct finding_list findings = { 0 }, review = { 0 };
	char *a = path_join(dir, "before"), *b = path_join(dir, "after");
	struct strbuf err = STRBUF_INIT;
	struct honest h;
	bool lost = false;
	int ret;

	honest_init(&h, &findings, &review);
	ret = read_facts(p, before, a, p->to_version, &h.old, &err);
	if (!ret)
		ret = read_facts(p, after, b, p->to_version, &h.new, &err);
	if (!ret) {
		h.target = p->target;
		honest_compare(&h);
		h.target = NULL; /* the pool's */
		lost = findings.n > 0;
		if (lost)
			finding_describe(&findings.f[0], why);
	}
	honest_release(&h);
	finding_list_release(&findings);
	finding_list_release(&review);
	/* What cannot be compared is not taken. */
	if (ret) {
		lost = true;
		strbuf_addf(why, "it could not be compared with the driver before: %s", err.buf);
	}
	file_remove(a, &err);
	file_remove(b, &err);
	strbuf_release(&err);
	free(a);
	free(b);
	return lost;
}
