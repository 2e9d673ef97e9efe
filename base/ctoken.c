/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "base/ctoken.h"
#include "base/alloc.h"
#include "base/error.h"

#define MAX_TEXT (1u << 30)
#define BYTES_PER_TOKEN 6 /* about as many; blanks and comments count */
/*
 * Bounds on what hostile text may cost: unpaired brackets that a closer looks behind, nesting
 * of #if, and open brackets at an #if that are still kept for its branches.
 */
#define MAX_UNPAIRED 256
#define MAX_COND 200
#define MAX_COND_OPEN 1000

/* State of bracket pairing at one #if: where the branches begin and what goes on behind #endif. */
struct cond {
	uint32_t *start;    /* stack of open brackets at #if */
	size_t nstart;
	uint32_t *keep;	    /* stack at the end of the first live branch; NULL: none yet */
	size_t nkeep;
	bool dead;	    /* the current branch is dead */
	bool outer_dead;
	bool taken;	    /* "#if 1": its #else is dead */
};

struct scanner {
	struct ctoks *ts;
	size_t pos;
	uint32_t line;
	bool bol;
	bool dead;
	uint32_t *open;	    /* indexes of open brackets */
	size_t nopen, open_alloc;
	struct cond *cond;
	size_t ncond, cond_alloc;
	uint32_t *alias;    /* pairs: opener in a later branch, opener it stands for */
	size_t nalias, alias_alloc;
};

/* What a byte may be; EQ: punctuation that "=" follows, TWICE: that may stand twice. */
enum {
	WORD = 1 << 0, DIGIT = 1 << 1, BLANK = 1 << 2, OTHER = 1 << 3, EQ = 1 << 4, TWICE = 1 << 5
};

static const uint8_t class_of[256] = {
	[0 ... '\t' - 1] = OTHER, ['\n'] = OTHER, ['\r' ... ' ' - 1] = OTHER, [0x7f ... 0xff] = OTHER,
	['@'] = OTHER, ['`'] = OTHER, ['\\'] = OTHER,
	[' '] = BLANK, ['\t'] = BLANK, ['\f'] = BLANK, ['\v'] = BLANK,
	['a' ... 'z'] = WORD, ['A' ... 'Z'] = WORD, ['_'] = WORD, ['$'] = WORD, ['0' ... '9'] = DIGIT,
	['<'] = EQ | TWICE, ['>'] = EQ | TWICE, ['='] = EQ, ['!'] = EQ, ['*'] = EQ, ['/'] = EQ,
	['%'] = EQ, ['+'] = EQ | TWICE, ['-'] = EQ | TWICE, ['&'] = EQ | TWICE, ['^'] = EQ,
	['|'] = EQ | TWICE, ['#'] = TWICE,
};

static bool is_a(char c, unsigned classes)
{
	return class_of[(unsigned char)c] & classes;
}

/* Length of a newline at p ("\n", "\r\n", lone "\r"), 0 when there is none. */
static size_t newline_len(const char *p, const char *end)
{
	if (p >= end)
		return 0;
	if (*p == '\n')
		return 1;
	if (*p == '\r')
		return p + 1 < end && p[1] == '\n' ? 2 : 1;
	return 0;
}

/* Length of backslash-newline at p, 0 when there is none. */
static size_t splice_len(const char *p, const char *end)
{
	size_t n;

	if (p >= end || *p != '\\')
		return 0;
	n = newline_len(p + 1, end);
	return n ? n + 1 : 0;
}

static uint32_t count_lines(const char *p, const char *end)
{
	bool cr = memchr(p, '\r', (size_t)(end - p));
	uint32_t n = 0;
	size_t len;

	if (!cr) {
		for (; (p = memchr(p, '\n', (size_t)(end - p))); p++)
			n++;
		return n;
	}
	for (; p < end; p += len ? len : 1) {
		len = newline_len(p, end);
		n += len != 0;
	}
	return n;
}

