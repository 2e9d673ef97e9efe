// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "tests/bench/bench-equiv.h"

#include "base/alloc.h"
#include "base/command.h"
#include "base/file.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/strmap.h"
#include "base/strvec.h"
#include "drivebench/equiv.h"
#include "harness/kernel.h"

#define CLASSES (EQUIV_NOTHING + 1)

struct class_tally {
	size_t n[CLASSES];
};

struct edit_tally {
	size_t n[EQUIV_ABSENT + 1];
};

/* A changed line of a patch of the series. */
struct patch_line {
	char *text;
	char sign;
	const json_t *patch;
};

static struct strmap by_pair = STRMAP_INIT, by_outcome = STRMAP_INIT; /* struct class_tally */
static struct strmap by_risk = STRMAP_INIT, by_technique = STRMAP_INIT; /* struct edit_tally */
static struct strmap kinds_left = STRMAP_INIT; /* technique and symbol -> struct strvec of lines */
static json_t *all;

bool bench_passed(const json_t *rec, const char *gate)
{
	const json_t *g = json_object_get(json_object_get(rec, "gates"), gate);
	const char *v = json_get_str(g, "verdict");

	return v && !strcmp(v, "PASS");
}

static void *slot(struct strmap *m, const char *key, size_t size)
{
	void *v = strmap_get(m, key);

	if (!v) {
		v = xcalloc(1, size);
		strmap_put(m, key, v);
	}
	return v;
}

/* ---- files ------------------------------------------------------------------------ */

static char *source_of(const char *kernel)
{
	struct strbuf err = STRBUF_INIT;
	struct kernel *k;
	char *dir = NULL;

	if (!kernel_resolve(kernel, &k, &err)) {
		dir = k->source_dir ? xstrdup(k->source_dir) : NULL;
		kernel_free(k);
	}
	strbuf_release(&err);
	return dir;
}

/* The file in the newer tree: in its place, or below a directory beside it (drivers move down). */
static char *newer_path(const char *source, const char *rel)
{
	char *path = path_join(source, rel), *dir = xstrndup(path, (size_t)(path_base(path) - path));
	struct strvec names = STRVEC_INIT;
	struct strbuf err = STRBUF_INIT;

	if (!file_exists(path)) {
		if (file_list(dir, &names, &err))
			strbuf_reset(&err);
		for (size_t i = 0; i < names.n; i++) {
			char *sub = xstrfmt("%s%s/%s", dir, names.v[i], path_base(path));

			if (file_exists(sub)) {
				free(path);
				path = sub;
				break;
			}
			free(sub);
		}
	}
	strvec_release(&names);
	strbuf_release(&err);
	free(dir);
	return path;
}

/* Files that the patches touch. */
static void changed_files(const json_t *rec, struct strvec *out)
{
	size_t i, j, k;
	json_t *patch, *step, *file;

	json_array_foreach(json_object_get(rec, "patches"), i, patch)
		json_array_foreach(json_object_get(patch, "steps"), j, step)
			json_array_foreach(json_object_get(step, "files"), k, file)
				strvec_push(out, json_string_value(file));
	strvec_sort(out);
	for (i = 1; i < out->n;) {
		if (!strcmp(out->v[i], out->v[i - 1]))
			strvec_remove(out, i);
		else
			i++;
	}
}

static int compare_file(const struct bcase *b, const char *from, const char *to, const char *rel,
			struct equiv *q)
{
	char *p[3] = { path_join(from, rel), xstrfmt("%s/tree/%s", b->dir, rel), newer_path(to, rel) };
	struct strbuf text[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT }, err = STRBUF_INIT;
	int ret = 0;

	for (int i = 0; i < 3 && !ret; i++)
		ret = file_read(p[i], 0, &text[i], &err);
	if (!ret)
		equiv_compare(text[0].buf, text[1].buf, text[2].buf, q);
	for (int i = 0; i < 3; i++) {
		free(p[i]);
		strbuf_release(&text[i]);
	}
	strbuf_release(&err);
	return ret;
}

/* ---- which patch made an edit --------------------------------------------------------- */

