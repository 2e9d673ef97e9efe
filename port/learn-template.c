// SPDX-License-Identifier: GPL-2.0-only
/* Rules for names and members: generalised over files, chosen, judged by the other files. */
#include "base/compat.h"

#include "base/alloc.h"
#include "port/callback-rule.h"
#include "port/learn-internal.h"

#define MIN_PRECISION 0.85 /* of one rule alone, on the files that it was not learned from */
#define LOCAL_NAME    "\1" /* stands for every text that holds a name of the driver */

struct learn_rule *learn_add_rule(struct learn_change *c)
{
	ALLOC_GROW(c->rule, c->nrules + 1, c->rule_alloc);
	memset(&c->rule[c->nrules], 0, sizeof(*c->rule));
	return &c->rule[c->nrules++];
}

void learn_rule_release(struct learn_rule *r)
{
	for (int v = 0; r->value && v <= TMPL_MAX_VARS; v++)
		strmap_release(&r->value[v].seen, NULL);
	free(r->value);
	tmpl_free(r->t);
	callback_rule_free(r->cb);
	free(r->files);
	free(r->use);
	free(r->object);
	free(r->header);
	free(r->smpl);
	free(r->why_not);
	memset(r, 0, sizeof(*r));
}

void learn_rule_add_file(struct learn_rule *r, int file)
{
	if (r->support && r->files[r->support - 1] == file)
		return;
	ALLOC_GROW(r->files, r->support + 1, r->files_alloc);
	r->files[r->support++] = file;
}

void learn_rule_add_use(struct learn_rule *r, int file, bool right, bool alone)
{
	struct learn_file_use *u;

	if (!r->nuses || r->use[r->nuses - 1].file != file) {
		ALLOC_GROW(r->use, r->nuses + 1, r->use_alloc);
		memset(&r->use[r->nuses], 0, sizeof(*r->use));
		r->use[r->nuses++].file = file;
	}
	u = &r->use[r->nuses - 1];
	u->right += right;
	u->alone += alone;
	u->wrong += !right && !alone;
}

bool learn_rule_has_file(const struct learn_rule *r, int file)
{
	size_t lo = 0, hi = r->support;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->files[mid] == file)
			return true;
		if (r->files[mid] < file)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/* ---- generalising ------------------------------------------------------------------ */

static void add_values(struct learn_rule *r, const struct tmpl *t, int file)
{
	const struct tmpl_side *b = &t->before;

	for (size_t k = 0; k < b->n; k++) {
		const struct tmpl_elem *e = &b->e[k];
		struct strbuf text = STRBUF_INIT;
		struct strmap *seen = &r->value[e->var].seen;
		intptr_t by;

		if (e->kind != TMPL_EXPR)
			continue;
		if (t->constant[e->var])
			ctoks_normal(&b->ts, e->first, e->end, &text);
		else
			strbuf_addstr(&text, LOCAL_NAME);
		by = (intptr_t)strmap_get(seen, text.buf);
		strmap_put(seen, text.buf, (void *)(by && by != file + 1 ? (intptr_t)-1 : (intptr_t)file + 1));
		strbuf_release(&text);
	}
}

const char *learn_fixed(const struct learn_rule *r, int var, int without)
{
	const struct strmap_entry *e;
	const char *only = NULL;

	strmap_for_each(&r->value[var].seen, e) {
		if ((intptr_t)e->value == (intptr_t)without + 1)
			continue;
		if (only)
			return NULL;
		only = e->key;
	}
	return only && strcmp(only, LOCAL_NAME) ? only : NULL;
}

static bool in_initialiser(const struct tmpl *t)
{
	return t->before.n && ctok_is(&t->before.ts, t->before.e[0].first, ".") &&
	       t->before.e[0].kind == TMPL_LITERAL;
}

