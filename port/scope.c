// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/scope.h"

#include "base/alloc.h"

static const struct ctoks *toks(const struct scope *s)
{
	return srcfile_toks(s->f);
}

static bool is_any(const struct ctoks *ts, size_t i, const char *const *words)
{
	for (; *words; words++)
		if (ctok_is(ts, i, *words))
			return true;
	return false;
}

static bool is_type_keyword(const struct ctoks *ts, size_t i)
{
	static const char *const w[] = { "void", "char", "short", "int", "long", "float",
					 "double", "signed", "unsigned", "_Bool", "bool", NULL };

	return is_any(ts, i, w);
}

static bool is_decoration(const struct ctoks *ts, size_t i)
{
	static const char *const w[] = { "const", "volatile", "static", "extern", "register",
					 "auto", "inline", "__maybe_unused", "__always_unused",
					 "__initdata", "__exitdata", "__initconst", "__user",
					 "__iomem", "__rcu", "__percpu", "__read_mostly",
					 "__ro_after_init", "__force", NULL };

	return is_any(ts, i, w);
}

/* Behind the specifiers that start at i, or i when that is no declaration. */
static uint32_t skip_specifiers(const struct ctoks *ts, uint32_t i, uint32_t end)
{
	uint32_t from = i;
	bool typed = false;

	while (i < end) {
		if (is_decoration(ts, i)) {
			i++;
		} else if (is_type_keyword(ts, i)) {
			typed = true;
			i++;
		} else if (ctok_is(ts, i, "struct") || ctok_is(ts, i, "union") ||
			   ctok_is(ts, i, "enum")) {
			i++;
			if (ctok_is_ident(ts, i))
				i++;
			if (ctok_is(ts, i, "{") && ts->t[i].match != CTOK_NONE)
				i = ts->t[i].match + 1;
			typed = true;
		} else if ((ctok_is(ts, i, "typeof") || ctok_is(ts, i, "__typeof__")) &&
			   ctok_is(ts, i + 1, "(") && ts->t[i + 1].match != CTOK_NONE) {
			i = ts->t[i + 1].match + 1;
			typed = true;
		} else if (!typed && ctok_is_ident(ts, i) &&
			   (ctok_is_ident(ts, i + 1) || ctok_is(ts, i + 1, "*") ||
			    is_decoration(ts, i + 1))) {
			typed = true;
			i++;
		} else {
			break;
		}
	}
	return typed ? i : from;
}

static void add_words(const struct ctoks *ts, struct cspan s, uint32_t skip, struct strbuf *out)
{
	uint32_t i;

	for (i = s.first; i < s.end; i++) {
		static const char *const storage[] = { "static", "extern", "register", "auto",
						       "inline", "__maybe_unused", "__initdata",
						       "__exitdata", "__initconst", "__read_mostly",
						       "__ro_after_init", NULL };

		if (i == skip || ts->t[i].kind == CTOK_PP || is_any(ts, i, storage))
			continue;
		if (ctok_is(ts, i, "{") && ts->t[i].match < s.end) {
			i = ts->t[i].match;
			continue;
		}
		strbuf_add(out, ts->text + ts->t[i].off, ts->t[i].len);
		strbuf_addch(out, ' ');
	}
}

static char *decl_type(const struct ctoks *ts, struct cspan spec, struct cspan declarator,
		       uint32_t name)
{
	struct strbuf raw = STRBUF_INIT, out = STRBUF_INIT;

	add_words(ts, spec, CTOK_NONE, &raw);
	add_words(ts, declarator, name, &raw);
	ctype_normalise(raw.buf, &out);
	strbuf_release(&raw);
	return strbuf_detach(&out, NULL);
}

/* One past the declarator at i; *name is its identifier or CTOK_NONE. */
static uint32_t parse_declarator(const struct ctoks *ts, uint32_t i, uint32_t end, uint32_t *name)
{
	*name = CTOK_NONE;
	while (i < end && (ctok_is(ts, i, "*") || is_decoration(ts, i)))
		i++;
	if (ctok_is(ts, i, "(") && ctok_is(ts, i + 1, "*") && ts->t[i].match != CTOK_NONE) {
		uint32_t j;

		for (j = i + 1; j < ts->t[i].match; j++)
			if (*name == CTOK_NONE && ctok_is_ident(ts, j) && !is_decoration(ts, j))
				*name = j;
		i = ts->t[i].match + 1;
		if (ctok_is(ts, i, "(") && ts->t[i].match != CTOK_NONE)
			i = ts->t[i].match + 1;
	} else if (ctok_is_ident(ts, i)) {
		*name = i++;
	}
	while (i < end && ctok_is(ts, i, "[") && ts->t[i].match != CTOK_NONE)
		i = ts->t[i].match + 1;
	return i;
}

/* Skip to the "," or ";" at this level. */
static uint32_t skip_value(const struct ctoks *ts, uint32_t i, uint32_t end)
{
	while (i < end && !ctok_is(ts, i, ",") && !ctok_is(ts, i, ";")) {
		if (ts->t[i].match != CTOK_NONE && ts->t[i].match > i)
			i = ts->t[i].match;
		i++;
	}
	return i;
}

static struct decl *add_decl(struct scope *s)
{
	ALLOC_GROW(s->d, s->n + 1, s->alloc);
	memset(&s->d[s->n], 0, sizeof(*s->d));
	return &s->d[s->n++];
}

