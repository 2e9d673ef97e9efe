// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drivers for several kernels ask "#if defined(macro)" whether the kernel has an
 * interface. Where the target renamed that macro the question is answered no, and
 * the compiler is given code for kernels of long ago: calls of functions that the old
 * kernel did not have either. The question is put anew, with the name of the target.
 */
#include "base/compat.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/strmap.h"
#include "port/propose.h"
#include "port/rules.h"
#include "port/usage.h"

#define MAX_DEPTH   4
#define MAX_NESTING 64

/* The branches around a byte of a file: tokens of their #if, #elif and #else. */
struct nest {
	size_t at[MAX_NESTING][2]; /* [0]: #if, [1]: the branch's own directive */
	size_t n;
};

static void nest_at(const struct ctoks *ts, size_t offset, struct nest *out)
{
	out->n = 0;
	for (size_t i = 0; i < ts->n && ts->t[i].off < offset; i++) {
		if (ts->t[i].kind != CTOK_PP)
			continue;
		if (ctok_pp_is(ts, i, "if") || ctok_pp_is(ts, i, "ifdef") || ctok_pp_is(ts, i, "ifndef")) {
			if (out->n < MAX_NESTING)
				out->at[out->n][0] = out->at[out->n][1] = i;
			out->n++;
		} else if (ctok_pp_is(ts, i, "endif")) {
			out->n -= out->n > 0;
		} else if ((ctok_pp_is(ts, i, "elif") || ctok_pp_is(ts, i, "else")) && out->n &&
			   out->n <= MAX_NESTING) {
			out->at[out->n - 1][1] = i;
		}
	}
	if (out->n > MAX_NESTING)
		out->n = MAX_NESTING;
}

struct questions {
	const struct propose_ctx *c;
	struct strmap seen;
	struct strvec gone; /* macros that the old kernel had and the target has not */
	int depth;
};

static void ask_about(struct questions *q, struct srcfile *f, size_t offset);

/* Where the driver defines the name itself, the question is the one around its definition. */
static void ask_definition(struct questions *q, const char *name)
{
	if (q->depth >= MAX_DEPTH)
		return;
	q->depth++;
	for (size_t i = 0; i < q->c->tree->n; i++) {
		struct srcfile *f = q->c->tree->files[i];
		const struct ctoks *ts;

		if (!srcfile_is_c(f) || !strstr(f->text, name))
			continue;
		ts = srcfile_toks(f);
		for (size_t k = 0; k < ts->n; k++) {
			uint32_t off, len;

			if (ts->t[k].kind == CTOK_PP && ctok_pp_is(ts, k, "define") &&
			    ctok_pp_word(ts, k, &off, &len) && len == strlen(name) &&
			    !memcmp(ts->text + off, name, len))
				ask_about(q, f, ts->t[k].off);
		}
	}
	q->depth--;
}

static void ask_name(struct questions *q, const char *name)
{
	if (strmap_has(&q->seen, name))
		return;
	strmap_put(&q->seen, name, NULL);
	if (api_lookup(q->c->old_ix, name, API_MACRO | API_MACRO_FN) &&
	    !api_lookup(q->c->new_ix, name, API_ANY))
		strvec_push(&q->gone, name);
	else
		ask_definition(q, name);
}

static void ask_directive(struct questions *q, const struct ctoks *ts, size_t i)
{
	const char *p = ts->text + ts->t[i].off, *end = p + ts->t[i].len;

	while (p < end) {
		const char *start = p;
		char *name;

		if (!is_word_char(*p)) {
			p++;
			continue;
		}
		while (p < end && is_word_char(*p))
			p++;
		name = xstrndup(start, (size_t)(p - start));
		if (!isdigit((unsigned char)*name))
			ask_name(q, name);
		free(name);
	}
}

static void ask_about(struct questions *q, struct srcfile *f, size_t offset)
{
	const struct ctoks *ts = srcfile_toks(f);
	struct nest nest;

	nest_at(ts, offset, &nest);
	for (size_t i = 0; i < nest.n; i++) {
		ask_directive(q, ts, nest.at[i][0]);
		if (nest.at[i][1] != nest.at[i][0])
			ask_directive(q, ts, nest.at[i][1]);
	}
}

/*
 * What the target has in the macro's place, from the rules or the difference of the headers.
 * *rule: what rewrites its uses, where a rule says so.
 */
