// SPDX-License-Identifier: GPL-2.0-only
/*
 * Headers: one that is missing in the target (moved, split, no longer needed),
 * and a declaration that the target has in a header which the file does not
 * include. Which header is the right one follows from the index of the target;
 * whether it was found is for the oracle to say.
 */
#include "base/compat.h"
#include "port/propose.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"
#include "port/kbuildfix.h"
#include "port/usage.h"

#define MAX_HEADERS 4	   /* alternatives for one symbol */
#define MAX_COVER 4	   /* headers that one header was split into */
#define SCORE_LAST 0.05	   /* below that it is not worth a check */

/* ---- which header ---------------------------------------------------------- */

static size_t count_char(const char *s, char c)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

static bool is_internal(const char *h)
{
	static const char *const marks[] = { "_types", "types_", "private", "internal", "_impl",
					     "-arch-", "fallback", "instrumented", "generated/",
					     "trace/", "_api.h", "-inline", "rwonce", "tools/" };

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (strstr(h, marks[i]))
			return true;
	return false;
}

/* How fit is it for a driver to include this header? 0..1 */
static double header_fitness(const char *h)
{
	double s = 0.6;

	if (starts_with(h, "linux/"))
		s += 0.15;
	else if (starts_with(h, "asm-generic/") || starts_with(h, "vdso/"))
		s -= 0.35;
	else if (starts_with(h, "asm/"))
		s -= 0.15;
	if (is_internal(h))
		s -= 0.35;
	s -= 0.05 * (double)(count_char(h, '/') > 1 ? count_char(h, '/') - 1 : 0);
	if (ends_with(h, ".c"))
		s -= 1;
	return s;
}

struct choice {
	char *header;
	double score;
	const struct api_symbol *decl; /* what it is chosen for, or NULL */
};
struct choices {
	struct choice v[32];
	size_t n;
};

static void choices_add(struct choices *c, const char *header, double score,
			const struct api_symbol *decl)
{
	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(c->v[i].header, header))
			continue;
		if (score > c->v[i].score)
			c->v[i].score = score;
		return;
	}
	if (c->n == ARRAY_SIZE(c->v))
		return;
	c->v[c->n++] = (struct choice){ xstrdup(header), score, decl };
}

static int choice_cmp(const void *va, const void *vb)
{
	const struct choice *a = va, *b = vb;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return strcmp(a->header, b->header);
}

static void choices_sort(struct choices *c)
{
	sort_items(c->v, c->n, sizeof(c->v[0]), choice_cmp);
}

static void choices_release(struct choices *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].header);
	c->n = 0;
}

/* <linux/x.h> that includes <asm/x.h> and the like: the name that drivers use. */
static void add_umbrella(const struct propose_ctx *ctx, struct choices *c, const char *header,
			 double score, const struct api_symbol *decl)
{
	struct strbuf name = STRBUF_INIT;
	struct strvec inc = STRVEC_INIT;
	char *dir = path_dir(header);
	const char *types = strstr(header, "_types");

	/* x_types.h -> x.h; linux/atomic/atomic-long.h -> linux/atomic.h; asm/io.h -> linux/io.h */
	if (types)
		strbuf_addf(&name, "%.*s.h", (int)(types - header), header);
	else if (count_char(header, '/') > 1)
		strbuf_addf(&name, "%s.h", dir);
	else
		strbuf_addf(&name, "linux/%s", path_base(header));
	if (strcmp(name.buf, header) && api_has_header(ctx->new_ix, name.buf)) {
		api_includes(ctx->new_ix, name.buf, true, &inc);
		if (strvec_contains(&inc, header))
			choices_add(c, name.buf, score + 0.25, decl);
	}
	free(dir);
	strvec_release(&inc);
	strbuf_release(&name);
}

/* ---- a declaration whose header is not included ---------------------------- */

static unsigned wanted_kinds(const struct diag *d)
{
	switch (d->kind) {
	case DIAG_IMPLICIT_FUNCTION:
		return API_ANY_CALLABLE | API_MACRO;
	case DIAG_INCOMPLETE_TYPE:
		return API_STRUCT | API_UNION | API_ENUM;
	case DIAG_UNKNOWN_TYPE:
		return API_TYPEDEF | API_MACRO;
	default:
		return API_ANY & ~(API_MEMBER | API_STRUCT | API_UNION | API_ENUM);
	}
}

