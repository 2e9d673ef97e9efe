// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/edit.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/jsonutil.h"

struct edit_group *edit_group_new(enum edit_source source, const char *technique, enum risk risk,
				  double score)
{
	struct edit_group *g = xcalloc(1, sizeof(*g));

	g->source = source;
	g->technique = xstrdup(technique);
	g->risk = risk;
	g->score = score;
	return g;
}

void edit_group_free(struct edit_group *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++) {
		free(g->e[i].path);
		free(g->e[i].text);
	}
	free(g->e);
	free(g->title);
	free(g->why);
	free(g->technique);
	free(g->symbol);
	free(g->since);
	free(g->commit);
	free(g->assisted);
	free(g->answer);
	free(g);
}

void edit_group_title(struct edit_group *g, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	free(g->title);
	g->title = strbuf_detach(&sb, NULL);
}

void edit_group_why(struct edit_group *g, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	if (g->why)
		strbuf_addf(&sb, "%s ", g->why);
	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	free(g->why);
	g->why = strbuf_detach(&sb, NULL);
}

void edit_add(struct edit_group *g, const char *path, size_t start, size_t end, const char *text)
{
	struct edit *e;

	ALLOC_GROW(g->e, g->n + 1, g->alloc);
	e = &g->e[g->n++];
	e->path = xstrdup(path);
	e->start = start;
	e->end = end;
	e->text = xstrdup(text);
}

void edit_group_truncate(struct edit_group *g, size_t n)
{
	while (g->n > n) {
		g->n--;
		free(g->e[g->n].path);
		free(g->e[g->n].text);
	}
}

bool edit_groups_conflict(const struct edit_group *a, const struct edit_group *b)
{
	for (size_t i = 0; i < a->n; i++) {
		for (size_t j = 0; j < b->n; j++) {
			const struct edit *x = &a->e[i], *y = &b->e[j];

			if (!strcmp(x->path, y->path) && x->start < y->end && y->start < x->end)
				return true;
		}
	}
	return false;
}

bool edit_groups_equal(const struct edit_group *a, const struct edit_group *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct edit *x = &a->e[i], *y = &b->e[i];

		if (x->start != y->start || x->end != y->end || strcmp(x->path, y->path) ||
		    strcmp(x->text, y->text))
			return false;
	}
	return true;
}

const char *risk_name(enum risk r)
{
	static const char *const names[] = { "safe", "review", "shown" };

	return names[r];
}

const char *edit_source_name(enum edit_source s)
{
	static const char *const names[] = { "rule", "mined", "typed", "model" };

	return names[s];
}

void edit_group_list_add(struct edit_group_list *l, struct edit_group *g)
{
	ALLOC_GROW(l->g, l->n + 1, l->alloc);
	l->g[l->n++] = g;
}

void edit_group_list_release(struct edit_group_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		edit_group_free(l->g[i]);
	free(l->g);
	memset(l, 0, sizeof(*l));
}
