// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that the target no longer declares: functions, macros, constants, types.
 * Evidence, strongest first: the old kernel's own definition passed on to a name
 * that lives on; the difference of the two kernels; a name that is new, looks
 * alike and has the same type. The compiler's suggestion is not evidence.
 */
#include "base/compat.h"
#include "port/propose.h"

#include "base/alloc.h"
#include "base/error.h"
#include "port/ctype.h"
#include "port/forward.h"
#include "port/names.h"
#include "port/pairs.h"
#include "port/usage.h"

#define NOT_MEMBERS (API_ANY & ~API_MEMBER)
#define TAGS	    (API_STRUCT | API_UNION | API_ENUM)
#define MAX_HOPS    3
#define MIN_ALIKE   0.6 /* share of words: "poll_chained" and "poll_nested" with a third one */

/* ---- signatures ------------------------------------------------------------ */

static bool sig_of(const struct api_symbol *s, struct csig *out)
{
	return s->type && s->params && csig_parse_parts(s->type, s->params, out);
}

static bool params_equal(const struct csig *a, const struct csig *b)
{
	if (a->n != b->n || a->variadic != b->variadic)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!ctype_equal_unqualified(a->p[i].type, b->p[i].type))
			return false;
	return true;
}

/* Return type and parameters agree; int against bool is another convention. */
static bool same_signature(const struct api_symbol *a, const struct api_symbol *b)
{
	struct csig sa = { 0 }, sb = { 0 };
	bool same = false;

	if (sig_of(a, &sa)) {
		if (sig_of(b, &sb)) {
			same = ctype_equal(sa.ret, sb.ret) && params_equal(&sa, &sb);
			csig_release(&sb);
		}
		csig_release(&sa);
	}
	return same;
}

/* Both are known and differ: the callers would have to change with it. */
static bool return_differs(const struct api_symbol *a, const struct api_symbol *b)
{
	return a->kind & (API_FUNCTION | API_INLINE) && b->kind & (API_FUNCTION | API_INLINE) &&
	       a->type && b->type && !ctype_equal(a->type, b->type);
}

static size_t macro_arity(const struct api_symbol *s)
{
	struct strvec v = STRVEC_INIT;
	size_t n;

	strvec_split(&v, s->params ? s->params : "", ",");
	n = v.n;
	strvec_release(&v);
	return n;
}

static void declare(const struct api_symbol *s, struct strbuf *out)
{
	const char *sep = s->type && ends_with(s->type, "*") ? "" : " ";

	if (s->kind & (API_FUNCTION | API_INLINE))
		strbuf_addf(out, "%s%s%s(%s)", s->type ? s->type : "", sep, s->name,
			    s->params ? s->params : "");
	else if (s->kind == API_MACRO_FN)
		strbuf_addf(out, "#define %s(%s)", s->name, s->params ? s->params : "");
	else
		strbuf_addstr(out, s->name);
}

static const char *call_marks(const struct api_symbol *s)
{
	return s->kind & API_ANY_CALLABLE ? "()" : "";
}

/* ---- groups ---------------------------------------------------------------- */

static struct edit_group *rename_everywhere(const struct propose_ctx *c, const char *from,
					    const char *to, enum risk risk, double score)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "rename", risk, score);

	for (size_t i = 0; i < c->tree->n; i++)
		if (srcfile_is_c(c->tree->files[i]))
			edit_rename_ident(g, c->tree->files[i], from, to, false);
	g->symbol = xstrdup(from);
	return g;
}

static void keep(struct edit_group_list *out, struct edit_group *g)
{
	if (g->n)
		edit_group_list_add(out, g);
	else
		edit_group_free(g);
}

static void say_gone(struct edit_group *g, const struct propose_ctx *c, const struct api_symbol *old)
{
	struct strbuf d = STRBUF_INIT;

	declare(old, &d);
	edit_group_why(g, "'%s' (<%s> of %s) is gone in %s.", d.buf,
		       old->header ? old->header : "?", c->from->name, propose_target(c));
	strbuf_release(&d);
}

