// SPDX-License-Identifier: GPL-2.0-only
/* Members of structures that both kernels have. */
#include "base/compat.h"
#include "base/alloc.h"
#include "mine/apidiff-internal.h"
#include "mine/name-sim.h"
#include "mine/signature.h"

#define MAX_MEMBERS 4096

/* One structure on both sides, with what is matched so far. */
struct layout {
	struct diff_ctx *d;
	const char *symbol;	/* "struct foo" */
	const uint32_t *ma, *mb;
	size_t na, nb;
	uint32_t *to, *back;	/* index + 1 of the counterpart */
};

static const struct api_symbol *old_member(const struct layout *l, size_t i)
{
	return side_symbol(&l->d->a, l->ma[i]);
}

static const struct api_symbol *new_member(const struct layout *l, size_t i)
{
	return side_symbol(&l->d->b, l->mb[i]);
}

static const char *path_of(const struct api_symbol *m)
{
	return m->path ? m->path : m->name;
}

static void match(struct layout *l, size_t i, size_t j)
{
	l->to[i] = (uint32_t)j + 1;
	l->back[j] = (uint32_t)i + 1;
}

/* By the same path first (alternatives of an #if: the one in use), then by the same name. */
static void match_names(struct layout *l, bool paths)
{
	size_t i, j;

	for (i = 0; i < l->na; i++) {
		const struct api_symbol *a = old_member(l, i);
		size_t found = (size_t)-1;

		if (!a || l->to[i])
			continue;
		for (j = 0; j < l->nb; j++) {
			const struct api_symbol *b = new_member(l, j);

			if (!b || l->back[j])
				continue;
			if (strcmp(paths ? path_of(a) : a->name, paths ? path_of(b) : b->name))
				continue;
			if (found == (size_t)-1 || (a->active == b->active))
				found = j;
			if (a->active == b->active)
				break;
		}
		if (found != (size_t)-1)
			match(l, i, found);
	}
}

/* Are the next matched siblings before and behind the same in both? 0..2 */
static int neighbours(const struct layout *l, size_t i, size_t j)
{
	int n = 0;

	if (i > 0 && j > 0 && l->to[i - 1] == j)
		n++;
	if (i == 0 && j == 0)
		n++;
	if (i + 1 < l->na && j + 1 < l->nb && l->to[i + 1] == j + 2)
		n++;
	if (i + 1 == l->na && j + 1 == l->nb)
		n++;
	return n;
}

static bool same_member_type(const struct api_symbol *a, const struct api_symbol *b)
{
	return sig_compare_types(a->type, b->type) != SIG_DIFFERENT &&
	       sig_compare_params(a->params, b->params) != SIG_DIFFERENT;
}

/* "int" and the like say nothing; a structure or a callback's parameters do. */
static bool telling_type(const struct api_symbol *m)
{
	return m->params || (m->type && (strchr(m->type, '*') || starts_with(m->type, "struct ")));
}

static double rename_score(const struct layout *l, size_t i, size_t j)
{
	const struct api_symbol *a = old_member(l, i), *b = new_member(l, j);
	double name = name_similarity(a->name, b->name);
	int near = neighbours(l, i, j);
	bool same = same_member_type(a, b);

	if (name_opposite(a->name, b->name) || !a->params != !b->params)
		return 0;
	if (!same && (name < 0.75 || !near))
		return 0;
	/* "even_cows" is not the new name of "skip_cows"; callbacks are told by their parameters. */
	if (!a->params && name < 0.7 && name_word_replaced(a->name, b->name))
		return 0;
	/* Two unlike names of a common type are two members. */
	if (name < 0.3 && (near < 2 || !telling_type(a)))
		return 0;
	return (same ? 0.3 + (telling_type(a) ? 0.1 : 0) : 0.1) + 0.4 * name + 0.1 * near;
}

