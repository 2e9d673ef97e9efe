// SPDX-License-Identifier: GPL-2.0-only
/* Running a semantic patch on the files of a tree. */
#include "base/compat.h"

#include "base/alloc.h"
#include "base/cache.h"
#include "base/child.h"
#include "base/error.h"
#include "base/file.h"
#include "port/rules.h"
#include "port/rules-title.h"
#include "port/usage.h"

/* spatch is bounded by what it computes, so that a busy machine does not change the answer. */
#define SPATCH_CPU 60
#define SPATCH_WALL 600.0
#define SPATCH_MEMORY (2ull << 30)

struct run {
	const struct rule *r;
	struct tree *t;
	struct api_index *ix; /* or NULL */
	const char *scratch;
	bool whole; /* spatch sees what other kernels compile, too */
	struct strvec names; /* what must stand in a file for the rule to have work there */
	struct hash_hex headers; /* of all headers of the tree: types come from them */
	struct cache *cache; /* or NULL */
};

static bool holds_name(const struct run *x, struct srcfile *f)
{
	for (size_t i = 0; i < x->names.n; i++)
		if (file_uses_ident(f, x->names.v[i]) || file_has_include(f, x->names.v[i]))
			return true;
	return false;
}

/* The driver has a function or macro of its own by that name: not the kernel's. */
static bool driver_defines(const struct run *x)
{
	for (size_t i = 0; i < x->r->replaces.n; i++) {
		const char *item = x->r->replaces.v[i];
		char *name;
		bool own;

		if (*item == '<' || strchr(item, '.'))
			continue;
		name = rule_item_name(item);
		own = tree_defines(x->t, name);
		free(name);
		if (own)
			return true;
	}
	return false;
}

static struct hash_hex hash_headers(const struct tree *t)
{
	struct hash *h = hash_new();

	for (size_t i = 0; i < t->n; i++) {
		struct srcfile *f = t->files[i];

		if (!ends_with(f->path, ".h"))
			continue;
		hash_add_str(h, f->path);
		hash_add_str(h, f->hash.hex);
		if (srcfile_view(f) != f->text)
			hash_add(h, f->view, f->len);
	}
	return hash_final(h);
}

static struct hash_hex key_of(const struct run *x, const struct srcfile *f)
{
	struct hash *h = hash_new();

	hash_add_str(h, "spatch-3");
	hash_add_str(h, x->r->hash.hex);
	hash_add_str(h, f->path);
	hash_add_str(h, f->hash.hex);
	hash_add_str(h, x->headers.hex);
	return hash_final(h);
}

/* CR LF -> LF, or back */
static void set_line_ends(struct strbuf *sb, bool crlf)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < sb->len; i++) {
		if (sb->buf[i] == '\r' && i + 1 < sb->len && sb->buf[i + 1] == '\n')
			continue;
		if (crlf && sb->buf[i] == '\n')
			strbuf_addch(&out, '\r');
		strbuf_addch(&out, sb->buf[i]);
	}
	strbuf_reset(sb);
	strbuf_addbuf(sb, &out);
	strbuf_release(&out);
}

static int write_tree(const struct run *x, struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; i < x->t->n && ret == 0; i++) {
		struct srcfile *f = x->t->files[i];
		struct strbuf text = STRBUF_INIT;
		char *path;

		if (!srcfile_is_c(f))
			continue;
		path = path_join(x->scratch, f->path);
		strbuf_add(&text, x->whole ? f->text : srcfile_view(f), f->len);
		if (f->crlf)
			set_line_ends(&text, false);
		ret = file_mkdirs_for(path, err);
		if (ret == 0)
			ret = file_write(path, text.buf, text.len, err);
		free(path);
		strbuf_release(&text);
	}
	return ret;
}