/* Past a comment at pos; false when there is none. Counts lines. */
static bool skip_comment(struct scanner *s)
{
	const char *p = s->ts->text + s->pos, *end = s->ts->text + s->ts->len;
	size_t n;

	if (end - p < 2 || p[0] != '/' || (p[1] != '*' && p[1] != '/'))
		return false;
	if (p[1] == '/') {
		p += 2;
		while (p < end && !newline_len(p, end)) {
			n = splice_len(p, end);
			s->line += n != 0;
			p += n ? n : 1;
		}
	} else {
		const char *close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);

		s->line += count_lines(p + 2, close ? close : end);
		p = close ? close + 2 : end;
	}
	s->pos = p - s->ts->text;
	return true;
}

/* Length of the quoted text whose quote stands at p, its end at the line's end when unclosed. */
static size_t quoted_len(struct scanner *s, const char *p, bool *closed)
{
	const char *start = p, *end = s->ts->text + s->ts->len;
	char quote = *p++;
	size_t n;

	*closed = false;
	while (p < end) {
		if ((n = splice_len(p, end))) {
			s->line++;
			p += n;
		} else if (newline_len(p, end)) {
			break;
		} else if (*p == '\\' && p + 1 < end && !newline_len(p + 1, end)) {
			p += 2;
		} else if (*p++ == quote) {
			*closed = true;
			break;
		}
	}
	return p - start;
}

static struct ctok *push(struct scanner *s, enum ctok_kind kind, size_t len)
{
	struct ctoks *ts = s->ts;
	struct ctok *t;

	ALLOC_GROW(ts->t, ts->n + 1, ts->alloc);
	t = &ts->t[ts->n++];
	t->kind = kind;
	t->flags = (s->bol ? CTOK_BOL : 0) | (s->dead ? CTOK_DEAD : 0);
	t->off = s->pos;
	t->len = len;
	t->line = s->line;
	t->match = CTOK_NONE;
	s->bol = false;
	s->pos += len;
	return t;
}

static void push_quoted(struct scanner *s, size_t prefix)
{
	const char *p = s->ts->text + s->pos;
	uint32_t line = s->line;
	bool closed;
	size_t len = prefix + quoted_len(s, p + prefix, &closed);
	struct ctok *t = push(s, p[prefix] == '"' ? CTOK_STRING : CTOK_CHAR, len);

	t->line = line;
	if (!closed)
		t->flags |= CTOK_UNTERMINATED;
}

/* Length of a string prefix (L, u, U, u8) at p when a quote follows, else 0. */
static size_t quote_prefix(const char *p, const char *end)
{
	size_t n = 0;

	if (*p == 'L' || *p == 'U')
		n = 1;
	else if (*p == 'u')
		n = p + 1 < end && p[1] == '8' ? 2 : 1;
	return n && p + n < end && (p[n] == '"' || p[n] == '\'') ? n : 0;
}

static size_t number_len(const char *p, const char *end)
{
	const char *q = p;

	while (q < end) {
		if ((*q == '+' || *q == '-') && q > p && strchr("eEpP", q[-1]) &&
		    !(q - p >= 2 && p[0] == '0' && (p[1] | 32) == 'x' && (q[-1] | 32) == 'e'))
			q++;
		else if (is_a(*q, WORD | DIGIT) || *q == '.')
			q++;
		else
			break;
	}
	return q - p;
}

static size_t punct_len(const char *p, const char *end)
{
	char a = p[0], b = p + 1 < end ? p[1] : 0, c = p + 2 < end ? p[2] : 0;

	if (a == b && ((a == '.' && c == '.') || ((a == '<' || a == '>') && c == '=')))
		return 3;
	if (b == '=' ? is_a(a, EQ) : a == b ? is_a(a, TWICE) : a == '-' && b == '>')
		return 2;
	return 1;
}

/* ---- bracket pairing ------------------------------------------------------ */

static char closer_of(char c)
{
	return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : 0;
}

