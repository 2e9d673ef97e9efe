/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways to make a driver compile that change nothing for the better. */
#include "base/compat.h"
#include "checks/honest.h"
#include "base/alloc.h"

/* Reports every fact of a kind that the port added. */
static void each_new(struct honest *h, enum fact_kind kind,
		     void (*fn)(struct honest *h, const struct fact *f))
{
	struct fact_refs came = { 0 };
	size_t i;

	facts_lost(&h->new, &h->old, kind, &came);
	for (i = 0; i < came.n; i++)
		fn(h, came.v[i]);
	fact_refs_release(&came);
}

static void dead_if(struct honest *h, const struct fact *f)
{
	honest_fail(h, "dead-code", f, "new '#if 0'");
}

static void dead_code(struct honest *h, const struct fact *f)
{
	honest_fail(h, "dead-code", f, "code that is never reached: the statement before it leaves '%s'",
		    f->function);
}

static void const_if(struct honest *h, const struct fact *f)
{
	honest_fail(h, "dead-code", f, "new condition 'if (%.100s)' is decided beforehand", f->value);
}

static void pragma(struct honest *h, const struct fact *f)
{
	if (strstr(f->key, "diagnostic") || starts_with(f->key, "__diag") || !strcmp(f->key, "_Pragma"))
		honest_fail(h, "warnings", f, "new '%.100s' changes which warnings are given", f->key);
	else
		honest_review(h, "warnings", f, "new '#pragma %.100s'", f->key);
}

static void marker(struct honest *h, const struct fact *f)
{
	honest_fail(h, "marker", f, "new string %.100s looks like a mark of the test itself", f->key);
}

static void include(struct honest *h, const struct fact *f)
{
	if (f->key[0] == '"' && f->key[1] == '/')
		honest_fail(h, "include", f, "new include of '%.200s' outside of the driver", f->key);
}

/* ---- conditions ----------------------------------------------------------- */

/* Is the word of a condition something that anybody defines? */
static bool defined_somewhere(const struct honest *h, const char *w)
{
	static const char *const known[] = { "defined", "MODULE", "LINUX_VERSION_CODE", "KERNEL_VERSION",
					     "RHEL_RELEASE_CODE", "RHEL_RELEASE_VERSION",
					     "__has_include", "__has_attribute", "IS_ENABLED", "__ASSEMBLY__",
					     "IS_BUILTIN", "IS_MODULE", "IS_REACHABLE", "__CHECKER__" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(w, known[i]))
			return true;
	for (i = 0; i < h->new.n; i++)
		if ((h->new.f[i].kind == FACT_DEFINE || h->new.f[i].kind == FACT_DEFINE_FLAG) &&
		    !strcmp(h->new.f[i].key, w))
			return true;
	return starts_with(w, "CONFIG_") || starts_with(w, "__") || !h->target || ktarget_has(h->target, w);
}

static void condition(struct honest *h, const struct fact *f)
{
	struct ctoks ts;
	size_t i, unknown = 0, all = 0;

	/* "#ifndef X" with "#define X" behind is the guard of a header. */
	if (starts_with(f->key, "#ifndef ") || ctoks_scan(&ts, f->value, strlen(f->value)) < 0)
		return;
	for (i = 0; i < ts.n; i++) {
		char *w = ts.t[i].kind == CTOK_IDENT ? ctok_dup(&ts, i) : NULL;

		if (w && strcmp(w, "defined")) {
			all++;
			unknown += !defined_somewhere(h, w);
		}
		free(w);
	}
	ctoks_release(&ts);
	if (all && unknown == all)
		honest_fail(h, "dead-code", f, "new '%.100s': nothing defines that", f->key);
	else if (strstr(f->key, "CONFIG_"))
		honest_review(h, "condition", f, "new '%.100s'", f->key);
}

/* ---- casts ---------------------------------------------------------------- */

/* The text of v with every "cast" taken out equals "other". */
static bool equal_without(const char *v, const char *cast, const char *other)
{
	struct strbuf sb = STRBUF_INIT;
	size_t n = strlen(cast);
	bool equal;

	while (*v) {
		if (!strncmp(v, cast, n))
			v += n;
		else
			strbuf_addch(&sb, *v++);
	}
	equal = !strcmp(sb.buf, other);
	strbuf_release(&sb);
	return equal;
}

/*
 * Did the same function before have this value without the cast? Looked at are facts of
 * a kind whose text holds the cast with its operand: call arguments, assigned and returned values.
 */
static bool only_cast_added(const struct honest *h, enum fact_kind kind, const struct fact *cast)
{
	const char *operand = strchr(cast->key, ' ') + 1;
	char *text = xstrfmt("%s%s", cast->value, operand);
	struct fact_refs now = { 0 }, before = { 0 };
	bool found = false;
	size_t i, j;

	facts_find(&h->new, kind, NULL, &now);
	facts_find(&h->old, kind, NULL, &before);
	for (i = 0; i < now.n && !found; i++) {
		const struct fact *n = now.v[i];

		if (!n->function || strcmp(n->function, cast->function) || !n->value ||
		    !strstr(n->value, text))
			continue;
		for (j = 0; j < before.n && !found; j++)
			found = !strcmp(before.v[j]->key, n->key) && before.v[j]->value &&
				equal_without(n->value, cast->value, before.v[j]->value);
	}
	free(text);
	fact_refs_release(&now);
	fact_refs_release(&before);
	return found;
}

static void cast(struct honest *h, const struct fact *f)
{
	const char *operand = strchr(f->key, ' ') + 1;
	const char *name = operand + (*operand == '&');

	if (facts_function(&h->new, name))
		honest_fail(h, "cast", f, "callback '%s' is cast to '%s'", name, f->value);
	else if (only_cast_added(h, FACT_CALL, f) || only_cast_added(h, FACT_ASSIGN, f) ||
		 only_cast_added(h, FACT_RETURN, f))
		honest_fail(h, "cast", f, "'%.100s' is cast to '%s' only to silence its type", operand, f->value);
}

void honest_tricks(struct honest *h)
{
	each_new(h, FACT_DEAD_IF, dead_if);
	each_new(h, FACT_DEAD_CODE, dead_code);
	each_new(h, FACT_CONST_IF, const_if);
	each_new(h, FACT_PRAGMA, pragma);
	each_new(h, FACT_STRING, marker);
	each_new(h, FACT_INCLUDE, include);
	each_new(h, FACT_CONDITION, condition);
	each_new(h, FACT_CAST, cast);
}

/* ---- build files ---------------------------------------------------------- */

static void new_flag(struct honest *h, const struct fact *f)
{
	if (!starts_with(f->key, "-Werror"))
		honest_fail(h, "warnings", f, "new '%s' weakens the warnings of the build", f->key);
}

void honest_build_files(struct honest *h)
{
	struct fact_refs gone = { 0 };
	size_t i;

	facts_lost(&h->old, &h->new, FACT_OBJECT, &gone);
	for (i = 0; i < gone.n; i++)
		honest_fail(h, "object", gone.v[i], "object '%s' is no longer built", gone.v[i]->key);
	gone.n = 0;
	facts_lost(&h->old, &h->new, FACT_FLAG, &gone);
	for (i = 0; i < gone.n; i++)
		if (starts_with(gone.v[i]->key, "-Werror"))
			honest_fail(h, "warnings", gone.v[i], "'%s' is gone from the build", gone.v[i]->key);
	fact_refs_release(&gone);
	each_new(h, FACT_FLAG, new_flag);
}
