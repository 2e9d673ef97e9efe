// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/match.h"

#include "base/alloc.h"
#include "base/error.h"

#define MAX_SHOWN 100
#define MAX_STEPS ((size_t)50 << 20) /* lines compared; repetitive texts would take for ever */

struct mline {
	const char *s;
	size_t n;	/* without the line end */
	char *flat;	/* blanks made equal; "" for an empty line */
};

struct mtext {
	const char *base;
	size_t len;
	struct mline *l;
	size_t n, alloc;
};

/* Runs of blanks are one, none at the ends. */
static char *flatten(const char *s, size_t n)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		bool blank = s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\f';

		if (!blank)
			strbuf_addch(&sb, s[i] ? s[i] : '?');
		else if (sb.len && sb.buf[sb.len - 1] != ' ')
			strbuf_addch(&sb, ' ');
	}
	if (sb.len && sb.buf[sb.len - 1] == ' ')
		strbuf_setlen(&sb, sb.len - 1);
	return strbuf_detach(&sb, NULL);
}

static void split(struct mtext *t, const char *text, size_t len)
{
	memset(t, 0, sizeof(*t));
	t->base = text;
	t->len = len;
	for (size_t i = 0; i < len;) {
		const char *nl = memchr(text + i, '\n', len - i);
		size_t end = nl ? (size_t)(nl - text) : len, n = end - i;

		if (n && text[i + n - 1] == '\r')
			n--;
		ALLOC_GROW(t->l, t->n + 1, t->alloc);
		t->l[t->n++] = (struct mline){ text + i, n, flatten(text + i, n) };
		i = end + 1;
	}
}

static void drop(struct mtext *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->l[i].flat);
	free(t->l);
}

static bool same(const struct mline *a, const struct mline *b)
{
	return a->n == b->n && !memcmp(a->s, b->s, a->n);
}

/* Does old stand at line i? *end: the line behind; *fits: lines that agree. */
static bool stands_exactly(const struct mtext *t, size_t i, const struct mtext *old, size_t *end,
			   size_t *fits)
{
	*fits = 0;
	if (i + old->n > t->n)
		return false;
	for (size_t k = 0; k < old->n; k++, (*fits)++) {
		if (!same(&t->l[i + k], &old->l[k]))
			return false;
	}
	*end = i + old->n;
	return true;
}

/* *fits: how many lines with something in them agree before the first that does not. */
static bool stands_flat(const struct mtext *t, size_t i, const struct mtext *old, size_t *end, size_t *fits)
{
	size_t k = 0;

	*fits = 0;
	if (!*t->l[i].flat)
		return false;
	for (;;) {
		while (k < old->n && !*old->l[k].flat)
			k++;
		if (k == old->n)
			return true;
		while (i < t->n && !*t->l[i].flat)
			i++;
		if (i == t->n || strcmp(t->l[i].flat, old->l[k].flat))
			return false;
		i++;
		k++;
		*end = i;
		(*fits)++;
	}
}

struct places {
	size_t n, at[8], end[8]; /* lines */
};

static void find(const struct mtext *t, const struct mtext *old, bool flat, struct places *p)
{
	size_t steps = 0;

	p->n = 0;
	for (size_t i = 0; i < t->n; i++) {
		size_t end, fits;

		bool hit = flat ? stands_flat(t, i, old, &end, &fits) : stands_exactly(t, i, old, &end, &fits);

		steps += fits + 1;
		if (!hit && steps < MAX_STEPS)
			continue;
		if (!hit)
			return;
		if (p->n < ARRAY_SIZE(p->at)) {
			p->at[p->n] = i;
			p->end[p->n] = end;
		}
		p->n++;
	}
}

/* ---- messages for the model ------------------------------------------------------- */

static void add_quoted(struct strbuf *sb, const char *s)
{
	strbuf_addch(sb, '\'');
	strbuf_add_shown(sb, s, strnlen(s, MAX_SHOWN));
	strbuf_addch(sb, '\'');
}

static const char *nth_flat(const struct mtext *t, size_t from, size_t n)
{
	for (size_t i = from; i < t->n; i++) {
		if (*t->l[i].flat && !n--)
			return t->l[i].flat;
	}
	return NULL;
}

