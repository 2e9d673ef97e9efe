// SPDX-License-Identifier: GPL-2.0-only
/* Names in the edited region of a file; see mine/cochange-scan.h. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "mine/cochange-scan.h"
#include "mine/same.h"
#include "mine/signature.h"

#define MAX_IN_STMT 24
#define MAX_CALLED  4000
#define MAX_INCLUDES 200

/* ---- the region -------------------------------------------------------------------------- */

struct region {
	size_t from, end[2];
};

static size_t line_start(const char *s, size_t at)
{
	while (at && s[at - 1] != '\n')
		at--;
	return at;
}

/* Does the line that ends in front of "at" end a statement? */
static bool ends_statement(const char *s, size_t at)
{
	size_t from;

	if (!at)
		return true;
	at--;
	from = line_start(s, at);
	if (s[from] == '#')
		return at == from || s[at - 1] != '\\';
	while (at > from && (s[at - 1] == ' ' || s[at - 1] == '\t' || s[at - 1] == '\r'))
		at--;
	return at == from || strchr(";{}:/", s[at - 1]);
}

/* What the two do not share at their ends, widened to whole statements. */
static struct region region_of(const char *a, size_t alen, const char *b, size_t blen)
{
	size_t min = alen < blen ? alen : blen, head, tail;
	struct region r;

	head = same_head(a, b, min);
	tail = same_tail(a + alen, b + blen, min - head);
	head = line_start(a, head);
	for (int k = 0; k < 12 && head && !ends_statement(a, head); k++)
		head = line_start(a, head - 1);
	r.from = head;
	/* The rest of the line, and of the statement. */
	for (int k = 0; k < 12 && tail; k++) {
		const char *nl = memchr(a + alen - tail, '\n', tail);

		tail = nl ? tail - (size_t)(nl + 1 - (a + alen - tail)) : 0;
		if (ends_statement(a, alen - tail))
			break;
	}
	r.end[0] = alen - tail;
	r.end[1] = blen - tail;
	return r;
}

/* Where the code of a region begins that may start inside a comment. */
static size_t behind_comment(const char *s, size_t from, size_t end)
{
	const char *close = memmem(s + from, end - from, "*/", 2), *open = memmem(s + from, end - from, "/*", 2);
	size_t at = from;

	if (close && (!open || close < open))
		return (size_t)(close + 2 - s);
	while (at < end && (s[at] == ' ' || s[at] == '\t'))
		at++;
	/* Nothing but the middle of a comment. */
	if (!close && at < end && s[at] == '*' && (at + 1 == end || s[at + 1] == ' ' || s[at + 1] == '\n'))
		return end;
	return from;
}

/* ---- hashes --------------------------------------------------------------------------------- */

#define SEED 1469598103934665603ull

static uint64_t hash_tokens(const struct ctoks *ts, size_t from, size_t to, size_t but)
{
	uint64_t h = SEED;

	for (size_t i = from; i < to && i < ts->n; i++)
		if (i != but)
			h = cc_mix(h, ts->text + ts->t[i].off, ts->t[i].len);
	return h;
}

/* ---- one side ---------------------------------------------------------------------------------- */

struct side {
	struct cc_scan *s;
	const struct pool *names;
	const struct ctoks *ts;
	int which;
	size_t stmt;		/* first token of the statement */
	uint32_t in[MAX_IN_STMT];
	size_t nin;
};

static uint32_t watched(const struct side *d, const char *p, size_t len)
{
	return pool_find(d->names, p, len);
}

static void end_statement(struct side *d, size_t end)
{
	uint64_t h;

	if (d->nin) {
		h = hash_tokens(d->ts, d->stmt, end, CTOK_NONE);
		for (size_t k = 0; k < d->nin; k++)
			d->s->uses[d->in[k]].stmts[d->which] += h;
	}
	d->nin = 0;
	d->stmt = end;
}

static void note(struct side *d, uint32_t id)
{
	d->s->uses[id].count[d->which]++;
	for (size_t k = 0; k < d->nin; k++)
		if (d->in[k] == id)
			return;
	if (d->nin < MAX_IN_STMT)
		d->in[d->nin++] = id;
}

static bool is_member(const struct ctoks *ts, size_t i)
{
	if (i && (ctok_is(ts, i - 1, "->") || ctok_is(ts, i - 1, ".")))
		return true;
	/* "probe: foo_probe," of old; no label stands behind "{" or ",". */
	return ctok_is(ts, i + 1, ":") && i && (ctok_is(ts, i - 1, ",") || ctok_is(ts, i - 1, "{"));
}

static size_t first_of_line(const struct ctoks *ts, size_t i)
{
	while (i && !(ts->t[i].flags & CTOK_BOL))
		i--;
	return i;
}

