// SPDX-License-Identifier: GPL-2.0-only
/*
 * Members of kernel structures that the target does not have under that name:
 * moved into or out of a nested structure, renamed, hidden behind accessor
 * functions, or gone. All uses in the driver are rewritten together.
 */
#include "base/compat.h"
#include "port/propose.h"

#include "base/alloc.h"
#include "port/accessor.h"
#include "port/ctype.h"
#include "port/memberuse.h"
#include "port/names.h"
#include "port/usage.h"

#define TAGS (API_STRUCT | API_UNION)

struct work {
	const struct propose_ctx *c;
	const char *type;		/* "struct foo" */
	const char *member;
	const struct api_symbol *old;	/* in the old kernel, or NULL */
	struct member_uses uses;
	struct edit_group_list *out;
};

/* ---- groups ---------------------------------------------------------------- */

static void say_member(struct edit_group *g, const struct work *w)
{
	if (w->old && w->old->type)
		edit_group_why(g, "%s of %s had the member '%s' of type '%s'.", w->type,
			       w->c->from->name, w->member, w->old->type);
	else
		edit_group_why(g, "%s has no member '%s' in %s.", w->type, w->member,
			       propose_target(w->c));
}

static struct edit_group *start(const struct work *w, enum risk risk, double score)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "member", risk, score);

	g->symbol = xstrfmt("%s.%s", w->type, w->member);
	say_member(g, w);
	return g;
}

static void keep(struct work *w, struct edit_group *g)
{
	if (g->n)
		edit_group_list_add(w->out, g);
	else
		edit_group_free(g);
}

/* The name of the member at every use becomes "path". */
static void rename_uses(struct edit_group *g, const struct work *w, const char *path)
{
	for (size_t i = 0; i < w->uses.n; i++) {
		const struct member_use *u = &w->uses.u[i];
		const struct ctok *t = &srcfile_toks(u->f)->t[u->tok];

		edit_add(g, u->f->path, t->off, t->off + t->len, path);
	}
}

static bool new_member(const struct work *w, const char *type, const char *name)
{
	return w->c->old_ix && !api_member(w->c->old_ix, type, name);
}

static bool same_callback(const struct api_symbol *a, const struct api_symbol *b)
{
	struct csig sa = { 0 }, sb = { 0 };
	bool same = false;

	if (!a->params || !b->params || !a->type || !b->type)
		return false;
	if (csig_parse_parts(a->type, a->params, &sa)) {
		if (csig_parse_parts(b->type, b->params, &sb)) {
			same = sa.n == sb.n && ctype_equal(sa.ret, sb.ret);
			for (size_t i = 0; i < sa.n && same; i++)
				same = ctype_equal_unqualified(sa.p[i].type, sb.p[i].type);
			csig_release(&sb);
		}
		csig_release(&sa);
	}
	return same;
}

static bool same_member_type(const struct api_symbol *a, const struct api_symbol *b)
{
	if (!a || !b || !a->type || !b->type)
		return false;
	if (a->params || b->params)
		return same_callback(a, b);
	return ctype_equal_unqualified(a->type, b->type);
}

/* ---- moved ----------------------------------------------------------------- */

static void propose_path(struct work *w, const char *path, bool moved)
{
	const char *last = strrchr(path, '.');
	bool same = !strcmp(last ? last + 1 : path, w->member);
	/* "mutex" of "struct device" was there already, and is not what "bd_mutex" was. */
	enum risk risk = moved ? RISK_SAFE : same ? RISK_REVIEW : RISK_SHOWN;
	struct edit_group *g = start(w, risk, moved ? 0.9 : 0.6);

	rename_uses(g, w, path);
	edit_group_title(g, "use %s of %s in place of %s", path, w->type, w->member);
	edit_group_why(g, "In %s it is '%s'.", propose_target(w->c), path);
	keep(w, g);
}

/* Where the member may have gone: a path, and how many words it has that the old name has not. */
struct nested {
	char *path;
	bool moved;	/* new in the structure that holds it: not another thing by that name */
	size_t extra;
};
struct nested_list {
	struct nested *v;
	size_t n, alloc;
};

