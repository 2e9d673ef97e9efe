// SPDX-License-Identifier: GPL-2.0-only
#include "base/compat.h"
#include "port/sigmap.h"

#include "base/alloc.h"

/* Signatures of more parameters are matched by position only. */
#define MAX_PARAMS 32

static bool is_untyped(const struct sigparam *p)
{
	return !*p->type || (p->name && !strcmp(p->type, p->name));
}

static bool same_name(const struct sigparam *a, const struct sigparam *b)
{
	return a->name && b->name && !strcmp(a->name, b->name);
}

static bool is_pointer(const char *type)
{
	return ctype_pointers(type) > 0 || strchr(type, '(');
}

static enum sigmap_kind relation(const struct type_env *env, const struct sigparam *a,
				 const struct sigparam *b)
{
	if (is_untyped(a) || is_untyped(b) || type_same(env, a->type, b->type))
		return SIGMAP_SAME;
	if (type_same_unqualified(env, a->type, b->type))
		return SIGMAP_QUALIFIER;
	return SIGMAP_RETYPE;
}

/* How much speaks for "a became b"; 0: nothing. */
static int affinity(const struct type_env *env, const struct sigparam *a, const struct sigparam *b)
{
	bool named = same_name(a, b), both = a->name && b->name, pa, pb;
	char *x, *y;
	int score;

	if (is_untyped(a) || is_untyped(b))
		return named ? 30 : both ? 2 : 4;
	switch (relation(env, a, b)) {
	case SIGMAP_SAME:
		return named ? 30 : both ? 20 : 22;
	case SIGMAP_QUALIFIER:
		return named ? 26 : 18;
	default:
		break;
	}
	x = type_resolve(env, a->type);
	y = type_resolve(env, b->type);
	pa = is_pointer(x);
	pb = is_pointer(y);
	score = pa != pb ? 1 : pa ? 5 : 8;
	free(x);
	free(y);
	x = ctype_base(a->type);
	y = ctype_base(b->type);
	if (*x && !strcmp(x, y))
		score += 4;
	free(x);
	free(y);
	return score + (named ? 6 : 0);
}

/* Best order-preserving alignment: classic dynamic programming. */
static void align(const struct type_env *env, const struct csig *from, const struct csig *to,
		  struct sigmap *m)
{
	int best[MAX_PARAMS + 1][MAX_PARAMS + 1] = { 0 };
	size_t i, j;

	for (i = from->n; i-- > 0;) {
		for (j = to->n; j-- > 0;) {
			int pair = affinity(env, &from->p[i], &to->p[j]) + best[i + 1][j + 1];
			int skip = best[i + 1][j] > best[i][j + 1] ? best[i + 1][j] :
								     best[i][j + 1];

			best[i][j] = pair > skip ? pair : skip;
		}
	}
	for (i = 0, j = 0; i < from->n && j < to->n;) {
		int pair = affinity(env, &from->p[i], &to->p[j]) + best[i + 1][j + 1];

		if (pair == best[i][j]) {
			m->to[j].from = (int)i;
			m->to[j].kind = relation(env, &from->p[i], &to->p[j]);
			m->kept[i] = true;
			i++;
			j++;
		} else if (best[i + 1][j] >= best[i][j + 1]) {
			i++;
		} else {
			j++;
		}
	}
}

/*
 * An old parameter that found no place in order but whose exact type, or name,
 * is wanted elsewhere has moved. It may displace a mere retype.
 */
static void find_moved(const struct type_env *env, const struct csig *from, const struct csig *to,
		       struct sigmap *m)
{
	size_t i, j;

	for (i = 0; i < from->n; i++) {
		for (j = 0; j < to->n && !m->kept[i]; j++) {
			if (m->to[j].kind != SIGMAP_ADDED && m->to[j].kind != SIGMAP_RETYPE)
				continue;
			if (affinity(env, &from->p[i], &to->p[j]) < 18)
				continue;
			if (m->to[j].from >= 0)
				m->kept[m->to[j].from] = false;
			m->to[j].from = (int)i;
			m->to[j].kind = relation(env, &from->p[i], &to->p[j]);
			m->kept[i] = true;
			m->reordered = true;
		}
	}
}

void sigmap_build(const struct type_env *env, const struct csig *from, const struct csig *to,
		  struct sigmap *out)
{
	size_t j;

	memset(out, 0, sizeof(*out));
	out->n = to->n;
	out->nfrom = from->n;
	out->to = xcalloc(to->n + 1, sizeof(*out->to));
	out->kept = xcalloc(from->n + 1, sizeof(*out->kept));
	for (j = 0; j < to->n; j++) {
		out->to[j].kind = SIGMAP_ADDED;
		out->to[j].from = -1;
	}
	if (from->n > MAX_PARAMS || to->n > MAX_PARAMS)
		return;
	align(env, from, to, out);
	find_moved(env, from, to, out);
}

void sigmap_release(struct sigmap *m)
{
	free(m->to);
	free(m->kept);
	memset(m, 0, sizeof(*m));
}

size_t sigmap_removed(const struct sigmap *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->nfrom; i++)
		n += !m->kept[i];
	return n;
}

size_t sigmap_count(const struct sigmap *m, enum sigmap_kind kind)
{
	size_t j, n = 0;

	for (j = 0; j < m->n; j++)
		n += m->to[j].kind == kind;
	return n;
}

bool sigmap_is_identity(const struct sigmap *m)
{
	return !m->reordered && !sigmap_removed(m) && sigmap_count(m, SIGMAP_SAME) == m->n;
}
