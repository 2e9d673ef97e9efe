// SPDX-License-Identifier: GPL-2.0-only
/* Every use of the changed symbols in the old tree, with what became of it in the new one. */
#include "base/compat.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "mine/examples-db.h"
#include "port/learn-internal.h"
#include "port/memberuse.h"
#include "port/usage.h"

#define MAX_FILE_BYTES	(2u << 20)
#define MAX_SIDE_UNITS	12
#define MAX_SIDE_TOKENS 320

/* ---- files ---------------------------------------------------------------------- */

static struct srcfile *file_new(const char *path, struct strbuf *text)
{
	struct srcfile *f = xcalloc(1, sizeof(*f));

	f->refs = 1;
	f->path = xstrdup(path);
	f->len = text->len;
	f->text = strbuf_detach(text, NULL);
	return f;
}

static void file_free(struct srcfile *f)
{
	if (!f)
		return;
	if (f->parsed)
		cfile_release(f->parsed);
	if (f->toks)
		ctoks_release(f->toks);
	free(f->parsed);
	free(f->toks);
	free(f->path);
	free(f->text);
	free(f);
}

int learn_file_number(struct learn_file *lf)
{
	if (lf->number < 0) {
		lf->number = (int)lf->l->paths.n;
		strvec_push(&lf->l->paths, lf->path);
	}
	return lf->number;
}

static void on_hunk(const struct cunits_hunk *h, void *payload)
{
	struct learn_file *lf = payload;

	ALLOC_GROW(lf->h, lf->nh + 1, lf->h_alloc);
	lf->h[lf->nh++] = *h;
	for (size_t u = h->a; u < h->a_end; u++)
		lf->hunk[u] = (uint32_t)lf->nh;
}

static int compare(struct learn_file *lf, struct strbuf *err)
{
	cunits_split(&lf->us[0], srcfile_toks(lf->f));
	lf->hunk = xcalloc(lf->us[0].n + 1, sizeof(*lf->hunk));
	if (lf->g == lf->f)
		return 0;
	cunits_split(&lf->us[1], srcfile_toks(lf->g));
	return cunits_diff(&lf->us[0], &lf->us[1], on_hunk, lf, err);
}

static void release(struct learn_file *lf)
{
	cunits_release(&lf->us[0]);
	cunits_release(&lf->us[1]);
	if (lf->g != lf->f)
		file_free(lf->g);
	file_free(lf->f);
	free(lf->hunk);
	free(lf->h);
	strmap_release(&lf->types, free);
}

/* ---- is it the kernel's? ---------------------------------------------------------- */

static bool is_access(const struct ctoks *ts, size_t i)
{
	return i > 0 && (ctok_is(ts, i - 1, "->") || ctok_is(ts, i - 1, "."));
}

/* Structure type of the object whose initialiser holds the token directly, from the file's objects. */
static char *object_type(struct learn_file *lf, uint32_t tok)
{
	const struct cfile *cf = srcfile_parse(lf->f);
	const struct ctoks *ts = srcfile_toks(lf->f);

	for (size_t i = 0; i < cf->nobjects; i++) {
		const struct cobject *o = &cf->objects[i];
		int depth = -1;

		if (tok < o->init.first || tok >= o->init.end)
			continue;
		for (uint32_t k = o->init.first; k < tok; k++) {
			if (!ctok_is(ts, k, "{") && !ctok_is(ts, k, "("))
				continue;
			if (ts->t[k].match != CTOK_NONE && ts->t[k].match < tok)
				k = ts->t[k].match;
			else
				depth++;
		}
		if (o->tag == CTOK_NONE || !o->tag_is_struct || depth != (o->is_array ? 1 : 0))
			return NULL;
		return xstrfmt("%s %.*s", ctok_is(ts, o->tag - 1, "union") ? "union" : "struct",
			       (int)ts->t[o->tag].len, ts->text + ts->t[o->tag].off);
	}
	return NULL;
}