static void add_nested(struct nested_list *l, const struct work *w, const char *path, bool moved)
{
	struct strvec have = STRVEC_INIT, old = STRVEC_INIT;
	struct nested n = { .moved = moved };

	if (!name_has_words(path, w->member))
		return;
	name_words(path, &have);
	name_words(w->member, &old);
	for (size_t i = 0; i < have.n; i++)
		n.extra += !strvec_contains(&old, have.v[i]);
	strvec_release(&have);
	strvec_release(&old);
	n.path = xstrdup(path);
	ALLOC_GROW(l->v, l->n + 1, l->alloc);
	l->v[l->n++] = n;
}

static bool is_embedded(const struct api_symbol *m)
{
	return m->type && !m->params && starts_with(m->type, "struct ") && !strchr(m->type, '*') &&
	       !strchr(m->type, '[');
}

/* Structures embedded in ours that hold the member now, at most two levels deep. */
static void find_nested(const struct work *w, const char *type, const char *prefix, int depth,
			struct nested_list *out)
{
	const struct api_symbol **v = NULL;
	size_t n = api_members(w->c->new_ix, type, &v);

	for (size_t i = 0; i < n; i++) {
		const struct api_symbol **in = NULL;
		char *path;
		size_t k, nin;

		if (!is_embedded(v[i]))
			continue;
		path = xstrfmt("%s%s%s", prefix, *prefix ? "." : "", v[i]->path ? v[i]->path : v[i]->name);
		nin = api_members(w->c->new_ix, v[i]->type, &in);
		for (k = 0; k < nin; k++) {
			const char *name = in[k]->path ? in[k]->path : in[k]->name;
			char *full = xstrfmt("%s.%s", path, name);

			/* "hardreset" in "reset", "pmp_hardreset" as "hardreset" in "pmp_reset" */
			if (name_has_words(w->member, in[k]->name) && same_member_type(w->old, in[k]))
				add_nested(out, w, full, new_member(w, v[i]->type, in[k]->name));
			free(full);
		}
		free(in);
		if (depth < 2)
			find_nested(w, v[i]->type, path, depth + 1, out);
		free(path);
	}
	free(v);
}

static void propose_nested(struct work *w)
{
	const struct api_symbol **v = NULL;
	struct nested_list l = { 0 };
	size_t n = api_members(w->c->new_ix, w->type, &v), best = SIZE_MAX, ties = 0;

	/* In a nested structure without a tag. */
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i]->name, w->member) && v[i]->path && strcmp(v[i]->path, w->member) &&
		    same_member_type(w->old, v[i]))
			add_nested(&l, w, v[i]->path, true);
	free(v);
	if (w->old)
		find_nested(w, w->type, "", 1, &l);
	for (size_t i = 0; i < l.n; i++) {
		if (l.v[i].extra < best) {
			best = l.v[i].extra;
			ties = 0;
		}
		ties += l.v[i].extra == best;
	}
	for (size_t i = 0; i < l.n; i++) {
		propose_path(w, l.v[i].path, l.v[i].moved && l.v[i].extra == best && ties == 1);
		free(l.v[i].path);
	}
	free(l.v);
}

/* "x->outer.inner" where the target has "inner" in the structure itself. */
static void propose_flattened(struct work *w)
{
	struct edit_group *g;
	const char *inner_name = NULL;
	char *inner = NULL;

	if (!w->old || !w->old->type || !starts_with(w->old->type, "struct "))
		return;
	g = start(w, RISK_REVIEW, 0.8);
	for (size_t i = 0; i < w->uses.n; i++) {
		const struct member_use *u = &w->uses.u[i];
		const struct ctoks *ts = srcfile_toks(u->f);
		const struct api_symbol *o, *n;

		if (!ctok_is(ts, u->tok + 1, ".") || !ctok_is_ident(ts, u->tok + 2))
			continue;
		free(inner);
		inner = ctok_dup(ts, u->tok + 2);
		o = api_member(w->c->old_ix, w->old->type, inner);
		n = api_member(w->c->new_ix, w->type, inner);
		if (!n || !same_member_type(o, n) || !new_member(w, w->type, inner))
			continue;
		inner_name = n->name;
		edit_add(g, u->f->path, ts->t[u->tok].off, ts->t[u->tok + 2].off, "");
	}
	edit_group_title(g, "use %s of %s directly", inner_name ? inner_name : w->member, w->type);
	edit_group_why(g, "%s has '%s' in the structure itself.", propose_target(w->c),
		       inner_name ? inner_name : "");
	keep(w, g);
	free(inner);
}