/* The best score that either of the pair has with somebody else. */
static double rival(const struct layout *l, size_t bi, size_t bj)
{
	double second = 0, s;
	size_t k;

	for (k = 0; k < l->nb; k++)
		if (k != bj && !l->back[k] && new_member(l, k) && (s = rename_score(l, bi, k)) > second)
			second = s;
	for (k = 0; k < l->na; k++)
		if (k != bi && !l->to[k] && old_member(l, k) && (s = rename_score(l, k, bj)) > second)
			second = s;
	return second;
}

/* The best pairs of what is left, best first; ties are left alone. */
static void match_renames(struct layout *l, double *score)
{
	bool *tied = xcalloc(l->na + 1, sizeof(*tied));

	for (;;) {
		double best = 0, s;
		size_t i, j, bi = 0, bj = 0;

		for (i = 0; i < l->na; i++)
			for (j = 0; !l->to[i] && !tied[i] && old_member(l, i) && j < l->nb; j++) {
				if (l->back[j] || !new_member(l, j) || (s = rename_score(l, i, j)) <= best)
					continue;
				best = s;
				bi = i;
				bj = j;
			}
		if (best < 0.6)
			break;
		if (best - rival(l, bi, bj) < 0.04) {
			tied[bi] = true;
			continue;
		}
		match(l, bi, bj);
		score[bi] = best;
	}
	free(tied);
}

static size_t count_left(const uint32_t *m, size_t n)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		k += !m[i];
	return k;
}

static void report_match(struct layout *l, size_t i, double score)
{
	const struct api_symbol *a = old_member(l, i), *b = new_member(l, l->to[i] - 1);
	const char *name = diff_str(l->d, path_of(a));

	if (!a->active && !b->active)
		return;
	if (strcmp(a->name, b->name))
		diff_add(l->d, CHANGE_MEMBER_RENAMED, l->symbol, name, diff_str(l->d, path_of(b)), a, b,
			 score > 0.97 ? 0.97 : score,
			 same_member_type(a, b) ? "same type, names and neighbours alike" :
						  "names and neighbours alike");
	else if (strcmp(path_of(a), path_of(b)))
		diff_add(l->d, CHANGE_MEMBER_MOVED, l->symbol, name, diff_str(l->d, path_of(b)), a, b, 1,
			 "same name in another place of the structure");
	diff_types(l->d, a, b, l->symbol, name);
	if (a->active && !b->active)
		diff_add(l->d, CHANGE_MEMBER_REMOVED, l->symbol, name, NULL, a, b, 0.6,
			 diff_str(l->d, b->cond ? b->cond : "not in this configuration"));
}

/* Structure that a member is or points to, or NULL. */
static const struct api_symbol *member_struct(const struct diff_side *s, const struct api_symbol *m)
{
	char tag[128];
	const char *p;

	if (!m->type || m->params || !(skip_prefix(m->type, "struct ", &p) || skip_prefix(m->type, "union ", &p)))
		return NULL;
	snprintf(tag, sizeof(tag), "%.*s", (int)strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
						   "0123456789_"), p);
	return side_tag(s, tag);
}

/* A direct member of that name and type, or NULL. */
static const struct api_symbol *same_inside(const struct diff_side *s, const struct api_symbol *owner,
					    const struct api_symbol *like)
{
	size_t n, i;
	const uint32_t *m = side_members(s, owner, &n);

	for (i = 0; i < n; i++) {
		const struct api_symbol *x = side_symbol(s, m[i]);

		if (x && !strcmp(x->name, like->name) && !strcmp(path_of(x), x->name) &&
		    same_member_type(x, like))
			return x;
	}
	return NULL;
}

static const char *joined(struct diff_ctx *d, const struct api_symbol *outer, const char *inner)
{
	struct strbuf sb = STRBUF_INIT;
	const char *s;

	strbuf_addf(&sb, "%s%s%s", path_of(outer), strchr(outer->type, '*') ? "->" : ".", inner);
	s = diff_str(d, sb.buf);
	strbuf_release(&sb);
	return s;
}