/*
 * A closer pairs with the innermost opener of its kind; what was left open
 * inside stays unpaired. A ")" or "]" never reaches over a "{".
 */
static void pair_closer(struct scanner *s, uint32_t idx, char c)
{
	const char *text = s->ts->text;
	struct ctok *t = s->ts->t;
	size_t i, low = s->nopen > MAX_UNPAIRED ? s->nopen - MAX_UNPAIRED : 0;

	for (i = s->nopen; i-- > low;) {
		char o = text[t[s->open[i]].off];

		if (closer_of(o) == c) {
			t[idx].match = s->open[i];
			t[s->open[i]].match = idx;
			s->nopen = i;
			return;
		}
		if (o == '{')
			return;
	}
}

static void pair(struct scanner *s)
{
	uint32_t idx = s->ts->n - 1;
	char c = s->ts->text[s->ts->t[idx].off];

	if (closer_of(c)) {
		ALLOC_GROW(s->open, s->nopen + 1, s->open_alloc);
		s->open[s->nopen++] = idx;
	} else if (c == ')' || c == ']' || c == '}') {
		pair_closer(s, idx, c);
	}
}

static uint32_t *copy_open(const struct scanner *s)
{
	/* One more so that an empty stack is not NULL. */
	uint32_t *p = xmalloc((s->nopen + 1) * sizeof(*p));

	if (s->nopen)
		memcpy(p, s->open, s->nopen * sizeof(*p));
	return p;
}

static void set_open(struct scanner *s, const uint32_t *from, size_t n)
{
	ALLOC_GROW(s->open, n + 1, s->open_alloc);
	memcpy(s->open, from, n * sizeof(*from));
	s->nopen = n;
}

/* Openers of a later branch that stand where the first branch has one share its closer. */
static void alias_branch(struct scanner *s, const struct cond *c)
{
	size_t i;

	if (s->nopen != c->nkeep)
		return; /* the branches differ in more than one bracket's place */
	for (i = c->nstart; i < s->nopen; i++) {
		if (s->open[i] == c->keep[i])
			continue;
		ALLOC_GROW(s->alias, s->nalias + 2, s->alias_alloc);
		s->alias[s->nalias++] = s->open[i];
		s->alias[s->nalias++] = c->keep[i];
	}
}

static void end_branch(struct scanner *s, struct cond *c)
{
	if (c->dead)
		return;
	if (!c->keep) {
		c->keep = copy_open(s);
		c->nkeep = s->nopen;
	} else {
		alias_branch(s, c);
	}
}

/* The condition of "#if" at token i is the literal 0 or 1; -1 when neither. */
static int literal_condition(const struct ctoks *ts, size_t i)
{
	uint32_t off, len, rest;

	if (!ctok_pp_word(ts, i, &off, &len) || len != 1)
		return -1;
	if (ts->text[off] != '0' && ts->text[off] != '1')
		return -1;
	rest = off + len;
	while (rest < ts->t[i].off + ts->t[i].len && (ts->text[rest] == ' ' || ts->text[rest] == '\t'))
		rest++;
	if (rest < ts->t[i].off + ts->t[i].len && ts->text[rest] != '/' && ts->text[rest] != '\r')
		return -1;
	return ts->text[off] - '0';
}

static void cond_if(struct scanner *s, size_t i, bool plain_if)
{
	int lit = plain_if ? literal_condition(s->ts, i) : -1;
	struct cond *c;

	ALLOC_GROW(s->cond, s->ncond + 1, s->cond_alloc);
	c = &s->cond[s->ncond++];
	memset(c, 0, sizeof(*c));
	c->outer_dead = s->dead;
	c->start = s->ncond <= MAX_COND && s->nopen <= MAX_COND_OPEN ? copy_open(s) : NULL;
	c->nstart = s->nopen;
	c->dead = lit == 0;
	c->taken = lit == 1;
	s->dead = s->dead || c->dead;
}

