// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/smpl.h"

#include <ctype.h>

#include "base/alloc.h"
#include "mine/signature.h"
#include "port/callback-rule.h"
#include "port/learn-internal.h"

struct writer {
	const struct learn_change *c;
	const struct learn_rule *r;
	struct api_index *old_ix, *new_ix;
	int object_var;	     /* the metavariable in front of the member, 0: none */
	bool pointer;	     /* it is a pointer to the structure */
	const char *name[TMPL_MAX_VARS + 1];
	char names[TMPL_MAX_VARS + 1][8];
	struct strbuf decls;
};

/* ---- metavariables ----------------------------------------------------------------- */

static const char *fixed_text(const struct writer *w, const struct tmpl_elem *e)
{
	return e->kind == TMPL_EXPR ? learn_fixed(w->r, e->var, -1) : NULL;
}

/* "$1 -> member": the metavariable's type is known. */
static void find_object(struct writer *w)
{
	const struct tmpl_side *b = &w->r->t->before;
	size_t s = w->r->t->symbol;

	if (w->c->place != LEARN_MEMBER || w->r->designator || s < 2)
		return;
	w->pointer = ctok_is(&b->ts, b->e[s - 1].first, "->");
	if (b->e[s - 2].kind != TMPL_LITERAL &&
	    (s == 2 || !(ctok_is(&b->ts, b->e[s - 3].first, "->") || ctok_is(&b->ts, b->e[s - 3].first, "."))))
		w->object_var = b->e[s - 2].var;
}

static void declare(struct writer *w, const char *kind, const char *name)
{
	strbuf_addf(&w->decls, "%s %s;\n", kind, name);
}

static void declare_vars(struct writer *w, const struct tmpl_side *side)
{
	for (size_t k = 0; k < side->n; k++) {
		const struct tmpl_elem *e = &side->e[k];

		if (e->kind == TMPL_LITERAL || w->name[e->var] || fixed_text(w, e))
			continue;
		snprintf(w->names[e->var], sizeof(w->names[0]), "%c%d", e->kind == TMPL_EXPR ? 'E' : 'I', e->var);
		w->name[e->var] = w->names[e->var];
		if (e->var == w->object_var) {
			char *type = xstrfmt("%s%s", w->c->parent, w->pointer ? " *" : "");

			declare(w, type, w->name[e->var]);
			free(type);
		} else {
			declare(w, e->kind == TMPL_EXPR ? "expression" : "identifier", w->name[e->var]);
		}
	}
}

/* Coccinelle takes a typedef's name for an identifier when it is not told. */
static void declare_typedefs(struct writer *w, const struct tmpl_side *side)
{
	for (size_t k = 0; k < side->n; k++) {
		const struct tmpl_elem *e = &side->e[k];
		char *name;

		if (e->kind != TMPL_LITERAL || !ctok_is_ident(&side->ts, e->first))
			continue;
		name = ctok_dup(&side->ts, e->first);
		if (api_lookup(w->old_ix, name, API_TYPEDEF) &&
		    !api_lookup(w->old_ix, name, API_ANY & ~(API_TYPEDEF | API_MEMBER))) {
			char *line = xstrfmt("typedef %s;\n", name);

			if (!strstr(w->decls.buf, line))
				strbuf_addstr(&w->decls, line);
			free(line);
		}
		free(name);
	}
}

/* ---- text --------------------------------------------------------------------------- */

static void add_elem(const struct writer *w, const struct tmpl_side *side, size_t k, const char *mark,
		     struct strbuf *out)
{
	const struct tmpl_elem *e = &side->e[k];
	const struct ctok *t = &side->ts.t[e->first];
	const char *fixed = fixed_text(w, e);

	if (k && e->newline)
		strbuf_addf(out, "\n%s", mark);
	else if (k && e->gap)
		strbuf_addch(out, ' ');
	if (e->kind == TMPL_LITERAL)
		strbuf_add(out, side->ts.text + t->off, t->len);
	else
		strbuf_addstr(out, fixed ? fixed : w->name[e->var]);
}

static void add_side(const struct writer *w, const struct tmpl_side *side, const char *mark,
		     struct strbuf *out)
{
	if (!side->n)
		return;
	strbuf_addstr(out, mark);
	for (size_t k = 0; k < side->n; k++)
		add_elem(w, side, k, mark, out);
	strbuf_addch(out, '\n');
}

static bool elem_is(const struct tmpl_side *s, size_t k, const char *word)
{
	return s->e[k].kind == TMPL_LITERAL && ctok_is(&s->ts, s->e[k].first, word);
}

