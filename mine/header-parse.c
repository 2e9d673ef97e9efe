// SPDX-License-Identifier: GPL-2.0-only
/* The header parser: splits a header into directives and declarations. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "mine/header-internal.h"

#define NO_TOKEN ((size_t)-1)

struct header_sym *sym_add(struct header_ctx *h, enum api_kind kind, uint32_t name, uint32_t line)
{
	struct header_syms *out = h->out;
	struct header_sym *s;

	ALLOC_GROW(out->s, out->n + 1, out->alloc);
	s = &out->s[out->n++];
	memset(s, 0, sizeof(*s));
	s->kind = kind;
	s->name = name;
	s->line = line;
	s->cond = h->cond_text;
	s->state = h->state;
	s->owner = HEADER_NO_OWNER;
	s->expanded = h->depth > 0;
	return s;
}

uint32_t sym_line(const struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	return h->fixed_line ? h->fixed_line : i < ts->n ? ts->t[i].line : 0;
}

void header_syms_release(struct header_syms *hs)
{
	free(hs->s);
	free(hs->inc);
	hs->s = NULL;
	hs->inc = NULL;
	hs->n = hs->alloc = hs->ninc = hs->inc_alloc = 0;
}

/* ---- kernel-doc ---------------------------------------------------------------------- */

/* Summary text at p up to the end of its paragraph, on one line, at most 300 bytes. */
static void doc_summary(struct strbuf *out, const char *p, const char *end)
{
	while (p < end && out->len < 300) {
		const char *eol = memchr(p, '\n', end - p);

		eol = eol ? eol : end;
		strbuf_add(out, p, eol - p);
		strbuf_rtrim(out);
		p = eol < end ? eol + 1 : end;
		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (p >= end || *p != '*')
			break;
		p++;
		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (p >= end || *p == '\n' || *p == '@' || *p == '\r')
			break;
		strbuf_addch(out, ' ');
	}
	strbuf_rtrim(out);
}

/* "name - summary", "name() - summary", "struct name - summary" at p. */
static void doc_comment(struct header_ctx *h, const char *p, const char *end)
{
	static const char *const tags[] = { "struct ", "union ", "enum ", "typedef ", "function " };
	const char *name;
	struct strbuf key = STRBUF_INIT, sum = STRBUF_INIT;
	size_t i, len;

	while (p < end && strchr(" \t\r\n*", *p))
		p++;
	for (i = 0; i < ARRAY_SIZE(tags); i++)
		if ((size_t)(end - p) > strlen(tags[i]) && !memcmp(p, tags[i], strlen(tags[i]))) {
			if (i < 3)
				strbuf_addstr(&key, tags[i]);
			p += strlen(tags[i]);
			break;
		}
	for (name = p; p < end && is_word_char(*p); p++)
		;
	len = p - name;
	if (end - p > 2 && p[0] == '(' && p[1] == ')')
		p += 2;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (len && p < end && (*p == '-' || *p == ':')) {
		p += 1 + (p + 1 < end && *p == '-' && p[1] == '-');
		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		strbuf_add(&key, name, len);
		doc_summary(&sum, p, end);
		if (sum.len)
			free(strmap_put(&h->docs, key.buf, xstrdup(sum.buf)));
	}
	strbuf_release(&key);
	strbuf_release(&sum);
}

static void find_docs(struct header_ctx *h, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *close;

	while ((p = memmem(p, end - p, "/**\n", 4)) != NULL) {
		close = memmem(p + 3, end - p - 3, "*/", 2);
		if (!close)
			break;
		doc_comment(h, p + 3, close);
		p = close + 2;
	}
}

