// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/recover.h"

#include <ctype.h>

#include "base/alloc.h"

struct search {
	const struct type_env *env;
	struct api_index *old_ix;
	const struct sigparam *have;
	size_t nhave;
	const char *want, *name;
	char *want_base;
	bool named_only; /* the type alone says too little */
	struct recoveries *out;
};

static void add(struct search *s, char *expr, const char *header, char *how, double score)
{
	struct recoveries *o = s->out;
	size_t i;

	for (i = 0; i < o->n; i++) {
		if (!strcmp(o->r[i].expr, expr)) {
			free(expr);
			free(how);
			return;
		}
	}
	ALLOC_GROW(o->r, o->n + 1, o->alloc);
	o->r[o->n].expr = expr;
	o->r[o->n].header = header ? xstrdup(header) : NULL;
	o->r[o->n].how = how;
	o->r[o->n].score = score;
	o->n++;
}

/* May a value of type "found" be given where "want" is expected, without losing const? */
static bool assignable(const struct search *s, const char *want, const char *found)
{
	if (type_same(s->env, want, found))
		return true;
	return type_same_unqualified(s->env, want, found) && strstr(want, "const") &&
	       !strstr(found, "const");
}

/* ---- accessors ----------------------------------------------------------------- */

/* Words of names whose function makes, finds or walks something instead of telling it. */
static bool makes_or_walks(const char *name)
{
	static const char *const words[] = { "alloc",  "create", "new",	   "find",   "dup",
					     "register", "next", "first",  "prev",   "last",
					     "lookup", "open",	 "clone",  "take",   "grab",
					     "parent", "add",	 "remove", "insert", "del",
					     "unregister", "pop", "dequeue", "release", "put",
					     "free", "probe", "init", "attach", "detach", NULL };
	size_t i, len;

	while (*name) {
		len = strcspn(name, "_");
		for (i = 0; words[i]; i++)
			if (len == strlen(words[i]) && !strncmp(name, words[i], len))
				return true;
		name += len;
		name += *name == '_';
	}
	return false;
}

static bool has_word(const char *name, const char *word)
{
	size_t n = strlen(word);
	const char *at;

	for (at = strstr(name, word); at; at = strstr(at + 1, word))
		if ((at == name || at[-1] == '_') && (!at[n] || at[n] == '_'))
			return true;
	return false;
}

/* Arguments for all parameters, each from exactly one value at hand; false when one has none. */
static bool fit_arguments(struct search *s, const struct csig *sig, struct strbuf *args)
{
	size_t i, k;

	for (i = 0; i < sig->n; i++) {
		const char *fit = NULL;

		for (k = 0; k < s->nhave; k++) {
			if (!s->have[k].name ||
			    !assignable(s, sig->p[i].type, s->have[k].type))
				continue;
			if (fit)
				return false;
			fit = s->have[k].name;
		}
		if (!fit)
			return false;
		strbuf_addf(args, "%s%s", i ? ", " : "", fit);
	}
	return true;
}

static void try_accessor(struct search *s, const struct api_symbol *fn)
{
	struct strbuf args = STRBUF_INIT;
	bool is_new, is_get = has_word(fn->name, "get");
	struct csig sig;
	double score;

	if (starts_with(fn->name, "__") || makes_or_walks(fn->name) ||
	    !csig_parse_parts(fn->type, fn->params, &sig))
		return;
	is_new = s->old_ix && !api_lookup(s->old_ix, fn->name, API_ANY_CALLABLE);
	/* "get" often takes a reference; not when it gives something constant. */
	if (sig.n < 1 || sig.n > 2 || sig.variadic || !assignable(s, s->want, sig.ret) ||
	    (is_get && !strstr(sig.ret, "const")) || !fit_arguments(s, &sig, &args))
		goto out;
	score = 0.6 + (is_new ? 0.25 : 0.0) - (sig.n - 1) * 0.1 - (is_get && !is_new ? 0.1 : 0.0);
	add(s, xstrfmt("%s(%s)", fn->name, args.buf), fn->header,
	    xstrfmt("%s() of <%s>", fn->name, fn->header), score);
out:
	csig_release(&sig);
	strbuf_release(&args);
}

