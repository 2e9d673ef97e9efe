// SPDX-License-Identifier: GPL-2.0-only
/*
 * What took the place of a name that is gone. Strongest first: the old kernel
 * itself said so (one name forwarded to the other); equal bodies; likeness of
 * name, signature and place, where the new name must be new. A candidate whose
 * name means the opposite, or that returns another type, is never taken.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/strmap.h"
#include "mine/apidiff-internal.h"
#include "mine/name-sim.h"
#include "mine/signature.h"

#define MAX_BUCKET 400

/* Symbols under a text key. */
struct bucket {
	const struct api_symbol **v;
	size_t n, alloc;
};

struct renames {
	struct diff_ctx *d;
	struct strmap forwarders;	/* old kernel: name -> who forwards to it */
	struct strmap bodies_a, bodies_b; /* parameters and body -> symbols */
	struct strmap by_sig, by_header;  /* new symbols only */
};

static void bucket_free(void *p)
{
	struct bucket *b = p;

	if (b)
		free(b->v);
	free(b);
}

static void bucket_add(struct strmap *m, const char *key, const struct api_symbol *s)
{
	struct bucket *b = strmap_get(m, key);

	if (!b) {
		b = xcalloc(1, sizeof(*b));
		strmap_put(m, key, b);
	}
	ALLOC_GROW(b->v, b->n + 1, b->alloc);
	b->v[b->n++] = s;
}

static bool callable(const struct api_symbol *s)
{
	return s->kind & (API_FUNCTION | API_INLINE | API_MACRO_FN);
}

/*
 * Key of what a macro or inline does: its body with its parameters numbered.
 * Short bodies are no evidence.
 */
static bool body_key(const struct api_symbol *s, struct strbuf *out)
{
	struct strvec params = STRVEC_INIT;
	struct strbuf name = STRBUF_INIT;
	const char *p = s->body;
	size_t words = 0, uses = 0, params_n, i;

	strbuf_reset(out);
	if (!p || !(s->kind & (API_MACRO_FN | API_INLINE)) || !s->params || s->alias)
		return false;
	sig_split(s->params, &params);
	params_n = params.n;
	strbuf_addf(out, "%zu:", params_n);
	while (*p) {
		const char *w = p;

		while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' ||
		       (*p >= '0' && *p <= '9'))
			p++;
		if (p == w) {
			if (*p != ' ' && *p != '\t' && *p != '\n')
				strbuf_addch(out, *p);
			p++;
			continue;
		}
		words++;
		for (i = 0; i < params.n; i++) {
			strbuf_reset(&name);
			if (s->kind == API_MACRO_FN)
				strbuf_addstr(&name, params.v[i]);
			else
				sig_param_name(params.v[i], &name);
			if (name.len == (size_t)(p - w) && !memcmp(name.buf, w, name.len))
				break;
		}
		if (i < params.n) {
			strbuf_addf(out, "$%zu", i);
			uses++;
		} else {
			strbuf_addf(out, " %.*s", (int)(p - w), w);
		}
	}
	strvec_release(&params);
	strbuf_release(&name);
	/* A stub does nothing with what it is given. */
	return words >= 3 && (uses || !params_n) && out->len >= 12;
}

static void index_old(struct renames *r)
{
	struct strbuf key = STRBUF_INIT;
	size_t i;

	for (i = 1; i <= r->d->a.n; i++) {
		const struct api_symbol *s = side_symbol(&r->d->a, (uint32_t)i);

		if (!s->active || !(s->kind & (API_MACRO | API_MACRO_FN | API_INLINE)))
			continue;
		if (s->alias)
			bucket_add(&r->forwarders, s->alias, s);
		if (body_key(s, &key))
			bucket_add(&r->bodies_a, key.buf, s);
	}
	strbuf_release(&key);
}

static void index_new(struct renames *r)
{
	struct strbuf key = STRBUF_INIT;
	size_t i;

	for (i = 0; i < r->d->nfresh; i++) {
		const struct api_symbol *s = r->d->fresh[i];

		bucket_add(&r->by_header, s->header, s);
		if (body_key(s, &key))
			bucket_add(&r->bodies_b, key.buf, s);
		if (!(s->kind & (API_FUNCTION | API_INLINE)))
			continue;
		strbuf_reset(&key);
		sig_key(s->type, s->params, &key);
		bucket_add(&r->by_sig, key.buf, s);
	}
	strbuf_release(&key);
}

