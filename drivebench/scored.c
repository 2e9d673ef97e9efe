// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "drivebench/scored.h"

#include "base/alloc.h"
#include "base/file.h"

const char *const baseline_names[] = { "noop", "rules", "sibling", NULL };

static int add_one(struct scored_list *l, const char *dir, const char *name, const char *baseline, const char *cutoff,
		   struct strbuf *err)
{
	struct scored *s;
	int ret;

	ALLOC_GROW(l->v, l->n + 1, l->alloc);
	s = &l->v[l->n++];
	memset(s, 0, sizeof(*s));
	s->name = xstrdup(name);
	s->baseline = baseline;
	ret = bench_run_open(dir, false, &s->r, err);
	if (!ret)
		ret = score_read(&s->r, &s->records, err);
	if (!ret)
		s->score = score_make(&s->r, s->records, cutoff);
	return ret;
}

int scored_add(struct scored_list *l, const char *dir, const char *cutoff, struct strbuf *err)
{
	int ret = add_one(l, dir, dir, NULL, cutoff, err);

	for (int i = 0; !ret && baseline_names[i]; i++) {
		char *path = xstrfmt("%s/baselines/%s", dir, baseline_names[i]);
		char *name = xstrfmt("%s, baseline %s", dir, baseline_names[i]);

		if (file_is_dir(path))
			ret = add_one(l, path, name, baseline_names[i], cutoff, err);
		free(path);
		free(name);
	}
	return ret;
}

void scored_release(struct scored_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		json_decref(l->v[i].records);
		json_decref(l->v[i].score);
		bench_run_close(&l->v[i].r);
	}
	free(l->v);
	memset(l, 0, sizeof(*l));
}

size_t scored_against(const struct scored_list *l, size_t i)
{
	size_t k = i;

	while (l->v[i].baseline && k && l->v[k].baseline)
		k--;
	return l->v[i].baseline ? k : 0;
}
