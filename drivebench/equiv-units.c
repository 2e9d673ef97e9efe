// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cuts a C file into units. What fits no shape goes, token by token, into one
 * unit "rest", so that no change is lost.
 */
#include "base/compat.h"
#include "drivebench/equiv-internal.h"

#include "base/alloc.h"
#include "base/strbuf.h"

static uint32_t word_id(struct equiv_words *words, const char *text)
{
	uintptr_t id = (uintptr_t)strmap_get(&words->ids, text);

	if (!id) {
		id = ++words->n;
		strmap_put(&words->ids, text, (void *)id);
	}
	return (uint32_t)id;
}

static uint32_t word_of(struct equiv_words *words, const struct ctoks *ts, size_t i)
{
	struct strbuf s = STRBUF_INIT;
	uint32_t id;

	/* A directive counts without its layout: lines that are continued, tabs. */
	for (size_t k = 0; k < ts->t[i].len; k++) {
		char c = ts->text[ts->t[i].off + k];
		bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0' ||
			     (c == '\\' && ts->t[i].kind == CTOK_PP);

		if (!blank)
			strbuf_addch(&s, c);
		else if (s.len && s.buf[s.len - 1] != ' ')
			strbuf_addch(&s, ' ');
	}
	id = word_id(words, s.buf ? s.buf : "");
	strbuf_release(&s);
	return id;
}

/* Takes name. A second unit of that name gets a number. */
static struct equiv_unit *unit_add(struct equiv_file *f, char *name)
{
	struct equiv_unit *u;
	char *key = xstrdup(name);

	for (int i = 2; strmap_get(&f->by_name, key); i++) {
		free(key);
		key = xstrfmt("%s (%d)", name, i);
	}
	free(name);
	ALLOC_GROW(f->u, f->n + 1, f->alloc);
	u = &f->u[f->n++];
	memset(u, 0, sizeof(*u));
	u->name = key;
	strmap_put(&f->by_name, key, (void *)(uintptr_t)f->n);
	return u;
}

/* The last element of an initialiser has its comma or not: nobody means anything by it. */
static bool lacks_comma(const struct ctoks *ts, uint32_t i)
{
	return ctok_is(ts, i + 1, "}") && !ctok_is(ts, i, ",") && !ctok_is(ts, i, "{") &&
	       ts->t[i].kind != CTOK_PP;
}

static void unit_fill(struct equiv_file *f, struct equiv_unit *u, struct equiv_words *words,
		      uint32_t first, uint32_t end, bool *used)
{
	bool object = starts_with(u->name, "object");
	size_t most = 2 * (end > first ? end - first : 1);

	u->w = xcalloc(most, sizeof(*u->w));
	u->tok = xcalloc(most, sizeof(*u->tok));
	for (uint32_t i = first; i < end && i < f->ts.n; i++) {
		if (used[i])
			continue;
		used[i] = true;
		u->tok[u->n] = i;
		u->w[u->n++] = word_of(words, &f->ts, i);
		if (object && lacks_comma(&f->ts, i)) {
			u->tok[u->n] = i;
			u->w[u->n++] = word_id(words, ",");
		}
	}
}

static void add_span(struct equiv_file *f, struct equiv_words *words, bool *used, const char *kind,
		     uint32_t name, uint32_t first, uint32_t end)
{
	char *text = name == CTOK_NONE ? xstrdup("") : ctok_dup(&f->ts, name);

	if (first < end && !used[first])
		unit_fill(f, unit_add(f, xstrfmt("%s %s", kind, text)), words, first, end, used);
	free(text);
}

/* Up to and with the ";" of a declaration. */
static uint32_t to_semicolon(const struct ctoks *ts, uint32_t i)
{
	for (; i < ts->n && !ctok_is(ts, i, ";"); i++) {
		if (ts->t[i].match != CTOK_NONE && ts->t[i].match > i)
			i = ts->t[i].match;
	}
	return i < ts->n ? i + 1 : (uint32_t)ts->n;
}