/* "struct foo" -> "foo" */
static const char *tag_name(const char *type)
{
	const char *rest;

	if (skip_prefix(type, "const ", &rest))
		type = rest;
	if (skip_prefix(type, "struct ", &rest) || skip_prefix(type, "union ", &rest) ||
	    skip_prefix(type, "enum ", &rest))
		return rest;
	return type;
}

static const char *wanted_name(const struct diag *d)
{
	if (d->kind == DIAG_INCOMPLETE_TYPE && d->type)
		return tag_name(d->type);
	return d->symbol;
}

/* ix may be NULL. */
static bool declares(struct api_index *ix, const char *header, const char *name, unsigned kinds)
{
	const struct api_symbol **v = NULL;
	bool found = false;
	size_t n = ix ? api_lookup_all(ix, name, kinds, &v) : 0;

	for (size_t i = 0; i < n && !found; i++)
		found = v[i]->header && !strcmp(v[i]->header, header);
	free(v);
	return found;
}

/* A header's base name often is a word of what it declares: "of.h", "of_device_get_match_data". */
static double name_affinity(const char *header, const char *name)
{
	const char *base = path_base(header);
	size_t len = strcspn(base, ".");

	return len > 1 && !strncmp(base, name, len) ? 0.1 : 0;
}

static void choose_for_symbol(const struct propose_ctx *ctx, struct srcfile *f, const char *name,
			      unsigned kinds, struct choices *c)
{
	const struct api_symbol **v = NULL;
	size_t n = api_lookup_all(ctx->new_ix, name, kinds, &v);

	for (size_t i = 0; i < n; i++) {
		const char *h = v[i]->header;
		double score;

		if (!h || file_has_include(f, h))
			continue;
		score = header_fitness(h) + name_affinity(h, name) - 0.02 * (double)i;
		if (declares(ctx->old_ix, h, name, kinds))
			score += 0.2;
		if (!v[i]->active)
			score -= 0.15;
		choices_add(c, h, score, v[i]);
		add_umbrella(ctx, c, h, score, v[i]);
	}
	free(v);
	choices_sort(c);
}

static void say_declaration(struct edit_group *g, const struct propose_ctx *ctx,
			    const struct api_symbol *s, const char *name)
{
	const struct api_symbol *o;

	edit_group_why(g, "'%s' is declared in <%s> of %s, which the file does not include.", name,
		       s->header, propose_target(ctx));
	o = ctx->old_ix ? api_lookup(ctx->old_ix, name, s->kind) : NULL;
	if (!o || !o->header)
		return;
	if (!strcmp(o->header, s->header))
		edit_group_why(g, "In %s another header included <%s>.", ctx->from->name,
			       o->header);
	else
		edit_group_why(g, "In %s it was declared in <%s>.", ctx->from->name, o->header);
}

static void propose_added_include(const struct propose_ctx *ctx, struct srcfile *f,
				  const struct choice *c, const char *name,
				  struct edit_group_list *out)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, "include", RISK_SAFE,
					      c->score > 0.99 ? 0.99 : c->score);

	if (!edit_add_include(g, f, c->header)) {
		edit_group_free(g);
		return;
	}
	edit_group_title(g, "include <%s> for %s", c->header, name);
	g->symbol = xstrdup(name);
	if (c->decl)
		say_declaration(g, ctx, c->decl, name);
	edit_group_list_add(out, g);
}

static void propose_declaration(const struct propose_ctx *ctx, struct edit_group_list *out)
{
	const struct breakage *b = ctx->b;
	const char *name = wanted_name(&b->diag);
	struct srcfile *f = b->path ? tree_file(ctx->tree, b->path) : NULL;
	struct choices c = { 0 };

	/* A name that the driver defines itself is not a matter of kernel headers. */
	if (!name || !*name || !f || (b->diag.kind != DIAG_INCOMPLETE_TYPE &&
				      file_defines(f, name)))
		return;
	choose_for_symbol(ctx, f, name, wanted_kinds(&b->diag), &c);
	for (size_t i = 0; i < c.n && i < MAX_HEADERS; i++)
		if (c.v[i].score > SCORE_LAST)
			propose_added_include(ctx, f, &c.v[i], name, out);
	choices_release(&c);
}

