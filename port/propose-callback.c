// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the driver that the kernel calls through a pointer, brought to
 * the type that the target wants.
 */
#include "base/compat.h"
#include "port/propose.h"

#include "base/alloc.h"
#include "port/fnsite.h"
#include "port/sigchange.h"
#include "port/stmt.h"

#define TECHNIQUE "callback"
#define MAX_FUNCTIONS 8

/* Expected or found type as a signature, from whichever spelling can be read. */
static bool read_sig(const struct type_env *env, const char *type, const char *aka,
		     struct csig *out)
{
	char *resolved;
	bool ok;

	if (!type)
		return false;
	if (csig_parse(type, out))
		return true;
	resolved = type_resolve(env, type);
	ok = csig_parse(resolved, out);
	free(resolved);
	return ok || (aka && csig_parse(aka, out));
}

static void explain(const struct propose_ctx *c, const struct fnsite *site,
		    const struct sigchange *sc, struct edit_group *g)
{
	struct strbuf title = STRBUF_INIT, now = STRBUF_INIT, before = STRBUF_INIT;
	char *notes = g->why;

	/* The kernel's change first, then what came of it in the driver. */
	g->why = NULL;
	sigchange_describe(sc, site->where, &title);
	edit_group_title(g, "%s", title.buf);
	free(g->symbol);
	g->symbol = site->member ? xstrfmt("%s.%s", site->parent ? site->parent : "", site->member) :
				   xstrdup(c->b->diag.symbol);
	csig_text(&sc->to, &now);
	csig_text(&sc->from, &before);
	edit_group_why(g, "In %s %s%s%s%s has the type '%s'; '%s' is '%s'.", propose_target(c),
		       site->where, site->now ? " of <" : "", site->now ? site->now->header : "",
		       site->now ? ">" : "", now.buf, sc->name, before.buf);
	if (c->from && site->before && site->before->params && site->member)
		edit_group_why(g, "In %s it was '%s (%s)'.", c->from->name, site->before->type,
			       site->before->params);
	if (notes)
		edit_group_why(g, "%s", notes);
	free(notes);
	strbuf_release(&title);
	strbuf_release(&now);
	strbuf_release(&before);
}

/* Is this place one of the failures of the same kind, or a member of the same name? */
static bool ref_is_broken_too(const struct propose_ctx *c, const struct fnsite *site,
			      const struct sigref *ref)
{
	const struct ctoks *ts = srcfile_toks(ref->f);
	size_t off = ts->t[ref->tok].off, i;

	for (i = 0; i < site->nrefs; i++)
		if (site->refs[i].f == ref->f && site->refs[i].tok == ref->tok)
			return true;
	if (ref->tok > 2 && site->member && ctok_is(ts, ref->tok - 1, "=") &&
	    ctok_is(ts, ref->tok - 2, site->member))
		return true;
	for (i = 0; i < c->all->n; i++) {
		const struct breakage *b = &c->all->b[i];

		if (b->path && !strcmp(b->path, ref->f->path) && b->start <= off && off <= b->end &&
		    b->diag.expected && c->b->diag.expected &&
		    !strcmp(b->diag.expected, c->b->diag.expected))
			return true;
	}
	return false;
}

/*
 * Does another place need the type that the function has? Only what stands in
 * an initialiser or an assignment counts; others are follow-ups.
 */
static bool is_shared(const struct propose_ctx *c, const struct fnsite *site,
		      const struct sigchange *sc)
{
	struct sigref *refs;
	size_t n = sigchange_refs(sc, &refs), i;
	bool shared = false;

	for (i = 0; i < n; i++) {
		const struct ctoks *ts = srcfile_toks(refs[i].f);

		if (refs[i].tok && ctok_is(ts, refs[i].tok - 1, "=") &&
		    !ref_is_broken_too(c, site, &refs[i]))
			shared = true;
	}
	free(refs);
	return shared;
}