static uint32_t base_start(const struct ctoks *ts, uint32_t op)
{
	uint32_t i = op;

	while (i > 0) {
		uint32_t p = i - 1;

		if ((ctok_is(ts, p, "]") || ctok_is(ts, p, ")")) && ts->t[p].match < p) {
			i = ts->t[p].match;
			continue;
		}
		if (!ctok_is_ident(ts, p))
			return i;
		i = p;
		if (!is_access(ts, i))
			return i;
		i--;
	}
	return i;
}

/* Type of what a member is taken from; the same base in the same function has the same. */
static const char *base_type(struct learn_file *lf, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(lf->f);
	struct propose_ctx c = { .new_ix = lf->l->pair->old_ix, .tree = &lf->tree };
	const struct cfunc *fn = srcfile_func_at(lf->f, ts->t[tok].off);
	struct strbuf key = STRBUF_INIT;
	char *type;

	strbuf_addf(&key, "%u ", fn ? fn->name : CTOK_NONE);
	ctoks_normal(ts, base_start(ts, tok - 1), tok, &key);
	if (!strmap_has(&lf->types, key.buf))
		strmap_put(&lf->types, key.buf, member_base_type(&c, lf->f, tok));
	type = strmap_get(&lf->types, key.buf);
	strbuf_release(&key);
	return type;
}

static bool is_designator(const struct ctoks *ts, uint32_t tok)
{
	return tok > 1 && ctok_is(ts, tok - 1, ".") && !ctok_is_ident(ts, tok - 2) &&
	       !ctok_is(ts, tok - 2, ")") && !ctok_is(ts, tok - 2, "]");
}

/* Structure that a designator at the token belongs to; newly allocated or NULL. */
static char *designated(struct learn_file *lf, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(lf->f);
	struct propose_ctx c = { .new_ix = lf->l->pair->old_ix, .tree = &lf->tree };

	if (srcfile_func_at(lf->f, ts->t[tok].off))
		return member_base_type(&c, lf->f, tok);
	return object_type(lf, tok);
}

static bool is_member_use(struct learn_file *lf, const struct learn_change *c, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(lf->f);
	char *type;
	bool same;

	if (!is_access(ts, tok))
		return false;
	if (!is_designator(ts, tok)) {
		const char *t = base_type(lf, tok);

		return t && !strcmp(t, c->parent);
	}
	type = designated(lf, tok);
	same = type && !strcmp(type, c->parent);
	free(type);
	return same;
}

/* A local variable, parameter or function of the file hides what the kernel declares. */
static bool is_own(struct learn_file *lf, const struct learn_change *c, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(lf->f);
	struct scope s = { 0 };
	bool own;

	if (ctok_is(ts, tok + 1, "("))
		return false;
	scope_collect(lf->f, srcfile_func_at(lf->f, ts->t[tok].off), tok, &s);
	own = scope_find(&s, c->name) != NULL;
	scope_release(&s);
	return own;
}

static bool is_use(struct learn_file *lf, const struct learn_change *c, uint32_t tok)
{
	const struct ctoks *ts = srcfile_toks(lf->f);
	bool tag = tok > 0 && (ctok_is(ts, tok - 1, "struct") || ctok_is(ts, tok - 1, "union") ||
			       ctok_is(ts, tok - 1, "enum"));

	switch (c->place) {
	case LEARN_MEMBER:
		return is_member_use(lf, c, tok);
	case LEARN_TAG:
		return tag && !ctok_is(ts, tok + 1, "{");
	case LEARN_NAME:
		if (tag || is_access(ts, tok))
			return false;
		/* "type name(" at the top level is a declaration. */
		if (tok > 0 && (ctok_is_ident(ts, tok - 1) || ctok_is(ts, tok - 1, "*")) &&
		    !srcfile_func_at(lf->f, ts->t[tok].off))
			return false;
		return !is_own(lf, c, tok);
	default:
		return false;
	}
}

/* ---- sites ---------------------------------------------------------------------------- */

static uint32_t unit_of(const struct cunits *us, uint32_t tok)
{
	size_t lo = 0, hi = us->n;

	while (lo + 1 < hi) {
		size_t mid = (lo + hi) / 2;

		if (us->u[mid].first <= tok)
			lo = mid;
		else
			hi = mid;
	}
	return (uint32_t)lo;
}

