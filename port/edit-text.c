// SPDX-License-Identifier: GPL-2.0-only
/* Edits made from texts, includes and identifiers. */
#include "base/compat.h"
#include "port/edit.h"

#include <ctype.h>
#include <git2.h>

#include "base/alloc.h"
#include "base/error.h"

/* ---- rewriting by difference --------------------------------------------- */

struct rewrite {
	struct edit_group *g;
	struct srcfile *f;
	const char *text;
	size_t len;
	size_t *old_lines, *new_lines; /* offsets of line starts, plus the end */
	size_t nold, nnew;
};

static size_t *line_starts(const char *text, size_t len, size_t *n)
{
	size_t *v = NULL, alloc = 0;

	*n = 0;
	for (size_t pos = 0; pos < len;) {
		const char *nl = memchr(text + pos, '\n', len - pos);

		ALLOC_GROW(v, *n + 2, alloc);
		v[(*n)++] = pos;
		pos = nl ? (size_t)(nl - text) + 1 : len;
	}
	ALLOC_GROW(v, *n + 1, alloc);
	v[*n] = len;
	return v;
}

static void add_hunk(struct rewrite *r, const git_diff_hunk *h)
{
	/* With zero lines a hunk names the line before it. */
	size_t o = h->old_lines ? (size_t)h->old_start - 1 : (size_t)h->old_start;
	size_t n = h->new_lines ? (size_t)h->new_start - 1 : (size_t)h->new_start;
	size_t os = r->old_lines[o], oe = r->old_lines[o + (size_t)h->old_lines];
	size_t ns = r->new_lines[n], ne = r->new_lines[n + (size_t)h->new_lines];
	char *text;

	while (os < oe && ns < ne && r->f->text[os] == r->text[ns]) {
		os++;
		ns++;
	}
	while (os < oe && ns < ne && r->f->text[oe - 1] == r->text[ne - 1]) {
		oe--;
		ne--;
	}
	text = xstrndup(r->text + ns, ne - ns);
	edit_add(r->g, r->f->path, os, oe, text);
	free(text);
}

int edit_add_rewrite(struct edit_group *g, struct srcfile *f, const char *new_text, size_t len,
		     struct strbuf *err)
{
	struct rewrite r = { .g = g, .f = f, .text = new_text, .len = len };
	git_diff_options opts = GIT_DIFF_OPTIONS_INIT;
	git_patch *patch = NULL;
	int ret = 0;

	git_libgit2_init();
	opts.context_lines = 0;
	opts.flags = GIT_DIFF_FORCE_TEXT;
	if (git_patch_from_buffers(&patch, f->text, f->len, f->path, new_text, len, f->path,
				   &opts)) {
		strbuf_addf(err, "cannot compare versions of '%s': %s", f->path,
			    git_error_last() ? git_error_last()->message : "unknown");
		ret = KP_INFRA;
		goto out;
	}
	r.old_lines = line_starts(f->text, f->len, &r.nold);
	r.new_lines = line_starts(new_text, len, &r.nnew);
	for (size_t i = 0; i < git_patch_num_hunks(patch); i++) {
		const git_diff_hunk *h;

		if (!git_patch_get_hunk(&h, NULL, patch, i))
			add_hunk(&r, h);
	}
out:
	free(r.old_lines);
	free(r.new_lines);
	git_patch_free(patch);
	git_libgit2_shutdown();
	return ret;
}

/* ---- includes ------------------------------------------------------------ */

/*
 * The name in an #include directive token; *angle tells <> from "". false for
 * other directives.
 */
static bool include_name(const struct ctoks *ts, size_t i, const char **name, size_t *len,
			 bool *angle)
{
	const struct ctok *t = &ts->t[i];
	const char *p = ts->text + t->off, *end = p + t->len, *q;
	char close;

	if (t->kind != CTOK_PP || *p != '#')
		return false;
	for (p++; p < end && (*p == ' ' || *p == '\t'); p++)
		;
	if (end - p < 7 || memcmp(p, "include", 7))
		return false;
	for (p += 7; p < end && (*p == ' ' || *p == '\t'); p++)
		;
	if (p >= end || (*p != '<' && *p != '"'))
		return false;
	*angle = *p == '<';
	close = *angle ? '>' : '"';
	q = memchr(p + 1, close, (size_t)(end - p - 1));
	if (!q)
		return false;
	*name = p + 1;
	*len = (size_t)(q - p - 1);
	return true;
}

