// SPDX-License-Identifier: GPL-2.0-only
/* Functions behind a member of an operations structure: read, generalised, judged. */
#include "base/compat.h"

#include "base/alloc.h"
#include "port/callback-rule.h"
#include "port/learn-internal.h"
#include "port/scope.h"

#define MIN_PRECISION 0.85

/* ---- reading ------------------------------------------------------------------------- */

static bool is_parent(const struct ctoks *ts, const struct cobject *o, const char *parent)
{
	const char *tag = strrchr(parent, ' ');

	return o->tag != CTOK_NONE && o->tag_is_struct && ctok_is(ts, o->tag, tag ? tag + 1 : parent);
}

/* Element of the object whose value is this one identifier; NULL: none. */
static const struct cmember *holder_of(const struct cfile *cf, const char *parent, const char *fn)
{
	for (size_t i = 0; i < cf->nobjects; i++) {
		const struct cobject *o = &cf->objects[i];

		if (!is_parent(cf->ts, o, parent))
			continue;
		for (size_t k = 0; k < o->nmembers; k++) {
			const struct cmember *m = &o->members[k];

			if (m->name != CTOK_NONE && m->value.end == m->value.first + 1 &&
			    ctok_is(cf->ts, m->value.first, fn))
				return m;
		}
	}
	return NULL;
}

/* Is "return 0;" before the last brace the only return? With "value": does any return have a value? */
static bool returns(const struct ctoks *ts, struct cspan body, bool value)
{
	size_t n = 0, with = 0;

	for (uint32_t i = body.first; i < body.end; i++)
		if (ctok_is(ts, i, "return")) {
			n++;
			with += !ctok_is(ts, i + 1, ";");
		}
	if (value)
		return with > 0;
	return n == 1 && body.end - body.first >= 5 && ctok_is(ts, body.end - 2, ";") &&
	       ctok_is(ts, body.end - 3, "0") && ctok_is(ts, body.end - 4, "return");
}

static char *normal(const struct ctoks *ts, uint32_t from, uint32_t to)
{
	struct strbuf sb = STRBUF_INIT;

	ctoks_normal(ts, from, to, &sb);
	strbuf_addstr(&sb, "");
	return strbuf_detach(&sb, NULL);
}

static bool sig_equal(const struct csig *a, const struct csig *b)
{
	if (a->n != b->n || strcmp(a->ret, b->ret))
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->p[i].type, b->p[i].type))
			return false;
	return true;
}

static void site_release(struct callback_site *s)
{
	free(s->member);
	csig_release(&s->was);
	csig_release(&s->is);
	free(s->head);
	free(s->body);
	free(s->new_body);
}

static void add_function(struct learn_file *lf, struct learn_change *c, const char *name)
{
	const struct cfile *of = srcfile_parse(lf->f), *nf = srcfile_parse(lf->g);
	const struct cfunc *was = cfile_func(of, name), *is = cfile_func(nf, name);
	const struct cmember *m;
	struct callback_site *s;

	if (!was || !is)
		return;
	ALLOC_GROW(c->cbsite, c->ncbsites + 1, c->cbsite_alloc);
	s = &c->cbsite[c->ncbsites];
	memset(s, 0, sizeof(*s));
	if (!func_sig(lf->f, was, &s->was) || !func_sig(lf->g, is, &s->is)) {
		site_release(s);
		return;
	}
	c->ncbsites++;
	m = holder_of(nf, c->parent, name);
	s->file = learn_file_number(lf);
	s->line = (int)of->ts->t[was->name].line;
	s->member = m ? ctok_dup(nf->ts, m->name) : NULL;
	s->body = normal(of->ts, was->body.first, was->body.end);
	s->new_body = normal(nf->ts, is->body.first, is->body.end);
	s->one_return = returns(of->ts, was->body, false);
	s->new_returns = returns(nf->ts, is->body, true);
	s->answered = !sig_equal(&s->was, &s->is) || (s->member && strcmp(s->member, c->name));
	if (s->answered && (!c->files || c->last_file != s->file)) {
		c->files++;
		c->last_file = s->file;
	}
}

void learn_callback_sites(struct learn_file *lf, struct learn_change *c)
{
	const struct cfile *cf = srcfile_parse(lf->f);

	for (size_t i = 0; i < cf->nobjects; i++) {
		const struct cobject *o = &cf->objects[i];

		if (!is_parent(cf->ts, o, c->parent))
			continue;
		for (size_t k = 0; k < o->nmembers; k++) {
			const struct cmember *m = &o->members[k];
			char *name;

			if (m->name == CTOK_NONE || !ctok_is(cf->ts, m->name, c->name) ||
			    m->value.end != m->value.first + 1 || !ctok_is_ident(cf->ts, m->value.first))
				continue;
			name = ctok_dup(cf->ts, m->value.first);
			add_function(lf, c, name);
			free(name);
		}
	}
}

