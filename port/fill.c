// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/fill.h"

#include "base/alloc.h"
#include "port/stmt.h"

static void add(struct fills *l, char *expr, char *how, double score, bool is_default, bool exact)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (!strcmp(l->f[i].expr, expr)) {
			free(expr);
			free(how);
			return;
		}
	}
	ALLOC_GROW(l->f, l->n + 1, l->alloc);
	l->f[l->n++] = (struct fill){ expr, how, score, is_default, exact };
}

static bool starts_with_struct(const char *type)
{
	return starts_with(type, "struct ") || starts_with(type, "const struct ");
}

/* Has the local got a value before the token? */
static bool is_set(const struct ctoks *ts, const struct decl *d, uint32_t tok)
{
	uint32_t i;

	if (d->param || d->init.end > d->init.first || strchr(d->type, '['))
		return true;
	for (i = d->stmt.end; i < tok; i++)
		if (ctok_is(ts, i, d->ident) && !is_member_access(ts, i) &&
		    (ctok_is(ts, i + 1, "=") || (i && ctok_is(ts, i - 1, "&"))))
			return true;
	return false;
}

/* "&object" where the file has one object of that type. */
static void from_globals(const struct type_env *env, const struct scope *s,
			 const struct sigparam *p, struct fills *out)
{
	const struct decl *hit = NULL;
	size_t i, hits = 0;

	if (ctype_pointers(p->type) != 1 || !strstr(p->type, "struct "))
		return;
	for (i = 0; i < s->n; i++) {
		char *ptr;

		if (s->d[i].param || s->d[i].block != CTOK_NONE || !starts_with_struct(s->d[i].type))
			continue;
		ptr = xstrfmt("%s *", s->d[i].type);
		if (type_same(env, ptr, p->type) ||
		    (strstr(p->type, "const") && type_same_unqualified(env, ptr, p->type))) {
			hit = &s->d[i];
			hits++;
		}
		free(ptr);
	}
	if (hits == 1)
		add(out, xstrfmt("&%s", hit->ident), xstrfmt("the driver's only '%s'", hit->type),
		    0.65, false, false);
}