static void say_new(struct edit_group *g, const struct propose_ctx *c, const struct api_symbol *s)
{
	struct strbuf d = STRBUF_INIT;

	declare(s, &d);
	edit_group_why(g, "%s has '%s' in <%s>.", propose_target(c), d.buf,
		       s->header ? s->header : "?");
	strbuf_release(&d);
}

/* ---- the old kernel passed on ---------------------------------------------- */

static bool signature_kept(const struct propose_ctx *c, const char *name)
{
	const struct api_symbol *o = api_lookup(c->old_ix, name, API_ANY_CALLABLE);
	const struct api_symbol *n = api_lookup(c->new_ix, name, API_ANY_CALLABLE);

	if (!o || !n)
		return !o && !n;
	if (o->kind == API_MACRO_FN || n->kind == API_MACRO_FN)
		return o->kind == n->kind && macro_arity(o) == macro_arity(n);
	return same_signature(o, n);
}

static void propose_alias(const struct propose_ctx *c, const struct api_symbol *old,
			  const struct api_symbol *via, const char *to,
			  struct edit_group_list *out)
{
	const struct api_symbol *n = api_lookup(c->new_ix, to, NOT_MEMBERS);
	bool kept = !(n->kind & API_ANY_CALLABLE) || signature_kept(c, to);
	struct edit_group *g = rename_everywhere(c, old->name, to, kept ? RISK_SAFE : RISK_REVIEW,
						 kept ? 0.93 : 0.6);

	edit_group_title(g, "use %s%s in place of %s%s", to, call_marks(n), old->name,
			 call_marks(old));
	say_gone(g, c, old);
	edit_group_why(g, "In %s it only passed on to %s%s.", c->from->name, via->name == old->name ?
		       to : via->name, call_marks(n));
	say_new(g, c, n);
	keep(out, g);
}

static void propose_carry_over(const struct propose_ctx *c, const struct forward *fw,
			       struct edit_group_list *out)
{
	bool kept = fw->target && signature_kept(c, fw->target);
	struct edit_group *g = edit_group_new(EDIT_TYPED, "carry-over",
					      kept ? RISK_REVIEW : RISK_SHOWN, kept ? 0.6 : 0.4);

	g->symbol = xstrdup(fw->sym->name);
	for (size_t i = 0; i < c->tree->n; i++) {
		if (!srcfile_is_c(c->tree->files[i]))
			continue;
		if (forward_apply(fw, g, c->tree->files[i]) < 0) {
			edit_group_free(g);
			return;
		}
	}
	edit_group_title(g, "write out %s()", fw->sym->name);
	say_gone(g, c, fw->sym);
	edit_group_why(g, "In %s it stood for '%s', all names of which %s still has.",
		       c->from->name, fw->expr, propose_target(c));
	keep(out, g);
}

/* Follow pure forwards of "old" until one lives in the target. */
static bool alias_target(const struct propose_ctx *c, const struct api_symbol *old, char **to)
{
	const struct api_symbol *s = old;
	char *name = NULL;

	for (int hop = 0; hop < MAX_HOPS && s; hop++) {
		struct forward fw;
		bool live;

		if (!forward_parse(s, &fw))
			break;
		if (!fw.target || !fw.pure) {
			forward_release(&fw);
			break;
		}
		live = forward_is_live(&fw, c->new_ix);
		free(name);
		name = xstrdup(fw.target);
		forward_release(&fw);
		if (live) {
			*to = name;
			return true;
		}
		s = api_lookup(c->old_ix, name, API_INLINE | API_MACRO_FN | API_MACRO);
	}
	free(name);
	return false;
}

/*
 * What the old kernel was not built with says nothing of it: without SMP, the stub of
 * rdmsr_safe_on_cpu() reads whatever processor it runs on.
 */