/* ---- rules ------------------------------------------------------------------------------ */

void callback_rule_free(struct callback_rule *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++) {
		free(r->p[i].type);
		free(r->p[i].name);
	}
	free(r->p);
	free(r->member);
	free(r->ret);
	free(r->new_ret);
	free(r->key);
	strvec_release(&r->types);
	free(r);
}

/* Place of the new parameter in the older list: the same name, else the same type; -1: it is new. */
static int origin(const struct csig *was, const struct sigparam *p, const bool *taken)
{
	for (size_t i = 0; i < was->n; i++)
		if (!taken[i] && p->name && was->p[i].name && !strcmp(p->name, was->p[i].name))
			return (int)i;
	for (size_t i = 0; i < was->n; i++)
		if (!taken[i] && ctype_equal_unqualified(p->type, was->p[i].type))
			return (int)i;
	/* Another type under another name: what was done with the older one goes with it. */
	return -1;
}

static struct callback_rule *make_rule(const struct callback_site *s, const char *member)
{
	struct callback_rule *r = xcalloc(1, sizeof(*r));
	bool taken[64] = { 0 };
	struct strbuf key = STRBUF_INIT;

	strvec_init(&r->types);
	r->member = xstrdup(member ? member : s->member);
	r->any_member = member != NULL;
	r->ret = xstrdup(s->was.ret);
	r->new_ret = xstrdup(s->is.ret);
	r->p = xcalloc(s->is.n + 1, sizeof(*r->p));
	r->n = s->is.n;
	strbuf_addf(&key, "%s: %s (", r->member, r->ret);
	for (size_t i = 0; i < s->was.n; i++) {
		strvec_push(&r->types, s->was.p[i].type);
		strbuf_addf(&key, "%s%s", i ? ", " : "", s->was.p[i].type);
	}
	strbuf_addf(&key, ") => %s (", r->new_ret);
	for (size_t i = 0; i < r->n; i++) {
		struct callback_param *p = &r->p[i];

		p->from = origin(&s->was, &s->is.p[i], taken);
		p->type = xstrdup(s->is.p[i].type);
		if (p->from >= 0) {
			taken[p->from] = true;
			p->changed = strcmp(p->type, s->was.p[p->from].type) != 0;
		} else {
			p->name = xstrdup(s->is.p[i].name);
		}
		strbuf_addf(&key, "%s%s", i ? ", " : "", p->type);
		if (p->from >= 0)
			strbuf_addf(&key, " #%d", p->from + 1);
		else
			strbuf_addf(&key, " %s", p->name ? p->name : "");
	}
	strbuf_addch(&key, ')');
	r->key = strbuf_detach(&key, NULL);
	return r;
}

static bool body_has(const char *body, const char *word)
{
	struct ctoks ts;
	bool has = false;

	if (!word)
		return false;
	ctoks_scan(&ts, body, strlen(body));
	for (size_t i = 0; i < ts.n && !has; i++)
		has = ts.t[i].kind == CTOK_IDENT && ctok_is(&ts, i, word);
	ctoks_release(&ts);
	return has;
}

static bool drops_value(const struct callback_rule *r)
{
	return !strcmp(r->new_ret, "void") && strcmp(r->ret, "void");
}

/* Can the rule be applied: the types, and what goes away is not used? */
static bool fits(const struct callback_rule *r, const struct callback_site *s)
{
	if (s->was.n != r->types.n || strcmp(s->was.ret, r->ret))
		return false;
	for (size_t i = 0; i < s->was.n; i++) {
		bool kept = false;

		if (strcmp(s->was.p[i].type, r->types.v[i]))
			return false;
		for (size_t k = 0; k < r->n; k++)
			kept |= r->p[k].from == (int)i;
		if (!kept && body_has(s->body, s->was.p[i].name))
			return false;
	}
	if (drops_value(r))
		return s->one_return;
	return !strcmp(r->ret, r->new_ret);
}

static bool head_is(const struct callback_rule *r, const struct callback_site *s)
{
	if (s->is.n != r->n || strcmp(s->is.ret, r->new_ret))
		return false;
	for (size_t k = 0; k < r->n; k++) {
		const char *name = r->p[k].from >= 0 ? s->was.p[r->p[k].from].name : r->p[k].name;

		if (strcmp(s->is.p[k].type, r->p[k].type) ||
		    (name && s->is.p[k].name && strcmp(name, s->is.p[k].name)))
			return false;
	}
	return true;
}

