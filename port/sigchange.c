// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/sigchange.h"

#include "base/alloc.h"
#include "port/constify.h"
#include "port/constprop.h"
#include "port/fill.h"
#include "port/narrow.h"
#include "port/passthrough.h"
#include "port/reach.h"
#include "port/sigbody.h"
#include "port/sighead.h"
#include "port/stmt.h"

/* Ways to give back a parameter that are tried. */
#define MAX_RECOVERIES 3

void csig_copy(struct csig *dst, const struct csig *src)
{
	size_t i;

	memset(dst, 0, sizeof(*dst));
	dst->ret = xstrdup(src->ret);
	dst->variadic = src->variadic;
	dst->n = src->n;
	dst->p = xcalloc(src->n + 1, sizeof(*dst->p));
	for (i = 0; i < src->n; i++) {
		dst->p[i].type = xstrdup(src->p[i].type);
		dst->p[i].name = xstrdup(src->p[i].name);
	}
}

void csig_text(const struct csig *s, struct strbuf *out)
{
	size_t i;

	strbuf_addf(out, "%s (", s->ret);
	for (i = 0; i < s->n; i++) {
		strbuf_addstr(out, i ? ", " : "");
		if (s->p[i].name)
			sigparam_declare(&s->p[i], s->p[i].name, out);
		else
			strbuf_addstr(out, s->p[i].type);
	}
	strbuf_addstr(out, s->variadic ? ", ...)" : s->n ? ")" : "void)");
}

/* Same return type and parameter types. */
bool csig_same(const struct type_env *env, const struct csig *a, const struct csig *b)
{
	size_t i;

	if (a->n != b->n || a->variadic != b->variadic || !type_same(env, a->ret, b->ret))
		return false;
	for (i = 0; i < a->n; i++)
		if (!type_same(env, a->p[i].type, b->p[i].type))
			return false;
	return true;
}

/* Does the parameter have that type in this definition? */
static bool has_param(const struct type_env *env, const struct csig *s, int arg, const char *type)
{
	return arg > 0 && (size_t)arg <= s->n && type && type_same(env, s->p[arg - 1].type, type);
}

static const struct cfunc *definition_in(const struct type_env *env, struct srcfile *f,
					 const char *name, const struct csig *sig, int arg,
					 const char *type)
{
	const struct cfile *cf = srcfile_parse(f);
	size_t i;

	for (i = 0; i < cf->nfuncs; i++) {
		const struct cfunc *fn = &cf->funcs[i];
		struct csig s;
		bool hit;

		if (fn->from_macro || !ctok_is(cf->ts, fn->name, name) || !func_sig(f, fn, &s))
			continue;
		hit = sig ? csig_same(env, &s, sig) : has_param(env, &s, arg, type);
		csig_release(&s);
		if (hit)
			return fn;
	}
	return NULL;
}

const struct cfunc *sig_find_definition(const struct propose_ctx *c, const char *name,
					const struct csig *sig, int arg, const char *type,
					struct srcfile **file)
{
	struct type_env env = { .ix = c->new_ix, .tree = c->tree };
	struct srcfile *own = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	const struct cfunc *fn = NULL;
	size_t i;

	*file = own;
	if (own)
		fn = definition_in(&env, own, name, sig, arg, type);
	for (i = 0; !fn && i < c->tree->n; i++) {
		*file = c->tree->files[i];
		if (*file != own && srcfile_is_c(*file))
			fn = definition_in(&env, *file, name, sig, arg, type);
	}
	return fn;
}

/* ---- names of new parameters --------------------------------------------------------- */

static bool name_is_free(const struct sigchange *sc, const char *name, size_t upto)
{
	const struct ctoks *ts = srcfile_toks(sc->f);
	size_t i;

	for (i = 0; i < sc->from.n; i++)
		if (sc->from.p[i].name && !strcmp(sc->from.p[i].name, name))
			return false;
	for (i = 0; i < upto; i++)
		if (sc->names[i] && !strcmp(sc->names[i], name))
			return false;
	return !count_ident(ts, sc->fn->body.first, sc->fn->body.end, name);
}