static char *text_of(const struct cunits *us, size_t from, size_t to)
{
	const struct ctok *a, *z;

	if (from >= to)
		return xstrdup("");
	a = &us->ts->t[us->u[from].first];
	z = &us->ts->t[us->u[to - 1].end - 1];
	return xstrndup(us->ts->text + a->off, z->off + z->len - a->off);
}

/* Occurrences of the name in units, those as members or the others; the calls' arguments appended. */
static size_t count_in(const struct cunits *us, size_t from, size_t to, const struct learn_change *c,
		       struct strbuf *calls)
{
	const struct ctoks *ts = us->ts;
	size_t n = 0;

	for (size_t i = from < to ? us->u[from].first : 0; from < to && i < us->u[to - 1].end; i++) {
		if (!ctok_is(ts, i, c->name) || is_access(ts, i) != (c->place == LEARN_MEMBER))
			continue;
		n++;
		if (ctok_is(ts, i + 1, "(") && ts->t[i + 1].match != CTOK_NONE)
			ctoks_normal(ts, i, ts->t[i + 1].match, calls);
		strbuf_addch(calls, ';');
	}
	return n;
}

static bool is_answer(const struct learn_file *lf, const struct cunits_hunk *h,
		      const struct learn_change *c)
{
	const unsigned calls_change = 1u << CHANGE_SIGNATURE | 1u << CHANGE_MACRO_ARITY;
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	size_t a = count_in(&lf->us[0], h->a, h->a_end, c, &x);
	size_t b = count_in(&lf->us[1], h->b, h->b_end, c, &y);
	bool yes = b < a;

	if (!yes && (c->kinds & calls_change))
		yes = strcmp(x.buf, y.buf) != 0;
	if (!yes && (c->kinds & 1u << CHANGE_RETURN_TYPE))
		yes = a == b;
	strbuf_release(&x);
	strbuf_release(&y);
	return yes;
}

static void add_occ(struct learn_site *s, uint32_t tok)
{
	if (!s->occ)
		s->occ = xcalloc(MAX_SIDE_TOKENS, sizeof(*s->occ));
	if (s->nocc < MAX_SIDE_TOKENS)
		s->occ[s->nocc++] = tok;
}

static struct learn_site *add_site(struct learn_file *lf, struct learn_change *c, uint32_t tok,
				   const struct cunits_hunk *h, bool changed)
{
	const struct ctoks *ts = srcfile_toks(lf->f);
	uint32_t first = lf->us[0].u[h->a].first;
	const struct cfunc *fn;
	struct learn_site *s;

	ALLOC_GROW(c->site, c->nsites + 1, c->site_alloc);
	s = &c->site[c->nsites++];
	memset(s, 0, sizeof(*s));
	s->file = learn_file_number(lf);
	s->path = lf->path;
	s->line = (int)ts->t[tok].line;
	s->answered = changed && is_answer(lf, h, c);
	s->large = h->a_end - h->a > MAX_SIDE_UNITS || h->b_end - h->b > MAX_SIDE_UNITS ||
		   cunits_tokens(&lf->us[0], h->a, h->a_end) > MAX_SIDE_TOKENS ||
		   cunits_tokens(&lf->us[1], h->b, h->b_end) > MAX_SIDE_TOKENS;
	s->before = s->large ? xstrdup("") : text_of(&lf->us[0], h->a, h->a_end);
	s->after = !changed ? NULL : s->large ? xstrdup("") : text_of(&lf->us[1], h->b, h->b_end);
	if (ctok_is(ts, first, ".") && is_designator(ts, first + 1)) {
		s->designator = true;
		s->object = designated(lf, first + 1);
	}
	fn = cfile_func_at(srcfile_parse(lf->f), tok);
	if (fn && changed) {
		char *name = ctok_dup(ts, fn->name);

		s->gone = !cfile_func(srcfile_parse(lf->g), name);
		free(name);
	}
	return s;
}

