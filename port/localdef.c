// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/localdef.h"

#include <ctype.h>

#include "base/alloc.h"
#include "port/ctype.h"
#include "port/names.h"
#include "port/scope.h"
#include "port/usage.h"

#define NOT_MEMBERS (API_ANY & ~API_MEMBER)
#define TAGS (API_STRUCT | API_UNION | API_ENUM)

/* The definition in the driver: one of these. */
struct local {
	struct srcfile *f;
	const struct cfunc *fn;
	uint32_t macro;		      /* CTOK_PP token or CTOK_NONE */
	const struct cstruct *tag;
};

static uint32_t find_macro(const struct ctoks *ts, const char *name)
{
	for (uint32_t i = 0; i < ts->n; i++) {
		uint32_t off, len;

		if (ts->t[i].kind == CTOK_PP && !(ts->t[i].flags & CTOK_DEAD) &&
		    ctok_pp_is(ts, i, "define") && ctok_pp_word(ts, i, &off, &len) &&
		    len == strlen(name) && !memcmp(ts->text + off, name, len))
			return i;
	}
	return CTOK_NONE;
}

static bool find_in(struct srcfile *f, const char *name, struct local *l)
{
	if (!srcfile_is_c(f) || !memmem(f->text, f->len, name, strlen(name)))
		return false;
	l->f = f;
	l->fn = cfile_func(srcfile_parse(f), name);
	l->macro = find_macro(srcfile_toks(f), name);
	l->tag = cfile_struct(srcfile_parse(f), name);
	return l->fn || l->macro != CTOK_NONE || l->tag;
}

static bool find_local(const struct propose_ctx *c, const char *name, struct local *l)
{
	struct srcfile *own = c->b->path ? tree_file(c->tree, c->b->path) : NULL;

	if (own && find_in(own, name, l))
		return true;
	for (size_t i = 0; i < c->tree->n; i++)
		if (find_in(c->tree->files[i], name, l))
			return true;
	return false;
}

/* ---- the same? ------------------------------------------------------------- */

/* Both texts as code without layout and outer brackets. */
static bool same_code(const char *a, const char *b)
{
	struct ctoks ta, tb;
	struct cspan sa, sb;
	bool same;

	if (ctoks_scan(&ta, a, strlen(a)) < 0)
		return false;
	if (ctoks_scan(&tb, b, strlen(b)) < 0) {
		ctoks_release(&ta);
		return false;
	}
	sa = (struct cspan){ 0, (uint32_t)ta.n };
	sb = (struct cspan){ 0, (uint32_t)tb.n };
	while (sa.end > sa.first + 1 && ctok_is(&ta, sa.first, "{") && ta.t[sa.first].match == sa.end - 1) {
		sa.first++;
		sa.end--;
	}
	while (sb.end > sb.first + 1 && ctok_is(&tb, sb.first, "{") && tb.t[sb.first].match == sb.end - 1) {
		sb.first++;
		sb.end--;
	}
	same = sa.end > sa.first && sa.end - sa.first == sb.end - sb.first;
	for (uint32_t i = 0; same && i < sa.end - sa.first; i++)
		same = ctok_same(&ta, sa.first + i, &tb, sb.first + i);
	ctoks_release(&ta);
	ctoks_release(&tb);
	return same;
}

static bool same_signature(const struct propose_ctx *c, const struct local *l,
			   const struct api_symbol *s)
{
	struct type_env env = { c->new_ix, c->tree };
	struct csig ours = { 0 }, theirs = { 0 };
	char *ret = srcfile_span_text(l->f, l->fn->ret);
	char *params = srcfile_span_text(l->f, l->fn->paren);
	bool same = false;
	size_t n = strlen(params);

	if (n >= 2)
		params[n - 1] = '\0';
	if (s->type && s->params && csig_parse_parts(ret, n >= 2 ? params + 1 : params, &ours)) {
		if (csig_parse_parts(s->type, s->params, &theirs)) {
			same = ours.n == theirs.n && type_same(&env, ours.ret, theirs.ret);
			for (size_t i = 0; i < ours.n && same; i++)
				same = type_same(&env, ours.p[i].type, theirs.p[i].type);
			csig_release(&theirs);
		}
		csig_release(&ours);
	}
	free(ret);
	free(params);
	return same;
}

