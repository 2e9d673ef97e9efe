// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/hunks.h"

#include "base/alloc.h"
#include "base/cfunc.h"
#include "base/error.h"
#include "mine/units.h"

#define MAX_SIDE_UNITS	12
#define MAX_SIDE_TOKENS 320

struct pair {
	struct ctoks ts[2];
	struct cunits us[2];
	struct cfile old_file;
	struct hunks *out;
};

static char *side_text(const struct cunits *us, size_t from, size_t to)
{
	const struct ctok *first, *last;

	if (from >= to)
		return xstrdup("");
	first = &us->ts->t[us->u[from].first];
	last = &us->ts->t[us->u[to - 1].end - 1];
	return xstrndup(us->ts->text + first->off, last->off + last->len - first->off);
}

static size_t count_ident(const struct cunits *us, size_t from, size_t to, const struct ctoks *of,
			  size_t tok)
{
	size_t n = 0;

	for (size_t u = from; u < to; u++) {
		for (size_t i = us->u[u].first; i < us->u[u].end; i++)
			n += ctok_same(us->ts, i, of, tok);
	}
	return n;
}

/* An identifier that finds the hunk: used less on the new side, called, or a member. */
static bool is_key(const struct pair *p, const struct cunits_hunk *h, size_t i)
{
	const struct ctoks *ts = &p->ts[0];

	if (!ctok_is_ident(ts, i))
		return false;
	if (ctok_is(ts, i + 1, "(") || (i > 0 && (ctok_is(ts, i - 1, "->") || ctok_is(ts, i - 1, "."))))
		return true;
	return count_ident(&p->us[0], h->a, h->a_end, ts, i) >
	       count_ident(&p->us[1], h->b, h->b_end, ts, i);
}

static void add_idents(const struct pair *p, const struct cunits_hunk *h, struct strvec *out)
{
	const struct ctoks *ts = &p->ts[0];

	for (size_t u = h->a; u < h->a_end; u++) {
		for (size_t i = p->us[0].u[u].first; i < p->us[0].u[u].end; i++) {
			char *s;

			if (ts->t[i].kind == CTOK_PP) {
				uint32_t off, len;

				if (!ctok_pp_is(ts, i, "include") || !ctok_pp_word(ts, i, &off, &len))
					continue;
				s = xstrndup(ts->text + off, len);
			} else if (is_key(p, h, i)) {
				s = ctok_dup(ts, i);
			} else {
				continue;
			}
			if (!strvec_contains(out, s))
				strvec_push(out, s);
			free(s);
		}
	}
}

static void on_hunk(const struct cunits_hunk *h, void *payload)
{
	struct pair *p = payload;
	const struct cfunc *fn;
	struct hunk *o;

	if (h->a == h->a_end || h->a_end - h->a > MAX_SIDE_UNITS ||
	    h->b_end - h->b > MAX_SIDE_UNITS ||
	    cunits_tokens(&p->us[0], h->a, h->a_end) > MAX_SIDE_TOKENS ||
	    cunits_tokens(&p->us[1], h->b, h->b_end) > MAX_SIDE_TOKENS)
		return;
	ALLOC_GROW(p->out->h, p->out->n + 1, p->out->alloc);
	o = &p->out->h[p->out->n];
	memset(o, 0, sizeof(*o));
	strvec_init(&o->idents);
	add_idents(p, h, &o->idents);
	if (!o->idents.n)
		return;
	p->out->n++;
	o->before = side_text(&p->us[0], h->a, h->a_end);
	o->after = side_text(&p->us[1], h->b, h->b_end);
	o->line = (int)p->ts[0].t[p->us[0].u[h->a].first].line;
	fn = cfile_func_at(&p->old_file, p->us[0].u[h->a].first);
	if (fn)
		o->function = ctok_dup(&p->ts[0], fn->name);
}

int hunks_compare(const char *old, size_t old_len, const char *new, size_t new_len,
		  struct hunks *out, struct strbuf *err)
{
	struct pair p = { .out = out };
	int ret = 0;

	if (ctoks_scan(&p.ts[0], old, old_len) || ctoks_scan(&p.ts[1], new, new_len)) {
		ctoks_release(&p.ts[0]);
		return kp_fail(err, KP_ERR, "a file of more than 1 GiB");
	}
	cfile_parse(&p.old_file, &p.ts[0]);
	cunits_split(&p.us[0], &p.ts[0]);
	cunits_split(&p.us[1], &p.ts[1]);
	ret = cunits_diff(&p.us[0], &p.us[1], on_hunk, &p, err);
	cunits_release(&p.us[0]);
	cunits_release(&p.us[1]);
	cfile_release(&p.old_file);
	ctoks_release(&p.ts[0]);
	ctoks_release(&p.ts[1]);
	return ret;
}

void hunks_release(struct hunks *hs)
{
	for (size_t i = 0; i < hs->n; i++) {
		free(hs->h[i].function);
		free(hs->h[i].before);
		free(hs->h[i].after);
		strvec_release(&hs->h[i].idents);
	}
	free(hs->h);
	memset(hs, 0, sizeof(*hs));
}
