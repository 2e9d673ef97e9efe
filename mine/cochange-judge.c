// SPDX-License-Identifier: GPL-2.0-only
/* From changes and the users' edits to a class, or to the reason why it is no co-change. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/cochange-internal.h"
#include "mine/name-sim.h"
#include "mine/signature.h"

#define TAGS	  (API_STRUCT | API_UNION | API_ENUM)
#define CALLABLES (API_FUNCTION | API_INLINE | API_MACRO_FN)
#define CONSTANTS (API_MACRO | API_ENUMERATOR)
#define MAX_PAIRED 80	/* removals and additions among which renames are looked for */
#define MAX_DECL   300
#define MANY_IMPLEMENT 3

static const char *str(const struct cc_commit *cc, uint32_t id)
{
	return pool_str(&cc->pool, id);
}

/* ---- renames ------------------------------------------------------------------------------ */

static bool same_shape(const struct cc_change *a, const struct cc_change *b)
{
	if (!a->member != !b->member || (a->member && strcmp(a->symbol, b->symbol)))
		return false;
	if ((a->api & TAGS) || (b->api & TAGS))
		return a->api == b->api;
	if (a->member)
		return true;
	if ((a->api & CONSTANTS) || (b->api & CONSTANTS))
		return (a->api & CONSTANTS) && (b->api & CONSTANTS);
	return !(a->api & CALLABLES) == !(b->api & CALLABLES);
}

static bool same_signature(const struct cc_commit *cc, const struct header_sym *a, const struct header_sym *b)
{
	if (a->kind & (API_MACRO | API_ENUMERATOR))
		return (a->kind == API_MACRO ? a->body : a->type) == (b->kind == API_MACRO ? b->body : b->type);
	if (a->kind == API_MACRO_FN || b->kind == API_MACRO_FN) {
		bool va, vb;

		return sig_arity(str(cc, a->params), &va) == sig_arity(str(cc, b->params), &vb);
	}
	return sig_compare_types(str(cc, a->type), str(cc, b->type)) != SIG_DIFFERENT &&
	       sig_compare_params(str(cc, a->params), str(cc, b->params)) != SIG_DIFFERENT;
}

/* How well b is the new name of a; 0 for not at all. */
static double rename_score(const struct cc_commit *cc, const struct cc_change *a, const struct cc_change *b)
{
	const char *x = a->member ? a->member : a->symbol, *y = b->member ? b->member : b->symbol;
	bool swapped = a->lost && a->lost == b->gained && a->strong == b->strong;
	double sim = name_similarity(x, y);
	bool same;

	if (!swapped && sim < 0.5)
		return 0;
	same = same_signature(cc, a->from, b->to);
	/* Members that change places in every statement are one, whatever they are called. */
	if (a->member && swapped && same)
		return 0.5 * (sim > 0.5 ? sim : 0.5) + 0.5;
	if (name_opposite(x, y) && !(swapped && (sim > 0.8 || (same && (a->api & CONSTANTS)))))
		return 0;
	if (sim < 0.2 || (sim < 0.5 && !swapped) || (sim < 0.75 && !swapped && !same))
		return 0;
	if (swapped && !same && sim < 0.5)
		return 0;
	return 0.5 * sim + 0.3 * swapped + 0.2 * same;
}

/*
 * Users for certain. A symbol that moves from one user to another is neither lost nor
 * gained; a hook that many files define has them as its users.
 */
static double sure_users(const struct cc_commit *cc, const struct cc_change *ch)
{
	bool gone = ch->kind == CC_REMOVED || ch->kind == CC_RENAMED;

	if (ch->moved_to || ch->reincluded)
		return ch->strong;
	if (!ch->member && ((gone && ch->net > 0) || (ch->kind == CC_ADDED && ch->net < 0)))
		return 0;
	if (gone && !ch->member && ch->net == 0 && ch->strong < 3 && ch->strong)
		return 0;
	if (!ch->strong && (ch->impl >= MANY_IMPLEMENT || (ch->impl > 1 && ch->impl_spread && !(gone && ch->impl_gained))) && !cc->hdr[ch->header].owner && (gone || ch->kind == CC_SIGNATURE || ch->kind == CC_RETURN))
		return ch->impl;
	return ch->strong;
}