static void attach_docs(struct header_ctx *h, size_t first)
{
	char key[200];
	size_t i;

	if (!h->docs.live)
		return;
	for (i = first; i < h->out->n; i++) {
		struct header_sym *s = &h->out->s[i];
		const char *tag = s->kind == API_STRUCT ? "struct " : s->kind == API_UNION ? "union " :
				  s->kind == API_ENUM ? "enum " : "";

		if (s->kind == API_MEMBER || s->kind == API_ENUMERATOR)
			continue;
		snprintf(key, sizeof(key), "%s%s", tag, pool_str(h->pool, s->name));
		s->doc = pool_addstr(h->pool, strmap_get(&h->docs, key));
	}
}

/* ---- directives ------------------------------------------------------------------------ */

static void include(struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	const struct ctok *t = &ts->t[i];
	const char *p = ts->text + t->off, *end = p + t->len, *name;
	struct header_include *inc;
	char close;

	while (p < end && *p != '<' && *p != '"')
		p++;
	if (p == end)
		return;
	close = *p == '<' ? '>' : '"';
	name = ++p;
	while (p < end && *p != close && *p != '\n')
		p++;
	if (p == end || *p != close || p == name)
		return;
	ALLOC_GROW(h->out->inc, h->out->ninc + 1, h->out->inc_alloc);
	inc = &h->out->inc[h->out->ninc++];
	memset(inc, 0, sizeof(*inc));
	inc->name = pool_add(h->pool, name, p - name);
	inc->state = h->state;
	inc->quoted = close == '"';
}

static void directive(struct header_ctx *h, const struct ctoks *ts, size_t i)
{
	if (header_cond_directive(h, ts, i) || header_cond_hidden(h) || (ts->t[i].flags & CTOK_DEAD))
		return;
	if (ctok_pp_is(ts, i, "define"))
		macro_define(h, ts, i);
	else if (ctok_pp_is(ts, i, "include"))
		include(h, ts, i);
}

static bool is_conditional(const struct ctoks *ts, size_t i)
{
	return ctok_pp_is(ts, i, "if") || ctok_pp_is(ts, i, "ifdef") || ctok_pp_is(ts, i, "ifndef") ||
	       ctok_pp_is(ts, i, "else") || ctok_pp_is(ts, i, "elif") || ctok_pp_is(ts, i, "endif");
}

/* ---- declarations -------------------------------------------------------------------------- */

/* One declaration as it is collected. */
struct collect {
	struct dtoks d;
	size_t body_open, body_close;
	int inner;	/* #if nesting inside the declaration */
};

/* From the directive at i, a branch not to be read, to the one that ends it. */
static size_t skip_branch(const struct ctoks *ts, size_t i, size_t end)
{
	int depth = 0;

	for (i++; i < end; i++) {
		if (ts->t[i].kind != CTOK_PP)
			continue;
		if (ctok_pp_is(ts, i, "if") || ctok_pp_is(ts, i, "ifdef") || ctok_pp_is(ts, i, "ifndef"))
			depth++;
		else if (ctok_pp_is(ts, i, "endif") && depth-- == 0)
			return i;
		else if (!depth && (ctok_pp_is(ts, i, "else") || ctok_pp_is(ts, i, "elif")))
			return i;
	}
	return end;
}

/*
 * A conditional in the middle of a declaration: the branch that holds is read,
 * else the first. Returns the next token, or NO_TOKEN when the conditional
 * belongs to an #if before the declaration.
 */
static size_t inner_conditional(struct header_ctx *h, struct collect *c, const struct ctoks *ts,
				size_t i, size_t end)
{
	bool opens = ctok_pp_is(ts, i, "if") || ctok_pp_is(ts, i, "ifdef") || ctok_pp_is(ts, i, "ifndef");
	bool closes = ctok_pp_is(ts, i, "endif");

	if (!opens && !c->inner)
		return NO_TOKEN;
	header_cond_directive(h, ts, i);
	if (closes) {
		c->inner--;
		return i + 1;
	}
	if (opens) {
		c->inner++;
		if (h->cond[h->ncond - 1].state != HEADER_OFF)
			return i + 1;
		return skip_branch(ts, i, end);
	}
	/* #else or #elif: read only when all branches before were certainly off. */
	if (h->ncond && h->cond[h->ncond - 1].left == HEADER_ON &&
	    h->cond[h->ncond - 1].state != HEADER_OFF)
		return i + 1;
	return skip_branch(ts, i, end);
}

