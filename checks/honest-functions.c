/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that are gone, do nothing any more, or are no longer used; stubs. */
#include "base/compat.h"
#include "checks/honest.h"
#include "base/alloc.h"

/* ---- gone ----------------------------------------------------------------- */

static size_t call_count(const struct facts *fa, const char *callee)
{
	return facts_count(fa, FACT_CALL, callee);
}

/* Is all that the function called still called as often, or gone from the target? */
static bool merged(const struct honest *h, const struct fact *gone)
{
	struct body_weight w = facts_weight(gone);
	struct fact_refs calls = { 0 };
	bool all = true;
	size_t i;

	/* What it computed without a call cannot be followed. */
	if (!w.calls && (w.effects || w.returns))
		return false;
	facts_find(&h->old, FACT_CALL, NULL, &calls);
	for (i = 0; i < calls.n && all; i++) {
		const struct fact *c = calls.v[i];

		if (!c->function || strcmp(c->function, gone->key) || facts_is_log_call(c->key))
			continue;
		all = call_count(&h->new, c->key) >= call_count(&h->old, c->key) || !honest_exists(h, c->key);
	}
	fact_refs_release(&calls);
	return all;
}

static void judge_gone(struct honest *h, const struct fact *f)
{
	if (strmap_has(&h->renamed, f->key))
		return;
	if (strmap_has(&h->excused, f->key)) /* its member was reported */
		return;
	strmap_put(&h->excused, f->key, NULL);
	if (h->target && ktarget_callable(h->target, f->key))
		honest_review(h, "function", f, "function '%s' is gone: the target kernel has one", f->key);
	else if (!facts_ref_count(&h->old, f->key) && strcmp(f->value, "global"))
		honest_review(h, "function", f, "function '%s' is gone: it was not used", f->key);
	else if (merged(h, f))
		honest_review(h, "function", f,
			      "function '%s' is gone: what it called is called elsewhere or is gone from "
			      "the target kernel", f->key);
	else
		honest_fail(h, "function", f, "%sfunction '%s' is gone",
			    !strcmp(f->value, "global") ? "global " : "", f->key);
}

/* ---- emptied -------------------------------------------------------------- */

static bool in_function(const struct fact *f, const char *name)
{
	return f->function && !strcmp(f->function, name);
}

/* Calls of void functions in the new body which before had a result, or were not made. */
static int void_now(const struct honest *h, const char *before, const char *now)
{
	struct fact_refs old = { 0 }, new = { 0 };
	int n = 0;
	size_t i, j;

	facts_find(&h->old, FACT_CALL, NULL, &old);
	facts_find(&h->new, FACT_CALL, NULL, &new);
	for (i = 0; i < new.n; i++) {
		if (!in_function(new.v[i], now) || !new.v[i]->bare ||
		    !honest_void_function(h, new.v[i]->key))
			continue;
		for (j = 0; j < old.n; j++)
			if (in_function(old.v[j], before) && !strcmp(old.v[j]->key, new.v[i]->key) &&
			    old.v[j]->bare)
				break;
		n += j == old.n;
	}
	fact_refs_release(&old);
	fact_refs_release(&new);
	return n;
}

/* "return -EBUSY;" in the body. */
static int error_returns(const struct fact *function)
{
	const struct ctoks *ts = &function->file->ts;
	int n = 0;

	for (uint32_t i = function->f->body.first; i + 3 < function->f->body.end; i++)
		n += ctok_is(ts, i, "return") && ctok_is(ts, i + 1, "-") && ctok_is_ident(ts, i + 2) &&
		     ts->text[ts->t[i + 2].off] == 'E' && ctok_is(ts, i + 3, ";");
	return n;
}

/*
 * The values that are no longer returned are error codes now, and a function that gave such values
 * is gone from the target (its successor tells success in another way).
 */
static bool errors_spelled_out(const struct honest *h, const struct fact *before, const struct fact *now,
			       int lost)
{
	struct fact_refs calls = { 0 };
	bool vanished = false;

	if (error_returns(now) - error_returns(before) < lost)
		return false;
	facts_find(&h->old, FACT_CALL, NULL, &calls);
	for (size_t i = 0; i < calls.n && !vanished; i++)
		vanished = in_function(calls.v[i], before->key) && !calls.v[i]->bare &&
			   calls.v[i]->key[0] != '.' && !honest_exists(h, calls.v[i]->key);
	fact_refs_release(&calls);
	return vanished;
}

/*
 * What gave a value is gone from the target, and the driver calls something of the target's,
 * anywhere, that it did not call before and whose name has three words of that one's:
 * snd_pcm_lib_alloc_vmalloc_buffer() -> snd_pcm_set_managed_buffer_all(), once for a PCM.
 */
static bool taken_over(const struct honest *h, const struct fact *before)
{
	struct fact_refs calls = { 0 }, came = { 0 };
	bool over = false;

	facts_find(&h->old, FACT_CALL, NULL, &calls);
	facts_lost(&h->new, &h->old, FACT_CALL, &came);
	for (size_t i = 0; i < calls.n && !over; i++) {
		const struct fact *c = calls.v[i];

		if (!in_function(c, before->key) || c->bare || c->key[0] == '.' || honest_exists(h, c->key))
			continue;
		for (size_t k = 0; k < came.n && !over; k++)
			over = came.v[k]->key[0] != '.' && !facts_function(&h->new, came.v[k]->key) &&
			       !facts_count(&h->old, FACT_CALL, came.v[k]->key) &&
			       ktarget_callable(h->target, came.v[k]->key) &&
			       honest_words_shared(c->key, came.v[k]->key) >= 3;
	}
	fact_refs_release(&came);
	fact_refs_release(&calls);
	return over;
}