/* An object that stands for an error or for nothing usable. */
static bool is_bad_object(const char *name)
{
	static const char *const words[] = { "invalid", "bad", "dummy", "test", "fake", "error", NULL };
	size_t i;

	for (i = 0; words[i]; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

/* "extern struct mnt_idmap nop_mnt_idmap;": the objects that headers declare of that type. */
static void objects_in(struct api_index *ix, const char *header, const char *base,
		       struct strvec *seen)
{
	const struct api_symbol **vs;
	size_t i, n = api_in_header(ix, header, API_VARIABLE, &vs);

	for (i = 0; i < n; i++)
		if (vs[i]->type && ctype_equal(vs[i]->type, base) && vs[i]->exported &&
		    !is_bad_object(vs[i]->name) && !strvec_contains(seen, vs[i]->name))
			strvec_push(seen, vs[i]->name);
	free(vs);
}

/* "&object" where the kernel's headers that deal with the type declare one object of it. */
static void from_kernel(const struct type_env *env, const struct sigparam *p, struct fills *out)
{
	struct strvec headers = STRVEC_INIT, seen = STRVEC_INIT;
	char *base = ctype_base(p->type);
	const struct api_symbol **fns;
	size_t i, n;

	if (!env->ix || !starts_with(base, "struct ") || ctype_pointers(p->type) != 1)
		goto out;
	n = api_taking_type(env->ix, base, API_FUNCTION | API_INLINE, &fns);
	for (i = 0; i < n && headers.n < 32; i++) {
		if (!fns[i]->header || strvec_contains(&headers, fns[i]->header))
			continue;
		strvec_push(&headers, fns[i]->header);
		objects_in(env->ix, fns[i]->header, base, &seen);
	}
	free(fns);
	if (seen.n == 1)
		add(out, xstrfmt("&%s", seen.v[0]), xstrfmt("the kernel's only '%s'", base), 0.5,
		    false, false);
out:
	strvec_release(&headers);
	strvec_release(&seen);
	free(base);
}

static bool is_pointer_type(const char *type)
{
	return ctype_pointers(type) > 0 || strchr(type, '(');
}

static bool gives(const struct type_env *env, const char *want, const char *have)
{
	return type_same(env, want, have) ||
	       (strstr(want, "const") && !strstr(have, "const") &&
		type_same_unqualified(env, want, have));
}

/* Parameters and locals; a number only when it has the parameter's name. */
static void from_scope(const struct type_env *env, const struct scope *s, uint32_t tok,
		       const struct sigparam *p, struct fills *out)
{
	const struct ctoks *ts = srcfile_toks(s->f);
	char *resolved = type_resolve(env, p->type);
	bool pointer = is_pointer_type(resolved) || starts_with(resolved, "struct ");
	size_t i, hits = 0;

	for (i = 0; i < s->n; i++)
		hits += (s->d[i].param || s->d[i].block != CTOK_NONE) &&
			gives(env, p->type, s->d[i].type);
	for (i = s->n; i-- > 0;) {
		const struct decl *d = &s->d[i];
		bool named = p->name && !strcmp(p->name, d->ident);

		if ((!d->param && d->block == CTOK_NONE) || scope_find(s, d->ident) != d ||
		    !gives(env, p->type, d->type) || !is_set(ts, d, tok))
			continue;
		if (!named && (!pointer || ctype_equal_unqualified(p->type, "void *") ||
			       ctype_equal_unqualified(p->type, "char *")))
			continue;
		add(out, xstrdup(d->ident), xstrfmt("the caller's '%s'", d->ident),
		    named ? 0.95 : hits == 1 ? 0.8 : 0.6, false, named || (hits == 1 && d->param));
	}
	free(resolved);
}

/*
 * A number that the header gives no name: the caller's only parameter of the
 * very same typedef ("u32", "umode_t", not "int").
 */
static void from_typedef(const struct scope *s, const struct sigparam *p, struct fills *out)
{
	static const char *const plain[] = { "int", "unsigned", "long", "bool", "char", "short", NULL };
	const struct decl *hit = NULL;
	size_t i, hits = 0;

	for (i = 0; plain[i]; i++)
		if (strstr(p->type, plain[i]))
			return;
	if (p->name || strpbrk(p->type, " *("))
		return;
	for (i = 0; i < s->n; i++) {
		if (!s->d[i].param || strcmp(s->d[i].type, p->type))
			continue;
		hit = &s->d[i];
		hits++;
	}
	if (hits == 1)
		add(out, xstrdup(hit->ident), xstrfmt("the caller's only '%s'", p->type), 0.5, false,
		    false);
}

/* What objects at hand hold or lead to. */
static void from_objects(const struct type_env *env, const struct scope *s, uint32_t tok,
			 const struct sigparam *p, struct fills *out)
{
	const struct ctoks *ts = srcfile_toks(s->f);
	struct sigparam *have = xcalloc(s->n + 1, sizeof(*have));
	struct recoveries r = { 0 };
	size_t i, n = 0;

	for (i = 0; i < s->n; i++) {
		const struct decl *d = &s->d[i];

		if ((!d->param && d->block == CTOK_NONE) || scope_find(s, d->ident) != d ||
		    !is_set(ts, d, tok) || ctype_pointers(d->type) != 1)
			continue;
		have[n].type = d->type;
		have[n++].name = d->ident;
	}
	recover_expr(env, NULL, have, n, p->type, p->name, 3, &r);
	for (i = 0; i < r.n; i++)
		add(out, xstrdup(r.r[i].expr), xstrdup(r.r[i].how), r.r[i].score * 0.7, false,
		    false);
	recoveries_release(&r);
	free(have);
}

bool is_out_pointer(const struct type_env *env, const char *type)
{
	char *base;
	bool out;

	if (ctype_pointers(type) != 1 || strchr(type, '(') || strstr(type, "const"))
		return false;
	base = ctype_base(type);
	out = !starts_with(base, "struct ") && !starts_with(base, "union ") && strcmp(base, "void");
	if (out) {
		char *r = type_resolve(env, base);

		out = !starts_with(r, "struct ") && !starts_with(r, "union ");
		free(r);
	}
	free(base);
	return out;
}

static void constants(const struct type_env *env, const struct sigparam *p, struct fills *out)
{
	char *r = type_resolve(env, p->type);
	const char *v;
	double score = 0.4;

	if (ctype_equal_unqualified(p->type, "struct module *")) {
		v = "THIS_MODULE";
		score = 0.9;
	} else if (ctype_equal(p->type, "gfp_t")) {
		v = "GFP_KERNEL";
		score = 0.6;
	} else if (is_out_pointer(env, r)) {
		v = NULL; /* written to: there is no "nothing" */
	} else if (is_pointer_type(r)) {
		v = "NULL";
	} else if (ctype_equal(r, "bool")) {
		v = "false";
	} else if (starts_with(r, "struct ") || starts_with(r, "union ")) {
		v = NULL;
	} else {
		v = "0";
	}
	if (v)
		add(out, xstrdup(v), xstrfmt("the constant %s", v), score, true,
		    !strcmp(v, "THIS_MODULE"));
	free(r);
}

static int by_score(const void *a, const void *b)
{
	const struct fill *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return strcmp(x->expr, y->expr);
}

void fill_parameter(const struct type_env *env, const struct scope *s, const struct cfunc *fn,
		    uint32_t tok, const struct sigparam *p, size_t max, struct fills *out)
{
	memset(out, 0, sizeof(*out));
	if (fn) {
		from_scope(env, s, tok, p, out);
		from_typedef(s, p, out);
		from_objects(env, s, tok, p, out);
	}
	from_globals(env, s, p, out);
	from_kernel(env, p, out);
	constants(env, p, out);
	if (out->n)
		sort_items(out->f, out->n, sizeof(*out->f), by_score);
	while (out->n > max) {
		out->n--;
		free(out->f[out->n].expr);
		free(out->f[out->n].how);
	}
}

void fills_release(struct fills *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		free(l->f[i].expr);
		free(l->f[i].how);
	}
	free(l->f);
	memset(l, 0, sizeof(*l));
}
