// SPDX-License-Identifier: GPL-2.0-only
/*
 * A header that is gone with nothing in its place: structures and constants that board files
 * and one driver shared, such as <linux/platform_data/...>. Where the target declares nothing
 * that speaks of the type, it is the driver's own from now on, and its definition moves there.
 */
#include "base/compat.h"
#include "port/propose.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/file.h"
#include "port/usage.h"

#define TAGS (API_STRUCT | API_UNION | API_ENUM)
#define CONSTANTS (API_ENUMERATOR | API_MACRO)
#define MAX_ITEMS 256

/* A definition of the old header. */
struct item {
	size_t start, end; /* with the comment in front of it and the ";" */
	struct strvec names; /* tag, enumerators or macro; the first one is what it is called */
	bool is_type, is_macro, needed;
};

struct gone {
	const struct propose_ctx *c;
	const char *header;
	struct srcfile *text; /* of the header */
	struct item item[MAX_ITEMS];
	size_t n;
};

/* ---- the old header ------------------------------------------------------- */

static struct srcfile *read_header(const struct propose_ctx *c, const char *header)
{
	static const char *const dirs[] = { "include", "include/uapi" };
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	struct srcfile *f = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !f; i++) {
		char *path = xstrfmt("%s/%s/%s", c->from->common_dir, dirs[i], header);
		size_t len;

		strbuf_reset(&text);
		if (file_exists(path) && !file_read(path, 1 << 20, &text, &ignored)) {
			char *detached = strbuf_detach(&text, &len);

			f = srcfile_new(header, detached, len, c->from->version);
		}
		free(path);
	}
	strbuf_release(&text);
	strbuf_release(&ignored);
	return f;
}

/* From the comment right above, if there is one, to where it ends with its line. */
static void set_extent(struct gone *g, struct item *it, uint32_t first, uint32_t last)
{
	const struct ctoks *ts = srcfile_toks(g->text);
	size_t from = first ? ts->t[first - 1].off + ts->t[first - 1].len : 0;
	const char *comment, *text = g->text->text;

	it->start = ts->t[first].off;
	comment = memmem(text + from, it->start - from, "/*", 2);
	if (comment)
		it->start = (size_t)(comment - text);
	it->end = ts->t[last].off + ts->t[last].len;
	while (it->end < g->text->len && text[it->end] != '\n')
		it->end++;
}

static struct item *add_item(struct gone *g)
{
	struct item *it;

	if (g->n == MAX_ITEMS)
		return NULL;
	it = &g->item[g->n++];
	memset(it, 0, sizeof(*it));
	strvec_init(&it->names);
	return it;
}

static void add_enumerators(const struct ctoks *ts, const struct cstruct *s, struct item *it)
{
	struct clist l = clist_open(ts, s->body.first);
	struct cspan e;

	while (clist_next(&l, &e))
		if (ctok_is_ident(ts, e.first))
			strvec_push_nodup(&it->names, ctok_dup(ts, e.first));
}

static void read_types(struct gone *g)
{
	const struct ctoks *ts = srcfile_toks(g->text);
	const struct cfile *cf = srcfile_parse(g->text);

	for (size_t i = 0; i < cf->nstructs; i++) {
		const struct cstruct *s = &cf->structs[i];
		bool is_enum = ctok_is(ts, s->keyword, "enum");
		struct item *it;

		/* "struct x { } y;" declares something else besides. */
		if (!ctok_is(ts, s->body.end, ";") || (s->tag == CTOK_NONE && !is_enum) || !(it = add_item(g)))
			continue;
		it->is_type = s->tag != CTOK_NONE;
		if (it->is_type)
			strvec_push_nodup(&it->names, ctok_dup(ts, s->tag));
		if (is_enum)
			add_enumerators(ts, s, it);
		set_extent(g, it, s->keyword, s->body.end);
	}
}

static void read_macros(struct gone *g)
{
	const struct ctoks *ts = srcfile_toks(g->text);

	for (size_t i = 0; i < ts->n; i++) {
		const char *p = ts->text + ts->t[i].off, *end = p + ts->t[i].len, *name;
		struct item *it;

		if (ts->t[i].kind != CTOK_PP || !(p = memmem(p, (size_t)(end - p), "define", 6)))
			continue;
		for (name = p + 6; name < end && (*name == ' ' || *name == '\t'); name++)
			;
		for (p = name; p < end && (isalnum((unsigned char)*p) || *p == '_'); p++)
			;
		if (p == name || p == end || !(it = add_item(g)))
			continue; /* without a value: the header's guard */
		it->is_macro = true;
		strvec_push_nodup(&it->names, xstrndup(name, (size_t)(p - name)));
		set_extent(g, it, (uint32_t)i, (uint32_t)i);
	}
}

