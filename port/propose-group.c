// SPDX-License-Identifier: GPL-2.0-only
/*
 * Candidates that repeat all of what another driver did for the breakage's symbol: its
 * statements, declarations, checks and clean-ups in a function, the new tables, helpers
 * and members that they use, and the same in the file's other functions that use the
 * symbol or what went with it. What several drivers give the same text for is supported
 * by them; where they disagree a person decides.
 */
#include "base/compat.h"
#include "port/propose.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/strmap.h"
#include "port/group-apply.h"
#include "port/group-role.h"
#include "port/names.h"
#include "port/pairs.h"
#include "port/scope.h"
#include "port/stmt.h"

#define MAX_EXAMPLES  400
#define MAX_LOADED    32 /* functions of other drivers that are looked at */
#define MAX_GROUPS    3
#define MAX_PATHS     3
#define SAFE_SUPPORT  3
#define CLEAR_MAJORITY 4 /* times as many drivers */
#define MAX_FUNCTIONS 8

struct source {
	const struct example *ex;
	size_t likeness; /* identifiers of the hunk that the driver's function has */
	bool near;	 /* same directory of the kernel */
};

struct result {
	struct edit_group *g;
	struct strvec paths;
	struct strvec gone; /* kernel names that went with the symbol */
	size_t support;	 /* drivers that did the same, in the function with the fewest */
	size_t others;	 /* drivers that did something else there */
	size_t functions; /* of the file that are changed */
	enum { UNCONTESTED, OUTVOTED, CONTESTED } contest; /* others took another constant: few, or too many */
	double likeness;
	struct group_outcome outcome;
};

/* Candidates for one function, or for one and all others that are changed along. */
struct results {
	struct result *r;
	size_t n, alloc;
};

/* ---- which functions of other drivers -------------------------------------------------- */

static void collect_words(const struct ctoks *ts, struct cspan s, struct strmap *out)
{
	for (uint32_t i = s.first; i < s.end; i++) {
		char *name;

		if (!ctok_is_ident(ts, i))
			continue;
		name = ctok_dup(ts, i);
		strmap_put(out, name, NULL);
		free(name);
	}
}

static size_t shared_words(const char *text, const struct strmap *words)
{
	struct ctoks ts = { 0 };
	size_t n = 0;

	if (!ctoks_scan(&ts, text, strlen(text))) {
		for (size_t i = 0; i < ts.n; i++) {
			char *name = ctok_is_ident(&ts, i) ? ctok_dup(&ts, i) : NULL;

			n += name && strmap_has(words, name);
			free(name);
		}
	}
	ctoks_release(&ts);
	return n;
}

static int source_order(const void *a, const void *b)
{
	const struct source *x = a, *y = b;

	if (x->near != y->near)
		return x->near ? -1 : 1;
	if (x->likeness != y->likeness)
		return x->likeness > y->likeness ? -1 : 1;
	if (strcmp(x->ex->path, y->ex->path))
		return strcmp(x->ex->path, y->ex->path);
	return strcmp(x->ex->function, y->ex->function);
}

static bool is_near(const struct propose_ctx *c, const char *path)
{
	for (size_t i = 0; c->exclude && i < c->exclude->n; i++) {
		size_t len = (size_t)(path_base(c->exclude->v[i]) - c->exclude->v[i]);

		if (len && !strncmp(c->exclude->v[i], path, len))
			return true;
	}
	return false;
}

/* One entry for each function; returns how many. */
static size_t choose(const struct propose_ctx *c, const struct example *ex, size_t n,
		     const struct strmap *words, struct source *out)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		size_t like;

		if (!ex[i].function)
			continue;
		like = shared_words(ex[i].before, words);
		if (k && !strcmp(out[k - 1].ex->path, ex[i].path) &&
		    !strcmp(out[k - 1].ex->function, ex[i].function)) {
			out[k - 1].likeness += like;
			continue;
		}
		out[k++] = (struct source){ &ex[i], like, is_near(c, ex[i].path) };
	}
	if (k)
		sort_items(out, k, sizeof(*out), source_order);
	return k < MAX_LOADED ? k : MAX_LOADED;
}