/* Text behind "#define NAME(params)" without its continuations. */
static char *macro_body(const struct local *l)
{
	const struct ctoks *ts = srcfile_toks(l->f);
	const struct ctok *t = &ts->t[l->macro];
	const char *end = ts->text + t->off + t->len, *p;
	struct strbuf sb = STRBUF_INIT;
	uint32_t off, len;

	if (!ctok_pp_word(ts, l->macro, &off, &len))
		return xstrdup("");
	p = ts->text + off + len;
	if (p < end && *p == '(')
		while (p < end && *p++ != ')')
			;
	for (; p < end; p++)
		if (*p != '\\')
			strbuf_addch(&sb, *p);
	return strbuf_detach(&sb, NULL);
}

enum sameness { DIFFERENT, SAME_TYPE, SAME_CODE };

static enum sameness compare_tag(const struct propose_ctx *c, const struct local *l,
				 const struct api_symbol *s)
{
	struct scope ours = { 0 };
	const struct api_symbol **v = NULL;
	char *full = xstrfmt("%s %s", s->kind == API_UNION ? "union" : "struct", s->name);
	size_t n = api_members(c->new_ix, full, &v);
	bool same;

	scope_collect_members(l->f, l->tag->body, &ours);
	same = n > 0 && n == ours.n;
	for (size_t i = 0; i < n && same; i++)
		same = ours.d[i].ident && !strcmp(ours.d[i].ident, v[i]->name) && ours.d[i].type &&
		       v[i]->type && ctype_equal(ours.d[i].type, v[i]->type);
	free(v);
	free(full);
	scope_release(&ours);
	return same ? SAME_CODE : DIFFERENT;
}

static enum sameness compare(const struct propose_ctx *c, const struct local *l,
			     const struct api_symbol *s)
{
	enum sameness r = DIFFERENT;
	char *text;

	if (l->fn) {
		if (!(s->kind & (API_INLINE | API_FUNCTION)) || !same_signature(c, l, s))
			return DIFFERENT;
		text = srcfile_span_text(l->f, l->fn->body);
		r = s->body && same_code(text, s->body) ? SAME_CODE : SAME_TYPE;
		free(text);
	} else if (l->macro != CTOK_NONE) {
		text = macro_body(l);
		r = s->kind & (API_MACRO | API_MACRO_FN) && s->body && same_code(text, s->body) ?
			    SAME_CODE : DIFFERENT;
		free(text);
	} else if (l->tag && s->kind & (API_STRUCT | API_UNION)) {
		r = compare_tag(c, l, s);
	}
	return r;
}

/* ---- dropping it ----------------------------------------------------------- */

static size_t line_start(const struct srcfile *f, size_t off)
{
	while (off > 0 && f->text[off - 1] != '\n')
		off--;
	return off;
}

static size_t next_line(const struct srcfile *f, size_t off)
{
	while (off < f->len && f->text[off] != '\n')
		off++;
	return off < f->len ? off + 1 : off;
}

static bool is_blank_line(const struct srcfile *f, size_t off)
{
	while (off < f->len && (f->text[off] == ' ' || f->text[off] == '\t' || f->text[off] == '\r'))
		off++;
	return off >= f->len || f->text[off] == '\n';
}

/* Start of the comment that stands right above a line, or the line itself. */
static size_t with_comment(const struct srcfile *f, size_t line)
{
	size_t prev = line, top;

	if (!line)
		return line;
	prev = line_start(f, line - 1);
	for (top = prev; top < line && isspace((unsigned char)f->text[top]); top++)
		;
	if (!strncmp(f->text + top, "//", 2))
		return with_comment(f, prev);
	if (line - 1 < 2 || !memmem(f->text + prev, line - prev, "*/", 2))
		return line;
	/* Up to the line that opens it. */
	for (size_t p = prev;; p = line_start(f, p - 1)) {
		const char *open = memmem(f->text + p, line - p, "/*", 2);

		if (open) {
			size_t at = p;

			while (at < f->len && (f->text[at] == ' ' || f->text[at] == '\t'))
				at++;
			return f->text + at == open ? p : line;
		}
		if (!p)
			return line;
	}
}

