// SPDX-License-Identifier: GPL-2.0-only
/* Which file of the new tree is which of the old one. */
#include "base/compat.h"
#include "mine/examples-db.h"

#include "base/alloc.h"
#include "base/cfunc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"

#define MAX_FILE_BYTES (2u << 20)
#define MAX_PER_NAME 40 /* files that define a function of one name */

void file_pairs_release(struct file_pairs *fp)
{
	for (size_t i = 0; i < fp->n; i++) {
		free(fp->p[i].old_path);
		free(fp->p[i].new_path);
	}
	free(fp->p);
	memset(fp, 0, sizeof(*fp));
}

static void add_pair(struct file_pairs *fp, const char *old_path, const char *new_path)
{
	ALLOC_GROW(fp->p, fp->n + 1, fp->alloc);
	fp->p[fp->n++] = (struct file_pair){ xstrdup(old_path), xstrdup(new_path) };
}

static int list_side(const char *src, const char *const *dirs, size_t ndirs, struct strvec *out,
		     struct strbuf *err)
{
	int ret = 0;

	for (size_t d = 0; d < ndirs && !ret; d++) {
		char *dir = path_join(src, dirs[d]);
		struct strvec rel = STRVEC_INIT;

		if (file_is_dir(dir))
			ret = file_list(dir, &rel, err);
		for (size_t i = 0; i < rel.n; i++)
			if (ends_with(rel.v[i], ".c") || ends_with(rel.v[i], ".h"))
				strvec_pushf(out, "%s/%s", dirs[d], rel.v[i]);
		strvec_release(&rel);
		free(dir);
	}
	return ret;
}

/* Names of the functions that a file defines, each once, into set. */
static void function_names(const char *src, const char *rel, struct strmap *set)
{
	struct strbuf text = STRBUF_INIT, ignored = STRBUF_INIT;
	char *path = path_join(src, rel);
	struct ctoks ts;
	struct cfile cf = { 0 };

	if (file_read(path, MAX_FILE_BYTES, &text, &ignored) == 0 &&
	    ctoks_scan(&ts, text.buf, text.len) == 0) {
		cfile_parse(&cf, &ts);
		for (size_t i = 0; i < cf.nfuncs; i++) {
			char *name = ctok_dup(&ts, cf.funcs[i].name);

			strmap_put(set, name, NULL);
			free(name);
		}
		cfile_release(&cf);
		ctoks_release(&ts);
	}
	free(path);
	strbuf_release(&text);
	strbuf_release(&ignored);
}

/* New files under the name of a function of theirs. */
struct places {
	uint32_t *file;
	size_t n, alloc;
};

static void free_places(void *p)
{
	struct places *l = p;

	if (l)
		free(l->file);
	free(l);
}

static void index_new(const char *src, const struct strvec *files, struct strmap *by_name,
		      size_t *count)
{
	for (size_t i = 0; i < files->n; i++) {
		struct strmap names = STRMAP_INIT;
		const struct strmap_entry *e;

		if (ends_with(files->v[i], ".c"))
			function_names(src, files->v[i], &names);
		count[i] = names.live;
		strmap_for_each(&names, e) {
			struct places *l = strmap_get(by_name, e->key);

			if (!l) {
				l = xcalloc(1, sizeof(*l));
				strmap_put(by_name, e->key, l);
			}
			if (l->n >= MAX_PER_NAME)
				continue;
			ALLOC_GROW(l->file, l->n + 1, l->alloc);
			l->file[l->n++] = (uint32_t)i;
		}
		strmap_release(&names, NULL);
	}
}

/* The new file that shares most functions with the old one: at least 60 % of both, and two. */
static const char *renamed_to(const char *old_src, const char *rel, const struct strvec *fresh,
			      const struct strmap *by_name, const size_t *count, uint32_t *votes)
{
	struct strmap names = STRMAP_INIT;
	const struct strmap_entry *e;
	size_t best = 0, which = 0;

	function_names(old_src, rel, &names);
	memset(votes, 0, fresh->n * sizeof(*votes));
	strmap_for_each(&names, e) {
		const struct places *l = strmap_get(by_name, e->key);

		for (size_t i = 0; l && i < l->n; i++) {
			uint32_t f = l->file[i];

			if (++votes[f] > best) {
				best = votes[f];
				which = f;
			}
		}
	}
	if (best < 2 || best * 10 < names.live * 6 || best * 10 < count[which] * 6)
		best = 0;
	strmap_release(&names, NULL);
	return best ? fresh->v[which] : NULL;
}

static void pair_renamed(const char *old_src, const char *new_src, const struct strvec *lost,
			 const struct strvec *fresh, struct file_pairs *out)
{
	struct strmap by_name = STRMAP_INIT;
	size_t *count = xcalloc(fresh->n + 1, sizeof(*count));
	uint32_t *votes = xcalloc(fresh->n + 1, sizeof(*votes));

	index_new(new_src, fresh, &by_name, count);
	for (size_t i = 0; i < lost->n; i++) {
		const char *to;

		if (!ends_with(lost->v[i], ".c"))
			continue;
		to = renamed_to(old_src, lost->v[i], fresh, &by_name, count, votes);
		if (!to)
			continue;
		add_pair(out, lost->v[i], to);
		out->renamed++;
	}
	free(count);
	free(votes);
	strmap_release(&by_name, free_places);
}

int file_pairs_find(const char *old_src, const char *new_src, const char *const *dirs, size_t ndirs,
		    struct file_pairs *out, struct strbuf *err)
{
	struct strvec a = STRVEC_INIT, b = STRVEC_INIT, lost = STRVEC_INIT, fresh = STRVEC_INIT;
	struct strmap old_set = STRMAP_INIT, new_set = STRMAP_INIT;
	int ret = list_side(old_src, dirs, ndirs, &a, err);

	if (!ret)
		ret = list_side(new_src, dirs, ndirs, &b, err);
	if (!ret && !a.n)
		ret = kp_fail(err, KP_ERR, "'%s' has no C sources in the directories to compare", old_src);
	if (!ret && !b.n)
		ret = kp_fail(err, KP_ERR, "'%s' has no C sources in the directories to compare", new_src);
	for (size_t i = 0; !ret && i < a.n; i++)
		strmap_put(&old_set, a.v[i], NULL);
	for (size_t i = 0; !ret && i < b.n; i++) {
		strmap_put(&new_set, b.v[i], NULL);
		if (!strmap_has(&old_set, b.v[i]))
			strvec_push(&fresh, b.v[i]);
	}
	for (size_t i = 0; !ret && i < a.n; i++) {
		if (strmap_has(&new_set, a.v[i]))
			add_pair(out, a.v[i], a.v[i]);
		else
			strvec_push(&lost, a.v[i]);
	}
	if (!ret)
		pair_renamed(old_src, new_src, &lost, &fresh, out);
	strmap_release(&old_set, NULL);
	strmap_release(&new_set, NULL);
	strvec_release(&a);
	strvec_release(&b);
	strvec_release(&lost);
	strvec_release(&fresh);
	return ret;
}
