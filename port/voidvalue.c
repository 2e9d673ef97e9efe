// SPDX-License-Identifier: GPL-2.0-only
/*
 * A callee that returns void now and returned 0 for success before: the call
 * stays, what depended on its failure goes.
 */
#include "base/compat.h"
#include "port/localdef.h"

#include "base/alloc.h"
#include "port/calls.h"
#include "port/stmt.h"

struct site {
	struct srcfile *f;
	const struct ctoks *ts;
	uint32_t name, close; /* of the call */
	uint32_t first, semi; /* of its statement */
	char *callee, *text;  /* "f", "f(x)" */
};

static bool returns_void_now(const struct propose_ctx *c, const char *name)
{
	const struct api_symbol *n = api_lookup(c->new_ix, name, API_FUNCTION | API_INLINE);
	const struct api_symbol *o = c->old_ix ?
		api_lookup(c->old_ix, name, API_FUNCTION | API_INLINE) : NULL;

	return n && n->type && !strcmp(n->type, "void") && o && o->type && !strcmp(o->type, "int");
}

static bool find_site(const struct propose_ctx *c, struct site *s)
{
	uint32_t at, end;

	s->f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	if (!s->f || !srcfile_is_c(s->f))
		return false;
	s->ts = srcfile_toks(s->f);
	at = (uint32_t)ctok_at(s->ts, c->b->start);
	s->first = stmt_start(s->ts, at);
	end = stmt_end(s->ts, at);
	for (uint32_t i = s->first; i < end; i++) {
		char *w;

		if (!ctok_is_ident(s->ts, i) || !ctok_is(s->ts, i + 1, "(") ||
		    s->ts->t[i + 1].match == CTOK_NONE)
			continue;
		w = ctok_dup(s->ts, i);
		if (returns_void_now(c, w)) {
			s->callee = w;
			s->name = i;
			s->close = s->ts->t[i + 1].match;
			s->text = srcfile_span_text(s->f, (struct cspan){ i, s->close + 1 });
			s->semi = stmt_end(s->ts, s->close);
			return true;
		}
		free(w);
	}
	return false;
}

/* The statement behind "(cond)" of an if: [*first, *end). */
static void body_span(const struct ctoks *ts, uint32_t close, uint32_t *first, uint32_t *end)
{
	*first = close + 1;
	if (ctok_is(ts, *first, "{") && ts->t[*first].match != CTOK_NONE)
		*end = ts->t[*first].match + 1;
	else
		*end = stmt_end(ts, *first) + 1;
}

/* "if (v)", "if (v < 0)", "if (v != 0)", "if (unlikely(v))": true for failure only. */
static bool tests_failure(const struct ctoks *ts, uint32_t i, const char *v)
{
	uint32_t open = i + 1, close;

	if (!ctok_is(ts, i, "if") || !ctok_is(ts, open, "("))
		return false;
	close = ts->t[open].match;
	if (ctok_is(ts, open + 1, "unlikely") && ctok_is(ts, open + 2, "(") &&
	    ts->t[open + 2].match == close - 1) {
		open += 2;
		close--;
	}
	if (!ctok_is(ts, open + 1, v))
		return false;
	if (close == open + 2)
		return true;
	return close == open + 4 && ctok_is(ts, open + 3, "0") &&
	       (ctok_is(ts, open + 2, "<") || ctok_is(ts, open + 2, "!="));
}

/* Is v given a new value before it is looked at again, or never used again? */
static bool overwritten_next(const struct site *s, uint32_t from, const char *v)
{
	const struct cfunc *fn = srcfile_func_at(s->f, s->ts->t[s->name].off);

	for (uint32_t i = from; fn && i < fn->body.end; i++) {
		if (!ctok_is(s->ts, i, v) || is_member_access(s->ts, i))
			continue;
		if (!ctok_is(s->ts, i + 1, "=") || stmt_start(s->ts, i) != i)
			return false;
		/* "v = f(v);" or only in a branch: not certain. */
		return !count_ident(s->ts, i + 1, stmt_end(s->ts, i), v) &&
		       !stmt_is_controlled(s->ts, i);
	}
	return true;
}

static struct edit_group *start(const struct propose_ctx *c, const struct site *s)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "void-return", RISK_REVIEW, 0.7);

	g->symbol = xstrdup(s->callee);
	edit_group_title(g, "follow the void return of %s()", s->callee);
	edit_group_why(g, "%s() returned int in %s and returns void in %s: it cannot fail.",
		       s->callee, c->from->name, propose_target(c));
	return g;
}

