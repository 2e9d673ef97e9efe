// SPDX-License-Identifier: GPL-2.0-only
/* Candidate cases from two source trees: what a driver's changed lines use of what changed. */
#include "base/compat.h"
#include "mine/cases.h"

#include "base/alloc.h"
#include "base/ctoken.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"
#include "mine/apidiff.h"

#define MAX_SOURCE (2u << 20)
#define SURE 0.6

/* Changes by the word that stands in a driver's text. */
struct words {
	struct strmap plain;	/* identifier -> struct api_change */
	struct strmap members;	/* member -> struct strvec * of "struct foo" that have it */
	struct strmap changes;	/* "struct foo.bar" -> struct api_change */
	struct strmap headers;
};

static const char *taxonomy(const struct api_change *c)
{
	bool macro = c->from && (c->from->kind & (API_MACRO | API_MACRO_FN | API_ENUMERATOR));

	switch (c->kind) {
	case CHANGE_RENAMED: return "rename";
	case CHANGE_REMOVED: return macro && c->from->kind != API_MACRO_FN ? "constant" : "removal";
	case CHANGE_SIGNATURE: case CHANGE_RETURN_TYPE: case CHANGE_MACRO_ARITY: return "signature";
	case CHANGE_CONST: return "hardening";
	case CHANGE_HEADER_GONE: return "header-move";
	case CHANGE_KIND: return "macro";
	case CHANGE_NAMESPACE: return "namespace";
	default: return "member";
	}
}

static bool is_callback(const struct api_change *c)
{
	return c->from && c->from->params;
}

/* Kinds that a driver has to follow, and that its text shows. */
static bool is_drift(const struct api_change *c)
{
	if (c->confidence < SURE)
		return false;
	switch (c->kind) {
	case CHANGE_REMOVED: case CHANGE_RENAMED: case CHANGE_SIGNATURE: case CHANGE_RETURN_TYPE:
	case CHANGE_MACRO_ARITY: case CHANGE_HEADER_GONE:
		return true;
	case CHANGE_CONST:
		return c->member && is_callback(c);
	case CHANGE_TYPE: case CHANGE_MEMBER_MOVED: case CHANGE_MEMBER_RENAMED:
	case CHANGE_MEMBER_REMOVED:
		return c->member != NULL;
	default:
		return false;
	}
}

static void add_member(struct words *w, const struct api_change *c)
{
	const char *last = strrchr(c->member, '.'), *name = last ? last + 1 : c->member;
	struct strvec *owners = strmap_get(&w->members, name);
	char *full = xstrfmt("%s.%s", c->symbol, name);

	if (!owners) {
		owners = xcalloc(1, sizeof(*owners));
		strvec_init(owners);
		strmap_put(&w->members, name, owners);
	}
	if (!strvec_contains(owners, c->symbol))
		strvec_push(owners, c->symbol);
	if (!strmap_has(&w->changes, full))
		strmap_put(&w->changes, full, (void *)c);
	free(full);
}

/* A source tree has no asm/ wrappers of the generic headers yet: drivers include those. */
static void add_header(struct words *w, const struct api_change *c)
{
	const char *rest;

	strmap_put(&w->headers, c->symbol, (void *)c);
	if (skip_prefix(c->symbol, "asm-generic/", &rest)) {
		char *name = xstrfmt("asm/%s", rest);

		if (!strmap_has(&w->headers, name))
			strmap_put(&w->headers, name, (void *)c);
		free(name);
	}
}

static void words_of(struct api_diff *df, struct words *w)
{
	const struct api_change *all;
	size_t n = api_diff_all(df, &all);

	strmap_init(&w->plain);
	strmap_init(&w->members);
	strmap_init(&w->changes);
	strmap_init(&w->headers);
	for (size_t i = 0; i < n; i++) {
		const struct api_change *c = &all[i];

		if (!is_drift(c))
			continue;
		if (c->kind == CHANGE_HEADER_GONE)
			add_header(w, c);
		else if (c->member)
			add_member(w, c);
		else if (!strchr(c->symbol, ' ') && !strmap_has(&w->plain, c->symbol))
			strmap_put(&w->plain, c->symbol, (void *)c);
	}
}

static void free_owners(void *payload)
{
	strvec_release(payload);
	free(payload);
}

static void words_release(struct words *w)
{
	strmap_release(&w->plain, NULL);
	strmap_release(&w->members, free_owners);
	strmap_release(&w->changes, NULL);
	strmap_release(&w->headers, NULL);
}

/* ---- one driver ----------------------------------------------------------------------------- */