/* The v-th way to rewrite the function, alone and with what becomes const along with it. */
static bool propose_direct(const struct propose_ctx *c, const struct fnsite *site,
			   struct sigchange *sc, size_t v, double factor,
			   struct edit_group_list *out)
{
	struct edit_group *g[] = { sigchange_build(sc, v, TECHNIQUE),
				   sigchange_build_const(sc, v, TECHNIQUE) };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(g); i++) {
		if (!g[i])
			continue;
		g[i]->score *= factor;
		explain(c, site, sc, g[i]);
		edit_group_list_add(out, g[i]);
	}
	return g[0] != NULL;
}

static void propose_one(const struct propose_ctx *c, const struct fnsite *site, size_t index,
			const struct csig *expected, const struct csig *found,
			struct edit_group_list *out)
{
	char *name = srcfile_tok_text(site->refs[index].f, site->refs[index].tok);
	struct srcfile *f = NULL;
	const struct cfunc *fn = sig_find_definition(c, name, found, 0, NULL, &f);
	struct sigchange sc;
	bool shared, direct = false;
	size_t v;

	if (!fn)
		fn = propose_find_function(c, name, &f);
	free(name);
	if (!fn)
		return;
	if (sigchange_init(&sc, c, f, fn, expected)) {
		shared = is_shared(c, site, &sc);
		for (v = 0; v < sc.nvariants; v++)
			direct |= propose_direct(c, site, &sc, v, shared ? 0.4 : 1.0, out);
		if (shared || !direct) {
			struct edit_group *g = sigchange_wrapper(&sc, &site->refs[index], 1,
								 TECHNIQUE);

			if (g) {
				explain(c, site, &sc, g);
				edit_group_list_add(out, g);
			}
		}
	}
	sigchange_release(&sc);
}

/* Is this the first ref that names its function? */
static bool is_first(const struct fnsite *site, size_t index)
{
	const struct ctoks *ts = srcfile_toks(site->refs[index].f);
	size_t i;

	for (i = 0; i < index; i++)
		if (ctok_same(ts, site->refs[i].tok, ts, site->refs[index].tok))
			return false;
	return true;
}

static void add_edits(struct edit_group *to, const struct edit_group *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		edit_add(to, from->e[i].path, from->e[i].start, from->e[i].end, from->e[i].text);
	if (from->risk > to->risk)
		to->risk = from->risk;
	if (from->score < to->score)
		to->score = from->score;
	edit_group_why(to, "%s", from->why);
}

/*
 * Several functions behind one place, as macros that make tables have them: the
 * compiler says it once for all of them.
 */
static void propose_together(const struct propose_ctx *c, const struct fnsite *site,
			     const struct csig *expected, const struct csig *found,
			     struct edit_group_list *out)
{
	struct edit_group *all = NULL;
	size_t i, n = 0;

	for (i = 0; i < site->nrefs && i < MAX_FUNCTIONS; i++) {
		struct edit_group_list l = { 0 };

		if (!is_first(site, i))
			continue;
		propose_one(c, site, i, expected, found, &l);
		if (l.n && !all) {
			all = l.g[0];
			l.g[0] = l.g[--l.n];
			n++;
		} else if (l.n && !edit_groups_conflict(all, l.g[0])) {
			add_edits(all, l.g[0]);
			n++;
		}
		edit_group_list_release(&l);
	}
	if (n > 1)
		edit_group_list_add(out, all);
	else
		edit_group_free(all);
}

static int propose_pointer(const struct propose_ctx *c, struct edit_group_list *out)
{
	struct type_env env = { .ix = c->new_ix, .tree = c->tree };
	const struct diag *d = &c->b->diag;
	struct csig expected = { 0 }, found = { 0 };
	struct fnsite site = { 0 };
	size_t i;

	if (!read_sig(&env, d->expected, d->expected_aka, &expected) ||
	    !read_sig(&env, d->found, d->found_aka, &found))
		goto out;
	fnsite_find(c, &expected, &found, &site);
	if (site.displaced)
		goto out;
	fnsite_spell(&env, &site, &expected);
	propose_together(c, &site, &expected, &found, out);
	for (i = 0; i < site.nrefs && i < MAX_FUNCTIONS; i++)
		if (is_first(&site, i))
			propose_one(c, &site, i, &expected, &found, out);
out:
	fnsite_release(&site);
	csig_release(&expected);
	csig_release(&found);
	return 0;
}