/* Takes t. */
static void add_template(struct learn_change *c, struct strmap *by_key, const struct learn_site *s,
			 struct tmpl *t)
{
	bool designator = c->place == LEARN_MEMBER && s->designator && s->nocc && s->occ[0] == 1;
	bool inside = in_initialiser(t);
	char *key = xstrfmt("%d %s %s", designator, inside && s->object ? s->object : "", t->key);
	size_t at = (size_t)(uintptr_t)strmap_get(by_key, key);
	struct learn_rule *r;

	if (inside && !s->object) {
		tmpl_free(t);
		free(key);
		return;
	}
	if (!at) {
		r = learn_add_rule(c);
		r->t = t;
		r->value = xcalloc(TMPL_MAX_VARS + 1, sizeof(*r->value));
		r->designator = designator;
		r->object = inside ? xstrdup(s->object) : designator ? xstrdup(c->parent) : NULL;
		strmap_put(by_key, key, (void *)(uintptr_t)c->nrules);
	} else {
		r = &c->rule[at - 1];
	}
	learn_rule_add_file(r, s->file);
	add_values(r, t, s->file);
	if (r->t != t)
		tmpl_free(t);
	free(key);
}

static void generalise(struct learn *l, struct learn_change *c)
{
	struct strmap by_key = STRMAP_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < c->nsites; i++) {
		struct learn_site *s = &c->site[i];
		struct example *ex = NULL;
		size_t n = s->answered && !s->large && !s->gone ? learn_site_examples(s, &ex) : 0;

		for (size_t k = 0; k < n; k++) {
			struct tmpl *t = tmpl_make_general(&ex[k], c->name, l->pair->old_ix, l->pair->new_ix);

			if (t)
				add_template(c, &by_key, s, t);
		}
		examples_free_list(ex, n);
	}
	for (size_t i = 0; i < c->nrules; i++) {
		if (c->rule[i].support < LEARN_MIN_FILES)
			learn_rule_release(&c->rule[i]);
		else
			c->rule[kept++] = c->rule[i];
	}
	c->nrules = kept;
	strmap_release(&by_key, NULL);
}

/* ---- applying ----------------------------------------------------------------------- */

struct tokens {
	struct ctoks b, a;
};

struct edit_at {
	struct learn_rule *r;
	struct tmpl_match m;
	uint32_t occ;
	char *text;
};

struct outcome {
	struct edit_at e[64];
	size_t n, uses;
	bool exact;
};

static bool values_fit(const struct learn_rule *r, const struct ctoks *ts, const struct tmpl_match *m,
		       int without)
{
	for (int v = 1; v <= r->t->nvars; v++) {
		const char *want = learn_fixed(r, v, without);
		struct strbuf got = STRBUF_INIT;
		bool same;

		if (!want || m->var[v].end <= m->var[v].first)
			continue;
		ctoks_normal(ts, m->var[v].first, m->var[v].end, &got);
		same = !strcmp(got.buf, want);
		strbuf_release(&got);
		if (!same)
			return false;
	}
	return true;
}

bool learn_is_read_only(const struct learn_change *c, const struct learn_rule *r)
{
	const struct tmpl_side *b = &r->t->before, *a = &r->t->after;

	return c->place == LEARN_MEMBER && !r->designator && r->t->symbol + 1 == b->n && a->n > 1 &&
	       a->e[a->n - 1].kind == TMPL_LITERAL && ctok_is(&a->ts, a->e[a->n - 1].first, ")");
}

static bool is_assigned(const struct ctoks *ts, uint32_t i)
{
	static const char *const ops[] = { "=", "|=", "&=", "+=", "-=", "^=", "<<=", ">>=", "*=", "/=",
					   "++", "--" };

	for (size_t k = 0; k < ARRAY_SIZE(ops); k++)
		if (ctok_is(ts, i, ops[k]))
			return true;
	return false;
}

