// SPDX-License-Identifier: GPL-2.0-only
/*
 * Candidates learned from what other drivers of the kernel did: the examples of
 * the breakage's symbol, as templates, ranked by how many files support them.
 */
#include "base/compat.h"
#include "port/propose.h"

#include "base/alloc.h"
#include "base/strmap.h"
#include "port/memberuse.h"
#include "port/mined-guard.h"
#include "port/pairs.h"
#include "port/template.h"

#define MAX_EXAMPLES  400
#define MAX_TEMPLATES 5
#define SHOWN_PATHS   3 /* named */
#define SAFE_SUPPORT  3 /* ENGINE.md: a replacing template with support of three or more */

/* ---- which symbol ------------------------------------------------------------------ */

/* The member in ".member = value" around the site, or the callee of an argument; newly allocated. */
static char *designator_at(struct srcfile *f, size_t offset)
{
	const struct ctoks *ts = srcfile_toks(f);
	size_t i = ctok_at(ts, offset);

	for (size_t back = 0; back < 8 && i > 1; back++, i--) {
		if (ctok_is(ts, i, "=") && ctok_is_ident(ts, i - 1))
			return ctok_dup(ts, i - 1);
	}
	return NULL;
}

char *propose_symbol(const struct propose_ctx *c)
{
	const struct diag *d = &c->b->diag;
	struct srcfile *f;

	switch (d->kind) {
	case DIAG_INCOMPLETE_TYPE:
	case DIAG_UNKNOWN_TYPE: {
		const char *name = d->symbol ? d->symbol : d->type, *tag = NULL;

		if (name && (skip_prefix(name, "struct ", &tag) || skip_prefix(name, "union ", &tag)))
			name = tag;
		return xstrdup(name);
	}
	case DIAG_INCOMPATIBLE_POINTER:
	case DIAG_INCOMPATIBLE_TYPES:
	case DIAG_INT_CONVERSION:
		if (d->context == DIAG_CTX_ARGUMENT && d->symbol)
			return xstrdup(d->symbol);
		f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
		return f && d->context != DIAG_CTX_RETURN ? designator_at(f, c->b->start) : NULL;
	default:
		return xstrdup(d->symbol);
	}
}

/* ---- templates by support ------------------------------------------------------------ */

struct tmpl_list {
	struct tmpl **t;
	size_t n, alloc;
};

static void add_template(struct tmpl_list *l, struct strmap *by_key, struct tmpl *t)
{
	struct tmpl *have = strmap_get(by_key, t->key);

	if (!have) {
		strmap_put(by_key, t->key, t);
		ALLOC_GROW(l->t, l->n + 1, l->alloc);
		l->t[l->n++] = t;
		return;
	}
	/* Examples come in order of path: another path is another file. */
	if (strcmp(have->paths.v[have->paths.n - 1], t->paths.v[0])) {
		have->support++;
		strvec_push(&have->paths, t->paths.v[0]);
	}
	tmpl_free(t);
}

static int tmpl_order(const void *a, const void *b)
{
	const struct tmpl *x = *(struct tmpl *const *)a, *y = *(struct tmpl *const *)b;

	if (x->deletes != y->deletes)
		return x->deletes ? 1 : -1;
	if (x->loses_call != y->loses_call)
		return x->loses_call ? 1 : -1;
	if (x->support != y->support)
		return x->support > y->support ? -1 : 1;
	if (x->nliterals != y->nliterals)
		return x->nliterals > y->nliterals ? -1 : 1;
	return strcmp(x->key, y->key);
}

/* The scores of a learned rule are found by the general template's key (learn-store.h). */
static void set_general_key(const struct propose_ctx *c, const struct example *ex, const char *symbol,
			    struct tmpl *t)
{
	struct tmpl *g = c->learned ? tmpl_make_general(ex, symbol, c->old_ix, c->new_ix) : NULL;

	t->general = g ? xstrdup(g->key) : NULL;
	tmpl_free(g);
}