/* The name that functions of the target's headers give a parameter of this type most often. */
static char *usual_name(const struct sigchange *sc, const char *type)
{
	const struct api_symbol **fns;
	char *base = ctype_base(type), *best = NULL;
	struct { char *name; size_t n; } seen[16] = { 0 };
	size_t i, k, n, used = 0, most = 0;

	if (!sc->c->new_ix || !starts_with(base, "struct ")) {
		free(base);
		return NULL;
	}
	n = api_taking_type(sc->c->new_ix, base, API_FUNCTION | API_INLINE, &fns);
	for (i = 0; i < n && i < 200; i++) {
		struct csig s;
		size_t p;

		if (!csig_parse_parts(fns[i]->type, fns[i]->params, &s))
			continue;
		for (p = 0; p < s.n; p++) {
			if (!s.p[p].name || !ctype_equal_unqualified(s.p[p].type, type))
				continue;
			for (k = 0; k < used && strcmp(seen[k].name, s.p[p].name); k++)
				;
			if (k == used && used < ARRAY_SIZE(seen))
				seen[used++].name = xstrdup(s.p[p].name);
			if (k < used)
				seen[k].n++;
		}
		csig_release(&s);
	}
	for (k = 0; k < used; k++) {
		if (seen[k].n > most) {
			most = seen[k].n;
			best = seen[k].name;
		}
	}
	best = xstrdup(best);
	for (k = 0; k < used; k++)
		free(seen[k].name);
	free(fns);
	free(base);
	return best;
}

/* "struct irq_affinity *" gives "affinity", with whole "irq_affinity"; "const u8 *" gives "data". */
static char *name_from_type(const char *type, bool whole)
{
	char *base = ctype_base(type), *name;
	const char *tag = strrchr(base, ' '), *part;

	if (tag && starts_with(base, "struct ")) {
		part = strrchr(tag, '_');
		name = xstrdup(part && !whole ? part + 1 : tag + 1);
	} else {
		name = xstrdup(ctype_pointers(type) ? "data" : "value");
	}
	free(base);
	return name;
}

/* The declared name, the usual one, one made from the type, or one with a number. */
static char *pick_name(const struct sigchange *sc, size_t j)
{
	const struct sigparam *p = &sc->to.p[j];
	char *ideas[] = { xstrdup(p->name), p->name ? NULL : usual_name(sc, p->type),
			  name_from_type(p->type, false), name_from_type(p->type, true) };
	char *pick = NULL;
	size_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(ideas) && !pick; i++)
		if (ideas[i] && name_is_free(sc, ideas[i], j))
			pick = xstrdup(ideas[i]);
	for (k = 2; !pick; k++) {
		pick = xstrfmt("%s%d", p->name ? p->name : ideas[2], k);
		if (!name_is_free(sc, pick, j)) {
			free(pick);
			pick = NULL;
		}
	}
	for (i = 0; i < ARRAY_SIZE(ideas); i++)
		free(ideas[i]);
	return pick;
}

/* ---- what the body needs of parameters that went or changed ------------------------------ */

static bool body_uses(const struct sigchange *sc, const char *name)
{
	return name && count_ident(srcfile_toks(sc->f), sc->fn->body.first, sc->fn->body.end,
				   name) > 0;
}

/* Index of the new parameter that took over from old parameter i, or -1. */
static int successor(const struct sigchange *sc, size_t i)
{
	size_t j;

	for (j = 0; j < sc->map.n; j++)
		if (sc->map.to[j].from == (int)i)
			return (int)j;
	return -1;
}

/* Number to number needs nothing; everything else reads the parameter in another way. */
static bool role_changes(const struct sigchange *sc, const char *from, const char *to)
{
	char *x = type_resolve(&sc->env, from), *y = type_resolve(&sc->env, to);
	char *a = ctype_base(x), *b = ctype_base(y);
	bool px = ctype_pointers(x) > 0, py = ctype_pointers(y) > 0;
	bool yes = px != py || (px && strcmp(a, b) != 0);

	/* u8 * for char *: the bytes are the same. */
	if (px && py && !strchr(a, ' ') && !strchr(b, ' '))
		yes = false;
	if (px && py && strstr(a, "char") && strstr(b, "char"))
		yes = false;
	free(a);
	free(b);
	free(x);
	free(y);
	return yes;
}