/* ---- results ------------------------------------------------------------------------------ */

static bool same_change(const struct edit_group *a, const struct edit_group *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		const struct edit *x = &a->e[i], *y = &b->e[i];

		if (strcmp(x->path, y->path) || x->start != y->start || x->end != y->end ||
		    !same_but_blanks(x->text, y->text))
			return false;
	}
	return a->n == b->n;
}

static void add_result(struct results *l, struct edit_group *g, const struct group_example *ex,
		       const struct group_outcome *o)
{
	struct result *r;

	for (size_t i = 0; i < l->n; i++) {
		r = &l->r[i];
		if (!same_change(r->g, g))
			continue;
		if (!strvec_contains(&r->paths, ex->path))
			strvec_push(&r->paths, ex->path);
		if (ex->likeness > r->likeness)
			r->likeness = ex->likeness;
		edit_group_free(g);
		return;
	}
	ALLOC_GROW(l->r, l->n + 1, l->alloc);
	r = &l->r[l->n++];
	memset(r, 0, sizeof(*r));
	strvec_init(&r->paths);
	strvec_init(&r->gone);
	for (size_t i = 0; i < ex->gone.n; i++)
		strvec_push(&r->gone, ex->gone.v[i]);
	strvec_push(&r->paths, ex->path);
	r->g = g;
	r->likeness = ex->likeness;
	r->outcome = *o;
}

static void release_result(struct result *r)
{
	edit_group_free(r->g);
	strvec_release(&r->paths);
	strvec_release(&r->gone);
}

static void release_results(struct results *l)
{
	for (size_t i = 0; i < l->n; i++)
		release_result(&l->r[i]);
	free(l->r);
	memset(l, 0, sizeof(*l));
}

static int result_order(const void *a, const void *b)
{
	const struct result *x = a, *y = b;

	if (x->paths.n != y->paths.n)
		return x->paths.n > y->paths.n ? -1 : 1;
	if (x->likeness != y->likeness)
		return x->likeness > y->likeness ? -1 : 1;
	return strcmp(x->paths.v[0], y->paths.v[0]);
}

/* ---- risk and words ------------------------------------------------------------------------- */

struct change {
	struct strmap before, after; /* identifiers of the replaced text and of the new one */
	bool adds_text;
};

static void scan_words(const struct strbuf *text, struct strmap *out)
{
	struct ctoks ts = { 0 };

	if (!ctoks_scan(&ts, text->buf, text->len))
		collect_words(&ts, (struct cspan){ 0, (uint32_t)ts.n }, out);
	ctoks_release(&ts);
}

static void collect_change(const struct propose_ctx *c, const struct edit_group *g,
			   struct change *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < g->n; i++) {
		const struct edit *e = &g->e[i];
		const struct srcfile *f = tree_file(c->tree, e->path);
		struct strbuf text = STRBUF_INIT;
		size_t start = e->start, end = e->end;

		/* An edit may begin or end inside a name: whole names count. */
		while (start > 0 && is_word_char(f->text[start - 1]))
			start--;
		while (end < f->len && is_word_char(f->text[end]))
			end++;
		strbuf_add(&text, f->text + start, end - start);
		scan_words(&text, &out->before);
		strbuf_reset(&text);
		strbuf_add(&text, f->text + start, e->start - start);
		strbuf_addstr(&text, e->text);
		strbuf_add(&text, f->text + e->end, end - e->end);
		scan_words(&text, &out->after);
		out->adds_text |= *e->text != '\0';
		strbuf_release(&text);
	}
}

/* A kernel name that is still there and that the new text has no more, besides the symbol. */
static bool loses_name(const struct propose_ctx *c, const struct change *ch, const char *symbol)
{
	const struct strmap_entry *e;

	strmap_for_each(&ch->before, e) {
		if (strcmp(e->key, symbol) && !strmap_has(&ch->after, e->key) &&
		    api_lookup(c->new_ix, e->key, API_ANY_CALLABLE | API_ENUMERATOR))
			return true;
	}
	return false;
}