static void learn(const struct propose_ctx *c, const char *symbol, struct tmpl_list *out)
{
	struct strmap by_key = STRMAP_INIT;
	struct example *ex;
	size_t n = examples_for(c->examples, symbol, c->exclude, MAX_EXAMPLES, &ex);

	for (size_t i = 0; i < n; i++) {
		struct tmpl *t = tmpl_make(&ex[i], symbol, c->old_ix, c->new_ix);

		if (t && !strmap_has(&by_key, t->key))
			set_general_key(c, &ex[i], symbol, t);
		if (t)
			add_template(out, &by_key, t);
	}
	examples_free_list(ex, n);
	strmap_release(&by_key, NULL);
	if (out->n)
		sort_items(out->t, out->n, sizeof(*out->t), tmpl_order);
}

/* ---- applying -------------------------------------------------------------------------- */

static char *indent_at(const struct srcfile *f, size_t off)
{
	size_t start = off, n = 0;

	while (start > 0 && f->text[start - 1] != '\n')
		start--;
	while (f->text[start + n] == ' ' || f->text[start + n] == '\t')
		n++;
	return xstrndup(f->text + start, n);
}

/* Keeps what is equal at both ends, so that comments and layout there stay. */
static void add_trimmed(struct edit_group *g, const struct srcfile *f, size_t start, size_t end,
			const char *text)
{
	size_t n = strlen(text);
	char *middle;

	while (n && start < end && f->text[start] == *text) {
		start++;
		text++;
		n--;
	}
	while (n && start < end && f->text[end - 1] == text[n - 1]) {
		end--;
		n--;
	}
	if (!n && start == end)
		return;
	middle = xstrndup(text, n);
	edit_add(g, f->path, start, end, middle);
	free(middle);
}

/* A deleted statement takes its line with it. */
static void widen_to_line(const struct srcfile *f, size_t *start, size_t *end)
{
	size_t s = *start, e = *end;

	while (s > 0 && (f->text[s - 1] == ' ' || f->text[s - 1] == '\t'))
		s--;
	while (e < f->len && (f->text[e] == ' ' || f->text[e] == '\t' || f->text[e] == '\r'))
		e++;
	if ((s == 0 || f->text[s - 1] == '\n') && e < f->len && f->text[e] == '\n') {
		*start = s;
		*end = e + 1;
	}
}

/*
 * May the template be about this occurrence? A member that is gone stands behind "."
 * or "->" of its own structure: the driver's own members, parameters and variables by
 * that name are another matter. What type the base has is not always known.
 */
static bool is_occurrence(const struct propose_ctx *c, struct srcfile *f, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(f);
	const char *want = c->b->diag.type;
	bool other;
	char *base;

	if (c->b->diag.kind != DIAG_NO_MEMBER)
		return true;
	if (!tok || !(ctok_is(ts, tok - 1, ".") || ctok_is(ts, tok - 1, "->")))
		return false;
	skip_prefix(want ? want : "", "const ", &want);
	base = member_base_type(c, f, tok);
	other = base && want && *want && strcmp(base, want);
	free(base);
	return !other || (!strcmp(f->path, c->b->path) && tok == member_site(c, f, c->b->diag.symbol));
}

/* Sets the group's risk to "shown" where a constant of the driver would be lost or a value would mean another thing. */
static bool apply_in_file(const struct propose_ctx *c, const struct tmpl *t, struct srcfile *f,
			  const char *symbol, struct edit_group *g)
{
	const struct ctoks *ts = srcfile_toks(f);
	const struct breakage *b = c->b;
	size_t behind = 0;
	bool hit = false;

	for (size_t i = 0; i < ts->n; i++) {
		struct tmpl_match m;
		struct strbuf text = STRBUF_INIT;
		size_t start, end;
		char *indent;

		if (ts->t[i].kind != CTOK_IDENT || !ctok_is(ts, i, symbol) ||
		    !is_occurrence(c, f, (uint32_t)i) || !tmpl_match(t, ts, i, &m) || m.first < behind)
			continue;
		if (!t->deletes && (mined_loses_constant(t, ts, &m) || mined_negates_value(t, ts, &m)))
			g->risk = RISK_SHOWN;
		start = ts->t[m.first].off;
		end = (size_t)ts->t[m.end - 1].off + ts->t[m.end - 1].len;
		indent = indent_at(f, start);
		tmpl_instantiate(t, ts, &m, indent, &text);
		if (!text.len)
			widen_to_line(f, &start, &end);
		add_trimmed(g, f, start, end, text.buf);
		if (!strcmp(f->path, b->path) &&
		    srcfile_line(f, start) <= b->diag.loc.end_line + 8 &&
		    srcfile_line(f, end) + 8 >= b->diag.loc.line)
			hit = true;
		behind = m.end;
		free(indent);
		strbuf_release(&text);
	}
	return hit;
}

