/* SPDX-License-Identifier: GPL-2.0-only */
/* Ops tables, device ids, ioctl numbers, case labels and module macros. */
#include "base/compat.h"
#include "checks/honest.h"
#include "base/alloc.h"

/* ---- members -------------------------------------------------------------- */

static bool empty_value(const char *v)
{
	return !strcmp(v, "NULL") || !strcmp(v, "0") || !strcmp(v, "(void*)0") || !strcmp(v, "false");
}

static bool plain_word(const char *v)
{
	return *v && strspn(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
			     strlen(v);
}

/* Text behind a leading cast, or the text itself. */
static const char *without_cast(const char *v)
{
	struct ctoks ts;
	const char *out = v;

	if (*v != '(' || ctoks_scan(&ts, v, strlen(v)) < 0)
		return v;
	if (ts.n && ts.t[0].match != CTOK_NONE && ts.t[0].match + 1 < ts.n)
		out = v + ts.t[ts.t[0].match + 1].off;
	ctoks_release(&ts);
	return out;
}

/* A cast in front of a word that was there without: callbacks of the wrong type. */
static void cast_value(struct honest *h, const struct fact *before, const struct fact *now)
{
	const char *bare = without_cast(now->value);

	if (bare == now->value || before->value[0] == '(')
		return;
	if (!strcmp(bare, honest_new_name(h, before->value)) ||
	    (bare[0] == '&' && !strcmp(bare + 1, honest_new_name(h, before->value))))
		honest_fail(h, "cast", now, "'.%s = %s' is cast to silence its type", now->member, now->value);
}

static const struct fact *member_fact(const struct facts *fa, const char *key)
{
	struct fact_refs r = { 0 };
	const struct fact *f;

	facts_find(fa, FACT_MEMBER, key, &r);
	f = r.n ? r.v[0] : NULL;
	fact_refs_release(&r);
	return f;
}

/* "struct object" of a member's key, up to its path. */
static size_t object_len(const char *key)
{
	const char *blank = strchr(key, ' ');

	return blank ? strcspn(blank, ".[") + (blank - key) : strlen(key);
}

/*
 * The member's value under another member: of the same object for any value, of any object
 * for a function of the driver.
 */
static bool moved(const struct honest *h, const struct fact *gone, const struct fact_refs *came)
{
	const char *value = honest_new_name(h, gone->value);
	bool function = facts_function(&h->new, value) != NULL;
	size_t i, n = object_len(gone->key);

	for (i = 0; i < came->n; i++) {
		if (strcmp(without_cast(came->v[i]->value), value))
			continue;
		if (function || (object_len(came->v[i]->key) == n && !strncmp(came->v[i]->key, gone->key, n)))
			return true;
	}
	return false;
}

/* The whole object under another name: same structure, member and value. */
static bool object_renamed(const struct fact *gone, const struct fact_refs *came)
{
	const char *path = gone->key + object_len(gone->key);
	size_t i, tag = strcspn(gone->key, " ");

	for (i = 0; i < came->n; i++)
		if (!strncmp(came->v[i]->key, gone->key, tag + 1) &&
		    !strcmp(came->v[i]->key + object_len(came->v[i]->key), path) &&
		    !strcmp(came->v[i]->value, gone->value))
			return true;
	return false;
}

/* Defined by the driver itself, in any of its files. */
static bool own_struct(const struct facts *fa, const char *tag)
{
	size_t i;

	for (i = 0; i < fa->nfiles; i++)
		if (cfile_struct(&fa->files[i]->cf, tag))
			return true;
	return false;
}

static bool own_object(const struct facts *fa, const char *name)
{
	size_t i;

	for (i = 0; i < fa->nfiles; i++)
		if (cfile_object(&fa->files[i]->cf, name))
			return true;
	return false;
}

/*
 * The target's member in the place of one that it lacks, when the object leaves it
 * empty: "probe" for "probe_new". Newly allocated or NULL.
 */
static char *left_empty(const struct honest *h, const struct fact *f)
{
	const char *last = strrchr(f->member, '_');
	char *base, *key;

	if (!f->struct_tag || !h->target || !last || last == f->member)
		return NULL;
	base = xstrndup(f->member, last - f->member);
	key = xstrfmt("%.*s.%s", (int)object_len(f->key), f->key, base);
	if (!ktarget_has_member(h->target, f->struct_tag, base) || member_fact(&h->new, key)) {
		free(base);
		base = NULL;
	}
	free(key);
	return base;
}

/* Why the target explains that the member is gone, or NULL. */
static const char *target_lacks(struct honest *h, const struct fact *f)
{
	if (f->struct_tag && own_struct(&h->old, f->struct_tag))
		return NULL;
	if (f->struct_tag && h->target && !ktarget_has_struct(h->target, f->struct_tag))
		return "structure";
	if (f->struct_tag ? !ktarget_has_member(h->target, f->struct_tag, f->member) :
			    !ktarget_has(h->target, f->member))
		return "member";
	if (plain_word(f->value) && !facts_function(&h->old, f->value) && !own_object(&h->old, f->value) &&
	    !ktarget_has(h->target, f->value) && !facts_count(&h->old, FACT_DEFINE, f->value))
		return "value";
	return NULL;
}

/* A callback, or a table of the driver: not a name, a number or flags. */
static bool does_something(const struct honest *h, const char *value)
{
	value = without_cast(value);
	value += *value == '&';
	/* No number, and no constant by its upper case. */
	if (!plain_word(value) || !value[strcspn(value, "abcdefghijklmnopqrstuvwxyz")] ||
	    (*value >= '0' && *value <= '9'))
		return false;
	return facts_function(&h->old, value) || own_object(&h->old, value) ||
	       (h->target && ktarget_callable(h->target, value));
}

/*
 * A function of the driver whose body is one call of what the target has not: with
 * "static int foo_free(x) { return old_free(x); }" the driver did nothing of its own.
 */
static bool only_passed_on(const struct honest *h, const char *value)
{
	const struct fact *fn = facts_function(&h->old, value);
	const struct ctoks *ts;
	uint32_t i, end;
	char *callee;
	bool gone;

	if (!fn)
		return false;
	ts = &fn->file->ts;
	i = fn->f->body.first + 1;
	end = fn->f->body.end - 1; /* the brackets */
	i += ctok_is(ts, i, "return");
	if (!ctok_is_ident(ts, i) || !ctok_is(ts, i + 1, "(") || ts->t[i + 1].match == CTOK_NONE ||
	    ts->t[i + 1].match + 2 != end || !ctok_is(ts, end - 1, ";"))
		return false;
	callee = ctok_dup(ts, i);
	gone = h->target && !honest_exists(h, callee) && !facts_function(&h->old, callee);
	free(callee);
	return gone;
}

static void judge_member(struct honest *h, const struct fact *f, const struct fact_refs *came)
{
	const char *lacks;
	char *empty;
	int n = (int)object_len(f->key);

	if (moved(h, f, came) || object_renamed(f, came))
		return;
	strmap_put(&h->excused, f->value, NULL);
	lacks = target_lacks(h, f);
	empty = lacks && does_something(h, f->value) ? left_empty(h, f) : NULL;
	if (empty)
		honest_fail(h, "member", f, "'.%s = %s' of '%.*s' is gone, and '.%s' of the target kernel is "
			    "not filled in", f->member, f->value, n, f->key, empty);
	else if (lacks)
		honest_review(h, "member", f, "'.%s = %s' of '%.*s' is gone: the target kernel has no such %s",
			      f->member, f->value, n, f->key, lacks);
	else if (only_passed_on(h, without_cast(f->value)))
		honest_review(h, "member", f, "'.%s = %s' of '%.*s' is gone: it only called what the target "
			      "kernel has not", f->member, f->value, n, f->key);
	else if (does_something(h, f->value))
		honest_fail(h, "member", f, "'.%s = %s' of '%.*s' is no longer filled in", f->member,
			    f->value, n, f->key);
	else
		honest_review(h, "member", f, "'.%s = %s' of '%.*s' is gone", f->member, f->value, n, f->key);
	free(empty);
}

static void members(struct honest *h)
{
	struct fact_refs gone = { 0 }, came = { 0 }, all = { 0 };
	size_t i;

	facts_lost(&h->old, &h->new, FACT_MEMBER, &gone);
	facts_lost(&h->new, &h->old, FACT_MEMBER, &came);
	facts_find(&h->old, FACT_MEMBER, NULL, &all);
	for (i = 0; i < gone.n; i++)
		if (!empty_value(gone.v[i]->value) && gone.v[i]->value[0] != '{')
			judge_member(h, gone.v[i], &came);
	for (i = 0; i < all.n; i++) {
		const struct fact *now = member_fact(&h->new, all.v[i]->key);

		if (!now || !strcmp(now->value, all.v[i]->value))
			continue;
		if (empty_value(now->value) && !empty_value(all.v[i]->value))
			judge_member(h, all.v[i], &came);
		else
			cast_value(h, all.v[i], now);
	}
	fact_refs_release(&gone);
	fact_refs_release(&came);
	fact_refs_release(&all);
}

/* ---- device ids ----------------------------------------------------------- */

static bool has_string(const struct ctoks *ts)
{
	size_t i;

	for (i = 0; i < ts->n; i++)
		if (ts->t[i].kind == CTOK_STRING)
			return true;
	return false;
}

/*
 * What tells one id from another: its strings when it has any, else numbers but zero and
 * upper-case names.
 */
static bool identity_token(const struct ctoks *ts, size_t i, bool strings)
{
	const struct ctok *t = &ts->t[i];

	if (strings || t->kind == CTOK_STRING)
		return t->kind == CTOK_STRING;
	if (t->kind == CTOK_NUMBER)
		return !ctok_is(ts, i, "0") && !ctok_is(ts, i, "0x0");
	return t->kind == CTOK_IDENT && ts->text[t->off] >= 'A' && ts->text[t->off] <= 'Z' &&
	       !ctok_is(ts, i, "NULL") && !ctok_is(ts, i + 1, "(");
}

/* The same token, or one with a prefix more: "ALDERLAKE", "INTEL_ALDERLAKE". */
static bool same_token(const struct ctoks *a, size_t i, const struct ctoks *b, size_t j)
{
	const struct ctok *x = &a->t[i], *y = &b->t[j];
	const char *tail = b->text + y->off + y->len - x->len;

	if (ctok_same(a, i, b, j))
		return true;
	return x->kind == CTOK_IDENT && y->kind == CTOK_IDENT && y->len > x->len && tail[-1] == '_' &&
	       !memcmp(tail, a->text + x->off, x->len);
}

/* Is at least two thirds of the old entry's identity in the new one? */
static bool same_identity(const char *old, const char *new)
{
	struct ctoks a, b;
	size_t i, j, all = 0, found = 0;
	bool strings;

	if (ctoks_scan(&a, old, strlen(old)) < 0)
		return false;
	if (ctoks_scan(&b, new, strlen(new)) < 0) {
		ctoks_release(&a);
		return false;
	}
	strings = has_string(&a);
	for (i = 0; i < a.n; i++) {
		if (!identity_token(&a, i, strings))
			continue;
		all++;
		for (j = 0; j < b.n && !same_token(&a, i, &b, j); j++)
			;
		found += j < b.n;
	}
	ctoks_release(&a);
	ctoks_release(&b);
	return found * 3 >= all * 2;
}

static void ids(struct honest *h)
{
	struct fact_refs gone = { 0 }, came = { 0 };
	bool *used;
	size_t i, j;

	facts_lost(&h->old, &h->new, FACT_ID, &gone);
	facts_lost(&h->new, &h->old, FACT_ID, &came);
	used = xcalloc(came.n + 1, sizeof(*used));
	for (i = 0; i < gone.n; i++) {
		for (j = 0; j < came.n; j++)
			if (!used[j] && same_identity(gone.v[i]->value, came.v[j]->value))
				break;
		if (j < came.n)
			used[j] = true;
		else
			honest_fail(h, "device-id", gone.v[i], "device id '%.100s' of table '%.*s' is gone",
				    gone.v[i]->value, (int)strcspn(gone.v[i]->key, " "), gone.v[i]->key);
	}
	free(used);
	fact_refs_release(&gone);
	fact_refs_release(&came);
}

/* ---- ioctls and cases ----------------------------------------------------- */

static void ioctls(struct honest *h)
{
	struct fact_refs all = { 0 }, now = { 0 };
	size_t i;

	facts_find(&h->old, FACT_IOCTL, NULL, &all);
	for (i = 0; i < all.n; i++) {
		size_t j;

		now.n = 0;
		facts_find(&h->new, FACT_IOCTL, all.v[i]->key, &now);
		for (j = 0; j < now.n && strcmp(now.v[j]->value, all.v[i]->value); j++)
			;
		if (!now.n)
			honest_fail(h, "ioctl", all.v[i], "ioctl number '%s' is gone", all.v[i]->key);
		else if (j == now.n)
			honest_fail(h, "ioctl", now.v[0], "ioctl number '%s' changed from '%s' to '%s'",
				    all.v[i]->key, all.v[i]->value, now.v[0]->value);
	}
	fact_refs_release(&all);
	fact_refs_release(&now);
}

/* Every word of the label is known to the new driver or to the target. */
static bool label_known(const struct honest *h, const char *label)
{
	struct ctoks ts;
	bool known = true;
	size_t i;

	if (ctoks_scan(&ts, label, strlen(label)) < 0)
		return true;
	for (i = 0; i < ts.n && known; i++) {
		char *w = ctok_is_ident(&ts, i) ? ctok_dup(&ts, i) : NULL;

		if (w)
			known = ktarget_has(h->target, w) || facts_count(&h->old, FACT_DEFINE, w) > 0;
		free(w);
	}
	ctoks_release(&ts);
	return known;
}

static void cases(struct honest *h)
{
	struct fact_refs gone = { 0 };
	size_t i;

	facts_lost(&h->old, &h->new, FACT_CASE, &gone);
	for (i = 0; i < gone.n; i++) {
		const struct fact *f = gone.v[i];

		/* With a function that is gone they are judged by that. */
		if (!facts_function(&h->new, honest_new_name(h, f->function)))
			continue;
		if (label_known(h, f->key))
			honest_fail(h, "case", f, "'case %s' is no longer handled", f->key);
		else
			honest_review(h, "case", f, "'case %s' is gone with its constant", f->key);
	}
	fact_refs_release(&gone);
}

/* ---- macros at the top level ---------------------------------------------- */

static bool macro_matters(const char *key)
{
	static const char *const info[] = { "MODULE_AUTHOR ", "MODULE_DESCRIPTION ", "MODULE_VERSION ",
					    "MODULE_INFO ", "MODULE_IMPORT_NS ", "MODULE_PARM_DESC ",
					    "MODULE_SUPPORTED_DEVICE ", "MODULE_SOFTDEP " };
	size_t i, n = strcspn(key, " ");

	for (i = 0; i < ARRAY_SIZE(info); i++)
		if (starts_with(key, info[i]))
			return false;
	return starts_with(key, "MODULE_") || starts_with(key, "module_") ||
	       starts_with(key, "EXPORT_SYMBOL") || memmem(key, n, "_ATTR", 5) ||
	       (n > 9 && !memcmp(key + n - 9, "_initcall", 9));
}

/* Does the macro's argument list name a function that the other list names too? */
static bool shares_function(const struct honest *h, const char *a, const char *b)
{
	struct ctoks x, y;
	bool shared = false;
	size_t i, j;

	if (ctoks_scan(&x, a, strlen(a)) < 0)
		return false;
	if (ctoks_scan(&y, b, strlen(b)) < 0) {
		ctoks_release(&x);
		return false;
	}
	for (i = 0; i < x.n && !shared; i++) {
		char *w = x.t[i].kind == CTOK_IDENT ? ctok_dup(&x, i) : NULL;

		for (j = 0; w && j < y.n && !shared; j++)
			shared = ctok_same(&x, i, &y, j) && facts_function(&h->new, w);
		free(w);
	}
	ctoks_release(&x);
	ctoks_release(&y);
	return shared;
}

/*
 * Another macro with the same first argument, the same macro with other arguments around
 * a function, or a driver macro for the pair of init and exit.
 */
static bool macro_replaced(const struct honest *h, const struct fact *gone, const struct fact_refs *came)
{
	const char *arg = strchr(gone->key, ' ') + 1, *name = honest_new_name(h, arg);
	bool init = starts_with(gone->key, "module_init ") || starts_with(gone->key, "module_exit ");
	size_t i;

	for (i = 0; i < came->n; i++) {
		const char *key = came->v[i]->key, *other = strchr(key, ' ') + 1;

		if (!strcmp(other, name) && !starts_with(gone->key, "MODULE_LICENSE"))
			return true;
		if (!strncmp(key, gone->key, strcspn(key, " ") + 1) && !starts_with(key, "MODULE_") &&
		    shares_function(h, gone->value, came->v[i]->value))
			return true;
		if (init && (starts_with(key, "module_") || starts_with(key, "builtin_")) &&
		    memmem(key, strcspn(key, " "), "driver", 6))
			return true;
	}
	return false;
}

static void macros(struct honest *h)
{
	struct fact_refs gone = { 0 }, came = { 0 };
	size_t i;

	facts_lost(&h->old, &h->new, FACT_MACRO, &gone);
	facts_lost(&h->new, &h->old, FACT_MACRO, &came);
	for (i = 0; i < gone.n; i++) {
		const struct fact *f = gone.v[i];
		char *name = xstrndup(f->key, strcspn(f->key, " "));

		if (macro_matters(f->key) && !macro_replaced(h, f, &came)) {
			if (honest_exists(h, name))
				honest_fail(h, "macro", f, "'%s%.100s' is gone", name, f->value);
			else
				honest_review(h, "macro", f, "'%s%.100s' is gone with the macro", name, f->value);
		}
		free(name);
	}
	fact_refs_release(&gone);
	fact_refs_release(&came);
}

void honest_tables(struct honest *h)
{
	members(h);
	ids(h);
	ioctls(h);
	cases(h);
	macros(h);
}
