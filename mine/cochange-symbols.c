// SPDX-License-Identifier: GPL-2.0-only
/*
 * The declarations of both sides compared by name: ordinary identifiers, tags and
 * members each for themselves. What only one side has is a removal or an addition here;
 * whether the two are a rename is decided when the users were read.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/cochange-internal.h"
#include "mine/signature.h"

#define TAGS	  (API_STRUCT | API_UNION | API_ENUM)
#define CALLABLES (API_FUNCTION | API_INLINE | API_MACRO_FN)

struct entry {
	uint32_t domain, parent, name, at; /* at: index in the side's symbols */
};

struct entries {
	struct entry *e;
	size_t n;
};

static uint32_t domain_of(const struct header_sym *s)
{
	return s->kind == API_MEMBER ? 2 : s->kind & TAGS ? 1 : 0;
}

static int by_key(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;

	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static bool same_key(const struct entry *a, const struct entry *b)
{
	return a->domain == b->domain && a->parent == b->parent && a->name == b->name;
}

static struct entries entries_of(const struct header_syms *hs)
{
	struct entries es = { .e = xcalloc(hs->n + 1, sizeof(*es.e)) };

	for (size_t i = 0; i < hs->n; i++) {
		const struct header_sym *s = &hs->s[i];

		if (!s->name || (s->kind == API_MEMBER && !s->parent))
			continue;
		es.e[es.n].domain = domain_of(s);
		es.e[es.n].parent = s->kind == API_MEMBER ? s->parent : 0;
		es.e[es.n].name = s->name;
		es.e[es.n++].at = (uint32_t)i;
	}
	sort_items(es.e, es.n, sizeof(*es.e), by_key);
	return es;
}

static const char *str(const struct cc_commit *cc, uint32_t id)
{
	return pool_str(&cc->pool, id);
}

static const char *tag_name(struct cc_commit *cc, const struct header_sym *s)
{
	char *text = xstrfmt("%s %s", s->kind == API_STRUCT ? "struct" : s->kind == API_UNION ? "union" : "enum",
			     str(cc, s->name));
	const char *name = str(cc, pool_addstr(&cc->pool, text));

	free(text);
	return name;
}

static struct cc_change *add(struct cc_commit *cc, enum cc_kind kind, const struct header_sym *from,
			     const struct header_sym *to)
{
	const struct header_sym *s = from ? from : to;
	struct cc_change *ch;

	if (cc->nch >= CC_MAX_CHANGES)
		return NULL;
	ALLOC_GROW(cc->ch, cc->nch + 1, cc->ch_alloc);
	ch = &cc->ch[cc->nch++];
	memset(ch, 0, sizeof(*ch));
	ch->kind = kind;
	ch->api = s->kind;
	ch->from = from;
	ch->to = to;
	ch->header = s->header;
	ch->to_header = to ? to->header : s->header;
	if (s->kind == API_MEMBER) {
		ch->symbol = str(cc, s->parent);
		ch->member = str(cc, s->name);
	} else {
		ch->symbol = s->kind & TAGS ? tag_name(cc, s) : str(cc, s->name);
	}
	ch->callback = (s->kind & (API_MEMBER | API_TYPEDEF)) && s->params;
	return ch;
}

static enum sig_result worse(enum sig_result a, enum sig_result b)
{
	return a == SIG_DIFFERENT || b == SIG_DIFFERENT ? SIG_DIFFERENT :
	       a == SIG_QUALIFIERS || b == SIG_QUALIFIERS ? SIG_QUALIFIERS : SIG_SAME;
}

/* Texts: equal ones have equal numbers. */
static void compare_callable(struct cc_commit *cc, const struct header_sym *a, const struct header_sym *b)
{
	enum sig_result params = sig_compare_params(str(cc, a->params), str(cc, b->params));
	enum sig_result type = sig_compare_types(str(cc, a->type), str(cc, b->type));

	if (params == SIG_DIFFERENT)
		add(cc, CC_SIGNATURE, a, b);
	else if (type == SIG_DIFFERENT)
		add(cc, CC_RETURN, a, b);
	else if (worse(params, type) == SIG_QUALIFIERS)
		add(cc, CC_CONST, a, b);
	else if (a->must_check != b->must_check)
		add(cc, CC_MUST_CHECK, a, b);
	else if (a->body != b->body && a->body && b->body)
		add(cc, CC_BODY, a, b);
}

static void compare_kinds(struct cc_commit *cc, const struct header_sym *a, const struct header_sym *b)
{
	bool va, vb;

	if ((a->kind | b->kind) == (API_FUNCTION | API_INLINE)) {
		compare_callable(cc, a, b);
	} else if ((a->kind & CALLABLES) && (b->kind & CALLABLES)) {
		if (sig_arity(str(cc, a->params), &va) != sig_arity(str(cc, b->params), &vb) || va != vb)
			add(cc, CC_ARITY, a, b);
		else
			add(cc, CC_KIND, a, b);
	} else {
		add(cc, CC_KIND, a, b);
	}
}

static void compare_one(struct cc_commit *cc, const struct header_sym *a, const struct header_sym *b)
{
	bool va, vb;

	if (a->kind != b->kind) {
		compare_kinds(cc, a, b);
		return;
	}
	switch (a->kind) {
	case API_FUNCTION:
	case API_INLINE:
		compare_callable(cc, a, b);
		break;
	case API_MACRO_FN:
		if (sig_arity(str(cc, a->params), &va) != sig_arity(str(cc, b->params), &vb) || va != vb)
			add(cc, CC_ARITY, a, b);
		else if (a->body != b->body)
			add(cc, CC_BODY, a, b);
		break;
	case API_MACRO:
		if (a->body != b->body)
			add(cc, CC_VALUE, a, b);
		break;
	case API_ENUMERATOR:
		if (a->type != b->type && (a->type || b->type))
			add(cc, CC_VALUE, a, b);
		break;
	default:
		if (!(a->kind & TAGS)) {
			enum sig_result t = sig_compare_types(str(cc, a->type), str(cc, b->type));
			enum sig_result p = sig_compare_params(str(cc, a->params), str(cc, b->params));

			if (p == SIG_DIFFERENT && a->params && b->params)
				add(cc, CC_SIGNATURE, a, b);
			else if (worse(t, p) == SIG_DIFFERENT)
				add(cc, a->params && b->params ? CC_RETURN : CC_TYPE, a, b);
			else if (worse(t, p) == SIG_QUALIFIERS)
				add(cc, CC_CONST, a, b);
		}
		break;
	}
}

/* Runs [i, i_end) of equal keys on both sides: #if branches, or one header each. */
static void compare_runs(struct cc_commit *cc, const struct entry *x, size_t nx, const struct entry *y, size_t ny)
{
	const struct header_sym *a = &cc->side[0].s[x[0].at], *b = &cc->side[1].s[y[0].at];
	size_t before = cc->nch;

	/* Branches: take the first pair that differs, of those at the same place. */
	for (size_t k = 0; k < nx && k < ny && cc->nch == before; k++)
		compare_one(cc, &cc->side[0].s[x[k].at], &cc->side[1].s[y[k].at]);
	if (cc->nch != before || nx != ny || nx != 1)
		return;
	if (a->header != b->header && a->kind != API_MEMBER && a->kind != API_ENUMERATOR)
		add(cc, CC_MOVED, a, b);
}

/* A structure (or enum) is there on one side only: its members say nothing more. */
static bool parent_alone(const struct cc_commit *cc, int side, const struct header_sym *s,
			 const struct entries *other)
{
	const struct header_syms *own = &cc->side[side];
	struct entry key = { .domain = 1 };
	size_t lo = 0, hi = other->n;

	if (s->owner == HEADER_NO_OWNER || s->owner >= own->n)
		return false;
	key.name = own->s[s->owner].name;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_key(&other->e[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == other->n || !same_key(&other->e[lo], &key);
}

static void alone(struct cc_commit *cc, int side, const struct entry *e,
		  const struct entries *other)
{
	const struct header_sym *s = &cc->side[side].s[e->at];

	/* Paragraphs are compared, so a member without its structure has an owner elsewhere. */
	if (s->kind == API_MEMBER && parent_alone(cc, side, s, other))
		return;
	add(cc, side ? CC_ADDED : CC_REMOVED, side ? NULL : s, side ? s : NULL);
}

static size_t run_of(const struct entries *es, size_t i)
{
	size_t n = 1;

	while (i + n < es->n && same_key(&es->e[i], &es->e[i + n]))
		n++;
	return n;
}

/* Members that both sides have, in another order. */
static void compare_orders(struct cc_commit *cc, const struct entries *a, const struct entries *b)
{
	size_t i = 0, j = 0;
	uint32_t parent = 0, last_a = 0, last_b = 0;

	while (i < a->n && j < b->n) {
		int c;

		if (a->e[i].domain != 2) {
			i++;
			continue;
		}
		if (b->e[j].domain != 2) {
			j++;
			continue;
		}
		c = a->e[i].parent != b->e[j].parent ? (a->e[i].parent < b->e[j].parent ? -1 : 1) :
		    a->e[i].name != b->e[j].name ? (a->e[i].name < b->e[j].name ? -1 : 1) : 0;
		if (c) {
			i += c < 0;
			j += c > 0;
			continue;
		}
		if (parent == a->e[i].parent) {
			uint32_t oa = cc->side[0].s[a->e[i].at].order, ob = cc->side[1].s[b->e[j].at].order;

			if ((oa > last_a) != (ob > last_b))
				add(cc, CC_ORDER, &cc->side[0].s[a->e[i].at], &cc->side[1].s[b->e[j].at]);
			last_a = oa;
			last_b = ob;
		} else {
			parent = a->e[i].parent;
			last_a = cc->side[0].s[a->e[i].at].order;
			last_b = cc->side[1].s[b->e[j].at].order;
		}
		i++;
		j++;
	}
}

static void compare_includes(struct cc_commit *cc)
{
	for (size_t i = 0; i < cc->side[0].ninc && cc->nch < CC_MAX_CHANGES; i++) {
		const struct header_include *inc = &cc->side[0].inc[i];
		bool kept = false;
		struct cc_change *ch;

		for (size_t j = 0; j < cc->side[1].ninc && j < 2000 && !kept; j++)
			kept = cc->side[1].inc[j].name == inc->name && cc->side[1].inc[j].header == inc->header;
		if (kept)
			continue;
		ALLOC_GROW(cc->ch, cc->nch + 1, cc->ch_alloc);
		ch = &cc->ch[cc->nch++];
		memset(ch, 0, sizeof(*ch));
		ch->kind = CC_INCLUDE;
		ch->symbol = str(cc, inc->name);
		ch->header = ch->to_header = inc->header;
	}
}

/*
 * The same member gone from one structure and new in another: it is reached by another
 * way. The same name gone as a typedef and new as a structure: it is written in full.
 */
static void pair_moves(struct cc_commit *cc)
{
	for (size_t i = 0; i < cc->nch; i++) {
		struct cc_change *a = &cc->ch[i];

		if (a->kind != CC_REMOVED || (!a->member && a->api != API_TYPEDEF))
			continue;
		for (size_t j = 0; j < cc->nch && !a->moved_to; j++) {
			const struct cc_change *b = &cc->ch[j];

			if (b->kind != CC_ADDED || !a->member != !b->member)
				continue;
			if (a->member ? !strcmp(a->member, b->member) && strcmp(a->symbol, b->symbol) :
					(b->api & TAGS) && !strcmp(a->symbol, strchr(b->symbol, ' ') + 1))
				a->moved_to = b->symbol;
		}
	}
}

void cc_compare_symbols(struct cc_commit *cc)
{
	struct entries a = entries_of(&cc->side[0]), b = entries_of(&cc->side[1]);
	size_t i = 0, j = 0;

	while (i < a.n || j < b.n) {
		int c = i == a.n ? 1 : j == b.n ? -1 : same_key(&a.e[i], &b.e[j]) ? 0 :
			(a.e[i].domain != b.e[j].domain ? a.e[i].domain < b.e[j].domain :
			 a.e[i].parent != b.e[j].parent ? a.e[i].parent < b.e[j].parent :
			 a.e[i].name < b.e[j].name) ? -1 : 1;
		size_t na = c <= 0 ? run_of(&a, i) : 0, nb = c >= 0 ? run_of(&b, j) : 0;

		if (c < 0)
			alone(cc, 0, &a.e[i], &b);
		else if (c > 0)
			alone(cc, 1, &b.e[j], &a);
		else
			compare_runs(cc, &a.e[i], na, &b.e[j], nb);
		i += na;
		j += nb;
	}
	compare_orders(cc, &a, &b);
	compare_includes(cc);
	pair_moves(cc);
	free(a.e);
	free(b.e);
}
