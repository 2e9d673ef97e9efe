// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/propose.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/error.h"

#define MAX_CANDIDATES 12

/* Order matters only between candidates that are equal in risk, score and source. */
static const struct proposer *const proposers[] = {
	&propose_rules,	   &propose_mined,   &propose_group,  &propose_include, &propose_rename,
	&propose_callback, &propose_args,    &propose_member, &propose_const,   &propose_section, &propose_misc,
	&propose_entry,	   &propose_ifdef,   &propose_gone,    &propose_merged, &propose_model,
};

static int candidate_cmp(const struct edit_group *a, const struct edit_group *b)
{
	if (a->risk != b->risk)
		return a->risk < b->risk ? -1 : 1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return 0;
}

/* Insertion sort: stable, and the lists are short. */
static void sort_candidates(struct edit_group_list *l)
{
	for (size_t i = 1; i < l->n; i++) {
		struct edit_group *g = l->g[i];
		size_t j = i;

		while (j > 0 && candidate_cmp(g, l->g[j - 1]) < 0) {
			l->g[j] = l->g[j - 1];
			j--;
		}
		l->g[j] = g;
	}
}

static bool overlap(const struct edit *a, const struct edit *b)
{
	return a->start <= b->end && b->start <= a->end && !strcmp(a->path, b->path);
}

/* Is all that "part" changes in places that "whole" changes as well, and whole changes more? */
static bool is_part(const struct edit_group *part, const struct edit_group *whole)
{
	for (size_t i = 0; i < part->n; i++) {
		bool in = false;

		for (size_t j = 0; j < whole->n && !in; j++)
			in = overlap(&part->e[i], &whole->e[j]);
		if (!in)
			return false;
	}
	return whole->n > part->n;
}

/*
 * What other drivers changed together is tried before a part of it that is no less risky:
 * a lock is kept and its unlock lost otherwise (ENGINE.md).
 */
static void wholes_first(struct edit_group_list *l)
{
	for (size_t i = 1; i < l->n; i++) {
		struct edit_group *g = l->g[i];
		size_t to = i;

		if (strcmp(g->technique, "group"))
			continue;
		for (size_t j = i; j-- > 0;) {
			if (l->g[j]->source == EDIT_MINED && l->g[j]->risk == g->risk && is_part(l->g[j], g))
				to = j;
		}
		for (size_t j = i; j > to; j--)
			l->g[j] = l->g[j - 1];
		l->g[to] = g;
	}
}

/* Keep the first of equal candidates and at most max. */
static void thin_candidates(struct edit_group_list *l, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		bool drop = n >= max || !l->g[i]->n;

		for (size_t j = 0; j < n && !drop; j++)
			drop = edit_groups_equal(l->g[i], l->g[j]);
		if (drop)
			edit_group_free(l->g[i]);
		else
			l->g[n++] = l->g[i];
	}
	l->n = n;
}

int propose_all(const struct propose_ctx *c, size_t max, struct edit_group_list *out,
		struct strbuf *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(proposers); i++) {
		int ret;

		if (!(proposers[i]->kinds & KIND_BIT(c->b->diag.kind)) ||
		    (c->only_model && proposers[i] != &propose_model) ||
		    (c->without && strvec_contains(c->without, proposers[i]->name)))
			continue;
		ret = proposers[i]->propose(c, out, err);
		if (ret < 0)
			return ret;
	}
	sort_candidates(out);
	wholes_first(out);
	thin_candidates(out, max ? max : MAX_CANDIDATES);
	return 0;
}

static bool is_upper_name(const struct ctoks *ts, size_t i)
{
	const struct ctok *t = &ts->t[i];

	if (!ctok_is_ident(ts, i) || t->len < 3)
		return false;
	for (uint32_t k = 0; k < t->len; k++)
		if (islower((unsigned char)ts->text[t->off + k]))
			return false;
	return true;
}

bool propose_adds_flag(const char *text, const char *const *old)
{
	struct ctoks ts = { 0 };
	bool adds = false;

	if (!ctoks_scan(&ts, text, strlen(text))) {
		for (size_t i = 0; i < ts.n && !adds; i++) {
			char *name;

			if (!is_upper_name(&ts, i) ||
			    !((i && ctok_is(&ts, i - 1, "|")) || ctok_is(&ts, i + 1, "|")))
				continue;
			name = ctok_dup(&ts, i);
			adds = true;
			for (size_t k = 0; old[k] && adds; k++)
				adds = !strstr(old[k], name);
			free(name);
		}
	}
	ctoks_release(&ts);
	return adds;
}

bool propose_is_name(const char *name, struct strbuf *names)
{
	for (size_t i = 0; i < ARRAY_SIZE(proposers); i++) {
		if (!strcmp(proposers[i]->name, name))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(proposers); i++)
		strbuf_addf(names, "%s%s", i ? " " : "", proposers[i]->name);
	return false;
}

const char *propose_target(const struct propose_ctx *c)
{
	return c->to->name;
}

const struct cfunc *propose_site_function(const struct propose_ctx *c, struct srcfile **file)
{
	struct srcfile *f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;

	if (file)
		*file = f;
	return f ? srcfile_func_at(f, c->b->start) : NULL;
}

const struct cfunc *propose_find_function(const struct propose_ctx *c, const char *name,
					  struct srcfile **file)
{
	/* The site's own file first: static functions of the same name may exist elsewhere. */
	struct srcfile *own = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	const struct cfunc *fn = own ? cfile_func(srcfile_parse(own), name) : NULL;

	if (fn && file)
		*file = own;
	for (size_t i = 0; !fn && i < c->tree->n; i++) {
		struct srcfile *f = c->tree->files[i];

		if (f == own || !srcfile_is_c(f))
			continue;
		fn = cfile_func(srcfile_parse(f), name);
		if (fn && file)
			*file = f;
	}
	return fn;
}