static bool only_name(const struct tmpl_side *s)
{
	return s->n == 1 && s->e[0].kind == TMPL_LITERAL;
}

/* Members renamed alone: the object or the value is written around them. */
static void member_rename(struct writer *w, struct strbuf *out)
{
	const struct tmpl *t = w->r->t;
	struct strbuf was = STRBUF_INIT, is = STRBUF_INIT;

	add_side(w, &t->before, "", &was);
	add_side(w, &t->after, "", &is);
	strbuf_rtrim(&was);
	strbuf_rtrim(&is);
	if (w->r->designator)
		strbuf_addf(out, "@depends on patch@\nidentifier D;\nexpression E;\n@@\n"
			    "  %s D = {\n- .%s = E,\n+ .%s = E,\n  };\n", w->c->parent, was.buf, is.buf);
	else
		strbuf_addf(out, "@depends on patch@\n%s *E;\n@@\n- E->%s\n+ E->%s\n\n"
			    "@depends on patch@\n%s E;\n@@\n- E.%s\n+ E.%s\n", w->c->parent, was.buf, is.buf,
			    w->c->parent, was.buf, is.buf);
	strbuf_release(&was);
	strbuf_release(&is);
}

/* "X |" or "| X" goes: the other operand stays. */
static void drop_operand(struct writer *w, bool left, struct strbuf *out)
{
	const struct tmpl_side *b = &w->r->t->before;
	struct tmpl_side part = *b;
	struct strbuf x = STRBUF_INIT;
	const char *op = left ? "|" : "|";

	part.e = left ? b->e : b->e + 1;
	part.n = b->n - 1;
	add_side(w, &part, "", &x);
	strbuf_rtrim(&x);
	strbuf_addf(out, "@depends on patch@\nexpression E;\n@@\n- %s %s %s\n+ E\n", left ? x.buf : "E", op,
		    left ? "E" : x.buf);
	strbuf_release(&x);
}

/* ".m = value," of an initialiser. */
static void in_initialiser(struct writer *w, struct strbuf *out)
{
	strbuf_addf(out, "@depends on patch@\nidentifier D;\n%s@@\n  %s D = {\n", w->decls.buf, w->r->object);
	add_side(w, &w->r->t->before, "- ", out);
	add_side(w, &w->r->t->after, "+ ", out);
	strbuf_addstr(out, "  };\n");
}

static bool is_statement(const struct tmpl_side *s)
{
	return s->n && elem_is(s, s->n - 1, ";");
}

/* Position of a guard stands at the symbol. */
static void add_marked(const struct writer *w, const char *mark, const char *pos, struct strbuf *out)
{
	const struct tmpl_side *b = &w->r->t->before;

	strbuf_addstr(out, mark);
	for (size_t k = 0; k < b->n; k++) {
		add_elem(w, b, k, mark, out);
		if (k == w->r->t->symbol)
			strbuf_addf(out, "@%s", pos);
	}
	strbuf_addch(out, '\n');
}

/* Statements whose last ";" did not change. */
static bool lacks_semicolon(const struct tmpl_side *s)
{
	for (size_t k = 0; k + 1 < s->n; k++)
		if (elem_is(s, k, ";"))
			return !elem_is(s, s->n - 1, ";") && !elem_is(s, s->n - 1, "}");
	return false;
}

/* A tag alone is no expression: with the word in front of it. */
static void tag_rename(struct writer *w, struct strbuf *out)
{
	const char *word = starts_with(w->c->title, "union ") ? "union " :
			   starts_with(w->c->title, "enum ") ? "enum " : "struct ";
	struct strbuf was = STRBUF_INIT, is = STRBUF_INIT;

	add_side(w, &w->r->t->before, word, &was);
	add_side(w, &w->r->t->after, word, &is);
	strbuf_addf(out, "@depends on patch@\n@@\n- %s+ %s", was.buf, is.buf);
	strbuf_release(&was);
	strbuf_release(&is);
}

static void plain(struct writer *w, const char *guards, struct strbuf *out)
{
	const struct tmpl *t = w->r->t;
	struct strbuf names = STRBUF_INIT;
	size_t start;

	if (learn_is_read_only(w->c, w->r)) {
		strbuf_addf(out, "@w depends on patch@\n%sexpression X;\nassignment operator op;\nposition p;\n@@\n",
			    w->decls.buf);
		add_marked(w, "  ", "p", out);
		strbuf_splice(out, out->len - 1, 0, " op X", 5);
		strbuf_addf(&names, "w.p%s%s", guards ? ", " : "", guards ? guards : "");
		strbuf_addch(out, '\n');
		guards = names.buf;
	}
	strbuf_addf(out, "@depends on patch@\n%s", w->decls.buf);
	if (guards) {
		strbuf_addf(out, "position p != { %s };\n@@\n", guards);
		add_marked(w, "- ", "p", out);
	} else {
		strbuf_addstr(out, "@@\n");
		add_side(w, &t->before, "- ", out);
	}
	start = out->len;
	add_side(w, &t->after, "+ ", out);
	if (lacks_semicolon(&t->before) && out->len > start) {
		strbuf_splice(out, out->len - 1, 0, ";", 1);
		strbuf_splice(out, start - 1, 0, ";", 1);
	}
	strbuf_release(&names);
}

