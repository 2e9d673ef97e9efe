// SPDX-License-Identifier: GPL-2.0-only
/*
 * What objtool refuses. Of newer kernels that is a module whose entry points are
 * called init_module() and cleanup_module(), names that module_init() and
 * module_exit() give to functions of any name; and code of an object that came with
 * the driver without its source: nobody can change it, so its check is left out.
 */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/file.h"
#include "port/propose.h"
#include "port/usage.h"

static const struct {
	const char *magic, *suffix, *macro;
} entries[] = {
	{ "init_module", "init", "module_init" },
	{ "cleanup_module", "exit", "module_exit" },
};

/* "foo_init" for foo.ko or foo.c, made longer until nothing of the driver has that name. */
static char *new_name(const struct propose_ctx *c, const char *stem, const char *suffix)
{
	char *base = xstrdup(stem), *name;

	for (char *p = base; *p; p++)
		if (*p == '-' || *p == '.' || *p == ',')
			*p = '_';
	name = xstrfmt("%s_%s", base, suffix);
	if (tree_defines(c->tree, name)) {
		free(name);
		name = xstrfmt("%s_module_%s", base, suffix);
	}
	free(base);
	return name;
}

static size_t count_definitions(const struct propose_ctx *c, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < c->tree->n; i++) {
		struct srcfile *f = c->tree->files[i];

		n += srcfile_is_c(f) && file_uses_ident(f, name) && cfile_func(srcfile_parse(f), name);
	}
	return n;
}

static bool has_prototype(struct srcfile *f, const char *name)
{
	const struct cfile *cf = srcfile_parse(f);

	for (size_t i = 0; i < cf->nprotos; i++)
		if (ctok_is(cf->ts, cf->protos[i].name, name))
			return true;
	return false;
}

static void convert(const struct propose_ctx *c, struct srcfile *f, const char *stem, size_t e,
		    struct edit_group *g)
{
	const struct cfunc *fn = cfile_func(srcfile_parse(f), entries[e].magic);
	char *name, *line;
	size_t end;

	if (!fn || fn->nparams)
		return;
	name = new_name(c, stem, entries[e].suffix);
	line = xstrfmt("\n%s(%s);", entries[e].macro, name);
	end = srcfile_span_end(f, fn->body);
	if (!fn->is_static && !has_prototype(f, entries[e].magic))
		edit_add(g, f->path, srcfile_span_start(f, fn->ret), srcfile_span_start(f, fn->ret),
			 "static ");
	edit_rename_ident(g, f, entries[e].magic, name, false);
	edit_add(g, f->path, end, end, line);
	free(line);
	free(name);
}

/* Behind the line of a Kbuild file that makes a module of the object; 0: it has none. */
static size_t behind_object(const struct srcfile *f, const char *object)
{
	const char *p = f->text, *end = f->text + f->len;
	size_t len = strlen(object);

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end, *hit;
		const char *word = p + strspn(p, " \t");

		for (hit = p; starts_with(word, "obj-") && hit < stop &&
			      (hit = memmem(hit, (size_t)(stop - hit), object, len)); hit += len) {
			if (strchr(" \t=/", hit[-1]) && strchr(" \t\r\n\\", hit[len]))
				return nl && nl[-1] != '\\' ? (size_t)(nl + 1 - f->text) : 0;
		}
		p = nl ? nl + 1 : end;
	}
	return 0;
}

/* The function is in no source of the driver: its object came as it is. */
static void propose_unchecked(const struct propose_ctx *c, const char *sym,
			      struct edit_group_list *out)
{
	char *object = xstrfmt("%s.o", c->b->diag.type), *line;
	struct edit_group *g = NULL;

	if (tree_uses_ident(c->tree, sym))
		goto out;
	line = xstrfmt("# part of it comes without source, which objtool cannot be satisfied with\n"
		       "$(obj)/%s: override objtool-enabled :=\n", object);
	g = edit_group_new(EDIT_TYPED, "objtool", RISK_REVIEW, 0.7);
	for (size_t i = 0; i < c->tree->n && !g->n; i++) {
		struct srcfile *f = c->tree->files[i];
		size_t at = srcfile_is_c(f) ? 0 : behind_object(f, object);

		if (at)
			edit_add(g, f->path, at, at, line);
	}
	free(line);
	edit_group_title(g, "leave the prebuilt part of %s out of objtool's checks", object);
	edit_group_why(g, "objtool of %s refuses '%s', which no source of the driver holds: it comes "
			  "with the driver as an object. The module is linked without that check, "
			  "so that what it guards (return thunks, indirect calls, stack frames) is "
			  "not known to hold for this object.", propose_target(c), sym);
	g->symbol = xstrdup(sym);
out:
	free(object);
	if (g && g->n)
		edit_group_list_add(out, g);
	else
		edit_group_free(g);
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	const char *sym = c->b->diag.symbol;
	struct edit_group *g;
	size_t n;

	if (sym && c->b->diag.type && strcmp(sym, "init_module") && strcmp(sym, "cleanup_module"))
		propose_unchecked(c, sym, out);
	if (!sym || (strcmp(sym, "init_module") && strcmp(sym, "cleanup_module")))
		return 0;
	n = count_definitions(c, sym);
	g = edit_group_new(EDIT_TYPED, "entry", RISK_SAFE, 0.95);
	for (size_t i = 0; i < c->tree->n; i++) {
		struct srcfile *f = c->tree->files[i];
		char *stem = xstrndup(path_base(f->path), strlen(path_base(f->path)) - 2);
		const char *module = n == 1 && c->b->diag.type ? c->b->diag.type : stem;

		for (size_t e = 0; srcfile_is_c(f) && e < ARRAY_SIZE(entries); e++)
			if (file_uses_ident(f, entries[e].magic))
				convert(c, f, module, e, g);
		free(stem);
	}
	edit_group_title(g, "name the entry points by module_init() and module_exit()");
	edit_group_why(g, "objtool of %s refuses functions that are called init_module() and "
			  "cleanup_module(); module_init() and module_exit() make entry points "
			  "of functions with other names.", propose_target(c));
	g->symbol = xstrdup(sym);
	if (g->n)
		edit_group_list_add(out, g);
	else
		edit_group_free(g);
	return 0;
}

const struct proposer propose_entry = {
	.name = "entry",
	.kinds = KIND_BIT(DIAG_OBJTOOL),
	.propose = propose,
};