static void drop_definition(struct edit_group *g, const struct local *l)
{
	const struct ctoks *ts = srcfile_toks(l->f);
	size_t from, to;

	if (l->fn) {
		from = srcfile_span_start(l->f, l->fn->ret.end > l->fn->ret.first ? l->fn->ret :
									     l->fn->paren);
		to = srcfile_span_end(l->f, l->fn->body);
	} else if (l->macro != CTOK_NONE) {
		from = ts->t[l->macro].off;
		to = from + ts->t[l->macro].len;
	} else {
		uint32_t semi = l->tag->body.end;

		while (semi < ts->n && !ctok_is(ts, semi, ";"))
			semi++;
		from = ts->t[l->tag->keyword].off;
		to = semi < ts->n ? ts->t[semi].off + 1 : srcfile_span_end(l->f, l->tag->body);
	}
	from = with_comment(l->f, line_start(l->f, from));
	to = next_line(l->f, to);
	if (is_blank_line(l->f, to) && (from == 0 || is_blank_line(l->f, line_start(l->f, from - 1))))
		to = next_line(l->f, to);
	edit_add(g, l->f->path, from, to, "");
}

static void propose_drop(const struct propose_ctx *c, const struct local *l,
			 const struct api_symbol *s, enum sameness same, struct edit_group_list *out)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "local-definition",
					      same == SAME_CODE ? RISK_SAFE : RISK_REVIEW,
					      same == SAME_CODE ? 0.9 : 0.5);

	drop_definition(g, l);
	g->symbol = xstrdup(s->name);
	edit_group_title(g, "use %s of <%s>", s->name, s->header);
	edit_group_why(g, "%s defines '%s' in <%s>.", propose_target(c), s->name, s->header);
	edit_group_why(g, same == SAME_CODE ? "The driver's own definition is the same." :
		       "The driver's own definition has the same signature.");
	edit_group_list_add(out, g);
}

/* ---- a name of its own ----------------------------------------------------- */

/* The first word that most functions of the file begin with. */
static char *driver_prefix(struct srcfile *f)
{
	const struct cfile *cf = srcfile_parse(f);
	const struct ctoks *ts = srcfile_toks(f);
	char *best = NULL;
	size_t best_n = 0;

	for (size_t i = 0; i < cf->nfuncs; i++) {
		char *a = ctok_dup(ts, cf->funcs[i].name);
		size_t len = strcspn(a, "_"), n = 0;

		for (size_t k = 0; k < cf->nfuncs && a[len]; k++) {
			const struct ctok *t = &ts->t[cf->funcs[k].name];

			n += t->len > len && !memcmp(ts->text + t->off, a, len + 1);
		}
		if (n > best_n && len > 1) {
			best_n = n;
			free(best);
			best = xstrndup(a, len);
		}
		free(a);
	}
	return best_n >= 2 || !cf->nfuncs ? best : (free(best), NULL);
}

/* "foo-bar.c" -> "foo_bar" */
static char *prefix_of_file(const struct srcfile *f)
{
	const char *base = strrchr(f->path, '/');
	char *p = xstrdup(base ? base + 1 : f->path);

	p[strcspn(p, ".")] = '\0';
	for (char *q = p; *q; q++)
		if (!isalnum((unsigned char)*q))
			*q = '_';
	return p;
}

static bool is_upper(const char *s)
{
	for (; *s; s++)
		if (islower((unsigned char)*s))
			return false;
	return true;
}

static char *private_name(const struct propose_ctx *c, struct srcfile *f, const char *name)
{
	char *prefix = driver_prefix(f), *full;

	if (!prefix || starts_with(name, prefix)) {
		free(prefix);
		prefix = prefix_of_file(f);
	}
	if (isdigit((unsigned char)*prefix)) {
		char *p = xstrfmt("drv_%s", prefix);

		free(prefix);
		prefix = p;
	}
	if (is_upper(name))
		for (char *p = prefix; *p; p++)
			*p = (char)toupper((unsigned char)*p);
	full = xstrfmt("%s_%s", prefix, name);
	free(prefix);
	if (tree_uses_ident(c->tree, full) || api_lookup(c->new_ix, full, API_ANY)) {
		free(full);
		full = NULL;
	}
	return full;
}

