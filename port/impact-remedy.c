// SPDX-License-Identifier: GPL-2.0-only
/* What kport port would try for each finding: a rule, the new name, what others did. */
#include "base/compat.h"
#include "port/impact.h"

#include "base/alloc.h"
#include "base/file.h"
#include "mine/examples.h"
#include "port/rules.h"

#define SAMPLE 200

static void set(struct impact_item *it, enum impact_remedy kind, const char *name, char *text)
{
	it->remedy = kind;
	it->remedy_name = xstrdup(name);
	it->remedy_text = text;
}

/* Of the rules that fit, the one that is believed most. */
static bool by_rule(struct impact_item *it, const struct rule_set *rules, struct api_index *ix)
{
	char *item = it->kind == IMPACT_HEADER ? xstrfmt("<%s>", it->name) : xstrdup(it->name);
	const struct rule *best = NULL;

	for (size_t i = 0; i < rules->n; i++)
		if (rule_follows(&rules->r[i], item, ix) && (!best || rules->r[i].score > best->score))
			best = &rules->r[i];
	free(item);
	if (best)
		set(it, REMEDY_RULE, best->name, xstrfmt("rule %s: %s", best->name, best->title));
	return best != NULL;
}

static bool by_change(struct impact_item *it)
{
	const struct api_change *c = it->change;

	if (!c || !c->to_name)
		return false;
	switch (c->kind) {
	case CHANGE_RENAMED:
	case CHANGE_MEMBER_RENAMED:
	case CHANGE_MEMBER_MOVED:
	case CHANGE_HEADER_GONE:
		set(it, REMEDY_RENAME, c->to_name, xstrfmt("use %s", c->to_name));
		return true;
	case CHANGE_NAMESPACE:
		set(it, REMEDY_IMPORT, c->to_name, xstrfmt("import the namespace %s", c->to_name));
		return true;
	default:
		return false;
	}
}

static void by_examples(struct impact_item *it, struct examples *ex)
{
	const char *space = strrchr(it->name, ' '), *word = space ? space + 1 : it->name;
	const char *dot = strrchr(word, '.');
	struct example *list;
	size_t n = examples_sample(ex, dot ? dot + 1 : word, SAMPLE, &list), agree, of;
	char *name = examples_replacement(list, n, dot ? dot + 1 : word, &agree, &of);
	size_t gone = examples_deletions(list, n);

	if (gone * 2 > n)
		set(it, REMEDY_MINED, "", xstrfmt("others drop it (%zu of %zu examples)", gone, n));
	else if (name)
		set(it, REMEDY_MINED, name, xstrfmt("others use %s (%zu of %zu examples)", name, agree, of));
	free(name);
	examples_free_list(list, n);
}

static bool is_gone(const struct impact_item *it)
{
	return it->change && (it->change->kind == CHANGE_REMOVED || it->change->kind == CHANGE_MEMBER_REMOVED);
}

int impact_remedies(struct impact *im, const struct api_pair *p, struct strbuf *err)
{
	char *dir = kport_data_path("port/rules");
	struct strbuf ignored = STRBUF_INIT;
	struct rule_set *rules = NULL;
	struct examples *ex = NULL;
	int ret = rule_set_load(dir, &rules, err);

	if (!ret && p->examples)
		examples_open(p->examples, &ex, &ignored);
	for (size_t i = 0; i < im->n && !ret; i++) {
		struct impact_item *it = &im->item[i];

		if (it->weight == IMPACT_BREAKS && !by_rule(it, rules, p->new_ix) && !by_change(it) && ex && is_gone(it))
			by_examples(it, ex);
	}
	examples_close(ex);
	rule_set_free(rules);
	strbuf_release(&ignored);
	free(dir);
	return ret;
}
