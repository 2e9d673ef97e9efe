// SPDX-License-Identifier: GPL-2.0-only
/* What is known of a symbol, as text for a model: the answers to UNKNOWN come from here too. */
#include "base/compat.h"
#include "port/model-internal.h"

#include "base/alloc.h"
#include "base/error.h"
#include "port/apiview.h"
#include "port/evidence.h"

#define MAX_EXAMPLES	3
#define MAX_EXAMPLE	1200 /* bytes of each side */
#define MAX_MEMBERS	80
#define MAX_NEIGHBOURS	30
#define MAX_CHANGES	12
#define MAX_COMMITS	4

void model_add_data(struct strbuf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		const char *nl = memchr(text + i, '\n', len - i);
		size_t n = nl ? (size_t)(nl - text) - i + 1 : len - i;

		/* The second blank keeps it from being the end of the block. */
		if (n >= 9 && !memcmp(text + i, "----- END", 9)) {
			strbuf_addstr(out, "-----  END");
			strbuf_add(out, text + i + 9, n - 9);
		} else {
			strbuf_add(out, text + i, n);
		}
		i += n;
	}
	if (len && text[len - 1] != '\n')
		strbuf_addch(out, '\n');
}

/* ---- declarations ------------------------------------------------------------------- */

static void add_decl(const char *release, const struct api_symbol *s, struct strbuf *out)
{
	strbuf_addf(out, "%s <%s>: ", release, s->header);
	apiview_decl(s, out);
	if (!s->active)
		strbuf_addf(out, " [left out by this kernel's configuration: %s]", s->cond ? s->cond : "#if");
	strbuf_addch(out, '\n');
	if (s->doc)
		strbuf_addf(out, "  (%s)\n", s->doc);
	if (s->body && (s->kind & (API_INLINE | API_MACRO_FN)) && strlen(s->body) < 600)
		strbuf_addf(out, "  body: %s\n", s->body);
}

static bool add_members(const char *release, struct api_index *ix, const char *type, struct strbuf *out)
{
	const struct api_symbol **list = NULL;
	size_t n = api_members(ix, type, &list);

	if (n)
		strbuf_addf(out, "%s %s {\n", release, type);
	for (size_t i = 0; i < n && i < MAX_MEMBERS; i++) {
		if (!list[i]->active)
			continue;
		strbuf_addch(out, '\t');
		apiview_decl(list[i], out);
		strbuf_addstr(out, ";\n");
	}
	if (n > MAX_MEMBERS)
		strbuf_addf(out, "\t(%zu more members)\n", n - MAX_MEMBERS);
	if (n)
		strbuf_addstr(out, "}\n");
	free(list);
	return n > 0;
}

static bool add_symbol(const struct model_ctx *x, struct api_index *ix, const char *release,
		       const char *symbol, struct strbuf *out)
{
	const struct api_symbol *s;

	if (!ix)
		return false;
	if (starts_with(symbol, "struct ") || starts_with(symbol, "union "))
		return add_members(release, ix, symbol, out);
	s = api_lookup(ix, symbol, API_ANY & ~API_MEMBER);
	if (s)
		add_decl(release, s, out);
	return s != NULL;
}

/* What else the header of a symbol that is gone offers now. */
static void add_neighbours(const struct model_ctx *x, const char *symbol, struct strbuf *out)
{
	const struct propose_ctx *p = x->propose;
	const struct api_symbol *was = p->old_ix ? api_lookup(p->old_ix, symbol, API_ANY_CALLABLE) : NULL;
	const struct api_symbol *is = api_lookup(p->new_ix, symbol, API_ANY_CALLABLE);
	const struct api_symbol **list = NULL;
	size_t n, shown = 0;

	if (!was || (is && is->active))
		return;
	n = api_in_header(p->new_ix, was->header, API_ANY_CALLABLE, &list);
	for (size_t i = 0; i < n && shown < MAX_NEIGHBOURS; i++) {
		if (*list[i]->name == '_' || !list[i]->active)
			continue;
		if (!shown++)
			strbuf_addf(out, "<%s> of %s offers:\n", was->header, p->to->name);
		strbuf_addstr(out, "  ");
		apiview_decl(list[i], out);
		strbuf_addch(out, '\n');
	}
	free(list);
}

/* ---- changes, commits, examples ------------------------------------------------------- */

static bool add_changes(const struct model_ctx *x, const char *symbol, struct strbuf *out)
{
	const struct api_change **list = NULL;
	size_t n = x->propose->diff ? api_diff_lookup(x->propose->diff, symbol, &list) : 0;

	for (size_t i = 0; i < n && i < MAX_CHANGES; i++) {
		strbuf_addf(out, "%s: ", symbol);
		apiview_change(list[i], out);
		strbuf_addch(out, '\n');
	}
	free(list);
	return n > 0;
}

