// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/evidence.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "mine/examples.h"
#include "port/evidence-history.h"
#include "port/rules.h"

#define SAMPLE 400	/* examples that are looked at for the best ones */
#define MAX_LAYOUT 12	/* lines of a structure; --json has all */
#define MAX_RULES 3	/* --json has all */
#define MAX_LINES 12	/* of one side of an example */

/* ---- finding ---------------------------------------------------------------------------- */

/* "foo" of "struct foo", "bar" of "a.bar". */
static const char *last_word(const char *s)
{
	const char *p = strrchr(s, ' ');

	s = p ? p + 1 : s;
	p = strrchr(s, '.');
	return p ? p + 1 : s;
}

static bool member_is(const char *path, const char *member)
{
	return path && (!strcmp(path, member) || !strcmp(last_word(path), member));
}

static void find_layout(const struct api_pair *p, const char *symbol, const char *member, struct evidence *out)
{
	struct layout_change *list;
	size_t n, kept = 0;

	if (!p || !p->layout)
		return;
	n = layout_diff_lookup(p->layout, symbol, &list);
	/* The wanted to the front; the rest is freed from there. */
	for (size_t i = 0; i < n; i++) {
		struct layout_change c = list[i];

		if (member && !member_is(c.member, member) && !member_is(c.to_name, member))
			continue;
		list[i] = list[kept];
		list[kept++] = c;
	}
	if (kept < n) {
		struct layout_change *rest = xcalloc(n - kept, sizeof(*rest));

		memcpy(rest, list + kept, (n - kept) * sizeof(*rest));
		layout_changes_free(rest, n - kept);
	}
	out->layout = list;
	out->nlayout = kept;
}

/* Those of the snapshots, then those of the histories; the best of all to the front. */
static void find_examples(const struct api_pair *p, const char *symbol, const char *member, const char *ident, const char *to_name, size_t max,
			  struct evidence *out)
{
	struct strbuf ignored = STRBUF_INIT;
	struct examples *ex;
	size_t n;

	if (max && p && p->examples && examples_open(p->examples, &ex, &ignored) == 0) {
		out->nexamples = examples_sample(ex, ident, SAMPLE, &out->example);
		examples_close(ex);
	}
	evidence_history(p, symbol, member, ident, max > 0, out);
	out->all = out->nexamples;
	out->dropped = examples_deletions(out->example, out->nexamples);
	if (!to_name) {
		out->instead = examples_replacement(out->example, out->nexamples, ident, &out->agree, &out->of);
		to_name = out->instead;
	}
	n = examples_rank(out->example, out->nexamples, ident, to_name);
	n = n < max ? n : max;
	for (size_t i = n; i < out->nexamples; i++) {
		struct example *one = xmemdup(&out->example[i], sizeof(*one));

		examples_free_list(one, 1);
	}
	out->nexamples = n;
	strbuf_release(&ignored);
}

/* Headers are given without their brackets. */
static void find_ours(const char *name, struct api_index *ix, struct evidence *out)
{
	char *dir = kport_data_path("port/rules"), *item = ends_with(name, ".h") ? xstrfmt("<%s>", name) : xstrdup(name);
	struct strbuf ignored = STRBUF_INIT;
	struct rule_set *rules = NULL;

	if (rule_set_load(dir, &rules, &ignored) == 0) {
		for (size_t i = 0; i < rules->n; i++) {
			if (!rule_follows(&rules->r[i], item, ix))
				continue;
			ALLOC_GROW(out->ours, out->nours + 1, out->ours_alloc);
			out->ours[out->nours++] = xstrfmt("%s: %s", rules->r[i].name, rules->r[i].title);
		}
	}
	rule_set_free(rules);
	strbuf_release(&ignored);
	free(item);
	free(dir);
}

