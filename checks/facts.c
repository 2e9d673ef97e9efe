/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/compat.h"
#include "checks/facts.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "checks/ppview.h"

#define MAX_SOURCE (32u << 20)
#define MAX_FILES 50000

struct fact *facts_add(struct facts *fa, enum fact_kind kind, const struct fact_file *file,
		       uint32_t line, const char *function, const char *key)
{
	struct fact *f;

	ALLOC_GROW(fa->f, fa->n + 1, fa->alloc);
	f = &fa->f[fa->n++];
	memset(f, 0, sizeof(*f));
	f->kind = kind;
	f->file = file;
	f->line = line;
	f->function = function;
	f->key = xstrdup(key);
	return f;
}

/* ---- reading -------------------------------------------------------------- */

static bool is_build_file(const char *path)
{
	const char *base = path_base(path);

	return !strcmp(base, "Makefile") || !strcmp(base, "Kbuild") || !strcmp(base, "GNUmakefile") ||
	       !strcmp(base, "makefile") || !strcmp(base, "Kconfig") || !strcmp(base, "dkms.conf") ||
	       ends_with(base, ".mk");
}

static bool is_source(const char *path)
{
	if (ends_with(path, ".mod.c"))
		return false;
	return ends_with(path, ".c") || ends_with(path, ".h") || ends_with(path, ".S");
}

static int read_file(struct facts *fa, const char *tree, const char *path, unsigned version,
		     struct strbuf *err)
{
	char *full = path_join(tree, path);
	struct strbuf text = STRBUF_INIT;
	struct fact_file *file = NULL;
	int ret = file_read(full, MAX_SOURCE, &text, err);

	if (ret < 0)
		goto out;
	file = xcalloc(1, sizeof(*file));
	file->path = xstrdup(path);
	file->is_build = is_build_file(path);
	strbuf_init(&file->text);
	if (file->is_build) {
		strbuf_addbuf(&file->text, &text);
	} else {
		ppview(text.buf, text.len, version, &file->text);
		ctoks_scan(&file->ts, file->text.buf, file->text.len);
		cfile_parse(&file->cf, &file->ts);
	}
	ALLOC_GROW(fa->files, fa->nfiles + 1, fa->files_alloc);
	fa->files[fa->nfiles++] = file;
out:
	strbuf_release(&text);
	free(full);
	return ret;
}

static void count_refs(struct facts *fa, const struct fact_file *file)
{
	const struct ctoks *ts = &file->ts;
	char buf[128];
	size_t i;

	for (i = 0; i < ts->n; i++) {
		if (ts->t[i].kind != CTOK_IDENT || ts->t[i].len >= sizeof(buf) ||
		    (ts->t[i].flags & CTOK_DEAD))
			continue;
		memcpy(buf, ts->text + ts->t[i].off, ts->t[i].len);
		buf[ts->t[i].len] = '\0';
		if (strmap_has(&fa->functions, buf))
			strmap_put(&fa->refs, buf, (char *)strmap_get(&fa->refs, buf) + 1);
	}
}

static void uncount(struct facts *fa, const struct fact_file *file, const struct cfunc *f, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		char *name = ctok_dup(&file->ts, f[i].name);
		char *left = strmap_get(&fa->refs, name);

		if (left)
			strmap_put(&fa->refs, name, left - 1);
		free(name);
	}
}

/* Uses in macros count too: the words of each #define's replacement. */
static void count_define_refs(struct facts *fa)
{
	size_t i, j;

	for (i = 0; i < fa->n; i++) {
		struct ctoks ts;

		if (fa->f[i].kind != FACT_DEFINE || !fa->f[i].value ||
		    ctoks_scan(&ts, fa->f[i].value, strlen(fa->f[i].value)) < 0)
			continue;
		for (j = 0; j < ts.n; j++) {
			char *w = ts.t[j].kind == CTOK_IDENT ? ctok_dup(&ts, j) : NULL;

			if (w && strmap_has(&fa->functions, w))
				strmap_put(&fa->refs, w, (char *)strmap_get(&fa->refs, w) + 1);
			free(w);
		}
		ctoks_release(&ts);
	}
}

static void index_facts(struct facts *fa)
{
	size_t i;

	/* From the end, so that each list is in order. */
	for (i = fa->n; i-- > 0;) {
		struct strmap *m = &fa->by_key[fa->f[i].kind];

		fa->f[i].next = (size_t)(uintptr_t)strmap_put(m, fa->f[i].key, (void *)(i + 1));
	}
	for (i = 0; i < fa->n; i++)
		if (fa->f[i].kind == FACT_FUNCTION && !strmap_has(&fa->functions, fa->f[i].key))
			strmap_put(&fa->functions, fa->f[i].key, (void *)(i + 1));
	for (i = 0; i < fa->nfiles; i++)
		count_refs(fa, fa->files[i]);
	for (i = 0; i < fa->nfiles; i++) {
		uncount(fa, fa->files[i], fa->files[i]->cf.funcs, fa->files[i]->cf.nfuncs);
		uncount(fa, fa->files[i], fa->files[i]->cf.protos, fa->files[i]->cf.nprotos);
	}
	count_define_refs(fa);
}