static void cond_else(struct scanner *s)
{
	struct cond *c;

	if (!s->ncond)
		return;
	c = &s->cond[s->ncond - 1];
	if (!c->start)
		return;
	end_branch(s, c);
	set_open(s, c->start, c->nstart);
	c->dead = c->taken;
	s->dead = c->outer_dead || c->dead;
}

static void cond_endif(struct scanner *s)
{
	struct cond *c;

	if (!s->ncond)
		return;
	c = &s->cond[--s->ncond];
	if (c->start) {
		end_branch(s, c);
		if (c->keep)
			set_open(s, c->keep, c->nkeep);
		else
			set_open(s, c->start, c->nstart);
	}
	s->dead = c->outer_dead;
	free(c->start);
	free(c->keep);
}

/* ---- scanning ------------------------------------------------------------- */

/* End of a directive: its line with continuations; comments in it may span lines. */
static void scan_directive(struct scanner *s)
{
	struct ctoks *ts = s->ts;
	const char *end = ts->text + ts->len;
	size_t start = s->pos, n;
	uint32_t line = s->line;
	struct ctok *t;
	bool closed;

	while (s->pos < ts->len) {
		const char *p = ts->text + s->pos;

		if ((n = splice_len(p, end))) {
			s->line++;
			s->pos += n;
		} else if (newline_len(p, end)) {
			break;
		} else if (*p == '"' || *p == '\'') {
			s->pos += quoted_len(s, p, &closed);
		} else if (*p != '/' || !skip_comment(s)) {
			s->pos++;
		}
	}
	n = s->pos - start;
	s->pos = start;
	t = push(s, CTOK_PP, n);
	t->line = line;
}

static bool pp_name(const struct ctoks *ts, size_t i, uint32_t *off, uint32_t *len);

static void directive(struct scanner *s)
{
	bool was_dead = s->dead;
	uint32_t name, len;
	size_t i;

	scan_directive(s);
	i = s->ts->n - 1;
	/* "if", "else", "endif" and their kin */
	if (!pp_name(s->ts, i, &name, &len) || !len || (s->ts->text[name] != 'i' && s->ts->text[name] != 'e'))
		return;
	if (ctok_pp_is(s->ts, i, "if"))
		cond_if(s, i, true);
	else if (ctok_pp_is(s->ts, i, "ifdef") || ctok_pp_is(s->ts, i, "ifndef"))
		cond_if(s, i, false);
	else if (ctok_pp_is(s->ts, i, "else") || ctok_pp_is(s->ts, i, "elif") ||
		 ctok_pp_is(s->ts, i, "elifdef") || ctok_pp_is(s->ts, i, "elifndef"))
		cond_else(s);
	else if (ctok_pp_is(s->ts, i, "endif"))
		cond_endif(s);
	else
		return;
	/* The directive that opens or closes a dead branch belongs to the live text around. */
	if (!was_dead || !s->dead)
		s->ts->t[i].flags &= ~CTOK_DEAD;
}

static void scan_word(struct scanner *s, const char *p, const char *end)
{
	const char *q = p;
	size_t prefix = quote_prefix(p, end);

	if (prefix) {
		push_quoted(s, prefix);
		return;
	}
	while (q < end && is_a(*q, WORD | DIGIT))
		q++;
	push(s, CTOK_IDENT, q - p);
}

static void scan_other(struct scanner *s, const char *p, const char *end)
{
	const char *q = p;

	while (q < end && is_a(*q, OTHER) && !newline_len(q, end) && !splice_len(q, end))
		q++;
	push(s, CTOK_OTHER, q - p);
}