static void find_rules(const struct api_pair *p, const char *symbol, const char *member, struct evidence *out)
{
	char *title = member ? xstrfmt("%s.%s", symbol, member) : xstrdup(symbol);
	char *path = p && p->examples ? learn_store_path(p->examples) : NULL;

	if (path)
		out->nrules = learn_store_of(path, title, &out->rule);
	if (p)
		find_ours(title, p->new_ix, out);
	free(path);
	free(title);
}

void evidence_find(const struct api_pair *p, const char *symbol, const char *member, const char *to_name,
		   size_t max, struct evidence *out)
{
	memset(out, 0, sizeof(*out));
	out->member = member != NULL;
	find_layout(p, symbol, member, out);
	find_rules(p, symbol, member, out);
	find_examples(p, symbol, member, last_word(member ? member : symbol), to_name ? last_word(to_name) : NULL,
		      max, out);
}

void evidence_release(struct evidence *e)
{
	layout_changes_free(e->layout, e->nlayout);
	examples_free_list(e->example, e->nexamples);
	cochange_free_list(e->commit, e->ncommits);
	learned_free(e->rule, e->nrules);
	for (size_t i = 0; i < e->nours; i++)
		free(e->ours[i]);
	free(e->ours);
	free(e->instead);
	memset(e, 0, sizeof(*e));
}

/* ---- text --------------------------------------------------------------------------------- */

static void print_layout(const struct evidence *e)
{
	size_t shown = 0, moved = 0, more = 0;

	for (size_t i = 0; i < e->nlayout; i++) {
		const struct layout_change *c = &e->layout[i];
		struct strbuf sb = STRBUF_INIT;

		if (c->kind == LAYOUT_ADDED || c->kind == LAYOUT_REMOVED || c->kind == LAYOUT_RETYPED) {
			/* The headers said so. */
		} else if (c->kind == LAYOUT_MOVED && !e->member) {
			moved++;
		} else if (shown == MAX_LAYOUT) {
			more++;
		} else {
			layout_change_text(c, &sb);
			printf("  in memory: %s\n", sb.buf);
			shown++;
		}
		strbuf_release(&sb);
	}
	if (more)
		printf("  in memory: and %zu more changes of members\n", more);
	if (moved)
		printf("  in memory: %zu member%s moved along\n", moved, moved == 1 ? "" : "s");
}

/* Text of an index may have come from elsewhere: nothing but a tab steers a terminal. */
static void print_side(const char *text, char mark)
{
	size_t lines = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (lines++ == MAX_LINES) {
			printf("    %c ...\n", mark);
			return;
		}
		printf("    %c ", mark);
		for (size_t i = 0; i < len; i++)
			putchar((unsigned char)text[i] < ' ' && text[i] != '\t' ? '?' : text[i]);
		putchar('\n');
		text += len + (text[len] == '\n');
	}
}

static void print_examples(const struct evidence *e)
{
	if (e->instead)
		printf("  others use %s instead (%zu of %zu examples)\n", e->instead, e->agree, e->of);
	if (e->dropped * 2 > e->all)
		printf("  others drop it (%zu of %zu examples)\n", e->dropped, e->all);
	for (size_t i = 0; i < e->nexamples; i++) {
		const struct example *x = &e->example[i];

		printf("  %s:%d%s%s", x->path, x->line, x->function ? " in " : "", x->function ? x->function : "");
		if (x->commit)
			printf(" (commit %.12s)", x->commit);
		putchar('\n');
		print_side(x->before, '-');
		print_side(x->after, '+');
	}
}