/* ---- renamed --------------------------------------------------------------- */

static void propose_name(struct work *w, const char *to, double score, const char *evidence)
{
	struct edit_group *g = start(w, RISK_REVIEW, score);

	rename_uses(g, w, to);
	edit_group_title(g, "use %s of %s in place of %s", to, w->type, w->member);
	edit_group_why(g, "%s has the member '%s': %s.", propose_target(w->c), to, evidence);
	keep(w, g);
}

static bool diff_renames(struct work *w)
{
	const struct api_change **v = NULL;
	size_t n = w->c->diff ? api_diff_lookup(w->c->diff, w->type, &v) : 0;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		const struct api_change *ch = v[i];

		if (!ch->member || strcmp(ch->member, w->member) || !ch->to_name)
			continue;
		if (ch->kind == CHANGE_MEMBER_MOVED) {
			propose_path(w, ch->to_name, ch->confidence >= 0.9);
			any = true;
		}
		if (ch->kind != CHANGE_MEMBER_RENAMED || names_opposed(w->member, ch->to_name) ||
		    !api_member(w->c->new_ix, w->type, ch->to_name))
			continue;
		propose_name(w, ch->to_name, 0.85 * ch->confidence,
			     ch->evidence ? ch->evidence : "the two kernels' structures agree");
		any = true;
	}
	free(v);
	return any;
}

static void propose_renamed(struct work *w)
{
	const struct api_symbol **v = NULL, *best = NULL;
	double score = 0, second = 0;
	size_t n;

	if (diff_renames(w) || !w->old)
		return;
	n = api_members(w->c->new_ix, w->type, &v);
	for (size_t i = 0; i < n; i++) {
		double s;

		if (!new_member(w, w->type, v[i]->name) || !same_member_type(w->old, v[i]) ||
		    names_opposed(w->member, v[i]->name))
			continue;
		s = names_similarity(w->member, v[i]->name);
		if (v[i]->order == w->old->order)
			s += 0.2;
		if (s > score) {
			second = score;
			score = s;
			best = v[i];
		} else if (s > second) {
			second = s;
		}
	}
	if (best && score >= 0.34 && score - second >= 0.1)
		propose_name(w, best->path ? best->path : best->name,
			     0.3 + 0.4 * (score > 1 ? 1 : score),
			     "it is new, has the same type and no other new member is as much alike");
	free(v);
}

/* ---- accessors ------------------------------------------------------------- */

static bool rewrite_use(struct edit_group *g, const struct accessors *a, const struct member_use *u)
{
	char *p = member_base_pointer(u);
	const struct ctoks *ts = srcfile_toks(u->f);
	struct strbuf text = STRBUF_INIT;
	bool ok = accessor_write(a, u, p, &text);

	if (ok) {
		size_t end = u->kind == USE_ASSIGN ? ts->t[u->semi].off :
						     ts->t[u->tok].off + ts->t[u->tok].len;

		edit_add(g, u->f->path, srcfile_span_start(u->f, u->base), end, text.buf);
	}
	strbuf_release(&text);
	free(p);
	return ok;
}

static void propose_accessors(struct work *w)
{
	struct accessors a = { 0 };
	struct edit_group *g;
	bool read_only = w->c->b->diag.kind == DIAG_READ_ONLY;

	if (!w->old || !w->old->type || w->old->params)
		return;
	accessors_find(w->c, w->type, w->old, &a);
	g = start(w, RISK_REVIEW, a.is_new ? 0.75 : 0.45);
	for (size_t i = 0; i < w->uses.n; i++)
		if ((w->uses.u[i].kind == USE_READ && !read_only) ||
		    w->uses.u[i].kind == USE_ASSIGN)
			rewrite_use(g, &a, &w->uses.u[i]);
	edit_group_title(g, "use the accessors of %s.%s", w->type, w->member);
	accessors_say(&a, g, propose_target(w->c));
	keep(w, g);
}