static bool wants_recovery(const struct sigchange *sc, size_t i)
{
	int j = successor(sc, i);

	if (!body_uses(sc, sc->from.p[i].name))
		return false;
	if (j < 0)
		return true;
	return sc->map.to[j].kind == SIGMAP_RETYPE &&
	       role_changes(sc, sc->from.p[i].type, sc->to.p[j].type);
}

/* Adds the edits when the new parameter is the part of the old one that the body uses. */
static bool narrow_param(const struct sigchange *sc, size_t i, struct edit_group *g)
{
	struct type_env old = { .ix = sc->c->old_ix ? sc->c->old_ix : sc->c->new_ix,
				.tree = sc->c->tree };
	int j = successor(sc, i);

	return j >= 0 && narrow_uses(&old, sc->f, sc->fn, sc->from.p[i].name, sc->from.p[i].type,
				     sc->to.p[j].type, sc->names[j], g);
}

static bool can_narrow(const struct sigchange *sc, size_t i)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "", RISK_SAFE, 1);
	bool yes = narrow_param(sc, i, g);

	edit_group_free(g);
	return yes;
}

static bool can_pass(const struct sigchange *sc, size_t i)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "", RISK_SAFE, 1);
	bool yes = passthrough_drop(sc->c, sc->f, sc->fn, sc->from.p[i].name, g);

	edit_group_free(g);
	return yes;
}

/* The new parameters under the names that they get when locals take the old ones. */
static void recover_all(struct sigchange *sc)
{
	struct sigparam *have = xcalloc(sc->to.n + 1, sizeof(*have));
	size_t i, j;
	int k;

	for (j = 0; j < sc->to.n; j++) {
		have[j].type = sc->to.p[j].type;
		have[j].name = sc->names[j];
	}
	for (i = 0; i < sc->from.n; i++) {
		sc->needed[i] = wants_recovery(sc, i);
		if (!sc->needed[i])
			continue;
		/* What took its place has to lead to it; what just went may come from anywhere. */
		k = successor(sc, i);
		recover_expr(&sc->env, sc->c->old_ix, k < 0 ? have : &have[k],
			     k < 0 ? sc->to.n : 1, sc->from.p[i].type, sc->from.p[i].name,
			     MAX_RECOVERIES, &sc->recovered[i]);
		sc->narrowed[i] = can_narrow(sc, i);
		sc->passed[i] = successor(sc, i) < 0 && can_pass(sc, i);
		/* A parameter of another type may also just be used as it is. */
		j = sc->narrowed[i] + sc->recovered[i].n + (successor(sc, i) >= 0);
		if (j > sc->nvariants)
			sc->nvariants = j;
	}
	free(have);
}

bool sigchange_init(struct sigchange *sc, const struct propose_ctx *c, struct srcfile *f,
		    const struct cfunc *fn, const struct csig *to)
{
	size_t j;

	memset(sc, 0, sizeof(*sc));
	sc->c = c;
	sc->env = (struct type_env){ .ix = c->new_ix, .tree = c->tree };
	sc->f = f;
	sc->fn = fn;
	if (fn->from_macro || !func_sig(f, fn, &sc->from) || sc->from.n != fn->nparams)
		return false;
	sc->name = srcfile_tok_text(f, fn->name);
	csig_copy(&sc->to, to);
	sigmap_build(&sc->env, &sc->from, &sc->to, &sc->map);
	sc->ret_changes = !type_same(&sc->env, sc->from.ret, sc->to.ret);
	sc->names = xcalloc(to->n + 1, sizeof(*sc->names));
	sc->recovered = xcalloc(sc->from.n + 1, sizeof(*sc->recovered));
	sc->needed = xcalloc(sc->from.n + 1, sizeof(*sc->needed));
	sc->narrowed = xcalloc(sc->from.n + 1, sizeof(*sc->narrowed));
	sc->passed = xcalloc(sc->from.n + 1, sizeof(*sc->passed));
	sc->nvariants = 1;
	for (j = 0; j < to->n; j++) {
		int from = sc->map.to[j].from;
		bool fresh = from < 0 || !sc->from.p[from].name || wants_recovery(sc, from);

		sc->names[j] = fresh ? pick_name(sc, j) : xstrdup(sc->from.p[from].name);
	}
	recover_all(sc);
	return sc->ret_changes || !sigmap_is_identity(&sc->map);
}