/* The parameters are others, and what was returned is stored, through one of them as it seems. */
static bool values_stored(const struct fact *before, const struct fact *now, const struct body_weight *a,
			  const struct body_weight *b)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	bool other;

	ctoks_normal(&before->file->ts, before->f->paren.first, before->f->paren.end, &x);
	ctoks_normal(&now->file->ts, now->f->paren.first, now->f->paren.end, &y);
	other = strcmp(x.buf, y.buf) != 0;
	strbuf_release(&x);
	strbuf_release(&y);
	return other && b->effects - a->effects >= a->returns - b->returns;
}

static void judge_body(struct honest *h, const struct fact *before, const struct fact *now)
{
	struct body_weight a = facts_weight(before), b = facts_weight(now);

	if ((a.calls || a.effects || a.returns) && !b.calls && !b.effects && !b.returns) {
		if (b.tokens == 0)
			honest_fail(h, "emptied", now, "function '%s' does nothing any more", now->key);
		else
			honest_fail(h, "emptied", now,
				    "function '%s' does nothing any more but return a constant", now->key);
	} else if (!honest_returns_void(now) && a.returns > b.returns &&
		   (!b.returns || b.constants > a.constants)) {
		const char *what = b.returns ? "returns a constant where it returned a value" :
					       "always returns a constant now";

		if (void_now(h, before->key, now->key))
			honest_review(h, "constant", now,
				      "function '%s' %s: its callee returns nothing in the target kernel",
				      now->key, what);
		else if (values_stored(before, now, &a, &b))
			honest_review(h, "constant", now,
				      "function '%s' %s: with other parameters, it stores its values",
				      now->key, what);
		else if (errors_spelled_out(h, before, now, a.returns - b.returns))
			honest_review(h, "constant", now,
				      "function '%s' %s, an error code: what gave the value is gone from "
				      "the target kernel", now->key, what);
		else if (taken_over(h, before))
			honest_review(h, "constant", now,
				      "function '%s' %s: what gave the value is gone from the target "
				      "kernel, and another function took it over", now->key, what);
		else
			honest_fail(h, "constant", now, "function '%s' %s", now->key, what);
	}
}

/* ---- unused --------------------------------------------------------------- */

static void judge_use(struct honest *h, const struct fact *before, const struct fact *now)
{
	if (facts_ref_count(&h->old, before->key) == 0 || facts_ref_count(&h->new, now->key) > 0)
		return;
	if (strmap_has(&h->excused, before->key)) /* its table was judged */
		return;
	honest_fail(h, "unused", now, "function '%s' is no longer used", now->key);
}

static void known_functions(struct honest *h)
{
	size_t i;

	for (i = 0; i < h->old.n; i++) {
		const struct fact *before = &h->old.f[i], *now;

		if (before->kind != FACT_FUNCTION || facts_function(&h->old, before->key) != before)
			continue;
		now = facts_function(&h->new, honest_new_name(h, before->key));
		if (!now)
			continue;
		judge_use(h, before, now);
		if (before->file->changed || now->file->changed)
			judge_body(h, before, now);
	}
}

/* ---- stubs ---------------------------------------------------------------- */

/* Called in the old driver without being defined there: a function of the kernel. */
static bool was_kernel_function(const struct honest *h, const char *name)
{
	return call_count(&h->old, name) && !facts_function(&h->old, name) &&
	       !facts_count(&h->old, FACT_DEFINE, name);
}

static void new_function(struct honest *h, const struct fact *f)
{
	struct body_weight w = facts_weight(f);
	bool trivial = !w.calls && !w.effects && !w.returns;

	if (was_kernel_function(h, f->key) && trivial)
		honest_fail(h, "stub", f, "'%s' is a local stub of a kernel function that was called", f->key);
	else if (was_kernel_function(h, f->key))
		honest_review(h, "stub", f, "'%s', a kernel function, is now the driver's own", f->key);
	else if (trivial && call_count(&h->new, f->key))
		honest_fail(h, "stub", f, "new function '%s' is called and does nothing", f->key);
	else if (trivial)
		honest_review(h, "stub", f, "new function '%s' does nothing", f->key);
}

static void new_define(struct honest *h, const struct fact *f, const char *how)
{
	if (!was_kernel_function(h, f->key))
		return;
	if (facts_trivial_define(f->value))
		honest_fail(h, "stub", f, "%s '%s' stands for a kernel function that was called and does nothing",
			    how, f->key);
	else
		honest_review(h, "stub", f, "%s '%s' stands for a kernel function: '%.100s'", how, f->key,
			      f->value);
}

static void stubs(struct honest *h)
{
	struct fact_refs came = { 0 };
	size_t i;

	facts_lost(&h->new, &h->old, FACT_FUNCTION, &came);
	for (i = 0; i < came.n; i++)
		if (!facts_function(&h->old, came.v[i]->key))
			new_function(h, came.v[i]);
	came.n = 0;
	facts_lost(&h->new, &h->old, FACT_DEFINE, &came);
	for (i = 0; i < came.n; i++)
		new_define(h, came.v[i], "macro");
	came.n = 0;
	facts_lost(&h->new, &h->old, FACT_DEFINE_FLAG, &came);
	for (i = 0; i < came.n; i++)
		new_define(h, came.v[i], "flag -D");
	fact_refs_release(&came);
}

void honest_functions(struct honest *h)
{
	struct fact_refs gone = { 0 };
	size_t i;

	facts_lost(&h->old, &h->new, FACT_FUNCTION, &gone);
	for (i = 0; i < gone.n; i++)
		if (!facts_function(&h->new, gone.v[i]->key))
			judge_gone(h, gone.v[i]);
	known_functions(h);
	stubs(h);
	fact_refs_release(&gone);
}