/* ENOMEM, EBUSY */
static bool is_error_code(const char *name)
{
	if (*name++ != 'E' || !*name)
		return false;
	while (*name >= 'A' && *name <= 'Z')
		name++;
	return !*name;
}

/*
 * A constant that the text in hand did not have, other than an error code: a flag or a
 * property that all the others wanted is none that this driver must want.
 */
static bool chooses(const struct propose_ctx *c, const struct change *ch)
{
	const struct strmap_entry *e;

	strmap_for_each(&ch->after, e) {
		if (!strmap_has(&ch->before, e->key) && !is_error_code(e->key) &&
		    api_lookup(c->new_ix, e->key, API_ENUMERATOR | API_MACRO))
			return true;
	}
	return false;
}

/* Nothing of the kernel's stands where the symbol stood: a deletion, however many places it has. */
static bool only_drops(const struct propose_ctx *c, const struct change *ch, const char *symbol)
{
	const struct strmap_entry *e;

	if (!strmap_has(&ch->before, symbol) || strmap_has(&ch->after, symbol))
		return false;
	strmap_for_each(&ch->after, e) {
		if (!strmap_has(&ch->before, e->key) && api_lookup(c->new_ix, e->key, API_ANY & ~API_MEMBER))
			return false;
	}
	return true;
}

static const char *added_name(const struct propose_ctx *c, const struct change *ch)
{
	const struct strmap_entry *e;

	strmap_for_each(&ch->after, e) {
		if (!strmap_has(&ch->before, e->key) &&
		    api_lookup(c->new_ix, e->key, API_ANY_CALLABLE) &&
		    !api_lookup(c->old_ix, e->key, API_ANY_CALLABLE))
			return e->key;
	}
	return NULL;
}

/* Are the tokens of two texts the same but for constants? */
static bool constants_differ(const char *a, const char *b)
{
	struct ctoks x = { 0 }, y = { 0 };
	bool differ = false;

	if (!ctoks_scan(&x, a, strlen(a)) && !ctoks_scan(&y, b, strlen(b)) && x.n == y.n) {
		for (size_t i = 0; i < x.n; i++) {
			if (ctok_same(&x, i, &y, i))
				continue;
			differ = is_constant_token(&x, i) && is_constant_token(&y, i);
			if (!differ)
				break;
		}
	}
	ctoks_release(&x);
	ctoks_release(&y);
	return differ;
}

/* Did other drivers do the same in the same places with another constant? */
static void judge_constants(struct results *l, size_t k)
{
	struct result *r = &l->r[k];

	for (size_t i = 0; i < l->n; i++) {
		const struct edit_group *a = r->g, *b = l->r[i].g;

		for (size_t e = 0; i != k && e < a->n && a->n == b->n; e++) {
			const struct edit *x = &a->e[e], *y = &b->e[e];
			int now = l->r[i].paths.n * CLEAR_MAJORITY < r->paths.n ? OUTVOTED : CONTESTED;

			if (x->start == y->start && x->end == y->end && now > (int)r->contest &&
			    constants_differ(x->text, y->text))
				r->contest = now;
		}
	}
}

/*
 * Deletions never count as safe (ENGINE.md), and nothing but deletions, or one place that
 * loses a name on the word of few, may be half of a change. An error code of the
 * other drivers is one for this driver when they agree on it.
 */
static enum risk risk_of(const struct result *r, const struct change *ch, bool loses, bool chooses)
{
	bool few = r->support < SAFE_SUPPORT || r->others >= r->support;

	if (!ch->adds_text || r->contest == CONTESTED || (r->g->n == 1 && loses && few))
		return RISK_SHOWN;
	if (r->outcome.deletes || r->outcome.conditional || loses || chooses || r->contest == OUTVOTED || few)
		return RISK_REVIEW;
	return RISK_SAFE;
}

