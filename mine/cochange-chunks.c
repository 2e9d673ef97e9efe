// SPDX-License-Identifier: GPL-2.0-only
/*
 * What two versions of a header do not have in common, in whole declarations.
 * A text is cut into paragraphs: they begin behind a blank line, or behind a "}" in the
 * first column, outside of braces and comments. Braces are counted by
 * line and set right at every "}" in the first column, so a stray one costs a
 * larger paragraph only.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/ctoken.h"
#include "mine/cochange-internal.h"
#include "mine/same.h"

#define FEW 400 /* pairs of paragraphs that are compared each with each */

struct chunk {
	uint64_t hash;
	uint32_t off, len;
	bool common;
};

struct chunks {
	struct chunk *c;
	size_t n, alloc;
};

struct cutter {
	bool comment;	/* inside one at the line's end */
	int depth;
};

static void count_line(struct cutter *k, const char *p, const char *end)
{
	static const bool counts[256] = { ['/'] = true, ['"'] = true, ['{'] = true, ['}'] = true };
	const char *start = p;

	for (; p < end; p++) {
		if (k->comment) {
			p = memmem(p, (size_t)(end - p), "*/", 2);
			if (!p)
				break;
			k->comment = false;
			p++;
		} else if (!counts[(unsigned char)*p]) {
			continue;
		} else if (*p == '/' && p + 1 < end && p[1] == '*') {
			k->comment = true;
			p++;
		} else if (*p == '/' && p + 1 < end && p[1] == '/') {
			break;
		} else if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				p += *p == '\\';
		} else if (*p == '{') {
			k->depth++;
		} else if (*p == '}' && k->depth > 0) {
			k->depth--;
		}
	}
	if (end > start && *start == '}')
		k->depth = 0;
	/* extern "C" { is no nesting. */
	if (end - start > 8 && !memcmp(start, "extern \"C", 9))
		k->depth = 0;
}

static void add_chunk(struct chunks *cs, const char *text, size_t from, size_t to)
{
	uint64_t h = 1469598103934665603ull, word;
	bool ink = false;
	size_t i;

	for (i = from; i < to && !ink; i++)
		ink = text[i] != ' ' && text[i] != '\t' && text[i] != '\n' && text[i] != '\r';
	if (!ink)
		return;
	while (to > from && (text[to - 1] == '\n' || text[to - 1] == '\r'))
		to--;
	for (i = from; i + 8 <= to; i += 8) {
		memcpy(&word, text + i, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	for (; i < to; i++)
		h = (h ^ (unsigned char)text[i]) * 1099511628211ull;
	ALLOC_GROW(cs->c, cs->n + 1, cs->alloc);
	cs->c[cs->n++] = (struct chunk){ .hash = h, .off = (uint32_t)from, .len = (uint32_t)(to - from) };
}

static bool blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	return p == end;
}

static void cut(struct chunks *cs, const char *text, size_t len)
{
	struct cutter k = { 0 };
	size_t start = 0, pos = 0;
	bool border = false;

	while (pos < len) {
		const char *nl = memchr(text + pos, '\n', len - pos);
		size_t end = nl ? (size_t)(nl - text) : len;
		bool empty = blank(text + pos, text + end);

		if (border && !empty) {
			add_chunk(cs, text, start, pos);
			start = pos;
		}
		count_line(&k, text + pos, text + end);
		border = !k.comment && !k.depth && (empty || text[pos] == '}');
		/* The blank line belongs to neither. */
		if (border && empty && pos > start) {
			add_chunk(cs, text, start, pos);
			start = end < len ? end + 1 : len;
		}
		pos = end < len ? end + 1 : len;
	}
	add_chunk(cs, text, start, len);
}

static int by_hash(const void *x, const void *y)
{
	const struct chunk *a = *(const struct chunk *const *)x, *b = *(const struct chunk *const *)y;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

static struct chunk **sorted(struct chunks *cs)
{
	struct chunk **v = xcalloc(cs->n + 1, sizeof(*v));

	for (size_t i = 0; i < cs->n; i++)
		v[i] = &cs->c[i];
	qsort(v, cs->n, sizeof(*v), by_hash);
	return v;
}

/* Of equal ones the first on each side belong together. */
static void mark_few(struct chunks *a, struct chunks *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n && !a->c[i].common; j++)
			if (!b->c[j].common && a->c[i].hash == b->c[j].hash)
				a->c[i].common = b->c[j].common = true;
}

static void mark_common(struct chunks *a, struct chunks *b)
{
	struct chunk **x, **y;
	size_t i = 0, j = 0;

	if (a->n * b->n <= FEW) {
		mark_few(a, b);
		return;
	}
	x = sorted(a);
	y = sorted(b);
	while (i < a->n && j < b->n) {
		if (x[i]->hash < y[j]->hash) {
			i++;
		} else if (x[i]->hash > y[j]->hash) {
			j++;
		} else {
			x[i++]->common = true;
			y[j++]->common = true;
		}
	}
	free(x);
	free(y);
}

static void collect(const struct chunks *cs, const char *text, struct strbuf *out)
{
	for (size_t i = 0; i < cs->n; i++) {
		if (cs->c[i].common)
			continue;
		strbuf_add(out, text + cs->c[i].off, cs->c[i].len);
		strbuf_addstr(out, "\n\n");
	}
}

/* ---- trimming ------------------------------------------------------------------------- */

/* What was looked at for braces: none stands between "last" and "to". */
struct braces {
	size_t last, to;	/* last: behind one, or 0 */
};

static size_t last_brace(struct braces *b, const char *s, size_t at)
{
	size_t i = at;

	while (i && !(i > b->last && i <= b->to) && s[i - 1] != '{' && s[i - 1] != '}')
		i--;
	/* Nothing new behind what is known: the known one is the last. */
	b->last = i > b->last && i <= b->to ? b->last : i;
	b->to = at;
	return b->last;
}

/* Behind the end of a declaration, as far as the last brace tells? */
static bool outside(struct braces *b, const char *s, size_t at)
{
	at = last_brace(b, s, at);
	return !at || (s[at - 1] == '}' && at >= 2 && s[at - 2] == '\n');
}

/* Does a declaration or a directive begin in this line: in the first column, behind a blank line? */
static bool begins(const char *s, size_t at, size_t len, struct braces *b)
{
	char c = at < len ? s[at] : ' ';

	if (at < 2 || s[at - 1] != '\n' || s[at - 2] != '\n')
		return false;
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c == '#' && outside(b, s, at));
}