static int not_found(const struct mtext *t, const struct mtext *old, const char *path, struct strbuf *why)
{
	const char *first = nth_flat(old, 0, 0), *is, *says;
	size_t best = 0, at = 0;

	for (size_t i = 0; i < t->n; i++) {
		size_t end, fits;

		stands_flat(t, i, old, &end, &fits);
		if (fits > best) {
			best = fits;
			at = i;
		}
	}
	if (!best) {
		strbuf_addf(why, "no line of '%s' is ", path);
		add_quoted(why, first ? first : "");
		return KP_NOTFOUND;
	}
	is = nth_flat(t, at, best);
	says = nth_flat(old, 0, best);
	strbuf_addf(why, "'%s': line %zu is ", path, at + 1);
	add_quoted(why, first);
	strbuf_addstr(why, " but then comes ");
	add_quoted(why, is ? is : "the end of the file");
	strbuf_addstr(why, ", not ");
	add_quoted(why, says ? says : "");
	return KP_NOTFOUND;
}

static int ambiguous(const struct places *p, const char *path, struct strbuf *why)
{
	strbuf_addf(why, "the old text stands %zu times in '%s', at lines", p->n, path);
	for (size_t i = 0; i < p->n && i < ARRAY_SIZE(p->at); i++)
		strbuf_addf(why, "%s %zu", i ? "," : "", p->at[i] + 1);
	strbuf_addstr(why, "; quote more lines so that it is one place");
	return KP_NOTFOUND;
}

/* ---- the new text ------------------------------------------------------------------- */

static size_t indent_of(const struct mline *l)
{
	size_t n = 0;

	while (n < l->n && (l->s[n] == ' ' || l->s[n] == '\t'))
		n++;
	return n;
}

/* The file's own line for one that the model repeated with other blanks. */
static const struct mline *own_line(const struct mtext *t, size_t from, size_t to, const char *flat)
{
	for (size_t i = from; *flat && i < to; i++) {
		if (!strcmp(t->l[i].flat, flat))
			return &t->l[i];
	}
	return NULL;
}

static char *reindent(const struct mtext *t, size_t from, size_t to, const struct mtext *old,
		      const char *new_text)
{
	struct strbuf sb = STRBUF_INIT;
	const struct mline *theirs = NULL, *ours = &t->l[from];
	size_t their_n, our_n = indent_of(ours);
	struct mtext new;

	for (size_t i = 0; i < old->n && !theirs; i++)
		theirs = *old->l[i].flat ? &old->l[i] : NULL;
	their_n = theirs ? indent_of(theirs) : 0;
	split(&new, new_text, strlen(new_text));
	for (size_t i = 0; i < new.n; i++) {
		const struct mline *l = &new.l[i], *own = own_line(t, from, to, l->flat);

		if (own) {
			strbuf_add(&sb, own->s, own->n);
		} else if (*l->flat && indent_of(l) >= their_n &&
			   (!their_n || !memcmp(l->s, theirs->s, their_n))) {
			strbuf_add(&sb, ours->s, our_n);
			strbuf_add(&sb, l->s + their_n, l->n - their_n);
		} else {
			strbuf_add(&sb, l->s, l->n);
		}
		strbuf_addch(&sb, '\n');
	}
	drop(&new);
	return strbuf_detach(&sb, NULL);
}

/* The place that the diff names, when it is one of them. */
static ssize_t chosen(const struct places *p, int line)
{
	for (size_t i = 0; line > 0 && i < p->n && i < ARRAY_SIZE(p->at); i++) {
		if (p->at[i] + 1 == (size_t)line)
			return (ssize_t)i;
	}
	return p->n == 1 ? 0 : -1;
}

static void take(const struct mtext *t, const struct mtext *old, const struct places *p, size_t which,
		 const struct proto_edit *e, struct match *out)
{
	size_t from = p->at[which], to = p->end[which];

	out->start = (size_t)(t->l[from].s - t->base);
	out->end = to < t->n ? (size_t)(t->l[to].s - t->base) : t->len;
	out->text = out->blanks ? reindent(t, from, to, old, e->new) : xstrdup(e->new);
	/* A last line without its end stays so. */
	if (to == t->n && t->len && t->base[t->len - 1] != '\n' && *out->text)
		out->text[strlen(out->text) - 1] = '\0';
}

int match_find(const char *text, size_t len, const struct proto_edit *e, struct match *out,
	       struct strbuf *why)
{
	struct mtext t, old;
	struct places p;
	ssize_t which = -1;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	split(&t, text, len);
	split(&old, e->old, strlen(e->old));
	find(&t, &old, false, &p);
	if (!p.n && nth_flat(&old, 0, 0)) {
		out->blanks = true;
		find(&t, &old, true, &p);
	}
	if (p.n)
		which = chosen(&p, e->line);
	if (which >= 0)
		take(&t, &old, &p, (size_t)which, e, out);
	else
		ret = p.n ? ambiguous(&p, e->path, why) : not_found(&t, &old, e->path, why);
	drop(&t);
	drop(&old);
	return ret;
}

void match_release(struct match *m)
{
	free(m->text);
	m->text = NULL;
}
