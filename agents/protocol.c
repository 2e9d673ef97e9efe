// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "agents/protocol.h"

#include <ctype.h>

#include "base/alloc.h"

#define MAX_PROBLEMS 20

struct line {
	const char *s; /* not terminated */
	size_t n;
};

struct parser {
	struct line *line;
	size_t n, alloc, at;
	char *path; /* of the last EDIT line */
	struct proto_reply *out;
};

static void problem(struct parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void problem(struct parser *p, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	if (p->out->problems.n < MAX_PROBLEMS)
		strvec_push(&p->out->problems, sb.buf);
	strbuf_release(&sb);
}

static void split_lines(struct parser *p, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		const char *nl = memchr(text + i, '\n', len - i);
		size_t end = nl ? (size_t)(nl - text) : len, n = end - i;

		if (n && text[i + n - 1] == '\r')
			n--;
		ALLOC_GROW(p->line, p->n + 1, p->alloc);
		p->line[p->n++] = (struct line){ text + i, n };
		i = end + 1;
	}
}

/* ---- kinds of lines ------------------------------------------------------------- */

/* Without the blanks, list marks, quotes and emphasis around it. */
static struct line bare(struct line l)
{
	while (l.n && strchr(" \t#*>`-", *l.s)) {
		l.s++;
		l.n--;
	}
	while (l.n && strchr(" \t*`", l.s[l.n - 1]))
		l.n--;
	return l;
}

/* A run of at least four of the character; what follows is in *rest. */
static bool is_mark(struct line l, char c, struct line *rest)
{
	size_t k = 0;

	while (k < l.n && l.s[k] == c)
		k++;
	if (k < 4 || (k < l.n && l.s[k] != ' ' && l.s[k] != '\t'))
		return false;
	if (rest)
		*rest = (struct line){ l.s + k, l.n - k };
	return true;
}

static bool is_separator(struct line l)
{
	struct line rest;

	if (!is_mark(l, '=', &rest))
		return false;
	return !bare(rest).n;
}

static bool is_fence(struct line l)
{
	while (l.n && (*l.s == ' ' || *l.s == '\t')) {
		l.s++;
		l.n--;
	}
	return l.n >= 3 && !memcmp(l.s, "```", 3);
}

/* Is it "WORD ..." or "WORD: ..."? Case counts: these are no words of prose. */
static bool is_keyword(struct line l, const char *word, struct line *rest)
{
	size_t n = strlen(word);

	l = bare(l);
	if (l.n < n || memcmp(l.s, word, n) || (l.n > n && !strchr(": \t*", l.s[n])))
		return false;
	l.s += n;
	l.n -= n;
	while (l.n && strchr(": \t*", *l.s)) {
		l.s++;
		l.n--;
	}
	*rest = l;
	return true;
}

static char *text_of(struct line l, size_t max)
{
	return xstrndup(l.s, l.n < max ? l.n : max);
}

/* The first word that may be a path; quotes and colons around it are not part of it. */
static char *path_of(struct line l)
{
	l = bare(l);
	while (l.n && strchr("\"':", *l.s)) {
		l.s++;
		l.n--;
	}
	for (size_t i = 0; i < l.n; i++) {
		if (strchr(" \t\"'`:*", l.s[i]))
			l.n = i;
	}
	return l.n && l.n <= PROTO_MAX_NAME ? xstrndup(l.s, l.n) : NULL;
}

/* ---- edits ------------------------------------------------------------------------ */

/* Takes path, old and new. */
static void add_edit(struct parser *p, char *path, char *old, char *new, int line)
{
	struct proto_reply *r = p->out;

	if (r->nedits == PROTO_MAX_EDITS) {
		problem(p, "more than %d edits; those behind were not read", PROTO_MAX_EDITS);
		free(path);
		free(old);
		free(new);
		return;
	}
	ALLOC_GROW(r->edits, r->nedits + 1, r->edits_alloc);
	r->edits[r->nedits++] = (struct proto_edit){ path, old, new, line };
}