/* ---- one rule ------------------------------------------------------------------------- */

static const char *cannot(const struct writer *w)
{
	const struct tmpl *t = w->r->t;
	size_t s = t->symbol;

	if (w->c->place == LEARN_MEMBER && !w->r->designator && !w->object_var &&
	    !(only_name(&t->before) && only_name(&t->after)))
		return s == 0 && t->before.n > 1 ? "the object in front of the member is cut off"
						 : "the type of the object cannot be said";
	if (w->r->designator && !(only_name(&t->before) && only_name(&t->after)) && !elem_is(&t->before, 0, "."))
		return "a part of an initialiser";
	if (t->deletes && !is_statement(&t->before) && !w->r->object && !elem_is(&t->before, 0, "|") &&
	    !elem_is(&t->before, t->before.n - 1, "|"))
		return "an expression that goes away";
	return NULL;
}

static void write_rule(struct writer *w, const char *guards, struct strbuf *out)
{
	const struct tmpl *t = w->r->t;

	if (w->c->place == LEARN_MEMBER && only_name(&t->before) && only_name(&t->after))
		member_rename(w, out);
	else if (w->c->place == LEARN_TAG && only_name(&t->before) && only_name(&t->after))
		tag_rename(w, out);
	else if (w->c->place == LEARN_MEMBER && only_name(&t->before))
		plain(w, guards, out);
	else if (w->r->object)
		in_initialiser(w, out);
	else if (t->deletes && elem_is(&t->before, 0, "|"))
		drop_operand(w, false, out);
	else if (t->deletes && elem_is(&t->before, t->before.n - 1, "|"))
		drop_operand(w, true, out);
	else
		plain(w, guards, out);
}

static void write_guard(struct writer *w, size_t number, struct strbuf *out)
{
	strbuf_addf(out, "@g%zu depends on patch@\n%sposition p;\n@@\n", number, w->decls.buf);
	add_marked(w, "  ", "p", out);
}

static void header_rule(struct learn_rule *r, const struct learn_change *c)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "@depends on patch@\n@@\n- #include <%s>\n+ #include <%s>\n", c->name, r->header);
	r->smpl = strbuf_detach(&sb, NULL);
}

static void write_one(struct learn *l, struct learn_change *c, struct learn_rule *r, size_t number,
		      const char *guards)
{
	struct writer w = { .c = c, .r = r, .old_ix = l->pair->old_ix, .new_ix = l->pair->new_ix, .decls = STRBUF_INIT };
	struct strbuf out = STRBUF_INIT;
	const char *why;

	find_object(&w);
	declare_vars(&w, &r->t->before);
	declare_vars(&w, &r->t->after);
	declare_typedefs(&w, &r->t->before);
	declare_typedefs(&w, &r->t->after);
	why = cannot(&w);
	if (why) {
		r->why_not = xstrdup(why);
	} else {
		if (r->guard)
			write_guard(&w, number, &out);
		else
			write_rule(&w, guards, &out);
		r->smpl = strbuf_detach(&out, NULL);
	}
	strbuf_release(&w.decls);
	strbuf_release(&out);
}

void smpl_rules(struct learn *l, struct learn_change *c)
{
	struct strbuf guards = STRBUF_INIT;
	size_t number = 0;

	for (size_t k = 0; k < c->nrules; k++) {
		struct learn_rule *r = &c->rule[k];

		if (!r->chosen || r->cb || !r->guard)
			continue;
		write_one(l, c, r, ++number, NULL);
		if (r->smpl)
			strbuf_addf(&guards, "%sg%zu.p", guards.len ? ", " : "", number);
	}
	for (size_t k = 0; k < c->nrules; k++) {
		struct learn_rule *r = &c->rule[k];

		if (!r->chosen || r->guard)
			continue;
		if (r->cb)
			callback_rule_smpl(c, r, k + 1);
		else if (r->header)
			header_rule(r, c);
		else
			write_one(l, c, r, 0, guards.len ? guards.buf : NULL);
	}
	strbuf_release(&guards);
}

