// SPDX-License-Identifier: GPL-2.0-only
/* Direct calls of a function whose signature changes, and a wrapper where it must not. */
#include "base/compat.h"
#include "port/sigchange.h"

#include "base/alloc.h"
#include "port/calls.h"
#include "port/fill.h"
#include "port/sigbody.h"
#include "port/stmt.h"

/* ---- arguments -------------------------------------------------------------------------- */

static char *added_argument(const struct sigchange *sc, const struct call *call,
			    const struct scope *s, size_t j, unsigned *notes)
{
	struct fills fills;
	char *expr = NULL;

	fill_parameter(&sc->env, s, call->fn, call->name, &sc->to.p[j], 1, &fills);
	if (fills.n) {
		expr = xstrdup(fills.f[0].expr);
		if (!fills.f[0].exact)
			*notes |= SIGCALLS_DEFAULT;
	}
	fills_release(&fills);
	return expr;
}

/* An argument of the old type where the new parameter has another. */
static char *converted_argument(const struct sigchange *sc, const struct call *call,
				const struct scope *s, size_t j)
{
	size_t from = sc->map.to[j].from;
	char *text = call_arg_text(call, from);
	struct sigparam have = { .type = sc->from.p[from].type, .name = text };
	char *type = expr_type(&sc->env, s, call->args[from].first, call->args[from].end);
	struct recoveries r = { 0 };

	if (sc->map.to[j].kind == SIGMAP_RETYPE && ctype_pointers(sc->to.p[j].type) == 1 &&
	    !(type && type_same_unqualified(&sc->env, type, sc->to.p[j].type)) &&
	    call->args[from].end == call->args[from].first + 1)
		recover_expr(&sc->env, sc->c->old_ix, &have, 1, sc->to.p[j].type, NULL, 1, &r);
	if (r.n) {
		free(text);
		text = xstrdup(r.r[0].expr);
	}
	recoveries_release(&r);
	free(type);
	return text;
}

static bool arguments_stay(const struct sigchange *sc)
{
	return sigmap_count(&sc->map, SIGMAP_SAME) + sigmap_count(&sc->map, SIGMAP_QUALIFIER) ==
		       sc->map.n &&
	       !sigmap_removed(&sc->map) && !sc->map.reordered;
}

static bool rewrite_arguments(struct sigchange *sc, const struct call *call, struct edit_group *g,
			      unsigned *notes)
{
	const struct ctoks *ts = srcfile_toks(call->f);
	char **texts = xcalloc(sc->map.n + 1, sizeof(*texts));
	int *from = xcalloc(sc->map.n + 1, sizeof(*from));
	struct strbuf args = STRBUF_INIT;
	struct scope s;
	bool ok = true;
	size_t i, j;

	scope_collect(call->f, call->fn, call->name, &s);
	for (j = 0; j < sc->map.n && ok; j++) {
		from[j] = sc->map.to[j].from;
		texts[j] = from[j] >= 0 ? converted_argument(sc, call, &s, j) :
					  added_argument(sc, call, &s, j, notes);
		ok = texts[j] != NULL;
	}
	for (i = 0; i < sc->from.n; i++)
		if (!sc->map.kept[i] &&
		    expr_has_effect(ts, call->args[i].first, call->args[i].end))
			*notes |= SIGCALLS_DROPPED_EFFECT;
	if (ok) {
		call_write_args(call, texts, from, sc->map.n, &args);
		edit_add_trimmed(g, call->f, ts->t[call->open].off + 1, ts->t[call->close].off,
				 args.buf);
	}
	for (j = 0; j < sc->map.n; j++)
		free(texts[j]);
	free(texts);
	free(from);
	scope_release(&s);
	strbuf_release(&args);
	return ok;
}

/* ---- the value of a function that returns nothing any more -------------------------------- */