/* Lines [from, to) as text; a fence around all of them is no part of it. */
static char *block_text(const struct parser *p, size_t from, size_t to)
{
	struct strbuf sb = STRBUF_INIT;

	if (to >= from + 2 && is_fence(p->line[from]) && is_fence(p->line[to - 1])) {
		from++;
		to--;
	}
	for (size_t i = from; i < to; i++) {
		strbuf_add(&sb, p->line[i].s, p->line[i].n);
		strbuf_addch(&sb, '\n');
	}
	return strbuf_detach(&sb, NULL);
}

static bool only_blank(const char *s)
{
	return !s[strspn(s, " \t\r\n\f")];
}

/* p->at is behind the "<<<<" line. */
static void parse_edit(struct parser *p, struct line head)
{
	size_t start = p->at, sep = 0, end = 0, seps = 0;
	char *named = path_of(head), *path, *old;

	for (; p->at < p->n && !end; p->at++) {
		if (is_separator(p->line[p->at])) {
			if (!seps++)
				sep = p->at;
		} else if (is_mark(p->line[p->at], '>', NULL)) {
			end = p->at;
		} else if (is_mark(p->line[p->at], '<', NULL)) {
			break;
		}
	}
	/* "<<<< SEARCH" names no file. */
	if (named && !strchr(named, '.') && !strchr(named, '/')) {
		free(named);
		named = NULL;
	}
	path = named ? named : xstrdup(p->path);
	if (!seps || !end || end < sep) {
		problem(p, "the edit in line %zu does not end: it needs '====' between old and new text "
			"and '>>>>' behind", start);
	} else if (seps > 1) {
		problem(p, "the edit in line %zu has %zu lines of '=': which one parts old and new text?",
			start, seps);
	} else if (!path) {
		problem(p, "the edit in line %zu names no file: write 'EDIT path' before it", start);
	} else {
		old = block_text(p, start, sep);
		if (only_blank(old)) {
			problem(p, "the edit of '%s' in line %zu has no old text: quote the lines that it "
				"replaces, or a line beside the place where something is added",
				path, start);
			free(old);
		} else {
			add_edit(p, path, old, block_text(p, sep + 1, end), 0);
			path = NULL;
		}
	}
	free(path);
}

/* ---- diffs -------------------------------------------------------------------------- */

static bool begins(struct line l, const char *s)
{
	size_t n = strlen(s);

	return l.n >= n && !memcmp(l.s, s, n);
}

static bool is_diff_head(const struct parser *p, size_t i)
{
	return i + 1 < p->n && begins(p->line[i], "--- ") && begins(p->line[i + 1], "+++ ");
}

/* "+++ b/drivers/foo.c\t2024-..." */
static char *diff_path(struct line l)
{
	char *path;

	l.s += 4;
	l.n -= 4;
	if (begins(l, "a/") || begins(l, "b/")) {
		l.s += 2;
		l.n -= 2;
	}
	path = path_of(l);
	return path;
}

static bool in_hunk(const struct parser *p, size_t i)
{
	struct line l = p->line[i];

	if (is_diff_head(p, i) || begins(l, "-- ") || (l.n == 2 && begins(l, "--")))
		return false;
	return !l.n || strchr(" +-\\\t", *l.s);
}

/* The number behind "@@ -". */
static int hunk_line(struct line l)
{
	int n = 0;

	if (!begins(l, "@@ -"))
		return 0;
	for (size_t i = 4; i < l.n && isdigit((unsigned char)l.s[i]) && n < 100000000; i++)
		n = n * 10 + (l.s[i] - '0');
	return n;
}