/* ---- a function that two declarations describe differently ------------------------------------ */

/* The kernel declares what the driver defines. */
static void follow_kernel(const struct propose_ctx *c, const struct api_symbol *decl,
			  struct srcfile *f, const struct cfunc *fn, struct edit_group_list *out)
{
	struct fnsite site = { .now = decl };
	struct sigchange sc;
	struct csig to;
	size_t v;

	if (!csig_parse_parts(decl->type, decl->params, &to))
		return;
	site.where = xstrfmt("%s()", decl->name);
	site.before = c->old_ix ? api_lookup(c->old_ix, decl->name, API_FUNCTION) : NULL;
	if (sigchange_init(&sc, c, f, fn, &to)) {
		for (v = 0; v < sc.nvariants; v++) {
			struct edit_group *g = sigchange_build(&sc, v, TECHNIQUE);

			if (!g)
				continue;
			explain(c, &site, &sc, g);
			edit_group_list_add(out, g);
		}
	}
	sigchange_release(&sc);
	csig_release(&to);
	free(site.where);
}

/* Prototypes of the driver that say something else than the definition: the definition is right. */
static void follow_definition(const struct propose_ctx *c, struct srcfile *f,
			      const struct cfunc *fn, struct edit_group_list *out)
{
	struct edit_group *g = edit_group_new(EDIT_TYPED, TECHNIQUE, RISK_SAFE, 0.8);
	struct cspan head = { fn->ret.first, fn->paren.end };
	char *text = srcfile_span_text(f, head);
	size_t i, k;

	for (i = 0; i < c->tree->n; i++) {
		struct srcfile *h = c->tree->files[i];
		const struct cfile *cf;

		if (!srcfile_is_c(h) || (fn->is_static && h != f))
			continue;
		cf = srcfile_parse(h);
		for (k = 0; k < cf->nprotos; k++) {
			const struct cfunc *p = &cf->protos[k];

			if (ctok_is(cf->ts, p->name, c->b->diag.symbol))
				edit_add_trimmed(g, h, srcfile_span_start(h, p->ret),
						 srcfile_span_end(h, p->paren), text);
		}
	}
	free(text);
	if (!g->n) {
		edit_group_free(g);
		return;
	}
	edit_group_title(g, "make prototypes agree with their definitions");
	edit_group_why(g, "A prototype of '%s' differs from its definition.", c->b->diag.symbol);
	g->symbol = xstrdup(c->b->diag.symbol);
	edit_group_list_add(out, g);
}

static int propose_conflict(const struct propose_ctx *c, struct edit_group_list *out)
{
	const char *name = c->b->diag.symbol;
	struct srcfile *f = NULL;
	const struct cfunc *fn = name ? propose_find_function(c, name, &f) : NULL;
	const struct api_symbol *decl;

	if (!fn)
		return 0;
	decl = c->new_ix ? api_lookup(c->new_ix, name, API_FUNCTION) : NULL;
	if (decl && !fn->is_static)
		follow_kernel(c, decl, f, fn, out);
	else
		follow_definition(c, f, fn, out);
	return 0;
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	if (c->b->diag.kind == DIAG_CONFLICTING_TYPES)
		return propose_conflict(c, out);
	return propose_pointer(c, out);
}

const struct proposer propose_callback = {
	.name = "callback",
	.kinds = KIND_BIT(DIAG_INCOMPATIBLE_POINTER) | KIND_BIT(DIAG_CONFLICTING_TYPES) |
		 KIND_BIT(DIAG_INCOMPATIBLE_TYPES),
	.propose = propose,
};