/* Everything but blanks and words. */
static void scan_one(struct scanner *s, const char *p, const char *end)
{
	size_t n;

	if ((n = newline_len(p, end)) || (n = splice_len(p, end))) {
		if (*p != '\\')
			s->bol = true;
		s->line++;
		s->pos += n;
	} else if (skip_comment(s)) {
		return;
	} else if (*p == '#' && s->bol) {
		directive(s);
	} else if (is_a(*p, DIGIT) || (*p == '.' && p + 1 < end && is_a(p[1], DIGIT))) {
		push(s, CTOK_NUMBER, number_len(p, end));
	} else if (*p == '"' || *p == '\'') {
		push_quoted(s, 0);
	} else if (is_a(*p, OTHER)) {
		scan_other(s, p, end);
	} else {
		push(s, CTOK_PUNCT, punct_len(p, end));
		pair(s);
	}
}

int ctoks_scan(struct ctoks *ts, const char *text, size_t len)
{
	struct scanner s = { .ts = ts, .line = 1, .bol = true };
	size_t i;

	memset(ts, 0, sizeof(*ts));
	if (len > MAX_TEXT)
		return KP_ERR;
	ts->text = text;
	ts->len = len;
	ALLOC_GROW(ts->t, len / BYTES_PER_TOKEN + 1, ts->alloc);
	while (s.pos < len) {
		const char *p = text + s.pos;

		if (is_a(*p, BLANK))
			s.pos++;
		else if (is_a(*p, WORD))
			scan_word(&s, p, text + len);
		else
			scan_one(&s, p, text + len);
	}
	while (s.ncond)
		cond_endif(&s);
	for (i = 0; i < s.nalias; i += 2)
		if (ts->t[s.alias[i]].match == CTOK_NONE)
			ts->t[s.alias[i]].match = ts->t[s.alias[i + 1]].match;
	free(s.open);
	free(s.cond);
	free(s.alias);
	return 0;
}

void ctoks_release(struct ctoks *ts)
{
	if (!ts)
		return;
	free(ts->t);
	memset(ts, 0, sizeof(*ts));
}

/* ---- questions ------------------------------------------------------------ */

bool ctok_kind_is(const struct ctoks *ts, size_t i, enum ctok_kind kind)
{
	return i < ts->n && ts->t[i].kind == kind;
}

static int cmp_word(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
}

bool ctok_is_keyword(const struct ctoks *ts, size_t i)
{
	/* Sorted. GNU spellings with underscores that stand for a keyword are included. */
	static const char *const words[] = {
		"_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic", "_Noreturn",
		"_Static_assert", "_Thread_local", "__alignof__", "__asm__", "__auto_type",
		"__const", "__extension__", "__inline", "__inline__", "__restrict", "__restrict__",
		"__signed__", "__typeof__", "__volatile__", "asm", "auto", "break", "case", "char",
		"const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
		"for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
		"short", "signed", "sizeof", "static", "struct", "switch", "typedef", "typeof",
		"union", "unsigned", "void", "volatile", "while"
	};
	char buf[24];

	if (!ctok_kind_is(ts, i, CTOK_IDENT) || ts->t[i].len >= sizeof(buf))
		return false;
	memcpy(buf, ts->text + ts->t[i].off, ts->t[i].len);
	buf[ts->t[i].len] = '\0';
	return bsearch(buf, words, ARRAY_SIZE(words), sizeof(*words), cmp_word) != NULL;
}

bool ctok_is_ident(const struct ctoks *ts, size_t i)
{
	return ctok_kind_is(ts, i, CTOK_IDENT) && !ctok_is_keyword(ts, i);
}

bool ctok_same(const struct ctoks *a, size_t i, const struct ctoks *b, size_t j)
{
	return i < a->n && j < b->n && a->t[i].kind == b->t[j].kind && a->t[i].len == b->t[j].len &&
	       !memcmp(a->text + a->t[i].off, b->text + b->t[j].off, a->t[i].len);
}

char *ctok_dup(const struct ctoks *ts, size_t i)
{
	return i < ts->n ? xstrndup(ts->text + ts->t[i].off, ts->t[i].len) : NULL;
}