void sigchange_release(struct sigchange *sc)
{
	size_t i;

	for (i = 0; sc->names && i < sc->to.n; i++)
		free(sc->names[i]);
	for (i = 0; sc->recovered && i < sc->from.n; i++)
		recoveries_release(&sc->recovered[i]);
	free(sc->names);
	free(sc->recovered);
	free(sc->needed);
	free(sc->narrowed);
	free(sc->passed);
	free(sc->name);
	csig_release(&sc->from);
	csig_release(&sc->to);
	sigmap_release(&sc->map);
	memset(sc, 0, sizeof(*sc));
}

/* ---- one variant --------------------------------------------------------------------------- */

/* A prototype of another #if branch describes another kernel's function. */
static bool is_same_function(const struct sigchange *sc, struct srcfile *f, const struct cfunc *p)
{
	struct csig s;
	bool same;

	if (p->nparams != sc->from.n || !func_sig(f, p, &s))
		return false;
	same = csig_same(&sc->env, &s, &sc->from);
	csig_release(&s);
	return same;
}

static bool edit_heads(const struct sigchange *sc, char *const *names, struct edit_group *g)
{
	struct sighead h = { .f = sc->f, .site = sc->fn, .to = &sc->to, .map = &sc->map,
			     .ret = sc->ret_changes ? sc->to.ret : NULL, .names = names };
	size_t i, k;

	if (!sighead_edit(&h, g))
		return false;
	for (i = 0; i < sc->c->tree->n; i++) {
		struct srcfile *f = sc->c->tree->files[i];
		const struct cfile *cf;

		if (!srcfile_is_c(f))
			continue;
		cf = srcfile_parse(f);
		for (k = 0; k < cf->nprotos; k++) {
			if (!ctok_is(cf->ts, cf->protos[k].name, sc->name) ||
			    (f != sc->f && cf->protos[k].is_static != sc->fn->is_static))
				continue;
			h.f = f;
			h.site = &cf->protos[k];
			if (is_same_function(sc, f, h.site) && !sighead_edit(&h, g))
				return false;
		}
	}
	return true;
}

static bool body_starts_with_declaration(const struct sigchange *sc)
{
	struct scope s;
	bool yes = false;
	size_t i;

	scope_collect(sc->f, sc->fn, CTOK_NONE, &s);
	for (i = 0; i < s.n; i++)
		yes |= !s.d[i].param && s.d[i].stmt.first == sc->fn->body.first + 1;
	scope_release(&s);
	return yes;
}

/* "struct foo *x = expr;" lines behind the "{". */
static void add_locals(const struct sigchange *sc, const struct strbuf *decls, struct edit_group *g)
{
	const struct ctok *open = &srcfile_toks(sc->f)->t[sc->fn->body.first];
	bool empty = sc->fn->body.first + 2 == sc->fn->body.end;
	struct strbuf text = STRBUF_INIT;

	if (!decls->len)
		return;
	strbuf_addf(&text, "%s%s", decls->buf,
		    empty || body_starts_with_declaration(sc) ? "" : "\n");
	edit_add(g, sc->f->path, open->off + 1, open->off + 1, text.buf);
	strbuf_release(&text);
}

static void raise(struct edit_group *g, double factor)
{
	g->score *= factor;
	if (g->risk < RISK_REVIEW)
		g->risk = RISK_REVIEW;
}

