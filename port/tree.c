// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/tree.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "checks/ppview.h"
#include "port/edit.h"

#define MAX_SOURCE_BYTES (16u << 20)
#define MAX_TREE_BYTES	 (512u << 20)

struct srcfile *srcfile_new(const char *path, char *text, size_t len, unsigned version)
{
	struct srcfile *f = xcalloc(1, sizeof(*f));
	const char *nl = memchr(text, '\n', len);

	f->refs = 1;
	f->path = xstrdup(path);
	f->text = text;
	f->len = len;
	f->crlf = nl && nl > text && nl[-1] == '\r';
	f->hash = hash_buf(text, len);
	f->version = version;
	return f;
}

void srcfile_unref(struct srcfile *f)
{
	if (!f || --f->refs > 0)
		return;
	if (f->parsed) {
		cfile_release(f->parsed);
		free(f->parsed);
	}
	if (f->toks) {
		ctoks_release(f->toks);
		free(f->toks);
	}
	free(f->path);
	free(f->text);
	free(f->view);
	free(f);
}

const char *srcfile_view(struct srcfile *f)
{
	if (!f->viewed && f->version && srcfile_is_c(f) &&
	    memmem(f->text, f->len, "VERSION", strlen("VERSION"))) {
		struct strbuf sb = STRBUF_INIT;

		ppview(f->text, f->len, f->version, &sb);
		if (sb.len == f->len && memcmp(sb.buf, f->text, f->len))
			f->view = strbuf_detach(&sb, NULL);
		strbuf_release(&sb);
	}
	f->viewed = true;
	return f->view ? f->view : f->text;
}

const struct ctoks *srcfile_toks(struct srcfile *f)
{
	if (!f->toks) {
		f->toks = xcalloc(1, sizeof(*f->toks));
		ctoks_scan(f->toks, srcfile_view(f), f->len);
	}
	return f->toks;
}

const struct cfile *srcfile_parse(struct srcfile *f)
{
	if (!f->parsed) {
		f->parsed = xcalloc(1, sizeof(*f->parsed));
		cfile_parse(f->parsed, srcfile_toks(f));
	}
	return f->parsed;
}

const struct cfunc *srcfile_func_at(struct srcfile *f, size_t offset)
{
	return cfile_func_at(srcfile_parse(f), ctok_at(srcfile_toks(f), offset));
}

size_t srcfile_span_start(struct srcfile *f, struct cspan s)
{
	const struct ctoks *ts = srcfile_toks(f);

	return s.first < ts->n ? ts->t[s.first].off : f->len;
}

size_t srcfile_span_end(struct srcfile *f, struct cspan s)
{
	const struct ctoks *ts = srcfile_toks(f);

	if (s.end <= s.first || s.end > ts->n)
		return srcfile_span_start(f, s);
	return (size_t)ts->t[s.end - 1].off + ts->t[s.end - 1].len;
}

char *srcfile_span_text(struct srcfile *f, struct cspan s)
{
	size_t start = srcfile_span_start(f, s);

	return xstrndup(f->text + start, srcfile_span_end(f, s) - start);
}

char *srcfile_tok_text(struct srcfile *f, uint32_t tok)
{
	return ctok_dup(srcfile_toks(f), tok);
}

bool srcfile_is_c(const struct srcfile *f)
{
	return ends_with(f->path, ".c") || ends_with(f->path, ".h");
}

static bool is_kbuild_name(const char *path)
{
	const char *base = path_base(path);

	return starts_with(base, "Makefile") || starts_with(base, "Kbuild") ||
	       ends_with(base, ".mk") || !strcmp(base, "GNUmakefile");
}

static bool is_tree_file(const char *path)
{
	return (ends_with(path, ".c") && !ends_with(path, ".mod.c")) || ends_with(path, ".h") ||
	       is_kbuild_name(path);
}

int tree_read(const char *dir, struct tree **out, struct strbuf *err)
{
	struct strvec paths = STRVEC_INIT;
	struct tree *t = xcalloc(1, sizeof(*t));
	size_t total = 0, alloc = 0;
	int ret = file_list(dir, &paths, err);

	t->refs = 1;
	for (size_t i = 0; !ret && i < paths.n; i++) {
		struct strbuf sb = STRBUF_INIT;
		char *full;

		if (!is_tree_file(paths.v[i]))
			continue;
		full = path_join(dir, paths.v[i]);
		ret = file_read(full, MAX_SOURCE_BYTES, &sb, err);
		free(full);
		total += sb.len;
		if (!ret && total > MAX_TREE_BYTES) {
			strbuf_addf(err, "the sources in '%s' exceed %u MiB", dir,
				    MAX_TREE_BYTES >> 20);
			ret = KP_ERR;
		}
		if (!ret) {
			size_t len;
			char *text = strbuf_detach(&sb, &len);

			ALLOC_GROW(t->files, t->n + 1, alloc);
			t->files[t->n++] = srcfile_new(paths.v[i], text, len, 0);
		}
		strbuf_release(&sb);
	}
	strvec_release(&paths);
	if (ret) {
		tree_unref(t);
		return ret;
	}
	*out = t;
	return 0;
}

void tree_set_version(struct tree *t, unsigned version)
{
	for (size_t i = 0; i < t->n; i++)
		t->files[i]->version = version;
}

struct tree *tree_ref(struct tree *t)
{
	t->refs++;
	return t;
}

void tree_unref(struct tree *t)
{
	if (!t || --t->refs > 0)
		return;
	for (size_t i = 0; i < t->n; i++)
		srcfile_unref(t->files[i]);
	free(t->files);
	free(t);
}

static ssize_t tree_index(const struct tree *t, const char *path)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(t->files[mid]->path, path);

		if (!c)
			return (ssize_t)mid;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1;
}

