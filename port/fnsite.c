// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/fnsite.h"

#include "base/alloc.h"
#include "port/stmt.h"

/* Tokens around the site that are looked at. */
#define MAX_SPAN 4000

struct site {
	const struct propose_ctx *c;
	struct type_env env;
	struct srcfile *f;
	const struct cfile *cf;
	const struct ctoks *ts;
	const struct csig *expected, *found;
	uint32_t tok;		/* the site's first token */
	struct cspan span;	/* the compiler's range */
	struct cspan value;	/* the initialiser's value, the assigned or passed expression */
	const struct cobject *object;
	size_t element;		/* index in the object's members */
	struct fnsite *out;
};

/* ---- the functions ------------------------------------------------------------------ */

/* 2: its type is the found one; 1: as many parameters; 0: no function of the driver or another type. */
static int rate(struct site *s, const char *name)
{
	struct srcfile *f;
	const struct cfunc *fn = sig_find_definition(s->c, name, s->found, 0, NULL, &f);
	struct csig sig;
	int r = 0;

	if (fn)
		return 2;
	fn = propose_find_function(s->c, name, &f);
	if (fn && func_sig(f, fn, &sig)) {
		r = sig.n == s->found->n;
		csig_release(&sig);
	}
	return r;
}

static void add_ref(struct site *s, uint32_t tok)
{
	struct fnsite *o = s->out;

	o->refs = xrealloc(o->refs, (o->nrefs + 1) * sizeof(*o->refs));
	o->refs[o->nrefs++] = (struct sigref){ s->f, tok };
}

/* Functions named in [from, end); exact matches only if there is one. */
static bool refs_in(struct site *s, struct cspan span)
{
	int best = 0, pass;
	uint32_t i;

	if (span.end > span.first + MAX_SPAN)
		return false;
	for (pass = 0; pass < 2; pass++) {
		for (i = span.first; i < span.end && i < s->ts->n; i++) {
			char *name;
			int r;

			if (!ctok_is_ident(s->ts, i) || is_member_access(s->ts, i))
				continue;
			name = ctok_dup(s->ts, i);
			r = rate(s, name);
			free(name);
			if (!pass)
				best = r > best ? r : best;
			else if (r && r == best)
				add_ref(s, i);
		}
		if (!best)
			return false;
	}
	return true;
}

/*
 * DEVICE_ATTR_RO(speed) and friends make the name of the function: those of the
 * found type whose name starts with an argument.
 */
static bool refs_by_paste(struct site *s)
{
	size_t i, k;

	for (i = 0; i < s->cf->ncalls; i++) {
		const struct cmacro_call *m = &s->cf->calls[i];
		uint32_t t;

		if (s->tok < m->name || s->tok >= m->args.end)
			continue;
		for (t = m->args.first; t < m->args.end; t++) {
			char *arg = ctok_is_ident(s->ts, t) ? ctok_dup(s->ts, t) : NULL;
			char *prefix = arg ? xstrfmt("%s_", arg) : NULL;

			for (k = 0; prefix && k < s->cf->nfuncs; k++) {
				char *name = ctok_dup(s->ts, s->cf->funcs[k].name);

				if (starts_with(name, prefix) && rate(s, name) == 2)
					add_ref(s, s->cf->funcs[k].name);
				free(name);
			}
			free(prefix);
			free(arg);
		}
	}
	return s->out->nrefs > 0;
}

/* The initialiser stands in a macro that the driver defined: functions that its body names. */
static void refs_in_body(struct site *s, const char *body, size_t len)
{
	struct ctoks ts;
	uint32_t i;

	if (ctoks_scan(&ts, body, len))
		return;
	for (i = 0; i < ts.n; i++) {
		const struct cfunc *fn;
		char *name;

		if (!ctok_is_ident(&ts, i) || is_member_access(&ts, i))
			continue;
		name = ctok_dup(&ts, i);
		fn = rate(s, name) == 2 ? cfile_func(s->cf, name) : NULL;
		if (fn)
			add_ref(s, fn->name);
		free(name);
	}
	ctoks_release(&ts);
}

static bool refs_by_macro(struct site *s)
{
	const char *macro = s->c->b->diag.macro;
	size_t i;
	uint32_t k, off, len;

	for (i = 0; macro && i < s->c->tree->n; i++) {
		struct srcfile *f = s->c->tree->files[i];
		const struct ctoks *ts;

		if (!srcfile_is_c(f))
			continue;
		ts = srcfile_toks(f);
		for (k = 0; k < ts->n; k++) {
			if (!ctok_pp_is(ts, k, "define") || !ctok_pp_word(ts, k, &off, &len) ||
			    len != strlen(macro) || strncmp(f->text + off, macro, len))
				continue;
			off += len;
			refs_in_body(s, f->text + off, ts->t[k].off + ts->t[k].len - off);
		}
	}
	return s->out->nrefs > 0;
}

