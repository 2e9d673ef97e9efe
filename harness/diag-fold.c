// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cascades: errors that vanish by themselves once another one is fixed. Each
 * rule answers "is this one a consequence of that one?"; what gcc does behind
 * each of them stands with the rule.
 */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/strmap.h"
#include "harness/diag.h"
#include "harness/diag-source.h"

#define LOOK_BACK 200
#define LOOK_AHEAD 8

struct fold {
	const struct diag_list *raw;
	struct sources src;
	struct strmap implicit; /* name -> index + 1 of the implicit declaration */
};

static bool same_str(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool same_file(const struct diag *a, const struct diag *b)
{
	return same_str(a->loc.file, b->loc.file);
}

static bool before(int line1, int col1, int line2, int col2)
{
	return line1 < line2 || (line1 == line2 && col1 < col2);
}

static bool loc_in(const struct diag_loc *in, int line, int col)
{
	return !before(line, col, in->line, in->col) && !before(in->end_line, in->end_col, line, col);
}

static struct spot diag_spot(struct fold *f, const struct diag *d)
{
	return source_spot(&f->src, d->loc.file, d->loc.line, d->loc.col);
}

/* The same fault of a header that several includes or macros repeat. */
static bool is_repetition(const struct diag *d, const struct diag *root)
{
	return same_file(d, root) && d->loc.line == root->loc.line && d->loc.col == root->loc.col &&
	       same_str(d->message, root->message);
}

/* Can a value that lands in the wrong member cause this? */
static bool is_initialiser_fault(const struct diag *d)
{
	return d->context == DIAG_CTX_INIT || d->kind == DIAG_NOT_CONSTANT ||
	       starts_with(d->message, "excess elements") || strstr(d->message, "initializer") ||
	       strstr(d->message, "initialized field") || strstr(d->message, "positional initialization");
}

/*
 * An unknown designator makes gcc initialise the next member in order with the
 * value behind it, which then does not fit.
 */
static bool is_behind_designator(struct fold *f, const struct diag *d, const struct diag *root)
{
	struct spot a, b;
	const char *p, *end;

	if (root->kind != DIAG_NO_MEMBER || !is_initialiser_fault(d) || !same_file(d, root))
		return false;
	a = diag_spot(f, root);
	b = diag_spot(f, d);
	if (!a.p || !b.p)
		return false;
	p = skip_blank(a.p + (*a.p == '.'), a.end);
	p += word_len(p, a.end);
	p = skip_blank(p, a.end);
	while (p < a.end && (*p == '.' || *p == '[')) /* nested designators */
		p = *p == '.' ? p + 1 + word_len(p + 1, a.end) : skip_brackets(p, a.end);
	if (!p)
		return false;
	p = skip_blank(p, a.end);
	if (p >= a.end || *p != '=')
		return false;
	end = skip_expression(p, a.end);
	return b.p >= a.p && b.p < end;
}

/* A variable of an incomplete type: each member of its initialiser is reported too. */
static bool is_in_incomplete(struct fold *f, const struct diag *d, const struct diag *root)
{
	struct spot a, b;
	const char *p, *end;

	if (root->kind != DIAG_INCOMPLETE_TYPE || !same_file(d, root))
		return false;
	if (strstr(d->message, "storage size of") && same_str(d->symbol, root->symbol))
		return true;
	if (!strstr(root->message, "has initializer") ||
	    !(d->kind == DIAG_NO_MEMBER || is_initialiser_fault(d)))
		return false;
	a = diag_spot(f, root);
	b = diag_spot(f, d);
	if (!a.p || !b.p)
		return false;
	p = a.p + strcspn(a.p, "{;");
	end = p < a.end && *p == '{' ? skip_brackets(p, a.end) : NULL;
	return end && b.p > p && b.p < end;
}

/* What cannot be parsed any more behind an unknown type or a macro that failed. */
static bool is_syntax_cascade(const struct diag *d, const struct diag *root)
{
	int distance = d->loc.line - root->loc.end_line;

	if (!same_file(d, root) || d->loc.line < root->loc.line || distance > 1)
		return false;
	if (root->kind == DIAG_UNKNOWN_TYPE || root->kind == DIAG_MACRO_ARITY)
		return d->kind == DIAG_SYNTAX ||
		       (root->kind == DIAG_UNKNOWN_TYPE && d->kind == DIAG_UNKNOWN_TYPE &&
			d->loc.line == root->loc.line && same_str(d->symbol, root->symbol));
	/* "for_each_gone(...) {" is taken for a call, behind which ';' is missed. */
	return (root->kind == DIAG_SYNTAX || root->kind == DIAG_IMPLICIT_FUNCTION) &&
	       d->kind == DIAG_SYNTAX && d->loc.line == root->loc.line;
}

/* A macro call with a wrong count is left as its bare name; what it declared is missing. */
static bool is_macro_cascade(struct fold *f, const struct diag *d, const struct diag *root)
{
	struct source *src;
	struct spot a, b;

	if (root->kind != DIAG_MACRO_ARITY || d->kind == DIAG_MACRO_ARITY || !same_file(d, root))
		return false;
	if (loc_in(&root->loc, d->loc.line, d->loc.col))
		return true;
	src = sources_get(&f->src, root->loc.file);
	a = diag_spot(f, root);
	b = source_spot(&f->src, root->loc.file, root->loc.end_line, root->loc.end_col);
	return src && a.p && b.p && d->kind == DIAG_UNDECLARED && d->symbol &&
	       text_has_word(a.p + strlen(root->symbol), b.p, d->symbol);
}

/* A call with a wrong number of arguments: the positions that are left do not fit either. */
static bool is_argument_of_wrong_count(struct fold *f, const struct diag *d, const struct diag *root)
{
	struct spot a, b;
	const char *p;

	if (root->kind != DIAG_TOO_FEW_ARGS && root->kind != DIAG_TOO_MANY_ARGS)
		return false;
	if (d->context != DIAG_CTX_ARGUMENT || !same_file(d, root) || !same_str(d->symbol, root->symbol))
		return false;
	if (d->loc.line == root->loc.line && d->loc.col == root->loc.col)
		return true; /* both in one macro */
	a = source_spot(&f->src, root->loc.file, root->loc.end_line, root->loc.end_col);
	b = diag_spot(f, d);
	p = a.p ? skip_blank(a.p + 1, a.end) : NULL;
	if (!p || p >= a.end || *p != '(' || !b.p)
		return false;
	p = skip_brackets(p, a.end);
	return p && b.p > a.p && b.p < p;
}

/* "static declaration follows", "redefinition" and "conflicting types" of one name at one place. */
static bool is_second_declaration(const struct diag *d, const struct diag *root)
{
	bool decl = d->kind == DIAG_REDEFINITION || d->kind == DIAG_CONFLICTING_TYPES;
	bool root_decl = root->kind == DIAG_REDEFINITION || root->kind == DIAG_CONFLICTING_TYPES;

	return decl && root_decl && same_file(d, root) && d->loc.line == root->loc.line &&
	       same_str(d->symbol, root->symbol);
}

static bool is_cascade(struct fold *f, size_t i, size_t j)
{
	const struct diag *d = &f->raw->d[i], *root = &f->raw->d[j];

	if (diag_is_failure(d) && !diag_is_failure(root))
		return false;
	if (is_argument_of_wrong_count(f, d, root))
		return true;
	if (j > i)
		return false;
	return is_repetition(d, root) || is_behind_designator(f, d, root) ||
	       is_in_incomplete(f, d, root) || is_syntax_cascade(d, root) ||
	       is_macro_cascade(f, d, root) || is_second_declaration(d, root);
}

/*
 * The name that the mismatching expression calls. gcc reports an undeclared
 * function once, but each use of its "int" result again.
 */
static char *called_name(struct fold *f, const struct diag *d)
{
	struct spot at = diag_spot(f, d);
	const char *p = at.p;
	size_t n;

	if (p && d->context == DIAG_CTX_ASSIGN) {
		at = source_spot(&f->src, d->loc.file, d->loc.caret_line, d->loc.caret_col);
		p = at.p && *at.p == '=' ? at.p + 1 : NULL;
	}
	if (!p)
		return NULL;
	p = skip_blank(p, at.end);
	n = word_len(p, at.end);
	return n ? xstrndup(p, n) : NULL;
}

static void *implicit_in_line(struct fold *f, const struct diag *d)
{
	struct spot at = diag_spot(f, d);
	const char *from = at.p, *to = at.p;

	if (!at.p)
		return NULL;
	while (from > at.begin && from[-1] != '\n')
		from--;
	while (to < at.end && *to != '\n')
		to++;
	for (; from < to; from++) {
		size_t n = word_len(from, to);
		char *name = n ? xstrndup(from, n) : NULL;
		void *hit = name ? strmap_get(&f->implicit, name) : NULL;

		free(name);
		if (hit)
			return hit;
		from += n ? n - 1 : 0;
	}
	return NULL;
}

static size_t implicit_root(struct fold *f, size_t i)
{
	const struct diag *d = &f->raw->d[i];
	void *hit = NULL;
	char *name;

	if (d->kind == DIAG_CONFLICTING_TYPES || strstr(d->message, "follows non-static declaration")) {
		hit = d->symbol ? strmap_get(&f->implicit, d->symbol) : NULL;
	} else if (d->kind == DIAG_INT_CONVERSION || d->kind == DIAG_INCOMPATIBLE_TYPES) {
		if (d->found && strcmp(d->found, "int"))
			return SIZE_MAX;
		name = d->context ? called_name(f, d) : NULL;
		hit = name ? strmap_get(&f->implicit, name) : NULL;
		free(name);
		if (d->context == DIAG_CTX_NONE)
			hit = implicit_in_line(f, d);
	}
	return hit && (size_t)(uintptr_t)hit - 1 < i ? (size_t)(uintptr_t)hit - 1 : SIZE_MAX;
}

static size_t find_root(struct fold *f, const size_t *root, size_t i)
{
	size_t from = i > LOOK_BACK ? i - LOOK_BACK : 0, j = implicit_root(f, i);
	const struct diag *d = &f->raw->d[i];

	if (j != SIZE_MAX)
		return j;
	if (d->level == DIAG_FATAL || d->kind == DIAG_MISSING_HEADER)
		return SIZE_MAX;
	for (j = i; j-- > from;) /* the nearest first */
		if (root[j] == SIZE_MAX && is_cascade(f, i, j))
			return j;
	for (j = i + 1; j < f->raw->n && j <= i + LOOK_AHEAD; j++)
		if (is_cascade(f, i, j))
			return j;
	return SIZE_MAX;
}

static void learn_type(struct diag *root, const struct diag *cascade)
{
	if (root->kind == DIAG_INCOMPLETE_TYPE && !root->type && cascade->type)
		root->type = xstrdup(cascade->type);
}

void diag_fold(const struct diag_list *raw, struct diag_list *roots)
{
	struct fold f = { .raw = raw, .src = SOURCES_INIT };
	size_t *root = xcalloc(raw->n + 1, sizeof(*root)), *place = xcalloc(raw->n + 1, sizeof(*place));
	size_t i;

	for (i = 0; i < raw->n; i++)
		if (raw->d[i].kind == DIAG_IMPLICIT_FUNCTION && raw->d[i].symbol &&
		    !strmap_has(&f.implicit, raw->d[i].symbol))
			strmap_put(&f.implicit, raw->d[i].symbol, (void *)(uintptr_t)(i + 1));
	for (i = 0; i < raw->n; i++)
		root[i] = find_root(&f, root, i);
	for (i = 0; i < raw->n; i++) {
		if (root[i] != SIZE_MAX)
			continue;
		place[i] = roots->n;
		diag_copy(diag_list_add(roots), &raw->d[i]);
	}
	for (i = 0; i < raw->n; i++) {
		size_t j = root[i];

		while (j != SIZE_MAX && root[j] != SIZE_MAX)
			j = root[j];
		if (j == SIZE_MAX)
			continue;
		roots->d[place[j]].folded++;
		learn_type(&roots->d[place[j]], &raw->d[i]);
	}
	free(root);
	free(place);
	strmap_release(&f.implicit, NULL);
	sources_release(&f.src);
}