static bool add_commits(const char *symbol, struct strbuf *out)
{
	struct evidence e;
	size_t n;

	evidence_find(NULL, symbol, NULL, NULL, 0, &e);
	n = e.ncommits;
	for (size_t i = 0; i < n && i < MAX_COMMITS; i++) {
		const struct cochange *c = &e.commit[i];

		strbuf_addf(out, "commit %.12s (%s): %s\n", c->commit, c->release ? c->release : "no release",
			    c->subject);
		if (c->old_decl)
			strbuf_addf(out, "  before: %s\n", c->old_decl);
		if (c->new_decl)
			strbuf_addf(out, "  after:  %s\n", c->new_decl);
	}
	evidence_release(&e);
	return n > 0;
}

static void add_side(const char *name, const char *text, struct strbuf *out)
{
	size_t n = strlen(text);

	strbuf_addf(out, "%s:\n", name);
	if (!n)
		strbuf_addstr(out, "\t(nothing)\n");
	else
		model_add_data(out, text, n < MAX_EXAMPLE ? n : MAX_EXAMPLE);
	if (n > MAX_EXAMPLE)
		strbuf_addf(out, "[%zu bytes more are not shown]\n", n - MAX_EXAMPLE);
}

static const char *last_word(const char *s)
{
	const char *sp = strrchr(s, ' ');

	return sp ? sp + 1 : s;
}

/* Never from the driver that is being ported: propose_ctx.exclude. */
static bool add_examples(const struct model_ctx *x, const char *symbol, size_t max, struct strbuf *out)
{
	const struct propose_ctx *p = x->propose;
	const char *word = last_word(symbol);
	struct example *list = NULL;
	size_t n, useful;

	if (!p->examples)
		return false;
	n = examples_for(p->examples, word, p->exclude, 200, &list);
	useful = examples_rank(list, n, word, NULL);
	for (size_t i = 0; i < useful && i < max; i++) {
		strbuf_addf(out, "-- %s%s%s, as other kernel code followed\n", list[i].path,
			    list[i].function ? ", " : "", list[i].function ? list[i].function : "");
		add_side("before", list[i].before, out);
		add_side("after", list[i].after, out);
	}
	examples_free_list(list, n);
	return useful > 0;
}

void model_evidence(const struct model_ctx *x, const char *symbol, const char *type, bool examples,
		    struct strbuf *out)
{
	const struct propose_ctx *p = x->propose;

	if (type) {
		add_changes(x, type, out);
		if (p->old_ix)
			add_symbol(x, p->old_ix, p->from->name, type, out);
		add_symbol(x, p->new_ix, p->to->name, type, out);
	}
	if (!symbol)
		return;
	add_changes(x, symbol, out);
	if (p->old_ix && !add_symbol(x, p->old_ix, p->from->name, symbol, out) && !type)
		strbuf_addf(out, "%s: no header declares '%s'\n", p->from->name, symbol);
	if (!add_symbol(x, p->new_ix, p->to->name, symbol, out) && !type)
		strbuf_addf(out, "%s: no header declares '%s'\n", p->to->name, symbol);
	add_neighbours(x, symbol, out);
	add_commits(symbol, out);
	if (examples)
		add_examples(x, symbol, MAX_EXAMPLES, out);
}

/* ---- UNKNOWN -------------------------------------------------------------------------- */

static bool add_own_function(const struct model_ctx *x, const char *name, struct strbuf *out)
{
	for (size_t i = 0; i < x->tree->n; i++) {
		struct srcfile *f = x->tree->files[i];
		const struct cfunc *fn = srcfile_is_c(f) ? cfile_func(srcfile_parse(f), name) : NULL;
		char *text;

		if (!fn)
			continue;
		if (!model_may_send(x->m, f->path)) {
			strbuf_addf(out, "It is in '%s', which may not be shown.\n", f->path);
			return true;
		}
		text = model_func_text(f, fn, NULL, NULL);
		strbuf_addf(out, "%s, line %d:\n", f->path, srcfile_line(f, srcfile_span_start(f, fn->body)));
		model_add_data(out, text, strlen(text));
		free(text);
		return true;
	}
	return false;
}

bool model_lookup(const char *kind, const char *name, struct strbuf *out, void *payload)
{
	const struct model_ctx *x = payload;
	const struct propose_ctx *p = x->propose;
	char *tagged = strchr(name, ' ') ? NULL : xstrfmt("struct %s", name);
	bool found = false;

	if (!strcmp(kind, "examples") || !strcmp(kind, "example")) {
		found = add_examples(x, name, 6, out);
	} else if (!strcmp(kind, "commit") || !strcmp(kind, "commits")) {
		found = add_changes(x, name, out);
		found |= add_commits(name, out);
	} else {
		found = add_own_function(x, name, out);
		found |= add_changes(x, name, out);
		found |= add_symbol(x, p->old_ix, p->from ? p->from->name : "", name, out);
		found |= add_symbol(x, p->new_ix, p->to->name, name, out);
		if (!found && tagged) {
			found |= add_symbol(x, p->old_ix, p->from ? p->from->name : "", tagged, out);
			found |= add_symbol(x, p->new_ix, p->to->name, tagged, out);
		}
	}
	free(tagged);
	return found;
}