size_t ctok_at(const struct ctoks *ts, size_t offset)
{
	size_t lo = 0, hi = ts->n;

	/* First token whose end is behind the offset. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if ((size_t)ts->t[mid].off + ts->t[mid].len <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t ctok_at_line(const struct ctoks *ts, uint32_t line)
{
	size_t lo = 0, hi = ts->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ts->t[mid].line < line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Skips blanks, spliced lines and comments inside a directive. */
static uint32_t pp_skip(const struct ctoks *ts, uint32_t at, uint32_t end)
{
	while (at < end) {
		const char *p = ts->text + at;
		size_t n = splice_len(p, ts->text + end);

		if (n || is_a(*p, BLANK)) {
			at += n ? n : 1;
		} else if (*p == '/') {
			struct ctoks part = { .text = ts->text, .len = end };
			struct scanner s = { .ts = &part, .pos = at };

			if (!skip_comment(&s))
				break;
			at = s.pos;
		} else {
			break;
		}
	}
	return at;
}

static uint32_t pp_word_end(const struct ctoks *ts, uint32_t at, uint32_t end)
{
	while (at < end && is_a(ts->text[at], WORD | DIGIT))
		at++;
	return at;
}

/* [*off, *off + *len): the directive's name. */
static bool pp_name(const struct ctoks *ts, size_t i, uint32_t *off, uint32_t *len)
{
	uint32_t end;

	if (!ctok_kind_is(ts, i, CTOK_PP))
		return false;
	end = ts->t[i].off + ts->t[i].len;
	*off = pp_skip(ts, ts->t[i].off + 1, end);
	*len = pp_word_end(ts, *off, end) - *off;
	return true;
}

void ctok_pp_name(const struct ctoks *ts, size_t i, struct strbuf *out)
{
	uint32_t off, len;

	if (pp_name(ts, i, &off, &len))
		strbuf_add(out, ts->text + off, len);
}

bool ctok_pp_is(const struct ctoks *ts, size_t i, const char *name)
{
	uint32_t off, len, end;

	if (!ctok_kind_is(ts, i, CTOK_PP))
		return false;
	/* Mostly the first letter tells. */
	end = ts->t[i].off + ts->t[i].len;
	off = pp_skip(ts, ts->t[i].off + 1, end);
	if (off >= end || ts->text[off] != *name)
		return false;
	len = pp_word_end(ts, off, end) - off;
	return len && !strncmp(name, ts->text + off, len) && !name[len];
}

bool ctok_pp_word(const struct ctoks *ts, size_t i, uint32_t *off, uint32_t *len)
{
	uint32_t noff, nlen, end;

	if (!pp_name(ts, i, &noff, &nlen))
		return false;
	end = ts->t[i].off + ts->t[i].len;
	*off = pp_skip(ts, noff + nlen, end);
	*len = pp_word_end(ts, *off, end) - *off;
	return *len > 0;
}

/* Would two pieces of punctuation, written together, read as another one? */
static bool merges(char a, char b)
{
	return (a == b && strchr("+-<>=&|#./", a)) || (b == '=' && strchr("+-*/%&|^!<>", a)) ||
	       (a == '-' && b == '>') || (a == '/' && b == '*');
}

void ctoks_normal(const struct ctoks *ts, size_t from, size_t to, struct strbuf *out)
{
	const struct ctok *prev = NULL;
	size_t i;

	for (i = from; i < to && i < ts->n; i++) {
		const struct ctok *t = &ts->t[i];
		bool word = t->kind != CTOK_PUNCT;

		if (t->kind == CTOK_PP)
			continue;
		/* Words stand apart; punctuation is tight, but not so that two merge. */
		if (prev && ((word && prev->kind != CTOK_PUNCT) ||
			     (!word && prev->kind == CTOK_PUNCT &&
			      merges(ts->text[prev->off + prev->len - 1], ts->text[t->off]))))
			strbuf_addch(out, ' ');
		strbuf_add(out, ts->text + t->off, t->len);
		prev = t;
	}
}
