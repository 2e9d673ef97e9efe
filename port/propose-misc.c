// SPDX-License-Identifier: GPL-2.0-only
/*
 * Repairs that are of no family: clashes of local definitions with the kernel's
 * new ones, values of functions that return none any more, symbol namespaces.
 */
#include "base/compat.h"
#include "port/propose.h"

#include "base/alloc.h"
#include "port/localdef.h"
#include "port/usage.h"

/* ---- namespaces ------------------------------------------------------------ */

/* MODULE_IMPORT_NS() takes a string since 6.13 and where that was taken back. */
static bool takes_string(const struct propose_ctx *c)
{
	const struct api_symbol *s = api_lookup(c->new_ix, "MODULE_IMPORT_NS", API_MACRO_FN);

	return s && s->body && !strstr(s->body, "__stringify");
}

/* The macro calls of this name with the one argument; each file, each call. */
static const struct cmacro_call *top_call(struct srcfile *f, const char *name, size_t *i)
{
	const struct cfile *cf = srcfile_parse(f);
	const struct ctoks *ts = srcfile_toks(f);

	for (; *i < cf->ncalls; (*i)++)
		if (ctok_is(ts, cf->calls[*i].name, name))
			return &cf->calls[(*i)++];
	return NULL;
}

static bool imports(struct srcfile *f, const char *ns)
{
	const struct cmacro_call *m;
	size_t i = 0;
	bool found = false;

	while (!found && (m = top_call(f, "MODULE_IMPORT_NS", &i))) {
		char *arg = srcfile_tok_text(f, m->args.first + 1);

		found = !strcmp(arg, ns) || (*arg == '"' && !strncmp(arg + 1, ns, strlen(ns)) &&
					     arg[strlen(ns) + 1] == '"');
		free(arg);
	}
	return found;
}

static void add_import(struct edit_group *g, struct srcfile *f, const char *ns, bool string)
{
	const struct ctoks *ts = srcfile_toks(f);
	const struct cmacro_call *m;
	size_t i = 0, at;
	uint32_t last;
	char *line;

	m = top_call(f, "MODULE_LICENSE", &i);
	if (!m || imports(f, ns))
		return;
	last = m->args.end;
	at = ctok_is(ts, last, ";") ? ts->t[last].off + 1 : ts->t[last - 1].off + 1;
	line = xstrfmt(string ? "\nMODULE_IMPORT_NS(\"%s\");" : "\nMODULE_IMPORT_NS(%s);", ns);
	edit_add(g, f->path, at, at, line);
	free(line);
}

/* One file of a module says its licence; with several modules all that use the symbol import. */
static void propose_import(const struct propose_ctx *c, struct edit_group_list *out)
{
	const char *ns = c->b->diag.expected, *sym = c->b->diag.symbol;
	struct edit_group *g;
	size_t licences = 0, users = 0, i;

	if (!ns || !*ns)
		return;
	g = edit_group_new(EDIT_TYPED, "namespace", RISK_SAFE, 0.95);
	for (i = 0; i < c->tree->n; i++) {
		size_t pos = 0;

		if (!srcfile_is_c(c->tree->files[i]) ||
		    !top_call(c->tree->files[i], "MODULE_LICENSE", &pos))
			continue;
		licences++;
		users += sym && file_uses_ident(c->tree->files[i], sym);
	}
	for (i = 0; i < c->tree->n; i++) {
		struct srcfile *f = c->tree->files[i];

		if (srcfile_is_c(f) && (licences == 1 || !users || (sym && file_uses_ident(f, sym))))
			add_import(g, f, ns, takes_string(c));
	}
	g->symbol = xstrdup(ns);
	edit_group_title(g, "import the namespace %s", ns);
	edit_group_why(g, "%s exports %s in the namespace %s.", propose_target(c),
		       sym ? sym : "a symbol that the driver uses", ns);
	if (g->n)
		edit_group_list_add(out, g);
	else
		edit_group_free(g);
}