static bool rule_fits(const struct learn_change *c, const struct learn_rule *r,
		      const struct learn_site *s, const struct ctoks *ts, uint32_t occ, int without,
		      struct tmpl_match *m)
{
	if (c->place == LEARN_MEMBER && r->designator != (s->designator && occ == 1))
		return false;
	if (r->object && (!s->object || strcmp(r->object, s->object)))
		return false;
	if (learn_is_read_only(c, r) && is_assigned(ts, occ + 1))
		return false;
	return tmpl_match(r->t, ts, occ, m) && values_fit(r, ts, m, without);
}

/* The statement with all edits made. */
static void compose(const struct ctoks *ts, const struct outcome *o, struct strbuf *out)
{
	size_t at = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct tmpl_match *m = &o->e[i].m;
		size_t start = ts->t[m->first].off;

		strbuf_add(out, ts->text + at, start - at);
		strbuf_addstr(out, o->e[i].text);
		at = ts->t[m->end - 1].off + ts->t[m->end - 1].len;
	}
	strbuf_addstr(out, ts->text + at);
}

static bool same_code(const char *x, const struct ctoks *y)
{
	struct ctoks ts;
	bool same;

	ctoks_scan(&ts, x, strlen(x));
	same = ts.n == y->n;
	for (size_t i = 0; same && i < ts.n; i++)
		same = ctok_same(&ts, i, y, i);
	ctoks_release(&ts);
	return same;
}

static void apply(const struct learn_change *c, struct learn_rule **rules, size_t nrules,
		  const struct learn_site *s, const struct tokens *tk, int without, struct outcome *o)
{
	uint32_t behind = 0;
	struct strbuf text = STRBUF_INIT;

	o->n = o->uses = 0;
	o->exact = false;
	for (size_t i = 0; i < s->nocc && o->n < ARRAY_SIZE(o->e); i++) {
		struct edit_at *e = &o->e[o->n];
		size_t k;

		if (s->occ[i] < behind) /* part of an edit that was made */
			continue;
		o->uses++;
		for (k = 0; k < nrules; k++)
			if (rule_fits(c, rules[k], s, &tk->b, s->occ[i], without, &e->m) &&
			    e->m.first >= behind)
				break;
		if (k == nrules || rules[k]->guard)
			continue;
		tmpl_instantiate(rules[k]->t, &tk->b, &e->m, "", &text);
		e->r = rules[k];
		e->occ = s->occ[i];
		e->text = strbuf_detach(&text, NULL);
		behind = e->m.end;
		o->n++;
	}
	if (o->n && s->after) {
		compose(&tk->b, o, &text);
		o->exact = same_code(text.buf, &tk->a);
	}
	strbuf_release(&text);
}

static void outcome_release(struct outcome *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->e[i].text);
}

static size_t count_name(const struct ctoks *ts, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < ts->n; i++)
		n += ts->t[i].kind == CTOK_IDENT && ctok_is(ts, i, name);
	return n;
}

/*
 * Arguments of a call that the edit does not touch: the same there, but for names of
 * variables that the file gave up as well.
 */
static bool same_arguments(const struct ctoks *b, uint32_t i, const struct ctoks *a, size_t j)
{
	if (!ctok_is(b, i, "("))
		return true;
	if (!ctok_is(a, j, "(") || b->t[i].match == CTOK_NONE || a->t[j].match == CTOK_NONE ||
	    b->t[i].match - i != a->t[j].match - j)
		return false;
	for (uint32_t k = i + 1; k < b->t[i].match; k++)
		if (!ctok_same(b, k, a, j + k - i) && !(ctok_is_ident(b, k) && ctok_is_ident(a, j + k - i)))
			return false;
	return true;
}