/* The lost member may now be inside a structure that is a new member. */
static bool moved_in(struct layout *l, const struct api_symbol *a)
{
	size_t j;

	for (j = 0; j < l->nb; j++) {
		const struct api_symbol *b = new_member(l, j), *t, *x;

		if (!b || l->back[j] || !(t = member_struct(&l->d->b, b)))
			continue;
		x = same_inside(&l->d->b, t, a);
		if (!x)
			continue;
		diff_add(l->d, CHANGE_MEMBER_MOVED, l->symbol, diff_str(l->d, path_of(a)),
			 joined(l->d, b, x->name), a, x, 0.8, "same name and type inside a new member");
		return true;
	}
	return false;
}

/* The lost member was a structure whose members are now members themselves. */
static void moved_out(struct layout *l, const struct api_symbol *a)
{
	const struct api_symbol *t = member_struct(&l->d->a, a);
	size_t j;

	for (j = 0; t && j < l->nb; j++) {
		const struct api_symbol *b = new_member(l, j), *x;

		if (!b || l->back[j] || !(x = same_inside(&l->d->a, t, b)))
			continue;
		diff_add(l->d, CHANGE_MEMBER_MOVED, l->symbol, joined(l->d, a, x->name),
			 diff_str(l->d, path_of(b)), x, b, 0.9,
			 "same name and type as inside the lost member");
	}
}

static void report(struct layout *l, const double *score)
{
	size_t i;

	for (i = 0; i < l->na; i++) {
		const struct api_symbol *a = old_member(l, i);

		if (!a)
			continue;
		if (l->to[i])
			report_match(l, i, score[i]);
		else if (a->active && !moved_in(l, a)) {
			diff_add(l->d, CHANGE_MEMBER_REMOVED, l->symbol, diff_str(l->d, path_of(a)), NULL,
				 a, NULL, 1, NULL);
			moved_out(l, a);
		}
	}
	for (i = 0; i < l->nb; i++) {
		const struct api_symbol *b = new_member(l, i);

		if (b && !l->back[i] && b->active)
			diff_add(l->d, CHANGE_MEMBER_ADDED, l->symbol, diff_str(l->d, path_of(b)), NULL,
				 NULL, b, 1, NULL);
	}
}

static bool same_members(const struct layout *l)
{
	size_t i;

	if (l->na != l->nb)
		return false;
	for (i = 0; i < l->na; i++) {
		const struct api_symbol *a = old_member(l, i), *b = new_member(l, i);

		if (!a || !b || strcmp(a->name, b->name) || strcmp(path_of(a), path_of(b)) ||
		    strcmp(a->type ? a->type : "", b->type ? b->type : "") ||
		    strcmp(a->params ? a->params : "", b->params ? b->params : "") ||
		    a->active != b->active || diff_uses_changed_typedef(l->d, b))
			return false;
	}
	return true;
}

static void one_structure(struct diff_ctx *d, const struct diff_pair *p)
{
	struct layout l = { .d = d };
	double *score;

	l.ma = side_members(&d->a, p->a, &l.na);
	l.mb = side_members(&d->b, p->b, &l.nb);
	if (same_members(&l) || l.na > MAX_MEMBERS || l.nb > MAX_MEMBERS)
		return;
	l.symbol = diff_tag_name(d, p->a);
	l.to = xcalloc(l.na + 1, sizeof(*l.to));
	l.back = xcalloc(l.nb + 1, sizeof(*l.back));
	score = xcalloc(l.na + 1, sizeof(*score));
	match_names(&l, true);
	match_names(&l, false);
	/* Of a structure rewritten from the ground up nothing can be said to be renamed. */
	if (count_left(l.to, l.na) * count_left(l.back, l.nb) < 10000)
		match_renames(&l, score);
	report(&l, score);
	free(l.to);
	free(l.back);
	free(score);
}

void diff_members(struct diff_ctx *d)
{
	size_t i;

	for (i = 0; i < d->ntags; i++)
		if (d->tags[i].a->kind != API_ENUM)
			one_structure(d, &d->tags[i]);
}
