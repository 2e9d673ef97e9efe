/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaced calls whose meaning may have turned, and assignments that are gone. */
#include "base/compat.h"
#include "checks/honest.h"
#include "base/alloc.h"

/* ---- opposites ------------------------------------------------------------ */

static const char *const opposites[][2] = {
	{ "read", "write" }, { "get", "put" }, { "get", "set" }, { "set", "clear" }, { "enable", "disable" },
	{ "lock", "unlock" }, { "valid", "broken" }, { "valid", "invalid" }, { "c22", "c45" },
	{ "rx", "tx" }, { "start", "stop" }, { "add", "del" }, { "map", "unmap" }, { "up", "down" },
	{ "in", "out" }, { "le", "be" }, { "save", "restore" }, { "on", "off" }, { "min", "max" },
	{ "register", "unregister" }, { "push", "pop" }, { "first", "last" }, { "high", "low" },
	{ "irqsave", "irqrestore" }, { "alloc", "free" }, { "connect", "disconnect" }, { "inc", "dec" },
	{ "suspend", "resume" }, { "assert", "deassert" }, { "encode", "decode" }, { "open", "close" },
};

static bool is_pair(const char *a, size_t an, const char *b, size_t bn)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opposites); i++) {
		const char *x = opposites[i][0], *y = opposites[i][1];

		if (an == strlen(x) && bn == strlen(y) && !memcmp(a, x, an) && !memcmp(b, y, bn))
			return true;
		if (an == strlen(y) && bn == strlen(x) && !memcmp(a, y, an) && !memcmp(b, x, bn))
			return true;
	}
	return false;
}

/* The names agree in every word but one, and those two are opposites: "x_read_y", "x_write_y". */
static bool opposite_names(const char *a, const char *b)
{
	bool turned = false;

	while (*a && *b) {
		size_t an = strcspn(a, "_"), bn = strcspn(b, "_");

		if (an != bn || memcmp(a, b, an)) {
			if (turned || !is_pair(a, an, b, bn))
				return false;
			turned = true;
		}
		a += an + (a[an] == '_');
		b += bn + (b[bn] == '_');
	}
	return turned && !*a && !*b;
}

static bool same_function(const struct honest *h, const struct fact *old, const struct fact *new)
{
	return old->function && new->function && !strcmp(honest_new_name(h, old->function), new->function);
}

static void turned_calls(struct honest *h, const struct fact_refs *gone, const struct fact_refs *came)
{
	size_t i, j;

	for (i = 0; i < gone->n; i++)
		for (j = 0; j < came->n; j++)
			if (opposite_names(gone->v[i]->key, came->v[j]->key) &&
			    same_function(h, gone->v[i], came->v[j]))
				honest_fail(h, "opposite", came->v[j], "call of '%s' became '%s', its opposite",
					    gone->v[i]->key, came->v[j]->key);
}

/* ---- conventions ---------------------------------------------------------- */

/* Text with one whole word replaced. */
static void replace_word(const char *text, const char *word, const char *by, struct strbuf *out)
{
	struct ctoks ts;
	size_t i, at = 0;

	if (ctoks_scan(&ts, text, strlen(text)) < 0)
		return;
	for (i = 0; i < ts.n; i++) {
		if (!ctok_is(&ts, i, word))
			continue;
		strbuf_add(out, text + at, ts.t[i].off - at);
		strbuf_addstr(out, by);
		at = ts.t[i].off + ts.t[i].len;
	}
	strbuf_addstr(out, text + at);
	ctoks_release(&ts);
}

/* A check of the old callee's result stands unchanged around the new one. */
static bool check_kept(const struct honest *h, const struct fact *gone, const struct fact *came)
{
	struct fact_refs before = { 0 }, now = { 0 };
	bool kept = false;
	size_t i, j;

	facts_find(&h->old, FACT_CHECK, gone->function, &before);
	facts_find(&h->new, FACT_CHECK, came->function, &now);
	for (i = 0; i < before.n && !kept; i++) {
		struct strbuf want = STRBUF_INIT;

		if (strstr(before.v[i]->value, gone->key))
			replace_word(before.v[i]->value, gone->key, came->key, &want);
		for (j = 0; want.len && j < now.n && !kept; j++)
			kept = !strcmp(now.v[j]->value, want.buf);
		strbuf_release(&want);
	}
	fact_refs_release(&before);
	fact_refs_release(&now);
	return kept;
}

/* "if (old(x))" with 0 for success became "if (new(x))" with true for success. */
static void turned_results(struct honest *h, const struct fact_refs *gone, const struct fact_refs *came)
{
	size_t i, j;

	for (j = 0; j < came->n; j++) {
		if (!ktarget_returns_bool(h->target, came->v[j]->key))
			continue;
		for (i = 0; i < gone->n; i++)
			if (same_function(h, gone->v[i], came->v[j]) && check_kept(h, gone->v[i], came->v[j]))
				honest_review(h, "convention", came->v[j],
					      "'%s' returns bool where '%s' was checked the same way",
					      came->v[j]->key, gone->v[i]->key);
	}
}

/* ---- assignments ---------------------------------------------------------- */