static void rename_in(struct edit_group *g, struct srcfile *f, const struct local *l,
		      const char *name, const char *to)
{
	const struct ctoks *ts = srcfile_toks(f);

	if (!l->tag || l->fn || l->macro != CTOK_NONE) {
		edit_rename_ident(g, f, name, to, false);
		return;
	}
	for (uint32_t i = 1; i < ts->n; i++)
		if (ctok_is(ts, i, name) && (ctok_is(ts, i - 1, "struct") ||
					     ctok_is(ts, i - 1, "union") || ctok_is(ts, i - 1, "enum")))
			edit_add(g, f->path, ts->t[i].off, ts->t[i].off + ts->t[i].len, to);
}

static void propose_private_name(const struct propose_ctx *c, const struct local *l,
				 const struct api_symbol *s, struct edit_group_list *out)
{
	char *to = private_name(c, l->f, s->name);
	struct edit_group *g;

	if (!to)
		return;
	g = edit_group_new(EDIT_TYPED, "local-definition", RISK_SAFE, 0.8);
	/* What a .c file defines is its own; a header's is the whole driver's. */
	for (size_t i = 0; i < c->tree->n; i++)
		if (srcfile_is_c(c->tree->files[i]) &&
		    (ends_with(l->f->path, ".h") || c->tree->files[i] == l->f))
			rename_in(g, c->tree->files[i], l, s->name, to);
	g->symbol = xstrdup(s->name);
	edit_group_title(g, "rename %s, the kernel has one now", s->name);
	edit_group_why(g, "%s declares another '%s' in <%s>.", propose_target(c), s->name, s->header);
	edit_group_list_add(out, g);
	free(to);
}

/*
 * A macro that the kernel did not have gets hold of the driver's own member, enumerator or
 * variable by that name, which the compiler sees as bad syntax where it is declared.
 */
void localdef_propose_macro(const struct propose_ctx *c, struct edit_group_list *out)
{
	struct srcfile *f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	const struct ctoks *ts = f && srcfile_is_c(f) ? srcfile_toks(f) : NULL;
	size_t at = ts ? ctok_at(ts, c->b->start) : 0;
	const struct api_symbol *s;
	struct edit_group *g;
	char *name, *to = NULL;

	if (!ts || !c->old_ix || !ctok_is_ident(ts, at))
		return;
	name = ctok_dup(ts, at);
	s = api_lookup(c->new_ix, name, API_MACRO | API_MACRO_FN);
	if (s && s->header && !api_lookup(c->old_ix, name, NOT_MEMBERS) && !tree_defines(c->tree, name))
		to = private_name(c, f, name);
	if (to) {
		g = edit_group_new(EDIT_TYPED, "local-definition", RISK_REVIEW, 0.7);
		for (size_t i = 0; i < c->tree->n; i++)
			if (srcfile_is_c(c->tree->files[i]))
				edit_rename_ident(g, c->tree->files[i], name, to, true);
		g->symbol = xstrdup(name);
		edit_group_title(g, "rename %s, the kernel has a macro of that name", name);
		edit_group_why(g, "%s defines the macro '%s' in <%s>, %s has nothing by that name.",
			       propose_target(c), name, s->header, c->from->name);
		edit_group_list_add(out, g);
	}
	free(to);
	free(name);
}

/* A function that is visible outside is known by its name elsewhere. */
static bool is_private(const struct local *l)
{
	return !l->fn || l->fn->is_static;
}

void localdef_propose(const struct propose_ctx *c, struct edit_group_list *out)
{
	const char *name = c->b->diag.symbol;
	const struct api_symbol *s;
	struct local l = { 0 };
	enum sameness same;

	if (!name)
		return;
	if (!skip_prefix(name, "struct ", &name) && !skip_prefix(name, "union ", &name))
		skip_prefix(name, "enum ", &name);
	if (!find_local(c, name, &l))
		return;
	s = api_lookup(c->new_ix, name, l.fn || l.macro != CTOK_NONE ? NOT_MEMBERS & ~TAGS : TAGS);
	if (!s || !s->header)
		return;
	same = compare(c, &l, s);
	if (same != DIFFERENT)
		propose_drop(c, &l, s, same, out);
	if (same != SAME_CODE && is_private(&l))
		propose_private_name(c, &l, s, out);
}
