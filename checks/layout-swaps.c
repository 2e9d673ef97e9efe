// SPDX-License-Identifier: GPL-2.0-only
/*
 * A port that uses another member of a kernel's structure than before. The compiler takes any member
 * of a fitting type; whether it is the same thing under a new name shows where it lies: a member of the
 * old kernel that is gone, and in its place a new one of the same type, is a rename.
 */
#include "base/compat.h"
#include "checks/layout-judge.h"

#include "base/alloc.h"

/* Uses of one structure in one function: member -> old count and new count. */
struct tally {
	struct strmap members;	/* name -> struct count */
	const struct dbg_struct *st;
};

struct count {
	const struct use *a, *b;	/* first use on each side */
	int na, nb;
};

static void add_uses(const struct use_list *l, bool new, struct strmap *tallies)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct use *u = &l->u[i];
		struct tally *t;
		struct count *c;
		char *key;

		if (u->kind != USE_MEMBER)
			continue;
		key = xstrfmt("%s|%s|%s", u->file, u->function ? u->function : "", u->st->name);
		t = strmap_get(tallies, key);
		if (!t) {
			t = xcalloc(1, sizeof(*t));
			t->st = u->st;
			strmap_put(tallies, key, t);
		}
		free(key);
		c = strmap_get(&t->members, u->member);
		if (!c) {
			c = xcalloc(1, sizeof(*c));
			strmap_put(&t->members, u->member, c);
		}
		*(new ? &c->nb : &c->na) += 1;
		if (new && !c->b)
			c->b = u;
		if (!new && !c->a)
			c->a = u;
	}
}

static bool same_type(const struct shape_member *a, const struct shape_member *b)
{
	return a && b && a->width == b->width && a->kind == b->kind && a->count == b->count;
}

static const char *renamed_to(const struct shape_pair *p, const char *member)
{
	for (size_t i = 0; i < p->diff.n; i++)
		if (p->diff.c[i].kind == CHANGE_RENAMED && !strcmp(p->diff.c[i].a->path, member))
			return p->diff.c[i].b->path;
	return NULL;
}

/* "lost" is used less than before, "gained" more. */
static void judge_swap(struct layout_judge *j, const struct shape_pair *p, const char *lost, const char *gained,
		       const struct use *at)
{
	const struct shape_member *old = shape_member(&p->a, lost), *still = shape_member(&p->b, lost);
	const struct shape_member *was = shape_member(&p->a, gained), *now = shape_member(&p->b, gained);
	const char *to = renamed_to(p, lost);

	if (!same_type(old, now))
		return;
	if (same_type(old, still))
		judge_say(j, true, "other-member", at, "uses '%s' of %s where the driver before used '%s', which is "
			  "still there", gained, p->at->name, lost);
	else if (to && strcmp(to, gained))
		judge_say(j, true, "other-member", at, "uses '%s' of %s for '%s', whose place and type '%s' has on %s",
			  gained, p->at->name, lost, to, j->to);
	else if (!to && was && same_type(was, now))
		judge_say(j, false, "other-member", at, "uses '%s' of %s for '%s', which is gone; '%s' was there "
			  "before with a meaning of its own", gained, p->at->name, lost, gained);
}

static void judge_tally(struct layout_judge *j, struct tally *t)
{
	const struct shape_pair *p = judge_pair(j, t->st);
	struct strmap_entry *x, *y;

	if (!p->both)
		return;
	strmap_for_each(&t->members, x) {
		const struct count *a = x->value;

		if (a->nb >= a->na)
			continue;
		strmap_for_each(&t->members, y) {
			const struct count *b = y->value;

			if (b->nb - b->na == a->na - a->nb)
				judge_swap(j, p, x->key, y->key, b->b);
		}
	}
}

static void free_tally(void *p)
{
	struct tally *t = p;

	strmap_release(&t->members, free);
	free(t);
}

void judge_swaps(struct layout_judge *j)
{
	struct strmap tallies = STRMAP_INIT;
	struct strmap_entry *e;

	add_uses(j->ua, false, &tallies);
	add_uses(j->ub, true, &tallies);
	strmap_for_each(&tallies, e)
		judge_tally(j, e->value);
	strmap_release(&tallies, free_tally);
}