/* The body behind the rule. */
static char *new_body(const struct callback_rule *r, const struct callback_site *s)
{
	size_t len = strlen(s->body), cut;

	if (!drops_value(r))
		return xstrdup(s->body);
	cut = len - strlen("return 0;}");
	while (cut > 0 && strncmp(s->body + cut, "return", 6))
		cut--;
	return xstrfmt("%.*s}", (int)cut, s->body);
}

static bool same_tokens(const char *x, const char *y)
{
	struct ctoks a, b;
	bool same;

	ctoks_scan(&a, x, strlen(x));
	ctoks_scan(&b, y, strlen(y));
	same = a.n == b.n;
	for (size_t i = 0; i < a.n && same; i++)
		same = ctok_same(&a, i, &b, i);
	ctoks_release(&a);
	ctoks_release(&b);
	return same;
}

static void judge(const struct callback_rule *r, const struct callback_site *s, struct learn_score *sc,
		  bool *right)
{
	char *body;
	bool same = s->member && !strcmp(s->member, r->member), member = r->any_member || same;

	*right = false;
	if (!s->answered) {
		sc->alone++;
		return;
	}
	if (!member || !head_is(r, s) || (drops_value(r) && s->new_returns)) {
		sc->wrong++;
		return;
	}
	body = new_body(r, s);
	if (same && same_tokens(body, s->new_body))
		sc->exact++;
	else
		sc->within++;
	*right = true;
	free(body);
}

static int by_support(const void *a, const void *b)
{
	const struct learn_rule *x = a, *y = b;

	if (x->support != y->support)
		return x->support > y->support ? -1 : 1;
	return strcmp(x->cb->key, y->cb->key);
}

static void generalise(struct learn_change *c, const char *member)
{
	struct strmap by_key = STRMAP_INIT;
	size_t kept = 0;

	for (size_t i = 0; i < c->ncbsites; i++) {
		const struct callback_site *s = &c->cbsite[i];
		struct callback_rule *r;
		size_t at;

		if (!s->answered || !s->member || s->was.n >= 64 || s->is.n >= 64)
			continue;
		r = make_rule(s, member);
		at = (size_t)(uintptr_t)strmap_get(&by_key, r->key);
		if (!at) {
			learn_add_rule(c)->cb = r;
			at = c->nrules;
			strmap_put(&by_key, r->key, (void *)(uintptr_t)at);
		} else {
			callback_rule_free(r);
		}
		learn_rule_add_file(&c->rule[at - 1], s->file);
	}
	for (size_t i = 0; i < c->nrules; i++) {
		if (c->rule[i].support <= LEARN_MIN_FILES)
			learn_rule_release(&c->rule[i]);
		else
			c->rule[kept++] = c->rule[i];
	}
	c->nrules = kept;
	strmap_release(&by_key, NULL);
	if (kept)
		sort_items(c->rule, kept, sizeof(*c->rule), by_support);
}

/* Each function is taken by the rule with most files that fits it. */
static struct learn_rule *taker(struct learn_change *c, const struct callback_site *s)
{
	for (size_t k = 0; k < c->nrules; k++) {
		struct learn_rule *r = &c->rule[k];

		if (r->chosen && r->support - learn_rule_has_file(r, s->file) >= LEARN_MIN_FILES &&
		    fits(r->cb, s))
			return r;
	}
	return NULL;
}

static void score(struct learn_change *c)
{
	memset(&c->score, 0, sizeof(c->score));
	for (size_t k = 0; k < c->nrules; k++)
		memset(&c->rule[k].score, 0, sizeof(c->rule[k].score));
	for (size_t i = 0; i < c->ncbsites; i++) {
		const struct callback_site *s = &c->cbsite[i];
		struct learn_rule *r = taker(c, s);
		struct learn_score one = { 0 };
		bool right;

		if (!s->answered)
			one.kept++;
		if (r)
			judge(r->cb, s, &one, &right);
		else if (s->answered)
			one.missed++;
		learn_score_add(&c->score, &one);
		if (r)
			learn_score_add(&r->score, &one);
	}
}

/* Generalises and keeps what is right often enough; member: the name that stays, or NULL. */
static bool choose(struct learn_change *c, const char *member)
{
	bool again = true, any = false;

	generalise(c, member);
	for (size_t k = 0; k < c->nrules; k++)
		c->rule[k].chosen = true;
	while (again) {
		again = false;
		score(c);
		for (size_t k = 0; k < c->nrules && !again; k++) {
			struct learn_rule *r = &c->rule[k];

			if (r->chosen && learn_precision(&r->score) < MIN_PRECISION) {
				r->chosen = false;
				again = true;
			}
		}
	}
	for (size_t k = 0; k < c->nrules; k++)
		any |= c->rule[k].chosen;
	return any;
}

