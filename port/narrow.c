// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/narrow.h"

#include <ctype.h>

#include "base/alloc.h"
#include "port/stmt.h"

/* Macros that stand for a member may lead to another one. */
#define MAX_STEPS 6

struct narrow {
	const struct type_env *env;
	struct srcfile *f;
	const struct ctoks *ts;
	const char *to, *new_name;
	struct edit_group *g;
};

/* Type of "a.b" where a is a nested structure without a tag; the index lists what is inside with its path. */
static char *nested_type(const struct type_env *env, const char *base, const char *path)
{
	const struct api_symbol **ms;
	size_t i, n = env->ix ? api_members(env->ix, base, &ms) : 0;
	char *type = NULL;

	for (i = 0; i < n && !type; i++)
		if (ms[i]->path && !strcmp(ms[i]->path, path) && ms[i]->type && !ms[i]->params)
			type = xstrdup(ms[i]->type);
	if (env->ix)
		free(ms);
	return type;
}

/* Type of the member path "a.b.c" of a structure; newly allocated or NULL. */
static char *path_type(const struct type_env *env, const char *base, const char *path)
{
	struct strvec parts = STRVEC_INIT;
	char *type = nested_type(env, base, path);
	size_t i;

	if (type)
		return type;
	strvec_split(&parts, path, ".");
	type = xstrdup(base);
	for (i = 0; i < parts.n && type; i++) {
		char *tag = ctype_base(type), *next = NULL;

		if (i < MAX_STEPS && (!i || !ctype_pointers(type)))
			next = member_type(env, tag, parts.v[i]);
		free(tag);
		free(type);
		type = next;
	}
	strvec_release(&parts);
	return type;
}

/* Adds the member, or what a macro of that name stands for ("#define ifr_settings ifr_ifru.ifru_settings"). */
static void add_step(const struct type_env *env, struct strbuf *path, const char *member)
{
	const struct api_symbol *m = env->ix ? api_lookup(env->ix, member, API_MACRO) : NULL;
	const char *p = m ? m->body : NULL;

	while (p && (isalnum((unsigned char)*p) || *p == '_' || *p == '.'))
		p++;
	strbuf_addf(path, "%s%s", path->len ? "." : "", p && !*p && p > m->body ? m->body : member);
}

static void replace(struct narrow *n, uint32_t from, uint32_t end, const char *text)
{
	edit_add(n->g, n->f->path, n->ts->t[from].off,
		 n->ts->t[end - 1].off + n->ts->t[end - 1].len, text);
}

enum fit { FIT_NONE, FIT_POINTER, FIT_OBJECT };

/* Is a value of this type the new parameter, or what it points to? */
static enum fit fits(const struct narrow *n, const char *type)
{
	char *ptr = xstrfmt("%s *", type);
	enum fit fit = ctype_equal_unqualified(type, n->to) ? FIT_POINTER :
		       ctype_equal_unqualified(ptr, n->to)  ? FIT_OBJECT :
							      FIT_NONE;

	free(ptr);
	return fit;
}

/*
 * The member path behind token i ("->m", "->m.n") that leads to the wanted type;
 * *end is one past it.
 */
static enum fit find_part(struct narrow *n, uint32_t i, const char *base, uint32_t *end)
{
	struct strbuf path = STRBUF_INIT;
	enum fit fit = FIT_NONE;
	int step;

	for (step = 0; step < MAX_STEPS && fit == FIT_NONE; step++, i += 2) {
		char *member, *type;

		if (!ctok_is(n->ts, i + 1, step ? "." : "->") || !ctok_is_ident(n->ts, i + 2))
			break;
		member = ctok_dup(n->ts, i + 2);
		add_step(n->env, &path, member);
		free(member);
		type = path_type(n->env, base, path.buf);
		if (type)
			fit = fits(n, type);
		*end = i + 3;
		free(type);
	}
	strbuf_release(&path);
	return fit;
}

static bool narrow_one(struct narrow *n, uint32_t i, const char *base)
{
	uint32_t end = i;
	enum fit fit = find_part(n, i, base, &end);
	char *arrow = xstrfmt("%s->", n->new_name);
	bool ok = true;

	if (fit == FIT_POINTER)
		replace(n, i, end, n->new_name);
	else if (fit == FIT_NONE)
		ok = false;
	else if (ctok_is(n->ts, end, "."))
		replace(n, i, end + 1, arrow);
	else if (i && ctok_is(n->ts, i - 1, "&") && !ctok_is(n->ts, end, "["))
		replace(n, i - 1, end, n->new_name);
	else
		ok = false;
	free(arrow);
	return ok;
}

bool narrow_uses(const struct type_env *old, struct srcfile *f, const struct cfunc *fn,
		 const char *name, const char *from, const char *to, const char *new_name,
		 struct edit_group *g)
{
	struct narrow n = { .env = old, .f = f, .ts = srcfile_toks(f), .to = to,
			    .new_name = new_name };
	char *base = ctype_base(from);
	bool ok = ctype_pointers(from) == 1 && ctype_pointers(to) == 1;
	size_t k;
	uint32_t i;

	n.g = edit_group_new(EDIT_TYPED, "", RISK_SAFE, 1);
	for (i = fn->body.first; i < fn->body.end && ok; i++)
		if (ctok_is(n.ts, i, name) && !is_member_access(n.ts, i))
			ok = narrow_one(&n, i, base);
	for (k = 0; k < n.g->n && ok; k++)
		edit_add(g, n.g->e[k].path, n.g->e[k].start, n.g->e[k].end, n.g->e[k].text);
	ok = ok && n.g->n;
	edit_group_free(n.g);
	free(base);
	return ok;
}
