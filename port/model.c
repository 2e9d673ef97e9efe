// SPDX-License-Identifier: GPL-2.0-only
/* Rounds of questions and searches over what the engine has left. */
#include "base/compat.h"
#include "port/model-internal.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/strmap.h"
#include "port/node.h"
#include "port/series.h"

#define MAX_WORK	  40 /* pieces asked about in one round */
#define MAX_PER_QUESTION  8  /* breakages of one piece asked about at once */
#define MAX_HISTORY	  4000 /* bytes; what was tried first is left out then, and that is said */
#define MAX_EDITS	  4    /* of one attempt shown there */
#define MAX_SHOWN	  600  /* of one edit in it */
#define LEFT_OUT	  "- (earlier attempts are left out)\n"
#define MAX_DIAGS	  6

struct rounds {
	struct port_run *r;
	struct model_opts *m;
	const struct search_ctx *c;
	struct search_ctx with_pool;
	struct model_ctx x;
	struct model_pool pool;
	struct strmap seen;	/* hashes of edits */
	struct strmap history;	/* of work: its key -> strbuf of what was tried */
	struct strmap over;	/* keys of work that is not asked about any more */
	struct model_work *work;
	size_t nwork, alloc;
	bool stop;		/* budget or server */
	struct strbuf *err;
};

/* ---- options --------------------------------------------------------------------- */

static const char *const policies[] = { "engine", "model", "hybrid" };

int model_policy_parse(const char *word, enum model_policy *out, struct strbuf *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		if (!strcmp(word, policies[i])) {
			*out = (enum model_policy)i;
			return 0;
		}
	}
	return kp_fail(err, KP_ERR, "there is no generator '%s', but engine, model, hybrid and replay", word);
}

const char *model_policy_name(enum model_policy p)
{
	return policies[p];
}

void model_opts_init(struct model_opts *m)
{
	memset(m, 0, sizeof(*m));
	strvec_init(&m->no_send);
	strvec_init(&m->notes);
	strvec_init(&m->concerns);
	strbuf_init(&m->dumped);
	m->attempts = json_array();
}

void model_opts_release(struct model_opts *m)
{
	strvec_release(&m->no_send);
	strvec_release(&m->notes);
	strvec_release(&m->concerns);
	strbuf_release(&m->dumped);
	json_decref(m->attempts);
	free(m->failure);
	strmap_release(&m->refused, free);
}

static json_t *strings(const struct strvec *v)
{
	json_t *a = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(a, json_str(v->v[i]));
	return a;
}

json_t *model_json(const struct model_opts *m)
{
	json_t *o = agent_spent_json(m->agent);

	json_set_str(o, "policy", model_policy_name(m->policy));
	json_set_int(o, "samples", m->samples ? m->samples : 1);
	json_set_int(o, "rounds", m->rounds);
	json_set_str(o, "failure", m->failure);
	json_object_set_new(o, "notes", strings(&m->notes));
	json_object_set_new(o, "concerns", strings(&m->concerns));
	json_object_set(o, "attempts", m->attempts);
	return o;
}

/* ---- work -------------------------------------------------------------------------- */

static char *work_key(const struct model_work *w)
{
	return xstrfmt("%s %s", w->path, w->function ? w->function : "");
}

static char *work_name(const struct model_work *w)
{
	return w->function ? xstrfmt("%s, %s()", w->path, w->function) : xstrdup(w->path);
}

static void drop_work(struct rounds *s)
{
	for (size_t i = 0; i < s->nwork; i++) {
		free(s->work[i].path);
		free(s->work[i].function);
		free(s->work[i].b);
	}
	free(s->work);
	s->work = NULL;
	s->nwork = s->alloc = 0;
}

static bool same_place(const struct model_work *w, const struct breakage *b)
{
	if (strcmp(w->path, b->path) || !w->function != !b->function)
		return false;
	return !w->function || !strcmp(w->function, b->function);
}

static void add_work(struct rounds *s, const struct breakage *b)
{
	struct model_work *w = NULL;

	for (size_t i = 0; i < s->nwork && !w; i++)
		w = same_place(&s->work[i], b) ? &s->work[i] : NULL;
	if (!w) {
		ALLOC_GROW(s->work, s->nwork + 1, s->alloc);
		w = &s->work[s->nwork++];
		*w = (struct model_work){ .path = xstrdup(b->path), .function = xstrdup(b->function) };
	}
	ALLOC_GROW(w->b, w->nb + 1, w->alloc);
	w->b[w->nb++] = b;
}

