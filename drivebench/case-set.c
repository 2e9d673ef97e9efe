// SPDX-License-Identifier: GPL-2.0-only
/* Manifests: reading, choosing, writing. */
#include "base/compat.h"
#include "drivebench/case.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/strmap.h"

#define MAX_MANIFEST (256u << 20)
#define MAX_LINE (1u << 20)

static int by_id(const void *a, const void *b)
{
	const struct bench_case *const *x = a, *const *y = b;

	return strcmp((*x)->id, (*y)->id);
}

static void add(struct case_set *s, struct bench_case *c)
{
	ALLOC_GROW(s->c, s->n + 1, s->alloc);
	s->c[s->n++] = c;
}

static int read_lines(struct case_set *s, const struct strbuf *text, const char *path, struct strmap *seen,
		      struct strbuf *err)
{
	const char *p = text->buf, *end = p + text->len;
	unsigned line = 0;
	int ret = 0;

	while (!ret && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = nl ? (size_t)(nl - p) : (size_t)(end - p);
		char *where = xstrfmt("%s:%u", path, ++line);
		struct bench_case *c = NULL;

		if (len > MAX_LINE)
			ret = kp_fail(err, KP_ERR, "%s: a line of more than %u bytes", where, MAX_LINE);
		else if (strspn(p, " \t\r") < len)
			ret = case_parse(p, len, where, &c, err);
		if (!ret && c && strmap_has(seen, c->id)) {
			ret = kp_fail(err, KP_ERR, "%s: the case %.12s is there already", where, c->id);
			case_free(c);
		} else if (!ret && c) {
			strmap_put(seen, c->id, NULL);
			add(s, c);
		}
		free(where);
		p += len + 1;
	}
	return ret;
}

static int read_file(struct case_set *s, const char *path, struct strmap *seen, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, MAX_MANIFEST, &text, err);

	if (!ret)
		ret = read_lines(s, &text, path, seen, err);
	strbuf_release(&text);
	return ret;
}

int case_set_read(struct case_set *s, const char *path, struct strbuf *err)
{
	struct strmap seen = STRMAP_INIT;
	struct strvec files = STRVEC_INIT;
	int ret = 0;

	for (size_t i = 0; i < s->n; i++)
		strmap_put(&seen, s->c[i]->id, NULL);
	if (!file_is_dir(path))
		ret = read_file(s, path, &seen, err);
	else
		ret = file_list(path, &files, err);
	for (size_t i = 0; !ret && i < files.n; i++) {
		char *file = path_join(path, files.v[i]);

		if (ends_with(file, ".jsonl"))
			ret = read_file(s, file, &seen, err);
		free(file);
	}
	strvec_release(&files);
	strmap_release(&seen, NULL);
	return ret;
}

int case_set_write(const struct case_set *s, const char *path, struct strbuf *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < s->n; i++) {
		json_dump_compact(s->c[i]->json, &out);
		strbuf_rtrim(&out);
		strbuf_addch(&out, '\n');
	}
	ret = file_write(path, out.buf, out.len, err);
	strbuf_release(&out);
	return ret;
}

struct bench_case *case_set_find(const struct case_set *s, const char *id)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->c[i]->id, id))
			return s->c[i];
	return NULL;
}

void case_set_release(struct case_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		case_free(s->c[i]);
	free(s->c);
	memset(s, 0, sizeof(*s));
}

/* ---- choosing ---------------------------------------------------------------------------- */

const char *case_split(const struct bench_case *c)
{
	char head[9];

	memcpy(head, c->group, 8);
	head[8] = '\0';
	return strtoul(head, NULL, 16) % 10 < 2 ? "dev" : "test";
}

static bool has_taxonomy(const struct bench_case *c, const char *word)
{
	json_t *s;
	size_t i;

	json_array_foreach(json_object_get(c->json, "symbols"), i, s)
		if (!strcmp(json_get_str(s, "taxonomy"), word))
			return true;
	return false;
}

static bool has_pair(const struct bench_case *c, const char *word)
{
	char *from = case_kernel_word(c->from), *to = case_kernel_word(c->to), *pair = xstrfmt("%s:%s", from, to);
	bool yes = !strcmp(pair, word);

	free(pair);
	free(from);
	free(to);
	return yes;
}

static bool has_id(const struct bench_case *c, const struct strvec *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		if (starts_with(c->id, ids->v[i]))
			return true;
	return false;
}

static int check_ids(const struct case_set *s, const struct strvec *ids, struct strbuf *err)
{
	for (size_t i = 0; ids && i < ids->n; i++) {
		size_t hits = 0;

		for (size_t k = 0; k < s->n; k++)
			hits += starts_with(s->c[k]->id, ids->v[i]);
		if (hits != 1)
			return kp_fail(err, KP_ERR, "the id '%.80s' fits %s of the cases", ids->v[i],
				       hits ? "several" : "none");
	}
	return 0;
}

int case_set_select(struct case_set *s, const struct case_choice *c, struct strbuf *err)
{
	size_t kept = 0;
	int ret = check_ids(s, c->ids, err);

	if (ret)
		return ret;
	if (s->n)
		sort_items(s->c, s->n, sizeof(*s->c), by_id);
	for (size_t i = 0; i < s->n; i++) {
		struct bench_case *one = s->c[i];
		bool take = (!c->track || !strcmp(one->track, c->track)) && (!c->pair || has_pair(one, c->pair)) &&
			    (!c->taxonomy || has_taxonomy(one, c->taxonomy)) &&
			    (!c->split || !strcmp(case_split(one), c->split)) &&
			    (!c->validated || one->validated) && (!c->ids || !c->ids->n || has_id(one, c->ids)) &&
			    (c->limit <= 0 || kept < (size_t)c->limit);

		if (take)
			s->c[kept++] = one;
		else
			case_free(one);
	}
	s->n = kept;
	return 0;
}
