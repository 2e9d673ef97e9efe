// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"

#include "base/alloc.h"
#include "port/learn-internal.h"

size_t learn_right(const struct learn_score *s)
{
	return s->exact + s->within;
}

static double share(size_t part, size_t of)
{
	return of ? (double)part / (double)of : -1;
}

double learn_precision(const struct learn_score *s)
{
	return share(learn_right(s), learn_right(s) + s->wrong + s->alone);
}

double learn_recall(const struct learn_score *s)
{
	return share(learn_right(s), learn_right(s) + s->wrong + s->missed);
}

double learn_safety(const struct learn_score *s)
{
	return share(s->kept - (s->alone < s->kept ? s->alone : s->kept), s->kept);
}

void learn_score_add(struct learn_score *to, const struct learn_score *s)
{
	to->exact += s->exact;
	to->within += s->within;
	to->wrong += s->wrong;
	to->alone += s->alone;
	to->missed += s->missed;
	to->kept += s->kept;
	to->files += s->files;
	to->files_right += s->files_right;
}

/* ---- headers ------------------------------------------------------------------ */

static bool adds_header(const struct learn_site *s, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = s->after; p && *p; p = strchr(p, '\n') + 1)
		if (!strncmp(p, name, len) && p[len] == '\n')
			return true;
	return false;
}

static void count_headers(struct learn_change *c)
{
	struct strmap by_name = STRMAP_INIT;

	for (size_t i = 0; i < c->nsites; i++) {
		const struct learn_site *s = &c->site[i];

		for (const char *p = s->after; s->answered && p && *p; p = strchr(p, '\n') + 1) {
			char *name = xstrndup(p, strcspn(p, "\n"));
			size_t at = (size_t)(uintptr_t)strmap_get(&by_name, name);

			if (!at) {
				learn_add_rule(c)->header = xstrdup(name);
				at = c->nrules;
				strmap_put(&by_name, name, (void *)(uintptr_t)at);
			}
			learn_rule_add_file(&c->rule[at - 1], s->file);
			free(name);
		}
	}
	strmap_release(&by_name, NULL);
}

static int by_files(const void *a, const void *b)
{
	const struct learn_rule *x = a, *y = b;

	if (x->support != y->support)
		return x->support > y->support ? -1 : 1;
	return strcmp(x->header, y->header);
}

/* One rule: the header that most files include instead. */
void learn_header_rules(struct learn *l, struct learn_change *c)
{
	struct learn_rule *r;

	count_headers(c);
	if (c->nrules)
		sort_items(c->rule, c->nrules, sizeof(*c->rule), by_files);
	while (c->nrules > 1)
		learn_rule_release(&c->rule[--c->nrules]);
	r = c->nrules ? &c->rule[0] : NULL;
	if (r && r->support < LEARN_MIN_FILES)
		r = NULL;
	for (size_t i = 0; i < c->nsites; i++) {
		const struct learn_site *s = &c->site[i];
		bool edit = r && r->support - learn_rule_has_file(r, s->file) >= LEARN_MIN_FILES;

		c->score.kept += !s->answered;
		if (!edit)
			c->score.missed += s->answered;
		else if (!s->answered)
			c->score.alone++;
		else if (adds_header(s, r->header))
			c->score.exact++;
		else
			c->score.wrong++;
	}
	if (!r)
		return;
	r->score = c->score;
	if (learn_precision(&r->score) < 0.8) {
		/* What the files have in common is by chance. */
		memset(&c->score, 0, sizeof(c->score));
		for (size_t i = 0; i < c->nsites; i++)
			c->score.missed += c->site[i].answered;
		return;
	}
	r->chosen = true;
	r->risk = learn_precision(&r->score) >= 0.95 ? RISK_SAFE : RISK_REVIEW;
}

void learn_rules(struct learn *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct learn_change *c = l->change[i];

		if (c->place == LEARN_HEADER)
			learn_header_rules(l, c);
		else if (c->place == LEARN_CALLBACK)
			learn_callback_rules(l, c);
		else
			learn_template_rules(l, c);
	}
}