/* The "}" of a function body: brackets may be unbalanced, but it stands in column 0. */
static size_t body_end(const struct ctoks *ts, size_t open, size_t end)
{
	size_t close = group_end(ts, open, end), i;

	if (open > 0 && close < end && ts->t[close].line == ts->t[open].line)
		return close;
	for (i = open + 1; i < close; i++)
		if (tok_char(ts, i, '}') && (ts->t[i].flags & CTOK_BOL) &&
		    (ts->t[i].off == 0 || ts->text[ts->t[i].off - 1] == '\n') &&
		    ts->t[i].match == CTOK_NONE)
			return i;
	return close;
}

enum brace { BRACE_GROUP, BRACE_BODY, BRACE_LINKAGE, BRACE_SKIP };

/* What a "{" at the end of the collected tokens begins. */
static enum brace brace_kind(const struct dtoks *d)
{
	const struct ctoks *ts = d->ts;
	size_t k;
	bool paren = false;

	for (k = 0; k < d->n; k++) {
		if (tok_char(ts, d->i[k], '='))
			return BRACE_SKIP;
		if (ctok_is(ts, d->i[k], "extern") && d->n == k + 2 &&
		    ts->t[d->i[k + 1]].kind == CTOK_STRING)
			return BRACE_LINKAGE;
		paren = paren || tok_char(ts, d->i[k], '(');
	}
	for (k = d->n; k-- > 0 && k + 5 > d->n;)
		if (ctok_is(ts, d->i[k], "struct") || ctok_is(ts, d->i[k], "union") ||
		    ctok_is(ts, d->i[k], "enum")) {
			/* "struct foo f(void) {" has its name and parameters in between. */
			if (tok_char(ts, d->i[d->n - 1], '(') &&
			    !attr_word(ts, d->i[d->n - 2]))
				break;
			return BRACE_GROUP;
		}
	return paren ? BRACE_BODY : BRACE_GROUP;
}

/*
 * "NAME(args)" that stands alone: a generator macro of this header, or what
 * follows begins something else on a new line.
 */
static bool lone_invocation(const struct header_ctx *h, const struct dtoks *d, size_t next)
{
	const struct ctoks *ts = d->ts;

	if (d->n != 2 || !ctok_is_ident(ts, d->i[0]) || !tok_char(ts, d->i[1], '(') ||
	    attr_word(ts, d->i[0]) || tok_char(ts, d->i[1] + 1, '*'))
		return false;
	if (next >= ts->n || ts->t[next].kind == CTOK_PP)
		return true;
	if (ts->t[next].kind != CTOK_IDENT)
		return false;
	if (macro_is_generator(h, ts, d->i[0]))
		return true;
	return (ts->t[next].flags & CTOK_BOL) && ts->text[ts->t[d->i[0]].off] != '_';
}

/* Takes one "{"; returns the next token, *done when the declaration is complete. */
static size_t take_brace(struct collect *c, const struct ctoks *ts, size_t i, size_t end, bool *done)
{
	size_t close;

	switch (brace_kind(&c->d)) {
	case BRACE_LINKAGE:
		c->d.n = 0;
		*done = true;
		return i + 1;
	case BRACE_BODY:
		close = body_end(ts, i, end);
		c->body_open = i;
		c->body_close = close;
		*done = true;
		return close + 1;
	case BRACE_SKIP:
		return group_end(ts, i, end) + 1;
	case BRACE_GROUP:
		break;
	}
	close = body_end(ts, i, end);
	dtoks_add(&c->d, i);
	return close + 1;
}