/* The parameter keeps its name and is used as it is, whatever it is now. */
static void use_as_is(const struct sigchange *sc, size_t i, char **names, struct edit_group *g)
{
	int j = successor(sc, i);

	free(names[j]);
	names[j] = xstrdup(sc->from.p[i].name);
	raise(g, sc->recovered[i].n || sc->narrowed[i] ? 0.5 : 0.8);
	edit_group_why(g, "'%s' is now '%s' and is used as before; check what is read from it.",
		       sc->from.p[i].name, sc->to.p[j].type);
}

static void use_local(const struct sigchange *sc, size_t i, const struct recovery *pick,
		      struct strbuf *decls, struct edit_group *g)
{
	strbuf_addstr(decls, "\n\t");
	sigparam_declare(&sc->from.p[i], sc->from.p[i].name, decls);
	strbuf_addf(decls, " = %s;", pick->expr);
	raise(g, pick->score);
	if (pick->header && ends_with(pick->expr, ")") &&
	    !header_reached(sc->c->new_ix, sc->c->tree, sc->f, pick->header))
		edit_add_include(g, sc->f, pick->header);
	edit_group_why(g, "The parameter '%s' is gone; its value comes from %s.",
		       sc->from.p[i].name, pick->how);
}

/*
 * Old parameters that the body needs, by the variant's way: their part, a local,
 * or as they are. False when one cannot be had.
 */
static bool recover_params(struct sigchange *sc, size_t variant, char **names,
			   struct strbuf *decls, struct edit_group *g)
{
	size_t i;

	for (i = 0; i < sc->from.n; i++) {
		const struct recoveries *r = &sc->recovered[i];
		size_t v = variant;

		if (!sc->needed[i])
			continue;
		if (sc->passed[i]) {
			passthrough_drop(sc->c, sc->f, sc->fn, sc->from.p[i].name, g);
			continue;
		}
		if (sc->narrowed[i] && v == 0) {
			narrow_param(sc, i, g);
			raise(g, 0.9);
			edit_group_why(g, "What was read from '%s' is what the kernel gives now.",
				       sc->from.p[i].name);
			continue;
		}
		v -= sc->narrowed[i];
		if (successor(sc, i) >= 0 && v >= r->n)
			use_as_is(sc, i, names, g);
		else if (r->n)
			use_local(sc, i, &r->r[v < r->n ? v : r->n - 1], decls, g);
		else
			return false;
	}
	return true;
}

static void explain_notes(struct edit_group *g, const struct sigchange *sc, unsigned notes)
{
	if (notes & SIGBODY_LOSES_ERROR) {
		g->score *= 0.9;
		edit_group_why(g, "A value that '%s' returned can no longer be reported.", sc->name);
	}
	if (notes & SIGBODY_INVENTS_VALUE) {
		g->score *= 0.7;
		edit_group_why(g, "What '%s' has to return now is an assumption.", sc->name);
	}
	if (notes & SIGBODY_EARLY_SUCCESS) {
		g->score *= 0.9;
		edit_group_why(g, "'%s' returns early somewhere: check whether that is a success.", sc->name);
	}
	if (notes & SIGBODY_CONVENTION) {
		g->score *= 0.6;
		edit_group_why(g, "What the returned value means has changed; check every return.");
	}
	if (notes & SIGCALLS_DEFAULT) {
		g->score *= 0.8;
		edit_group_why(g, "Callers in the driver pass a default for the new parameter.");
	}
	if (notes & SIGCALLS_DROPPED_EFFECT) {
		g->score *= 0.7;
		edit_group_why(g, "An argument with a side effect is no longer passed.");
	}
	if (notes & SIGCHANGE_RESULT) {
		g->score *= 0.9;
		edit_group_why(g, "The kernel may expect something to be stored through the new pointer.");
	}
	if (notes & SIGCHANGE_MODE) {
		g->score *= 0.9;
		edit_group_why(g, "The new parameter asks for another way of doing it, which '%s' ignores.",
			       sc->name);
	}
	if (notes && g->risk < RISK_REVIEW)
		g->risk = RISK_REVIEW;
}