static int by_place(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* ---- what of it is needed -------------------------------------------------- */

static bool item_uses(const struct gone *g, const struct item *user, const struct item *what)
{
	const struct ctoks *ts = srcfile_toks(g->text);

	for (size_t i = 0; i < ts->n; i++) {
		if (ts->t[i].off < user->start || ts->t[i].off >= user->end)
			continue;
		for (size_t k = 0; k < what->names.n; k++)
			if (ctok_is(ts, i, what->names.v[k]))
				return true;
	}
	return false;
}

static bool file_needs(struct srcfile *f, const struct item *it)
{
	for (size_t k = 0; k < it->names.n; k++)
		if (file_uses_ident(f, it->names.v[k]))
			return true;
	return false;
}

static void mark_needed(struct gone *g, struct srcfile *f)
{
	bool more = true;

	for (size_t i = 0; i < g->n; i++)
		g->item[i].needed = file_needs(f, &g->item[i]);
	while (more) {
		more = false;
		for (size_t i = 0; i < g->n; i++)
			for (size_t k = 0; k < g->n && !g->item[i].needed; k++)
				if (g->item[k].needed && item_uses(g, &g->item[k], &g->item[i]))
					g->item[i].needed = more = true;
	}
}

/* Does the kernel, old or new, still have to do with it? */
static bool is_kernels(const struct gone *g, const struct item *it)
{
	const struct api_symbol **v = NULL;
	size_t takes = 0;

	for (size_t k = 0; k < it->names.n; k++)
		if (api_lookup(g->c->new_ix, it->names.v[k], API_ANY & ~API_MEMBER) ||
		    tree_defines(g->c->tree, it->names.v[k]))
			return true;
	if (!it->is_type)
		return false;
	for (int k = 0; k < 2 && !takes; k++) {
		char *type = xstrfmt("%s %s", k ? "union" : "struct", it->names.v[0]);

		takes = api_taking_type(g->c->old_ix, type, API_FUNCTION, &v);
		free(v);
		v = NULL;
		takes += api_mentions(g->c->new_ix, type);
		free(type);
	}
	return takes;
}

/* ---- the edit -------------------------------------------------------------- */

/* Behind the last #include that no condition is around; -1: there is none. */
static ssize_t behind_includes(struct srcfile *f)
{
	const struct ctoks *ts = srcfile_toks(f);
	int depth = 0;
	ssize_t at = -1;

	for (size_t i = 0; i < ts->n; i++) {
		const char *p = ts->text + ts->t[i].off + 1;

		if (ts->t[i].kind != CTOK_PP)
			continue;
		p += strspn(p, " \t");
		depth += starts_with(p, "if") - starts_with(p, "endif");
		if (starts_with(p, "include") && depth <= ends_with(f->path, ".h"))
			at = (ssize_t)(ts->t[i].off + ts->t[i].len);
	}
	while (at >= 0 && (size_t)at < f->len && f->text[at] != '\n')
		at++;
	return at;
}

static void offer(struct gone *g, struct srcfile *f, struct edit_group_list *out)
{
	ssize_t at = behind_includes(f);
	struct strbuf text = STRBUF_INIT;
	const struct item *prev = NULL;
	const char *first = NULL;
	struct edit_group *e;

	mark_needed(g, f);
	for (size_t i = 0; i < g->n; i++) {
		struct item *it = &g->item[i];

		if (!it->needed)
			continue;
		if (is_kernels(g, it)) {
			strbuf_release(&text);
			return;
		}
		if (!first || it->is_type)
			first = it->names.v[0];
		strbuf_addf(&text, "%s%.*s", it->is_macro && prev && prev->is_macro ? "\n" : "\n\n",
			    (int)(it->end - it->start), g->text->text + it->start);
		prev = it;
	}
	if (first && at >= 0) {
		e = edit_group_new(EDIT_TYPED, "gone", RISK_REVIEW, 0.6);
		edit_add(e, f->path, (size_t)at, (size_t)at, text.buf);
		e->symbol = xstrdup(first);
		edit_group_title(e, "define what <%s> declared", g->header);
		edit_group_why(e, "%s has <%s> no longer, and none of its declarations speaks of '%s': what the driver "
			       "uses of the header is its own now. Whoever else fills it in must have the same definition.",
			       propose_target(g->c), g->header, first);
		edit_group_list_add(out, e);
	}
	strbuf_release(&text);
}

static const struct api_symbol *old_declaration(const struct propose_ctx *c)
{
	const struct diag *d = &c->b->diag;
	const char *name = d->kind == DIAG_INCOMPLETE_TYPE ? d->type : d->symbol;

	return name ? api_lookup(c->old_ix, name, TAGS | CONSTANTS) : NULL;
}

static int propose(const struct propose_ctx *c, struct edit_group_list *out, struct strbuf *err)
{
	struct srcfile *f = c->b->path ? tree_file(c->tree, c->b->path) : NULL;
	const struct api_symbol *s = c->old_ix && f ? old_declaration(c) : NULL;
	struct gone g = { .c = c };

	if (!s || !s->header || !srcfile_is_c(f) || api_has_header(c->new_ix, s->header))
		return 0;
	g.header = s->header;
	g.text = read_header(c, s->header);
	if (!g.text)
		return 0;
	read_types(&g);
	read_macros(&g);
	sort_items(g.item, g.n, sizeof(g.item[0]), by_place);
	offer(&g, f, out);
	for (size_t i = 0; i < g.n; i++)
		strvec_release(&g.item[i].names);
	srcfile_unref(g.text);
	return 0;
}

const struct proposer propose_gone = {
	.name = "gone",
	.kinds = KIND_BIT(DIAG_INCOMPLETE_TYPE) | KIND_BIT(DIAG_UNDECLARED),
	.propose = propose,
};