/* Whole names of the text that an edit replaces. */
static void replaced_text(const struct propose_ctx *c, const struct edit *e, struct strbuf *out)
{
	const struct srcfile *f = tree_file(c->tree, e->path);
	size_t start = e->start, end = e->end;

	while (start > 0 && is_word_char(f->text[start - 1]))
		start--;
	while (end < f->len && is_word_char(f->text[end]))
		end++;
	strbuf_add(out, f->text + start, end - start);
}

static bool replaces_gone(const struct propose_ctx *c, const struct edit *e)
{
	struct strbuf text = STRBUF_INIT;
	struct ctoks ts = { 0 };
	bool yes = false;

	replaced_text(c, e, &text);
	if (!ctoks_scan(&ts, text.buf, text.len)) {
		for (size_t i = 0; i < ts.n && !yes; i++)
			yes = ctok_is_ident(&ts, i) && group_is_gone(c, &ts, i);
	}
	ctoks_release(&ts);
	strbuf_release(&text);
	return yes;
}

/* Another change of the function that is none of g's, nor g without what it does to further gone names. */
static bool contradicts(const struct propose_ctx *c, const struct edit_group *other, const struct edit_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		bool same = false;

		for (size_t k = 0; k < other->n && !same; k++)
			same = g->e[i].start == other->e[k].start && g->e[i].end == other->e[k].end &&
			       same_but_blanks(g->e[i].text, other->e[k].text);
		if (!same && !replaces_gone(c, &g->e[i]))
			return true;
	}
	return other != g && other->n > g->n;
}

static void rank(const struct propose_ctx *c, struct results *l)
{
	if (l->n)
		sort_items(l->r, l->n, sizeof(*l->r), result_order);
	for (size_t i = 0; i < l->n; i++) {
		l->r[i].support = l->r[i].paths.n;
		l->r[i].functions = 1;
		for (size_t k = 0; k < l->n; k++)
			l->r[i].others += contradicts(c, l->r[k].g, l->r[i].g) ? l->r[k].paths.n : 0;
		judge_constants(l, i);
	}
}

/* A flag that none of the places had, on the word of few. */
static bool adds_flag(const struct propose_ctx *c, const struct result *r)
{
	const char **old = xcalloc(r->g->n + 1, sizeof(*old));
	bool adds = false;
	size_t n = 0;

	for (size_t i = 0; i < r->g->n; i++) {
		const struct srcfile *f = tree_file(c->tree, r->g->e[i].path);

		if (!n || old[n - 1] != f->text)
			old[n++] = f->text;
	}
	for (size_t i = 0; i < r->g->n && r->paths.n < SAFE_SUPPORT && !adds; i++)
		adds = propose_adds_flag(r->g->e[i].text, old);
	free(old);
	return adds;
}

static void finish(const struct propose_ctx *c, const char *symbol, struct result *r)
{
	struct edit_group *g = r->g;
	struct change ch;
	struct strbuf where = STRBUF_INIT;
	const char *added;
	double many = r->support > 10 ? 1 : (double)r->support / 10;

	collect_change(c, g, &ch);
	g->risk = !r->outcome.head && only_drops(c, &ch, symbol) ? RISK_SHOWN : risk_of(r, &ch, loses_name(c, &ch, symbol), chooses(c, &ch));
	if (adds_flag(c, r))
		g->risk = RISK_SHOWN;
	g->score = 0.6 + 0.25 * many + 0.1 * r->likeness;
	added = added_name(c, &ch);
	if (added)
		edit_group_title(g, "use %s in place of %s", added, symbol);
	else
		edit_group_title(g, "follow the change of %s", symbol);
	for (size_t i = 0; i < r->paths.n && i < MAX_PATHS; i++)
		strbuf_addf(&where, "%s%s", i ? ", " : "", r->paths.v[i]);
	edit_group_why(g, "Between %s and %s, %zu driver%s of the kernel made the same change (%s); all %zu "
		       "places of it, in %zu function%s, are taken over together.",
		       c->from->name, c->to->name, r->support, r->support == 1 ? "" : "s", where.buf,
		       r->outcome.sites, r->functions, r->functions == 1 ? "" : "s");
	g->symbol = xstrdup(symbol);
	strmap_release(&ch.before, NULL);
	strmap_release(&ch.after, NULL);
	strbuf_release(&where);
}