static void renamed(struct renames *r, const struct api_symbol *a, const struct api_symbol *b,
		    double confidence, const char *evidence)
{
	bool tag = a->kind & API_TAG;

	diff_add(r->d, CHANGE_RENAMED, tag ? diff_tag_name(r->d, a) : a->name, NULL,
		 b->kind & API_TAG ? diff_tag_name(r->d, b) : b->name, a, b, confidence, evidence);
}

/* Signature of what the name stands for on its side. */
static const struct api_symbol *meaning(const struct diff_side *side, const struct api_symbol *s)
{
	const struct api_symbol *f = side_forwarded(side, s);

	return f ? f : s;
}

/* Can a call of a be a call of b as it is? */
static bool same_call(const struct renames *r, const struct api_symbol *a, const struct api_symbol *b)
{
	const struct api_symbol *x = meaning(&r->d->a, a), *y = meaning(&r->d->b, b);
	bool va, vb;

	if (x->type && y->type && x->params && y->params)
		return sig_compare_types(x->type, y->type) != SIG_DIFFERENT &&
		       sig_compare_params(x->params, y->params) != SIG_DIFFERENT;
	if (!x->params || !y->params)
		return !x->params == !y->params;
	return sig_arity(x->params, &va) == sig_arity(y->params, &vb) && va == vb;
}

/* Is it the name to use in place of a: there, callable the same way, not the contrary? */
static bool usable(const struct renames *r, const struct api_symbol *a, const struct api_symbol *b)
{
	return b && b->active && strcmp(a->name, b->name) && same_call(r, a, b) &&
	       !name_opposite(a->name, b->name);
}

/*
 * The name most like a's among symbols of the old kernel that are still there, NULL when
 * none is liker than "top".
 */
static const struct api_symbol *likest(const struct renames *r, const struct api_symbol *a,
				       const struct bucket *list, double top)
{
	const struct api_symbol *best = NULL;
	size_t i;

	for (i = 0; list && i < list->n; i++) {
		double s = name_similarity(a->name, list->v[i]->name);
		const struct api_symbol *b;

		if (s <= top || list->v[i] == a)
			continue;
		b = side_ordinary(&r->d->b, list->v[i]->name);
		if (!usable(r, a, b))
			continue;
		top = s;
		best = b;
	}
	return best;
}

/*
 * 1. The old name only forwarded to one that is still there; or to one that another,
 * more similar name forwarded to as well (in_irq, in_hardirq -> hardirq_count).
 */
static bool by_forwarding(struct renames *r, const struct api_symbol *a)
{
	const struct api_symbol *s = a, *b, *other;
	int hops;

	for (hops = 0; s && s->alias && hops < 4; hops++) {
		double sim = name_similarity(a->name, s->alias);

		b = side_ordinary(&r->d->b, s->alias);
		other = sim < 0.7 && callable(a) ? likest(r, a, strmap_get(&r->forwarders, s->alias),
							   sim > 0.5 ? sim : 0.5) : NULL;
		if (other) {
			renamed(r, a, other, 0.95, "both forwarded to the same function");
			return true;
		}
		if (b && strcmp(b->name, a->name)) {
			/* "#define A B" of constants may say what A is worth, not what it is called. */
			renamed(r, a, b, a->kind == API_MACRO && sim < 0.4 ? 0.8 : 0.99,
				a->kind == API_INLINE ? "it was an inline that forwards" :
							"it was a macro that forwards");
			return true;
		}
		s = side_ordinary(&r->d->a, s->alias);
	}
	return false;
}

/* 2. Another name forwarded to the old one and is now the real thing. */
static bool by_forwarder(struct renames *r, const struct api_symbol *a)
{
	const struct api_symbol *best = likest(r, a, strmap_get(&r->forwarders, a->name), -1);
	double sim;

	if (!best)
		return false;
	sim = name_similarity(a->name, best->name);
	renamed(r, a, best, sim < 0.4 && !callable(a) ? 0.75 : 0.95,
		"the new name forwarded to the old one");
	return true;
}

/* New symbols with the body of a; of the same header before others. */
static const struct api_symbol *new_body(const struct renames *r, const struct api_symbol *a,
					 const char *key)
{
	const struct bucket *list = strmap_get(&r->bodies_b, key);
	const struct api_symbol *best = NULL;
	double top = 0.4;
	size_t i;

	for (i = 0; list && i < list->n; i++) {
		const struct api_symbol *b = list->v[i];
		double s = name_similarity(a->name, b->name) + (strcmp(a->header, b->header) ? 0 : 0.2);

		if (s <= top || !usable(r, a, b))
			continue;
		top = s;
		best = b;
	}
	return best;
}

