// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/usage.h"

#include "base/alloc.h"
#include "base/strbuf.h"

static bool parse_include(const struct ctoks *ts, size_t i, struct include *out)
{
	const struct ctok *t = &ts->t[i];
	const char *p = ts->text + t->off, *end = p + t->len, *q;

	if (!ctok_pp_is(ts, i, "include"))
		return false;
	while (p < end && *p != '<' && *p != '"')
		p++;
	if (p >= end)
		return false;
	out->angle = *p == '<';
	q = memchr(p + 1, out->angle ? '>' : '"', (size_t)(end - p - 1));
	if (!q)
		return false;
	out->start = (size_t)(p + 1 - ts->text);
	out->end = (size_t)(q - ts->text);
	out->name = xstrndup(p + 1, (size_t)(q - p - 1));
	return true;
}

void file_includes(struct srcfile *f, struct include_list *out)
{
	const struct ctoks *ts = srcfile_toks(f);

	for (size_t i = 0; i < ts->n; i++) {
		if (ts->t[i].kind != CTOK_PP || ts->t[i].flags & CTOK_DEAD)
			continue;
		ALLOC_GROW(out->v, out->n + 1, out->alloc);
		if (parse_include(ts, i, &out->v[out->n]))
			out->n++;
	}
}

void include_list_release(struct include_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].name);
	free(l->v);
	memset(l, 0, sizeof(*l));
}

bool file_has_include(struct srcfile *f, const char *header)
{
	struct include_list l = { 0 };
	bool found = false;

	file_includes(f, &l);
	for (size_t i = 0; i < l.n && !found; i++)
		found = !strcmp(l.v[i].name, header);
	include_list_release(&l);
	return found;
}

bool edit_replace_include(struct edit_group *g, struct srcfile *f, const char *from, const char *to)
{
	struct include_list l = { 0 };
	bool found = false;

	if (file_has_include(f, to))
		return edit_drop_include(g, f, from);
	file_includes(f, &l);
	for (size_t i = 0; i < l.n; i++) {
		if (strcmp(l.v[i].name, from))
			continue;
		edit_add(g, f->path, l.v[i].start, l.v[i].end, to);
		found = true;
	}
	include_list_release(&l);
	return found;
}

/* The word at p of [start, end) stands alone. */
static bool directive_has_word(const char *start, size_t n, const char *word)
{
	size_t len = strlen(word);
	const char *end = start + n;

	for (const char *p = start; (p = memmem(p, (size_t)(end - p), word, len)); p++) {
		bool left = p == start || !is_word_char(p[-1]);
		bool right = p + len == end || !is_word_char(p[len]);

		if (left && right)
			return true;
	}
	return false;
}

static bool is_name(const struct ctoks *ts, size_t i, const char *name)
{
	return ts->t[i].kind == CTOK_IDENT && !(ts->t[i].flags & CTOK_DEAD) && ctok_is(ts, i, name);
}

bool file_uses_ident(struct srcfile *f, const char *name)
{
	const struct ctoks *ts;

	if (!srcfile_is_c(f) || !*name || !memmem(f->text, f->len, name, strlen(name)))
		return false;
	ts = srcfile_toks(f);
	for (size_t i = 0; i < ts->n; i++) {
		const struct ctok *t = &ts->t[i];

		if (is_name(ts, i, name))
			return true;
		if (t->kind == CTOK_PP && !(t->flags & CTOK_DEAD) && !ctok_pp_is(ts, i, "include") &&
		    directive_has_word(ts->text + t->off, t->len, name))
			return true;
	}
	return false;
}

bool tree_uses_ident(const struct tree *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (file_uses_ident(t->files[i], name))
			return true;
	return false;
}

static bool defines_macro(const struct ctoks *ts, size_t i, const char *name)
{
	uint32_t off, len;

	return ctok_pp_is(ts, i, "define") && ctok_pp_word(ts, i, &off, &len) &&
	       len == strlen(name) && !memcmp(ts->text + off, name, len);
}

/* "typedef ... name;" or "name" as an enumerator: "{ name", ", name" inside "enum". */
static bool defines_type_name(const struct ctoks *ts, const struct cfile *cf, const char *name)
{
	for (size_t i = 0; i < ts->n; i++) {
		struct cspan s;

		if (!is_name(ts, i, name) || !ctok_is(ts, i + 1, ";"))
			continue;
		s = tok_statement(ts, i);
		if (ctok_is(ts, s.first, "typedef") ||
		    (ctok_is(ts, i - 1, "}") && ts->t[i - 1].match != CTOK_NONE &&
		     ctok_is(ts, tok_statement(ts, ts->t[i - 1].match).first, "typedef")))
			return true;
	}
	for (size_t k = 0; k < cf->nstructs; k++) {
		const struct cstruct *s = &cf->structs[k];

		if (!ctok_is(ts, s->keyword, "enum"))
			continue;
		for (size_t i = s->body.first; i < s->body.end; i++)
			if (is_name(ts, i, name) &&
			    (ctok_is(ts, i - 1, "{") || ctok_is(ts, i - 1, ",")))
				return true;
	}
	return false;
}

bool file_defines(struct srcfile *f, const char *name)
{
	const struct ctoks *ts;
	const struct cfile *cf;

	if (!srcfile_is_c(f) || !memmem(f->text, f->len, name, strlen(name)))
		return false;
	ts = srcfile_toks(f);
	cf = srcfile_parse(f);
	if (cfile_func(cf, name) || cfile_object(cf, name) || cfile_struct(cf, name))
		return true;
	for (size_t i = 0; i < ts->n; i++)
		if (ts->t[i].kind == CTOK_PP && !(ts->t[i].flags & CTOK_DEAD) &&
		    defines_macro(ts, i, name))
			return true;
	return defines_type_name(ts, cf, name);
}

bool tree_defines(const struct tree *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (file_defines(t->files[i], name))
			return true;
	return false;
}

size_t tok_find(const struct ctoks *ts, size_t from, const char *name)
{
	size_t i = ctok_at(ts, from);

	while (i < ts->n && !ctok_is(ts, i, name))
		i++;
	return i;
}

static bool ends_statement(const struct ctoks *ts, size_t i)
{
	return ts->t[i].kind == CTOK_PP || ctok_is(ts, i, ";") || ctok_is(ts, i, "{") ||
	       ctok_is(ts, i, "}");
}

struct cspan tok_statement(const struct ctoks *ts, size_t i)
{
	struct cspan s = { .first = (uint32_t)i, .end = (uint32_t)i };

	if (i >= ts->n)
		return s;
	while (s.first > 0 && !ends_statement(ts, s.first - 1))
		s.first--;
	while (s.end < ts->n && !ends_statement(ts, s.end))
		s.end++;
	if (s.end < ts->n && ctok_is(ts, s.end, ";"))
		s.end++;
	return s;
}
