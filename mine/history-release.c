// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "mine/history-release.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/strmap.h"
#include "mine/history-parse.h"

#define MAX_TAGS 100000

struct tag {
	uint32_t node;
	int64_t time;
	char *name;
	bool version;
};

struct tags {
	git_repository *repo;
	const struct graph *g;
	struct tag *v;
	size_t n, alloc, all, versions;
};

/* Numbers with dots between them; at least one dot. */
static const char *skip_version(const char *s)
{
	int numbers = 0;

	for (;; s++) {
		if (!isdigit((unsigned char)*s))
			return NULL;
		while (isdigit((unsigned char)*s))
			s++;
		numbers++;
		if (*s != '.')
			return numbers > 1 ? s : NULL;
	}
}

/* "-rc3", "rc3", "-pre1": what comes before the release itself. */
static bool is_candidate(const char *s)
{
	static const char *const words[] = { "-rc", "rc", "-pre", "-alpha", "-beta" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if (strncasecmp(s, words[i], n))
			continue;
		for (s += n; isdigit((unsigned char)*s) || *s == '.'; s++)
			;
		return !*s;
	}
	return false;
}

char *release_of_tag(const char *tag)
{
	const char *end = skip_version(tag + (*tag == 'v' || *tag == 'V'));

	if (!end || (*end && !is_candidate(end)))
		return NULL;
	return xstrndup(tag, (size_t)(end - tag));
}

static int add_tag(const char *ref, git_oid *id, void *payload)
{
	struct tags *t = payload;
	const char *name = strncmp(ref, "refs/tags/", 10) ? ref : ref + 10;
	char *release = release_of_tag(name);
	git_object *target = NULL, *commit = NULL;
	uint32_t node = GRAPH_NONE;

	t->all++;
	t->versions += release != NULL;
	if (t->n < MAX_TAGS && !git_object_lookup(&target, t->repo, id, GIT_OBJECT_ANY) &&
	    !git_object_peel(&commit, target, GIT_OBJECT_COMMIT))
		node = graph_find(t->g, git_object_id(commit));
	if (node != GRAPH_NONE && (t->g->nodes[node].flags & NODE_LOADED)) {
		ALLOC_GROW(t->v, t->n + 1, t->alloc);
		t->v[t->n++] = (struct tag){ .node = node,
					     .time = t->g->nodes[node].time,
					     .version = release != NULL,
					     .name = release ? release : xstrdup(name) };
		release = NULL;
	}
	free(release);
	git_object_free(commit);
	git_object_free(target);
	return 0;
}

static int cmp_tag(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return strcmp(x->name, y->name);
}

static uint32_t intern(struct releases *r, struct strmap *known, const char *name)
{
	uintptr_t at = (uintptr_t)strmap_get(known, name);

	if (!at) {
		ALLOC_GROW(r->names, r->n + 1, r->alloc);
		r->names[r->n++] = xstrdup(name);
		at = r->n;
		strmap_put(known, name, (void *)at);
	}
	return (uint32_t)at;
}

static void mark(struct graph *g, uint32_t from, uint32_t release)
{
	uint32_t *s = NULL;
	size_t n = 0, alloc = 0;

	ALLOC_GROW(s, 1, alloc);
	s[n++] = from;
	while (n) {
		struct node *at = &g->nodes[s[--n]];

		if (at->release)
			continue;
		at->release = release;
		for (unsigned p = 0; p < at->nparents; p++) {
			ALLOC_GROW(s, n + 1, alloc);
			s[n++] = g->parents[at->parents + p];
		}
	}
	free(s);
}

void releases_mark(struct releases *r, git_repository *repo, struct graph *g)
{
	struct tags t = { .repo = repo, .g = g };
	struct strmap known = STRMAP_INIT;

	git_tag_foreach(repo, add_tag, &t);
	r->tagged = t.all > 0;
	if (t.n)
		sort_items(t.v, t.n, sizeof(*t.v), cmp_tag);
	for (size_t i = 0; i < t.n; i++) {
		if (t.v[i].version || !t.versions)
			mark(g, t.v[i].node, intern(r, &known, t.v[i].name));
		free(t.v[i].name);
	}
	free(t.v);
	strmap_release(&known, NULL);
}

const char *releases_name(const struct releases *r, uint32_t release)
{
	return release ? r->names[release - 1] : NULL;
}

void releases_release(struct releases *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->names[i]);
	free(r->names);
	memset(r, 0, sizeof(*r));
}