/* Tokens with a blank between all of them, set as one reads C. */
static void print_tokens(const char *mark, const char *s, size_t n)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		bool tight = s[i] == ' ' && ((i + 1 < n && strchr(",;)].(", s[i + 1])) || (i && strchr("([.!&", s[i - 1])) ||
					     (i + 2 < n && !strncmp(s + i + 1, "->", 2)) || (i > 1 && !strncmp(s + i - 2, "->", 2)));
		bool word = s[i] == ' ' && i > 1 && i + 1 < n && s[i + 1] == '(' &&
			    ((i >= 2 && !strncmp(s + i - 2, "if", 2)) || strchr("=,", s[i - 1]));

		if (!tight || word)
			strbuf_addch(&sb, s[i]);
	}
	strbuf_trim(&sb);
	printf("    %s ", mark);
	print_shown(sb.buf);
	putchar('\n');
	strbuf_release(&sb);
}

static void print_rules(const struct evidence *e)
{
	for (size_t i = 0; i < e->nours; i++)
		printf("  rule %s (kport port applies it)\n", e->ours[i]);
	for (size_t i = 0; i < e->nrules && i < MAX_RULES; i++) {
		const struct learned *l = &e->rule[i];

		const char *to = strstr(l->key, " => ");

		printf("  learned from %zu files, right in %zu and wrong in %zu uses of other files ($1, @1: whatever stands there):\n",
		       l->support, l->score.exact, l->score.wrong);
		print_tokens("-", l->key, to ? (size_t)(to - l->key) : strlen(l->key));
		if (to)
			print_tokens("+", to + 4, strlen(to + 4));
	}
}

void evidence_print(const struct evidence *e)
{
	print_layout(e);
	evidence_history_print(e);
	print_rules(e);
	print_examples(e);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *layout_json(const struct layout_change *c)
{
	json_t *o = json_object();
	struct strbuf text = STRBUF_INIT;

	layout_change_text(c, &text);
	json_set_str(o, "kind", layout_kind_name(c->kind));
	json_set_str(o, "member", c->member);
	json_set_str(o, "to", c->to_name);
	json_set_int(o, "old", c->from);
	json_set_int(o, "new", c->to);
	json_set_str(o, "old_type", c->from_type);
	json_set_str(o, "new_type", c->to_type);
	json_set_bool(o, "sure", c->sure);
	json_set_str(o, "text", text.buf);
	strbuf_release(&text);
	return o;
}

static json_t *example_json(const struct example *x)
{
	json_t *o = json_object();

	json_set_str(o, "path", x->path);
	json_set_int(o, "line", x->line);
	json_set_str(o, "function", x->function);
	json_set_str(o, "commit", x->commit);
	json_set_str(o, "before", x->before);
	json_set_str(o, "after", x->after);
	return o;
}

static json_t *rule_json(const struct learned *l)
{
	json_t *o = json_object();

	json_set_str(o, "rule", l->key);
	json_set_int(o, "files", (int64_t)l->support);
	json_set_int(o, "right", (int64_t)l->score.exact);
	json_set_int(o, "wrong", (int64_t)l->score.wrong);
	return o;
}

void evidence_json(const struct evidence *e, json_t *object)
{
	json_t *layout = json_array(), *examples = json_array(), *learned = json_array(),
	       *ours = json_array();

	for (size_t i = 0; i < e->nlayout; i++)
		json_array_append_new(layout, layout_json(&e->layout[i]));
	for (size_t i = 0; i < e->nexamples; i++)
		json_array_append_new(examples, example_json(&e->example[i]));
	for (size_t i = 0; i < e->nours; i++)
		json_array_append_new(ours, json_string(e->ours[i]));
	for (size_t i = 0; i < e->nrules; i++)
		json_array_append_new(learned, rule_json(&e->rule[i]));
	json_object_set_new(object, "layout", layout);
	json_object_set_new(object, "commits", evidence_history_json(e));
	json_set_int(object, "commits_elsewhere", (int64_t)e->elsewhere);
	json_object_set_new(object, "rules", ours);
	json_object_set_new(object, "learned", learned);
	json_set_str(object, "instead", e->instead);
	json_set_int(object, "dropped", (int64_t)e->dropped);
	json_set_int(object, "of", (int64_t)e->all);
	json_object_set_new(object, "examples", examples);
}