static void quote_argument(struct edit_group *g, struct srcfile *f, const char *macro, size_t which)
{
	const struct ctoks *ts = srcfile_toks(f);
	const struct cmacro_call *m;
	size_t i = 0;

	while ((m = top_call(f, macro, &i))) {
		struct clist l = clist_open(ts, m->args.first);
		struct cspan a;
		size_t n = 0;
		char *name, *quoted;

		while (clist_next(&l, &a) && n < which)
			n++;
		if (n != which || a.end != a.first + 1 || !ctok_is_ident(ts, a.first))
			continue;
		name = ctok_dup(ts, a.first);
		quoted = xstrfmt("\"%s\"", name);
		edit_add(g, f->path, ts->t[a.first].off, ts->t[a.first].off + ts->t[a.first].len,
			 quoted);
		free(quoted);
		free(name);
	}
}

/* MODULE_IMPORT_NS(DMA_BUF) where the target wants MODULE_IMPORT_NS("DMA_BUF"). */
static void propose_string_namespace(const struct propose_ctx *c, struct edit_group_list *out)
{
	struct edit_group *g;

	if (!takes_string(c))
		return;
	g = edit_group_new(EDIT_TYPED, "namespace", RISK_SAFE, 0.98);
	for (size_t i = 0; i < c->tree->n; i++) {
		struct srcfile *f = c->tree->files[i];

		if (!srcfile_is_c(f))
			continue;
		quote_argument(g, f, "MODULE_IMPORT_NS", 0);
		quote_argument(g, f, "EXPORT_SYMBOL_NS", 1);
		quote_argument(g, f, "EXPORT_SYMBOL_NS_GPL", 1);
	}
	g->symbol = xstrdup("MODULE_IMPORT_NS");
	g->since = xstrdup("6.13");
	g->commit = xstrdup("cdd30ebb1b9f");
	edit_group_title(g, "give symbol namespaces as strings");
	edit_group_why(g, "MODULE_IMPORT_NS() of %s takes a string literal.", propose_target(c));
	if (g->n)
		edit_group_list_add(out, g);
	else
		edit_group_free(g);
}

/* Is the site inside of such a macro's brackets? */
static bool at_namespace_macro(const struct propose_ctx *c)
{
	struct srcfile *f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	const struct ctoks *ts;
	struct cspan s;

	if (!f || !srcfile_is_c(f))
		return false;
	ts = srcfile_toks(f);
	s = tok_statement(ts, ctok_at(ts, c->b->start));
	for (uint32_t i = s.first; i < s.end; i++)
		if (ctok_is(ts, i, "MODULE_IMPORT_NS") || ctok_is(ts, i, "EXPORT_SYMBOL_NS") ||
		    ctok_is(ts, i, "EXPORT_SYMBOL_NS_GPL"))
			return true;
	return false;
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	switch (c->b->diag.kind) {
	case DIAG_NAMESPACE:
		propose_import(c, out);
		break;
	case DIAG_REDEFINITION:
	case DIAG_CONFLICTING_TYPES:
		localdef_propose(c, out);
		break;
	case DIAG_SYNTAX:
		localdef_propose_macro(c, out);
		if (at_namespace_macro(c))
			propose_string_namespace(c, out);
		break;
	case DIAG_VOID_VALUE:
		voidvalue_propose(c, out);
		break;
	default:
		/* Of a namespace that is no string it is the assembler that complains, at no place. */
		if (at_namespace_macro(c) || (c->b->diag.kind == DIAG_OTHER && !c->b->path))
			propose_string_namespace(c, out);
	}
	return 0;
}

const struct proposer propose_misc = {
	.name = "misc",
	.kinds = KIND_BIT(DIAG_REDEFINITION) | KIND_BIT(DIAG_CONFLICTING_TYPES) |
		 KIND_BIT(DIAG_VOID_VALUE) | KIND_BIT(DIAG_NAMESPACE) | KIND_BIT(DIAG_UNDECLARED) |
		 KIND_BIT(DIAG_SYNTAX) | KIND_BIT(DIAG_OTHER),
	.propose = propose,
};