static bool rewrite_value(struct sigchange *sc, const struct call *call, struct edit_group *g)
{
	const struct ctoks *ts = srcfile_toks(call->f);
	uint32_t start = stmt_start(ts, call->name);
	enum call_use use = call_use(call);
	char *zero, *target;
	struct cspan lhs;

	if (use == CALL_UNUSED)
		return true;
	/* What was always 0 can be written down; anything else would be lost. */
	if (use == CALL_USED || !sigbody_returns_zero(sc->f, sc->fn) || stmt_is_controlled(ts, start))
		return false;
	while (ctok_is(ts, start + 1, ":"))
		start += 2;
	lhs = (struct cspan){ start, call->name - 1 };
	target = use == CALL_ASSIGNED ? srcfile_span_text(call->f, lhs) : NULL;
	zero = target ? xstrfmt("%s = 0;", target) : xstrdup("return 0;");
	free(target);
	edit_add(g, call->f->path, ts->t[start].off, ts->t[call->name].off, "");
	target = line_indent(call->f, ts->t[start].off);
	lhs.first = ts->t[call->close + 1].off + 1;
	{
		char *line = xstrfmt("\n%s%s", target, zero);

		edit_add(g, call->f->path, lhs.first, lhs.first, line);
		free(line);
	}
	free(target);
	free(zero);
	return true;
}

/* A macro's body that calls the function: its text is no code that we could follow. */
static bool called_by_macro(const struct sigchange *sc)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < sc->c->tree->n; i++) {
		struct srcfile *f = sc->c->tree->files[i];
		const struct ctoks *ts;

		if (!srcfile_is_c(f))
			continue;
		ts = srcfile_toks(f);
		for (k = 0; k < ts->n; k++) {
			struct ctoks in;
			bool calls = false;
			uint32_t t;

			if (ts->t[k].kind != CTOK_PP ||
			    !memmem(f->text + ts->t[k].off, ts->t[k].len, sc->name,
				    strlen(sc->name)) ||
			    !ctok_pp_is(ts, k, "define") ||
			    ctoks_scan(&in, f->text + ts->t[k].off + 1, ts->t[k].len - 1))
				continue;
			for (t = 2; t < in.n; t++)
				calls |= ctok_is(&in, t, sc->name) && ctok_is(&in, t + 1, "(");
			ctoks_release(&in);
			if (calls)
				return true;
		}
	}
	return false;
}

bool sigcalls_rewrite(struct sigchange *sc, struct edit_group *g, unsigned *notes)
{
	bool to_void = sc->ret_changes && ctype_equal(sc->to.ret, "void");
	struct calls calls;
	bool ok = true;
	size_t i;

	if (!sigmap_is_identity(&sc->map) && called_by_macro(sc))
		return false;
	calls_find(sc->c->tree, sc->fn->is_static ? sc->f : NULL, sc->name, &calls);
	for (i = 0; i < calls.n && ok; i++) {
		/* The compiler took all calls that it saw: another count is for another kernel. */
		if (!arguments_stay(sc) && calls.c[i].nargs == sc->from.n)
			ok = rewrite_arguments(sc, &calls.c[i], g, notes);
		if (ok && to_void)
			ok = rewrite_value(sc, &calls.c[i], g);
	}
	calls_release(&calls);
	return ok;
}

/* ---- references ----------------------------------------------------------------------------- */

size_t sigchange_refs(const struct sigchange *sc, struct sigref **out)
{
	size_t n = 0, i;
	uint32_t k;

	*out = NULL;
	for (i = 0; i < sc->c->tree->n; i++) {
		struct srcfile *f = sc->c->tree->files[i];
		const struct ctoks *ts;

		if (!srcfile_is_c(f) || (sc->fn->is_static && f != sc->f))
			continue;
		ts = srcfile_toks(f);
		for (k = 0; k < ts->n; k++) {
			if (!ctok_is(ts, k, sc->name) || is_member_access(ts, k) ||
			    ctok_is(ts, k + 1, "(") || (ts->t[k].flags & CTOK_DEAD))
				continue;
			*out = xrealloc(*out, (n + 1) * sizeof(**out));
			(*out)[n++] = (struct sigref){ f, k };
		}
	}
	return n;
}

/* ---- wrapper ---------------------------------------------------------------------------------- */

static char *wrapper_name(const struct sigchange *sc)
{
	static const char *const suffix[] = { "_cb", "_op", "_hook" };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(suffix); i++) {
		char *name = xstrfmt("%s%s", sc->name, suffix[i]);
		size_t used = 0;

		for (k = 0; k < sc->c->tree->n; k++) {
			struct srcfile *f = sc->c->tree->files[k];

			if (srcfile_is_c(f))
				used += count_ident(srcfile_toks(f), 0, srcfile_toks(f)->n, name);
		}
		if (!used)
			return name;
		free(name);
	}
	return NULL;
}

