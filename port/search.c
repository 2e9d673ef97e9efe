// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/search.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/strmap.h"
#include "port/node.h"

/* Penalties are below 1, the weight of an ordinary breakage: they order equals. */
#define PENALTY_REVIEW	    0.02
#define PENALTY_GIVEN_UP    0.5
#define PENALTY_ALTERNATIVE 0.1
/* More new breakages than this and a candidate is no progress (ENGINE.md, trap 3). */
#define MAX_FRESH 4
#define MAX_JOBS  8

struct search {
	const struct search_ctx *c;
	const struct search_opts *opts;
	struct search_result *out;
	struct node_heap heap;
	struct node *best; /* best leaf so far */
	unsigned seq, max_checks, checks_at_leaf;
	struct strmap at_start;	      /* keys of the breakages of the start */
	struct strmap had_candidates; /* keys of those for which something could be tried */
	double deadline;
	struct strbuf *err;
};

unsigned search_jobs(const struct search_opts *opts)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (opts->jobs)
		return opts->jobs;
	return n < 1 ? 1 : n > MAX_JOBS ? MAX_JOBS : (unsigned)n;
}

static int check_unit(struct search *s, struct tree *t, size_t unit, struct unit_list **out)
{
	struct unit_list *l = unit_list_new();
	int ret = oracle_check(s->c->oracle, t, unit, &l->l, s->err);

	if (ret) {
		unit_list_unref(l);
		return ret;
	}
	l->weight = breakage_list_weight(&l->l);
	*out = l;
	return 0;
}

/* ---- trace --------------------------------------------------------------- */

static void trace(struct search *s, const struct node *n, const struct breakage *b,
		  const struct edit_group *g, const char *outcome, double after)
{
	json_t *o = json_object();

	json_set_int(o, "node", n->seq);
	json_set_str(o, "breakage", b->diag.message);
	json_set_str(o, "at", b->path);
	json_set_int(o, "line", b->diag.loc.line);
	if (g) {
		json_set_str(o, "candidate", g->title);
		json_set_str(o, "technique", g->technique);
		json_set_str(o, "risk", risk_name(g->risk));
		json_set_num(o, "score", g->score);
	}
	if (g && g->risk != RISK_SHOWN)
		json_set_str(o, "why", g->why);
	json_set_str(o, "outcome", outcome);
	json_set_num(o, "weight_after", after);
	json_array_append_new(s->out->trace, o);
	log_debug("%s:%d: %s: %s [%s] -> %s", b->path ? b->path : "?", b->diag.loc.line,
		  b->diag.message, g ? g->title : "no candidate", g ? g->technique : "-", outcome);
}

/* ---- trying a candidate -------------------------------------------------- */

/* Weight of the breakages in "now" whose keys are more frequent than before. */
static double fresh_weight(const struct breakage_list *now_l, const struct breakage_list *before,
			   size_t *count)
{
	double w = 0;

	*count = 0;
	for (size_t i = 0; i < now_l->n; i++) {
		const char *key = now_l->b[i].key;
		size_t seen = 0, had = breakage_list_count(before, key);

		for (size_t j = 0; j <= i; j++)
			seen += !strcmp(now_l->b[j].key, key);
		if (seen > had && !now_l->b[i].inherited) {
			w += now_l->b[i].weight;
			(*count)++;
		}
	}
	return w;
}

static struct port_step *step_new(struct node *n, struct edit_group *g, struct tree *after,
				  size_t tried)
{
	struct port_step *st = xcalloc(1, sizeof(*st));

	st->refs = 1;
	st->parent = step_ref(n->last);
	st->group = g;
	st->before = tree_ref(n->tree);
	st->after = tree_ref(after);
	breakage_copy(&st->target, &n->target);
	st->tried = tried;
	return st;
}

static double risk_penalty(enum risk r)
{
	return r == RISK_REVIEW ? PENALTY_REVIEW : 0;
}

static void push_child(struct search *s, struct node *n, struct edit_group *g, struct tree *t,
		       struct unit_list *l, size_t fresh)
{
	size_t unit = (size_t)n->target.unit;
	struct node *child = node_child(n, t, s->c->oracle, ++s->seq);
	struct port_step *st = step_new(n, g, t, n->next);

	st->fresh = fresh;
	st->weight_before = n->units[unit].list->weight;
	st->weight_after = l->weight;
	step_unref(child->last);
	child->last = st;
	child->penalty += risk_penalty(g->risk);
	unit_list_unref(child->units[unit].list);
	child->units[unit].list = unit_list_ref(l);
	child->units[unit].stale = false;
	node_heap_push(&s->heap, child);
}

