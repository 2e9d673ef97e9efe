// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/argmap.h"

#include <ctype.h>

#include "base/alloc.h"
#include "port/fill.h"
#include "port/sigchange.h"
#include "port/stmt.h"

/* Values tried for each new parameter. */
#define MAX_FILLS 4
#define MIN_SCORE 0.15

static bool macro_sig(const struct api_symbol *s, struct csig *out)
{
	struct strvec names = STRVEC_INIT;
	size_t i;

	memset(out, 0, sizeof(*out));
	strvec_split(&names, s->params ? s->params : "", ", ");
	out->ret = xstrdup("");
	out->p = xcalloc(names.n + 1, sizeof(*out->p));
	for (i = 0; i < names.n; i++) {
		if (ends_with(names.v[i], "...")) {
			out->variadic = true;
			continue;
		}
		out->p[out->n].type = xstrdup(names.v[i]);
		out->p[out->n++].name = xstrdup(names.v[i]);
	}
	strvec_release(&names);
	return true;
}

bool api_sig(const struct api_symbol *s, struct csig *out)
{
	memset(out, 0, sizeof(*out));
	if (!s)
		return false;
	if (s->kind == API_MACRO_FN)
		return macro_sig(s, out);
	return csig_parse_parts(s->type, s->params, out);
}

/* Names and types of what a call passes, where its declaration is not known. */
static void sig_of_call(const struct argmap *m, const struct call *c, struct csig *out)
{
	const struct ctoks *ts = srcfile_toks(c->f);
	struct scope s;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->ret = xstrdup("");
	out->n = c->nargs;
	out->p = xcalloc(c->nargs + 1, sizeof(*out->p));
	scope_collect(c->f, c->fn, c->name, &s);
	for (i = 0; i < c->nargs; i++) {
		char *type = expr_type(&m->env, &s, c->args[i].first, c->args[i].end);

		out->p[i].type = type ? type : xstrdup("");
		if (ctok_is_ident(ts, c->args[i].end - 1))
			out->p[i].name = ctok_dup(ts, c->args[i].end - 1);
	}
	scope_release(&s);
}

/* Keep the calls that have the old number of arguments. */
static void keep_old_calls(struct argmap *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->calls.n; i++) {
		if (m->calls.c[i].nargs == m->from.n ||
		    (m->calls.c[i].nargs > m->from.n && m->from.variadic && m->to.variadic))
			m->calls.c[n++] = m->calls.c[i];
		else
			free(m->calls.c[i].args);
	}
	m->calls.n = n;
}

/* Tokens of one argument of a call in a macro's body; returns the byte behind it. */
static const char *body_argument(const char *p, char **out)
{
	const char *from = p;
	int depth = 0;

	for (; *p && (depth || (*p != ',' && *p != ')')); p++) {
		depth += *p == '(';
		depth -= *p == ')';
	}
	while (from < p && strchr(" \t(", *from))
		from++;
	*out = xstrndup(from, p - from);
	while (**out && strchr(" \t)", (*out)[strlen(*out) - 1]))
		(*out)[strlen(*out) - 1] = '\0';
	return p;
}