/* 3. The same body under a new name, or under another one in the old kernel's header. */
static bool by_body(struct renames *r, const struct api_symbol *a)
{
	struct strbuf key = STRBUF_INIT;
	const struct api_symbol *best = NULL;

	if (body_key(a, &key)) {
		best = new_body(r, a, key.buf);
		if (!best) {
			best = likest(r, a, strmap_get(&r->bodies_a, key.buf), 0.5);
			if (best && strcmp(best->header, a->header))
				best = NULL;
		}
	}
	strbuf_release(&key);
	if (!best)
		return false;
	renamed(r, a, best, 0.9, "same body");
	return true;
}

/* ---- likeness ---------------------------------------------------------------------- */

static bool compatible_kinds(const struct api_symbol *a, const struct api_symbol *b)
{
	if (callable(a))
		return callable(b);
	if (a->kind & (API_MACRO | API_ENUMERATOR))
		return b->kind & (API_MACRO | API_ENUMERATOR);
	return a->kind == b->kind;
}

static const char *value_of(const struct api_symbol *s)
{
	return s->kind == API_ENUMERATOR ? s->type : s->body;
}

/* Of constants only those of one value can be one; the cheapest test, so the first. */
static bool same_worth(const struct api_symbol *a, const struct api_symbol *b)
{
	const char *x, *y;

	if (!(a->kind & (API_MACRO | API_ENUMERATOR)))
		return true;
	x = value_of(a);
	y = value_of(b);
	return x && y ? same_but_blanks(x, y) : !x == !y;
}

/* Share of a structure's member names that the other has too. */
static double common_members(const struct renames *r, const struct api_symbol *a,
			     const struct api_symbol *b)
{
	size_t na, nb, i, j, common = 0;
	const uint32_t *ma = side_members(&r->d->a, a, &na), *mb = side_members(&r->d->b, b, &nb);

	if (!na || !nb || na > 1000 || nb > 1000)
		return 0;
	for (i = 0; i < na; i++)
		for (j = 0; j < nb; j++)
			if (!strcmp(side_symbol(&r->d->a, ma[i])->name, side_symbol(&r->d->b, mb[j])->name)) {
				common++;
				break;
			}
	return (double)common / (double)(na > nb ? na : nb);
}

/* Share of the new functions that have this one's signature: many say little. */
static double telling(const struct renames *r, const struct api_symbol *x)
{
	struct strbuf key = STRBUF_INIT;
	const struct bucket *list;
	size_t n;

	if (!x->type)
		return 0.05; /* macros: only the number of arguments is known */
	sig_key(x->type, x->params, &key);
	list = strmap_get(&r->by_sig, key.buf);
	n = list ? list->n : 0;
	strbuf_release(&key);
	return n <= 3 ? 0.3 : n <= 10 ? 0.22 : n <= 40 ? 0.14 : 0.08;
}

static double call_likeness(const struct renames *r, const struct api_symbol *a,
			    const struct api_symbol *b, double name, bool replaced,
			    const char **evidence)
{
	const struct api_symbol *x = meaning(&r->d->a, a), *y = meaning(&r->d->b, b);
	bool same_header = !strcmp(a->header, b->header), same = same_call(r, a, b);
	double s;

	/* Another convention of the result is another function. */
	if (x->type && y->type && sig_compare_types(x->type, y->type) == SIG_DIFFERENT)
		return 0;
	if (!same && (name < 0.8 || !same_header || replaced))
		return 0;
	/* Of macros only the number of arguments is known. */
	if ((!x->type || !y->type) && (name < 0.85 || replaced))
		return 0;
	*evidence = same ? "same signature, names alike" : "names alike, other parameters";
	s = 0.55 * name + 0.15 * same_header + (same ? telling(r, x->type ? x : y) : 0);
	return replaced ? s - 0.1 : s;
}