static void add_calls(struct equiv_file *f, struct equiv_words *words, bool *used)
{
	const struct ctoks *ts = &f->ts;

	for (size_t i = 0; i < f->cf.ncalls; i++) {
		const struct cmacro_call *m = &f->cf.calls[i];
		struct clist l = clist_open(ts, m->args.first);
		struct cspan arg = { 0 };
		struct strbuf name = STRBUF_INIT;
		uint32_t end = m->args.end;

		if (used[m->name])
			continue;
		strbuf_addstr(&name, "macro ");
		ctoks_normal(ts, m->name, m->name + 1, &name);
		if (clist_next(&l, &arg)) {
			strbuf_addch(&name, ' ');
			ctoks_normal(ts, arg.first, arg.end, &name);
		}
		if (ctok_is(ts, end, ";"))
			end++;
		unit_fill(f, unit_add(f, strbuf_detach(&name, NULL)), words, m->name, end, used);
	}
}

static void add_directives(struct equiv_file *f, struct equiv_words *words, bool *used)
{
	const struct ctoks *ts = &f->ts;

	for (uint32_t i = 0; i < ts->n; i++) {
		uint32_t off, len;
		struct strbuf name = STRBUF_INIT;

		if (used[i] || ts->t[i].kind != CTOK_PP)
			continue;
		if (!ctok_pp_is(ts, i, "include") && !ctok_pp_is(ts, i, "define"))
			continue;
		strbuf_addstr(&name, "directive #");
		ctok_pp_name(ts, i, &name);
		strbuf_addch(&name, ' ');
		if (ctok_pp_is(ts, i, "include")) {
			const char *text = ts->text + ts->t[i].off;
			const char *open = memchr(text, '<', ts->t[i].len);

			if (!open)
				open = memchr(text, '"', ts->t[i].len);
			if (open)
				strbuf_add(&name, open, strcspn(open + 1, ">\"\n") + 2);
		} else if (ctok_pp_word(ts, i, &off, &len)) {
			strbuf_add(&name, ts->text + off, len);
		}
		unit_fill(f, unit_add(f, strbuf_detach(&name, NULL)), words, i, i + 1, used);
	}
}

void equiv_file_read(struct equiv_file *f, struct equiv_words *words, const char *text)
{
	const struct cfile *cf = &f->cf;
	bool *used;

	memset(f, 0, sizeof(*f));
	f->text = text;
	ctoks_scan(&f->ts, text, strlen(text));
	cfile_parse(&f->cf, &f->ts);
	strmap_init(&f->by_name);
	used = xcalloc(f->ts.n + 1, sizeof(*used));
	for (size_t i = 0; i < cf->nfuncs; i++) {
		const struct cfunc *fn = &cf->funcs[i];

		add_span(f, words, used, "function", fn->name,
			 fn->ret.first < fn->ret.end ? fn->ret.first : fn->name, fn->body.end);
	}
	for (size_t i = 0; i < cf->nobjects; i++) {
		const struct cobject *ob = &cf->objects[i];

		add_span(f, words, used, "object", ob->name,
			 ob->type.first < ob->type.end ? ob->type.first : ob->name,
			 to_semicolon(&f->ts, ob->name));
	}
	for (size_t i = 0; i < cf->nstructs; i++)
		add_span(f, words, used, "struct", cf->structs[i].tag, cf->structs[i].keyword,
			 cf->structs[i].body.end);
	for (size_t i = 0; i < cf->nprotos; i++) {
		const struct cfunc *fn = &cf->protos[i];

		add_span(f, words, used, "prototype", fn->name,
			 fn->ret.first < fn->ret.end ? fn->ret.first : fn->name,
			 to_semicolon(&f->ts, fn->name));
	}
	add_calls(f, words, used);
	add_directives(f, words, used);
	unit_fill(f, unit_add(f, xstrdup("rest")), words, 0, (uint32_t)f->ts.n, used);
	free(used);
}

void equiv_file_release(struct equiv_file *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->u[i].name);
		free(f->u[i].w);
		free(f->u[i].tok);
	}
	free(f->u);
	strmap_release(&f->by_name, NULL);
	cfile_release(&f->cf);
	ctoks_release(&f->ts);
}

const struct equiv_unit *equiv_file_unit(const struct equiv_file *f, const char *name)
{
	uintptr_t i = (uintptr_t)strmap_get(&f->by_name, name);

	return i ? &f->u[i - 1] : NULL;
}

bool equiv_units_same(const struct equiv_unit *a, const struct equiv_unit *b)
{
	return a->n == b->n && !memcmp(a->w, b->w, a->n * sizeof(*a->w));
}