static void note(struct rounds *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void note(struct rounds *s, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	if (!strvec_contains(&s->m->notes, sb.buf))
		strvec_push(&s->m->notes, sb.buf);
	strbuf_release(&sb);
}

/* Pieces that may still be asked about. */
static void collect_work(struct rounds *s)
{
	const struct breakage_list *left = &s->r->search.left;

	drop_work(s);
	for (size_t i = 0; i < left->n && s->nwork < MAX_WORK; i++) {
		const struct breakage *b = &left->b[i];
		struct srcfile *f = b->path && b->unit >= 0 ? tree_file(s->r->search.tree, b->path) : NULL;
		struct model_work one = { b->path, b->function };
		char *key;

		if (!f || !srcfile_is_c(f))
			continue;
		if (!model_may_send(s->m, b->path)) {
			note(s, "%s: not sent to the model, as --no-send asks", b->path);
			continue;
		}
		key = work_key(&one);
		if (!strmap_has(&s->over, key))
			add_work(s, b);
		free(key);
	}
}

static void end_work(struct rounds *s, const struct model_work *w)
{
	char *key = work_key(w);

	strmap_put(&s->over, key, NULL);
	free(key);
}

static struct strbuf *history_of(struct rounds *s, const struct model_work *w, bool make)
{
	char *key = work_key(w);
	struct strbuf *sb = strmap_get(&s->history, key);

	if (!sb && make) {
		sb = xcalloc(1, sizeof(*sb));
		strbuf_init(sb);
		strmap_put(&s->history, key, sb);
	}
	free(key);
	return sb;
}

static void free_history(void *p)
{
	strbuf_release(p);
	free(p);
}

/* ---- asking ------------------------------------------------------------------------- */

static void audit_question(struct rounds *s, const struct model_work *w, unsigned sample, size_t bytes)
{
	const struct prompt *p = history_of(s, w, false) ? &s->x.refiner : &s->x.generator;
	struct strbuf ignored = STRBUF_INIT;
	json_t *o = json_object(), *hashes = json_object();

	json_set_str(hashes, p->name, p->hash.hex);
	json_set_str(hashes, s->x.system.name, s->x.system.hash.hex);
	for (size_t i = 0; i < ARRAY_SIZE(s->x.kind); i++)
		json_set_str(hashes, s->x.kind[i].name, s->x.kind[i].hash.hex);
	json_set_str(o, "path", w->path);
	json_set_str(o, "function", w->function);
	json_set_int(o, "round", s->m->rounds);
	json_set_int(o, "sample", sample);
	json_set_int(o, "tokens_estimated", (int64_t)prompt_tokens(bytes));
	json_object_set_new(o, "prompts", hashes);
	audit_add(s->r->audit, "model-question", o, &ignored);
	strbuf_release(&ignored);
}

static void dump(struct rounds *s, const char *question)
{
	struct ask q = ASK_INIT;
	json_t *v;

	q.system = s->x.system.text;
	q.max_tokens = s->m->agent->max_tokens ? s->m->agent->max_tokens : 4096;
	ask_add(&q, ASK_USER, question);
	v = backend_request(s->m->agent->backend, &q);
	json_dump_pretty(v, &s->m->dumped);
	json_decref(v);
	ask_release(&q);
}

/* At most MAX_HISTORY bytes: whole attempts go, the oldest first. */
static void shorten(struct strbuf *h)
{
	const char *cut = h->buf;
	char *rest;

	if (h->len <= MAX_HISTORY)
		return;
	while (cut && h->len - (size_t)(cut - h->buf) > MAX_HISTORY - strlen(LEFT_OUT)) {
		cut = strstr(cut + 1, "\n- ");
		cut = cut ? cut + 1 : NULL;
	}
	rest = xstrdup(cut ? cut : "");
	strbuf_reset(h);
	strbuf_addf(h, LEFT_OUT "%s", rest);
	free(rest);
}

static void add_written(struct strbuf *h, const char *text)
{
	size_t n = strlen(text);

	if (!n)
		text = "(nothing)";
	model_add_data(h, text, n ? (n < MAX_SHOWN ? n : MAX_SHOWN) : strlen(text));
	if (n > MAX_SHOWN)
		strbuf_addf(h, "  (%zu more bytes)\n", n - MAX_SHOWN);
}

/* The edits of an attempt in short: what they write. p NULL: there were none. */
static void remember(struct rounds *s, const struct model_work *w, const struct proto_reply *p, const char *fate)
{
	struct strbuf *h = history_of(s, w, true);

	strbuf_addf(h, "- ");
	for (size_t i = 0; p && i < p->nedits && i < MAX_EDITS; i++) {
		strbuf_addf(h, "in %s wrote:\n", p->edits[i].path);
		add_written(h, p->edits[i].new);
	}
	if (p && p->nedits > MAX_EDITS)
		strbuf_addf(h, "  (and %zu more edits)\n", p->nedits - MAX_EDITS);
	strbuf_addstr(h, "  result: ");
	model_add_data(h, fate, strlen(fate));
	shorten(h);
}

static void record_attempt(struct rounds *s, const struct model_work *w, unsigned sample, const char *title,
			   const char *fate)
{
	json_t *o = json_object();

	json_set_int(o, "round", s->m->rounds);
	json_set_int(o, "sample", sample);
	json_set_str(o, "path", w->path);
	json_set_str(o, "function", w->function);
	json_set_str(o, "title", title);
	json_set_str(o, "outcome", fate);
	json_array_append_new(s->m->attempts, o);
}

/* true: edits that were not tried before came. */
static bool take_reply(struct rounds *s, const struct model_work *w, unsigned sample, struct proto_reply *p)
{
	char *title = xstrdup(p->title ? p->title : "an edit without a title");
	bool fresh = false;

	for (size_t i = 0; i < p->problems.n; i++)
		remember(s, w, NULL, p->problems.v[i]);
	if (p->nedits) {
		fresh = model_pool_add(&s->pool, &s->seen, w->path, w->function, p,
				       s->m->agent->last_model, s->m->rounds, sample);
		if (!fresh) {
			remember(s, w, NULL, "the same edits as before");
			record_attempt(s, w, sample, title, "the same edits were tried before");
		}
	} else if (p->give_up) {
		char *name = work_name(w);

		note(s, "%s: the model gave up: %s", name, p->give_up);
		record_attempt(s, w, sample, NULL, "gave up");
		free(name);
	} else {
		record_attempt(s, w, sample, NULL, "no edit could be read");
	}
	proto_reply_release(p);
	free(title);
	return fresh;
}

/* KP_NOTFOUND: the budget is used up. Others: the server, or one question. */
static int ask_once(struct rounds *s, const struct model_work *w, const char *question, unsigned sample,
		    bool *fresh, struct strbuf *why)
{
	struct agent_task t = { .role = s->m->rounds > 1 ? "refiner" : "generator",
		.system = s->x.system.text, .question = question, .sample = sample,
		.lookup = model_lookup, .payload = &s->x };
	struct proto_reply p;
	int ret;

	audit_question(s, w, sample, strlen(question) + strlen(s->x.system.text));
	ret = agent_run(s->m->agent, &t, &p, why);
	if (!ret)
		*fresh |= take_reply(s, w, sample, &p);
	return ret;
}

static int failed(struct rounds *s, const struct model_work *w, int ret, struct strbuf *why)
{
	if (ret == KP_INTERRUPTED) {
		strbuf_addbuf(s->err, why);
		return ret;
	}
	if (ret == KP_NOTFOUND) {
		note(s, "%s", why->buf);
	} else {
		free(s->m->failure);
		s->m->failure = xstrdup(why->buf);
	}
	s->stop = true;
	return 0;
}

/* The same question, samples times. */
static int ask_samples(struct rounds *s, const struct model_work *w, const char *question, bool *fresh)
{
	unsigned samples = s->m->samples ? s->m->samples : 1;
	struct strbuf why = STRBUF_INIT;
	int ret = 0;

	if (s->m->dump) {
		dump(s, question);
		return 0;
	}
	for (unsigned i = 0; !ret && i < samples; i++)
		ret = ask_once(s, w, question, i, fresh, &why);
	if (ret)
		ret = failed(s, w, ret, &why);
	strbuf_release(&why);
	return ret;
}

/*
 * About the first breakages of the piece: as many as fit the window, but one at least. Their
 * number is the answer; asked: not when even one does not fit, which is noted.
 */
static size_t make_question(struct rounds *s, const struct model_work *w, struct strbuf *question, bool *asked)
{
	struct strbuf *history = history_of(s, w, false);
	struct model_work part = *w;
	int ret;

	part.nb = w->nb < MAX_PER_QUESTION ? w->nb : MAX_PER_QUESTION;
	for (;; part.nb /= 2) {
		struct strbuf why = STRBUF_INIT;

		strbuf_reset(question);
		ret = model_question(&s->x, &part, history ? history->buf : NULL, question, &why);
		if (ret && part.nb == 1)
			note(s, "%s", why.buf);
		strbuf_release(&why);
		if (!ret || part.nb == 1)
			break;
	}
	*asked = !ret;
	return part.nb;
}

/* In as many questions as it takes. */
static int ask_about(struct rounds *s, const struct model_work *w)
{
	struct strbuf question = STRBUF_INIT;
	bool fresh = false, asked;
	int ret = 0;

	s->x.tree = s->r->search.tree;
	for (size_t from = 0, n; !ret && !s->stop && from < w->nb; from += n) {
		struct model_work part = *w;

		part.b += from;
		part.nb -= from;
		n = make_question(s, &part, &question, &asked);
		part.nb = n;
		if (asked)
			ret = ask_samples(s, &part, question.buf, &fresh);
	}
	if (!ret && !s->stop && !fresh && !s->m->dump)
		end_work(s, w);
	strbuf_release(&question);
	return ret;
}

/* ---- searching ------------------------------------------------------------------------ */

/* Joins the steps of two searches, of which the second went on from the first. */
static void join(struct search_result *a, struct search_result *b)
{
	a->steps = xrealloc(a->steps, (a->nsteps + b->nsteps + 1) * sizeof(*a->steps));
	for (size_t i = 0; i < b->nsteps; i++)
		a->steps[a->nsteps++] = step_ref(b->steps[i]);
	tree_unref(a->tree);
	a->tree = tree_ref(b->tree);
	breakage_list_release(&a->left);
	a->left = b->left;
	memset(&b->left, 0, sizeof(b->left));
	a->complete = b->complete;
	a->bounded |= b->bounded;
	a->nodes += b->nodes;
	json_array_extend(a->trace, b->trace);
}

/* ---- what became of a candidate --------------------------------------------------------- */

/* What the compiler says to the tree with it, where the state of now has nothing of the kind. */
static int say_diags(struct rounds *s, struct tree *t, size_t unit, struct strbuf *out)
{
	struct breakage_list l = { 0 };
	int ret = oracle_check(s->c->oracle, t, unit, &l, s->err);
	size_t shown = 0;

	for (size_t i = 0; !ret && i < l.n; i++) {
		if (!breakage_is_work(&l.b[i]))
			continue;
		if (shown++ == MAX_DIAGS)
			break;
		strbuf_addf(out, "%s%s:%d: %s", shown > 1 ? "; " : "with it the compiler says: ",
			    l.b[i].path ? l.b[i].path : "?", l.b[i].diag.loc.line, l.b[i].diag.message);
	}
	if (!ret && !shown)
		strbuf_addstr(out, "it compiles, but another edit was better");
	breakage_list_release(&l);
	return ret;
}

static int fate_of(struct rounds *s, const struct model_cand *c, size_t unit, struct strbuf *out)
{
	struct tree *t = NULL, *now = s->r->search.tree;
	const char *refused = strmap_get(&s->m->refused, c->hash.hex);
	struct edit_group *g = refused ? NULL : model_place(c, now, out);
	int ret = 0;

	if (refused)
		strbuf_addstr(out, refused);
	if (g)
		t = tree_apply(now, g, out);
	if (t && model_loses(&s->pool, now, t, s->c->propose.scratch, out))
		strbuf_addstr(out, " (the driver would do less than before)");
	else if (t)
		ret = say_diags(s, t, unit, out);
	tree_unref(t);
	edit_group_free(g);
	return ret;
}

static const struct model_work *work_of(struct rounds *s, const struct model_cand *c)
{
	for (size_t i = 0; i < s->nwork; i++) {
		struct model_work *w = &s->work[i];

		if (!strcmp(w->path, c->path) && !w->function == !c->function &&
		    (!w->function || !strcmp(w->function, c->function)))
			return w;
	}
	return NULL;
}

/* Was it what a step of the result applied? */
static bool was_taken(const struct search_result *r, const struct model_cand *c)
{
	for (size_t i = 0; i < r->nsteps; i++) {
		const struct port_step *st = r->steps[i];
		struct strbuf ignored = STRBUF_INIT;
		struct edit_group *g = NULL;
		bool same;

		if (st->group->source == EDIT_MODEL)
			g = model_place(c, st->before, &ignored);
		same = g && edit_groups_equal(g, st->group);
		edit_group_free(g);
		strbuf_release(&ignored);
		if (same)
			return true;
	}
	return false;
}

/* For the record, and, where the work is left, for the next question. */
static int tell_fate(struct rounds *s, const struct model_cand *c, bool taken)
{
	struct model_work gone = { c->path, c->function };
	const char *title = c->reply.title ? c->reply.title : "an edit without a title";
	const struct model_work *w = work_of(s, c);
	struct strbuf fate = STRBUF_INIT;
	int ret = 0;

	if (taken)
		strbuf_addstr(&fate, "taken");
	else if (!w)
		strbuf_addstr(&fate, "not needed any more");
	else
		ret = fate_of(s, c, (size_t)w->b[0]->unit, &fate);
	record_attempt(s, w ? w : &gone, c->sample, title, fate.buf);
	if (w)
		remember(s, w, &c->reply, fate.buf);
	strbuf_release(&fate);
	return ret;
}

static int tell_fates(struct rounds *s)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < s->pool.n; i++)
		ret = tell_fate(s, s->pool.c[i], was_taken(&s->r->search, s->pool.c[i]));
	return ret;
}