/* ---- the place: initialiser, assignment, argument ------------------------------------------ */

static bool find_element(struct site *s)
{
	size_t i, k;
	bool hit = false;

	for (i = 0; i < s->cf->nobjects; i++) {
		const struct cobject *o = &s->cf->objects[i];

		if (s->tok < o->init.first || s->tok >= o->init.end)
			continue;
		for (k = 0; k < o->nmembers; k++) {
			struct cspan v = o->members[k].value, d = o->members[k].designator;
			uint32_t from = d.end > d.first ? d.first : v.first;

			if (s->tok < from || s->tok >= v.end)
				continue;
			/* Inner elements come behind the outer ones that hold them. */
			s->object = o;
			s->element = k;
			s->value = v;
			hit = true;
		}
	}
	return hit;
}

/* Position of an element among those of the same parent. */
static size_t position(const struct cobject *o, size_t element)
{
	size_t i, n = 0;

	for (i = 0; i < element; i++)
		n += o->members[i].parent == o->members[element].parent;
	return n;
}

static char *object_type(const struct site *s)
{
	char *tag, *type;

	if (s->object->tag == CTOK_NONE)
		return NULL;
	tag = ctok_dup(s->ts, s->object->tag);
	type = s->object->tag_is_struct ? xstrfmt("struct %s", tag) : type_resolve(&s->env, tag);
	free(tag);
	return type;
}

/* Walk from the object's type to the structure that holds element i; fills member and parent. */
static void walk_element(struct site *s, size_t i)
{
	const struct cmember *m = &s->object->members[i];
	char *outer;
	uint32_t t;

	if (m->parent != CTOK_NONE) {
		walk_element(s, m->parent);
		outer = s->out->parent && s->out->member ?
				member_type(&s->env, s->out->parent, s->out->member) : NULL;
		/* An element of an array of structures has no member on the way. */
		if (outer || s->out->member) {
			free(s->out->parent);
			s->out->parent = outer ? ctype_base(outer) : NULL;
		}
		free(outer);
		free(s->out->member);
		s->out->member = NULL;
	} else {
		s->out->parent = object_type(s);
	}
	for (t = m->designator.first; t < m->designator.end; t++) {
		if (!ctok_is_ident(s->ts, t) || !ctok_is(s->ts, t - 1, "."))
			continue;
		if (s->out->member) {
			outer = s->out->parent ? member_type(&s->env, s->out->parent,
							     s->out->member) : NULL;
			free(s->out->parent);
			s->out->parent = outer ? ctype_base(outer) : NULL;
			free(outer);
		}
		free(s->out->member);
		s->out->member = ctok_dup(s->ts, t);
	}
	if (m->designator.first == m->designator.end && s->out->parent && s->c->new_ix &&
	    starts_with(s->out->parent, "struct ") &&
	    !(s->object->is_array && m->parent == CTOK_NONE)) {
		const struct api_symbol **ms;
		size_t n = api_members(s->c->new_ix, s->out->parent, &ms), p = position(s->object, i);

		s->out->member = p < n ? xstrdup(ms[p]->name) : NULL;
		free(ms);
	}
}

/* "x->ops.fn = foo": the member and the type of what holds it. */
static void walk_assignment(struct site *s)
{
	uint32_t start = stmt_start(s->ts, s->tok), eq = start, end;
	struct scope sc;
	char *type;

	end = stmt_end(s->ts, s->tok);
	while (eq < end && !ctok_is(s->ts, eq, "="))
		eq++;
	if (eq == end)
		return;
	s->value = (struct cspan){ eq + 1, end };
	if (eq < start + 3 || !is_member_access(s->ts, eq - 1)) {
		/* ".fn = foo" of an initialiser inside a function. */
		if (eq == start + 2 && ctok_is(s->ts, start, "."))
			s->out->member = ctok_dup(s->ts, eq - 1);
		return;
	}
	s->out->member = ctok_dup(s->ts, eq - 1);
	scope_collect(s->f, cfile_func_at(s->cf, s->tok), s->tok, &sc);
	type = expr_type(&s->env, &sc, start, eq - 2);
	s->out->parent = type ? ctype_base(type) : NULL;
	free(type);
	scope_release(&sc);
}