/* The declaration of the function that the name in front of "(" in a macro's body means. */
static bool body_callee(struct api_index *ix, const char *body, const char *open, struct csig *out)
{
	const char *from = open;
	const struct api_symbol *s;
	char *name;

	while (from > body && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
		from--;
	name = xstrndup(from, open - from);
	s = *name ? api_lookup(ix, name, API_FUNCTION | API_INLINE) : NULL;
	free(name);
	return s && csig_parse_parts(s->type, s->params, out);
}

/*
 * Types of a macro's parameters: those of the function that its body hands them
 * to ("#define f(a, b) __f(a, b, &key)").
 */
static void type_macro(struct argmap *m, const struct api_symbol *s, struct csig *sig,
		       struct api_index *ix)
{
	const char *p;
	size_t i, k;

	if (!s || s->kind != API_MACRO_FN || !s->body)
		return;
	for (p = strchr(s->body, '('); p; p = strchr(p + 1, '(')) {
		const char *a = p + 1;
		struct csig callee;

		if (!body_callee(ix, s->body, p, &callee))
			continue;
		for (i = 0; i < callee.n && *a; i++) {
			char *arg;

			a = body_argument(a, &arg);
			for (k = 0; k < sig->n; k++) {
				if (!sig->p[k].name || strcmp(arg, sig->p[k].name) ||
				    strcmp(sig->p[k].type, sig->p[k].name))
					continue;
				free(sig->p[k].type);
				sig->p[k].type = xstrdup(callee.p[i].type);
			}
			free(arg);
			if (*a != ',')
				break;
			a++;
		}
		csig_release(&callee);
	}
}

/* A function that did something with what it was given and now only tells something: another one. */
static bool is_another_function(const struct argmap *m)
{
	if (!m->before || m->guessed || !*m->from.ret || !*m->to.ret)
		return false;
	return sigmap_removed(&m->map) && ctype_equal(m->from.ret, "void") &&
	       !ctype_equal(m->to.ret, "void");
}

bool argmap_init(struct argmap *m, const struct propose_ctx *c, const char *name,
		 const struct call *site)
{
	memset(m, 0, sizeof(*m));
	m->c = c;
	m->env = (struct type_env){ .ix = c->new_ix, .tree = c->tree };
	m->name = xstrdup(name);
	if (!c->new_ix || propose_find_function(c, name, NULL))
		return false;
	m->now = api_lookup(c->new_ix, name, API_FUNCTION | API_INLINE);
	if (!m->now)
		m->now = api_lookup(c->new_ix, name, API_MACRO_FN);
	m->before = c->old_ix ? api_lookup(c->old_ix, name, API_FUNCTION | API_INLINE) : NULL;
	if (!m->before && c->old_ix)
		m->before = api_lookup(c->old_ix, name, API_MACRO_FN);
	if (!api_sig(m->now, &m->to))
		return false;
	if (!api_sig(m->before, &m->from) || m->from.n > site->nargs ||
	    (m->from.n < site->nargs && !m->from.variadic)) {
		csig_release(&m->from);
		sig_of_call(m, site, &m->from);
		m->guessed = true;
	}
	type_macro(m, m->now, &m->to, c->new_ix);
	type_macro(m, m->before, &m->from, c->old_ix);
	sigmap_build(&m->env, &m->from, &m->to, &m->map);
	if (sigmap_is_identity(&m->map) || is_another_function(m))
		return false;
	calls_find(c->tree, NULL, name, &m->calls);
	keep_old_calls(m);
	return m->calls.n > 0;
}

void argmap_release(struct argmap *m)
{
	free(m->name);
	csig_release(&m->from);
	csig_release(&m->to);
	sigmap_release(&m->map);
	calls_release(&m->calls);
	memset(m, 0, sizeof(*m));
}

/* ---- one variant --------------------------------------------------------------------------- */

struct variant {
	struct argmap *m;
	size_t index;
	bool valid;	  /* some parameter has that many fills */
	bool dropped_effect, unsure, by_pointer;
	bool made_up;	  /* a constant stands in for what nobody knows */
	struct edit_group *g;
};

/*
 * "x = f(a)" where the value now comes through a new pointer: "&x", and the
 * assignment goes. NULL when that is not the case.
 */
static char *result_pointer(struct variant *v, const struct call *call, const struct scope *s,
			    size_t j)
{
	const struct ctoks *ts = srcfile_toks(call->f);
	struct argmap *m = v->m;
	uint32_t start = stmt_start(ts, call->name);
	struct cspan lhs = { start, call->name - 1 };
	char *type, *ptr, *text = NULL, *arg = NULL;

	if (!m->before || !*m->from.ret || ctype_equal(m->from.ret, "void") ||
	    ctype_pointers(m->from.ret) || !is_out_pointer(&m->env, m->to.p[j].type) ||
	    call_use(call) != CALL_ASSIGNED)
		return NULL;
	type = expr_type(&m->env, s, lhs.first, lhs.end);
	ptr = type ? xstrfmt("%s *", type) : NULL;
	if (ptr && type_same(&m->env, ptr, m->to.p[j].type)) {
		text = srcfile_span_text(call->f, lhs);
		arg = xstrfmt("&%s", text);
		edit_add(v->g, call->f->path, ts->t[start].off, ts->t[call->name].off, "");
		v->by_pointer = true;
	}
	free(text);
	free(ptr);
	free(type);
	return arg;
}

static char *fill_text(struct variant *v, const struct call *call, const struct scope *s, size_t j)
{
	struct argmap *m = v->m;
	struct fills fills;
	const struct fill *f;
	char *text = NULL;

	/* A parameter of a macro may have no type to go by. */
	if (m->to.p[j].name && !strcmp(m->to.p[j].type, m->to.p[j].name))
		return NULL;
	fill_parameter(&m->env, s, call->fn, call->name, &m->to.p[j], MAX_FILLS, &fills);
	if (fills.n) {
		f = &fills.f[v->index < fills.n ? v->index : fills.n - 1];
		v->valid |= v->index < fills.n;
		text = xstrdup(f->expr);
		if (call == &m->calls.c[0]) {
			v->g->score *= f->score;
			edit_group_why(v->g, "The new parameter '%s' gets %s.",
				       m->to.p[j].name ? m->to.p[j].name : m->to.p[j].type, f->how);
		}
		v->unsure |= !f->exact;
		v->made_up |= f->is_default && !f->exact;
	}
	fills_release(&fills);
	return text;
}

/* Texts of the new arguments and where they come from; false when one cannot be had. */
static bool new_arguments(struct variant *v, const struct call *call, char **texts, int *from,
			  size_t *n)
{
	struct argmap *m = v->m;
	struct scope s;
	bool ok = true;
	size_t i;

	scope_collect(call->f, call->fn, call->name, &s);
	for (*n = 0; *n < m->map.n && ok; (*n)++) {
		from[*n] = m->map.to[*n].from;
		if (from[*n] >= 0)
			texts[*n] = call_arg_text(call, from[*n]);
		else
			texts[*n] = result_pointer(v, call, &s, *n);
		if (!texts[*n])
			texts[*n] = fill_text(v, call, &s, *n);
		ok = texts[*n] != NULL;
	}
	/* What a "..." takes follows as it is. */
	for (i = m->map.nfrom; i < call->nargs && ok; i++, (*n)++) {
		from[*n] = (int)i;
		texts[*n] = call_arg_text(call, i);
	}
	scope_release(&s);
	return ok;
}

static bool rewrite_call(struct variant *v, const struct call *call)
{
	struct argmap *m = v->m;
	const struct ctoks *ts = srcfile_toks(call->f);
	size_t max = m->map.n + call->nargs + 1, n, i;
	char **texts = xcalloc(max, sizeof(*texts));
	int *from = xcalloc(max, sizeof(*from));
	struct strbuf args = STRBUF_INIT;
	bool ok = new_arguments(v, call, texts, from, &n);

	for (i = 0; i < m->map.nfrom; i++)
		if (!m->map.kept[i])
			v->dropped_effect |= expr_has_effect(ts, call->args[i].first,
							     call->args[i].end);
	if (ok) {
		call_write_args(call, texts, from, n, &args);
		edit_add_trimmed(v->g, call->f, ts->t[call->open].off + 1, ts->t[call->close].off,
				 args.buf);
	}
	for (i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
	free(from);
	strbuf_release(&args);
	return ok;
}

static void raise(struct edit_group *g, enum risk risk)
{
	if (g->risk < risk)
		g->risk = risk;
}

static void explain(struct variant *v)
{
	struct argmap *m = v->m;
	struct edit_group *g = v->g;
	char *notes = g->why;

	g->why = NULL;
	if (m->before && m->before->params)
		edit_group_why(g, "In %s it was %s(%s), in %s it is %s(%s), <%s>.",
			       m->c->from->name, m->name, m->before->params, propose_target(m->c),
			       m->name, m->now->params, m->now->header);
	else
		edit_group_why(g, "In %s it is %s(%s), <%s>.", propose_target(m->c), m->name,
			       m->now->params, m->now->header);
	if (notes)
		edit_group_why(g, "%s", notes);
	free(notes);
	if (v->dropped_effect) {
		edit_group_why(g, "An argument with a side effect is no longer passed.");
		g->score *= 0.6;
		raise(g, RISK_REVIEW);
	}
	if (v->by_pointer) {
		edit_group_why(g, "What it returned comes through a pointer now; what it returns says whether that worked and is not looked at.");
		g->score *= 0.6;
		raise(g, RISK_REVIEW);
	}
	if (v->unsure || (*m->from.ret && *m->to.ret && !type_same(&m->env, m->from.ret, m->to.ret)))
		raise(g, RISK_REVIEW);
	if (m->guessed) {
		edit_group_why(g, "The arguments were matched by the types of what is passed.");
		g->score *= 0.9;
		raise(g, RISK_REVIEW);
	}
}

static const char *param_word(const struct sigparam *p)
{
	return p->name ? p->name : p->type;
}

static void make_title(struct argmap *m, struct edit_group *g)
{
	size_t removed = sigmap_removed(&m->map), added = sigmap_count(&m->map, SIGMAP_ADDED), i;

	if (removed == 1 && !added && !m->map.reordered && !m->guessed) {
		for (i = 0; m->map.kept[i]; i++)
			;
		edit_group_title(g, "drop the '%s' argument of %s()", param_word(&m->from.p[i]),
				 m->name);
	} else if (added == 1 && !removed && !m->map.reordered) {
		for (i = 0; m->map.to[i].from >= 0; i++)
			;
		edit_group_title(g, "pass the new '%s' argument of %s()", param_word(&m->to.p[i]),
				 m->name);
	} else {
		edit_group_title(g, "follow the new parameters of %s()", m->name);
	}
}

/* Pointer, number, nothing: the kind of the returned value is another one. */
static bool result_changes(const struct argmap *m)
{
	const char *a = m->from.ret, *b = m->to.ret;

	if (!m->before || m->guessed || !*a || !*b)
		return false;
	return ctype_equal(a, "void") != ctype_equal(b, "void") ||
	       (ctype_pointers(a) > 0) != (ctype_pointers(b) > 0);
}

struct edit_group *argmap_build(struct argmap *m, size_t variant, const char *technique)
{
	struct variant v = { .m = m, .index = variant };
	bool ok = true;
	size_t i;

	v.g = edit_group_new(EDIT_TYPED, technique, RISK_SAFE, 0.95);
	v.valid = variant == 0;
	for (i = 0; i < m->calls.n && ok; i++)
		ok = rewrite_call(&v, &m->calls.c[i]);
	if (ok && v.valid && v.g->n) {
		make_title(m, v.g);
		explain(&v);
	}
	/*
	 * Several things made up at once are no repair; nor is one where the result is
	 * another thing now, because it may be what comes through the new parameter.
	 */
	if (!ok || (v.made_up && result_changes(m)) || !v.valid || !v.g->n || v.g->score < MIN_SCORE) {
		edit_group_free(v.g);
		return NULL;
	}
	v.g->symbol = xstrdup(m->name);
	return v.g;
}