/* ---- gone ------------------------------------------------------------------ */

/* A value whose loss takes no function away: THIS_MODULE, true, a constant. */
static bool is_plain_value(const struct work *w, const struct member_use *u)
{
	const struct ctoks *ts = srcfile_toks(u->f);
	char *name;
	bool plain;

	if (u->value.end != u->value.first + 1)
		return false;
	if (ts->t[u->value.first].kind == CTOK_NUMBER)
		return true;
	if (!ctok_is_ident(ts, u->value.first))
		return false;
	name = ctok_dup(ts, u->value.first);
	plain = !strcmp(name, "THIS_MODULE") || !strcmp(name, "NULL") || !strcmp(name, "true") ||
		!strcmp(name, "false") || (!tree_defines(w->c->tree, name) &&
			api_lookup(w->c->new_ix, name, API_MACRO | API_ENUMERATOR));
	free(name);
	return plain;
}

static void drop_initialiser(struct edit_group *g, const struct member_use *u)
{
	const struct ctoks *ts = srcfile_toks(u->f);
	const struct ctok *dot = &ts->t[u->tok - 1], *last = &ts->t[u->value.end - 1];
	size_t from = dot->off, to = last->off + last->len;

	if (ctok_is(ts, u->value.end, ","))
		to = ts->t[u->value.end].off + 1;
	/* The whole line when nothing else stands on it. */
	if (dot->flags & CTOK_BOL) {
		size_t end = to;

		while (end < u->f->len && (u->f->text[end] == ' ' || u->f->text[end] == '\t' ||
					   u->f->text[end] == '\r'))
			end++;
		if (end < u->f->len && u->f->text[end] == '\n') {
			to = end + 1;
			while (from > 0 && u->f->text[from - 1] != '\n')
				from--;
		}
	}
	edit_add(g, u->f->path, from, to, "");
}

/* NULL: what an initialiser that does not name the member gives it as well. */
static bool is_null_value(const struct member_use *u)
{
	const struct ctoks *ts = srcfile_toks(u->f);

	return u->kind == USE_INIT && u->value.end == u->value.first + 1 &&
	       ctok_is(ts, u->value.first, "NULL");
}

/* Nothing was asked for, so nothing is lost. */
static void propose_null_dropped(struct work *w)
{
	struct edit_group *g = start(w, RISK_SAFE, 0.9);

	for (size_t i = 0; i < w->uses.n; i++)
		if (is_null_value(&w->uses.u[i]))
			drop_initialiser(g, &w->uses.u[i]);
	edit_group_title(g, "do not set %s of %s to NULL", w->member, w->type);
	edit_group_why(g, "NULL is what a member that is not named gets, and %s has no such member.",
		       propose_target(w->c));
	keep(w, g);
}

/* A function of the old kernel that the target has nowhere. */
static bool is_gone_function(const struct work *w, const struct member_use *u)
{
	const struct ctoks *ts = srcfile_toks(u->f);
	bool gone = false;
	char *name;

	if (u->kind == USE_INIT && u->value.end == u->value.first + 1 && ctok_is_ident(ts, u->value.first)) {
		name = ctok_dup(ts, u->value.first);
		gone = w->c->old_ix && api_lookup(w->c->old_ix, name, API_ANY_CALLABLE) && !tree_defines(w->c->tree, name) &&
		       !api_lookup(w->c->new_ix, name, API_ANY) && !api_is_exported(w->c->new_ix, name, NULL, NULL);
		free(name);
	}
	return gone;
}