/* ---- the file ---------------------------------------------------------------------------- */

char *smpl_name(const struct learn_change *c)
{
	struct strbuf sb = STRBUF_INIT;

	for (const char *p = c->title; *p; p++)
		if (!starts_with(p, "struct ") || p != c->title)
			strbuf_addch(&sb, isalnum((unsigned char)*p) || *p == '_' ? *p : '-');
	if (starts_with(c->title, "struct "))
		strbuf_splice(&sb, 0, 6, "", 0);
	return strbuf_detach(&sb, NULL);
}

/* The rule's support and scores, as comments in front of it. */
static void add_evidence(const struct learn *l, const struct learn_rule *r, struct strbuf *out)
{
	double p = learn_precision(&r->score);

	strbuf_addf(out, "// %zu files", r->support);
	if (p >= 0)
		strbuf_addf(out, "; right in %.1f %% of %zu uses in files that it was not learned from", p * 100,
			    learn_right(&r->score) + r->score.wrong + r->score.alone);
	strbuf_addstr(out, "; such as\n");
	for (size_t i = 0; i < r->support && i < 3; i++)
		strbuf_addf(out, "//\t%s\n", l->paths.v[r->files[i]]);
}

static double worst(const struct learn_change *c, enum risk *risk)
{
	double least = 1;

	*risk = RISK_SAFE;
	for (size_t k = 0; k < c->nrules; k++) {
		const struct learn_rule *r = &c->rule[k];
		double p = learn_precision(&r->score);

		if (!r->chosen || r->guard || !r->smpl)
			continue;
		least = p < least ? p : least;
		*risk = r->risk > *risk ? r->risk : *risk;
	}
	return least;
}

/* A symbol that stays is replaced in its older form: by its number of parameters. */
static void add_replaces(const struct learn_change *c, struct strbuf *out)
{
	const struct api_symbol *was = c->change->from;
	bool variadic = false;

	strbuf_addf(out, c->place == LEARN_HEADER ? "// Replaces: <%s>" : "// Replaces: %s", c->title);
	if (c->place == LEARN_NAME && was && was->params && c->change->to &&
	    sig_arity(was->params, &variadic) != sig_arity(c->change->to->params, &variadic))
		strbuf_addf(out, "/%zu", sig_arity(was->params, &variadic));
	strbuf_addch(out, '\n');
}

static void add_head(const struct learn *l, const struct learn_change *c, struct strbuf *out)
{
	enum risk risk;
	double p = worst(c, &risk), safety = learn_safety(&c->score);

	strbuf_addf(out, "// SPDX-License-Identifier: GPL-2.0-only\n/// %s changed between %s and %s:\n/// %s.\n"
		    "/// The rules do what the kernel's own files did.\n//\n", c->title,
		    l->pair->from->name, l->pair->to->name, c->text);
	strbuf_addf(out, "// Title: follow the change of %s\n", c->title);
	add_replaces(c, out);
	strbuf_addf(out, "// Since: %s\n", l->pair->to->name);
	strbuf_addf(out, "// Confidence: %s\n", p >= 0.98 ? "High" : p >= 0.95 ? "Moderate" : "Low");
	strbuf_addf(out, "// Risk: %s\n", risk == RISK_SAFE ? "safe" : "review");
	strbuf_addf(out, "// Comments: learned from %zu files; of %zu uses in files left out of the learning\n"
		    "//\t%zu became what the kernel has, %zu something else, %zu no rule matched", c->files,
		    learn_right(&c->score) + c->score.wrong + c->score.missed, learn_right(&c->score),
		    c->score.wrong, c->score.missed);
	if (safety >= 0)
		strbuf_addf(out, ";\n//\tof %zu that the kernel left alone %zu were changed", c->score.kept,
			    c->score.alone);
	strbuf_addstr(out, "\n//\nvirtual patch\n");
}

bool smpl_file(const struct learn *l, const struct learn_change *c, struct strbuf *out)
{
	bool any = false;

	for (size_t k = 0; k < c->nrules; k++)
		any |= c->rule[k].chosen && !c->rule[k].guard && c->rule[k].smpl;
	if (!any)
		return false;
	add_head(l, c, out);
	for (int guard = 1; guard >= 0; guard--)
		for (size_t i = 0; i < c->nrules; i++) {
			const struct learn_rule *r = &c->rule[i];

			if (!r->chosen || r->guard != guard || !r->smpl)
				continue;
			strbuf_addch(out, '\n');
			if (guard)
				strbuf_addstr(out, "// Left alone: the files differ in what they did.\n");
			else
				add_evidence(l, r, out);
			strbuf_addstr(out, r->smpl);
		}
	return true;
}
