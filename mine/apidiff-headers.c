// SPDX-License-Identifier: GPL-2.0-only
/* Headers that are gone, and includes that others relied on. */
#include "base/compat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/strmap.h"
#include "mine/apidiff-internal.h"

static int header_names(struct api_index *ix, struct strvec *out, struct strbuf *err)
{
	sqlite3_stmt *st;
	int ret = db_prepare(api_index__db(ix), "SELECT name FROM header ORDER BY id", &st, err);

	if (ret < 0)
		return ret;
	while (sqlite3_step(st) == SQLITE_ROW)
		strvec_push(out, db_text(st, 0));
	sqlite3_finalize(st);
	return 0;
}

/* Votes for the header that has now what a lost one declared. */
struct votes {
	struct strmap count; /* header -> number */
	const char *best;
	size_t best_n, total;
};

static void vote(struct votes *v, const char *header)
{
	size_t n = (size_t)(uintptr_t)strmap_get(&v->count, header) + 1;

	strmap_put(&v->count, header, (void *)(uintptr_t)n);
	v->total++;
	if (n > v->best_n) {
		v->best_n = n;
		v->best = header;
	}
}

/* The only header of that name elsewhere, or NULL. */
static const char *same_basename(struct diff_ctx *d, const char *header)
{
	struct strvec named = STRVEC_INIT, old = STRVEC_INIT;
	const char *found = NULL;
	size_t i;

	api_headers_named(d->b.ix, path_base(header), &named);
	for (i = 0; i < named.n; i++) {
		/* It must be new, or what was there before is another one of that name. */
		if (api_has_header(d->a.ix, named.v[i]))
			continue;
		found = found ? NULL : diff_str(d, named.v[i]);
		if (!found)
			break;
	}
	strvec_release(&named);
	strvec_release(&old);
	return found;
}

static void lost_header(struct diff_ctx *d, const char *header)
{
	const struct api_symbol **list;
	size_t n = api_in_header(d->a.ix, header, API_ANY & ~API_MEMBER, &list), i;
	struct votes v = { 0 };
	struct strvec inc = STRVEC_INIT;
	const char *to = NULL, *why = NULL;

	for (i = 0; i < n; i++) {
		const struct api_symbol *b = list[i]->kind & API_TAG ? side_tag(&d->b, list[i]->name) :
								      side_ordinary(&d->b, list[i]->name);

		if (b)
			vote(&v, b->header);
	}
	if (v.best && v.best_n * 2 >= v.total && v.total * 4 >= n) {
		to = diff_str(d, v.best);
		why = "declares now what it declared";
	} else if ((to = same_basename(d, header)) != NULL) {
		why = "new header of the same name";
	} else if (!n && api_includes(d->a.ix, header, false, &inc) == 1 &&
		   api_has_header(d->b.ix, inc.v[0])) {
		to = diff_str(d, inc.v[0]);
		why = "it only included that one";
	}
	diff_add(d, CHANGE_HEADER_GONE, diff_str(d, header), NULL, to, NULL, NULL,
		 v.total && to ? (double)v.best_n / (double)v.total : to ? 0.7 : 1, why);
	free(list);
	strvec_release(&inc);
	strmap_release(&v.count, NULL);
}

/* Headers that it no longer takes in, neither directly nor through others. */
static void lost_includes(struct diff_ctx *d, const char *header)
{
	struct strvec old = STRVEC_INIT, now = STRVEC_INIT, deep = STRVEC_INIT;
	struct strmap set;
	size_t i;
	bool any = false;

	strmap_init(&set);
	api_includes(d->a.ix, header, false, &old);
	api_includes(d->b.ix, header, false, &now);
	for (i = 0; i < old.n && !any; i++)
		any = !strvec_contains(&now, old.v[i]) && api_has_header(d->b.ix, old.v[i]);
	if (any) {
		api_includes(d->b.ix, header, true, &deep);
		for (i = 0; i < deep.n; i++)
			strmap_put(&set, deep.v[i], NULL);
		for (i = 0; i < old.n; i++)
			if (!strmap_has(&set, old.v[i]) && api_has_header(d->b.ix, old.v[i]))
				diff_add(d, CHANGE_INCLUDE_DROPPED, diff_str(d, header), NULL,
					 diff_str(d, old.v[i]), NULL, NULL, 1, NULL);
	}
	strmap_release(&set, NULL);
	strvec_release(&old);
	strvec_release(&now);
	strvec_release(&deep);
}

int diff_headers(struct diff_ctx *d, struct strbuf *err)
{
	struct strvec names = STRVEC_INIT;
	size_t i;
	int ret = header_names(d->a.ix, &names, err);

	for (i = 0; !ret && i < names.n; i++) {
		if (!api_has_header(d->b.ix, names.v[i]))
			lost_header(d, names.v[i]);
		else
			lost_includes(d, names.v[i]);
	}
	strvec_release(&names);
	return ret;
}