static size_t line_start(const char *s, size_t at)
{
	const char *nl = memrchr(s, '\n', at);

	return nl ? (size_t)(nl - s) + 1 : 0;
}

/* What both texts share at their ends, in whole paragraphs. */
static void trim(const char *a, size_t alen, const char *b, size_t blen, size_t *head, size_t *tail)
{
	size_t min = alen < blen ? alen : blen, h, t;
	struct braces x = { 0 }, y = { 0 };

	h = same_head(a, b, min);
	while (h && !begins(a, h, alen, &x))
		h = line_start(a, h - 1);
	t = same_tail(a + alen, b + blen, min - h);
	/* What is in front of the border belongs to both, too. */
	while (t && !(begins(a, alen - t, alen, &x) && begins(b, blen - t, blen, &y))) {
		const char *nl = memchr(a + alen - t, '\n', t);

		t = nl ? (size_t)(a + alen - nl - 1) : 0;
	}
	*head = h;
	*tail = t;
}

/* ---- how they differ --------------------------------------------------------------- */

/* A directive without comments, blanks as one. */
static uint64_t mix_directive(uint64_t h, const char *p, size_t len)
{
	const char *end = p + len;
	bool space = false;

	for (; p < end; p++) {
		if (*p == '/' && p + 1 < end && p[1] == '/')
			break;
		if (*p == '/' && p + 1 < end && p[1] == '*') {
			const char *close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);

			p = close ? close + 1 : end - 1;
			space = true;
		} else if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || *p == '\\') {
			space = true;
		} else {
			if (space)
				h = cc_mix(h, " ", 1);
			space = false;
			h = (h ^ (unsigned char)*p) * 1099511628211ull;
		}
	}
	return (h ^ 0xfe) * 1099511628211ull;
}

static uint64_t code_hash(const struct strbuf *text)
{
	uint64_t h = 1469598103934665603ull;
	struct ctoks ts;

	if (ctoks_scan(&ts, text->buf, text->len))
		return 0;
	for (size_t i = 0; i < ts.n; i++) {
		const struct ctok *t = &ts.t[i];

		h = t->kind == CTOK_PP ? mix_directive(h, text->buf + t->off, t->len) :
					 cc_mix(h, text->buf + t->off, t->len);
	}
	ctoks_release(&ts);
	return h;
}

static uint64_t ink_hash(const struct strbuf *text)
{
	uint64_t h = 1469598103934665603ull;

	for (size_t i = 0; i < text->len; i++) {
		char c = text->buf[i];

		if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\\')
			h = (h ^ (unsigned char)c) * 1099511628211ull;
	}
	return h;
}

/* The end of a comment or of quoted text at p; p when none begins there. */
static const char *behind_quoted(const char *p, const char *end)
{
	const char *start = p, *close;

	if (*p == '/' && p + 1 < end && p[1] == '*') {
		close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
		return close ? close + 2 : end;
	}
	if (*p == '/' && p + 1 < end && p[1] == '/') {
		/* A continued one goes on in the next line. */
		do
			close = memchr(p, '\n', (size_t)(end - p));
		while (close && close[-1] == '\\' && (p = close + 1) < end);
		return close ? close : end;
	}
	for (p++; p < end && *p != *start && *p != '\n'; p++)
		p += *p == '\\' && p + 1 < end;
	return p < end ? p + 1 : end;
}