/* Are the edit's tokens in the newer statement, next to what they stood next to? */
static bool edit_is_there(const struct learn_change *c, const struct edit_at *e,
			  const struct tokens *tk)
{
	const struct ctoks *b = &tk->b, *a = &tk->a;
	struct ctoks in;
	bool found = false;
	size_t k;

	ctoks_scan(&in, e->text, strlen(e->text));
	for (size_t p = 0; p + in.n <= a->n && !found; p++) {
		bool left = e->m.first == 0 ? p == 0 : p > 0 && ctok_same(b, e->m.first - 1, a, p - 1);
		bool right = e->m.end >= b->n ? p + in.n == a->n
					      : p + in.n < a->n && ctok_same(b, e->m.end, a, p + in.n);

		if (in.n ? !left && !right : !left || !right)
			continue;
		for (k = 0; k < in.n && ctok_same(&in, k, a, p + k); k++)
			;
		found = k == in.n && same_arguments(b, e->m.end, a, p + in.n);
	}
	/* The name must not be there as often as before, but where the edit keeps it. */
	if (found && count_name(a, c->name) >= count_name(b, c->name) && !count_name(&in, c->name))
		found = false;
	ctoks_release(&in);
	return found;
}

enum verdict_of_edit { EDIT_EXACT, EDIT_WITHIN, EDIT_WRONG, EDIT_ALONE };

static enum verdict_of_edit judge(const struct learn_change *c, const struct learn_site *s,
				  const struct tokens *tk, const struct outcome *o,
				  const struct edit_at *e)
{
	if (!s->after)
		return EDIT_ALONE;
	if (o->exact)
		return EDIT_EXACT;
	if (edit_is_there(c, e, tk))
		return EDIT_WITHIN;
	return s->answered ? EDIT_WRONG : EDIT_ALONE;
}

static void count_edit(struct learn_score *sc, enum verdict_of_edit v)
{
	sc->exact += v == EDIT_EXACT;
	sc->within += v == EDIT_WITHIN;
	sc->wrong += v == EDIT_WRONG;
	sc->alone += v == EDIT_ALONE;
}

/* ---- choosing -------------------------------------------------------------------------- */

/* What one rule does in one file, the more specific ones coming first. */
struct file_count {
	uint16_t right, edits;
};

enum state { RULE_OFF, RULE_ON, RULE_GUARD };

struct work {
	struct learn_change *c;
	struct tokens *tk;
	size_t *use0, nuses;	/* by site: number of its first use */
	signed char **verdict;	/* [rule][use]: enum verdict_of_edit of the rule alone, -1: no match */
	int *file;		/* by use */
	size_t *order;		/* rules, the most specific first */
	enum state *state;
	struct file_count **by_rule; /* [rule][file - first] */
	int first, nfiles;
};

static bool judged(const struct learn_site *s)
{
	return !s->large && !s->gone;
}

static int by_support(const void *a, const void *b)
{
	const struct learn_rule *x = a, *y = b;

	if (x->t->deletes != y->t->deletes)
		return x->t->deletes ? 1 : -1;
	if (x->support != y->support)
		return x->support > y->support ? -1 : 1;
	return strcmp(x->t->key, y->t->key);
}

static size_t literals(const struct learn_rule *r)
{
	size_t n = r->t->nliterals;

	for (int v = 1; v <= r->t->nvars; v++)
		n += learn_fixed(r, v, -1) != NULL;
	return n;
}

static int by_literals(const void *a, const void *b, void *payload)
{
	const struct learn_rule *rules = payload, *x = &rules[*(const size_t *)a];
	const struct learn_rule *y = &rules[*(const size_t *)b];
	size_t n = literals(x), m = literals(y);

	if (n != m)
		return n > m ? -1 : 1;
	if (x->t->before.n != y->t->before.n)
		return x->t->before.n > y->t->before.n ? -1 : 1;
	return by_support(x, y);
}