/* The name in front of "(" in a line that begins in the first column: a function's head. */
static bool is_head(const struct ctoks *ts, size_t i, size_t *first)
{
	size_t f = first_of_line(ts, i), end;
	uint32_t m = ts->t[i + 1].match;

	if (ts->t[f].off && ts->text[ts->t[f].off - 1] != '\n')
		return false;
	if (ts->t[f].kind != CTOK_IDENT || m == CTOK_NONE || m <= i)
		return false;
	if (f == i) {
		/* The type may stand in the line above. */
		if (!i || (ts->t[i - 1].kind != CTOK_IDENT && !ctok_is(ts, i - 1, "*")))
			return false;
		f = first_of_line(ts, i - 1);
	}
	for (size_t k = f; k < i; k++)
		if (ctok_is(ts, k, "=") || ctok_is(ts, k, "(") || ctok_is(ts, k, "return"))
			return false;
	end = m + 1;
	*first = f;
	return end >= ts->n || ctok_is(ts, end, "{") || ctok_is(ts, end, ";") || ts->t[end].kind == CTOK_IDENT;
}

/* "struct foo bar[] = {" in the first column: a variable's declaration. */
static bool is_object(const struct ctoks *ts, size_t i)
{
	size_t f = first_of_line(ts, i);

	if (f == i || ts->t[f].kind != CTOK_IDENT || (ts->t[f].off && ts->text[ts->t[f].off - 1] != '\n') ||
	    !(ctok_is(ts, i + 1, "=") || ctok_is(ts, i + 1, ";") || ctok_is(ts, i + 1, "[")))
		return false;
	for (size_t k = f; k < i; k++)
		if (ts->t[k].kind != CTOK_IDENT && !ctok_is(ts, k, "*"))
			return false;
	return !ctok_is(ts, f, "return") && !ctok_is(ts, f, "goto");
}

static void note_head(struct side *d, size_t i, size_t first, uint32_t id)
{
	struct cc_scan *s = d->s;
	uint64_t h = hash_tokens(d->ts, first, d->ts->t[i + 1].match + 1, i);

	if (s->ndef[d->which] < CC_MAX_DEFS)
		s->def[d->which][s->ndef[d->which]++] = (struct cc_def){ .name = (uint32_t)i, .params = h };
	if (id) {
		s->uses[id].defs[d->which]++;
		s->uses[id].params[d->which] += h;
	}
}

static void note_call(struct side *d, size_t i)
{
	struct cc_scan *s = d->s;
	uint32_t id;

	if (s->called.n >= MAX_CALLED)
		return;
	id = pool_add(&s->called, d->ts->text + d->ts->t[i].off, d->ts->t[i].len);
	if (id >= s->call_alloc) {
		size_t old = s->call_alloc;

		ALLOC_GROW(s->call_delta, id + 1, s->call_alloc);
		memset(s->call_delta + old, 0, (s->call_alloc - old) * sizeof(*s->call_delta));
	}
	s->call_delta[id] += d->which ? 1 : -1;
}

/* "struct NAME {", or an enumerator between its neighbours. */
static bool declares(const struct ctoks *ts, size_t i)
{
	if (!i)
		return false;
	if (ctok_is(ts, i + 1, "{"))
		return ts->t[i - 1].kind == CTOK_IDENT;
	return (ctok_is(ts, i - 1, "{") || ctok_is(ts, i - 1, ",")) &&
	       (ctok_is(ts, i + 1, ",") || ctok_is(ts, i + 1, "}") || ctok_is(ts, i + 1, "="));
}

static void identifier(struct side *d, size_t i)
{
	const struct ctoks *ts = d->ts;
	const struct ctok *t = &ts->t[i];
	uint32_t id = watched(d, ts->text + t->off, t->len);
	bool call = ctok_is(ts, i + 1, "(") && !ctok_is_keyword(ts, i);
	size_t first;

	if (t->len == 5 && !memcmp(ts->text + t->off, "const", 5))
		d->s->consts[d->which]++;
	if (id) {
		note(d, id);
		d->s->uses[id].member[d->which] += is_member(ts, i);
		d->s->uses[id].tags[d->which] += declares(ts, i);
	}
	if (id && !call && is_object(ts, i))
		d->s->uses[id].defs[d->which]++;
	if (!call)
		return;
	if (is_head(ts, i, &first)) {
		note_head(d, i, first, id);
		return;
	}
	if (d->s->want_called)
		note_call(d, i);
	if (id) {
		uint32_t m = ts->t[i + 1].match;

		d->s->uses[id].calls[d->which]++;
		d->s->uses[id].args[d->which] += hash_tokens(ts, i + 1, m == CTOK_NONE ? i + 2 : m + 1, CTOK_NONE);
	}
}