static char **copy_names(const struct sigchange *sc)
{
	char **names = xcalloc(sc->to.n + 1, sizeof(*names));
	size_t j;

	for (j = 0; j < sc->to.n; j++)
		names[j] = xstrdup(sc->names[j]);
	return names;
}

/* The variant with what a new const brings along; NULL when there is none or it brings nothing. */
struct edit_group *sigchange_build_const(struct sigchange *sc, size_t variant,
					 const char *technique)
{
	struct strvec names = STRVEC_INIT;
	struct edit_group *g = NULL;
	size_t j;

	for (j = 0; j < sc->to.n; j++)
		if (sc->map.to[j].kind == SIGMAP_QUALIFIER && sc->names[j] &&
		    const_target_level(sc->to.p[j].type) & const_levels(sc->to.p[j].type))
			strvec_push(&names, sc->names[j]);
	if (names.n)
		g = sigchange_build(sc, variant, technique);
	if (g && !const_propagate(&sc->env, sc->f, sc->fn, &names, g)) {
		edit_group_free(g);
		g = NULL;
	}
	if (g) {
		g->score *= 0.95;
		edit_group_why(g, "What is made from the const parameter is const too.");
	}
	strvec_release(&names);
	return g;
}

struct edit_group *sigchange_build(struct sigchange *sc, size_t variant, const char *technique)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, technique, RISK_SAFE, 0.95);
	char **names = copy_names(sc);
	struct strbuf decls = STRBUF_INIT;
	unsigned notes = 0;
	bool ok = false;
	size_t j;

	if (!recover_params(sc, variant, names, &decls, g) || !edit_heads(sc, names, g))
		goto out;
	if (sc->ret_changes && !sigbody_convert(&sc->env, sc->f, sc->fn, sc->from.ret, sc->to.ret,
						g, &notes))
		goto out;
	if (!sigcalls_rewrite(sc, g, &notes))
		goto out;
	add_locals(sc, &decls, g);
	for (j = 0; j < sc->to.n; j++) {
		if (sc->map.to[j].kind != SIGMAP_ADDED)
			continue;
		if (is_out_pointer(&sc->env, sc->to.p[j].type))
			notes |= SIGCHANGE_RESULT;
		if (!strcmp(sc->to.p[j].type, "bool"))
			notes |= SIGCHANGE_MODE;
	}
	explain_notes(g, sc, notes);
	ok = true;
out:
	for (j = 0; j < sc->to.n; j++)
		free(names[j]);
	free(names);
	strbuf_release(&decls);
	if (ok)
		return g;
	edit_group_free(g);
	return NULL;
}

/* ---- words ------------------------------------------------------------------------------------ */

void sigchange_describe(const struct sigchange *sc, const char *where, struct strbuf *out)
{
	size_t removed = sigmap_removed(&sc->map), added = sigmap_count(&sc->map, SIGMAP_ADDED);
	size_t quals = sigmap_count(&sc->map, SIGMAP_QUALIFIER);
	size_t types = sigmap_count(&sc->map, SIGMAP_RETYPE), i;
	size_t changes = sc->ret_changes + removed + added + quals + types + sc->map.reordered;

	if (changes != 1) {
		strbuf_addf(out, "follow the new prototype of %s", where);
	} else if (sc->ret_changes) {
		strbuf_addf(out, "return %s from %s", sc->to.ret, where);
	} else if (removed) {
		for (i = 0; i < sc->map.nfrom && sc->map.kept[i]; i++)
			;
		strbuf_addf(out, "drop the '%s' parameter of %s", sc->from.p[i].type, where);
	} else {
		for (i = 0; i < sc->map.n && sc->map.to[i].kind == SIGMAP_SAME; i++)
			;
		if (i == sc->map.n)
			strbuf_addf(out, "follow the parameter order of %s", where);
		else
			strbuf_addf(out, added ? "add the '%s' parameter of %s" :
						 "take '%s' in %s", sc->to.p[i].type, where);
	}
}