static void pair_renames(struct cc_commit *cc)
{
	size_t removed[MAX_PAIRED], added[MAX_PAIRED], nr = 0, na = 0;

	for (size_t i = 0; i < cc->nch; i++) {
		if (cc->ch[i].kind == CC_REMOVED && nr < MAX_PAIRED)
			removed[nr++] = i;
		if (cc->ch[i].kind == CC_ADDED && na < MAX_PAIRED)
			added[na++] = i;
	}
	for (size_t i = 0; i < nr; i++) {
		struct cc_change *a = &cc->ch[removed[i]], *best = NULL;
		double top = 0;

		for (size_t j = 0; j < na; j++) {
			struct cc_change *b = &cc->ch[added[j]];
			double s = b->kind == CC_ADDED && same_shape(a, b) ? rename_score(cc, a, b) : 0;

			if (s > top) {
				top = s;
				best = b;
			}
		}
		/* A name that others take up while the new one comes is no old one. */
		if (!best || (!sure_users(cc, a) && a->strong && best->strong))
			continue;
		a->kind = CC_RENAMED;
		a->to_name = best->member ? best->member : best->symbol;
		a->to = best->to;
		a->to_header = best->to_header;
		a->similarity = top;
		best->kind = CC_KIND_COUNT;
	}
}

/* What the users call now in place of what is gone: gained by as many of them as lost it. */
static const char *replacement(const struct cc_commit *cc, const struct cc_change *a)
{
	const struct strmap_entry *e;
	const char *best = NULL;
	double top = 0;

	strmap_for_each(&cc->gained, e) {
		uintptr_t n = (uintptr_t)e->value;
		double s;

		if (n > a->strong || n * 10 < a->strong * 6 || name_opposite(a->symbol, e->key))
			continue;
		s = (double)n / a->strong + name_similarity(a->symbol, e->key);
		for (size_t i = 0; i < cc->nch; i++)
			if (cc->ch[i].kind == CC_ADDED && !cc->ch[i].member && !strcmp(cc->ch[i].symbol, e->key))
				s += 1;
		if (s > top) {
			top = s;
			best = e->key;
		}
	}
	return top >= 1.3 ? best : NULL;
}

/* ---- classes -------------------------------------------------------------------------------- */

static bool is_hardened(const struct cc_commit *cc, const struct cc_change *ch)
{
	const char *a = ch->from ? str(cc, ch->from->type) : NULL, *b = ch->to ? str(cc, ch->to->type) : NULL;

	return a && b && ((strstr(b, "refcount_t") && !strstr(a, "refcount_t")) ||
			  (strstr(b, "struct kref") && !strstr(a, "struct kref")) ||
			  (ends_with(b, "[]") && !ends_with(a, "[]")));
}

static enum cochange_class class_of(const struct cc_commit *cc, const struct cc_change *ch)
{
	switch (ch->kind) {
	case CC_REMOVED:
		return ch->member ? COCHANGE_MEMBER : ch->reincluded ? COCHANGE_HEADER_MOVE : COCHANGE_REMOVAL;
	case CC_RENAMED:
		return ch->member ? COCHANGE_MEMBER : COCHANGE_RENAME;
	case CC_ADDED:
		return COCHANGE_ADOPTION;
	case CC_SIGNATURE:
	case CC_RETURN:
		return COCHANGE_SIGNATURE;
	case CC_CONST:
	case CC_MUST_CHECK:
		return COCHANGE_HARDENING;
	case CC_TYPE:
		return is_hardened(cc, ch) ? COCHANGE_HARDENING : ch->member ? COCHANGE_MEMBER : COCHANGE_SIGNATURE;
	case CC_KIND:
	case CC_ARITY:
		return COCHANGE_MACRO;
	case CC_VALUE:
		return COCHANGE_CONSTANT;
	case CC_BODY:
		return COCHANGE_SEMANTIC;
	case CC_ORDER:
		return COCHANGE_LAYOUT;
	case CC_MOVED:
	case CC_INCLUDE:
		return COCHANGE_HEADER_MOVE;
	case CC_EXPORT_GPL:
		return COCHANGE_LICENCE;
	case CC_NAMESPACE:
		return COCHANGE_NAMESPACE;
	case CC_KIND_COUNT:
		break;
	}
	return COCHANGE_NONE;
}

/* One file may leave the declaration of a function to a header; its own macro it must share with another. */
static double given_score(const struct cc_change *ch)
{
	if (ch->api & (API_FUNCTION | API_VARIABLE))
		return 2 * ch->given;
	return ch->given >= 2 || ch->strong >= 2 ? 2 * ch->given : 0;
}