static void parse_hunk(struct parser *p, const char *path)
{
	struct strbuf old = STRBUF_INIT, new = STRBUF_INIT;
	size_t start = p->at, end;
	int line = hunk_line(p->line[p->at++]);

	for (end = p->at; end < p->n && in_hunk(p, end);)
		end++;
	p->at = end;
	/* Empty lines at the end are the chat's, not the file's. */
	while (end > start + 1 && !p->line[end - 1].n)
		end--;
	for (size_t i = start + 1; i < end; i++) {
		struct line l = p->line[i];
		char c = l.n ? *l.s : ' ';
		bool tab = c == '\t'; /* the blank in front was lost */

		if (c == '\\')
			continue;
		if (c != '+') {
			strbuf_add(&old, l.s + (l.n && !tab), l.n - (l.n && !tab));
			strbuf_addch(&old, '\n');
		}
		if (c != '-') {
			strbuf_add(&new, l.s + (l.n && !tab), l.n - (l.n && !tab));
			strbuf_addch(&new, '\n');
		}
	}
	if (only_blank(old.buf))
		problem(p, "the hunk in line %zu has no lines of context: where does it belong?", start + 1);
	else if (strcmp(old.buf, new.buf))
		add_edit(p, xstrdup(path), strbuf_detach(&old, NULL), strbuf_detach(&new, NULL), line);
	strbuf_release(&old);
	strbuf_release(&new);
}

/* p->at is at "---". */
static void parse_diff(struct parser *p)
{
	char *from = diff_path(p->line[p->at]), *to = diff_path(p->line[p->at + 1]);
	size_t start = p->at + 1;

	p->at += 2;
	if (!from || !to || !strcmp(from, "/dev/null") || !strcmp(to, "/dev/null")) {
		problem(p, "the diff in line %zu adds or removes a file, which is not possible", start);
		free(to);
		to = NULL;
	}
	while (p->at < p->n && begins(p->line[p->at], "@@")) {
		if (to)
			parse_hunk(p, to);
		else
			while (++p->at < p->n && in_hunk(p, p->at))
				;
	}
	free(from);
	free(to);
}

/* ---- words ---------------------------------------------------------------------------- */

static bool known_kind(const char *s)
{
	static const char *const kinds[] = { "function", "type", "struct", "macro", "examples",
					     "example",	 "commit", "commits", "symbol" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(s, kinds[i]))
			return true;
	}
	return false;
}

/* "function foo()", "struct foo", "`foo`". false: nothing of the kind. */
static bool add_unknown(struct parser *p, struct line l)
{
	struct proto_reply *r = p->out;
	char *text = text_of(bare(l), PROTO_MAX_NAME), *kind = NULL, *name = NULL;
	struct strvec words = STRVEC_INIT;
	size_t i = 0;
	bool tag;

	strvec_split(&words, text, " \t`\"'(),:;.*");
	if (i < words.n && known_kind(words.v[i]))
		kind = xstrdup(words.v[i++]);
	while (kind && i + 1 < words.n && (!strcmp(words.v[i], "of") || !strcmp(words.v[i], "for")))
		i++;
	tag = i + 1 < words.n && (!strcmp(words.v[i], "struct") || !strcmp(words.v[i], "union") ||
				  !strcmp(words.v[i], "enum"));
	if (kind && !strcmp(kind, "struct") && i < words.n && !tag)
		name = xstrfmt("struct %s", words.v[i]);
	else if (i < words.n)
		name = tag ? xstrfmt("%s %s", words.v[i], words.v[i + 1]) : xstrdup(words.v[i]);
	for (const char *c = name; c && *c; c++) {
		if (!is_word_char(*c) && *c != ' ') {
			free(name);
			name = NULL;
			break;
		}
	}
	if (name && r->nunknown < PROTO_MAX_UNKNOWN) {
		ALLOC_GROW(r->unknown, r->nunknown + 1, r->unknown_alloc);
		r->unknown[r->nunknown++] = (struct proto_unknown){ kind ? kind : xstrdup("symbol"), name };
		kind = name = NULL;
	} else if (name) {
		problem(p, "more than %d things are asked for", PROTO_MAX_UNKNOWN);
	}
	tag = !name && r->nunknown;
	free(kind);
	free(name);
	free(text);
	strvec_release(&words);
	return tag;
}

/* A list behind "UNKNOWN:"; ends with the first line that is no item. */
static void parse_unknown(struct parser *p, struct line rest)
{
	if (rest.n) {
		if (!add_unknown(p, rest))
			problem(p, "'UNKNOWN' in line %zu is not: kind and name", p->at);
		return;
	}
	while (p->at < p->n) {
		struct line l = p->line[p->at];
		size_t blank = 0;

		while (blank < l.n && (l.s[blank] == ' ' || l.s[blank] == '\t'))
			blank++;
		if (blank + 1 >= l.n || !strchr("-*", l.s[blank]) || !add_unknown(p, l))
			return;
		p->at++;
	}
}