struct srcfile *tree_file(const struct tree *t, const char *path)
{
	ssize_t i = tree_index(t, path);

	return i < 0 ? NULL : t->files[i];
}

struct hash_hex tree_hash(const struct tree *t)
{
	struct hash *h = hash_new();

	for (size_t i = 0; i < t->n; i++) {
		hash_add_str(h, t->files[i]->path);
		hash_add_str(h, t->files[i]->hash.hex);
	}
	return hash_final(h);
}

/* ---- applying edits ------------------------------------------------------ */

static int edit_cmp(const void *a, const void *b)
{
	const struct edit *x = *(const struct edit *const *)a, *y = *(const struct edit *const *)b;
	int c = strcmp(x->path, y->path);

	if (c)
		return c;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x < y ? -1 : x > y; /* insertions at one place keep their order */
}

static void add_with_line_ends(struct strbuf *sb, const char *text, bool crlf)
{
	for (; *text; text++) {
		if (*text == '\n' && crlf && !(sb->len && sb->buf[sb->len - 1] == '\r'))
			strbuf_addch(sb, '\r');
		strbuf_addch(sb, *text);
	}
}

/* The sorted edits e[0..n) all belong to f. */
static int rewrite(const struct srcfile *f, struct edit *const *e, size_t n, struct strbuf *out,
		   struct strbuf *err)
{
	size_t pos = 0;

	for (size_t i = 0; i < n; i++) {
		if (e[i]->end > f->len || e[i]->start > e[i]->end) {
			strbuf_addf(err, "edit of '%s' is out of range", f->path);
			return KP_ERR;
		}
		if (e[i]->start < pos) {
			strbuf_addf(err, "edits of '%s' overlap at line %d", f->path,
				    srcfile_line(f, e[i]->start));
			return KP_ERR;
		}
		strbuf_add(out, f->text + pos, e[i]->start - pos);
		add_with_line_ends(out, e[i]->text, f->crlf);
		pos = e[i]->end;
	}
	strbuf_add(out, f->text + pos, f->len - pos);
	return 0;
}

static int apply_to_file(struct tree *t, struct edit *const *e, size_t n, bool *changed,
			 struct strbuf *err)
{
	ssize_t idx = tree_index(t, e[0]->path);
	struct strbuf sb = STRBUF_INIT;
	struct srcfile *old;
	int ret;

	if (idx < 0) {
		strbuf_addf(err, "edit of '%s', which is no source of the driver", e[0]->path);
		return KP_ERR;
	}
	old = t->files[idx];
	ret = rewrite(old, e, n, &sb, err);
	if (!ret && (sb.len != old->len || memcmp(sb.buf, old->text, sb.len))) {
		size_t len;
		char *text = strbuf_detach(&sb, &len);

		t->files[idx] = srcfile_new(old->path, text, len, old->version);
		srcfile_unref(old);
		*changed = true;
	}
	strbuf_release(&sb);
	return ret;
}

static struct tree *tree_copy(const struct tree *t)
{
	struct tree *c = xcalloc(1, sizeof(*c));

	c->refs = 1;
	c->n = t->n;
	c->files = xcalloc(t->n ? t->n : 1, sizeof(*c->files));
	for (size_t i = 0; i < t->n; i++) {
		c->files[i] = t->files[i];
		c->files[i]->refs++;
	}
	return c;
}

struct tree *tree_apply(const struct tree *t, const struct edit_group *g, struct strbuf *err)
{
	struct edit **sorted = xcalloc(g->n ? g->n : 1, sizeof(*sorted));
	struct tree *c = tree_copy(t);
	bool changed = false;
	int ret = 0;

	for (size_t i = 0; i < g->n; i++)
		sorted[i] = &g->e[i];
	sort_items(sorted, g->n, sizeof(*sorted), edit_cmp);
	for (size_t i = 0; !ret && i < g->n;) {
		size_t j = i + 1;

		while (j < g->n && !strcmp(sorted[j]->path, sorted[i]->path))
			j++;
		ret = apply_to_file(c, sorted + i, j - i, &changed, err);
		i = j;
	}
	free(sorted);
	if (!ret && !changed) {
		strbuf_addstr(err, "the edits change nothing");
		ret = KP_ERR;
	}
	if (ret) {
		tree_unref(c);
		return NULL;
	}
	return c;
}

int tree_write(const struct tree *t, const struct tree *base, const char *dir, struct strbuf *err)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct srcfile *f = t->files[i];
		struct stat st;
		char *path;
		int ret;

		if (base) {
			const struct srcfile *b = tree_file(base, f->path);

			if (b && (b == f || !strcmp(b->hash.hex, f->hash.hex)))
				continue;
		}
		path = path_join(dir, f->path);
		ret = file_mkdirs_for(path, err);
		if (!ret)
			ret = file_write_mode(path, f->text, f->len,
					      stat(path, &st) ? 0644 : st.st_mode & 0777, err);
		free(path);
		if (ret)
			return ret;
	}
	return 0;
}

/* ---- positions ----------------------------------------------------------- */

ssize_t srcfile_offset(const struct srcfile *f, int line, int col)
{
	const char *p = f->text, *end = f->text + f->len;

	if (line < 1 || col < 1)
		return -1;
	for (int l = 1; l < line; l++) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return -1;
		p++;
	}
	if (p + col - 1 > end)
		return -1;
	return p - f->text + col - 1;
}

int srcfile_line(const struct srcfile *f, size_t offset)
{
	int line = 1;

	if (offset > f->len)
		offset = f->len;
	for (const char *p = f->text; (p = memchr(p, '\n', f->text + offset - p)); p++)
		line++;
	return line;
}
