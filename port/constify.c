// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/constify.h"

#include <ctype.h>

#include "base/alloc.h"
#include "port/stmt.h"

unsigned const_levels(const char *type)
{
	unsigned levels = 0, level = 0;
	const char *p;

	for (p = type; *p; p++) {
		if (*p == '*')
			level++;
		else if (starts_with(p, "const") && (p == type || !isalnum((unsigned char)p[-1])) &&
			 !isalnum((unsigned char)p[5]) && p[5] != '_' && level < 16)
			levels |= 1u << level;
	}
	return levels;
}

unsigned const_target_level(const char *type)
{
	int n = ctype_pointers(type);

	return n > 0 ? 1u << (n - 1) : 0;
}

unsigned const_missing(const char *have, const char *want)
{
	unsigned outer;

	if (!ctype_equal_unqualified(have, want))
		return 0;
	/* The pointer itself being const says nothing about what it points to. */
	outer = 1u << ctype_pointers(want);
	return const_levels(want) & ~const_levels(have) & ~outer;
}

/* Insert "const " into the declaration tokens [from, end), end being the name's place. */
static bool add_to_span(struct edit_group *g, struct srcfile *f, uint32_t from, uint32_t end,
			unsigned levels)
{
	const struct ctoks *ts = srcfile_toks(f);
	unsigned level = 0, done = 0;
	uint32_t i;

	for (i = from; i < end; i++) {
		if (ctok_is(ts, i, "(") || ts->t[i].kind == CTOK_PP)
			return false;
		/* Already there: adding a second one is no repair. */
		if (ctok_is(ts, i, "const"))
			levels &= ~(1u << level);
		if (ctok_is(ts, i, "*"))
			level++;
	}
	if (!levels)
		return false;
	level = 0;
	for (i = from; i < end; i++) {
		char *w = ctok_dup(ts, i);
		bool note = ctype_is_annotation(w) || ctok_is_annotation(ts, i);
		size_t off = ts->t[i].off;

		free(w);
		if (!level && (levels & 1) && !(done & 1) && !note) {
			edit_add(g, f->path, off, off, "const ");
			done |= 1;
		}
		if (!ctok_is(ts, i, "*"))
			continue;
		level++;
		if (levels & (1u << level)) {
			edit_add(g, f->path, off + 1, off + 1, "const ");
			done |= 1u << level;
		}
	}
	return done == levels;
}

/* One of several declarators gets a declaration of its own behind the statement. */
static bool split_off(struct edit_group *g, struct srcfile *f, const struct decl *d)
{
	const struct ctoks *ts = srcfile_toks(f);
	uint32_t from = d->declarator.first;
	uint32_t end = d->init.end > d->init.first ? d->init.end : d->declarator.end;
	char *spec = srcfile_span_text(f, d->spec), *indent;
	char *decl = srcfile_span_text(f, (struct cspan){ from, end });
	size_t off = ts->t[d->stmt.end - 1].off + 1;
	char *text;

	if (ctok_is(ts, end, ","))
		edit_add(g, f->path, ts->t[from].off, ts->t[end + 1].off, "");
	else
		edit_add(g, f->path, ts->t[from - 1].off, ts->t[end - 1].off + ts->t[end - 1].len,
			 "");
	indent = line_indent(f, ts->t[d->stmt.first].off);
	text = xstrfmt("\n%sconst %s %s;", indent, spec, decl);
	edit_add(g, f->path, off, off, text);
	free(text);
	free(indent);
	free(spec);
	free(decl);
	return true;
}

bool const_add_decl(struct edit_group *g, struct srcfile *f, const struct decl *d, unsigned levels)
{
	uint32_t from = d->param ? d->declarator.first : d->spec.first;

	levels &= ~const_levels(d->type);
	if (!levels || strchr(d->type, '('))
		return false;
	if (d->shared && (levels & 1)) {
		if (levels != 1 || ctok_is(srcfile_toks(f), d->spec.first, "static"))
			return false;
		return split_off(g, f, d);
	}
	if (d->shared) {
		/* Stars belong to this declarator alone, but levels count from the type. */
		return false;
	}
	return add_to_span(g, f, from, d->name, levels);
}

static bool add_to_site(struct edit_group *g, struct srcfile *f, const struct cfunc *fn, int arg,
			unsigned levels)
{
	const struct cspan *p;

	if (arg < 0)
		return add_to_span(g, f, fn->ret.first, fn->name, levels);
	if ((size_t)arg >= fn->nparams)
		return false;
	p = &fn->params[arg].decl;
	return add_to_span(g, f, p->first,
			   fn->params[arg].name != CTOK_NONE ? fn->params[arg].name : p->end, levels);
}

bool const_add_function(struct edit_group *g, const struct tree *t, struct srcfile *f,
			const struct cfunc *fn, int arg, unsigned levels)
{
	const struct ctoks *own = srcfile_toks(f);
	size_t i, k;

	if (!add_to_site(g, f, fn, arg, levels))
		return false;
	for (i = 0; i < t->n; i++) {
		struct srcfile *h = t->files[i];
		const struct cfile *cf;

		if (!srcfile_is_c(h) || (fn->is_static && h != f))
			continue;
		cf = srcfile_parse(h);
		for (k = 0; k < cf->nprotos; k++)
			if (ctok_same(cf->ts, cf->protos[k].name, own, fn->name))
				add_to_site(g, h, &cf->protos[k], arg, levels);
	}
	return true;
}