static void accessors(struct search *s)
{
	const struct api_symbol **fns;
	size_t i, n;

	n = api_returning_type(s->env->ix, s->want_base, API_FUNCTION | API_INLINE, &fns);
	for (i = 0; i < n; i++)
		try_accessor(s, fns[i]);
	free(fns);
}

/* "page_folio(p)", "to_foo(p)": macros whose name says from what to what. */
static void named_macros(struct search *s)
{
	const char *want = strrchr(s->want_base, ' ');
	size_t k, i;

	for (k = 0; want && ctype_pointers(s->want) == 1 && k < s->nhave; k++) {
		char *base = ctype_base(s->have[k].type);
		const char *from = strrchr(base, ' ');
		char *names[] = { from ? xstrfmt("%s_%s", from + 1, want + 1) : NULL,
				  from ? xstrfmt("%s_to_%s", from + 1, want + 1) : NULL };

		for (i = 0; i < ARRAY_SIZE(names); i++) {
			const struct api_symbol *m = NULL;

			if (names[i] && s->have[k].name && ctype_pointers(s->have[k].type) == 1)
				m = api_lookup(s->env->ix, names[i], API_MACRO_FN);
			if (m && m->params && !strpbrk(m->params, ",."))
				add(s, xstrfmt("%s(%s)", m->name, s->have[k].name), m->header,
				    xstrfmt("%s() of <%s>", m->name, m->header), 0.8);
			free(names[i]);
		}
		free(base);
	}
}

/* ---- container_of() macros -------------------------------------------------------- */

/* "#define to_foo(d) container_of(d, struct foo, dev)" */
static void try_container(struct search *s, const struct api_symbol *m)
{
	const char *body = m->body, *at, *end;
	char *member, *type;
	size_t k;

	if (!body || !m->params || strchr(m->params, ',') || !strstr(body, "container_of"))
		return;
	at = strstr(body, s->want_base);
	if (!at || at[strlen(s->want_base)] != ',')
		return;
	at += strlen(s->want_base) + 1;
	while (isspace((unsigned char)*at))
		at++;
	for (end = at; isalnum((unsigned char)*end) || *end == '_' || *end == '.'; end++)
		;
	member = xstrndup(at, end - at);
	type = member_type(s->env, s->want_base, member);
	for (k = 0; type && k < s->nhave; k++) {
		char *ptr = xstrfmt("%s *", type);

		if (s->have[k].name && type_same_unqualified(s->env, ptr, s->have[k].type))
			add(s, xstrfmt("%s(%s)", m->name, s->have[k].name), m->header,
			    xstrfmt("%s() of <%s>", m->name, m->header), 0.65);
		free(ptr);
	}
	free(type);
	free(member);
}

static void containers(struct search *s)
{
	const struct api_symbol *st, **ms;
	const char *tag;
	size_t i, n;

	if (!skip_prefix(s->want_base, "struct ", &tag) || ctype_pointers(s->want) != 1)
		return;
	st = api_lookup(s->env->ix, tag, API_STRUCT);
	if (!st)
		return;
	n = api_in_header(s->env->ix, st->header, API_MACRO_FN, &ms);
	for (i = 0; i < n; i++)
		try_container(s, ms[i]);
	free(ms);
}

/* ---- members -------------------------------------------------------------------- */

/* "p->m" or "&p->m" when one of them has the wanted type, else NULL. */
static char *member_expr(struct search *s, const char *p, const struct api_symbol *m)
{
	const char *path = m->path ? m->path : m->name;
	char *ptr, *expr = NULL;

	if (m->params || !m->type)
		return NULL;
	/* Numbers are told apart by their names only. */
	if (s->named_only && !(s->name && !strcmp(s->name, m->name)))
		return NULL;
	if (assignable(s, s->want, m->type))
		return xstrfmt("%s->%s", p, path);
	ptr = xstrfmt("%s *", m->type);
	if (starts_with(m->type, "struct ") && assignable(s, s->want, ptr))
		expr = xstrfmt("&%s->%s", p, path);
	free(ptr);
	return expr;
}