/* Nothing but a number or NULL is left of what was called. */
static bool leaves_constant(const struct tmpl *t)
{
	bool any = false;

	for (size_t i = 0; i < t->after.n; i++) {
		const struct ctoks *ts = &t->after.ts;
		const struct tmpl_elem *e = &t->after.e[i];

		if (e->kind != TMPL_LITERAL)
			return false;
		for (uint32_t k = e->first; k < e->end; k++) {
			if (ts->t[k].kind != CTOK_NUMBER && !ctok_is(ts, k, "NULL") &&
			    !ctok_is(ts, k, "-"))
				return false;
			any = true;
		}
	}
	return any;
}

/* ".member = value" of an initialiser, not an access. */
static bool at_designator(const struct propose_ctx *c)
{
	struct srcfile *f = tree_file(c->tree, c->b->path);
	const struct ctoks *ts = f ? srcfile_toks(f) : NULL;
	size_t i = f ? ctok_at(ts, c->b->start) : 0;

	if (!f || !i)
		return false;
	if (ctok_is(ts, i, "."))
		i++;
	return i > 1 && ctok_is(ts, i - 1, ".") &&
	       (ctok_is(ts, i - 2, "{") || ctok_is(ts, i - 2, ","));
}

/*
 * A deletion may be one half of a change whose other half is elsewhere: for a
 * person, but where other drivers' files show that it was all of it and most of
 * them did it.
 */
static enum risk risk_of_deletion(const struct propose_ctx *c, const struct tmpl *t, const struct tmpl_list *all)
{
	size_t support = 0;

	for (size_t i = 0; i < all->n; i++)
		support += all->t[i]->support;
	if (t->support < SAFE_SUPPORT)
		return RISK_SHOWN;
	if (c->b->diag.kind == DIAG_NO_MEMBER && at_designator(c))
		return mined_member_dropped(c, c->b->diag.symbol, &t->paths) ? RISK_REVIEW : RISK_SHOWN;
	return t->support * 4 >= support * 3 && mined_deleted_alone(c, &t->paths) ? RISK_REVIEW : RISK_SHOWN;
}

static enum risk risk_of(const struct propose_ctx *c, const struct tmpl *t, const struct tmpl_list *all)
{
	if (mined_is_contested(t, all->t, all->n) || mined_leaves_early(t) ||
	    mined_frees_body(t))
		return RISK_SHOWN;
	if (t->deletes)
		return risk_of_deletion(c, t, all);
	/* A call that went is a deletion too, whatever number stands there now. */
	if (t->loses_call && leaves_constant(t))
		return RISK_SHOWN;
	if (t->support < SAFE_SUPPORT &&
	    propose_adds_flag(t->after.text, (const char *const[]){ t->before.text, NULL }))
		return RISK_SHOWN;
	/* One half of a change whose other half is elsewhere looks like this too, as does a callback of one family. */
	if ((t->loses_name || t->adopts) && t->support < SAFE_SUPPORT)
		return RISK_SHOWN;
	if (t->loses_call || t->support < SAFE_SUPPORT)
		return RISK_REVIEW;
	return RISK_SAFE;
}

/*
 * strncpy() stops at the end of the string, memcpy() does not: where other drivers took
 * the one for the other they knew how long their string is.
 */
static bool reads_further(const char *from, const char *to)
{
	return starts_with(from, "str") && starts_with(to, "mem") && !ends_with(to, "_and_pad");
}

/*
 * FMODE_EXCL became BLK_OPEN_EXCL where the kernel took the new type everywhere; beside
 * FMODE_READ it means another bit. The first word of a constant's name tells its family.
 */
static bool leaves_family(const struct propose_ctx *c, const char *from, const char *to)
{
	const unsigned constants = API_MACRO | API_ENUMERATOR;

	return strncmp(from, to, strcspn(from, "_") + 1) && api_lookup(c->old_ix, from, constants) &&
	       api_lookup(c->new_ix, to, constants);
}

/*
 * The old kernel had both and neither stands for the other: strncpy() and strscpy(). Others
 * chose the second for what they do; that it is the same here nobody says.
 */