static bool was_elsewhere(const struct api_symbol *const *old, size_t n, size_t i)
{
	for (size_t k = 0; k < n && !old[i]->active; k++)
		if (old[k]->active)
			return true;
	return false;
}

static void propose_forwards(const struct propose_ctx *c, const struct api_symbol *const *old,
			     size_t n, struct edit_group_list *out)
{
	for (size_t i = 0; i < n; i++) {
		struct forward fw;
		char *to = NULL;

		if (was_elsewhere(old, n, i))
			continue;
		if (alias_target(c, old[i], &to)) {
			if (strcmp(to, old[i]->name))
				propose_alias(c, old[i], old[i], to, out);
			free(to);
			continue;
		}
		if (!forward_parse(old[i], &fw))
			continue;
		if (!(fw.sym->kind & API_MACRO) && forward_is_live(&fw, c->new_ix))
			propose_carry_over(c, &fw, out);
		forward_release(&fw);
	}
}

/* ---- the difference of the kernels ----------------------------------------- */

static const struct api_symbol *best_of(const struct api_symbol *const *v, size_t n)
{
	return n ? v[0] : NULL;
}

static void propose_known_rename(const struct propose_ctx *c, const struct api_symbol *old,
				 const struct api_change *ch, struct edit_group_list *out)
{
	const struct api_symbol *to = ch->to;
	struct edit_group *g;
	const char *name = ch->to_name;
	double score = 0.85 * ch->confidence;

	if (!name || skip_prefix(name, "struct ", &name) || skip_prefix(name, "union ", &name))
		return; /* tags: below */
	if (!to)
		to = api_lookup(c->new_ix, name, old->kind & API_ANY_CALLABLE ? API_ANY_CALLABLE :
									       NOT_MEMBERS);
	if (!to || names_opposed(old->name, name) || return_differs(old, to) ||
	    rename_breaks_pair(c->tree, c->old_ix, c->new_ix, old->name, name))
		return;
	/* A macro's parameters have no types that could speak for it. */
	if (old->kind & (API_FUNCTION | API_INLINE) && to->kind == API_MACRO_FN)
		score *= 0.6;
	if (old->kind & to->kind & (API_FUNCTION | API_INLINE) && !same_signature(old, to))
		score *= 0.6;
	g = rename_everywhere(c, old->name, name, RISK_REVIEW, score);
	edit_group_title(g, "use %s%s in place of %s%s", name, call_marks(to), old->name,
			 call_marks(old));
	say_gone(g, c, old);
	say_new(g, c, to);
	if (ch->evidence)
		edit_group_why(g, "Evidence: %s.", ch->evidence);
	keep(out, g);
}

static void propose_diff(const struct propose_ctx *c, const struct api_symbol *old,
			 struct edit_group_list *out)
{
	const struct api_change **v = NULL;
	size_t n = c->diff ? api_diff_lookup(c->diff, old->name, &v) : 0;

	for (size_t i = 0; i < n; i++)
		if (v[i]->kind == CHANGE_RENAMED && !v[i]->member)
			propose_known_rename(c, old, v[i], out);
	free(v);
}

/* ---- alike and new --------------------------------------------------------- */

struct match {
	const struct api_symbol *best;
	double score, second;
};

static void consider(struct match *m, const struct api_symbol *s, double score)
{
	if (m->best && !strcmp(m->best->name, s->name))
		return;
	if (score > m->score) {
		m->second = m->score;
		m->score = score;
		m->best = s;
	} else if (score > m->second) {
		m->second = score;
	}
}

static bool is_new(const struct propose_ctx *c, const char *name)
{
	return !api_lookup(c->old_ix, name, NOT_MEMBERS);
}

static bool may_follow(const struct propose_ctx *c, const struct api_symbol *old,
		       const struct api_symbol *s)
{
	if (!is_new(c, s->name) || names_opposed(old->name, s->name))
		return false;
	if (old->kind == API_MACRO_FN || s->kind == API_MACRO_FN)
		return old->kind == s->kind && macro_arity(old) == macro_arity(s);
	return same_signature(old, s);
}