/* Users that only may follow count for little, and for nothing where names are met by chance. */
static double score_of(const struct cc_commit *cc, const struct cc_change *ch)
{
	double s = sure_users(cc, ch), weak = ch->weak > 3 ? 3 : ch->weak;

	if (ch->given)
		return given_score(ch);
	if (ch->kind == CC_REMOVED && ch->moved_to && ch->member)
		return s * 3 + (weak >= 2 ? weak : 0);
	switch (ch->kind) {
	case CC_KIND_COUNT:
		return 0;
	case CC_ADDED:
		/* What one file adds and uses alone is its own affair. */
		return s >= 2 || (s && (ch->impl || cc->adopters >= 2 || cc->impl_only || (cc->nadded && (ch->api & (API_FUNCTION | API_VARIABLE))))) ? s : 0;
	case CC_REMOVED:
	case CC_RENAMED:
		return s * 3 + weak * 0.2;
	case CC_BODY:
		return weak >= 2 ? 0.1 * weak : 0;
	case CC_ORDER:
	case CC_KIND:
		return weak >= 2 ? 0.15 * weak : 0;
	case CC_INCLUDE:
		return s * 0.7;
	case CC_MOVED:
		return s * 1.2;
	default:
		return s * 3 + weak * 0.3;
	}
}

static double confidence_of(const struct cc_change *ch)
{
	double c = ch->strong >= 3 ? 0.95 : ch->strong == 2 ? 0.9 : ch->strong == 1 ? 0.8 :
		   0.5 + 0.05 * (ch->weak > 3 ? 3 : ch->weak);

	return ch->kind == CC_RENAMED ? c * (0.7 + 0.3 * ch->similarity) : c;
}

/* ---- texts ------------------------------------------------------------------------------------ */

static char *decl_of(const struct cc_commit *cc, const struct header_sym *s)
{
	struct strbuf out = { .buf = strbuf_slopbuf, .max = MAX_DECL };
	const char *type = str(cc, s->type), *params = str(cc, s->params), *body = str(cc, s->body);
	const char *name = str(cc, s->name);
	size_t n;

	if (s->kind & TAGS) {
		strbuf_addf(&out, "%s %s", s->kind == API_STRUCT ? "struct" : s->kind == API_UNION ? "union" : "enum", name);
	} else if (s->kind & (API_MACRO | API_MACRO_FN)) {
		strbuf_addf(&out, "#define %s", name);
		if (s->kind == API_MACRO_FN)
			strbuf_addf(&out, "(%s)", params ? params : "");
		if (body)
			strbuf_addf(&out, " %s", body);
	} else if (s->kind == API_ENUMERATOR) {
		strbuf_addf(&out, type ? "%s = %s" : "%s", name, type);
	} else if (params && (s->kind & (API_MEMBER | API_TYPEDEF | API_VARIABLE))) {
		strbuf_addf(&out, "%s (*%s)(%s)", type ? type : "", name, params);
	} else if (params) {
		strbuf_addf(&out, "%s%s%s(%s)", type ? type : "", type && !ends_with(type, "*") ? " " : "", name, params);
	} else if (type) {
		n = strcspn(type, "[:");
		while (n && type[n - 1] == ' ')
			n--;
		strbuf_addf(&out, "%.*s%s%s%s", (int)n, type, n && type[n - 1] != '*' ? " " : "", name, type + n);
	} else {
		strbuf_addstr(&out, name);
	}
	for (size_t i = 0; i < out.len; i++)
		if ((unsigned char)out.buf[i] < ' ')
			out.buf[i] = ' ';
	return strbuf_detach(&out, NULL);
}