void learn_callback_rules(struct learn *l, struct learn_change *c)
{
	if (!choose(c, NULL)) {
		while (c->nrules)
			learn_rule_release(&c->rule[--c->nrules]);
		choose(c, c->name);
	}
	for (size_t k = 0; k < c->nrules; k++)
		c->rule[k].risk = learn_precision(&c->rule[k].score) >= 0.95 && !c->rule[k].score.alone &&
				  c->rule[k].cb->n == c->rule[k].cb->types.n ? RISK_SAFE : RISK_REVIEW;
}

void learn_callback_release(struct learn_change *c)
{
	for (size_t i = 0; i < c->ncbsites; i++)
		site_release(&c->cbsite[i]);
	free(c->cbsite);
}

/* ---- as a semantic patch ------------------------------------------------------------------ */

static void add_params(const struct callback_rule *r, struct strbuf *out)
{
	strbuf_addstr(out, "  F(\n");
	/* Whole list anew: that says it whatever moved. */
	for (size_t i = 0; i < r->types.n; i++) {
		struct sigparam p = { (char *)r->types.v[i], NULL };
		char name[32];

		snprintf(name, sizeof(name), "P%zu", i + 1);
		strbuf_addstr(out, "- ");
		sigparam_declare(&p, name, out);
		strbuf_addstr(out, i + 1 < r->types.n ? ",\n" : "\n");
	}
	for (size_t k = 0; k < r->n; k++) {
		struct sigparam p = { r->p[k].type, NULL };
		char name[32];

		snprintf(name, sizeof(name), "P%d", r->p[k].from + 1);
		strbuf_addstr(out, "+ ");
		sigparam_declare(&p, r->p[k].from >= 0 ? name : r->p[k].name, out);
		strbuf_addstr(out, k + 1 < r->n ? ",\n" : "\n");
	}
	strbuf_addstr(out, "  )\n");
}

static bool params_change(const struct callback_rule *r)
{
	if (r->n != r->types.n)
		return true;
	for (size_t k = 0; k < r->n; k++)
		if (r->p[k].from != (int)k || r->p[k].changed)
			return true;
	return false;
}

static void add_same_params(const struct callback_rule *r, struct strbuf *out)
{
	strbuf_addstr(out, "  F(");
	for (size_t i = 0; i < r->types.n; i++) {
		struct sigparam p = { (char *)r->types.v[i], NULL };
		char name[32];

		snprintf(name, sizeof(name), "P%zu", i + 1);
		strbuf_addstr(out, i ? ", " : "");
		sigparam_declare(&p, name, out);
	}
	strbuf_addstr(out, ")\n");
}

static void add_body(const struct callback_rule *r, struct strbuf *out)
{
	strbuf_addstr(out, "  {\n  ...");
	for (size_t i = 0; i < r->types.n; i++) {
		bool kept = false;

		for (size_t k = 0; k < r->n; k++)
			kept |= r->p[k].from == (int)i;
		if (!kept)
			strbuf_addf(out, "\n      when != P%zu", i + 1);
	}
	if (drops_value(r))
		strbuf_addstr(out, " when != return X;\n- return 0;");
	strbuf_addstr(out, "\n  }\n");
}

void callback_rule_smpl(struct learn_change *c, struct learn_rule *lr, size_t n)
{
	const struct callback_rule *r = lr->cb;
	struct strbuf sb = STRBUF_INIT;

	for (size_t k = 0; k < r->n; k++)
		if (r->p[k].from < 0 && !r->p[k].name) {
			lr->why_not = xstrdup("a new parameter has no name");
			return;
		}
	strbuf_addf(&sb, "@b%zu depends on patch@\nidentifier D, F;\n@@\n  %s D = {\n  .%s = F,\n  };\n\n", n,
		    c->parent, c->name);
	if (strcmp(r->ret, r->new_ret) || params_change(r)) {
		strbuf_addf(&sb, "@f%zu depends on patch@\nidentifier b%zu.F", n, n);
		for (size_t i = 0; i < r->types.n; i++)
			strbuf_addf(&sb, ", P%zu", i + 1);
		strbuf_addf(&sb, ";\n%s@@\n", drops_value(r) ? "expression X;\n" : "");
		if (strcmp(r->ret, r->new_ret))
			strbuf_addf(&sb, "- %s\n+ %s\n", r->ret, r->new_ret);
		else
			strbuf_addf(&sb, "  %s\n", r->ret);
		if (params_change(r))
			add_params(r, &sb);
		else
			add_same_params(r, &sb);
		add_body(r, &sb);
	}
	if (strcmp(c->name, r->member))
		strbuf_addf(&sb, "\n@depends on patch@\nidentifier f%zu.F, D;\n@@\n  %s D = {\n- .%s = F,\n+ .%s = F,\n  };\n",
			    n, c->parent, c->name, r->member);
	lr->smpl = strbuf_detach(&sb, NULL);
}