static void work_open(struct work *w, struct learn_change *c)
{
	int last = -1;

	memset(w, 0, sizeof(*w));
	w->c = c;
	w->tk = xcalloc(c->nsites + 1, sizeof(*w->tk));
	w->use0 = xcalloc(c->nsites + 1, sizeof(*w->use0));
	w->verdict = xcalloc(c->nrules + 1, sizeof(*w->verdict));
	w->by_rule = xcalloc(c->nrules + 1, sizeof(*w->by_rule));
	w->order = xcalloc(c->nrules + 1, sizeof(*w->order));
	w->state = xcalloc(c->nrules + 1, sizeof(*w->state));
	w->first = c->nsites ? c->site[0].file : 0;
	for (size_t i = 0; i < c->nsites; i++) {
		const struct learn_site *s = &c->site[i];

		ctoks_scan(&w->tk[i].b, s->before, strlen(s->before));
		ctoks_scan(&w->tk[i].a, s->after ? s->after : "", s->after ? strlen(s->after) : 0);
		w->use0[i] = w->nuses;
		w->nuses += s->nocc;
		last = s->file;
	}
	w->nfiles = last + 1 - w->first;
	w->file = xcalloc(w->nuses + 1, sizeof(*w->file));
	for (size_t i = 0; i < c->nsites; i++)
		for (size_t u = 0; u < c->site[i].nocc; u++)
			w->file[w->use0[i] + u] = c->site[i].file;
	for (size_t k = 0; k < c->nrules; k++) {
		w->by_rule[k] = xcalloc((size_t)w->nfiles + 1, sizeof(**w->by_rule));
		w->verdict[k] = xmalloc(w->nuses + 1);
		memset(w->verdict[k], -1, w->nuses + 1);
		w->order[k] = k;
		w->state[k] = RULE_ON;
	}
	if (c->nrules)
		qsort_r(w->order, c->nrules, sizeof(*w->order), by_literals, c->rule);
}

static void work_close(struct work *w)
{
	for (size_t i = 0; i < w->c->nsites; i++) {
		ctoks_release(&w->tk[i].b);
		ctoks_release(&w->tk[i].a);
	}
	for (size_t k = 0; k < w->c->nrules; k++) {
		free(w->by_rule[k]);
		free(w->verdict[k]);
	}
	free(w->tk);
	free(w->use0);
	free(w->file);
	free(w->verdict);
	free(w->by_rule);
	free(w->order);
	free(w->state);
}

static bool supported_without(const struct learn_rule *r, int file)
{
	return r->support - learn_rule_has_file(r, file) >= LEARN_MIN_FILES;
}

static void try_alone(struct work *w, size_t k)
{
	struct learn_change *c = w->c;
	struct learn_rule *r = &c->rule[k];

	for (size_t i = 0; i < c->nsites; i++) {
		const struct learn_site *s = &c->site[i];
		struct outcome o;

		if (!judged(s) || !supported_without(r, s->file))
			continue;
		apply(c, &r, 1, s, &w->tk[i], s->file, &o);
		for (size_t e = 0; e < o.n; e++) {
			enum verdict_of_edit v = judge(c, s, &w->tk[i], &o, &o.e[e]);
			size_t u = 0;

			while (s->occ[u] != o.e[e].occ)
				u++;
			w->verdict[k][w->use0[i] + u] = (signed char)v;
			count_edit(&r->all, v);
			learn_rule_add_use(r, s->file, v == EDIT_EXACT || v == EDIT_WITHIN, v == EDIT_ALONE);
		}
		outcome_release(&o);
	}
}

static bool is_right(signed char v)
{
	return v == EDIT_EXACT || v == EDIT_WITHIN;
}

/* The first rule in order, from place "from" on, that takes the use; nrules: none. */
static size_t taker(const struct work *w, size_t use, size_t from)
{
	for (size_t i = from; i < w->c->nrules; i++)
		if (w->state[w->order[i]] != RULE_OFF && w->verdict[w->order[i]][use] >= 0)
			return i;
	return w->c->nrules;
}

struct tally {
	size_t right, edits, files; /* files with something right */
};

static void count_takers(struct work *w, struct tally *t)
{
	int *last = xcalloc(w->c->nrules + 1, sizeof(*last));

	memset(t, 0, w->c->nrules * sizeof(*t));
	for (size_t u = 0; u < w->nuses; u++) {
		size_t i = taker(w, u, 0), k = i < w->c->nrules ? w->order[i] : 0;

		if (i == w->c->nrules)
			continue;
		t[k].edits++;
		if (!is_right(w->verdict[k][u]))
			continue;
		t[k].right++;
		t[k].files += last[k] != w->file[u] + 1;
		last[k] = w->file[u] + 1;
	}
	free(last);
}