/* With the candidate that was taken: those behind it, which are tried only when it leads nowhere. */
static void trace_alternatives(struct search *s, const struct node *n)
{
	json_t *last = json_array_get(s->out->trace, json_array_size(s->out->trace) - 1);
	json_t *a = json_array();

	for (size_t i = n->next; i < n->cands.n; i++) {
		const struct edit_group *g = n->cands.g[i];
		json_t *o = json_object();

		if (g) {
			json_set_str(o, "candidate", g->title);
			json_set_str(o, "technique", g->technique);
			json_set_str(o, "risk", risk_name(g->risk));
			json_set_num(o, "score", g->score);
			json_array_append_new(a, o);
		} else {
			json_decref(o);
		}
	}
	json_object_set_new(last, "alternatives", a);
}

enum try_result { TRY_NO, TRY_FOLLOW, TRY_CLEAN };

/* Two repairs that undo each other would be made in turn until a bound ends it. */
static bool was_here(const struct node *n, const struct tree *t)
{
	struct hash_hex now = tree_hash(t);

	for (const struct port_step *st = n->last; st; st = st->parent) {
		struct hash_hex h = tree_hash(st->before);

		if (!strcmp(h.hex, now.hex))
			return true;
	}
	return false;
}

/* Takes candidate number n->next - 1. Negative: failure of the oracle itself. */
static int try_candidate(struct search *s, struct node *n)
{
	struct edit_group *g = n->cands.g[n->next - 1];
	size_t unit = (size_t)n->target.unit, count;
	struct unit_list *old = n->units[unit].list, *l = NULL;
	struct strbuf why = STRBUF_INIT;
	struct tree *t = g->risk == RISK_SHOWN ? NULL : tree_apply(n->tree, g, &why);
	int ret = TRY_NO;
	double fresh;

	/* It would not count as ported, and it may take functionality away: named, not taken. */
	if (g->risk == RISK_SHOWN)
		strbuf_addstr(&why, "shown only, for a person to decide");

	if (t && was_here(n, t)) {
		strbuf_addstr(&why, "leads back to an earlier state");
		tree_unref(t);
		t = NULL;
	}
	if (!t) {
		trace(s, n, &n->target, g, why.buf, old->weight);
		goto out;
	}
	ret = check_unit(s, t, unit, &l);
	if (ret)
		goto out;
	ret = TRY_NO;
	fresh = fresh_weight(&l->l, &old->l, &count);
	if (breakage_list_count(&l->l, n->target.key) >=
	    breakage_list_count(&old->l, n->target.key)) {
		trace(s, n, &n->target, g, "does not remove the breakage", l->weight);
	} else if (n->target.weight < 100 && (l->weight > old->weight + 1 || fresh > MAX_FRESH)) {
		trace(s, n, &n->target, g, "brings more than it removes", l->weight);
	} else {
		ret = count ? TRY_FOLLOW : TRY_CLEAN;
		trace(s, n, &n->target, g, count ? "followed, brings new ones" : "taken",
		      l->weight);
		if (!count)
			trace_alternatives(s, n);
		n->cands.g[n->next - 1] = NULL;
		push_child(s, n, g, t, l, count);
	}
out:
	unit_list_unref(l);
	tree_unref(t);
	strbuf_release(&why);
	return ret;
}

/* ---- expanding a node ---------------------------------------------------- */

static void end_expansion(struct node *n)
{
	breakage_release(&n->target);
	memset(&n->target, 0, sizeof(n->target));
	/* Candidates that were followed belong to their steps. */
	for (size_t i = 0; i < n->cands.n; i++)
		edit_group_free(n->cands.g[i]);
	n->cands.n = 0;
	n->next = 0;
	n->expanding = n->had_child = false;
}

static int begin_expansion(struct search *s, struct node *n, const struct breakage *b)
{
	struct propose_ctx pc = s->c->propose;
	int ret;

	breakage_copy(&n->target, b);
	n->expanding = true;
	n->had_child = false;
	n->next = 0;
	pc.tree = n->tree;
	pc.b = &n->target;
	pc.all = &n->units[b->unit].list->l;
	ret = propose_all(&pc, s->opts->candidates, &n->cands, s->err);
	for (size_t i = 0; i < n->cands.n; i++) {
		if (n->cands.g[i]->risk != RISK_SHOWN)
			strmap_put(&s->had_candidates, b->key, NULL);
	}
	return ret;
}

static bool out_of_bounds(struct search *s)
{
	unsigned checks = oracle_stats(s->c->oracle)->checks;
	unsigned back = s->opts->max_backtrack ? s->opts->max_backtrack : 24;

	if (checks >= s->max_checks || clock_seconds() > s->deadline)
		return true;
	return s->best && checks > s->checks_at_leaf + back;
}

/*
 * The first candidate is mostly right. Behind it, as many as there are compilers
 * are asked about at once; they are still taken in their order.
 */