static int clear_scratch(const struct run *x, struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; i < x->t->n && ret == 0; i++) {
		const char *p = x->t->files[i]->path;
		char *top, *path;

		if (!srcfile_is_c(x->t->files[i]))
			continue;
		top = xstrndup(p, strcspn(p, "/"));
		path = path_join(x->scratch, top);
		ret = file_remove(path, err);
		free(path);
		free(top);
	}
	return ret;
}

/* ---- layout ---------------------------------------------------------------- */

struct line {
	const char *s;
	size_t n;
};

static bool next_line(const char **p, const char *end, struct line *l)
{
	const char *nl;

	if (*p >= end)
		return false;
	nl = memchr(*p, '\n', (size_t)(end - *p));
	l->s = *p;
	l->n = nl ? (size_t)(nl - *p) : (size_t)(end - *p);
	*p = nl ? nl + 1 : end;
	return true;
}

static size_t column_of(const char *s, size_t n)
{
	size_t col = 0;

	for (size_t i = 0; i < n; i++)
		col = s[i] == '\t' ? (col | 7) + 1 : col + 1;
	return col;
}

/* "	.name<blanks>= value": *eq is the offset of "=", *name_end that behind the name. */
static bool is_designator(const struct line *l, size_t *name_end, size_t *eq)
{
	size_t i = 0;

	while (i < l->n && (l->s[i] == '\t' || l->s[i] == ' '))
		i++;
	if (i >= l->n || l->s[i] != '.')
		return false;
	while (i < l->n && !strchr(" \t=", l->s[i]))
		i++;
	*name_end = i;
	while (i < l->n && (l->s[i] == '\t' || l->s[i] == ' '))
		i++;
	*eq = i;
	return i < l->n && l->s[i] == '=' && !(i + 1 < l->n && l->s[i + 1] == '=');
}

/* Column to which the designators of this line's neighbour are aligned by tabs; 0: they are not. */
static size_t alignment(const struct line *l)
{
	size_t name_end, eq;

	if (!l->s || !is_designator(l, &name_end, &eq) || eq == name_end || l->s[eq - 1] != '\t')
		return 0;
	return column_of(l->s, eq);
}

static bool is_blank(const struct line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->s[i] != '\t' && l->s[i] != ' ')
			return false;
	return true;
}

static bool has_line(const struct srcfile *f, const struct line *want)
{
	const char *p = f->text, *end = f->text + f->len;
	struct line l;

	while (next_line(&p, end, &l)) {
		if (l.n && l.s[l.n - 1] == '\r')
			l.n--;
		if (l.n == want->n && !memcmp(l.s, want->s, l.n))
			return true;
	}
	return false;
}

/* "case X :" is how spatch writes a label that it touched. */
static bool is_spaced_label(const struct line *l)
{
	size_t i = 0;

	while (i < l->n && (l->s[i] == '\t' || l->s[i] == ' '))
		i++;
	return l->n - i > 7 && !memcmp(l->s + i, "case ", 5) && !memcmp(l->s + l->n - 2, " :", 2);
}

/* spatch writes ".name = value" with one blank: follow the lines around it where the line is new. */
static void realign(struct strbuf *text, const struct srcfile *old)
{
	const char *p = text->buf, *end = text->buf + text->len;
	struct line l, next;
	struct strbuf out = STRBUF_INIT;
	size_t prev = 0; /* column of the line before */

	while (next_line(&p, end, &l)) {
		const char *ahead = p;

		/* Where it put a line behind one without its comma it left blanks. */
		if (l.n && is_blank(&l) && !has_line(old, &l))
			continue;

		size_t name_end, eq, col = prev, here = alignment(&l);

		if (!col && next_line(&ahead, end, &next))
			col = alignment(&next);
		if (col && is_designator(&l, &name_end, &eq) && eq == name_end + 1 &&
		    l.s[name_end] == ' ' && column_of(l.s, name_end) < col &&
		    !has_line(old, &l)) {
			size_t at = column_of(l.s, name_end);

			strbuf_add(&out, l.s, name_end);
			for (; at < col; at = (at | 7) + 1)
				strbuf_addch(&out, '\t');
			strbuf_add(&out, l.s + eq, l.n - eq);
			here = col;
		} else if (is_spaced_label(&l) && !has_line(old, &l)) {
			strbuf_add(&out, l.s, l.n - 2);
			strbuf_addch(&out, ':');
		} else {
			strbuf_add(&out, l.s, l.n);
		}
		if (l.s + l.n < end)
			strbuf_addch(&out, '\n');
		prev = here;
	}
	strbuf_reset(text);
	strbuf_addbuf(text, &out);
	strbuf_release(&out);
}

