// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/breakage.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/strmap.h"

/*
 * What hides everything behind it weighs more than all it can hide, so that
 * removing it is progress even when the count of errors rises (ENGINE.md, trap 3).
 */
#define WEIGHT_FATAL  1000.0
#define WEIGHT_NORMAL 1.0
#define WEIGHT_SIGN   0.4 /* a new unused function or variable: a sign of a wrong fix */

static double weight_of(const struct diag *d)
{
	if (d->kind == DIAG_MISSING_HEADER || d->level == DIAG_FATAL)
		return WEIGHT_FATAL;
	if (d->kind == DIAG_UNUSED)
		return WEIGHT_SIGN;
	return WEIGHT_NORMAL;
}

/* The driver's file that a location lies in, or NULL. */
static struct srcfile *file_of(const struct diag_loc *loc, const char *tree_dir,
			       const struct tree *t)
{
	const char *rel = loc->file ? path_inside(tree_dir, loc->file) : NULL;

	return rel ? tree_file(t, rel) : NULL;
}

static void map_site(struct breakage *b, const char *tree_dir, const struct tree *t)
{
	const struct diag_loc *loc = &b->diag.loc;
	struct srcfile *f = file_of(loc, tree_dir, t);
	const struct cfunc *fn;
	ssize_t start, end;

	for (size_t i = 0; !f && i < b->diag.nnotes; i++) {
		loc = &b->diag.notes[i];
		f = file_of(loc, tree_dir, t);
	}
	if (!f)
		return;
	b->path = xstrdup(f->path);
	start = srcfile_offset(f, loc->line, loc->col > 0 ? loc->col : 1);
	if (start < 0)
		return;
	end = srcfile_offset(f, loc->end_line, loc->end_col);
	b->start = (size_t)start;
	b->end = end >= start ? (size_t)end + 1 : (size_t)start;
	fn = srcfile_func_at(f, b->start);
	if (fn)
		b->function = srcfile_tok_text(f, fn->name);
}

static void make_key(struct breakage *b)
{
	const struct diag *d = &b->diag;
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s|%s|%s|%s|%s|%s|%s", diag_kind_name(d->kind),
		    d->symbol ? d->symbol : "", d->type ? d->type : "",
		    d->expected ? d->expected : "", d->found ? d->found : "",
		    b->path ? b->path : "", b->function ? b->function : "");
	if (d->kind == DIAG_OTHER || d->kind == DIAG_SYNTAX)
		strbuf_addf(&sb, "|%s", d->message);
	b->key = strbuf_detach(&sb, NULL);
}

void breakages_from_diags(const struct diag_list *diags, int unit, const char *tree_dir,
			  const struct tree *t, const struct strmap *before,
			  struct breakage_list *out)
{
	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *d = &diags->d[i];
		struct breakage *b;

		if (!diag_is_failure(d) && d->kind != DIAG_UNUSED)
			continue;
		ALLOC_GROW(out->b, out->n + 1, out->alloc);
		b = &out->b[out->n++];
		memset(b, 0, sizeof(*b));
		diag_copy(&b->diag, d);
		b->unit = unit;
		b->weight = weight_of(d);
		map_site(b, tree_dir, t);
		make_key(b);
		b->inherited = before && strmap_has(before, b->key);
		if (b->inherited)
			b->weight = 0;
	}
}

void breakage_copy(struct breakage *dst, const struct breakage *src)
{
	*dst = *src;
	diag_copy(&dst->diag, &src->diag);
	dst->path = xstrdup(src->path);
	dst->function = xstrdup(src->function);
	dst->key = xstrdup(src->key);
}

void breakage_release(struct breakage *b)
{
	diag_release(&b->diag);
	free(b->path);
	free(b->function);
	free(b->key);
}

void breakage_list_release(struct breakage_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		breakage_release(&l->b[i]);
	free(l->b);
	memset(l, 0, sizeof(*l));
}

double breakage_list_weight(const struct breakage_list *l)
{
	double w = 0;

	for (size_t i = 0; i < l->n; i++)
		w += l->b[i].weight;
	return w;
}

bool breakage_is_work(const struct breakage *b)
{
	return !b->inherited && b->diag.kind != DIAG_UNUSED;
}

size_t breakage_list_count(const struct breakage_list *l, const char *key)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += !strcmp(l->b[i].key, key);
	return n;
}

int breakage_rank(const struct breakage *b)
{
	switch (b->diag.kind) {
	case DIAG_MISSING_HEADER:
		return 0;
	case DIAG_UNKNOWN_TYPE:
	case DIAG_INCOMPLETE_TYPE:
	case DIAG_MACRO_ARITY:
	case DIAG_REDEFINITION:
		return 1;
	case DIAG_CONFLICTING_TYPES:
		return 2;
	case DIAG_IMPLICIT_FUNCTION:
	case DIAG_UNDECLARED:
		return 3;
	case DIAG_NO_MEMBER:
		return 4;
	case DIAG_TOO_FEW_ARGS:
	case DIAG_TOO_MANY_ARGS:
		return 5;
	case DIAG_INCOMPATIBLE_POINTER:
	case DIAG_INCOMPATIBLE_TYPES:
		return 6;
	case DIAG_SYNTAX:
	case DIAG_OTHER:
		return 9;
	default:
		return 7;
	}
}

json_t *breakage_json(const struct breakage *b)
{
	json_t *o = diag_to_json(&b->diag);

	json_set_str(o, "path", b->path);
	json_set_str(o, "function", b->function);
	json_set_int(o, "unit", b->unit);
	json_set_bool(o, "inherited", b->inherited);
	return o;
}