/* ---- a header that is gone ------------------------------------------------- */

struct gone {
	const struct propose_ctx *ctx;
	const char *header;	/* as the driver has it */
	struct strvec used;	/* what the driver uses of its declarations */
	size_t declared;	/* how many declarations it had, 0: unknown */
	struct strmap cover;	/* header of the target -> number of "used" it declares */
};

static bool is_include_guard(const struct api_symbol *s)
{
	return s->kind == API_MACRO && (!s->body || !*s->body);
}

static void use_declarations(struct gone *g, const char *header)
{
	const struct api_symbol **v = NULL;
	const struct tree *t = g->ctx->tree;
	size_t n = api_in_header(g->ctx->old_ix, header, API_ANY & ~API_MEMBER, &v);

	for (size_t i = 0; i < n; i++) {
		if (is_include_guard(v[i]) || strvec_contains(&g->used, v[i]->name))
			continue;
		g->declared++;
		for (size_t k = 0; k < t->n; k++) {
			if (!file_has_include(t->files[k], g->header) ||
			    !file_uses_ident(t->files[k], v[i]->name))
				continue;
			strvec_push(&g->used, v[i]->name);
			break;
		}
	}
	free(v);
}

/* A header that only passes on to one or two others stands for them. */
static void use_header(struct gone *g)
{
	struct strvec inc = STRVEC_INIT;

	if (!g->ctx->old_ix || !api_has_header(g->ctx->old_ix, g->header))
		return;
	use_declarations(g, g->header);
	api_includes(g->ctx->old_ix, g->header, false, &inc);
	if (g->declared < 4 && inc.n <= 3)
		for (size_t i = 0; i < inc.n; i++)
			use_declarations(g, inc.v[i]);
	strvec_release(&inc);
}

static void count_cover(struct gone *g)
{
	for (size_t i = 0; i < g->used.n; i++) {
		const struct api_symbol **v = NULL;
		size_t n = api_lookup_all(g->ctx->new_ix, g->used.v[i], API_ANY & ~API_MEMBER, &v);
		struct strmap seen = STRMAP_INIT;

		for (size_t k = 0; k < n; k++) {
			const char *h = v[k]->header;

			if (!h || strmap_has(&seen, h))
				continue;
			strmap_put(&seen, h, NULL);
			strmap_put(&g->cover, h,
				   (void *)((uintptr_t)strmap_get(&g->cover, h) + 1));
		}
		strmap_release(&seen, NULL);
		free(v);
	}
}

static double covered(const struct gone *g, const char *header)
{
	struct strvec inc = STRVEC_INIT;
	size_t direct = (uintptr_t)strmap_get(&g->cover, header), best = direct;

	if (!g->used.n)
		return 0;
	/* <linux/unaligned.h> may take them from <vdso/unaligned.h>. */
	api_includes(g->ctx->new_ix, header, false, &inc);
	for (size_t i = 0; i < inc.n; i++) {
		size_t via = direct + (uintptr_t)strmap_get(&g->cover, inc.v[i]);

		if (!strcmp(path_base(inc.v[i]), path_base(header)) && via > best)
			best = via;
	}
	strvec_release(&inc);
	return best >= g->used.n ? 1 : (double)best / (double)g->used.n;
}

static struct edit_group *replace_header(const struct gone *g, const char *to, double score)
{
	const struct propose_ctx *ctx = g->ctx;
	struct edit_group *e = edit_group_new(EDIT_TYPED, "include", RISK_SAFE, score);

	for (size_t i = 0; i < ctx->tree->n; i++)
		if (srcfile_is_c(ctx->tree->files[i]))
			edit_replace_include(e, ctx->tree->files[i], g->header, to);
	edit_group_title(e, "use <%s>", to);
	e->symbol = xstrdup(g->header);
	edit_group_why(e, "%s has no <%s>.", propose_target(ctx), g->header);
	if (g->used.n)
		edit_group_why(e, "<%s> declares %zu of the %zu names that the driver takes from "
			       "it, '%s' among them.", to,
			       (size_t)(covered(g, to) * (double)g->used.n + 0.5), g->used.n,
			       g->used.v[0]);
	else
		edit_group_why(e, "<%s> has the same name.", to);
	return e;
}