static void consider_all(const struct propose_ctx *c, const struct api_symbol *old,
			 const struct api_symbol **v, size_t n, struct match *m)
{
	for (size_t i = 0; i < n; i++) {
		double s = names_similarity(old->name, v[i]->name);

		if (s >= MIN_ALIKE && may_follow(c, old, v[i]))
			consider(m, v[i], s);
	}
}

static void match_callable(const struct propose_ctx *c, const struct api_symbol *old,
			   struct match *m)
{
	const struct api_symbol **v = NULL;
	struct csig sig = { 0 };
	size_t n;

	if (old->header) {
		n = api_in_header(c->new_ix, old->header, API_ANY_CALLABLE, &v);
		consider_all(c, old, v, n, m);
		free(v);
	}
	if (old->kind == API_MACRO_FN || !sig_of(old, &sig))
		return;
	for (size_t i = 0; i < sig.n && i < 2; i++) {
		char *base = ctype_base(sig.p[i].type);

		if (base && starts_with(base, "struct ")) {
			v = NULL;
			n = api_taking_type(c->new_ix, base, API_FUNCTION | API_INLINE, &v);
			consider_all(c, old, v, n, m);
			free(v);
		}
		free(base);
	}
	csig_release(&sig);
}

static void propose_similar(const struct propose_ctx *c, const struct api_symbol *old,
			    struct edit_group_list *out)
{
	struct match m = { 0 };
	struct edit_group *g;

	match_callable(c, old, &m);
	if (!m.best || m.score - m.second < 0.1 || 
	    rename_breaks_pair(c->tree, c->old_ix, c->new_ix, old->name, m.best->name))
		return;
	g = rename_everywhere(c, old->name, m.best->name, RISK_REVIEW, 0.25 + 0.45 * m.score);
	edit_group_title(g, "use %s() in place of %s()", m.best->name, old->name);
	say_gone(g, c, old);
	say_new(g, c, m.best);
	edit_group_why(g, "It is new there, has the same signature and no other new name is as "
		       "much alike.");
	keep(out, g);
}

/* ---- constants ------------------------------------------------------------- */

static bool same_value(const struct api_symbol *a, const struct api_symbol *b)
{
	const char *va = a->kind == API_MACRO ? a->body : a->type;
	const char *vb = b->kind == API_MACRO ? b->body : b->type;

	if (va && vb)
		return *va && !strcmp(va, vb);
	/* Enumerators without a value: the same place of the same enum. */
	return !va && !vb && a->kind == API_ENUMERATOR && b->kind == API_ENUMERATOR &&
	       a->order == b->order && a->parent && b->parent && *a->parent &&
	       !strcmp(a->parent, b->parent);
}

static bool same_family(const char *a, const char *b)
{
	size_t n = strcspn(a, "_");

	return a[n] && !strncmp(a, b, n + 1);
}

static void propose_constant(const struct propose_ctx *c, const struct api_symbol *old,
			     struct edit_group_list *out)
{
	const struct api_symbol **v = NULL;
	struct match m = { 0 };
	struct edit_group *g;
	size_t n = old->header ? api_in_header(c->new_ix, old->header,
					       API_MACRO | API_ENUMERATOR, &v) : 0;

	for (size_t i = 0; i < n; i++)
		if (same_value(old, v[i]) && same_family(old->name, v[i]->name) &&
		    is_new(c, v[i]->name) && !names_opposed(old->name, v[i]->name))
			consider(&m, v[i], names_similarity(old->name, v[i]->name));
	free(v);
	if (!m.best || m.score < 0.5 || m.score - m.second < 0.1)
		return;
	g = rename_everywhere(c, old->name, m.best->name, RISK_REVIEW, 0.25 + 0.4 * m.score);
	edit_group_title(g, "use %s in place of %s", m.best->name, old->name);
	say_gone(g, c, old);
	edit_group_why(g, "%s has %s with the same value in <%s>, which is new.", propose_target(c),
		       m.best->name, m.best->header);
	keep(out, g);
}