static void lines_of(const char *text, struct strmap *out)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = xstrndup(text, len);

		strmap_put(out, line, NULL);
		free(line);
		text += len + (text[len] == '\n');
	}
}

/* The lines of one text that the other has nowhere. */
static void only_in(const char *text, const char *other, struct strbuf *out)
{
	struct strmap lines;

	strmap_init(&lines);
	lines_of(other, &lines);
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = xstrndup(text, len);

		if (!strmap_has(&lines, line))
			strbuf_addf(out, "%s\n", line);
		free(line);
		text += len + (text[len] == '\n');
	}
	strmap_release(&lines, NULL);
}

static void found(struct candidate *c, const struct api_change *ch, const char *name)
{
	case_add_symbol(c, name, api_change_name(ch->kind), taxonomy(ch), ch->to_name, ch->confidence);
}

/* A member counts when the file names its structure. */
static void one_member(struct candidate *c, const struct words *w, const struct strmap *idents, const char *name,
		       bool callbacks)
{
	const struct strvec *owners = strmap_get(&w->members, name);

	for (size_t i = 0; owners && i < owners->n; i++) {
		const char *space = strchr(owners->v[i], ' ');
		char *full;

		if (!strmap_has(idents, space ? space + 1 : owners->v[i]))
			continue;
		full = xstrfmt("%s.%s", owners->v[i], name);
		if (!callbacks || is_callback(strmap_get(&w->changes, full)))
			found(c, strmap_get(&w->changes, full), full);
		free(full);
	}
}

static void included(struct candidate *c, const struct words *w, const char *text)
{
	for (const char *p = text; (p = strstr(p, "#include <")) != NULL;) {
		char *name;
		const struct api_change *ch;

		p += strlen("#include <");
		name = xstrndup(p, strcspn(p, ">\n"));
		ch = strmap_get(&w->headers, name);
		if (ch)
			found(c, ch, name);
		free(name);
	}
}

static void all_idents(const char *text, struct strmap *out)
{
	struct ctoks ts = { 0 };

	if (ctoks_scan(&ts, text, strlen(text)) == 0)
		for (size_t i = 0; i < ts.n; i++)
			if (ctok_is_ident(&ts, i)) {
				char *name = ctok_dup(&ts, i);

				strmap_put(out, name, NULL);
				free(name);
			}
	ctoks_release(&ts);
}

/*
 * Callbacks that are filled in: the line may stay as it is when the function that it
 * names follows.
 */
static void find_callbacks(struct candidate *c, const struct words *w, const struct strmap *idents, const char *old)
{
	struct ctoks ts = { 0 };

	if (ctoks_scan(&ts, old, strlen(old)) == 0)
		for (size_t i = 2; i < ts.n; i++) {
			char *name;

			if (!ctok_is_ident(&ts, i) || !ctok_is(&ts, i - 1, ".") || !ctok_is(&ts, i + 1, "=") ||
			    !(ctok_is(&ts, i - 2, "{") || ctok_is(&ts, i - 2, ",")))
				continue;
			name = ctok_dup(&ts, i);
			one_member(c, w, idents, name, true);
			free(name);
		}
	ctoks_release(&ts);
}

/* What the lines that went or changed use of what changed in the headers. */
static void find_symbols(struct candidate *c, const struct words *w, const char *old, const char *gone)
{
	struct ctoks ts = { 0 };
	struct strmap idents;

	strmap_init(&idents);
	all_idents(old, &idents);
	if (ctoks_scan(&ts, gone, strlen(gone)) == 0) {
		for (size_t i = 0; i < ts.n; i++) {
			char *name;
			const struct api_change *ch;

			if (!ctok_is_ident(&ts, i))
				continue;
			name = ctok_dup(&ts, i);
			if (i && (ctok_is(&ts, i - 1, ".") || ctok_is(&ts, i - 1, "->")))
				one_member(c, w, &idents, name, false);
			else if ((ch = strmap_get(&w->plain, name)) != NULL &&
				 (ctok_is(&ts, i + 1, "(") || !ch->from || !(ch->from->kind & API_ANY_CALLABLE)))
				found(c, ch, name);
			free(name);
		}
		included(c, w, gone);
	}
	find_callbacks(c, w, &idents, old);
	ctoks_release(&ts);
	strmap_release(&idents, NULL);
}

struct trees {
	const char *old_src, *new_src;
	json_t *from, *to;
	struct words w;
	struct case_list *out;
};