/* How well b fits as the new name of a, 0 for not at all; evidence is set. */
static double likeness(const struct renames *r, const struct api_symbol *a,
		       const struct api_symbol *b, const char **evidence)
{
	double name, members;
	bool same_header = !strcmp(a->header, b->header), replaced, same;

	if (!compatible_kinds(a, b) || !same_worth(a, b) || name_opposite(a->name, b->name))
		return 0;
	name = name_similarity(a->name, b->name);
	/* A public name does not become an internal one. */
	if (starts_with(b->name, "__") && !starts_with(a->name, "__"))
		name -= 0.2;
	if (name < 0.45 || (name < 0.95 && !name_same_case(a->name, b->name)))
		return 0;
	replaced = name_word_replaced(a->name, b->name);
	if (callable(a))
		return call_likeness(r, a, b, name, replaced, evidence);
	if (a->kind & (API_MACRO | API_ENUMERATOR)) {
		const char *va = value_of(a);

		if (!same_header || (replaced && name < 0.6))
			return 0;
		if (!va && (replaced || !a->parent || !b->parent || strcmp(a->parent, b->parent) || a->order != b->order))
			return 0;
		*evidence = va ? "same value, names alike" : "same place in the enum, names alike";
		return 0.35 + 0.6 * name - (replaced ? 0.1 : 0);
	}
	if (a->kind & (API_STRUCT | API_UNION)) {
		members = common_members(r, a, b);
		*evidence = "members and names alike";
		return members < 0.5 ? 0 : 0.45 * members + 0.4 * name + 0.15 * same_header;
	}
	same = sig_compare_types(a->type, b->type) != SIG_DIFFERENT &&
	       sig_compare_params(a->params, b->params) != SIG_DIFFERENT;
	*evidence = "same type, names alike";
	return same && same_header ? 0.4 + 0.55 * name : 0;
}

struct choice {
	const struct api_symbol *best;
	double top, second;
	const char *evidence;
};

static void consider(const struct renames *r, const struct api_symbol *a, const struct bucket *list,
		     struct choice *c)
{
	const char *evidence = NULL;
	size_t i;

	for (i = 0; list && i < list->n && i < MAX_BUCKET * 4; i++) {
		double s;

		if (list->v[i] == c->best)
			continue;
		s = likeness(r, a, list->v[i], &evidence);
		if (s > c->top) {
			c->second = c->top;
			c->top = s;
			c->best = list->v[i];
			c->evidence = evidence;
		} else if (s > c->second) {
			c->second = s;
		}
	}
}

static bool by_likeness(struct renames *r, const struct api_symbol *a)
{
	struct choice c = { 0 };
	struct strbuf key = STRBUF_INIT;
	const struct bucket *list;

	consider(r, a, strmap_get(&r->by_header, a->header), &c);
	if (a->kind & (API_FUNCTION | API_INLINE)) {
		sig_key(a->type, a->params, &key);
		list = strmap_get(&r->by_sig, key.buf);
		if (list && list->n <= MAX_BUCKET)
			consider(r, a, list, &c);
	}
	strbuf_release(&key);
	if (!c.best || c.top < 0.7 || c.top - c.second < 0.03)
		return false;
	renamed(r, a, c.best, c.top > 0.93 ? 0.93 : c.top, c.evidence);
	return true;
}

static void removed(struct renames *r, const struct api_symbol *a)
{
	const char *why = NULL;

	/* The structure may only have become private. */
	if (a->kind & (API_STRUCT | API_UNION)) {
		const struct api_symbol **users;
		size_t n = api_taking_type(r->d->b.ix, a->name, API_ANY_CALLABLE, &users);

		if (n)
			why = "no longer defined in a header, still used as a pointer";
		free(users);
	}
	diff_add(r->d, CHANGE_REMOVED, a->kind & API_TAG ? diff_tag_name(r->d, a) : a->name, NULL, NULL,
		 a, NULL, 1, why);
	if (a->exported && !(a->kind & API_TAG)) {
		bool gpl;

		/* Exported still: for whoever declares it himself. */
		if (!api_is_exported(r->d->b.ix, a->name, &gpl, NULL))
			return;
		r->d->c[r->d->n - 1].evidence = "no header declares it, still exported";
	}
}

void diff_renames(struct diff_ctx *d)
{
	struct renames r = { .d = d };
	size_t i;

	index_old(&r);
	index_new(&r);
	for (i = 0; i < d->ngone; i++) {
		const struct api_symbol *a = d->gone[i];

		if (!(a->kind & API_TAG) && (by_forwarding(&r, a) || by_forwarder(&r, a) || by_body(&r, a)))
			continue;
		if (!by_likeness(&r, a))
			removed(&r, a);
	}
	strmap_release(&r.forwarders, bucket_free);
	strmap_release(&r.bodies_a, bucket_free);
	strmap_release(&r.bodies_b, bucket_free);
	strmap_release(&r.by_sig, bucket_free);
	strmap_release(&r.by_header, bucket_free);
}
