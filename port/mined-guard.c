// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/mined-guard.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/strmap.h"
#include "port/group-example.h"
#include "port/stmt.h"

#define MAJORITY      4	  /* times as many files and a disagreement is an exception */
#define ALONE_FILES   3
#define MAX_FILES     24  /* compared for one template */
#define MAX_FILE_BYTES (2u << 20)
#define PRECISE	      0.9 /* below it an edit is for review */
#define MIN_USES      3	  /* of a learned rule, before its figures say anything */

/* ---- constants ------------------------------------------------------------------------ */

/* Equal but for constants, of which at least one differs. */
static bool differ_in_constants(const char *a, const char *b)
{
	struct ctoks x = { 0 }, y = { 0 };
	size_t differ = 0, other = 0;

	if (!ctoks_scan(&x, a, strlen(a)) && !ctoks_scan(&y, b, strlen(b)) && x.n == y.n) {
		for (size_t i = 0; i < x.n; i++) {
			if (ctok_same(&x, i, &y, i))
				continue;
			if (is_constant_token(&x, i) && is_constant_token(&y, i))
				differ++;
			else
				other++;
		}
	}
	ctoks_release(&x);
	ctoks_release(&y);
	return differ && !other;
}

bool mined_is_contested(const struct tmpl *t, struct tmpl *const *all, size_t n)
{
	const char *to = strstr(t->key, " => ");

	for (size_t i = 0; to && i < n; i++) {
		const char *other = strstr(all[i]->key, " => ");

		if (all[i] != t && other && other - all[i]->key == to - t->key &&
		    !strncmp(all[i]->key, t->key, (size_t)(to - t->key)) &&
		    all[i]->support * MAJORITY > t->support && differ_in_constants(to + 4, other + 4))
			return true;
	}
	return false;
}

static bool has_var(const struct tmpl_side *s, int var)
{
	for (size_t k = 0; k < s->n; k++) {
		if (s->e[k].var == var)
			return true;
	}
	return false;
}

bool mined_loses_constant(const struct tmpl *t, const struct ctoks *ts, const struct tmpl_match *m)
{
	for (int v = 1; v <= t->nvars; v++) {
		uint32_t first = m->var[v].first;

		if (m->var[v].end == first + 1 && is_constant_token(ts, first) && !has_var(&t->after, v))
			return true;
	}
	return false;
}

static bool has_literal(const struct tmpl_side *s, const char *word)
{
	for (size_t k = 0; k < s->n; k++) {
		if (s->e[k].kind == TMPL_LITERAL && ctok_is(&s->ts, s->e[k].first, word))
			return true;
	}
	return false;
}

static bool ends_with_bracket(const struct tmpl_side *s)
{
	return s->n && s->e[s->n - 1].kind == TMPL_LITERAL && ctok_is(&s->ts, s->e[s->n - 1].first, ")");
}

bool mined_frees_body(const struct tmpl *t)
{
	return ends_with_bracket(&t->before) && !ends_with_bracket(&t->after) &&
	       (has_literal(&t->before, "if") || has_literal(&t->before, "while") ||
		has_literal(&t->before, "for"));
}

bool mined_leaves_early(const struct tmpl *t)
{
	return has_literal(&t->after, "return") && !has_literal(&t->before, "return") &&
	       (has_literal(&t->before, "break") || has_literal(&t->before, "goto") ||
		has_literal(&t->before, "continue"));
}

bool mined_negates_value(const struct tmpl *t, const struct ctoks *ts, const struct tmpl_match *m)
{
	return m->first > 0 && (ctok_is(ts, m->first - 1, "=") || ctok_is(ts, m->first - 1, "return")) &&
	       t->after.n && t->after.e[0].kind == TMPL_LITERAL &&
	       ctok_is(&t->after.ts, t->after.e[0].first, "!");
}

/* ---- deletions -------------------------------------------------------------------------- */

static void names_of(struct srcfile *f, struct strmap *out)
{
	const struct ctoks *ts = srcfile_toks(f);

	for (size_t i = 0; i < ts->n; i++) {
		char *name = ctok_is_ident(ts, i) ? ctok_dup(ts, i) : NULL;

		if (name)
			strmap_put(out, name, NULL);
		free(name);
	}
}

static bool nothing_new(const struct propose_ctx *c, const char *path)
{
	struct strmap old = STRMAP_INIT, new = STRMAP_INIT;
	const struct strmap_entry *e;
	struct srcfile *f[2];
	bool none = group_read_pair(c, path, f);

	if (!none)
		return false;
	names_of(f[GROUP_OLD], &old);
	names_of(f[GROUP_NEW], &new);
	strmap_for_each(&new, e) {
		if (!strmap_has(&old, e->key) && api_lookup(c->new_ix, e->key, API_ANY)) {
			none = false;
			break;
		}
	}
	strmap_release(&old, NULL);
	strmap_release(&new, NULL);
	srcfile_unref(f[GROUP_OLD]);
	srcfile_unref(f[GROUP_NEW]);
	return none;
}