static void one_driver(struct trees *t, const struct intree_driver *d)
{
	char *old_path = path_join(t->old_src, d->path), *new_path = path_join(t->new_src, d->path);
	struct strbuf old = STRBUF_INIT, new = STRBUF_INIT, gone = STRBUF_INIT, ignored = STRBUF_INIT;
	struct candidate *c;

	t->out->drivers++;
	if (!file_exists(new_path) || file_read(old_path, MAX_SOURCE, &old, &ignored) ||
	    file_read(new_path, MAX_SOURCE, &new, &ignored) || (old.len == new.len && !memcmp(old.buf, new.buf, old.len)))
		goto out;
	t->out->differ++;
	only_in(old.buf, new.buf, &gone);
	c = case_add(t->out, CASE_RELEASE);
	find_symbols(c, &t->w, old.buf, gone.buf);
	if (!c->nsymbols) {
		case_drop_last(t->out);
		goto out;
	}
	c->from = json_incref(t->from);
	c->to = json_incref(t->to);
	c->path = xstrdup(d->path);
	c->object = xstrdup(d->object);
	c->config = xstrdup(d->config);
	c->old_hash = hash_buf(old.buf, old.len);
	c->gold_hash = hash_buf(new.buf, new.len);
out:
	strbuf_release(&old);
	strbuf_release(&new);
	strbuf_release(&gone);
	strbuf_release(&ignored);
	free(old_path);
	free(new_path);
}

static int find_drivers(const char *src, const struct strvec *dirs, struct intree_list *out, struct strbuf *err)
{
	static const char *const usual[] = { "drivers", "sound" };
	int ret = 0;

	for (size_t i = 0; !ret && i < (dirs ? dirs->n : ARRAY_SIZE(usual)); i++) {
		const char *dir = dirs ? dirs->v[i] : usual[i];

		if (!path_is_safe(dir))
			return kp_fail(err, KP_ERR, "'%s' is no directory below a kernel tree", dir);
		ret = intree_find(src, dir, out, err);
	}
	return ret;
}

struct both {
	json_t *from, *to;
	struct api_index *a, *b;
	struct api_diff *df;
};

static int open_both(const char *old_src, const char *new_src, struct both *p, struct strbuf *err)
{
	int ret = 0;

	p->from = case_tree_ref(old_src);
	p->to = case_tree_ref(new_src);
	if (!p->from || !p->to)
		ret = kp_fail(err, KP_ERR, "'%s' is no kernel source tree", p->from ? new_src : old_src);
	if (!ret)
		ret = api_index_open(old_src, old_src, NULL, &p->a, err);
	if (!ret)
		ret = api_index_open(new_src, new_src, NULL, &p->b, err);
	if (!ret)
		ret = api_diff_open(p->a, p->b, &p->df, err);
	return ret;
}

static void close_both(struct both *p)
{
	api_diff_close(p->df);
	api_index_close(p->a);
	api_index_close(p->b);
	json_decref(p->from);
	json_decref(p->to);
}

int cases_from_package(const char *old_src, const char *new_src, const struct case_package *p, struct case_list *out,
		       struct strbuf *err)
{
	struct both k = { 0 };
	struct strbuf gone = STRBUF_INIT;
	struct candidate *c;
	struct words w;
	int ret = open_both(old_src, new_src, &k, err);

	if (!ret) {
		words_of(k.df, &w);
		only_in(p->old_text, p->new_text, &gone);
		c = case_add(out, CASE_OUT_OF_TREE);
		find_symbols(c, &w, p->old_text, gone.buf);
		c->from = json_incref(k.from);
		c->to = json_incref(k.to);
		c->path = xstrdup(p->name);
		c->old_version = xstrdup(p->old_version);
		c->gold_version = xstrdup(p->new_version);
		c->old_hash = p->old_hash;
		c->gold_hash = p->new_hash;
		if (!c->nsymbols)
			case_drop_last(out);
		words_release(&w);
	}
	strbuf_release(&gone);
	close_both(&k);
	return ret;
}

int cases_from_trees(const char *old_src, const char *new_src, const struct strvec *dirs,
		     struct case_list *out, struct strbuf *err)
{
	struct trees t = { old_src, new_src, .out = out };
	struct both k = { 0 };
	struct intree_list l = { 0 };
	int ret = open_both(old_src, new_src, &k, err);

	if (!ret)
		ret = find_drivers(old_src, dirs, &l, err);
	if (!ret) {
		t.from = k.from;
		t.to = k.to;
		words_of(k.df, &t.w);
		for (size_t i = 0; i < l.n; i++)
			one_driver(&t, &l.v[i]);
		words_release(&t.w);
	}
	intree_list_release(&l);
	close_both(&k);
	return ret;
}