int facts_read(const char *tree, unsigned version, struct facts *out, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	size_t i;
	int ret;

	memset(out, 0, sizeof(*out));
	ret = file_list(tree, &names, err);
	if (ret < 0)
		goto out;
	if (names.n > MAX_FILES) {
		ret = kp_fail(err, KP_ERR, "'%s' has more than %d files", tree, MAX_FILES);
		goto out;
	}
	for (i = 0; ret == 0 && i < names.n; i++)
		if (is_source(names.v[i]) || is_build_file(names.v[i]))
			ret = read_file(out, tree, names.v[i], version, err);
	if (ret < 0)
		goto out;
	for (i = 0; i < out->nfiles; i++) {
		if (out->files[i]->is_build)
			facts_of_build_file(out, out->files[i]);
		else
			facts_of_source(out, out->files[i]);
	}
	index_facts(out);
out:
	strvec_release(&names);
	if (ret < 0)
		facts_release(out);
	return ret;
}

void facts_release(struct facts *fa)
{
	size_t i;

	for (i = 0; i < fa->n; i++) {
		free(fa->f[i].key);
		free(fa->f[i].value);
		free(fa->f[i].struct_tag);
		free(fa->f[i].member);
	}
	free(fa->f);
	for (i = 0; i < fa->nfiles; i++) {
		cfile_release(&fa->files[i]->cf);
		ctoks_release(&fa->files[i]->ts);
		strbuf_release(&fa->files[i]->text);
		free(fa->files[i]->path);
		free(fa->files[i]);
	}
	free(fa->files);
	for (i = 0; i < FACT_KIND_COUNT; i++)
		strmap_release(&fa->by_key[i], NULL);
	strmap_release(&fa->functions, NULL);
	strmap_release(&fa->refs, NULL);
	memset(fa, 0, sizeof(*fa));
}

/* ---- comparing ------------------------------------------------------------ */

void facts_mark_changed(struct facts *a, struct facts *b)
{
	struct strmap by_path = STRMAP_INIT;
	size_t i;

	for (i = 0; i < a->nfiles; i++) {
		a->files[i]->changed = true;
		strmap_put(&by_path, a->files[i]->path, a->files[i]);
	}
	for (i = 0; i < b->nfiles; i++) {
		struct fact_file *f = b->files[i], *other = strmap_get(&by_path, f->path);

		f->changed = !other || other->text.len != f->text.len ||
			     memcmp(other->text.buf, f->text.buf, f->text.len);
		if (other)
			other->changed = f->changed;
	}
	strmap_release(&by_path, NULL);
}

void fact_refs_release(struct fact_refs *r)
{
	free(r->v);
	memset(r, 0, sizeof(*r));
}

static void add_ref(struct fact_refs *out, const struct fact *f)
{
	ALLOC_GROW(out->v, out->n + 1, out->alloc);
	out->v[out->n++] = f;
}

void facts_lost(const struct facts *a, const struct facts *b, enum fact_kind kind,
		struct fact_refs *out)
{
	struct strmap left = STRMAP_INIT;
	size_t i;

	for (i = 0; i < b->n; i++)
		if (b->f[i].kind == kind && b->f[i].file->changed)
			strmap_put(&left, b->f[i].key, (char *)strmap_get(&left, b->f[i].key) + 1);
	for (i = 0; i < a->n; i++) {
		char *n;

		if (a->f[i].kind != kind || !a->f[i].file->changed)
			continue;
		n = strmap_get(&left, a->f[i].key);
		if (n)
			strmap_put(&left, a->f[i].key, n - 1);
		else
			add_ref(out, &a->f[i]);
	}
	strmap_release(&left, NULL);
}

void facts_find(const struct facts *fa, enum fact_kind kind, const char *key, struct fact_refs *out)
{
	size_t i;

	if (key) {
		i = (size_t)(uintptr_t)strmap_get(&fa->by_key[kind], key);
		for (; i; i = fa->f[i - 1].next)
			if (fa->f[i - 1].file->changed)
				add_ref(out, &fa->f[i - 1]);
		return;
	}
	for (i = 0; i < fa->n; i++)
		if (fa->f[i].kind == kind && fa->f[i].file->changed)
			add_ref(out, &fa->f[i]);
}

size_t facts_count(const struct facts *fa, enum fact_kind kind, const char *key)
{
	struct fact_refs r = { 0 };
	size_t n;

	facts_find(fa, kind, key, &r);
	n = r.n;
	fact_refs_release(&r);
	return n;
}

const struct fact *facts_function(const struct facts *fa, const char *name)
{
	size_t i = (size_t)(uintptr_t)strmap_get(&fa->functions, name);

	return i ? &fa->f[i - 1] : NULL;
}

int facts_ref_count(const struct facts *fa, const char *name)
{
	return (int)(intptr_t)strmap_get(&fa->refs, name);
}