static int ask_ahead(struct search *s, struct node *n)
{
	unsigned jobs = oracle_jobs(s->c->oracle);
	struct oracle_request *r;
	size_t k = 0;
	int ret;

	if (jobs < 2 || !n->next || (n->next - 1) % jobs)
		return 0;
	r = xcalloc(jobs, sizeof(*r));
	for (size_t i = n->next; i < n->cands.n && i < n->next + jobs; i++) {
		struct strbuf why = STRBUF_INIT;

		if (n->cands.g[i] && n->cands.g[i]->risk != RISK_SHOWN)
			r[k].tree = tree_apply(n->tree, n->cands.g[i], &why);
		r[k].unit = (size_t)n->target.unit;
		k += r[k].tree != NULL;
		strbuf_release(&why);
	}
	ret = oracle_prefetch(s->c->oracle, r, k, s->err);
	while (k)
		tree_unref(r[--k].tree);
	free(r);
	return ret;
}

/* Consumes n: it goes back on the heap, or is freed. */
static int expand(struct search *s, struct node *n, const struct breakage *b)
{
	int ret = 0;

	if (!n->expanding)
		ret = begin_expansion(s, n, b);
	while (ret >= 0 && n->next < n->cands.n) {
		ret = ask_ahead(s, n);
		if (ret < 0)
			break;
		n->next++;
		ret = try_candidate(s, n);
		if (ret < 0)
			break;
		n->had_child |= ret != TRY_NO;
		if (ret == TRY_CLEAN && n->next < n->cands.n) {
			n->penalty += PENALTY_ALTERNATIVE;
			node_heap_push(&s->heap, n);
			return 0;
		}
		if (out_of_bounds(s))
			break;
	}
	if (ret < 0 || n->had_child) {
		node_free(n);
		return ret < 0 ? ret : 0;
	}
	if (!n->cands.n)
		trace(s, n, &n->target, NULL, "no candidate", node_weight(n));
	strvec_push(&n->given_up, n->target.key);
	n->penalty += PENALTY_GIVEN_UP;
	end_expansion(n);
	node_heap_push(&s->heap, n);
	return 0;
}

/* Some of the stale units from this one on, at once. */
static int ask_about_stale(struct search *s, struct node *n, size_t from)
{
	size_t max = oracle_jobs(s->c->oracle) * 2, k = 0;
	struct oracle_request *r = xcalloc(max, sizeof(*r));
	int ret;

	for (size_t u = from; u < n->nunits && k < max; u++) {
		if (n->units[u].stale)
			r[k++] = (struct oracle_request){ n->tree, u };
	}
	ret = oracle_prefetch(s->c->oracle, r, k, s->err);
	free(r);
	return ret;
}

/* The next thing to do in a node; checks what is stale when the rest is done. 1: leaf. */
static int next_work(struct search *s, struct node *n, const struct breakage **out)
{
	if (n->expanding) {
		*out = &n->target;
		return 0;
	}
	*out = node_pick(n);
	for (size_t u = 0; !*out && u < n->nunits; u++) {
		struct unit_list *l;
		int ret;

		if (!n->units[u].stale)
			continue;
		ret = ask_about_stale(s, n, u);
		if (!ret)
			ret = check_unit(s, n->tree, u, &l);
		if (ret)
			return ret;
		unit_list_unref(n->units[u].list);
		n->units[u].list = l;
		n->units[u].stale = false;
		*out = node_pick(n);
	}
	return *out ? 0 : 1;
}

static double work_left(const struct node *n)
{
	double w = 0;

	for (size_t u = 0; u < n->nunits; u++) {
		const struct breakage_list *l = &n->units[u].list->l;

		for (size_t i = 0; i < l->n; i++)
			w += breakage_is_work(&l->b[i]) ? l->b[i].weight : 0;
	}
	return w;
}

/*
 * Is all that is left as it was at the start? Then no other way of repairing the
 * rest helps.
 */
static bool left_untouched(const struct search *s, const struct node *n)
{
	for (size_t u = 0; u < n->nunits; u++) {
		const struct breakage_list *l = &n->units[u].list->l;

		for (size_t i = 0; i < l->n; i++) {
			if (breakage_is_work(&l->b[i]) &&
			    (!strmap_has(&s->at_start, l->b[i].key) ||
			     strmap_has(&s->had_candidates, l->b[i].key)))
				return false;
		}
	}
	return true;
}

/* Keeps the better leaf; true when the search is over. */
static bool leaf(struct search *s, struct node *n)
{
	double left = work_left(n);

	if (!s->best) {
		s->checks_at_leaf = oracle_stats(s->c->oracle)->checks;
	} else if (left > work_left(s->best) ||
		   (left == work_left(s->best) && n->penalty >= s->best->penalty)) {
		node_free(n);
		return false;
	}
	node_free(s->best);
	s->best = n;
	return left == 0 || left_untouched(s, n);
}