/* The compiler's "dev_attr_x.show", where a macro hides the initialiser. */
static void member_of_target(struct site *s)
{
	const char *t = s->c->b->diag.target, *dot = t ? strrchr(t, '.') : NULL;

	if (dot && dot[1] && dot[1] != '<' && !strchr(dot, '['))
		s->out->member = xstrdup(dot + 1);
}

/* The tag is unknown: a structure of the target with a member of this name and exactly this type. */
static void guess_parent(struct site *s)
{
	const struct api_symbol **ms;
	size_t i, n;

	if (!s->out->member || !s->c->new_ix)
		return;
	n = api_lookup_all(s->c->new_ix, s->out->member, API_MEMBER, &ms);
	for (i = 0; i < n && !s->out->parent; i++) {
		struct csig sig;

		if (!ms[i]->params || !csig_parse_parts(ms[i]->type, ms[i]->params, &sig))
			continue;
		if (csig_same(&s->env, &sig, s->expected))
			s->out->parent = xstrdup(ms[i]->parent);
		csig_release(&sig);
	}
	free(ms);
}

static void name_place(struct site *s)
{
	struct fnsite *o = s->out;
	const char *tag = o->parent;

	if (s->c->b->diag.context == DIAG_CTX_ARGUMENT && s->c->b->diag.symbol) {
		const char *callee = s->c->b->diag.symbol;

		o->where = xstrfmt("the callback of %s()", callee);
		if (s->c->new_ix)
			o->now = api_lookup(s->c->new_ix, callee, API_ANY_CALLABLE);
		if (s->c->old_ix)
			o->before = api_lookup(s->c->old_ix, callee, API_ANY_CALLABLE);
		return;
	}
	if (o->member && tag) {
		if (s->c->new_ix)
			o->now = api_member(s->c->new_ix, tag, o->member);
		if (s->c->old_ix)
			o->before = api_member(s->c->old_ix, tag, o->member);
		o->displaced = !o->now && o->before;
		if (!skip_prefix(tag, "struct ", &tag))
			skip_prefix(tag, "union ", &tag);
		o->where = xstrfmt("%s.%s", tag, o->member);
	} else if (o->member) {
		o->where = xstrfmt("the '%s' callback", o->member);
	} else {
		o->where = xstrdup("a callback");
	}
}

void fnsite_find(const struct propose_ctx *c, const struct csig *expected, const struct csig *found,
		 struct fnsite *out)
{
	struct site s = { .c = c, .expected = expected, .found = found, .out = out };
	size_t end;

	memset(out, 0, sizeof(*out));
	s.env = (struct type_env){ .ix = c->new_ix, .tree = c->tree };
	s.f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	if (!s.f || !srcfile_is_c(s.f))
		return;
	s.cf = srcfile_parse(s.f);
	s.ts = s.cf->ts;
	s.tok = (uint32_t)ctok_at(s.ts, c->b->start);
	if (s.tok >= s.ts->n)
		return;
	end = c->b->end > c->b->start ? ctok_at(s.ts, c->b->end - 1) + 1 : s.tok + 1;
	s.span = (struct cspan){ s.tok, end <= s.ts->n ? (uint32_t)end : (uint32_t)s.ts->n };
	if (find_element(&s))
		walk_element(&s, s.element);
	else if (c->b->diag.context != DIAG_CTX_ARGUMENT)
		walk_assignment(&s);
	if (!out->member)
		member_of_target(&s);
	if (!out->parent)
		guess_parent(&s);
	name_place(&s);
	if (!refs_in(&s, s.span) && !(s.value.end > s.value.first && refs_in(&s, s.value)) &&
	    !refs_by_paste(&s) && !refs_by_macro(&s))
		refs_in(&s, (struct cspan){ stmt_start(s.ts, s.tok), stmt_end(s.ts, s.tok) });
}

void fnsite_release(struct fnsite *s)
{
	free(s->refs);
	free(s->member);
	free(s->parent);
	free(s->where);
	memset(s, 0, sizeof(*s));
}

/* The member's declaration, behind the typedef that it may be written with. */
static bool member_sig(const struct type_env *env, const struct api_symbol *m, struct csig *out)
{
	char *type;
	bool ok;

	if (m->params)
		return csig_parse_parts(m->type, m->params, out);
	type = m->type ? type_resolve(env, m->type) : NULL;
	ok = type && csig_parse(type, out);
	free(type);
	return ok;
}

void fnsite_spell(const struct type_env *env, const struct fnsite *s, struct csig *expected)
{
	struct csig sig;

	if (!s->now || !s->member || !member_sig(env, s->now, &sig))
		return;
	if (csig_same(env, &sig, expected)) {
		csig_release(expected);
		*expected = sig;
	} else {
		csig_release(&sig);
	}
}