/* Names for the wrapper's own parameters. */
static const char *wrapper_param(const struct sigchange *sc, size_t j)
{
	int from = sc->map.to[j].from;

	if (sc->map.to[j].kind != SIGMAP_RETYPE && from >= 0 && sc->from.p[from].name)
		return sc->from.p[from].name;
	return sc->names[j];
}

/* The call of the old function; false when an argument cannot be had. */
static bool wrapper_call(struct sigchange *sc, struct strbuf *out)
{
	struct sigparam *have = xcalloc(sc->to.n + 1, sizeof(*have));
	bool ok = true;
	size_t i, j;

	for (j = 0; j < sc->to.n; j++) {
		have[j].type = sc->to.p[j].type;
		have[j].name = (char *)wrapper_param(sc, j);
	}
	strbuf_addf(out, "%s(", sc->name);
	for (i = 0; i < sc->from.n && ok; i++) {
		const char *arg = NULL;
		struct recoveries r = { 0 };

		for (j = 0; j < sc->to.n; j++)
			if (sc->map.to[j].from == (int)i && sc->map.to[j].kind == SIGMAP_SAME)
				arg = have[j].name;
		if (!arg)
			recover_expr(&sc->env, sc->c->old_ix, have, sc->to.n, sc->from.p[i].type,
				     sc->from.p[i].name, 1, &r);
		ok = arg || r.n;
		strbuf_addf(out, "%s%s", i ? ", " : "", arg ? arg : r.n ? r.r[0].expr : "");
		recoveries_release(&r);
	}
	strbuf_addch(out, ')');
	free(have);
	return ok;
}

static void wrapper_head(struct sigchange *sc, const char *name, struct strbuf *out)
{
	size_t j;

	strbuf_addf(out, "static %s%s%s(", sc->to.ret, ends_with(sc->to.ret, "*") ? "" : " ", name);
	for (j = 0; j < sc->to.n; j++) {
		strbuf_addstr(out, j ? ", " : "");
		sigparam_declare(&sc->to.p[j], wrapper_param(sc, j), out);
	}
	strbuf_addstr(out, sc->to.n ? ")" : "void)");
}

/* Its text, or false when the values cannot be related. */
static bool wrapper_text(struct sigchange *sc, const char *name, struct strbuf *out)
{
	bool from_void = ctype_equal(sc->from.ret, "void"), to_void = ctype_equal(sc->to.ret, "void");

	strbuf_addstr(out, "\n\n");
	wrapper_head(sc, name, out);
	strbuf_addstr(out, "\n{\n\t");
	if (!to_void && !from_void) {
		if (sc->ret_changes)
			return false;
		strbuf_addstr(out, "return ");
	}
	if (!wrapper_call(sc, out))
		return false;
	strbuf_addch(out, ';');
	if (!to_void && from_void) {
		if (!ctype_equal(sc->to.ret, "int"))
			return false;
		strbuf_addstr(out, "\n\n\treturn 0;");
	}
	strbuf_addstr(out, "\n}");
	return true;
}

struct edit_group *sigchange_wrapper(struct sigchange *sc, const struct sigref *refs, size_t nrefs,
				     const char *technique)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, technique, RISK_REVIEW, 0.5);
	char *name = wrapper_name(sc);
	struct strbuf text = STRBUF_INIT;
	bool ok = name && nrefs && wrapper_text(sc, name, &text);
	size_t i, off;

	for (i = 0; i < nrefs && ok; i++) {
		const struct ctok *t = &srcfile_toks(refs[i].f)->t[refs[i].tok];

		/* It is defined behind the function and has to be known at the place of use. */
		ok = refs[i].f == sc->f && refs[i].tok > sc->fn->body.end - 1;
		edit_add(g, refs[i].f->path, t->off, t->off + t->len, name ? name : "");
	}
	if (ok) {
		off = srcfile_span_end(sc->f, sc->fn->body);
		edit_add(g, sc->f->path, off, off, text.buf);
		edit_group_why(g, "'%s' is used elsewhere as it is, so a function of the new type calls it.",
			       sc->name);
		if (ctype_equal(sc->to.ret, "void") && sc->ret_changes)
			edit_group_why(g, "Its return value is not reported there.");
	}
	free(name);
	strbuf_release(&text);
	if (ok)
		return g;
	edit_group_free(g);
	return NULL;
}
