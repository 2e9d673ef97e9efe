// SPDX-License-Identifier: GPL-2.0-only
/* The commits of mined histories that changed a symbol and its users. */
#include "base/compat.h"
#include "port/evidence-history.h"

#include "base/alloc.h"
#include "base/jsonutil.h"
#include "base/log.h"
#include "base/strmap.h"
#include "mine/histories.h"

#define MAX_COMMITS 6	/* lines; --json has all */
#define MAX_EXAMPLES 60	/* of one history */

/* "v6.12-rc3", "6.12.95+deb12-amd64": 6 << 16 | 12; 0 when it is no such name. */
static unsigned release_number(const char *s)
{
	unsigned major, minor;

	if (s && (*s == 'v' || *s == 'V'))
		s++;
	return s && sscanf(s, "%u.%u", &major, &minor) == 2 && minor < 65536 ? major << 16 | minor : 0;
}

/* Behind the older kernel and not behind the newer? What has no release yet is behind all. */
static bool between(const struct api_pair *p, const struct cochange *c)
{
	unsigned at = release_number(c->release), from, to;

	if (!p)
		return true;
	from = release_number(api_index_release(p->old_ix));
	to = release_number(api_index_release(p->new_ix));
	return at && from && to && at > from && at <= to;
}

/* seen: commits of the stores before this one; two may hold the same history. */
static void take(const struct api_pair *p, struct cochange *list, size_t n, struct strmap *seen, size_t store,
		 struct evidence *out)
{
	for (size_t i = 0; i < n; i++) {
		uintptr_t by = (uintptr_t)strmap_get(seen, list[i].commit);
		struct cochange *one;
		bool fits = list[i].filter == FILTER_NONE && (!by || by == store);

		if (fits)
			strmap_put(seen, list[i].commit, (void *)store);
		if (fits && between(p, &list[i])) {
			ALLOC_GROW(out->commit, out->ncommits + 1, out->commits_alloc);
			out->commit[out->ncommits++] = list[i];
			continue;
		}
		out->elsewhere += fits;
		one = xmemdup(&list[i], sizeof(*one));
		cochange_free_list(one, 1);
	}
	free(list);
}

static int by_time(const void *a, const void *b)
{
	const struct cochange *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return strcmp(x->commit, y->commit);
}

/* Examples of the commits that were taken from this store join those of the snapshots. */
static void add_examples(struct cochanges *co, const char *ident, size_t first, struct evidence *out)
{
	struct example *list = NULL;
	size_t n = cochange_examples(co, ident, NULL, MAX_EXAMPLES, &list);

	out->example = xrealloc(out->example, (out->nexamples + n + 1) * sizeof(*out->example));
	for (size_t i = 0; i < n; i++) {
		bool taken = false;

		for (size_t k = first; k < out->ncommits && !taken; k++)
			taken = list[i].commit && !strcmp(list[i].commit, out->commit[k].commit);
		if (taken) {
			out->example[out->nexamples++] = list[i];
		} else {
			struct example *one = xmemdup(&list[i], sizeof(*one));

			examples_free_list(one, 1);
		}
	}
	free(list);
}

void evidence_history(const struct api_pair *p, const char *symbol, const char *member, const char *ident,
		      bool examples, struct evidence *out)
{
	char *full = member ? xstrfmt("%s.%s", symbol, member) : xstrdup(symbol);
	struct strvec paths = STRVEC_INIT;
	struct strmap seen;

	strmap_init(&seen);
	histories_list(&paths);
	out->histories = paths.n;
	for (size_t i = 0; i < paths.n; i++) {
		struct strbuf ignored = STRBUF_INIT;
		struct cochanges *co;
		struct cochange *list;
		size_t n, first = out->ncommits;

		if (cochange_open(paths.v[i], &co, &ignored) == 0) {
			n = cochange_of_symbol(co, full, &list);
			take(p, list, n, &seen, i + 1, out);
			if (examples && out->ncommits > first)
				add_examples(co, ident, first, out);
			cochange_close(co);
		}
		strbuf_release(&ignored);
	}
	if (out->ncommits)
		sort_items(out->commit, out->ncommits, sizeof(*out->commit), by_time);
	strmap_release(&seen, NULL);
	strvec_release(&paths);
	free(full);
}

void evidence_history_print(const struct evidence *e)
{
	size_t shown = e->ncommits < MAX_COMMITS ? e->ncommits : MAX_COMMITS;

	for (size_t i = 0; i < shown; i++) {
		const struct cochange *c = &e->commit[i];

		printf("  %s  %.12s  %s: ", c->release ? c->release : "unreleased", c->commit,
		       cochange_class_name(c->cls));
		print_shown(c->subject ? c->subject : "");
		printf("\n  %*s%s, %zu files follow, %s, %d %% sure%s%.12s\n", c->release ? (int)strlen(c->release) + 2 : 12,
		       "", cochange_link_name(c->link), c->nusers, c->reason ? c->reason : "",
		       (int)(c->confidence * 100 + 0.5), c->fixed_by ? "; corrected later by " : "",
		       c->fixed_by ? c->fixed_by : "");
	}
	if (e->ncommits > shown)
		printf("  and %zu more commits; --json lists all\n", e->ncommits - shown);
	if (e->elsewhere)
		printf("  %zu commit%s of other releases changed it too\n", e->elsewhere, e->elsewhere == 1 ? "" : "s");
}

json_t *evidence_history_json(const struct evidence *e)
{
	json_t *a = json_array();

	for (size_t i = 0; i < e->ncommits; i++) {
		const struct cochange *c = &e->commit[i];
		json_t *o = json_object();

		json_set_str(o, "commit", c->commit);
		json_set_int(o, "time", c->time);
		json_set_str(o, "release", c->release);
		json_set_str(o, "subject", c->subject);
		json_set_str(o, "class", cochange_class_name(c->cls));
		json_set_str(o, "link", cochange_link_name(c->link));
		json_set_num(o, "confidence", c->confidence);
		json_set_str(o, "reason", c->reason);
		json_set_str(o, "to", c->to_name);
		json_set_str(o, "header", c->header);
		json_set_str(o, "old", c->old_decl);
		json_set_str(o, "new", c->new_decl);
		json_set_str(o, "fixed_by", c->fixed_by);
		json_set_int(o, "group", c->group);
		json_set_int(o, "users", (int64_t)c->nusers);
		json_array_append_new(a, o);
	}
	return a;
}