/* What would happen to the uses that the rule at this place takes, were it off. */
static struct tally fallback(const struct work *w, size_t place)
{
	struct tally t = { 0 };

	for (size_t u = 0; u < w->nuses; u++) {
		size_t i;

		if (taker(w, u, 0) != place)
			continue;
		i = taker(w, u, place + 1);
		if (i == w->c->nrules || w->state[w->order[i]] == RULE_GUARD)
			continue;
		t.edits++;
		t.right += is_right(w->verdict[w->order[i]][u]);
	}
	return t;
}

static bool precise(size_t right, size_t edits)
{
	return edits && (double)right >= MIN_PRECISION * (double)edits;
}

/* Place of the rule that is right least often of those that are not right enough; nrules: all are. */
static size_t worst_of(const struct work *w, const struct tally *t)
{
	size_t worst = w->c->nrules;
	double least = 2;

	for (size_t i = 0; i < w->c->nrules; i++) {
		size_t k = w->order[i];
		double p;

		if (w->state[k] != RULE_ON || !t[k].edits ||
		    (precise(t[k].right, t[k].edits) && t[k].files >= LEARN_MIN_FILES))
			continue;
		p = (double)t[k].right / (double)t[k].edits;
		if (p < least) {
			least = p;
			worst = i;
		}
	}
	return worst;
}

/* Turns off what is not right often enough, the worst first, until all is. */
static void choose(struct work *w)
{
	struct learn_change *c = w->c;
	struct tally *t = xcalloc(c->nrules + 1, sizeof(*t));

	for (;;) {
		struct tally next;
		size_t i, k;

		count_takers(w, t);
		i = worst_of(w, t);
		if (i == c->nrules)
			break;
		k = w->order[i];
		next = fallback(w, i);
		/* Where the next rule would be wrong more often than not, nothing is done. */
		w->state[k] = next.edits && next.right * 2 < next.edits && c->rule[k].t->before.n > 1 ?
			      RULE_GUARD : RULE_OFF;
	}
	for (size_t k = 0; k < c->nrules; k++)
		if (w->state[k] == RULE_ON && !t[k].edits)
			w->state[k] = RULE_OFF;
	free(t);
}

/* Turns off what makes no difference: the general rule does the same, or nothing is guarded. */
static void drop_idle(struct work *w)
{
	struct learn_change *c = w->c;

	for (size_t i = 0; i < c->nrules; i++) {
		size_t k = w->order[i], right = 0, edits = 0;
		struct tally next;

		if (w->state[k] == RULE_OFF)
			continue;
		for (size_t u = 0; u < w->nuses; u++)
			if (taker(w, u, 0) == i) {
				edits++;
				right += is_right(w->verdict[k][u]);
			}
		next = fallback(w, i);
		if (w->state[k] == RULE_GUARD ? next.right * 2 >= next.edits
					      : next.edits == edits && next.right >= right)
			w->state[k] = RULE_OFF;
	}
}

static void keep_counts(struct work *w)
{
	for (size_t u = 0; u < w->nuses; u++) {
		size_t i = taker(w, u, 0), k = i < w->c->nrules ? w->order[i] : 0;
		struct file_count *fc = &w->by_rule[k][w->file[u] - w->first];

		if (i == w->c->nrules)
			continue;
		fc->edits++;
		fc->right += is_right(w->verdict[k][u]);
	}
	for (size_t k = 0; k < w->c->nrules; k++) {
		w->c->rule[k].chosen = w->state[k] != RULE_OFF;
		w->c->rule[k].guard = w->state[k] == RULE_GUARD;
	}
}