/* Collects the tokens of one declaration that begins at i; returns the token behind it. */
static size_t collect(struct header_ctx *h, struct collect *c, const struct ctoks *ts, size_t i,
		      size_t end)
{
	bool done = false;
	size_t next;

	while (i < end && !done) {
		if (ts->t[i].kind == CTOK_PP) {
			if (!is_conditional(ts, i)) {
				directive(h, ts, i++);
				continue;
			}
			next = inner_conditional(h, c, ts, i, end);
			if (next == NO_TOKEN)
				return i; /* the pending tokens end here */
			i = next;
		} else if (ts->t[i].flags & CTOK_DEAD) {
			i++;
		} else if (tok_char(ts, i, ';')) {
			return i + 1;
		} else if (tok_char(ts, i, '}')) {
			return i + 1;
		} else if (tok_char(ts, i, '{')) {
			i = take_brace(c, ts, i, end, &done);
		} else {
			dtoks_add(&c->d, i);
			if (tok_char(ts, i, '(') || tok_char(ts, i, '[')) {
				next = group_end(ts, i, end);
				if (next == end) {
					/* Unpaired: give up on this declaration. */
					c->d.n = 0;
					return i + 1;
				}
				header_cond_choose(h, ts, i, next);
				i = next;
			}
			i++;
			if (lone_invocation(h, &c->d, i))
				return i;
		}
	}
	return i;
}

void parse_range(struct header_ctx *h, const struct ctoks *ts, size_t from, size_t to)
{
	struct collect c = { .d = { .ts = ts } };
	size_t i = from;

	while (i < to) {
		if (ts->t[i].kind == CTOK_PP) {
			directive(h, ts, i++);
			continue;
		}
		c.d.n = c.d.flags = 0;
		c.body_open = c.body_close = NO_TOKEN;
		c.inner = 0;
		i = collect(h, &c, ts, i, to);
		declaration(h, &c.d, c.body_open, c.body_close);
	}
	free(c.d.i);
}

/*
 * "context_lock_struct(mutex) {" of 7.x is "struct mutex {" with annotations for clang
 * (include/linux/compiler-context-analysis.h). Blanked out in place, so that lines stay.
 */
static char *plain_structs(const char *text, size_t len)
{
	static const char word[] = "context_lock_struct(";
	const size_t n = sizeof(word) - 1;
	char *copy = NULL;

	for (const char *p = text; (p = memmem(p, (size_t)(text + len - p), word, n)); p += n) {
		const char *end = memchr(p, '\n', (size_t)(text + len - p)), *close;
		size_t at = (size_t)(p - text);

		close = memchr(p, ')', (size_t)((end ? end : text + len) - p));
		/* At the start of a line: neither a comment about it nor the macro itself. */
		if (!close || (at && text[at - 1] != '\n') || memchr(p, ',', (size_t)(close - p)))
			continue;
		if (!copy)
			copy = xmemdup(text, len);
		memset(copy + at, ' ', n);
		memcpy(copy + at, "struct", 6);
		copy[close - text] = ' ';
	}
	return copy;
}

void header_parse(const struct header_config *cfg, const char *raw, size_t len,
		  struct header_syms *out)
{
	char *plain = plain_structs(raw, len);
	const char *text = plain ? plain : raw;
	struct header_ctx h = { .cfg = cfg, .out = out, .pool = out->pool, .state = HEADER_ON };
	size_t first = out->n;
	struct ctoks ts;

	strbuf_init(&h.tmp);
	strmap_init(&h.macros);
	strmap_init(&h.docs);
	if (!ctoks_scan(&ts, text, len)) {
		find_docs(&h, text, len);
		h.budget = ts.n * HEADER_MAX_REREAD + HEADER_MAX_EXPANDED;
		parse_range(&h, &ts, 0, ts.n);
		attach_docs(&h, first);
		ctoks_release(&ts);
	}
	strmap_release(&h.macros, free);
	strmap_release(&h.docs, free);
	strbuf_release(&h.tmp);
	free(h.cond);
	free(plain);
}