/* ---- searching again ----------------------------------------------------------------------- */

static int search_once(struct rounds *s, struct search_result *more)
{
	struct search_opts opts = s->r->search_opts;

	/* Bounds are of this search alone: the oracle's count goes on. */
	opts.max_checks = oracle_stats(s->c->oracle)->checks + 60 +
			  24 * (unsigned)(s->r->search.left.n + s->pool.n);
	s->with_pool = *s->c;
	s->with_pool.propose.model = &s->pool;
	s->with_pool.propose.only_model = s->m->policy == MODEL_ONLY;
	return search_run(&s->with_pool, s->r->search.tree, &opts, more, s->err);
}

/* Is there a breakage in the candidate's function that was not there before? */
static bool leaves_new_ones(const struct rounds *s, const struct model_cand *c, const struct search_result *more)
{
	struct model_work w = { c->path, c->function };

	for (size_t i = 0; i < more->left.n; i++) {
		const struct breakage *b = &more->left.b[i];

		if (b->path && same_place(&w, b) && !breakage_list_count(&s->r->search.left, b->key))
			return true;
	}
	return false;
}

/*
 * A candidate that the search followed, although it brought what nobody repaired then: half
 * of a repair is worse to go on from than none. Out of the pool, with what is said of it.
 */
static int drop_halves(struct rounds *s, const struct search_result *more, bool *dropped)
{
	int ret = 0;

	*dropped = false;
	for (size_t i = 0; !ret && i < s->pool.n;) {
		struct model_cand *c = s->pool.c[i];

		if (!was_taken(more, c) || !leaves_new_ones(s, c, more)) {
			i++;
			continue;
		}
		ret = tell_fate(s, c, false);
		model_pool_remove(&s->pool, i);
		*dropped = true;
	}
	return ret;
}