static void read_patch(const struct bcase *b, const json_t *patch, struct patch_line **l, size_t *n,
		       size_t *alloc)
{
	const char *name = json_get_str(patch, "file");
	char *path = xstrfmt("%s/series/%s", b->dir, name ? name : ""), *save = NULL;
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;

	if (name && !file_read(path, 0, &text, &err)) {
		for (char *s = strtok_r(text.buf, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
			if ((*s != '+' && *s != '-') || starts_with(s, "+++ ") || starts_with(s, "--- "))
				continue;
			ALLOC_GROW(*l, *n + 1, *alloc);
			(*l)[(*n)++] = (struct patch_line){ xstrdup(s + 1), *s, patch };
		}
	}
	strbuf_release(&text);
	strbuf_release(&err);
	free(path);
}

static char *line_of(const char *path, int line)
{
	struct strbuf text = STRBUF_INIT, err = STRBUF_INIT;
	char *out = NULL;

	if (!file_read(path, 0, &text, &err)) {
		const char *p = text.buf;

		while (p && --line > 0) {
			p = strchr(p, '\n');
			p = p ? p + 1 : NULL;
		}
		out = p ? xstrndup(p, strcspn(p, "\n")) : NULL;
	}
	strbuf_release(&text);
	strbuf_release(&err);
	return out;
}

static const json_t *patch_with(const char *path, int at, char sign, const struct patch_line *l, size_t n)
{
	char *line = line_of(path, at);
	const json_t *hit = NULL;

	for (size_t i = n; line && i-- > 0 && !hit;) {
		if (l[i].sign == sign && !strcmp(l[i].text, line))
			hit = l[i].patch;
	}
	free(line);
	return hit;
}

/* By the line that was added, else by the one removed; a later patch may have changed either again. */
static const json_t *patch_of(const struct bcase *b, const char *from, const char *rel,
			      const struct equiv_edit *e, const struct patch_line *l, size_t n)
{
	char *now = xstrfmt("%s/tree/%s", b->dir, rel), *old = path_join(from, rel);
	const json_t *hit = NULL;

	if (*e->after)
		hit = patch_with(now, e->new_line, '+', l, n);
	if (!hit && *e->before)
		hit = patch_with(old, e->old_line, '-', l, n);
	if (!hit)
		hit = patch_with(now, e->new_line, '+', l, n);
	free(now);
	free(old);
	return hit;
}

/* ---- one case --------------------------------------------------------------------------- */

static void note_edit(const struct bcase *b, const char *rel, const struct equiv_edit *e,
		      const json_t *patch, json_t *out)
{
	const json_t *step = json_array_get(json_object_get(patch, "steps"), 0);
	const char *risk = patch ? json_get_str(patch, "risk") : "unknown";
	const char *technique = step ? json_get_str(step, "technique") : "unknown";
	const char *symbol = step ? json_get_str(step, "symbol") : NULL;
	json_t *o = json_object();

	((struct edit_tally *)slot(&by_risk, risk, sizeof(struct edit_tally)))->n[e->verdict]++;
	((struct edit_tally *)slot(&by_technique, technique, sizeof(struct edit_tally)))->n[e->verdict]++;
	json_set_str(o, "file", rel);
	json_set_str(o, "unit", e->unit);
	json_set_str(o, "verdict", equiv_verdict_name(e->verdict));
	json_set_str(o, "risk", risk);
	json_set_str(o, "technique", technique);
	json_set_str(o, "patch", patch ? json_get_str(patch, "subject") : NULL);
	json_set_str(o, "removed", e->before);
	json_set_str(o, "added", e->after);
	json_set_str(o, "theirs", e->theirs);
	json_array_append_new(out, o);
	if (e->verdict == EQUIV_DIFFERENT) {
		char *key = xstrfmt("%s %s", technique, symbol ? symbol : "-");
		struct strvec *v = slot(&kinds_left, key, sizeof(*v));

		if (!v->v)
			strvec_init(v);

		strvec_pushf(v, "  %s [%s] %s->%s %s\n\t- %s\n\t+ %s\n\t= %s", b->id, risk, b->from, b->to,
			     e->unit, e->before, e->after, e->theirs ? e->theirs : "(nothing)");
		free(key);
	}
}

static void note_file(const struct bcase *b, const char *from, const char *rel, const struct equiv *q,
		      const struct patch_line *l, size_t n, json_t *out)
{
	for (size_t i = 0; i < q->n; i++)
		note_edit(b, rel, &q->e[i], patch_of(b, from, rel, &q->e[i], l, n), out);
}

void bench_equiv_case(const struct bcase *b, const json_t *rec)
{
	const char *outcome = json_get_str(rec, "outcome");
	char *pair = xstrfmt("%s -> %s", b->from, b->to);
	char *from = source_of(b->from), *to = source_of(b->to);
	struct strvec files = STRVEC_INIT;
	struct equiv q = { .cls = EQUIV_NOTHING };
	struct patch_line *l = NULL;
	size_t n = 0, alloc = 0, i;
	json_t *o, *edits, *patch;

	if (!bench_passed(rec, "compile") || !bench_passed(rec, "link") || !bench_passed(rec, "honest"))
		goto out;
	o = json_object();
	edits = json_array();
	json_array_foreach(json_object_get(rec, "patches"), i, patch)
		read_patch(b, patch, &l, &n, &alloc);
	changed_files(rec, &files);
	for (i = 0; from && to && i < files.n; i++) {
		struct equiv one;

		if (compare_file(b, from, to, files.v[i], &one))
			continue;
		note_file(b, from, files.v[i], &one, l, n, edits);
		equiv_merge(&q, &one);
	}
	((struct class_tally *)slot(&by_pair, pair, sizeof(struct class_tally)))->n[q.cls]++;
	((struct class_tally *)slot(&by_outcome, outcome, sizeof(struct class_tally)))->n[q.cls]++;
	printf("Q %s %s: %s (%zu equal, %zu different, %zu absent; %s)\n", b->id, pair,
	       equiv_class_name(q.cls), q.equal, q.different, q.absent, outcome);
	json_set_str(o, "case", b->id);
	json_set_str(o, "from", b->from);
	json_set_str(o, "to", b->to);
	json_set_str(o, "outcome", outcome);
	json_set_str(o, "class", equiv_class_name(q.cls));
	json_object_set_new(o, "edits", edits);
	all = all ? all : json_array();
	json_array_append_new(all, o);
out:
	for (i = 0; i < n; i++)
		free(l[i].text);
	free(l);
	equiv_release(&q);
	strvec_release(&files);
	free(from);
	free(to);
	free(pair);
}

/* ---- tables -------------------------------------------------------------------------------- */

static void class_table(const char *title, struct strmap *m)
{
	struct strmap_entry *e;

	printf("\n%-34s %6s %6s %6s %6s %6s %8s %9s\n", title, "solved", "equal", "all", "partly",
	       "none", "nothing", "equal+all");
	strmap_for_each(m, e) {
		const struct class_tally *t = e->value;
		size_t sum = 0, good = t->n[EQUIV_SAME] + t->n[EQUIV_ALL], comparable;

		for (int i = 0; i < CLASSES; i++)
			sum += t->n[i];
		comparable = sum - t->n[EQUIV_NOTHING];
		printf("%-34s %6zu %6zu %6zu %6zu %6zu %8zu %7.0f %%\n", e->key, sum, t->n[EQUIV_SAME],
		       t->n[EQUIV_ALL], t->n[EQUIV_PARTLY], t->n[EQUIV_NONE], t->n[EQUIV_NOTHING],
		       comparable ? 100.0 * (double)good / (double)comparable : 0);
	}
}

static void edit_table(const char *title, struct strmap *m)
{
	struct strmap_entry *e;

	printf("\n%-34s %6s %9s %6s %8s\n", title, "equal", "different", "absent", "equal");
	strmap_for_each(m, e) {
		const struct edit_tally *t = e->value;
		size_t n = t->n[EQUIV_EQUAL] + t->n[EQUIV_DIFFERENT];

		printf("%-34s %6zu %9zu %6zu %6.0f %%\n", e->key, t->n[EQUIV_EQUAL],
		       t->n[EQUIV_DIFFERENT], t->n[EQUIV_ABSENT],
		       n ? 100.0 * (double)t->n[EQUIV_EQUAL] / (double)n : 0);
	}
}

void bench_equiv_tables(const char *json)
{
	struct strbuf err = STRBUF_INIT;
	struct strmap_entry *e;

	if (kinds_left.n)
		printf("\nedits that are not the newer file's (-: removed, +: added, =: there), by kind:\n");
	strmap_for_each(&kinds_left, e) {
		struct strvec *v = e->value;

		printf("K %s: %zu\n", e->key, v->n);
		for (size_t i = 0; i < v->n; i++)
			printf("%s\n", v->v[i]);
		strvec_release(v);
	}
	class_table("solved, against the newer file", &by_pair);
	class_table("by outcome", &by_outcome);
	edit_table("edits by risk class", &by_risk);
	edit_table("edits by technique", &by_technique);
	if (json && json_write_file(json, all ? all : json_array(), &err))
		die("%s", err.buf);
	json_decref(all);
	strbuf_release(&err);
	strmap_release(&by_pair, free);
	strmap_release(&by_outcome, free);
	strmap_release(&by_risk, free);
	strmap_release(&by_technique, free);
	strmap_release(&kinds_left, free);
}