/* The kernel took back the member and the function of its own that drivers put there. */
static void propose_both_gone(struct work *w)
{
	struct edit_group *g = start(w, RISK_REVIEW, 0.5);

	for (size_t i = 0; i < w->uses.n; i++)
		if (is_gone_function(w, &w->uses.u[i]))
			drop_initialiser(g, &w->uses.u[i]);
	edit_group_title(g, "drop %s of %s", w->member, w->type);
	edit_group_why(g, "%s has neither the member nor the kernel's function that it was set to.", propose_target(w->c));
	keep(w, g);
}

/* Shown only: that the core does without it is for a rule or a person to know. */
static void propose_dropped(struct work *w)
{
	struct edit_group *g = start(w, RISK_SHOWN, 0.15);

	for (size_t i = 0; i < w->uses.n; i++)
		if (w->uses.u[i].kind == USE_INIT && is_plain_value(w, &w->uses.u[i]))
			drop_initialiser(g, &w->uses.u[i]);
	edit_group_title(g, "drop %s of %s", w->member, w->type);
	edit_group_why(g, "Nothing in the headers of %s takes its place.", propose_target(w->c));
	keep(w, g);
}

/* ---- dispatch -------------------------------------------------------------- */

/* "invalid use of undefined type": the member is what stands behind the operator. */
static char *member_behind(struct srcfile *f, size_t start)
{
	const struct ctoks *ts = srcfile_toks(f);
	size_t at = ctok_at(ts, start), from = at > 1 ? at - 1 : 0;

	for (size_t i = from; i + 1 < ts->n && i < at + 16; i++)
		if ((ctok_is(ts, i, "->") || ctok_is(ts, i, ".")) && ctok_is_ident(ts, i + 1))
			return ctok_dup(ts, i + 1);
	return NULL;
}

static char *plain_tag(const char *type)
{
	skip_prefix(type, "const ", &type);
	return starts_with(type, "struct ") || starts_with(type, "union ") ? xstrdup(type) : NULL;
}

/* Fills type and member from the diagnostic; false when they are not known. */
static bool what_member(const struct propose_ctx *c, struct srcfile *f, char **type, char **member)
{
	const struct diag *d = &c->b->diag;
	uint32_t tok;

	*member = d->kind == DIAG_INCOMPLETE_TYPE ? member_behind(f, c->b->start) :
						    xstrdup(d->symbol);
	*type = d->type ? plain_tag(d->type) : NULL;
	if (!*type && *member) {
		tok = member_site(c, f, *member);
		*type = tok == CTOK_NONE ? NULL : member_base_type(c, f, tok);
	}
	return *type && *member;
}

static void propose_all_ways(struct work *w)
{
	if (w->c->b->diag.kind == DIAG_NO_MEMBER) {
		propose_nested(w);
		propose_flattened(w);
		propose_renamed(w);
	}
	propose_accessors(w);
	if (w->c->b->diag.kind == DIAG_NO_MEMBER) {
		propose_null_dropped(w);
		propose_both_gone(w);
		propose_dropped(w);
	}
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	struct srcfile *f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	struct work w = { .c = c, .out = out };
	char *type = NULL, *member = NULL;
	const char *tag;

	if (!f || !srcfile_is_c(f) || !what_member(c, f, &type, &member))
		goto out;
	tag = strchr(type, ' ') + 1;
	/* A structure of the driver's own is not the kernel's affair. */
	if (tree_defines(c->tree, tag))
		goto out;
	if (c->b->diag.kind != DIAG_INCOMPLETE_TYPE && !api_lookup(c->new_ix, tag, TAGS))
		goto out;
	w.type = type;
	w.member = member;
	w.old = c->old_ix ? api_member(c->old_ix, type, member) : NULL;
	member_uses_find(c, type, member, &w.uses);
	if (w.uses.n)
		propose_all_ways(&w);
out:
	member_uses_release(&w.uses);
	free(type);
	free(member);
	return 0;
}

const struct proposer propose_member = {
	.name = "member",
	.kinds = KIND_BIT(DIAG_NO_MEMBER) | KIND_BIT(DIAG_READ_ONLY) |
		 KIND_BIT(DIAG_INCOMPLETE_TYPE),
	.propose = propose,
};