/* 1: spatch ran and the file can be read again; 0: it could not judge. */
static int run_spatch(const struct run *x, const struct srcfile *f, struct strbuf *err)
{
	struct child c = CHILD_INIT;
	struct child_result res = { 0 };
	int ret;

	strvec_pushl(&c.argv, "spatch", "--very-quiet", "--no-show-diff", "--in-place",
		     "--local-includes", NULL);
	strvec_pushv(&c.argv, x->r->options.v);
	strvec_pushl(&c.argv, "--sp-file", x->r->path, f->path, NULL);
	c.dir = x->scratch;
	c.discard = true;
	c.err_to_out = true;
	c.limits.wall_seconds = SPATCH_WALL;
	c.limits.cpu_seconds = SPATCH_CPU;
	c.limits.memory_bytes = SPATCH_MEMORY;
	ret = child_run(&c, &res, err);
	child_release(&c);
	if (ret < 0)
		return ret;
	if (res.kind == CHILD_INTERRUPTED) {
		strbuf_addstr(err, "interrupted");
		return KP_INTERRUPTED;
	}
	return child_ok(&res);
}

/* The file's text behind the rule, from the cache or spatch. 0: nothing came of it. */
static int new_text(const struct run *x, struct srcfile *f, struct strbuf *out, struct strbuf *err)
{
	struct hash_hex key = key_of(x, f);
	struct strbuf ignored = STRBUF_INIT;
	char *path;
	int ret, judged;

	if (x->cache && cache_get(x->cache, &key, out, &ignored) == 0)
		ret = out->len > 0;
	else {
		strbuf_reset(out);
		path = path_join(x->scratch, f->path);
		ret = write_tree(x, err);
		if (ret == 0)
			ret = run_spatch(x, f, err);
		judged = ret;
		if (ret > 0 && file_read(path, 0, out, err) < 0)
			ret = KP_INFRA;
		free(path);
		if (ret >= 0 && clear_scratch(x, err) < 0)
			ret = KP_INFRA;
		if (ret > 0 && (out->len != f->len || memcmp(out->buf, f->text, f->len)))
			realign(out, f);
		if (ret > 0 && f->crlf)
			set_line_ends(out, true);
		if (ret > 0 && out->len == f->len && !memcmp(out->buf, f->text, f->len))
			strbuf_reset(out);
		/* What went wrong may go right another time. */
		if (ret >= 0 && judged > 0 && x->cache)
			cache_put(x->cache, &key, out->buf, out->len, &ignored);
		ret = ret < 0 ? ret : out->len > 0;
	}
	strbuf_release(&ignored);
	return ret;
}

/* Does a header that the file includes bring this one? */
static bool comes_along(const struct run *x, struct srcfile *f, const char *header)
{
	struct include_list l = { 0 };
	bool found = false;

	if (!x->ix)
		return false;
	file_includes(f, &l);
	for (size_t i = 0; i < l.n && !found; i++) {
		struct strvec deep = STRVEC_INIT;

		api_includes(x->ix, l.v[i].name, true, &deep);
		found = strvec_contains(&deep, header);
		strvec_release(&deep);
	}
	include_list_release(&l);
	return found;
}

/* The file as spatch is to see it: the same offsets; borrows from f. */
static struct srcfile shadow_of(const struct run *x, struct srcfile *f)
{
	const char *text = x->whole ? f->text : srcfile_view(f);
	struct srcfile s = { .refs = 1, .path = f->path, .text = (char *)text, .len = f->len,
			     .crlf = f->crlf, .hash = f->hash };