/* "v = f(x);" */
static bool rewrite_assignment(const struct site *s, struct edit_group *g)
{
	const struct ctoks *ts = s->ts;
	char *v = srcfile_span_text(s->f, (struct cspan){ s->first, s->name - 1 }), *call;
	uint32_t next = s->semi + 1, body, end = next;
	const char *lines[2];
	size_t n = 1;
	bool simple = s->name == s->first + 2 && ctok_is_ident(ts, s->first);

	call = xstrfmt("%s;", s->text);
	lines[0] = call;
	if (simple && tests_failure(ts, next, v)) {
		body_span(ts, ts->t[next + 1].match, &body, &end);
		if (!ctok_is(ts, end, "else"))
			edit_add(g, s->f->path, ts->t[s->semi].off + 1,
				 ts->t[end - 1].off + ts->t[end - 1].len, "");
		else
			end = next;
	}
	if (!simple || !overwritten_next(s, end, v)) {
		char *zero = xstrfmt("%s = 0;", v);

		lines[n++] = zero;
		stmt_replace(g, s->f, s->first, s->semi, lines, n);
		free(zero);
	} else {
		stmt_replace(g, s->f, s->first, s->semi, lines, n);
	}
	free(call);
	free(v);
	return true;
}

/* "if (f(x)) S", "if (f(x) < 0) S", "if (!f(x)) S", else branches the other way round. */
static bool rewrite_condition(const struct site *s, struct edit_group *g)
{
	const struct ctoks *ts = s->ts;
	uint32_t open = s->first + 1, close = ts->t[open].match, from = open + 1, body, end, alt = 0,
		 alt_end = 0;
	bool negated = ctok_is(ts, from, "!"), taken;
	struct strbuf text = STRBUF_INIT;
	char *kept = NULL, *indent;

	if (close == CTOK_NONE || from + negated != s->name)
		return false;
	if (s->close + 1 != close &&
	    !(!negated && s->close + 3 == close && ctok_is(ts, s->close + 2, "0") &&
	      (ctok_is(ts, s->close + 1, "<") || ctok_is(ts, s->close + 1, "!="))))
		return false;
	body_span(ts, close, &body, &end);
	if (ctok_is(ts, end, "else")) {
		if (ctok_is(ts, end + 1, "if"))
			return false;
		body_span(ts, end, &alt, &alt_end);
	}
	if (stmt_is_controlled(ts, s->first))
		return false;
	taken = negated;
	if (taken)
		kept = srcfile_span_text(s->f, (struct cspan){ body, end });
	else if (alt)
		kept = srcfile_span_text(s->f, (struct cspan){ alt, alt_end });
	indent = line_indent(s->f, ts->t[s->first].off);
	strbuf_addf(&text, "%s;", s->text);
	if (kept)
		strbuf_addf(&text, "\n%s%s", indent, kept);
	if (alt)
		end = alt_end;
	edit_add(g, s->f->path, ts->t[s->first].off, ts->t[end - 1].off + ts->t[end - 1].len, text.buf);
	strbuf_release(&text);
	free(indent);
	free(kept);
	return true;
}

static bool rewrite_return(const struct site *s, struct edit_group *g)
{
	char *call = xstrfmt("%s;", s->text);
	const char *lines[] = { call, "return 0;" };

	stmt_replace(g, s->f, s->first, s->semi, lines, 2);
	free(call);
	return true;
}

void voidvalue_propose(const struct propose_ctx *c, struct edit_group_list *out)
{
	struct site s = { 0 };
	struct edit_group *g;
	bool ok = false, ends;

	if (!find_site(c, &s))
		return;
	g = start(c, &s);
	ends = s.close + 1 == s.semi && ctok_is(s.ts, s.semi, ";");
	if (ctok_is(s.ts, s.first, "return") && s.name == s.first + 1 && ends)
		ok = rewrite_return(&s, g);
	else if (ctok_is(s.ts, s.first, "if") && ctok_is(s.ts, s.first + 1, "("))
		ok = rewrite_condition(&s, g);
	else if (s.name > s.first + 1 && ctok_is(s.ts, s.name - 1, "=") && ends &&
		 (s.name == s.first + 2 || is_member_access(s.ts, s.name - 2)))
		ok = rewrite_assignment(&s, g);
	if (ok && g->n)
		edit_group_list_add(out, g);
	else
		edit_group_free(g);
	free(s.callee);
	free(s.text);
}