/* ---- types ----------------------------------------------------------------- */

/* Share of the members of "old" that "to" has with name and type. */
static double member_overlap(const struct propose_ctx *c, const char *old, const char *to)
{
	const struct api_symbol **v = NULL;
	char *po = xstrfmt("struct %s", old), *pn = xstrfmt("struct %s", to);
	size_t n = api_members(c->old_ix, po, &v), same = 0;

	for (size_t i = 0; i < n; i++) {
		const struct api_symbol *m = api_member(c->new_ix, pn, v[i]->name);

		same += m && m->type && v[i]->type && ctype_equal(m->type, v[i]->type);
	}
	free(v);
	free(po);
	free(pn);
	return n ? (double)same / (double)n : 0;
}

/* "struct from" -> "struct to" where the tag is written. */
static void rename_tag(struct edit_group *g, struct srcfile *f, const char *from, const char *to)
{
	const struct ctoks *ts = srcfile_toks(f);

	for (size_t i = 1; i < ts->n; i++)
		if (ctok_is(ts, i, from) && !(ts->t[i].flags & CTOK_DEAD) &&
		    (ctok_is(ts, i - 1, "struct") || ctok_is(ts, i - 1, "union") ||
		     ctok_is(ts, i - 1, "enum")))
			edit_add(g, f->path, ts->t[i].off, ts->t[i].off + ts->t[i].len, to);
}

static void propose_tag(const struct propose_ctx *c, const struct api_symbol *old, const char *to,
			double score, const char *evidence, struct edit_group_list *out)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "rename", RISK_REVIEW, score);

	for (size_t i = 0; i < c->tree->n; i++)
		if (srcfile_is_c(c->tree->files[i]))
			rename_tag(g, c->tree->files[i], old->name, to);
	g->symbol = xstrdup(old->name);
	edit_group_title(g, "use struct %s in place of struct %s", to, old->name);
	say_gone(g, c, old);
	edit_group_why(g, "%s", evidence);
	keep(out, g);
}

static void propose_type(const struct propose_ctx *c, const struct api_symbol *old,
			 struct edit_group_list *out)
{
	const struct api_change **ch = NULL;
	const struct api_symbol **v = NULL;
	char *full = xstrfmt("struct %s", old->name);
	struct match m = { 0 };
	size_t n = c->diff ? api_diff_lookup(c->diff, full, &ch) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *to = ch[i]->to_name;

		if (ch[i]->kind != CHANGE_RENAMED || ch[i]->member || !to)
			continue;
		skip_prefix(to, "struct ", &to);
		if (api_lookup(c->new_ix, to, old->kind) && !names_opposed(old->name, to))
			propose_tag(c, old, to, 0.85 * ch[i]->confidence,
				    ch[i]->evidence ? ch[i]->evidence : "Its members agree.", out);
	}
	free(ch);
	n = old->header ? api_in_header(c->new_ix, old->header, old->kind, &v) : 0;
	for (size_t i = 0; i < n; i++)
		if (!api_lookup(c->old_ix, v[i]->name, TAGS) && !names_opposed(old->name, v[i]->name))
			consider(&m, v[i], member_overlap(c, old->name, v[i]->name));
	free(v);
	if (m.best && m.score >= 0.6 && m.score - m.second >= 0.1)
		propose_tag(c, old, m.best->name, 0.3 + 0.4 * m.score,
			    "The target's new structure has the same members.", out);
	free(full);
}

/* "typedef struct foo foo_t" that went away: write what it stood for. */
static void propose_typedef(const struct propose_ctx *c, const struct api_symbol *old,
			    struct edit_group_list *out)
{
	const struct api_symbol **v = NULL;
	struct edit_group *g;
	char *base;
	const char *tag;
	size_t n;