	if (text != f->text)
		s.hash = hash_buf(text, f->len);
	return s;
}

/* Does one of the edits replace text that the view leaves out? */
static bool touches_hidden(const struct edit_group *g, size_t from, struct srcfile *f)
{
	const char *view = srcfile_view(f);

	for (size_t i = from; i < g->n; i++)
		if (memcmp(view + g->e[i].start, f->text + g->e[i].start,
			   g->e[i].end - g->e[i].start))
			return true;
	return false;
}

/* What this kernel sees of the file; the whole text where the two cannot be told apart. */
static int rewrite_file(struct run *x, struct srcfile *f, struct edit_group *g, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	struct srcfile s = shadow_of(x, f);
	size_t before = g->n;
	int ret = new_text(x, &s, &text, err);

	if (ret > 0 && edit_add_rewrite(g, &s, text.buf, text.len, err) < 0)
		ret = KP_INFRA;
	if (ret > 0 && !x->whole && touches_hidden(g, before, f)) {
		edit_group_truncate(g, before);
		x->whole = true;
		ret = rewrite_file(x, f, g, err);
		x->whole = false;
	}
	strbuf_release(&text);
	return ret;
}

static int apply_to_file(struct run *x, struct srcfile *f, struct edit_group *g,
			 struct strbuf *err)
{
	int ret = rewrite_file(x, f, g, err);

	if (ret > 0) {
		ret = 0;
		for (size_t i = 0; i < x->r->include.n && ret == 0; i++)
			if (!comes_along(x, f, x->r->include.v[i]))
				edit_add_include(g, f, x->r->include.v[i]);
	}
	return ret < 0 ? ret : 0;
}

static struct edit_group *start_group(const struct rule *r)
{
	char *technique = xstrfmt("rule:%s", path_base(r->name)), *text = xstrdup(r->text);
	struct edit_group *g = edit_group_new(EDIT_RULE, technique, r->risk, r->score);

	free(technique);
	edit_group_title(g, "%s", r->title);
	for (char *p = text; *p; p++)
		if (*p == '\n')
			*p = ' ';
	edit_group_why(g, "%s", text);
	free(text);
	g->symbol = rule_item_name(r->replaces.v[0]);
	g->since = xstrdup(r->since);
	g->commit = xstrdup(r->commit);
	return g;
}

static struct cache *open_cache(void)
{
	struct strbuf ignored = STRBUF_INIT;
	struct cache *c = NULL;
	char *dir = kport_cache_dir(), *sub = path_join(dir, "spatch");

	if (cache_open(sub, &c, &ignored) < 0)
		c = NULL;
	strbuf_release(&ignored);
	free(sub);
	free(dir);
	return c;
}

int rule_apply(const struct rule *r, struct tree *t, struct api_index *ix, const char *scratch,
	       struct edit_group **out, struct strbuf *err)
{
	struct run x = { .r = r, .t = t, .ix = ix, .scratch = scratch, .names = STRVEC_INIT };
	struct edit_group *g;
	int ret = 0;

	*out = NULL;
	if (driver_defines(&x))
		return 0;
	for (size_t i = 0; i < r->replaces.n; i++)
		strvec_push_nodup(&x.names, rule_item_name(r->replaces.v[i]));
	x.headers = hash_headers(t);
	x.cache = open_cache();
	g = start_group(r);
	for (size_t i = 0; i < t->n && ret == 0; i++)
		if (srcfile_is_c(t->files[i]) && holds_name(&x, t->files[i]))
			ret = apply_to_file(&x, t->files[i], g, err);
	if (ret == 0 && g->n) {
		rule_title_fit(r, t, g);
		*out = g;
	} else {
		edit_group_free(g);
	}
	cache_close(x.cache);
	strvec_release(&x.names);
	return ret;
}