/* The ink without comments: texts whose tokens are the same have the same. */
static uint64_t code_ink_hash(const struct strbuf *text)
{
	static const uint8_t special[256] = { [' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\r'] = 1, ['\\'] = 1,
					      ['/'] = 2, ['"'] = 3, ['\''] = 3 };
	uint64_t h = 1469598103934665603ull;
	const char *p = text->buf, *end = p + text->len, *to;

	while (p < end) {
		switch (special[(unsigned char)*p]) {
		case 1:
			p++;
			continue;
		case 2:
			if (p + 1 < end && (p[1] == '*' || p[1] == '/')) {
				p = behind_quoted(p, end);
				continue;
			}
			break;
		case 3:
			for (to = behind_quoted(p, end); p < to; p++)
				if (special[(unsigned char)*p] != 1)
					h = (h ^ (unsigned char)*p) * 1099511628211ull;
			continue;
		}
		h = (h ^ (unsigned char)*p++) * 1099511628211ull;
	}
	return h;
}

/* The same code? Scanning is for what may differ in blanks only. */
static bool same_code(const struct strbuf *a, const struct strbuf *b)
{
	return code_ink_hash(a) == code_ink_hash(b) && code_hash(a) == code_hash(b);
}

static bool is_licence(const struct strbuf *a)
{
	static const char *const words[] = { "SPDX-License-Identifier", "General Public License",
					     "Temple Place", "GNU General" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (memmem(a->buf, a->len, words[i], strlen(words[i])))
			return true;
	return false;
}

void cc_changed_paragraphs(const char *a, size_t alen, const char *b, size_t blen, struct strbuf *only_a,
			   struct strbuf *only_b)
{
	struct chunks x = { 0 }, y = { 0 };
	size_t head, tail;

	trim(a, alen, b, blen, &head, &tail);
	a += head;
	b += head;
	cut(&x, a, alen - head - tail);
	cut(&y, b, blen - head - tail);
	mark_common(&x, &y);
	collect(&x, a, only_a);
	collect(&y, b, only_b);
	free(x.c);
	free(y.c);
}

/* Which part a directive belongs to, by its word. */
static unsigned part_of(const char *p, size_t len)
{
	static const struct {
		const char *word;
		unsigned part;
	} words[] = {
		{ "include", CC_PART_INCLUDE }, { "if", CC_PART_CONDITION }, { "el", CC_PART_CONDITION },
		{ "endif", CC_PART_CONDITION },
	};
	const char *end = p + len;

	for (; p < end && (*p == '#' || *p == ' ' || *p == '\t'); p++)
		;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if ((size_t)(end - p) >= strlen(words[i].word) && !memcmp(p, words[i].word, strlen(words[i].word)))
			return words[i].part;
	return CC_PART_OTHER;
}

static void part_hashes(const struct strbuf *text, uint64_t h[CC_PART_OTHER + 1])
{
	struct ctoks ts;

	for (unsigned part = 0; part <= CC_PART_OTHER; part++)
		h[part] = 1469598103934665603ull;
	if (ctoks_scan(&ts, text->buf, text->len))
		return;
	for (size_t i = 0; i < ts.n; i++) {
		const struct ctok *t = &ts.t[i];
		const char *p = text->buf + t->off;
		unsigned part = t->kind == CTOK_PP ? part_of(p, t->len) : CC_PART_OTHER;

		h[part] = t->kind == CTOK_PP ? mix_directive(h[part], p, t->len) : cc_mix(h[part], p, t->len);
	}
	ctoks_release(&ts);
}

unsigned cc_parts(const struct strbuf *a, const struct strbuf *b)
{
	uint64_t x[CC_PART_OTHER + 1], y[CC_PART_OTHER + 1];
	unsigned differ = 0;

	part_hashes(a, x);
	part_hashes(b, y);
	for (unsigned part = 1; part <= CC_PART_OTHER; part <<= 1)
		differ |= x[part] != y[part] ? part : 0;
	return differ;
}

enum cc_difference cc_chunks(const char *a, size_t alen, const char *b, size_t blen,
			     struct strbuf *only_a, struct strbuf *only_b)
{
	struct strbuf p = STRBUF_INIT, q = STRBUF_INIT;
	enum cc_difference d = CC_CODE;

	cc_changed_paragraphs(a, alen, b, blen, &p, &q);
	if (same_code(&p, &q))
		d = ink_hash(&p) == ink_hash(&q) ? (p.len || q.len ? CC_WHITESPACE : CC_SAME) :
		    is_licence(&p) || is_licence(&q) ? CC_SPDX : CC_COMMENTS;
	strbuf_addbuf(only_a, &p);
	strbuf_addbuf(only_b, &q);
	strbuf_release(&p);
	strbuf_release(&q);
	return d;
}