/* Uses of one change in the file: those in one hunk, or in one unchanged unit, are one site. */
static void read_uses(struct learn_file *lf, struct learn_change *c)
{
	const struct ctoks *ts = srcfile_toks(lf->f);
	struct learn_site *s = NULL;
	uint32_t behind = 0;

	if (c->place == LEARN_NAME && file_defines(lf->f, c->name))
		return;
	for (uint32_t i = 0; i < ts->n; i++) {
		struct cunits_hunk h;
		uint32_t u;

		if (ts->t[i].kind != CTOK_IDENT || (ts->t[i].flags & CTOK_DEAD) ||
		    !ctok_is(ts, i, c->name) || !is_use(lf, c, i))
			continue;
		u = unit_of(&lf->us[0], i);
		h = lf->hunk[u] ? lf->h[lf->hunk[u] - 1] : (struct cunits_hunk){ u, u + 1, 0, 0 };
		if (!s || i >= behind)
			s = add_site(lf, c, i, &h, lf->hunk[u] != 0);
		behind = lf->us[0].u[h.a_end - 1].end;
		add_occ(s, i - lf->us[0].u[h.a].first);
	}
}

/* ---- headers -------------------------------------------------------------------------- */

static void read_header(struct learn_file *lf, struct learn_change *c)
{
	struct include_list was = { 0 }, is = { 0 };
	struct strbuf added = STRBUF_INIT;
	struct learn_site *s;
	bool still = file_has_include(lf->g, c->name);

	if (!file_has_include(lf->f, c->name))
		return;
	file_includes(lf->g, &is);
	for (size_t i = 0; i < is.n; i++)
		if (is.v[i].angle && !file_has_include(lf->f, is.v[i].name))
			strbuf_addf(&added, "%s\n", is.v[i].name);
	ALLOC_GROW(c->site, c->nsites + 1, c->site_alloc);
	s = &c->site[c->nsites++];
	memset(s, 0, sizeof(*s));
	s->file = learn_file_number(lf);
	s->path = lf->path;
	s->before = xstrdup(c->name);
	s->after = still ? NULL : xstrdup(added.buf);
	s->answered = !still;
	include_list_release(&was);
	include_list_release(&is);
	strbuf_release(&added);
}

/* ---- which changes a file is about ------------------------------------------------------- */

struct mention {
	struct learn_names **names;
	size_t n, alloc;
	struct strmap words; /* names of changes and tags of their structures, that occur */
};

/* Words of the text that are a name or tag of a change; also what is included. */
static void find_words(const struct strmap *wanted, const char *text, size_t len, struct strmap *found)
{
	char word[128];

	for (size_t i = 0; i < len;) {
		size_t start = i;

		if (text[i] == '<' || isalpha((unsigned char)text[i]) || text[i] == '_') {
			bool header = text[i] == '<';

			start += header;
			for (i = start; i < len && (isalnum((unsigned char)text[i]) || text[i] == '_' ||
						    (header && strchr("/.-", text[i]) && text[i])); i++)
				;
			if (i > start && i - start < sizeof(word)) {
				memcpy(word, text + start, i - start);
				word[i - start] = '\0';
				if (strmap_has(wanted, word))
					strmap_put(found, word, NULL);
				if (header)
					i = start;
			}
			if (i == start && !header)
				i++;
		} else if (isdigit((unsigned char)text[i])) {
			while (i < len && (isalnum((unsigned char)text[i]) || text[i] == '_'))
				i++;
		} else {
			i++;
		}
	}
}

static const char *tag_of(const char *parent)
{
	const char *space = strrchr(parent, ' ');

	return space ? space + 1 : parent;
}

static bool is_about(const struct learn_change *c, const struct strmap *found)
{
	return strmap_has(found, c->name) && (!c->parent || strmap_has(found, tag_of(c->parent)));
}

static void read_changes(struct learn_file *lf, const struct strmap *found)
{
	for (size_t i = 0; i < lf->l->n; i++) {
		struct learn_change *c = lf->l->change[i];

		if (!is_about(c, found))
			continue;
		if (c->place == LEARN_HEADER)
			read_header(lf, c);
		else if (c->place == LEARN_CALLBACK)
			learn_callback_sites(lf, c);
		else
			read_uses(lf, c);
	}
}