static int search_again(struct rounds *s)
{
	struct search_result more = { 0 };
	bool dropped = true;
	int ret = 0;

	while (!ret && dropped && s->pool.n) {
		ret = search_once(s, &more);
		if (!ret)
			ret = drop_halves(s, &more, &dropped);
		if (!ret && !dropped && more.tree) {
			join(&s->r->search, &more);
			collect_work(s);
			ret = tell_fates(s);
		}
		search_result_release(&more);
	}
	return ret;
}

/* ---- rounds ------------------------------------------------------------------------------ */

static int one_round(struct rounds *s)
{
	int ret = 0;

	model_pool_clear(&s->pool);
	for (size_t i = 0; !ret && !s->stop && i < s->nwork; i++)
		ret = ask_about(s, &s->work[i]);
	if (!ret && s->pool.n)
		ret = search_again(s);
	collect_work(s);
	return ret;
}

static int rounds_open(struct rounds *s, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = model_ctx_open(&s->x, err);

	s->x.run = s->r;
	s->x.propose = &s->c->propose;
	s->x.m = s->m;
	s->pool.refused = &s->m->refused;
	s->pool.from_version = s->r->from ? s->r->from->version : 0;
	s->pool.to_version = s->r->to->version;
	/* Without it the comparison excuses less. */
	if (!ret && ktarget_open(s->r->to, &s->pool.target, &why) < 0)
		s->pool.target = NULL;
	strbuf_release(&why);
	return ret;
}

int model_continue(struct port_run *r, const struct search_ctx *c, struct strbuf *err)
{
	struct rounds s = { .r = r, .m = r->model, .c = c, .err = err };
	unsigned max = model_max_rounds(r->model);
	int ret = rounds_open(&s, err);

	if (!ret)
		collect_work(&s);
	while (!ret && s.nwork && !s.stop && s.m->rounds < max) {
		s.m->rounds++;
		ret = one_round(&s);
		if (s.m->dump)
			break;
	}
	if (!ret && s.nwork && !s.stop && !s.m->dump)
		note(&s, "%u rounds of questions are used up", max);
	model_pool_clear(&s.pool);
	ktarget_close(s.pool.target);
	drop_work(&s);
	strmap_release(&s.seen, NULL);
	strmap_release(&s.over, NULL);
	strmap_release(&s.history, free_history);
	model_ctx_close(&s.x);
	return ret;
}
