// SPDX-License-Identifier: GPL-2.0-only
/* Uses of structures that lie otherwise on the target: values, signs, places, numbers. */
#include "base/compat.h"
#include "checks/layout-judge.h"

#include "base/alloc.h"

static const struct shape_change *change_of(const struct shape_pair *p, const char *member, unsigned kinds)
{
	for (size_t i = 0; i < p->diff.n; i++)
		if (p->diff.c[i].a && (kinds & (1u << p->diff.c[i].kind)) && !strcmp(p->diff.c[i].a->path, member))
			return &p->diff.c[i];
	return NULL;
}

static bool fits(int64_t v, const struct shape_member *m)
{
	unsigned bits = m->width;

	if (bits >= 63)
		return true;
	/* -1 for "all ones" is an idiom of unsigned members. */
	return v >= -(INT64_C(1) << (bits - 1)) && v < (INT64_C(1) << bits);
}

static void judge_narrowed(struct layout_judge *j, const struct use *u, const struct shape_change *c,
			   const char *name)
{
	bool cut = (u->flags & USE_NUMBER && !fits(u->number, c->b)) ||
		   (u->flags & USE_VALUE && u->bits > c->b->width);

	if (!(u->flags & USE_WRITE) || c->b->count > 1 || c->a->kind == SHAPE_STRUCT ||
	    c->b->kind == SHAPE_BOOL || /* any value but 0 is 1 */
	    (u->flags & USE_NUMBER && !cut) || (u->flags & USE_VALUE && !cut))
		return;
	judge_say(j, cut, "narrowed", u, "'%s' of %s holds %u bits on %s, %u on %s: %s", u->member, name,
		  c->to, j->to, c->from, j->from, cut ? "the value that is stored is cut off" :
		  "does the value still fit?");
}

static void judge_member(struct layout_judge *j, const struct use *u, const struct shape_pair *p)
{
	const struct shape_change *c;

	j->members++;
	c = change_of(p, u->member, 1u << CHANGE_NARROWED);
	if (c)
		judge_narrowed(j, u, c, p->at->name);
	c = change_of(p, u->member, 1u << CHANGE_SIGN);
	if (c && c->b->kind == SHAPE_UINT)
		judge_say(j, (u->flags & USE_NEGATIVE) != 0, "sign", u, "'%s' of %s is '%s' on %s, was '%s': %s",
			  u->member, p->at->name, c->b->type, j->to, c->a->type,
			  u->flags & USE_NEGATIVE ? "it is never less than 0" : "is it compared or shifted?");
	c = change_of(p, u->member, (1u << CHANGE_WIDENED) | (1u << CHANGE_ORDER));
	/* A structure that grew inside is used by members of its own. */
	if (c && c->a->kind != SHAPE_STRUCT && !(u->flags & USE_WRITE && c->kind == CHANGE_WIDENED))
		judge_say(j, c->kind == CHANGE_ORDER && c->from && c->to, "used-and-changed", u,
			  "'%s' of %s is '%s' on %s, was '%s'", u->member, p->at->name, c->b->type, j->to, c->a->type);
}

/* ---- numbers that stand for a layout -------------------------------------- */

/* The innermost member that holds the byte. */
static const struct shape_member *member_at(const struct shape *s, int64_t byte)
{
	const struct shape_member *best = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct shape_member *m = &s->m[i];

		if (byte * 8 >= m->offset && byte * 8 < (int64_t)m->offset + m->width && !strstr(m->path, "[]") &&
		    (!best || m->width < best->width))
			best = m;
	}
	return best;
}

static void judge_offset(struct layout_judge *j, const struct use *u, const struct shape_pair *p)
{
	const struct shape_member *a = member_at(&p->a, u->number), *b = member_at(&p->b, u->number);

	if (!a || (b && !strcmp(a->path, b->path) && a->offset == b->offset && a->width == b->width))
		return;
	judge_say(j, true, "fixed-offset", u, "%lld bytes into %s is '%s' on %s, was '%s' on %s",
		  (long long)u->number, p->at->name, b ? b->path : "nothing", j->to, a->path, j->from);
}

static void judge_length(struct layout_judge *j, const struct use *u, const struct dbg_struct *st)
{
	const struct shape_pair *p = st ? judge_pair(j, st) : NULL;
	int64_t n = u->number;

	if (!p || !p->both || p->a.size == p->b.size)
		return;
	if (n == p->a.size || (n <= p->a.size && n > p->b.size))
		judge_say(j, true, "fixed-size", u, "%s() of %lld bytes over %s, which has %u on %s, had %u",
			  u->what, (long long)n, p->at->name, p->b.size, j->to, p->a.size);
}

/* ---- initialisers by position --------------------------------------------- */

static const struct use *same_place_before(const struct layout_judge *j, const struct use *u)
{
	for (size_t i = 0; i < j->ua->n; i++) {
		const struct use *o = &j->ua->u[i];

		if (o->kind == USE_INIT && o->number == u->number && !strcmp(o->st->name, u->st->name) &&
		    !strcmp(o->file, u->file))
			return o;
	}
	return NULL;
}

static void judge_position(struct layout_judge *j, const struct use *u, const struct shape_pair *p)
{
	const struct use *o = same_place_before(j, u);
	const struct shape_change *c;

	if (!o || !strcmp(o->member, u->member) || !p->diff.n)
		return;
	c = change_of(p, o->member, 1u << CHANGE_RENAMED);
	if (c && !strcmp(c->b->path, u->member))
		return;
	judge_say(j, !p->own, "by-position", u, "value %lld of this initialiser of %s is for '%s' on %s, was for "
		  "'%s'", (long long)u->number + 1, p->at->name, u->member, j->to, o->member);
}

/* ---- notes ---------------------------------------------------------------- */

static void note(struct layout_judge *j, const struct use *u, const struct shape_pair *p)
{
	static const char *const over[] = { [USE_SIZEOF] = "sizeof", [USE_CAST] = "a cast",
		[USE_COPY] = "a copy", [USE_SET] = "memset()" };
	struct strbuf text = STRBUF_INIT;

	if (u->flags & USE_NUMBER || p->own)
		return;
	shape_diff_text(&p->diff, &text);
	judge_say(j, false, "over-changed-structure", u, "%s over %s, which is not the same on %s: %s",
		  over[u->kind], p->at->name, j->to, text.buf);
	strbuf_release(&text);
}

static void judge_use(struct layout_judge *j, const struct use *u)
{
	const struct shape_pair *p = judge_pair(j, u->st);

	if (u->kind == USE_COPY && u->flags & USE_NUMBER && u->other)
		judge_length(j, u, u->other);
	if (!p->both || (!p->diff.n && u->kind != USE_MEMBER))
		return;
	switch (u->kind) {
	case USE_MEMBER:
		judge_member(j, u, p);
		break;
	case USE_OFFSET:
		judge_offset(j, u, p);
		break;
	case USE_INIT:
		judge_position(j, u, p);
		break;
	case USE_COPY:
	case USE_SET:
		if (u->flags & USE_NUMBER)
			judge_length(j, u, u->st);
		note(j, u, p);
		break;
	case USE_SIZEOF:
	case USE_CAST:
		note(j, u, p);
		break;
	default:
		break;
	}
}

void judge_kernel(struct layout_judge *j)
{
	for (size_t i = 0; i < j->ub->n; i++)
		judge_use(j, &j->ub->u[i]);
}