bool mined_deleted_alone(const struct propose_ctx *c, const struct strvec *paths)
{
	size_t alone = 0;

	if (!c->from || !c->from->source_dir || !c->to->source_dir)
		return false;
	for (size_t i = 0; i < paths->n && i < MAX_FILES && alone < ALONE_FILES; i++)
		alone += nothing_new(c, paths->v[i]);
	return alone >= ALONE_FILES;
}

static bool has_member(const struct ctoks *ts, const struct cobject *o, const struct ctoks *named, uint32_t name)
{
	for (size_t i = 0; i < o->nmembers; i++) {
		if (o->members[i].name != CTOK_NONE && ctok_same(ts, o->members[i].name, named, name))
			return true;
	}
	return false;
}

static bool names_member(const struct ctoks *ts, const struct cobject *o, const char *member)
{
	for (size_t i = 0; i < o->nmembers; i++) {
		if (o->members[i].name != CTOK_NONE && ctok_is(ts, o->members[i].name, member))
			return true;
	}
	return false;
}

/* Is the object of the structure that the breakage is about? */
static bool is_of_type(const struct propose_ctx *c, const struct ctoks *ts, const struct cobject *o)
{
	const char *tag = c->b->diag.type;

	if (!tag)
		return true;
	skip_prefix(tag, "const ", &tag);
	skip_prefix(tag, "struct ", &tag);
	return o->tag != CTOK_NONE && ctok_is(ts, o->tag, tag);
}

/* Is the structure named in the older file at all? Reading that is cheaper than tokens. */
static bool names_type(const struct propose_ctx *c, const char *rel)
{
	const char *tag = c->b->diag.type;
	char *path = path_join(c->from->source_dir, rel);
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	bool yes = true;

	if (tag && skip_prefix(tag, "struct ", &tag))
		yes = !file_read(path, MAX_FILE_BYTES, &text, &ignored) && strstr(text.buf, tag);
	strbuf_release(&text);
	strbuf_release(&ignored);
	free(path);
	return yes;
}

/* Did an object of the file lose the member and get no other one? Says in *lost whether one lost it. */
static bool only_lost(const struct propose_ctx *c, const char *member, const char *path, bool *lost)
{
	struct srcfile *f[2];
	const struct cfile *old;
	bool got = false;

	*lost = false;
	if (!group_read_pair(c, path, f))
		return false;
	old = srcfile_parse(f[GROUP_OLD]);
	for (size_t i = 0; i < old->nobjects; i++) {
		const struct ctoks *x = srcfile_toks(f[GROUP_OLD]), *y = srcfile_toks(f[GROUP_NEW]);
		const struct cobject *o = &old->objects[i], *n;
		char *name = ctok_dup(x, o->name);

		n = cfile_object(srcfile_parse(f[GROUP_NEW]), name);
		free(name);
		if (!is_of_type(c, x, o) || !names_member(x, o, member) || !n || names_member(y, n, member))
			continue;
		*lost = true;
		for (size_t k = 0; k < n->nmembers; k++)
			got |= n->members[k].name != CTOK_NONE && !has_member(x, o, y, n->members[k].name);
	}
	srcfile_unref(f[GROUP_OLD]);
	srcfile_unref(f[GROUP_NEW]);
	return *lost && !got;
}

bool mined_member_dropped(const struct propose_ctx *c, const char *member, const struct strvec *paths)
{
	size_t alone = 0, n = 0;

	if (!c->from || !c->from->source_dir || !c->to->source_dir)
		return false;
	for (size_t i = 0; i < paths->n && n < MAX_FILES; i++) {
		bool lost = false;

		if (!names_type(c, paths->v[i]))
			continue;
		alone += only_lost(c, member, paths->v[i], &lost);
		n += lost;
	}
	return alone >= ALONE_FILES && alone * MAJORITY >= n * (MAJORITY - 1);
}

/* ---- learned --------------------------------------------------------------------------------- */

void mined_weigh(const struct propose_ctx *c, const char *symbol, const char *general_key,
		 struct edit_group *g)
{
	struct learn_score s;
	size_t uses;
	double p;

	if (!c->learned || !general_key || !learn_store_find(c->learned, symbol, general_key, c->exclude, &s))
		return;
	uses = learn_right(&s) + s.wrong + s.alone;
	p = learn_precision(&s);
	if (p < 0 || uses < MIN_USES)
		return;
	g->score *= p;
	if (p < PRECISE && g->risk == RISK_SAFE)
		g->risk = RISK_REVIEW;
	edit_group_why(g, "On files that it was not learned from it was right in %zu of %zu uses.",
		       learn_right(&s), uses);
}