static void propose_moved(const struct gone *g, struct edit_group_list *out)
{
	const struct propose_ctx *ctx = g->ctx;
	struct strvec same = STRVEC_INIT;
	struct choices c = { 0 };
	const struct api_change **ch = NULL;
	struct strmap_entry *e;
	size_t n;

	api_headers_named(ctx->new_ix, path_base(g->header), &same);
	for (size_t i = 0; i < same.n; i++)
		choices_add(&c, same.v[i],
			    0.3 * header_fitness(same.v[i]) + 0.35 + 0.4 * covered(g, same.v[i]), NULL);
	n = ctx->diff ? api_diff_lookup(ctx->diff, g->header, &ch) : 0;
	for (size_t i = 0; i < n; i++)
		if ((ch[i]->kind == CHANGE_HEADER_GONE || ch[i]->kind == CHANGE_HEADER_MOVED) &&
		    ch[i]->to_name)
			choices_add(&c, ch[i]->to_name, 0.45 + 0.4 * covered(g, ch[i]->to_name) +
				    0.1 * header_fitness(ch[i]->to_name), NULL);
	free(ch);
	strmap_for_each(&g->cover, e)
		if (covered(g, e->key) >= 1) {
			choices_add(&c, e->key, 0.3 * header_fitness(e->key) + 0.55, NULL);
			add_umbrella(ctx, &c, e->key, 0.3 * header_fitness(e->key) + 0.45, NULL);
		}
	choices_sort(&c);
	for (size_t i = 0; i < c.n && i < MAX_HEADERS; i++)
		edit_group_list_add(out, replace_header(g, c.v[i].header,
							c.v[i].score > 0.98 ? 0.98 : c.v[i].score));
	choices_release(&c);
	strvec_release(&same);
}

/* Headers that together declare all of "used" that the target still has. */
static void cover_all(const struct gone *g, struct strvec *headers, size_t *left)
{
	struct strvec open = STRVEC_INIT;

	for (size_t i = 0; i < g->used.n; i++)
		if (api_lookup(g->ctx->new_ix, g->used.v[i], API_ANY & ~API_MEMBER))
			strvec_push(&open, g->used.v[i]);
	while (open.n && headers->n < MAX_COVER) {
		const struct api_symbol **v = NULL;
		const char *best = NULL;
		double best_score = -1;
		size_t n = api_lookup_all(g->ctx->new_ix, open.v[0], API_ANY & ~API_MEMBER, &v);

		for (size_t k = 0; k < n; k++) {
			double s;

			if (!v[k]->header)
				continue;
			s = header_fitness(v[k]->header) +
			    (double)(uintptr_t)strmap_get(&g->cover, v[k]->header) / 100;
			if (s > best_score) {
				best_score = s;
				best = v[k]->header;
			}
		}
		free(v);
		if (!best)
			break;
		strvec_push(headers, best);
		for (size_t k = open.n; k-- > 0;)
			if (declares(g->ctx->new_ix, best, open.v[k], API_ANY & ~API_MEMBER))
				strvec_remove(&open, k);
	}
	*left = open.n;
	strvec_release(&open);
}

/* One line for each header that is not included yet, where the old one stood. */
static void replace_by_all(struct edit_group *e, struct srcfile *f, const char *from,
			   const struct strvec *to)
{
	struct strbuf lines = STRBUF_INIT;
	struct include_list l = { 0 };

	for (size_t k = 0; k < to->n; k++)
		if (!file_has_include(f, to->v[k]))
			strbuf_addf(&lines, "%s%s", lines.len ? ">\n#include <" : "", to->v[k]);
	file_includes(f, &l);
	if (!lines.len)
		edit_drop_include(e, f, from);
	for (size_t i = 0; i < l.n && lines.len; i++)
		if (!strcmp(l.v[i].name, from) && l.v[i].angle)
			edit_add(e, f->path, l.v[i].start, l.v[i].end, lines.buf);
	include_list_release(&l);
	strbuf_release(&lines);
}