static void include(struct side *d, size_t i)
{
	struct strvec *list = &d->s->includes[d->which];
	const char *p = d->ts->text + d->ts->t[i].off, *end = p + d->ts->t[i].len, *from;

	while (p < end && *p != '<' && *p != '"')
		p++;
	from = ++p;
	while (p < end && *p != '>' && *p != '"')
		p++;
	if (p < end && p > from && list->n < MAX_INCLUDES)
		strvec_push_nodup(list, xstrndup(from, (size_t)(p - from)));
}

/* Words of a directive: conditions, and bodies of the file's own macros. */
static void directive(struct side *d, size_t i)
{
	const char *p = d->ts->text + d->ts->t[i].off, *end = p + d->ts->t[i].len;

	end_statement(d, i);
	if (ctok_pp_is(d->ts, i, "include")) {
		include(d, i);
	} else {
		bool name = ctok_pp_is(d->ts, i, "define");
		size_t words = 0;

		while (p < end) {
			const char *w = p;
			uint32_t id;

			while (p < end && (*p == '_' || (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
					   (*p >= 'A' && *p <= 'Z')))
				p++;
			if (p == w) {
				p++;
				continue;
			}
			id = watched(d, w, (size_t)(p - w));
			/* The word behind "define". */
			if (id && name && words == 1)
				d->s->uses[id].macros[d->which]++;
			words++;
			if (id)
				note(d, id);
		}
	}
	end_statement(d, i + 1);
}

static void one_side(struct cc_scan *s, const struct pool *names, int which)
{
	struct side d = { .s = s, .names = names, .ts = &s->ts[which], .which = which };
	const struct ctoks *ts = d.ts;
	int depth = 0;

	for (size_t i = 0; i < ts->n; i++) {
		const struct ctok *t = &ts->t[i];
		char c = ts->text[t->off];

		if (t->kind == CTOK_PP) {
			directive(&d, i);
			continue;
		}
		if (t->kind == CTOK_IDENT) {
			identifier(&d, i);
			continue;
		}
		if (t->kind != CTOK_PUNCT || t->len != 1)
			continue;
		if (c == '(' || c == '[')
			depth++;
		else if ((c == ')' || c == ']') && depth)
			depth--;
		if (c == ';' || c == '{' || c == '}' || (c == ',' && !depth)) {
			if (c == '{' || c == '}')
				depth = 0;
			end_statement(&d, i + 1);
		}
	}
	end_statement(&d, ts->n);
}

static void compare_includes(struct cc_scan *s)
{
	for (size_t i = 0; i < s->includes[1].n; i++)
		if (!strvec_contains(&s->includes[0], s->includes[1].v[i]))
			strvec_push(&s->includes_gained, s->includes[1].v[i]);
	for (size_t i = 0; i < s->includes[0].n; i++)
		if (!strvec_contains(&s->includes[1], s->includes[0].v[i]))
			strvec_push(&s->includes_lost, s->includes[0].v[i]);
}

void cc_scan(struct cc_scan *s, struct cc_commit *cc, const char *a, size_t alen, const char *b,
	     size_t blen)
{
	struct region r = region_of(a, alen, b, blen);
	size_t from[2];

	memset(s, 0, sizeof(*s));
	strvec_init(&s->includes[0]);
	strvec_init(&s->includes[1]);
	strvec_init(&s->includes_gained);
	strvec_init(&s->includes_lost);
	strbuf_init(&s->region[0]);
	strbuf_init(&s->region[1]);
	s->want_called = cc->want_gained;
	if (s->want_called)
		pool_init(&s->called);
	s->uses = xcalloc(cc->names.n, sizeof(*s->uses));
	from[0] = behind_comment(a, r.from, r.end[0]);
	from[1] = behind_comment(b, r.from, r.end[1]);
	cc_changed_paragraphs(a + from[0], r.end[0] - from[0], b + from[1], r.end[1] - from[1], &s->region[0],
			      &s->region[1]);
	ctoks_scan(&s->ts[0], s->region[0].buf, s->region[0].len);
	ctoks_scan(&s->ts[1], s->region[1].buf, s->region[1].len);
	one_side(s, &cc->names, 0);
	one_side(s, &cc->names, 1);
	compare_includes(s);
}

void cc_scan_release(struct cc_scan *s)
{
	ctoks_release(&s->ts[0]);
	ctoks_release(&s->ts[1]);
	strbuf_release(&s->region[0]);
	strbuf_release(&s->region[1]);
	pool_release(&s->called);
	free(s->call_delta);
	free(s->uses);
	strvec_release(&s->includes[0]);
	strvec_release(&s->includes[1]);
	strvec_release(&s->includes_gained);
	strvec_release(&s->includes_lost);
}

/* ---- heads ------------------------------------------------------------------------------------ */

/* The head of this name on one side, NULL when it is not in the region. */
static const struct cc_def *head(const struct cc_scan *s, int which, const char *name, size_t len)
{
	for (size_t i = 0; i < s->ndef[which]; i++) {
		const struct ctok *t = &s->ts[which].t[s->def[which][i].name];

		if (t->len == len && !memcmp(s->ts[which].text + t->off, name, len))
			return &s->def[which][i];
	}
	return NULL;
}

bool cc_scan_assigned_changed(const struct cc_scan *s, const char *text, size_t len, const char *member)
{
	const char *p = text, *end = text + len;
	size_t n = strlen(member);

	for (int tries = 0; tries < 200 && (p = memmem(p, (size_t)(end - p), member, n)) != NULL; tries++) {
		const char *q = p + n, *w;
		const struct cc_def *a, *b;

		p = q;
		if (q - n > text && is_word_char(q[-(ptrdiff_t)n - 1]))
			continue;
		while (q < end && (*q == ' ' || *q == '\t'))
			q++;
		if (q >= end || (*q != '=' && *q != ':'))
			continue;
		for (q++; q < end && (*q == ' ' || *q == '\t' || *q == '&' || *q == '\n'); q++)
			;
		for (w = q; q < end && is_word_char(*q); q++)
			;
		if (q == w)
			continue;
		a = head(s, 0, w, (size_t)(q - w));
		b = head(s, 1, w, (size_t)(q - w));
		if (a && b && a->params != b->params)
			return true;
	}
	return false;
}

/* Number of words of the head's parameters that are this one. */
static int words_in_head(const struct ctoks *ts, const struct cc_def *def, const char *word, size_t len)
{
	int n = 0;

	for (size_t i = def->name + 1; i < ts->t[def->name + 1].match; i++)
		n += ts->t[i].len == len && !memcmp(ts->text + ts->t[i].off, word, len);
	return n;
}

static int count_word(const char *text, const char *word, size_t len)
{
	int n = 0;

	for (const char *p = text; (p = strstr(p, word)) != NULL; p += len)
		n += !is_word_char(p[len]) && (p == text || !is_word_char(p[-1]));
	return n;
}

/* A word that the new parameters have more or less often than the old ones. */
static bool telling_word(const char *a, const char *b, char *out, size_t size)
{
	const char *texts[2] = { a, b };

	for (int t = 0; t < 2; t++)
		for (const char *p = texts[t]; *p;) {
			size_t n = 0;

			while (is_word_char(p[n]))
				n++;
			if (n >= 3 && n < size) {
				memcpy(out, p, n);
				out[n] = '\0';
				if (strcmp(out, "struct") && strcmp(out, "const") &&
				    count_word(a, out, n) != count_word(b, out, n))
					return true;
			}
			p += n ? n : 1;
		}
	return false;
}

static bool is_basic(const char *word)
{
	static const char *const words[] = { "int", "unsigned", "signed", "long", "short", "char", "void", "bool",
					     "const", "struct", "union", "enum", "volatile" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

bool cc_scan_type_follows(const struct cc_scan *s, const struct cc_commit *cc, const struct cc_change *ch)
{
	const char *a = ch->from ? pool_str(&cc->pool, ch->from->type) : NULL;
	const char *b = ch->to ? pool_str(&cc->pool, ch->to->type) : NULL;
	const char *pa = ch->from ? pool_str(&cc->pool, ch->from->params) : NULL;
	const char *pb = ch->to ? pool_str(&cc->pool, ch->to->params) : NULL;
	char word[80];

	if (!(a && b && telling_word(b, a, word, sizeof(word)) && !is_basic(word) && count_word(a, word, strlen(word)) <
	      count_word(b, word, strlen(word))) &&
	    !(pa && pb && telling_word(pb, pa, word, sizeof(word)) && !is_basic(word) &&
	      count_word(pa, word, strlen(word)) < count_word(pb, word, strlen(word))))
		return false;
	return count_word(s->region[0].buf, word, strlen(word)) < count_word(s->region[1].buf, word, strlen(word));
}

bool cc_scan_defs_follow(const struct cc_scan *s, const struct cc_commit *cc, const struct cc_change *ch)
{
	const char *a = ch->from ? pool_str(&cc->pool, ch->from->params) : NULL;
	const char *b = ch->to ? pool_str(&cc->pool, ch->to->params) : NULL;
	char word[80];

	if (!a || !b || !telling_word(a, b, word, sizeof(word)))
		return false;
	for (size_t i = 0; i < s->ndef[0]; i++) {
		const struct ctok *t = &s->ts[0].t[s->def[0][i].name];
		const struct cc_def *x = &s->def[0][i], *y = head(s, 1, s->ts[0].text + t->off, t->len);

		if (y && x->params != y->params &&
		    words_in_head(&s->ts[0], x, word, strlen(word)) != words_in_head(&s->ts[1], y, word, strlen(word)))
			return true;
	}
	return false;
}