/* ---- proposing -------------------------------------------------------------------------------- */

/* The symbol's occurrence in the function at or nearest to the breakage's site; CTOK_NONE. */
static uint32_t occurrence(const struct propose_ctx *c, struct srcfile *f, const struct cfunc *fn,
			   const char *symbol)
{
	const struct ctoks *ts = srcfile_toks(f);
	size_t at = ctok_at(ts, c->b->start);
	uint32_t best = CTOK_NONE;
	size_t dist = SIZE_MAX;

	for (uint32_t i = fn->body.first; i < fn->body.end; i++) {
		size_t d = i > at ? i - at : at - i;

		if (ts->t[i].kind == CTOK_IDENT && ctok_is(ts, i, symbol) && d < dist) {
			best = i;
			dist = d;
		}
	}
	return best;
}

/* First token of the object in front of the member operator at op. */
static uint32_t object_start(const struct ctoks *ts, uint32_t op)
{
	uint32_t i = op;

	while (i > 0) {
		uint32_t p = i - 1;

		if ((ctok_is(ts, p, "]") || ctok_is(ts, p, ")")) && ts->t[p].match != CTOK_NONE &&
		    ts->t[p].match < p)
			i = ts->t[p].match;
		else if (ctok_is_ident(ts, p))
			i = p;
		else
			return i;
		if (i > 0 && (ctok_is(ts, i - 1, "->") || ctok_is(ts, i - 1, ".")))
			i--;
		else if (i == 0 || !ctok_is(ts, i, "[") )
			return i;
	}
	return i;
}

/*
 * A member that went from one structure says nothing about one of the same name in
 * another: the example's must be of the breakage's type, as far as that can be told.
 */
static bool same_member(const struct propose_ctx *c, const char *symbol, const struct group_example *ge)
{
	struct type_env env = { .ix = c->old_ix };
	const struct ctoks *ts = srcfile_toks(ge->f[GROUP_OLD]);
	bool named = false;

	if (c->b->diag.kind != DIAG_NO_MEMBER || !c->b->diag.type)
		return true;
	for (uint32_t i = ge->fn[GROUP_OLD]->body.first; i < ge->fn[GROUP_OLD]->body.end; i++) {
		char *type;
		bool same;

		if (!ctok_is(ts, i, symbol) || i < 2 || !is_member_access(ts, i))
			continue;
		type = expr_type(&env, &ge->scope[GROUP_OLD], object_start(ts, i - 1), i - 1);
		if (!type)
			continue;
		same = strstr(type, c->b->diag.type) != NULL;
		free(type);
		return same;
	}
	for (uint32_t i = 0; i < ts->n && !named; i++)
		named = ctok_is(ts, i, path_base(c->b->diag.type)) ||
			(starts_with(c->b->diag.type, "struct ") && ctok_is(ts, i, c->b->diag.type + 7));
	return named;
}

static void try_sources(const struct propose_ctx *c, const char *symbol, struct srcfile *f,
			const struct cfunc *fn, uint32_t site, struct results *out)
{
	struct strmap words = STRMAP_INIT;
	struct example *ex;
	size_t n = examples_for(c->examples, symbol, c->exclude, MAX_EXAMPLES, &ex), k;
	struct source *s = xcalloc(n + 1, sizeof(*s));

	collect_words(srcfile_toks(f), (struct cspan){ fn->ret.first, fn->body.end }, &words);
	k = choose(c, ex, n, &words, s);
	for (size_t i = 0; i < k; i++) {
		struct edit_group *g;
		struct group_example ge;
		struct group_outcome o;

		if (!group_example_load(c, symbol, s[i].ex->path, s[i].ex->function, &words, &ge))
			continue;
		if (!same_member(c, symbol, &ge)) {
			group_example_release(&ge);
			continue;
		}
		g = edit_group_new(EDIT_MINED, "group", RISK_REVIEW, 0.5);
		if (group_apply(c, symbol, &ge, f, fn, site, g, &o) && g->n)
			add_result(out, g, &ge, &o);
		else
			edit_group_free(g);
		group_example_release(&ge);
	}
	free(s);
	examples_free_list(ex, n);
	strmap_release(&words, NULL);
}