static void reason(const struct cc_commit *cc, const struct cc_change *ch, struct strbuf *out)
{
	const char *m = ch->member ? ch->member : "", *dot = ch->member ? "." : "";

	strbuf_addf(out, "'%s%s%s' ", ch->symbol, dot, m);
	switch (ch->kind) {
	case CC_REMOVED:
		strbuf_addstr(out, ch->reincluded ? "is removed here, its users include another header" : "is removed");
		if (ch->moved_to)
			strbuf_addf(out, ", now %s'%s'", ch->member ? "in " : "", ch->moved_to);
		if (ch->to_name)
			strbuf_addf(out, ", '%s' takes its place", ch->to_name);
		break;
	case CC_RENAMED:
		strbuf_addf(out, "becomes '%s'", ch->to_name);
		break;
	case CC_ADDED: strbuf_addstr(out, ch->given ? "moves from the sources into the header" : "is new"); break;
	case CC_SIGNATURE: strbuf_addstr(out, "takes other parameters"); break;
	case CC_RETURN: strbuf_addstr(out, "returns another type"); break;
	case CC_CONST: strbuf_addstr(out, "changes its qualifiers"); break;
	case CC_MUST_CHECK: strbuf_addstr(out, "wants its result checked"); break;
	case CC_TYPE: strbuf_addstr(out, "has another type"); break;
	case CC_KIND: strbuf_addstr(out, "is another kind of symbol"); break;
	case CC_ARITY: strbuf_addstr(out, "takes another number of arguments"); break;
	case CC_VALUE: strbuf_addstr(out, "has another value"); break;
	case CC_BODY: strbuf_addstr(out, "does something else"); break;
	case CC_ORDER: strbuf_addstr(out, "stands elsewhere in the structure"); break;
	case CC_MOVED: strbuf_addf(out, "moves to '%s'", cc->hdr[ch->to_header].f->path); break;
	case CC_INCLUDE: strbuf_addf(out, "is no longer included by '%s'", cc->hdr[ch->header].f->path); break;
	case CC_EXPORT_GPL: strbuf_addstr(out, "is exported to GPL modules only"); break;
	case CC_NAMESPACE: strbuf_addstr(out, "is exported in a namespace"); break;
	case CC_KIND_COUNT: break;
	}
	if (ch->strong)
		strbuf_addf(out, "; %u of %zu users read follow", ch->strong, cc->users_read);
	else if (ch->weak)
		strbuf_addf(out, "; %u of %zu users read edit statements with it", ch->weak, cc->users_read);
}

/* ---- the verdict -------------------------------------------------------------------------------- */

struct ranked {
	size_t at;
	double score;
};

static int by_score(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void store_change(struct cc_commit *cc, struct cc_result *r, struct cc_change *ch, double score)
{
	struct cc_stored *st = &r->st[r->nst++];

	memset(st, 0, sizeof(*st));
	st->kind = ch->kind;
	st->cls = class_of(cc, ch);
	st->confirmed = score > 0;
	st->confidence = score > 0 ? confidence_of(ch) : 0;
	st->symbol = ch->member ? xstrfmt("%s.%s", ch->symbol, ch->member) : xstrdup(ch->symbol);
	st->to_name = xstrdup(ch->to_name);
	st->header = xstrdup(cc->hdr[ch->header].f->path);
	if (ch->from && ch->kind != CC_INCLUDE)
		st->old_decl = decl_of(cc, ch->from);
	if (ch->to && ch->kind != CC_INCLUDE)
		st->new_decl = decl_of(cc, ch->to);
}

/* Worth keeping although no user of this commit follows: others may. */
static bool is_breaking(const struct cc_change *ch)
{
	return ch->kind == CC_REMOVED || ch->kind == CC_RENAMED || ch->kind == CC_SIGNATURE || ch->kind == CC_ARITY;
}

static void filtered(struct cc_commit *cc, struct cc_result *r)
{
	if (cc->impl_only) {
		r->filter = FILTER_UNRELATED;
		r->reason = xstrfmt("only the implementation of what the headers declare follows (%zu of %zu files read)",
				    cc->impl_only, cc->users_read);
	} else {
		r->filter = FILTER_UNRELATED;
		r->reason = xstrfmt("no edit of %zu users read concerns the %zu changes of the headers", cc->users_read,
				    cc->nch);
	}
}

void cc_judge(struct cc_commit *cc, struct cc_result *r)
{
	struct ranked *list = xcalloc(cc->nch + 1, sizeof(*list));
	struct strbuf why = STRBUF_INIT;
	size_t n = 0;

	pair_renames(cc);
	for (size_t i = 0; i < cc->nch; i++) {
		struct cc_change *ch = &cc->ch[i];
		double s = score_of(cc, ch);

		if (s > 0 || is_breaking(ch))
			list[n++] = (struct ranked){ i, s };
		if (s > 0 && ch->kind == CC_REMOVED && !ch->member && (ch->api & CALLABLES) && ch->strong)
			ch->to_name = replacement(cc, ch);
	}
	qsort(list, n, sizeof(*list), by_score);
	r->st = xcalloc(CC_MAX_STORED, sizeof(*r->st));
	for (size_t i = 0; i < n && i < CC_MAX_STORED; i++)
		store_change(cc, r, &cc->ch[list[i].at], list[i].score);
	if (r->nst && r->st[0].confirmed) {
		r->cls = r->st[0].cls;
		r->confidence = r->st[0].confidence;
		r->nusers = cc->users_read ? (cc->users_confirm * cc->users_total + cc->users_read / 2) / cc->users_read : 0;
		reason(cc, &cc->ch[list[0].at], &why);
		r->reason = strbuf_detach(&why, NULL);
	} else {
		filtered(cc, r);
	}
	strbuf_release(&why);
	free(list);
}