static bool is_include_of(const struct ctoks *ts, size_t i, const char *header)
{
	const char *name;
	size_t len;
	bool angle;

	return include_name(ts, i, &name, &len, &angle) && len == strlen(header) &&
	       !memcmp(name, header, len);
}

static size_t line_end(const struct srcfile *f, size_t off)
{
	const char *nl = memchr(f->text + off, '\n', f->len - off);

	return nl ? (size_t)(nl - f->text) + 1 : f->len;
}

static size_t line_start(const struct srcfile *f, size_t off)
{
	while (off > 0 && f->text[off - 1] != '\n')
		off--;
	return off;
}

static bool is_linux_name(const char *name, size_t len)
{
	return len > 6 && !memcmp(name, "linux/", 6);
}

/* Is the directive inside #if ... #endif other than an include guard? depth counts what was opened before. */
static int conditional_step(const struct ctoks *ts, size_t i)
{
	const struct ctok *t = &ts->t[i];
	const char *p = ts->text + t->off, *end = p + t->len;

	if (t->kind != CTOK_PP || *p != '#')
		return 0;
	for (p++; p < end && (*p == ' ' || *p == '\t'); p++)
		;
	if (end - p >= 2 && !memcmp(p, "if", 2))
		return 1;
	if (end - p >= 5 && !memcmp(p, "endif", 5))
		return -1;
	return 0;
}

static int name_cmp(const char *a, size_t alen, const char *b)
{
	size_t blen = strlen(b);
	int c = memcmp(a, b, alen < blen ? alen : blen);

	return c ? c : (alen > blen) - (alen < blen);
}

struct include_spot {
	ssize_t last_linux, last_angle, last_any, sorted;
	bool have_prev, is_sorted;
	const char *prev;
	size_t prev_len;
	ssize_t first_directory; /* first include of the same directory that sorts behind */
};

static void note_include(struct include_spot *s, const struct srcfile *f, const struct ctok *t,
			 const char *name, size_t len, bool angle, const char *header)
{
	size_t dir = strcspn(header, "/");
	ssize_t end = (ssize_t)line_end(f, t->off + t->len - 1);

	s->last_any = end;
	if (!angle)
		return;
	s->last_angle = end;
	if (is_linux_name(name, len))
		s->last_linux = end;
	if (len <= dir || memcmp(name, header, dir + 1))
		return;
	if (s->have_prev && s->prev_len && name_cmp(name, len, s->prev) < 0 &&
	    strncmp(s->prev, name, len))
		s->is_sorted = false;
	if (name_cmp(name, len, header) < 0)
		s->sorted = end;
	else if (s->first_directory < 0)
		s->first_directory = (ssize_t)line_start(f, t->off);
	s->prev = name;
	s->prev_len = len;
	s->have_prev = true;
}

static ssize_t spot_of(const struct include_spot *s)
{
	if (s->have_prev && s->is_sorted)
		return s->sorted >= 0 ? s->sorted : s->first_directory;
	if (s->last_linux >= 0)
		return s->last_linux;
	return s->last_angle >= 0 ? s->last_angle : s->last_any;
}

/* Where includes may start when there are none: behind the leading comments. */
static size_t spot_without_includes(struct srcfile *f, const struct ctoks *ts)
{
	int depth = 0;

	for (size_t i = 0; i < ts->n; i++) {
		depth += conditional_step(ts, i);
		if (ts->t[i].kind != CTOK_PP)
			return line_start(f, ts->t[i].off);
		/* Behind the #define of an include guard. */
		if (depth == 1 && i + 1 < ts->n && ts->t[i + 1].kind != CTOK_PP)
			return line_end(f, ts->t[i].off + ts->t[i].len - 1);
	}
	return f->len;
}