static void propose_split(const struct gone *g, struct edit_group_list *out)
{
	const struct propose_ctx *ctx = g->ctx;
	struct strvec headers = STRVEC_INIT;
	struct edit_group *e;
	size_t left = 0;

	cover_all(g, &headers, &left);
	if (headers.n < 2 || left)
		goto out;
	strvec_sort(&headers);
	e = edit_group_new(EDIT_TYPED, "include", RISK_SAFE, 0.6);
	for (size_t i = 0; i < ctx->tree->n; i++) {
		struct srcfile *f = ctx->tree->files[i];

		if (!srcfile_is_c(f) || !file_has_include(f, g->header))
			continue;
		replace_by_all(e, f, g->header, &headers);
	}
	edit_group_title(e, "replace <%s>", g->header);
	e->symbol = xstrdup(g->header);
	edit_group_why(e, "%s has no <%s>; what the driver uses of it is declared in %zu headers.",
		       propose_target(ctx), g->header, headers.n);
	edit_group_list_add(out, e);
out:
	strvec_release(&headers);
}

/* Without the line: right only when nothing of the header is used or still comes by other ways. */
static void propose_dropped(const struct gone *g, struct edit_group_list *out)
{
	const struct propose_ctx *ctx = g->ctx;
	bool unused = g->declared && !g->used.n;
	struct edit_group *e;

	e = edit_group_new(EDIT_TYPED, "include", unused ? RISK_SAFE : RISK_REVIEW,
			   unused ? 0.7 : 0.1);
	for (size_t i = 0; i < ctx->tree->n; i++)
		if (srcfile_is_c(ctx->tree->files[i]))
			edit_drop_include(e, ctx->tree->files[i], g->header);
	edit_group_title(e, "drop <%s>", g->header);
	e->symbol = xstrdup(g->header);
	edit_group_why(e, "%s has no <%s>.", propose_target(ctx), g->header);
	if (unused)
		edit_group_why(e, "The driver uses none of the %zu names that it declared in %s.",
			       g->declared, ctx->from->name);
	edit_group_list_add(out, e);
}

/* Does any file include it with <>, or is it a name of the old kernel? Others are the driver's own. */
static bool is_kernel_header(const struct propose_ctx *ctx, const char *header)
{
	if (ctx->old_ix && api_has_header(ctx->old_ix, header))
		return true;
	for (size_t i = 0; i < ctx->tree->n; i++) {
		struct include_list l = { 0 };
		bool angle = false;

		file_includes(ctx->tree->files[i], &l);
		for (size_t k = 0; k < l.n; k++)
			angle |= l.v[k].angle && !strcmp(l.v[k].name, header);
		include_list_release(&l);
		if (angle)
			return true;
	}
	return false;
}

static void propose_missing(const struct propose_ctx *ctx, struct edit_group_list *out)
{
	struct gone g = { .ctx = ctx, .header = ctx->b->diag.symbol, .used = STRVEC_INIT };

	if (!g.header || !is_kernel_header(ctx, g.header))
		return;
	use_header(&g);
	count_cover(&g);
	propose_moved(&g, out);
	propose_split(&g, out);
	propose_dropped(&g, out);
	strvec_release(&g.used);
	strmap_release(&g.cover, NULL);
}

/* ---- compiler flags of Kbuild ---------------------------------------------- */

static void propose_kbuild_flags(const struct propose_ctx *ctx, struct edit_group_list *out)
{
	struct edit_group *g = kbuild_flags_group(ctx->to, ctx->tree);

	if (g)
		edit_group_list_add(out, g);
}

static int propose(const struct propose_ctx *ctx, struct edit_group_list *out, struct strbuf *err)
{
	propose_kbuild_flags(ctx, out);
	if (ctx->b->diag.kind == DIAG_MISSING_HEADER)
		propose_missing(ctx, out);
	else
		propose_declaration(ctx, out);
	return 0;
}

const struct proposer propose_include = {
	.name = "include",
	.kinds = KIND_BIT(DIAG_MISSING_HEADER) | KIND_BIT(DIAG_IMPLICIT_FUNCTION) |
		 KIND_BIT(DIAG_UNDECLARED) | KIND_BIT(DIAG_UNKNOWN_TYPE) |
		 KIND_BIT(DIAG_INCOMPLETE_TYPE) | KIND_BIT(DIAG_SYNTAX) |
		 KIND_BIT(DIAG_OTHER),
	.propose = propose,
};