	if (!old->type || strpbrk(old->type, "{([;"))
		return;
	n = old->header ? api_in_header(c->new_ix, old->header, API_TYPEDEF, &v) : 0;
	for (size_t i = 0; i < n; i++) {
		if (!v[i]->type || strcmp(v[i]->type, old->type) || !is_new(c, v[i]->name) ||
		    names_similarity(old->name, v[i]->name) < 0.5)
			continue;
		g = rename_everywhere(c, old->name, v[i]->name, RISK_REVIEW, 0.6);
		edit_group_title(g, "use %s in place of %s", v[i]->name, old->name);
		say_gone(g, c, old);
		edit_group_why(g, "Both stand for '%s'.", old->type);
		keep(out, g);
	}
	free(v);
	base = ctype_base(old->type);
	if (base && (skip_prefix(base, "struct ", &tag) || skip_prefix(base, "union ", &tag) ||
		     skip_prefix(base, "enum ", &tag)) && api_lookup(c->new_ix, tag, TAGS)) {
		g = rename_everywhere(c, old->name, old->type, RISK_REVIEW, 0.65);
		edit_group_title(g, "use %s in place of %s", old->type, old->name);
		say_gone(g, c, old);
		edit_group_why(g, "In %s it was a typedef of '%s'.", c->from->name, old->type);
		keep(out, g);
	}
	free(base);
}

/* ---- dispatch -------------------------------------------------------------- */

static void propose_for(const struct propose_ctx *c, const struct api_symbol *old,
			struct edit_group_list *out)
{
	if (old->kind & (API_ANY_CALLABLE | API_VARIABLE))
		propose_diff(c, old, out);
	if (old->kind & API_ANY_CALLABLE)
		propose_similar(c, old, out);
	if (old->kind & (API_MACRO | API_ENUMERATOR)) {
		propose_diff(c, old, out);
		propose_constant(c, old, out);
	}
	if (old->kind & (API_STRUCT | API_UNION))
		propose_type(c, old, out);
	if (old->kind & API_TYPEDEF)
		propose_typedef(c, old, out);
}

static const char *wanted(const struct diag *d, unsigned *kinds)
{
	const char *name = d->symbol, *type = d->type;

	*kinds = NOT_MEMBERS & ~TAGS;
	if (d->kind != DIAG_INCOMPLETE_TYPE)
		return name;
	*kinds = TAGS | API_MACRO;
	if (!type)
		return NULL;
	skip_prefix(type, "const ", &type);
	if (!skip_prefix(type, "struct ", &name) && !skip_prefix(type, "union ", &name))
		return NULL;
	return name;
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	const struct api_symbol **old = NULL;
	unsigned kinds;
	const char *name = wanted(&c->b->diag, &kinds);
	size_t n;

	/* What the target declares is a matter of includes; what the driver defines is its own. */
	if (!name || !c->old_ix || api_lookup(c->new_ix, name, kinds & ~API_MACRO) ||
	    (!(kinds & TAGS) && api_lookup(c->new_ix, name, kinds)) || tree_defines(c->tree, name))
		return 0;
	n = api_lookup_all(c->old_ix, name, kinds, &old);
	propose_forwards(c, old, n, out);
	if (n)
		propose_for(c, best_of(old, n), out);
	free(old);
	return 0;
}

const struct proposer propose_rename = {
	.name = "rename",
	.kinds = KIND_BIT(DIAG_IMPLICIT_FUNCTION) | KIND_BIT(DIAG_UNDECLARED) |
		 KIND_BIT(DIAG_UNKNOWN_TYPE) | KIND_BIT(DIAG_INCOMPLETE_TYPE) |
		 KIND_BIT(DIAG_SYNTAX) | KIND_BIT(DIAG_UNDEFINED_SYMBOL),
	.propose = propose,
};