/* Up to an empty line or one that means something. */
static char *parse_sentences(struct parser *p, struct line first)
{
	static const char *const words[] = { "TITLE", "WHY", "EDIT", "UNKNOWN", "GIVE UP", "CONCERN" };
	struct strbuf sb = { .buf = strbuf_slopbuf, .max = PROTO_MAX_SENTENCE };
	struct line rest;

	strbuf_add(&sb, first.s, first.n);
	for (; p->at < p->n && p->line[p->at].n; p->at++) {
		struct line l = p->line[p->at];
		bool stop = is_mark(l, '<', NULL) || is_fence(l) || is_diff_head(p, p->at);

		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			stop |= is_keyword(l, words[i], &rest);
		if (stop)
			break;
		strbuf_addch(&sb, ' ');
		strbuf_add(&sb, l.s, l.n);
	}
	/* It becomes a commit message: one line, no control characters. */
	for (size_t i = 0; i < sb.len; i++) {
		if ((unsigned char)sb.buf[i] < ' ' || sb.buf[i] == 127)
			sb.buf[i] = ' ';
	}
	strbuf_trim(&sb);
	return strbuf_detach(&sb, NULL);
}

static void set_once(char **field, char *value)
{
	if (*field || !*value)
		free(value);
	else
		*field = value;
}

static void parse_line(struct parser *p)
{
	struct line l = p->line[p->at], rest;

	if (is_diff_head(p, p->at)) {
		parse_diff(p);
		return;
	}
	p->at++;
	if (is_mark(l, '<', &rest)) {
		parse_edit(p, rest);
	} else if (is_keyword(l, "EDIT", &rest) || is_keyword(l, "FILE", &rest)) {
		free(p->path);
		p->path = path_of(rest);
	} else if (is_keyword(l, "TITLE", &rest)) {
		set_once(&p->out->title, text_of(rest, PROTO_MAX_NAME));
	} else if (is_keyword(l, "WHY", &rest)) {
		set_once(&p->out->why, parse_sentences(p, rest));
	} else if (is_keyword(l, "GIVE UP", &rest)) {
		set_once(&p->out->give_up, parse_sentences(p, rest));
	} else if (is_keyword(l, "UNKNOWN", &rest)) {
		parse_unknown(p, rest);
	} else if (is_keyword(l, "CONCERN", &rest) && p->out->concerns.n < MAX_PROBLEMS) {
		char *s = parse_sentences(p, rest);

		strvec_push_nodup(&p->out->concerns, s);
	}
}

static void clean_title(char *s)
{
	for (; s && *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 127)
			*s = ' ';
	}
}

void proto_parse(const char *text, size_t len, struct proto_reply *out)
{
	struct parser p = { .out = out };
	char *copy = xmalloc(len + 1);

	memset(out, 0, sizeof(*out));
	strvec_init(&out->concerns);
	strvec_init(&out->problems);
	memcpy(copy, text, len);
	/* No text of a source has a NUL. */
	for (size_t i = 0; i < len; i++) {
		if (!copy[i])
			copy[i] = '?';
	}
	split_lines(&p, copy, len);
	while (p.at < p.n)
		parse_line(&p);
	clean_title(out->title);
	free(p.path);
	free(p.line);
	free(copy);
}

void proto_reply_release(struct proto_reply *r)
{
	for (size_t i = 0; i < r->nedits; i++) {
		free(r->edits[i].path);
		free(r->edits[i].old);
		free(r->edits[i].new);
	}
	for (size_t i = 0; i < r->nunknown; i++) {
		free(r->unknown[i].kind);
		free(r->unknown[i].name);
	}
	free(r->edits);
	free(r->unknown);
	free(r->title);
	free(r->why);
	free(r->give_up);
	strvec_release(&r->concerns);
	strvec_release(&r->problems);
	memset(r, 0, sizeof(*r));
}