static const char *successor(const struct propose_ctx *c, const char *name,
			     const struct rule **rule)
{
	const struct api_change **ch = NULL;
	const char *found = NULL;
	size_t n = c->diff ? api_diff_lookup(c->diff, name, &ch) : 0;

	for (size_t i = 0; i < n && !found; i++) {
		if (ch[i]->kind == CHANGE_RENAMED && !ch[i]->member)
			found = ch[i]->to_name;
	}
	free(ch);
	*rule = NULL;
	for (size_t i = 0; c->rules && i < c->rules->n && !*rule; i++) {
		const struct rule *r = &c->rules->r[i];

		if (r->replaces.n == 1 && r->needs.n == 1 && !strcmp(r->replaces.v[0], name) &&
		    api_lookup(c->new_ix, r->needs.v[0], API_MACRO | API_MACRO_FN))
			*rule = r;
	}
	return *rule ? (*rule)->needs.v[0] : found;
}

/* The code behind the condition is compiled now: what the rule has to say about it. */
static int rewrite_uses(const struct propose_ctx *c, const struct rule *r, struct edit_group *g,
			struct strbuf *err)
{
	struct edit_group *uses = NULL;
	int ret = r->path ? rule_apply(r, c->tree, c->new_ix, c->scratch, &uses, err) : 0;

	for (size_t i = 0; uses && i < uses->n; i++)
		edit_add(g, uses->e[i].path, uses->e[i].start, uses->e[i].end, uses->e[i].text);
	edit_group_free(uses);
	return ret;
}

static void replace_in_conditions(struct srcfile *f, const char *from, const char *to,
				  struct edit_group *g)
{
	const struct ctoks *ts = srcfile_toks(f);
	size_t len = strlen(from);

	for (size_t i = 0; i < ts->n; i++) {
		const char *p = ts->text + ts->t[i].off, *end = p + ts->t[i].len, *hit;

		if (ts->t[i].kind != CTOK_PP || ctok_pp_is(ts, i, "define") || ctok_pp_is(ts, i, "undef"))
			continue;
		for (; (hit = memmem(p, (size_t)(end - p), from, len)); p = hit + len) {
			size_t at = (size_t)(hit - ts->text);

			if (!is_word_char(hit[-1]) && (hit + len == end || !is_word_char(hit[len])))
				edit_add(g, f->path, at, at + len, to);
		}
	}
}

static int propose_one(const struct propose_ctx *c, const char *gone, struct edit_group_list *out,
		       struct strbuf *err)
{
	const struct rule *rule;
	const char *to = successor(c, gone, &rule);
	struct edit_group *g;
	int ret = 0;

	if (!to)
		return 0;
	g = edit_group_new(EDIT_TYPED, "ifdef", RISK_SAFE, 0.97);
	for (size_t i = 0; i < c->tree->n; i++) {
		if (srcfile_is_c(c->tree->files[i]))
			replace_in_conditions(c->tree->files[i], gone, to, g);
	}
	if (rule && g->n)
		ret = rewrite_uses(c, rule, g, err);
	edit_group_title(g, "ask for %s where the driver asks for %s", to, gone);
	edit_group_why(g, "The driver tells kernels apart by the macro %s, which %s has under the "
			  "name %s: without it the code for kernels that lack both is compiled.",
		       gone, propose_target(c), to);
	g->symbol = xstrdup(gone);
	if (g->n)
		edit_group_list_add(out, g);
	else
		edit_group_free(g);
	return ret;
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	struct questions q = { .c = c, .gone = STRVEC_INIT };
	struct srcfile *f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	int ret = 0;

	/* What the old kernel had is drift, and repaired as such. */
	if (!f || !c->old_ix || !c->b->diag.symbol ||
	    api_lookup(c->old_ix, c->b->diag.symbol, API_ANY & ~API_MEMBER))
		return 0;
	ask_about(&q, f, c->b->start);
	for (size_t i = 0; i < q.gone.n && !ret; i++)
		ret = propose_one(c, q.gone.v[i], out, err);
	strvec_release(&q.gone);
	strmap_release(&q.seen, NULL);
	return ret;
}

const struct proposer propose_ifdef = {
	.name = "ifdef",
	.kinds = KIND_BIT(DIAG_IMPLICIT_FUNCTION) | KIND_BIT(DIAG_UNDECLARED) |
		 KIND_BIT(DIAG_NO_MEMBER) | KIND_BIT(DIAG_UNKNOWN_TYPE) |
		 KIND_BIT(DIAG_MISSING_HEADER) | KIND_BIT(DIAG_INCOMPLETE_TYPE),
	.propose = propose,
};
