// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/oracle-deps.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/strmap.h"

/* What one text includes. */
struct includes {
	struct strvec names; /* last parts */
	bool all;	     /* cannot be said */
};

struct by_name {
	size_t *index;
	size_t n, alloc;
};

struct unit_deps {
	struct strmap texts; /* hash of a text -> struct includes */
	struct strmap names; /* last part of a path -> struct by_name; of the first tree, all have the same files */
	bool have_names;
};

struct unit_deps *unit_deps_new(void)
{
	return xcalloc(1, sizeof(struct unit_deps));
}

static void free_includes(void *v)
{
	struct includes *i = v;

	strvec_release(&i->names);
	free(i);
}

static void free_by_name(void *v)
{
	struct by_name *b = v;

	free(b->index);
	free(b);
}

void unit_deps_free(struct unit_deps *d)
{
	if (!d)
		return;
	strmap_release(&d->texts, free_includes);
	strmap_release(&d->names, free_by_name);
	free(d);
}

static void learn_names(struct unit_deps *d, const struct tree *t)
{
	for (size_t i = 0; i < t->n && !d->have_names; i++) {
		const char *base = path_base(t->files[i]->path);
		struct by_name *b = strmap_get(&d->names, base);

		if (!b) {
			b = xcalloc(1, sizeof(*b));
			strmap_put(&d->names, base, b);
		}
		ALLOC_GROW(b->index, b->n + 1, b->alloc);
		b->index[b->n++] = i;
	}
	d->have_names = true;
}

/* One #include line, p behind the word. */
static void add_include(struct unit_deps *d, struct includes *in, const char *p, const char *end)
{
	const char *close;
	char *name;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	close = p < end && (*p == '"' || *p == '<')
			? memchr(p + 1, *p == '"' ? '"' : '>', (size_t)(end - p - 1)) : NULL;
	if (!close) {
		in->all = true;
		return;
	}
	name = xstrndup(p + 1, (size_t)(close - p - 1));
	if (strmap_has(&d->names, path_base(name)))
		strvec_push(&in->names, path_base(name));
	else if ((!ends_with(name, ".h") && !ends_with(name, ".c")) ||
		 (*p == '"' && !strchr(name, '/')))
		in->all = true; /* generated, or of a kind that the tree does not hold */
	free(name);
}

static struct includes *includes_of(struct unit_deps *d, const struct srcfile *f)
{
	struct includes *in = strmap_get(&d->texts, f->hash.hex);
	const char *p = f->text, *end = f->text + f->len;

	if (in)
		return in;
	in = xcalloc(1, sizeof(*in));
	strvec_init(&in->names);
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;

		while (p < stop && (*p == ' ' || *p == '\t'))
			p++;
		if (p < stop && *p == '#') {
			for (p++; p < stop && (*p == ' ' || *p == '\t'); p++)
				;
			if (stop - p > 7 && !memcmp(p, "include", 7))
				add_include(d, in, p + 7, stop);
		}
		p = nl ? nl + 1 : end;
	}
	strmap_put(&d->texts, f->hash.hex, in);
	return in;
}

struct walk {
	struct unit_deps *d;
	const struct tree *t;
	bool *seen, all;
	size_t *todo, ntodo;
};

static void see(struct walk *w, size_t i)
{
	if (w->seen[i])
		return;
	w->seen[i] = true;
	w->todo[w->ntodo++] = i;
}

static void see_name(struct walk *w, const char *name)
{
	const struct by_name *b = strmap_get(&w->d->names, path_base(name));

	for (size_t i = 0; b && i < b->n; i++)
		see(w, b->index[i]);
}

void unit_deps_mark(struct unit_deps *d, const struct tree *t, const char *own,
		    const struct strvec *argv, bool *seen)
{
	struct walk w = { .d = d, .t = t, .seen = seen };

	learn_names(d, t);
	memset(seen, 0, t->n * sizeof(*seen));
	w.todo = xcalloc(t->n ? t->n : 1, sizeof(*w.todo));
	w.all = !own || !tree_file(t, own);
	for (size_t i = 0; !w.all && i < t->n; i++) {
		if (!strcmp(t->files[i]->path, own))
			see(&w, i);
	}
	for (size_t i = 0; argv && i + 1 < argv->n; i++) {
		if (!strcmp(argv->v[i], "-include") || !strcmp(argv->v[i], "-imacros"))
			see_name(&w, argv->v[i + 1]);
	}
	while (w.ntodo && !w.all) {
		const struct includes *in = includes_of(d, t->files[w.todo[--w.ntodo]]);

		w.all = in->all;
		for (size_t i = 0; i < in->names.n && !w.all; i++)
			see_name(&w, in->names.v[i]);
	}
	for (size_t i = 0; w.all && i < t->n; i++)
		seen[i] = true;
	free(w.todo);
}