/* Would the rule have been chosen had this file not been there? */
static bool good_without(const struct work *w, size_t k, int file)
{
	const struct file_count *fc = &w->by_rule[k][file - w->first];
	size_t right = 0, edits = 0;

	if (!supported_without(&w->c->rule[k], file))
		return false;
	for (int i = 0; i < w->nfiles; i++) {
		right += w->by_rule[k][i].right;
		edits += w->by_rule[k][i].edits;
	}
	return w->c->rule[k].guard || precise(right - fc->right, edits - fc->edits);
}

/* ---- leave one out ------------------------------------------------------------------------ */

static void score_site(struct work *w, const struct learn_site *s, const struct tokens *tk,
		       struct learn_rule **rules, size_t n, bool *wrong, bool *right)
{
	struct learn_score *sc = &w->c->score;
	struct outcome o;

	if (s->gone)
		return;
	if (s->large) {
		sc->missed += s->answered ? s->nocc : 0;
		return;
	}
	apply(w->c, rules, n, s, tk, s->file, &o);
	if (!s->answered)
		sc->kept += o.uses;
	for (size_t e = 0; e < o.n; e++) {
		enum verdict_of_edit v = judge(w->c, s, tk, &o, &o.e[e]);

		count_edit(sc, v);
		count_edit(&o.e[e].r->score, v);
		*right |= v == EDIT_EXACT || v == EDIT_WITHIN;
		*wrong |= v == EDIT_WRONG || v == EDIT_ALONE;
	}
	if (s->answered)
		sc->missed += o.uses - o.n;
	outcome_release(&o);
}

static void leave_one_out(struct work *w)
{
	struct learn_change *c = w->c;
	struct learn_rule **order = xcalloc(c->nrules + 1, sizeof(*order));
	struct learn_rule **held = xcalloc(c->nrules + 1, sizeof(*held));
	size_t n = 0;

	for (size_t k = 0; k < c->nrules; k++)
		if (c->rule[w->order[k]].chosen)
			order[n++] = &c->rule[w->order[k]];
	for (size_t i = 0; i < c->nsites;) {
		int file = c->site[i].file;
		bool wrong = false, right = false;
		size_t m = 0;

		for (size_t k = 0; k < n; k++)
			if (good_without(w, (size_t)(order[k] - c->rule), file))
				held[m++] = order[k];
		for (; i < c->nsites && c->site[i].file == file; i++)
			score_site(w, &c->site[i], &w->tk[i], held, m, &wrong, &right);
		c->score.files += wrong || right;
		c->score.files_right += right && !wrong;
	}
	free(order);
	free(held);
}

/* Several statements are often one half of a change whose other half is a declaration. */
static bool is_sequence(const struct tmpl_side *s)
{
	for (size_t k = 0; k + 1 < s->n; k++)
		if (s->e[k].kind == TMPL_LITERAL && ctok_is(&s->ts, s->e[k].first, ";"))
			return true;
	return false;
}

static enum risk risk_of(const struct learn_rule *r)
{
	if (r->t->deletes || is_sequence(&r->t->before))
		return RISK_REVIEW;
	if (r->support < 3 || r->t->loses_call || learn_precision(&r->score) < 0.95 ||
	    r->score.alone * 20 > r->score.kept)
		return RISK_REVIEW;
	return RISK_SAFE;
}

void learn_template_rules(struct learn *l, struct learn_change *c)
{
	struct work w;

	generalise(l, c);
	if (c->nrules)
		sort_items(c->rule, c->nrules, sizeof(*c->rule), by_support);
	work_open(&w, c);
	for (size_t k = 0; k < c->nrules; k++)
		try_alone(&w, k);
	choose(&w);
	drop_idle(&w);
	keep_counts(&w);
	leave_one_out(&w);
	for (size_t k = 0; k < c->nrules; k++) {
		c->rule[k].score.kept = c->score.kept;
		c->rule[k].risk = risk_of(&c->rule[k]);
	}
	work_close(&w);
}