static bool was_another_choice(const struct propose_ctx *c, const char *from, const char *to)
{
	const struct api_symbol *a = api_lookup(c->old_ix, from, API_ANY_CALLABLE);
	const struct api_symbol *b = api_lookup(c->old_ix, to, API_ANY_CALLABLE);

	return a && b && !(a->alias && !strcmp(a->alias, to)) && !(b->alias && !strcmp(b->alias, from));
}

static void explain(const struct propose_ctx *c, const struct tmpl *t, const char *symbol,
		    struct edit_group *g)
{
	struct strbuf where = STRBUF_INIT;

	for (size_t i = 0; i < t->paths.n && i < SHOWN_PATHS; i++)
		strbuf_addf(&where, "%s%s", i ? ", " : "", t->paths.v[i]);
	if (t->adds)
		edit_group_title(g, "use %s in place of %s", t->adds, symbol);
	else if (t->deletes)
		edit_group_title(g, "drop %s", symbol);
	else
		edit_group_title(g, "follow the change of %s", symbol);
	edit_group_why(g, "Between %s and %s, %zu file%s of the kernel did the same: %s (%s).",
		       c->from->name, c->to->name, t->support, t->support == 1 ? "" : "s", t->key,
		       where.buf);
	g->symbol = xstrdup(symbol);
	strbuf_release(&where);
}

static void offer(const struct propose_ctx *c, const struct tmpl *t, const struct tmpl_list *all,
		  const char *symbol, struct edit_group_list *out)
{
	double many = t->support > 10 ? 1 : (double)t->support / 10;
	struct edit_group *g = edit_group_new(EDIT_MINED, "mined", risk_of(c, t, all), 0.55 + 0.4 * many);
	bool hit = false;

	if (t->adds && reads_further(symbol, t->adds))
		g->risk = RISK_SHOWN;
	if (t->adds && g->risk == RISK_SAFE && c->old_ix &&
	    (leaves_family(c, symbol, t->adds) || was_another_choice(c, symbol, t->adds)))
		g->risk = RISK_REVIEW;
	/* The other half is then part of a group that this template is not. */
	if (t->adds && c->old_ix && rename_breaks_pair(c->tree, c->old_ix, c->new_ix, symbol, t->adds)) {
		edit_group_free(g);
		return;
	}
	for (size_t i = 0; i < c->tree->n; i++) {
		if (srcfile_is_c(c->tree->files[i]))
			hit |= apply_in_file(c, t, c->tree->files[i], symbol, g);
	}
	if (!hit || !g->n) {
		edit_group_free(g);
		return;
	}
	explain(c, t, symbol, g);
	mined_weigh(c, symbol, t->general, g);
	edit_group_list_add(out, g);
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	struct tmpl_list l = { 0 };
	size_t first = out->n;
	char *symbol;

	if (!c->examples || !c->from || !c->b->path)
		return 0;
	symbol = propose_symbol(c);
	if (symbol)
		learn(c, symbol, &l);
	for (size_t i = 0; i < l.n; i++) {
		if (out->n - first < MAX_TEMPLATES)
			offer(c, l.t[i], &l, symbol, out);
	}
	for (size_t i = 0; i < l.n; i++)
		tmpl_free(l.t[i]);
	free(l.t);
	free(symbol);
	return 0;
}

const struct proposer propose_mined = {
	.name = "mined",
	.kinds = KIND_BIT(DIAG_IMPLICIT_FUNCTION) | KIND_BIT(DIAG_UNDECLARED) |
		 KIND_BIT(DIAG_NO_MEMBER) | KIND_BIT(DIAG_INCOMPATIBLE_POINTER) |
		 KIND_BIT(DIAG_TOO_FEW_ARGS) | KIND_BIT(DIAG_TOO_MANY_ARGS) |
		 KIND_BIT(DIAG_MACRO_ARITY) | KIND_BIT(DIAG_INT_CONVERSION) |
		 KIND_BIT(DIAG_INCOMPATIBLE_TYPES) | KIND_BIT(DIAG_INCOMPLETE_TYPE) |
		 KIND_BIT(DIAG_UNKNOWN_TYPE) | KIND_BIT(DIAG_VOID_VALUE) |
		 KIND_BIT(DIAG_READ_ONLY) | KIND_BIT(DIAG_UNDEFINED_SYMBOL),
	.propose = propose,
};