/* The function of the driver that is handed over with a type that does not fit any more. */
static void try_roles(const struct propose_ctx *c, struct results *out)
{
	struct srcfile *f = NULL;
	const struct cfunc *fn = propose_find_function(c, c->b->diag.value, &f);
	struct strmap words = STRMAP_INIT;
	struct csig expected;
	struct group_role *role;
	size_t n;

	if (!fn || !csig_parse(c->b->diag.expected, &expected))
		return;
	collect_words(srcfile_toks(f), (struct cspan){ fn->ret.first, fn->body.end }, &words);
	n = group_role_find(c, f, fn, &expected, &role);
	for (size_t i = 0; i < n; i++) {
		struct group_example ge;
		struct group_outcome o;
		struct edit_group *g;

		if (!group_example_load(c, role[i].function, role[i].path, role[i].function, &words, &ge))
			continue;
		g = edit_group_new(EDIT_MINED, "group", RISK_REVIEW, 0.5);
		if (group_role_fits(c, &ge, &expected) &&
		    group_apply(c, role[i].function, &ge, f, fn, fn->name, g, &o) && g->n)
			add_result(out, g, &ge, &o);
		else
			edit_group_free(g);
		group_example_release(&ge);
	}
	group_role_free(role, n);
	csig_release(&expected);
	strmap_release(&words, NULL);
}

/* A result that rests on a driver which r rests on too, else the best. */
static struct result *best_with(const struct results *l, const struct result *r)
{
	for (size_t i = 0; i < l->n; i++) {
		for (size_t k = 0; k < l->r[i].paths.n; k++) {
			if (strvec_contains(&r->paths, l->r[i].paths.v[k]))
				return &l->r[i];
		}
	}
	return l->n ? &l->r[0] : NULL;
}

static void take_along(struct result *r, const struct result *other)
{
	for (size_t i = 0; i < other->g->n; i++) {
		const struct edit *e = &other->g->e[i];

		edit_add(r->g, e->path, e->start, e->end, e->text);
	}
	if (other->paths.n < r->support)
		r->support = other->paths.n;
	if (other->others > r->others)
		r->others = other->others;
	r->functions++;
	r->outcome.sites += other->outcome.sites;
	r->outcome.items += other->outcome.items;
	r->outcome.deletes |= other->outcome.deletes;
	r->outcome.conditional |= other->outcome.conditional;
	if (other->contest > r->contest)
		r->contest = other->contest;
}

/* The other functions of the file that use the symbol, or one that went along, are changed with the first. */
static void other_functions(const struct propose_ctx *c, const char *symbol, const struct strvec *also,
			    struct srcfile *f, const struct cfunc *fn, struct result *r)
{
	const struct cfile *cf = srcfile_parse(f);

	for (size_t i = 0; i < cf->nfuncs && r->functions < MAX_FUNCTIONS; i++) {
		const struct cfunc *g = &cf->funcs[i];
		const char *name = symbol;
		uint32_t site = g != fn ? occurrence(c, f, g, name) : CTOK_NONE;
		struct results l = { 0 };
		struct result *best;

		for (size_t k = 0; g != fn && k < also->n && site == CTOK_NONE; k++) {
			name = also->v[k];
			site = occurrence(c, f, g, name);
		}
		if (site == CTOK_NONE)
			continue;
		try_sources(c, name, f, g, site, &l);
		rank(c, &l);
		best = best_with(&l, r);
		/* What comes along would be defined twice. */
		if (best && best->contest != CONTESTED && !(best->outcome.items && r->outcome.items))
			take_along(r, best);
		release_results(&l);
	}
}