/* The target behind the function's name in a FACT_ASSIGN's key. */
static const char *target_of(const struct fact *f)
{
	return strchr(f->key, ' ') + 1;
}

/*
 * A member that is no longer set, in a function where no other one is set instead: a
 * limit, a mask or a callback may be lost.
 */
static void assignments(struct honest *h)
{
	struct fact_refs gone = { 0 }, came = { 0 };
	bool *used;
	size_t i, j;

	facts_lost(&h->old, &h->new, FACT_ASSIGN, &gone);
	facts_lost(&h->new, &h->old, FACT_ASSIGN, &came);
	used = xcalloc(came.n + 1, sizeof(*used));
	for (i = 0; i < gone.n; i++) {
		const struct fact *f = gone.v[i];

		if ((!strstr(target_of(f), "->") && !strchr(target_of(f), '.')) ||
		    !facts_function(&h->new, honest_new_name(h, f->function)))
			continue;
		for (j = 0; j < came.n && (used[j] || !same_function(h, f, came.v[j])); j++)
			;
		if (j < came.n)
			used[j] = true;
		else if (facts_function(&h->old, f->value) &&
			 !facts_ref_count(&h->new, honest_new_name(h, f->value)))
			continue; /* reported as unused */
		else
			honest_review(h, "assignment", f, "'%s = %.100s' is gone and nothing is set in its place",
				      target_of(f), f->value);
	}
	free(used);
	fact_refs_release(&gone);
	fact_refs_release(&came);
}

/* "f(...)": the name f; NULL when the value is anything else. Newly allocated. */
static char *called_value(const char *value)
{
	size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n && value[n] == '(' && value[strlen(value) - 1] == ')' && !facts_is_log_call(value) ?
	       xstrndup(value, n) : NULL;
}

static bool plain_constant(const char *value)
{
	return !strcmp(value, "NULL") || !strcmp(value, "true") || !strcmp(value, "false") ||
	       (*value && strspn(value, "-0123456789xXabcdefABCDEFuUlL") == strlen(value) &&
		strpbrk(value, "0123456789"));
}

static bool still_called(const struct honest *h, const struct fact *assign, const char *callee)
{
	struct fact_refs calls = { 0 };
	bool found = false;

	facts_find(&h->new, FACT_CALL, callee, &calls);
	for (size_t i = 0; i < calls.n && !found; i++)
		found = same_function(h, assign, calls.v[i]);
	fact_refs_release(&calls);
	return found;
}

/* Assignments to the target in the function whose value is the call ("" for any), or a constant for NULL. */
static int values_of(const struct fact_refs *all, const char *function, const char *target,
		     const char *callee, const struct fact **first)
{
	int n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct fact *f = all->v[i];
		char *called = called_value(f->value);
		bool hit = callee ? called && (!*callee || !strcmp(called, callee)) : plain_constant(f->value);

		free(called);
		if (!hit || strcmp(f->function, function) || strcmp(target_of(f), target))
			continue;
		*first = n++ ? *first : f;
	}
	return n;
}

static void constant_value(struct honest *h, const struct fact *f, const char *callee,
			   const struct fact_refs *old, const struct fact_refs *new)
{
	const char *fn = honest_new_name(h, f->function), *t = target_of(f);
	const struct fact *first = NULL, *now = NULL, *other = NULL;
	int before = values_of(old, f->function, t, callee, &first);

	if (first != f || values_of(new, fn, t, callee, &now) >= before ||
	    values_of(new, fn, t, NULL, &now) <= values_of(old, f->function, t, NULL, &first) ||
	    values_of(new, fn, t, "", &other) >= values_of(old, f->function, t, "", &other) ||
	    still_called(h, f, callee))
		return;
	if (honest_exists(h, callee))
		honest_fail(h, "constant", now, "'%s' was given by %s() and is %s now", t, callee, now->value);
	else
		honest_review(h, "constant", now,
			      "'%s' was given by %s(), which the target kernel lacks, and is %s now", t, callee,
			      now->value);
}

/* "ret = f(x)" became "ret = 0" and f() is called no more there: it looks as if all went well. */
static void constant_values(struct honest *h)
{
	struct fact_refs old = { 0 }, new = { 0 };

	facts_find(&h->old, FACT_ASSIGN, NULL, &old);
	facts_find(&h->new, FACT_ASSIGN, NULL, &new);
	for (size_t i = 0; i < old.n; i++) {
		char *callee = called_value(old.v[i]->value);

		if (callee)
			constant_value(h, old.v[i], callee, &old, &new);
		free(callee);
	}
	fact_refs_release(&old);
	fact_refs_release(&new);
}

void honest_edits(struct honest *h)
{
	struct fact_refs gone = { 0 }, came = { 0 };

	facts_lost(&h->old, &h->new, FACT_CALL, &gone);
	facts_lost(&h->new, &h->old, FACT_CALL, &came);
	turned_calls(h, &gone, &came);
	turned_results(h, &gone, &came);
	fact_refs_release(&gone);
	fact_refs_release(&came);
	assignments(h);
	constant_values(h);
}