/* Declarators from i on; returns one past the ";" or "from" when it is no declaration. */
static uint32_t parse_declaration(struct scope *s, uint32_t from, uint32_t end, uint32_t block)
{
	const struct ctoks *ts = toks(s);
	uint32_t i = skip_specifiers(ts, from, end), spec_end = i, name;
	size_t first = s->n, k;

	if (i == from)
		return from;
	while (i < end) {
		struct cspan declarator = { .first = i };
		struct cspan init = { 0, 0 };
		struct decl *d;

		i = parse_declarator(ts, i, end, &name);
		declarator.end = i;
		if (name == CTOK_NONE)
			break;
		if (ctok_is(ts, i, "=")) {
			init.first = i + 1;
			i = skip_value(ts, i, end);
			init.end = i;
		} else {
			i = skip_value(ts, i, end);
		}
		d = add_decl(s);
		d->spec = (struct cspan){ from, spec_end };
		d->declarator = declarator;
		d->init = init;
		d->name = name;
		d->block = block;
		d->ident = ctok_dup(ts, name);
		d->type = decl_type(ts, d->spec, declarator, name);
		if (!ctok_is(ts, i, ","))
			break;
		i++;
	}
	i = skip_value(ts, i, end);
	i += i < end;
	for (k = first; k < s->n; k++) {
		s->d[k].stmt = (struct cspan){ from, i };
		s->d[k].shared = s->n - first > 1;
	}
	return s->n > first ? i : from;
}

static bool starts_statement(const struct ctoks *ts, uint32_t i)
{
	if (!i || ts->t[i].kind == CTOK_PP)
		return false;
	while (i && ts->t[i - 1].kind == CTOK_PP)
		i--;
	if (!i)
		return false;
	return ctok_is(ts, i - 1, "{") || ctok_is(ts, i - 1, "}") || ctok_is(ts, i - 1, ";") ||
	       (ctok_is(ts, i - 1, "(") && i > 1 && ctok_is(ts, i - 2, "for"));
}

static void collect_locals(struct scope *s, struct cspan body, uint32_t tok)
{
	const struct ctoks *ts = toks(s);
	uint32_t limit = tok < body.end ? tok : body.end - 1, i;
	uint32_t block = body.first;

	for (i = body.first + 1; i < limit; i++) {
		uint32_t next = i;

		if (ctok_is(ts, i, "{")) {
			/* A block that closes before the place hides what it declares. */
			if (tok != CTOK_NONE && ts->t[i].match < tok)
				i = ts->t[i].match;
			else
				block = i;
			continue;
		}
		if (starts_statement(ts, i) && !(ts->t[i].flags & CTOK_DEAD))
			next = parse_declaration(s, i, body.end, block);
		if (next > i)
			i = next - 1;
	}
}

static void collect_params(struct scope *s, const struct cfunc *fn)
{
	size_t i;

	for (i = 0; i < fn->nparams; i++) {
		struct cspan decl = fn->params[i].decl;
		struct decl *d;

		if (fn->params[i].name == CTOK_NONE)
			continue;
		d = add_decl(s);
		d->declarator = decl;
		d->spec = (struct cspan){ decl.first, decl.first };
		d->stmt = decl;
		d->name = fn->params[i].name;
		d->block = CTOK_NONE;
		d->param = true;
		d->ident = ctok_dup(toks(s), d->name);
		d->type = decl_type(toks(s), d->spec, decl, d->name);
	}
}

static void collect_globals(struct scope *s)
{
	const struct cfile *cf = srcfile_parse(s->f);
	const struct ctoks *ts = toks(s);
	uint32_t done = 0;
	size_t i;

	for (i = 0; i < cf->nobjects; i++) {
		uint32_t from = cf->objects[i].type.first;

		/* Several declarators of one declaration are several objects. */
		if (from >= done || !i)
			done = parse_declaration(s, from, ts->n, CTOK_NONE);
	}
}

void scope_collect(struct srcfile *f, const struct cfunc *fn, uint32_t tok, struct scope *out)
{
	memset(out, 0, sizeof(*out));
	out->f = f;
	collect_globals(out);
	if (!fn)
		return;
	collect_params(out, fn);
	if (fn->body.end > fn->body.first)
		collect_locals(out, fn->body, tok);
}

void scope_release(struct scope *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->d[i].ident);
		free(s->d[i].type);
	}
	free(s->d);
	memset(s, 0, sizeof(*s));
}

const struct decl *scope_find(const struct scope *s, const char *name)
{
	size_t i = s->n;

	while (i-- > 0)
		if (!strcmp(s->d[i].ident, name))
			return &s->d[i];
	return NULL;
}

/* "struct { ... };" and "union { ... };" without a declarator share their members with the outer one. */
static bool is_anonymous(const struct ctoks *ts, uint32_t i, uint32_t *body)
{
	if (!ctok_is(ts, i, "struct") && !ctok_is(ts, i, "union"))
		return false;
	*body = i + 1;
	return ctok_is(ts, i + 1, "{") && ts->t[i + 1].match != CTOK_NONE &&
	       ctok_is(ts, ts->t[i + 1].match + 1, ";");
}

void scope_collect_members(struct srcfile *f, struct cspan body, struct scope *out)
{
	const struct ctoks *ts = srcfile_toks(f);
	uint32_t i, open, end = body.end;

	out->f = f;
	for (i = body.first + 1; i + 1 < end; i++) {
		uint32_t next = i;

		/* Members of the nested one are read as if they stood here. */
		if (is_anonymous(ts, i, &open)) {
			i = open;
			continue;
		}
		if (starts_statement(ts, i))
			next = parse_declaration(out, i, end, CTOK_NONE);
		if (next > i)
			i = next - 1;
	}
}