/* The other half of a pair went as well: "ida_simple_remove" for "ida_simple_get". */
static void other_halves(const struct propose_ctx *c, const char *symbol, struct strvec *out)
{
	struct strvec partners = STRVEC_INIT;

	names_partners(symbol, &partners);
	for (size_t i = 0; i < partners.n; i++) {
		if (api_lookup(c->old_ix, partners.v[i], API_ANY_CALLABLE) &&
		    !api_lookup(c->new_ix, partners.v[i], API_ANY) && !strvec_contains(out, partners.v[i]))
			strvec_push(out, partners.v[i]);
	}
	strvec_release(&partners);
}

static void offer(const struct propose_ctx *c, const char *symbol, struct results *l,
		  struct edit_group_list *out)
{
	for (size_t i = 0; i < l->n && i < MAX_GROUPS; i++) {
		finish(c, symbol, &l->r[i]);
		edit_group_list_add(out, l->r[i].g);
		l->r[i].g = NULL;
	}
	release_results(l);
}

/* "find_vqs" of the target "ops.find_vqs", else the function. */
static const char *member_of(const struct propose_ctx *c)
{
	const char *dot = c->b->diag.target ? strrchr(c->b->diag.target, '.') : NULL;

	return dot && dot[1] ? dot + 1 : c->b->diag.value;
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	struct results l = { 0 };
	struct srcfile *f = NULL;
	const struct cfunc *fn = propose_site_function(c, &f);
	char *symbol;
	uint32_t site;

	if (!c->examples || !c->from || !c->from->source_dir || !c->to->source_dir || !c->old_ix)
		return 0;
	if (c->b->diag.kind == DIAG_INCOMPATIBLE_POINTER && c->b->diag.value && c->b->diag.expected) {
		try_roles(c, &l);
		rank(c, &l);
		offer(c, member_of(c), &l, out);
	}
	if (!fn)
		return 0;
	/* What was checked by hand needs no examples. */
	for (size_t i = 0; i < out->n; i++) {
		if (out->g[i]->source == EDIT_RULE)
			return 0;
	}
	symbol = propose_symbol(c);
	/* What the kernel still has is only not included. */
	if (symbol && (c->b->diag.kind == DIAG_IMPLICIT_FUNCTION || c->b->diag.kind == DIAG_UNDECLARED) &&
	    api_lookup(c->new_ix, symbol, API_ANY & ~API_MEMBER)) {
		free(symbol);
		return 0;
	}
	site = symbol ? occurrence(c, f, fn, symbol) : CTOK_NONE;
	if (site != CTOK_NONE)
		try_sources(c, symbol, f, fn, site, &l);
	rank(c, &l);
	for (size_t i = 0; i < l.n && i < MAX_GROUPS; i++) {
		other_halves(c, symbol, &l.r[i].gone);
		other_functions(c, symbol, &l.r[i].gone, f, fn, &l.r[i]);
	}
	offer(c, symbol, &l, out);
	free(symbol);
	return 0;
}

const struct proposer propose_group = {
	.name = "group",
	.kinds = KIND_BIT(DIAG_IMPLICIT_FUNCTION) | KIND_BIT(DIAG_UNDECLARED) |
		 KIND_BIT(DIAG_NO_MEMBER) | KIND_BIT(DIAG_INCOMPATIBLE_POINTER) |
		 KIND_BIT(DIAG_TOO_FEW_ARGS) | KIND_BIT(DIAG_TOO_MANY_ARGS) |
		 KIND_BIT(DIAG_MACRO_ARITY) | KIND_BIT(DIAG_INT_CONVERSION) |
		 KIND_BIT(DIAG_INCOMPATIBLE_TYPES) | KIND_BIT(DIAG_INCOMPLETE_TYPE) |
		 KIND_BIT(DIAG_UNKNOWN_TYPE) | KIND_BIT(DIAG_VOID_VALUE),
	.propose = propose,
};