static size_t count_steps(const struct port_step *st)
{
	size_t n = 0;

	for (; st; st = st->parent)
		n++;
	return n;
}

static void report_progress(struct search *s, const struct node *n)
{
	if (s->opts->progress)
		s->opts->progress((size_t)(work_left(n) + 0.5), count_steps(n->last),
				  s->opts->payload);
}

static int run(struct search *s)
{
	struct node *n;

	while ((n = node_heap_pop(&s->heap))) {
		const struct breakage *b = NULL;
		int ret;

		s->out->nodes++;
		if (s->opts->interrupted && s->opts->interrupted()) {
			node_free(n);
			strbuf_addstr(s->err, "interrupted; run the same command again to go on");
			return KP_INTERRUPTED;
		}
		ret = next_work(s, n, &b);
		if (ret < 0) {
			node_free(n);
			return ret;
		}
		report_progress(s, n);
		if (ret == 1) {
			if (leaf(s, n))
				return 0;
			continue;
		}
		if (out_of_bounds(s)) {
			s->out->bounded = !s->best;
			leaf(s, n);
			return 0;
		}
		ret = expand(s, n, b);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int make_root(struct search *s, struct tree *start)
{
	size_t nunits = oracle_units(s->c->oracle), work = 0;
	struct node *root = node_new(start, nunits, 0);
	struct oracle_request *r = xcalloc(nunits ? nunits : 1, sizeof(*r));
	int ret;

	for (size_t u = 0; u < nunits; u++) {
		root->units[u].list = unit_list_new();
		r[u] = (struct oracle_request){ start, u };
	}
	ret = oracle_prefetch(s->c->oracle, r, nunits, s->err);
	free(r);
	if (ret) {
		node_free(root);
		return ret;
	}
	for (size_t u = 0; u < nunits; u++) {
		struct unit_list *l;

		ret = check_unit(s, start, u, &l);
		if (ret) {
			node_free(root);
			return ret;
		}
		unit_list_unref(root->units[u].list);
		root->units[u].list = l;
		work += l->l.n;
		for (size_t i = 0; i < l->l.n; i++)
			strmap_put(&s->at_start, l->l.b[i].key, NULL);
	}
	s->max_checks = s->opts->max_checks ? s->opts->max_checks : (unsigned)(60 + 12 * work);
	if (s->max_checks > 4000)
		s->max_checks = 4000;
	s->max_checks += (unsigned)nunits;
	node_heap_push(&s->heap, root);
	return 0;
}

static void take_result(struct search *s)
{
	struct node *n = s->best;
	struct port_step *st;

	s->out->tree = tree_ref(n->tree);
	s->out->nsteps = count_steps(n->last);
	s->out->steps = xcalloc(s->out->nsteps ? s->out->nsteps : 1, sizeof(*s->out->steps));
	st = n->last;
	for (size_t i = s->out->nsteps; i-- > 0; st = st->parent)
		s->out->steps[i] = step_ref(st);
	for (size_t u = 0; u < n->nunits; u++) {
		const struct breakage_list *l = &n->units[u].list->l;

		for (size_t i = 0; i < l->n; i++) {
			struct breakage_list *left = &s->out->left;

			if (!breakage_is_work(&l->b[i]))
				continue;
			ALLOC_GROW(left->b, left->n + 1, left->alloc);
			breakage_copy(&left->b[left->n++], &l->b[i]);
		}
	}
	s->out->complete = !s->out->left.n;
}

int search_run(const struct search_ctx *c, struct tree *start, const struct search_opts *opts,
	       struct search_result *out, struct strbuf *err)
{
	struct search s = { .c = c, .opts = opts, .out = out, .err = err };
	int ret;

	memset(out, 0, sizeof(*out));
	out->trace = json_array();
	s.deadline = clock_seconds() + (opts->wall_seconds > 0 ? opts->wall_seconds : 900);
	ret = make_root(&s, start);
	if (!ret)
		ret = run(&s);
	if (!ret && s.best)
		take_result(&s);
	node_free(s.best);
	node_heap_release(&s.heap);
	strmap_release(&s.at_start, NULL);
	strmap_release(&s.had_candidates, NULL);
	if (ret)
		search_result_release(out);
	return ret;
}

void search_result_release(struct search_result *r)
{
	for (size_t i = 0; i < r->nsteps; i++)
		step_unref(r->steps[i]);
	free(r->steps);
	tree_unref(r->tree);
	breakage_list_release(&r->left);
	json_decref(r->trace);
	memset(r, 0, sizeof(*r));
}
