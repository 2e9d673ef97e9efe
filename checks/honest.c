/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/honest.h"
#include "base/alloc.h"

void honest_init(struct honest *h, struct finding_list *findings, struct finding_list *review)
{
	memset(h, 0, sizeof(*h));
	h->findings = findings;
	h->review = review;
}

void honest_release(struct honest *h)
{
	facts_release(&h->old);
	facts_release(&h->new);
	ktarget_close(h->target);
	strmap_release(&h->renamed, NULL);
	strmap_release(&h->excused, NULL);
}

static void report(struct finding_list *l, const char *rule, const struct fact *at, const char *fmt,
		   va_list ap)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_vaddf(&sb, fmt, ap);
	finding_addf(l, "honest", rule, at ? at->file->path : NULL, at ? at->line : 0,
		     at ? at->function : NULL, "%s", sb.buf);
	strbuf_release(&sb);
}

void honest_fail(struct honest *h, const char *rule, const struct fact *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(h->findings, rule, at, fmt, ap);
	va_end(ap);
}

void honest_review(struct honest *h, const char *rule, const struct fact *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(h->review, rule, at, fmt, ap);
	va_end(ap);
}

const char *honest_new_name(const struct honest *h, const char *old_name)
{
	const char *n = strmap_get(&h->renamed, old_name);

	return n ? n : old_name;
}

bool honest_exists(const struct honest *h, const char *callee)
{
	if (callee[0] == '.')
		return ktarget_has(h->target, callee + 1);
	return facts_function(&h->new, callee) || facts_count(&h->new, FACT_DEFINE, callee) ||
	       ktarget_callable(h->target, callee);
}

bool honest_returns_void(const struct fact *function)
{
	const struct ctoks *ts = &function->file->ts;
	bool is_void = false;
	uint32_t i;

	for (i = function->f->ret.first; i < function->f->ret.end; i++) {
		is_void |= ctok_is(ts, i, "void");
		if (ctok_is(ts, i, "*"))
			return false;
	}
	return is_void;
}

bool honest_void_function(const struct honest *h, const char *callee)
{
	const struct fact *f = facts_function(&h->new, callee);

	return f ? honest_returns_void(f) : ktarget_returns_void(h->target, callee);
}

/* ---- renamed functions ---------------------------------------------------- */

/* Share of tokens that two bodies have in common, 0 to 1, as multisets. */
static double similarity(const struct fact *a, const struct fact *b)
{
	const struct ctoks *ta = &a->file->ts, *tb = &b->file->ts;
	struct strmap count = STRMAP_INIT;
	size_t na = 0, nb = 0, common = 0;
	uint32_t i;

	for (i = a->f->body.first; i < a->f->body.end; i++, na++) {
		char *w = ctok_dup(ta, i);

		strmap_put(&count, w, (char *)strmap_get(&count, w) + 1);
		free(w);
	}
	for (i = b->f->body.first; i < b->f->body.end; i++, nb++) {
		char *w = ctok_dup(tb, i), *left = strmap_get(&count, w);

		if (left) {
			strmap_put(&count, w, left - 1);
			common++;
		}
		free(w);
	}
	strmap_release(&count, NULL);
	return na + nb ? 2.0 * common / (na + nb) : 1.0;
}

/* More pairs than this are not compared: no port renames so much. */
#define MAX_RENAME_PAIRS 4000

void honest_renames(struct honest *h)
{
	struct fact_refs gone = { 0 }, came = { 0 };
	size_t i, j;

	facts_lost(&h->old, &h->new, FACT_FUNCTION, &gone);
	facts_lost(&h->new, &h->old, FACT_FUNCTION, &came);
	for (i = 0; i < gone.n && gone.n * came.n < MAX_RENAME_PAIRS; i++) {
		const struct fact *best = NULL;
		double most = 0.7;

		if (facts_function(&h->new, gone.v[i]->key))
			continue;
		for (j = 0; j < came.n; j++) {
			double s = facts_function(&h->old, came.v[j]->key) ?
					   0 : similarity(gone.v[i], came.v[j]);

			if (s >= most) {
				most = s;
				best = came.v[j];
			}
		}
		if (best)
			strmap_put(&h->renamed, gone.v[i]->key, best->key);
	}
	fact_refs_release(&gone);
	fact_refs_release(&came);
}

void honest_compare(struct honest *h)
{
	facts_mark_changed(&h->old, &h->new);
	honest_renames(h);
	honest_tables(h);
	honest_functions(h);
	honest_calls(h);
	honest_checks(h);
	honest_edits(h);
	honest_tricks(h);
	honest_build_files(h);
	finding_list_sort(h->findings);
	finding_list_sort(h->review);
}