static int read_pair(struct learn *l, const struct file_pair *p, const struct strmap *wanted,
		     struct strbuf *err)
{
	char *a = path_join(l->pair->from->source_dir, p->old_path);
	char *b = path_join(l->pair->to->source_dir, p->new_path);
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT, ignored = STRBUF_INIT;
	struct strmap found = STRMAP_INIT;
	struct learn_file lf = { .l = l, .path = p->old_path, .number = -1 };
	bool about = false;
	int ret = 0;

	if (file_read(a, MAX_FILE_BYTES, &x, &ignored) == 0) {
		find_words(wanted, x.buf, x.len, &found);
		for (size_t i = 0; found.live && i < l->n && !about; i++)
			about = is_about(l->change[i], &found);
	}
	if (about && file_read(b, MAX_FILE_BYTES, &y, &ignored) == 0) {
		bool same = x.len == y.len && !memcmp(x.buf, y.buf, x.len);

		lf.f = file_new(p->old_path, &x);
		lf.g = same ? lf.f : file_new(p->new_path, &y);
		lf.tree = (struct tree){ .refs = 1, .files = &lf.f, .n = 1 };
		ret = compare(&lf, err);
		if (!ret)
			read_changes(&lf, &found);
		l->nread += lf.number >= 0;
		release(&lf);
	}
	strmap_release(&found, NULL);
	strbuf_release(&x);
	strbuf_release(&y);
	strbuf_release(&ignored);
	free(a);
	free(b);
	return ret;
}

/* ---- all of them --------------------------------------------------------------------------- */

static void count_answers(struct learn_change *c)
{
	int last = -1;

	if (c->place == LEARN_CALLBACK)
		return; /* counted as they are read */
	for (size_t i = 0; i < c->nsites; i++)
		if (c->site[i].answered && c->site[i].file != last) {
			last = c->site[i].file;
			c->files++;
		}
}

static int by_files(const void *a, const void *b)
{
	const struct learn_change *x = *(struct learn_change *const *)a;
	const struct learn_change *y = *(struct learn_change *const *)b;

	if (x->files != y->files)
		return x->files > y->files ? -1 : 1;
	return strcmp(x->title, y->title);
}

/* The strings move while the list grows. */
static void set_paths(struct learn *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->change[i]->nsites; k++)
			l->change[i]->site[k].path = l->paths.v[l->change[i]->site[k].file];
}

int learn_read(struct learn *l, const struct strvec *dirs, size_t top,
	       void (*progress)(uint64_t done, uint64_t total, void *payload), void *payload,
	       struct strbuf *err)
{
	static const char *const usual[] = { "drivers", "sound", "net", "fs", "block", "crypto",
					     "lib", "samples", "arch/x86" };
	struct strmap wanted = STRMAP_INIT;
	struct file_pairs pairs = { 0 };
	int ret;

	for (size_t i = 0; i < l->n; i++) {
		strmap_put(&wanted, l->change[i]->name, NULL);
		if (l->change[i]->parent)
			strmap_put(&wanted, tag_of(l->change[i]->parent), NULL);
	}
	ret = file_pairs_find(l->pair->from->source_dir, l->pair->to->source_dir,
			      dirs && dirs->n ? dirs->v : usual,
			      dirs && dirs->n ? dirs->n : ARRAY_SIZE(usual), &pairs, err);
	l->nfiles = pairs.n;
	for (size_t i = 0; i < pairs.n && !ret; i++) {
		if (child_interrupted())
			ret = kp_fail(err, KP_INTERRUPTED, "interrupted");
		else if (!examples_excluded(l->exclude, pairs.p[i].old_path))
			ret = read_pair(l, &pairs.p[i], &wanted, err);
		if (progress)
			progress(i + 1, pairs.n, payload);
	}
	set_paths(l);
	for (size_t i = 0; i < l->n; i++)
		count_answers(l->change[i]);
	sort_items(l->change, l->n, sizeof(*l->change), by_files);
	for (size_t i = l->n; i > 0 && !l->change[i - 1]->files; i--)
		top = i - 1 < top ? i - 1 : top;
	learn_keep(l, top);
	file_pairs_release(&pairs);
	strmap_release(&wanted, NULL);
	return ret;
}
