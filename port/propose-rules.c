// SPDX-License-Identifier: GPL-2.0-only
/*
 * Semantic patches for what the breakage is about. A rule is tried when one of
 * its names is the diagnostic's or stands in the statement at its site, and when
 * the target's headers say that the old form is gone and the new one is there.
 */
#include "base/compat.h"
#include "port/propose.h"

#include "base/error.h"
#include "port/rules.h"
#include "port/usage.h"

/* Identifiers of the statement at the site. */
static void site_words(const struct propose_ctx *c, struct strvec *out)
{
	struct srcfile *f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	const struct ctoks *ts;
	struct cspan s;

	if (!f || !srcfile_is_c(f) || c->b->diag.loc.line <= 0)
		return;
	ts = srcfile_toks(f);
	s = tok_statement(ts, ctok_at(ts, c->b->start));
	for (uint32_t i = s.first; i < s.end; i++)
		if (ctok_is_ident(ts, i))
			strvec_push_nodup(out, ctok_dup(ts, i));
}

/* An item of Replaces (rules.h) for people. */
static void say_item(const char *item, struct strbuf *out)
{
	const char *mark = strpbrk(item, item[0] == '<' ? "@" : "/:~@");
	int n = mark ? (int)(mark - item) : (int)strlen(item);

	if (out->len)
		strbuf_addstr(out, ", ");
	if (!mark)
		strbuf_addf(out, "'%s'", item);
	else if (*mark == '/')
		strbuf_addf(out, "'%.*s' with %s parameter%s", n, item, mark + 1, strcmp(mark + 1, "1") ? "s" : "");
	else if (*mark == ':')
		strbuf_addf(out, "'%.*s' of the type '%s'", n, item, mark + 1);
	else if (*mark == '~')
		strbuf_addf(out, "'%.*s' declared with '%s'", n, item, mark + 1);
	else if (!strcmp(mark, "@unchecked"))
		strbuf_addf(out, "'%.*s' whose result may be ignored", n, item);
	else
		strbuf_addf(out, "'%.*s' for modules", n, item);
}

/* What the driver uses of the rule's names and the target has not. */
static void say_gone(const struct propose_ctx *c, const struct rule *r, struct edit_group *g)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < r->replaces.n; i++) {
		char *name = rule_item_name(r->replaces.v[i]);

		if (tree_uses_ident(c->tree, name) && !rule_item_holds(r->replaces.v[i], c->new_ix))
			say_item(r->replaces.v[i], &names);
		free(name);
	}
	if (names.len)
		edit_group_why(g, "%s has no longer: %s.", propose_target(c), names.buf);
	strbuf_release(&names);
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	struct strvec words = STRVEC_INIT;
	int ret = 0;

	if (!c->rules)
		return 0;
	site_words(c, &words);
	for (size_t i = 0; i < c->rules->n && ret == 0; i++) {
		const struct rule *r = &c->rules->r[i];
		struct edit_group *g = NULL;

		if (!rule_answers(r, &c->b->diag, &words, c->new_ix))
			continue;
		ret = rule_apply(r, c->tree, c->new_ix, c->scratch, &g, err);
		if (!g)
			continue;
		say_gone(c, r, g);
		edit_group_list_add(out, g);
	}
	strvec_release(&words);
	return ret;
}

const struct proposer propose_rules = {
	.name = "rules",
	.kinds = ~0ULL,
	.propose = propose,
};