bool edit_add_include(struct edit_group *g, struct srcfile *f, const char *header)
{
	const struct ctoks *ts = srcfile_toks(f);
	struct include_spot s = { .last_linux = -1, .last_angle = -1, .last_any = -1, .sorted = -1,
				  .is_sorted = true, .first_directory = -1 };
	bool header_file = ends_with(f->path, ".h");
	int depth = 0, base = 0;
	struct strbuf line = STRBUF_INIT;
	ssize_t at;

	for (size_t i = 0; i < ts->n; i++) {
		const char *name;
		size_t len;
		bool angle;

		/* The first #if of a header is its guard. */
		if (header_file && !base && conditional_step(ts, i) > 0)
			base = 1;
		depth += conditional_step(ts, i);
		if (!include_name(ts, i, &name, &len, &angle))
			continue;
		if (is_include_of(ts, i, header) && depth <= base)
			return false;
		if (depth <= base)
			note_include(&s, f, &ts->t[i], name, len, angle, header);
	}
	at = spot_of(&s);
	if (at < 0)
		at = (ssize_t)spot_without_includes(f, ts);
	strbuf_addf(&line, "%s#include <%s>\n",
		    at > 0 && f->text[at - 1] != '\n' ? "\n" : "", header);
	edit_add(g, f->path, (size_t)at, (size_t)at, line.buf);
	strbuf_release(&line);
	return true;
}

bool edit_drop_include(struct edit_group *g, struct srcfile *f, const char *header)
{
	const struct ctoks *ts = srcfile_toks(f);
	bool found = false;

	for (size_t i = 0; i < ts->n; i++) {
		if (!is_include_of(ts, i, header))
			continue;
		edit_add(g, f->path, line_start(f, ts->t[i].off),
			 line_end(f, ts->t[i].off + ts->t[i].len - 1), "");
		found = true;
	}
	return found;
}

/* ---- identifiers --------------------------------------------------------- */

static bool is_member_position(const struct ctoks *ts, size_t i)
{
	return i > 0 && (ctok_is(ts, i - 1, ".") || ctok_is(ts, i - 1, "->"));
}

/* Identifiers inside a directive: bodies of #define count, #include lines do not. */
static size_t rename_in_directive(struct edit_group *g, struct srcfile *f, const struct ctok *t,
				  const char *from, const char *to)
{
	size_t len = strlen(from), n = 0;
	const char *start = f->text + t->off, *end = start + t->len;

	for (const char *p = start; p + len <= end; p++) {
		bool left = p == start || (!isalnum((unsigned char)p[-1]) && p[-1] != '_');
		bool right = p + len == end || (!isalnum((unsigned char)p[len]) && p[len] != '_');

		if (!left || !right || memcmp(p, from, len))
			continue;
		edit_add(g, f->path, (size_t)(p - f->text), (size_t)(p - f->text) + len, to);
		n++;
		p += len - 1;
	}
	return n;
}

static bool is_define(const char *p, size_t len)
{
	const char *end = p + len;

	for (p++; p < end && (*p == ' ' || *p == '\t'); p++)
		;
	return end - p > 6 && !memcmp(p, "define", 6);
}

size_t edit_rename_ident(struct edit_group *g, struct srcfile *f, const char *from, const char *to,
			 bool members)
{
	const struct ctoks *ts = srcfile_toks(f);
	size_t n = 0;

	for (size_t i = 0; i < ts->n; i++) {
		const struct ctok *t = &ts->t[i];

		if (t->kind == CTOK_PP) {
			if (is_define(ts->text + t->off, t->len))
				n += rename_in_directive(g, f, t, from, to);
			continue;
		}
		if (t->kind != CTOK_IDENT || !ctok_is(ts, i, from))
			continue;
		if (is_member_position(ts, i) && !members)
			continue;
		edit_add(g, f->path, t->off, t->off + t->len, to);
		n++;
	}
	return n;
}