static void members_of(struct search *s, const struct sigparam *p, const char *type, double score)
{
	char *base = ctype_base(type), *resolved = type_resolve(s->env, base);
	const struct api_symbol **ms;
	size_t i, n, hits = 0, first = s->out->n;

	if (!starts_with(resolved, "struct ") || ctype_pointers(type) != 1)
		goto out;
	n = api_members(s->env->ix, resolved, &ms);
	for (i = 0; i < n; i++) {
		char *expr = member_expr(s, p->name, ms[i]);

		if (!expr)
			continue;
		hits++;
		add(s, expr, ms[i]->header,
		    xstrfmt("member '%s' of %s", ms[i]->path ? ms[i]->path : ms[i]->name, resolved),
		    s->name && !strcmp(s->name, ms[i]->name) ? score + 0.15 : score);
	}
	free(ms);
	/* One of several members of the type is a guess. */
	for (i = first; hits > 1 && i < s->out->n; i++)
		s->out->r[i].score -= 0.2;
out:
	free(base);
	free(resolved);
}

static void members(struct search *s)
{
	size_t k;

	for (k = 0; k < s->nhave; k++)
		if (s->have[k].name)
			members_of(s, &s->have[k], s->have[k].type, 0.7);
}

/* Two steps: p->a->b. Only when nothing nearer fits. */
static void member_paths(struct search *s)
{
	const struct api_symbol **ms;
	size_t i, k, n;

	for (k = 0; k < s->nhave; k++) {
		char *base = ctype_base(s->have[k].type);

		if (!s->have[k].name || !starts_with(base, "struct ") ||
		    ctype_pointers(s->have[k].type) != 1) {
			free(base);
			continue;
		}
		n = api_members(s->env->ix, base, &ms);
		for (i = 0; i < n; i++) {
			struct sigparam p = { 0 };

			if (!ms[i]->type || ms[i]->params || !starts_with(ms[i]->type, "struct ") ||
			    ctype_pointers(ms[i]->type) != 1)
				continue;
			p.type = (char *)ms[i]->type;
			p.name = xstrfmt("%s->%s", s->have[k].name,
					 ms[i]->path ? ms[i]->path : ms[i]->name);
			members_of(s, &p, p.type, 0.4);
			free(p.name);
		}
		free(ms);
		free(base);
	}
}

static int by_score(const void *a, const void *b)
{
	const struct recovery *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (strlen(x->expr) != strlen(y->expr))
		return strlen(x->expr) < strlen(y->expr) ? -1 : 1;
	return strcmp(x->expr, y->expr);
}

static void drop(struct recovery *r)
{
	free(r->expr);
	free(r->header);
	free(r->how);
}

void recover_expr(const struct type_env *env, struct api_index *old_ix, const struct sigparam *have,
		  size_t nhave, const char *want, const char *name, size_t max,
		  struct recoveries *out)
{
	struct search s = { .env = env, .old_ix = old_ix, .have = have, .nhave = nhave,
			    .want = want, .name = name, .out = out };
	bool object;

	memset(out, 0, sizeof(*out));
	s.want_base = ctype_base(want);
	if (!env->ix || !*s.want_base || ctype_pointers(want) > 1 || strchr(want, '('))
		goto out;
	object = starts_with(s.want_base, "struct ") || starts_with(s.want_base, "union ");
	s.named_only = !object && !starts_with(s.want_base, "enum ");
	if (object && ctype_pointers(want) != 1)
		goto out;
	/* A number or an untyped pointer could come from anywhere. */
	if (!s.named_only) {
		accessors(&s);
		named_macros(&s);
		containers(&s);
	}
	members(&s);
	if (!out->n && object)
		member_paths(&s);
	if (out->n)
		sort_items(out->r, out->n, sizeof(*out->r), by_score);
	while (out->n > max)
		drop(&out->r[--out->n]);
out:
	free(s.want_base);
}

void recoveries_release(struct recoveries *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		drop(&r->r[i]);
	free(r->r);
	memset(r, 0, sizeof(*r));
}
